from __future__ import annotations

import gzip
import json
import time
from email.utils import formatdate
from pathlib import Path

import pytest

from rubrica.errors import LimitExceededError, SourceError, SourceUnavailableError
from rubrica.model import SourceFile
from sources.delta import compare
from tests.support.web_site import WebSite, web_site
from tests.unit.sources.http.conftest import Open

TEXT = "# Пожар\n\nКласс пожара А.\n"


def paths(files: tuple[SourceFile, ...]) -> list[str]:
    return [file.path for file in files]


def test_a_sitemap_is_read(site: WebSite, open_site: Open) -> None:
    site.write("/docs/%D0%BD%D0%BE%D1%80%D0%BC%D0%B0%20(1).md", TEXT)
    site.write("/docs/", "<html>x</html>")
    site.write("/a.md?v=2", "v2")
    location = site.sitemap("/docs/%D0%BD%D0%BE%D1%80%D0%BC%D0%B0%20%281%29.md", "/docs/", "/a.md?v=2")
    source = open_site(location)
    found = source.snapshot()
    assert paths(found.files) == ["a?v=2.md", "docs/index.html", "docs/норма (1).md"]
    assert [source.read(file, found.revision) for file in found.files] == [
        b"v2",
        b"<html>x</html>",
        TEXT.encode(),
    ]
    assert found.skipped == ()


@pytest.mark.parametrize("mark", ["etag", "modified"])
def test_an_unchanged_site_costs_one_small_request_a_document(
    site: WebSite, open_site: Open, mark: str
) -> None:
    for number in range(5):
        site.write(f"/{number}.md", TEXT * number, mark=mark)
    location = site.sitemap(*(f"/{number}.md" for number in range(5)))
    first = open_site(location).snapshot()
    assert site.requests() == {"GET 200": 1, "HEAD 200": 5}
    assert open_site(location).snapshot() == first
    assert site.requests() == {"GET 200": 1, "HEAD 304": 5}
    # Another machine remembers nothing and sees the same.
    assert open_site(location, home="elsewhere").snapshot() == first
    assert site.requests() == {"GET 200": 1, "HEAD 200": 5}


def test_a_server_without_head_is_asked_with_conditions(site: WebSite, open_site: Open) -> None:
    site.no_head = True
    site.write("/a.md", TEXT)
    location = site.sitemap("/a.md")
    first = open_site(location).snapshot()
    site.requests()
    assert open_site(location).snapshot() == first
    assert site.requests() == {"GET 200": 1, "HEAD 405": 1, "GET 304": 1}


def test_a_server_that_tells_nothing_is_read(site: WebSite, open_site: Open) -> None:
    site.write("/a.md", TEXT, mark="none")
    location = site.sitemap("/a.md")
    first = open_site(location).snapshot()
    site.write("/b.md", TEXT, mark="none")
    moved = open_site(site.sitemap("/b.md")).snapshot()
    delta = compare("site", {file.path: file.mark for file in first.files}, moved)
    assert [(move.old_path, move.file.path) for move in delta.moved] == [("a.md", "b.md")]
    site.write("/b.md", TEXT + "!", mark="none")
    assert open_site(location).snapshot().files[0].mark != moved.files[0].mark


def test_marks_are_bound_to_the_address_and_to_the_content(site: WebSite, open_site: Open) -> None:
    for name in ("a", "b"):
        site.write(f"/{name}.md", TEXT, mark="modified")
    location = site.sitemap("/a.md", "/b.md")
    before = open_site(location).snapshot()
    assert before.files[0].mark != before.files[1].mark
    site.write("/a.md", TEXT + "!", mark="modified")  # another size under the same date
    after = open_site(location, home="elsewhere").snapshot()
    assert after.files[0].mark != before.files[0].mark
    assert after.files[1] == before.files[1]
    assert after.revision != before.revision


def test_a_date_that_is_not_over_is_not_relied_on(site: WebSite, open_site: Open) -> None:
    soon = formatdate(time.time() + 3600, usegmt=True)
    site.write("/a.md", "one", mark="modified", Last_Modified=soon)
    location = site.sitemap("/a.md")
    first = open_site(location).snapshot()
    site.write("/a.md", "two", mark="modified", Last_Modified=soon)  # of the same size
    again = open_site(location, home="elsewhere")
    second = again.snapshot()
    assert second.files[0].mark != first.files[0].mark
    assert again.read(second.files[0], "") == b"two"


