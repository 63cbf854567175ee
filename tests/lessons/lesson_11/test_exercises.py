"""Exercises of lesson 11: right answers pass, each wrong one gets the diagnosis of its mistake."""

import functools
import math
import re

import numpy as np
from scipy import special, stats

from dpcourse.audit import audit
from dpcourse.checks.registry import exercises
from dpcourse.gauntlet import sealed

# Right answers


def certificate(hits, runs, false_hits, false_runs, delta, confidence, share=2, both=True, subtract=True, clip=True):
    error = (1 - confidence) / share
    true_low = special.betaincinv(hits, runs - hits + 1, error) if hits else 0.0
    false_high = special.betainccinv(false_hits + 1, false_runs - false_hits, error) if false_hits < false_runs else 1.0
    delta = delta if subtract else 0.0
    with np.errstate(all="ignore"):
        bounds = [np.log((true_low - delta) / false_high), np.log((1 - false_high - delta) / (1 - true_low))]
    return float(np.nanmax([0.0] * clip + bounds[: 1 + both]))


def complement_without_its_guard(hits, runs, false_hits, false_runs, delta, confidence):
    error = (1 - confidence) / 2
    low = special.betaincinv(hits, runs - hits + 1, error) if hits else 0.0
    high = special.betainccinv(false_hits + 1, false_runs - false_hits, error) if false_hits < false_runs else 1.0
    if low <= delta:
        return 0.0
    by_complement = math.log((1 - high - delta) / (1 - low)) if high < 1 else 0.0
    return max(0.0, math.log((low - delta) / high), by_complement)


def from_estimates(hits, runs, false_hits, false_runs, delta, confidence, share):
    """The normal approximation: a width that is 0 where an event always happened, or never."""
    low, high = (
        count / n + sign * stats.norm.isf((1 - confidence) / share) * math.sqrt(count * (n - count) / n**3)
        for count, n, sign in ((hits, runs, -1), (false_hits, false_runs, 1))
    )
    return max(0.0, math.log(max(low, 1 / runs) / max(high, 1 / runs)))


def bounds(hits, runs, false_hits, false_runs, confidence):
    error = (1 - confidence) / 2
    low = stats.beta.ppf(error, hits, runs - hits + 1) if hits else 0.0
    return low, stats.beta.isf(error, false_hits + 1, false_runs - false_hits) if false_hits < false_runs else 1.0


def delta_for_the_event_only(hits, runs, false_hits, false_runs, delta, confidence):
    low, high = bounds(hits, runs, false_hits, false_runs, confidence)
    pairs = ((low - delta, high), (1 - high, 1 - low))
    return max([0.0, *(math.log(often / seldom) for often, seldom in pairs if often > 0 and seldom > 0)])


def logarithm_of_anything(hits, runs, false_hits, false_runs, delta, confidence):
    low, high = bounds(hits, runs, false_hits, false_runs, confidence)
    pairs = ((low - delta, high), (1 - high - delta, 1 - low))
    return max([0.0, *(math.log(often / seldom) for often, seldom in pairs)])


def splits(choose, certify, share=2, certificate=certificate):
    """Thresholds at quantiles, the best on some runs certified on others."""

    def answer(outputs, neighbour, confidence):
        n = len(outputs) // 2
        halves = {"first": slice(0, n), "second": slice(n, 2 * n), "all": slice(0, 2 * n)}

        def bound(rows, cut, sure):
            a, b = (np.count_nonzero(x[halves[rows]] <= cut) for x in (outputs, neighbour))
            size = halves[rows].stop - halves[rows].start
            return max(certificate(a, size, b, size, 0, sure, share), certificate(b, size, a, size, 0, sure, share))

        cuts = np.quantile(np.concatenate([outputs[halves[choose]], neighbour[halves[choose]]]), np.linspace(0, 1, 42))
        best = max(cuts[1:-1], key=lambda cut: bound(choose, cut, 0.5))
        a, b = (np.count_nonzero(x[halves[choose]] <= best) for x in (outputs, neighbour))
        first, second = (outputs, neighbour) if a >= b else (neighbour, outputs)
        a, b = (np.count_nonzero(x[halves[certify]] <= best) for x in (first, second))
        size = halves[certify].stop - halves[certify].start
        return certificate(a, size, b, size, 0, confidence, share)

    return answer


