"""Rényi divergences of the mechanisms, and from Rényi or zero-concentrated claims to (ε, δ).

A mechanism is (α, r)-RDP if the Rényi divergence of order α between its outputs on neighbours is at most r, in both
directions (Mironov 2017, arXiv:1702.07476). At a fixed order the r's of several runs add up. It is ρ-zCDP if r ≤ ρ·α at
every order α > 1 (Bun & Steinke 2016, arXiv:1605.02065). Orders are arrays of numbers > 1, curves are arrays of the
same shape.
"""

from __future__ import annotations

import functools
import math
from fractions import Fraction

import numpy as np
from scipy.special import exprel, gammaln, log_ndtr

from dpcourse.accounting.excess import divergence, log_excess
from dpcourse.accounting.pld import PrivacyLoss, integers, pairs
from dpcourse.accounting.pld.grid import on_natural_edges
from dpcourse.privacy import arguments

#: The orders looked at unless others are given: steps of .1 up to 11, of 1 up to 64, then integers of growing distance.
DEFAULT_ORDERS: tuple[float, ...] = (
    *(1 + k / 50 for k in range(1, 5)),
    *(1 + k / 10 for k in range(1, 101)),
    *(float(k) for k in range(12, 65)),
    *(float(round(64 * 2 ** (k / 6))) for k in range(1, 49)),
)

_SMALLEST_RHO = 1e-280  # a smaller ρ is counted as this, so that the best order fits a float


def gaussian(noise_multiplier: float, orders: np.ndarray) -> np.ndarray:
    """α/(2σ²), for Gaussian noise of σ = `noise_multiplier` × sensitivity; the discrete Gaussian has the same bound.

    Examples
    --------
    >>> gaussian(2.0, [2, 8]).tolist()
    [0.25, 1.0]
    """
    return _orders(orders) / (2 * arguments.positive("noise_multiplier", noise_multiplier) ** 2)


def laplace(ratio: float, orders: np.ndarray) -> np.ndarray:
    """Laplace noise, `ratio` = sensitivity / scale (Mironov 2017, arXiv:1702.07476)."""
    alpha, ratio = _orders(orders), arguments.positive("ratio", ratio)
    # α/(2α − 1)·e^((α−1)r) + (α − 1)/(2α − 1)·e^(−αr), less 1, is a power's excess too.
    power = 2 - 1 / alpha
    return divergence(log_excess(alpha * ratio, power) - alpha * ratio - np.log(power), alpha)


def discrete_laplace(sensitivity: int, scale: float | Fraction, orders: np.ndarray) -> np.ndarray:
    """Integer noise P[x] ∝ e^(−|x|/`scale`) on an integer of this `sensitivity` (both in steps).

    With ε = sensitivity/scale, x = 1/(2·scale) and k = 2α − 1, three geometric sums make E[(P/Q)^α] = A·e^((α−1)ε) +
    (1 − A)·e^(−αε), where 2A = 1 + tanh(x)/tanh(kx). Between fine steps 2A is 1 + 1/k, and this is `laplace`.

    Examples
    --------
    >>> fine, coarse = discrete_laplace(2**20, 2**20, [2.0]), discrete_laplace(1, 1, [2.0])
    >>> fine.round(4).tolist(), coarse.round(4).tolist(), laplace(1.0, [2.0]).round(4).tolist()
    ([0.6191], [0.7353], [0.6191])
    """
    alpha, steps = _orders(orders), arguments.integer("sensitivity", sensitivity, minimum=1)
    arguments.positive("scale", scale)
    epsilon, x, k = float(steps / Fraction(scale)), float(1 / (2 * Fraction(scale))), 2 * alpha - 1
    with np.errstate(over="ignore", divide="ignore"):
        log_share = np.log((1 + np.tanh(x) / np.tanh(k * x)) / 2)
        if epsilon > 700:  # next to A·e^((α−1)ε) nothing else is left
            return epsilon + log_share / (alpha - 1)
        # Less 1, the mean is A·e^(−αε) times the excess of `laplace` and (k·tanh(x)/tanh(kx) − 1)/(2α)·(1 − e^(−αε)).
        smooth = log_share - alpha * epsilon + log_excess(alpha * epsilon, 2 - 1 / alpha)
        rise = (_over_tanh(k * x) - _over_tanh(x)) / (1 + _over_tanh(x))
        return divergence(np.logaddexp(smooth, np.log(rise * -np.expm1(-alpha * epsilon) / (2 * alpha))), alpha)