def test_a_settled_lastmod_saves_the_request(site: WebSite, open_site: Open) -> None:
    site.write("/a.md", TEXT)
    site.write("/b.md", TEXT)
    location = site.sitemap("/a.md", "/b.md", lastmod={"/a.md": "2026-06-01", "/b.md": "2999-01-01"})
    first = open_site(location).snapshot()
    site.requests()
    assert open_site(location).snapshot() == first
    assert site.requests() == {"GET 200": 1, "HEAD 304": 1}
    site.write("/a.md", TEXT + "!")
    site.sitemap("/a.md", "/b.md", lastmod={"/a.md": "2026-06-02", "/b.md": "2999-01-01"})
    assert open_site(location).snapshot().files[0].mark != first.files[0].mark
    site.requests()
    open_site(location, options={"recheck_hours": 0}).snapshot()
    assert site.requests() == {"GET 200": 1, "HEAD 304": 2}


def test_content_alone_is_believed_where_that_is_asked_for(site: WebSite, open_site: Open) -> None:
    site.write("/a.md", "one")
    location = site.sitemap("/a.md")
    first = open_site(location, options={"mark": "content"}).snapshot()
    site.pages["/a.md"].body = b"two"  # under the old ETag
    assert open_site(location, options={"mark": "content"}).snapshot().files[0].mark != first.files[0].mark


def test_sitemaps_of_sitemaps_and_packed_ones(site: WebSite, open_site: Open) -> None:
    for name in ("a", "b"):
        site.write(f"/{name}.md", name)
    site.sitemap("/a.md", at="/one.xml")
    site.sitemap("/b.md", at="/two.xml")
    site.write("/two.xml.gz", gzip.compress(site.pages["/two.xml"].body))
    index = "".join(
        f"<sitemap><loc>{site.origin}/{name}</loc></sitemap>" for name in ("one.xml", "two.xml.gz")
    )
    head = '<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
    site.write("/sitemap.xml", f"{head}{index}<sitemap><loc>/sitemap.xml</loc></sitemap></sitemapindex>")
    assert paths(open_site(f"{site.origin}/sitemap.xml").snapshot().files) == ["a.md", "b.md"]
    site.write("/two.xml.gz", gzip.compress(b"x" * 100)[:-20])
    with pytest.raises(SourceError, match="damaged"):
        open_site(f"{site.origin}/sitemap.xml").snapshot()


def test_a_packed_sitemap_does_not_fill_the_memory(site: WebSite, open_site: Open) -> None:
    site.write("/sitemap.xml.gz", gzip.compress(b" " * (60 << 20)))
    with pytest.raises(SourceError, match="unpacks to more than"):
        open_site(f"{site.origin}/sitemap.xml.gz").snapshot()


@pytest.mark.parametrize(
    "content",
    [
        "",
        "no sitemap",
        "<html><body>Sign in</body></html>",
        "<rss/>",
        "<urlset><url>",
        '<!DOCTYPE u [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><urlset><url><loc>&b;</loc></url></urlset>',
        '<!DOCTYPE u [<!ENTITY a SYSTEM "file:///etc/passwd">]><urlset><url><loc>/&a;</loc></url></urlset>',
        "<urlset/>",
        "<sitemapindex/>",
        "<sitemapindex><sitemap><loc>https://elsewhere.example/s.xml</loc></sitemap></sitemapindex>",
        "<sitemapindex><sitemap><loc>/missing.xml</loc></sitemap></sitemapindex>",
        "<urlset><url><loc>https://elsewhere.example/a.md</loc></url></urlset>",
    ],
)
def test_what_is_no_good_sitemap_never_looks_like_an_empty_site(
    site: WebSite, open_site: Open, content: str
) -> None:
    site.write("/sitemap.xml", content)
    with pytest.raises(SourceError):
        open_site(f"{site.origin}/sitemap.xml").snapshot()


def test_a_listing_is_followed_below_its_base(site: WebSite, open_site: Open) -> None:
    for name in ("top.md", "a/one.md", "a/b/two.md", "private/x.md"):
        site.write(f"/files/{name}", name)
    site.write("/other.md", "not below")
    base = site.listing("/files/", "../", "/", "?C=N;O=D", "top.md", "a/", "private/", "/other.md", "#x")
    site.listing("/files/a/", "../", "/files/", "one.md", "b/", "https://elsewhere.example/y.md", ".hidden/")
    site.listing("/files/a/b/", "../", "two.md", "mailto:x@example.org", "javascript:alert(1)")
    found = open_site(base, exclude=["private/"]).snapshot()
    assert paths(found.files) == ["a/b/two.md", "a/one.md", "top.md"]
    shallow = open_site(base, exclude=["private/"], options={"depth": 1}).snapshot()
    assert paths(shallow.files) == ["a/one.md", "top.md"]
    assert [item.path for item in shallow.skipped] == ["/files/a/b/"]
    with pytest.raises(SourceError, match=r"There is nothing at .*/private/"):
        open_site(base).snapshot()


