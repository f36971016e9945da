"""E-mail addresses, as settings name them."""

from __future__ import annotations

import re
from email.utils import formataddr, getaddresses

# No library of addresses: those that check more refuse the domains of inner networks.
_ADDRESS = re.compile(r"""[^\s@,;:<>()\[\]"\\]+@[^\W_][\w.-]*""", re.ASCII)


def mail_addresses(text: str) -> tuple[str, ...]:
    """Addresses that are parted by commas, each with its name where it has one.

    Args:
        text: ``a@example.org, Anna <anna@example.org>``; empty for none.

    Raises:
        ValueError: One of them is no address.
    """
    if not text.isprintable():
        raise ValueError(f"{text!r} has signs that no e-mail address has")
    found = [pair for pair in getaddresses([text]) if pair != ("", "")]
    if text.strip(", ") and not found:
        raise ValueError(f"{text!r} is no e-mail address")
    for _, address in found:
        if not (address.isascii() and _ADDRESS.fullmatch(address)):
            raise ValueError(f"{address!r} is no e-mail address")
    return tuple(formataddr(pair) for pair in found)
