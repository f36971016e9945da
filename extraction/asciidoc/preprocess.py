"""What AsciiDoc does to lines before it parses them: comments, conditions, includes."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping, MutableMapping
from dataclasses import dataclass, field
from typing import Any

ATTRIBUTE = re.compile(r":(?P<unset>!)?(?P<name>\w[\w-]*)(?P<off>!)?:(?:\s+(?P<value>.*))?$")
_CONDITION = re.compile(r"\\?(?P<kind>ifdef|ifndef|ifeval|endif)::(?P<names>[^\[\]]*)\[(?P<text>.*)\]\s*$")
_INCLUDE = re.compile(r"include::(?P<path>[^\[\]]*)\[.*\]\s*$")
_COMPARISON = re.compile(
    r"\s*(?P<left>\"[^\"]*\"|'[^']*'|\S+)\s*(?P<sign>[=!<>]=|[<>])\s*(?P<right>\"[^\"]*\"|'[^']*'|\S+)\s*"
)
_COMMENT_BLOCK = re.compile(r"/{4,}\s*$")
_VERBATIM = re.compile(r"(?:-{4,}|\.{4,}|\+{4,})\s*$")
_SIGNS: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<=": operator.le,
    ">=": operator.ge,
    "<": operator.lt,
    ">": operator.gt,
}
_INTEGER = re.compile(r"[0-9]{1,9}")
_REFERENCE = re.compile(r"(?<!\\)\{([\w-]+)\}")
_LONGEST_VALUE = 4000  # characters; an attribute made of attributes could grow without end
INTRINSIC = {
    "nbsp": "\u00a0", "zwsp": "", "wj": "", "amp": "&", "lt": "<", "gt": ">", "plus": "+", "asterisk": "*",
    "tilde": "~", "caret": "^", "startsb": "[", "endsb": "]", "vbar": "|", "backslash": "\\", "backtick": "`",
    "two-colons": "::", "two-semicolons": ";;", "apos": "'", "quot": '"', "lsquo": "‘", "rsquo": "’",
    "ldquo": "“", "rdquo": "”", "deg": "°", "brvbar": "¦", "cpp": "C++", "empty": "", "sp": " ", "blank": "",
    "pp": "++",
}  # fmt: skip


@dataclass(slots=True)
class Preprocessed:
    """Lines that are left, and what was left out.

    Attributes:
        lines: Lines without comments and without what a condition leaves out.
        includes: Paths of files that the document would include.
    """

    lines: list[str] = field(default_factory=list)
    includes: list[str] = field(default_factory=list)


def preprocess(lines: list[str]) -> Preprocessed:
    """Resolve conditions by the document's own attributes; leave out comments and includes."""
    run = _Run()
    begun = ""  # of an attribute entry that goes on
    for line in lines:
        text = f"{begun} {line.strip()}" if begun else line.rstrip()
        begun = text[:-2] if text.startswith(":") and text.endswith(" \\") else ""
        if not begun:
            run.take(text)
    run.take(begun)
    return run.result


class _Run:
    def __init__(self) -> None:
        self.result = Preprocessed()
        self._attributes: dict[str, str] = {}
        self._open: list[bool] = []  # per open condition whether it holds
        self._fence = ""  # of the comment or the verbatim block that is open

    def take(self, line: str) -> None:
        if self._fence.startswith("/"):
            self._fence = "" if line == self._fence else self._fence
        elif condition := _CONDITION.match(line):
            self._condition(condition)
        elif all(self._open):
            self._text(line)

    def _text(self, line: str) -> None:
        if include := _INCLUDE.match(line):
            self.result.includes.append(include["path"])
            return
        if not self._fence:
            if _COMMENT_BLOCK.match(line):
                self._fence = line
                return
            if line.startswith("//") and not line.startswith("///"):
                return
            if attribute := ATTRIBUTE.match(line):
                set_attribute(self._attributes, attribute)
        if _VERBATIM.match(line) and self._fence in {"", line}:
            self._fence = "" if self._fence else line
        self.result.lines.append(
            line[1:] if line.startswith(("\\ifdef::", "\\include::", "\\ifndef::")) else line
        )

    def _condition(self, condition: re.Match[str]) -> None:
        kind, text = condition["kind"], condition["text"]
        if condition[0].startswith("\\"):
            if all(self._open):
                self.result.lines.append(condition[0][1:])
        elif kind == "endif":
            if self._open:
                self._open.pop()
        elif kind == "ifeval":
            self._open.append(self._compare(text))
        elif text:
            if all(self._open) and self._defined(condition["names"]) == (kind == "ifdef"):
                self._text(text)
        else:
            self._open.append(self._defined(condition["names"]) == (kind == "ifdef"))

    def _defined(self, names: str) -> bool:
        if "+" in names:
            return all(name.strip() in self._attributes for name in names.split("+"))
        return any(name.strip() in self._attributes for name in names.split(","))

    def _compare(self, text: str) -> bool:
        """Whether a comparison holds; one that cannot be told does."""
        found = _COMPARISON.fullmatch(substitute(text, self._attributes))
        if found is None:
            return True
        sides = [found[side].strip("\"'") for side in ("left", "right")]
        if all(map(_INTEGER.fullmatch, sides)):
            return _SIGNS[found["sign"]](*map(int, sides))
        return _SIGNS[found["sign"]](*sides)


def set_attribute(attributes: MutableMapping[str, str], entry: re.Match[str]) -> None:
    """Set or unset what a line ``:name: value`` says."""
    name = entry["name"].lower()
    if entry["unset"] or entry["off"]:
        attributes.pop(name, None)
    else:
        attributes[name] = substitute((entry["value"] or "").strip(), attributes)[:_LONGEST_VALUE]


def substitute(text: str, attributes: Mapping[str, str]) -> str:
    """Put values in place of ``{name}``; what is not defined stays as it is written."""
    if "{" not in text:
        return text
    return _REFERENCE.sub(lambda match: _value(match, attributes), text)


def _value(reference: re.Match[str], attributes: Mapping[str, str]) -> str:
    name = reference[1].lower()
    return attributes.get(name, INTRINSIC.get(name, reference[0]))
