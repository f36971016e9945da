from __future__ import annotations

import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from extraction.extract import extract
from rubrica.errors import CorruptDocumentError, EmptyDocumentError, PoisonDocumentError
from rubrica.settings import ExtractionSettings
from tests.support.invariants import check_document
from tests.support.outline import outline
from tests.unit.extraction.conftest import Read

LIMITS = ExtractionSettings()
HEAD = (
    r"{\rtf1\ansi\ansicpg1251\deff0{\fonttbl{\f0\froman\fcharset204 Times New Roman;}"
    r"{\f1\froman\fcharset0 Arial;}{\f2\froman\fcharset2 Symbol;}{\f3\fswiss Arial Cyr;}}"
    r"{\colortbl;\red0\green0\blue0;}"
    r"{\stylesheet{\s0 Normal;}{\s1\outlinelevel0\b heading 1;}{\s2\sbasedon1 heading 2;}"
    r"{\s3 \'cd\'e0\'e7\'e2\'e0\'ed\'e8\'e5;}{\*\cs10 Default;}}"
)


def rtf(*parts: str) -> bytes:
    return (HEAD + "".join(parts) + "}").encode("cp1251")


def escaped(text: str) -> str:
    """Text as Word writes it: a Unicode number and a question mark for old readers."""
    return "".join(char if ord(char) < 128 else rf"\u{ord(char)}?" for char in text)


def test_code_pages_and_unicode(read: Read) -> None:
    content = rtf(
        r"\pard\f0 \'c1\'e5\'f2\'ee\'ed В25 \'97 ",
        escaped("«класс» "),
        r"{\uc0 \u1103 }{\uc2\u8805\'3f\'3f}20\~\u176\'b0 {\f2 \'b3\'61}{\f3 \'ea\'e0}{\f1 a}\par ",
        r"x\_y \endash  \emdash  \ldblquote q\rdblquote  a\-b\line c\tab d \{\}\\\par ",
        r"\u-10179?\u-8704?\par",
    )
    assert [text for _, text in outline(read(content, "a.rtf"))] == [
        "Бетон В25 — «класс» я≥20 ° ≥αкаa",
        "x-y – — “q” ab\nc d {}\\",
        "😀",
    ]


@pytest.mark.parametrize(
    ("head", "body", "text"),
    [
        (r"{\rtf1\ansi\ansicpg1251", rb"\'cf\'f0\'e8\'ec\'e5\'f0", "Пример"),
        (r"{\rtf1\ansi\ansicpg1251", "Пример".encode("cp1251"), "Пример"),
        (r"{\rtf1\mac", rb"caf\'8e", "café"),
        (r"{\rtf1\ansi\ansicpg932", rb"\'93\'fa\'96\'7b", "日本"),
        (r"{\rtf1\ansi\ansicpg99999", b"plain", "plain"),
        (r"{\rtf1\ansi{\fonttbl{\f0 Times New Roman CYR;}}\f0 ", rb"\'cf\'f0", "Пр"),
    ],
)
def test_every_declared_code_page(head: str, body: bytes, text: str, read: Read) -> None:
    assert read(head.encode() + b" " + body + rb"\par}", "a.rtf").text == text


def test_headings_titles_lists_and_labels(read: Read) -> None:
    content = rtf(
        r"\pard\s3 ", escaped("Свод правил"), r"\par",
        r"\pard\s1{\listtext\pard\plain 1.\tab}", escaped("Общие положения"), r"\par",
        r"\pard\s2 ", escaped("По имени стиля"), r"\par",
        r"\pard\outlinelevel2 ", escaped("По уровню"), r"\par",
        r"\pard{\pntext\f2\'b7\tab}\ilvl1 ", escaped("пункт"), r"\par",
        r"\pard{\listtext 5.2.1.\tab}", escaped("Класс бетона."), r"\par",
        r"\pard\plain \qc\b ", escaped("II. Состав"), r"\b0\par",
    )  # fmt: skip
    result = read(content, "a.rtf")
    assert outline(result) == [
        ("title", "Свод правил"),
        ("heading1", "1. Общие положения"),
        ("heading2", "По имени стиля"),
        ("heading3", "По уровню"),
        ("list_item2", "пункт"),
        ("paragraph", "5.2.1. Класс бетона."),
        ("heading1", "II. Состав"),
    ]
    assert [item.clause for item in result.elements] == [None, "1", None, None, None, "5.2.1", "II"]


def row(*cells: str, layout: str = "") -> str:
    edges = layout or "".join(rf"\cellx{(i + 1) * 1000}" for i in range(len(cells)))
    return rf"\trowd{edges}\pard\intbl " + "".join(rf"{cell}\cell " for cell in cells) + r"\row "


def test_tables_with_merges_headers_and_nesting(read: Read) -> None:
    nested = (
        r"\pard\intbl\itap2 n1\nestcell n2\nestcell{\*\nesttableprops\trowd\cellx500\cellx900\nestrow}"
        r"{\nonesttables\par}\pard\intbl\itap1 "
    )
    content = rtf(
        r"\pard before\par ",
        row("Mark", "Load", "", layout=r"\trhdr\clvmgf\cellx1000\clmgf\cellx2000\clmrg\cellx3000"),
        row("", "one", "two", layout=r"\trhdr\clvmrg\cellx1000\cellx2000\cellx3000"),
        row("A", "wide", layout=r"\cellx1000\cellx3000"),
        row("B", r"x\par y", nested + "z"),
        r"\pard after\par",
    )
    result = read(content, "a.rtf")
    assert outline(result)[0] == ("paragraph", "before")
    assert outline(result)[2] == ("paragraph", "after")
    assert result.elements[1].rows == (
        ("Mark", "Load", ""),
        ("Mark", "one", "two"),
        ("A", "wide", ""),
        ("B", "x y", "n1 n2 z"),
    )
    assert result.elements[1].header_rows == 2


