from __future__ import annotations

import codecs

import pytest
from structlog.testing import capture_logs

from extraction.encoding import decode
from rubrica.errors import CorruptDocumentError

SENTENCES = (
    "Заказ № 1: плита ПК 60.15",
    "ПЛИТА ПЕРЕКРЫТИЯ",
    "Общие положения",
    "ГОСТ 26633-2015 Бетоны тяжёлые",
    "Настоящий свод правил распространяется на проектирование; Я, Юрий Щукин, подтверждаю.",
)
CYRILLIC = ("cp1251", "koi8_r", "cp866", "mac_cyrillic", "iso8859_5")


@pytest.mark.parametrize("codec", CYRILLIC)
@pytest.mark.parametrize("sentence", SENTENCES)
def test_short_cyrillic_texts(codec: str, sentence: str) -> None:
    text = sentence.replace("№", "N") if codec == "koi8_r" else sentence  # KOI8-R has no numero sign
    assert decode(text.encode(codec)) == text


@pytest.mark.parametrize("codec", CYRILLIC)
@pytest.mark.parametrize(
    "sentence",
    [
        "Плита",
        "ЗАКАЗ",
        "жилых",
        "Федеральным законом от 04.06.2011 N 123-ФЗ",
        "ID;Name;Город\n1;John;Москва\n2;Ann;Тверь",
        "Model X-200, цвет белый, weight 20 kg, made in Italy",
        "ООО «Ромашка» — “тест”…",
    ],
)
def test_e20_cyrillic_of_few_letters(codec: str, sentence: str) -> None:
    try:
        content = sentence.encode(codec)
    except UnicodeEncodeError:
        pytest.skip("the encoding lacks a sign")
    assert decode(content) == sentence


@pytest.mark.parametrize("declared", ["utf-8", "iso-8859-1", "koi8-r", "iso-8859-5", "cp866", "us-ascii"])
@pytest.mark.parametrize("codec", CYRILLIC)
def test_e20_false_declarations(declared: str, codec: str) -> None:
    page = f'<meta charset="{declared}"><p>Общие положения и область применения свода правил</p>'
    assert decode(page.encode(codec)) == page


@pytest.mark.parametrize(
    ("declared", "text"),
    [
        ("gb2312", "中文文本编码测试"),
        ("shift_jis", "日本語の文章です"),
        ("iso-8859-2", "Příliš žluťoučký kůň"),
        ("windows-1253", "Καλημέρα κόσμε"),
        ("koi8-u", "Ґрунт і їжа"),
        ("windows-1251", "Ціна: 5 грн. Україна"),
    ],
)
def test_e20_true_declarations_of_other_languages(declared: str, text: str) -> None:
    page = f'<meta charset="{declared}"><p>{text}</p>'
    assert decode(page.encode(declared)) == page