def pure(epsilon: float, orders: np.ndarray) -> np.ndarray:
    """The largest divergence that a pure ε-DP mechanism can have: randomized response has it."""
    alpha, epsilon = _orders(orders), arguments.nonnegative("epsilon", epsilon, infinite=True)
    if math.isinf(epsilon):
        return np.full(alpha.shape, math.inf)
    # (e^(αε) + e^((1−α)ε))/(1 + e^ε), less 1, is (e^(αε) − 1)(1 − e^((1−α)ε))/(1 + e^ε).
    with np.errstate(divide="ignore"):
        factors = np.log(-np.expm1(-alpha * epsilon)) + np.log(-np.expm1((1 - alpha) * epsilon))
    return divergence(alpha * epsilon + factors - np.logaddexp(0.0, epsilon), alpha)


def bounded_range(epsilon: float, orders: np.ndarray) -> np.ndarray:
    """The largest divergence of a mechanism whose loss has range ε, as the exponential mechanism's has; ≤ α·ε²/8.

    If the loss lies in [t − ε, t], the worst case has the losses t and t − ε only (`pld.selection.BoundedRange`). The
    power's mean is then (e^((α−1)t)·(1 − e^(−αε)) − e^(αt)·(e^−ε − e^(−αε)))/(1 − e^−ε), which is largest at
    e^t = (1 − 1/α)·(1 − e^(−αε))/(e^−ε − e^(−αε)). The bound ρ = ε²/8 is that of Cesar & Rogers 2021
    (arXiv:2004.07223).

    Examples
    --------
    >>> bounded_range(1.0, [1.001, 2, 8]).round(4).tolist()
    [0.1234, 0.2402, 0.6355]
    """
    alpha, epsilon = _orders(orders), arguments.positive("epsilon", epsilon)
    if epsilon > 1e6:  # where the differences of exponents lose their digits, and the range makes none
        return pure(epsilon, alpha)
    limit = alpha * epsilon**2 / 8
    # (1 − 1/α)·(1 − e^(−αε))/(1 − e^(−(α−1)ε)) is a ratio of two of exprel(x) = (e^x − 1)/x, whatever is small.
    t = np.clip(epsilon + np.log(exprel(-alpha * epsilon) / exprel(-(alpha - 1) * epsilon)), 0.0, epsilon)
    with np.errstate(divide="ignore"):
        log_q = -t + np.log(-np.expm1(t - epsilon)) - np.log(-np.expm1(-epsilon))
        log_rest = np.log(-np.expm1(-t)) - np.log(-np.expm1(-epsilon))
        excess = np.logaddexp(log_q + log_excess(t, alpha), log_rest + log_excess(t - epsilon, alpha))
    return np.minimum(divergence(excess, alpha), limit)