def test_notes_boxes_fields_and_what_is_left_out(read: Read) -> None:
    content = rtf(
        r"{\info{\upr{\title ???}{\*\ud{\title ", escaped("Правила"), r"}}}{\author N}}",
        r"{\header\pard header\par}{\footer\pard footer\par}",
        r"\pard Text{\super\chftn}{\footnote\pard\chftn  Note.\par} goes{\v  hidden}{\deleted  gone} on",
        r'{\field{\*\fldinst HYPERLINK "http://x"}{\fldrslt  link}}{\*\unknown secret}{\*\bkmkstart a}',
        r"{\pict\wmetafile8 0102abcd}{\pict\bin6 }{\\ab}{\object{\*\objdata 00}{\result  shown}}\par",
        r"\pard Next{\shp{\*\shpinst{\sp{\sn a}{\sv b}}{\shptxt\pard In the box\par}}",
        r"{\shprslt\pard again\par}}\par",
    )  # fmt: skip
    result = read(content, "a.rtf")
    assert outline(result) == [
        ("paragraph", "Text goes on link shown"),
        ("footnote", "Note."),
        ("paragraph", "Next"),
        ("paragraph", "In the box"),
    ]
    assert result.title == "Правила"


def test_a_file_cut_off_is_read_as_far_as_it_goes(read: Read) -> None:
    whole = rtf(r"\pard one\par ", row("a", "b"), row("c", "d"), r"\pard two\par")
    cut = whole[: whole.index(b"two") + 3]
    assert outline(read(cut, "a.rtf")) == outline(read(whole, "a.rtf"))
    assert outline(read(whole + b"}} junk", "a.rtf")) == outline(read(whole, "a.rtf"))


def test_hostile_nesting_spans_and_sizes_are_bounded() -> None:
    with pytest.raises(CorruptDocumentError, match="nested"):
        extract(b"{\\rtf1 " + b"{" * 100_000 + b"x", "a.rtf", LIMITS)
    wide = row(*["x"] * 50, layout="".join(rf"\cellx{i * 40}" for i in range(20_000)))
    check_document(extract(rtf(wide * 20), "a.rtf", LIMITS))
    deep = rtf(r"\pard\intbl\itap1000000000 a\nestcell\nestrow\par \fs2000000000\ilvl999999999 b\par")
    check_document(extract(deep, "a.rtf", LIMITS))


def test_empty_and_not_rtf() -> None:
    with pytest.raises(EmptyDocumentError):
        extract(rtf(r"\pard\par"), "a.rtf", LIMITS)


WORDS = st.lists(
    st.sampled_from(["бетон", "slab", "Ёж", "x²", "5.2.1", "—", "naïve"]), min_size=1, max_size=6
)


@settings(max_examples=50, deadline=None)
@given(paragraphs=st.lists(WORDS, min_size=1, max_size=6), wide=st.booleans())
def test_each_word_comes_once_and_in_order(paragraphs: list[list[str]], *, wide: bool) -> None:
    lines = [escaped(" ".join(words)) for words in paragraphs]
    body = "".join(rf"\pard {line}\par " for line in lines)
    if wide:
        body += row(*lines) + row(*lines)
    result = extract(rtf(body), "a.rtf", LIMITS)
    check_document(result)
    wanted = [word for words in paragraphs for word in words] * (3 if wide else 1)
    found = [word for word in re.split(r"[\s|]+", result.text) if word]
    # A dash in front marks an item and goes.
    assert [word for word in found if word != "—"] == [word for word in wanted if word != "—"]


FRAGMENTS = (
    "{", "}", "\\par ", "\\cell ", "\\row ", "\\trowd", "\\cellx900", "\\nestcell ", "\\nestrow ", "\\intbl ",
    "\\itap3 ", "\\pard ", "\\'e9", "\\'", "\\u1103?", "\\u-5?", "\\uc3 ", "\\bin5 ", "\\*", "\\f0 ", "\\f2 ",
    "\\fcharset128 ", "{\\footnote ", "{\\shptxt ", "{\\listtext ", "{\\fonttbl", "{\\stylesheet", "{\\upr",
    "\\s1 ", "\\v ", "\\deleted0 ", "\\outlinelevel1 ", "слово ", "word ", "\\", "\x00", "5.2.1 ", "\\qc\\b ",
)  # fmt: skip


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(parts=st.lists(st.sampled_from(FRAGMENTS), max_size=60))
def test_any_sequence_of_words_is_read_or_refused(parts: list[str]) -> None:
    try:
        document = extract(rtf(*parts), "a.rtf", LIMITS)
    except PoisonDocumentError as error:
        assert error.reason  # noqa: PT017 (a refusal is one of two right answers)
        return
    check_document(document)
