"""The pages in a real browser, on an index that the real pipeline made."""

from __future__ import annotations

from collections.abc import Callable

import httpx
import pytest

from indexing.catalog.reading import DocumentInfo
from pipeline.recall import RecallRequest, evaluate_set
from pipeline.services import Services
from rubrica.settings import Settings
from tests.integration.plugins.pages.conftest import BIG, FakeAirflow, add_big, opened_pages, serving
from tests.support.browser import Browser, Page

pytestmark = pytest.mark.integration

ASKED = "/search?q=нагрузка+на+причал"
_TARGET = "document.querySelector('.chunk.current')"


def _stays_inside(page: Page) -> None:
    assert page.js("document.documentElement.scrollWidth - innerWidth") <= 0
    assert page.js("document.title") != "broken"
    assert page.problems() == []


def test_from_a_question_to_the_chunk_in_its_document(
    indexed: Services, address: str, browser: Browser
) -> None:
    with browser.open(f"{address}/search?lang=en") as page:
        assert page.js("document.activeElement.id") == "q"
        page.call("Input.insertText", text="нагрузка на причал")
        page.js("document.querySelector('form.ask').requestSubmit()")
        page.loaded()
        assert page.js("decodeURIComponent(location.search)") == "?q=нагрузка+на+причал"
        marked = page.js("document.querySelector('.hit mark').textContent.toLowerCase()")
        assert marked[:6] in {"причал", "нагруз"}
        assert page.js("document.querySelectorAll('.excerpt img, .excerpt script, h2 img').length") == 0
        assert "cl. 5." in page.js("document.querySelector('.hits').textContent")
        _stays_inside(page)
        page.js("document.activeElement.blur()")
        page.press("j")
        page.press("j")
        page.press("k")
        second = "document.activeElement === document.querySelectorAll('.hit h2 a')"
        assert page.js(f"{second}[0]") is True
        page.press("ArrowDown")
        assert page.js(f"{second}[1]") is True
        wanted = page.js("document.activeElement.href")
        page.press("/")
        assert page.js("document.activeElement.id") == "q"
        page.go(wanted)
        page.until(f"{_TARGET}")
        assert page.js(f"{_TARGET}.id") == wanted.partition("#")[2]
        top = page.js(f"{_TARGET}.getBoundingClientRect().top")
        assert 0 <= top < 900
        assert page.js(f"{_TARGET}.querySelector('.body').textContent.trim()") != ""
        _stays_inside(page)
    [document] = [item for item in _documents(indexed) if item.path == "нормы.md"]
    assert document.id in wanted


def _documents(services: Services) -> list[DocumentInfo]:
    live = services.catalog.generations.live(services.settings.indexing.alias)
    assert live is not None
    return list(services.catalog.reading.documents(live.id)[0])


def test_filters_pages_and_reasons(indexed: Services, address: str) -> None:
    with httpx.Client(base_url=address, headers={"accept-language": "en"}) as client:
        first = client.get(ASKED).text
        assert client.get(ASKED).text == first
        assert "Why this score" in first
        assert "Text around it" in first
        narrow = client.get(ASKED, params={"q": "причал", "clause": "5.3", "language": "ru"}).text
        assert narrow.count('<li class="hit">') >= 1
        assert "5.3" in narrow
        assert "Nothing was found" in client.get("/search?q=причал&standard=СП+1").text
        wrong = client.get("/search?q=причал&since=вчера")
        assert wrong.status_code == 400
        assert 'value="вчера"' in wrong.text
        assert "There is no such page" in client.get("/search?q=причал&page=900").text
        chunk = indexed.catalog.chunks.ids(1).pop()
        answer = client.get(f"/chunks/{chunk}", follow_redirects=False)
        assert answer.headers["location"].endswith(f"#chunk-{chunk}")
        assert client.get("/chunks/none").status_code == client.get("/documents/none").status_code == 404


