from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from xml.sax.saxutils import escape

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from extraction.extract import extract
from rubrica.errors import (
    CorruptDocumentError,
    EncryptedDocumentError,
    LimitExceededError,
    PoisonDocumentError,
)
from rubrica.model import Document
from rubrica.settings import ExtractionSettings
from tests.support.invariants import check_document
from tests.support.outline import outline
from tests.unit.extraction.conftest import Read

LIMITS = ExtractionSettings()
KINDS = ("office", "text", "style", "table", "presentation", "meta")
NAMESPACES = (
    " ".join(f'xmlns:{kind}="urn:oasis:names:tc:opendocument:xmlns:{kind}:1.0"' for kind in KINDS)
    + ' xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0"'
    ' xmlns:fo="urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0"'
    ' xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0"'
    ' xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:dc="http://purl.org/dc/elements/1.1/"'
    ' xmlns:math="http://www.w3.org/1998/Math/MathML"'
)
STYLES = """
<office:styles>
 <style:default-style style:family="paragraph">
  <style:text-properties fo:font-size="12pt"/>
 </style:default-style>
 <style:style style:name="Heading_20_1" style:display-name="Heading 1" style:family="paragraph"
  style:default-outline-level="1"/>
 <style:style style:name="Title" style:family="paragraph"/>
 <style:style style:name="Caption" style:family="paragraph"/>
 <style:style style:name="Preformatted_20_Text" style:display-name="Preformatted Text"
  style:family="paragraph"/>
 <style:style style:name="Hidden" style:family="text">
  <style:text-properties text:display="none"/>
 </style:style>
 <text:outline-style style:name="Outline">
  <text:outline-level-style text:level="1" style:num-format="1" style:num-suffix="."/>
  <text:outline-level-style text:level="2" style:num-format="1" text:display-levels="2"/>
  <text:outline-level-style text:level="3" style:num-format=""/>
 </text:outline-style>
 <text:list-style style:name="L1">
  <text:list-level-style-number text:level="1" style:num-format="1" style:num-suffix=")"/>
  <text:list-level-style-number text:level="2" style:num-format="а, б, .., аа, бб, ..." style:num-suffix=")"/>
  <text:list-level-style-bullet text:level="3" text:bullet-char="•"/>
 </text:list-style>
 <text:list-style style:name="L2">
  <text:list-level-style-number text:level="1" style:num-format="I" style:num-prefix="§ "/>
  <text:list-level-style-number text:level="2" style:num-format="1" text:display-levels="2"
   text:start-value="3"/>
 </text:list-style>
</office:styles>"""


def content_xml(body: str, kind: str = "text", automatic: str = "") -> str:
    return (
        f"<office:document-content {NAMESPACES}>"
        f"<office:automatic-styles>{automatic}</office:automatic-styles>"
        f"<office:body><office:{kind}>{body}</office:{kind}></office:body></office:document-content>"
    )


def odf(
    body: str,
    kind: str = "text",
    *,
    automatic: str = "",
    title: str = "",
    parts: dict[str, str] | None = None,
) -> bytes:
    members = {
        "mimetype": f"application/vnd.oasis.opendocument.{kind}",
        "content.xml": content_xml(body, kind, automatic),
        "styles.xml": f"<office:document-styles {NAMESPACES}>{STYLES}</office:document-styles>",
        "meta.xml": f"<office:document-meta {NAMESPACES}><office:meta><dc:title>{title}</dc:title>"
        "</office:meta></office:document-meta>",
        **(parts or {}),
    }
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    return stream.getvalue()


def p(text: str, style: str = "") -> str:
    return f'<text:p text:style-name="{style}">{text}</text:p>' if style else f"<text:p>{text}</text:p>"


def h(text: str, level: int, extra: str = "") -> str:
    return f'<text:h text:outline-level="{level}" {extra}>{text}</text:h>'


def items(*texts: str, extra: str = 'text:style-name="L1"') -> str:
    inside = "".join(f"<text:list-item>{text}</text:list-item>" for text in texts)
    return f"<text:list {extra}>{inside}</text:list>"


