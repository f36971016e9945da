"""Where drawings go: one file for one document, a folder for several."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection
from pathlib import Path

from chunking.explain import Explanation
from pipeline.plots.chunk_page import Figures, chunk_page
from pipeline.plots.view import Limits, explained_view
from rubrica.errors import ConfigurationError

__all__ = ["Limits", "PlotTarget", "Target"]

PAGES = (".html", ".htm")
PICTURES = (".png", ".svg")


class Target:
    """Names a file for every document that is drawn."""

    def __init__(
        self, where: Path, suffixes: tuple[str, ...], *, several: bool, sources: Collection[Path] = ()
    ) -> None:
        """Check that what is asked for can be done, before anything is.

        Args:
            where: A file with one of the suffixes, or a folder.
            suffixes: What can be written; the first is what a folder gets.
            several: Whether more than one document will be drawn.
            sources: Files that are read; none of them is ever written over.

        Raises:
            ConfigurationError: The file's kind is unknown, one file is given for several documents, it is
                one of the sources, or nothing can be written there.
        """
        self._where = where
        self._suffixes = suffixes
        self._taken = {path.resolve() for path in sources}
        self._folder = where.is_dir() or not where.suffix
        self._check_name(several=several)
        _check_writable(where, folder=self._folder)

    def _check_name(self, *, several: bool) -> None:
        where, suffixes = self._where, self._suffixes
        if self._folder:
            return
        if where.suffix.lower() not in suffixes:
            raise ConfigurationError(
                f"{where}: a {where.suffix} file cannot be drawn.",
                hint=f"End the name in {' or '.join(suffixes)}, or name a folder.",
            )
        if several:
            raise ConfigurationError(
                f"{where} is one file, but there are several documents to draw.",
                hint=f"Name a folder, such as {where.with_suffix('')}; each document gets a file in it.",
            )
        if where.resolve() in self._taken:
            raise ConfigurationError(
                f"{where} is read for it; the drawing would take its place.",
                hint="Name another file, or a folder.",
            )

    def save(self, document: str, save: Callable[[Path], object]) -> Path:
        """Have a document's drawing written.

        Args:
            document: Path of the document.
            save: Writes the file that it is given.

        Returns:
            The file that was written.

        Raises:
            ConfigurationError: The file cannot be written.
        """
        file = self._file(document)
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            save(file)
        except OSError as error:
            raise ConfigurationError(
                f"{file} cannot be written: {error.strerror}.", hint="Check the folder and its permissions."
            ) from error
        return file

    def _file(self, document: str) -> Path:
        if not self._folder:
            return self._where
        # The document's own suffix stays in the name: a.md and a.pdf may lie side by side.
        name, number = Path(document).name, 1
        file = self._where / f"{name}{self._suffixes[0]}"
        while file.resolve() in self._taken:
            number += 1
            file = self._where / f"{name}-{number}{self._suffixes[0]}"
        self._taken.add(file.resolve())
        return file


def _check_writable(where: Path, *, folder: bool) -> None:
    """Refuse what could only fail after the work; folders are made when they are needed."""
    target = where if folder or where.exists() else where.parent
    while not target.exists() and target != target.parent:
        target = target.parent
    is_folder = target.is_dir()
    if is_folder != (target != where or folder):
        what = "is a folder" if is_folder else "is no folder"
        raise ConfigurationError(f"{where} cannot be written: {target} {what}.", hint="Name another place.")
    if not os.access(target, os.W_OK):
        raise ConfigurationError(
            f"{where} cannot be written: {target} is not yours to write.",
            hint="Check its permissions, or name another place.",
        )


class PlotTarget:
    """Writes a page or a picture for each document."""

    def __init__(self, where: Path, *, several: bool, sources: Collection[Path] = ()) -> None:
        """Check where to; see ``Target``."""
        self._target = Target(where, PAGES + PICTURES, several=several, sources=sources)

    def write(self, explanation: Explanation, limits: Limits, figures: Figures = ()) -> Path:
        """Draw one document.

        Args:
            explanation: Its chunks and what led to them.
            limits: The sizes asked for.
            figures: What else to say of it.

        Returns:
            The file that was written.
        """
        view = explained_view(explanation, limits)

        def save(file: Path) -> None:
            if file.suffix.lower() in PAGES:
                file.write_text(chunk_page(view, figures), "utf-8")
                return
            from pipeline.plots.picture import save_picture

            save_picture(view, file)

        return self._target.save(explanation.document.path, save)