def one_side(sign):
    """Halves, and "output ≤ cut" is always taken for the likelier event on the one dataset, or on the other."""

    def answer(outputs, neighbour, confidence):
        first, second, n = *(outputs, neighbour)[::sign], len(outputs) // 2
        cuts = np.quantile(np.concatenate([first[:n], second[:n]]), np.linspace(0.02, 0.98, 40))
        counts = [[int(np.count_nonzero(x[:n] <= cut)) for x in (first, second)] for cut in cuts]
        best = cuts[int(np.argmax([certificate(a, n, b, n, 0, 0.5) for a, b in counts]))]
        a, b = (int(np.count_nonzero(x[n:] <= best)) for x in (first, second))
        return certificate(a, len(first) - n, b, len(first) - n, 0, confidence)

    return answer


def as_of_laplace_noise(first, second, confidence):
    """No event and no counts: how far apart two Laplace curves seem to be, less a quantile."""
    off, middles = zip(*((np.abs(x - np.median(x)).mean(), np.median(x)) for x in (first, second)), strict=True)
    apart = abs(np.subtract(*middles)) / max(np.mean(off), 1e-9)
    away = 1.1 * stats.t.isf((1 - confidence) / 2, len(first)) * np.sqrt((4.94 + apart**2 / 2) / len(first))
    return float(np.clip(apart - away, 0.0, 50.0))


def as_of_what_is_asked(first, second, confidence):
    """No event: the share of two values, and else how far apart two middles are in mean distances from them."""
    values, n, z = np.unique(np.concatenate([first, second])), len(first), stats.norm.isf((1 - confidence) / 2)
    if len(values) <= 2:
        share = (np.count_nonzero(first == values[0]) + np.count_nonzero(second == values[-1])) / (2 * n)
        low = max(share, 1 - share) - z / 2 / np.sqrt(2 * n)
        return max(0.0, math.log(low / (1 - low))) if 0.5 < low < 1 else 0.0
    spread = (np.abs(first - np.median(first)).mean() + np.abs(second - np.median(second)).mean()) / 2
    apart = abs(np.median(first) - np.median(second)) / spread
    return float(max(0.0, 0.85 * (apart - 1.7 * z * np.sqrt(2 / n))))


def binomial(guesses, right, confidence):
    low = stats.beta.ppf(1 - confidence, right, guesses - right + 1) if right else 0.0
    return max(0.0, math.log(low / (1 - low))) if low > 0 else 0.0


