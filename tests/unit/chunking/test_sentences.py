from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from benchmarks.sentences import Passage, load, measure, splitters
from chunking.sentences import split_sentences

TAIGA = (
    Path(os.environ.get("RUBRICA_SHARED", Path(__file__).parents[4] / "shared"))
    / "data/sentences/ud_taiga_sentences.jsonl"
)


def split(text: str, language: str = "ru", *, newline_ends: bool = False) -> list[str]:
    return [text[start:end] for start, end in split_sentences(text, language, newline_ends=newline_ends)]


@pytest.mark.parametrize(
    "sentences",
    [
        ["Нагрузку принимают по п. 5.2.1 и табл. 3 настоящего свода.", "Далее см. прил. Б."],
        ["Согласно разд. 2 и подразд. 3.1, рис. А.1.", "Далее текст."],
        ["Расчёт приведён в прил. В.", "При расчёте по черт. 5 и поз. 3 учтена масса."],
        ["Шаг см. на фиг. IV и илл. 2.", "Прим. 1 не применяют."],
        ["Расстояние до оси А.", "Найдите длину участка."],
        ["Бетон класса В.", "Помещения категории Г.", "Далее см. табл. А.", "Следующее требование."],
        ["Напряжение U.", "Сопротивление R.", "Мощность P."],
        ["Работу выполнил А. Б. Петров."],
        ["Работу выполнил А. Петров.", "Он устал."],
        ["Роман написал Л. Толстой.", "Стихи написал А. Белый."],
        ["Коллекция П. Н. Рыбникова и П. И. Коробова цела."],
        ["Действует с 2012 г.", "При этом старый свод отменён."],
        ["Песок, щебень и т. д.", "Следующее предложение."],
        ["По ГОСТ Р 1.5—2012 и Smith et al. 2012, Fig. 3, это так.", "Конец."],
        ["1. Первый пункт.", "2. Второй пункт."],
    ],
)
def test_russian(sentences: list[str]) -> None:
    assert split(" ".join(sentences)) == sentences


@pytest.mark.parametrize(
    "sentences",
    [
        ["See Fig. 3 and Eq. (2).", "Use no. 5."],
        ["Smith et al. report that the slab holds.", "Jones et al. [5] and Brown et al. (2020) agree."],
        ["Concrete, i.e. B25, holds.", "As shown by Smith et al.", "The rest is new."],
        ["i.e. the slab is thick.", "E.g. the wall."],
        ["See Sec. 4.1 and Figs. 2-3, cf. Appendix B.", "Then approx. 5 mm, max. 3 m, min. 2 m."],
        ["Use class A.", "The slab is 3 m thick."],
        ["According to J. Smith and A.J. Brown the slab holds.", "Dr. Green agrees."],
        ["The answer is no.", "Everyone agreed."],
        ["The U.S. Army is here.", 'He said "Stop."', "Then he left."],
        ["(See Fig. A.1.)", "Then?!"],
    ],
)
def test_english(sentences: list[str]) -> None:
    assert split(" ".join(sentences), "en") == sentences


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("Толщина 0.5 мм.Шаг рёбер 20 см.Длина 5 м.", 3),
        ("Он пришёл!Шаг сделан.", 2),
        ("The gap is 0.5 mm.The next one is 3 m.", 2),
        ("The slab holds.The wall does not.", 2),
        ("Живёт на ул.Ленина, рядом с А.Пушкиным.", 1),
        ("Файл readme.txt лежит на example.com рядом.", 1),
        ("Call os.Path or http.Server with Node.js today.", 1),
    ],
)
def test_full_stop_without_a_space(text: str, count: int) -> None:
    assert len(split(text, "en")) == count


def test_newline_ends_a_sentence_where_asked_to() -> None:
    text = "первая строка\nвторая строка\n\nтретья"
    assert split(text, newline_ends=True) == ["первая строка", "вторая строка", "третья"]
    assert split(text, newline_ends=False) == ["первая строка\nвторая строка", "третья"]


