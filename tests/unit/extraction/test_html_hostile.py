"""Pages that are broken or made to break: read in bounded time, without loss."""

from __future__ import annotations

import pytest

from tests.unit.extraction.conftest import Read


@pytest.mark.timeout(120)
@pytest.mark.parametrize(
    "page",
    [
        "<div>" * 1900 + "слово",
        "<div>" * 20_000 + "слово" + "</div>" * 20_000,
        "<div><p>т</p>" * 10_000 + "слово",
        "<ul><li>" * 3000 + "слово",
        "<table><tr><td>" * 2000 + "слово",
        "<table><tr><th>а<td>" * 400 + "слово",
        "<b><i>" * 10_000 + "слово",
        "<div class=menu>" * 1000 + "слово",
        "<" * 100_000 + " слово",
        "<a " * 50_000 + "<p>слово",
        "<p a='" * 50_000 + "'>слово",
    ],
)
def test_e13_nesting_loses_nothing(read: Read, page: str) -> None:
    document = read(f"<p>начало</p>{page}<p>конец</p>", "a.html")
    assert document.text.startswith("начало")
    assert document.text.replace("</p>", "").rstrip("<>/p ").endswith(("слово", "конец"))


@pytest.mark.timeout(120)
@pytest.mark.parametrize(
    "page",
    [
        f'<p title="{"x" * 5_000_000}">слово',
        f'<p style="{"color:red;" * 200_000}">слово',
        f'<p class="{"a b " * 200_000}">слово',
        f"<style>{'.a{display:none}' * 100_000}</style><p>слово",
        f"<style>{'{' * 100_000}</style><p>слово",
        f"<!--{'-' * 1_000_000}--><p>слово",
    ],
    ids=["attribute", "style", "class", "sheet", "braces", "comment"],
)
def test_huge_attributes_and_sheets(read: Read, page: str) -> None:
    assert read(f"<html>{page}", "a.html").text == "слово"


@pytest.mark.timeout(120)
@pytest.mark.parametrize(
    "rows",
    [
        "<tr><td colspan=1000>x" * 20_000,
        "<tr>" + "<td>x" * 20_000 + "<tr><td>x" * 20_000,
        "<tr><td rowspan=65534>x<td>x" * 5000,
        "<tr>" + "<td rowspan=65534 colspan=1000>x" * 200 + "<tr><td>x" * 2000,
    ],
    ids=["colspan", "cross", "rowspan", "both"],
)
def test_spans_do_not_multiply(read: Read, rows: str) -> None:
    text = read(f"<table><tr><th>имя</th><th>вес</th></tr>{rows}</table>", "a.html").text
    assert rows.count(">x") <= text.count("x") <= 5_000_000


def test_entities_are_not_fetched_or_blown_up(read: Read) -> None:
    page = (
        '<!DOCTYPE html [<!ENTITY a "ха"><!ENTITY b "&a;&a;&a;"><!ENTITY f SYSTEM "file:///etc/passwd">]>'
        "<html><body><p>текст &b; &f; &amp; &nbsp;конец</p></body></html>"
    )
    for path in ("a.html", "a.xhtml"):
        text = read(page, path).text
        assert "root:" not in text
        assert "ха" not in text
        assert text.endswith("& конец")


def test_malformed_markup_keeps_its_text(read: Read) -> None:
    page = """<p>раз<div>два</p></b>три</div><table><p>четыре<tr><td>пять</table>
    <h2>шесть<p>семь&copy восемь&#xD800;"""
    text = read(page, "a.html").text
    assert all(word in text for word in ("раз", "два", "три", "четыре", "пять", "шесть", "семь© восемь"))
