from __future__ import annotations

import random
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from indexing.recall.folding import Folded, fold
from indexing.recall.model import GoldenSpan
from indexing.recall.resolve import resolve
from indexing.recall.texts import IndexedText

_SENTENCE = "Зазор между досками настила принимают равным 8 мм; отклонение не должно превышать 2 мм."
_FILLING = "Надводный борт ненагруженной секции принимают по расчёту. Каждую доску крепят двумя винтами. "


def _document(text: str, pages: tuple[tuple[int, int, int], ...] = ()) -> IndexedText:
    """A document of chunks (start, end, page); by default one chunk on no page."""
    chunks = pages or ((0, len(text), 0),)
    return IndexedText(
        "d",
        "a.md",
        text,
        tuple((start, end) for start, end, _ in chunks),
        tuple(str(i) for i in range(len(chunks))),
        tuple((page, page) for *_, page in chunks),
    )


def _found(label: GoldenSpan, document: IndexedText) -> str | None:
    span = resolve(label, document).span
    return None if span is None else document.text[slice(*span)]


@pytest.mark.parametrize(
    "present",
    [
        _SENTENCE,
        _SENTENCE.replace(" ", "\n"),
        _SENTENCE.replace("настила", "насти-\nла"),
        _SENTENCE.replace("между", "меж\N{SOFT HYPHEN}ду"),
        _SENTENCE.replace(";", " |"),
        _SENTENCE.upper(),
        _SENTENCE.replace("о", "o"),  # OCR: Latin for Cyrillic
        "«" + _SENTENCE.replace(".", "»."),
    ],
)
def test_what_another_extraction_changes_does_not_hide_a_passage(present: str) -> None:
    document = _document(_FILLING + present + " " + _FILLING)
    found = _found(GoldenSpan(_SENTENCE), document)
    assert found is not None
    assert fold(found) == fold(_SENTENCE)
    assert resolve(GoldenSpan(_SENTENCE), document).exact


def test_yo_is_e() -> None:
    assert _found(GoldenSpan("причёска моряка"), _document("Прическа моряка.")) == "Прическа моряка"


def test_small_slips_of_a_reader_are_forgiven() -> None:
    present = _SENTENCE.replace("настила", "настипа").replace("отклонение", "отклонепие")
    document = _document(_FILLING + present + _FILLING)
    resolved = resolve(GoldenSpan(_SENTENCE), document)
    assert resolved.span == (len(_FILLING), len(_FILLING) + len(present) - 1)
    assert not resolved.exact


@pytest.mark.parametrize(
    "present",
    [
        _SENTENCE.replace("8 мм", "9 мм"),
        _SENTENCE.replace("8 мм", "18 мм"),
        "Зазор между секциями понтона назначают по проекту; отклонение согласуют с заказчиком работ.",
        "",
    ],
)
def test_another_number_or_another_sentence_is_another_passage(present: str) -> None:
    resolved = resolve(GoldenSpan(_SENTENCE), _document(_FILLING + present))
    assert resolved.span is None
    assert resolved.stale


def test_of_equal_passages_the_one_on_the_page_is_taken() -> None:
    text = f"{_SENTENCE}\n{_FILLING}\n{_SENTENCE}"
    middle = len(_SENTENCE) + 1
    last = middle + len(_FILLING) + 1
    document = _document(text, ((0, middle, 1), (middle, last, 2), (last, len(text), 3)))
    assert resolve(GoldenSpan(_SENTENCE), document).span == (0, len(_SENTENCE) - 1)
    assert resolve(GoldenSpan(_SENTENCE, page=3), document).span == (last, len(text) - 1)


def test_of_equal_passages_the_nearest_to_where_it_stood_is_taken() -> None:
    text = f"{_SENTENCE} {_FILLING} {_SENTENCE}"
    second = text.rindex("Зазор")
    label = GoldenSpan(_SENTENCE, start=second - 20, end=second + 60)
    assert resolve(label, _document(text)).span == (second, len(text) - 1)


def test_places_that_nothing_tells_apart_are_counted() -> None:
    document = _document(f"{_SENTENCE} {_FILLING} {_SENTENCE}")
    assert resolve(GoldenSpan(_SENTENCE), document).alike == 2
    assert resolve(GoldenSpan(_SENTENCE, prefix=_FILLING), document).alike == 1
    assert resolve(GoldenSpan(_SENTENCE, start=0, end=5), document).alike == 1