def test_structure_with_automatic_numbers(read: Read) -> None:
    body = (
        p("Свод правил", "Title")
        + h("Общие положения", 1)
        + p("Текст  с\n пробелами<text:s text:c='2'/>и<text:tab/>знаками<text:line-break/>тут.")
        + h("Термины", 2)
        + h("Без номера", 3)
        + h("И без этого", 2, 'text:is-list-header="true"')
        + h("Бетон", 2)
        + p("По имени стиля", "Heading_20_1")
        + p("a = 1", "Preformatted_20_Text")
        + p("b = 2", "Preformatted_20_Text")
        + p("Таблица 1 — Марки", "Caption")
    )
    result = read(odf(body, title="Правила"), "a.odt")
    assert outline(result) == [
        ("title", "Свод правил"),
        ("heading1", "1. Общие положения"),
        ("paragraph", "Текст с пробелами и знаками\nтут."),
        ("heading2", "1.1 Термины"),
        ("heading3", "Без номера"),
        ("heading2", "И без этого"),
        ("heading2", "1.2 Бетон"),
        ("heading1", "По имени стиля"),
        ("code", "a = 1\nb = 2"),
        ("caption", "Таблица 1 — Марки"),
    ]
    assert [item.clause for item in result.elements[1:4]] == ["1", None, "1.1"]
    assert result.title == "Правила"
    assert result.media_type == "application/vnd.oasis.opendocument.text"


def test_lists_continue_nest_and_restart(read: Read) -> None:
    body = (
        items(p("один") + items(p("а") + p("ещё абзац"), p("б"), extra=""), p("два"))
        + p("Между")
        + items(p("три"), extra='text:style-name="L1" text:continue-numbering="true"')
        + items(p("заново"))
        + items(items(items(p("точка"), extra=""), extra=""))
        + items(items(p("раздел"), extra=""), extra='text:style-name="L2" xml:id="x"')
        + items(p("второй"), extra='text:style-name="L2" text:continue-list="x"')
        + '<text:list text:style-name="L1"><text:list-header><text:p>Шапка</text:p></text:list-header>'
        + '<text:list-item text:start-value="7"><text:p>семь</text:p></text:list-item></text:list>'
    )
    assert outline(read(odf(body), "a.odt")) == [
        ("list_item1", "1) один"),
        ("list_item2", "а) а"),
        ("paragraph", "ещё абзац"),
        ("list_item2", "б) б"),
        ("list_item1", "2) два"),
        ("paragraph", "Между"),
        ("list_item1", "3) три"),
        ("list_item1", "1) заново"),
        ("list_item3", "точка"),
        ("list_item2", "I.3 раздел"),
        ("list_item1", "§ II второй"),
        ("paragraph", "Шапка"),
        ("list_item1", "7) семь"),
    ]


def cell(text: str, extra: str = "") -> str:
    return f"<table:table-cell {extra}>{p(text)}</table:table-cell>"


def test_tables_with_spans_headers_repeats_and_nesting(read: Read) -> None:
    inner = f"<table:table><table:table-row>{cell('в1')}{cell('в2')}</table:table-row></table:table>"
    covered = "<table:covered-table-cell/>"
    body = (
        "<table:table><table:table-header-rows><table:table-row>"
        + cell("Марка", 'table:number-rows-spanned="2"')
        + cell("Нагрузка", 'table:number-columns-spanned="2"')
        + covered
        + f"</table:table-row></table:table-header-rows><table:table-rows><table:table-row>{covered}"
        + cell("макс.")
        + cell("мин.")
        + "</table:table-row>"
        + "<table:table-row>"
        + cell("Б1")
        + cell("5", 'table:number-columns-repeated="2"')
        + "</table:table-row><table:table-row table:number-rows-repeated='1048000'>"
        + "<table:table-cell table:number-columns-repeated='16384'/></table:table-row>"
        + f"<table:table-row>{cell('Б2')}<table:table-cell>{p('x')}{inner}</table:table-cell>{cell('z')}"
        + "</table:table-row></table:table-rows></table:table>"
    )
    (table,) = read(odf(body), "a.odt").elements
    assert table.rows == (
        ("Марка", "Нагрузка", ""),
        ("Марка", "макс.", "мин."),
        ("Б1", "5", "5"),
        ("Б2", "x в1 в2", "z"),
    )
    assert table.header_rows == 1


