"""An audit under a hypothesis: if the mechanism is Gaussian differentially private, how private is it at most?

Under μ-GDP (Dong, Roth, Su 2022, arXiv:1905.02383) every attack obeys Φ⁻¹(TPR) − Φ⁻¹(FPR) ≤ μ. One event then bounds μ
from below. If moreover the mechanism's trade-off curve *is* that of Gaussian noise, μ gives the whole curve of (ε, δ):
far sharper than `audit`, and worth nothing where the hypothesis fails. A mechanism that publishes a record once in a
thousand runs is not GDP for the μ that its other runs suggest.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator
from scipy.special import ndtri

from dpcourse.accounting import PrivacyLoss
from dpcourse.audit.certify import Auditable, run
from dpcourse.audit.events import Counts, choose_and_split
from dpcourse.audit.families import FAMILIES, FLOATING_POINT
from dpcourse.audit.outputs import Outputs
from dpcourse.audit.rates import clopper_pearson
from dpcourse.privacy import arguments


@dataclass(frozen=True)
class GdpAudit:
    """What an audit found on the assumption that the mechanism is μ-GDP for some μ.

    Attributes
    ----------
    mu_lower : float
        With probability `confidence` or more, no μ below this holds, if any does. It may be negative: then nothing was
        found. Its sign is kept, for |μ̂| would turn an event that happened to go the wrong way into evidence.
    mu : float
        The same from the frequencies themselves, without a bound: an estimate, of either sign.
    event : str
    confidence : float
    runs : int
        Per dataset, those that choose included.
    """

    mu_lower: float
    mu: float
    event: str
    confidence: float
    runs: int

    def epsilon_lower(self, delta: float) -> float:
        """The ε at `delta` of Gaussian noise with μ = `mu_lower`; 0 where nothing was found.

        A lower bound only if the mechanism's whole trade-off curve is that of Gaussian noise. To be μ-GDP is not
        enough: randomized response at ε = 1 is 1.23-GDP, and has ε ≤ 1 at every δ. Of one Gaussian the ε is exact.
        """
        arguments.probability("delta", delta, zero=False, one=False)
        return PrivacyLoss.gaussian(1 / self.mu_lower).epsilon(delta) if self.mu_lower > 1e-6 else 0.0

    def __str__(self) -> str:
        found = f"μ ≥ {self.mu_lower:.3g}" if self.mu_lower > 0 else f"nothing (μ ≥ {self.mu_lower:.3g})"
        return (
            f"IF the mechanism is Gaussian differentially private, then at {100 * self.confidence:.7g}% confidence "
            f"{found}, from “{self.event}”. Whether it is, this audit cannot tell."
        )


def gdp_mu(hits: np.ndarray, false_hits: np.ndarray, runs: int | np.ndarray, error: float | None = None) -> np.ndarray:
    """Φ⁻¹(TPR) − Φ⁻¹(FPR), signed, from counts of an event on two datasets.

    Parameters
    ----------
    hits, false_hits : arrays of int, the same shape
        How often it happened among `runs` where it is expected, and where it is not.
    runs : int or array of int
    error : float or None
        With a number, the rates are replaced by a lower and an upper Clopper–Pearson bound, each wrong with this
        probability at most: a lower bound on μ. None gives the estimate.

    Examples
    --------
    >>> float(gdp_mu(np.array(50), np.array(50), 100)), bool(gdp_mu(np.array(50), np.array(50), 100, 0.01) < 0)
    (0.0, True)
    """
    if error is None:
        true_rate, false_rate = np.asarray(hits) / runs, np.asarray(false_hits) / runs
    else:
        true_rate, false_rate = clopper_pearson(hits, runs, error)[0], clopper_pearson(false_hits, runs, error)[1]
    with np.errstate(invalid="ignore"):
        return np.nan_to_num(ndtri(true_rate) - ndtri(false_rate), nan=0.0, posinf=math.inf, neginf=-math.inf)


def audit_gdp(
    mechanism: Auditable,
    data: Any,
    neighbour: Any,
    *,
    runs: int = 100_000,
    confidence: float = 0.999,
    floating_point: bool = True,
    rng: Generator | int | None = None,
) -> GdpAudit:
    """Bound μ from below, on the assumption that the mechanism is μ-GDP for some μ.

    Parameters are those of `dpcourse.audit.audit`; no claim is needed. Neighbours: those of the two datasets.

    Examples
    --------
    >>> found = audit_gdp(lambda data, rng: round(data + rng.normal(scale=2.0), 6), 0, 1, runs=20_000, rng=11)
    >>> 0.35 < found.mu_lower <= 0.5
    True
    """
    runs = arguments.integer("runs", runs, minimum=4)
    confidence = arguments.probability("confidence", confidence, zero=False, one=False)
    if not callable(mechanism):
        raise TypeError(f"mechanism must be callable as mechanism(data, rng), got {mechanism!r}")
    rng = np.random.default_rng(rng)
    outputs = (run(mechanism, data, runs, rng), run(mechanism, neighbour, runs, rng))
    families = [*FAMILIES, *FLOATING_POINT] if floating_point else FAMILIES
    error = (1 - confidence) / 2
    choice, first = choose_and_split(Outputs.collect(*outputs), _MuScore(error), families)
    counts = choice.counts(slice(first, runs))
    hits, false_hits = np.array(counts.expected), np.array(counts.unexpected)
    low, plain = gdp_mu(hits, false_hits, counts.trials, error), gdp_mu(hits, false_hits, counts.trials)
    return GdpAudit(float(low), float(plain), choice.text, confidence, runs)


@dataclass(frozen=True)
class _MuScore:
    """μ's lower bound, with the error shared among the root of the number of events, as `audit` does."""

    error: float

    def one(self, hits: np.ndarray, false_hits: np.ndarray, runs: np.ndarray, events: np.ndarray) -> np.ndarray:
        return gdp_mu(hits, false_hits, runs, self.error / np.sqrt(events))

    def two(self, counts: Counts, events: int) -> float:
        return -math.inf  # one event is what the hypothesis is about
