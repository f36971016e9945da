"""What a paragraph, number or cell of a Word file says beyond its plain text."""

from __future__ import annotations

import io
import zipfile

import docx
import pytest
from docx.oxml import parse_xml

from rubrica.model import ElementKind
from tests.support.outline import outline, texts
from tests.unit.extraction.conftest import Read
from tests.unit.extraction.docx_making import W, edited, numbered, numbering, save, with_body

MATH = "xmlns:m='http://schemas.openxmlformats.org/officeDocument/2006/math'"


def run(text: str, properties: str = "") -> str:
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def field(code: str, result: str) -> str:
    return (
        '<w:r><w:fldChar w:fldCharType="begin"/></w:r>'
        f"<w:r><w:instrText>{code}</w:instrText></w:r>"
        f'<w:r><w:fldChar w:fldCharType="separate"/></w:r>{result}'
        '<w:r><w:fldChar w:fldCharType="end"/></w:r>'
    )


def test_codes_of_fields_are_no_text_and_their_results_are(read: Read) -> None:
    code = " IF </w:instrText></w:r>" + field("PAGE", run("7")) + "<w:r><w:instrText>"
    nested = field(code, run("да"))
    unfinished = field(" REF broken ", "").split("</w:r>")[:2]
    content = with_body(
        f"<w:p>{run('см. ')}{field(' REF _Ref1 ', run('п. 5.2'))}{run(' и ')}{nested}</w:p>",
        f"<w:p>{'</w:r>'.join([*unfinished, ''])}</w:p>",
        f"<w:p>{run('Дальше')}</w:p>",
    )
    assert texts(read(content, "a.docx"), ElementKind.PARAGRAPH) == ["см. п. 5.2 и да", "Дальше"]


def test_lines_of_a_table_of_contents_are_items_without_clauses(read: Read) -> None:
    document = docx.Document()
    document.styles.add_style("toc 1", 1)
    document.add_paragraph("1 Общие положения\t3", "toc 1")
    document.add_paragraph("5.2.1 Бетон ........ 14")
    document.add_heading("1 Общие положения", 1)
    document.add_paragraph("5.2.1 Бетон принимают по классу.")
    result = read(save(document), "a.docx")
    assert outline(result) == [
        ("list_item1", "1 Общие положения … 3"),
        ("list_item1", "5.2.1 Бетон … 14"),
        ("heading1", "1 Общие положения"),
        ("paragraph", "5.2.1 Бетон принимают по классу."),
    ]
    assert [item.clause for item in result.elements[:2]] == [None, None]


def test_hidden_text_by_run_and_by_style_is_left_out(read: Read) -> None:
    document = docx.Document()
    for name, kind in (("Тайный", 2), ("Скрытый абзац", 1)):
        style = document.styles.add_style(name, kind)
        style.font.hidden = True
    paragraph = document.add_paragraph("видно")
    paragraph.add_run(" нет").font.hidden = True
    paragraph.add_run(" нет", "Тайный")
    shown = paragraph.add_run(" и это", "Тайный")
    shown.font.hidden = False
    document.add_paragraph("не видно", "Скрытый абзац")
    assert outline(read(save(document), "a.docx")) == [("paragraph", "видно и это")]


def test_placeholders_of_controls_are_left_out(read: Read) -> None:
    hint = "<w:sdtPr><w:showingPlcHdr/></w:sdtPr>"
    content = with_body(
        f"<w:p>{run('Имя: ')}<w:sdt>{hint}<w:sdtContent>{run('Введите имя')}</w:sdtContent></w:sdt>"
        f"<w:sdt><w:sdtContent>{run('Пётр')}</w:sdtContent></w:sdt></w:p>",
    )
    assert outline(read(content, "a.docx")) == [("paragraph", "Имя: Пётр")]


def test_symbols_and_ruby(read: Read) -> None:
    content = with_body(
        f"<w:p>{run('t ')}<w:r><w:sym w:font='Symbol' w:char='F0B3'/></w:r>{run(' 20 ')}"
        "<w:r><w:sym w:font='Symbol' w:char='F0B0'/></w:r>"
        f"<w:r><w:sym w:font='Wingdings' w:char='F0FC'/></w:r><w:r><w:sym w:font='X' w:char='zz'/></w:r>"
        f"{run(chr(0xF061), '<w:rFonts w:ascii=' + chr(34) + 'Symbol' + chr(34) + '/>')}</w:p>",
        "<w:p><w:r><w:ruby><w:rt><w:r><w:t>とう</w:t></w:r></w:rt>"
        "<w:rubyBase><w:r><w:t>東京</w:t></w:r></w:rubyBase></w:ruby></w:r></w:p>",
    )
    assert texts(read(content, "a.docx"), ElementKind.PARAGRAPH) == ["t ≥ 20 °✓α", "東京"]


