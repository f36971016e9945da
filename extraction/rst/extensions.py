"""Directives and roles that docutils does not know or reads too strictly: those of Sphinx, and any other.

A document is read by itself: nothing is included, executed or looked up.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import Directive, directives, roles
from docutils.parsers.rst.directives.images import Image
from docutils.parsers.rst.directives.tables import CSVTable, ListTable, RSTTable
from docutils.parsers.rst.languages import en

from extraction.text import word_set

_DIRECTIVE = re.compile(
    r"^\s*(?:\.\.\s+|\.\.\s+\|[^|\n]+\|\s+)([A-Za-z][\w:+.-]{0,60}?)\s?::(?=\s|$)", re.MULTILINE
)
_ROLE = re.compile(r":([A-Za-z][\w:+.-]{0,60}):`|`:([A-Za-z][\w:+.-]{0,60}):")
_TARGET = re.compile(r"(?s)(.+?)\s*<[^<>]*>$")

# What only steers a tool, or what is filled in from elsewhere.
_STEERING = word_set(
    "toctree include literalinclude raw contents sectnum section-numbering index currentmodule module"
    " py:currentmodule py:module highlight tabularcolumns default-domain default-role role meta title date"
    " header footer target-notes restructuredtext-test-directive class rst-class codeauthor sectionauthor"
    " moduleauthor bibliography raw-html youtube"
)
_CODE = word_set(
    "code code-block sourcecode parsed-literal highlight-block productionlist prompt console ipython doctest"
    " testcode testoutput testsetup testcleanup graphviz digraph graph mermaid uml plantuml jinja autoprogram"
)
# Known to docutils and read there as they should be.
_KEPT = word_set("replace unicode epigraph highlights pull-quote line-block rubric")
# Their argument is a condition or a class, no text.
_UNTITLED = word_set("only if ifconfig container compound hlist tabs tab-set grid cssclass div")
_VERSIONS = {
    "versionadded": "New in version",
    "versionchanged": "Changed in version",
    "deprecated": "Deprecated since version",
    "versionremoved": "Removed in version",
}


class _AnyOption(dict[str, Callable[[str], Any]]):
    """An ``option_spec`` that takes every option as it is written."""

    def __missing__(self, key: str) -> Callable[[str], Any]:
        return directives.unchanged


class _Lenient(Directive):
    has_content = True
    optional_arguments = 1
    final_argument_whitespace = True
    option_spec: ClassVar[Any] = _AnyOption({"class": directives.unchanged})


class _Steering(_Lenient):
    def run(self) -> list[nodes.Node]:
        return []


class _Code(_Lenient):
    def run(self) -> list[nodes.Node]:
        caption = self.options.get("caption", "")
        text = "\n".join(self.content)
        found: list[nodes.Node] = [nodes.caption(caption, caption)] if caption else []
        return [*found, nodes.literal_block(text, text)] if text.strip() else found


class _Math(_Lenient):
    def run(self) -> list[nodes.Node]:
        text = "\n".join([*self.arguments, *self.content])
        return [nodes.math_block(text, text)]


class _Content(_Lenient):
    """Any directive whose content is read as text: what it says stays, what it does is lost."""

    def run(self) -> list[nodes.Node]:
        box = nodes.container()
        name = self.name.lower()
        if self.arguments and name not in _UNTITLED:
            lead = f"{_VERSIONS[name]} " if name in _VERSIONS else ""
            inline, messages = self.state.inline_text(lead + self.arguments[0], self.lineno)
            box += [nodes.paragraph("", "", *inline), *messages]
        self.state.nested_parse(self.content, self.content_offset, box)
        return [box]


class _Figure(_Lenient):
    def run(self) -> list[nodes.Node]:
        box = nodes.container()
        self.state.nested_parse(self.content, self.content_offset, box)
        if box.children and isinstance(box[0], nodes.paragraph):
            box[0] = nodes.caption("", "", *box[0].children)
        alt = self.options.get("alt", "")
        return [nodes.paragraph(alt, alt), box] if alt else [box]


class _Image(Image):
    option_spec: ClassVar[Any] = _AnyOption(Image.option_spec or {})


class _ListTable(ListTable):
    option_spec: ClassVar[Any] = _AnyOption(ListTable.option_spec or {})


class _CSVTable(CSVTable):
    option_spec: ClassVar[Any] = _AnyOption(CSVTable.option_spec or {})


class _Table(RSTTable):
    option_spec: ClassVar[Any] = _AnyOption(RSTTable.option_spec or {})


_SPECIAL: dict[str, type[Directive]] = {
    "math": _Math,
    "image": _Image,
    "figure": _Figure,
    "list-table": _ListTable,
    "csv-table": _CSVTable,
    "table": _Table,
}
_OWN_ROLES = frozenset({"raw", "code", "index", "target"})


def register_extensions(text: str) -> None:
    """Make docutils know every directive and role that a document uses."""
    for name in set(_DIRECTIVE.findall(text)):
        _register_directive(name.lower())
    for before, after in set(_ROLE.findall(text)):
        _register_role((before or after).lower())


@cache
def _register_directive(name: str) -> None:
    if name in _STEERING:
        directives.register_directive(name, _Steering)
    elif name in _CODE:
        directives.register_directive(name, _Code)
    elif name not in _KEPT:
        directives.register_directive(name, _SPECIAL.get(name, _Content))


@cache
def _register_role(name: str) -> None:
    if name not in en.roles or name in _OWN_ROLES:
        roles.register_local_role(name, _read_role)


def _read_role(name: str, rawtext: str, text: str, *_: Any, **__: Any) -> tuple[list[Any], list[Any]]:
    """What the reader sees of a role: ``:ref:`text <target>``` is «text», ``:class:`~a.b.C``` is «C»."""
    if name.startswith("raw"):
        return [], []
    text = text.replace("\x00", "")
    target = _TARGET.fullmatch(text)
    if target:
        text = target[1]
    elif text.startswith("~"):
        text = text[1:].rpartition(".")[2]
    return [nodes.inline(rawtext, text.lstrip("!"))], []
