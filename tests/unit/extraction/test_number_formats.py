from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction.sheets.formats import shown


@pytest.mark.parametrize(
    ("value", "code", "text"),
    [
        (0.125, "0%", "13%"),
        (0.125, "0.0%", "12.5%"),
        (1234567.891, "#,##0.00", "1234567.89"),
        (2.5, "0", "3"),
        (990, '#,##0.00" руб."', "990.00 руб."),
        (105438, "00000000000", "00000105438"),
        (12, "_-* #,##0.00 [$₽-419]_-;-* #,##0.00 [$₽-419]_-", "12.00 ₽"),
        (-5, "#,##0_);(#,##0)", "(5)"),
        (-7, "0.00;[Red]-0.00", "-7.00"),
        (-0.001, "0.00", "0.00"),
        (0, '0;-0;"—"', "—"),
        (1500, '0.0,"K"', "1.5K"),
        (1.1, "0.0##", "1.1"),
        (3, "0.###", "3"),
        (1234.5, "0.00E+00", "1.23E+3"),
        (5, '"№ "0', "№ 5"),
        (12.5, "General", "12.5"),
        (0.1 + 0.2, "General", "0.3"),
        (3.5, "# ?/?", "3.5"),
        (79161234567, "0(000)000-00-00", "79161234567"),
        (150, "[>100]0.0;0", "150"),
        (45322, "dd.mm.yyyy", "31.01.2024"),
        (45322, "mm-dd-yy", "2024-01-31"),
        (45322.5, "m/d/yy h:mm", "2024-01-31 12:00"),
        (45322, '[$-419]d mmmm yyyy" г."', "31 января 2024 г."),
        (45322, "ddd d mmm yy", "Wed 31 Jan 24"),
        (45322.75, "hh:mm:ss", "18:00:00"),
        (0.5, "h:mm AM/PM", "12:00 PM"),
        (1.5, "[h]:mm:ss", "36:00:00"),
        (1e300, "0.00", "1e+300"),
        (-1, "dd.mm.yyyy", "-1"),
    ],
)
def test_shown(value: float, code: str, text: str) -> None:
    assert shown(value, code) == text


def test_days_since_1904() -> None:
    assert shown(0, "yyyy-mm-dd", since_1904=True) == "1904-01-01"


@given(
    value=st.floats(allow_nan=False, allow_infinity=False),
    code=st.text('0#?.,%;"\\[]dmyhsE+-_* $₽/@ag', max_size=20),
)
def test_no_format_is_too_strange(value: float, code: str) -> None:
    assert isinstance(shown(value, code), str)
