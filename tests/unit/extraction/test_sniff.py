from __future__ import annotations

import codecs
import io
import zipfile

import pytest

from extraction.sniff import Format, sniff
from rubrica.errors import (
    CorruptDocumentError,
    EmptyDocumentError,
    EncryptedDocumentError,
    UnsupportedFormatError,
)


def archive(*names: str, mimetype: str = "") -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as target:
        if mimetype:
            target.writestr("mimetype", mimetype)
        for name in names:
            target.writestr(name, "x")
    return stream.getvalue()


@pytest.mark.parametrize(
    ("content", "path", "kind"),
    [
        (b"%PDF-1.7\n", "a.txt", Format.PDF),
        (b"\n\nnoise %PDF-1.4", "a.pdf", Format.PDF),
        (archive("[Content_Types].xml", "word/document.xml"), "law", Format.DOCX),
        (archive("[Content_Types].xml", "word/document.xml"), "law.xlsx", Format.DOCX),
        (archive("[Content_Types].xml", "word\\document.xml"), "windows.docx", Format.DOCX),
        (archive("[Content_Types].xml", "xl/workbook.xml"), "t.xlsx", Format.XLSX),
        (archive("content.xml", mimetype="application/vnd.oasis.opendocument.text"), "a.odt", Format.ODF),
        (
            archive("content.xml", mimetype="application/vnd.oasis.opendocument.presentation-template"),
            "a.zip",
            Format.ODF,
        ),
        (
            (
                b'<?xml version="1.0"?><office:document office:version="1.3"'
                b' office:mimetype="application/vnd.oasis.opendocument.text">'
            ),
            "a.fodt",
            Format.ODF,
        ),
        (b"{\\rtf1 x}", "law.doc", Format.RTF),
        (archive("content.xml", mimetype="application/vnd.oasis.opendocument.spreadsheet"), "a", Format.ODS),
        (archive("OPS/a.xhtml", mimetype="application/epub+zip"), "book.zip", Format.EPUB),
        (archive("META-INF/container.xml", "OEBPS/content.opf"), "book.epub", Format.EPUB),
        (b"From: x\nMIME-Version: 1.0\nContent-Type: multipart/related", "page.mht", Format.MHTML),
        (b'<?xml version="1.0"?>\n<!DOCTYPE html><html>', "page.xml", Format.HTML),
        (b"\xef\xbb\xbf{\\rtf1 x}", "law.rtf", Format.RTF),
        (b"<!DOCTYPE html><p>x", "page.txt", Format.HTML),
        (b"\xef\xbb\xbf <!-- c --><html>", "page.doc", Format.HTML),
        ("<html>".encode("utf-16"), "page", Format.HTML),
        (b"<p>x</p>", "page.htm", Format.HTML),
        (b"no markup, a < b", "page.html", Format.TEXT),
        (b"<!DOCTYPE html>", "example.md", Format.MARKDOWN),
        (b'<?xml version="1.0"?><rss version="2.0">', "news.xml", Format.FEED),
        (b'<?xml version="1.0"?><!-- <x> -->\n<feed xmlns="http://www.w3.org/2005/Atom">', "a", Format.FEED),
        (b'<rdf:RDF xmlns:rdf="r" xmlns="http://purl.org/rss/1.0/"><channel>', "a.rdf", Format.FEED),
        (b'<?xml version="1.0"?><rdf:RDF xmlns:rdf="r"><skos:Concept>', "words.rdf", Format.XML),
        (b'<?xml version="1.0"?><config><feed url="x">one</feed></config>', "n.xml", Format.XML),
        (b"<template>\n<feed-list/></template>", "f.vue", Format.CODE),
        (b"<feed-list/>", "g.vue", Format.CODE),
        (b"# PDF\n\nIt begins with `%PDF-1.7`.", "a.md", Format.MARKDOWN),
        (b'MAGIC = b"%PDF-"', "a.py", Format.CODE),
        (b"\xef\xbb\xbf\n%PDF-1.7", "a.txt", Format.PDF),
        (b"junk %PDF-1.7\n" + bytes(range(32)) * 9, "a.txt", Format.PDF),
        (b"junk %PDF-1.7", "law", Format.PDF),
        (b"ID3 tags of audio", "a.md", Format.MARKDOWN),
        (b"GIF8 and BZh", "a.txt", Format.TEXT),
        (b"RIFF is a chunked format", "a.txt", Format.TEXT),
        (b'<?xml version="1.0"?><project>', "pom.xml", Format.XML),
        (archive("[Content_Types].xml", "ppt/presentation.xml"), "a.ppt", Format.PPTX),
        (b"<?xml version='1.0'?><a/>", "data.unknown", Format.XML),
        (b"{}", "a.json", Format.DATA),
        (b"a: 1", "a.yml", Format.DATA),
        (b"{}", "a.ipynb", Format.NOTEBOOK),
        (b"msgid", "ru.po", Format.CATALOG),
        (b"T\n=", "a.rst", Format.RST),
        (b"# x", "README.MD", Format.MARKDOWN),
        (b"a;b", "t.csv", Format.CSV),
        (b"x = 1", "m.py", Format.CODE),
        (b"FROM python", "docker/Dockerfile", Format.CODE),
        (b"= T", "a.adoc", Format.ASCIIDOC),
        ("Процедура".encode(), "Модуль.bsl", Format.CODE),
        (b"text", "NOTES", Format.TEXT),
        ("текст".encode("cp1251"), "a.txt", Format.TEXT),
        ("текст".encode("utf-16-le"), "a.txt", Format.TEXT),
        ("слово\0слово ".encode() * 20, "a.txt", Format.TEXT),
    ],
)
def test_supported(content: bytes, path: str, kind: Format) -> None:
    sniffed = sniff(content, path)
    assert sniffed.format is kind
    assert "/" in sniffed.media_type


