"""Names of HTML and stray ampersands in XML, feeds, XHTML and books."""

from __future__ import annotations

from html.entities import html5
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from extraction.extract import extract
from extraction.references import mend_references
from rubrica.model import ElementKind
from rubrica.settings import ExtractionSettings
from tests.support.invariants import check_document
from tests.support.outline import outline, texts
from tests.unit.extraction.conftest import Read
from tests.unit.extraction.test_epub import book, page

NAMES = sorted(name[:-1] for name in html5 if name.endswith(";"))
PREDEFINED = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}
WORDS = st.text("абвё ", min_size=1, max_size=6)
LIMITS = ExtractionSettings()


def parsed(text: str) -> etree._Element:
    parser = etree.XMLParser(resolve_entities=False, remove_comments=True, remove_pis=True, no_network=True)
    return etree.fromstring(text.encode(), parser)


def same(texts: st.SearchStrategy[str]) -> st.SearchStrategy[tuple[str, str]]:
    return texts.map(lambda text: (text, text))


# Source and what is read of it; each ends in a blank, so that two in a row make nothing else.
SOUND = st.one_of(
    same(WORDS),
    st.sampled_from(sorted(PREDEFINED)).map(lambda name: (f"&{name}; ", f"{PREDEFINED[name]} ")),
    st.integers(0x20, 0xD7FF).map(lambda code: (f"&#x{code:x}; ", f"{chr(code)} ")),
    st.integers(0x10000, 0x10FFFF).map(lambda code: (f"&#{code}; ", f"{chr(code)} ")),
)
MENDED = st.one_of(
    st.sampled_from(NAMES).map(lambda name: (f"&{name}; ", f"{html5[name + ';']} ")),
    same(
        st.sampled_from(["& ", "R&D ", "a&&b ", "?a=1&copy=2 ", "&нет; ", "&x.y; ", "&; ", "&#; ", "&#x; "])
    ),
    same(
        st.sampled_from(
            ["&#0; ", "&#31; ", "&#xD83D;&#xDE00; ", "&#xFFFF; ", "&#x110000; ", f"&#{'9' * 5000}; "]
        )
    ),
)
APART = st.sampled_from([*NAMES, "", "и"]).flatmap(
    lambda name: st.sampled_from(
        [
            (f"<!-- &{name}; & <b> ]]> -->", ""),
            (f"<?php &{name}; & <b> ?>", ""),
            (f"<![CDATA[&{name}; & <b> &#0; <!-- ]]>", f"&{name}; & <b> &#0; <!-- "),
        ]
    )
)


def joined(parts: list[tuple[str, str]]) -> tuple[str, str]:
    return "".join(source for source, _ in parts), "".join(shown for _, shown in parts)


@given(st.lists(SOUND | MENDED | APART), st.lists(SOUND | MENDED))
def test_each_reference_is_read_once_and_nothing_else_is_touched(
    inside: list[tuple[str, str]], attribute: list[tuple[str, str]]
) -> None:
    body, shown = joined(inside)
    value, said = joined(attribute)
    root = parsed(mend_references(f'<r a="{value}">{body}<b/>{body}</r>'))
    assert "".join(map(str, root.itertext())) == shown * 2
    assert root.get("a") == said


@given(st.lists(SOUND | APART))
def test_sound_xml_stays_as_it_is(parts: list[tuple[str, str]]) -> None:
    source = f'<?xml version="1.0"?><!DOCTYPE r [<!ENTITY нет "&#38;&#60;">]>\n<r>{joined(parts)[0]}&нет;</r>'
    assert mend_references(source) == source


FRAGMENTS = st.lists(
    st.sampled_from(
        ["&", "mdash", ";", "#", "x41", "amp", "<!--", "-->", "<![CDATA[", "]]>", "<?", "?>", "<!DOCTYPE r",
         "[", "]", ">", '"', "'", "<!ENTITY e ", "%", "<r>", "</r>", " ", "SYSTEM 'x'"]
    )
)  # fmt: skip


@given(FRAGMENTS)
def test_mending_twice_changes_nothing_more(parts: list[str]) -> None:
    once = mend_references("".join(parts))
    assert mend_references(once) == once


@given(st.lists(st.sampled_from(NAMES), min_size=1, max_size=5))
def test_documents_with_any_names_keep_the_invariants(names: list[str]) -> None:
    line = "слово ".join(f"&{name};" for name in names)
    body = f"<p>Раз {line} <b>два</b> {line}</p>"
    sources = {
        "a.xml": f"<article><title>О {line}</title>{body}</article>",
        "a.xhtml": f'<?xml version="1.0"?><html><body><h1>О {line}</h1>{body}</body></html>',
    }
    for path, source in sources.items():
        document = extract(source.encode(), path, LIMITS)
        check_document(document)
        assert document.text.count("слово") == 3 * (len(names) - 1)
        assert [item.kind for item in document.elements] == [ElementKind.HEADING, ElementKind.PARAGRAPH]


