"""AsciiDoc and feeds."""

from __future__ import annotations

import pytest

from tests.support.outline import outline
from tests.unit.extraction.conftest import Read


def test_asciidoc(read: Read) -> None:
    document = read(
        """= Руководство
:lang: ru
// примечание

Вступление, https://x.org[ссылка].

== Раздел

.Пример
[source,bash]
----
# не заголовок

make
----

* раз
** глубже
. первый

[cols=2]
|===
|Марка |Класс

|Б1
|В25
|===

////
скрыто
////
NOTE: Важно.
""",
        "a.adoc",
    )
    assert outline(document) == [
        ("heading1", "Руководство"),
        ("paragraph", "Вступление, ссылка."),
        ("heading2", "Раздел"),
        ("caption", "Пример"),
        ("code", "# не заголовок\n\nmake"),
        ("list_item1", "раз"),
        ("list_item2", "глубже"),
        ("list_item3", "1. первый"),
        ("table", "Марка | Класс\nБ1 | В25"),
        ("paragraph", "NOTE: Важно."),
    ]
    assert document.attributes["lang"] == "ru"


@pytest.mark.parametrize("codec", ["utf-8", "cp1251", "koi8-r"])
def test_feed(read: Read, codec: str) -> None:
    feed = f"""<?xml version="1.0" encoding="{codec}"?><rss version="2.0"><channel><title>Новости</title>
    <description>Обо всём</description><item><title>Первая</title>
    <description>&lt;p&gt;Раз&lt;/p&gt;&lt;p&gt;Два&lt;/p&gt;</description></item></channel></rss>"""
    assert outline(read(feed.encode(codec), "a.xml")) == [
        ("heading1", "Новости"),
        ("paragraph", "Обо всём"),
        ("heading2", "Первая"),
        ("paragraph", "Раз"),
        ("paragraph", "Два"),
    ]
