"""Markdown as documentation sites write it: MDX, YFM, Gramax, MkDocs, Docusaurus, Hugo, Jekyll, MyST."""

from __future__ import annotations

import pytest

from rubrica.model import ElementKind
from tests.support.outline import outline, texts
from tests.unit.extraction.conftest import Read


@pytest.mark.parametrize(
    ("front", "attributes"),
    [
        ("---\ntitle: Нормы\nweight: 3\n---\n", {"title": "Нормы", "weight": 3}),
        ("---\ntitle: Нормы\n...\n", {"title": "Нормы"}),
        ('+++\ntitle = "Нормы"\ndate = 2024-01-02\n+++\n', {"title": "Нормы", "date": "2024-01-02"}),
        ('{\n  "title": "Нормы", "tags": ["а"]\n}\n', {"title": "Нормы", "tags": ["а"]}),
    ],
)
def test_front_matter(read: Read, front: str, attributes: dict[str, object]) -> None:
    document = read(f"{front}\n# Глава\n\nТекст\n", "a.md")
    assert outline(document) == [("heading1", "Глава"), ("paragraph", "Текст")]
    assert (document.title, document.attributes) == ("Нормы", attributes)


def test_text_between_two_rules_is_no_front_matter(read: Read) -> None:
    document = read("---\n\nНачало: текст\n\nДалее\n\n---\n\n# Глава\n", "a.md")
    assert outline(document) == [
        ("paragraph", "Начало: текст"),
        ("paragraph", "Далее"),
        ("heading1", "Глава"),
    ]


def test_a_start_page_is_read_from_its_metadata(read: Read) -> None:
    front = "---\nlayout: home\nhero:\n  name: X\n  tagline: <b>Первый сайт</b> о нормах\n---\n"
    assert outline(read(front, "index.md")) == [("paragraph", "Первый сайт о нормах")]