def test_names_of_html_without_a_declaration(read: Read) -> None:
    source = """<?xml version="1.0" encoding="utf-8"?>
<article><title>Нормы &mdash; &laquo;общие&raquo;</title>
<para t="&nbsp;">R&D &amp; 5&nbsp;&times;&nbsp;3 &lt;b&gt; &LT;i&GT; <b>&frac12;</b>
<![CDATA[&mdash;]]><!-- &mdash; --> &что;</para>
</article>"""
    document = read(source, "a.xml")
    assert outline(document) == [
        ("heading1", "Нормы — «общие»"),
        ("paragraph", "R&D & 5 × 3 <b> <i> ½ &mdash; &что;"),
    ]
    assert document.title == "Нормы — «общие»"


def test_data_with_names_of_html_is_cut_at_its_elements(read: Read) -> None:
    source = (
        '<urlset xmlns="urn:x"><url><loc>http://x/?a=1&copy=2&amp;b</loc><n t="&mdash;">&laquo;</n></url>'
    )
    (code,) = texts(read(f"{source}</urlset>", "sitemap.xml"), ElementKind.CODE)
    assert code.split() == [
        "<urlset>", "<url>", "<loc>http://x/?a=1&amp;copy=2&amp;b</loc>", "<n", 't="—">«</n>',
        "</url>", "</urlset>",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("declaration", "shown"),
    [
        ('[<!ENTITY mdash "тире">]', "тире … &что; x"),
        ('[<!ENTITY что "&mdash;">]', "— … — x"),
        ('[<!ENTITY nbsp "&#160;"><!ENTITY что "&nbsp;">]', "— … &что; x"),
        ("[<!-- it's \" ]> <!ENTITY mdash \"нет\"> --><!ENTITY что 'да ]>'>]", "— … да ]> x"),
        ('SYSTEM "x.dtd"', "— … &что; x"),
        ('PUBLIC "-//X//EN" "x.dtd" [<!ENTITY что "да">]', "— … да x"),
        ('[<!ENTITY % ещё SYSTEM "x.ent"> %ещё;]', "— … &что; x"),
        ('[<!ENTITY что SYSTEM "file:///etc/passwd">]', "— … &что; x"),
        ('[<!ENTITY mdash SYSTEM "file:///etc/passwd">]', "— … &что; x"),
    ],
)
def test_what_a_document_declares_itself_goes_first(read: Read, declaration: str, shown: str) -> None:
    source = (
        f"<!DOCTYPE article {declaration}>\n<article><para>&mdash; &hellip; &что; <b>x</b></para></article>"
    )
    assert texts(read(source, "a.xml"), ElementKind.PARAGRAPH) == [shown]


def test_no_file_is_read_and_nothing_is_expanded(tmp_path: Path, settings: ExtractionSettings) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("тайна")
    levels = "".join(f'<!ENTITY x{i} "&x{i - 1};&x{i - 1};">' for i in range(1, 40))
    source = (
        f'<!DOCTYPE a SYSTEM "{secret.as_uri()}" [<!ENTITY x0 "&mdash;">{levels}'
        f'<!ENTITY mdash SYSTEM "{secret.as_uri()}"><!ENTITY % hellip SYSTEM "{secret.as_uri()}"> %hellip;]>'
        "<article><para>&x39; &mdash; &hellip; &laquo; <b>x</b></para></article>"
    )
    text = extract(source.encode(), "a.xml", settings).text
    assert "тайна" not in text
    assert len(text) < 5_000


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "part",
    [
        "&",
        "&a",
        "&mdash;",
        "<!--&",
        "<![CDATA[&",
        "<?&",
        '<!DOCTYPE a ["&',
        "<!DOCTYPE a [<!--'&",
        "&#1",
        '"&',
    ],
)
def test_hostile_text_costs_its_length(part: str) -> None:
    assert mend_references(part * 300_000)


RSS = """<rss version="2.0"><channel><title>Q&amp;A &mdash; R&D</title>
<item><title>&laquo;Раз&raquo; &что;</title><description>&lt;p&gt;a&amp;nbsp;b &hellip;
<![CDATA[c &mdash; d <?php e ?> f]]>&lt;/p&gt;</description></item></channel></rss>"""


@pytest.mark.parametrize(
    "before", ["", '<?xml version="1.0" encoding="koi8-r"?>\n', '<!DOCTYPE rss SYSTEM "x.dtd">']
)
def test_feeds(read: Read, before: str) -> None:
    content = (before + RSS).encode("koi8-r" if "koi8" in before else "utf-8")
    assert outline(read(content, "a.xml")) == [
        ("heading1", "Q&A — R&D"),
        ("heading2", "«Раз» &что;"),
        ("paragraph", "a b … c — d f"),
    ]


def test_xhtml_keeps_what_is_quoted(read: Read) -> None:
    source = (
        '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title/></head>'
        "<body><p>раз &mdash; &LT;b&GT; &AMP;lt; <![CDATA[&mdash; <i>]]></p></body></html>"
    )
    assert read(source, "a.xhtml").text == "раз — <b> &lt; &mdash; <i>"


def test_names_in_a_book_about_itself(read: Read) -> None:
    ncx = (
        '<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/"><navMap><navPoint><navLabel>'
        '<text>Глава &mdash; &laquo;A&B&raquo;</text></navLabel><content src="a.xhtml"/></navPoint></navMap>'
        "</ncx>"
    )
    content = book(
        {"a.xhtml": page("<p>раз</p>")},
        extra={"OPS/toc.ncx": ncx},
        items='<item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/>',
    )
    assert outline(read(content, "a.epub"))[0] == ("heading1", "Глава — «A&B»")
