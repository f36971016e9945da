"""Builds the PDF, DOCX and XLSX files of the example repository from ``examples/sources``.

The built files are committed, so that the demo needs no developers' packages; whoever edits a source
text runs this again::

    .venv/bin/python -m examples.build_norms
"""

from __future__ import annotations

import sys
from pathlib import Path

from examples.builders.pdf import write_pdf
from examples.builders.source import read_source
from examples.builders.word import write_docx
from examples.builders.xlsx import write_xlsx

HERE = Path(__file__).resolve().parent
SOURCES = HERE / "sources"
NORMS = HERE / "norms"

_WRITERS = {".pdf": write_pdf, ".docx": write_docx}


def build(folder: Path = NORMS) -> list[Path]:
    """Build every document that has a source text.

    Args:
        folder: Root of the example repository.

    Returns:
        The files written, below ``folder``; the same bytes on every run.
    """
    built = []
    for text in sorted(SOURCES.glob("*.md")):
        source = read_source(text)
        target = folder / source.output
        target.parent.mkdir(parents=True, exist_ok=True)
        _WRITERS[target.suffix](source, target)
        built.append(target)
    built += [write_xlsx(spec, folder) for spec in sorted(SOURCES.glob("*.yaml"))]
    return built


def main() -> None:
    """Build in place and name what was written."""
    for path in build():
        sys.stdout.write(f"{path.relative_to(HERE)}\n")


if __name__ == "__main__":
    main()
