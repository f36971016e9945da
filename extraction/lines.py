"""Lines of text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

BULLET = re.compile(r"\s*[-*+•◦▪·‣–—]\s+(?=\S)")


def split_blocks(text: str) -> Iterator[list[str]]:
    """The runs of lines between blank lines, their tabs expanded."""
    block: list[str] = []
    for line in text.split("\n"):
        if line.strip():
            block.append(line.expandtabs(4))
        elif block:
            yield block
            block = []
    if block:
        yield block


def indent(line: str) -> int:
    """How many blanks a line begins with."""
    return len(line) - len(line.lstrip())


def dedented(lines: Sequence[str]) -> str:
    """Lines without their common indentation."""
    margin = min((indent(line) for line in lines if line.strip()), default=0)
    return "\n".join(line[margin:] for line in lines)
