"""reStructuredText: docutils' own markup, Sphinx's, and what nobody knows."""

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
        """:Author: Иванов
:orphan:

.. _top:

=====
Нормы
=====

.. comment

Вступление с `ссылкой <https://x.org>`_, ``кодом`` и |имя|
на двух строках [1]_::

    >>> x

    >>> y

Первая
------

- раз

  абзац
- два

  a) глубже

Термин : вид
    Определение.

:param x: число
-v, --verbose  много слов

.. [1] Сноска.
.. [ГОСТ] Источник.

.. |имя| replace:: свод правил

Вторая
------

.. math:: a^2
   :label: eq
""",
        "a.rst",
    )
    assert outline(document) == [
        ("heading1", "Нормы"),
        ("paragraph", "Вступление с ссылкой, кодом и свод правил на двух строках :"),
        ("code", ">>> x\n\n>>> y"),
        ("heading2", "Первая"),
        ("list_item1", "раз"),
        ("paragraph", "абзац"),
        ("list_item1", "два"),
        ("list_item2", "a) глубже"),
        ("paragraph", "Термин : вид"),
        ("paragraph", "Определение."),
        ("list_item1", "param x: число"),
        ("list_item1", "-v, --verbose много слов"),
        ("footnote", "Сноска."),
        ("footnote", "[ГОСТ] Источник."),
        ("heading2", "Вторая"),
        ("formula", "a^2"),
    ]
    assert document.attributes == {"author": "Иванов", "orphan": ""}
    assert (document.title, document.media_type) == ("Нормы", "text/x-rst")


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (".. note:: Сразу\n\n   и дальше", ["Сразу", "и дальше"]),
        (".. warning::\n   :collapsible:\n\n   текст", ["текст"]),
        (".. versionadded:: 3.1\n   Нечто.", ["New in version 3.1 Нечто."]),
        (".. admonition:: Заголовок\n\n   текст", ["Заголовок", "текст"]),
        (".. toctree::\n   :maxdepth: 2\n\n   a\n   b\n\nтекст", ["текст"]),
        (".. unknown-thing:: имя\n   :a: б\n\n   текст", ["имя", "текст"]),
        (".. py:function:: f(x: int) -> str\n\n   Делает.", ["f(x: int) -> str", "Делает."]),
        (".. automodule:: docx.api\n   :members:", ["docx.api"]),
        (".. only:: html\n\n   текст", ["текст"]),
        (".. include:: /etc/passwd\n\nтекст", ["текст"]),
        (".. raw:: html\n\n   <b>x</b>\n\nтекст", ["текст"]),
        (".. image:: a.png\n   :alt: схема", ["схема"]),
        (".. tabs::\n\n   .. tab:: Linux\n\n      текст", ["Linux", "текст"]),
        ("см. :ref:`раздел <target>`, :py:class:`~a.b.C`, :doc:`/guide`, :кастом:`x` и :sup:`2`",
         ["см. раздел, C, /guide, :кастом:`x` и 2"]),
        ("`C`:py:class: и `обычный`", ["C и обычный"]),
        ("до |docx| после", ["до docx после"]),
        ("незакрытый *курсив и `ссылка_", ["незакрытый *курсив и `ссылка"]),
    ],
)  # fmt: skip
def test_directives_and_roles(read: Read, source: str, expected: list[str]) -> None:
    document = read(f"Глава\n=====\n\n{source}\n", "a.rst")
    assert texts(document, ElementKind.PARAGRAPH) == expected
    assert texts(document, ElementKind.CODE) == []


@pytest.mark.parametrize("name", ["code-block", "code", "sourcecode", "parsed-literal", "ipython", "mermaid"])
def test_e22_code_is_kept_whole(read: Read, name: str) -> None:
    code = f".. {name}:: bash\n   :linenos:\n   :caption: Пример\n\n   # шаг 1\n\n   Раз\n   ==="
    document = read(f"Глава\n=====\n\n{code}\n\nПосле\n", "a.rst")
    assert outline(document) == [
        ("heading1", "Глава"),
        ("caption", "Пример"),
        ("code", "# шаг 1\n\nРаз\n==="),
        ("paragraph", "После"),
    ]


@pytest.mark.parametrize(
    ("source", "rows", "headers"),
    [
        ("+---+---+\n| А | Б |\n+===+===+\n| 1 | 2 |\n+---+---+\n| в     |\n+-------+",
         (("А", "Б"), ("1", "2"), ("в", "")), 1),
        ("=== ===\nА   Б\n=== ===\n1   2\n=== ===", (("А", "Б"), ("1", "2")), 1),
        (".. list-table:: Имя\n   :header-rows: 1\n   :align: left\n\n   * - А\n     - Б\n   * - 1\n     - 2",
         (("А", "Б"), ("1", "2")), 1),
        ('.. csv-table::\n   :header: "А", "Б"\n   :unknown: x\n\n   1, 2', (("А", "Б"), ("1", "2")), 1),
    ],
)  # fmt: skip
def test_tables(read: Read, source: str, rows: tuple[tuple[str, ...], ...], headers: int) -> None:
    document = read(f"Текст\n\n{source}\n", "a.rst")
    table = document.elements[-1]
    assert (table.rows, table.header_rows) == (rows, headers)


def test_what_docutils_cannot_read_is_kept(read: Read) -> None:
    broken = "+---+---+\n| А | Б |\n+---+\n| 1 | 2 |\n+---+---+"
    document = read(f"Текст\n\n{broken}\n\nПосле\n", "a.rst")
    assert document.text.split() == f"Текст {broken} После".split()
    inconsistent = read("A\n=\n\nB\n-\n\nC\n~\n\nD\n-\n\nE\n+\n\nтекст\n", "a.rst")
    assert {"A", "B", "C", "D", "E", "текст"} <= set(inconsistent.text.split())


def test_nothing_is_read_from_elsewhere(read: Read) -> None:
    source = "Текст\n\n.. csv-table::\n   :file: /etc/passwd\n\n.. |d| date::\n\n|d|\n"
    document = read(source, "a.rst")
    assert "root" not in document.text


@pytest.mark.parametrize(
    "content",
    ["* " * 2000 + "x", "\n".join(" " * i + "* x\n" for i in range(400)), "|a| " * 2000,
     "``" * 3000, "*a " * 20_000, ":a:`" * 3000]
)  # fmt: skip
def test_hostile_input_is_read_or_refused(content: str, settings: ExtractionSettings) -> None:
    try:
        assert extract(f"Текст\n\n{content}\n".encode(), "a.rst", settings).text
    except CorruptDocumentError as error:
        assert "nested" in error.reason  # noqa: PT017 (a refusal is one of two right answers)
