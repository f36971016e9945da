"""The invariants on text formats: any text, made of the pieces that their parsers look for."""

from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from extraction.extract import extract
from rubrica.errors import PoisonDocumentError
from rubrica.settings import ExtractionSettings
from tests.support.invariants import check_document

LIMITS = ExtractionSettings()
MARKDOWN = """
# |## |\n|\n\n|- |1. |> |> [!NOTE]|```|~~~|````|$$|$|[^1]|[^1]: |^[|{#id}|{|}|{/*|*/}|<A |<A>|</A>|
<div>|/>|<!--|-->|<table>|</table>
|{%|%}|{% note "a" %}|{% endnote %}|{% raw %}|{% endraw %}|{% highlight %}|{% endhighlight %}|{{<|>}}|
{{|}}|[note:|[/note]|:::|::: tip |!!! a\n
|=== "a"\n|    |\t|#@|@#|@@|+---+|+===+|`|`{a}|[[|]]|[|](|)|import a from 'b'|export const a = {|---\n|
+++\n|слово|word |*|_|\\|\r\n|import {
"""
RST = """
===|---|~~~|\n|\n\n|.. |note::|code-block:: a|table::|list-table::|csv-table::|figure:: a|image:: a|
math::|math|replace::|  |   |* |- |1. |#. |:a:|:ref:`
|`|``|`_|::|_a:|[1]|[1]_|[#]_|[*]_|+--+|+==+|=== ===|слово|word |*|**|\\|:orphan:|-a |--bb=c |>>> |
a : b|toctree::|unknown::|:class: x| <t>`|raw:: html||a|
"""
ASCIIDOC = """
= |== |=== |\n|\n\n|* |** |. |.. |- |a:: |<1> |+\n|----|....|====|____|****|++++|--|```|////|// |
[source]|[NOTE]|[cols=2]|[%header]|[quote,a,b]|[[a]]|<<a>>|.T\n
|#|##|`|*|_|^|~|{a}|:a: {a}|:!a:|ifdef::a[]|ifndef::a[b]|ifeval::["a" == "b"]|endif::[]|include::a[]|
image::a[b]|link:a[b]|xref:a[]|footnote:[a]
|@===|@|2+@|.2+@|3*@|a@|!===|,===|((|))|(((|+++|pass:[|]|\\|слово|word | +\n|https://a[|stem:[|:|;;|'''
"""
PLAIN = """
\n|\n\n|- |1. |1) |1.1 |Глава 1. |Статья 2. |ПРАВИЛА|===|---|+---+|@ |@|┌─┐|│|└─┘|\f|\b|\x1b[1m|    |\t|
слово|word |.|,|:|(|)|\u00ad\n|-\n|....|5|{|};
"""
DATA = """
{|}|[|]|"a"|:|,|1|null|\n|  |a: |- |b: ||\n|# |[x]|= |msgid "a"\n|msgstr "b"\n|"|<a>|</a>|<a b="c">|
<!DOCTYPE a>|&a;|<?xml version="1.0"?>|<para>|</para>|<title>|</title>
|<table>|<row>|<entry morerows="1">|<footnote>|<section>|слово|word |"cells":|"source":|
"cell_type":"markdown"
"""
PIECES = {
    "a.md": MARKDOWN, "a.mdx": MARKDOWN, "a.rst": RST, "a.adoc": ASCIIDOC, "a.txt": PLAIN, "a.json": DATA,
    "a.yaml": DATA,
    "a.toml": DATA, "a.po": DATA, "a.xml": DATA, "a.ipynb": DATA,
}  # fmt: skip


def pieces(path: str) -> list[str]:
    """The pieces between bars; ``@`` stands for a bar."""
    return [piece.replace("@", "|") for piece in PIECES[path].split("|")]


@pytest.mark.parametrize("path", PIECES)
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_any_mixture_is_read_or_refused(path: str, data: st.DataObject) -> None:
    part = st.one_of(st.sampled_from(pieces(path)), st.text(max_size=6))
    text = "".join(data.draw(st.lists(part, max_size=40)))
    try:
        document = extract(text.encode("utf-8", "surrogatepass"), path, LIMITS)
    except PoisonDocumentError as error:
        assert error.reason  # noqa: PT017 (a refusal is one of two right answers)
        return
    check_document(document)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=6) | st.dictionaries(st.text(min_size=1, max_size=8), inner, max_size=6)
    ),
    max_leaves=60,
)


@settings(max_examples=150, deadline=None)
@given(value=st.dictionaries(st.text(min_size=1, max_size=8), VALUES, min_size=1, max_size=30))
def test_any_json_is_read(value: dict[str, object]) -> None:
    check_document(extract(json.dumps(value).encode(), "a.json", LIMITS))


CELLS = st.fixed_dictionaries(
    {"cell_type": st.sampled_from(["markdown", "code", "raw"])},
    optional={"source": VALUES, "outputs": VALUES},
)


@settings(max_examples=60, deadline=None)
@given(cells=st.lists(VALUES | CELLS, min_size=1, max_size=8))
def test_any_cells_are_read_or_refused(cells: list[object]) -> None:
    try:
        check_document(extract(json.dumps({"cells": cells}).encode(), "a.ipynb", LIMITS))
    except PoisonDocumentError as error:
        assert error.reason  # noqa: PT017 (a refusal is one of two right answers)
