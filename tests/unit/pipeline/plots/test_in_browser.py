"""The pages as a reader meets them, in a real browser."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from pipeline.plots.chunk_page import chunk_page
from pipeline.plots.compare_page import Lane, compare_page
from pipeline.plots.view import View
from tests.support.browser import Browser, Page
from tests.support.chunking_parts import chunker
from tests.unit.pipeline.plots import hostile
from tests.unit.pipeline.plots.norms import LIMITS, norm, view_of_norm


def saved(folder: Path, page: str) -> Path:
    file = folder / "страница.html"
    file.write_text(page, "utf-8")
    return file


def plotted(folder: Path, view: View) -> Path:
    return saved(folder, chunk_page(view))


def side(page: Page, name: str) -> str:
    text = page.js(f"document.getElementById('{name}').textContent")
    assert isinstance(text, str)
    return " ".join(text.split()).strip("…")


def check_sides(page: Page, view: View, cut: int) -> None:
    """The text beside a cut stands on the right side of it."""
    text, position = view.document.text, view.cuts[cut].position
    assert side(page, "left")
    assert " ".join(text[:position].split()).endswith(side(page, "left"))
    assert " ".join(text[position:].split()).startswith(side(page, "right"))


def made(view: View) -> list[int]:
    return [i for i, cut in enumerate(view.cuts) if cut.chunk is not None]


def place(page: Page, view: View, cut: int) -> tuple[float, float]:
    """Where in the window a cut of the curve is drawn, as the script computes it."""
    box = page.js("(({left, top, width}) => [left, top, width])(plot.getBoundingClientRect())")
    scores = [row.score for row in view.cuts if row.score is not None]
    score = view.cuts[cut].score
    assert score is not None
    x = 46 + view.cuts[cut].position / len(view.document.text) * (box[2] - 48)
    y = 16 + 8 + (1 - (score - min(scores)) / (max(scores) - min(scores))) * (150 - 16)
    return box[0] + x, box[1] + y


def test_pointing_at_a_cut_shows_the_text_on_both_sides(browser: Browser, tmp_path: Path) -> None:
    view = view_of_norm()
    cut = next(i for i in made(view) if view.cuts[i].score is not None)
    with browser.open(plotted(tmp_path, view)) as page:
        page.hover(*place(page, view, cut))
        check_sides(page, view, cut)
        shown = page.js("document.getElementById('score').textContent")
        assert shown == f"{view.cuts[cut].score:.2f}".replace("-", "−")
        assert page.problems() == []


def test_clicking_a_cut_goes_to_its_text_and_back(browser: Browser, tmp_path: Path) -> None:
    view = view_of_norm(chapters=9)
    cut = [i for i in made(view) if view.cuts[i].score is not None][-1]
    with browser.open(plotted(tmp_path, view)) as page:
        page.click(*place(page, view, cut))
        page.settle()
        current = "document.querySelector('button.current')"
        assert page.js(f"Number({current}.dataset.cut)") == cut
        top = page.js(f"{current}.getBoundingClientRect().top")
        assert page.js("document.getElementById('chart').offsetHeight") < top < 900
        other = made(view)[2]
        page.js(f"document.querySelector('button[data-cut=\"{other}\"]').click()")
        page.settle()
        assert page.js(f"Number({current}.dataset.cut)") == other
        check_sides(page, view, other)


def test_keys_walk_over_the_cuts_and_zoom(browser: Browser, tmp_path: Path) -> None:
    view = view_of_norm(chapters=6)
    with browser.open(plotted(tmp_path, view)) as page:
        page.js("plot.focus()")
        for expected in made(view)[:3]:
            page.press("ArrowRight")
            check_sides(page, view, expected)
        page.press("ArrowRight", shift=True)
        check_sides(page, view, made(view)[2] + 1)
        page.press("End")
        check_sides(page, view, made(view)[-1])
        assert page.js("overview.hidden") is True
        page.press("+")
        assert page.js("overview.hidden") is False
        page.press("0")
        assert page.js("overview.hidden") is True
        page.press("Enter")
        assert page.js("scrollY") > 0


def test_an_unscored_cut_says_why(browser: Browser, tmp_path: Path) -> None:
    view = view_of_norm()
    row = next(i for i in made(view) if view.cuts[i].kind == "row")
    with browser.open(plotted(tmp_path, view)) as page:
        page.js(f"document.querySelector('button[data-cut=\"{row}\"]').click()")
        assert page.js("document.getElementById('why').textContent") == (
            "cut without a score: between two rows of a table"
        )
        assert "two rows" in page.js(f"document.querySelector('button[data-cut=\"{row}\"]').textContent")


@pytest.mark.parametrize(("width", "height"), [(360, 700), (1200, 900), (2200, 1200)])
@pytest.mark.parametrize("dark", [False, True])
def test_nothing_sticks_out_and_colours_follow_the_reader(
    browser: Browser, tmp_path: Path, width: int, height: int, dark: bool
) -> None:
    with browser.open(plotted(tmp_path, view_of_norm()), width=width, height=height, dark=dark) as page:
        assert page.js("document.documentElement.scrollWidth - innerWidth") <= 0
        colour = page.js("getComputedStyle(document.body).backgroundColor")
        level = int(colour.partition("(")[2].partition(",")[0])
        assert (level < 128) is dark
        assert page.problems() == []


@pytest.mark.parametrize("text", hostile.EVERY)
def test_a_hostile_document_runs_nothing(browser: Browser, tmp_path: Path, text: str) -> None:
    view = view_of_norm(chapters=1, title=text, extra=f"Before. {text} After.")
    with browser.open(plotted(tmp_path, replace(view))) as page:
        assert page.js("document.title") != "broken"
        assert page.js("document.querySelectorAll('script').length") == 2
        assert page.js("document.querySelectorAll('#text img, #text script, #text style').length") == 0
        page.js("plot.focus()")
        page.press("End")
        assert page.js("document.querySelector('h1 *').children.length") == 0
        assert page.problems() == []


def test_code_that_gets_in_all_the_same_is_refused(browser: Browser, tmp_path: Path) -> None:
    page_ = chunk_page(view_of_norm()).replace("</header>", f"</header>{hostile.SCRIPT}{hostile.HANDLER}")
    with browser.open(saved(tmp_path, page_)) as page:
        assert page.js("document.title") != "broken"
        assert page.problems() != []


def test_thousands_of_chunks_are_drawn(browser: Browser, tmp_path: Path) -> None:
    view = view_of_norm(chapters=400)
    assert len(view.chunks) > 1200
    with browser.open(plotted(tmp_path, view)) as page:
        page.js("plot.focus()")
        page.press("End")
        page.press("Enter")
        page.settle()
        check_sides(page, view, made(view)[-1])
        assert page.js("scrollY") > 10_000
        assert page.problems() == []


def compared(folder: Path, chapters: int = 5) -> tuple[Path, list[Lane]]:
    explanation = norm(chapters)
    coarse = chunker(max_tokens=80).chunk_one(explanation.document)
    lanes = [
        Lane("smart", explanation.chunks, {"chunks": str(len(explanation.chunks))}),
        Lane("coarse", coarse.chunks, {"chunks": str(len(coarse.chunks))}),
    ]
    return saved(folder, compare_page(explanation.document, lanes, LIMITS)), lanes


@pytest.mark.parametrize(("width", "columns"), [(1200, True), (360, False)])
def test_strategies_stand_in_columns_where_there_is_room(
    browser: Browser, tmp_path: Path, width: int, columns: bool
) -> None:
    file, _ = compared(tmp_path)
    with browser.open(file, width=width) as page:
        assert page.js("document.getElementById('columns').checked") is columns
        assert page.js("document.documentElement.scrollWidth - innerWidth") <= 0
        cells = "[...document.querySelectorAll('#r0 .cell')].map(c => c.textContent)"
        texts = page.js(cells)
        assert len(texts) == (2 if columns else 0)
        assert len(set(texts)) <= 1
        page.js("document.getElementById('columns').click()")
        page.settle()
        assert page.js("document.getElementById('compared').classList.contains('wide')") is not columns
        assert page.problems() == []


def test_a_far_row_is_in_sight_after_a_click_on_the_overview(browser: Browser, tmp_path: Path) -> None:
    file, _ = compared(tmp_path, chapters=60)
    with browser.open(file) as page:
        box = page.js("(({right, top}) => [right, top])(plot.getBoundingClientRect())")
        page.click(box[0] - 300, box[1] + 10)
        page.settle()
        page.settle()
        place_ = "document.querySelector('.row.current').getBoundingClientRect()"
        top, bottom = page.js(f"(({{top, bottom}}) => [top, bottom])({place_})")
        assert page.js("document.getElementById('chart').offsetHeight") <= top < bottom < 900
        assert page.js("scrollY") > 5000


def test_one_goes_from_difference_to_difference(browser: Browser, tmp_path: Path) -> None:
    file, lanes = compared(tmp_path)
    starts = [{chunk.start for chunk in lane.chunks} for lane in lanes]
    rows = sorted(starts[0] | starts[1])
    differing = [i for i, row in enumerate(rows) if not all(row in lane for lane in starts)]
    current = "Number(document.querySelector('.row.current').id.slice(1))"
    with browser.open(file) as page:
        for expected in differing[:3]:
            page.press("n")
            assert page.js(current) == expected
        page.press("p")
        assert page.js(current) == differing[1]
        page.press("p")
        page.press("p")
        assert page.js(current) == differing[-1]
        assert page.problems() == []
