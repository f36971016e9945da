"""Presentations: one slide after another, each with its title as a heading."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from extraction.flow.blocks import Block, Paragraph, Role
from extraction.flow.cells import flatten
from extraction.odf.package import get, q
from extraction.odf.story import Story

_TITLE = "title"
_FURNITURE = frozenset({"header", "footer", "date-time", "page-number"})


def slide_blocks(body: Any, story: Story) -> Iterator[Block]:
    """The blocks of an ``office:presentation``; the number of a slide is its page."""
    for number, slide in enumerate(body.findall(q("draw:page")), 1):
        yield from _slide(slide, number, story)


def _slide(slide: Any, number: int, story: Story) -> Iterator[Block]:
    shapes = list(_shapes(slide))
    titles = [shape for shape in shapes if get(shape, "presentation:class") == _TITLE]
    if title := " ".join(flatten(list(story.blocks(shape, page=number))) for shape in titles).strip():
        yield Paragraph(title, Role.HEADING, 1, page=number)
    for shape in shapes:
        if shape not in titles:
            yield from map(_plain, story.blocks([shape], page=number))
    for notes in slide.findall(q("presentation:notes")):
        for shape in _shapes(notes):
            yield from map(_plain, story.blocks([shape], page=number))


def _shapes(parent: Any) -> Iterator[Any]:
    """Shapes with text, those in groups included; dates, footers and numbers of slides left out."""
    for node in parent:
        if not isinstance(node.tag, str) or node.tag == q("presentation:notes"):
            continue
        if get(node, "presentation:class") in _FURNITURE:
            continue
        if node.tag == q("draw:g"):
            yield from _shapes(node)
        elif node.tag.startswith(q("draw:")):
            yield node


def _plain(block: Block) -> Block:
    """A paragraph of a slide, which is set large without being a heading."""
    if not isinstance(block, Paragraph) or block.role is Role.HEADING:
        return block
    return replace(block, look=replace(block.look, bold=False, centred=False, size=None))
