"""Standing of cuts that no scorer is asked about, in spreads of the document's scores around their centre."""

from __future__ import annotations

from chunking.units import Unit
from rubrica.model import ElementKind

FRAGMENT = 3.0
_TABLE_ROW = 0.0
_CODE_LINE = 2.0
_CODE_DEDENTED = 0.5
_CODE_BLANK = -0.5
_CODE_BLANK_DEDENTED = -2.0


_OPENERS = ("{", "(", "[", ":", "\\", "=")
_COMMENTS = ("//", "/*", "*/", "* ", "#", "--", "@", '"""')
# Signs that open nothing but comments, in any language.
_PROSE = ("//", "/*", "*/", "* ")


def parts_code(text: str, left: Unit, right: Unit) -> bool:
    """Whether a cut parts a signature from its body, or a comment or decorator from what it speaks of."""
    if {left.element.kind, right.element.kind} != {ElementKind.CODE} or right.fragment:
        return False
    if left.element is not right.element:
        # Definitions are elements of their own; the comment above one may have stayed with what is before.
        return text.startswith(_PROSE, left.start)
    if text.count("\n", left.end, right.start) > 1:
        return False
    line = text[left.start : left.end]
    return line.endswith(_OPENERS) or line.startswith(_COMMENTS)


def fixed_standing(text: str, left: Unit, right: Unit) -> float | None:
    """The standing of a cut inside a sentence, a table or code; ``None`` where the scorer decides."""
    if right.fragment:
        return FRAGMENT
    if left.element is not right.element or left.row is None:
        return None
    return _TABLE_ROW if left.element.kind is ElementKind.TABLE else _code_standing(text, left, right)


def _code_standing(text: str, left: Unit, right: Unit) -> float:
    """Code is best cut before a definition: after a blank line, at the outer indentation."""
    gap = text[left.end : right.start]
    blank = gap.count("\n") > 1
    dedented = not gap.rpartition("\n")[2]
    if blank:
        return _CODE_BLANK_DEDENTED if dedented else _CODE_BLANK
    # A closing bracket at the margin ends a definition; it does not open one.
    opens = dedented and text[right.start].isalpha()
    return _CODE_DEDENTED if opens else _CODE_LINE
