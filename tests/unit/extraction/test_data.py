"""Data files, XML, catalogues of translations, notebooks, mail."""

from __future__ import annotations

import json
from email.message import EmailMessage
from pathlib import Path

import pytest

from extraction.extract import extract
from rubrica.errors import PoisonDocumentError
from rubrica.model import Document, ElementKind
from rubrica.settings import ExtractionSettings
from tests.support.invariants import element_text
from tests.support.outline import outline, texts
from tests.unit.extraction.conftest import Read


def paths(document: Document) -> list[tuple[str, str]]:
    """Heading path and text of each element."""
    return [(" › ".join(item.heading_path), element_text(document, item)) for item in document.elements]


def test_json_is_readable_and_loses_no_digit(read: Read) -> None:
    document = read(
        '{"\\u0411\\u0435\\u0442\\u043e\\u043d": {"B": [1.10, 2e5, true, null]}, "a": 1, "a": 2}', "a.json"
    )
    assert document.text == '"Бетон": {\n  "B": [1.10, 2e5, true, null]\n},\n"a": 1,\n"a": 2'
    assert document.media_type == "application/json"


def test_long_json_is_cut_at_its_keys(read: Read) -> None:
    value = {
        "name": "x",
        "paths": {f"/p{i}": {"get": {"summary": f"Дело {i}", "tags": ["a"]}} for i in range(30)},
    }
    found = paths(read(json.dumps(value), "openapi.json"))
    assert found[0] == ("", '"name": "x"')
    assert {path for path, _ in found[1:]} == {"paths"}
    assert all(text.count("\n") < 45 for _, text in found)


@pytest.mark.parametrize("path", ["a.json", "a.jsonl"])
def test_flat_records_are_a_table(read: Read, path: str) -> None:
    records = [
        {"Марка": "Б1", "n": 1},
        {"Марка": "Б2", "n": 2.50, "note": "да"},
        {"Марка": "Б3", "n": None, "note": "нет"},
    ]
    content = "\n".join(map(json.dumps, records)) if path.endswith("l") else json.dumps(records)
    table = read(content, path).elements[0]
    assert table.rows == (("Марка", "n", "note"), ("Б1", "1", ""), ("Б2", "2.5", "да"), ("Б3", "", "нет"))
    assert table.header_rows == 1


@pytest.mark.parametrize(
    "content", ['{"a": 1, // comment\n "b": 2}', "[" * 50_000, '{"a": ' * 2000, "{", "not json"]
)
def test_what_is_no_json_is_read_as_text(read: Read, content: str) -> None:
    assert read(content, "a.json").text.split() == content.split()


def test_long_yaml_is_cut_at_its_keys(read: Read) -> None:
    steps = "".join(
        f"  # шаг {i}\n  step{i}:\n    run: |\n      echo {i}\n    with: {{a: b}}\n" for i in range(20)
    )
    source = f"name: сборка\n\n# задания\njobs:\n{steps}on:\n- push\n"
    found = paths(read(source, "a.yaml"))
    assert found[0] == ("", "name: сборка")
    assert found[1] == ("", "# задания\njobs:")
    assert {path for path, _ in found[2:-1]} == {"jobs"}
    assert found[-1] == ("", "on:\n- push")
    assert read(source, "a.yml").text.split() == source.split()


def test_sections_of_toml_and_ini(read: Read) -> None:
    source = 'a = 1\n\n# о сборке\n[build]\nb = 2\n\n[[tool.x]]\nc = "3"\n# конец\n'
    assert paths(read(source, "a.toml")) == [
        ("", "a = 1"),
        ("build", "# о сборке\n[build]\nb = 2"),
        ("tool.x", '[[tool.x]]\nc = "3"\n# конец'),
    ]
    assert paths(read("[a]\nb=1\n; c\n[d]\n", "a.ini")) == [("a", "[a]\nb=1"), ("d", "; c\n[d]")]


