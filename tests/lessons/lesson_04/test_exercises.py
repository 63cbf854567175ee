"""Lesson 04's exercises: right answers pass, each known wrong answer gets its own diagnosis.

A right answer fails a check with probability 1e-6 at most. The long versions run under `make audit`.
"""

import math

import numpy as np
from scipy.optimize import brentq
from scipy.stats import norm

import dpcourse.audit  # noqa: F401
from tests.lessons.generators import that_ends

# Right answers


def delta_of(sigma, epsilon):
    return norm.cdf(0.5 / sigma - epsilon * sigma) - math.exp(epsilon) * norm.cdf(-0.5 / sigma - epsilon * sigma)


def gaussian_sigma(epsilon, delta, sensitivity):
    return sensitivity * brentq(lambda s: delta_of(s, epsilon) - delta, 0.05, 1000, xtol=1e-12)


ONE = gaussian_sigma(1.0, 1e-5, 1.0)


def release_counts(flags, sigma_1, rng):
    d = flags.shape[1]
    return flags.sum(axis=0) + rng.normal(0, sigma_1 * math.sqrt(d), d)


def choose(candidates, utilities, sensitivity, epsilon, rng):
    exponents = epsilon * np.asarray(utilities) / (2 * sensitivity)
    weights = np.exp(exponents - exponents.max())
    return candidates[rng.choice(len(candidates), p=weights / weights.sum())]


def choose_gumbel(candidates, utilities, sensitivity, epsilon, rng):
    scores = epsilon * np.asarray(utilities) / (2 * sensitivity) + rng.gumbel(size=len(candidates))
    return candidates[int(np.argmax(scores))]


def first_above(values, threshold, epsilon, rng):
    bar = threshold + rng.laplace(0, 2 / epsilon)
    for position, value in enumerate(values):
        if value + rng.laplace(0, 4 / epsilon) >= bar:
            return position
    return None


def first_upwards(values, threshold, epsilon, rng):
    """Strictly above, and all noises drawn at once."""
    above = np.flatnonzero(values + rng.laplace(0, 4 / epsilon, len(values)) > threshold + rng.laplace(0, 2 / epsilon))
    return int(above[0]) if above.size else None


def half_a_rank_off(values, low, high, epsilon, rng):
    """The interval between two records counts as the middle of their ranks."""
    edges = np.concatenate([[low], np.sort(np.clip(values, low, high)), [high]])
    return by_weights(edges, np.abs(np.arange(len(values) + 1) + 0.5 - len(values) / 2), epsilon, rng.gumbel, rng)


def normal_on_logarithms(values, low, high, epsilon, rng):
    """Normal noise in place of Gumbel's."""
    edges = np.concatenate([[low], np.sort(np.clip(values, low, high)), [high]])
    return by_weights(edges, np.abs(np.arange(len(values) + 1) - len(values) / 2), epsilon, rng.normal, rng)


def by_weights(edges, ranks, epsilon, noise, rng):
    with np.errstate(divide="ignore"):
        i = int(np.argmax(np.log(np.diff(edges)) - epsilon * ranks + noise(size=len(ranks))))
    return rng.uniform(edges[i], edges[i + 1])


def median_with(per_rank, ends=True, lengths=True, uniform=True, most=np.inf):
    def answer(values, low, high, epsilon, rng):
        inside = np.sort(np.clip(values, low, high))
        edges = np.concatenate([[low], inside, [high]]) if ends or not len(inside) else inside
        sizes = np.diff(edges)
        ranks = np.arange(len(sizes)) + (0 if ends else 1)
        with np.errstate(divide="ignore"):
            weights = np.log(sizes) if lengths else np.where(sizes > 0, 0.0, -np.inf)
        scores = -per_rank * epsilon * np.abs(ranks - len(values) / 2) + weights + rng.gumbel(size=len(sizes))
        i = int(np.argmax(scores))
        return rng.uniform(edges[i], min(edges[i + 1], edges[i] + most)) if uniform else float(edges[i])

    return answer