def subsampled_gaussian(
    noise_multiplier: float, sampling_rate: float, orders: np.ndarray, *, exact: bool = True
) -> np.ndarray:
    """The Poisson-subsampled Gaussian, add-remove neighbours, at integer and fractional orders.

    At an integer α the sum of Mironov, Talwar & Zhang 2019 (arXiv:1908.10530, section 3.3). In between, their series
    has terms of both signs; the integral that it expands, E[(1 − q + q·e^L)^α] under N(0, σ²), has a smooth positive
    integrand, for which the trapezoidal rule converges faster than any power of its step. Of the two directions this
    is the worse one, as they prove.

    Parameters
    ----------
    noise_multiplier, sampling_rate : float
        σ / sensitivity > 0 and q in [0, 1].
    orders : array of float > 1
        α.
    exact : bool
        False adds up the absolute values of the series' terms at fractional orders: the looser bound that dp-accounting
        0.6.0 reports. How much looser depends: at α=1.5 by 3% for q=.01 and σ=2.5, 19 times as much for q=.3 and σ=10;
        at integers it is the same.

    Examples
    --------
    >>> (50 * subsampled_gaussian(2.5, 0.01, [1.5, 2.5, 5])).round(8).tolist()
    [0.00065007, 0.00108542, 0.00218076]
    """
    sigma = arguments.positive("noise_multiplier", noise_multiplier)
    rate, alphas = arguments.probability("sampling_rate", sampling_rate), _orders(orders)
    if rate == 0:
        return np.zeros(alphas.shape)
    if rate == 1:
        return gaussian(sigma, alphas)
    moments = []
    for alpha in alphas.ravel():
        whole = alpha == round(alpha)
        moment = _integer_moment(1 / sigma, rate, round(alpha)) if whole else _moment(1 / sigma, rate, alpha)
        moments.append(moment if exact or whole else max(moment, _absolute_series(1 / sigma, rate, alpha)))
    return (np.array(moments) / (alphas.ravel() - 1)).reshape(alphas.shape)


def of_loss(loss: PrivacyLoss, orders: np.ndarray) -> np.ndarray:
    """The Rényi curve of any `PrivacyLoss`, the worse of both directions.

    Closed forms where there are any; elsewhere sums over a pair that dominates the loss, so never too small. ∞ where
    the loss has no largest value and its curve no closed form, or where mass lies at an infinite loss.
    """
    alphas = _orders(orders)
    curves = []
    for add in (False, True):
        curve = np.zeros(alphas.shape)
        for pair, times in loss.parts:
            curve = curve + times * _of_pair(pair, add, alphas)
        curves.append(curve)
    return np.maximum(*curves)


def group_of_two(curve, orders: np.ndarray) -> np.ndarray:
    """A Rényi curve for neighbours two records apart, from the function `curve` of orders for one record.

    Hölder's inequality with exponent p gives D_α(P‖R) ≤ (α − 1/p)/(α − 1)·D_{pα}(P‖Q) + D_{(pα−1)/(p−1)}(Q‖R) (Mironov
    2017, arXiv:1702.07476). Here p = 2 − 1/α, which is exact for Gaussian noise: 4 times its curve.
    """
    alpha = _orders(orders)
    return 2 * alpha / (2 * alpha - 1) * np.asarray(curve(2 * alpha - 1)) + np.asarray(curve(2 * alpha))


def epsilon_from_rdp(orders: np.ndarray, curve: np.ndarray, delta: float) -> float:
    """The smallest ε, over the orders, of r + ln(1 − 1/α) − ln(δα)/(α − 1); never below 0.

    Balle et al. 2020 (arXiv:1905.09982) and Canonne, Kamath & Steinke 2020 (arXiv:2004.00010). With δ=0 finitely many
    orders say nothing: ∞, unless every divergence is 0.

    Examples
    --------
    >>> orders = np.array(DEFAULT_ORDERS)
    >>> round(epsilon_from_rdp(orders, 2250 * subsampled_gaussian(1.5, 0.04, orders), 1e-5), 3)
    7.329
    """
    alpha, delta = _orders(orders), arguments.probability("delta", delta)
    curve = np.asarray(curve, dtype=float)
    if curve.shape != alpha.shape or not (curve >= 0).all():
        raise ValueError(f"curve must hold one divergence ≥ 0 an order, got {curve!r}")
    if delta == 0:
        return 0.0 if not curve.any() else math.inf
    bounds = curve + np.log1p(-1 / alpha) - (math.log(delta) + np.log(alpha)) / (alpha - 1)
    return max(float(bounds.min()), 0.0)


