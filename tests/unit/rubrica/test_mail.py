from __future__ import annotations

from email.utils import getaddresses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rubrica.mail import mail_addresses


def test_addresses_are_parted_at_commas_outside_of_names() -> None:
    found = mail_addresses('"Ли, Анна" <anna@here.test>, b@here.test,')
    assert len(found) == 2
    assert [address for _, address in getaddresses(found)] == ["anna@here.test", "b@here.test"]
    # A header takes them as they are.
    assert all(one.isascii() for one in found)


@pytest.mark.parametrize(
    "text", ["a@here.test\r\nBcc: b@here.test", "a@", "@b", "почта@пример.рф", "a b@c@d"]
)
def test_what_is_no_address_is_named(text: str) -> None:
    with pytest.raises(ValueError, match=r"is no e-mail address|has signs"):
        mail_addresses(text)


@given(st.text(max_size=60))
def test_whatever_is_taken_fits_into_one_line_of_a_header(text: str) -> None:
    try:
        found = mail_addresses(text)
    except ValueError:
        return
    assert all(one.isascii() and one.isprintable() and "@" in one for one in found)