CATALOG = """msgid ""
msgstr ""
"Language: ru\\n"
"Content-Type: text/plain; charset=UTF-8\\n"

#: ../a.rst:5
msgid "Two "
"words"
msgstr "Два слова"

#, fuzzy
msgid "One file"
msgid_plural "%d files"
msgstr[0] "%d файл"
msgstr[1] "%d файла"

msgid "Same"
msgstr "Same"

#~ msgid "Old"
#~ msgstr "Старый"
"""


def test_messages_stand_with_their_translations(read: Read) -> None:
    document = read(CATALOG, "ru.po")
    assert texts(document, ElementKind.PARAGRAPH) == [
        "Two words\nДва слова",
        "One file\n%d files\n%d файл\n%d файла",
        "Same",
    ]
    assert document.attributes == {"translated_to": "ru"}


def test_a_catalogue_reads_no_other_file(tmp_path: Path, settings: ExtractionSettings) -> None:
    secret = tmp_path / "secret.po"
    secret.write_text('msgid "secret"\nmsgstr "тайна"\n')
    with pytest.raises(PoisonDocumentError):
        extract(str(secret).encode(), "a.po", settings)


DOCBOOK = """<?xml version="1.0"?>
<!DOCTYPE article [<!ENTITY a "АААА"><!ENTITY b "&a;&a;&a;&a;"><!ENTITY c SYSTEM "file:///etc/passwd">]>
<article xmlns="http://docbook.org/ns/docbook"><info><title>Нормы</title></info><title>Статья</title>
<section><title>Раздел</title>
<para>Текст <emphasis>важный</emphasis><footnote><para>Сноска.</para></footnote>. &b;&c;</para>
<itemizedlist><listitem><para>раз</para><para>ещё</para></listitem>
<listitem><para>два</para></listitem></itemizedlist>
<programlisting># код
  x</programlisting>
<table><title>Имя</title><tgroup cols="3">
<thead><row><entry namest="c1" nameend="c2">А</entry><entry>Б</entry></row></thead>
<tbody><row><entry morerows="1">1</entry><entry>2</entry><entry>3</entry></row>
<row><entry>4</entry><entry>5</entry></row></tbody>
</tgroup></table></section></article>"""


def test_docbook(read: Read) -> None:
    document = read(DOCBOOK, "a.xml")
    assert outline(document) == [
        ("heading1", "Статья"),
        ("heading2", "Раздел"),
        ("paragraph", "Текст важный. &b;&c;"),
        ("footnote", "Сноска."),
        ("list_item1", "раз"),
        ("paragraph", "ещё"),
        ("list_item1", "два"),
        ("code", "# код\n  x"),
        ("caption", "Имя"),
        ("table", "А |  | Б\n1 | 2 | 3\n1 | 4 | 5"),
    ]
    assert (document.title, document.media_type) == ("Нормы", "application/xml")


def test_fiction_book(read: Read) -> None:
    source = """<?xml version="1.0" encoding="windows-1251"?>
<FictionBook xmlns="http://www.gribuser.ru/xml/fictionbook/2.0"><description><title-info><book-title>Книга</book-title>
</title-info></description><body><title><p>Книга</p></title>
<section><title><p>Глава 1</p><p>Начало</p></title>
<p>Текст <strong>один</strong>.</p><poem><stanza><v>Раз</v><v>Два</v></stanza></poem></section></body>
<binary id="x">AAAA</binary></FictionBook>"""
    document = read(source.encode("cp1251"), "a.fb2")
    assert outline(document) == [
        ("heading1", "Книга"),
        ("heading2", "Глава 1 Начало"),
        ("paragraph", "Текст один."),
        ("paragraph", "Раз"),
        ("paragraph", "Два"),
    ]


