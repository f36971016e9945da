"""Counts letter pairs for ``extraction/letter_pairs.py``, which it prints.

Run it with ``python -m training.letter_pairs SECTIONS PROFILES > extraction/letter_pairs.py``.

SECTIONS is the gzipped JSON lines of permissively licensed documentation that the boundary scorer was
trained on; it gives Russian and English technical prose. PROFILES is the folder ``profiles`` of
``langdetect`` 1.0.9 (Apache-2.0; counts over Wikipedia), which gives the other languages, so that
Ukrainian or German is not taken for nonsense.
"""

from __future__ import annotations

import argparse
import gzip
import json
import math
from collections import Counter
from pathlib import Path

from extraction.letters import CYRILLIC, EDGE, LATIN, fold
from extraction.text import word_set

_MAIN_SHARE = 0.6
_CYRILLIC_PROFILES = ("ru", "uk", "bg", "mk")
_LATIN_PROFILES = word_set(
    "af ca cs cy da de en es et fi fr hr hu id it lt lv nl no pl pt ro sk sl sq sv sw tl tr vi"
)
_SENTENCES = 200_000
_SMOOTHING = 1e-5
_STEPS_PER_BIT = 3
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
Pairs = Counter[tuple[str, str]]


def pairs_of_prose(path: Path, language: str, alphabet: str) -> Pairs:
    """Counts over the sentences of one language."""
    counts: Pairs = Counter()
    left = _SENTENCES
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            record = json.loads(line)
            if record["lang"] != language or left <= 0:
                continue
            left -= len(record["sents"])
            for *_, sentence in record["sents"]:
                _count(sentence, alphabet, counts)
    return counts


def _count(sentence: str, alphabet: str, counts: Pairs) -> None:
    for word in fold(sentence).split():
        letters = word.strip("«»\"'()[].,;:!?…")
        if letters and all(letter in alphabet for letter in letters):
            counts.update(zip(EDGE + letters, letters + EDGE, strict=True))


def pairs_of_profile(path: Path, alphabet: str) -> Pairs:
    """Counts from the character n-grams of a langdetect profile."""
    known = set(alphabet + EDGE)
    counts: Pairs = Counter()
    for gram, count in json.loads(path.read_text(encoding="utf-8"))["freq"].items():
        folded = fold(gram)
        if len(folded) == 2 and known.issuperset(folded):
            counts[folded[0], folded[1]] += count
    return counts


def mix(main: Pairs, others: list[Pairs]) -> dict[tuple[str, str], float]:
    """One distribution, the main language weighted most."""
    weighted = [(main, _MAIN_SHARE), *((other, (1 - _MAIN_SHARE) / len(others)) for other in others)]
    mixed: Counter[tuple[str, str]] = Counter()
    for counts, weight in weighted:
        total = sum(counts.values())
        for pair, count in counts.items():
            mixed[pair] += weight * count / total  # type: ignore[assignment]  # shares, not counts
    return dict(mixed)


def table(shares: dict[tuple[str, str], float], alphabet: str) -> list[str]:
    """A row of digits per first letter: surprise of each second letter, in thirds of a bit."""
    letters = alphabet + EDGE
    rows = []
    for first in letters:
        row = [shares.get((first, second), 0.0) + _SMOOTHING for second in letters]
        total = sum(row)
        steps = [round(-math.log2(share / total) * _STEPS_PER_BIT) for share in row]
        rows.append("".join(_DIGITS[min(step, len(_DIGITS) - 1)] for step in steps))
    return rows


def main() -> None:
    """Print the module."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sections", type=Path)
    parser.add_argument("profiles", type=Path)
    arguments = parser.parse_args()
    print('"""How surprising a letter is after another; written by ``training.letter_pairs``."""\n')
    print("from __future__ import annotations")
    for name, language, alphabet, profiles in (
        ("CYRILLIC_PAIRS", "ru", CYRILLIC, _CYRILLIC_PROFILES),
        ("LATIN_PAIRS", "en", LATIN, _LATIN_PROFILES),
    ):
        prose = pairs_of_prose(arguments.sections, language, alphabet)
        others = [pairs_of_profile(arguments.profiles / other, alphabet) for other in sorted(profiles)]
        rows = "\n".join(f'    "{row}",' for row in table(mix(prose, others), alphabet))
        print(f"\n{name} = (\n{rows}\n)")


if __name__ == "__main__":
    main()