@pytest.mark.parametrize("status", [403, 404, 418, 500])
def test_a_folder_that_cannot_be_listed_is_an_error(site: WebSite, open_site: Open, status: int) -> None:
    site.write("/files/top.md", "x")
    base = site.listing("/files/", "top.md", "a/")
    site.fail("/files/a/", status, status, status)
    with pytest.raises((SourceError, SourceUnavailableError)):
        open_site(base).snapshot()


def test_a_folder_that_is_no_page_is_an_error(site: WebSite, open_site: Open) -> None:
    site.write("/files/", "plain text", Content_Type="text/plain")
    with pytest.raises(SourceError, match="no page that lists files"):
        open_site(f"{site.origin}/files/").snapshot()


def test_busy_servers_are_asked_again(site: WebSite, open_site: Open) -> None:
    site.write("/a.md", TEXT)
    location = site.sitemap("/a.md")
    site.fail("/a.md", 503, Retry_After="0")
    site.fail("/sitemap.xml", 429)
    assert paths(open_site(location).snapshot().files) == ["a.md"]
    site.fail("/a.md", 502, 502)
    with pytest.raises(SourceUnavailableError, match="status 502"):
        open_site(location).snapshot()
    site.fail("/a.md", 503, Retry_After="7200")
    with pytest.raises(SourceUnavailableError, match="status 503"):
        open_site(location).snapshot()


def test_a_server_that_is_away(open_site: Open) -> None:
    with web_site() as site:
        location = site.sitemap("/a.md")
    with pytest.raises(SourceUnavailableError, match="cannot be reached"):
        open_site(location).snapshot()


def test_documents_that_are_gone_or_refused(site: WebSite, open_site: Open) -> None:
    for name in ("a", "b", "c"):
        site.write(f"/{name}.md", name)
    location = site.sitemap("/a.md", "/b.md", "/c.md", "/never.md")
    first = open_site(location).snapshot()
    assert [(item.path, "404" in item.reason) for item in first.skipped] == [("never.md", True)]
    del site.pages["/a.md"]
    site.pages["/b.md"].status = 403
    second = open_site(location).snapshot()
    assert paths(second.files) == ["b.md", "c.md"]  # refused is not removed
    assert second.files[0] == first.files[1]
    for name in ("b", "c"):
        del site.pages[f"/{name}.md"]
    with pytest.raises(SourceError, match="Not one of the 4 documents"):
        open_site(location).snapshot()


def test_redirects_stay_on_the_site(site: WebSite, open_site: Open) -> None:
    site.write("/new.md", TEXT)
    with web_site() as other:
        other.write("/secret.md", "internal")
        for name, place in {
            "/old.md": "/new.md",
            "/out.md": f"{other.origin}/secret.md",
            "/loop.md": "/loop.md",
        }.items():
            site.write(name, "", mark="none", Location=place)
            site.pages[name].status = 302
        source = open_site(site.sitemap("/old.md", "/out.md"))
        found = source.snapshot()
        assert paths(found.files) == ["old.md"]
        assert source.read(found.files[0], "") == TEXT.encode()
        assert [item.reason for item in found.skipped] == ["It redirects to another site."]
        with pytest.raises(SourceError, match="in a circle"):
            open_site(site.sitemap("/loop.md")).snapshot()
        site.write("/sitemap.xml", "", mark="none", Location=f"{other.origin}/sitemap.xml")
        site.pages["/sitemap.xml"].status = 301
        with pytest.raises(SourceError, match="redirects to another site"):
            open_site(f"{site.origin}/sitemap.xml").snapshot()
        assert other.asked == []


