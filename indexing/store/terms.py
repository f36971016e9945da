"""Words as the lexical half of the search compares them.

Milvus can stem on the server, Milvus Lite cannot, and neither can do Russian and English in one
field or see that "5.2.1" is one term. So the words are prepared here, the same way for chunks and
queries, and the collection's analyzer only has to split at spaces.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from importlib.metadata import version
from typing import Any

import snowballstemmer  # type: ignore[import-untyped]

REVISION = f"snowball-ru-en/{version('snowballstemmer')}/2"

_TOKEN = re.compile("\\d+(?:[./\\-\N{EN DASH}\N{EM DASH}]\\d+)+|[^\\W_]+")
_SPLIT = re.compile(r"\D+")
_PIECE = 4
_CYRILLIC = re.compile("[а-я]")
_LATIN = re.compile("[a-z]")


@cache
def _stemmer(language: str) -> Any:
    return snowballstemmer.stemmer(language)


@lru_cache(maxsize=65536)
def _stem(word: str) -> str:
    if _CYRILLIC.search(word):
        return str(_stemmer("russian").stemWord(word))
    if _LATIN.search(word):
        return str(_stemmer("english").stemWord(word))
    return word


def stems(text: str) -> list[str]:
    """Stemmed words of Russian and English text, in order.

    A compound number ("5.2.1", "7.32-2017") gives one term for the whole and one for each part.
    """
    terms: list[str] = []
    for token in _tokens(text):
        if token[0].isdigit() and not token.isalnum():
            parts = _SPLIT.split(token)
            # Only letters and digits survive every analyzer, so the whole is joined with one.
            terms += ["n".join(parts), *parts]
        else:
            terms.append(_stem(token))
    return terms


def search_terms(text: str) -> str:
    """What the lexical half of the search compares, separated by spaces: stems, and pieces of words.

    Stems alone part what a reader sees as one: «водонепроницаемость» and «проницаемость воды»,
    «транспортировать» and «перевозка грузовым транспортом». Pieces of four letters (McNamee, Mayfield:
    Character N-Gram Tokenization for European Language Text Retrieval, 2004) find them again; each stem
    stands twice, so that a whole word still weighs more. ``benchmarks.fusion`` measures both.
    """
    found = stems(text)
    return " ".join([*found, *found, *_pieces(text)])


def _pieces(text: str) -> Iterator[str]:
    for token in _tokens(text):
        if len(token) >= _PIECE and token.isalpha():
            marked = f"0{token}0"  # a digit marks where a word begins and ends, as no piece has one inside
            yield from (marked[i : i + _PIECE] for i in range(len(marked) - _PIECE + 1))


def _tokens(text: str) -> list[str]:
    found: list[str] = _TOKEN.findall(text.lower().replace("ё", "е"))
    return found
