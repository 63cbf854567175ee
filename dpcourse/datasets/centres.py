"""Simulated design centres that test chips: which test catches which defect, and how the failing chips failed.

Nothing here comes from a real tester. Tests come from one shared catalogue, so test 17 is the same test everywhere. A
test catches a defect or does not; a centre knows this only of the defects that occur in its own products, and has
confirmed most of the catches there.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

NAMES = ("north", "east", "south", "west")
CHIPS = 25_000  # failing chips of one centre
CONFIRMED = 0.8  # of the catches that a centre could know

_REACH, _REACH_SPREAD = 0.008, 0.7  # of a test: median share of defects it catches, deviation of the logarithm
_EASE_SPREAD = 0.8  # of a defect: deviation of the logarithm of how easily it is caught, with mean 1
_COST_SPREAD = 0.65  # of a test's time


@dataclass(frozen=True, repr=False)
class Centres:
    """Four centres and what is true.

    Attributes
    ----------
    caught : ndarray of bool, shape (tests, defects)
        Which test catches which defect: nobody has this.
    weights : ndarray, shape (defects,)
        The share of each defect among all failures, adding up to 1: nobody has this either.
    cost : ndarray, shape (tests,)
        A test's time on the tester in milliseconds: public, from the catalogue.
    matrices : dict of str to ndarray of bool, shape (tests, defects)
        What each centre has confirmed.
    chips : dict of str to ndarray of int
        For each centre, the defect of every chip that failed there.
    """

    caught: np.ndarray
    weights: np.ndarray
    cost: np.ndarray
    matrices: dict[str, np.ndarray]
    chips: dict[str, np.ndarray]

    def total(self) -> np.ndarray:
        """How many centres confirmed each catch, int8 of shape (tests, defects): what is opened."""
        return np.asarray(np.sum(list(self.matrices.values()), axis=0, dtype=np.int8))

    def counts(self) -> np.ndarray:
        """Chips by their defect, all centres together, shape (defects,)."""
        return np.bincount(np.concatenate(list(self.chips.values())), minlength=len(self.weights))

    def coverage(self, tests: np.ndarray) -> float:
        """The share of all failures that these tests really catch.

        Examples
        --------
        >>> centres = simulate_centres(300, 50, rng=4)
        >>> centres.coverage([]), centres.coverage([0, 1, 2]) > 0
        (0.0, True)
        """
        return float(self.weights[self.caught[np.asarray(tests, dtype=int)].any(axis=0)].sum())

    def __repr__(self) -> str:
        tests, defects = self.caught.shape
        chips = sum(map(len, self.chips.values()))
        return f"<Centres: {len(self.chips)} centres, {tests:,} tests, {defects} defects, {chips:,} failing chips>"


def simulate_centres(tests: int = 10_000, defects: int = 500, known: float = 0.6, *, rng=None) -> Centres:
    """Draw a catalogue and four centres.

    Test t catches defect d with probability reach · ease, at most 1: reach is lognormal with median 0.8%, ease
    lognormal with mean 1. A centre knows a defect with probability `known`, and of its catches has confirmed 80%. Times
    are lognormal with median 1 ms. Defects have Zipf weights in a random order; a centre's 25,000 failing chips show
    the defects that it knows, by their weights.

    Parameters
    ----------
    tests, defects : int
        ≥ 1.
    known : float
        In (0, 1].
    rng : None, int or numpy.random.Generator

    Returns
    -------
    Centres

    Raises
    ------
    TypeError, ValueError
        Naming the argument and the value refused.

    Examples
    --------
    >>> centres = simulate_centres(300, 50, rng=4)
    >>> centres
    <Centres: 4 centres, 300 tests, 50 defects, 100,000 failing chips>
    >>> centres.total().max(), int(centres.counts().sum())
    (np.int8(4), 100000)
    """
    for name, value in (("tests", tests), ("defects", defects)):
        if isinstance(value, bool) or not isinstance(value, int | np.integer):
            raise TypeError(f"{name} must be an integer, got {value!r}")
        if value < 1:
            raise ValueError(f"{name} must be ≥ 1, got {value!r}")
    if not 0 < known <= 1:
        raise ValueError(f"known must be in (0, 1], got {known!r}")
    rng = np.random.default_rng(rng)
    reach = rng.lognormal(np.log(_REACH), _REACH_SPREAD, (tests, 1))
    ease = rng.lognormal(-(_EASE_SPREAD**2) / 2, _EASE_SPREAD, defects)
    caught = rng.random((tests, defects)) < reach * ease
    weights = rng.permutation(1 / np.arange(1, defects + 1))
    weights /= weights.sum()
    matrices, chips = {}, {}
    for name in NAMES:
        knows = rng.random(defects) < known
        knows[rng.integers(defects)] = True  # at least one
        matrices[name] = caught & knows & (rng.random((tests, defects), dtype=np.float32) < CONFIRMED)
        share = np.where(knows, weights, 0)
        chips[name] = rng.choice(defects, CHIPS, p=share / share.sum())
    return Centres(caught, weights, rng.lognormal(0, _COST_SPREAD, tests), matrices, chips)
