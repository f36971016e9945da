"""The difference between what the catalog knows and what a source holds.

Trees are compared, not histories, so a rewritten, amended or shallow history is no special case.

The rule for moves. A file is *moved* when a known path is gone and a path that was not known holds
the same content. The two paths must share their suffix, because the suffix can decide how a file is
read (``notes.txt`` renamed to ``notes.md`` is read anew). Of several files with equal content those
of the same base name are paired first, then the others, each time in the order of their paths.

A known path that now holds other content is always *changed*, even where that content was known
under another path: two files that swap names are two changes, and a copy made before the original
was edited stays a copy. Every path is therefore named at most once in a delta, no path is left by
one document and taken by another, and the parts of a delta can be applied in any order: in parallel
tasks, with removals last.
"""

from __future__ import annotations

import posixpath
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Mapping

from rubrica.model import Delta, Move, Snapshot, SourceFile


def compare(source: str, known: Mapping[str, str], snapshot: Snapshot) -> Delta:
    """Find what must happen so that the catalog equals a snapshot.

    Args:
        source: Name of the source.
        known: Change mark by path, as the catalog holds them.
        snapshot: The source now.

    Returns:
        The delta, each of its parts in the order of paths.
    """
    present = {file.path: file for file in snapshot.files}
    gone = sorted(known.keys() - present.keys())
    new = [present[path] for path in sorted(present.keys() - known.keys())]
    kept = [present[path] for path in sorted(present.keys() & known.keys())]
    changed = tuple(file for file in kept if file.mark != known[file.path])
    moves = _find_moves({path: known[path] for path in gone}, new)
    sources, targets = {move.old_path for move in moves}, {move.file.path for move in moves}
    return Delta(
        source=source,
        revision=snapshot.revision,
        added=tuple(file for file in new if file.path not in targets),
        changed=changed,
        moved=tuple(sorted(moves, key=lambda move: move.file.path)),
        removed=tuple(path for path in gone if path not in sources),
        skipped=snapshot.skipped,
        unchanged=len(kept) - len(changed),
    )


def _find_moves(gone: Mapping[str, str], new: Iterable[SourceFile]) -> list[Move]:
    """Pair vanished paths with new files of the same content, the same base name first."""
    sources, targets = dict(gone), {file.path: file for file in new}
    moves = []
    for name_part in (posixpath.basename, _suffix):
        for old_path, file in _pair(sources, targets, name_part):
            moves.append(Move(old_path, file))
            del sources[old_path], targets[file.path]
    return moves


def _pair(
    gone: Mapping[str, str], new: Mapping[str, SourceFile], name_part: Callable[[str], str]
) -> list[tuple[str, SourceFile]]:
    """Pair, in order, what agrees in content and in one part of its name."""
    waiting: dict[tuple[str, str], deque[str]] = defaultdict(deque)
    for path, mark in gone.items():
        waiting[mark, name_part(path)].append(path)
    pairs = []
    for path, file in new.items():
        candidates = waiting.get((file.mark, name_part(path)))
        if candidates:
            pairs.append((candidates.popleft(), file))
    return pairs


def _suffix(path: str) -> str:
    return posixpath.splitext(path)[1].casefold()