@pytest.mark.parametrize(
    ("source", "code"),
    [
        ("```\n# шаг 1\n~~~\nmake\n```", "# шаг 1\n~~~\nmake"),
        ("````md\n```bash\n# шаг 1\n```\n````", "```bash\n# шаг 1\n```"),
        ("~~~~\n~~~\n# шаг 1\n~~~\n~~~~", "~~~\n# шаг 1\n~~~"),
        ("1. пункт\n\n   ```bash\n   # шаг 1\n\n   make\n   ```", "# шаг 1\n\nmake"),
        ("> ~~~\n> # шаг 1\n> ~~~", "# шаг 1"),
        ("```\n# шаг 1\n\n## шаг 2", "# шаг 1\n\n## шаг 2"),
        ("    # шаг 1\n    make", "# шаг 1\nmake"),
        ("```{code-block} bash\n:linenos:\n# шаг 1\n```", "# шаг 1"),
        ("{% highlight bash %}\n# шаг 1\n\n## шаг 2\n{% endhighlight %}", "# шаг 1\n\n## шаг 2"),
        ('{{< highlight bash "linenos=table" >}}\n# шаг 1\n{{< /highlight >}}', "# шаг 1"),
    ],
)
def test_e22_a_number_sign_in_code_is_no_heading(read: Read, source: str, code: str) -> None:
    document = read(f"# Глава\n\n{source}\n", "a.md")
    assert texts(document, ElementKind.HEADING) == ["Глава"]
    assert texts(document, ElementKind.CODE) == [code]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        # YFM
        ('{% note info "Важно" %}\n\nтекст\n\n{% endnote %}', ["Важно\nтекст"]),
        ("{% note warning %}\n\nтекст\n\n{% endnote %}", ["текст"]),
        ('{% cut "Кат" %}{#id name=a}\nтекст\n{% endcut %}', ["Кат\nтекст"]),
        ("{% include [описание](../a.md) %}\n\nтекст", ["текст"]),
        ('{% if os == "ios" %}\n\nтекст\n\n{% endif %}', ["текст"]),
        ("Слово {#anchor} и [{#T}](a.md) ##моно##", ["Слово и моно"]),
        ("[*термин]: Что он значит.", ["термин: Что он значит."]),
        ("![схема](a.png =600x) рядом", ["схема рядом"]),
        # Gramax
        ("[note:tip:Совет]\n\nтекст\n\n[/note]", ["Совет\nтекст"]),
        ("[tabs]\n\n[tab:Первая::]\n\nтекст\n\n[/tab]\n\n[/tabs]", ["Первая\nтекст"]),
        ("строка[br]другая [ссылка](x) [note]", ["строка\nдругая ссылка [note]"]),
        ("Прочность [note: при 20 °C] и [image: план] [comment: верно] [icon:plus].",
         ["Прочность [note: при 20 °C] и [image: план] [comment: верно] ."]),
        ("[note: при 20 °C]", ["[note: при 20 °C]"]),
        # No marks of anything
        ("Верно, если a==b и c==d, а i++ или a++b++c; ==важно== и ++подчёркнуто++.",
         ["Верно, если a==b и c==d, а i++ или a++b++c; важно и подчёркнуто."]),
        ("Тип List{T} здесь.", ["Тип List{T} здесь."]),
        # Docusaurus, VitePress, Pandoc
        (":::tip[Совет]{icon=x}\nтекст\n:::", ["Совет\nтекст"]),
        ("::: details Подробнее\nтекст\n:::", ["Подробнее\nтекст"]),
        ("::::note\n:::tip Внутри\nтекст\n:::\n::::", ["Внутри\nтекст"]),
        ("::: {.callout-note title='Совет'}\nтекст\n:::", ["Совет\nтекст"]),
        # MkDocs
        ('!!! note "Совет"\n    текст\n\n    ещё\n\nпосле', ["Совет\nтекст", "ещё", "после"]),
        ("??? tip\n    текст", ["текст"]),
        ('=== "Linux"\n    apt\n\n=== "Windows"\n    choco', ["Linux\napt", "Windows\nchoco"]),
        ('[TOC]\n\nтекст\n\n--8<-- "a.md"', ["текст"]),
        # Hugo, Jekyll, GitBook, Markdoc
        ('{{< figure src="a.png" title="Схема" >}}\n\nтекст', ["Схема", "текст"]),
        ("{{% notice %}}\nтекст\n{{% /notice %}}", ["текст"]),
        ("Версия {{ page.title }} {% assign a = 'б' %}и [ссылка]({% link a b.md %})",
         ["Версия {{ page.title }} и ссылка"]),
        ("{% raw %}{{ a_b_c }} {% x %}{% endraw %}", ["{{ a_b_c }} {% x %}"]),
        ("{% comment %}\nскрыто\n\nскрыто\n{% endcomment %}\n\nтекст", ["текст"]),
        ("Абзац\n{: .class}\n\nДругой", ["Абзац", "Другой"]),
        ('{% tabitem label="Звёзды" %}\nСириус\n{% /tabitem %}', ["Звёзды", "Сириус"]),
        # GitHub, Obsidian
        ("> [!NOTE]\n> текст", ["текст"]),
        ("> [!warning]- Осторожно\n> текст", ["Осторожно\nтекст"]),
        ("см. [[Свод правил|свод]] и ![[Рисунок]]", ["см. свод и Рисунок"]),
        ("в `{% note %}` и `<b>` и `{/* c */}`", ["в {% note %} и <b> и {/* c */}"]),
        ("до<!-- скрыто -->после", ["допосле"]),
        # MyST
        ("```{note} Совет\nтекст\n```", ["Совет\nтекст"]),
        ("{ref}`раздел <target>` и {term}`слово`", ["раздел и слово"]),
        ("(target)=\n\nтекст", ["текст"]),
    ],
)  # fmt: skip
def test_tags_go_and_their_titles_stay(read: Read, source: str, expected: list[str]) -> None:
    document = read(f"# Глава\n\n{source}\n", "a.md")
    assert texts(document, ElementKind.PARAGRAPH) == expected
    assert texts(document, ElementKind.CODE) == []


def test_tabs_of_yfm_are_a_list(read: Read) -> None:
    source = "{% list tabs %}\n\n- Linux\n\n    apt\n\n- Windows\n\n    choco\n\n{% endlist %}\n"
    assert outline(read(source, "a.md")) == [
        ("list_item1", "Linux"),
        ("paragraph", "apt"),
        ("list_item1", "Windows"),
        ("paragraph", "choco"),
    ]


MDX = """import {A} from './a.js'
import B from './b.js'

export const info = {
  author: 'x',

  date: new Date('2024-01-01')
}

{/* скрыто */}

# Глава {/*id*/}

<Note type="info">
  Текст **жирно** {' '}и {props.name}.

      глубоко
</Note>

<Tabs>
	<TabItem label="Звёзды">Сириус</TabItem>
	<TabItem label="Луны">Ио</TabItem>
</Tabs>

<LinkCard
  title="Ссылка"
  style={{color: 'red', a: [1 > 2]}}
/>

{items.map(function (item) {
  return <li>{item}</li>
})}

<div className="x">
  ## Внутри

  * раз
</div>

<table>
  <thead><tr><th>А</th></tr></thead>

  <tbody>
    <tr><td>б</td></tr>
  </tbody>
</table>
"""


def test_mdx(read: Read) -> None:
    assert outline(read(MDX, "a.mdx")) == [
        ("heading1", "Глава"),
        ("paragraph", "Текст жирно и {props.name}."),
        ("paragraph", "глубоко"),
        ("paragraph", "Звёзды\nСириус"),
        ("paragraph", "Луны\nИо"),
        ("paragraph", "Ссылка"),
        ("heading2", "Внутри"),
        ("list_item1", "раз"),
        ("table", "А\nб"),
    ]