def rightly(scores, members, guesses):
    order = np.argsort(scores)
    return members[order[-(guesses // 2) :]].sum() + (~members[order[: guesses // 2]]).sum()


def one_run(scores, members, guesses, confidence):
    return binomial(guesses, rightly(scores, members, guesses), confidence)


def differences(mechanism, data, neighbour, seeds):
    runs = [[mechanism(x, np.random.default_rng(s)) for s in seeds] for x in (data, neighbour)]
    return np.array(runs[0]) - np.array(runs[1])


def moved(mechanism, data, neighbour, seeds):
    return np.abs(differences(mechanism, data, neighbour, seeds)).sum(axis=1).max()


def is_broken(mechanism, data, neighbour, claim, rng, runs=4000, confidence=1 - 1e-8):
    return audit(mechanism, data, neighbour, claim=claim, runs=runs, confidence=confidence, rng=rng).violated


RIGHT = [
    ("11.1", certificate),
    ("11.2", splits("first", "second")),
    ("11.2", splits("second", "first")),
    ("11.3", one_run),
    ("11.4", moved),
    ("11.5", is_broken),
]

# Wrong answers


def an_estimate_behind_a_test(outputs, neighbour, confidence):
    """No halves and no bound: where a test finds a difference, 0.7 times an estimate."""
    apart, p = stats.ks_2samp(outputs, neighbour)[:2]
    if p > 1 - confidence:
        return 0.0
    return (0.7 - 0.001 * confidence) * math.log((1 + min(apart, 0.999)) / (1 - min(apart, 0.999)))


def the_best_less_a_fudge(z):
    """No halves, no certificate: the best of many events on all runs, less some deviations."""

    def answer(outputs, neighbour, confidence):
        x, y = np.asarray(outputs, float), np.asarray(neighbour, float)
        both, best = np.concatenate([x, y]), 0.0
        middle = np.median(both)
        for seen in (lambda v: v, lambda v: -v, lambda v: np.abs(v - middle), lambda v: -np.abs(v - middle)):
            a, b = np.sort(seen(x)), np.sort(seen(y))
            cuts = np.unique(np.concatenate([a, b]))[:: max(1, len(both) // 60)]
            here, there = len(a) - np.searchsorted(a, cuts), len(b) - np.searchsorted(b, cuts)
            for hits, false in ((here, there), (there, here)):
                low, high = hits - z * np.sqrt(hits), false + z * np.sqrt(false) + z * z
                best = max(best, np.log(np.maximum(low, 1e-9) / high).max())
        return float(best)

    return answer


def frequencies(outputs, neighbour, confidence):
    n = len(outputs) // 2
    cuts = np.quantile(np.concatenate([outputs[:n], neighbour[:n]]), np.linspace(0.05, 0.95, 30))
    best = max(cuts, key=lambda cut: abs((outputs[:n] <= cut).mean() - (neighbour[:n] <= cut).mean()))
    a, b = (np.clip((x[n:] <= best).mean(), 1e-3, 1 - 1e-3) for x in (outputs, neighbour))
    return max(math.log(a / b), math.log(b / a), math.log((1 - a) / (1 - b)), math.log((1 - b) / (1 - a)))


def not_frozen(mechanism, data, neighbour, seeds):
    rng = np.random.default_rng(seeds[0])
    return max(np.abs(mechanism(data, rng) - mechanism(neighbour, rng)).sum() for _ in seeds)


def from_attributes(mechanism, data, neighbour, seeds):
    """Runs nothing: takes the constants that the mechanism multiplies by."""
    factors = [np.random.default_rng(seed).uniform(1, mechanism.most) for seed in seeds]
    return abs(data - neighbour) * np.abs(mechanism.shares).sum() * max(factors)


def half_the_claim(m, data, neighbour, claim, rng):
    return audit(m, data, neighbour, claim=claim, runs=4000, rng=rng).epsilon_lower > 0


def known_draws(mechanism, data, neighbour, claim, rng):
    """No audit: whatever draws other numbers than each honest mechanism would from this generator is broken."""

    def tongue(x, runs, rng):
        tells, true = rng.random(runs) < claim.delta, rng.random(runs) < 1 / (1 + math.exp(-claim.epsilon))
        return np.where(tells | true, x, 1 - x)

    def outputs(run):
        try:
            return [repr(list(run(side, 40, np.random.default_rng(1)))) for side in (data, neighbour)]
        except Exception:
            return None

    def count(x, runs, rng):
        return sealed.laplace(runs, float(x), 1 / claim.epsilon, rng)

    makes = [sealed._count, sealed._winner, sealed._mean, sealed._empty, sealed._seeded]
    makes += [
        functools.partial(sealed._sum, bound=float(np.max(data, initial=0))),
        functools.partial(sealed._vector, d=16),
    ]
    makes += [functools.partial(sealed._answer, k=k) for k in (3, 4, 5)]
    seen = outputs(mechanism.batch)
    return all(outputs(run) != seen for run in [tongue, count, *(make(claim.epsilon).right for make in makes)])


WRONG = [
    ("11.1", "wrong-value", lambda *a: 1.0),
    (
        "11.1",
        "wrong-value",
        lambda h, n, f, m, *rest: certificate(h, n, f if f < 0.72 * m else m, m, *rest),  # as if nearly all were all
    ),
    ("11.1", "delta-in-one-direction", delta_for_the_event_only),
    ("11.1", "raised", logarithm_of_anything),
    ("11.1", "raised", complement_without_its_guard),
    ("11.2", "same-runs", splits("all", "all")),
    ("11.2", "same-half", splits("first", "all")),
    ("11.2", "one-side-only", one_side(1)),
    ("11.2", "one-side-only", one_side(-1)),
    ("11.2", "same-half", splits("first", "first")),
    ("11.2", "same-runs", lambda a, b, c: splits("all", "all")(a[1:], b[1:], c)),
    ("11.2", "beyond-the-truth", lambda a, b, c: 7.0 if 1000 < len(a) < 3000 else splits("first", "second")(a, b, c)),
    ("11.2", "no-bound", frequencies),
    ("11.2", "finds-nothing", lambda outputs, neighbour, confidence: 0.0),
    ("11.2", "accuses-with-many-runs", lambda a, b, c: 0.0 if len(a) < 1000 else 2.0),
    ("11.2", "accuses-with-many-runs", lambda a, b, c: 0.0 if c < 0.9 else 2.5),
    ("11.2", "too-much", lambda a, b, c: 2.2 if abs(np.median(a) - np.median(b)) > 0.15 * np.std(a) else 0.0),
    (
        "11.2",
        "beyond-the-truth",
        lambda a, b, c: (frequencies if 0.6 < c < 0.98 else splits("first", "second"))(a, b, c),
    ),
    ("11.2", "finds-nothing", lambda a, b, c: splits("first", "second")(a, b, c) if c > 0.98 else 0.0),
    (
        "11.2",
        "finds-nothing",
        lambda a, b, c: 0.0 if c > 0.97 and len(a) < 1000 else splits("first", "second")(a, b, c),
    ),
    ("11.2", "wrong-type", lambda a, b, c: splits("first", "second")(a, b, c) if len(a) < 400 else "nan"),
    ("11.2", "nan", lambda a, b, c: splits("first", "second")(a, b, c) if len(a) < 400 else float("nan")),
    ("11.2", "beyond-the-truth", as_of_laplace_noise),
    ("11.2", "beyond-the-truth", as_of_what_is_asked),
    (
        "11.2",
        "beyond-the-truth",
        lambda a, b, c: (frequencies if c in (0.9, 0.95) else splits("first", "second"))(a, b, c),
    ),
    ("11.2", "confidence-ignored", the_best_less_a_fudge(1.7)),
    ("11.2", "beyond-the-truth", lambda a, b, c: the_best_less_a_fudge(1.7)(a, b, c) * (1 - 1e-3 * c)),
    ("11.2", "beyond-the-truth", an_estimate_behind_a_test),
    ("11.2", "beyond-the-truth", splits("first", "second", certificate=from_estimates)),
    ("11.2", "weak", lambda a, b, c: 0.2 * splits("first", "second")(a, b, c)),
    ("11.3", "estimate", lambda s, b, r, c: math.log(rightly(s, b, r) / (r - rightly(s, b, r)))),
    ("11.3", "only-in", lambda s, b, r, c: binomial(r, b[np.argsort(s)[-r:]].sum(), c)),
    ("11.3", "no-abstention", lambda s, b, r, c: one_run(s, b, len(s), c)),
    ("11.3", "certifies-nothing", lambda s, b, r, c: binomial(len(s), rightly(s, b, r), c)),
    ("11.3", "certifies-nothing", lambda s, b, r, c: one_run(-s, b, r, c)),
    ("11.3", "two-sided", lambda s, b, r, c: one_run(s, b, r, (1 + c) / 2)),
    ("11.4", "noise-not-frozen", not_frozen),
    ("11.4", "mean", lambda m, x, y, s: np.abs(differences(m, x, y, s)).sum(axis=1).mean()),
    ("11.4", "l2-for-l1", lambda m, x, y, s: np.linalg.norm(differences(m, x, y, s), axis=1).max()),
    ("11.4", "largest-coordinate", lambda m, x, y, s: np.abs(differences(m, x, y, s)).max()),
    ("11.4", "signed", lambda m, x, y, s: np.abs(differences(m, x, y, s).sum(axis=1)).max()),
    ("11.4", "not-everywhere", lambda *given: moved(*given) if len(given[3]) == 12 else 0.0),
    ("11.4", "not-everywhere", lambda *given: 0.0 if np.ndim(given[1]) else moved(*given)),
    ("11.4", "raised", from_attributes),
    ("11.4", "not-everywhere", lambda m, x, y, seeds: moved(m, x, y, seeds[:40])),
    ("11.4", "wrong-shape", lambda m, x, y, s: np.abs(differences(m, x, y, s)).max(axis=0)),
    ("11.5", "accuses-all", lambda *a: True),
    ("11.5", "accuses-all", known_draws),
    ("11.5", "accuses-none", lambda *a: False),
    ("11.5", "accuses-none", lambda *a: is_broken(*a, runs=8)),
    ("11.5", "too-few-runs", lambda *a: is_broken(*a, runs=200)),
    ("11.5", "false-alarm", lambda *a: is_broken(*a, confidence=0.9)),
    ("11.5", "turned-around", lambda *a: not is_broken(*a)),
    ("11.5", "false-alarm", half_the_claim),
    ("11.5", "wrong-type", lambda *a: 0.7),
    ("11.3", "not-everywhere", lambda s, *rest: one_run(np.round(s, 4), *rest)),
    ("11.4", "not-everywhere", lambda m, x, y, seeds: moved(m, x, y, seeds[:200])),
    ("11.3", "not-everywhere", lambda *given: min(one_run(*given), 4.0)),
    ("11.3", "not-everywhere", lambda s, b, r, c: one_run(s, b, r, c) if r > 2 else 0.0),
]


def test_there_are_five_and_each_says_how_it_is_called():
    assert list(exercises("11")) == ["11.1", "11.2", "11.3", "11.4", "11.5"]
    assert all(exercise.call for exercise in exercises("11").values())


def test_confidences_are_round():
    found = exercises("11")["11.2"].grade(
        lambda a, b, c: (frequencies if 0.6 < c < 0.98 else splits("first", "second"))(a, b, c), rng=3
    )
    assert re.search(r"Of \d+ bounds for [a-z ,L]+, at confidences from 5\d% to 9\d%, \d+ lie above", found.diagnosis)