def test_script_decides_before_the_language_given() -> None:
    assert split("См. табл. 3 ниже. Всё.", "en") == split("См. табл. 3 ниже. Всё.", "ru")
    assert split("See Fig. 3 below. Done.", "ru") == split("See Fig. 3 below. Done.", "en")


@pytest.mark.parametrize("language", ["und", "en", "zh", "ja", "hi"])
@pytest.mark.parametrize(
    "sentences",
    [
        ["他走了。", "他睡了！", "“好吗？”", "她问。"],
        ["「行く。」と言った。", "雨です。"],
        ["वह गया।", "वह सोया।"],
    ],
)
def test_full_stops_of_other_writings_end_sentences(sentences: list[str], language: str) -> None:
    assert split("".join(sentences), language) == sentences


def test_other_languages_have_models_of_their_own() -> None:
    assert split("Das gilt z.B. im Mai. Und im Juni.", "de") == ["Das gilt z.B. im Mai.", "Und im Juni."]
    assert split("これはペンです。それは本です。", "ja") == ["これはペンです。", "それは本です。"]


@given(
    text=st.text(st.sampled_from("аяАЯbzBZ15 .!?…\n\t,;:-–«»()\"'№°\u00a0\u2028"), max_size=120) | st.text(),
    language=st.sampled_from(["ru", "en", "und", "zh"]),
    newline_ends=st.booleans(),
)
@example(text="", language="ru", newline_ends=True)
@example(text=" \n \n ", language="ru", newline_ends=False)
def test_spans_cover_everything_but_blanks(text: str, language: str, newline_ends: bool) -> None:
    spans = split_sentences(text, language, newline_ends=newline_ends)
    edges = [edge for span in spans for edge in span]
    assert edges == sorted(edges)
    assert all(text[start:end] == text[start:end].strip() != "" for start, end in spans)
    covered = "".join(text[start:end] for start, end in spans)
    assert "".join(covered.split()) == "".join(text.split())
    if newline_ends:
        assert "\n" not in covered


@pytest.mark.parametrize("language", ["ru", "en"])
@pytest.mark.parametrize(
    "text",
    [
        "." * 100_000,
        "слово" + " ." * 30_000,
        "a\n " * 50_000,
        "ы" * 1_000_000,
        "A." * 100_000,
        "[1," * 100_000,
        "в " * 200_000 + "2010 г. А",
        "а." + " " * 500_000 + "Б",
    ],
    ids=lambda text: text[:8],
)
def test_hostile_text_is_split_like_any_other(text: str, language: str) -> None:
    # Quadratic work on any of these would run into the suite's time limit.
    spans = split_sentences(text, language, newline_ends=False)
    assert "".join(text[start:end] for start, end in spans).count("ы") == text.count("ы")
    assert spans[-1][1] == len(text.rstrip())


@pytest.mark.parametrize("language", ["ru", "en"])
def test_s01_to_s06_sentences_of_norms_and_manuals(language: str) -> None:
    _, passages = load(TAIGA.parents[1])[f"norms and manuals, {language}"]
    split = splitters(language)["ours"]
    assert [passage.text for passage in passages if split(passage.text) != passage.starts] == []
    assert len(passages) >= 120


@pytest.mark.parametrize("language", ["ru", "en"])
def test_norms_are_split_better_than_by_the_plain_libraries(language: str) -> None:
    _, passages = load(TAIGA.parents[1])[f"norms and manuals, {language}"]
    ours, *peers = (measure(passages, split).f1 for split in splitters(language).values())
    assert ours > max(peers)


def test_a_boundary_that_is_missing_and_one_that_is_false_both_count() -> None:
    score = measure([Passage("a b c d", frozenset({2, 4}))], lambda _: {4, 6})
    assert (score.precision, score.recall, score.f1) == (0.5, 0.5, 0.5)


@pytest.mark.skipif(not TAIGA.exists(), reason="the shared data is not here")
def test_no_worse_than_razdel_on_human_sentences() -> None:
    language, passages = load(TAIGA.parents[1])["UD Taiga"]
    split = splitters(language)
    assert measure(passages, split["ours"]).f1 >= measure(passages, split["razdel"]).f1
