from __future__ import annotations

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


def test_unknown_languages_and_data_are_cut_at_blank_lines(read: Read) -> None:
    assert [text for _, text in outline(read("a: 1\n\nb:\n  - 2\n", "a.yaml"))] == ["a: 1", "b:\n  - 2"]
    catalog = 'msgid "a"\nmsgstr "б"\n\nmsgid "c"\nmsgstr "д"\n'
    assert [text for _, text in outline(read(catalog, "ru.po"))] == [
        'msgid "a"\nmsgstr "б"', 'msgid "c"\nmsgstr "д"',
    ]  # fmt: skip


def test_broken_code_loses_nothing(read: Read) -> None:
    source = "def f(:\n  x = = 1\n\n\nclass\n}}}\nконец"
    assert read(source, "a.py").text.split() == source.split()
