"""AsciiDoc: what Asciidoctor shows, read without it."""

from __future__ import annotations

import pytest

from extraction.extract import extract
from rubrica.errors import EmptyDocumentError
from rubrica.model import ElementKind
from rubrica.settings import ExtractionSettings
from tests.support.outline import outline, texts
from tests.unit.extraction.conftest import Read


def test_header(read: Read) -> None:
    document = read(
        "// заметка\n= Нормы {версия-1}\nИван Иванов <i@x.org>\nv1.2, 2024-01-02: правка\n"
        ":lang: ru\n:a: раз \\\n  два\n"
        ":b: {a} три\n:!c:\n\nТекст {b}, {nbsp}{нет}.\n",
        "a.adoc",
    )
    assert texts(document, ElementKind.PARAGRAPH) == ["Текст раз два три, {нет}."]
    assert document.attributes == {
        "author": "Иван Иванов", "email": "i@x.org", "revision": "1.2", "date": "2024-01-02", "lang": "ru",
        "a": "раз два", "b": "раз два три",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("*жирно* _курсив_ `код` #метка# **ж**ир __к__ [.red]#цвет# H~2~O x^2^",
         "жирно курсив код метка жир к цвет H2O x2"),
        ("2 * 3 * 4, snake_case_name, a_b", "2 * 3 * 4, snake_case_name, a_b"),
        ("\"`кавычки`\" и '`они`', don`'t", "“кавычки” и ‘они’, don’t"),
        ("https://x.org[сайт^] link:a.pdf[файл,window=_blank] {url}/a[путь]", "сайт файл путь"),
        ("https://x.org[] mailto:a@b.c[]", "https://x.org a@b.c"),
        ("см. <<sec>>, <<sec,здесь>>, xref:b.adoc#x[там], xref:c.adoc[]",
         "см. Раздел второй, здесь, там, c.adoc"),
        ("image:a.png[схема,100] icon:x[] kbd:[Ctrl+T] menu:Файл[Открыть > Новый] btn:[OK]",
         "схема Ctrl+T Файл › Открыть › Новый OK"),
        ("`+{a}+` +*b*+ pass:[_c_] stem:[x_1 * y_1]", "{a} *b* _c_ x_1 * y_1"),
        ("((термин)) (((скрыто))) [[якорь]]слово", "термин слово"),
        ("\\*не жирно* \\{lang} &sect; 5", "*не жирно* {lang} § 5"),
        ("строка +\nдругая\nдальше", "строка\nдругая дальше"),
    ],
)  # fmt: skip
def test_inline_markup(read: Read, source: str, expected: str) -> None:
    document = read(f"= Т\n\n{source}\n\n[#sec]\n== Раздел второй\n", "a.adoc")
    (text,) = texts(document, ElementKind.PARAGRAPH)
    assert text == expected


def test_what_is_passed_through_is_read_once_wherever_it_stands(read: Read) -> None:
    source = "А footnote:[см. +++<u>x</u>+++ &amp; так] б.\n\nВ (((`+foo+`))) г `+a+` и `+b+`.\n"
    assert outline(read(source, "a.adoc")) == [
        ("paragraph", "А б."),
        ("footnote", "см. <u>x</u> & так"),
        ("paragraph", "В г a и b."),
    ]


def test_conditions_follow_the_documents_attributes(read: Read) -> None:
    source = """= Т
:a: 1

ifdef::a[есть a]

ifdef::b[]
нет
ifndef::a[]
нет
endif::[]
endif::[]

ifndef::b[]
нет b
endif::b[]

ifeval::["{a}" == "2"]
нет
endif::[]

ifeval::[{a} < 10]
меньше
endif::[]

ifeval::[{a} what]
как знать
endif::[]

ifdef::a,b[или]

ifdef::a+b[и]

----
ifdef::b[]
нет
endif::[]
\\include::x[]
----
"""
    document = read(source, "a.adoc")
    assert texts(document, ElementKind.PARAGRAPH) == ["есть a", "нет b", "меньше", "как знать", "или"]
    assert texts(document, ElementKind.CODE) == ["include::x[]"]


def test_includes_are_named(read: Read, settings: ExtractionSettings) -> None:
    document = read("= Т\n\nТекст\n\ninclude::часть.adoc[tag=x]\n", "a.adoc")
    assert document.attributes == {"not_included": ["часть.adoc"]}
    with pytest.raises(EmptyDocumentError, match=r"only includes partial\$a.adoc") as caught:
        extract(b":x: 1\ninclude::partial$a.adoc[]\n", "a.adoc", settings)
    assert caught.value.hint