def test_text_in_xml_goes_on_after_what_is_not_read(read: Read) -> None:
    source = """<?xml version="1.0"?>
<!DOCTYPE article PUBLIC "-//OASIS//DTD DocBook XML V4.5//EN" "docbookx.dtd" [<!ENTITY prod "Рубрика">]>
<article><title>О <!-- чём --> &prod;</title><para>До <!-- слова --> после.</para>
<para>В &prod; &mdash; и <?dbhtml x?> далее.</para>
<para>Та <indexterm><primary>нет</primary></indexterm>команда ищет<anchor id="a"/> строки.</para>
<table><title>Имя <!-- x -->таблицы</title><row><entry>1 <!-- ед. -->мм</entry></row>
<row><entry>2<indexterm><primary>нет</primary></indexterm></entry></row></table></article>"""
    document = read(source, "a.xml")
    assert outline(document) == [
        ("heading1", "О Рубрика"),
        ("paragraph", "До после."),
        ("paragraph", "В Рубрика — и далее."),
        ("paragraph", "Та команда ищет строки."),
        ("caption", "Имя таблицы"),
        ("table", "1 мм\n2"),
    ]
    assert document.title == "О Рубрика"


def test_data_in_xml_is_cut_at_its_elements(read: Read) -> None:
    items = "".join(f'<bean id="b{i}" class="x"><p name="a">значение {i}</p></bean>' for i in range(40))
    found = paths(read(f'<beans xmlns="urn:x"><!-- о деле --><x/>{items}</beans>', "beans.xml"))
    assert found[0] == ("", "<beans>")
    assert found[1][0] == "beans"
    assert found[1][1].startswith("<!-- о деле -->\n<x/>\n<bean id=")
    assert all(text.count("\n") < 45 for _, text in found)


@pytest.mark.parametrize(
    "content",
    [
        "<a>" * 5000,
        "<a><b></a>",
        '<!DOCTYPE a [<!ENTITY x0 "y">'
        + "".join(f'<!ENTITY x{i} "&x{i - 1};&x{i - 1};">' for i in range(1, 40))
        + "]><a>&x39;</a>",
        "<?xml version='1.0'?>",
    ],
)  # fmt: skip
def test_hostile_xml_costs_little(content: str, settings: ExtractionSettings) -> None:
    try:
        assert len(extract(content.encode(), "a.xml", settings).text) < 100_000
    except PoisonDocumentError as error:
        assert error.reason  # noqa: PT017 (a refusal is one of two right answers)


def notebook(*cells: dict[str, object]) -> str:
    return json.dumps({"nbformat": 4, "metadata": {"kernelspec": {"language": "Python"}}, "cells": cells})


def test_notebook(read: Read) -> None:
    document = read(
        notebook(
            {
                "cell_type": "markdown",
                "source": ["# Расчёт\n", "\n", "Текст **жирно**\n", "![](attachment:a.png)"],
            },
            {
                "cell_type": "code",
                "source": "# шаг 1\nprint(1)",
                "outputs": [
                    {"output_type": "stream", "text": ["\x1b[31m1\x1b[0m\n"] * 50},
                    {
                        "output_type": "display_data",
                        "data": {"image/png": "AAAA", "text/plain": ["<Figure>"]},
                    },
                    {
                        "output_type": "execute_result",
                        "data": {"text/html": "<table><tr><th>А<th>Б<tr><td>1<td>2</table>"},
                    },
                    {"output_type": "error", "evalue": "беда"},
                ],
            },
            {"cell_type": "raw", "source": "сырой"},
        ),
        "a.ipynb",
    )
    kinds = outline(document)
    assert kinds[:3] == [("heading1", "Расчёт"), ("paragraph", "Текст жирно"), ("code", "# шаг 1\nprint(1)")]
    assert kinds[3][1].split() == ["1"] * 30 + ["…"]
    assert kinds[4:] == [
        ("code", "<Figure>"),
        ("table", "А | Б\n1 | 2"),
        ("code", "беда"),
        ("paragraph", "сырой"),
    ]
    assert document.attributes == {"programming_language": "python"}


def test_notebook_of_format_3(read: Read) -> None:
    cells = [{"cell_type": "heading", "level": 2, "source": "Глава"}, {"cell_type": "code", "input": "x"}]
    assert outline(read(json.dumps({"worksheets": [{"cells": cells}]}), "a.ipynb")) == [
        ("heading2", "Глава"),
        ("code", "x"),
    ]


