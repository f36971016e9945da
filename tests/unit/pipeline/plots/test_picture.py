"""The chart as an image."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from pipeline.plots.picture import save_picture
from pipeline.plots.view import Limits, View, explained_view
from tests.support.chunking_parts import chunker, document, paragraphs
from tests.unit.pipeline.plots.norms import LIMITS, view_of_norm

RED, SLATE, OCHRE = (179, 38, 30), (86, 109, 123), (207, 154, 60)


def colours(file: Path) -> dict[tuple[int, ...], int]:
    with Image.open(file) as image:
        found = image.convert("RGB").getcolors(image.width * image.height) or []
    return {(*colour[:3],): count for count, colour in found if isinstance(colour, tuple)}


def near(file: Path, wanted: tuple[int, int, int], within: int = 12) -> int:
    """Pixels of about this colour."""
    return sum(
        count
        for colour, count in colours(file).items()
        if all(abs(one - other) <= within for one, other in zip(colour, wanted, strict=True))
    )


@pytest.mark.parametrize("chapters", [1, 6, 120])
def test_the_picture_shows_cuts_and_sizes(tmp_path: Path, chapters: int) -> None:
    file = tmp_path / "norm.png"
    save_picture(view_of_norm(chapters), file)
    assert near(file, RED) > 20
    assert near(file, SLATE) > 2000


def test_small_chunks_stand_out(tmp_path: Path) -> None:
    view = explained_view(chunker().explain(document(paragraphs(["One word."]))), Limits(40, 10))
    save_picture(view, tmp_path / "small.png")
    assert near(tmp_path / "small.png", OCHRE) > 1000


@pytest.mark.parametrize("view", [view_of_norm(title="$\\frac{1}{0}$ $_ $"), view_of_norm(title="ж" * 900)])
def test_a_title_is_no_formula_and_of_any_length(tmp_path: Path, view: View) -> None:
    save_picture(view, tmp_path / "title.png")
    assert (tmp_path / "title.png").stat().st_size > 10_000


def test_a_blank_document_and_one_without_cuts_have_pictures_too(tmp_path: Path) -> None:
    for number, texts in enumerate([[], ["One sentence."]]):
        file = tmp_path / f"{number}.png"
        save_picture(explained_view(chunker().explain(document(paragraphs(texts))), LIMITS), file)
        assert file.stat().st_size > 1000


def test_vectors_are_written_where_they_are_asked_for(tmp_path: Path) -> None:
    save_picture(view_of_norm(), tmp_path / "norm.svg")
    assert "<svg" in (tmp_path / "norm.svg").read_text()
