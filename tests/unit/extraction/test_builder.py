from __future__ import annotations

from extraction.builder import DocumentBuilder
from rubrica.model import ElementKind


def test_soft_hyphens_never_reach_the_text() -> None:
    builder = DocumentBuilder()
    builder.add(ElementKind.PARAGRAPH, "конст\u00ad\nрукции")
    builder.add(ElementKind.CODE, "x\u00ad = 1")
    builder.add_table([["инже\u00adнер", "б"]])
    assert builder.text == "конструкции\n\nx = 1\n\nинженер | б"


def test_blank_elements_and_rows_are_dropped() -> None:
    builder = DocumentBuilder()
    builder.add(ElementKind.PARAGRAPH, " \u200b\n")
    builder.add_table([["", " "]])
    builder.add_table([["Марка", "Класс"], ["", ""], ["Б1"]], header_rows=2)
    (table,) = builder.elements
    assert table.rows == (("Марка", "Класс"), ("Б1", ""))
    assert table.header_rows == 1
    assert builder.text == "Марка | Класс\nБ1 | "


def test_heading_paths_follow_levels() -> None:
    builder = DocumentBuilder()
    for level, text in ((1, "А"), (3, "Б"), (2, "В")):
        builder.add(ElementKind.HEADING, text, level=level)
        builder.add(ElementKind.PARAGRAPH, f"под {text}")
    assert [item.heading_path for item in builder.elements] == [
        (), ("А",), ("А",), ("А", "Б"), ("А",), ("А", "В"),
    ]  # fmt: skip
