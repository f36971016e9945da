"""Tells from its two parts whether a word cut at a hyphen is a compound that keeps it."""

from __future__ import annotations

import re

from extraction.text import word_set

# «инженерно-геологический», «физико-химический»: a compound, unless its first part makes closed ones.
_FIRST = re.compile(r".*(?:[бвгджзклмнпрстфхцчшщ]н|ск|ик|[лт]ь?н|граф)о$")
_CLOSED = re.compile(
    r"одно|верно|равно|разно|полно|трудно|легко|крупно|мелко|близко|низко|высоко|много|мало|само|ново"
    r"|общественно|внутренно|собственно|возможно|особенно|обязательно|действительно"
)
_NOUN_ENDING = re.compile(r"ст(?:ь|и|ью|ей|ям|ями|ях|ный|ная|ное|ные)$")
_SHORTEST_SECOND = 5
_TYPICAL = word_set(
    "архитектурно жилищно инженерно историко культурно лечебно материально медико механико монтажно научно"
    " национально объемно объёмно опытно организационно пожарно почвенно проектно производственно"
    " промышленно радиационно санитарно социально строительно технико технологически товарно торгово"
    " транспортно учебно физико финансово химико хозяйственно экономико топографо картографо"
)
_PARTICLES = word_set("то либо нибудь таки")
_BEFORE_PARTICLE = re.compile(
    r"(?:кто|что|как|где|куда|когда|чей|чья|чьё|кого|кому|чего|чему|како\w+|какая|какие|каким\w*|все|так)$"
)
# «self-employed», «evidence-based», «like-for-like».
_ENGLISH_FIRST = word_set("self well quasi")
_ENGLISH_INNER = word_set("a at by de for in of off on or out the to up and")
_ENGLISH_SECOND = word_set(
    "based oriented related specific dependent independent driven aware speaking preserving eligible"
    " funded resistant term made"
)
_ENGLISH_SHORTEST = 4


def is_compound(first: str, second: str) -> bool:
    """Whether two parts, in lower case, look like «инженерно» and «геологический»."""
    if len(second) < _SHORTEST_SECOND or _CLOSED.fullmatch(first) or _NOUN_ENDING.match(second):
        return False
    return _FIRST.match(first) is not None


def is_typical(first: str) -> bool:
    """Whether a part in lower case is the first one of compounds only: «инженерно»."""
    return first in _TYPICAL


def takes_particle(first: str, second: str) -> bool | None:
    """Whether the second part is a particle behind its pronoun: «кто-то»; ``None`` if it is no particle."""
    return _BEFORE_PARTICLE.match(first) is not None if second in _PARTICLES else None


def is_english_compound(first: str, second: str, *, hyphen_before: bool) -> bool:
    """Whether English writes two parts with a hyphen.

    Args:
        first: The first part, in lower case.
        second: The second part, in lower case.
        hyphen_before: Whether another hyphen stands before the first part.
    """
    if hyphen_before and first in _ENGLISH_INNER:
        return True
    if first in _ENGLISH_FIRST:
        return len(second) >= _ENGLISH_SHORTEST
    return second in _ENGLISH_SECOND and len(first) >= _ENGLISH_SHORTEST
