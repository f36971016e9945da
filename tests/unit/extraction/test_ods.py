from __future__ import annotations

import pytest

from extraction.extract import extract
from rubrica.errors import CorruptDocumentError, EncryptedDocumentError
from rubrica.model import ElementKind
from rubrica.settings import ExtractionSettings
from tests.support.outline import outline, texts
from tests.support.zips import zipped
from tests.unit.extraction.conftest import Read

MIME = "application/vnd.oasis.opendocument.spreadsheet"
NAMES = " ".join(
    f'xmlns:{prefix}="urn:oasis:names:tc:opendocument:xmlns:{prefix}:1.0"'
    for prefix in ("office", "table", "text", "style")
)


def cell(text: str, attributes: str = "") -> str:
    return f"<table:table-cell {attributes}><text:p>{text}</text:p></table:table-cell>"


def content(*sheets: str, styles: str = "") -> str:
    return (
        f"<office:document-content {NAMES}><office:automatic-styles>{styles}</office:automatic-styles>"
        f"<office:body><office:spreadsheet>{''.join(sheets)}</office:spreadsheet></office:body></office:document-content>"
    )


def sheet(*rows: str, name: str = "Смета", attributes: str = "") -> str:
    body = "".join(
        row if row.startswith("<table:table-row") else f"<table:table-row>{row}</table:table-row>"
        for row in rows
    )
    return f'<table:table table:name="{name}" {attributes}>{body}</table:table>'


def ods(*sheets: str, styles: str = "") -> bytes:
    return zipped({"mimetype": MIME, "content.xml": content(*sheets, styles=styles)})


@pytest.mark.timeout(60)
def test_repeated_rows_and_columns_cost_nothing(read: Read) -> None:
    blank = (
        '<table:table-row table:number-rows-repeated="{}">'
        '<table:table-cell table:number-columns-repeated="16384"/></table:table-row>'
    )
    document = read(
        ods(
            sheet(
                cell("Прайс-лист"),
                blank.format(2),
                cell("Марка") + cell("Доля"),
                cell("Б1") + cell("12,5 %", 'office:value="0.125"'),
                blank.format(1_048_000),
                cell("край"),
            )
        ),
        "a.ods",
    )
    assert outline(document) == [
        ("heading1", "Смета"),
        ("paragraph", "Прайс-лист"),
        ("table", "Марка | Доля\nБ1 | 12,5 %"),
        ("paragraph", "край"),
    ]
    assert document.title == "a.ods"


@pytest.mark.timeout(60)
def test_a_text_that_is_repeated_a_billion_times_is_bounded(read: Read) -> None:
    repeated = cell("я", 'table:number-columns-repeated="16000"')
    row = f'<table:table-row table:number-rows-repeated="1000000">{repeated}</table:table-row>'
    assert 1000 <= read(ods(sheet(row)), "a.ods").text.count("я") <= 3_000_000


def test_spans_formulas_spaces_and_comments(read: Read) -> None:
    rows = (
        cell("Цех", 'table:number-rows-spanned="1"') + cell("Выпуск, <text:s text:c='2'/>шт."),
        cell("А", 'table:number-rows-spanned="2"')
        + "<table:table-cell><office:annotation><text:p>замечание</text:p></office:annotation>"
        "<text:p>1</text:p></table:table-cell>",
        '<table:covered-table-cell/><table:table-cell table:formula="of:=[.B2]*2"/>',
    )
    (table,) = [item for item in read(ods(sheet(*rows)), "a.ods").elements if item.rows]
    assert table.rows == (("Цех", "Выпуск, шт."), ("А", "1"), ("А", "=[.B2]*2"))


def test_hidden_sheets(read: Read) -> None:
    styles = '<style:style style:name="ta2"><style:table-properties table:display="false"/></style:style>'
    hidden = sheet(cell("тайное"), name="Список", attributes='table:style-name="ta2"')
    document = read(ods(sheet(cell("видно")), hidden, styles=styles), "a.ods")
    assert texts(document, ElementKind.PARAGRAPH) == ["видно"]
    assert document.attributes["hidden_sheets"] == ["Список"]


def test_flat_file(read: Read) -> None:
    text = (
        f'<?xml version="1.0"?><office:document {NAMES} office:mimetype="{MIME}"><office:body>'
        f"<office:spreadsheet>{sheet(cell('видно'))}</office:spreadsheet></office:body></office:document>"
    )
    assert texts(read(text, "a.fods"), ElementKind.PARAGRAPH) == ["видно"]


def test_refused(settings: ExtractionSettings) -> None:
    with pytest.raises(CorruptDocumentError, match="OpenDocument"):
        extract(zipped({"mimetype": MIME, "content.xml": "<broken"}), "a.ods", settings)
    with pytest.raises(CorruptDocumentError, match="no content"):
        extract(zipped({"mimetype": MIME}), "a.ods", settings)
    locked = zipped(
        {"mimetype": MIME, "content.xml": "x", "META-INF/manifest.xml": "<m><encryption-data/></m>"}
    )
    with pytest.raises(EncryptedDocumentError):
        extract(locked, "a.ods", settings)
