from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rubrica.errors import ConfigurationError
from sources.strict_yaml import parse_yaml

TAGS = ["bool", "int", "float", "timestamp", "binary", "null", "str", "seq", "map", "set", "omap", "pairs"]
VALUES = ["''", "foo", "[1]", "{b: c}", "[[1]]", "'0x'", "'+'", "1:1:1", "'%%%'", "9999-99-99", "-", "."]


@pytest.mark.parametrize(
    "value",
    [
        "!!int ''",
        "!!float ''",
        "!!bool foo",
        "!!timestamp x",
        "!!map [1]",
        "!!set [a]",
        "1:" * 400 + "1.0",
        "9" * 6000,
        "0x" + "f" * 6000,
        "2024-13-45",
        "[" * 3000,
        "{? [1] : 2}",
    ],
)
def test_odd_values_are_told_with_their_place(value: str) -> None:
    for text in (f"b: 1\na: {value}\n", f"b: 1\na:\n  c: [{value}]\n", f"b: 1\n? {value}\n: 1\n"):
        with pytest.raises(ConfigurationError, match=r"^f\.yaml, line [23]: ") as caught:
            parse_yaml(text.encode(), "f.yaml")
        assert len(str(caught.value)) < 200


@given(st.sampled_from(TAGS), st.sampled_from(VALUES) | st.text(max_size=8))
def test_no_tag_breaks_it(tag: str, value: str) -> None:
    with suppress(ConfigurationError):
        parse_yaml(f"a: !!{tag} {value}".encode("utf-8", "replace"), "f.yaml")


def test_good_values_are_read() -> None:
    assert parse_yaml(b"a: 1\nb: [x, 1.5, true, null]\nc: {d: 2026-01-31}\n", "f.yaml")["b"] == [
        "x",
        1.5,
        True,
        None,
    ]
    assert parse_yaml(b"", "f.yaml") is None
