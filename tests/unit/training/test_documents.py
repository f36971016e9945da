from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from extraction.extract import extract
from rubrica.errors import ConfigurationError
from rubrica.settings import ExtractionSettings
from training.documents import Sentence, StructuredDocument, from_document, read_sections, usable

PAGE = """# Причалы

Причал принимает суда. Он стоит на сваях.

Сваи забивают копром.

## Нагрузки

- Настил несёт четыре килопаскаля.
- Сходня несёт три.

| Место | Нагрузка |
|---|---|
| Настил | 4 |
"""


def test_headings_part_sections_and_blank_lines_part_paragraphs() -> None:
    document = from_document(extract(PAGE.encode(), "причалы.md", ExtractionSettings()))
    first, second, third, *items = document.sentences
    assert [first.text, second.text] == ["Причал принимает суда.", "Он стоит на сваях."]
    assert (first.section, first.paragraph) == (second.section, second.paragraph)
    assert third.section == first.section
    assert third.paragraph != first.paragraph
    assert {item.section for item in items} != {first.section}
    assert document.language == "ru"
    assert not any("Нагрузки" in sentence.text or "|" in sentence.text for sentence in document.sentences)


def prose(count: int, *, section: str = "1") -> tuple[Sentence, ...]:
    return tuple(Sentence(section, i, f"The pump number {i} feeds the upper tank.") for i in range(count))


def test_prose_is_kept_twice_and_fragments_once() -> None:
    fragments = tuple(Sentence("2", 100 + i, "upper tank") for i in range(3))
    document = StructuredDocument("a", "en", (*prose(14), *prose(2, section="3"), *fragments))
    kept = {item.kind: item for item in usable([document])}
    assert len(kept["prose"].sentences) == 16
    assert len(kept["raw"].sentences) == 19


@pytest.mark.parametrize(
    "sentences",
    [
        prose(8) + prose(3, section="2"),
        prose(40),
        tuple(Sentence(str(i % 2), i, "バッジを表示するには、属性に渡します。") for i in range(40)),
    ],
    ids=["short", "one section", "another script"],
)
def test_what_teaches_nothing_is_left_out(sentences: tuple[Sentence, ...]) -> None:
    assert list(usable([StructuredDocument("a", "en", sentences)])) == []


def test_one_document_in_25_or_so_is_held_out_by_its_name() -> None:
    names = [StructuredDocument(f"docs:{i}.md", "en", ()) for i in range(1000)]
    held = [document for document in names if document.held_out]
    assert 20 < len(held) < 60
    assert all(StructuredDocument(document.name, "ru", prose(1)).held_out for document in held)


def test_sections_are_read_and_other_files_refused(tmp_path: Path) -> None:
    path = tmp_path / "sections.jsonl.gz"
    record = {"lang": "en", "src": "a:b.md", "sents": [["1", 2, "Text."]]}
    path.write_bytes(gzip.compress(json.dumps(record).encode()))
    assert list(read_sections(path)) == [StructuredDocument("a:b.md", "en", (Sentence("1", 2, "Text."),))]
    path.write_bytes(gzip.compress(b'{"lang": "en"}'))
    with pytest.raises(ConfigurationError, match="sections"):
        list(read_sections(path))
    path.write_bytes(b"plain text")
    with pytest.raises(ConfigurationError, match="cannot be read"):
        list(read_sections(path))
    with pytest.raises(ConfigurationError, match="cannot be read"):
        list(read_sections(tmp_path / "missing"))
