"""The text of a line of AsciiDoc."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping

from extraction.asciidoc.preprocess import substitute

_PASS = re.compile(
    r"\+\+\+(?P<a>.{0,2000}?)\+\+\+|\$\$(?P<b>.{0,2000}?)\$\$|pass:[a-z,]*\[(?P<c>(?:[^\]\\]|\\.){0,2000})\]"
    r"|(?<![\w`])`\+(?P<d>[^`]{1,500}?)\+`(?!\w)|(?:stem|latexmath|asciimath):[a-z,]*\[(?P<e>(?:[^\]\\]|\\.){0,2000})\]"
    r"|(?<![\w+])\+(?P<f>\S|\S[^+\n]{0,300}?\S)\+(?![\w+])",
    re.DOTALL,
)
_MACRO = re.compile(
    r"(?<![\\\w])(?P<name>link|xref|mailto|image|icon|kbd|btn|menu|indexterm2?|anchor|footnoteref|footnote)"
    r":(?P<target>[^\s\[\]:][^\[\]]{0,500}|)\[(?P<text>(?:[^\[\]\\]|\\.|\[[^\[\]]{0,200}\]){0,3000})\]",
    re.DOTALL,
)
_URL = re.compile(
    r"(?<!\\)(?P<url>(?:(?:https?|ftp|irc)://|\{[\w-]+\})[^\s\[\]<>]{0,1000})"
    r"\[(?P<text>(?:[^\]\\]|\\.){0,1000})\]",
    re.DOTALL,
)
_XREF = re.compile(r"<<(?P<id>[^<>,]{1,200})(?:,\s*(?P<text>[^<>]{1,500}))?>>")
_ANCHOR = re.compile(r"\[\[\[(?P<bib>[^\[\],]{1,100})(?:,[^\[\]]{0,200})?\]\]\]|\[\[[^\[\]]{1,200}\]\]")
_INDEX = re.compile(r"\(\(\([^()]{1,300}\)\)\)|\(\((?P<shown>[^()]{1,300})\)\)")
_COUNTER = re.compile(r"\{(?:counter2?|set):[^{}]{0,100}\}")
_ROLE = r"(?:\[[^\[\]\n]{0,100}\])?"
_UNCONSTRAINED = re.compile(_ROLE + r"(?P<mark>\*\*|__|``|##)(?P<text>\S|\S.{0,1000}?\S)(?P=mark)", re.DOTALL)
_CONSTRAINED = re.compile(
    r"(?<![\w\\;:}])" + _ROLE + r"(?P<mark>[*_`#])(?P<text>\S|\S.{0,1000}?\S)(?P=mark)(?!\w)", re.DOTALL
)
_QUOTES = re.compile(r"([\"'])`(?P<text>\S|\S.{0,1000}?\S)`\1", re.DOTALL)
_SMALL = re.compile(r"(?P<mark>[~^])(?P<text>[^\s~^]{1,100})(?P=mark)")
_ESCAPED = re.compile(r"\\(?=[*_`#{\[<~^+(]|https?:)")
# In private use: the number of a text that is not looked into stands between them.
_OPENS, _CLOSES = "\ue000", "\ue001"
_HELD = re.compile(f"{_OPENS}([0-9]+){_CLOSES}")
_NOT_ID = re.compile(r"[^\w]+")


class Inline:
    """Takes the markup out of text."""

    def __init__(self, attributes: Mapping[str, str], titles: Mapping[str, str]) -> None:
        """Know the document.

        Args:
            attributes: Values for ``{name}``; the caller may change them.
            titles: Texts for references to sections and blocks, by their ids.
        """
        self.footnotes: list[str] = []
        self._attributes = attributes
        self._titles = titles
        self._held: list[str] = []

    def text(self, source: str) -> str:
        """What a reader sees; texts of footnotes go to ``footnotes``."""
        source = source.translate({ord(_OPENS): None, ord(_CLOSES): None})
        self._held = []
        source = _PASS.sub(self._hold_pass, source)
        source = _COUNTER.sub("", substitute(source, self._attributes))
        source = _INDEX.sub(lambda match: match["shown"] or "", source)
        source = _MACRO.sub(self._macro, source)
        source = _URL.sub(lambda match: _label(match["text"]) or match["url"], source)
        source = _XREF.sub(lambda match: match["text"] or self._title(match["id"]), source)
        source = _ANCHOR.sub(lambda match: f"[{match['bib']}]" if match["bib"] else "", source)
        return self._finished(_plain(source))

    def _hold_pass(self, match: re.Match[str]) -> str:
        self._held.append(next(text for text in match.groups() if text is not None).replace("\\]", "]"))
        return f"{_OPENS}{len(self._held) - 1}{_CLOSES}"

    def _finished(self, text: str) -> str:
        return html.unescape(_HELD.sub(lambda match: self._held[int(match[1])], text.replace("`'", "’")))

    def _title(self, reference: str) -> str:
        name = reference.strip().removeprefix("#")
        return self._titles.get(name, name)

    def _macro(self, match: re.Match[str]) -> str:
        name, target, text = match["name"], match["target"], match["text"].replace("\\]", "]")
        if name.startswith("footnote"):
            note = text if name == "footnote" else text.partition(",")[2]
            if note.strip():
                plain = _plain(_URL.sub(lambda url: _label(url["text"]) or url["url"], note))
                self.footnotes.append(self._finished(plain))
            return ""
        if name in {"icon", "anchor", "indexterm"}:
            return ""
        if name == "menu":
            return " › ".join(filter(None, (target, *(part.strip() for part in text.split(">")))))
        shown = text if name in {"kbd", "btn", "indexterm2"} else _label(text, first=name == "image")
        if shown or name == "image":
            return shown
        return self._title(target.rpartition("#")[2] if name == "xref" and target.startswith("#") else target)


def _label(text: str, *, first: bool = False) -> str:
    """What a macro shows: its text up to a named value; of a picture the first value only."""
    if text.startswith('"') and text.count('"') >= 2:
        return text[1 : text.index('"', 1)]
    value, _, rest = text.partition(",")
    if re.match(r"[\w-]+=", value):
        return ""
    shown = value if first or re.match(r"\s*[\w-]+=", rest) else text
    return shown.strip().rstrip("^").strip()


def _plain(text: str) -> str:
    """Text without marks of bold, italic and the like."""
    text = _QUOTES.sub(lambda match: f"“{match['text']}”" if match[1] == '"' else f"‘{match['text']}’", text)
    for _ in range(3):  # marks inside marks
        before = text
        text = _UNCONSTRAINED.sub(r"\g<text>", text)
        text = _CONSTRAINED.sub(r"\g<text>", text)
        if text == before:
            break
    return _ESCAPED.sub("", _SMALL.sub(r"\g<text>", text))


def section_id(title: str) -> str:
    """The id that Asciidoctor gives a section: ``_lower_case``."""
    return "_" + _NOT_ID.sub("_", title.lower()).strip("_")
