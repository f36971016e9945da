from __future__ import annotations

import time

import pytest

from sources.http.client import _retry_after
from sources.http.marks import believes_lastmod, header_mark
from tests.support.web_site import WebSite
from tests.unit.sources.http.conftest import Open

HUGE = "Fri, 31 Dec 99999999999999999999 23:59:59 GMT"


@pytest.mark.parametrize(
    "lastmod", ["9999-12-31", "9999-12-31T23:59:59", "9999-12-31T23:59:59Z", "9999-12-31T23:59:59-23:59"]
)
def test_a_lastmod_that_ends_all_dates_is_not_believed(site: WebSite, open_site: Open, lastmod: str) -> None:
    assert not believes_lastmod(lastmod, time.time())
    site.write("/a.md", "a")
    location = site.sitemap("/a.md", lastmod={"/a.md": lastmod})
    assert open_site(location).snapshot() == open_site(location).snapshot()


@pytest.mark.parametrize("value", ["Fri, 31 Dec 9999 23:59:59 -2359", HUGE, "", "soon", "-1"])
def test_a_retry_after_that_is_no_date(value: str) -> None:
    assert _retry_after(value) is None


def test_a_last_modified_that_is_no_date() -> None:
    assert header_mark("/a.md", {"last-modified": HUGE}) == ""
    assert header_mark("/a.md", {"last-modified": "Mon, 01 Jun 2026 10:00:00 GMT", "date": HUGE}) == ""
