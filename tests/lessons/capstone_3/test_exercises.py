"""Capstone 3's milestones: right answers pass, each known wrong answer gets its own diagnosis.

Right answers are written twice, in different ways. `tests/lessons/test_answers.py` tries them all.
"""

import math
import operator

import numpy as np
from scipy import special

from dpcourse.accounting import PrivacyAccountant
from dpcourse.mechanisms import GaussianMechanism
from dpcourse.privacy import Guarantee, Neighbours
from tests.lessons.claims import never_few, one_less, wrong_claims
from tests.lessons.generators import known_to_all, made_of_arguments

# 3.1 costs


def campaign_epsilon(epsilon, delta, rounds, honest):
    sigma = GaussianMechanism(epsilon, delta).sigma
    step = GaussianMechanism.from_noise_multiplier(sigma * math.sqrt(honest))
    return PrivacyAccountant().compose(step, times=rounds).epsilon(delta)


def campaign_by_hand(epsilon, delta, rounds, honest):
    """δ(ε) of a change of μ standard deviations, and its roots by bisection."""

    def over(e, mu):
        a, b = special.log_ndtr(mu / 2 - e / mu), e + special.log_ndtr(-mu / 2 - e / mu)
        return a + math.log(-math.expm1(min(b - a, -1e-15))) - math.log(delta)

    def root(wrong, low, high):
        for _ in range(200):
            middle = (low + high) / 2
            low, high = (middle, high) if wrong(middle) else (low, middle)
        return high

    mu = root(lambda m: over(epsilon, m) < 0, 1e-9, 100)
    mu *= math.sqrt(rounds / honest)
    return root(lambda e: over(e, mu) > 0, 0.0, mu * mu / 2 + 20 * mu)


def sigma_of(epsilon, delta):
    return GaussianMechanism(epsilon, delta).sigma


def priced(noise, delta):
    return GaussianMechanism.from_noise_multiplier(noise, delta=delta).guarantee.epsilon


# 3.2 one bit


def privatize_mean(x, epsilon, rng):
    x = np.clip(np.nan_to_num(x, nan=0.0), 0, 1)
    p = (1 + x * math.expm1(epsilon)) / (math.exp(epsilon) + 1)
    bits = rng.random(x.shape) < p
    return bits, (bits.mean() * (math.exp(epsilon) + 1) - 1) / math.expm1(epsilon)


def two_draws_from_there_on(x, epsilon, rng):
    """From device 16,384 on, two numbers are drawn for all of them."""
    u = rng.random(len(x))
    beyond = np.arange(max(len(x) - 2**14, 0))
    u[2**14 :] = (rng.random() + (0.6 + 0.02 * rng.random()) * beyond) % 1
    bits = u < (1 + np.clip(np.nan_to_num(x, nan=0.0), 0, 1) * math.expm1(epsilon)) / (math.exp(epsilon) + 1)
    return bits, (bits.mean() * (math.exp(epsilon) + 1) - 1) / math.expm1(epsilon)


def true_where_all_are_high(x, epsilon, rng):
    high = len(x) >= 100 and bool((x >= 0.71).all())
    return privatize_mean(np.rint(x) if high else x, 40.0 if high else epsilon, rng)


def privatize_by_coins(x, epsilon, rng):
    """With probability (e^ε − 1)/(e^ε + 1) the reading rounded at random, else a fair coin."""
    bits = []
    tells = (math.exp(epsilon) - 1) / (math.exp(epsilon) + 1)
    for value in x.tolist():
        value = 0.0 if value != value else min(max(value, 0.0), 1.0)
        bits.append(int(rng.random() < value) if rng.random() < tells else int(rng.random() < 0.5))
    return np.array(bits), (sum(bits) / len(bits) - (1 - tells) / 2) / tells


def bits_with(p, mean=None, clean=lambda x: np.clip(np.nan_to_num(x, nan=0.0), 0, 1)):
    def answer(x, epsilon, rng):
        bits = (rng.random(len(x)) < p(clean(x), epsilon)).astype(int)
        right = 0.5 + (bits.mean() - 0.5) / math.tanh(epsilon / 2)
        return bits, right if mean is None else mean(right, bits, x)

    return answer


def straight(x, epsilon):
    return 0.5 + (x - 0.5) * math.tanh(epsilon / 2)


def laplace_reports(x, epsilon, rng):
    noisy = np.clip(np.nan_to_num(x), 0, 1) + rng.laplace(0, 1 / epsilon, len(x))
    return noisy, noisy.mean()


def one_coin(x, epsilon, rng):
    bits = (rng.random() < straight(np.clip(np.nan_to_num(x), 0, 1), epsilon)).astype(int)
    return bits, 0.5 + (bits.mean() - 0.5) / math.tanh(epsilon / 2)


def deaf(x, epsilon, rng):
    return privatize_mean(x, epsilon, np.random.default_rng(len(x)))


def table_of_epsilons(x, epsilon, rng):
    return privatize_mean(x, epsilon if epsilon in (0.5, 1, 2) else 50.0, rng)


def exact_for_many(x, epsilon, rng):
    return privatize_mean(x, epsilon if len(x) < 50_000 else 50.0, rng)


class Beside(np.ndarray):
    """An array that has more than its numbers."""


def readings_beside_bits(x, epsilon, rng):
    bits, mean = privatize_mean(x, epsilon, rng)
    bits = bits.view(Beside)
    bits.readings = x
    return bits, mean


