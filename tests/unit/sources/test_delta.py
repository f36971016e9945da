from __future__ import annotations

import posixpath
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from rubrica.model import Delta, SkippedFile, Snapshot, SourceFile
from sources.delta import compare

PATHS = st.builds(
    lambda folder, name, suffix: f"{folder}{name}{suffix}",
    st.sampled_from(["", "docs/", "архив/"]),
    st.sampled_from(["a", "b", "норма 1", "c"]),
    st.sampled_from([".md", ".MD", ".txt", ""]),
)
TREES = st.dictionaries(PATHS, st.sampled_from(["m1", "m2", "m3", "empty"]), max_size=12)


def snapshot(tree: dict[str, str]) -> Snapshot:
    return Snapshot("r2", tuple(SourceFile(path, mark, 1) for path, mark in tree.items()))


def moved(delta: Delta) -> list[tuple[str, str]]:
    return [(move.old_path, move.file.path) for move in delta.moved]


def named(delta: Delta) -> list[str]:
    files = [*delta.added, *delta.changed, *(move.file for move in delta.moved)]
    return [file.path for file in files] + [move.old_path for move in delta.moved] + list(delta.removed)


def apply(known: dict[str, str], delta: Delta) -> dict[str, str]:
    """Apply a delta in an awkward order: removals last, moves before changes."""
    tree = dict(known)
    for move in reversed(delta.moved):
        assert move.file.path not in tree
        tree[move.file.path] = tree.pop(move.old_path)
    tree |= {file.path: file.mark for file in (*delta.changed, *delta.added)}
    for path in delta.removed:
        del tree[path]
    return tree


@given(TREES, TREES)
def test_applying_the_delta_gives_the_snapshot(known: dict[str, str], now: dict[str, str]) -> None:
    delta = compare("s", known, snapshot(now))
    assert apply(known, delta) == now
    assert delta.unchanged == sum(known.get(path) == mark for path, mark in now.items())
    assert delta.empty == (known == now)


@given(TREES, TREES)
def test_no_path_is_named_twice(known: dict[str, str], now: dict[str, str]) -> None:
    assert set(Counter(named(compare("s", known, snapshot(now)))).values()) <= {1}


@given(TREES, TREES)
def test_moves_keep_content_and_suffix_and_none_is_missed(known: dict[str, str], now: dict[str, str]) -> None:
    delta = compare("s", known, snapshot(now))

    def kind(path: str, mark: str) -> tuple[str, str]:
        return mark, posixpath.splitext(path)[1].lower()

    for move in delta.moved:
        assert kind(move.old_path, known[move.old_path]) == kind(move.file.path, move.file.mark)
    removed = {kind(path, known[path]) for path in delta.removed}
    assert removed.isdisjoint(kind(file.path, file.mark) for file in delta.added)


@given(TREES, TREES, st.randoms())
def test_order_of_the_input_does_not_matter(
    known: dict[str, str], now: dict[str, str], random: object
) -> None:
    def shuffled(tree: dict[str, str]) -> dict[str, str]:
        items = list(tree.items())
        random.shuffle(items)  # type: ignore[attr-defined]
        return dict(items)

    assert compare("s", known, snapshot(now)) == compare(
        "s",
        shuffled(known),
        Snapshot("r2", tuple(sorted(snapshot(shuffled(now)).files, key=lambda file: file.path))),
    )


def test_a_rename_is_a_move() -> None:
    delta = compare(
        "s", {"старое имя.md": "m1", "b.md": "m2"}, snapshot({"новое имя.md": "m1", "b.md": "m2"})
    )
    assert moved(delta) == [("старое имя.md", "новое имя.md")]
    assert (delta.added, delta.changed, delta.removed, delta.unchanged) == ((), (), (), 1)


def test_a_moved_folder_of_equal_files_keeps_every_file_in_its_place() -> None:
    known = {f"old/{part}/README.md": "m1" for part in "abc"}
    delta = compare("s", known, snapshot({f"new/{part}/README.md": "m1" for part in "abc"}))
    assert moved(delta) == [(f"old/{part}/README.md", f"new/{part}/README.md") for part in "abc"]


def test_the_same_base_name_comes_before_the_order_of_paths() -> None:
    known = {"a/first.md": "m1", "a/second.md": "m1"}
    delta = compare("s", known, snapshot({"b/second.md": "m1", "b/third.md": "m1"}))
    assert moved(delta) == [("a/second.md", "b/second.md"), ("a/first.md", "b/third.md")]


def test_two_files_that_swap_names_are_two_changes() -> None:
    delta = compare("s", {"a.md": "m1", "b.md": "m2"}, snapshot({"a.md": "m2", "b.md": "m1"}))
    assert [file.path for file in delta.changed] == ["a.md", "b.md"]
    assert moved(delta) == []


def test_a_copy_made_before_an_edit_is_not_a_move() -> None:
    delta = compare("s", {"norm.md": "m1"}, snapshot({"norm.md": "m2", "archive/norm.md": "m1"}))
    assert [file.path for file in delta.changed] == ["norm.md"]
    assert [file.path for file in delta.added] == ["archive/norm.md"]


def test_another_suffix_is_another_document() -> None:
    delta = compare("s", {"notes.txt": "m1"}, snapshot({"notes.md": "m1"}))
    assert delta.removed == ("notes.txt",)
    assert [file.path for file in delta.added] == ["notes.md"]


def test_one_of_two_equal_files_removed_is_no_move() -> None:
    delta = compare("s", {"a.md": "m1", "b.md": "m1"}, snapshot({"b.md": "m1"}))
    assert (delta.removed, moved(delta), delta.unchanged) == (("a.md",), [], 1)


def test_what_was_skipped_travels_along() -> None:
    skipped = (SkippedFile("link.md", "It is a symbolic link."),)
    delta = compare("s", {}, Snapshot("r2", (), skipped))
    assert (delta.source, delta.revision, delta.skipped, delta.empty) == ("s", "r2", skipped, True)
