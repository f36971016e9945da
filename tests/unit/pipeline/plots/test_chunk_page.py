"""The page of a chunked document, as a file: whole, self-contained, and safe."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.plots.chunk_page import chunk_page
from pipeline.plots.compare_page import Lane, compare_page
from pipeline.plots.view import Limits, explained_view, stored_view
from pipeline.plots.visible import visible
from rubrica.model import Document, Element, ElementKind
from tests.support.chunking_parts import chunker, document, paragraphs
from tests.unit.pipeline.plots import hostile
from tests.unit.pipeline.plots.norms import LIMITS, norm, view_of_norm


class Parts(HTMLParser):
    """Tags, attributes and texts of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: Counter[str] = Counter()
        self.attributes: list[tuple[str, str]] = []
        self.texts: list[str] = []
        self.bodies: list[str] = []
        self._body = 0
        self.data: dict[str, Any] = {}
        self._in = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        self.attributes += [(name, value or "") for name, value in attrs]
        found = dict(attrs)
        self._in = "data" if found.get("id") == "data" else tag
        if "body" in (found.get("class") or "").split():
            self.bodies.append("")
            self._body = 1
        elif tag == "u" and self._body:
            self.bodies[-1] += "\n\n"

    def handle_endtag(self, tag: str) -> None:
        if tag == "div":
            self._body = 0

    def handle_data(self, data: str) -> None:
        if self._in == "data" and data.strip():
            self.data = json.loads(data)
            self._in = ""
        elif self._in not in {"script", "style"}:
            self.texts.append(data)
        if self._body:
            self.bodies[-1] += data


def squeezed(text: str) -> str:
    return " ".join(text.split())


def test_the_page_holds_the_text_of_every_chunk_and_what_is_embedded_with_it() -> None:
    explanation = norm()
    parts = Parts(chunk_page(explained_view(explanation, LIMITS)))
    chunks = explanation.chunks
    assert [squeezed(body) for body in parts.bodies] == [squeezed(chunk.body) for chunk in chunks]
    shown = squeezed(" ".join(parts.texts))
    for chunk in chunks:
        assert f"{chunk.tokens}\u202ftokens".replace("\u202f", " ") in shown
        head = chunk.text.removesuffix(chunk.body).strip()
        assert squeezed(head) in shown
    assert any("место | нагрузка" in chunk.text.removesuffix(chunk.body) for chunk in chunks)


def test_the_script_gets_every_cut_size_heading_and_page() -> None:
    explanation = norm(chapters=3)
    data = Parts(chunk_page(explained_view(explanation, LIMITS))).data
    assert [cut[0] for cut in data["cuts"]] == [cut.position for cut in explanation.cuts()]
    assert [size for _, _, size in data["chunks"]] == [chunk.tokens for chunk in explanation.chunks]
    assert [text for _, _, _, text in data["sections"]] == ["1 Настил", "2 Deck", "3 Water"]
    assert [page for _, page in data["pages"]] == [1, 2, 3]
    text = explanation.document.text
    assert [text[start:end].split("\n")[0] for start, end, _, _ in data["sections"]] == [
        "1 Настил",
        "2 Deck",
        "3 Water",
    ]
    assert data["sections"][0][1] == data["sections"][1][0]
    assert data["sections"][-1][1] == len(text)


def test_the_page_asks_nobody_for_anything_and_runs_only_its_own_code() -> None:
    page = chunk_page(view_of_norm())
    parts = Parts(page)
    loading = {"src", "href", "action", "data", "srcset", "poster", "formaction", "style"}
    assert all(value.startswith("#c") for name, value in parts.attributes if name in loading)
    assert not [name for name, _ in parts.attributes if name.startswith("on")]
    assert not parts.tags.keys() & {"link", "iframe", "object", "embed", "base", "img", "form"}
    policy = next(value for name, value in parts.attributes if value.startswith("default-src"))
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert re.search(r"script-src 'sha256-[\w+/=]+';", policy)
    assert not re.search(r"https?://", page)


def hostile_document(text: str) -> Document:
    """A document that says so everywhere, as no extraction would let it through."""
    body = f"Before. {text} After."
    made = document(paragraphs(["Before."]), title=text, path=f"{text}.md", language='"><b>')
    return replace(made, text=body, elements=(Element(ElementKind.PARAGRAPH, 0, len(body)),))


def check_safe(page: str) -> Parts:
    page.encode()
    assert not re.search("[\u202a-\u202e\u2066-\u2069\ud800-\udfff]", page)
    parts = Parts(page)
    assert (parts.tags["script"], parts.tags["style"], parts.tags["img"], parts.tags["b"]) == (2, 1, 0, 1)
    assert not [name for name, _ in parts.attributes if name.startswith("on")]
    return parts