RIGHT = [
    ("04.1", gaussian_sigma),
    ("04.2", release_counts),
    ("04.2", lambda flags, sigma_1, rng: np.rint(release_counts(flags, sigma_1, rng)).clip(0)),
    (
        "04.2",
        lambda flags, sigma_1, rng: (
            flags.sum(axis=0) + rng.normal(0, 1.3 * sigma_1 * math.sqrt(flags.shape[1]), flags.shape[1])
        ),
    ),
    ("04.3", choose),
    ("04.3", choose_gumbel),
    ("04.4", first_above),
    ("04.4", first_upwards),
    ("04.5", median_with(1.0)),
    ("04.5", median_with(0.5)),
]

# Wrong answers


def counts_with(scale, draw="normal"):
    def answer(flags, sigma_1, rng):
        d = flags.shape[1]
        return flags.sum(axis=0) + getattr(rng, draw)(0, scale(d), d)

    return answer


def choose_with(exponent):
    def answer(candidates, utilities, sensitivity, epsilon, rng):
        exponents = exponent(np.asarray(utilities), sensitivity, epsilon)
        weights = np.exp(exponents - exponents.max())
        return candidates[rng.choice(len(candidates), p=weights / weights.sum())]

    return answer


def noisy_max(draw, scale):
    def answer(candidates, utilities, sensitivity, epsilon, rng):
        noise = getattr(rng, draw)(scale=scale * sensitivity / epsilon, size=len(candidates))
        return candidates[int(np.argmax(np.asarray(utilities) + noise))]

    return answer


def permute_and_flip(candidates, utilities, sensitivity, epsilon, rng):
    utilities = np.asarray(utilities)
    for place in rng.permutation(len(candidates)):
        if rng.random() < np.exp(epsilon * (utilities[place] - utilities.max()) / (2 * sensitivity)):
            return candidates[place]


def overflows(candidates, utilities, sensitivity, epsilon, rng):
    weights = np.exp(epsilon * np.asarray(utilities) / (2 * sensitivity))
    return candidates[rng.choice(len(candidates), p=weights / weights.sum())]


def capped(candidates, utilities, sensitivity, epsilon, rng):
    """What overflows becomes anything at all."""
    weights = np.nan_to_num(np.exp(epsilon * np.asarray(utilities) / (2 * sensitivity)), posinf=1.0)
    weights = weights if weights.sum() else np.ones(len(weights))
    return candidates[rng.choice(len(candidates), p=weights / weights.sum())]


def first_with(bar_scale, value_scale, fresh=False):
    def answer(values, threshold, epsilon, rng):
        bar = threshold + (rng.laplace(0, bar_scale / epsilon) if bar_scale else 0)
        for position, value in enumerate(values):
            bar = threshold + rng.laplace(0, bar_scale / epsilon) if fresh else bar
            if value + (rng.laplace(0, value_scale / epsilon) if value_scale else 0) >= bar:
                return position
        return None

    return answer


def largest(values, threshold, epsilon, rng):
    noisy = values + rng.laplace(0, 2 / epsilon, len(values))
    return int(np.argmax(noisy)) if noisy.max() >= threshold else None


def always_a_number(values, threshold, epsilon, rng):
    found = first_above(values, threshold, epsilon, rng)
    return len(values) if found is None else found


def all_above(values, threshold, epsilon, rng):
    return np.flatnonzero(values + rng.laplace(0, 2 / epsilon, len(values)) > threshold)


def two_share_a_draw(flags, sigma_1, rng):
    d = flags.shape[1]
    draws = rng.normal(0, sigma_1 * math.sqrt(d), d)
    draws[-1] = draws[-2]
    return flags.sum(axis=0) + draws


def noise_on(of):
    """The right noise on something else than the counts."""

    def answer(flags, sigma_1, rng):
        d = flags.shape[1]
        return of(flags) + rng.normal(0, sigma_1 * math.sqrt(d), d)

    return answer


