from __future__ import annotations

import pytest

from sources.http.site import Site

PLAIN = "xn--e1afmkfd.xn--p1ai"


@pytest.mark.parametrize("host", ["пример.рф", "ПРИМЕР.рф", PLAIN, PLAIN.upper(), "пример.рф."])
def test_an_internationalised_host_has_many_forms(host: str) -> None:
    site = Site.of(f"https://{host}/sitemap.xml")
    assert site.origin == f"https://{PLAIN}"
    for other in ("пример.рф", "Пример.РФ", PLAIN, f"{PLAIN}."):
        assert site.locate(f"https://{other}/a.md") == "/a.md"
        assert site.allows(f"https://{other}/a.md")
        assert not site.allows(f"http://{other}/a.md")
    for foreign in ("примера.рф", "xn--80akhbyknj4f", "пример.рф.example", "\u2603" * 70):
        assert site.locate(f"https://{foreign}/a.md") is None


def test_a_host_that_cannot_be_written_is_no_other() -> None:
    site = Site.of("https://" + "я" * 70 + ".рф/sitemap.xml")
    assert site.locate("https://" + "ю" * 70 + ".рф/a.md") is None
