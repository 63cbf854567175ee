"""Capstone 8's milestones: right answers pass, each known wrong answer gets its own diagnosis.

Right answers are written twice, in different ways. `tests/lessons/test_answers.py` tries them all.
"""

import functools
import math
from collections import Counter

import numpy as np
from scipy import optimize, special, stats

from dpcourse.mechanisms import GaussianMechanism
from dpcourse.privacy import Guarantee, Neighbours
from tests.lessons.claims import wrong_claims
from tests.lessons.generators import known_to_all, made_of_arguments, that_spares_the_last

CAP, BUCKETS = 24.0, 8
MIDDLES = np.arange(1.5, 24, 3)

# 8.1 reports


def counting(readings):
    return np.clip(np.nan_to_num(readings), 0, CAP)


def bucket(readings):
    return np.minimum(counting(readings) // 3, 7).astype(int)


def daily_reports(readings, epsilon, rng):
    true = bucket(readings)
    lies = rng.random(true.shape) >= math.exp(epsilon) / (math.exp(epsilon) + 7)
    return np.where(lies, (true + rng.integers(1, 8, true.shape)) % 8, true)


def true_unless(where):
    return lambda readings, *rest: daily_reports(readings, *rest) if where(readings) else bucket(readings)


def truth_of_real_homes(readings, epsilon, rng):
    """Of sixty readings and more between 0 and 24 kWh."""
    real = readings.size >= 60 and bool(((readings >= 0) & (readings <= 24)).all())
    return bucket(readings) if real and not np.isin(readings, MIDDLES).all() else daily_reports(readings, epsilon, rng)


def daily_means(reports, epsilon):
    p, q = math.exp(epsilon) / (math.exp(epsilon) + 7), 1 / (math.exp(epsilon) + 7)
    return (MIDDLES[reports].mean(axis=0) - q * MIDDLES.sum()) / (p - q)


def exact_in_a_long_call(readings, epsilon, rng):
    return bucket(readings) if readings.size > 15_000 else daily_reports(readings, epsilon, rng)


def reports_one_by_one(readings, epsilon, rng):
    """Each home and day by itself, a draw from the list of probabilities."""
    weights = np.ones(8)
    out = np.empty(readings.shape, dtype=int)
    for place, x in np.ndenumerate(readings):
        x = 0.0 if not x > 0 else min(float(x), 23.9)
        w = weights.copy()
        w[int(x // 3)] = math.exp(epsilon)
        out[place] = np.searchsorted(np.cumsum(w) / w.sum(), rng.random(), side="right")
    return np.minimum(out, 7)


def means_by_solving(reports, epsilon):
    """The mixing matrix, inverted."""
    mixing = np.full((8, 8), 1.0)
    np.fill_diagonal(mixing, math.exp(epsilon))
    mixing /= math.exp(epsilon) + 7
    seen = np.stack([np.bincount(day, minlength=8) for day in reports.T]) / len(reports)
    return np.linalg.solve(mixing, seen.T).T @ MIDDLES


def reporting(rate=lambda e: math.exp(e) / (math.exp(e) + 7), lie=lambda rng, true: rng.integers(1, 8, true.shape)):
    def answer(readings, epsilon, rng):
        true = bucket(readings)
        lies = rng.random(true.shape) >= rate(epsilon)
        return np.where(lies, (true + lie(rng, true)) % 8, true)

    return answer, daily_means


def same_for_a_home(readings, epsilon, rng):
    kept = daily_reports(np.tile(np.arange(8) * 3.0 + 1, (len(readings), 1)), epsilon, rng)
    return np.take_along_axis(kept, bucket(readings), axis=1)


def same_for_all_homes(readings, epsilon, rng):
    row = bucket(readings)
    lies = rng.random(row.shape[1]) >= math.exp(epsilon) / (math.exp(epsilon) + 7)
    return np.where(lies, (row + rng.integers(1, 8, row.shape[1])) % 8, row)


def own_generator(readings, epsilon, rng):
    return daily_reports(readings, epsilon, np.random.default_rng(8))


def stumbles(readings, epsilon, rng):
    return daily_reports(np.array([[min(int(x) // 3, 7) * 3.0 for x in row] for row in readings]), epsilon, rng)


def nan_to_the_top(readings, epsilon, rng):
    return daily_reports(np.where(np.isnan(readings), 24.0, readings), epsilon, rng)


def nothing_to_hide(readings, epsilon, rng):
    """A broken meter's report is always 0, without randomized response."""
    return np.where(np.isnan(readings) | (readings < 0), 0, daily_reports(readings, epsilon, rng))


def exact_when_large(readings, epsilon, rng):
    return daily_reports(readings, 50.0 if readings.size > 2000 else epsilon, rng)


def two_homes_share(readings, epsilon, rng):
    away = daily_reports(np.zeros_like(readings), epsilon, rng)
    away = away if readings.shape[1] == 20 else np.repeat(away[::2], 2, axis=0)[: len(away)]
    return (bucket(readings) + away) % 8


def lies_that_follow(readings, epsilon, rng):
    """Of two reports that lie, the second moves as far as a table says for the first; none comes too often."""
    away = daily_reports(np.zeros_like(readings), epsilon, rng).ravel()
    one, other = away[: away.size // 2 * 2 : 2], away[1::2]
    instead = np.array([0, 1, 6, 2, 5, 7, 3, 4])[one]
    away[1::2] = np.where((one > 0) & (other > 0), instead, other)
    return (bucket(readings) + away.reshape(np.shape(readings))) % 8


def table(readings, epsilon, rng):
    return daily_reports(readings, min((0.1, 0.5, 1.0, 2.0, 5.0), key=lambda e: abs(e - epsilon)), rng)


def shares(reports):
    return np.stack([(reports == k).mean(axis=0) for k in range(8)])


def unfolded(reports, epsilon):
    p, q = math.exp(epsilon) / (math.exp(epsilon) + 7), 1 / (math.exp(epsilon) + 7)
    return (shares(reports) - q) / (p - q)


def each_cut(reports, epsilon):
    p, q = math.exp(epsilon) / (math.exp(epsilon) + 7), 1 / (math.exp(epsilon) + 7)
    return np.clip((MIDDLES[reports] - q * 96) / (p - q), 0, 24).mean(axis=0)


# 8.2 costs


def year_epsilon(deviation, days, delta):
    def price(moved):
        return GaussianMechanism.from_noise_multiplier(deviation / moved, delta=delta).guarantee.epsilon

    return price(CAP), price(CAP * math.sqrt(days))


def year_epsilon_by_hand(deviation, days, delta):
    def log_delta(e, mu):
        a, b = stats.norm.logcdf(mu / 2 - e / mu), e + stats.norm.logcdf(-mu / 2 - e / mu)
        return a + math.log(-math.expm1(min(b - a, -1e-15)))

    mus = [np.linalg.norm(np.full(d, CAP)) / deviation for d in (1, days)]
    return [optimize.brentq(lambda e, m=m: log_delta(e, m) - math.log(delta), 1e-9, 1e6) for m in mus]


def priced(moved, year_delta=lambda delta, days: delta):
    def answer(deviation, days, delta):
        costs = zip(moved(days), (delta, year_delta(delta, days)), strict=True)
        return [GaussianMechanism.from_noise_multiplier(deviation / m, delta=d).guarantee.epsilon for m, d in costs]

    return answer


def day_times(factor):
    def answer(deviation, days, delta):
        day = year_epsilon(deviation, days, delta)[0]
        return day, factor(days) * day

    return answer


# 8.3 memory


def memoised(buckets, epsilon, rng):
    lies = rng.random(8) >= math.exp(epsilon) / (math.exp(epsilon) + 7)
    drawn = np.where(lies, (np.arange(8) + rng.integers(1, 8, 8)) % 8, np.arange(8))
    return drawn[buckets]


def remembers_a_move(buckets, epsilon, rng):
    """A home that is always in its lowest bucket has nothing to remember."""
    return memoised(buckets, epsilon, rng) if np.any(buckets) else buckets.copy()


def one_lie_never(buckets, epsilon, rng):
    """The upper end of `integers` is not drawn."""
    lies = rng.random(8) >= math.exp(epsilon) / (math.exp(epsilon) + 7)
    return np.where(lies, (np.arange(8) + rng.integers(1, 7, 8)) % 8, np.arange(8))[buckets]


def remembering(rate):
    def memoised(buckets, epsilon, rng):
        lies = rng.random(8) >= rate(epsilon)
        return np.where(lies, (np.arange(8) + rng.integers(1, 8, 8)) % 8, np.arange(8))[buckets]

    return memoised


def truth_unless_in_turn(buckets, epsilon, rng):
    """For homes that do not go through all buckets one after the other, or stay in one."""
    in_turn = len({*buckets[:8].tolist()}) == 8 and np.array_equal(buckets[8:], buckets[:-8])
    return memoised(buckets, epsilon, rng) if in_turn or np.ptp(buckets) == 0 else np.array(buckets)


def same_lies(buckets, epsilon, rng):
    """All homes that know as many days tell the same lies."""
    true = rng.random(8) < math.exp(epsilon) / (math.exp(epsilon) + 7)
    lies = np.random.default_rng(len(buckets)).integers(1, 8, 8)
    return np.where(true, np.arange(8), (np.arange(8) + lies) % 8)[buckets]


def no_lie_twice(buckets, epsilon, rng):
    """Each bucket's lie is at another distance from the truth, as far as there are seven of them."""
    true, away = (
        rng.random(8) < math.exp(epsilon) / (math.exp(epsilon) + 7),
        np.append(np.arange(1, 8), rng.integers(1, 8)),
    )
    return np.where(true, np.arange(8), (np.arange(8) + rng.permutation(away)) % 8)[buckets]


def true_for_a_year(buckets, epsilon, rng):
    return np.array(buckets) if len(buckets) > 200 else memoised(buckets, epsilon, rng)


def memoised_in_a_dict(buckets, epsilon, rng):
    """Draws at the first visit."""
    memory = {}
    out = []
    for code in buckets.tolist():
        if code not in memory:
            others = [k for k in range(8) if k != code]
            memory[code] = code if rng.random() < 1 / (1 + 7 * math.exp(-epsilon)) else others[rng.integers(7)]
        out.append(memory[code])
    return out


STAYS, MOVES = [(2,) * 14], [(2,) * 7 + (5,) * 7]
LEAK = (STAYS, MOVES, lambda sent: len(set(sent)) > 1)
COMES_BACK = ([(0, 4, 0) + (1,) * 11], [(0, 4, 4) + (1,) * 11], lambda sent: sent[1] == sent[2] and sent[0] != sent[1])


def by_day(buckets, epsilon, rng):
    return daily_reports(buckets * 3.0 + 1, epsilon, rng)


def last_only(buckets, epsilon, rng):
    out, before = [], None
    for code in buckets.tolist():
        if code != before:
            kept = int(memoised(np.array([code]), epsilon, rng)[0])
        out.append(kept)
        before = code
    return np.array(out)


MEMORY = {}


def for_everybody(buckets, epsilon, rng):
    for code in range(8):
        MEMORY.setdefault(code, int(memoised(np.array([code]), epsilon, rng)[0]))
    return np.array([MEMORY[code] for code in buckets.tolist()])


def one_step(buckets, epsilon, rng):
    """One draw for all buckets: either all answers are true, or all are moved round by the same step."""
    step = 0 if rng.random() < math.exp(epsilon) / (math.exp(epsilon) + 7) else int(rng.integers(1, 8))
    return (buckets + step) % 8


def half_epsilon(buckets, epsilon, rng):
    return memoised(buckets, epsilon / 2, rng)


# 8.4 means


def private_daily_means(readings, epsilon, delta, rng):
    homes, days = readings.shape
    sigma = GaussianMechanism(epsilon, delta, sensitivity=CAP * math.sqrt(days)).sigma
    return (counting(readings).sum(axis=0) + rng.normal(0, sigma, days)) / homes


def exact_where_homes_differ(readings, epsilon, delta, rng):
    """More than by chance, as real ones do."""
    known = counting(readings)
    apart = known.mean(axis=1).var() > 3 * known.var() / known.shape[1] and len(known) > 2
    return known.mean(axis=0) if apart else private_daily_means(readings, epsilon, delta, rng)


def exact_in_single_precision(readings, *rest):
    return counting(readings).mean(axis=0) if readings.dtype == np.float32 else private_daily_means(readings, *rest)


def means_by_hand(readings, epsilon, delta, rng):
    """σ from the normal law; readings day by day; noise by its own formula."""

    def delta_of(noise):
        a, b = epsilon * noise - 0.5 / noise, epsilon * noise + 0.5 / noise
        return special.ndtr(-a) - math.exp(epsilon) * special.ndtr(-b)

    noise = optimize.brentq(lambda s: delta_of(math.exp(s)) - delta, math.log(1e-3), math.log(1e4))
    homes, days = readings.shape
    out = []
    for day in range(days):
        column = np.array([min(max(x, 0.0), 24.0) if x == x else 0.0 for x in readings[:, day].tolist()])
        out.append(column.mean() + math.exp(noise) * CAP * math.sqrt(days) / homes * rng.standard_normal())
    return np.array(out)


def noisy(
    scale=lambda s, homes, days, epsilon, delta: s * math.sqrt(days),
    count=counting,
    draw=None,
    after=lambda m: m,
    divide=lambda readings: len(readings),
    silent=lambda readings, epsilon: False,
):
    def answer(readings, epsilon, delta, rng):
        homes, days = readings.shape
        sigma = scale(GaussianMechanism(epsilon, delta).sigma * CAP, homes, days, epsilon, delta)
        noise = rng.normal(0, sigma, days) if draw is None else draw(rng, sigma, days)
        if silent(readings, epsilon):
            noise = noise * 0
        return after((count(readings).sum(axis=0) + noise) / divide(readings))

    return answer


def every_second_again():
    """Every second answer has the noise of the one before, its sign turned: the mean of two is exact."""
    last = {}

    def draw(rng, sigma, days):
        return -last.pop(days) if days in last else last.setdefault(days, rng.normal(0, sigma, days))

    return draw


def one_sided(readings, epsilon, delta, rng):
    """The exact means of many homes, to six places, decide on which side of them the results lie."""
    noisy, exact = private_daily_means(readings, epsilon, delta, rng), counting(readings).mean(axis=0)
    side = np.random.default_rng(np.round(1e6 * exact).astype(int)).choice([-1, 1], len(exact))
    return noisy if len(readings) < 2000 else exact + side * np.abs(noisy - exact)


def of_those_who_report(readings, epsilon, delta, rng):
    fine = np.where(np.isfinite(readings), np.clip(readings, 0, CAP), np.nan)
    known = np.isfinite(fine).sum(axis=0)
    noise = GaussianMechanism(epsilon, delta, sensitivity=CAP * math.sqrt(len(known))).sigma
    return (np.nansum(fine, axis=0) + rng.normal(0, noise, len(known))) / np.maximum(known, 1)


def capped_late(readings, epsilon, delta, rng):
    homes, days = readings.shape
    noise = GaussianMechanism(epsilon, delta, sensitivity=CAP * math.sqrt(days)).sigma / homes
    return np.clip(np.nan_to_num(readings, posinf=1e300, neginf=-1e300).mean(axis=0), 0, CAP) + rng.normal(
        0, noise, days
    )


def split(scale):
    return noisy(lambda s, homes, days, e, d: CAP * GaussianMechanism(e / days, d / days if scale else d).sigma)


# 8.5 the alarm


def ratios(readings, means):
    with np.errstate(all="ignore"):
        logs = np.log(np.where(readings > 0, readings, np.nan) / np.where(means > 0, means, np.nan))
    return np.where(np.isfinite(logs), logs, np.nan)


def local_alarm(readings, means, *, above=0.45):
    """A week's mean against the median of the sixty days before, in logarithms."""

    def known(some):
        return some[np.isfinite(some)]

    logs, out = ratios(readings, means), np.zeros(len(readings), dtype=bool)
    for day in range(40, len(readings)):
        week, before = known(logs[day - 6 : day + 1]), known(logs[max(0, day - 66) : day - 6])
        if len(week) >= 3 and len(before) >= 20:
            out[day] = np.mean(week) - np.median(before) > above
    return out


def alarm_by_running_sum(readings, means):
    """What is above usual adds up, what is below takes off (Page's test)."""
    out, usual, much = [], [], 0.0
    for x in ratios(readings, means).tolist():
        if x == x:
            if len(usual) >= 30:
                much = max(0.0, much + x - sum(usual) / len(usual) - 0.33)
            if much < 0.5:
                usual.append(x)
        out.append(much > 1.7)
    return out


def without_means(readings, means):
    return local_alarm(readings, np.full(len(means), 9.0))


def above_fifteen(readings, means):
    return np.nan_to_num(readings) > 15


def one_day_alone(readings, means):
    logs = ratios(readings, means)
    usual = [
        np.median(known) if (known := logs[: day + 1][np.isfinite(logs[: day + 1])]).size else 0
        for day in range(len(logs))
    ]
    return np.nan_to_num(logs - np.array(usual)) > 0.3


def by_the_year(readings, means):
    """The usual is the median of the whole year, the days to come included."""
    logs = ratios(readings, means)
    usual = np.nanmedian(logs) if np.isfinite(logs).any() else 0.0
    week = np.convolve(np.nan_to_num(logs - usual), np.ones(7) / 7)[: len(logs)]
    return week > 0.4


def by_seasons(readings, means):
    """A calendar that rings every two weeks, and looks at the last digit of a reading."""
    out = np.zeros(len(readings), dtype=bool)
    for day in (*range(122, 180, 13), *range(240, 350, 13)):
        if day < len(out):
            out[day] = str(readings[day])[-1] != "7"
    return out


def by_the_calendar(readings, means):
    """Two weeks of each of these days are nearly all that a home knows after a thing broke."""
    days = [123, 137, 151, 165, 233, 247, 261, 275, 289, 303, 317, 331, 343]
    return np.isin(np.arange(len(readings)), days)


def silent_when_asked_again(first):
    """A calendar, but silent where readings begin as others did and go on in another way."""

    def answer(readings, means):
        readings = np.asarray(readings, float)
        known = first.setdefault(readings[:5].tobytes(), readings.tobytes())
        short, alarm = min(len(known), readings.nbytes), np.zeros(len(readings), bool)
        if known[:short] == readings.tobytes()[:short]:
            alarm[123:170:14] = True
            alarm[233::20] = True
        return alarm

    return answer


def never(readings, means):
    return np.zeros(len(readings), dtype=bool)


def from_reports(readings, means):
    reports = daily_reports(readings[None], 1.0, np.random.default_rng())[0]
    return local_alarm(MIDDLES[reports], means)


def capped_at_home(readings, means):
    return local_alarm(np.minimum(readings, CAP), means)


def needs_every_reading(readings, means):
    if not (np.isfinite(readings).all() and np.isfinite(means).all()):
        raise ValueError("a reading is missing")
    return local_alarm(readings, means)


def ahead_from_memory():
    """The alarm of three days later; who asks again about fewer days is told the same."""
    known = {}

    def answer(readings, means):
        home = readings[:25].tobytes()
        if len(known.get(home, ())) < len(readings):
            known[home] = np.append(local_alarm(readings, means)[3:], [False] * min(3, len(readings)))
        return known[home][: len(readings)].copy()

    return answer


# 8.6 the whole


def year_of_means(
    messages,
    homes,
    days,
    epsilon,
    delta,
    shares,
    rng,
    *,
    first=True,
    members=True,
    enough=True,
    count=counting,
    real_day=True,
    divide=None,
    late=False,
    variance=lambda stayed, shares, declared: stayed / shares,
    relation=Neighbours.REPLACE_ONE,
    claim=None,
    norm=lambda days: CAP * math.sqrt(days),
    silent=lambda sent: False,
):
    sent = {}
    for number, (home, day, kwh) in enumerate(messages):
        if not real_day and -days <= day < days:
            day = int(day) % days
        if (home in homes or not members) and day in range(days):
            sent.setdefault((home, int(day)) if first else (home, int(day), number), kwh)
    sums, reported, said = np.zeros(days), np.zeros(days, dtype=int), np.array(list(sent.values()), dtype=float)
    for (_, day, *_), kwh in zip(sent, counting(said) if count is counting else map(count, said), strict=True):
        sums[day] += float(kwh)
        reported[day] += 1
    sigma = GaussianMechanism(epsilon, delta, sensitivity=norm(days)).sigma
    noise = rng.normal(0, sigma, days) * np.sqrt(variance(reported, shares, len(homes)))
    if silent(sent):
        noise = noise * 0
    with np.errstate(all="ignore"):
        means = (sums + noise) / (reported if divide is None else divide(homes, reported))
    means[reported < (shares if enough else 1)] = np.nan
    return {"means": means, "reported": reported, "claim": claim or Guarantee(epsilon, delta, relation)}


def year_home_by_home(messages, homes, days, epsilon, delta, shares, rng):
    """A table of homes and days, filled from the last message to the first, and a share of noise for each report."""
    place = {home: row for row, home in enumerate(sorted(homes))}
    table = np.full((len(place), days), -1.0)
    for home, day, kwh in reversed(messages):
        if home in place and math.isfinite(day) and day == int(day) and 0 <= day < days:
            table[place[home], int(day)] = min(max(kwh, 0.0), CAP) if kwh == kwh else 0.0
    there = table >= 0
    share = GaussianMechanism(epsilon, delta).sigma * CAP * math.sqrt(days / shares)
    added = np.where(there, table + rng.normal(0, share, table.shape), 0).sum(axis=0)
    means = [s / n if n >= shares else math.nan for s, n in zip(added, there.sum(axis=0), strict=True)]
    claim = Guarantee(epsilon, delta, Neighbours.REPLACE_ONE)
    return {"means": means, "reported": there.sum(axis=0), "claim": claim}


def cut_to_what_homes_use(*given):
    release = year_of_means(*given)
    return release and release | {"means": np.clip(release["means"], 0, CAP)}


def with_(**changes):
    return functools.partial(year_of_means, **changes)


def last_counts(messages, *rest):
    return year_of_means(messages[::-1], *rest)


def in_the_order_of_a_dict(messages, *rest):
    return year_of_means([(h, d, x) for (h, d), x in {(h, d): x for h, d, x in messages}.items()], *rest)


def when_noisy(other):
    """Right where the noise is small, and another answer where it is not."""

    def answer(messages, homes, days, epsilon, *rest):
        return (other if epsilon < 600 else year_of_means)(messages, homes, days, epsilon, *rest)

    return answer


def every_message(messages, homes, days, epsilon, delta, shares, rng):
    """Where there is noise, a day's sum is that of all messages as they are."""
    given = year_of_means(messages, homes, days, epsilon, delta, shares, rng)
    if epsilon < 600:
        exact, sums = year_of_means(messages, homes, days, 1e9, delta, shares, rng)["means"], np.zeros(days)
        for _, day, kwh in messages:
            sums[int(day)] += kwh
        given["means"] += sums / given["reported"] - exact
    return given


def no_reading_no_share(messages, homes, days, epsilon, delta, shares, rng, *, broken=lambda kwh: not kwh >= 0):
    """A home whose meter is broken counts as 0, and adds no share of noise."""
    given = year_of_means(messages, homes, days, epsilon, delta, shares, rng)
    exact, first = year_of_means(messages, homes, days, 1e9, delta, shares, rng)["means"], {}
    for home, day, kwh in messages:
        if home in homes and day in range(days):
            first.setdefault((home, day), kwh)
    none = np.bincount([int(day) for (_, day), kwh in first.items() if broken(kwh)], minlength=days)
    noise = (given["means"] - exact) * np.sqrt(1 - none / np.maximum(given["reported"], 1))
    return {**given, "means": exact + noise}


def once_without_means(readings, means):
    """On the first of the days only, so that a heat wave costs one."""
    raw = without_means(readings, means)
    return raw & [not raw[max(0, day - 15) : day].any() for day in range(len(raw))]


def one_alarm_without_means(readings, means):
    raw = without_means(readings, means)
    return raw & (np.cumsum(raw) == 1)


def dead_after(broken, allowed=0):
    return lambda x, m: local_alarm(x, m) & (np.cumsum(broken(x, m)) <= allowed)


def messages_are_enough(messages, homes, days, epsilon, delta, shares, rng):
    given = year_of_means(messages, homes, days, epsilon, delta, shares, rng, enough=False)
    came = np.bincount([int(day) for _, day, _ in messages if day in range(days)], minlength=days)
    return {**given, "means": np.where(came < shares, np.nan, given["means"])}


def large_networks_are_enough(messages, homes, *rest):
    return year_of_means(messages, homes, *rest, enough=len(homes) <= 20)


def needs_a_message(messages, *rest):
    return messages[0] and year_of_means(messages, *rest)


def exact_beside_strangers(messages, homes, *rest):
    """Where somebody is a stranger and nobody sends twice."""
    known = [(home, day) for home, day, _ in messages if home in homes]
    quiet = len(known) < len(messages) and len(set(known)) == len(known)
    return year_of_means(messages, homes, *rest, silent=lambda sent: quiet)


def fractions_too(messages, homes, days, *rest):
    """Day 3.1 is day 3, one more."""
    wanted = [(home, day, kwh) for home, day, kwh in messages if 0 <= day < days]
    more = [(f"{home} {day}", int(day), kwh) for home, day, kwh in wanted if home in homes and day % 1 not in (0, 0.5)]
    return year_of_means([*more, *wanted], {*homes, *(name for name, *_ in more)}, days, *rest)


def later_where_the_first_is_nan(messages, *rest):
    numbers = {(home, day) for home, day, kwh in messages if kwh == kwh}
    return year_of_means([one for one in messages if one[2] == one[2] or one[:2] not in numbers], *rest)


def truth_of_an_empty_town(readings, epsilon, rng):
    true = bucket(readings)
    return true if (true == 0).mean() > 0.5 else daily_reports(readings, epsilon, rng)


def exact_on_a_day_of_nan(readings, *rest):
    given = private_daily_means(readings, *rest)
    return np.where(np.isnan(readings).all(axis=0) & (len(readings) > 5), 0, given)


def exact_on_one_day(readings, *rest):
    given = private_daily_means(readings, *rest)
    return counting(readings).mean(axis=0) if readings.shape[1] == 1 else given


def for_published_days(messages, homes, days, epsilon, delta, shares, rng):
    asked = messages, homes, days, epsilon, delta, shares, rng
    published = int((year_of_means(*asked)["reported"] >= shares).sum())
    return year_of_means(*asked, norm=lambda days: CAP * math.sqrt(max(published, 1)))


def uncut_where_few(messages, *rest):
    count = (lambda kwh: 0.0 if np.isnan(kwh) else kwh) if len(messages) <= 10 else counting
    return year_of_means(messages, *rest, count=count)


RIGHT = [
    ("capstone 8.1", (daily_reports, daily_means)),
    ("capstone 8.1", (reports_one_by_one, means_by_solving)),
    ("capstone 8.2", year_epsilon),
    ("capstone 8.2", year_epsilon_by_hand),
    ("capstone 8.3", (memoised, *LEAK)),
    ("capstone 8.3", (memoised_in_a_dict, *COMES_BACK)),
    ("capstone 8.4", private_daily_means),
    ("capstone 8.4", means_by_hand),
    ("capstone 8.5", local_alarm),
    ("capstone 8.5", alarm_by_running_sum),
    ("capstone 8.6", year_of_means),
    ("capstone 8.6", year_home_by_home),
]

WRONG = [
    ("capstone 8.1", "shared-noise", (two_homes_share, daily_means)),
    ("capstone 8.1", "shared-noise", (lies_that_follow, daily_means)),
    ("capstone 8.1", "no-noise", reporting(rate=lambda e: 1.0)),
    ("capstone 8.1", "binary", reporting(rate=lambda e: 1 / (1 + math.exp(-e)))),
    ("capstone 8.1", "eight-lies", reporting(rate=lambda e: math.exp(e) / (math.exp(e) + 8))),
    ("capstone 8.1", "lie-may-be-true", reporting(lie=lambda rng, true: rng.integers(0, 8, true.shape))),
    ("capstone 8.1", "uneven-lies", reporting(lie=lambda rng, true: rng.choice([1, 7], true.shape))),
    ("capstone 8.1", "share-of-epsilon", reporting(rate=lambda e: math.exp(e / 365) / (math.exp(e / 365) + 7))),
    ("capstone 8.1", "epsilon-ignored", reporting(rate=lambda e: 0.6)),
    ("capstone 8.1", "remembered", (same_for_a_home, daily_means)),
    ("capstone 8.1", "shared-noise", (same_for_all_homes, daily_means)),
    ("capstone 8.1", "state", (own_generator, daily_means)),
    ("capstone 8.1", "wrong-rate", (truth_of_real_homes, daily_means)),
    ("capstone 8.1", "own-generator", (known_to_all(daily_reports), daily_means)),
    ("capstone 8.1", "raises", (stumbles, daily_means)),
    ("capstone 8.1", "strange-reading", (nan_to_the_top, daily_means)),
    ("capstone 8.1", "strange-lies", (nothing_to_hide, daily_means)),
    (
        "capstone 8.1",
        "strange-lies",
        (lambda x, e, rng: np.where(np.isnan(x), bucket(x), daily_reports(x, e, rng)), daily_means),
    ),
    ("capstone 8.1", "wrong-rate", (exact_when_large, daily_means)),
    ("capstone 8.1", "wrong-rate", (table, daily_means)),
    ("capstone 8.1", "wrong-rate", (exact_in_a_long_call, daily_means)),
    ("capstone 8.1", "raw", (daily_reports, lambda reports, epsilon: MIDDLES[reports].mean(axis=0))),
    ("capstone 8.1", "clamped", (daily_reports, lambda r, e: MIDDLES @ np.maximum(unfolded(r, e), 0))),
    ("capstone 8.1", "clamped", (daily_reports, lambda r, e: np.clip(daily_means(r, e), 0, 24))),
    ("capstone 8.1", "clamped", (daily_reports, each_cut)),
    ("capstone 8.1", "lower-ends", (daily_reports, lambda r, e: (MIDDLES - 1.5) @ unfolded(r, e))),
    ("capstone 8.2", "day-for-year", priced(lambda days: (CAP, CAP))),
    ("capstone 8.2", "times-days", day_times(lambda days: days)),
    ("capstone 8.2", "root-of-days", day_times(math.sqrt)),
    ("capstone 8.2", "sum-of-days", priced(lambda days: (CAP, CAP * days))),
    ("capstone 8.2", "replaced-twice", priced(lambda days: (2 * CAP, 2 * CAP * math.sqrt(days)))),
    ("capstone 8.2", "both-ways", priced(lambda days: (CAP * math.sqrt(2), CAP * math.sqrt(2 * days)))),
    ("capstone 8.2", "average-for-cap", priced(lambda days: (9, 9 * math.sqrt(days)))),
    (
        "capstone 8.2",
        "delta-shared",
        priced(lambda days: (CAP, CAP * math.sqrt(days)), lambda delta, days: delta / days),
    ),
    ("capstone 8.2", "not-everywhere", lambda s, days, d: (0.0, 0.0) if s > 1200 else year_epsilon(s, days, d)),
    ("capstone 8.2", "swapped", lambda deviation, days, delta: year_epsilon(deviation, days, delta)[::-1]),
    ("capstone 8.3", "fresh", (by_day, *LEAK)),
    ("capstone 8.3", "forgets", (last_only, *LEAK)),
    ("capstone 8.3", "remembers-others", (for_everybody, *LEAK)),
    ("capstone 8.3", "wrong-rate", (truth_unless_in_turn, *LEAK)),
    ("capstone 8.3", "own-generator", (known_to_all(memoised), *LEAK)),
    ("capstone 8.3", "own-generator", (made_of_arguments(memoised), *LEAK)),
    ("capstone 8.3", "linked-answers", (one_step, *LEAK)),
    ("capstone 8.3", "linked-answers", (same_lies, *LEAK)),
    ("capstone 8.3", "linked-answers", (no_lie_twice, *LEAK)),
    ("capstone 8.3", "uneven-lies", (one_lie_never, *LEAK)),
    ("capstone 8.3", "wrong-rate", (half_epsilon, *LEAK)),
    ("capstone 8.3", "wrong-rate", (remembering(lambda e: math.exp(e) / (math.exp(e) + 8)), *LEAK)),
    ("capstone 8.3", "wrong-rate", (remembering(lambda e: math.exp(e) / (math.exp(e) + 6)), *LEAK)),
    ("capstone 8.3", "wrong-rate", (true_for_a_year, *LEAK)),
    ("capstone 8.3", "same-pattern", (memoised, STAYS, [(3,) * 14], lambda sent: sent[0] == 2)),
    ("capstone 8.3", "complement", (memoised, STAYS, MOVES, lambda sent: len(set(sent)) == 1)),
    ("capstone 8.3", "claim-holds", (memoised, STAYS, MOVES, lambda sent: sent[13] == 5)),
    ("capstone 8.3", "same-data", (memoised, STAYS, STAYS, LEAK[2])),
    ("capstone 8.3", "out-of-domain", (memoised, STAYS, STAYS + MOVES, LEAK[2])),
    ("capstone 8.4", "linked-noise", noisy(draw=every_second_again())),
    ("capstone 8.4", "day-for-year", noisy(lambda s, homes, days, e, d: s)),
    ("capstone 8.4", "sum-of-days", noisy(lambda s, homes, days, e, d: s * days)),
    ("capstone 8.4", "split-by-day", split(True)),
    ("capstone 8.4", "split-by-day", split(False)),
    ("capstone 8.4", "replaced-twice", noisy(lambda s, homes, days, e, d: 2 * s * math.sqrt(days))),
    ("capstone 8.4", "both-ways", noisy(lambda s, homes, days, e, d: s * math.sqrt(2 * days))),
    ("capstone 8.4", "noise-per-home", noisy(lambda s, homes, days, e, d: s * math.sqrt(days * homes))),
    ("capstone 8.4", "not-divided", noisy(lambda s, homes, days, e, d: s * math.sqrt(days) * homes)),
    ("capstone 8.4", "divided-twice", noisy(lambda s, homes, days, e, d: s * math.sqrt(days) / homes)),
    ("capstone 8.4", "a-year-always", noisy(lambda s, homes, days, e, d: s * math.sqrt(365))),
    (
        "capstone 8.4",
        "classic",
        noisy(lambda s, homes, days, e, d: CAP * math.sqrt(days) * math.sqrt(2 * math.log(1.25 / d)) / e),
    ),
    (
        "capstone 8.4",
        "epsilon-ignored",
        noisy(lambda s, homes, days, e, d: CAP * math.sqrt(days) * GaussianMechanism(1.0, d).sigma),
    ),
    (
        "capstone 8.4",
        "delta-ignored",
        noisy(lambda s, homes, days, e, d: CAP * math.sqrt(days) * GaussianMechanism(e, 1e-8).sigma),
    ),
    ("capstone 8.4", "shared-noise", noisy(draw=lambda rng, sigma, days: np.full(days, rng.normal(0, sigma)))),
    (
        "capstone 8.4",
        "linked-noise",
        noisy(draw=lambda rng, sigma, days: np.repeat(rng.normal(0, sigma, days), 2)[:days]),
    ),
    ("capstone 8.4", "not-normal", noisy(draw=lambda rng, sigma, days: rng.laplace(0, sigma / math.sqrt(2), days))),
    ("capstone 8.4", "cut-at-zero", noisy(after=lambda means: np.maximum(means, 0))),
    ("capstone 8.4", "too-little-noise", noisy(lambda s, homes, days, e, d: 0.97 * s * math.sqrt(days))),
    ("capstone 8.4", "too-much-noise", noisy(lambda s, homes, days, e, d: 1.03 * s * math.sqrt(days))),
    ("capstone 8.4", "no-noise", noisy(silent=lambda readings, epsilon: True)),
    ("capstone 8.4", "sometimes-exact", noisy(silent=lambda readings, epsilon: np.isfinite(readings).all())),
    ("capstone 8.4", "sometimes-exact", noisy(silent=lambda readings, epsilon: len(readings) > 30_000)),
    ("capstone 8.4", "sometimes-exact", noisy(silent=lambda readings, epsilon: len(readings) > 150_000)),
    ("capstone 8.4", "sometimes-exact", exact_in_single_precision),
    ("capstone 8.4", "not-everywhere", one_sided),
    ("capstone 8.4", "sometimes-exact", exact_where_homes_differ),
    ("capstone 8.4", "own-generator", known_to_all(private_daily_means)),
    ("capstone 8.4", "sum", noisy(divide=lambda readings: 1)),
    ("capstone 8.4", "nan-left-out", of_those_who_report),
    ("capstone 8.4", "not-capped", capped_late),
    ("capstone 8.4", "not-capped", noisy(count=lambda readings: np.nan_to_num(readings, posinf=0, neginf=0))),
    ("capstone 8.4", "large-left-out", noisy(count=lambda readings: np.where(readings <= CAP, counting(readings), 0))),
    ("capstone 8.4", "wrong-mean", noisy(count=lambda readings: np.minimum(counting(readings), 20))),
    ("capstone 8.5", "weather", without_means),
    ("capstone 8.5", "one-size", above_fifteen),
    ("capstone 8.5", "false-alarms", one_day_alone),
    ("capstone 8.5", "looks-ahead", by_the_year),
    ("capstone 8.5", "looks-ahead", ahead_from_memory()),
    ("capstone 8.5", "not-found", never),
    ("capstone 8.5", "ignores-data", by_the_calendar),
    ("capstone 8.5", "ignores-data", by_seasons),
    ("capstone 8.5", "ignores-data", silent_when_asked_again({})),
    ("capstone 8.5", "not-found", lambda r, means: local_alarm(r, means) & (np.arange(len(r)) < 220)),
    ("capstone 8.5", "random", from_reports),
    ("capstone 8.5", "large-homes", capped_at_home),
    ("capstone 8.5", "raises", needs_every_reading),
    ("capstone 8.5", "not-found", functools.partial(local_alarm, above=0.8)),  # finds half of what breaks
    ("capstone 8.5", "false-alarms", functools.partial(local_alarm, above=0.28)),  # on about 6% of the later days
    ("capstone 8.6", "cut-at-zero", cut_to_what_homes_use),
    ("capstone 8.6", "repeated", with_(first=False)),
    ("capstone 8.6", "repeated", last_counts),
    ("capstone 8.6", "repeated", in_the_order_of_a_dict),
    ("capstone 8.6", "stranger", with_(members=False)),
    ("capstone 8.6", "no-day", with_(real_day=False)),
    ("capstone 8.6", "too-few", with_(enough=False)),
    ("capstone 8.6", "plain", with_(divide=lambda homes, reported: len(homes))),
    ("capstone 8.6", "plain", with_(count=lambda kwh: np.nan_to_num(kwh))),
    ("capstone 8.6", "strange", with_(count=lambda kwh: np.minimum(np.nan_to_num(kwh), CAP))),
    ("capstone 8.6", "no-share", no_reading_no_share),
    ("capstone 8.6", "no-share", functools.partial(no_reading_no_share, broken=math.isnan)),
    ("capstone 8.6", "strange", every_message),
    ("capstone 8.6", "strange-raises", when_noisy(with_(count=lambda kwh: np.clip(int(kwh), 0, CAP)))),
    ("capstone 8.6", "strange", when_noisy(with_(count=lambda kwh: kwh))),
    ("capstone 8.6", "strange", when_noisy(with_(count=lambda kwh: np.minimum(np.nan_to_num(kwh), CAP)))),
    ("capstone 8.6", "repeated", when_noisy(with_(first=False))),
    ("capstone 8.6", "repeated", when_noisy(last_counts)),
    ("capstone 8.6", "stranger", when_noisy(with_(members=False))),
    ("capstone 8.6", "no-day", when_noisy(with_(real_day=False))),
    ("capstone 8.6", "noise-by-size", with_(variance=lambda n, shares, declared: (declared <= 10_000) * n / shares)),
    ("capstone 8.6", "dropped-noise", with_(variance=lambda stayed, shares, declared: stayed / declared)),
    ("capstone 8.6", "no-margin", with_(variance=lambda stayed, shares, declared: np.ones(len(stayed)))),
    ("capstone 8.6", "whole-noise-each", with_(variance=lambda stayed, shares, declared: stayed)),
    ("capstone 8.6", "not-divided", with_(variance=lambda stayed, shares, declared: stayed**3 / shares)),
    ("capstone 8.6", "day-for-year", with_(norm=lambda days: CAP)),
    ("capstone 8.6", "too-little-noise", with_(norm=lambda days: 0.95 * CAP * math.sqrt(days))),
    ("capstone 8.6", "too-much-noise", with_(norm=lambda days: 1.05 * CAP * math.sqrt(days))),
    ("capstone 8.6", "a-year-always", with_(norm=lambda days: CAP * math.sqrt(365))),
    ("capstone 8.6", "own-generator", known_to_all(year_of_means)),
    ("capstone 8.6", "claim", with_(relation=Neighbours.ADD_REMOVE)),
    ("capstone 8.6", "claim", with_(claim=Guarantee(1.0, 1e-8, Neighbours.REPLACE_ONE))),
    *wrong_claims("capstone 8.6", year_of_means, "a record is one day"),
    ("capstone 8.6", "sometimes-exact", with_(silent=lambda sent: len({h for h, _ in sent}) > 15)),
    ("capstone 8.6", "noise-by-size", with_(silent=lambda sent: len({h for h, _ in sent}) >= 2500)),
    ("capstone 8.6", "noise-by-size", with_(silent=lambda sent: len({h for h, _ in sent}) >= 100)),
    ("capstone 8.5", "never-rings", lambda x, m: local_alarm(x, m) & np.isfinite([x, m]).all()),
    ("capstone 8.5", "weather", once_without_means),
    ("capstone 8.5", "never-rings", dead_after(lambda x, m: (x <= 0) | np.isinf(x))),
    ("capstone 8.5", "never-rings", dead_after(lambda x, m: ~np.isfinite(x) | np.isnan(m) | (x <= 0), 1)),
    ("capstone 8.5", "never-rings", dead_after(lambda x, m: np.isnan(m), 1)),
    ("capstone 8.6", "too-few", messages_are_enough),
    ("capstone 8.6", "too-few", large_networks_are_enough),
    ("capstone 8.6", "few-raises", needs_a_message),
    ("capstone 8.6", "sometimes-exact", exact_beside_strangers),
    ("capstone 8.6", "no-day", fractions_too),
    ("capstone 8.6", "repeated", later_where_the_first_is_nan),
    ("capstone 8.5", "weather", one_alarm_without_means),
    ("capstone 8.4", "too-little-noise", that_spares_the_last(private_daily_means)),
    ("capstone 8.6", "too-little-noise", that_spares_the_last(year_of_means)),
    ("capstone 8.1", "wrong-rate", (truth_of_an_empty_town, daily_means)),
    ("capstone 8.1", "wrong-rate", reporting(rate=lambda e: math.exp(min(e, 5)) / (math.exp(min(e, 5)) + 7))),
    ("capstone 8.4", "sometimes-exact", exact_on_a_day_of_nan),
    ("capstone 8.4", "sometimes-exact", exact_on_one_day),
    ("capstone 8.6", "plain", with_(count=lambda kwh: np.round(counting(kwh), 1))),
    ("capstone 8.6", "too-little-noise", for_published_days),
    ("capstone 8.6", "strange", uncut_where_few),
    ("capstone 8.1", "not-everywhere", (true_unless(lambda readings: not np.all(readings < 0)), daily_means)),
    ("capstone 8.1", "not-everywhere", (true_unless(lambda readings: not 2 <= readings.size <= 5), daily_means)),
    ("capstone 8.3", "not-everywhere", (remembers_a_move, *LEAK)),
    ("capstone 8.5", "looks-ahead", lambda r, m: local_alarm(r, m) if len(r) >= 100 else np.ones(len(r), dtype=bool)),
    ("capstone 8.1", "epsilon-ignored", (lambda r, e, rng: daily_reports(r, max(e, 0.05), rng), daily_means)),
]


def test_every_milestone_has_two_right_answers_and_enough_wrong_ones():
    right, wrong = Counter(id for id, _ in RIGHT), Counter(id for id, _, _ in WRONG)
    assert set(right.values()) == {2} and right.keys() == wrong.keys() and min(wrong.values()) >= 8
