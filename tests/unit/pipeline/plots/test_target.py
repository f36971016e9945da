"""Where drawings go."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.plots.target import PAGES, PICTURES, PlotTarget, Target
from rubrica.errors import ConfigurationError
from tests.unit.pipeline.plots.norms import LIMITS, norm

ALL = PAGES + PICTURES


def test_one_document_gets_the_file_that_was_named(tmp_path: Path) -> None:
    file = PlotTarget(tmp_path / "new" / "Page.HTML", several=False).write(norm(), LIMITS)
    assert file == tmp_path / "new" / "Page.HTML"
    assert file.read_text().startswith("<!doctype html>")
    picture = PlotTarget(tmp_path / "page.png", several=False).write(norm(), LIMITS)
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_several_documents_get_a_file_each_in_a_folder(tmp_path: Path) -> None:
    target = Target(tmp_path / "pages", ALL, several=True)
    written = [
        target.save(name, Path.touch).name for name in ("a/нормы.md", "b/нормы.md", "нормы.pdf", "../x.md")
    ]
    assert written == ["нормы.md.html", "нормы.md-2.html", "нормы.pdf.html", "x.md.html"]
    assert sorted(file.name for file in (tmp_path / "pages").iterdir()) == sorted(written)


def test_several_documents_do_not_fit_into_one_file() -> None:
    with pytest.raises(ConfigurationError, match=r"several documents.*Name a folder, such as out"):
        Target(Path("out.html"), ALL, several=True)


def test_a_document_is_never_drawn_over(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text("mine")
    (tmp_path / "link.html").symlink_to(page)
    for where in (page, tmp_path / "link.html", tmp_path / "." / "page.html"):
        with pytest.raises(ConfigurationError, match=r"read for it.*Name another file"):
            PlotTarget(where, several=False, sources=[page])
    beside = tmp_path / "page.html.html"
    beside.write_text("mine too")
    target = Target(tmp_path, ALL, several=True, sources=[page, beside])
    assert target.save("page.html", Path.touch).name == "page.html-2.html"
    assert (page.read_text(), beside.read_text()) == ("mine", "mine too")


def test_an_unknown_kind_of_file_is_refused_before_anything_is_done() -> None:
    with pytest.raises(ConfigurationError, match=r"\.pdf file cannot be drawn.*\.html or"):
        Target(Path("out.pdf"), ALL, several=False)


def test_a_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    target = Target(tmp_path / "file" / "page.html", ALL, several=False)
    (tmp_path / "file").touch()
    with pytest.raises(ConfigurationError, match=r"page\.html cannot be written"):
        target.save("a.md", Path.touch)


def test_what_cannot_be_written_is_said_at_once(tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    plain.touch()
    for where in (plain, plain / "x.html", plain / "folder" / "x.html"):
        with pytest.raises(ConfigurationError, match="no folder"):
            PlotTarget(where, several=False)
    PlotTarget(tmp_path / "new" / "deep" / "x.svg", several=False)
    assert not (tmp_path / "new").exists()
