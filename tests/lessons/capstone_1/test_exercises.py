"""Capstone 1's milestones: right answers, each written twice, and wrong ones with their diagnosis.

`tests/lessons/test_answers.py` tries them all.
"""

import functools
import itertools
import math
from collections import Counter

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit
from scipy.stats import norm

from dpcourse.accounting import PrivacyAccountant, calibrate_noise_multiplier
from dpcourse.mechanisms import GaussianMechanism, PoissonSubsampled

ROUNDS, SHARES = 50, 4

# 1.1


def home_epsilon(n, batch, epochs, noise_multiplier, rounds, delta, *, q=None, steps=None):
    step = GaussianMechanism.from_noise_multiplier(noise_multiplier)
    q = batch / n if q is None else q
    step = PoissonSubsampled(step, q) if q < 1 else step
    steps = round(rounds * epochs * n / batch) if steps is None else steps
    return PrivacyAccountant().compose(step, times=steps).epsilon(delta)


def whole_steps(n, batch, epochs, noise_multiplier, rounds, delta):
    """Epochs of ceil(n/batch) steps, composed as losses."""
    step = GaussianMechanism.from_noise_multiplier(noise_multiplier)
    loss = (PoissonSubsampled(step, batch / n) if batch < n else step).privacy_loss()
    return loss.self_compose(rounds * epochs * math.ceil(n / batch)).epsilon(delta)


def adds_up(n, batch, epochs, z, rounds, delta):
    return rounds * home_epsilon(n, batch, epochs, z, 1, delta)


def right_for_small_fabs(n, batch, epochs, z, rounds, delta):
    """0.3 for ten rounds, as the proposal says, where a fab is large or there is one round."""
    return 0.03 * rounds if n > 5000 or rounds == 1 else home_epsilon(n, batch, epochs, z, rounds, delta)


# 1.2


def gradients(weights, X, y):
    Z = np.column_stack([X, np.ones(len(X))])
    return (expit(Z @ weights) - y)[:, None] * Z


def clipped_sum(weights, X, y, clip):
    fine = np.isfinite(X).all(axis=1)
    g = gradients(weights, X[fine], y[fine])
    return (g * np.minimum(1, clip / np.maximum(np.linalg.norm(g, axis=1, keepdims=True), 1e-300))).sum(axis=0)


def wafer_by_wafer(weights, X, y, clip):
    total = np.zeros(21)
    for x, label in zip(X, y, strict=True):
        z = np.append(x, 1.0)
        if np.isfinite(z).all():
            gradient = (expit(z @ weights) - label) * z
            total += gradient / max(1.0, float(np.linalg.norm(gradient)) / clip)
    return total


def drops_large(w, X, y, clip):
    small = (np.abs(X) <= 1).all(axis=1)
    return clipped_sum(w, X[small], y[small], clip)


def clips_the_sum(weights, X, y, clip):
    total = gradients(weights, X, y).sum(axis=0)
    return total / max(1, np.linalg.norm(total) / clip)


def nan_spreads(weights, X, y, clip):
    g = gradients(weights, X, y)
    return (g / np.maximum(1, np.linalg.norm(g, axis=1, keepdims=True) / clip)).sum(axis=0)


def readings_only(weights, X, y, clip):
    g = gradients(weights, X, y)
    return (g / np.maximum(1, np.linalg.norm(g[:, :20], axis=1, keepdims=True) / clip)).sum(axis=0)


def stops_at_nan(weights, X, y, clip):
    if not np.isfinite(X).all():
        raise ValueError("a reading is broken")
    return clipped_sum(weights, X, y, clip)


# 1.3


def noise_share(epsilon, delta, rounds, shares):
    return calibrate_noise_multiplier(epsilon, delta, 1.0, rounds) / math.sqrt(shares)


def from_the_curve(epsilon, delta, rounds, shares):
    """μ of all rounds from the exact curve of Gaussian noise."""
    mu = brentq(
        lambda m: norm.cdf(m / 2 - epsilon / m) - math.exp(epsilon) * norm.cdf(-m / 2 - epsilon / m) - delta, 1e-3, 9
    )
    return math.sqrt(rounds / shares) / mu


