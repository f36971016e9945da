from __future__ import annotations

import io
import re
import zipfile

import docx
import pytest
from docx.enum.style import WD_STYLE_TYPE
from docx.oxml import parse_xml

from extraction.extract import extract
from rubrica.errors import CorruptDocumentError, EmptyDocumentError, LimitExceededError
from rubrica.model import ElementKind
from rubrica.settings import ExtractionSettings
from tests.support.outline import outline, texts
from tests.unit.extraction.conftest import Read
from tests.unit.extraction.docx_making import W, edited, numbered, numbering, save, with_body


def test_structure(read: Read) -> None:
    document = docx.Document()
    document.core_properties.title = "Свод правил"
    document.add_paragraph("Бетонные конструкции", "Title")
    document.add_heading("Общие положения", 1)
    document.add_paragraph("Текст.")
    document.add_heading("Термины", 2)
    document.add_paragraph("пункт", "List Bullet")
    document.add_paragraph("– с чертой")
    table = document.add_table(2, 3)
    for cell, text in zip(table._cells, ["Марка", "Класс", "Масса", "Б1", "В25", "1,5"], strict=True):
        cell.text = text
    document.add_paragraph("Таблица 1", "Caption")
    result = read(save(document), "law.docx")
    assert outline(result) == [
        ("title", "Бетонные конструкции"),
        ("heading1", "Общие положения"),
        ("paragraph", "Текст."),
        ("heading2", "Термины"),
        ("list_item1", "пункт"),
        ("list_item1", "с чертой"),
        ("table", "Марка | Класс | Масса\nБ1 | В25 | 1,5"),
        ("caption", "Таблица 1"),
    ]
    assert result.title == "Свод правил"
    assert result.elements[4].heading_path == ("Общие положения", "Термины")
    assert result.elements[6].header_rows == 1


def test_headings_by_outline_level_inherited_style_and_bold_number(read: Read) -> None:
    document = docx.Document()
    style = document.styles.add_style("Свой заголовок", WD_STYLE_TYPE.PARAGRAPH)
    style.base_style = document.styles["Heading 2"]
    document.add_paragraph("По стилю", style)
    outlined = document.add_paragraph("По уровню")
    outlined._p.get_or_add_pPr().append(parse_xml(f'<w:outlineLvl {W} w:val="0"/>'))
    document.add_paragraph().add_run("5.2 Полужирный").bold = True
    document.add_paragraph().add_run("Просто полужирный").bold = True
    assert outline(read(save(document), "a.docx")) == [
        ("heading2", "По стилю"),
        ("heading1", "По уровню"),
        ("heading2", "5.2 Полужирный"),
        ("paragraph", "Просто полужирный"),
    ]


def test_tracked_changes_are_accepted(read: Read) -> None:
    """E16: the accepted view of insertions, deletions, moves and ends of paragraphs."""
    content = with_body(
        '<w:p><w:r><w:t xml:space="preserve">Толщина </w:t></w:r>'
        '<w:del w:id="1" w:author="a"><w:r><w:delText>20</w:delText></w:r></w:del>'
        '<w:ins w:id="2" w:author="a"><w:r><w:t>25</w:t></w:r></w:ins>'
        '<w:r><w:t xml:space="preserve"> мм</w:t></w:r></w:p>',
        '<w:p><w:pPr><w:rPr><w:ins w:id="3" w:author="a"/></w:rPr></w:pPr>'
        '<w:ins w:id="4" w:author="a"><w:r><w:t>Новый абзац</w:t></w:r></w:ins></w:p>',
        '<w:p><w:moveFrom w:id="5" w:author="a"><w:r><w:t>Место</w:t></w:r></w:moveFrom></w:p>',
        '<w:p><w:pPr><w:rPr><w:del w:id="6" w:author="a"/></w:rPr></w:pPr><w:r><w:t>сли</w:t></w:r></w:p>',
        "<w:p><w:r><w:t>тный</w:t></w:r>"
        '<w:moveTo w:id="7" w:author="a"><w:r><w:t> Место</w:t></w:r></w:moveTo></w:p>',
    )
    assert texts(read(content, "a.docx"), ElementKind.PARAGRAPH) == [
        "Толщина 25 мм", "Новый абзац", "слитный Место",
    ]  # fmt: skip