def test_blocks(read: Read) -> None:
    source = """.Имя
[source,ruby,subs="attributes"]
----
# не заголовок {x}

== и это
----

[listing]
раз
 два

....
a | b
....

  с отступом
  == код

====
NOTE: Внутри.
====

[quote,Пушкин,Онегин]
____
Мой дядя
____

[verse]
____
Раз
  два
____

[stem]
++++
a^2
++++

++++
<p>Разметка</p>
++++

[NOTE]
--
Открытый
--

////
скрыто
////

'''
<<<
image::a.png[Схема]

```bash
# шаг 1
```
"""
    document = read(f":x: 5\n\n{source}", "a.adoc")
    assert outline(document) == [
        ("caption", "Имя"),
        ("code", "# не заголовок 5\n\n== и это"),
        ("code", "раз\n два"),
        ("code", "a | b"),
        ("code", "с отступом\n== код"),
        ("paragraph", "NOTE: Внутри."),
        ("paragraph", "Мой дядя"),
        ("paragraph", "— Пушкин, Онегин"),
        ("paragraph", "Раз\nдва"),
        ("formula", "a^2"),
        ("paragraph", "Разметка"),
        ("paragraph", "Открытый"),
        ("paragraph", "Схема"),
        ("code", "# шаг 1"),
    ]


def test_headings(read: Read) -> None:
    source = "= Первая\n\n== Вторая ==\n\nТретья\n~~~~~~\n\n#### Четвёртая\n"
    source += "\n[discrete]\n=== Отдельная footnote:[Сноска.]\n\nтекст\n"
    assert outline(read(source, "a.adoc")) == [
        ("heading1", "Первая"),
        ("heading2", "Вторая"),
        ("heading3", "Третья"),
        ("heading4", "Четвёртая"),
        ("heading3", "Отдельная"),
        ("footnote", "Сноска."),
        ("paragraph", "текст"),
    ]


def test_lists(read: Read) -> None:
    source = """* раз
дальше
** глубже
+
абзац

* [x] два
+
----
код
----

. первый
. второй
.. вложенный

Абзац.

[start=4]
. четвёртый

CPU:: Процессор
RAM::
  Память
  быстрая

<1> выноска
"""
    assert outline(read(source, "a.adoc")) == [
        ("list_item1", "раз дальше"),
        ("list_item2", "глубже"),
        ("paragraph", "абзац"),
        ("list_item1", "☑ два"),
        ("code", "код"),
        ("list_item2", "1. первый"),
        ("list_item2", "2. второй"),
        ("list_item3", "1. вложенный"),
        ("paragraph", "Абзац."),
        ("list_item1", "4. четвёртый"),
        ("list_item2", "CPU: Процессор"),
        ("list_item2", "RAM: Память быстрая"),
        ("list_item3", "1. выноска"),
    ]


@pytest.mark.parametrize(
    ("source", "rows", "headers"),
    [
        ("|===\n|А |Б\n\n|1\n|2 \\| 3\n|===", (("А", "Б"), ("1", "2 | 3")), 1),
        ('[%header,cols="1,2a"]\n|===\n|А\n|Б\n|1\n|* x\n* y\n|===', (("А", "Б"), ("1", "x y")), 1),
        ("[cols=3*]\n|===\n2+|А .2+|Б\n|1 |2\n3*|x\n|===",
         (("А", "", "Б"), ("1", "2", "Б"), ("x", "x", "x")), 1),
        ('[%noheader,format=csv]\n|===\nА,"Б, в"\n1,2\n|===', (("А", "Б, в"), ("1", "2")), 0),
        (",===\nА,Б\n\n1,2\n,===", (("А", "Б"), ("1", "2")), 1),
        (',===\nА,Б\n\n"2 шт,5\n"раз\n\nдва",1\n,===', (("А", "Б"), ('"2 шт', "5"), ("раз два", "1")), 1),
        ('[cols="1,a"]\n|===\n|А\n|\n!===\n!б !в\n!===\n|1 |2\n|===', (("А", "б | в"), ("1", "2")), 1),
    ],
)  # fmt: skip
def test_tables(read: Read, source: str, rows: tuple[tuple[str, ...], ...], headers: int) -> None:
    document = read(source, "a.adoc")
    assert (document.elements[0].rows, document.elements[0].header_rows) == (rows, headers)


@pytest.mark.parametrize(
    "content",
    [
        ":a: x\n"
        + "".join(f":{chr(98 + i)}: {{{chr(97 + i)}}}{{{chr(97 + i)}}}\n" for i in range(24))
        + "\n{y}\n",
        "ifdef::a[]\n" * 3000 + "x\n",
        "[[" * 3000 + "\n",
        "link:" * 3000 + "\n",
        "*_`" * 3000 + "\n",
        "((" * 3000 + "+" * 3000 + "\n",
        "|===\n" + "3*|x " * 2000 + "\n",
        "|===\n999*|x\n\n1000.1000+|y\n|===\n",
        "a::\n" * 2000,
    ],
)
def test_hostile_input_costs_little(content: str, read: Read) -> None:
    assert len(read(f"= Начало\n\n{content}\nконец\n", "a.adoc").text) < 100_000