@pytest.mark.parametrize(
    "content", ["{", "[1, 2]", "{}", '{"cells": 5}', '{"worksheets": [5]}', "[" * 50_000]
)
def test_broken_notebooks_are_refused(content: str, settings: ExtractionSettings) -> None:
    with pytest.raises(PoisonDocumentError) as caught:
        extract(content.encode(), "a.ipynb", settings)
    assert caught.value.reason


def test_mail(read: Read) -> None:
    message = EmailMessage()
    message["Subject"], message["From"], message["To"] = "Заказ № 1", "Иван <i@x.org>", "a@b.c"
    message["Message-ID"] = "<1@x.org>"
    message.set_content("Прошу отгрузить:\n\n- плиту\n- балку\n")
    message.add_alternative("<p>Прошу отгрузить</p>", subtype="html")
    message.add_attachment(b"%PDF", maintype="application", subtype="pdf", filename="счёт.pdf")
    document = read(message.as_bytes(), "a.eml")
    assert outline(document) == [
        ("paragraph", "Прошу отгрузить:"),
        ("list_item1", "плиту"),
        ("list_item1", "балку"),
    ]
    assert (document.title, document.media_type) == ("Заказ № 1", "message/rfc822")
    assert document.attributes == {"from": "Иван <i@x.org>", "to": "a@b.c", "attachments": "счёт.pdf"}


def test_mail_with_a_page_only(read: Read) -> None:
    message = EmailMessage()
    message["Message-ID"] = "<1@x.org>"
    message.set_content("<h1>Глава</h1><p>Текст", subtype="html", charset="koi8-r")
    assert outline(read(message.as_bytes(), "a.eml")) == [("heading1", "Глава"), ("paragraph", "Текст")]


PARTS = """MIME-Version: 1.0
Message-ID: <1@x.org>
Subject: {subject}
Content-Type: multipart/{kind}; boundary="b"

--b
Content-Type: {first}; charset=utf-8

{one}
--b
Content-Type: {second}; charset=utf-8

{two}
--b--
"""


@pytest.mark.parametrize(
    ("kind", "first", "second", "read_texts"),
    [
        ("mixed", "text/html", "text/plain", ["Письмо", "Подпись <p>"]),
        ("mixed", "text/plain", "text/html", ["<p>Письмо</p>", "Подпись"]),
        ("related", "text/html", "text/html", ["Письмо", "Подпись"]),
        ("alternative", "text/html", "text/plain", ["Подпись <p>"]),
        ("alternative", "text/plain", "text/html", ["<p>Письмо</p>"]),
    ],
)
def test_mail_is_read_whole(read: Read, kind: str, first: str, second: str, read_texts: list[str]) -> None:
    parts = PARTS.format(
        subject="x", kind=kind, first=first, second=second, one="<p>Письмо</p>", two="Подпись <p>"
    )
    assert [text for _, text in outline(read(parts, "a.eml"))] == read_texts


def test_mail_takes_the_page_where_the_plain_alternative_is_blank(read: Read) -> None:
    source = PARTS.format(
        subject="x", kind="alternative", first="text/plain", second="text/html", one=" ", two="<h1>Глава</h1>"
    )
    assert outline(read(source, "a.eml")) == [("heading1", "Глава")]


@pytest.mark.parametrize(
    "subject", ["=?us-ascii?Q?caf=E9?=", "=?utf-8?B?0J/RgNC40LLQtdG?=", "=?no-such?Q?a?="]
)
def test_mail_with_a_broken_subject_is_read(read: Read, subject: str) -> None:
    source = PARTS.format(
        subject=subject, kind="mixed", first="text/plain", second="text/plain", one="Письмо", two="Далее"
    )
    document = read(source, "a.eml")
    assert document.text == "Письмо\n\nДалее"
    assert document.title == subject


@pytest.mark.parametrize(
    "content", ["Message-ID: <1>\n\n", "MIME-Version: 1.0\nContent-Type: image/png\n\nAAAA"]
)
def test_mail_without_text_is_refused(content: str, settings: ExtractionSettings) -> None:
    with pytest.raises(PoisonDocumentError) as caught:
        extract(content.encode(), "a.eml", settings)
    assert caught.value.reason
