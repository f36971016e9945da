from __future__ import annotations

import pytest

from extraction.extract import extract
from rubrica.errors import CorruptDocumentError
from rubrica.model import ElementKind
from rubrica.settings import ExtractionSettings
from tests.support.outline import outline, texts
from tests.unit.extraction.conftest import Read


def test_structure(read: Read) -> None:
    document = read(
        """---
title: "Нормы"
date: 2024-01-02
tags: [бетон, ж/б]
---
# Глава 1 {#first}

Текст *курсив* `код`
дальше<br>строка [ссылка](http://x "t") ![рисунок](i.png).[^1]

3. первый
   - вложенный

     абзац
4. второй

| Марка | Класс |
|-------|-------|
| Б1    | В25   |

Термин
: Определение

<details><summary>Кратко</summary>Подробно<script>alert(1)</script></details>

[^1]: Сноска.
""",
        "norms.md",
    )
    assert outline(document) == [
        ("heading1", "Глава 1"),
        ("paragraph", "Текст курсив код дальше\nстрока ссылка рисунок."),
        ("list_item1", "3. первый"),
        ("list_item2", "вложенный"),
        ("paragraph", "абзац"),
        ("list_item1", "4. второй"),
        ("table", "Марка | Класс\nБ1 | В25"),
        ("paragraph", "Термин"),
        ("paragraph", "Определение"),
        ("paragraph", "Кратко"),
        ("paragraph", "Подробно"),
        ("footnote", "Сноска."),
    ]
    assert document.title == "Нормы"
    assert document.attributes == {"title": "Нормы", "date": "2024-01-02", "tags": ["бетон", "ж/б"]}
    assert document.elements[6].header_rows == 1
    assert (document.language, document.media_type) == ("ru", "text/markdown")


@pytest.mark.parametrize("fence", ["```", "~~~", "~~~~"])
def test_fences_stay_whole(read: Read, fence: str) -> None:
    document = read(f"Перед\n\n{fence}bash\n# шаг 1\n\nmake\n{fence}\n\nПосле\n", "a.md")
    assert outline(document) == [
        ("paragraph", "Перед"),
        ("code", "# шаг 1\n\nmake"),
        ("paragraph", "После"),
    ]


def test_containers_and_template_tags(read: Read) -> None:
    document = read(
        '::: tip Важно\nвнутри\n:::\n\n{% note info "Замечание" %}\n\nтекст\n\n{% endnote %}\n', "a.md"
    )
    assert texts(document, ElementKind.PARAGRAPH) == ["Важно\nвнутри", "Замечание\nтекст"]


def test_mdx_modules_are_no_text(read: Read) -> None:
    document = read(
        "import { Tabs } from 'x';\n\n# Вкладки\n\n<Tabs>\n  <p>Один</p>\n</Tabs>\n\n{/* c */}\n", "a.mdx"
    )
    assert outline(document) == [("heading1", "Вкладки"), ("paragraph", "Один")]


@pytest.mark.parametrize(
    "front",
    ["a: [unclosed", "- list", "a: &x [1]\nb: [*x, *x]", "date: 2024-13-45"],
)
def test_front_matter_that_is_not_taken_is_kept_as_text(read: Read, front: str) -> None:
    document = read(f"---\n{front}\n---\n\nТекст\n", "a.md")
    assert outline(document) == [("code", front), ("paragraph", "Текст")]
    assert document.attributes == {}


def test_front_matter_values_are_safe_to_store(read: Read) -> None:
    document = read('---\na: "x\\0y"\nb: .nan\n1: 2024-01-02 03:04:05\n---\nТекст', "a.md")
    assert document.attributes == {"a": "x y", "b": "nan", "1": "2024-01-02T03:04:05"}


def test_clauses(read: Read) -> None:
    document = read("# 5 Бетон\n\n5.2.1 Класс бетона не ниже В25.\n\n12.05.2020 принято.\n", "a.md")
    assert [item.clause for item in document.elements] == ["5", "5.2.1", None]


@pytest.mark.parametrize("content", [">" * 5000 + " x", "- " * 3000 + "x", "[" * 30_000])
def test_bottomless_nesting_is_refused(content: str, settings: ExtractionSettings) -> None:
    with pytest.raises(CorruptDocumentError, match="nested") as caught:
        extract(content.encode(), "a.md", settings)
    assert (caught.value.document, caught.value.stage) == ("a.md", "extract")