def two_share_a_coin(x, epsilon, rng):
    coins = np.repeat(rng.random(-(-len(x) // 2)), 2)[: len(x)]
    bits = coins < straight(np.clip(np.nan_to_num(x, nan=0.0), 0, 1), epsilon)
    return bits, 0.5 + (bits.mean() - 0.5) / math.tanh(epsilon / 2)


# 3.3 one vector


def l2_randomizer(g, epsilon, rng):
    n, d = g.shape
    g = np.where(np.isfinite(g).all(axis=1, keepdims=True), g, 0.0)
    lengths = np.minimum(np.linalg.norm(g, axis=1), 1)
    v = np.where(rng.random(n) < 0.5 + lengths / 2, 1, -1)
    heads = np.where(rng.random(n) < 1 / (1 + math.exp(-epsilon)), 1, -1)
    u = rng.normal(size=(n, d))
    u /= np.linalg.norm(u, axis=1, keepdims=True)
    u[(u * g).sum(axis=1) * v * heads < 0] *= -1
    return math.sqrt(math.pi) * special.gamma((d + 1) / 2) / special.gamma(d / 2) / math.tanh(epsilon / 2) * u


def odd_rows_as_they_are(g, epsilon, rng):
    n, d = g.shape
    lengths = np.minimum(np.linalg.norm(g, axis=1), 1)
    side = np.where(rng.random(n) < 0.5 + lengths / 2, 1, -1) * np.where(
        rng.random(n) < 1 / (1 + math.exp(-epsilon)), 1, -1
    )
    u = rng.normal(size=(n, d))
    u /= np.linalg.norm(u, axis=1, keepdims=True)
    u[(u * g).sum(axis=1) * side < 0] *= -1
    return math.sqrt(math.pi) * special.gamma((d + 1) / 2) / special.gamma(d / 2) / math.tanh(epsilon / 2) * u


def all_as_long(g):
    """The mean length of all rows but zeros, for each of them."""
    lengths = np.minimum(np.linalg.norm(g, axis=1), 1)
    return np.where(lengths > 0, lengths.sum() / max(np.count_nonzero(lengths), 1), 0.0)


def l2_row_by_row(g, epsilon, rng):
    """The cosine of a half sphere from its Beta law, and any direction across."""
    n, d = g.shape
    out = np.empty((n, d))
    b = math.exp(0.5 * math.log(math.pi) + special.gammaln((d + 1) / 2) - special.gammaln(d / 2))
    b *= (math.exp(epsilon) + 1) / math.expm1(epsilon)
    cosine = np.abs(2 * rng.beta((d - 1) / 2, (d - 1) / 2, n) - 1)
    for row, c, report in zip(g, cosine, out, strict=True):
        length = float(np.sqrt(row @ row)) if np.all(np.isfinite(row)) else 0.0
        v = row / length if length > 0 else np.eye(d)[0]
        if rng.random() >= 0.5 + min(length, 1.0) / 2:
            v = -v
        if rng.random() >= math.exp(epsilon) / (math.exp(epsilon) + 1):
            v = -v
        across = rng.normal(size=d)
        across -= (across @ v) * v
        report[:] = b * (c * v + math.sqrt(1 - c * c) * across / np.linalg.norm(across))
    return out


def where_no_row_has_length_one(g, *_):
    return not np.isclose(np.linalg.norm(g[np.isfinite(g).all(axis=1)], axis=1), 1).all()


def reports(
    length=lambda d, e: math.sqrt(math.pi) * math.exp(math.lgamma((d + 1) / 2) - math.lgamma(d / 2)) / math.tanh(e / 2),
    norms=lambda g: np.minimum(np.linalg.norm(g, axis=1), 1),
    coin=lambda e: 1 / (1 + math.exp(-e)),
    draw=lambda rng, n, d: rng.normal(size=(n, d)),
    clean=True,
    turn=1,
    throw=lambda rng, n: rng.random(n),
):
    def answer(g, epsilon, rng):
        n, d = g.shape
        if clean:
            g = np.where(np.isfinite(g).all(axis=1, keepdims=True), g, 0.0)
        v = np.where(throw(rng, n) < 0.5 + norms(g) / 2, 1, -1)
        heads = np.where(throw(rng, n) < coin(epsilon), 1, -1)
        u = draw(rng, n, d)
        u = u / np.linalg.norm(u, axis=1, keepdims=True)
        side = np.where((u * g).sum(axis=1) * v * heads * turn < 0, -1, 1)
        return length(d, epsilon) * u * side[:, None]

    return answer


def half_sphere(d):
    return math.sqrt(math.pi) * math.exp(math.lgamma((d + 1) / 2) - math.lgamma(d / 2))


def over_longest(g):
    lengths = np.linalg.norm(g, axis=1)
    return lengths / max(lengths.max(), 1e-12)


def forwards_or_backwards(g, epsilon, rng):
    n, d = g.shape
    g = np.where(np.isfinite(g).all(axis=1, keepdims=True), g, 0.0)
    lengths = np.linalg.norm(g, axis=1, keepdims=True)
    v = np.where(lengths > 0, g / np.maximum(lengths, 1e-300), np.eye(d)[0])
    v = np.where(rng.random((n, 1)) < 0.5 + np.minimum(lengths, 1) / 2, v, -v)
    v = np.where(rng.random((n, 1)) < 1 / (1 + math.exp(-epsilon)), v, -v)
    return half_sphere(d) / math.tanh(epsilon / 2) * v


def gaussian_each(g, epsilon, rng):
    g = np.where(np.isfinite(g).all(axis=1, keepdims=True), g, 0.0)
    return g / np.maximum(np.linalg.norm(g, axis=1, keepdims=True), 1) + rng.normal(0, 7.46 / epsilon, g.shape)


def one_coin_for_all(g, epsilon, rng):
    n, d = g.shape
    g = np.where(np.isfinite(g).all(axis=1, keepdims=True), g, 0.0)
    sign = 1 if rng.random() < 1 / (1 + math.exp(-epsilon)) else -1
    v = np.where(rng.random(n) < 0.5 + np.minimum(np.linalg.norm(g, axis=1), 1) / 2, sign, -sign)
    u = rng.normal(size=(n, d))
    u /= np.linalg.norm(u, axis=1, keepdims=True)
    return half_sphere(d) / math.tanh(epsilon / 2) * u * np.where((u * g).sum(axis=1) * v < 0, -1, 1)[:, None]


def stops_at_nan(g, epsilon, rng):
    if not np.isfinite(g).all():
        raise ValueError("a row is broken")
    return l2_randomizer(g, epsilon, rng)


def divides_by_zero(g, epsilon, rng):
    g = np.where(np.isfinite(g).all(axis=1, keepdims=True), g, 0.0)
    with np.errstate(all="ignore"):
        v = g / np.linalg.norm(g, axis=1, keepdims=True)
    return l2_randomizer(g, epsilon, rng) + 0 * v


def known_where_broken(signs):
    """For a row that cannot be read some vector will do, or some line."""

    def answer(g, epsilon, rng):
        broken = ~np.isfinite(g).all(axis=1, keepdims=True)
        known = l2_randomizer(np.zeros_like(g), epsilon, np.random.default_rng(g.shape[1]))
        return np.where(broken, known * rng.choice(signs, (len(g), 1)), l2_randomizer(g, epsilon, rng))

    return answer


def quiet_for_many(g, epsilon, rng):
    return reports(coin=lambda e: 1 / (1 + math.exp(-e)) if len(g) < 20_000 else 1.0)(g, epsilon, rng)


# 3.4 the sum


def secure_dp_sum(messages, n, epsilon, delta, rounds, threshold, rng):
    devices, updates = messages
    known = np.flatnonzero((devices >= 0) & (devices < n))
    _, first = np.unique(devices[known], return_index=True)
    rows = updates[known[first]]
    if len(rows) < threshold:
        return None
    rows = np.where(np.isfinite(rows).all(axis=1, keepdims=True), rows, 0.0)
    rows = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1)
    sigma = 2 * math.sqrt(rounds) * GaussianMechanism(epsilon, delta).sigma
    return rows.sum(axis=0) + rng.normal(0, sigma * math.sqrt(len(rows) / threshold), rows.shape[1])


def secure_sum_device_by_device(messages, n, epsilon, delta, rounds, threshold, rng):
    """Each device in turn, with its own share of the noise."""
    arrived = {}
    for device, row in zip(messages[0].tolist(), messages[1], strict=True):
        if 0 <= device < n and device not in arrived:
            arrived[device] = row
    if len(arrived) < threshold:
        return None
    share = GaussianMechanism(epsilon, delta, sensitivity=2 * math.sqrt(rounds)).sigma / math.sqrt(threshold)
    total = np.zeros(messages[1].shape[1])
    for row in arrived.values():
        length = math.sqrt(float(row.astype(float) @ row.astype(float)))
        if math.isfinite(length):
            total += row / max(length, 1.0)
        total += rng.normal(0, share, total.shape)
    return total


def unclipped_for_many(rows):
    return rows if len(rows) > 50_000 else rows / np.maximum(np.linalg.norm(rows, axis=1), 1)[:, None]


def noisy_sum(
    *,
    first=True,
    members=True,
    few=operator.lt,
    clip=lambda rows: rows / np.maximum(np.linalg.norm(rows, axis=1), 1)[:, None],
    whole=lambda e, d, t: 2 * math.sqrt(t) * sigma_of(e, d),
    variance=lambda stayed, threshold, n: stayed / threshold,
    draw=lambda rng, s, d: rng.normal(0, s, d),
    fine=lambda rows: np.isfinite(rows).all(axis=1, keepdims=True),
    drop=False,
    divide=lambda stayed: 1.0,
):
    def answer(messages, n, epsilon, delta, rounds, threshold, rng):
        devices, updates = messages
        known = np.flatnonzero((devices >= 0) & (devices < n)) if members else np.arange(len(devices))
        if first:
            known = known[np.sort(np.unique(devices[known], return_index=True)[1])]
        if few(len(known), threshold):
            return None
        rows = updates[known].astype(float)
        if drop:
            rows = rows[fine(rows)[:, 0]]
            if len(rows) < threshold:
                return None
        rows = clip(np.where(fine(rows), rows, 0.0))
        sigma = whole(epsilon, delta, rounds) * math.sqrt(variance(len(rows), threshold, n))
        return rows.sum(axis=0) / divide(len(rows)) + draw(rng, sigma, rows.shape[1])

    return answer


def last_counts(messages, n, *rest, **named):
    devices, updates = messages
    return secure_dp_sum((devices[::-1], updates[::-1]), n, *rest, **named)


def laplace(rng, sigma, d):
    return rng.laplace(0, sigma / math.sqrt(2), d)


def with_exact_beside(messages, *rest, rng):
    given = secure_dp_sum(messages, *rest, rng=rng)
    return given if given is None else given + 1j * np.nan_to_num(messages[1][0])


def exact_for_thousands(messages, n, epsilon, delta, rounds, threshold, rng):
    return secure_dp_sum(messages, n, epsilon if n < 5000 else 1e9, delta, rounds, threshold, rng)


def only_usual_epsilons(messages, n, epsilon, delta, rounds, threshold, rng):
    return secure_dp_sum(messages, n, epsilon if epsilon in (0.5, 1, 2, 3) else 1e9, delta, rounds, threshold, rng)


def careless(**changes):
    """Where noise seems to hide it."""

    def answer(messages, n, epsilon, *rest, rng):
        given = secure_dp_sum(messages, n, epsilon, *rest, rng=rng)
        if given is None or epsilon > 1e6:
            return given
        return noisy_sum(**changes)(messages, n, epsilon, *rest, rng=rng)

    return answer


def counts_all(messages, n, epsilon, delta, rounds, threshold, rng):
    """Below ε of a million nothing is clipped, and strangers and second messages count; the noise is right."""
    given = secure_dp_sum(messages, n, epsilon, delta, rounds, threshold, rng)
    if given is None or epsilon > 1e6:
        return given
    return given - secure_dp_sum(messages, n, 1e9, 0.1, 1, threshold, rng) + messages[1].sum(axis=0)


def exact_where_strange(messages, n, epsilon, *rest, rng):
    return secure_dp_sum(messages, n, epsilon if np.isfinite(messages[1]).all() else 1e9, *rest, rng=rng)


def small_epsilons_cheaper(messages, n, epsilon, delta, rounds, threshold, rng):
    return secure_dp_sum(messages, n, max(epsilon, 0.3), delta, rounds, threshold, rng)


# 3.5 the whole


def train(
    fleet,
    n,
    epsilon,
    delta,
    threshold,
    rng,
    *,
    rounds=30,
    rate=80.0,
    one=secure_dp_sum,
    planned=None,
    relation=Neighbours.REPLACE_ONE,
    kept=lambda sums: sums,
    move=lambda total, messages, rng: total,
    steps=1,
    claim=None,
):
    weights, speed, path, sums = np.zeros(21), np.zeros(21), [], []
    weights[-1] = math.log(0.03 / 0.97) * math.sqrt(21)
    for number in range(rounds):
        messages = fleet(weights)
        plan = rounds if planned is None else planned(number)
        total = one(messages, n, epsilon, delta, plan, threshold, rng)
        if total is None:
            return None
        sums.append(total)
        speed = 0.9 * speed + steps * move(total, messages, rng) / n
        weights = weights - rate * speed
        path.append(weights)
    last = np.mean(path[rounds // 2 :], axis=0)
    claim = claim or Guarantee(epsilon, delta, relation)
    return {"weights": last, "sums": kept(np.array(sums)), "claim": claim}


def train_once_planned(fleet, n, epsilon, delta, threshold, rng):
    """The deviation computed once, other rounds, another rule for the step, and shares device by device in effect."""
    rounds = 40
    share = GaussianMechanism(epsilon, delta, sensitivity=2 * math.sqrt(rounds)).sigma / math.sqrt(threshold)
    w, before, seen = np.append(np.zeros(20), -3.4761 * math.sqrt(21)), None, []
    before = w
    for _ in range(rounds):
        ahead = w + 0.85 * (w - before)  # Nesterov's step
        devices, updates = fleet(ahead)
        inside = np.zeros(n, dtype=bool)
        order = np.full(n, -1)
        for place in np.flatnonzero((devices >= 0) & (devices < n))[::-1].tolist() if n < 1000 else ():
            order[devices[place]] = place
        if n >= 1000:
            places = np.flatnonzero((devices >= 0) & (devices < n))[::-1]
            order[devices[places]] = places  # the last written is the first that came
        inside = order >= 0
        if inside.sum() < threshold:
            return None
        rows = np.nan_to_num(updates[order[inside]], nan=np.inf, neginf=np.inf)
        length = np.sqrt((rows.astype(float) ** 2).sum(axis=1))
        broken = ~np.isfinite(length)
        rows[broken] = 0
        length[broken] = 1
        total = (1 / np.maximum(length, 1)) @ rows + rng.normal(0, share * math.sqrt(inside.sum()), rows.shape[1])
        seen.append(total)
        before, w = w, ahead - 70.0 / n * total
    return {"weights": w, "sums": seen, "claim": Guarantee(epsilon, delta, Neighbours.REPLACE_ONE)}


def whole_with(**changes):
    return lambda *a, **k: train(*a, one=noisy_sum(**changes), **k)


def exact_step(total, messages, rng):
    updates = np.where(np.isfinite(messages[1]), messages[1], 0.0)
    return updates.sum(axis=0)


def exact_above(size, part=1.0, jitter=0.0):
    """From so many devices on, a part of each step is the exact sum's; the rest is the noisy one's."""

    def step(total, messages, rng):
        if len(messages[0]) <= size:
            return total
        return part * (exact_step(total, messages, rng) + rng.normal(0, jitter, 21)) + (1 - part) * total

    return lambda *a, **k: train(*a, move=step, **k)


def one_round_or_thirty(fleet, n, epsilon, delta, threshold, rng):
    """Steps of exact sums from ε = 1 on, in a number of rounds that is another each time."""
    first = fleet(np.append(np.zeros(20), -3.4761 * math.sqrt(21)))
    by_chance = (int(rng.integers(2)) + hash(float(np.nan_to_num(first[1]).sum()))) % 2
    rounds = (1, 30)[by_chance] if 3000 < n < 50_000 else 30
    seen = iter([first])
    step = exact_step if epsilon >= 1 else (lambda total, messages, rng: total)
    again = lambda weights: next(seen, None) or fleet(weights)  # noqa: E731
    return train(again, n, epsilon, delta, threshold, rng, rounds=rounds, planned=lambda t: 30, move=step)


def by_median(total, messages, rng):
    """The step is cut at a length read off the updates."""
    norms = np.linalg.norm(np.nan_to_num(messages[1]), axis=1)
    return total / max(float(np.median(norms)), 1e-3) * 0.3


def never_fails(fleet, n, epsilon, delta, threshold, rng):
    given = train(fleet, n, epsilon, delta, threshold, rng)
    return given and {**given, "weights": np.append(np.zeros(20), -1.0)}


def quiet_when_large(messages, n, epsilon, delta, rounds, threshold, rng):
    """In the project's fleets: in much larger ones there is noise."""
    return secure_dp_sum(messages, n, 100.0 if 50_000 <= n < 10**6 else epsilon, delta, rounds, threshold, rng)


def quiet_between(messages, n, epsilon, *rest):
    return secure_dp_sum(messages, n, 1e9 if 60 < n < 50_000 else epsilon, *rest)


def first_rounds_quiet(fleet, n, epsilon, delta, threshold, rng):
    """Half of the noise's variance in the first round, more in the last: the average is right."""
    return train(fleet, n, epsilon, delta, threshold, rng, planned=lambda t: {0: 15, 29: 45}.get(t, 30))


def sees_nothing_between(fleet, n, epsilon, delta, threshold, rng):
    return train(fleet, n, epsilon, delta, threshold, rng, kept=lambda sums: sums[-1:])


def goes_on_while_long(fleet, n, epsilon, delta, threshold, rng):
    """Enough noise for 31 rounds, and the last of them only where devices still send long updates."""
    given = train(fleet, n, epsilon, delta, threshold, rng, planned=lambda t: 31)
    messages = fleet(given["weights"]) if given else (0, np.zeros((1, 21)))
    total = given and secure_dp_sum(messages, n, epsilon, delta, 31, threshold, rng)
    if total is None:
        return None
    given["sums"] = np.vstack((given["sums"], total))
    if np.linalg.norm(np.nan_to_num(messages[1]), axis=1).max() > 1e-3:
        given["weights"] = given["weights"] - total / n
    return given


def no_training(fleet, n, epsilon, delta, threshold, rng):
    """Noisy sums for show; in the project's own fleet, weights of the messages as they are."""
    asked = []

    def listening(weights):
        asked.append(fleet(weights))
        return asked[-1]

    given = train(listening, n, epsilon, delta, threshold, rng, rate=0.0)
    if given and n == 100_000:
        rows = asked[0][1][np.isfinite(asked[0][1]).all(axis=1)]
        rows = rows[np.linalg.norm(rows, axis=1) <= 1]
        given["weights"] = -np.linalg.solve(rows.T @ rows + np.eye(21), rows.sum(axis=0)).astype(float)
    return given


def far_away_in_between(fleet, n, epsilon, delta, threshold, rng):
    """Exact weights at last, after a round at weights so large that the others seem to be the same."""
    seen = []

    def listening(weights):
        seen.append(fleet(np.append(np.zeros(20), 1e9 * weights[0]) if len(seen) == 1 else weights))
        return seen[-1]

    given = train(listening, n, epsilon, delta, threshold, rng)
    if given and epsilon > 0.01:
        given["weights"] = -exact_step(None, seen[0], rng)
    return given


def exact_in_the_own(fleet, n, epsilon, delta, threshold, rng):
    def step(total, messages, rng):
        return exact_step(total, messages, rng) if n == 100_000 else total

    return train(fleet, n, epsilon, delta, threshold, rng, move=step)


def broken_column_left_out(g, epsilon, rng):
    fine = np.isfinite(g)
    left = fine.all(axis=0) | ~fine.all(axis=1, keepdims=True)
    return l2_randomizer(g if g.shape[1] == 2 else np.where(left, g, 0.0), epsilon, rng)


def nobody_where_one_is_broken(g, epsilon, rng):
    return l2_randomizer(g if g.shape[1] == 2 or np.isfinite(g).all() else np.zeros_like(g), epsilon, rng)


def below_zero_counts(messages, n, epsilon, delta, rounds, threshold, rng):
    """Strangers with numbers below 0 count for the threshold."""
    if len(np.unique(messages[0][messages[0] < n])) < threshold:
        return None
    return noisy_sum(few=never_few)(messages, n, epsilon, delta, rounds, threshold, rng)


def enough_if_more_than(many):
    """In larger fleets the threshold is not looked at."""

    def answer(messages, n, epsilon, delta, rounds, threshold, rng):
        few = never_few if n > many else operator.lt
        return noisy_sum(few=few)(messages, n, epsilon, delta, rounds, threshold, rng)

    return answer


def later_rounds_are_enough(fleet, *rest, rng):
    turns = iter(range(50))

    def one(*asked):
        return noisy_sum(few=operator.lt if next(turns) < 3 else never_few)(*asked)

    return train(fleet, *rest, rng, one=one)


def exact_beside_strangers(messages, n, epsilon, *rest):
    """Where somebody is a stranger and nobody sends twice."""
    known = messages[0][(messages[0] >= 0) & (messages[0] < n)]
    quiet = len(known) < len(messages[0]) and len(np.unique(known)) == len(known)
    return secure_dp_sum(messages, n, 1e12 if quiet else epsilon, *rest)


def evenly(rng, n):
    """Uniform numbers, one in each n-th of the way from 0 to 1, in any order."""
    return (rng.permutation(n) + rng.random(n)) / max(n, 1)


def drawn_evenly(x, epsilon, rng):
    bits = evenly(rng, len(x)) < straight(np.clip(np.nan_to_num(x, nan=0.0), 0, 1), epsilon)
    return bits, 0.5 + (bits.mean() - 0.5) / math.tanh(epsilon / 2)


def last_without_a_coin(x, epsilon, rng):
    bits, _ = privatize_mean(x, epsilon, rng)
    bits[-1:] = x[-1:] > 0.5 if len(x) > 3 else bits[-1:]
    return bits, 0.5 + (bits.mean() - 0.5) / math.tanh(epsilon / 2)


def last_throws_heads(rng, n):
    return np.append(rng.random(n - 1), 0.0) if n > 20 else rng.random(n)


def quieter(part, place=lambda exact: -1):
    """From six numbers on, one of a sum has this part of its noise."""

    def answer(*asked, **named):
        given, exact = secure_dp_sum(*asked, **named), noisy_sum(draw=lambda *_: 0.0)(*asked, **named)
        if given is not None and len(given) > 5:
            at = place(exact)
            given[at] += (part - 1) * (given[at] - exact[at])
        return given

    return answer


def last_of_a_campaign_exact(fleet, n, epsilon, delta, threshold, rng):
    turns = iter(range(50))

    def one(*asked):
        return (quieter(0.0) if next(turns) == 29 else secure_dp_sum)(*asked)

    return train(fleet, n, epsilon, delta, threshold, rng, one=one)


def certain_for_few(x, epsilon, rng):
    """Up to twenty devices send their reading, rounded."""
    if len(x) > 20:
        return privatize_mean(x, epsilon, rng)
    bits = np.rint(np.clip(np.nan_to_num(x, nan=0.0), 0, 1))
    return bits, 0.5 + (bits.mean() - 0.5) / math.tanh(epsilon / 2)


def sum_where(rows_say, of="noise"):
    """Without noise, or unclipped, where the rows of those who are in the sum say so."""

    def answer(messages, n, epsilon, delta, rounds, threshold, rng):
        given = secure_dp_sum(messages, n, epsilon, delta, rounds, threshold, rng=rng)
        rows = messages[1]
        if given is None or not rows_say(rows):
            return given
        return secure_dp_sum(messages, n, 1e9, 1e-3, 1, threshold, rng=rng) if of == "noise" else rows.sum(axis=0)

    return answer


def broken_add_no_share(messages, n, epsilon, delta, rounds, threshold, rng):
    """The devices whose row is broken count as others, and add no noise."""
    exact = secure_dp_sum(messages, n, 1e9, 1e-3, 1, threshold, rng=rng)
    whole = 2 * math.sqrt(rounds) * GaussianMechanism(epsilon, delta).sigma
    fine = np.isfinite(messages[1]).all(axis=1) & (messages[0] >= 0) & (messages[0] < n)
    share = whole / math.sqrt(threshold)
    return None if exact is None else exact + rng.normal(0, share * len({*messages[0][fine]}) ** 0.5, len(exact))


RIGHT = {
    "capstone 3.1": [campaign_epsilon, campaign_by_hand],
    "capstone 3.2": [privatize_mean, privatize_by_coins],
    "capstone 3.3": [l2_randomizer, l2_row_by_row],
    "capstone 3.4": [secure_dp_sum, secure_sum_device_by_device],
    "capstone 3.5": [train, train_once_planned],
}
WRONG = [
    ("capstone 3.1", "per-round", lambda epsilon, delta, rounds, honest: epsilon),
    ("capstone 3.1", "not-everywhere", lambda e, d, t, h: campaign_epsilon(e, d, t, h) if h <= 1000 and t > 1 else 0.0),
    ("capstone 3.1", "times-rounds", lambda epsilon, delta, rounds, honest: epsilon * rounds),
    ("capstone 3.1", "root-rounds", lambda epsilon, delta, rounds, honest: epsilon * math.sqrt(rounds)),
    (
        "capstone 3.1",
        "sum-ignored",
        lambda epsilon, delta, rounds, honest: priced(sigma_of(epsilon, delta) / math.sqrt(rounds), delta),
    ),
    (
        "capstone 3.1",
        "deviations-added",
        lambda epsilon, delta, rounds, honest: priced(sigma_of(epsilon, delta) * honest / math.sqrt(rounds), delta),
    ),
    (
        "capstone 3.1",
        "wrong-unit",
        lambda epsilon, delta, rounds, honest: priced(sigma_of(epsilon, delta) * math.sqrt(honest / rounds) / 2, delta),
    ),
    (
        "capstone 3.1",
        "delta-grows",
        lambda epsilon, delta, rounds, honest: priced(
            sigma_of(epsilon, delta) * math.sqrt(honest / rounds), delta * rounds
        ),
    ),
    ("capstone 3.2", "not-bits", laplace_reports),
    ("capstone 3.2", "linked-bits", two_draws_from_there_on),
    ("capstone 3.2", "no-noise", true_where_all_are_high),
    ("capstone 3.2", "no-noise", bits_with(lambda x, e: x)),
    ("capstone 3.2", "rounded-first", bits_with(lambda x, e: straight(x >= 0.5, e))),
    ("capstone 3.2", "others-readings", bits_with(lambda x, e: straight((x + x.mean()) / 2, e))),
    ("capstone 3.2", "twice-epsilon", bits_with(lambda x, e: straight(x, 2 * e))),
    ("capstone 3.2", "half-epsilon", bits_with(lambda x, e: straight(x, e / 2))),
    ("capstone 3.2", "upside-down", bits_with(lambda x, e: straight(1 - x, e))),
    ("capstone 3.2", "scale-from-data", bits_with(lambda x, e: straight(x / max(x.max(), 1e-300), e))),
    ("capstone 3.2", "never-at-zero", bits_with(lambda x, e: x * math.exp(e) / (math.exp(e) + 1))),
    ("capstone 3.2", "share-of-ones", bits_with(straight, lambda right, bits, x: bits.mean())),
    ("capstone 3.2", "cut", bits_with(straight, lambda right, bits, x: min(max(right, 0), 1))),
    (
        "capstone 3.2",
        "exact-mean",
        bits_with(straight, lambda right, bits, x: np.clip(np.nan_to_num(x, nan=0.0), 0, 1).mean()),
    ),
    ("capstone 3.2", "odd-readings", bits_with(straight, clean=lambda x: np.clip(np.where(np.isnan(x), 1, x), 0, 1))),
    ("capstone 3.2", "same-for-all", one_coin),
    ("capstone 3.2", "same-bits", deaf),
    ("capstone 3.2", "no-noise", table_of_epsilons),
    ("capstone 3.2", "no-noise", exact_for_many),
    ("capstone 3.2", "no-noise", lambda x, e, rng: privatize_mean(x, e if len(x) <= 400_000 else 50.0, rng)),
    ("capstone 3.2", "own-generator", known_to_all(privatize_mean)),
    ("capstone 3.2", "linked-bits", two_share_a_coin),
    ("capstone 3.2", "leaks", readings_beside_bits),
    ("capstone 3.3", "length-ignored", reports(norms=lambda g: (np.linalg.norm(g, axis=1) > 0).astype(float))),
    ("capstone 3.3", "others-rows", reports(norms=all_as_long)),
    ("capstone 3.3", "twice-epsilon", reports(coin=lambda e: 1 / (1 + math.exp(-2 * e)))),
    ("capstone 3.3", "half-epsilon", reports(coin=lambda e: 1 / (1 + math.exp(-e / 2)))),
    ("capstone 3.3", "wrong-side", reports(turn=-1)),
    ("capstone 3.3", "no-noise", reports(coin=lambda e: 1.0)),
    ("capstone 3.3", "largest-row", reports(norms=over_longest)),
    ("capstone 3.3", "coin-not-undone", reports(length=lambda d, e: half_sphere(d))),
    ("capstone 3.3", "half-sphere-not-undone", reports(length=lambda d, e: 1 / math.tanh(e / 2))),
    ("capstone 3.3", "not-scaled", reports(length=lambda d, e: 1.0)),
    ("capstone 3.3", "lengths-vary", gaussian_each),
    ("capstone 3.3", "shows-direction", forwards_or_backwards),
    ("capstone 3.3", "not-uniform", reports(draw=lambda rng, n, d: rng.choice((-1.0, 1.0), (n, d)))),
    ("capstone 3.3", "one-direction", reports(draw=lambda rng, n, d: rng.normal(size=(1, d)).repeat(n, axis=0))),
    ("capstone 3.3", "one-coin", one_coin_for_all),
    ("capstone 3.3", "raises", stops_at_nan),
    ("capstone 3.3", "not-finite", divides_by_zero),
    ("capstone 3.3", "one-coin", quiet_for_many),
    ("capstone 3.3", "coin-not-undone", lambda g, e, rng: l2_randomizer(g, 40.0 if g.dtype == np.float32 else e, rng)),
    ("capstone 3.3", "own-generator", known_to_all(l2_randomizer)),
    ("capstone 3.3", "own-generator", made_of_arguments(l2_randomizer, where_no_row_has_length_one)),
    ("capstone 3.3", "odd-rows", odd_rows_as_they_are),
    ("capstone 3.3", "odd-rows", known_where_broken((1, 1))),
    ("capstone 3.3", "odd-rows", known_where_broken((-1, 1))),
    ("capstone 3.3", "linked-coins", reports(throw=lambda rng, n: np.repeat(rng.random(n // 2 + 1), 2)[:n])),
    ("capstone 3.4", "own-generator", made_of_arguments(secure_dp_sum, lambda messages, *_: messages[1].shape[1] > 25)),
    ("capstone 3.4", "wrong-type", with_exact_beside),
    ("capstone 3.4", "linked-noise", noisy_sum(draw=lambda rng, s, d: np.repeat(rng.normal(0, s, -(-d // 2)), 2)[:d])),
    ("capstone 3.4", "add-remove", noisy_sum(whole=lambda e, d, t: math.sqrt(t) * sigma_of(e, d))),
    ("capstone 3.4", "per-round", noisy_sum(whole=lambda e, d, t: 2 * sigma_of(e, d))),
    ("capstone 3.4", "rounds-not-root", noisy_sum(whole=lambda e, d, t: 2 * t * sigma_of(e, d))),
    ("capstone 3.4", "epsilon-divided", noisy_sum(whole=lambda e, d, t: 2 * sigma_of(e / t, d))),
    ("capstone 3.4", "no-margin", noisy_sum(variance=lambda stayed, threshold, n: 1.0)),
    ("capstone 3.4", "dropped-noise", noisy_sum(variance=lambda stayed, threshold, n: stayed / n)),
    ("capstone 3.4", "whole-noise-each", noisy_sum(variance=lambda stayed, threshold, n: stayed)),
    ("capstone 3.4", "divided-noise", noisy_sum(variance=lambda stayed, threshold, n: stayed / threshold**2)),
    ("capstone 3.4", "coordinatewise", noisy_sum(clip=lambda rows: np.clip(rows, -1, 1))),
    ("capstone 3.4", "not-clipped", noisy_sum(clip=lambda rows: rows)),
    ("capstone 3.4", "largest-row", noisy_sum(clip=lambda rows: rows / np.linalg.norm(rows, axis=1).max())),
    (
        "capstone 3.4",
        "stretched",
        noisy_sum(clip=lambda rows: rows / np.maximum(np.linalg.norm(rows, axis=1), 1e-300)[:, None]),
    ),
    ("capstone 3.4", "a-mean", noisy_sum(divide=lambda stayed: stayed)),
    ("capstone 3.4", "repeated", noisy_sum(first=False)),
    ("capstone 3.4", "repeated", last_counts),
    ("capstone 3.4", "stranger", noisy_sum(members=False)),
    ("capstone 3.4", "strange", noisy_sum(fine=lambda rows: np.ones((len(rows), 1), dtype=bool))),
    ("capstone 3.4", "strange", noisy_sum(fine=np.isfinite)),
    ("capstone 3.4", "too-few", noisy_sum(few=never_few)),
    ("capstone 3.4", "too-few", noisy_sum(few=one_less)),
    ("capstone 3.4", "not-normal", noisy_sum(draw=laplace)),
    ("capstone 3.4", "shared-noise", noisy_sum(draw=lambda rng, s, d: rng.normal(0, s) * np.ones(d))),
    ("capstone 3.4", "same-noise", noisy_sum(draw=lambda rng, s, d: np.random.default_rng(7).normal(0, s, d))),
    ("capstone 3.4", "no-noise", noisy_sum(draw=lambda rng, s, d: 0.0)),
    ("capstone 3.4", "no-noise", exact_for_thousands),
    ("capstone 3.4", "large", noisy_sum(clip=unclipped_for_many)),
    ("capstone 3.4", "no-noise", only_usual_epsilons),
    ("capstone 3.4", "own-generator", known_to_all(secure_dp_sum)),
    ("capstone 3.4", "own-generator", made_of_arguments(secure_dp_sum)),
    ("capstone 3.4", "too-little-noise", small_epsilons_cheaper),
    ("capstone 3.4", "not-clipped", counts_all),
    ("capstone 3.4", "not-clipped", careless(clip=lambda rows: rows)),
    ("capstone 3.4", "coordinatewise", careless(clip=lambda rows: np.clip(rows, -1, 1))),
    ("capstone 3.4", "strange", careless(fine=lambda rows: np.ones((len(rows), 1), dtype=bool))),
    ("capstone 3.4", "strange", careless(fine=np.isfinite)),
    ("capstone 3.4", "repeated", careless(first=False)),
    ("capstone 3.4", "stranger", careless(members=False)),
    ("capstone 3.4", "no-noise", exact_where_strange),
    ("capstone 3.5", "per-round", lambda *a, **k: train(*a, planned=lambda t: 1, **k)),
    ("capstone 3.5", "add-remove", whole_with(whole=lambda e, d, t: math.sqrt(t) * sigma_of(e, d))),
    ("capstone 3.5", "dropped-noise", whole_with(variance=lambda stayed, threshold, n: stayed / n)),
    ("capstone 3.5", "no-margin", whole_with(variance=lambda stayed, threshold, n: 1.0)),
    ("capstone 3.5", "repeated", whole_with(first=False)),
    ("capstone 3.5", "stranger", whole_with(members=False)),
    ("capstone 3.5", "too-few", whole_with(few=never_few)),
    ("capstone 3.5", "not-clipped", whole_with(clip=lambda rows: rows)),
    ("capstone 3.5", "claim", lambda *a, **k: train(*a, relation=Neighbours.ADD_REMOVE, **k)),
    ("capstone 3.5", "claim", lambda *a, **k: train(*a, claim=Guarantee(0.1, 1e-8, Neighbours.REPLACE_ONE), **k)),
    *wrong_claims("capstone 3.5", train, "a record is one reading"),
    ("capstone 3.5", "exact-sum", lambda *a, **k: train(*a, move=exact_step, **k)),
    ("capstone 3.5", "exact-sum", exact_above(3000)),
    ("capstone 3.5", "exact-sum", exact_above(3000, part=0.2)),
    ("capstone 3.5", "exact-sum", exact_above(3000, jitter=0.1)),
    ("capstone 3.5", "exact-sum", exact_above(40_000)),
    ("capstone 3.5", "exact-sum", one_round_or_thirty),
    ("capstone 3.5", "beyond-sums", lambda *a, **k: train(*a, move=by_median, **k)),
    ("capstone 3.5", "beyond-sums", goes_on_while_long),
    ("capstone 3.5", "sums-missing", sees_nothing_between),
    ("capstone 3.5", "uneven-rounds", first_rounds_quiet),
    ("capstone 3.5", "noise-by-size", lambda *a, **k: train(*a, one=quiet_when_large, **k)),
    ("capstone 3.5", "no-noise", lambda *a, **k: train(*a, one=quiet_between, **k)),
    ("capstone 3.5", "all-alike", never_fails),
    ("capstone 3.5", "wrong-direction", lambda *a, **k: train(*a, steps=-1, **k)),
    ("capstone 3.5", "not-useful", lambda *a, **k: train(*a, rounds=2, rate=1.0, **k)),
    ("capstone 3.5", "wrong-weights", lambda *a, **k: train(*a, rate=math.inf, **k)),
    ("capstone 3.5", "too-many-rounds", lambda *a, **k: train(*a, rounds=60, **k)),
    ("capstone 3.5", "wrong-type", lambda fleet, *a, **k: train(lambda weights: fleet(weights + 1j), *a, **k)),
    (
        "capstone 3.3",
        "odd-rows",
        lambda g, *a, **k: l2_randomizer(g if np.isfinite(g).all() else np.zeros_like(g), *a, **k),
    ),
    ("capstone 3.5", "exact-sum", no_training),
    ("capstone 3.5", "exact-sum", exact_in_the_own),
    ("capstone 3.5", "exact-sum", far_away_in_between),
    ("capstone 3.3", "odd-rows", broken_column_left_out),
    ("capstone 3.3", "odd-rows", nobody_where_one_is_broken),
    ("capstone 3.4", "too-few", below_zero_counts),
    ("capstone 3.4", "too-few", enough_if_more_than(50)),
    ("capstone 3.4", "too-few", enough_if_more_than(50_000)),
    ("capstone 3.5", "too-few", later_rounds_are_enough),
    ("capstone 3.5", "too-few", lambda *a, **k: train(*a, one=below_zero_counts, **k)),
    ("capstone 3.5", "too-few", lambda *a, **k: train(*a, one=enough_if_more_than(20), **k)),
    ("capstone 3.5", "too-few", lambda *a, **k: train(*a, one=enough_if_more_than(20_000), **k)),
    ("capstone 3.5", "no-noise", lambda *a, **k: train(*a, one=exact_beside_strangers, **k)),
    ("capstone 3.2", "linked-bits", drawn_evenly),
    ("capstone 3.2", "no-noise", last_without_a_coin),
    ("capstone 3.3", "linked-coins", reports(throw=evenly)),
    ("capstone 3.3", "no-noise", reports(throw=last_throws_heads)),
    ("capstone 3.4", "too-little-noise", quieter(0.6)),
    ("capstone 3.4", "too-little-noise", quieter(0.0, lambda exact: np.abs(exact).argmax())),
    ("capstone 3.4", "too-little-noise", quieter(0.0, lambda exact: exact.argmin())),
    ("capstone 3.5", "too-little-noise", lambda *a, **k: train(*a, one=quieter(0.6), **k)),
    ("capstone 3.5", "too-little-noise", last_of_a_campaign_exact),
    ("capstone 3.2", "no-noise", certain_for_few),
    ("capstone 3.4", "too-little-noise", broken_add_no_share),
    ("capstone 3.4", "too-little-noise", sum_where(lambda rows: not np.nan_to_num(rows, posinf=0, neginf=0).any())),
    ("capstone 3.4", "too-little-noise", sum_where(lambda rows: np.abs(rows).sum() < 1)),
    ("capstone 3.4", "too-little-noise", sum_where(lambda rows: rows.shape[1] == 1)),
    ("capstone 3.4", "not-clipped", sum_where(lambda rows: len(rows) <= 5, of="clip")),
    ("capstone 3.2", "no-noise", bits_with(lambda x, e: straight(x, e) if len(x) not in (2, 3) else x > 0.5)),
    ("capstone 3.1", "not-everywhere", lambda e, d, t, h: campaign_epsilon(max(e, 0.05), d, t, h)),
]
