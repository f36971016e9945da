from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chunking.chunker import Chunker
from chunking.factory import assemble_chunker
from extraction.builder import DocumentBuilder
from rubrica.errors import ConfigurationError
from rubrica.model import Chunk, Document, ElementKind
from rubrica.settings import ChunkingSettings
from tests.support.chunk_invariants import check_chunks
from tests.support.chunking_parts import (
    ByteCounter,
    DigestScorer,
    WordCounter,
    chunker,
    document,
    paragraphs,
    sentences,
    smart,
)

P, H, L, C = ElementKind.PARAGRAPH, ElementKind.HEADING, ElementKind.LIST_ITEM, ElementKind.CODE
MODES = ["optimal", "window", "full"]


def bodies(chunks: Sequence[Chunk]) -> list[str]:
    return [chunk.body for chunk in chunks]


# --- Invariants on random documents --------------------------------------------------------------

_word = (
    st.sampled_from(["плита", "the", "beam", "мм.", "5.2", "e\u0301", "т. д.", "end.", "Конец.", "так:", "-"])
    | st.text(alphabet="aщ\u0301\U0001f469\u200d\U0001f680漢", min_size=1, max_size=40)
    | st.sampled_from(["ы" * 20, "ы" * 150])
)
_line = st.lists(_word, min_size=1, max_size=12).map(" ".join)
_text = st.builds(
    lambda number, lines: number + "\n".join(lines),
    st.sampled_from(["", "", "5.1 ", "5.1.1 ", "- "]),
    st.lists(_line, min_size=1, max_size=3),
)
_element = st.tuples(st.sampled_from([kind for kind in ElementKind if kind is not ElementKind.TABLE]), _text)
_table = st.tuples(
    st.lists(st.lists(_line, min_size=1, max_size=3), min_size=1, max_size=5), st.integers(0, 2)
)


@st.composite
def documents(draw: st.DrawFn) -> Document:
    builder = DocumentBuilder()
    for part in draw(st.lists(_element | _table, min_size=1, max_size=6)):
        if isinstance(part[0], ElementKind):
            builder.add(part[0], part[1], level=draw(st.integers(1, 3)) if part[0] is H else None)
        else:
            builder.add_table(part[0], header_rows=part[1])
    media = draw(st.sampled_from(["text/plain", "text/markdown"]))
    return document(builder, title=draw(_line), media_type=media)


@given(
    doc=documents(),
    most=st.sampled_from([16, 24, 60, 200]),
    overlap=st.sampled_from([0, 5, 15]),
    mode=st.sampled_from(MODES),
    rules=st.booleans(),
    counter=st.sampled_from([WordCounter(), ByteCounter()]),
)
@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
def test_invariants(
    *, doc: Document, most: int, overlap: int, mode: str, rules: bool, counter: WordCounter | ByteCounter
) -> None:
    cut = chunker(
        counter,
        max_tokens=most,
        min_tokens=most // 4,
        overlap=overlap,
        mode=mode,
        structure_rules=rules,
    )
    chunks = cut.chunk_one(doc).chunks
    check_chunks(doc, chunks, counter, most)
    assert cut.chunk_one(doc).chunks == chunks


@given(st.lists(documents(), min_size=2, max_size=4), st.randoms(use_true_random=False))
@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
def test_a_document_does_not_depend_on_its_batch(docs: list[Document], random: Random) -> None:
    docs = [replace(doc, id=str(i)) for i, doc in enumerate(docs)]
    alone = {doc.id: chunker().chunk_one(doc).chunks for doc in docs}
    random.shuffle(docs)
    together = list(chunker().chunk(docs))
    assert [result.document_id for result in together] == [doc.id for doc in docs]
    assert {result.document_id: result.chunks for result in together} == alone


# --- Structure -----------------------------------------------------------------------------------


def structured(*, clause_words: int = 5) -> Document:
    builder = DocumentBuilder()
    for chapter in range(1, 4):
        builder.add(H, f"{chapter} Chapter", level=1)
        for number in range(1, 5):
            builder.add(P, f"{chapter}.{number} {sentences(2, clause_words)}")
    return document(builder, title="Rules of building")