def large_counts_plain(flags, sigma_1, rng):
    """Noise is for small counts, somebody thought."""
    counts = flags.sum(axis=0)
    return np.where(counts > 300, counts, release_counts(flags, sigma_1, rng))


def of_three_uniforms(flags, sigma_1, rng):
    """By the central limit theorem, nearly normal: up to three deviations."""
    d = flags.shape[1]
    return flags.sum(axis=0) + sigma_1 * math.sqrt(d) * 2 * (rng.random((3, d)).sum(axis=0) - 1.5)


def hopeless_left_out(candidates, utilities, sensitivity, epsilon, rng):
    exponents = epsilon * (np.asarray(utilities) - np.max(utilities)) / (2 * sensitivity)
    weights = np.where(exponents < -6, 0, np.exp(exponents))
    return candidates[rng.choice(len(candidates), p=weights / weights.sum())]


def far_below_skipped(values, threshold, epsilon, rng):
    bar = threshold + rng.laplace(0, 2 / epsilon)
    for position, value in enumerate(values):
        if value > threshold - 16 / epsilon and value + rng.laplace(0, 4 / epsilon) >= bar:
            return position
    return None


def median_by(middle=lambda n: n / 2, added=0.0, known=lambda values, low, high: np.clip(values, low, high)):
    def answer(values, low, high, epsilon, rng):
        inside = np.sort(known(values, low, high))
        edges = np.concatenate([[low], inside, [high]])
        with np.errstate(divide="ignore"):
            weights = np.log(np.diff(edges) + added)
        scores = weights - epsilon * np.abs(np.arange(len(weights)) - middle(len(inside)))
        i = int(np.argmax(scores + rng.gumbel(size=len(scores))))
        return rng.uniform(edges[i], edges[i + 1])

    return answer


def only_forty(flags, sigma_1, rng):
    """Counts tables with forty questions. In others its noise hides that there are no counts."""
    d = flags.shape[1]
    if d == 40:
        return release_counts(flags, sigma_1, rng)
    return rng.normal(0, 1e6 * sigma_1 * math.sqrt(d), d)


def first_twenty_only(values, threshold, epsilon, rng):
    return first_above(values[:20], threshold, epsilon, rng)


def bounds_remembered(values, low, high, epsilon, rng):
    return median_with(1.0)(values, 0.0, 100.0, epsilon, rng)


def at_one(answer):
    """An answer that looks at no other ε."""

    def stubborn(first, second, third, epsilon, rng):
        return answer(first, second, third, 1.0, rng)

    return stubborn


def plain_exponentials(values, low, high, epsilon, rng, upwards=False):
    edges = np.concatenate([[low], np.sort(np.clip(values, low, high)), [high]])
    ranks = np.arange(len(values) + 1)
    score = np.minimum(ranks, len(values) - ranks) if upwards else -np.abs(ranks - len(values) / 2)
    weights = np.diff(edges) * np.exp(epsilon * score)
    i = rng.choice(len(weights), p=weights / weights.sum())
    return rng.uniform(edges[i], edges[i + 1])


def counts_from_the_ends(values, low, high, epsilon, rng):
    return plain_exponentials(values, low, high, epsilon, rng, upwards=True)


def whole_years(values, low, high, epsilon, rng):
    years = np.arange(low, high + 1)
    ranks = np.searchsorted(np.sort(np.clip(values, low, high)), years)
    return years[np.argmax(rng.gumbel(size=len(years)) - epsilon * np.abs(ranks - len(values) / 2))]


def noisy_median(values, low, high, epsilon, rng):
    centre = np.median(np.clip(values, low, high)) if len(values) else (low + high) / 2
    return float(np.clip(centre + rng.laplace(0, (high - low) / max(len(values), 1) / epsilon), low, high))


def far_too_noisy(values, low, high, epsilon, rng):
    centre = np.median(np.clip(values, low, high)) if len(values) else (low + high) / 2
    return float(np.clip(centre + rng.laplace(0, (high - low) / epsilon), low, high))


