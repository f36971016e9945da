"""Lists with the text that announces them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from chunking.rules.parts import Part


def list_blocks(parts: Sequence[Part], offsets: Sequence[int], room: int) -> Iterator[range]:
    """Lead-ins with all items of their list, as ranges of units; only those that fit into one chunk.

    The last sentence of the lead-in counts as lead-in. An item that ends with a colon announces the deeper
    items after it.

    Args:
        parts: The elements.
        offsets: Tokens before each unit, and in all.
        room: Most tokens of text in one chunk.
    """
    for i in range(len(parts) - 1):
        if not (parts[i].leads_in and parts[i + 1].item):
            continue
        start = parts[i].units[-1]
        stop = _list_end(parts, i, offsets, offsets[start] + room)
        if stop is not None:
            yield range(start, stop)


def _list_end(parts: Sequence[Part], lead_in: int, offsets: Sequence[int], most: int) -> int | None:
    """The unit behind a list; ``None`` when it reaches beyond ``most`` tokens."""
    stop = parts[lead_in].units.stop
    for part in _items(parts, lead_in):
        stop = part.units.stop
        if offsets[stop] > most:
            return None
    return stop


def _items(parts: Sequence[Part], lead_in: int) -> Iterator[Part]:
    head = parts[lead_in]
    for i in range(lead_in + 1, len(parts)):
        if not in_list(head, parts[i]):
            return
        yield parts[i]


def in_list(head: Part, part: Part) -> bool:
    """Whether an element is an item of the list that ``head`` announces, of any depth."""
    return part.item and part.element.clause is None and (not head.item or _deeper(head, part))


def _deeper(head: Part, part: Part) -> bool:
    """Whether an item belongs to the list that the item ``head`` announces."""
    level, own = head.element.level or 1, part.element.level or 1
    return own > level or (own == level and part.bullet != head.bullet)
