"""Loads on a floating pier, as the district's design code computes them.

The formulas are those of SP 901 (sections 6.1 and 6.2), a standard invented for this example.
Lengths are in metres, forces in kilonewtons, pressures in kilopascals.
"""

from __future__ import annotations

from dataclasses import dataclass

WATER_DENSITY = 1000.0  # kg/m³, fresh water
GRAVITY = 9.81  # m/s²

# Partial factors of clause 6.1.2.
SELF_WEIGHT_FACTOR = 1.1
LIVE_LOAD_FACTOR = 1.3
SNOW_FACTOR = 1.4

# A loaded section must keep this much freeboard (clause 5.1.4).
MIN_FREEBOARD = 0.30


@dataclass(frozen=True)
class Section:
    """One floating section of a pier.

    Attributes:
        length: Along the pier.
        width: Across the pier.
        waterplane: Area of all pontoons at the waterline, in square metres.
        freeboard: Height of the deck above the water with nobody on it.
    """

    length: float
    width: float
    waterplane: float
    freeboard: float

    @property
    def deck(self) -> float:
        """Area of the deck in square metres."""
        return self.length * self.width


def design_load(self_weight: float, live: float, snow: float = 0.0, *, seasonal: bool = True) -> float:
    """Design load on a unit of deck area, formula (1).

    A seasonal station carries no snow together with visitors, so the combination factor is zero there
    and one half for a station that stays open all the year round.

    >>> round(design_load(0.35, 4.0), 3)
    5.585
    """
    combination = 0.0 if seasonal else 0.5
    return SELF_WEIGHT_FACTOR * self_weight + LIVE_LOAD_FACTOR * live + SNOW_FACTOR * combination * snow


def mooring_force(length: float) -> float:
    """Pull of one moored boat of the given length, formula (2).

    >>> round(mooring_force(4.0), 1)
    2.8
    """
    if length <= 0:
        raise ValueError("the length of a boat is positive")
    return 0.35 * length**1.5


def sinkage(section: Section, live: float) -> float:
    """How far a section sinks under a live load that covers its whole deck."""
    weight = live * section.deck * 1000.0
    return weight / (WATER_DENSITY * GRAVITY * section.waterplane)


def is_safe(section: Section, live: float) -> bool:
    """Whether enough freeboard remains under the live load.

    >>> is_safe(Section(12.0, 2.4, 14.4, 0.52), 2.5)
    False
    >>> is_safe(Section(12.0, 2.4, 19.2, 0.69), 2.5)
    True
    """
    return section.freeboard - sinkage(section, live) >= MIN_FREEBOARD


def anchors_needed(boats: int, boat_length: float, holding: float = 10.2) -> int:
    """Number of anchors on one side of the pier.

    The holding power of 10.2 kN is that of a 600 kg concrete block in soft mud. The sum of the mooring
    forces is raised by a factor of 1.5, and a started anchor counts as a whole one.

    >>> anchors_needed(12, 3.9)
    5
    """
    pull = 1.5 * boats * mooring_force(boat_length)
    return int(-(-pull // holding))
