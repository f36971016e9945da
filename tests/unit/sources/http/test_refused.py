"""One bad page costs itself only, and what is refused is not removed."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from rubrica.errors import ConfigurationError, PoisonDocumentError, SourceError, SourceUnavailableError
from rubrica.identity import digest
from rubrica.model import Snapshot, Stage
from tests.support.web_site import Page, WebSite
from tests.unit.sources.http.conftest import Open

FOREIGN = "https://sign-in.example/?back=b"


def paths(snapshot: Snapshot) -> list[str]:
    return [file.path for file in snapshot.files]


def bad_pages(site: WebSite) -> dict[str, Page]:
    """Pages that no further try mends."""
    return {
        "circle": Page(b"", {"Location": "/b.md"}, 302),
        "invalid": Page(b"", {"Location": "http://[bad"}, 302),
        "foreign": Page(b"", {"Location": FOREIGN}, 302),
        "encoding": Page(b"x", {"Content-Encoding": "br"}),
        "damaged": Page(gzip.compress(b"text" * 99)[:-20], {"Content-Encoding": "gzip"}),
        "refused": Page(b"", {}, 403),
        "teapot": Page(b"", {}, 418),
    }


KINDS = sorted(bad_pages(WebSite()))


@pytest.mark.parametrize("kind", KINDS)
def test_a_bad_page_does_not_stop_a_look(site: WebSite, open_site: Open, kind: str) -> None:
    site.write("/a.md", "a")
    site.pages["/b.md"] = bad_pages(site)[kind]
    found = open_site(site.sitemap("/a.md", "/b.md")).snapshot()
    assert paths(found) == ["a.md"]
    assert [item.path for item in found.skipped] == ["b.md"]
    assert found.skipped[0].reason.endswith(".")


@pytest.mark.parametrize("kind", KINDS)
def test_a_known_document_stays(site: WebSite, open_site: Open, kind: str) -> None:
    site.write("/a.md", "a")
    site.write("/b.md", "b")
    location = site.sitemap("/a.md", "/b.md")
    first = open_site(location).snapshot()
    site.pages["/b.md"] = bad_pages(site)[kind]
    for _ in range(2):
        assert open_site(location).snapshot() == first


@pytest.mark.parametrize("kind", KINDS)
def test_a_bad_page_fails_alone_when_it_is_read(site: WebSite, open_site: Open, kind: str) -> None:
    site.write("/a.md", "a")
    site.write("/b.md", "b")
    source = open_site(site.sitemap("/a.md", "/b.md"))
    first, second = source.snapshot().files
    site.pages["/b.md"] = bad_pages(site)[kind]
    with pytest.raises(PoisonDocumentError) as caught:
        source.read(second, "")
    assert (caught.value.document, caught.value.stage) == ("b.md", Stage.EXTRACT)
    assert source.read(first, "") == b"a"


@pytest.mark.parametrize(
    "page", [Page(b"", {}, 403), Page(b"", {}, 401), Page(b"", {"Location": FOREIGN}, 302)]
)
def test_a_site_that_refuses_as_a_whole_is_no_documents_fault(
    site: WebSite, open_site: Open, page: Page
) -> None:
    site.write("/a.md", "a")
    source = open_site(site.sitemap("/a.md"))
    [file] = source.snapshot().files
    site.pages = dict.fromkeys(site.pages, page)
    with pytest.raises(SourceError):
        source.read(file, "")


def test_a_server_that_refuses_every_head_is_asked_otherwise(site: WebSite, open_site: Open) -> None:
    site.write("/a.md", "a")
    source = open_site(site.sitemap("/a.md"))
    [file] = source.snapshot().files
    site.pages["/a.md"] = Page(b"", {}, 403)
    site.fail("/a.md", 403)
    site.fail("/sitemap.xml", 403)
    with pytest.raises(PoisonDocumentError):
        source.read(file, "")


@pytest.mark.parametrize(("status", "kind"), [(401, SourceError), (410, SourceUnavailableError)])
def test_what_stays_as_it_was(site: WebSite, open_site: Open, status: int, kind: type[Exception]) -> None:
    site.write("/a.md", "a")
    source = open_site(site.sitemap("/a.md"))
    [file] = source.snapshot().files
    site.pages["/a.md"].status = status
    site.pages["/a.md"].headers.clear()
    with pytest.raises(kind):
        source.read(file, "")


# --- What is remembered ---------------------------------------------------------------------------


def test_two_sources_of_one_site_do_not_forget_for_each_other(site: WebSite, open_site: Open) -> None:
    for name in ("/docs/a.md", "/docs/b.md", "/news/n.md"):
        site.write(name, name)
    location = site.sitemap("/docs/a.md", "/docs/b.md", "/news/n.md")
    first = open_site(location, include=["docs/**"]).snapshot()
    assert paths(open_site(location, include=["news/**"]).snapshot()) == ["news/n.md"]
    assert open_site(location, exclude=["docs/b.md"]).snapshot()
    assert open_site(location, options={"depth": 2}, exclude=["docs/**"]).snapshot()
    site.pages["/docs/b.md"] = Page(b"", {}, 403)
    assert open_site(location, include=["docs/**"]).snapshot() == first


def test_other_globs_begin_with_what_was_known(site: WebSite, open_site: Open) -> None:
    for name in ("/a.md", "/b.md", "/c.md"):
        site.write(name, name)
    location = site.sitemap("/a.md", "/b.md", "/c.md")
    open_site(location).snapshot()
    site.pages["/b.md"] = Page(b"", {}, 403)
    assert paths(open_site(location, exclude=["c.md"]).snapshot()) == ["a.md", "b.md"]


def test_what_an_earlier_version_kept_is_taken_over(site: WebSite, open_site: Open, tmp_path: Path) -> None:
    site.write("/a.md", "a")
    site.write("/b.md", "one", mark="modified", Last_Modified="Fri, 01 Jan 2999 10:00:00 GMT")
    location = site.sitemap("/a.md", "/b.md")
    first = open_site(location).snapshot()
    [kept] = (tmp_path / "home" / "http").glob("*.json")
    facts = json.loads(kept.read_text())
    facts["documents"]["/b.md"]["modified"] = "Fri, 01 Jan 2999 10:00:00 GMT"
    kept.with_name(f"{digest('http', location)}.json").write_text(json.dumps(facts))
    kept.unlink()
    site.pages["/a.md"] = Page(b"", {}, 403)
    site.pages["/b.md"].body = b"two"
    second = open_site(location).snapshot()
    assert second.files[0] == first.files[0]
    assert second.files[1].mark != first.files[1].mark


def test_a_date_too_fresh_is_not_sent_back(site: WebSite, open_site: Open) -> None:
    moment = "Mon, 01 Jun 2026 10:00:00 GMT"
    site.write("/a.md", "one", mark="modified", Last_Modified="Fri, 01 Jan 2999 10:00:00 GMT")
    location = site.sitemap("/a.md")
    first = open_site(location).snapshot()
    # The second change within that second: the server would say 304.
    site.pages["/a.md"].body = b"two"
    second = open_site(location).snapshot()
    assert second.files[0].mark != first.files[0].mark
    assert not any("If-Modified-Since" in headers for _, _, headers, _ in site.asked)
    site.write("/a.md", "two", mark="modified", Last_Modified=moment)
    settled = open_site(location).snapshot()
    site.requests()
    assert open_site(location).snapshot() == settled
    assert site.requests() == {"GET 200": 1, "HEAD 304": 1}


def test_a_token_that_no_header_takes(
    site: WebSite, open_site: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SITE_LOGIN", "пароль")
    source = open_site(site.sitemap("/a.md"), options={"auth_env": "SITE_LOGIN"})
    with pytest.raises(ConfigurationError, match="SITE_LOGIN") as caught:
        source.snapshot()
    assert "пароль" not in str(caught.value)
