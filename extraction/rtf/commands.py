"""What control words do to the text, its paragraph and its table (RTF 1.9.1)."""

from __future__ import annotations

from collections.abc import Callable

from extraction.rtf.context import Context
from extraction.rtf.flow import RowLayout
from extraction.rtf.fonts import SYMBOL_CHARSET, Style, charset_encoding, page_encoding
from extraction.rtf.state import Target

Command = Callable[[Context, int | None], None]

_LARGEST = 1000
_NESTED = 2


def _set(name: str, value: object) -> Command:
    return lambda context, _: setattr(context.state, name, value)


def _toggle(name: str) -> Command:
    return lambda context, number: setattr(context.state, name, number != 0)


def _count(name: str, default: int, first: int = 0) -> Command:
    def command(context: Context, number: int | None) -> None:
        value = default if number is None else min(max(number, 0), _LARGEST)
        setattr(context.state, name, value + first)

    return command


def _encode(encoding: str) -> Command:
    return lambda context, _: setattr(context, "encoding", encoding)


def _merge(across: str, down: str) -> Command:
    def command(context: Context, _: int | None) -> None:
        coming = context.layout.coming
        coming.across, coming.down = across or coming.across, down or coming.down

    return command


def _page(context: Context, number: int | None) -> None:
    context.encoding = page_encoding(number or 0) or context.encoding


def _default_font(context: Context, number: int | None) -> None:
    context.default_font = context.state.font = number


def _font(context: Context, number: int | None) -> None:
    context.state.font = number


def _charset(context: Context, number: int | None) -> None:
    context.described_font.encoding = charset_encoding(number or 0)
    context.described_font.symbol = number == SYMBOL_CHARSET


def _font_page(context: Context, number: int | None) -> None:
    context.described_font.encoding = page_encoding(number or 0)


def _size(context: Context, number: int | None) -> None:
    context.state.size = min(max(number or 24, 2), _LARGEST) / 2  # in half points


def _style(context: Context, number: int | None) -> None:
    if context.state.target is Target.STYLES:
        context.style = context.styles.setdefault(number or 0, Style())
    else:
        context.state.style = number


def _other_style(context: Context, _: int | None) -> None:
    if context.state.target is Target.STYLES:  # of characters, tables or sections
        context.style = Style()


def _outline(context: Context, number: int | None) -> None:
    level = 0 if number is None or not 0 <= number < 9 else number + 1
    if context.state.target is Target.STYLES:
        context.style.level = level or None
    else:
        context.state.level = level


def _plain(context: Context, _: int | None) -> None:
    context.state.plain(context.default_font)


def _plain_paragraph(context: Context, _: int | None) -> None:
    context.state.plain_paragraph()


def _in_table(context: Context, number: int | None) -> None:
    context.state.table = max(context.state.table, 1) if number != 0 else 0


def _paragraph(context: Context, _: int | None) -> None:
    if context.state.target is Target.BODY:
        context.flows[-1].end_paragraph(context.state)


def _cell(context: Context, _: int | None) -> None:
    if context.state.target is Target.BODY:
        context.flows[-1].end_cell(context.state, 1)


def _nested_cell(context: Context, _: int | None) -> None:
    if context.state.target is Target.BODY:
        context.flows[-1].end_cell(context.state, max(context.state.table, _NESTED))


def _row(context: Context, _: int | None) -> None:
    if context.state.target is Target.BODY:
        context.flows[-1].end_row(1, context.layout)


def _nested_row(context: Context, _: int | None) -> None:
    if context.state.target is Target.BODY:
        context.flows[-1].end_row(max(context.state.table, _NESTED), context.layout)


def _row_layout(context: Context, _: int | None) -> None:
    context.layouts[context.state.nested] = RowLayout()


def _header(context: Context, _: int | None) -> None:
    context.layout.header = True


def _cell_layout(context: Context, number: int | None) -> None:
    context.layout.end_cell(number or 0)


COMMANDS: dict[str, Command] = {
    "rtf": _set("target", Target.BODY),
    "ansicpg": _page,
    "mac": _encode("mac_roman"),
    "pc": _encode("cp437"),
    "pca": _encode("cp850"),
    "deff": _default_font,
    "f": _font,
    "fcharset": _charset,
    "cpg": _font_page,
    "s": _style,
    **dict.fromkeys(("cs", "ts", "ds"), _other_style),
    "outlinelevel": _outline,
    "plain": _plain,
    "pard": _plain_paragraph,
    "b": _toggle("bold"),
    "v": _toggle("hidden"),
    **dict.fromkeys(("deleted", "mvf"), _toggle("deleted")),
    "fs": _size,
    "uc": _count("skip", 1),
    "qc": _set("aligned", "c"),
    "qr": _set("aligned", "r"),
    **dict.fromkeys(("ql", "qj", "qd"), _set("aligned", "")),
    "ilvl": _count("depth", 0, first=1),
    "intbl": _in_table,
    "itap": _count("table", 0),
    **dict.fromkeys(("par", "sect"), _paragraph),
    "cell": _cell,
    "nestcell": _nested_cell,
    "row": _row,
    "nestrow": _nested_row,
    "trowd": _row_layout,
    "trhdr": _header,
    "cellx": _cell_layout,
    "clmgf": _merge("first", ""),
    "clmrg": _merge("next", ""),
    "clvmgf": _merge("", "first"),
    "clvmrg": _merge("", "next"),
}