def delta_from_rdp(orders: np.ndarray, curve: np.ndarray, epsilon: float) -> float:
    """The same conversion solved for δ at a given ε ≥ 0."""
    alpha, epsilon = _orders(orders), arguments.nonnegative("epsilon", epsilon)
    with np.errstate(over="ignore"):
        bounds = (alpha - 1) * (np.asarray(curve, dtype=float) - epsilon + np.log1p(-1 / alpha)) - np.log(alpha)
    return math.exp(min(float(bounds.min()), 0.0))


def epsilon_from_zcdp(rho: float, delta: float, *, loose: bool = False) -> float:
    """ε at this δ of a ρ-zCDP mechanism: its Rényi curve ρ·α converted at the best order (arXiv:2004.00010).

    `loose` gives the older and simpler ρ + 2√(ρ ln(1/δ)) (arXiv:1605.02065).

    Examples
    --------
    >>> round(epsilon_from_zcdp(0.5, 1e-5), 3), round(epsilon_from_zcdp(0.5, 1e-5, loose=True), 3)
    (4.728, 5.299)
    """
    rho, delta = arguments.nonnegative("rho", rho, infinite=True), arguments.probability("delta", delta)
    if rho == 0 or delta == 1:
        return 0.0
    if delta == 0 or math.isinf(rho):
        return math.inf
    rho = max(rho, _SMALLEST_RHO)
    root = math.sqrt(-math.log(delta) / rho)  # the best α − 1, nearly; every order gives a valid bound
    if loose:
        return rho + 2 * rho * root
    orders = 1 + max(root, 1e-12) * np.geomspace(1e-3, 1e2, 4001)
    return epsilon_from_rdp(orders, rho * orders, delta)


def delta_from_zcdp(rho: float, epsilon: float) -> float:
    """δ at this ε ≥ 0 of a ρ-zCDP mechanism: the conversion of `epsilon_from_zcdp` at the best of many orders."""
    rho, epsilon = arguments.nonnegative("rho", rho, infinite=True), arguments.nonnegative("epsilon", epsilon)
    if rho == 0 or math.isinf(rho):
        return float(rho > 0)
    rho = max(rho, _SMALLEST_RHO)
    best = min(max((epsilon - rho) / (2 * rho), 1e-9), 1e290)  # the best α − 1, but for the terms without ρ
    orders = 1 + np.append(best, max(best, 1.0) * np.geomspace(1e-8, 1e2, 5001))
    return delta_from_rdp(orders, rho * orders, epsilon)


def _orders(orders: np.ndarray) -> np.ndarray:
    alphas = arguments.finite_array("orders", orders)
    if not (alphas > 1).all():
        raise ValueError(f"orders must be > 1, got {orders!r}")
    return alphas


def _of_pair(pair: pairs.Pair, add: bool, orders: np.ndarray) -> np.ndarray:
    if isinstance(pair, pairs.Gaussian):
        return gaussian(1 / pair.mu, orders)
    if isinstance(pair, integers.DiscreteGaussian):
        return gaussian(pair.sigma / pair.shift, orders)
    if isinstance(pair, pairs.Laplace):
        return laplace(pair.ratio, orders)
    if isinstance(pair, integers.DiscreteLaplace):
        return discrete_laplace(pair.shift, pair.scale, orders)
    if isinstance(pair, pairs.Subsampled) and isinstance(pair.base, pairs.Gaussian):
        return subsampled_gaussian(1 / pair.base.mu, pair.rate, orders)
    if isinstance(pair, pairs.Subsampled) and isinstance(pair.base, integers.DiscreteGaussian):
        base = pair.base
        spacing = max(1, math.floor(base.sigma / 16)) / base.sigma
        moments = [_moment(base.shift / base.sigma, pair.rate, float(alpha), spacing) for alpha in orders.ravel()]
        return (np.array(moments) / (orders.ravel() - 1)).reshape(orders.shape)
    bounds = (-pair.bounds[1], -pair.bounds[0]) if add else pair.bounds
    if math.isinf(bounds[1]):
        return np.full(orders.shape, math.inf)
    atoms = on_natural_edges(pair, add, 4000, 1e-300)
    # Outputs that are possible under Q alone are left out: in the other direction they make the answer ∞.
    log_q = atoms.log_mass - atoms.loss
    moments = [_log_sum(log_q + log_excess(atoms.loss, float(alpha))) for alpha in orders.ravel()]
    return divergence(np.array(moments), orders.ravel()).reshape(orders.shape)


