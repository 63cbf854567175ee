"""Simulated hospitals of very unequal size, and patients of whom some lie in two of them.

Nothing here comes from a real hospital or patient. A stay has thirty readings in units of their own (a pulse, a
sodium level), and ends in intensive care with a probability that is logistic in the readings. Hospitals differ in whom
they treat (readings shifted) and in how soon they send somebody to intensive care (another threshold). A patient who
comes again has readings like the first time, in the same hospital or in another one, and never in a third.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

READINGS = 30
REACH = 2  # hospitals in which one patient may have stays: the patient's card has room for two names
FEWEST_STAYS, MOST_STAYS = 30, 3_000  # of one hospital in a year
TEST_SHARE = 2  # held-out stays for each stay

_STAYS, _STAYS_SPREAD = 250, 0.9  # median over hospitals, and the deviation of the logarithm
_FACTORS, _SHIFT, _THRESHOLD = 4, 0.25, 0.4
_STEEPNESS, _BASE = 1.8, -3.75  # the logit's deviation inside a hospital, and its centre
_AGAIN, _ELSEWHERE, _ALIKE = 0.25, 0.4, 0.6  # stays that are no first ones; those in another hospital; shared variance
_MISSING = 0.01


class Stays(NamedTuple):
    """Readings `X`, shape (n, 30), NaN where one is missing; `y`, shape (n,): 1 for intensive care; `patients`: who."""

    X: np.ndarray
    y: np.ndarray
    patients: np.ndarray


@dataclass(frozen=True, repr=False)
class Hospitals:
    """One year of stays, and a test set from all hospitals.

    Attributes
    ----------
    stays : dict of str to Stays
        What each hospital holds, by its name. A patient has one number in all hospitals.
    declared : dict of str to int
        Stays that each hospital reported to the public for the year before, in tens: about as many as it has now.
    centre, spread : ndarray, shape (30,)
        What textbooks say of each reading in adults: public.
    test : Stays
        Held-out stays of other patients in the same hospitals, in proportion to their sizes.
    """

    stays: dict[str, Stays]
    declared: dict[str, int]
    centre: np.ndarray
    spread: np.ndarray
    test: Stays

    def __repr__(self) -> str:
        sizes = [len(one.y) for one in self.stays.values()]
        people = len(np.unique(np.concatenate([one.patients for one in self.stays.values()])))
        return (
            f"<Hospitals: {len(sizes)} with {min(sizes):,} to {max(sizes):,} stays, {sum(sizes):,} in all, of "
            f"{people:,} patients>"
        )


def simulate_hospitals(hospitals: int = 50, *, rng=None) -> Hospitals:
    """Draw one year.

    Stays are lognormal with median 250 and deviation 0.9 of the logarithm, kept in [30, 3,000]. A quarter are not a
    patient's first; two fifths of these are in another hospital than the first, as long as the patient has been in one
    only.

    Parameters
    ----------
    hospitals : int
        How many, ≥ 2.
    rng : None, int or numpy.random.Generator

    Returns
    -------
    Hospitals

    Raises
    ------
    TypeError, ValueError
        If `hospitals` is not an integer ≥ 2.

    Examples
    --------
    >>> year = simulate_hospitals(rng=5)
    >>> year
    <Hospitals: 50 with 37 to 1,435 stays, 19,668 in all, of 14,676 patients>
    >>> year.stays["hospital 01"].X.shape
    (255, 30)
    """
    if isinstance(hospitals, bool) or not isinstance(hospitals, int | np.integer):
        raise TypeError(f"hospitals must be an integer, got {hospitals!r}")
    if hospitals < 2:
        raise ValueError(f"hospitals must be ≥ 2, got {hospitals!r}")
    rng = np.random.default_rng(rng)
    world = _World.draw(hospitals, rng)
    sizes = np.clip(rng.lognormal(np.log(_STAYS), _STAYS_SPREAD, hospitals), FEWEST_STAYS, MOST_STAYS).astype(int)
    where = np.repeat(np.arange(hospitals), sizes)
    who = _patients(where, rng)
    people = rng.normal(size=(len(where), READINGS))[who]  # the first stay's number stands for the patient
    alike = np.sqrt(_ALIKE) * people + np.sqrt(1 - _ALIKE) * rng.normal(size=people.shape)
    X, y = world.treat(where, alike, rng)
    numbers = rng.permutation(10 * len(where))[who]
    names = [f"hospital {number + 1:02}" for number in range(hospitals)]
    stays = {}
    for number, name in enumerate(names):
        rows = rng.permutation(np.flatnonzero(where == number))
        stays[name] = Stays(X[rows], y[rows], numbers[rows])
    tens = np.maximum(10, np.round(sizes * rng.lognormal(0, 0.1, hospitals), -1)).astype(int)
    later = rng.permutation(np.repeat(np.arange(hospitals), TEST_SHARE * sizes))
    X, y = world.treat(later, rng.normal(size=(len(later), READINGS)), rng)
    test = Stays(X, y, 10 * len(where) + np.arange(len(later)))
    return Hospitals(stays, dict(zip(names, tens.tolist(), strict=True)), world.centre, world.spread, test)


def _patients(where: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """For each stay the number of that patient's first one; no patient is in more than two hospitals."""
    who = np.arange(len(where))
    again = rng.random(len(where)) < _AGAIN
    again[np.unique(where, return_index=True)[1]] = False  # in every hospital somebody comes for the first time
    firsts = np.flatnonzero(~again)
    of = {place: firsts[where[firsts] == place] for place in np.unique(where)}
    seen = np.full(len(where), -1)  # the second hospital of each first stay's patient
    for stay in np.flatnonzero(again):
        first = rng.choice(firsts)
        if rng.random() < _ELSEWHERE and where[first] != where[stay] and seen[first] in (-1, where[stay]):
            seen[first] = where[stay]
        else:
            first = rng.choice(of[where[stay]])
        who[stay] = first
    return who


@dataclass(frozen=True)
class _World:
    """What all hospitals share, and in which direction each of them differs."""

    mixing: np.ndarray  # (readings, readings)
    slope: np.ndarray  # (readings,)
    shifts: np.ndarray  # (hospitals, readings)
    thresholds: np.ndarray  # (hospitals,)
    centre: np.ndarray  # (readings,)
    spread: np.ndarray  # (readings,)

    @classmethod
    def draw(cls, hospitals: int, rng: np.random.Generator) -> _World:
        loadings = rng.normal(size=(READINGS, _FACTORS)) / np.sqrt(2 * _FACTORS)
        mixing = np.linalg.cholesky(loadings @ loadings.T + 0.5 * np.eye(READINGS))
        slope = rng.normal(size=READINGS)
        spread = np.round(10 ** rng.uniform(-1, 1.5, READINGS), 2)
        return cls(
            mixing,
            slope * _STEEPNESS / np.linalg.norm(slope @ mixing),
            rng.normal(scale=_SHIFT, size=(hospitals, READINGS)),
            rng.normal(scale=_THRESHOLD, size=hospitals),
            np.round(spread * rng.uniform(4, 12, READINGS), 1),
            spread,
        )

    def treat(self, where: np.ndarray, white: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Readings and outcomes of stays in these hospitals; `white` holds independent normal numbers."""
        raw = white @ self.mixing.T + self.shifts[where]
        chance = 1 / (1 + np.exp(-(raw @ self.slope + self.thresholds[where] + _BASE)))
        y = (rng.random(len(where)) < chance).astype(int)
        X = self.centre + self.spread * raw
        X[rng.random(X.shape) < _MISSING] = np.nan
        return X, y
