"""Words whose full stop does or does not end a sentence, beyond what razdel and Punkt know.

The lists hold what norms, manuals and papers use. razdel's own lists cover everyday Russian, the
Punkt model and its curated prefixes everyday English.
"""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


RU_NUMBERED = _words(
    """
    абз арт вып гл диам ил илл инв изм исп кат кл лл макс мод ном подп подразд поз
    прил приб прибл прим примеч разд рег ред рис сер сх табл уч фиг черт ч
    """
)
"""Stand before a number, Arabic or Roman: «табл. 3», «разд. IV»."""

RU_LETTERED = _words("илл исп кат кл подп подразд поз прил прим разд рис сх табл фиг черт")
"""Those of ``RU_NUMBERED`` that also stand before a letter: «прил. Б»."""

RU_DESIGNATORS = (
    r"[Оо]с[ьияеюям]+|[Тт]оч(?:к[аиуе]|ек|кой|ках)|прям(?:ая|ой|ую)|отрез\w+|вершин\w*|сторон\w*|узл?\w{0,3}|узел"
    r"|[Кк]ласс\w{0,3}|[Гг]рупп\w{0,3}|[Тт]ип\w{0,3}|[Мм]арк\w{1,3}|[Вв]ариант\w{0,3}|[Пп]риложени\w{1,2}"
    r"|[Кк]орпус\w{0,3}|[Кк]атегори\w{1,2}|[Лл]итер\w{0,2}|[Бб]лок\w{0,3}|букв\w{0,3}|[Зз]он\w{0,3}"
    r"|[Сс]екци\w{1,2}|[Пп]ункт\w{0,3}|подпункт\w{0,3}|[Тт]аблиц\w{0,3}|[Рр]исун\w{2,4}|[Сс]хем\w{0,3}"
    r"|[Рр]аздел\w{0,3}|[Чч]аст[ьиью]{1,2}|[Уу]част\w{2,4}|сечени\w{1,2}|[Рр]азрез\w{0,2}|[Вв]ид\w{0,3}"
    r"|[Пп]лан\w{0,3}|[Ээ]тап\w{0,3}|уров\w{2,4}|[Пп]одъезд\w{0,2}|[Сс]троени\w{1,2}|[Лл]ист\w{0,3}"
    r"|[Пп]озици\w{1,3}|индекс\w{0,3}|исполнени\w{1,3}|сорт\w{0,3}|[Фф]орм\w{0,3}|площадк\w{1,2}"
    r"|колонн?\w{0,3}|шкал\w{1,2}|витамин\w{0,3}|гепатит\w{0,3}|сери[ийяею]{1,2}|кварта\w{1,3}|лини\w{1,3}"
    r"|помещени\w{1,3}|величин\w{0,3}|параметр\w{0,3}|фаз\w{0,3}|график\w{0,3}"
    r"|[Тт]абл\.|[Пп]рил\.|разд\.|[Рр]ис\.|[Чч]ерт\.|[Фф]иг\.|поз\.|кл\.|кат\.|исп\."
)
"""Nouns that name something by one capital letter: «до оси А.», «по прил. Б.». A regular expression."""

RU_STARTERS = _words(
    """
    а без более в во все вследствие всё где данная данное данные данный далее для до допускается его ее
    её если ещё затем здесь и из или именно исключение их к каждая каждое каждый как какой когда который кроме
    между мы на над надо найдите например не нельзя необходимо но ну о об однако он она они оно от
    отсюда перед по под пока поскольку после потом поэтому при примечание причем причём про пусть рядом
    с сейчас следовательно следует следующий согласно со так также такая такие такое такой там те тем
    теперь то тогда только тот у хотя часто что чтобы эта эти это этот я является
    """
)
"""Words that open a sentence and are no surnames, in lower case."""

RU_UNITS = r"мм|см|дм|м|км|кг|л|мин|сек|шт|руб|лет|МПа|кПа|Па|кН|Вт|кВт|Гц"
"""Units after which a full stop ends a sentence even where no space follows. A regular expression."""

EN_NUMBERED = _words(
    """
    alg app appx approx art arts avg ca ch chap cl cor def eq eqn eqns eqs ex fig figs lem max min no nos
    para paras pp prop pt pts ref refs rev sec secs sect st tab tbl thm ver vol vols
    """
)
"""Stand before a number, bare or in brackets: "Eq. (2)", "max. 3 m"."""

EN_LETTERED = _words("app appx ch cl eq eqs ex fig figs sec sect tab tbl ref vol")
"""Those of ``EN_NUMBERED`` that also stand before a letter: "Fig. A.1"."""

EN_CONTINUED = _words("al approx avg ca cf e.g eg etc i.e ie incl excl max min resp viz vs")
"""Never end a sentence before a small letter, a number or an opening bracket: "et al. report"."""

EN_ALWAYS = _words("cf e.g i.e viz vs")
"""Never end a sentence."""

EN_DESIGNATORS = (
    r"class|type|group|axis|point|grade|zone|section|annex|appendix|figure|table|case|option|variant|plan"
    r"|level|category|part|phase|wall|side|line|node|model|vitamin|hepatitis|team|schedule|exhibit|block"
    r"|unit|building|room|column|note|clause|method|step|version|volume|Fig\.|Sec\.|App\.|Tab\."
)
"""Nouns that name something by one capital letter: "concrete of class A." A regular expression."""

EN_STARTERS = _words(
    """
    a all also although an and any as at because before both but by do each every first finally for from
    he hence her here his how however if in instead it its let many moreover most next no not note now of
    on once one only or otherwise our she since so some such that the their then there therefore these
    they this those though thus to under unless until use we what when where whether which while with you
    your
    """
)
"""Words that open a sentence and are no names, in lower case."""
