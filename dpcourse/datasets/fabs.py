"""Simulated factories (fabs) that measure the same wafers in different ways: data for federated learning.

Nothing here comes from a real fab. One generative model makes everything: a wafer has 20 correlated readings, and
passes its final test with a probability that is logistic in them. Fabs differ by as much as `heterogeneity` says: in
what they make (readings shifted), in how many wafers pass (another threshold), and a little in what makes one pass
(other weights). At 0 they are alike. The test set is held out from the *same* fabs; a test set from a model of its own
would measure nothing.
"""

from __future__ import annotations

import math
import numbers
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

READINGS = 20
_REACH = 3.0  # a reading is clipped to ±3 and scaled to [−1, 1]: the gauge's public range
# Wafers for training in each fab. Public: every fab tells its size.
FAB_SIZES = MappingProxyType(
    {"Taiwan": 900, "Singapore": 600, "Arizona": 400, "Germany": 200, "Israel": 100, "China": 60}
)
TEST_SHARE = 2  # held-out wafers for each training wafer

_STEEPNESS = 4.0  # of the logistic in the readings: right weights answer about 85% of the wafers right
_SHIFT, _THRESHOLD, _TILT = 0.6, 0.3, 0.05  # deviations, over fabs, of what differs at heterogeneity 1


class Wafers(NamedTuple):
    """Readings `X`, shape (n, 20), in [−1, 1], and `y`, shape (n,): 1 where the wafer passed."""

    X: np.ndarray
    y: np.ndarray


@dataclass(frozen=True)
class Fabs:
    """Six fabs and a test set from all of them.

    Attributes
    ----------
    clients : dict of str to Wafers
        What each fab holds, by its name.
    test : Wafers
        Held-out wafers of the same fabs, in the same proportions.
    test_fabs : ndarray of str, shape (len(test.y),)
        Where each of them was made.
    heterogeneity : float
    """

    clients: dict[str, Wafers]
    test: Wafers
    test_fabs: np.ndarray
    heterogeneity: float

    def pooled(self) -> Wafers:
        """All training wafers in one place: what no fab would agree to."""
        return Wafers(*(np.concatenate(part) for part in zip(*self.clients.values(), strict=True)))

    def __repr__(self) -> str:
        sizes = ", ".join(f"{name} {len(data.y)}" for name, data in self.clients.items())
        return f"<Fabs: {sizes}; test {len(self.test.y)}; heterogeneity {self.heterogeneity:g}>"


@dataclass(frozen=True)
class ManyClients:
    """Many small clients, stacked: `X` of shape (clients, records, 20), `y` of shape (clients, records)."""

    X: np.ndarray
    y: np.ndarray
    test: Wafers
    heterogeneity: float

    def __len__(self) -> int:
        return len(self.X)


def load_fabs(*, heterogeneity: float, rng=None) -> Fabs:
    """Draw six fabs and a shared test set from one generative model.

    Parameters
    ----------
    heterogeneity : float
        How much the fabs differ, ≥ 0. At 0 all wafers are independent draws from one law; 1 is a marked difference.
        The same `rng` gives the same world at every value: only the differences grow.
    rng : None, int or numpy.random.Generator

    Returns
    -------
    Fabs

    Raises
    ------
    TypeError, ValueError
        If `heterogeneity` is not a finite number ≥ 0.

    Examples
    --------
    >>> fabs = load_fabs(heterogeneity=1.0, rng=12)
    >>> fabs
    <Fabs: Taiwan 900, Singapore 600, Arizona 400, Germany 200, Israel 100, China 60; test 4520; heterogeneity 1>
    >>> X, y = fabs.clients["Arizona"]
    >>> X.shape, sorted({int(label) for label in y})
    ((400, 20), [0, 1])
    """
    heterogeneity = _heterogeneity(heterogeneity)
    rng = np.random.default_rng(rng)
    world = _World.draw(len(FAB_SIZES), rng)
    clients, tests = {}, []
    for k, (name, size) in enumerate(FAB_SIZES.items()):
        made = world.make([k], (1 + TEST_SHARE) * size, heterogeneity, rng)
        X, y = made.X[0], made.y[0]
        clients[name] = Wafers(X[:size], y[:size])
        tests.append(Wafers(X[size:], y[size:]))
    order = rng.permutation(sum(len(test.y) for test in tests))
    pooled = Wafers(*(np.concatenate(part)[order] for part in zip(*tests, strict=True)))
    names = np.repeat(list(clients), [len(test.y) for test in tests])[order]
    return Fabs(clients, pooled, names, heterogeneity)