@pytest.mark.parametrize("mode", MODES)
def test_headings_stay_and_clauses_are_whole(mode: str) -> None:
    doc = structured()
    chunks = chunker(mode=mode, max_tokens=40).chunk_one(doc).chunks
    assert len(chunks) > 3
    for chunk in chunks:
        assert not chunk.body.splitlines()[-1].endswith("Chapter")
        first = chunk.body.split()[0]
        assert first.replace(".", "").isdigit()
    held = [number for chunk in chunks for number in chunk.clauses]
    assert held == [f"{c}{n}" for c in "123" for n in ["", ".1", ".2", ".3", ".4"]]


@pytest.mark.parametrize("mode", MODES)
def test_a_long_clause_starts_a_chunk(mode: str) -> None:
    builder = DocumentBuilder()
    builder.add(P, "1.1 Short one.")
    builder.add(P, "1.2 " + sentences(20))
    builder.add(P, "1.3 Short again.")
    chunks = chunker(mode=mode).chunk_one(document(builder)).chunks
    assert "1.2" in [chunk.body.split()[0] for chunk in chunks]
    assert sum("1.2" in chunk.clauses for chunk in chunks) > 1
    assert sum("1.3" in chunk.clauses for chunk in chunks) == 1


@pytest.mark.parametrize("mode", MODES)
def test_a_long_table_is_cut_between_rows_and_repeats_its_header(mode: str) -> None:
    builder = DocumentBuilder()
    builder.add(P, "Before the table.")
    rows = [["mark", "class"], *([f"row{i}", f"value{i}"] for i in range(30))]
    builder.add_table(rows, header_rows=1)
    doc = document(builder)
    chunks = chunker(mode=mode).chunk_one(doc).chunks
    check_chunks(doc, chunks, WordCounter(), 40)
    parts = [chunk for chunk in chunks if chunk.kind is ElementKind.TABLE]
    assert len(parts) > 2
    for part in parts[1:]:
        assert part.text == f"mark | class\n{part.body}"
        assert "mark" not in part.body
        assert all(line.startswith("row") for line in part.body.splitlines())
    # Parts are full: a recursion on equal values would take off one row at a time.
    assert len(parts) <= 5


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("what", ["table", "code"])
def test_tables_and_code_that_fit_are_whole(mode: str, what: str) -> None:
    builder = DocumentBuilder()
    builder.add(P, sentences(12))
    if what == "table":
        builder.add_table([[f"row{i}", "value"] for i in range(9)])
    else:
        builder.add(C, "\n\n".join(f"line{i}() value()" for i in range(9)))
    builder.add(P, sentences(12))
    doc = document(builder)
    element = doc.elements[1]
    chunks = chunker(mode=mode).chunk_one(doc).chunks
    assert any(chunk.start <= element.start and element.end <= chunk.end for chunk in chunks)


def test_c07_the_parts_of_a_row_wider_than_the_limit_keep_the_header() -> None:
    builder = DocumentBuilder()
    builder.add_table([["Mark", "Text"], ["M1", sentences(30)], ["M2", "short"]], header_rows=1)
    doc = document(builder)
    chunks = chunker().chunk_one(doc).chunks
    check_chunks(doc, chunks, WordCounter(), 40)
    assert len(chunks) > 2
    assert all("Mark | Text" in chunk.text for chunk in chunks)
    assert chunks[0].body.startswith("Mark | Text\nM1 | ")


def test_a_row_wider_than_the_limit_is_cut_and_the_others_are_not() -> None:
    builder = DocumentBuilder()
    builder.add_table(
        [["mark", "class"], ["a", "b " * 100], *([f"c{i}", "d"] for i in range(20))], header_rows=1
    )
    doc = document(builder)
    chunks = chunker().chunk_one(doc).chunks
    check_chunks(doc, chunks, WordCounter(), 40)
    assert sum("b b" in chunk.body for chunk in chunks) > 1
    for i in range(20):
        assert sum(f"c{i} | d" in chunk.body for chunk in chunks) == 1


