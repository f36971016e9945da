"""How many norms are recognised by their first pages: number and title against what people wrote down.

Run it with ``python -m benchmarks.standards FOLDER``. The folder holds one JSON file a norm: ``number``,
``full_name``, ``document_type`` and ``pages`` with their text (``page_content``), of which most come from
scans. Every norm is read twice: with its pages known, as from a PDF, and as one plain text file.

Titles are compared by their letters and digits alone: lists write them without the full stops and
capitals of the title page. A number that the list cuts off («123-» for 123-ФЗ) counts as found where the
whole one begins with it.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from extraction.builder import DocumentBuilder, Place
from extraction.extract import extract
from extraction.result import Extracted
from extraction.standards import describe_standard
from rubrica.model import ElementKind
from rubrica.settings import ExtractionSettings

_ALIKE = 0.9
_KINDS = {"Свод правил": "СП", "Постановление": "Постановление Правительства РФ"}
# What lists add to a title that does not stand in it.
_ADDED = re.compile(r"\.?\s*Актуализированная редакция.*")


@dataclass(frozen=True, slots=True)
class Norm:
    """A norm as a person described it, and the texts of its pages."""

    kind: str
    number: str
    title: str
    pages: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was found for one norm, and whether it is right."""

    norm: Norm
    found: Mapping[str, Any]

    @property
    def number_is_right(self) -> bool:
        """Whether kind and number agree."""
        kind, number = self.found.get("standard_kind", ""), str(self.found.get("standard_number", ""))
        wanted = self.norm.number
        cut_off = not re.search(r"\d{2}$", wanted) and number.startswith(wanted)
        return kind == self.norm.kind and (number == wanted or cut_off)

    @property
    def likeness(self) -> float:
        """How alike the titles are, letters and digits alone."""
        title = str(self.found.get("standard_title", ""))
        return SequenceMatcher(None, _letters(title), _letters(self.norm.title), autojunk=False).ratio()


def _letters(text: str) -> str:
    return "".join(re.findall(r"\w+", text.casefold().replace("ё", "е")))


def read_norms(folder: Path) -> Iterator[Norm]:
    """The norms of a folder, in the order of their names."""
    for path in sorted(folder.glob("*.json")):
        norm = json.loads(path.read_text("utf-8"))
        kind = norm["document_type"]
        title = _ADDED.sub("", norm["full_name"])
        pages = tuple(page["page_content"] for page in norm["pages"])
        yield Norm(_KINDS.get(kind, kind), norm["number"], title, pages)


def by_pages(norm: Norm) -> Mapping[str, Any]:
    """Attributes of a norm whose pages and lines are known."""
    builder = DocumentBuilder()
    for number, page in enumerate(norm.pages, start=1):
        for line in page.split("\n"):
            builder.add(ElementKind.PARAGRAPH, line, place=Place(number, number))
    return describe_standard(Extracted.from_builder(builder))


def as_text(norm: Norm) -> Mapping[str, Any]:
    """Attributes of a norm that comes as a text file."""
    content = "\n\n".join(norm.pages).encode()
    return extract(content, "norm.txt", ExtractionSettings()).attributes


def print_verdicts(name: str, verdicts: Iterable[Verdict]) -> None:
    """Print precision and recall, and every norm that is not right."""
    all_of_them = list(verdicts)
    found = [each for each in all_of_them if "standard_number" in each.found]
    titled = [each for each in all_of_them if "standard_title" in each.found]
    numbers = sum(each.number_is_right for each in all_of_them)
    same = sum(each.likeness > _ALIKE for each in all_of_them)
    exact = sum(each.likeness == 1 for each in all_of_them)
    table = Table("of", "found", "right", "precision", "recall", title=f"{name}: {len(all_of_them)} norms")
    rows = (("kind and number", found, numbers), ("title, letter by letter", titled, exact))
    for label, these, right in (*rows, (f"title, {_ALIKE:.0%} alike", titled, same)):
        precision, recall = right / max(1, len(these)), right / max(1, len(all_of_them))
        table.add_row(label, str(len(these)), str(right), f"{precision:.3f}", f"{recall:.3f}")
    console = Console()
    console.print(table)
    for each in all_of_them:
        if not each.number_is_right or each.likeness < 1:
            title = each.found.get("standard_title")
            console.print(f"  {each.norm.kind} {each.norm.number} «{each.norm.title}»", highlight=False)
            console.print(f"    found: {each.found.get('standard')} «{title}»", highlight=False)


def main() -> None:
    """Read the norms and print both tables."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("folder", type=Path, help="folder of JSON files, one a norm")
    norms = list(read_norms(parser.parse_args().folder))
    print_verdicts("Pages known", [Verdict(norm, by_pages(norm)) for norm in norms])
    print_verdicts("Plain text", [Verdict(norm, as_text(norm)) for norm in norms])


if __name__ == "__main__":
    main()
