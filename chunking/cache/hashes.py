"""Values of one length in the hashes of one epoch and level, many a round trip."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain

import numpy as np
import numpy.typing as npt

from chunking.cache.layout import BUCKETS, Addresses, Fill, Indices, mean_fill
from chunking.cache.link import Command, RedisLink, of_wrong_type

_TRIP_KEYS = 4096
_TRIP_BYTES = 4 << 20

Mask = npt.NDArray[np.bool_]
Values = Mapping[int, bytes]
"""Values by the number of their key."""


class Hashes:
    """Reads and writes fields of hashes."""

    def __init__(self, link: RedisLink, kind: str, value_bytes: int) -> None:
        """Prepare; nothing is asked yet.

        Args:
            link: The server.
            kind: Begins the hashes' names.
            value_bytes: Length of every value; one of another length is unknown.
        """
        self._link = link
        self._kind = kind
        self._value_bytes = value_bytes
        self.trip = max(1, min(_TRIP_KEYS, _TRIP_BYTES // value_bytes))
        """Most keys of one round trip."""

    def survey(self, addresses: Addresses, epochs: Sequence[int]) -> list[Fill] | None:
        """How full the levels of some epochs are; ``None`` where the server does not say."""
        names = [
            self._name(epoch, level, number)
            for epoch in epochs
            for level in range(len(BUCKETS))
            for number in addresses.samples(level)
        ]
        replies = self._link.read([("HLEN", name) for name in names])
        lengths = [0 if of_wrong_type(reply) else reply for reply in replies]
        if not all(isinstance(length, int) for length in lengths):
            return None
        size = len(lengths) // len(epochs)
        return [mean_fill(lengths[i : i + size]) for i in range(0, len(lengths), size)]

    def get(
        self, addresses: Addresses, epoch: int, level: int, where: Indices, unasked: Mask
    ) -> dict[int, bytes]:
        """Look keys up; marks in ``unasked`` those that the server said nothing about."""
        found = {}
        for trip in self._trips(addresses, epoch, level, where):
            replies = self._link.read(
                [("HMGET", name, *(addresses.fields[i] for i in members)) for name, members in trip]
            )
            for (_, members), reply in zip(trip, replies, strict=True):
                if not isinstance(reply, list) or len(reply) != len(members):
                    unasked[members] = True
                    continue
                for i, value in zip(members, reply, strict=True):
                    if value is not None and len(value) == self._value_bytes:
                        found[i] = value  # noqa: PERF403 - a dictionary for each hash is slower
        return found

    def set(
        self, addresses: Addresses, epoch: int, level: int, where: Indices, values: Values, *, seconds: int
    ) -> list[int]:
        """Store values for some seconds; returns the keys whose value is stored."""
        stored = []
        for trip in self._trips(addresses, epoch, level, where):
            commands: list[Command] = []
            for name, members in trip:
                pairs = chain.from_iterable((addresses.fields[i], values[i]) for i in members)
                commands += [("HSET", name, *pairs), ("EXPIRE", name, seconds)]
            replies = self._link.write(commands)[::2]
            for (name, members), reply in zip(trip, replies, strict=True):
                if isinstance(reply, int):
                    stored += members
                elif of_wrong_type(reply):
                    self._link.write([("UNLINK", name)])
        return stored

    def delete(self, addresses: Addresses, epoch: int, level: int, where: Indices) -> None:
        """Remove values."""
        for trip in self._trips(addresses, epoch, level, where):
            self._link.write(
                [("HDEL", name, *(addresses.fields[i] for i in members)) for name, members in trip]
            )

    def _name(self, epoch: int, level: int, number: int) -> str:
        return f"rubrica:{self._kind}:{epoch}:{level}{number:x}"

    def _trips(
        self, addresses: Addresses, epoch: int, level: int, where: Indices
    ) -> Iterator[list[tuple[str, list[int]]]]:
        """Hashes with their keys, as many at a time as one round trip takes."""
        for start in range(0, len(where), self.trip):
            buckets = addresses.buckets(level, where[start : start + self.trip])
            yield [(self._name(epoch, level, number), members) for number, members in buckets]