def test_a_header_too_wide_to_repeat_costs_no_row() -> None:
    builder = DocumentBuilder()
    builder.add_table([["mark " * 25], *([f"row{i} value{i}"] for i in range(30))], header_rows=1)
    doc = document(builder)
    chunks = chunker().chunk_one(doc).chunks
    check_chunks(doc, chunks, WordCounter(), 40)
    assert all(chunk.text == chunk.body for chunk in chunks)
    assert all(line.startswith(("row", "mark")) for chunk in chunks for line in chunk.body.splitlines())


def test_a_clause_that_fits_without_its_context_line_is_whole() -> None:
    builder = DocumentBuilder()
    builder.add(H, "Loads of the roof and of the floor", level=1)
    builder.add(P, sentences(20))
    builder.add(P, "1.1 " + sentences(6, 6))
    doc = document(builder)
    chunks = chunker().chunk_one(doc).chunks
    (holder,) = [chunk for chunk in chunks if "1.1" in chunk.clauses]
    assert holder.body.startswith("1.1")
    assert holder.text == holder.body
    assert holder.tokens == 40


def test_a_lead_in_stays_with_its_first_item() -> None:
    builder = DocumentBuilder()
    builder.add(P, sentences(7) + " It includes these parts:")
    for i in range(8):
        builder.add(L, f"- the part number {i} of it;")
    for mode in MODES:
        chunks = chunker(mode=mode).chunk_one(document(builder)).chunks
        assert any("parts:\n\n- the part number 0" in chunk.body for chunk in chunks)


def test_a_heading_before_an_endless_sentence_keeps_its_beginning() -> None:
    builder = DocumentBuilder()
    builder.add(P, sentences(10))
    builder.add(H, "Endless")
    builder.add(P, "word " * 500)
    chunks = chunker().chunk_one(document(builder)).chunks
    assert any("Endless\n\nword word" in chunk.body for chunk in chunks)


@pytest.mark.parametrize("words", [12, 20, 26])
def test_a_long_heading_keeps_the_beginning_of_an_endless_sentence(words: int) -> None:
    builder = DocumentBuilder()
    builder.add(H, "Head " + "title " * (words - 1))
    builder.add(P, "word " * 500)
    first, *_ = chunker(context_line=False).chunk_one(document(builder)).chunks
    assert "title\n\nword word" in first.body


def test_more_header_rows_than_a_chunk_holds_are_not_counted_again_and_again() -> None:
    class Counter(WordCounter):
        characters = 0

        def count(self, text: str) -> int:
            self.characters += len(text)
            return super().count(text)

    counted = []
    for rows in (200, 800):
        counter = Counter()
        builder = DocumentBuilder()
        builder.add_table([[f"cell {i}", "other"] for i in range(rows)], header_rows=rows - 1)
        doc = document(builder)
        check_chunks(doc, chunker(counter).chunk_one(doc).chunks, counter, 40)
        counted.append(counter.characters)
    assert counted[1] < 6 * counted[0]


def test_optimal_fills_chunks() -> None:
    doc = document(paragraphs(sentences(3) for _ in range(40)))
    chunks = chunker(max_tokens=60, min_tokens=25).chunk_one(doc).chunks
    assert min(chunk.tokens for chunk in chunks) >= 25


# --- Rules off -----------------------------------------------------------------------------------


def test_window_without_rules_is_the_published_algorithm() -> None:
    doc = document(paragraphs(sentences(count) for count in (3, 9, 1, 14, 6)))
    scorer, counter = DigestScorer(), WordCounter()
    cut = chunker(counter, scorer, mode="window", structure_rules=False, context_line=False)
    result = cut.chunk_one(doc)
    parts = [part + "." for part in doc.text.replace("\n\n", " ").removesuffix(".").split(". ")]
    parts = [part.replace("..", ".") for part in parts]
    assert result.stats.pairs_scored == len(parts) - 1 == scorer.pairs
    assert [chunk.body.replace("\n\n", " ") for chunk in result.chunks] == published(parts, counter, 40)