def test_addresses_that_nobody_can_mean_are_no_faults(indexed: Services, address: str) -> None:
    assert indexed
    with httpx.Client(base_url=address) as client:
        for path, code in (
            ("/documents?source=%00", 200),
            ("/documents?words=%00", 200),
            ("/documents/%00", 404),
            ("/chunks/%00", 404),
            ("/api/documents/%00/chunks", 200),
            ("/search?q=%00", 200),
            ("/search?q=причал&source=%00", 400),
            ("/search?q=причал&standard=%00&clause=%00&language=%00", 200),
            ("/failures?source=%00", 200),
            ("/recall?set=%00", 200),
        ):
            assert (path, client.get(path).status_code) == (path, code)
        asked = {"documents": [{"source": "\0", "path": "\0"}]}
        answer = client.post("/api/retry", json=asked, headers={"origin": address})
        assert answer.status_code == 400


def test_dark_light_russian_and_narrow(indexed: Services, address: str, browser: Browser) -> None:
    paths = ["/?lang=ru", ASKED, "/documents", "/failures", "/recall"]
    assert indexed
    for width, dark in ((400, True), (1400, False)):
        with browser.open(f"{address}/?lang=ru", width=width, dark=dark) as page:
            for path in paths:
                page.go(address + path)
                assert page.js("document.documentElement.lang") == "ru"
                colour = page.js("getComputedStyle(document.body).backgroundColor")
                assert (int(colour.partition("(")[2].partition(",")[0]) < 128) is dark
                assert page.js("document.querySelectorAll('main, nav[aria-label], h1').length") >= 3
                _stays_inside(page)
            assert page.js("document.querySelector('nav a').textContent") == "Поиск"
            # Airflow keeps its reader's choice here; it is stronger than the system's.
            page.js(f"localStorage.setItem('theme', '{'light' if dark else 'dark'}')")
            page.go(f"{address}/")
            colour = page.js("getComputedStyle(document.body).backgroundColor")
            assert (int(colour.partition("(")[2].partition(",")[0]) < 128) is not dark
            page.js("localStorage.clear()")


def test_two_thousand_chunks(indexed: Services, address: str, browser: Browser) -> None:
    document, chunks = add_big(indexed)
    with browser.open(f"{address}/documents/{document}#chunk-{chunks[1500]}") as page:
        page.until(_TARGET)
        assert page.js(f"{_TARGET}.id") == f"chunk-{chunks[1500]}"
        assert page.js(f"{_TARGET}.querySelector('.body').textContent") == "Абзац 1500 о причале."
        assert page.js("document.querySelectorAll('.chunk').length") == BIG
        assert page.js("document.querySelectorAll('#contents a').length") == BIG // 100
        page.press("j")
        page.until(f"{_TARGET}.id === 'chunk-{chunks[1501]}'")
        page.press("c")
        page.press("ArrowRight")
        page.until("byId('right').textContent === 'Абзац 1502 о причале.'")
        assert page.js("byId('left').textContent") == "Абзац 1501 о причале."
        assert page.js("byId('score').textContent") == f"{1502 % 7 / 7:.2f}"
        assert page.js("byId('near').getAttribute('aria-valuenow')") == "1503"
        page.press("End")
        page.press("Enter")
        page.until(f"{_TARGET}.id === 'chunk-{chunks[-1]}'")
        page.until("'complete' in byId('text').dataset")
        empty = "[...document.querySelectorAll('.chunk .body')].filter(body => !body.textContent).length"
        assert page.js(empty) == 0
        _stays_inside(page)


