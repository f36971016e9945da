"""How a document is spread over questions."""

from __future__ import annotations

from chunking.plan import Plan
from chunking.strategies.agentic_prompt import Topic, question
from chunking.strategies.agentic_windows import MOST_UNITS, windows
from extraction.builder import DocumentBuilder
from rubrica.model import Document, ElementKind
from rubrica.settings import ChunkingSettings
from tests.support.chunking_parts import DigestScorer, chunker, document, paragraphs


def plan(doc: Document) -> Plan:
    return chunker(scorer=DigestScorer(), max_tokens=100).explain(doc).plan


def texts(made: Plan, most: int) -> list[str]:
    return [question(made, span, None).partition('"units"')[2] for span in windows(made, most)]


def sentences(count: int, name: str = "Item") -> list[str]:
    return [f"{name} number {i} is described here at some length." for i in range(count)]


def test_windows_tile_and_keep_their_limits() -> None:
    made = plan(document(paragraphs(sentences(300))))
    spans = windows(made, 200)
    assert [start for start, _ in spans[1:]] == [stop for _, stop in spans[:-1]]
    assert (spans[0][0], spans[-1][1]) == (0, made.layout.size)
    assert all(made.layout.tokens(*span) <= 200 for span in spans)
    longest = max(stop - start for start, stop in windows(made, 100_000))
    assert MOST_UNITS // 2 <= longest <= MOST_UNITS


def test_a_unit_over_the_limit_is_a_window_of_its_own() -> None:
    made = plan(document(paragraphs([" ".join(["word"] * 90), "Short one.", " ".join(["word"] * 90)])))
    assert windows(made, 50) == [(0, 1), (1, 2), (2, 3)]


def test_a_window_ends_before_a_heading() -> None:
    builder = DocumentBuilder()
    for text in sentences(20):
        builder.add(ElementKind.PARAGRAPH, text)
    builder.add(ElementKind.HEADING, "Next", level=1)
    builder.add(ElementKind.HEADING, "Below", level=2)
    for text in sentences(20):
        builder.add(ElementKind.PARAGRAPH, text)
    made = plan(document(builder))
    assert 20 in [start for start, _ in windows(made, 25 * made.layout.tokens(0, 1))]


def test_an_edit_leaves_distant_windows_alone() -> None:
    before = sentences(300)
    after = ["A new first sentence.", *before]
    asked = set(texts(plan(document(paragraphs(before))), 200))
    again = set(texts(plan(document(paragraphs(after))), 200))
    assert len(asked & again) > 0.6 * len(again)


def test_a_question_tells_what_is_open_but_no_position() -> None:
    made = plan(document(paragraphs(sentences(40))))
    first, second = question(made, (10, 20), None), question(made, (0, 10), Topic("T"))
    assert '"open":null' in first
    assert '"open":null' in second  # nothing lies before it
    assert '"n":1,' in first
    opened = question(made, (10, 20), Topic("Заголовок", "Суть."))
    assert '"title":"Заголовок","summary":"Суть."' in opened
    assert made.document.text[made.units[9].start : made.units[9].end] in opened


def test_limits_in_the_settings_are_sane() -> None:
    settings = ChunkingSettings()
    assert settings.agentic_window_tokens >= 2 * settings.max_tokens
