"""What is known while a Rich Text file is read."""

from __future__ import annotations

from dataclasses import dataclass, field

from extraction.flow.symbols import symbol, without_private
from extraction.rtf.flow import Flow, RowLayout
from extraction.rtf.fonts import Font, Style, name_encoding
from extraction.rtf.state import State, Target

_LATIN = "cp1252"


@dataclass(slots=True)
class Context:
    """The state of reading.

    Attributes:
        state: What is set here.
        flows: The texts that are open: the body, and notes and text boxes inside it.
        fonts: The font table.
        styles: The style sheet.
        style: The style that is described just now.
        layouts: The rows that were announced last: of a table, and of one inside a table's cell.
        encoding: Code page of text in fonts that have none of their own.
        default_font: Number of the font that text is in where none is set.
        title: The title that the file states.
    """

    state: State = field(default_factory=lambda: State(target=Target.NOWHERE))
    styles: dict[int, Style] = field(default_factory=dict)
    fonts: dict[int, Font] = field(default_factory=dict)
    flows: list[Flow] = field(default_factory=list)
    style: Style = field(default_factory=Style)
    layouts: dict[bool, RowLayout] = field(default_factory=dict)
    encoding: str = _LATIN
    default_font: int | None = None
    title: str = ""

    def __post_init__(self) -> None:
        self.flows.append(Flow(self.styles))

    @property
    def layout(self) -> RowLayout:
        """The row that is announced here."""
        return self.layouts.setdefault(self.state.nested, RowLayout())

    @property
    def font(self) -> Font:
        """The font that is set."""
        return self.fonts.get(-1 if self.state.font is None else self.state.font, Font())

    @property
    def described_font(self) -> Font:
        """The entry of the font table that is described just now."""
        return self.fonts.setdefault(self.state.font or 0, Font())

    def write_bytes(self, content: bytes) -> None:
        """Take over text in the code page that is set."""
        font = self.font
        if font.symbol and self.state.target is not Target.FONTS:
            self.write("".join(symbol(code, font.name) for code in content))
        else:
            self.write(content.decode(font.encoding or self.encoding, "replace"))

    def write_code(self, number: int) -> None:
        """Take over a Unicode character; numbers over 32767 are written as negative ones."""
        self.write(without_private(chr(number % 0x10000), self.font.name))

    def write(self, text: str) -> None:
        """Put text where it belongs."""
        state = self.state
        if state.target is Target.FONTS:
            font = self.described_font
            font.name = (font.name + text).rstrip(";")
            font.encoding = font.encoding or name_encoding(font.name)
        elif state.target is Target.STYLES:
            self.style.name = " ".join((self.style.name + text).lower().rstrip(";").split())
        elif state.target is Target.TITLE:
            self.title += text
        elif state.target is Target.LABEL:
            self.flows[-1].label.append(text)
        elif state.target is Target.BODY and not (state.hidden or state.deleted):
            self.flows[-1].write(text, state)
