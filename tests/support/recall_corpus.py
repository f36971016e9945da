"""A small corpus of rules for a harbour, with golden questions whose answers stand in one place each."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from indexing.recall.model import GoldenQuestion, GoldenSet, GoldenSpan
from indexing.store.terms import stems
from rubrica.protocols import TokenCounter
from tests.support.git_repository import Repository

_DOCUMENTS: dict[str, tuple[tuple[str, str, str, str], ...]] = {
    "Причалы": (
        (
            "Швартовка маломерных судов",
            (
                "Маломерное судно швартуется кормой к понтону с наветренной стороны. Между"
                " соседними корпусами"
                " оставляют не менее полутора метров чистой воды. Кранцы вывешивают до подхода к причалу."
            ),
            "Какое расстояние оставляют между соседними лодками у понтона?",
            "Между соседними корпусами оставляют не менее полутора метров чистой воды.",
        ),
        (
            "Освещение пирса",
            (
                "Фонари на пирсе включает дежурный электрик с заходом солнца. В туман свет"
                " горит круглые сутки."
                " Перегоревшую лампу заменяют в течение одной смены и записывают в журнал подстанции."
            ),
            "За какое время меняют перегоревшую лампу на пирсе?",
            "Перегоревшую лампу заменяют в течение одной смены и записывают в журнал подстанции.",
        ),
    ),
    "Топливо": (
        (
            "Заправка дизельным топливом",
            (
                "Дизельное топливо отпускают только у бункеровочного причала номер четыре. Двигатель глушат,"
                " пассажиры сходят на берег. Курить ближе двадцати пяти метров от колонки запрещено."
            ),
            "Ближе какого расстояния от топливной колонки нельзя курить?",
            "Курить ближе двадцати пяти метров от колонки запрещено.",
        ),
        (
            "Разлив нефтепродуктов",
            (
                "О пятне на воде сообщают диспетчеру по седьмому каналу. Боновое заграждение ставят за"
                " пятнадцать минут. Сорбент после сбора сдают на полигон как отход третьего класса."
            ),
            "Сколько минут даётся на установку бонового заграждения?",
            "Боновое заграждение ставят за пятнадцать минут.",
        ),
    ),
    "Краны": (
        (
            "Испытание портального крана",
            (
                "Портальный кран испытывают раз в год грузом на четверть больше паспортного. Груз держат на"
                " весу десять минут и смотрят, не просела ли стрела. Акт подписывает инспектор надзора."
            ),
            "Как часто испытывают портальный кран и каким грузом?",
            "Портальный кран испытывают раз в год грузом на четверть больше паспортного.",
        ),
        (
            "Работа при ветре",
            (
                "Подъём прекращают, когда порывы достигают четырнадцати метров в секунду. Стрелу поворачивают"
                " по ветру и ставят на стопор. Кабину машинист покидает по трапу с подветренной стороны."
            ),
            "При какой скорости ветра прекращают подъём груза?",
            "Подъём прекращают, когда порывы достигают четырнадцати метров в секунду.",
        ),
    ),
    "Склады": (
        (
            "Хранение зерна",
            (
                "Влажность зерна при приёмке не выше четырнадцати процентов. Насыпь"
                " проветривают вентиляторами"
                " дважды в сутки. Температуру меряют термоштангой на трёх глубинах."
            ),
            "Какая влажность зерна допускается при приёмке?",
            "Влажность зерна при приёмке не выше четырнадцати процентов.",
        ),
        (
            "Опасные грузы",
            (
                "Баллоны с кислородом держат отдельно от масел и красок. Ключ от клетки хранит"
                " начальник смены."
                " Знак опасности клеят на дверь на высоте глаз."
            ),
            "У кого находится ключ от клетки с баллонами?",
            "Ключ от клетки хранит начальник смены.",
        ),
    ),
    "Лёд": (
        (
            "Ледокольная проводка",
            (
                "Караван собирают у приёмного буя к шести часам утра. Дистанцию между судами"
                " назначает капитан"
                " ледокола, обычно три кабельтовых. Обгонять в канале нельзя."
            ),
            "Какую дистанцию держат суда за ледоколом?",
            "Дистанцию между судами назначает капитан ледокола, обычно три кабельтовых.",
        ),
        (
            "Зимняя стоянка",
            (
                "На зиму корпус поднимают на кильблоки и сливают воду из систем. Винт обвязывают мешковиной."
                " Майну вокруг причальных свай прорубают каждую неделю."
            ),
            "Как часто прорубают лёд вокруг свай причала?",
            "Майну вокруг причальных свай прорубают каждую неделю.",
        ),
    ),
    "Пассажиры": (
        (
            "Посадка на паром",
            (
                "Посадку на паром начинают за сорок минут до отхода. Людей с колясками пускают первыми."
                " Автомобили ставят на ручной тормоз и подкладывают башмаки."
            ),
            "За сколько времени до отхода начинается посадка на паром?",
            "Посадку на паром начинают за сорок минут до отхода.",
        ),
        (
            "Багаж",
            (
                "Без платы провозят одно место весом до двадцати килограммов. За велосипед"
                " берут половину цены"
                " билета. Забытые вещи лежат в камере хранения тридцать дней."
            ),
            "Сколько дней хранятся забытые вещи?",
            "Забытые вещи лежат в камере хранения тридцать дней.",
        ),
    ),
}


class StemEmbedder:
    """Vectors that mean something, quickly: each stem has a direction of its own, a text is their sum."""

    name = "stems"
    revision = "1"
    dimension = 128

    def __init__(self, counter: TokenCounter) -> None:
        self.counter = counter

    def embed_passages(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        return np.stack([self.embed_query(text) for text in texts])

    def embed_query(self, text: str) -> npt.NDArray[np.float32]:
        total = np.sum([_direction(stem) for stem in stems(text) or [""]], axis=0)
        return np.asarray(total / np.linalg.norm(total), np.float32)


class ConstantEmbedder(StemEmbedder):
    """The right name and size, and the same vector for everything: broken, and not seen from outside."""

    def embed_query(self, text: str) -> npt.NDArray[np.float32]:
        return np.full(self.dimension, self.dimension**-0.5, np.float32)


def _direction(stem: str) -> npt.NDArray[np.float64]:
    seed = int.from_bytes(hashlib.sha256(stem.encode()).digest()[:8], "big")
    return np.random.default_rng(seed).standard_normal(StemEmbedder.dimension)


def fill(repository: Repository, *, without: Iterable[str] = ()) -> None:
    """Write the documents into a repository, and some that answer nothing with the same words."""
    _fill_with_noise(repository)
    for title, sections in _DOCUMENTS.items():
        if title in without:
            continue
        parts = [f"# {title}"]
        for heading, text, _, _ in sections:
            parts += [f"## {heading}", text]
        repository.write(f"{title}.md", "\n\n".join(parts) + "\n")


def _fill_with_noise(repository: Repository, documents: int = 4, paragraphs: int = 20) -> None:
    words = [
        word for sections in _DOCUMENTS.values() for part in sections for word in part[1].lower().split()
    ]
    dice = random.Random(7)
    for number in range(documents):
        parts = [f"# Протокол {number}"]
        for i in range(paragraphs):
            sentences = [
                " ".join(dice.choices(words, k=9)).replace(".", "").replace(",", "") for _ in range(3)
            ]
            parts += [f"## Запись {i}", ". ".join(sentence.capitalize() for sentence in sentences) + "."]
        repository.write(f"Протокол {number}.md", "\n\n".join(parts) + "\n")


def questions(*, source: str = "norms", name: str = "harbour", origin: str = "import") -> GoldenSet:
    """Golden questions, two a document."""
    asked = tuple(
        GoldenQuestion(f"{title}-{i}", question, f"{title}.md", (GoldenSpan(quote),), "ru")
        for title, sections in _DOCUMENTS.items()
        for i, (_, _, question, quote) in enumerate(sections)
    )
    return GoldenSet(name, asked, source, origin)
