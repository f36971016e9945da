"""``rubrica chunk --plot``."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.command_line import CommandLine

NORM = """# Причалы

## 5 Нагрузки

5.1 Расчётная нагрузка на причал принимается равной 4 кПа. Для проката её увеличивают.

5.2 Настил делают из досок. Сходню ставят с причала. Вода поднимается весной. Лёд сходит в апреле.

The deck is made of planks. A ramp leads to the shore. Water rises in spring. Ice leaves in April.
"""


@pytest.fixture
def rubrica(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> CommandLine:
    monkeypatch.setenv("RUBRICA_HOME", str(tmp_path / "home"))
    return CommandLine(monkeypatch, capsys)


@pytest.fixture
def norm(tmp_path: Path) -> Path:
    path = tmp_path / "нормы <и> правила.md"
    path.write_text(NORM)
    return path


def test_a_page_is_drawn_beside_the_table(rubrica: CommandLine, norm: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    done = rubrica("chunk", str(norm), "--max-tokens", "40", "--plot", str(page))
    assert done.code == 0
    assert "begins with" in done.out
    assert f"drawn: {page}" in done.out
    html = page.read_text()
    assert "нормы &lt;и&gt; правила.md" in html
    assert "Сходню ставят с причала." in html
    assert "smart, optimal" in html
    assert "pairs scored" in html


def test_json_stays_one_chunk_a_line(rubrica: CommandLine, norm: Path, tmp_path: Path) -> None:
    picture = tmp_path / "page.png"
    done = rubrica("chunk", str(norm), "--json", "--max-tokens", "40", "--plot", str(picture))
    assert {item["type"] for item in done.objects} == {"chunk"}
    assert str(picture) in done.err
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_a_strategy_without_scores_is_drawn_too(rubrica: CommandLine, norm: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    options = ("--strategy", "recursive", "--max-tokens", "40", "--plot", str(page))
    assert rubrica("chunk", str(norm), *options).code == 0
    assert "recursive" in page.read_text()
    assert "pairs scored" not in page.read_text()


def test_several_files_get_a_page_each(rubrica: CommandLine, norm: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.txt"
    other.write_text("One sentence. Another one.")
    pages = tmp_path / "pages"
    assert rubrica("chunk", str(norm), str(other), "--plot", str(pages)).code == 0
    assert {page.name for page in pages.iterdir()} == {f"{norm.name}.html", "other.txt.html"}


@pytest.mark.parametrize(
    ("files", "plot", "said"),
    [
        (2, "page.html", "Name a folder"),
        (1, "page.pdf", ".pdf file cannot be drawn"),
        (1, "norm.txt/page.html", "cannot be written"),
    ],
)
def test_what_cannot_be_drawn_is_refused(
    rubrica: CommandLine, norm: Path, tmp_path: Path, files: int, plot: str, said: str
) -> None:
    other = tmp_path / "norm.txt"
    other.write_text("One sentence.")
    done = rubrica("chunk", *map(str, [norm, other][:files]), "--plot", str(tmp_path / plot))
    assert done.code == 2
    assert said in " ".join(done.err.split())
    assert "Traceback" not in done.err


def test_help_teaches_by_examples(rubrica: CommandLine) -> None:
    said = rubrica("chunk", "--help").out
    assert "--plot norm.html" in " ".join(said.split())
    assert "rubrica compare" in " ".join(said.split())