def test_automatic_numbers(read: Read) -> None:
    """E17: numbers that no text of the file holds are written out."""
    document = docx.Document()
    numbering(document, [("decimal", "%1"), ("decimal", "%1.%2"), ("russianLower", "%3)"), ("bullet", "o")])
    for level, text in [
        (0, "Первый"),
        (1, "а"),
        (1, "б"),
        (0, "Второй"),
        (1, "в"),
        (2, "г"),
        (2, "д"),
        (3, "е"),
        (1, "ё"),
    ]:
        numbered(document, text, level)
    result = read(save(document), "a.docx")
    assert [text for _, text in outline(result)] == [
        "1 Первый", "1.1 а", "1.2 б", "2 Второй", "2.1 в", "а) г", "б) д", "е", "2.2 ё",
    ]  # fmt: skip
    assert [item.clause for item in result.elements] == [
        None,
        "1.1",
        "1.2",
        None,
        "2.1",
        None,
        None,
        None,
        "2.2",
    ]


def test_numbers_of_headings_come_from_their_style(read: Read) -> None:
    document = docx.Document()
    numbering(document, [("decimal", "%1"), ("decimal", "%1.%2")])
    for level in (1, 2):
        properties = document.styles[f"Heading {level}"].element.get_or_add_pPr()
        properties.append(
            parse_xml(f'<w:numPr {W}><w:ilvl w:val="{level - 1}"/><w:numId w:val="77"/></w:numPr>')
        )
    for level, text in ((1, "Общие"), (2, "Область"), (2, "Ссылки"), (1, "Бетон"), (2, "Марки")):
        document.add_heading(text, level)
    result = read(save(document), "a.docx")
    assert outline(result) == [
        ("heading1", "1 Общие"),
        ("heading2", "1.1 Область"),
        ("heading2", "1.2 Ссылки"),
        ("heading1", "2 Бетон"),
        ("heading2", "2.1 Марки"),
    ]
    assert [item.clause for item in result.elements] == ["1", "1.1", "1.2", "2", "2.1"]


def test_numbering_that_shows_nothing_adds_nothing(read: Read) -> None:
    """E17, the reverse: what shows no number gets none."""
    document = docx.Document()
    numbering(document, [("none", "")])
    numbered(document, "Без номера", 0)
    numbered(document, "Снят", 0, num_id=0)
    assert outline(read(save(document), "a.docx")) == [("paragraph", "Без номера"), ("paragraph", "Снят")]


def test_merged_cells(read: Read) -> None:
    """E10: a cell over several rows or columns loses no neighbour."""
    document = docx.Document()
    table = document.add_table(3, 4)
    for index, cell in enumerate(table._cells):
        cell.text = f"я{index}"
    table.cell(0, 0).merge(table.cell(1, 0)).text = "Марка"
    table.cell(0, 1).merge(table.cell(0, 2)).text = "Нагрузка"
    assert read(save(document), "a.docx").elements[0].rows == (
        ("Марка", "Нагрузка", "", "я3"),
        ("Марка", "я5", "я6", "я7"),
        ("я8", "я9", "я10", "я11"),
    )


def test_table_rows_marked_as_header_deleted_rows_and_numbers_in_cells(read: Read) -> None:
    document = docx.Document()
    numbering(document, [("decimal", "%1.")])
    table = document.add_table(4, 2)
    for cell, text in zip(table._cells, ["1 кол.", "2 кол.", "", "а", "x", "удалён", "", "б"], strict=True):
        cell.text = text
    table.rows[0]._tr.get_or_add_trPr().append(parse_xml(f"<w:tblHeader {W}/>"))
    table.rows[2]._tr.get_or_add_trPr().append(parse_xml(f'<w:del {W} w:id="1" w:author="a"/>'))
    for row in (1, 3):
        table.cell(row, 0).paragraphs[0]._p.get_or_add_pPr().append(
            parse_xml(f'<w:numPr {W}><w:ilvl w:val="0"/><w:numId w:val="77"/></w:numPr>')
        )
    (element,) = read(save(document), "a.docx").elements
    assert element.rows == (("1 кол.", "2 кол."), ("1.", "а"), ("2.", "б"))
    assert element.header_rows == 1


def test_a_table_of_one_column_is_a_frame(read: Read) -> None:
    document = docx.Document()
    cell = document.add_table(1, 1).cell(0, 0)
    cell.text = "Первый"
    cell.add_paragraph("5.2.1 Второй")
    assert outline(read(save(document), "a.docx")) == [("paragraph", "Первый"), ("paragraph", "5.2.1 Второй")]


