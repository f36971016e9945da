"""How fast PDFs are read, beside plain pdfplumber, in how much memory, and on how many processes.

Run it with ``python -m benchmarks.extraction_speed [FOLDER]``; FOLDER holds ``pdf_ru``, ``pdf_en`` and
``pdf_tables_gt`` (``../shared/data/docs`` by default). *Plain* is ``page.extract_text()`` and
``page.find_tables()`` of every page, each page closed. The sides take turns on every file and the median
of the rounds counts, in seconds of the processor, which other programs on the machine disturb least. The
gain from a second process is one of the clock: it shows on a machine that has nothing else to do.
"""

from __future__ import annotations

import argparse
import io
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import pdfplumber
from rich.console import Console
from rich.table import Table

from extraction.pdf import extract_pdf
from extraction.worker import ExtractionJob, extract_isolated
from rubrica.settings import ExtractionSettings

_ROOT = Path(__file__).resolve().parents[1]
_DOCS = _ROOT.parent / "shared" / "data" / "docs"
_FILES = (
    "pdf_ru/GOST_2.105-95.pdf",
    "pdf_ru/gost-r-51872-2002.pdf",
    "pdf_ru/snip-3-01-03-84.pdf",
    "pdf_ru/ГОСТ_7.32-2017.pdf",
    "pdf_ru/multipage_table.pdf",
    "pdf_en/federal-register-2020-17221.pdf",
    "pdf_en/issue-1061-colour-space-stack.pdf",
    "pdf_en/redp5110_sampled.pdf",
    "pdf_en/WARN-Report-for-7-1-2015-to-03-25-2016.pdf",
    "pdf_en/f1040nr.pdf",
    "pdf_tables_gt/eu-004.pdf",
    "pdf_tables_gt/us-020.pdf",
)
_LARGE = ("pdf_en/pdf2image-memory-error-test-400p.pdf", "pdf_en/pdfjs_freeculture.pdf")
_KIB = 2**10

Reader = Callable[[bytes], int]


def read_plain(content: bytes) -> int:
    """Read a PDF with pdfplumber alone; returns the number of pages."""
    with pdfplumber.open(io.BytesIO(content)) as pdf:
        for page in pdf.pages:
            page.extract_text()
            page.find_tables()
            page.close()
        return len(pdf.pages)


def read_ours(content: bytes) -> int:
    """Read a PDF with Rubrica; returns the number of pages."""
    pages = extract_pdf(content, "file.pdf", ExtractionSettings()).attributes["pages"]
    return int(pages)


@dataclass(frozen=True, slots=True)
class Speed:
    """Pages of a file, and seconds that either side takes for them."""

    name: str
    pages: int
    plain_s: float
    ours_s: float


def _seconds(read: Reader, content: bytes) -> float:
    begun = time.process_time()
    read(content)
    return time.process_time() - begun


def measure(path: Path, rounds: int) -> Speed:
    """Let both sides read a file in turns."""
    content = path.read_bytes()
    pages = read_plain(content)  # warms up both: they share the libraries
    times = [(_seconds(read_plain, content), _seconds(read_ours, content)) for _ in range(rounds)]
    plain, ours = zip(*times, strict=True)
    return Speed(path.name, pages, median(plain), median(ours))


def peak_memory_mb(path: Path, side: str) -> int:
    """Peak memory of a fresh process that reads a file."""
    command = [sys.executable, "-m", "benchmarks.extraction_speed", "--peak", side, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=_ROOT, check=True)
    return int(done.stdout.split()[-1])


def _peak_kib() -> int:
    """Peak memory of this process; ``getrusage`` would start from that of the parent."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM"))


def seconds_on(workers: int, paths: Sequence[Path]) -> float:
    """Seconds on the clock for files read by so many worker processes, their start left out."""
    jobs = [ExtractionJob(path.name, path.read_bytes()) for path in paths]
    smallest = min(paths, key=lambda path: path.stat().st_size)
    warm = [ExtractionJob(f"{n}.pdf", smallest.read_bytes()) for n in range(workers * 4)]
    outcomes = extract_isolated([*warm, *jobs], ExtractionSettings(), workers=workers)
    for _ in warm:
        next(outcomes)
    begun = time.perf_counter()
    for _ in outcomes:
        pass
    return time.perf_counter() - begun


def main() -> None:
    """Run and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=_DOCS)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--peak", choices=("plain", "ours"), help="only print the peak memory of one side")
    arguments = parser.parse_args()
    if arguments.peak:
        (read_plain if arguments.peak == "plain" else read_ours)(arguments.folder.read_bytes())
        print(_peak_kib() // _KIB)
        return
    files = [path for name in _FILES if (path := arguments.folder / name).exists()]
    console = Console()
    console.print(_speed_table([measure(path, arguments.rounds) for path in files]))
    console.print(_memory_table(path for name in _LARGE if (path := arguments.folder / name).exists()))
    times = [(seconds_on(1, files), seconds_on(2, files)) for _ in range(arguments.rounds)]
    one, two = (median(side) for side in zip(*times, strict=True))
    console.print(f"Two processes read the files in {two / one:.2f} of the time that one takes.")


def _speed_table(speeds: Sequence[Speed]) -> Table:
    table = Table("file", "pages", "plain, pages/s", "ours, pages/s", "ours / plain, time")
    total = Speed(
        "all",
        sum(speed.pages for speed in speeds),
        sum(speed.plain_s for speed in speeds),
        sum(speed.ours_s for speed in speeds),
    )
    for speed in (*speeds, total):
        rates = (f"{speed.pages / seconds:.1f}" for seconds in (speed.plain_s, speed.ours_s))
        table.add_row(speed.name, str(speed.pages), *rates, f"{speed.ours_s / speed.plain_s:.2f}")
    return table


def _memory_table(paths: Iterable[Path]) -> Table:
    table = Table("file", "plain, peak MiB", "ours, peak MiB")
    for path in paths:
        table.add_row(path.name, *(str(peak_memory_mb(path, side)) for side in ("plain", "ours")))
    return table


if __name__ == "__main__":
    main()