@pytest.mark.parametrize("codec", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
@pytest.mark.parametrize("sentence", [*SENTENCES, "Plain text, one line."])
def test_unicode(codec: str, sentence: str) -> None:
    assert decode(sentence.encode(codec)) == sentence


@pytest.mark.parametrize(
    "sentence", ["café au lait naïve", "Straße über die Brücke", "Temperatur 20 °C – £5"]
)
def test_western(sentence: str) -> None:
    assert decode(sentence.encode("cp1252")) == sentence


def test_declaration_is_trusted_for_what_cannot_be_guessed() -> None:
    page = '<html><head><meta charset="windows-1251"></head><body>Я</body></html>'
    assert decode(page.encode("cp1251")) == page
    page = '<?xml version="1.0" encoding="x-mac-cyrillic"?><a>Ё</a>'
    assert decode(page.encode("mac_cyrillic")) == page
    page = '<meta charset="iso-2022-jp">日本語'
    assert decode(page.encode("iso-2022-jp")) == page


def test_wrong_declaration_is_overruled_by_plain_russian() -> None:
    page = '<meta charset="iso-8859-1"><p>Общие положения и область применения</p>'
    assert decode(page.encode("cp1251")) == page


@pytest.mark.parametrize("name", ["no-such-code", "zlib", "undefined", "hex"])
def test_declaration_of_no_text_encoding_is_passed_over(name: str) -> None:
    page = f'<meta charset="{name}"><p>Общие положения и область применения</p>'
    assert decode(page.encode("cp1251")) == page


def test_a_few_broken_bytes_do_not_turn_utf8_into_mojibake() -> None:
    content = ("Бетон тяжёлый. " * 20).encode() + b"\xd0"
    assert decode(content) == "Бетон тяжёлый. " * 20 + "\N{REPLACEMENT CHARACTER}"


@pytest.mark.parametrize(
    "content", ["Привет ".encode() + b"\xff" + " мир".encode(), "Привет, файл".encode()[:-1]]
)
def test_e20_short_utf8_with_a_broken_byte_is_utf8(content: bytes) -> None:
    assert decode(content) == content.decode("utf-8", "replace")


RUSSIAN = "Строительство зданий ведётся по проекту. Бетон класса B25 применяют для плит; ПЛИТА, В.\n"
WESTERN = "café au lait, naïve façade: Straße über die Brücke à Paris\n"


@pytest.mark.parametrize("codec", CYRILLIC)
@pytest.mark.parametrize(("before", "after"), [(1, 1), (3, 1), (1, 3), (20, 1), (1, 20), (3000, 1)])
def test_words_in_another_encoding_among_utf8(codec: str, before: int, after: int) -> None:
    content = (RUSSIAN * before).encode() + (RUSSIAN * after).encode(codec)
    assert decode(content) == RUSSIAN * (before + after)


def test_encodings_that_take_turns_by_word_and_line() -> None:
    words = RUSSIAN.split()
    mixed = b" ".join(word.encode(("utf-8", "cp1251")[i % 2]) for i, word in enumerate(words))
    assert decode(mixed) == " ".join(words)
    lines = [RUSSIAN.encode("cp1251"), RUSSIAN.encode(), b"plain ASCII\n"] * 3
    with capture_logs() as logs:
        assert decode(b"".join(lines)) == (RUSSIAN * 2 + "plain ASCII\n") * 3
    assert logs == [
        {
            "event": "text is UTF-8 with words in another encoding",
            "log_level": "warning",
            "component": "extraction.encoding",
            "encoding": "cp1251",
            "words": 3 * 12,
        }
    ]


def test_western_words_among_utf8() -> None:
    assert decode(WESTERN.encode() + WESTERN.encode("cp1252")) == WESTERN * 2


def test_a_declaration_tells_what_the_other_encoding_is() -> None:
    page = '<meta charset="gb2312">' + "中文文本编码测试\n" * 5
    assert (
        decode(page.encode() + ("中文文本编码测试\n" * 5).encode("gb2312")) == page + "中文文本编码测试\n" * 5
    )


@pytest.mark.parametrize("stray", [b"\xd0", b"\xa0", b"\xff\xfe", b"\xd0\xff\xfe"])
def test_stray_bytes_in_utf8_are_no_words(stray: bytes) -> None:
    content = ("Бетон ~ тяжёлый. " * 20).encode().replace(b"~", stray)
    assert decode(content) == content.decode("utf-8", "replace")


def test_utf8_that_is_cut_by_bytes_is_no_other_encoding() -> None:
    line = (RUSSIAN.strip() * 3).encode()
    content = b"\n".join(line[start : start + 40] for start in range(200))
    assert decode(content) == content.decode("utf-8", "replace")


@pytest.mark.parametrize("codec", CYRILLIC)
def test_one_encoding_is_not_taken_for_two(codec: str) -> None:
    text = (
        'Группа В», "Я» рог и рёв: Работа «СНиП» '
        if codec in {"cp1251", "mac_cyrillic"}
        else "рог и рёв: Работа "
    )
    with capture_logs() as logs:
        assert decode((text * 50).encode(codec)) == text * 50
    assert not logs


def test_e05_surrogates_in_utf8_are_no_sign_of_another_encoding() -> None:
    for text in ("Формула \ud835 x", "пара \ud835\udc00"):
        assert decode(text.encode("utf-8", "surrogatepass")) == text


@pytest.mark.parametrize("text", ["ПК", "Plate ПК 60", "ЖБИ", "СП 47.13330.2016", "РФ"])
def test_e20_abbreviations_alone_are_windows_1251(text: str) -> None:
    assert decode(text.encode("cp1251")) == text


def test_what_is_no_text_is_refused() -> None:
    with pytest.raises(CorruptDocumentError, match="encoding"):
        decode(bytes(range(128, 256)) * 8 + b"\xff\x81\x8d\x8f")


def test_byte_order_mark_is_not_part_of_the_text() -> None:
    assert decode(codecs.BOM_UTF8 + b"text") == "text"