def test_a_retry_starts_a_run(
    indexed: Services, address: str, browser: Browser, fake_airflow: FakeAirflow
) -> None:
    with browser.open(f"{address}/failures?lang=en") as page:
        assert "битый.pdf" in page.js("document.querySelector('.failures').textContent")
        assert "Open it in a PDF viewer" in page.js("document.querySelector('.failures').textContent")
        page.js("document.querySelector('button[data-path]').click()")
        page.until("document.querySelector('#runs a')")
        [(run_id, conf)] = fake_airflow.started.items()
        assert (conf["source"], conf["trigger"]) == ("norms", "retry")
        assert page.js("document.querySelector('#runs a').href").endswith(f"/dags/ingest/runs/{run_id}")
        page.until("document.querySelector('#runs .success')")
        _stays_inside(page)
    live = indexed.catalog.generations.live(indexed.settings.indexing.alias)
    assert live is not None
    assert indexed.catalog.indexed.known_marks(live.id, "norms", "any")["битый.pdf"] == ""


def test_who_may_only_look_gets_no_button(indexed: Services, settings: Settings) -> None:
    assert indexed
    with serving(opened_pages(settings, may_trigger=False)) as url, httpx.Client(base_url=url) as client:
        page = client.get("/failures", headers={"accept-language": "en"}).text
        assert "data-path" not in page
        assert "You may look, but not start runs" in page
        wanted = {"documents": [{"source": "norms", "path": "битый.pdf"}]}
        assert client.post("/api/retry", json=wanted, headers={"origin": url}).status_code == 403


def test_recall_shows_what_was_lost(indexed: Services, address: str, browser: Browser) -> None:
    from dataclasses import replace

    from pipeline.golden import sync_golden

    sync_golden(indexed, "norms")  # the source has no golden.yaml, so questions are made from its headings
    [golden] = indexed.catalog.golden.all()
    good = evaluate_set(indexed, golden, RecallRequest(), save=False)
    answers = tuple(
        replace(item, outcome=dict.fromkeys(item.outcome, 0.0), hits=item.hits[:1]) for item in good.answers
    )
    indexed.catalog.evaluations.save(replace(good, accepted=True))
    indexed.catalog.evaluations.save(
        replace(good, answers=answers, metrics=dict(good.metrics) | {"recall@5": 0.0})
    )
    with browser.open(f"{address}/recall?lang=en") as page:
        assert page.js("document.querySelectorAll('svg circle').length") == 6
        lost = page.js("document.querySelectorAll('.questions > li[data-verdict=lost]').length")
        assert lost == sum(item.outcome.get("recall@5", 0) == 1 for item in good.answers) > 0
        page.js("document.querySelector('#verdicts input[value=lost]').click()")
        visible = "[...document.querySelectorAll('.questions > li')].filter(row => !row.hidden).length"
        assert page.js(visible) == lost
        _stays_inside(page)


def test_empty_and_broken_states(make_settings: Callable[..., Settings], browser: Browser) -> None:
    with serving(opened_pages(make_settings())) as url, browser.open(f"{url}/?lang=en") as page:
        for path, said in (
            ("/", "rubrica ingest"),
            (ASKED, "Nothing is indexed yet"),
            ("/documents", "Nothing is indexed yet"),
            ("/failures", "Nothing is indexed yet"),
            ("/recall", "There are no golden questions yet"),
        ):
            page.go(url + path)
            assert said in page.js("document.querySelector('main').textContent")
            _stays_inside(page)
    dead = make_settings(postgres_url="postgresql://me:word@127.0.0.1:1/none")
    with serving(opened_pages(dead)) as url, httpx.Client(base_url=url) as client:
        answer = client.get("/search?lang=en")
        assert answer.status_code == 503
        assert "PostgreSQL does not answer" in answer.text
        assert "word" not in answer.text


def test_milvus_that_is_down_leaves_the_other_pages_open(
    indexed: Services, make_settings: Callable[..., Settings]
) -> None:
    assert indexed
    dead = make_settings(milvus_uri="http://127.0.0.1:1")
    with serving(opened_pages(dead)) as url, httpx.Client(base_url=url, timeout=60) as client:
        assert client.get("/documents").status_code == 200
        answer = client.get(ASKED, headers={"accept-language": "en"})
        assert answer.status_code == 503
        assert "Milvus does not answer" in answer.text
