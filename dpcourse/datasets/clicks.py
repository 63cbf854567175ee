"""Simulated people and what each of them clicked in a shop's catalogue.

Nothing here comes from a real shop. Every person and every item has eight hidden traits. A person clicks what is
popular and what fits their traits, a few items or hundreds. Items are numbered at random, so that a number tells
nothing about how popular the item is.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

FEWEST, MOST = 5, 200  # items that one person clicked, the one kept for the test included

_TRAITS = 8
_POPULARITY, _TASTE = 0.8, 1.3  # weights of the logarithm of an item's rank, and of how well traits fit
_CLICKS, _CLICKS_SPREAD = np.log(25) - 0.5, 1.0  # of the lognormal number of clicks: the mean is 25 before it is cut


@dataclass(frozen=True, repr=False)
class Clicks:
    """What people clicked.

    Attributes
    ----------
    clicked : ndarray of bool, shape (people, items)
        One row is what one phone holds.
    held : ndarray of int, shape (people,)
        One more item that each person clicked, taken out of `clicked`: what a recommendation should find.
    """

    clicked: np.ndarray
    held: np.ndarray

    def histories(self) -> list[np.ndarray]:
        """For each person the numbers of the items clicked, in increasing order."""
        people, items = np.nonzero(self.clicked)
        return np.split(items, np.searchsorted(people, np.arange(1, len(self.clicked))))

    def first(self, people: int) -> Clicks:
        """The same shop with these people only."""
        return Clicks(self.clicked[:people], self.held[:people])

    def __repr__(self) -> str:
        people, items = self.clicked.shape
        return f"<Clicks: {people:,} people, {items} items, {self.clicked.sum(axis=1).mean():.3g} clicked on average>"


def simulate_clicks(people: int = 20_000, items: int = 500, *, rng=None) -> Clicks:
    """Draw a shop.

    A person clicks k items, lognormal with mean 25, kept between 5 and 200 and at most half of the catalogue. They are
    drawn without replacement, with weights exp(−0.8 ln(rank) + 1.3 p·q), where rank is an item's place in popularity
    and p and q are normal vectors of eight traits, q of variance 1/8. One of the k, chosen at random, is kept for the
    test.

    Parameters
    ----------
    people, items : int
        At least 1 person and 10 items.
    rng : None, int or numpy.random.Generator

    Returns
    -------
    Clicks

    Raises
    ------
    TypeError, ValueError
        If `people` or `items` is no integer, or too small.

    Examples
    --------
    >>> shop = simulate_clicks(1000, 100, rng=7)
    >>> shop
    <Clicks: 1,000 people, 100 items, 19.6 clicked on average>
    >>> len(shop.histories()), bool(shop.clicked[np.arange(1000), shop.held].any())
    (1000, False)
    """
    for name, value, least in (("people", people, 1), ("items", items, 2 * FEWEST)):
        if isinstance(value, bool) or not isinstance(value, int | np.integer):
            raise TypeError(f"{name} must be an integer, got {value!r}")
        if value < least:
            raise ValueError(f"{name} must be ≥ {least}, got {value!r}")
    rng = np.random.default_rng(rng)
    persons, things = rng.normal(size=(people, _TRAITS)), rng.normal(size=(items, _TRAITS)) / np.sqrt(_TRAITS)
    appeal = _TASTE * persons @ things.T - _POPULARITY * np.log(np.arange(1, items + 1))
    many = np.clip(rng.lognormal(_CLICKS, _CLICKS_SPREAD, people), FEWEST, min(MOST, items // 2)).astype(int)
    # The k largest of weight and Gumbel noise are k draws without replacement.
    best = np.argsort(-(appeal + rng.gumbel(size=appeal.shape)), axis=1)[:, : many.max()]
    best = rng.permutation(items)[best]
    chosen = np.arange(best.shape[1]) < many[:, None]
    held = best[np.arange(people), rng.integers(many)]
    clicked = np.zeros((people, items), dtype=bool)
    rows, places = np.nonzero(chosen)
    clicked[rows, best[rows, places]] = True
    clicked[np.arange(people), held] = False
    return Clicks(clicked, held)