@pytest.mark.parametrize("text", hostile.EVERY)
def test_a_hostile_document_adds_no_tag_and_is_shown_as_it_is(text: str) -> None:
    explanation = chunker(max_tokens=60).explain(hostile_document(text))
    parts = check_safe(chunk_page(explained_view(explanation, LIMITS), [(text, text)]))
    shown = "".join("".join(parts.bodies).split())
    assert "".join(f"Before. {visible(text)} After.".split()) in shown
    assert "".join(visible(text).split()) in "".join("".join(parts.texts).split())


def test_half_a_letter_in_a_name_or_title_does_not_stop_the_page() -> None:
    view = explained_view(norm(chapters=1), LIMITS)
    named = replace(view.document, title=hostile.SURROGATE, path=f"{hostile.SURROGATE}.md")
    page = chunk_page(replace(view, document=named))
    page.encode()
    assert "half ? sign.md" in page


@given(st.lists(st.text(max_size=60).filter(str.strip), min_size=1, max_size=6))
@settings(max_examples=40)
def test_any_text_makes_a_page_with_the_same_text(texts: list[str]) -> None:
    explanation = chunker(max_tokens=20, min_tokens=4).explain(document(paragraphs(texts)))
    page = chunk_page(explained_view(explanation, Limits(20, 4)))
    assert Parts(page).tags["article"] == len(explanation.chunks)
    page.encode()


def test_the_same_chunks_make_the_same_page() -> None:
    assert chunk_page(view_of_norm()) == chunk_page(view_of_norm())


def test_a_blank_document_says_that_there_is_nothing() -> None:
    explanation = chunker().explain(document(paragraphs([])))
    parts = Parts(chunk_page(explained_view(explanation, LIMITS)))
    assert "nothing to cut" in " ".join(parts.texts)
    assert not parts.tags["canvas"]


def test_overlap_is_shown_beside_the_text() -> None:
    explanation = chunker(overlap=8).explain(document(paragraphs(["The load of the deck rises."] * 9)))
    page = chunk_page(explained_view(explanation, LIMITS))
    carried = sum(chunk.overlap_start < chunk.start for chunk in explanation.chunks)
    assert carried
    assert page.count('class="overlap"') == carried


def test_stored_chunks_can_be_shown_with_the_scores_that_they_kept() -> None:
    explanation = norm()
    data = Parts(chunk_page(stored_view(explanation.document, explanation.chunks, LIMITS))).data
    assert [cut[3] for cut in data["cuts"]] == list(range(1, len(explanation.chunks)))


def test_cuts_without_any_score_are_told_only_where_they_were_made() -> None:
    explanation = norm()
    unscored = replace(explanation, partition=replace(explanation.partition, scores={}))
    chunks = tuple(replace(chunk, boundary_score=None) for chunk in explanation.chunks)
    view = explained_view(replace(unscored, chunked=replace(unscored.chunked, chunks=chunks)), LIMITS)
    assert all(cut.chunk is not None for cut in view.cuts)
    assert len(view.cuts) == len(chunks) - 1


@pytest.mark.parametrize("text", hostile.EVERY)
def test_strategies_side_by_side_are_as_safe(text: str) -> None:
    explanation = chunker(max_tokens=60).explain(hostile_document(text))
    page = compare_page(explanation.document, [Lane(text, explanation.chunks, {text: text})], LIMITS)
    check_safe(page.replace("</header>", "<b></header>"))


def test_strategies_side_by_side_share_one_text_cut_wherever_one_of_them_cuts() -> None:
    fine, coarse = chunker(max_tokens=20), chunker(max_tokens=60)
    made = document(paragraphs(["The load of the deck rises with the water."] * 9))
    lanes = [Lane(name, part.chunk_one(made).chunks, {}) for name, part in (("a", fine), ("b", coarse))]
    page = compare_page(made, lanes, LIMITS)
    starts = {chunk.start for lane in lanes for chunk in lane.chunks}
    parts = Parts(page)
    assert parts.data["rows"] == sorted(starts)
    assert page.count('class="row') == len(starts)
    assert page.count(" starts") == sum(len(lane.chunks) for lane in lanes)
    shared = {chunk.start for chunk in lanes[0].chunks} & {chunk.start for chunk in lanes[1].chunks}
    assert page.count("row differs") == len(starts) - len(shared)
    assert squeezed(made.text) in squeezed(" ".join(parts.texts))


def test_a_blank_document_compared_says_that_there_is_nothing() -> None:
    page = compare_page(document(paragraphs([])), [Lane("a", (), {}), Lane("b", (), {})], LIMITS)
    assert "nothing to cut" in page