def test_components_in_plain_markdown(read: Read) -> None:
    document = read(
        '<Intro>\n\nТекст <MathI>x</MathI> и List<String>.\n\n</Intro>\n\n<A b="c" title="Вид" />\n', "a.md"
    )
    assert texts(document, ElementKind.PARAGRAPH) == ["Текст x и List.", "Вид"]


def test_html_table_with_blank_lines_is_one(read: Read) -> None:
    source = (
        "<table>\n<tr><th>А</th><th>Б</th></tr>\n\n<tr><td>1</td>\n\n<td>2</td></tr>\n</table>\n\nдалее\n"
    )
    assert outline(read(source, "a.md")) == [("table", "А | Б\n1 | 2"), ("paragraph", "далее")]


def test_pipe_table_with_escaped_pipes_and_breaks(read: Read) -> None:
    document = read("| А | Б |\n|:--|--:|\n| `a\\|b` | раз<br>два |\n", "a.md")
    assert document.elements[0].rows == (("А", "Б"), ("a|b", "раз два"))


def test_wide_table_of_yfm(read: Read) -> None:
    source = """#|
|| **Имя** | Описание ||
|| `a` |

Первый абзац.

- пункт
``` yaml
a: 1 || 2
```
||
|| б | > ||
|| ^ | в \\| г ||
|| д |
#|
|| x | y ||
|#
||
|#

После.
"""
    document = read(source, "a.md")
    assert document.elements[0].rows == (
        ("Имя", "Описание"),
        ("a", "Первый абзац. пункт a: 1 || 2"),
        ("б", ""),
        ("б", "в | г"),
        ("д", "x | y"),
    )
    assert outline(document)[1:] == [("paragraph", "После.")]


def test_grid_table(read: Read) -> None:
    source = "+----+----+\n| А  | Б  |\n+====+====+\n| 1  | 2  |\n|    | 3  |\n+----+----+\n"
    document = read(source, "a.md")
    assert document.elements[0].rows == (("А", "Б"), ("1", "2 3"))
    assert document.elements[0].header_rows == 1


def test_footnotes_stand_where_they_are_defined(read: Read) -> None:
    document = read(
        "Раз[^1] два^[Сразу *тут*.]\n\n[^1]: Первая.\n\n    Ещё.\n\nТри\n\n[^2]: Лишняя.\n", "a.md"
    )
    assert outline(document) == [
        ("paragraph", "Раз два"),
        ("footnote", "Сразу тут."),
        ("footnote", "Первая."),
        ("footnote", "Ещё."),
        ("paragraph", "Три"),
        ("footnote", "Лишняя."),
    ]


def test_footnotes_in_footnotes_are_kept(read: Read) -> None:
    document = read("Раз^[Два^[Три] и^[Четыре]]\n\n^[^[Пять]]\n", "a.md")
    assert [text for _, text in outline(document)] == ["Раз", "Два и", "Три", "Четыре", "Пять"]


def test_formulas(read: Read) -> None:
    document = read("$$\na_1 * b_1\n$$\n\n```math\nx^2\n```\n\nгде $a_1$ и $b_1$, цена $5 и $10\n", "a.md")
    assert texts(document, ElementKind.FORMULA) == ["a_1 * b_1", "x^2"]
    assert texts(document, ElementKind.PARAGRAPH) == ["где $a_1$ и $b_1$, цена $5 и $10"]


def test_lists_and_headings(read: Read) -> None:
    source = "Первая\n======\n\nВторая {#b .c}\n---\n\n### Третья ###\n\n- [ ] раз\n- [x] два\n"
    source += "\n0) ноль\n1) один\n\n> # Цитата\n"
    assert outline(read(source, "a.md")) == [
        ("heading1", "Первая"),
        ("heading2", "Вторая"),
        ("heading3", "Третья"),
        ("list_item1", "☐ раз"),
        ("list_item1", "☑ два"),
        ("list_item1", "0. ноль"),
        ("list_item1", "1. один"),
        ("paragraph", "Цитата"),
    ]


@pytest.mark.parametrize(
    "unit",
    ["{% comment %}\n", "{/* ", "<A ", "<A b={", "#|\n", ":::x\n", "{{< a ", "$$\n",
     "!!! a\n", "{% raw %}", "<table>\n"]
)  # fmt: skip
def test_openings_that_never_close_cost_little_and_lose_nothing(read: Read, unit: str) -> None:
    document = read(f"Начало\n\n{unit * 2000}\n\nконец\n", "a.mdx")
    assert "Начало" in document.text