def test_text_in_links_fields_controls_and_boxes_comes_once(read: Read) -> None:
    choice = "<w:drawing><w:txbxContent><w:p><w:r><w:t>в рамке</w:t></w:r></w:p></w:txbxContent></w:drawing>"
    content = with_body(
        '<w:p><w:hyperlink><w:r><w:t xml:space="preserve">ссылка </w:t></w:r></w:hyperlink>'
        "<w:r><w:instrText>PAGE</w:instrText></w:r>"
        "<w:sdt><w:sdtContent><w:r><w:t>поле</w:t></w:r></w:sdtContent></w:sdt>"
        "<w:r><w:rPr><w:vanish/></w:rPr><w:t>скрыто</w:t></w:r>"
        '<w:r><mc:AlternateContent xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006">'
        f"<mc:Choice Requires='wps'>{choice}</mc:Choice><mc:Fallback>{choice}</mc:Fallback>"
        "</mc:AlternateContent></w:r>"
        "<w:r><w:t>5</w:t><w:noBreakHyphen/><w:t>10</w:t><w:br/><w:t>м</w:t></w:r></w:p>",
    )
    assert outline(read(content, "a.docx")) == [("paragraph", "ссылка поле5-10\nм"), ("paragraph", "в рамке")]


def test_strict_and_macro_files_are_read(read: Read) -> None:
    """E24: kinds of Word files that other readers refuse."""
    document = docx.Document()
    document.add_heading("Глава", 1)
    transitional = save(document)

    def strict(_: str, data: bytes) -> bytes:
        data = data.replace(
            b"http://schemas.openxmlformats.org/wordprocessingml/2006/main",
            b"http://purl.oclc.org/ooxml/wordprocessingml/main",
        )
        return data.replace(
            b"http://schemas.openxmlformats.org/officeDocument/2006/relationships",
            b"http://purl.oclc.org/ooxml/officeDocument/relationships",
        )

    def macro(name: str, data: bytes) -> bytes:
        return (
            data.replace(b"wordprocessingml.document.main", b"x.macro")
            if name == "[Content_Types].xml"
            else data
        )

    for edit, path in ((strict, "a.docx"), (macro, "a.docm")):
        assert outline(read(edited(transitional, edit), path)) == [("heading1", "Глава")]


def test_missing_parts_do_not_matter_but_a_missing_document_does(
    read: Read, settings: ExtractionSettings
) -> None:
    document = docx.Document()
    document.add_paragraph("Текст")
    whole = save(document)
    bare = edited(whole, lambda name, data: data if name in ("_rels/.rels", "word/document.xml") else None)
    assert outline(read(bare, "a.docx")) == [("paragraph", "Текст")]
    headless = edited(whole, lambda name, data: None if name == "word/document.xml" else data)
    with pytest.raises(CorruptDocumentError, match="no document part"):
        extract(headless, "a.docx", settings)


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        (rb"</w:body>", b"", "damaged"),
        (rb"<w:document ", b"<!DOCTYPE x [<!ENTITY a 'b'>]><w:document ", "entities"),
        (rb"<w:t>Text</w:t>", b"<w:sdt>" * 5000 + b"</w:sdt>" * 5000, "damaged|nested"),
    ],
)
def test_damaged_or_hostile_xml(old: bytes, new: bytes, reason: str, settings: ExtractionSettings) -> None:
    document = docx.Document()
    document.add_paragraph("Text")
    content = edited(
        save(document),
        lambda name, data: re.sub(old, new, data) if name == "word/document.xml" else data,
    )
    with pytest.raises(CorruptDocumentError, match=reason) as caught:
        extract(content, "a.docx", settings)
    assert (caught.value.document, caught.value.stage) == ("a.docx", "extract")


def test_truncated_and_empty(settings: ExtractionSettings) -> None:
    """E24: what is no document ends with a reason."""
    document = docx.Document()
    empty = save(document)
    with pytest.raises(EmptyDocumentError):
        extract(empty, "a.docx", settings)
    for size in (100, len(empty) // 2, len(empty) - 10):
        with pytest.raises(CorruptDocumentError):
            extract(empty[:size], "a.docx", settings)


def test_zip_bomb_is_refused_whatever_it_declares() -> None:
    document = docx.Document()
    document.add_paragraph("Text")
    bomb = edited(
        save(document), lambda name, data: data + b" " * (3 * 2**20) if name == "word/document.xml" else data
    )
    stream = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(bomb)) as old, zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            new.writestr(name, old.read(name))
    with zipfile.ZipFile(stream) as honest:
        size = honest.getinfo("word/document.xml").file_size
    lying = stream.getvalue().replace(size.to_bytes(4, "little"), (100).to_bytes(4, "little"))
    small = ExtractionSettings(max_unpacked_mb=1)
    with pytest.raises(LimitExceededError, match="1 MiB") as caught:
        extract(stream.getvalue(), "a.docx", small)
    assert caught.value.limit == "RUBRICA_MAX_UNPACKED_MB"
    with pytest.raises((LimitExceededError, CorruptDocumentError)):
        extract(lying, "a.docx", small)