def published(parts: list[str], counter: WordCounter, most: int) -> list[str]:
    whole = " ".join(parts)
    if counter.count(whole) <= most or len(parts) == 1:
        return [whole]
    pairs = list(itertools.pairwise(parts))
    scores = list(DigestScorer().score_pairs(pairs).values)
    cut = scores.index(min(scores)) + 1
    return published(parts[:cut], counter, most) + published(parts[cut:], counter, most)


def test_full_scores_whole_sides() -> None:
    seen = []

    def score(left: str, right: str) -> float:
        seen.append((left, right))
        return float(len(left))

    doc = document(paragraphs(["One two. Three four. Five six. Seven eight. Nine ten. Ab cd. Ef gh."]))
    cut = chunker(scorer=DigestScorer(score), mode="full", max_tokens=16, min_tokens=0, structure_rules=False)
    chunks = cut.chunk_one(doc).chunks
    assert seen[0] == ("One two.", doc.text.removeprefix("One two. "))
    assert len(seen) == 6
    assert bodies(chunks)[0] == "One two."


def test_rules_save_pairs() -> None:
    scorer = DigestScorer()
    doc = structured()
    stats = chunker(scorer=scorer).chunk_one(doc).stats
    assert stats.pairs_scored == scorer.pairs
    # Twelve clauses of two sentences, three headings: only the cuts before clauses and headings are open.
    assert scorer.pairs == 11


def test_what_fits_is_not_scored() -> None:
    doc = document(paragraphs(["One sentence. Another sentence."]))
    result = chunker().chunk_one(doc)
    assert result.stats.pairs_scored == 0
    assert len(result.chunks) == 1


# --- What chunks carry ---------------------------------------------------------------------------


def test_the_context_line_tells_title_and_headings_but_no_file_name() -> None:
    builder = DocumentBuilder()
    builder.add(H, "Loads", level=1)
    builder.add(H, "Snow", level=2)
    builder.add(P, "On the roof.")
    titled = document(builder, title="Rules", path="a/Name.md")
    (chunk,) = chunker().chunk_one(titled).chunks
    assert chunk.text == f"Rules\n{chunk.body}"
    long = replace(titled, text=titled.text + " More words are here." * 30, elements=titled.elements)
    last = chunker(max_tokens=60).chunk_one(long).chunks[-1]
    assert last.text.startswith("Rules\n") is (last.heading_path == ())
    for name in ["Name.md", "Name"]:
        (chunk,) = chunker().chunk_one(replace(titled, title=name)).chunks
        assert chunk.text == chunk.body


def test_context_line_follows_the_headings_and_can_be_off() -> None:
    builder = DocumentBuilder()
    builder.add(H, "Loads", level=1)
    builder.add(P, sentences(20))
    doc = document(builder, title="Rules")
    second = chunker().chunk_one(doc).chunks[1]
    assert second.text == f"Rules › Loads\n{second.body}"
    assert second.heading_path == ("Loads",)
    off = chunker(context_line=False).chunk_one(doc).chunks
    assert all(chunk.text == chunk.body for chunk in off)


def test_a_definition_does_not_say_its_own_signature_twice() -> None:
    builder = DocumentBuilder()
    lines = "\n".join(f"    value_{i} = compute({i})" for i in range(60))
    builder.add(C, f"# Adds up.\ndef total(\n    first,\n):\n{lines}", inside=("def total( first, )",))
    first, second, *_ = chunker().chunk_one(document(builder, title="Sums")).chunks
    assert first.text == f"Sums\n{first.body}"
    assert second.text == f"Sums › def total( first, )\n{second.body}"


def test_a_long_context_line_keeps_the_innermost_heading() -> None:
    builder = DocumentBuilder()
    builder.add(H, "Outermost heading " * 8, level=1)
    builder.add(H, "Inner", level=2)
    builder.add(P, sentences(20))
    builder.add(H, "Innermost " * 50, level=3)
    builder.add(P, sentences(20))
    doc = document(builder, title="Rules")
    chunks = chunker().chunk_one(doc).chunks
    check_chunks(doc, chunks, WordCounter(), 40)
    lines = {chunk.text.splitlines()[0] for chunk in chunks if chunk.text != chunk.body}
    assert "Rules › Inner" in lines
    assert "Innermost Innermost Innermost Innermost Innermost" in lines


