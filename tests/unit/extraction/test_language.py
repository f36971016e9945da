from __future__ import annotations

import pytest

from extraction.language import detect_language


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Настоящий стандарт распространяется на бетоны.", "ru"),
        ("Настройка pool и queue в Airflow через airflow.cfg и AIRFLOW__CORE__EXECUTOR", "ru"),
        ("The slab is cast in place.", "en"),
        ("Installation guide", "en"),
        ("The word бетон means concrete in the language of the standard and of the trade.", "en"),
        ("Цей стандарт поширюється на бетони, їх класи і марки.", "und"),
        ("Die Straße ist für den Verkehr gesperrt und nicht befahrbar.", "und"),
        ("La poutre est calculée pour les charges.", "und"),
        ("日本語の文章", "und"),
        ("12.05.2020 — 5,2", "und"),
        ("", "und"),
    ],
)
def test_detect_language(text: str, language: str) -> None:
    assert detect_language(text) == language