def test_formulas_are_written_on_a_line(read: Read) -> None:
    r = "<m:r><m:t>{}</m:t></m:r>".format
    fraction = f"<m:f><m:num>{r('a+b')}</m:num><m:den>{r('2')}</m:den></m:f>"
    power = f"<m:sSup><m:e>{r('x')}</m:e><m:sup>{r('n+1')}</m:sup></m:sSup>"
    root = f"<m:rad><m:deg/><m:e>{r('y')}</m:e></m:rad>"
    total = (
        f'<m:nary><m:naryPr><m:chr m:val="∑"/></m:naryPr><m:sub>{r("i=1")}</m:sub><m:sup>{r("k")}</m:sup>'
        f"<m:e><m:sSub><m:e>{r('q')}</m:e><m:sub>{r('i')}</m:sub></m:sSub></m:e></m:nary>"
    )
    bracket = f"<m:d><m:dPr><m:begChr m:val='['/><m:endChr m:val=']'/></m:dPr><m:e>{r('z')}</m:e></m:d>"
    content = with_body(
        f"<w:p {MATH}><m:oMathPara><m:oMath>{r('N=')}{fraction}{power}{root}{total}{bracket}"
        f"</m:oMath></m:oMathPara>{run(', (5.1)')}</w:p>",
        f"<w:p {MATH}>{run('где ')}<m:oMath>{fraction}</m:oMath>{run(' — доля')}</w:p>",
    )
    assert outline(read(content, "a.docx")) == [
        ("formula", "N=(a+b)/2x^(n+1)√(y)∑_(i=1)^k q_i[z], (5.1)"),
        ("paragraph", "где (a+b)/2 — доля"),
    ]


def test_captions_by_rule_and_formulas_numbered_by_a_table(read: Read) -> None:
    document = docx.Document()
    document.add_paragraph("Таблица 4.1")
    document.add_paragraph().add_run("Допустимые отклонения").bold = True
    document.add_table(2, 2).cell(0, 0).text = "Высота"
    document.tables[0].cell(1, 1).text = "5"
    document.add_paragraph("Рисунок А.2 — Схема")
    document.add_paragraph("Таблица 4.1 содержит значения, принимаемые при расчёте.")
    table = document.add_table(1, 2)
    table.cell(0, 0).paragraphs[0]._p.append(
        parse_xml(f"<m:oMath {MATH}><m:r><m:t>F=ma</m:t></m:r></m:oMath>")
    )
    table.cell(0, 1).text = "(5.1)"
    assert [kind for kind, _ in outline(read(save(document), "a.docx"))] == [
        "caption", "table", "caption", "paragraph", "formula",
    ]  # fmt: skip


def test_footnotes_come_once_and_also_from_cells(read: Read) -> None:
    document = docx.Document()
    document.add_paragraph("Первый")
    cells = document.add_table(2, 2)._cells
    for index, cell in enumerate(cells):
        cell.text = f"я{index}"
    reference = f"<w:r {W}><w:footnoteReference w:id='2'/></w:r>"
    for paragraph, note in (
        (document.paragraphs[0], 2),
        (cells[3].paragraphs[0], 3),
        (cells[2].paragraphs[0], 3),
    ):
        paragraph._p.append(parse_xml(reference.replace("'2'", f"'{note}'")))
    notes = (
        f"<w:footnotes {W}>"
        "<w:footnote w:id='0'><w:p><w:r><w:separator/></w:r></w:p></w:footnote>"
        "<w:footnote w:id='2'><w:p><w:r><w:t>К первому</w:t></w:r></w:p></w:footnote>"
        "<w:footnote w:id='3'><w:p><w:r><w:t>К ячейке</w:t></w:r></w:p></w:footnote></w:footnotes>"
    )
    content = edited(save(document), lambda name, data: data)
    content = with_part(content, "word/footnotes.xml", notes)
    assert outline(read(content, "a.docx")) == [
        ("paragraph", "Первый"),
        ("footnote", "К первому"),
        ("table", "я0 | я1\nя2 | я3"),
        ("footnote", "К ячейке"),
    ]


def with_part(content: bytes, name: str, xml: str) -> bytes:
    stream = io.BytesIO(content)
    with zipfile.ZipFile(stream, "a") as archive:
        archive.writestr(name, xml)
    return stream.getvalue()


