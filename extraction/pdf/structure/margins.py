"""Finds the numbers that count the lines of a page in its margin, as transcripts of courts have them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise

from extraction.pdf.layout import Line
from extraction.pdf.text.paragraphs import Block

_NUMBER = re.compile(r"(\d{1,2})(?:\s|$)")
_FEWEST = 12
_SHARE = 0.8
_WIDTH = 12.0


def find_counted(blocks: Sequence[Block]) -> set[int]:
    """Indices of the blocks on pages whose lines are numbered from 1 on in the margin."""
    lines: dict[int, list[Line]] = defaultdict(list)
    for block in blocks:
        for line in block.lines:
            lines[line.page].append(line)
    pages = {page for page, group in lines.items() if _are_counted(group)}
    return {i for i, block in enumerate(blocks) if block.lines and block.lines[0].page in pages}


def _are_counted(lines: Sequence[Line]) -> bool:
    numbered = [(int(match[1]), line) for line in lines if (match := _NUMBER.match(line.text))]
    if len(numbered) < _FEWEST or len(numbered) < _SHARE * len(lines):
        return False
    left = min(line.x0 for _, line in numbered)
    steps = sum(lower[0] == upper[0] + 1 for upper, lower in pairwise(numbered))
    near = sum(line.x0 - left <= _WIDTH for _, line in numbered)
    return steps >= _SHARE * (len(numbered) - 1) and near >= _SHARE * len(numbered)