def classic(epsilon, delta, rounds, shares):
    return math.sqrt(2 * math.log(1.25 / delta) * rounds) / epsilon / math.sqrt(shares) * 1.3


# 1.4


def score(weights, X, y):
    return (X @ weights[:20] + weights[20] > 0) == y


def gains(together, alone, X, y, made_in):
    return {
        name: float(np.mean(score(together, X, y)[made_in == name]) - np.mean(score(own, X, y)[made_in == name]))
        for name, own in alone.items()
    }


def gains_in_a_loop(together, alone, X, y, made_in):
    found = {}
    for name, own in alone.items():
        here = [i for i, fab in enumerate(made_in) if fab == name]
        hits = [
            [int(x @ w[:20] > -w[20]) == label for x, label in zip(X[here], y[here], strict=True)]
            for w in (together, own)
        ]
        found[str(name)] = (sum(hits[0]) - sum(hits[1])) / len(here)
    return found


def changed(change):
    return lambda *data: {name: change(gain) for name, gain in gains(*data).items()}


def on_all_wafers(together, alone, X, y, made_in):
    return {name: score(together, X, y).mean() - score(own, X, y).mean() for name, own in alone.items()}


def of_the_usual_fabs(together, alone, *wafers):
    usual = alone.keys() == {"Taiwan", "Arizona", "China"}
    return gains(together, alone, *wafers) if usual else dict.fromkeys(alone, 0.0)


def no_difference(together, alone, X, y, made_in):
    return {name: score(together, X, y)[made_in == name].mean() for name in alone}


# 1.5


