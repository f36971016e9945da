"""The catalogues of messages, and which language a reader gets."""

from __future__ import annotations

import re
from string import Formatter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import Markup
from rubrica_airflow.pages.rendering import FOLDER
from rubrica_airflow.pages.texts import LANGUAGES, Texts, language_of, messages, plural

_USED = re.compile(r'\bt\(\s*[\'"]([a-z0-9_.]+)[\'"]')
_PREFIXES = re.compile(r't(?:\.get)?\(\s*[\'"]([a-z0-9_.]+\.)[\'"] ~')


def _fields(message: str | list[str]) -> set[str]:
    forms = [message] if isinstance(message, str) else message
    return {name for form in forms for _, name, _, _ in Formatter().parse(form) if name}


def test_both_languages_say_the_same_things() -> None:
    english, russian = messages("en"), messages("ru")
    assert set(english) == set(russian)
    for key, message in english.items():
        assert _fields(message) == _fields(russian[key]), key
        assert isinstance(message, list) is isinstance(russian[key], list), key


@pytest.mark.parametrize(("language", "forms"), [("en", 2), ("ru", 3)])
def test_counted_messages_have_every_form(language: str, forms: int) -> None:
    assert {len(text) for text in messages(language).values() if isinstance(text, list)} == {forms}


def test_every_message_that_a_page_names_exists() -> None:
    pages = "".join(file.read_text("utf-8") for file in (FOLDER / "templates").glob("*.html"))
    known = set(messages("en"))
    assert {key for key in _USED.findall(pages) if not key.endswith(".")} - known == set()
    assert [part for part in _PREFIXES.findall(pages) if not any(key.startswith(part) for key in known)] == []


def test_every_message_that_a_script_names_exists() -> None:
    scripts = "".join(file.read_text("utf-8") for file in (FOLDER / "static").glob("*.js"))
    named = set(re.findall(r"\bwords\.([a-z_]+)", scripts))
    assert named - set(Texts("ru").below("js.")) == set()


@pytest.mark.parametrize(
    ("number", "said"),
    [(0, "0 документов"), (1, "1 документ"), (3, "3 документа"), (11, "11 документов"), (22, "22 документа")],
)
def test_russian_counts(number: int, said: str) -> None:
    assert Texts("ru")("documents", n=number) == said


@pytest.mark.parametrize(("number", "said"), [(1, "составлен "), (3, "составлены "), (5, "составлены ")])
def test_russian_says_how_many_questions_were_made(number: int, said: str) -> None:
    texts = Texts("ru")
    assert texts.get("origin.bootstrap", "", n=number).startswith(said)
    assert texts.get("origin.repository", "", n=number) == "из репозитория"
    assert texts.get("origin.new", "new", n=number) == "new"


@given(st.integers(0, 10_000))
def test_a_number_has_one_of_the_forms(number: int) -> None:
    assert plural("en", number) in {0, 1}
    assert plural("ru", number) in {0, 1, 2}


def test_what_is_filled_in_stays_escaped_or_stays_markup() -> None:
    assert Texts("en")("search.remove", name="<b>") == "Remove the filter <b>"
    said = Texts("en")("recall.alone", after=Markup("<time>&amp;</time>"))
    assert said == Markup("<time>&amp;</time>; there is nothing to compare it with yet")
    assert isinstance(said, Markup)


@pytest.mark.parametrize(
    ("asked", "remembered", "accepted", "expected"),
    [
        ("", "", "", "en"),
        ("", "", "ru-RU,ru;q=0.9,en;q=0.8", "ru"),
        ("", "", "en;q=0.3,ru;q=0.7", "ru"),
        ("", "", "de,ru;q=junk", "en"),
        ("", "ru", "en", "ru"),
        ("en", "ru", "ru", "en"),
        ("xx", "", "fr", "en"),
    ],
)
def test_language(asked: str, remembered: str, accepted: str, expected: str) -> None:
    assert language_of(asked, remembered, accepted) == expected


@given(st.text())
def test_any_header_gives_a_language(accepted: str) -> None:
    assert language_of(accepted, accepted, accepted) in LANGUAGES