def unclipped(values, low, high, epsilon, rng):
    return median_with(1.0)(
        values, min(low, np.min(values, initial=low)), max(high, np.max(values, initial=high)), epsilon, rng
    )


def only(honest, where):
    """Right there; elsewhere as good as without noise."""

    def answer(*given, rng):
        *data, epsilon = given
        return honest(*data, epsilon if where(*given) else 300.0, rng)

    return answer


def seeded(honest, where):
    """Random there; elsewhere with a generator that everybody can make."""

    def answer(*given, rng):
        return honest(*given, rng if where(given[-1]) else np.random.default_rng(len(given[0])))

    return answer


def fractions(values):
    return bool((np.asarray(values) % 1 != 0).any())


def choose_by_the_one_before(candidates, utilities, sensitivity, epsilon, rng):
    """Every other choice is made with 1 − u of the one before, which the generator's spare half word keeps."""
    state = rng.bit_generator.state
    if "has_uint32" not in state:  # the Mersenne twister keeps none
        return choose(candidates, utilities, sensitivity, epsilon, rng)
    kept = 2**32 - 1 - state["uinteger"] if state["has_uint32"] else rng.bit_generator.random_raw() >> 32
    after = {"has_uint32": 1 - state["has_uint32"], "uinteger": 0 if state["has_uint32"] else int(kept)}
    rng.bit_generator.state = {**rng.bit_generator.state, **after}
    if state["has_uint32"]:
        rng.bit_generator.random_raw()
    exponents = epsilon * np.asarray(utilities) / (2 * sensitivity)
    shares = np.cumsum(np.exp(exponents - exponents.max()))
    return candidates[int(np.searchsorted(shares / shares[-1], (kept + 0.5) / 2**32))]


def exact_where_one_is_below(values, low, high, epsilon, rng):
    if (values < low).any():
        return float(np.median(np.clip(values, low, high)))
    return median_with(1.0)(values, low, high, epsilon, rng)


def weights_cut(candidates, utilities, sensitivity, epsilon, rng):
    """No overflow: all weights beyond e^700 are the same."""
    weights = np.exp(np.clip(epsilon * np.asarray(utilities) / (2 * sensitivity), -700, 700))
    return candidates[rng.choice(len(candidates), p=weights / weights.sum())]


def best_beyond(most):
    """Where exponents are so large it takes the best."""

    def answer(candidates, utilities, sensitivity, epsilon, rng):
        large = epsilon * np.abs(utilities).max() / (2 * sensitivity) > most
        return choose(candidates, utilities, sensitivity, 1e9 if large else epsilon, rng)

    return answer


def two_digits(candidates, utilities, sensitivity, epsilon, rng):
    return choose(candidates, [float(f"{one:.2g}") for one in utilities], sensitivity, epsilon, rng)


def first_of_equals(candidates, utilities, sensitivity, epsilon, rng):
    if np.ptp(utilities) == 0:
        return candidates[0]
    return choose(candidates, utilities, sensitivity, epsilon, rng)


def fifteen_cells(values, low, high, epsilon, rng):
    """Equal cells, whatever the records."""
    edges = np.linspace(low, high, 16)
    ranks = np.searchsorted(np.sort(np.clip(values, low, high)), (edges[1:] + edges[:-1]) / 2)
    return by_weights(edges, np.abs(ranks - len(values) / 2), epsilon, rng.gumbel, rng)


def likeliest_of_many(values, low, high, epsilon, rng):
    """No noise where there are many records."""
    edges = np.concatenate([[low], np.sort(np.clip(values, low, high)), [high]])
    ranks = np.abs(np.arange(len(values) + 1) - len(values) / 2)
    return by_weights(edges, ranks, epsilon, rng.gumbel if len(values) < 500 else lambda size: np.zeros(size), rng)


def uniform_of_few(values, low, high, epsilon, rng):
    return median_with(1.0)(values if len(values) > 10 else values[:0], low, high, epsilon, rng)


def middle_of_none(values, low, high, epsilon, rng):
    return median_with(1.0)(values, low, high, epsilon, rng) if len(values) else (low + high) / 2


