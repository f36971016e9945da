r"""Which paths of a source are documents.

Globs follow the rules of ``.gitignore``:

==================  ==============================================================================
glob                takes
==================  ==============================================================================
``*.md``            a name without a slash: at any depth
``docs/*.md``       with a slash inside: from the root, and ``*`` does not cross a slash
``/README.md``      only at the root
``docs/``           a folder of that name and all below it, at any depth
``docs/**``         all below the folder ``docs`` of the root
``**/old/**``       all below any folder ``old``
``!*.draft.md``     not these, where an earlier glob of the same list took them; the last one wins
``\#1.md``          a leading ``#`` (or ``\!``: ``!``) taken literally
==================  ==============================================================================

Case counts. Composed and decomposed letters (NFC, NFD) are taken for equal.

Hidden files and folders (a dot in front) are left out, unless an ``include`` glob names the dot:
``.github/**`` or ``**/.notes/*.md``.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from pathspec import GitIgnoreSpec
from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

from rubrica.errors import ConfigurationError

_NAMES_A_DOT = re.compile(r"(?:^|/)\.[^/]")
_LOCK_FILE_PREFIX = "~$"


class PathFilter:
    """Include and exclude globs, and the paths that are never documents."""

    def __init__(self, include: Sequence[str] = (), exclude: Sequence[str] = ()) -> None:
        """Compile the globs.

        Args:
            include: Globs of paths to take; empty takes all.
            exclude: Globs of paths to leave out, applied after ``include``.

        Raises:
            ConfigurationError: A glob is not valid or would never match.
        """
        self._include = _compile("include", include)
        self._exclude = _compile("exclude", exclude)
        self._dotted = _compile("include", [glob for glob in include if _NAMES_A_DOT.search(glob)])
        self._takes_all = not include

    def selects(self, path: str) -> bool:
        """Whether the user wants ``path``."""
        name = _normal(path)
        included = self._takes_all or self._include.match_file(name)
        return included and not self._exclude.match_file(name)

    def excludes_folder(self, folder: str) -> bool:
        """Whether an ``exclude`` glob names ``folder``, or a folder above it, as a whole."""
        return self._exclude.match_file(f"{_normal(folder)}/")

    def reason_against(self, path: str) -> str:
        """Why ``path`` is not a document although it is selected; empty when it may be one."""
        if _is_hidden(path) and not self._dotted.match_file(_normal(path)):
            return "It is hidden (its name, or a folder's, begins with a dot); an include glob can name it."
        if path.rpartition("/")[2].startswith(_LOCK_FILE_PREFIX):
            return "It is the lock file of an office program."
        return ""

    def enters(self, folder: str) -> bool:
        """Whether anything below ``folder`` can be a document, as far as hidden names go."""
        return not _is_hidden(folder) or bool(self._dotted.patterns)


def _compile(role: str, globs: Sequence[str]) -> GitIgnoreSpec:
    return GitIgnoreSpec([pattern for glob in globs for pattern in _patterns(role, glob)], backend="simple")


def _patterns(role: str, glob: str) -> Sequence[GitIgnoreSpecPattern]:
    line = unicodedata.normalize("NFC", glob)
    try:
        patterns = list(GitIgnoreSpec.from_lines([line], backend="simple").patterns)
    except (ValueError, re.error) as error:
        raise ConfigurationError(f"The {role} glob {glob!r} is not valid: {error}.") from error
    if not patterns or patterns[0].include is None:
        raise ConfigurationError(
            f"The {role} glob {glob!r} matches nothing.",
            hint="It is blank, a comment or incomplete; write a leading # as \\#.",
        )
    return patterns


def _is_hidden(path: str) -> bool:
    return path.startswith(".") or "/." in path


def _normal(path: str) -> str:
    # The regular expressions behind the globs do not let a dot match a newline.
    return unicodedata.normalize("NFC", path).replace("\n", "\N{REPLACEMENT CHARACTER}")
