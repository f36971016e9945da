from __future__ import annotations

import pytest

from extraction.extract import extract
from rubrica.errors import (
    CorruptDocumentError,
    EmptyDocumentError,
    EncryptedDocumentError,
    LimitExceededError,
)
from rubrica.settings import ExtractionSettings
from tests.support.outline import outline
from tests.support.zips import zipped
from tests.unit.extraction.conftest import Read

CONTAINER = (
    '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
    '<rootfile full-path="OPS/book.opf"/></rootfiles></container>'
)
XHTML = '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops">'


def page(body: str, head: str = "<title/>") -> str:
    return f"{XHTML}<head>{head}</head><body>{body}</body></html>"


def book(
    pages: dict[str, str],
    *,
    extra: dict[str, str] | None = None,
    items: str = "",
    spine: str = "",
    guide: str = "",
) -> bytes:
    manifest = "".join(
        f'<item id="{name}" href="{name}" media-type="application/xhtml+xml"/>' for name in pages
    )
    order = "".join(f'<itemref idref="{name}"/>' for name in pages)
    package = (
        '<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata>'
        "<dc:title>Свод правил</dc:title><dc:creator>А. Автор</dc:creator><dc:creator>Б. Второй</dc:creator>"
        f"<dc:language>ru</dc:language><dc:date>2024-01-31</dc:date></metadata><manifest>{manifest}{items}</manifest>"
        f"<spine>{spine or order}</spine><guide>{guide}</guide></package>"
    )
    members = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": CONTAINER,
        "OPS/book.opf": package,
    }
    return zipped({**members, **{f"OPS/{name}": text for name, text in pages.items()}, **(extra or {})})


def test_chapters_in_the_order_of_the_spine(read: Read) -> None:
    content = book(
        {
            "b.xhtml": page("<h1>Вторая</h1><p>два&nbsp;раза</p>"),
            "a.xhtml": page("<h1>Первая</h1><p>раз</p>"),
        },
        spine='<itemref idref="a.xhtml"/><itemref idref="b.xhtml"/>',
    )
    document = read(content, "a.epub")
    assert outline(document) == [
        ("heading1", "Первая"), ("paragraph", "раз"), ("heading1", "Вторая"), ("paragraph", "два раза"),
    ]  # fmt: skip
    assert document.title == "Свод правил"
    assert document.media_type == "application/epub+zip"
    assert {key: document.attributes[key] for key in ("author", "published", "lang")} == {
        "author": "А. Автор, Б. Второй",
        "published": "2024-01-31",
        "lang": "ru",
    }


def test_names_of_chapters_come_from_the_contents(read: Read) -> None:
    nav = page(
        '<nav epub:type="toc"><ol><li><a href="a.xhtml">Часть</a>'
        '<ol><li><a href="b.xhtml#x">Глава</a></li></ol></li></ol></nav>'
    )
    ncx = (
        '<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/"><navMap><navPoint><navLabel><text>Часть</text></navLabel>'
        '<content src="a.xhtml"/><navPoint><navLabel><text>Глава</text></navLabel><content src="b.xhtml#x"/>'
        "</navPoint></navPoint></navMap></ncx>"
    )
    pages = {"a.xhtml": page("<p>раз</p>"), "b.xhtml": page("<p>два</p>")}
    new = book(
        pages,
        items='<item id="nav" properties="nav" href="nav.xhtml" media-type="application/xhtml+xml"/>',
        spine='<itemref idref="nav"/><itemref idref="a.xhtml"/><itemref idref="b.xhtml"/>',
        extra={"OPS/nav.xhtml": nav},
    )
    old = book(
        pages,
        items='<item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/>',
        extra={"OPS/toc.ncx": ncx},
    )
    for content in (new, old):
        assert outline(read(content, "a.epub")) == [
            ("heading1", "Часть"), ("paragraph", "раз"), ("heading2", "Глава"), ("paragraph", "два"),
        ]  # fmt: skip


def test_a_page_of_contents_goes_but_not_the_text_below_it(read: Read) -> None:
    links = "".join(f'<p><a href="b.xhtml#{i}">Глава {i}</a></p>' for i in range(5))
    guide = '<reference type="toc" href="a.xhtml"/>'
    text = page("<p>текст</p>")
    assert outline(read(book({"a.xhtml": page(links), "b.xhtml": text}, guide=guide), "a.epub")) == [
        ("paragraph", "текст"),
    ]
    long = "Долгий текст первой главы, который стоит под оглавлением. " * 5
    both = page(f"{links}<p>{long}</p>")
    assert long.strip() in read(book({"a.xhtml": both, "b.xhtml": text}, guide=guide), "a.epub").text


def test_linked_style_sheets_hide_and_set(read: Read) -> None:
    pages = {
        "a.xhtml": page(
            '<p class="x">скрыто</p><p>видно</p>', '<title/><link rel="stylesheet" href="s.css"/>'
        )
    }
    assert outline(read(book(pages, extra={"OPS/s.css": ".x { display: none }"}), "a.epub")) == [
        ("paragraph", "видно")
    ]


def test_notes_beside_the_text_come_last(read: Read) -> None:
    pages = {
        "n.xhtml": page('<aside epub:type="footnote"><p>примечание</p></aside>'),
        "a.xhtml": page('<p>текст<a epub:type="noteref" href="n.xhtml#1">1</a></p>'),
    }
    spine = '<itemref idref="n.xhtml" linear="no"/><itemref idref="a.xhtml"/>'
    assert outline(read(book(pages, spine=spine), "a.epub")) == [
        ("paragraph", "текст"),
        ("footnote", "примечание"),
    ]


def test_refused(settings: ExtractionSettings) -> None:
    method = (
        '<encryption><EncryptionMethod Algorithm="http://www.w3.org/2001/04/xmlenc#aes128-cbc"/></encryption>'
    )
    with pytest.raises(EncryptedDocumentError, match="DRM"):
        extract(book({"a.xhtml": page("x")}, extra={"META-INF/encryption.xml": method}), "a.epub", settings)
    with pytest.raises(EmptyDocumentError):
        extract(book({"a.xhtml": page('<img src="a.png"/>')}), "a.epub", settings)
    with pytest.raises(CorruptDocumentError, match="package"):
        extract(zipped({"mimetype": "application/epub+zip"}), "a.epub", settings)
    bomb = book({"a.xhtml": page("<p>" + "слово " * 400_000)})
    with pytest.raises(LimitExceededError, match="unpacks"):
        extract(bomb, "a.epub", settings.model_copy(update={"max_unpacked_mb": 1}))


def test_obfuscated_fonts_are_no_protection(read: Read) -> None:
    method = '<encryption><EncryptionMethod Algorithm="http://www.idpf.org/2008/embedding"/></encryption>'
    content = book({"a.xhtml": page("<p>текст</p>")}, extra={"META-INF/encryption.xml": method})
    assert read(content, "a.epub").text == "текст"
