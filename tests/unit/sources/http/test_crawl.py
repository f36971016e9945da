from __future__ import annotations

from typing import Any
from urllib.parse import unquote_to_bytes

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rubrica.model import SourceFile
from sources.filters import PathFilter
from sources.http import crawl, marks, sitemap
from sources.http.crawl import Finding
from sources.http.sitemap import Link
from tests.support.web_site import WebSite
from tests.unit.sources.http.conftest import Open

ADDRESS = "https://example.org/sitemap.xml"
PIECES = st.sampled_from(
    [
        *("a", "Z", "%20", "%2F", "%25", "%", "%3F", "?", "+", "%2B", ".", "..", "%2E", "/", "т", "%D1%82"),
        *("%D1", "\u202e", "%E2%80%AE", " ", "\\", "%5C", "&", "=", "index.html", ";", "%00", "~", "%7E"),
        *("'", '"', "[", "]", "|", "{", "}", "^", "`", "<", ">", "e\u0301", ":", "@", ".md", "%61", "\u00a0"),
    ]
)


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(*[st.lists(PIECES, min_size=1, max_size=6).map("".join)] * 2)
def test_every_listed_path_is_read_at_an_equal_address(open_site: Open, path: str, query: str) -> None:
    for address in (path, f"a.md?{query}", f"{path}?{query}"):
        _check_address(open_site, address)


def _check_address(open_site: Open, address: str) -> None:
    source = open_site(ADDRESS)
    finding = Finding(source._site, PathFilter(), 100)
    finding.add(Link(f"https://example.org/{address}"))
    for path, found in finding.documents.items():
        listed = SourceFile(path, marks.header_mark(found.target, {"etag": "1"}), 1)
        assert source._target(listed) == found.target
        named = source._site.locate(f"https://example.org/{address}") or ""
        assert unquote_to_bytes(found.target) == unquote_to_bytes(named)


def test_addresses_with_raw_brackets_are_read(site: WebSite, open_site: Open) -> None:
    site.write("/index.php?tx_news%5Bnews%5D=12", "news")
    site.write("/a.html?x=a%7Cb", "either")
    source = open_site(site.sitemap("/index.php?tx_news[news]=12", "/a.html?x=a|b"))
    found = source.snapshot()
    assert found.skipped == ()
    assert [source.read(file, "") for file in found.files] == [b"either", b"news"]


def test_sitemaps_are_dropped_as_they_are_read(
    site: WebSite, open_site: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(crawl, "_AT_ONCE", 2)
    names = [f"/{number}.xml" for number in range(9)]
    for name in names:
        site.write(name.replace("xml", "md"), "x")
        site.sitemap(name.replace("xml", "md"), at=name)
    items = "".join(f"<sitemap><loc>{name}</loc></sitemap>" for name in names)
    site.write("/sitemap.xml", f"<sitemapindex>{items}</sitemapindex>")
    ahead: list[int] = []
    parse = sitemap.parse_sitemap

    def watched(*given: Any) -> sitemap.Sitemap:
        ahead.append(len(site.asked) - len(ahead))
        return parse(*given)

    monkeypatch.setattr(sitemap, "parse_sitemap", watched)
    assert len(open_site(f"{site.origin}/sitemap.xml").snapshot().files) == 9
    assert len(ahead) == 10
    assert max(ahead) <= 2
