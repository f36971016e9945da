from __future__ import annotations

import gc
import pickle
import weakref
import zlib

import pytest
from reportlab.lib.pdfencrypt import StandardEncryption

from extraction.pdf import extract_pdf
from extraction.pdf.file.reader import PageReader, open_pdf
from rubrica.errors import (
    CorruptDocumentError,
    EmptyDocumentError,
    EncryptedDocumentError,
    LimitExceededError,
    PoisonDocumentError,
)
from rubrica.settings import ExtractionSettings
from tests.unit.extraction.pdf.drawing import Sheets, texts

SETTINGS = ExtractionSettings()


def read(content: bytes) -> None:
    extract_pdf(content, "папка/плохой.pdf", SETTINGS)


def objects(*bodies: str) -> bytes:
    """A PDF of the given objects, numbered from 1, without a cross-reference table."""
    numbered = "\n".join(f"{n} 0 obj\n{body}\nendobj" for n, body in enumerate(bodies, start=1))
    return f"%PDF-1.4\n{numbered}\ntrailer\n<< /Root 1 0 R >>\n%%EOF\n".encode()


def test_an_encrypted_file_names_the_reason_and_a_way_out() -> None:
    content = Sheets(encrypt=StandardEncryption("secret", canPrint=0))
    content.line("Тайна")
    with pytest.raises(EncryptedDocumentError) as caught:
        read(content.pdf())
    assert "password" in caught.value.reason
    assert caught.value.hint
    assert caught.value.document == "папка/плохой.pdf"
    assert caught.value.stage == "extract"
    assert pickle.loads(pickle.dumps(caught.value)).reason == caught.value.reason


def test_an_owner_password_alone_does_not_keep_readers_out() -> None:
    content = Sheets(encrypt=StandardEncryption("", ownerPassword="owner"))
    content.line("Открыто для чтения")
    assert content.read().text == "Открыто для чтения"


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"   \n",
        b"no PDF at all",
        b"%PDF-1.7\n",
        b"%PDF-1.7\n" + bytes(range(256)) * 40,
        objects("<< /Type /Catalog >>"),
        objects("<< /Type /Catalog /Pages 7 0 R >>"),
        objects("<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Count 1 /Kids [2 0 R] >>"),
        objects("<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Count 0 /Kids [] >>"),
    ],
)
def test_what_is_no_pdf_or_has_no_pages_is_refused_with_a_reason(content: bytes) -> None:
    with pytest.raises((CorruptDocumentError, EmptyDocumentError)) as caught:
        read(content)
    assert len(caught.value.reason) > 20
    assert caught.value.hint


