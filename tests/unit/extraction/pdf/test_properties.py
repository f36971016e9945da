from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from extraction.pdf.glyphs.characters import without_doubles
from extraction.pdf.layout import Glyph
from rubrica.model import ElementKind
from tests.unit.extraction.pdf.drawing import Sheets

WORDS = st.text(alphabet="абвгдежзАБВГabcdXYZ0123456789.,;()«»", min_size=1, max_size=14)
PARAGRAPHS = st.lists(st.lists(WORDS, min_size=1, max_size=25).map(" ".join), min_size=1, max_size=6)


@settings(max_examples=40, deadline=None)
@given(paragraphs=PARAGRAPHS, size=st.sampled_from([8, 10, 14]), per_page=st.integers(1, 4))
def test_elements_tile_the_text_and_no_letter_is_lost(
    paragraphs: list[str], size: int, per_page: int
) -> None:
    sheets = Sheets()
    for number, paragraph in enumerate(paragraphs):
        if number and number % per_page == 0:
            sheets.page()
        # A number of its own keeps lines from being taken for a running header.
        sheets.paragraph(f"{chr(ord('к') + number) * 3} {paragraph}", size=size)
    document = sheets.read()
    end = 0
    for element in document.elements:
        assert not document.text[end : element.start].strip()
        assert end <= element.start < element.end
        assert element.page_from is not None
        assert element.page_to is not None
        assert element.page_from <= element.page_to
        end = element.end
    assert not document.text[end:].strip()
    drawn = sorted(c for n, p in enumerate(paragraphs) for c in chr(ord("к") + n) * 3 + p if c.isalpha())
    assert sorted(c for c in document.text if c.isalpha()) == drawn


@settings(max_examples=20, deadline=None)
@given(
    rows=st.lists(
        st.lists(st.sampled_from(["", "бетон", "В25", "12,5"]), min_size=3, max_size=3),
        min_size=2,
        max_size=8,
    )
)
def test_table_text_is_its_rows(rows: list[list[str]]) -> None:
    sheets = Sheets()
    sheets.grid([["Марка", "Класс", "Размер"], *rows], [100, 100, 100])
    document = sheets.read()
    (table,) = [e for e in document.elements if e.kind is ElementKind.TABLE]
    assert {len(row) for row in table.rows} == {3}
    assert document.text[table.start : table.end] == "\n".join(" | ".join(row) for row in table.rows)
    assert [list(row) for row in table.rows[1:]] == [row for row in rows if any(row)]


@given(
    st.lists(
        st.tuples(st.sampled_from("ао1"), st.integers(0, 50)),
        min_size=1,
        max_size=20,
        unique_by=lambda p: p[1],
    ),
    st.floats(-0.8, 0.8),
)
def test_glyphs_drawn_twice_are_read_once(places: list[tuple[str, int]], shift: float) -> None:
    glyphs = [Glyph(text, 6.0 * x, 100.0, 6.0 * x + 6, 110.0, 10.0, bold=False) for text, x in places]
    doubled = [copy for g in glyphs for copy in (g, g._replace(x0=g.x0 + shift, x1=g.x1 + shift))]
    assert without_doubles(glyphs) == glyphs
    assert [(g.text, g.x0, g.bold) for g in without_doubles(doubled)] == [
        (g.text, g.x0, True) for g in glyphs
    ]
