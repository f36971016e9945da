"""Text of documents, fit to be shown."""

from __future__ import annotations

import re

# They reorder what follows, so that a reader sees another text than the one that is embedded.
_REORDERING = re.compile("[\u202a-\u202e\u2066-\u2069]")


def visible(text: str) -> str:
    """The text with its reordering marks named instead of obeyed, and without lone surrogates."""
    named = _REORDERING.sub(lambda mark: f"[U+{ord(mark[0]):04X}]", text)
    return named.encode("utf-8", "replace").decode()


def one_line(text: str, most: int = 200) -> str:
    """The same in one line, cut after ``most`` characters."""
    line = " ".join(text[: 2 * most].split())
    return visible(line if len(line) <= most else line[: most - 1] + "…")
