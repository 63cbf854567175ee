"""Simulated customers of five banks, what each bank knows of them, and who defaulted on a loan.

Nothing here comes from a real bank. Three hidden factors stand behind thirty features, six at each bank. Whether a
customer defaults is drawn from a logistic model of all thirty. Some people are customers of all five banks, others of
some of them only.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np
from scipy import optimize, special

NAMES = ("A", "B", "C", "D", "E")  # transactions, loans, cards, investments, incomes
LENDER = "B"  # the bank that knows who defaulted
FEATURES = 6  # of each bank
IDS = 10**9  # identifiers have nine digits

_FACTORS, _SHARED = 3, 0.75  # hidden factors, and how much of a feature's deviation is theirs
_DEVIATION = 0.5  # of a feature, on its public scale
_SLOPE, _DEFAULTS = 1.5, 0.129  # deviation of the log odds over customers, and the share that defaults


@dataclass(frozen=True, repr=False)
class Bank:
    """What one bank holds.

    Attributes
    ----------
    ids : list of str
        Nine-digit identifiers of its customers, in the order of its own files.
    features : ndarray of float, shape (customers, 6)
        On a public scale on which a deviation is 0.5.
    defaulted : ndarray of bool or None
        Who defaulted; None except at bank B.
    """

    ids: list[str]
    features: np.ndarray
    defaulted: np.ndarray | None = None

    def __repr__(self) -> str:
        return f"<Bank: {len(self.ids):,} customers, {self.features.shape[1]} features>"


@dataclass(frozen=True, repr=False)
class Customers:
    """Five banks, and applicants on whom a model is tried.

    Attributes
    ----------
    banks : dict of str to Bank
    applicants : ndarray of float, shape (applicants, 30)
        Features at banks A to E, side by side.
    defaulted : ndarray of bool, shape (applicants,)
    """

    banks: dict[str, Bank]
    applicants: np.ndarray
    defaulted: np.ndarray

    @functools.cached_property
    def common(self) -> list[np.ndarray]:
        """Each bank's rows of the customers of all five, in one order: what nobody may see before the protocol."""
        ids = [np.array([*map(int, bank.ids)]) for bank in self.banks.values()]
        everywhere = functools.reduce(np.intersect1d, ids)
        sorters = [np.argsort(one) for one in ids]
        return [order[np.searchsorted(one, everywhere, sorter=order)] for one, order in zip(ids, sorters, strict=True)]

    def __repr__(self) -> str:
        return f"<Customers: {len(self.common[0]):,} of {len(self.banks)} banks, {len(self.applicants):,} applicants>"


def simulate_customers(common: int = 20_000, *, others: int = 0, applicants: int = 20_000, rng=None) -> Customers:
    """Draw one world.

    A feature is 0.5·(0.75 f + 0.66 e), with f a combination of three normal factors that the banks share and e normal
    noise of its own. The log odds of a default are linear in the thirty features, with random weights and a deviation
    of 1.5; 12.9% default.

    Parameters
    ----------
    common : int
        Customers of all five banks, ≥ 1.
    others : int
        Further people, each a customer of every bank with probability ½, of four at most.
    applicants : int
        For the test.
    rng : None, int or numpy.random.Generator

    Returns
    -------
    Customers

    Raises
    ------
    TypeError, ValueError
        If a number is no integer, or too small.

    Examples
    --------
    >>> simulate_customers(2_000, others=500, applicants=1_000, rng=6)
    <Customers: 2,000 of 5 banks, 1,000 applicants>
    """
    for name, value, least in (("common", common, 1), ("others", others, 0), ("applicants", applicants, 1)):
        if isinstance(value, bool) or not isinstance(value, int | np.integer):
            raise TypeError(f"{name} must be an integer, got {value!r}")
        if value < least or common + others > IDS // 100:
            raise ValueError(f"{name} must be ≥ {least}, and all people at most {IDS // 100:,}; got {value!r}")
    rng = np.random.default_rng(rng)
    people, width = common + others, len(NAMES) * FEATURES
    loadings = rng.normal(size=(width, _FACTORS))
    loadings *= _SHARED / np.linalg.norm(loadings, axis=1, keepdims=True)
    own = np.sqrt(1 - _SHARED**2)
    weights = rng.normal(size=width)
    weights *= _SLOPE / np.sqrt(weights @ (loadings @ loadings.T + own**2 * np.eye(width)) @ weights)

    every = people + applicants
    features = rng.normal(size=(every, _FACTORS)) @ loadings.T + own * rng.normal(size=(every, width))
    defaulted = rng.random(every) < special.expit(features @ weights + _intercept())
    features *= _DEVIATION

    ids = _ids(people, rng)
    member = rng.random((others, len(NAMES))) < 0.5
    member[member.all(axis=1), rng.integers(len(NAMES))] = False
    banks = {}
    for place, name in enumerate(NAMES):
        rows = rng.permutation(np.concatenate((np.arange(common), common + np.flatnonzero(member[:, place]))))
        banks[name] = Bank(
            [ids[row] for row in rows],
            features[rows, place * FEATURES : (place + 1) * FEATURES],
            defaulted[rows] if name == LENDER else None,
        )
    return Customers(banks, features[people:], defaulted[people:])


@functools.cache
def _intercept() -> float:
    """The log odds' centre at which the wanted share defaults, by Gauss–Hermite quadrature."""
    points, masses = np.polynomial.hermite_e.hermegauss(80)

    def too_many(centre: float) -> float:
        return float(masses @ special.expit(centre + _SLOPE * points) / masses.sum()) - _DEFAULTS

    return float(optimize.brentq(too_many, -10, 0))


def _ids(people: int, rng: np.random.Generator) -> list[str]:
    """Different nine-digit identifiers."""
    drawn = np.unique(rng.integers(0, IDS, 2 * people + 10))
    return [f"{one:09}" for one in rng.permutation(drawn)[:people]]