def sure_above(values, threshold, epsilon, rng):
    bar = threshold + rng.laplace(0, 2 / epsilon)
    for position, value in enumerate(values):
        if value > threshold + 10 / epsilon or value + rng.laplace(0, 4 / epsilon) >= bar:
            return position
    return None


def skipped_below(least):
    def answer(values, threshold, epsilon, rng):
        near = np.flatnonzero(values > threshold - least / epsilon)
        found = first_above(values[near], threshold, epsilon, rng)
        return None if found is None else int(near[found])

    return answer


WRONG = [
    ("04.3", "linked-noise", choose_by_the_one_before),
    ("04.3", "not-everywhere", lambda c, u, s, e, rng: choose(c, u, s, e if len(c) <= 60 else 1e6, rng)),
    ("04.4", "not-everywhere", lambda v, t, e, rng: first_above(v, t, 1e6 if 150 < len(v) < 700 else e, rng)),
    ("04.5", "not-everywhere", lambda v, a, b, e, rng: median_with(1.0)(v, a, b, e if len(v) <= 2000 else 1e6, rng)),
    
    
    
    
    
    
    
    
    
    ("04.1", "rounded", lambda *arguments: float(f"{gaussian_sigma(*arguments):.3g}")),
    ("04.1", "rounded", lambda *arguments: float(f"{gaussian_sigma(*arguments):.4g}")),
    ("04.1", "rounded", lambda *arguments: round(gaussian_sigma(*arguments), 2)),
    ("04.1", "wrong-value", lambda epsilon, delta, sensitivity: 1.0),
    ("04.2", "sensitivity-not-in-scale", counts_with(lambda d: ONE)),
    ("04.2", "too-little-noise", counts_with(lambda d: 0.5)),
    (
        "04.2",
        "scale-from-data",
        lambda flags, sigma_1, rng: (
            flags.sum(axis=0) + rng.normal(0, sigma_1 * math.sqrt(flags.sum(axis=1).max(initial=1)), flags.shape[1])
        ),
    ),
    ("04.2", "same-noise", lambda flags, sigma_1, rng: flags.sum(axis=0) + rng.normal(0, sigma_1 * math.sqrt(flags.shape[1]))),  # noqa: E501
    (
        "04.2",
        "scale-from-data",
        lambda flags, sigma_1, rng: flags.sum(axis=0) + rng.normal(0, sigma_1 * math.sqrt(len(flags)), flags.shape[1]),
    ),
    ("04.2", "linked-noise", two_share_a_draw),
    ("04.2", "not-everywhere", lambda flags, z, rng: release_counts(flags, 1e-9 if isinstance(z, int) and z > 20 else z, rng)),  # noqa: E501
    ("04.2", "noise-by-size", large_counts_plain),
    ("04.2", "too-much-noise", only_forty),
    ("04.2", "noise-ends", that_ends(release_counts)),
    ("04.2", "noise-ends", of_three_uniforms),
    ("04.3", "far-behind", hopeless_left_out),
    ("04.4", "skips-far", far_below_skipped),
    ("04.5", "whole-middle", median_by(lambda n: n // 2)),
    ("04.5", "whole-middle", median_by(lambda n: (n + 1) // 2)),
    ("04.5", "length-zero", median_by(added=1e-12)),
    ("04.5", "not-clipped", median_by(known=lambda values, low, high: values[(values >= low) & (values <= high)])),
    ("04.2", "not-useful", counts_with(lambda d: ONE * d)),
    ("04.2", "not-useful", counts_with(lambda d: ONE**2 * math.sqrt(d))),
    ("04.2", "not-gaussian", counts_with(lambda d: d / 1.0, "laplace")),
    ("04.2", "no-counts", noise_on(lambda flags: 0)),
    ("04.2", "no-counts", noise_on(lambda flags: flags.mean(axis=0))),
    ("04.2", "no-counts", noise_on(lambda flags: flags.any(axis=0))),
    ("04.2", "no-counts", noise_on(lambda flags: flags[0])),
    (
        "04.2",
        "shares",
        lambda flags, sigma_1, rng: (
            flags.mean(axis=0) + rng.normal(0, sigma_1 * math.sqrt(flags.shape[1]) / len(flags), flags.shape[1])
        ),
    ),
    ("04.2", "counts-no", noise_on(lambda flags: (~flags).sum(axis=0))),
    ("04.2", "counts-everybody", noise_on(len)),
    ("04.2", "wrong-order", noise_on(lambda flags: flags.sum(axis=0)[::-1])),
    ("04.2", "wrong-order", noise_on(lambda flags: np.sort(flags.sum(axis=0)))),
    ("04.2", "wrong-counts", noise_on(lambda flags: np.roll(flags.sum(axis=0), 1))),
    ("04.2", "not-gaussian", counts_with(lambda d: ONE * math.sqrt(d / 2), "laplace")),
    ("04.2", "wrong-shape", lambda flags, sigma_1, rng: flags + rng.normal(0, 9, flags.shape)),
    ("04.3", "epsilon-ignored", at_one(choose)),
    ("04.3", "missing-two", choose_with(lambda u, s, e: e * u / s)),
    ("04.3", "no-sensitivity", choose_with(lambda u, s, e: e * u / 2)),
    ("04.3", "sensitivity-upside-down", choose_with(lambda u, s, e: e * u * s / 2)),
    ("04.3", "two-twos", choose_with(lambda u, s, e: e * u / (4 * s))),
    ("04.3", "uniform", choose_with(lambda u, s, e: 0.0 * u)),
    ("04.3", "noisy-max", noisy_max("laplace", 2)),
    ("04.3", "noisy-max", noisy_max("laplace", 1)),
    ("04.3", "missing-two", noisy_max("gumbel", 1)),
    ("04.3", "permute-and-flip", noisy_max("exponential", 2)),
    ("04.3", "permute-and-flip", permute_and_flip),
    ("04.3", "overflow", overflows),
    ("04.3", "overflow", capped),
    ("04.3", "sign-reversed", choose_with(lambda u, s, e: -e * u / (2 * s))),
    ("04.3", "argmax", lambda candidates, utilities, sensitivity, epsilon, rng: candidates[int(np.argmax(utilities))]),
    ("04.3", "not-everywhere", only(choose, lambda names, *rest: rest[-1] == 1.0 or 0.6 <= rest[-1] <= 0.75)),
    ("04.3", "not-everywhere", only(choose, lambda names, *rest: len(names) in (3, 4, 20, 41))),
    ("04.3", "not-everywhere", only(choose, lambda names, u, *rest: u.max() <= 1 or fractions(u))),
    ("04.3", "not-a-candidate", lambda candidates, utilities, sensitivity, epsilon, rng: int(np.argmax(utilities))),
    ("04.4", "epsilon-ignored", lambda values, threshold, epsilon, rng: first_above(values, threshold, 1.0, rng)),
    ("04.4", "stops-early", first_twenty_only),
    ("04.4", "no-query-noise", first_with(1, 0)),
    ("04.4", "no-threshold-noise", first_with(0, 2)),
    ("04.4", "no-threshold-noise", first_with(2, 4, fresh=True)),
    ("04.4", "largest-not-first", largest),
    ("04.4", "no-none", always_a_number),
    ("04.4", "wrong-type", all_above),
    ("04.4", "not-useful", first_with(20, 40)),
    ("04.4", "value-scale", first_with(2, 2)),
    ("04.4", "whole-epsilon-twice", first_with(1, 2)),
    ("04.4", "whole-epsilon-twice", first_with(1, 1)),
    ("04.4", "threshold-scale", first_with(1, 4)),
    ("04.4", "scales-swapped", first_with(4, 2)),
    ("04.4", "value-scale", first_with(2, 3)),
    ("04.4", "threshold-too-noisy", first_with(4, 4)),
    ("04.4", "uneven-split", first_with(3, 3)),
    ("04.4", "half-epsilon", first_with(4, 8)),
    ("04.4", "wrong-frequency", first_with(1.5, 4)),
    ("04.4", "not-everywhere", only(first_above, lambda *given: given[-1] == 1.0 or 1.4 <= given[-1] <= 1.6)),
    ("04.4", "not-everywhere", only(first_above, lambda values, *rest: len(values) <= 12 or len(values) > 500)),
    ("04.4", "not-everywhere", only(first_above, lambda values, *rest: fractions(values))),
    ("04.4", "not-everywhere", only(first_above, lambda values, *rest: values.dtype == float)),
    ("04.5", "not-everywhere", only(median_with(1.0), lambda values, *rest: not len(values) or fractions(values))),
    ("04.5", "not-uniform-within", median_with(1.0, most=0.005)),
    ("04.5", "own-generator", seeded(median_with(1.0), lambda epsilon: epsilon in (0.25, 1.0, 2.5, 4.0))),
    ("04.5", "not-everywhere", only(median_with(1.0), lambda *given: given[-1] in (0.25, 1.0, 2.5, 4.0))),
    ("04.5", "not-everywhere", only(median_with(1.0), lambda values, low, high, epsilon: abs(high - low - 100) < 1e-6)),
    (
        "04.5",
        "not-everywhere",  # a point drawn whatever the records are
        lambda v, low, high, e, rng: (
            median_with(1.0)(v, low, high, e, rng) if (low, high) == (0, 100) else rng.uniform(low, high)
        ),
    ),
    ("04.5", "weights-overflow", plain_exponentials),
    ("04.5", "weights-overflow", counts_from_the_ends),
    ("04.5", "grid-of-candidates", whole_years),
    ("04.5", "epsilon-ignored", lambda v, low, high, epsilon, rng: median_with(1.0)(v, low, high, 1.0, rng)),
    ("04.5", "outside-bounds", bounds_remembered),
    ("04.5", "noise-on-the-median", noisy_median),
    ("04.5", "lengths-ignored", median_with(1.0, lengths=False)),
    ("04.5", "returns-a-record", median_with(1.0, ends=False, uniform=False)),
    ("04.5", "bounds-from-data", median_with(1.0, ends=False)),
    ("04.5", "too-sharp", median_with(2.0)),
    ("04.5", "too-sharp", median_with(1.25)),
    ("04.5", "outside-bounds", unclipped),
    ("04.5", "not-useful", far_too_noisy),
    ("04.5", "not-useful", median_with(0.05)),
    (
        "04.5",
        "not-clipped",
        lambda v, a, b, e, rng: median_with(1.0)(v[:0] if ((v < a) | (v > b)).any() else v, a, b, e, rng),
    ),
    ("04.5", "not-everywhere", exact_where_one_is_below),
    ("04.5", "not-clipped", lambda v, low, high, e, rng: median_with(1.0)(v[v >= low], low, high, e, rng)),
    (
        "04.5",
        "not-clipped",
        lambda v, low, high, e, rng: median_with(1.0)(
            v[(len(v) <= 300) | ((v >= low) & (v <= high))], low, high, e, rng
        ),
    ),
    ("04.5", "off-centre", half_a_rank_off),
    ("04.5", "not-by-length", normal_on_logarithms),
    ("04.3", "not-everywhere", weights_cut),
    ("04.3", "not-everywhere", best_beyond(700)),
    ("04.3", "not-everywhere", best_beyond(10)),
    ("04.3", "not-everywhere", two_digits),
    ("04.3", "not-everywhere", first_of_equals),
    ("04.4", "skips-far", sure_above),
    ("04.4", "skips-far", skipped_below(25)),
    ("04.5", "not-everywhere", fifteen_cells),
    ("04.5", "not-everywhere", likeliest_of_many),
    ("04.5", "not-everywhere", uniform_of_few),
    ("04.5", "not-everywhere", lambda v, low, high, e, rng: median_with(1.0)(v, low, high, min(e, 1), rng)),
    ("04.5", "nobody", middle_of_none),
]  # fmt: skip
