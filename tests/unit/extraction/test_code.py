from __future__ import annotations

import pytest

from tests.support.invariants import element_text
from tests.support.outline import outline
from tests.unit.extraction.conftest import Read

PYTHON = '''"""Module."""
import os

LIMIT = 1


# Adds.
# Twice.
@cache
def add(a, b):

    return a + b


class Stack:
    def push(self): ...

    def pop(self): ...


if __name__ == "__main__":
    add(1, 2)
'''


def test_python_definitions(read: Read) -> None:
    document = read(PYTHON, "src/m.py")
    assert [text for _, text in outline(document)] == [
        '"""Module."""\nimport os\n\nLIMIT = 1',
        "# Adds.\n# Twice.\n@cache\ndef add(a, b):\n\n    return a + b",
        "class Stack:\n    def push(self): ...\n\n    def pop(self): ...",
        'if __name__ == "__main__":\n    add(1, 2)',
    ]
    assert {kind for kind, _ in outline(document)} == {"code"}
    assert document.attributes == {"programming_language": "python"}
    assert (document.media_type, document.title) == ("text/x-python", "m.py")


def test_other_languages(read: Read) -> None:
    cases = {
        "a.go": ("package a\n\n// F does.\nfunc F() {}\n\ntype T struct {\n\tX int\n}\n", 3),
        "a.rs": ("use std::io;\n\n/// Doc\n#[test]\nfn f() {}\n\nimpl T {\n    fn g() {}\n}\n", 3),
        "a.c": ("#include <a.h>\n\n/* F */\nint f(void) {\n  return 1;\n}\n\nint g(void) { return 2; }\n", 3),
        "a.js": ("import x from 'x';\n\nexport function f() {}\n\nclass A {}\n", 3),
        "a.sql": ("CREATE TABLE a (x int);\n\nCREATE TABLE b (\n  y int\n);\n", 2),
        "М.bsl": (
            (
                "Перем А;\n\n// Делает\n&НаСервере\nПроцедура Раз()\nКонецПроцедуры\n\n"
                "Функция Два()\nКонецФункции\n"
            ),
            3,
        ),
    }
    for path, (source, count) in cases.items():
        document = read(source, path)
        assert len(document.elements) == count, path
        assert document.text.split() == source.split()


def test_definitions_inside_a_wrapper_are_found(read: Read) -> None:
    body = "\n".join(f"int f{i}(void) {{\n  return {i};\n}}\n" for i in range(20))
    document = read(f"#ifndef A_H\n#define A_H\n\n{body}\n#endif\n", "a.h")
    assert len(document.elements) == 22


def test_methods_of_a_long_class_stand_under_its_signature(read: Read) -> None:
    body = "\n".join("        x = 1" for _ in range(15))
    methods = "\n\n".join(
        f'    @cache\n    def m{i}(self, a: int) -> str:\n        """Doc."""\n{body}' for i in range(3)
    )
    head = '"""Module."""\n\n\nclass Stack(Base):\n    """Doc."""\n\n    size = 1'
    source = f"{head}\n\n{methods}\n\n\ndef last():\n    pass\n"
    document = read(source, "a.py")
    assert [
        (item.heading_path, element_text(document, item).split("\n")[0]) for item in document.elements
    ] == [
        ((), '"""Module."""'),
        (("class Stack(Base)",), "class Stack(Base):"),
        (("class Stack(Base)", "def m0(self, a: int) -> str"), "    @cache"),
        (("class Stack(Base)", "def m1(self, a: int) -> str"), "    @cache"),
        (("class Stack(Base)", "def m2(self, a: int) -> str"), "    @cache"),
        (("def last()",), "def last():"),
    ]
    assert document.text.split() == source.split()


SIGNATURES = {
    "a.go": ("package a\n\nfunc (s *S) F(a int) error {\n\treturn nil\n}\n", "func (s *S) F(a int) error"),
    "a.rs": ("impl Foo for Bar {\n    fn g() {}\n}\n", "impl Foo for Bar"),
    "a.ts": ("export class A<T> extends B {\n  x = 1;\n}\n", "class A<T> extends B"),
    "a.js": ("const f = (a) => {\n  a();\n  return a;\n};\n", "const f = (a) =>"),
    "a.java": ("class A {\n  void f() {}\n}\n", "class A"),
    "a.kt": ("internal class A(x: Int) {\n  fun f() {}\n}\n", "internal class A(x: Int)"),
    "a.c": ("static int f(void)\n{\n  return 1;\n}\n", "static int f(void)"),
    "a.ex": ("defmodule A do\n  def f(x), do: x\nend\n", "defmodule A do"),
    "a.tf": ('resource "x" "y" {\n  a = 1\n}\n', 'resource "x" "y"'),
    "М.bsl": ("Функция Два(А) Экспорт\n  Возврат А;\nКонецФункции\n", "Функция Два(А) Экспорт"),
    "a.sql": ("CREATE TABLE a.b (\n  x int\n);\n", "CREATE TABLE a.b"),
    "a.sh": ("f() {\n  echo 1\n}\n", "f()"),
}


@pytest.mark.parametrize("path", SIGNATURES)
def test_an_element_carries_its_signature(read: Read, path: str) -> None:
    source, signature = SIGNATURES[path]
    (last,) = read(source, path).elements[-1].heading_path
    assert last.startswith(signature)


def test_what_a_program_wrote_is_not_parsed(read: Read) -> None:
    source = "function a(){};" * 5000
    assert len(read(source, "a.min.js").elements) == 1


def test_sources_in_windows_1251(read: Read) -> None:
    source = "// Считает итог по строкам таблицы\nФункция Итог()\n  Возврат 1;\nКонецФункции\n"
    assert read(source.encode("cp1251"), "М.os").text.split() == source.split()


def test_unknown_languages_are_cut_at_blank_lines(read: Read) -> None:
    assert [text for _, text in outline(read("a = 1\n\nb:\n  - 2\n", "a.properties"))] == [
        "a = 1",
        "b:\n  - 2",
    ]


def test_broken_code_loses_nothing(read: Read) -> None:
    source = "def f(:\n  x = = 1\n\n\nclass\n}}}\nконец"
    assert read(source, "a.py").text.split() == source.split()


def test_a_comment_behind_a_signature_is_no_part_of_it(read: Read) -> None:
    document = read("def f(a):\n    # why\n    return a\n\n\ndef g(b):  # why not\n    return b\n", "a.py")
    assert [item.heading_path for item in document.elements] == [("def f(a)",), ("def g(b)",)]