def test_pages_kind_and_scores() -> None:
    from extraction.builder import Place

    builder = DocumentBuilder()
    for page in range(1, 5):
        builder.add(P, sentences(6), place=Place(page_from=page, page_to=page))
    chunks = chunker().chunk_one(document(builder)).chunks
    assert chunks[0].page_from == 1
    assert chunks[-1].page_to == 4
    assert all(chunk.page_from and chunk.page_to and chunk.page_from <= chunk.page_to for chunk in chunks)
    assert chunks[0].boundary_score is None
    assert all(isinstance(chunk.boundary_score, float) for chunk in chunks[1:])


# --- Edges ---------------------------------------------------------------------------------------


def test_a_blank_document_has_no_chunks() -> None:
    doc = document(DocumentBuilder())
    assert chunker().chunk_one(doc).chunks == ()
    assert list(chunker().chunk([])) == []


def test_the_embedders_limit_counts_too() -> None:
    counter = WordCounter()
    counter.limit = 20
    doc = document(paragraphs([sentences(30)]))
    chunks = chunker(counter).chunk_one(doc).chunks
    check_chunks(doc, chunks, counter, 40)
    assert max(chunk.tokens for chunk in chunks) <= 20


def test_no_room_for_text_is_a_clear_error() -> None:
    class Greedy(WordCounter):
        def count(self, text: str) -> int:
            return 20 + super().count(text)

    with pytest.raises(ConfigurationError, match="no room"):
        chunker(Greedy(), max_tokens=16)


def test_no_room_for_a_character_is_a_clear_error() -> None:
    class Heavy(WordCounter):
        def count(self, text: str) -> int:
            return super().count(text) + 15 * text.count("щ")

    with pytest.raises(ConfigurationError, match=r"norms/doc.md.*single character"):
        chunker(Heavy(), max_tokens=16).chunk_one(document(paragraphs(["a щ b"])))


def test_an_edit_leaves_distant_chunks_alone() -> None:
    texts = [sentences(3, 4 + i % 5) + f" Part{i}." for i in range(60)]
    before = chunker().chunk_one(document(paragraphs(texts))).chunks
    after = chunker().chunk_one(document(paragraphs(["New words here.", *texts]))).chunks
    kept = {chunk.id for chunk in before} & {chunk.id for chunk in after}
    assert len(kept) > len(before) * 0.8


def test_the_signature_tells_settings_apart() -> None:
    base = chunker()
    assert base.signature == chunker().signature
    others = [
        chunker(max_tokens=41),
        chunker(overlap=1),
        chunker(mode="window"),
        chunker(structure_rules=False),
        chunker(context_line=False),
        chunker(ByteCounter()),
        chunker(newline_ends_sentence="never"),
    ]
    assert len({base.signature, *(other.signature for other in others)}) == 1 + len(others)
    assert chunker(scorer_threads=2).signature == base.signature


def test_what_the_embedder_does_not_read_is_not_asked_for() -> None:
    """Sizes follow the limit that holds: asked for more, the same chunks come under the same name."""
    doc = document(paragraphs([sentences(12)] * 40))
    usual = chunker(max_tokens=512, min_tokens=128)
    lowered = build(max_tokens=5000)
    assert lowered.signature == usual.signature
    assert lowered.chunk_one(doc).chunks == usual.chunk_one(doc).chunks
    for sizes in ({"min_tokens": 1000}, {"overlap": 1000}):
        with pytest.raises(ConfigurationError, match=r"512 here: the embedder reads no more"):
            build(max_tokens=5000, **sizes)


def build(**sizes: int) -> Chunker:
    """A chunker with no sizes but these."""
    made = ChunkingSettings(**sizes)  # type: ignore[arg-type]
    return assemble_chunker(made, WordCounter(), smart(made, DigestScorer()))


def test_progress_hears_of_every_document() -> None:
    class Bar:
        done = 0

        def advance(self, amount: int = 1) -> None:
            self.done += amount

    bar = Bar()
    docs = [document(paragraphs([sentences(3)])) for _ in range(5)]
    assert len(list(chunker().chunk(docs, bar))) == bar.done == 5