@pytest.mark.parametrize(
    ("content", "name"),
    [
        (archive("xl/workbook.bin"), "XLSB"),
        (archive("a.txt"), "zip archive"),
        (archive(), "zip archive"),
        (b"\x89PNG\r\n\x1a\n....", "PNG"),
        (b"RIFF....WEBPVP8 ", "WebP"),
        (b"ID3\x04\0\0\0\0", "MP3"),
        (b"GIF89a\1\0", "GIF"),
        (b"BZh91AY&SY\0", "bzip2"),
        (b"Rar!\x1a\x07\x01\0", "RAR"),
        (b"notes.txt".ljust(257, b"\0") + b"ustar\x0000" + b"\0" * 248 + b"text " * 2000, "tar archive"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"x" * 600, "DOC"),
        (b"\x7fELF\x02", "program"),
        (bytes(range(256)) * 40, "binary"),
        (b"<svg xmlns='x'/>", "SVG"),
    ],
)
def test_unsupported_names_the_kind(content: bytes, name: str) -> None:
    with pytest.raises(UnsupportedFormatError, match=name) as caught:
        sniff(content, "file.svg" if name == "SVG" else "file.dat")
    assert caught.value.hint


@pytest.mark.parametrize(
    "content", ["сохранения:\x0020.09".encode("cp1251"), b"text" + b"\0" * 5000, "Заг\0о\x01л\0".encode()]
)
def test_e04_a_few_control_characters_make_no_binary_file(content: bytes) -> None:
    assert sniff(content, "a.txt").format is Format.TEXT


@pytest.mark.parametrize(
    "content",
    [
        "сохранения:\x0020.09 и далее.\0\0 Текст. ".encode() * 60,
        b"src/main.py\0docs/index.md\0README\0" * 400,
        ("а\0бв" * 3000).encode(),
    ],
)
def test_nul_bytes_between_words_of_utf8_make_no_binary_file(content: bytes) -> None:
    assert sniff(content, "a.txt").format is Format.TEXT


@pytest.mark.parametrize(
    "content",
    [
        "сохранения:\x0020.09 и далее.\0\0 Текст. ".encode("cp1251") * 60,
        b"name" + b"\0" * 200 + b"value, a long one of many letters " * 40,
        "Plain text".encode("utf-32-le") * 100,
    ],
)
def test_what_else_holds_nul_bytes_is_told_so(content: bytes) -> None:
    with pytest.raises(UnsupportedFormatError, match="NUL bytes among its first") as caught:
        sniff(content, "a.txt")
    assert "UTF-8 without them" in caught.value.hint


@pytest.mark.parametrize(
    "content",
    [b"", b" \n\t\r\n", b"\n" * 20_000, codecs.BOM_UTF8 + b" \n", codecs.BOM_UTF16_LE + b" \0", b"\0" * 9000],
)
def test_empty(content: bytes) -> None:
    with pytest.raises(EmptyDocumentError):
        sniff(content, "a.pdf")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "The file is empty."),
        (codecs.BOM_UTF8, "The file is empty."),
        (b"\0" * 9000, "The file holds nothing but NUL bytes."),
        (b" \n\t", "The file holds only white space."),
        (codecs.BOM_UTF16_LE + b" \0", "The file holds only white space."),
    ],
)
def test_how_a_file_is_empty(content: bytes, reason: str) -> None:
    with pytest.raises(EmptyDocumentError) as caught:
        sniff(content, "a.md")
    assert caught.value.reason == reason


def test_damaged_and_misnamed() -> None:
    whole = archive("[Content_Types].xml", "word/document.xml")
    for content, path in ((whole[:-30], "a.docx"), (whole[:60], "a.docx"), (b"404 not found", "a.pdf")):
        with pytest.raises(CorruptDocumentError) as caught:
            sniff(content, path)
        assert caught.value.reason
        assert caught.value.hint


def test_office_file_with_a_password() -> None:
    content = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le")
    with pytest.raises(EncryptedDocumentError, match="password"):
        sniff(content, "a.xlsx")