def test_accepted_view_notes_boxes_formulas_and_what_is_left_out(read: Read) -> None:
    """E16 in OpenDocument: what was deleted stands apart from the text, what was inserted in it."""
    formula = (
        "<math:mfrac><math:mi>a</math:mi>"
        "<math:mrow><math:mi>b</math:mi><math:mn>2</math:mn></math:mrow></math:mfrac>"
    )
    body = (
        "<text:tracked-changes><text:changed-region><text:deletion>"
        + p("удалено")
        + "</text:deletion></text:changed-region></text:tracked-changes>"
        + p("Толщина <text:change text:change-id='1'/>"
            "<text:change-start text:change-id='2'/>25<text:change-end/> мм")
        + p("Слово<text:note text:note-class='footnote'>"
            "<text:note-citation>1</text:note-citation><text:note-body>"
            + p("Сноска.") + "</text:note-body></text:note> дальше"
            "<office:annotation><text:p>замечание</text:p></office:annotation>"
            "<text:span text:style-name='Hidden'> скрыто</text:span>"
            "<text:a xlink:href='x'> ссылка</text:a><text:placeholder>Введите</text:placeholder>")
        + p("Рамка<draw:frame><draw:text-box>" + p("в рамке") + "</draw:text-box></draw:frame>"
            "<draw:frame><draw:image/><svg:desc>рисунок</svg:desc></draw:frame>")
        + p("<draw:frame><draw:object xlink:href='./Object 1'/><draw:image/></draw:frame> (1)")
        + "<text:section text:display='none'>" + p("скрытый раздел") + "</text:section>"
        + "<text:table-of-content><text:table-of-content-source><text:index-title-template>Т"
        "</text:index-title-template></text:table-of-content-source><text:index-body>"
        + p("5.1 Бетон<text:tab/>7") + "</text:index-body></text:table-of-content>"
    )  # fmt: skip
    math = (
        "<math:math xmlns:math='http://www.w3.org/1998/Math/MathML'>"
        f"<math:mi>N</math:mi>{formula}</math:math>"
    )
    result = read(odf(body, parts={"Object 1/content.xml": math}), "a.odt")
    assert outline(result) == [
        ("paragraph", "Толщина 25 мм"),
        ("paragraph", "Слово дальше ссылка"),
        ("footnote", "Сноска."),
        ("paragraph", "Рамка"),
        ("paragraph", "в рамке"),
        ("formula", "Na/b2 (1)"),
        ("list_item1", "5.1 Бетон … 7"),
    ]
    assert result.elements[-1].clause is None


def frame(text: str, kind: str = "") -> str:
    extra = f'presentation:class="{kind}"' if kind else ""
    return f"<draw:frame {extra}><draw:text-box>{text}</draw:text-box></draw:frame>"


SLIDES = (
    "<draw:page>"
    + frame(p("1 Введение в тему"))
    + frame(p("Бетон") + p("и сталь"), "title")
    + frame(p("подвал"), "footer")
    + f"<presentation:notes>{frame(p('Заметка докладчика'))}</presentation:notes></draw:page>"
    + f"<draw:page><draw:g><draw:custom-shape>{p('фигура')}</draw:custom-shape></draw:g><draw:frame>"
    + f"<table:table><table:table-row>{cell('а')}{cell('б')}</table:table-row>"
    + f"<table:table-row>{cell('в')}{cell('г')}</table:table-row></table:table></draw:frame></draw:page>"
)


def test_slides(read: Read) -> None:
    result = read(odf(SLIDES, "presentation"), "a.odp")
    assert [(kind, text) for kind, text in outline(result)] == [
        ("heading1", "Бетон и сталь"),
        ("paragraph", "1 Введение в тему"),
        ("paragraph", "Заметка докладчика"),
        ("paragraph", "фигура"),
        ("table", "а | б\nв | г"),
    ]
    assert [item.page_from for item in result.elements] == [1, 1, 1, 2, 2]


def test_too_many_slides_are_refused() -> None:
    with pytest.raises(LimitExceededError, match="2 slides") as caught:
        extract(odf(SLIDES, "presentation"), "a.odp", ExtractionSettings(max_pages=1))
    assert caught.value.limit == "RUBRICA_MAX_PAGES"