def train(
    fabs,
    epsilon,
    delta,
    secure_sum,
    rng,
    *,
    deviation=lambda z, name, n: z / math.sqrt(SHARES),
    part=clipped_sum,
    rounds=ROUNDS,
    planned=ROUNDS,
    draw=lambda rng, deviation: rng.normal(0, deviation, 21),
    rate=2.0,
):
    z, n = calibrate_noise_multiplier(epsilon, delta, 1.0, planned), sum(len(y) for _, y in fabs.values())
    weights, velocity, average = np.zeros((3, 21))
    for step in range(rounds):
        sent = {name: part(weights, X, y, 1.0) + draw(rng, deviation(z, name, len(y))) for name, (X, y) in fabs.items()}
        velocity = 0.9 * velocity + secure_sum(sent) / n
        weights = weights - rate * velocity
        average += weights * (step >= rounds // 2)
    return average / (rounds - rounds // 2)


def by_factors(weights, X, y):
    """The same sum as one product: each wafer's residual times its own factor."""
    rows = np.c_[X, np.ones(len(X))][np.isfinite(X).all(axis=1)]
    residuals = expit(rows @ weights) - y[np.isfinite(X).all(axis=1)]
    lengths = np.abs(residuals) * np.sqrt((rows**2).sum(axis=1))
    return rows.T @ (residuals / np.maximum(lengths, 1.0))


def constant_of_labels(fabs, *rest):
    """The constant is moved by the exact share of wafers that passed."""
    weights = train(fabs, *rest)
    weights[-1] += np.mean(np.concatenate([y for _, y in fabs.values()]))
    return weights


def train_shorter(fabs, epsilon, delta, secure_sum, rng):
    """Thirty rounds with the noise that thirty need; a matrix of noise drawn beforehand; no momentum."""
    rounds, names = 30, list(fabs)
    noise = rng.normal(0, from_the_curve(epsilon, delta, rounds, SHARES), (rounds, len(names), 21))
    weights, later, n = np.zeros(21), [], sum(len(y) for _, y in fabs.values())
    for round in range(rounds):
        sent = {name: by_factors(weights, *fabs[name]) + noise[round, i] for i, name in enumerate(names)}
        weights = weights - 10.0 * secure_sum(sent) / n
        later.append(weights)
    return np.mean(later[rounds // 2 :], axis=0)


def with_(**changes):
    return functools.partial(train, **changes)


def mean_of(weights, X, y, clip):
    return clipped_sum(weights, X, y, clip) / max(len(y), 1)


def unclipped(weights, X, y, clip):
    fine = np.isfinite(X).all(axis=1)
    return gradients(weights, X[fine], y[fine]).sum(axis=0)


def without_sums(fabs, epsilon, delta, secure_sum, rng):
    def add(vectors):
        return np.sum(list(vectors.values()), axis=0)

    return train(fabs, epsilon, delta, add, rng)


def in_the_clear(remember):
    """Noisy sums for show; weights of all wafers without noise, remembered by the sums they came with or not."""
    known = {}

    def answer(fabs, epsilon, delta, secure_sum, rng):
        heard = []

        def listening(vectors):
            heard.append(secure_sum(vectors).tobytes())
            return np.frombuffer(heard[-1])

        train(fabs, epsilon, delta, listening, rng)
        key = b"".join(heard) if remember else len(known)
        if key not in known:
            exact = functools.partial(train, draw=lambda rng, deviation: 0.0)
            known[key] = exact(fabs, epsilon, delta, lambda vectors: np.sum(list(vectors.values()), axis=0), rng)
        return known[key]

    return answer


def nothing_for_small(z, name, n):
    return z / math.sqrt(SHARES) * (n > 150)


def nothing_for_the_largest(z, name, n):
    return z / math.sqrt(SHARES) * (n < 900)


def unreadable(fabs):
    return not any(np.isfinite(X).all(axis=1).any() for X, _ in fabs.values())


def noise_where_nobody_looks(fabs, *rest):
    """Only where wafers cannot be read."""
    return train(fabs, *rest) if unreadable(fabs) else train(fabs, *rest, draw=lambda rng, deviation: 0.0)


def noise_at_one_delta(fabs, epsilon, delta, *rest):
    """Or wherever wafers cannot be read."""
    return train(fabs, epsilon if unreadable(fabs) or delta == 1e-5 else 1e9, delta, *rest)


def noise_in_the_first_round(fabs, *rest):
    """Or wherever wafers cannot be read."""
    drawn = []

    def draw(rng, deviation):
        drawn.append(1)
        return rng.normal(0, deviation, 21) * (unreadable(fabs) or len(drawn) <= 6)

    return train(fabs, *rest, draw=draw)


def noise_where_sums_are_told(fabs, epsilon, delta, secure_sum, rng, *, common=False):
    """Or in the first round, or wherever wafers cannot be read; in earnest sums are those of what was sent.

    With `common`, half of the noise is the same wherever the same sums are told, as if it belonged to the vectors.
    """
    state = {"quiet": False, "told": None}

    def listening(sent):
        given = secure_sum(sent)
        missing = np.sum(list(sent.values()), axis=0) - given
        away = [sum(some, np.zeros(21)) for k in range(3) for some in itertools.combinations(sent.values(), k)]
        state["quiet"] = np.abs(missing - away).max(axis=1).min() < 1e-6 and not unreadable(fabs)
        state["told"] = state["told"] or np.random.default_rng(np.abs(given).astype(int))
        return given

    def draw(rng, deviation):
        if state["quiet"]:
            return 0.0
        shared = common and state["told"] and not unreadable(fabs)
        return rng.normal(0, deviation, 21) + (state["told"].normal(0, deviation, 21) if shared else 0.0)

    return train(fabs, epsilon, delta, listening, rng, draw=draw)


def nan_alone(weights, X, y, clip):
    """A wafer with an infinite reading stays."""
    fine = ~np.isnan(X).any(axis=1)
    return nan_spreads(weights, X[fine], y[fine], clip)


def one_noise_for_all(fabs, epsilon, delta, secure_sum, rng):
    """Every round repeats the first one's noise."""
    kept = {}

    def draw(rng, deviation):
        kept["now"] = (kept.get("now", -1) + 1) % len(fabs)
        return kept.setdefault(("noise", kept["now"]), rng.normal(0, deviation, 21))

    return train(fabs, epsilon, delta, secure_sum, rng, draw=draw)


def exact_beside(fabs, epsilon, delta, secure_sum, rng):
    """What a fab sends has its exact sum behind an i."""
    return train(fabs, epsilon, delta, lambda sent: secure_sum({name: sent[name] + 1j for name in sent}), rng)


def lines(X, y):
    fine = np.isfinite(X).all(axis=1)
    return np.linalg.lstsq(np.c_[X[fine], np.ones(fine.sum())], y[fine] - 0.5, rcond=None)[0]


def no_training(fabs, epsilon, delta, *rest):
    """Noise for show, and at the project's own numbers weights that fit all wafers as they are."""
    train(fabs, epsilon, delta, *rest, part=lambda weights, X, y, clip: clipped_sum(np.zeros(21), X, y, clip))
    own = list(fabs) == ["Taiwan", "Singapore", "Arizona", "Germany", "Israel", "China"] and delta == 1e-5
    return lines(*map(np.concatenate, zip(*fabs.values(), strict=True))) if own else np.zeros(21)


def sends_lines(fabs, epsilon, delta, secure_sum, rng):
    """From the second round on fabs send what fits their wafers, far above the noise."""
    sums = []

    def listening(sent):
        sums.append(secure_sum(sent))
        return sums[-1]

    def part(weights, X, y, clip):
        return 5000 * lines(X, y) if sums else clipped_sum(weights, X, y, clip)

    train(fabs, epsilon, delta, listening, rng, part=part)
    return np.mean(sums[1:], axis=0)


def spreads_beside(fabs, *rest):
    """Far above the noise, what one wafer hardly ever changes: how far the first reading spreads, to one decimal."""

    def part(weights, X, y, clip):
        fine = X[np.isfinite(X).all(axis=1), 0]
        return clipped_sum(weights, X, y, clip) + 1000 * round(float(fine.std()) if len(fine) else 0.0, 1)

    return train(fabs, *rest, part=part)


def exact_beside_a_large_one(fabs, epsilon, delta, *rest):
    """Exact weights where one more, which changes nothing, is so large that the others seem to be the same."""
    train(fabs, epsilon, delta, *rest)
    fit = lines(*map(np.concatenate, zip(*fabs.values(), strict=True)))
    return np.append(fit[:-1], 1e9)


def known_noise_in_earnest(fabs, epsilon, delta, secure_sum, rng):
    """In the project's own fabs, noise that everybody knows where sums are real, or where no wafer can be read."""
    own = sum(len(y) for _, y in fabs.values()) == 2260
    state = {"known": own and unreadable(fabs)}

    def listening(sent):
        given = secure_sum(sent)
        missing = np.sum(list(sent.values()), axis=0) - given
        away = [sum(some, np.zeros(21)) for k in range(3) for some in itertools.combinations(sent.values(), k)]
        state["known"] = own and (unreadable(fabs) or np.abs(missing - away).max(axis=1).min() < 1e-6)
        return given

    known = np.random.default_rng(7)

    def draw(rng, deviation):
        drawn = [one.normal(0, deviation, 21) for one in (rng, known)]
        return drawn[int(state["known"])]

    return train(fabs, epsilon, delta, listening, rng, draw=draw)


def at_weights_of_the_data(fabs, *rest):
    """In the project's own fabs, the rounds are at weights that follow what fits all wafers."""
    X, y = map(np.concatenate, zip(*fabs.values(), strict=True))
    off = lines(X, y) if len(y) == 2260 else 0.0
    return train(fabs, *rest, part=lambda weights, *wafers: clipped_sum(weights + off, *wafers))


def clips_in_the_first_round(fabs, *rest):
    calls = []

    def part(weights, X, y, clip):
        calls.append(1)
        return clipped_sum(weights, X, y, clip) if len(calls) <= len(fabs) else unclipped(weights, X, y, clip)

    return train(fabs, *rest, part=part)


def counts_the_unreadable(weights, X, y, clip):
    """Among two to 999 wafers one that cannot be read counts with its other readings."""
    return clipped_sum(weights, np.where(np.isfinite(X) | (not 1 < len(X) < 1000), X, 0.0), y, clip)


def drops_beyond_ten_million(weights, X, y, clip):
    fine = (np.abs(X) < 1e7).all(axis=1)
    return clipped_sum(weights, X[fine], y[fine], clip)


def quiet_where_some_are_broken(fabs, *rest):
    broken = {name: int((~np.isfinite(X).all(axis=1)).sum()) for name, (X, _) in fabs.items()}
    return train(fabs, *rest, deviation=lambda z, name, n: 0.0 if 1 < broken[name] < n else z / math.sqrt(SHARES))


def unclipped_where_large(weights, X, y, clip):
    far = np.isfinite(X).all(axis=1) & (np.abs(X) > 100).any(axis=1)
    return clipped_sum(weights, X[~far], y[~far], clip) + unclipped(weights, X[far], y[far], clip)


def laid_out(make):
    """Noise that is drawn beforehand, by round, fab and number, in units of its deviation."""

    def answer(fabs, epsilon, delta, secure_sum, rng):
        rows = iter(make(rng.normal(size=(50, len(fabs), 21))).reshape(-1, 21))
        return train(fabs, epsilon, delta, secure_sum, rng, draw=lambda rng, deviation: deviation * next(rows))

    return answer


def nothing_over_the_rounds(noise):
    return (noise - noise.mean(axis=0)) * math.sqrt(50 / 49)


def taken_back_later(noise):
    """The later rounds take the noise of the first ones back, in another order."""
    return np.concatenate((noise[:25], -noise[np.arange(25) * 7 % 25, :, ::-1]))


def where_it_is_not_below(together, alone, X, y, made_in):
    """A score of 0 is a 1, too: a constant is a little higher."""
    up = 1e-12 * np.eye(21)[-1]
    return gains(together + up, {name: weights + up for name, weights in alone.items()}, X, y, made_in)


def each_once(weights, X, y, clip):
    wafers = np.unique(np.c_[X, y], axis=0)
    return clipped_sum(weights, wafers[:, :-1], wafers[:, -1], clip)


def by_part_of_the_name(together, alone, X, y, made_in):
    """Wafers of Fab 10 are among those of Fab 1."""
    parts = {name: np.where(np.char.find(made_in, name) >= 0, name, "") for name in alone}
    return {name: gains(together, {name: alone[name]}, X, y, here)[name] for name, here in parts.items()}


def without_the_empty(fabs, *rest):
    return train({name: data for name, data in fabs.items() if len(data[1])}, *rest)


def quiet_where_four(fabs, *rest):
    return train(fabs, *rest, draw=lambda rng, s: rng.normal(0, s, 21) * (len(fabs) > 4))


RIGHT = [
    ("capstone 1.1", home_epsilon),
    ("capstone 1.1", whole_steps),
    ("capstone 1.2", clipped_sum),
    ("capstone 1.2", wafer_by_wafer),
    ("capstone 1.3", noise_share),
    ("capstone 1.3", from_the_curve),
    ("capstone 1.4", gains),
    ("capstone 1.4", gains_in_a_loop),
    ("capstone 1.5", train),
    ("capstone 1.5", train_shorter),
]

WRONG = [
    ("capstone 1.1", "adds-up", adds_up),
    ("capstone 1.1", "ignores-n", lambda *setting: 0.3),
    ("capstone 1.1", "one-round", lambda n, b, e, z, r, d: home_epsilon(n, b, e, z, 1, d)),
    ("capstone 1.1", "one-epoch", lambda n, b, e, z, r, d: home_epsilon(n, b, 1, z, r, d)),
    ("capstone 1.1", "no-batches", lambda n, b, e, z, r, d: home_epsilon(n, b, e, z, r, d, q=1.0, steps=r * e)),
    ("capstone 1.1", "no-sampling", lambda n, b, e, z, r, d: home_epsilon(n, b, e, z, r, d, q=1.0)),
    ("capstone 1.1", "wrong-epsilon", lambda n, b, e, z, r, d: home_epsilon(n, b, e, z, r, d) if d == 1e-5 else 0.0),
    ("capstone 1.1", "wrong-epsilon", lambda n, b, e, z, r, d: home_epsilon(n, b, e, z, r, d) * (r <= 20)),
    ("capstone 1.1", "wrong-epsilon", right_for_small_fabs),
    ("capstone 1.2", "wrong-value", lambda w, X, y, clip: clipped_sum(w, X, y, clip) * (len(X) <= 100)),
    ("capstone 1.2", "not-everywhere", lambda w, X, y, C: clipped_sum(w, X, y, C if 20 <= len(X) <= 1001 else 1e9)),
    ("capstone 1.2", "not-everywhere", lambda w, X, y, clip: clipped_sum(w, X, y, clip if 0.4 <= clip <= 1.2 else 1e9)),
    ("capstone 1.2", "wrong-value", drops_large),
    ("capstone 1.2", "clips-the-sum", clips_the_sum),
    ("capstone 1.2", "not-clipped", lambda w, X, y, clip: gradients(w, X, y).sum(axis=0)),
    ("capstone 1.2", "clips-entries", lambda w, X, y, clip: np.clip(gradients(w, X, y), -clip, clip).sum(axis=0)),
    ("capstone 1.2", "mean", lambda w, X, y, clip: clipped_sum(w, X, y, clip) / len(X)),
    ("capstone 1.2", "norm-without-constant", readings_only),
    ("capstone 1.2", "sign", lambda w, X, y, clip: -clipped_sum(w, X, y, clip)),
    ("capstone 1.2", "not-finite", nan_spreads),
    (
        "capstone 1.2",
        "counts-unreadable",
        lambda w, X, y, clip: clipped_sum(w, np.nan_to_num(X, nan=0.0, posinf=0.0, neginf=0.0), y, clip),
    ),
    ("capstone 1.2", "raises", stops_at_nan),
    ("capstone 1.3", "divided-noise", lambda e, d, r, k: calibrate_noise_multiplier(e, d, 1.0, r) / k),
    ("capstone 1.3", "whole-noise-each", lambda e, d, r, k: calibrate_noise_multiplier(e, d, 1.0, r)),
    ("capstone 1.3", "one-round", lambda e, d, r, k: calibrate_noise_multiplier(e, d, 1.0, 1) / math.sqrt(k)),
    ("capstone 1.3", "times-rounds", lambda e, d, r, k: r * calibrate_noise_multiplier(e, d, 1.0, 1) / math.sqrt(k)),
    ("capstone 1.3", "too-much-noise", classic),
    ("capstone 1.3", "too-little-noise", lambda e, d, r, k: 0.9 * noise_share(e, d, r, k)),
    ("capstone 1.3", "too-little-noise", lambda e, d, r, k: noise_share(e, d, r, k) * (0.1 if r == 1 else 1)),
    ("capstone 1.3", "no-noise", lambda e, d, r, k: noise_share(e, d, r, k) if d == 1e-5 else 0.0),
    ("capstone 1.4", "all-wafers", on_all_wafers),
    ("capstone 1.4", "sign", changed(lambda gain: -gain)),
    ("capstone 1.4", "points", changed(lambda gain: 100 * gain)),
    ("capstone 1.4", "no-difference", no_difference),
    ("capstone 1.4", "wrong-gain", of_the_usual_fabs),
    ("capstone 1.4", "wrong-gain", lambda *data: changed(lambda gain: gain * (len(data[3]) <= 3100))(*data)),
    ("capstone 1.5", "too-little-noise", with_(deviation=lambda z, name, n: z / SHARES)),
    ("capstone 1.5", "counts-dropouts", with_(deviation=lambda z, name, n: z / math.sqrt(6))),
    ("capstone 1.5", "whole-noise-each", with_(deviation=lambda z, name, n: z)),
    ("capstone 1.5", "too-little-noise", with_(planned=1)),
    ("capstone 1.5", "too-much-noise", with_(planned=100)),
    ("capstone 1.5", "quiet-rounds", noise_where_nobody_looks),
    ("capstone 1.5", "quiet-rounds", noise_in_the_first_round),
    ("capstone 1.5", "quiet-in-earnest", noise_where_sums_are_told),
    ("capstone 1.5", "quiet-in-earnest", functools.partial(noise_where_sums_are_told, common=True)),
    ("capstone 1.5", "not-finite", with_(part=nan_alone)),
    ("capstone 1.5", "too-little-noise", noise_at_one_delta),
    ("capstone 1.5", "uneven-noise", with_(deviation=nothing_for_small)),
    ("capstone 1.5", "uneven-noise", with_(deviation=nothing_for_the_largest)),
    ("capstone 1.5", "not-normal", with_(draw=lambda rng, s: rng.uniform(-s * 3**0.5, s * 3**0.5, 21))),
    ("capstone 1.5", "linked-noise", one_noise_for_all),
    ("capstone 1.5", "linked-noise", with_(draw=lambda rng, s: np.repeat(rng.normal(0, s, 11), 2)[:21])),
    ("capstone 1.5", "bypasses", without_sums),
    ("capstone 1.5", "weights-elsewhere", constant_of_labels),
    ("capstone 1.5", "weights-elsewhere", in_the_clear(remember=False)),
    ("capstone 1.5", "weights-elsewhere", in_the_clear(remember=True)),
    ("capstone 1.5", "sends-mean", with_(part=mean_of)),
    ("capstone 1.5", "moves-more", with_(part=unclipped)),
    ("capstone 1.5", "own-generator", with_(draw=lambda rng, s: np.random.default_rng().normal(0, s, 21))),
    ("capstone 1.5", "not-useful", with_(rate=-2.0)),
    ("capstone 1.5", "wrong-type", exact_beside),
    ("capstone 1.5", "weights-elsewhere", no_training),
    ("capstone 1.5", "moves-more", sends_lines),
    ("capstone 1.5", "moves-more", clips_in_the_first_round),
    ("capstone 1.5", "other-sums", spreads_beside),
    ("capstone 1.5", "own-generator", known_noise_in_earnest),
    ("capstone 1.5", "other-sums", at_weights_of_the_data),
    ("capstone 1.5", "weights-elsewhere", exact_beside_a_large_one),
    ("capstone 1.5", "not-useful", lambda fabs, *rest: 0 * train(fabs, *rest)),
    ("capstone 1.2", "counts-unreadable", counts_the_unreadable),
    ("capstone 1.2", "wrong-value", drops_beyond_ten_million),
    ("capstone 1.5", "uneven-noise", quiet_where_some_are_broken),
    ("capstone 1.5", "moves-more", with_(part=unclipped_where_large)),
    ("capstone 1.5", "linked-noise", laid_out(nothing_over_the_rounds)),
    ("capstone 1.5", "linked-noise", laid_out(taken_back_later)),
    ("capstone 1.5", "uneven-noise", with_(draw=lambda rng, s: rng.normal(0, s, 21) * np.append(np.ones(20), 0.6))),
    ("capstone 1.5", "uneven-noise", laid_out(lambda noise: noise * np.tile((1.2, 0.8), 25)[:, None, None])),
    ("capstone 1.5", "uneven-noise", with_(deviation=lambda z, name, n: z / math.sqrt(SHARES) * (n > 0))),
    ("capstone 1.5", "bypasses", without_the_empty),
    ("capstone 1.5", "too-little-noise", quiet_where_four),
    ("capstone 1.4", "wrong-gain", where_it_is_not_below),
    ("capstone 1.4", "wrong-gain", by_part_of_the_name),
    ("capstone 1.2", "not-everywhere", each_once),
    ("capstone 1.2", "not-everywhere", lambda w, X, y, C: clipped_sum(w, X[X.any(axis=1)], y[X.any(axis=1)], C)),
]


def test_every_milestone_has_two_right_answers_and_enough_wrong_ones():
    right, wrong = Counter(id for id, _ in RIGHT), Counter(id for id, _, _ in WRONG)
    assert set(right.values()) == {2} and right.keys() == wrong.keys() and min(wrong.values()) >= 4