def test_a_document_that_changes_between_listing_and_reading(site: WebSite, open_site: Open) -> None:
    for name, mark in {"a": "etag", "b": "modified", "c": "none"}.items():
        site.write(f"/{name}.md", "one", mark=mark)
    source = open_site(site.sitemap("/a.md", "/b.md", "/c.md"))
    files = source.snapshot().files
    for name, mark in {"a": "etag", "b": "modified", "c": "none"}.items():
        site.write(f"/{name}.md", "and two", mark=mark)
    for file in files:
        with pytest.raises(SourceUnavailableError, match="was changed"):
            source.read(file, "")
    site.pages.clear()
    with pytest.raises(SourceUnavailableError, match="was removed"):
        source.read(files[0], "")


def test_large_documents_are_listed_and_refused(site: WebSite, open_site: Open) -> None:
    site.write("/a.md", b"x" * (1 << 20) + b"x")
    site.write("/b.md", b"x" * (1 << 20) + b"x", mark="none")
    site.write("/c.md", "small")
    source = open_site(site.sitemap("/a.md", "/b.md", "/c.md"), max_file_mb=1)
    files = source.snapshot().files
    assert paths(files) == ["a.md", "b.md", "c.md"]
    for file in files[:2]:
        with pytest.raises(LimitExceededError):
            source.read(file, "")
    # A server that lies about the size is cut off.
    liar = SourceFile("a.md", files[0].mark, 1)
    with pytest.raises(LimitExceededError):
        source.read(liar, "")


def test_too_many_documents(site: WebSite, open_site: Open) -> None:
    for number in range(4):
        site.write(f"/{number}.md", "x")
    with pytest.raises(SourceError, match="more than 3 documents"):
        open_site(site.sitemap("/0.md", "/1.md", "/2.md", "/3.md"), source_max_documents=3).snapshot()


@pytest.mark.parametrize(
    ("secret", "header"), [("anna:pä:ss", "Basic YW5uYTpww6Q6c3M="), ("t0ken", "Bearer t0ken")]
)
def test_a_login_comes_from_the_environment_and_stays_secret(
    site: WebSite,
    open_site: Open,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    secret: str,
    header: str,
    caplog: pytest.LogCaptureFixture,
    capsys: pytest.CaptureFixture[str],
) -> None:
    site.login = header
    site.write("/a.md", TEXT)
    location = site.sitemap("/a.md")
    with pytest.raises(SourceError, match="refuses access"):
        open_site(location).snapshot()
    monkeypatch.setenv("SITE_LOGIN", secret)
    source = open_site(location, options={"auth_env": "SITE_LOGIN"})
    found = source.snapshot()
    assert source.read(found.files[0], "") == TEXT.encode()
    written = "".join(path.read_text() for path in (tmp_path / "home").rglob("*.json"))
    said = written + caplog.text + "".join(capsys.readouterr()) + repr(source)
    assert "a.md" in written
    assert secret not in said
    assert header.split()[1] not in said


def test_a_login_with_a_line_break_does_not_leak(
    site: WebSite, open_site: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SITE_LOGIN", "sec\nret")
    with pytest.raises(SourceError) as caught:
        open_site(site.sitemap("/a.md"), options={"auth_env": "SITE_LOGIN"}).snapshot()
    assert "sec" not in str(caught.value)


def test_what_is_remembered_may_be_damaged(site: WebSite, open_site: Open, tmp_path: Path) -> None:
    site.write("/a.md", TEXT)
    location = site.sitemap("/a.md")
    first = open_site(location).snapshot()
    [memory] = (tmp_path / "home" / "http").glob("*.json")
    for content in ("{", "[]", "{}", json.dumps({"documents": {"/a.md": {"mark": 1}}})):
        memory.write_text(content)
        assert open_site(location).snapshot() == first


@pytest.mark.parametrize("path", ["../a.md", "a//b.md", "/a.md", "a/./b.md", "", "a\x00.md", "a\\b.md"])
def test_a_path_that_no_site_has_is_not_asked_for(site: WebSite, open_site: Open, path: str) -> None:
    source = open_site(site.sitemap("/a.md"))
    with pytest.raises(SourceError):
        source.read(SourceFile(path, "e", 1), "")
    assert site.asked == []


def test_unsafe_and_foreign_addresses_are_skipped(site: WebSite, open_site: Open) -> None:
    site.write("/a.md", TEXT)
    addresses = (
        "/a.md",
        "/x/%2e%2e/y.md",
        "/x//y.md",
        "https://elsewhere.example/b.md?token=abc",
        "http://[bad/",
    )
    found = open_site(site.sitemap(*addresses)).snapshot()
    assert paths(found.files) == ["a.md"]
    assert len(found.skipped) == 4
    assert "abc" not in str(found.skipped)
