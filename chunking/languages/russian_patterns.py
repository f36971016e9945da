"""Patterns of what stands before and after the end of a Russian sentence.

Those of what stands before match at the end of the text, those of what stands after at its start.
"""

from __future__ import annotations

import re

from chunking.languages import russian_words as words

# --- What stands before a cut --------------------------------------------------------------------

LAST_WORD = re.compile(r"(?<![^\W\d_])((?:[^\W\d_]\.)*[^\W\d_]+)\.$")
NO_INITIAL = r"(?<!\w)(?<![A-ZА-ЯЁ]\.)(?<![A-ZА-ЯЁ]\.\s)"
NAMED = re.compile(rf"{NO_INITIAL}(?:{words.DESIGNATORS})\s+[А-ЯЁA-Z]\.$")
LATIN = re.compile(rf"{NO_INITIAL}[DFGIJLNQRSUVWYZ]\.$")
LETTER = re.compile(rf"{NO_INITIAL}[А-ЯЁ]\.$")
CODE = re.compile(r"(?:[\d°]|\d[-–])[А-ЯЁA-Z]\.$|\d\s[АВКНС]\.$|°\s?[СFК]\.$")
SEE = re.compile(
    r"(?:\b(?:ст|п{1,2}|ч|абз|гл|разд|прил|табл|рис|N)\.?|№|ть[яиюе]\w*|пункт\w*)\s[\d.,()–-]+\sсм\.$"
)
UNIT = re.compile(
    rf"\d\s?(?:{words.UNIT_WORDS})?(?:{words.UNITS})[23²³]?(?:[/·⋅](?:{words.UNITS})[23²³]?)*\.$"
    r"|\d,\d+\s?г\.$|(?:рт|вод)\.\s?ст\.$"
)
YEAR = re.compile(r"(?<!\d)(?:1[5-9]|20)\d\d\s?гг?\.$")
# Words that razdel takes for abbreviations: «уложить пол. Затем», «назначенным им. Результаты».
WHOLE_WORD = re.compile(
    r"(?<![\w-])(?:пол|ум|кит|том|пар)\.$"
    r"|(?:(?<!ств)[еая]нн\w{2}|[аяие]ть|ует|[аяую]ют|леж[иа]т|[аеяё]н[ыоа]?)\sим\.$",
    re.IGNORECASE,
)
FULL_NAME = re.compile(rf"(?:\S\s+){words.SURNAME}\s[А-ЯЁ]\.(?:\s?[А-ЯЁ]\.)?$")
DATE = re.compile(
    rf"(?:(?:{words.DATE_WORDS}|\d{{1,2}})\s){{0,6}}(?:\d{{4}}\s?[–—-]\s?)?\d{{4}}\s?гг?\.", re.IGNORECASE
)
LABEL = re.compile(
    rf"(?:(?:{words.LABELS})\s?(?:№\s?)?(?:(?:[А-ЯЁ]\.?)?\d+(?:[.-]\d+)*|[IVXLC]+|[А-ЯЁ])"
    rf"|(?:{words.NOTES})(?:\s\d+)?)\.|[«\"“]\d{{1,3}}(?:\.\d{{1,3}})*[.)]",
    re.IGNORECASE,
)
UNSPOKEN = re.compile(
    r"(?<![^\W\d_])(?<!\d\s)(?<!\d)(?!(?:т[дп]|др|пр)\.)[бвгджзклмнпрстфхцчшщ]{2,6}\.$", re.IGNORECASE
)
GLUED_WORD = re.compile(r"(?<![\w.@/-])((?:[а-яё]+-)*[а-яё]{2,})[.!?…]$")
GLUED_SIGN = re.compile(r"[\d)»%][.!?…]$")

# --- What stands after it ------------------------------------------------------------------------

NUMBER_NEXT = re.compile(r"[(\[]?(?:\d|№|N(?=\s)|[IVXLC]+\b)")
LETTER_NEXT = re.compile(r"[«\"]?[^\W\d_](?:\d|(?![^\W_]))")
WORD_NEXT = re.compile(
    r"[«\"(]?([А-ЯЁ][а-яё]{3,}(?!\w)|[А-ЯЁ][а-яё]{0,2}(?![\w.])|(?:См|Изм|Рис|Гл|Ст)(?=\.))"
)
CAPITAL_NEXT = re.compile(r"[«\"(]?[А-ЯЁA-Z]")
GLUED_NEXT = re.compile(r"[А-ЯЁ](?:[а-яё]+|(?=\s))(?![\w.@/])")
VERB = re.compile(r"\w+(?:[иы]те|йте|тся|ться|ются|ется)")
# «построен в 2010 г. Московским институтом»
AGENT = re.compile(r"\w+(?:[иы]м|[оеё]м|[оеё]й|[ая]ми|ью)")
SURNAME = re.compile(words.SURNAME)
# «Основы. — М.: Наука, 1985. — 240 с.»
IMPRINT_NEXT = re.compile(
    r"[^\S\n]+(?:[–—-]\s(?:[А-ЯЁ][А-Яа-яё-]*\.?\s?[:;]|[№\d]|(?:Т|Вып|Ч|С|Кн|N|URL|IS[BS]N|DOI)\b)|//\s)"
)
NEVER_NEXT = frozenset(",;:/=%)]}")
# «ст. 4921; 2008, № 43»
SEPARATED = re.compile(r"№|N\s\d|(?:19|20)\d\d,")
