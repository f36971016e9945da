"""Texts to draw."""

from __future__ import annotations

LONG = (
    "Настоящий свод правил распространяется на проектирование новых и реконструкцию существующих зданий и"
    " сооружений, а также на производство работ при их возведении, и устанавливает требования к составу"
    " проектной документации, к порядку её согласования и к хранению исполнительной документации."
)
OTHER = (
    "Требования, которые не установлены настоящим сводом правил, принимают по действующим стандартам и по"
    " заданию на проектирование, которое утверждает заказчик до начала работ на площадке строительства."
)
RUSSIAN = (
    "Требования настоящего раздела распространяются на проектирование лодочных станций и причалов."
    " Расстояние от края настила до ограждения следует принимать не менее ширины прохода, а нагрузку на"
    " перила определять расчётом с учётом скопления посетителей. Приёмку работ оформляют актом."
)
ENGLISH = (
    "The keeper of the station shall check the moorings before the first boat leaves the jetty. Where the"
    " water level has risen overnight, every line is to be slackened and the gangway lowered so that its"
    " slope stays within the limits given in the table. Records are kept for one season."
)


def shifted(text: str) -> str:
    """What a font without a Unicode map gives: every Cyrillic letter one place of the ASCII table."""
    return "".join(chr(ord(char) - 0x3D6) if "А" <= char <= "я" else char for char in text)
