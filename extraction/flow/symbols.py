"""Characters of the typefaces Symbol and Wingdings, which have codes of their own."""

from __future__ import annotations

# Adobe's Symbol encoding, as the Unicode consortium maps it (symbol.txt), from 0x20 and from 0xA1.
_SYMBOL = dict(
    zip(
        (*range(0x20, 0x7F), *range(0xA1, 0xF0), *range(0xF1, 0xFF)),
        " !∀#∃%&∋()∗+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼"
        "ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊〈®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪"
        "〉∫⌠⎮⌡⎞⎟⎠⎤⎥⎦⎫⎬⎭",
        strict=True,
    )
)
_WINGDINGS = {
    0x6C: "●", 0x6E: "■", 0x6F: "□", 0x71: "❑", 0x72: "❒", 0x75: "◆", 0x76: "❖", 0x77: "⬥",
    0x9E: "·", 0x9F: "•", 0xA7: "▪", 0xA8: "☐", 0xD8: "➢", 0xDF: "←", 0xE0: "→", 0xE1: "↑",
    0xE2: "↓", 0xE8: "➔", 0xF0: "⇨", 0xFB: "✗", 0xFC: "✓", 0xFD: "☒", 0xFE: "☑",
}  # fmt: skip
_ORNAMENTS = ("webdings", "marlett", "zapf", "itc zapf", "monotype sorts")
_PRIVATE = 0xF000


def symbol(code: int, face: str) -> str:
    """The character that a typeface shows for a code.

    Args:
        code: The code, with or without the 0xF000 that Word adds.
        face: The typeface's name.

    Returns:
        The character; nothing for mere ornaments. Any typeface but one of ornaments is taken for Symbol,
        since Word adds 0xF000 to the codes of that one and forgets its name.
    """
    code = code & 0xFF if code >= _PRIVATE else code
    name = face.casefold()
    if name.startswith("wingdings"):
        return _WINGDINGS.get(code, "")
    return "" if name.startswith(_ORNAMENTS) else _SYMBOL.get(code, "")


def without_private(text: str, face: str) -> str:
    """Text whose private-use characters are replaced by what the typeface shows for them."""
    if not any("\uf020" <= char <= "\uf0ff" for char in text):
        return text
    return "".join(symbol(ord(char), face) if "\uf020" <= char <= "\uf0ff" else char for char in text)