def simulate_clients(
    n_clients: int, *, records: int = 30, heterogeneity: float = 1.0, test_size: int = 5000, rng=None
) -> ManyClients:
    """Many clients with `records` wafers each, from the model of `load_fabs`: testers on a shop floor, say.

    The test wafers come from the same clients, chosen at random.

    Examples
    --------
    >>> simulate_clients(1000, records=30, rng=12).X.shape
    (1000, 30, 20)
    """
    n_clients = _whole("n_clients", n_clients)
    records = _whole("records", records)
    test_size = _whole("test_size", test_size)
    heterogeneity = _heterogeneity(heterogeneity)
    rng = np.random.default_rng(rng)
    world = _World.draw(n_clients, rng)
    train = world.make(np.arange(n_clients), records, heterogeneity, rng)
    held_out = world.make(rng.integers(n_clients, size=test_size), 1, heterogeneity, rng)
    return ManyClients(train.X, train.y, Wafers(held_out.X[:, 0], held_out.y[:, 0]), heterogeneity)


@dataclass(frozen=True)
class _World:
    """What all clients share, and in which direction each of them differs."""

    mixing: np.ndarray  # (readings, readings): how readings hang together
    weights: np.ndarray  # (readings,), length 1
    shifts: np.ndarray  # (clients, readings)
    thresholds: np.ndarray  # (clients,)
    tilts: np.ndarray  # (clients, readings)

    @classmethod
    def draw(cls, clients: int, rng: np.random.Generator) -> _World:
        loadings = rng.normal(size=(READINGS, 3)) / np.sqrt(6)  # three process steps behind all readings
        mixing = np.linalg.cholesky(loadings @ loadings.T + 0.5 * np.eye(READINGS))
        weights = rng.normal(size=READINGS)
        return cls(
            mixing,
            weights / np.linalg.norm(weights),
            rng.normal(scale=_SHIFT, size=(clients, READINGS)),
            rng.normal(scale=_THRESHOLD, size=clients),
            rng.normal(scale=_TILT, size=(clients, READINGS)),
        )

    def make(self, who, records: int, heterogeneity: float, rng: np.random.Generator) -> Wafers:
        """`records` wafers of each client in `who`, shapes (len(who), records, readings) and (len(who), records)."""
        who = np.asarray(who)
        raw = rng.normal(size=(len(who), records, READINGS)) @ self.mixing.T
        raw += heterogeneity * self.shifts[who, None]
        weights = self.weights + heterogeneity * self.tilts[who]
        centred = raw @ weights[..., None]
        logits = _STEEPNESS * centred[..., 0] + heterogeneity * self.thresholds[who, None]
        passed = rng.random(logits.shape) < 1 / (1 + np.exp(-logits))
        return Wafers(np.clip(raw / _REACH, -1, 1), passed.astype(int))


def _heterogeneity(value: float) -> float:
    if isinstance(value, bool | np.bool_) or not isinstance(value, numbers.Real):
        raise TypeError(f"heterogeneity must be a real number, got {value!r}")
    if not 0 <= value < math.inf:
        raise ValueError(f"heterogeneity must be ≥ 0 and finite, got {value!r}")
    return float(value)


def _whole(name: str, value: int) -> int:
    if isinstance(value, bool | np.bool_) or not isinstance(value, numbers.Integral):
        raise TypeError(f"{name} must be an integer, got {value!r}")
    if value < 1:
        raise ValueError(f"{name} must be ≥ 1, got {value!r}")
    return int(value)