@pytest.mark.parametrize("part", ["styles", "numbering", "footnotes", "core"])
def test_a_damaged_part_costs_that_part_only(part: str, read: Read) -> None:
    document = docx.Document()
    document.add_heading("Глава", 1)
    document.add_paragraph("Текст.")
    damaged = {"core": "docProps/core.xml"}.get(part, f"word/{part}.xml")
    content = edited(save(document), lambda name, data: data[: len(data) // 2] if name == damaged else data)
    if part == "footnotes":
        content = with_part(content, damaged, "<w:footnotes")
    result = read(content, "a.docx")
    assert result.text == "Глава\n\nТекст."
    assert result.attributes["damaged_parts"] == [damaged]


def test_a_broken_relationship_or_odd_names_do_not_matter(read: Read) -> None:
    document = docx.Document()
    document.add_heading("Глава", 1)
    whole = save(document)
    broken = edited(
        whole,
        lambda name, data: (
            data.replace(b'Target="styles.xml"', b'Target="nowhere.xml"')
            if name == "word/_rels/document.xml.rels"
            else data
        ),
    )
    assert outline(read(broken, "a.docx"))[0][1] == "Глава"
    stream = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(whole)) as old, zipfile.ZipFile(stream, "w") as new:
        for name in old.namelist():
            new.writestr(
                name.replace("word/", "Word/").replace("document.xml", "Document.xml"), old.read(name)
            )
        new.writestr("../../evil.txt", "x")
    assert outline(read(stream.getvalue(), "a.docx"))[0][1] == "Глава"


def test_the_document_part_may_have_any_name(read: Read) -> None:
    document = docx.Document()
    document.add_paragraph("Текст")
    content = edited(
        save(document),
        lambda name, data: (
            None if name == "_rels/.rels" else data.replace(b"/word/document.xml", b"/content/main.xml")
        ),
    )
    stream = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(stream, "w") as new:
        for name in old.namelist():
            new.writestr("content/main.xml" if name == "word/document.xml" else name, old.read(name))
    assert outline(read(stream.getvalue(), "a.docx")) == [("paragraph", "Текст")]


def test_numbers_restart_as_word_restarts_them(read: Read) -> None:
    """E17: overrides of the start, levels that never restart, legal numbers, custom digits, suffixes."""
    document = docx.Document()
    numbering(document, [("decimal", "%1."), ("lowerRoman", "%1.%2)")])
    part = document.part.numbering_part.element
    part.append(
        parse_xml(
            f"<w:num {W} w:numId='78'><w:abstractNumId w:val='77'/>"
            "<w:lvlOverride w:ilvl='0'><w:startOverride w:val='5'/></w:lvlOverride></w:num>"
        )
    )
    part.insert(
        0,
        parse_xml(
            f"<w:abstractNum {W} w:abstractNumId='90'>"
            "<w:lvl w:ilvl='0'><w:start w:val='2'/><w:numFmt w:val='upperRoman'/><w:suff w:val='nothing'/>"
            "<w:lvlText w:val='Статья %1.'/></w:lvl>"
            "<w:lvl w:ilvl='1'><w:start w:val='1'/><w:numFmt w:val='decimal'/><w:lvlRestart w:val='0'/>"
            "<w:isLgl/>"
            "<w:lvlText w:val='%1.%2'/></w:lvl>"
            "<w:lvl w:ilvl='2'><w:start w:val='1'/><w:numFmt w:val='custom' w:format='001, 002, 003, ...'/>"
            "<w:lvlText w:val='№%3'/></w:lvl></w:abstractNum>"
        ),
    )
    part.append(parse_xml(f"<w:num {W} w:numId='90'><w:abstractNumId w:val='90'/></w:num>"))
    for level, num_id in ((0, 77), (1, 77), (0, 77), (0, 78), (0, 78), (1, 78)):
        numbered(document, "x", level, num_id)
    for level in (0, 1, 2, 0, 1):
        numbered(document, "y", level, 90)
    assert [text for _, text in outline(read(save(document), "a.docx"))] == [
        "1. x", "1.i) x", "2. x", "5. x", "6. x", "6.i) x",
        "Статья II.y", "2.1 y", "№001 y", "Статья III.y", "3.2 y",
    ]  # fmt: skip


def test_a_bullet_in_the_middle_of_an_item_stays(read: Read) -> None:
    document = docx.Document()
    document.add_paragraph("Марка – класс – масса", "List Bullet")
    assert outline(read(save(document), "a.docx")) == [("list_item1", "Марка – класс – масса")]


def test_typed_items_have_levels(read: Read) -> None:
    document = docx.Document()
    for text in ("1) первое:", "а) то", "б) это", "2) второе", "Абзац.", "а) другое", "5.1 Пункт"):
        document.add_paragraph(text)
    assert [kind for kind, _ in outline(read(save(document), "a.docx"))] == [
        "list_item1", "list_item2", "list_item2", "list_item1", "paragraph", "list_item1", "paragraph",
    ]  # fmt: skip


def test_lines_of_code_are_one_element(read: Read) -> None:
    document = docx.Document()
    document.styles.add_style("Source Code", 1)
    for line in ("def f():", "    return 1"):
        document.add_paragraph(line, "Source Code")
    assert outline(read(save(document), "a.docx")) == [("code", "def f():\n    return 1")]


def test_deleted_ends_of_paragraphs_lose_nothing(read: Read) -> None:
    """E16: the last paragraph of a cell or document may have its end deleted, and so may all of a cell."""
    gone = '<w:pPr><w:rPr><w:del w:id="6" w:author="a"/></w:rPr></w:pPr>'
    cell = "<w:tc><w:tcPr>{}</w:tcPr><w:p>{}{}</w:p></w:tc>".format
    deleted = '<w:cellDel w:id="9" w:author="a"/>'
    content = with_body(
        f"<w:p>{gone}{run('Перед таблицей')}</w:p>",
        f"<w:p>{run(' дальше')}</w:p>",
        f"<w:p>{gone}{run('В самом конце')}</w:p>",
    )
    row = f"<w:tr>{cell('', '', run('a'))}{cell(deleted, '', run('x'))}{cell('', gone, run('b'))}</w:tr>"
    table = f"<w:tbl {W}>{row}{row}</w:tbl>".encode()
    content = edited(
        content,
        lambda name, data: (
            data.replace(b"</w:body>", table + b"</w:body>") if name == "word/document.xml" else data
        ),
    )
    assert [text for _, text in outline(read(content, "a.docx"))] == [
        "Перед таблицей дальше",
        "В самом конце",
        "a | b\na | b",
    ]


def test_a_paragraph_whose_end_is_deleted_stays_before_a_table(read: Read) -> None:
    cell = f"<w:tc><w:p>{run('a')}</w:p></w:tc>"
    content = with_body(
        f'<w:p><w:pPr><w:rPr><w:del w:id="6" w:author="a"/></w:rPr></w:pPr>{run("Введение")}</w:p>',
        f"<w:tbl><w:tr>{cell}{cell}</w:tr></w:tbl>",
        f"<w:p>{run('Вывод')}</w:p>",
    )
    assert [text for _, text in outline(read(content, "a.docx"))] == ["Введение", "a | a", "Вывод"]


def test_old_horizontal_merges_and_huge_spans(read: Read) -> None:
    document = docx.Document()
    table = document.add_table(2, 3)
    for index, cell in enumerate(table._cells):
        cell.text = "" if index == 1 else f"я{index}"
    for index, value in ((0, "restart"), (1, "continue")):
        table._cells[index]._tc.get_or_add_tcPr().append(parse_xml(f'<w:hMerge {W} w:val="{value}"/>'))
    table._cells[5]._tc.get_or_add_tcPr().append(parse_xml(f'<w:gridSpan {W} w:val="99999"/>'))
    assert read(save(document), "a.docx").elements[0].rows == (("я0", "", "я2"), ("я3", "я4", "я5"))


def test_nested_tables_and_layout_tables(read: Read) -> None:
    document = docx.Document()
    layout = document.add_table(1, 2)
    for column, cell in enumerate(layout.rows[0].cells):
        cell.text = f"Левая {column}"
        for number in range(6):
            cell.add_paragraph(f"{column + 1}.{number + 1} " + "Текст этого пункта занимает место. " * 8)
    data = document.add_table(2, 2)
    for index, cell in enumerate(data._cells):
        cell.text = f"я{index}"
    inner = data.cell(1, 1).add_table(1, 2)
    inner.cell(0, 0).text, inner.cell(0, 1).text = "в1", "в2"
    result = read(save(document), "a.docx")
    assert [item.kind for item in result.elements][-1] is ElementKind.TABLE
    assert result.elements[-1].rows == (("я0", "я1"), ("я2", "я3 в1 в2"))
    assert [item.clause for item in result.elements if item.clause][:2] == ["1.1", "1.2"]
    assert sum(item.kind is ElementKind.TABLE for item in result.elements) == 1


def test_members_whose_checksum_is_wrong_are_done_without(read: Read) -> None:
    """E24: only the document part must be whole."""
    document = docx.Document()
    document.add_heading("Глава", 1)
    content = edited(save(document), lambda name, data: data)  # stored, so that bytes can be changed in place
    for text in (b"content-types", b"w:docDefaults>"):
        content = content.replace(text, text.upper(), 1)
    assert outline(read(content, "a.docx"))[0][1] == "Глава"
