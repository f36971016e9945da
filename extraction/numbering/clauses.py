"""Decides which numbers of a document open clauses."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice

from extraction.numbering.chain import best_chain
from extraction.numbering.passages import Candidate, Passage
from extraction.numbering.scan import LONGEST_TITLE, Scan

# So many numbered paragraphs, with other paragraphs between them, are points rather than a list.
_FEWEST_POINTS = 4
_FEWEST_HEADINGS = 3
_LARGEST_ALONE = 9  # «14 CFR Part 39»
_NEAR = 4
_BRACKETED = re.compile(r"[(\[].*[)\]]\.?", re.DOTALL)


def number_clauses(passages: Sequence[Passage]) -> dict[int, str]:
    """Find the clauses of a document.

    Args:
        passages: Its paragraphs, headings and list items, in reading order.

    Returns:
        The number of every clause, by the index of the passage that opens it.
    """
    scan = Scan(passages)
    clauses = dict(scan.names)
    for segment in _segments(best_chain(scan.candidates)):
        clauses.update((c.index, c.opening.clause) for c in _structural(segment, passages, scan.borders))
    clauses.update((i, passage.known) for i, passage in enumerate(passages) if passage.known)
    return clauses


def _segments(chain: Sequence[Candidate]) -> list[list[Candidate]]:
    """The numberings of a chain; one that stands inside another, which goes on behind it, is left out."""
    segments: list[list[Candidate]] = []
    for candidate in chain:
        if candidate.resumes is not None:
            while segments and candidate.resumes not in segments[-1]:
                segments.pop()
        if not segments or (candidate.restarts and candidate.resumes is None):
            segments.append([])
        segments[-1].append(candidate)
    return segments


def _structural(
    segment: Sequence[Candidate], passages: Sequence[Passage], borders: set[int]
) -> Sequence[Candidate]:
    """The numbers of one numbering that are clauses, rather than items of a list."""
    plain = [c for c in segment if len(c.number) == 1]
    headings = sum(c.heading for c in plain)
    if headings >= _FEWEST_HEADINGS and headings >= 0.7 * len(plain):
        # Where sections have headings, a numbered paragraph at their level is something else.
        segment = [c for c in segment if len(c.number) > 1 or c.heading]
    if len(segment) == 1 and plain and not plain[0].opening.dotted and plain[0].number[0][0] > _LARGEST_ALONE:
        return []
    if any(len(c.number) > 1 or c.heading for c in segment):
        return segment
    return segment if _are_points(segment, passages, borders) else []


def _are_points(segment: Sequence[Candidate], passages: Sequence[Passage], borders: set[int]) -> bool:
    """Whether plainly numbered paragraphs are the points of an act, rather than a list in a text."""
    begin, end = segment[0].index, segment[-1].index
    sentences = sum(_is_point(c) for c in segment)
    lead = _lead(begin, passages, borders)
    if lead is None or lead in borders:
        return sentences >= 0.4 * len(segment)
    if sentences < 0.6 * len(segment) or passages[lead].text.rstrip().endswith(":"):
        return False
    between = end - begin + 1 - len(segment)
    return len(segment) >= _FEWEST_POINTS and between >= len(segment) // 2


def _is_point(candidate: Candidate) -> bool:
    rest = candidate.opening.rest
    return len(rest) > LONGEST_TITLE or (rest.endswith((".", ":", ")")) and candidate.opening.dotted)


def _lead(begin: int, passages: Sequence[Passage], borders: set[int]) -> int | None:
    """The passage that a numbering starts behind: a border near above it, else the one right above."""
    candidates = (i for i in range(begin - 1, -1, -1) if not passages[i].silent)
    above = list(islice((i for i in candidates if not _is_remark(passages[i])), _NEAR))
    for i in above:
        if i in borders:
            return i
        if len(passages[i].text) > LONGEST_TITLE:
            break
    return above[0] if above else None


def _is_remark(passage: Passage) -> bool:
    """Whether a passage only says who changed what follows: «(в ред. Федерального закона …)»."""
    return _BRACKETED.fullmatch(passage.text.strip()) is not None