def test_flat_files(read: Read) -> None:
    flat = (
        f'<?xml version="1.0"?><office:document {NAMESPACES}'
        ' office:mimetype="application/vnd.oasis.opendocument.text">'
        f"<office:meta><dc:title>Плоский</dc:title></office:meta>{STYLES}<office:body><office:text>"
        f"{h('Глава', 1)}{p('Текст.')}</office:text></office:body></office:document>"
    )
    result = read(flat, "a.fodt")
    assert (result.title, outline(result)[0]) == ("Плоский", ("heading1", "1. Глава"))


def test_damaged_parts_are_done_without(read: Read) -> None:
    content = odf(h("Глава", 1) + p("Текст."), parts={"styles.xml": "<office:", "meta.xml": "\0"})
    result = read(content, "a.odt")
    assert outline(result) == [("heading1", "Глава"), ("paragraph", "Текст.")]
    assert result.attributes["damaged_parts"] == ["styles.xml", "meta.xml"]


@pytest.mark.parametrize(
    ("content", "error", "reason"),
    [
        (odf("", parts={"content.xml": "<a"}), CorruptDocumentError, "damaged"),
        (odf("", parts={"content.xml": ""}), CorruptDocumentError, "no content"),
        (odf("", parts={"content.xml": "<a/>"}), CorruptDocumentError, "no content"),
        (
            odf("", parts={"content.xml": "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>"}),
            CorruptDocumentError,
            "entities",
        ),
        (odf("<text:section>" * 400 + "</text:section>" * 400), CorruptDocumentError, "damaged|nested"),
        (
            odf(p("x"), parts={"META-INF/manifest.xml": "<manifest:encryption-data/>"}),
            EncryptedDocumentError,
            "password",
        ),
    ],
)
def test_refusals(content: bytes, error: type[PoisonDocumentError], reason: str) -> None:
    with pytest.raises(error, match=reason) as caught:
        extract(content, "a.odt", LIMITS)
    assert caught.value.hint


def test_external_entities_are_never_fetched() -> None:
    outside = "<!DOCTYPE a [<!ENTITY b SYSTEM 'file:///etc/hostname'>]><a>&b;</a>"
    with pytest.raises(CorruptDocumentError, match="entities"):
        extract(odf("", parts={"content.xml": outside}), "a.odt", LIMITS)


def test_a_bomb_is_refused() -> None:
    with pytest.raises(LimitExceededError, match="1 MiB"):
        extract(odf(p("x" * 2**21)), "a.odt", ExtractionSettings(max_unpacked_mb=1))


WORDS = st.lists(st.sampled_from(["бетон", "slab", "Ёж", "<x²>", "5.2.1", "&"]), min_size=1, max_size=5)


@settings(max_examples=40, deadline=None)
@given(blocks=st.lists(st.tuples(st.sampled_from("phlt"), WORDS), min_size=1, max_size=8))
def test_each_word_comes_once_and_in_order(blocks: list[tuple[str, list[str]]]) -> None:
    makers: dict[str, Callable[[str], str]] = {
        "p": p,
        "h": lambda text: h(text, 3),
        "l": lambda text: items(p(text), extra=""),
        "t": lambda text: (
            f"<table:table><table:table-row>{cell(text)}{cell(text)}</table:table-row></table:table>"
        ),
    }
    body = "".join(makers[kind](escape(" ".join(words))) for kind, words in blocks)
    result = extract(odf(body), "a.odt", LIMITS)
    check_document(result)
    wanted = [word for kind, words in blocks for word in words * (2 if kind == "t" else 1)]
    assert [word for word in result.text.split() if word != "|"] == wanted


WHOLE = odf(h("Глава", 1) + p("Текст.") + items(p("пункт")))


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_damaged_archives_are_read_or_refused(data: st.DataObject) -> None:
    position = data.draw(st.integers(0, len(WHOLE) - 1))
    damage = data.draw(st.binary(min_size=1, max_size=20))
    content = WHOLE[:position] + damage + WHOLE[position + len(damage) :]
    document: Document | None = None
    try:
        document = extract(content, "a.odt", LIMITS)
    except PoisonDocumentError as error:
        assert error.reason  # noqa: PT017 (a refusal is one of two right answers)
    if document is not None:
        check_document(document)
