"""The numbers of capstone 6: what blinded lists give away, what one matrix costs and gives, what a liar does."""

from __future__ import annotations

import functools
import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey

from dpcourse.datasets import Customers, simulate_customers
from dpcourse.datasets.customers import FEATURES, LENDER, NAMES
from dpcourse.lessons.capstone_6.design import BANKS, COLUMNS, DELTA, HONEST, PRIME
from dpcourse.mechanisms import GaussianMechanism

SQUARED_LENGTH = 6.0  # of a row: five blocks of features, and constant and label, each of length 1 at most
SENSITIVITY = SQUARED_LENGTH * math.sqrt(2)  # of the matrix, in Frobenius norm, when one row is replaced

_ORDER_8 = (
    325606250916557431795983626356110631294008115727848805560023387167927233504,
    39382357235489614581723060781553021112529911719440698176882885853963445705823,
)
LOW_ORDER = (0, 1, *_ORDER_8, PRIME - 1, PRIME, PRIME + 1)  # every key sends these to zero


def on_curve(u: int) -> bool:
    """Whether a u-coordinate belongs to Curve25519, v² = u³ + 486662u² + u modulo 2^255 − 19; else to its twist.

    By Euler's criterion.

    Examples
    --------
    >>> on_curve(9), on_curve(2)
    (True, False)
    """
    square = (u * u * u + 486662 * u * u + u) % PRIME
    return pow(square, (PRIME - 1) // 2, PRIME) in (0, 1)


def first_hash(one: str) -> bytes:
    """The point that the broken release takes: SHA-256 of the identifier, read as a u-coordinate of 255 bits."""
    digest = bytearray(hashlib.sha256(one.encode()).digest())
    digest[31] &= 127
    return bytes(digest)


def blinded(data: list[str], rng: np.random.Generator) -> bytes:
    """A list with one customer, blinded with a key that is new in every run."""
    key = X25519PrivateKey.from_private_bytes(rng.bytes(32))
    return key.exchange(X25519PublicKey.from_public_bytes(first_hash(data[0])))


# What the proposal gives away


def hashed(one: str) -> bytes:
    """SHA-256 of an identifier: the proposal's way to compare customers."""
    return hashlib.sha256(one.encode()).digest()


def guessed(hashes: Sequence[bytes], digits: int = 6) -> list[str]:
    """The identifiers behind hashes, found by trying all numbers of so many digits."""
    wanted = set(hashes)
    return [one for one in (f"{k:0{digits}}" for k in range(10**digits)) if hashed(one) in wanted]


def same_customers_five_times(epsilon: float = 1.0, delta: float = 1e-5) -> dict[str, float]:
    """ε of one customer who is in five releases of (ε, δ) each: pure ones, and Gaussian ones at the same δ in all."""
    from dpcourse.accounting import PrivacyAccountant

    five = PrivacyAccountant().compose(GaussianMechanism(epsilon, delta), times=BANKS)
    return {"pure": BANKS * epsilon, "Gaussian": five.epsilon(delta)}


def aligned(world: Customers) -> tuple[list[np.ndarray], np.ndarray]:
    """Features of the common customers at each bank, and who of them defaulted, in one order."""
    rows = world.common
    features = [bank.features[some] for bank, some in zip(world.banks.values(), rows, strict=True)]
    defaulted = world.banks[LENDER].defaulted
    assert defaulted is not None
    return features, defaulted[rows[NAMES.index(LENDER)]]


# What one matrix costs


@functools.cache
def sigma(epsilon: float, delta: float = DELTA, sensitivity: float = SENSITIVITY) -> float:
    """The deviation of normal noise in every entry of the matrix."""
    return GaussianMechanism(epsilon, delta, sensitivity).sigma


def epsilon_with(honest: int, epsilon: float = 1.0, delta: float = DELTA) -> float:
    """ε against the banks that keep nothing secret, when the noise of `honest` banks is in the sum and unknown."""
    from scipy import optimize

    wanted = sigma(epsilon, delta) * math.sqrt(honest / HONEST)
    return float(optimize.brentq(lambda e: sigma(e, delta) - wanted, 0.05, 20))


def sent_bytes(customers: int, list_length: int) -> dict[str, int]:
    """What one bank sends, in bytes: points in the ring, shares of its block, its part of what is opened."""
    block = customers * FEATURES * 8 * (BANKS - 1)
    masked = 2 * customers * COLUMNS * 8
    return {"points": BANKS * list_length * 32, "shares": block, "opened": masked + COLUMNS**2 * 8}


# What one matrix gives


def blocks(features: np.ndarray) -> np.ndarray:
    """Features of all banks side by side, shape (n, 30), each bank's six clipped to length 1."""
    apart = features.reshape(len(features), BANKS, FEATURES)
    return (apart / np.maximum(np.linalg.norm(apart, axis=2, keepdims=True), 1.0)).reshape(len(features), -1)


def rows_of(features: np.ndarray, defaulted: np.ndarray) -> np.ndarray:
    """Rows z, shape (n, 32): clipped blocks, constant and label."""
    half = math.sqrt(0.5)
    return np.column_stack((blocks(features), np.full(len(features), half), np.where(defaulted, half, -half)))


def ridge_of(deviation: float) -> float:
    """The length of the symmetrised noise as a matrix, about: deviation · √(2 · columns)."""
    return deviation * math.sqrt(2 * COLUMNS)


def weights_from(matrix: np.ndarray, ridge: float) -> np.ndarray:
    """Ridge regression of the last column on the others, shape (31,), from zᵀz alone."""
    symmetric = (matrix + matrix.T) / 2
    return np.linalg.solve(symmetric[:-1, :-1] + ridge * np.eye(len(matrix) - 1), symmetric[:-1, -1])


def scores(weights: np.ndarray, applicants: np.ndarray) -> np.ndarray:
    """What five banks' parts add up to for each applicant; the constant moves nobody's rank and is left out."""
    return blocks(applicants) @ np.asarray(weights)[: BANKS * FEATURES]


def auc(score: np.ndarray, defaulted: np.ndarray) -> float:
    """How often a defaulter scores higher than somebody who paid, by the rank sum."""
    from scipy import stats

    ranks, positives = stats.rankdata(score), int(defaulted.sum())
    return float((ranks[defaulted].sum() - positives * (positives + 1) / 2) / (positives * (len(score) - positives)))


@dataclass(frozen=True)
class Models:
    """AUC on new applicants, over worlds: one array entry each."""

    customers: int
    best_bank: np.ndarray
    together: np.ndarray
    private: dict[float, np.ndarray]

    def __str__(self) -> str:
        private = ", ".join(
            f"ε={e:g} {some.mean():.3f} ({(some - self.best_bank).mean():+.3f})" for e, some in self.private.items()
        )
        both = f"best bank alone {self.best_bank.mean():.3f}, all five without noise {self.together.mean():.3f}"
        return f"{self.customers:>6,} customers: {both}, {private}"


def models(
    customers: int,
    epsilons: Sequence[float] = (1.0,),
    worlds: int = 5,
    *,
    sensitivity: float = SENSITIVITY,
    shares: float = BANKS / HONEST,
    ridge: float = 1.0,
    rng=None,
) -> Models:
    """Best single bank, all five without noise, and with noise of variance `shares` σ²; the sum is simulated.

    `ridge` is a multiple of `ridge_of`.
    """
    best, together = [], []
    private: dict[float, list[float]] = {epsilon: [] for epsilon in epsilons}
    for one in np.random.default_rng(rng).spawn(worlds):
        world = simulate_customers(customers, rng=one)
        features, y = aligned(world)
        z = rows_of(np.hstack(features), y)
        best.append(best_bank(world))
        exact = z.T @ z
        together.append(auc(scores(weights_from(exact, 1e-3), world.applicants), world.defaulted))
        for epsilon in epsilons:
            deviation = sigma(epsilon, DELTA, sensitivity) * math.sqrt(shares)
            noisy = exact + one.normal(0, deviation, exact.shape)
            weights = weights_from(noisy, ridge * ridge_of(deviation))
            private[epsilon].append(auc(scores(weights, world.applicants), world.defaulted))
    return Models(customers, np.array(best), np.array(together), {e: np.array(some) for e, some in private.items()})


def best_bank(world: Customers) -> float:
    """AUC of the best least-squares fit of the labels that one bank makes of its own features, without noise.

    Logistic regression reaches the same within 0.001.
    """
    features, y = aligned(world)
    reached = []
    for bank, own in enumerate(features):
        weights = np.linalg.lstsq(own - own.mean(axis=0), y - y.mean(), rcond=None)[0]
        applicants = world.applicants[:, bank * FEATURES : (bank + 1) * FEATURES]
        reached.append(auc(applicants @ weights, world.defaulted))
    return max(reached)


def lie(world: Customers, factor: float, epsilon: float = 1.0, rng=None) -> tuple[float, float]:
    """AUC with honest blocks, and when bank A shares its block `factor` times as long, without clipping it."""
    features, y = aligned(world)
    honest = rows_of(np.hstack(features), y)
    lying = honest.copy()
    lying[:, :FEATURES] *= factor
    deviation = sigma(epsilon) * math.sqrt(BANKS / HONEST)
    noise = np.random.default_rng(rng).normal(0, deviation, (COLUMNS, COLUMNS))
    pair = (weights_from(z.T @ z + noise, ridge_of(deviation)) for z in (honest, lying))
    first, second = (auc(scores(weights, world.applicants), world.defaulted) for weights in pair)
    return first, second
