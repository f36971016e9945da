from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from typing import Any

import pptx
import pytest
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches

from extraction.extract import extract
from rubrica.errors import CorruptDocumentError, LimitExceededError
from rubrica.settings import ExtractionSettings
from tests.support.outline import outline
from tests.unit.extraction.conftest import Read


def saved(build: Callable[[Any], None]) -> bytes:
    deck: Any = pptx.Presentation()
    build(deck)
    stream = io.BytesIO()
    deck.save(stream)
    return stream.getvalue()


def box(slide: Any, text: str, left: float, top: float) -> Any:
    shape = slide.shapes.add_textbox(Inches(left), Inches(top), Inches(1), Inches(0.5))
    shape.text_frame.text = text
    return shape


def test_slides(read: Read) -> None:
    def build(deck: Any) -> None:
        deck.core_properties.title = "Нормы"
        first = deck.slides.add_slide(deck.slide_layouts[1])
        first.shapes.title.text = "Бетон"
        frame = first.placeholders[1].text_frame
        frame.text = "Марки"
        frame.add_paragraph().text = "В25\vтяжёлый"
        frame.paragraphs[1].level = 1
        first.notes_slide.notes_text_frame.text = "Сказать о марках."
        second = deck.slides.add_slide(deck.slide_layouts[5])
        second.shapes.title.text = "Арматура"
        second._element.set("show", "0")

    document = read(saved(build), "a.pptx")
    assert [
        (*item, element.page_from) for item, element in zip(outline(document), document.elements, strict=True)
    ] == [
        ("heading1", "Бетон", 1),
        ("list_item1", "Марки", 1),
        ("list_item2", "В25\nтяжёлый", 1),
        ("paragraph", "Сказать о марках.", 1),
        ("heading1", "Арматура", 2),
    ]
    assert document.title == "Нормы"
    assert document.attributes["hidden_slides"] == [2]


def test_shapes_are_read_by_rows(read: Read) -> None:
    def build(deck: Any) -> None:
        slide = deck.slides.add_slide(deck.slide_layouts[6])
        box(slide, "внизу", 0, 5)
        box(slide, "справа", 5, 1.05)
        box(slide, "слева", 0, 1)
        group = slide.shapes.add_group_shape()
        inner = group.shapes.add_group_shape()
        box(inner, "в группе", 2, 3)

    assert [text for _, text in outline(read(saved(build), "a.pptx"))] == [
        "слева",
        "справа",
        "в группе",
        "внизу",
    ]


def test_numbered_paragraphs(read: Read) -> None:
    def build(deck: Any) -> None:
        frame = box(deck.slides.add_slide(deck.slide_layouts[6]), "раз", 0, 0).text_frame
        frame.add_paragraph().text = "два"
        frame.add_paragraph().text = "обычный"
        for paragraph in frame.paragraphs[:2]:
            numbering = paragraph._p.get_or_add_pPr().makeelement(
                "{http://schemas.openxmlformats.org/drawingml/2006/main}buAutoNum",
                {"type": "arabicParenR", "startAt": "3"},
            )
            paragraph._p.pPr.append(numbering)

    assert outline(read(saved(build), "a.pptx")) == [
        ("list_item1", "3) раз"),
        ("list_item1", "4) два"),
        ("paragraph", "обычный"),
    ]


def test_e10_table_with_merged_cells(read: Read) -> None:
    def build(deck: Any) -> None:
        slide = deck.slides.add_slide(deck.slide_layouts[6])
        table = slide.shapes.add_table(3, 3, 0, 0, Inches(3), Inches(1)).table
        for row, texts in enumerate((("Марка", "", "Класс"), ("Б1", "1", "В25"), ("", "2", "В30"))):
            for column, text in enumerate(texts):
                table.cell(row, column).text = text
        table.cell(0, 0).merge(table.cell(0, 1))
        table.cell(1, 0).merge(table.cell(2, 0))

    table = read(saved(build), "a.pptx").elements[0]
    assert table.rows == (("Марка", "", "Класс"), ("Б1", "1", "В25"), ("Б1", "2", "В30"))
    assert (table.header_rows, table.page_from) == (1, 1)


def test_charts_are_tables(read: Read) -> None:
    def build(deck: Any) -> None:
        data: Any = CategoryChartData()  # type: ignore[no-untyped-call]  # python-pptx has no types
        data.categories = ["2023", "2024"]
        data.add_series("Бетон", (1.5, 2))
        slide = deck.slides.add_slide(deck.slide_layouts[6])
        chart = slide.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, 0, 0, Inches(3), Inches(3), data).chart
        chart.has_title = True
        chart.chart_title.text_frame.text = "Выпуск"

    assert outline(read(saved(build), "a.pptx")) == [
        ("caption", "Выпуск"),
        ("table", " | Бетон\n2023 | 1.5\n2024 | 2"),
    ]


@pytest.mark.parametrize("kind", ["template", "slideshow"])
def test_templates_and_shows(read: Read, kind: str) -> None:
    content = saved(lambda deck: box(deck.slides.add_slide(deck.slide_layouts[6]), "текст", 0, 0))
    with zipfile.ZipFile(io.BytesIO(content)) as source:
        members = {name: source.read(name) for name in source.namelist()}
    types = members["[Content_Types].xml"]
    members["[Content_Types].xml"] = types.replace(b"presentation.main+xml", f"{kind}.main+xml".encode())
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as target:
        for name, data in members.items():
            target.writestr(name, data)
    assert read(stream.getvalue(), "a.potx").text == "текст"


def test_limits_and_damage() -> None:
    def build(deck: Any) -> None:
        for _ in range(3):
            box(deck.slides.add_slide(deck.slide_layouts[6]), "текст", 0, 0)

    content = saved(build)
    with pytest.raises(LimitExceededError, match="3 slides"):
        extract(content, "a.pptx", ExtractionSettings(max_pages=2))
    with pytest.raises(LimitExceededError, match="unpacks"):
        extract(bomb(), "a.pptx", ExtractionSettings(max_unpacked_mb=1))
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as target:
        target.writestr("ppt/presentation.xml", "<x/>")
    with pytest.raises(CorruptDocumentError) as caught:
        extract(stream.getvalue(), "a.pptx", ExtractionSettings())
    assert caught.value.reason


def bomb() -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as target:
        target.writestr("ppt/media/a.bin", b"\0" * 2**22)
    return stream.getvalue()
