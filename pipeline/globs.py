"""Globs of one path each: how ``rubrica forget --exclude`` keeps a document out of its source for good."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from rubrica.errors import ConfigurationError
from rubrica.model import SourceSpec
from sources.filters import PathFilter

_SPECIAL = str.maketrans(
    {character: f"\\{character}" for character in "\\*?[]!# "} | dict.fromkeys("\n\t\r\v\f", "?")
)
_EXACT = re.compile(r"/(?:\\.|[^\\*\[])*(?<!/)", re.DOTALL)


def exact_glob(path: str) -> str:
    """A glob of ``sources.filters`` that matches one path, and no other but for tabs and newlines in it.

    Raises:
        ConfigurationError: No glob matches that path.
    """
    glob = "/" + path.translate(_SPECIAL)
    if PathFilter(exclude=[glob]).selects(path):
        raise ConfigurationError(
            f"No glob matches exactly {path!r}.", hint="Exclude its folder: `rubrica ingest … --exclude`."
        )
    return glob


def is_exact(glob: str) -> bool:
    """Whether a glob has the form of those that name one path."""
    return _EXACT.fullmatch(glob) is not None


def new_include(stored: Sequence[str], given: Sequence[str]) -> tuple[str, ...]:
    """Globs to take: those given, else those stored; an empty one alone takes all."""
    return tuple(filter(None, given)) if given else tuple(stored)


def new_exclude(stored: Sequence[str], given: Sequence[str]) -> tuple[str, ...]:
    """Globs to leave out: those given instead of those stored, but single paths stay out.

    What was forgotten must not come back because somebody excludes something else: only a glob that says so,
    ``!/path``, takes a single path back.
    """
    if not given:
        return tuple(stored)
    chosen = tuple(filter(None, given))
    # Behind the others, for the last glob wins.
    return chosen + tuple(
        glob for glob in stored if is_exact(glob) and glob not in chosen and f"!{glob}" not in chosen
    )


def told_changes(before: SourceSpec, after: SourceSpec) -> Iterator[str]:
    """What people should know of globs that others replaced, in sentences."""
    replaced = (
        ("no longer asks for", before.include, after.include),
        (
            "no longer leaves out",
            before.exclude,
            after.exclude,
        ),
    )
    for words, old, new in replaced:
        dropped = [glob for glob in old if glob not in new]
        if dropped:
            yield f"The source {after.name!r} {words} {', '.join(dropped)}."
    kept = [glob for glob in before.exclude if is_exact(glob) and glob in after.exclude]
    if kept and before.exclude != after.exclude:
        back = f"--exclude '!{kept[0]}' takes it back."
        yield f"The source {after.name!r} still leaves out {', '.join(kept)}; {back}"