def test_every_truncation_of_a_file_is_read_or_refused() -> None:
    sheets = Sheets()
    sheets.line("Текст документа")
    content = sheets.pdf()
    outcomes = {_outcome(content[:length]) for length in range(0, len(content) + 1, len(content) // 60)}
    assert "Текст документа" in outcomes | {_outcome(content)}
    assert all(outcomes)


def _outcome(content: bytes) -> str:
    try:
        return extract_pdf(content, "обрезан.pdf", SETTINGS).text
    except PoisonDocumentError as error:
        return error.reason


def test_a_form_that_draws_itself_does_not_hang() -> None:
    form = "/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /F 4 0 R >> >>"
    content = objects(
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 5 0 R"
        " /Resources << /XObject << /F 4 0 R >> >> >>",
        f"<< {form} /Length 5 >>\nstream\n/F Do\nendstream",
        "<< /Length 5 >>\nstream\n/F Do\nendstream",
    )
    with pytest.raises((CorruptDocumentError, EmptyDocumentError)) as caught:
        read(content)
    assert caught.value.reason


def drawn(stream: bytes, *, filters: str = "", resources: str = "", page: str = "", more: str = "") -> bytes:
    """A page with a content stream of its own; object 6 and the following ones are ``more``."""
    head = objects(
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
        f"<< /Type /Page /Parent 2 0 R {page or '/MediaBox [0 0 595 842]'} /Contents 4 0 R"
        f" /Resources << /Font << /F1 5 0 R >> {resources} >> >>",
    ).partition(b"\ntrailer")[0]
    content = f"4 0 obj\n<< /Length {len(stream)} {filters} >>\nstream\n".encode() + stream
    font = b"5 0 obj\n<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>\nendobj\n"
    tail = more.encode() + b"\ntrailer\n<< /Root 1 0 R >>\n%%EOF\n"
    return b"%s\n%s\nendstream\nendobj\n%s%s" % (head, content, font, tail)


TEXT = b"BT /F1 12 Tf 72 700 Td (hello world) Tj ET\n"


@pytest.mark.parametrize("times", [1, 2])
def test_a_bomb_in_a_stream_names_the_limit(times: int) -> None:
    """E13: three kilobytes that unpack to three megabytes, packed once or twice."""
    packed = b" " * 3 * 2**20 + TEXT
    for _ in range(times):
        packed = zlib.compress(packed)
    content = drawn(packed, filters=f"/Filter [{'/FlateDecode ' * times}]")
    with pytest.raises(LimitExceededError, match="more than 1 MiB") as caught:
        extract_pdf(content, "x.pdf", ExtractionSettings(max_unpacked_mb=1))
    assert caught.value.limit == "RUBRICA_MAX_UNPACKED_MB"
    assert caught.value.limit in caught.value.hint
    assert extract_pdf(content, "x.pdf", ExtractionSettings(max_unpacked_mb=4)).text == "hello world"


def test_a_damaged_stream_is_read_up_to_the_damage() -> None:
    packed = zlib.compress(
        b"".join(b"BT /F1 12 Tf 72 %d Td (line %d) Tj ET\n" % (800 - n, n) for n in range(700))
    )
    damaged = packed[: len(packed) // 2] + b"\xff" * 50
    assert "line 3" in extract_pdf(drawn(damaged, filters="/Filter /FlateDecode"), "x.pdf", SETTINGS).text


@pytest.mark.parametrize(
    "box",
    ["/MediaBox [0 0 0 0]", "/MediaBox [0 0 1e300 9e99]", "/MediaBox [1 2]", "/MediaBox /A4", "/Rotate 0"],
)
def test_a_page_without_sensible_edges_is_read(box: str) -> None:
    assert extract_pdf(drawn(TEXT, page=box), "x.pdf", SETTINGS).text == "hello world"


def test_what_only_pdfium_can_parse_is_read_with_pdfium() -> None:
    """A form whose box refers to another object stops pdfminer."""
    form = "<< /Type /XObject /Subtype /Form /BBox [0 0 9 7 0 R] /Length 0 >>\nstream\n\nendstream"
    content = drawn(
        b"/X Do\n" + TEXT,
        resources="/XObject << /X 6 0 R >>",
        more=f"6 0 obj\n{form}\nendobj\n7 0 obj\n50\nendobj\n",
    )
    document = extract_pdf(content, "x.pdf", SETTINGS)
    (element,) = document.elements
    assert document.text == "hello world"
    assert "damaged_pages" not in document.attributes
    assert element.bbox is not None
    assert element.bbox[0] == pytest.approx(72, abs=1)
    assert element.bbox[1] == pytest.approx(842 - 700 - 12, abs=6)


def test_e02_text_in_a_font_with_a_code_map_of_its_own_is_not_lost() -> None:
    """pdfminer passes over such a font and gives nothing for its codes."""
    codes = "1 begincodespacerange\n<00> <ff>\nendcodespacerange\n"
    code_map = f"/CMapName /Own def\nbegincmap\n{codes}1 begincidrange\n<41> <5a> 1\nendcidrange\nendcmap"
    letters = f"begincmap\n{codes}1 beginbfrange\n<41> <5a> <0041>\nendbfrange\nendcmap"
    content = objects(
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R"
        " /Resources << /Font << /F1 5 0 R /F2 6 0 R >> >> >>",
        _stream("BT /F1 12 Tf 72 700 Td (Plain words) Tj 0 -40 Td /F2 12 Tf (MAPPED) Tj ET"),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        "<< /Type /Font /Subtype /Type0 /BaseFont /Own /Encoding 7 0 R /DescendantFonts [8 0 R]"
        " /ToUnicode 9 0 R >>",
        _stream(code_map, "/Type /CMap /CMapName /Own"),
        "<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Own /DW 600 /FontDescriptor 10 0 R"
        " /CIDSystemInfo << /Registry (Own) /Ordering (Own) /Supplement 0 >> >>",
        _stream(letters),
        "<< /Type /FontDescriptor /FontName /Own /Flags 4 /ItalicAngle 0 /Ascent 800 /Descent -200"
        " /CapHeight 700 /StemV 80 /FontBBox [0 -200 1000 800] >>",
    )
    assert extract_pdf(content, "x.pdf", SETTINGS).text == "Plain words\n\nMAPPED"


def _stream(text: str, entries: str = "") -> str:
    return f"<< /Length {len(text)} {entries} >>\nstream\n{text}\nendstream"


def test_blank_pages_are_not_called_a_scan() -> None:
    with pytest.raises(EmptyDocumentError, match="blank") as caught:
        read(drawn(b" "))
    assert "scan" not in caught.value.reason
    assert caught.value.hint


def test_pages_without_text_are_taken_for_scans(sheets: Sheets) -> None:
    sheets.canvas.rect(50, 50, 200, 200, fill=1)
    sheets.page()
    sheets.canvas.rect(50, 50, 200, 200, fill=1)
    with pytest.raises(EmptyDocumentError, match="no text layer") as caught:
        sheets.read()
    assert "OCR" in caught.value.hint


def test_a_file_over_the_page_limit_names_the_setting(sheets: Sheets) -> None:
    for number in range(4):
        sheets.line(f"Страница {number}")
        sheets.page()
    with pytest.raises(LimitExceededError) as caught:
        sheets.read(max_pages=3)
    assert caught.value.limit == "RUBRICA_MAX_PAGES"
    assert "3" in caught.value.reason


def test_a_file_at_the_page_limit_is_read(sheets: Sheets) -> None:
    for number in ("один", "два", "три"):
        sheets.line(f"Лист номер {number}")
        sheets.page()
    assert sheets.read(max_pages=3).attributes["pages"] == 3


def test_pages_are_released_as_soon_as_they_are_read(sheets: Sheets) -> None:
    """E12: memory does not grow with the number of pages."""
    for number in range(5):
        sheets.line(f"Страница {number}")
        sheets.page()
    reader = PageReader(open_pdf(sheets.pdf(), "x.pdf"), "x.pdf", SETTINGS)
    alive: list[weakref.ref[object]] = []
    for page in reader.pages():
        assert page.chars
        gc.collect()
        assert [reference() is None for reference in alive] == [True] * len(alive)
        alive.append(weakref.ref(page))
        del page


def test_one_damaged_page_does_not_cost_the_others() -> None:
    page = "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 7 0 R >> >>"
    document = extract_pdf(
        objects(
            "<< /Type /Catalog /Pages 2 0 R >>",
            "<< /Type /Pages /Count 2 /Kids [3 0 R 4 0 R] >>",
            f"{page} /Contents 5 0 R >>",
            f"{page} /Contents 6 0 R >>",
            "<< /Length 42 >>\nstream\nBT /F1 12 Tf 72 700 Td (whole page) Tj ET\nendstream",
            "<< /Length 7 /Filter /ASCII85Decode >>\nstream\nuuuuu~>\nendstream",
            "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        ),
        "x.pdf",
        SETTINGS,
    )
    assert texts(document) == ["whole page"]
    assert document.attributes["damaged_pages"] == [2]


def test_glyphs_without_a_unicode_value_are_dropped_and_counted() -> None:
    document = extract_pdf(_with_unmapped(b"plain text of a page here", 2), "x.pdf", SETTINGS)
    assert "cid" not in document.text
    assert "plain text" in document.text
    assert document.attributes["dropped_glyphs"] == 2


def test_a_file_of_mostly_unmapped_glyphs_has_no_usable_text_layer() -> None:
    with pytest.raises(EmptyDocumentError, match="no usable text layer"):
        read(_with_unmapped(b"a few words", 60))


def _with_unmapped(text: bytes, count: int) -> bytes:
    """A page of plain text and of glyphs of a composite font that has no Unicode map."""
    stream = (
        b"BT /F1 12 Tf 72 700 Td (" + text + b") Tj ET\n"
        b"BT /F2 12 Tf 72 600 Td <" + b"0021" * count + b"> Tj ET"
    )
    return objects(
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R"
        " /Resources << /Font << /F1 5 0 R /F2 6 0 R >> >> >>",
        f"<< /Length {len(stream)} >>\nstream\n{stream.decode()}\nendstream",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
        "<< /Type /Font /Subtype /Type0 /BaseFont /Odd /Encoding /Identity-H /DescendantFonts [7 0 R] >>",
        "<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Odd /DW 600"
        " /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >>"
        " /FontDescriptor << /Type /FontDescriptor /FontName /Odd /Flags 4 /FontBBox [0 0 1 1]"
        " /Ascent 1 /Descent 0 /CapHeight 1 /ItalicAngle 0 /StemV 1 >> >>",
    )