def _over_tanh(x: np.ndarray | float) -> np.ndarray:
    """x/tanh(x) − 1 for x > 0: its continued fraction x²/(3 + x²/(5 + …)) where the difference would lose digits."""
    square = np.minimum(x, 1.0) ** 2
    fraction = np.zeros_like(square)
    for odd in range(21, 1, -2):
        fraction = square / (odd + fraction)
    return np.where(np.less(x, 1), fraction, x / np.tanh(x) - 1)


@functools.lru_cache(maxsize=4096)
def _integer_moment(mu: float, rate: float, alpha: int) -> float:
    """ln Σ_k C(α, k) (1 − q)^(α−k) q^k e^(μ²(k² − k)/2): 1, and what the exponentials of k ≥ 2 have above 1."""
    k = np.arange(2.0, alpha + 1)
    growth = np.maximum(mu**2 * (k * k - k) / 2, 1e-300)
    terms = gammaln(alpha + 1) - gammaln(k + 1) - gammaln(alpha - k + 1)
    terms += (alpha - k) * math.log1p(-rate) + k * math.log(rate) + growth + np.log(-np.expm1(-growth))
    return float(np.logaddexp(0.0, _log_sum(terms)))


def _absolute_series(mu: float, rate: float, alpha: float) -> float:
    """ln of the sum of |terms| of the series at a fractional α; split at z₀, where (1 − q) = q·e^L."""
    split = (math.log(1 / rate - 1) + mu**2 / 2) / mu
    k = np.arange(math.ceil(alpha) + 1000.0)
    j = alpha - k
    # |Γ| of the negative arguments beyond k > α + 1: gammaln gives ln|Γ|.
    log_choose = gammaln(alpha + 1) - gammaln(k + 1) - gammaln(alpha - k + 1)
    below = log_choose + k * math.log(rate) + j * math.log1p(-rate) + mu**2 * (k * k - k) / 2 + log_ndtr(split - k * mu)
    above = log_choose + j * math.log(rate) + k * math.log1p(-rate) + mu**2 * (j * j - j) / 2 + log_ndtr(j * mu - split)
    return _log_sum(np.append(below, above))


@functools.lru_cache(maxsize=4096)
def _moment(mu: float, rate: float, alpha: float, spacing: float = 1 / 16) -> float:
    """ln E[(1 − q + q·e^L)^α] with L = μx − μ²/2 and x normal, on multiples of `spacing`.

    For the discrete Gaussian these are its own outputs (every one, or every so many where that makes no difference).
    """
    # The integrand's mode lies between 0 and the larger of α·μ and 2μ; ten deviations more lose e^−50 of it.
    end = math.ceil((max(alpha, 2) * mu + 12) / spacing)
    x = spacing * np.arange(math.floor(-12 / spacing), end + 1.0)
    log_normal, loss = -(x**2) / 2, mu * x - mu**2 / 2
    small = np.log1p(rate * np.expm1(np.minimum(loss, 700.0)))
    mixture = np.where(loss < 700, small, np.logaddexp(math.log1p(-rate), math.log(rate) + loss))
    excess = _log_sum(log_normal + log_excess(mixture, alpha)) - _log_sum(log_normal)
    return float(np.logaddexp(0.0, excess))


def _log_sum(terms: np.ndarray) -> float:
    top = float(terms.max())
    return top + math.log(float(np.exp(terms - top).sum()))