def test_short_answers_are_told_apart_by_what_stands_around_them() -> None:
    text = "В 1857 году построен мост. В 1857 году сгорел склад. В 1857 году открыт порт."
    label = GoldenSpan("1857", prefix="построен мост. В ", suffix=" году сгорел склад.")
    assert resolve(label, _document(text)).span == (text.index("1857", 10), text.index("1857", 10) + 4)


def test_a_short_answer_is_not_found_where_nothing_around_it_fits() -> None:
    label = GoldenSpan("1857", prefix="построен мост. В ", suffix=" году сгорел склад.")
    assert resolve(label, _document("Том 1857 собрания законов, страница третья.")).span is None


def test_a_number_is_not_found_inside_another() -> None:
    assert _found(GoldenSpan("5"), _document("всего 15 лодок и 5 катеров")) == "5"
    assert resolve(GoldenSpan("5"), _document("всего 15 лодок")).span is None


def test_labels_without_a_quote() -> None:
    text = "Первая страница.\nВторая страница."
    document = _document(text, ((0, 17, 1), (17, len(text), 2)))
    assert resolve(GoldenSpan(), document).span == (0, len(text))
    assert resolve(GoldenSpan(page=2), document).span == (17, len(text))
    assert resolve(GoldenSpan(page=3), document).stale == "there is no text on page 3"
    assert resolve(GoldenSpan(start=7, end=15), document).span == (7, 15)
    assert resolve(GoldenSpan(start=7, end=150), document).span is None
    assert resolve(GoldenSpan(), _document("")).span is None


def test_a_quote_of_marks_alone() -> None:
    assert _found(GoldenSpan("± √"), _document("величина ± √ по модулю")) == "± √"


_WORDS = st.lists(st.sampled_from(_FILLING.lower().split()), min_size=3, max_size=12)


@given(before=_WORDS, quote=_WORDS, after=_WORDS, blanks=st.sampled_from([" ", "\n", " | ", "\u00a0"]))
def test_every_passage_of_a_text_is_found_with_all_its_letters(
    before: list[str], quote: list[str], after: list[str], blanks: str
) -> None:
    text = " ".join([*before, "начало", *quote, "конец", *after])
    wanted = blanks.join(["начало", *quote, "конец"])
    span = resolve(GoldenSpan(wanted), _document(text)).span
    assert span is not None
    assert fold(text[slice(*span)]) == fold(wanted)


@given(st.text(max_size=200))
def test_folding_keeps_the_way_back(text: str) -> None:
    folded = Folded(text)
    assert len(folded.letters) == len(folded.offsets)
    assert all(text[offset].isalnum() for offset in folded.offsets)
    assert [text[i] for i in folded.offsets] == [c for c in text if c.isalnum()]


def test_a_damaged_quote_in_a_million_characters_is_found_where_it_stands() -> None:
    chooser = random.Random(7)
    words = ["".join(chooser.choices("абвгдежзиклмнопрст", k=chooser.randint(3, 9))) for _ in range(2000)]
    text = " ".join(chooser.choices(words, k=150_000))
    assert len(text) > 1_000_000
    start = text.index(" ", 700_000) + 1
    end = text.index(" ", start + 200)
    quote = list(text[start:end])
    for i in range(5, len(quote), 25):
        quote[i] = "ы"
    assert resolve(GoldenSpan("".join(quote)), _document(text)).span == (start, end)


def test_the_labels_of_the_example_resolve_in_its_documents(tmp_path: Path) -> None:
    from extraction.extract import extract
    from rubrica.settings import ExtractionSettings

    folder = Path(__file__).parents[4] / "examples" / "norms"
    labels = yaml.safe_load((folder / "golden.yaml").read_text(encoding="utf-8"))
    texts = {
        name: extract((folder / name).read_bytes(), name, ExtractionSettings(_env_file=None)).text
        for name in sorted({label["document"] for label in labels})
        if name.endswith((".md", ".txt"))
    }
    own = [label for label in labels if label["document"] in texts]
    assert own
    for label in own:
        resolved = resolve(GoldenSpan(label["quote"]), _document(texts[label["document"]]))
        assert resolved.span is not None, label["id"]
        assert resolved.exact, label["id"]
