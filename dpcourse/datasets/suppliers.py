"""Simulated suppliers of one component, and the defective parts in each of their lots.

Nothing here comes from a real supplier. A supplier makes a number of parts in a quarter and has a defect rate of its
own; both are drawn from lognormal laws. Parts are delivered in lots of 500, and every lot is inspected whole: the
defects found in it are binomial.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

LOT_SIZE = 500  # parts in a lot: public, it is in the contract
MOST_PARTS, FEWEST_PARTS = 200_000, 3_000  # of one supplier in a quarter
LARGEST_RATE = 0.05

_PARTS, _PARTS_SPREAD = 20_000, 0.7  # median over suppliers, and the deviation of the logarithm
_RATE, _RATE_SPREAD = 0.008, 0.6


@dataclass(frozen=True, repr=False)
class Suppliers:
    """One quarter of all suppliers.

    Attributes
    ----------
    lots : dict of str to ndarray of int
        For each supplier, the defects found in each of its lots.
    rates : ndarray, shape (suppliers,)
        The defect rate behind each supplier's lots, which nobody observes.
    """

    lots: dict[str, np.ndarray]
    rates: np.ndarray

    def pooled(self) -> np.ndarray:
        """The defects in every lot, all suppliers together: what no supplier would agree to."""
        return np.concatenate(list(self.lots.values()))

    def observed_rates(self) -> np.ndarray:
        """Each supplier's share of defective parts, shape (suppliers,)."""
        return np.array([defects.mean() / LOT_SIZE for defects in self.lots.values()])

    def __repr__(self) -> str:
        return f"<Suppliers: {len(self.lots)} suppliers, {len(self.pooled())} lots of {LOT_SIZE} parts>"


def simulate_suppliers(suppliers: int = 15, *, rng=None) -> Suppliers:
    """Draw one quarter.

    Parts are lognormal with median 20,000 and deviation 0.7 of the logarithm, kept in [3,000, 200,000] and rounded down
    to whole lots. Rates are lognormal with median 0.8% and deviation 0.6, at most 5%.

    Parameters
    ----------
    suppliers : int
        How many, ≥ 1.
    rng : None, int or numpy.random.Generator

    Returns
    -------
    Suppliers

    Raises
    ------
    TypeError, ValueError
        If `suppliers` is not an integer ≥ 1.

    Examples
    --------
    >>> quarter = simulate_suppliers(rng=2)
    >>> quarter
    <Suppliers: 15 suppliers, 730 lots of 500 parts>
    >>> quarter.lots["supplier 01"][:5]
    array([2, 6, 5, 6, 4])
    """
    if isinstance(suppliers, bool) or not isinstance(suppliers, int | np.integer):
        raise TypeError(f"suppliers must be an integer, got {suppliers!r}")
    if suppliers < 1:
        raise ValueError(f"suppliers must be ≥ 1, got {suppliers!r}")
    rng = np.random.default_rng(rng)
    parts = np.clip(rng.lognormal(np.log(_PARTS), _PARTS_SPREAD, suppliers), FEWEST_PARTS, MOST_PARTS)
    rates = np.minimum(rng.lognormal(np.log(_RATE), _RATE_SPREAD, suppliers), LARGEST_RATE)
    counts = (parts // LOT_SIZE).astype(int)
    lots = {
        f"supplier {number + 1:02}": rng.binomial(LOT_SIZE, rate, count)
        for number, (rate, count) in enumerate(zip(rates, counts, strict=True))
    }
    return Suppliers(lots, rates)
