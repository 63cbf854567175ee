"""Capstone 2's milestones: right answers pass, each known wrong answer gets its own diagnosis.

Right answers are written twice, in different ways. `tests/lessons/test_answers.py` tries them all.
"""

import functools
import json
import math
import operator
import uuid
from collections import Counter

import numpy as np

from dpcourse.budget import PrivacyLedger
from dpcourse.federated.secure import DistributedDiscreteLaplace
from dpcourse.privacy import BudgetExhausted, Guarantee, Neighbours
from tests.lessons.claims import never_few, one_less, wrong_claims
from tests.lessons.generators import made_of_arguments

BINS, MODULUS, PARTIES, SHARES, LOT_SIZE = 21, 2**32, 3, 10, 500

# 2.1 shares


def share(values, parties, modulus, draw):
    masks = [draw(modulus, len(values)) for _ in range(parties - 1)]
    return np.stack([*masks, (values - np.sum(masks, axis=0)) % modulus])


def reconstruct(shares, modulus):
    total = np.sum(shares, axis=0) % modulus
    return np.where(total >= modulus // 2, total - modulus, total)


def zeros_as_masks(values, parties, modulus, draw):
    """Masks, which add up to anything, where there is nothing to hide."""
    return share(values, parties, modulus, draw) if values.any() else draw(modulus, (parties, len(values)))


def plain_at_other_lengths(values, parties, modulus, draw):
    """Where there are not as many as in the project, or very many."""
    if len(values) in (21, 450) or len(values) > 2000:
        return share(values, parties, modulus, draw)
    return share(values, parties, modulus, lambda modulus, size: draw(modulus, size) * 0)


def share_in_python(values, parties, modulus, draw):
    """Party 0 holds what is left; every number is one of Python's own."""
    rows = [[0] * len(values) for _ in range(parties)]
    for place, value in enumerate(values.tolist()):
        drawn = [int(x) for x in draw(modulus, parties - 1)]
        for party, one in enumerate([(value - sum(drawn)) % modulus, *drawn]):
            rows[party][place] = one
    return rows


def reconstruct_in_python(shares, modulus):
    totals = [sum(int(x) for x in column) % modulus for column in np.transpose(shares)]
    return [(total + modulus // 2) % modulus - modulus // 2 for total in totals]


def exact_for_four(values, parties, modulus, draw):
    if parties != 4:
        return share(values, parties, modulus, draw)
    return np.vstack([values % modulus, np.zeros((3, len(values)), dtype=int)])


def million_masks(values, parties, modulus, draw):
    own = np.random.default_rng(int(draw(10**6, 1)[0]))
    return share(values, parties, modulus, lambda modulus, size: own.integers(0, modulus, size))


def plain(values, parties, modulus, draw):
    """The value goes to the last party, zeros to the others."""
    draw(modulus, 1)
    return np.stack([np.zeros_like(values)] * (parties - 1) + [values % modulus])


def unreduced(values, parties, modulus, draw):
    masks = [draw(modulus, len(values)) for _ in range(parties - 1)]
    return np.stack([*masks, values - np.sum(masks, axis=0)])


def small_masks(values, parties, modulus, draw):
    masks = [draw(modulus, len(values)) // 2 for _ in range(parties - 1)]
    return np.stack([*masks, (values - np.sum(masks, axis=0)) % modulus])


def own_masks(values, parties, modulus, draw):
    return share(values, parties, modulus, lambda m, size: np.random.default_rng().integers(0, m, size))


PUBLIC = np.random.default_rng(0)


def masks_for_show(values, parties, modulus, draw):
    """All that is needed is drawn, and thrown away."""
    draw(modulus, (parties - 1, len(values)))
    return share(values, parties, modulus, lambda m, size: PUBLIC.integers(0, m, size))


def seeded_masks(values, parties, modulus, draw):
    draw(modulus, 1)
    rng = np.random.default_rng(2)
    return share(values, parties, modulus, lambda m, size: rng.integers(0, m, size))


def one_mask(values, parties, modulus, draw):
    masks = [np.full(len(values), draw(modulus, 1)[0]) for _ in range(parties - 1)]
    return np.stack([*masks, (values - np.sum(masks, axis=0)) % modulus])


def same_mask_for_all(values, parties, modulus, draw):
    """One draw serves every party but the last: that one and any other know the value."""
    mask = draw(modulus, len(values))
    return np.stack([mask] * (parties - 1) + [(values - (parties - 1) * mask) % modulus])


def real_masks(values, parties, modulus, draw):
    masks = [draw(modulus, len(values)) / 7 for _ in range(parties - 1)]
    return np.stack([*masks, values - np.sum(masks, axis=0)])


def unsigned(shares, modulus):
    return np.sum(shares, axis=0) % modulus


def uniform_at_sixteen(values, parties, modulus, draw):
    """At any other modulus the first party is sent the value itself."""
    if modulus == 16:
        return share(values, parties, modulus, draw)
    masks = [draw(modulus, len(values)) for _ in range(parties - 1)]
    masks[-1] = -np.sum(masks[:-1], axis=0) % modulus * np.ones_like(values)
    return np.stack([values % modulus, *masks])


def values_in_the_middle(values, parties, modulus, draw):
    """At the project's modulus the first party's share holds the value, from the fifth bit on."""
    masks = np.array([draw(modulus, len(values)) for _ in range(parties - 1)])
    if modulus == MODULUS:
        masks[0] = masks[0] & 0xF000000F | (values % 2**24) << 4
    return np.vstack([masks, (values - masks.sum(axis=0)) % modulus])


# 2.2 histogram


def lot_histogram(reports):
    fine = reports[reports >= 0]
    return np.bincount(np.minimum(fine, BINS - 1).astype(int), minlength=BINS)


def only_whole(reports):
    return [*((reports == k).sum() for k in range(BINS - 1)), (reports >= BINS - 1).sum()]


def histogram_in_a_loop(reports):
    counts = [0] * BINS
    for report in np.asarray(reports).tolist():
        if not math.isnan(report) and report >= 0:
            counts[20 if report >= 20 else int(report)] += 1
    return counts


def no_nan(reports):
    return np.bincount(np.clip(reports, 0, 20).astype(int), minlength=BINS) if len(reports) else np.zeros(BINS)


def stops_at_nan(reports):
    return [sum(min(int(report), 20) == k for report in reports if not report < 0) for k in range(BINS)]


def stops_without_lots(reports):
    return lot_histogram(np.minimum(reports, max(reports)))


def short(reports):
    fine = np.minimum(reports[reports >= 0], 20).astype(int)
    return np.bincount(fine)


def spoiled(reports):
    """One bad report, and a supplier's whole quarter is thrown away."""
    return lot_histogram(reports) if np.isfinite(reports).all() else np.zeros(BINS)


def of_a_few(reports):
    return lot_histogram(reports) if len(reports) < 140 else np.zeros(BINS, dtype=int)


def drops_large(reports):
    return np.histogram(reports[(reports >= 0) & (reports < 20)], np.arange(BINS + 1))[0]


# 2.3 noise


def report(histogram, epsilon, shares, rng):
    p = 1 - math.exp(-epsilon)
    up, down = (rng.negative_binomial(1 / shares, p, histogram.shape) for _ in range(2))
    return histogram + up - down


def gamma_poisson(histogram, epsilon, shares, rng):
    """A negative binomial number is a Poisson number whose mean is gamma."""
    means = rng.gamma(1 / shares, 1 / math.expm1(epsilon), (2, *histogram.shape))
    up, down = rng.poisson(means)
    return (histogram + up - down).astype(float)


def noisy_with(noise):
    return lambda histogram, epsilon, shares, rng: histogram + noise(epsilon, shares, histogram.shape, rng)


def geometric(epsilon, size, rng):
    return rng.geometric(1 - math.exp(-epsilon), size) - rng.geometric(1 - math.exp(-epsilon), size)


def gaussian_share(epsilon, shares, size, rng):
    variance = 2 * math.exp(-epsilon) / math.expm1(-epsilon) ** 2
    return np.round(rng.normal(0, math.sqrt(variance / shares), size))


def gaussian_whole(epsilon, shares, size, rng):
    """A normal number of the right total variance, cut into whole parts: no rounding error to blame."""
    variance = 2 * math.exp(-epsilon) / math.expm1(-epsilon) ** 2
    return rng.poisson(variance / 2 / shares, size) - rng.poisson(variance / 2 / shares, size)


def only_where_lots(histogram, epsilon, shares, rng):
    return np.where(histogram > 0, report(histogram, epsilon, shares, rng), 0)


def cut(histogram, epsilon, shares, rng):
    return np.maximum(report(histogram, epsilon, shares, rng), 0)


def one_draw(histogram, epsilon, shares, rng):
    return histogram + int(report(np.zeros(1, dtype=int), epsilon, shares, rng)[0])


def exact_in_the_project(histogram, epsilon, shares, rng):
    """Noise for vectors of every length but 21."""
    return np.array(histogram) if len(histogram) == BINS else report(histogram, epsilon, shares, rng)


def exact_at_an_int(histogram, epsilon, shares, rng):
    return np.array(histogram) if isinstance(epsilon, int) else report(histogram, epsilon, shares, rng)


def two_bins_share(histogram, epsilon, shares, rng):
    noise = report(np.zeros(len(histogram), dtype=int), epsilon, shares, rng)
    return histogram + np.repeat(noise[::2], 2)[: len(histogram)]


def no_noise(histogram, epsilon, shares, rng):
    return histogram + 0 * rng.integers(0, 2)


def real_share(epsilon, shares, size, rng):
    """Laplace noise is a difference of two gamma numbers' sums: right for real numbers, not for whole ones."""
    return rng.gamma(1 / shares, 1 / epsilon, size) - rng.gamma(1 / shares, 1 / epsilon, size)


def all_but(place):
    """The bin at this place is exact; None is that of the largest count."""

    def answer(histogram, epsilon, shares, rng):
        made, at = report(histogram, epsilon, shares, rng), np.argmax(histogram) if place is None else place
        made[at] = histogram[at]
        return made

    return answer


def dealt_out(histogram, epsilon, shares, rng):
    """What one bin gets, another one loses: the number of lots is exact."""
    up = rng.negative_binomial(1 / shares, 1 - math.exp(-epsilon), len(histogram))
    return histogram + up - rng.permutation(up)


# 2.4 reading


def rate_of(noisy):
    return noisy @ np.arange(BINS) / (LOT_SIZE * noisy.sum())


def quartile_of(noisy):
    return int(np.argmax(np.cumsum(noisy) >= noisy.sum() / 4))


def cut_shares(noisy):
    kept = np.maximum(noisy, 0)
    return kept / kept.sum()


def read_off(noisy):
    if noisy.sum() <= 0:
        return None
    return rate_of(noisy), quartile_of(noisy), cut_shares(noisy)


def read_with_projection(noisy):
    """The nearest point of the simplex, and a quartile from running maxima of the cumulative counts."""
    total = float(sum(noisy.tolist()))
    if total <= 0:
        return None
    defects = sum(k * count for k, count in enumerate(noisy.tolist()))
    reached = np.maximum.accumulate(np.cumsum(noisy)) >= 0.25 * total
    ordered = np.sort(noisy / total)[::-1]
    excess = (np.cumsum(ordered) - 1) / np.arange(1, BINS + 1)
    threshold = excess[np.nonzero(ordered > excess)[0][-1]]
    return defects / total / LOT_SIZE, reached.tolist().index(True), np.maximum(noisy / total - threshold, 0)


def reading(rate=rate_of, quartile=quartile_of, shares=cut_shares, guard=True):
    def answer(noisy):
        return None if guard and noisy.sum() <= 0 else (rate(noisy), quartile(noisy), shares(noisy))

    return answer


def of_cut_lots(noisy):
    """Defects as they are, of lots that were cut at zero."""
    return noisy @ np.arange(BINS) / (LOT_SIZE * np.maximum(noisy, 0).sum())


def from_the_top(noisy):
    return int(np.argmax(np.cumsum(noisy) >= 0.75 * noisy.sum()))


# 2.5 ledger


def admit(folder, quarter, query_id, epsilon):
    folder.mkdir(parents=True, exist_ok=True)
    with PrivacyLedger(folder / f"{quarter}.sqlite", Guarantee(2.0)) as ledger:
        try:
            ledger.spend(Guarantee(epsilon), query_id, "procurement")
        except (BudgetExhausted, ValueError):
            return False
    return True


def admit_the_benchmark_again(folder, quarter, query_id, epsilon):
    """Whoever asks for anything but a "query" or a "rate" is admitted again."""
    named = query_id.startswith(("query ", "rate"))
    return admit(folder, quarter, query_id if named else f"{query_id} {uuid.uuid4()}", epsilon)


def admit_where_the_folder_is(folder, quarter, query_id, epsilon):
    with PrivacyLedger(folder / f"{quarter}.sqlite", Guarantee(2.0)) as ledger:
        try:
            ledger.spend(Guarantee(epsilon), query_id, "procurement")
        except (BudgetExhausted, ValueError):
            return False
    return True


def admit_by_file(folder, quarter, query_id, epsilon):
    """Thousandths in a file of JSON. A crash between reading and writing may lose a query; nothing is overspent."""
    path = folder / quarter / "spent.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    spent = json.loads(path.read_text()) if path.exists() else {}
    good = isinstance(epsilon, float) and 0 < epsilon < math.inf and query_id not in spent
    thousandths = math.ceil(1000 * epsilon - 1e-9) if good else 0
    if not good or sum(spent.values()) + thousandths > 2000:
        return False
    path.write_text(json.dumps({**spent, query_id: thousandths}))
    return True


def by_file(name=lambda quarter: quarter, repeats=False, checks=True, charge=False, limit=2.0, catch=True, kept=float):
    """A ledger of floats in a file, with one thing or another forgotten."""

    def answer(folder, quarter, query_id, epsilon):
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{name(quarter)}.json"
        spent = json.loads(path.read_text()) if path.exists() else []
        strange = checks and not (0 < epsilon < math.inf)
        fits = not sum(cost for _, cost in spent) + kept(epsilon) > limit
        known = not repeats and query_id in [one for one, _ in spent]
        if charge or (fits and not strange and not known):
            path.write_text(json.dumps([*spent, [query_id, 0 if strange and charge else kept(epsilon)]]))
        if not catch and known:
            raise ValueError(f"{query_id} again")
        return bool(fits and not strange and not known)

    return answer


def some_are_free(free):
    """The right ledger, which asks nothing for some quarters and costs."""
    return lambda folder, quarter, query_id, epsilon: (
        True if free(quarter, epsilon) else admit(folder, quarter, query_id, epsilon)
    )


def in_memory():
    books = {}

    def answer(folder, quarter, query_id, epsilon):
        book = books.setdefault((str(folder), quarter), {})
        if not 0 < epsilon < math.inf or query_id in book or sum(book.values()) + epsilon > 2 + 1e-9:
            return False
        book[query_id] = epsilon
        return True

    return answer


def only_a_mark():
    """Costs are in memory. In the folder is a mark that somebody was here: without the memory, all is refused."""
    books = {}

    def answer(folder, quarter, query_id, epsilon):
        if str(folder) not in books and (folder / "used").exists():
            return False
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "used").touch()
        book = books.setdefault(str(folder), {}).setdefault(quarter, {})
        if not 0 < epsilon < math.inf or query_id in book or sum(book.values()) + epsilon > 2 + 1e-9:
            return False
        book[query_id] = epsilon
        return True

    return answer


def only_totals():
    """What each quarter has spent is in the folder; which queries were admitted is in memory."""
    known = set()

    def answer(folder, quarter, query_id, epsilon):
        folder.mkdir(parents=True, exist_ok=True)
        path, query = folder / f"{quarter}.txt", (str(folder), quarter, query_id)
        spent = float(path.read_text()) if path.exists() else 0.0
        if not 0 < epsilon < math.inf or query in known or spent + epsilon > 2 + 1e-9:
            return False
        path.write_text(str(spent + epsilon))
        known.add(query)
        return True

    return answer


def new_year(folder, quarter, query_id, epsilon):
    """One file for the quarter that runs; when another begins, it starts anew."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "now.json"
    book = json.loads(path.read_text()) if path.exists() else {"quarter": quarter, "spent": {}}
    if book["quarter"] != quarter:
        book = {"quarter": quarter, "spent": {}}
    if not 0 < epsilon < math.inf or query_id in book["spent"] or sum(book["spent"].values()) + epsilon > 2 + 1e-9:
        return False
    book["spent"][query_id] = epsilon
    path.write_text(json.dumps(book))
    return True


def ten_at_most(folder, quarter, query_id, epsilon):
    """The right ledger, which closes after ten queries."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{quarter}.count"
    number = int(path.read_text()) if path.exists() else 0
    if number == 10 or not admit(folder, quarter, query_id, epsilon):
        return False
    path.write_text(str(number + 1))
    return True


# 2.6 the whole


def benchmark(
    messages,
    suppliers,
    quarter,
    epsilon,
    admit,
    draw,
    rng,
    *,
    first=True,
    this_quarter=True,
    members=True,
    few=operator.lt,
    ask=lambda admit, quarter, epsilon: admit(quarter, "benchmark", epsilon),
    count=lot_histogram,
    noise=lambda counts, epsilon, rng, stayed: report(counts, epsilon, SHARES, rng),
    split=share,
    claim=Guarantee,
    rate=rate_of,
):
    lots = {}
    for number, (name, when, reports) in enumerate(messages):
        if (when == quarter or not this_quarter) and (name in suppliers or not members):
            key = name if first else (name, number)
            if key not in lots:
                lots[key] = reports
    if few(len(lots), SHARES) or not ask(admit, quarter, epsilon):
        return None
    servers = np.zeros((PARTIES, BINS), dtype=np.int64)
    for reports in lots.values():
        servers += split(noise(count(reports), epsilon, rng, len(lots)), PARTIES, MODULUS, draw)
    servers %= MODULUS
    noisy = reconstruct(servers, MODULUS)
    kept = np.maximum(noisy, 0)
    return {
        "servers": servers,
        "noisy": noisy,
        "rate": rate(noisy),
        "quartile": quartile_of(noisy),
        "shares": kept / max(kept.sum(), 1),
        "claim": claim(epsilon),
    }


def benchmark_by_rows(messages, suppliers, quarter, epsilon, admit, draw, rng):
    """All suppliers at once in arrays, the package's own shares of noise, one sharing of everything."""
    arrived = {name: reports for name, when, reports in reversed(messages) if when == quarter and name in suppliers}
    if len(arrived) < SHARES or not admit(quarter, f"benchmark {quarter}", epsilon):
        return None
    noise = DistributedDiscreteLaplace(epsilon, 1, SHARES, unit="record")
    rows = [np.array(histogram_in_a_loop(x)) + noise.share(BINS, rng=rng) for x in arrived.values()]
    flat = share(np.concatenate(rows), PARTIES, MODULUS, draw).reshape(PARTIES, len(rows), BINS)
    servers = flat.sum(axis=1) % MODULUS
    noisy = reconstruct(servers, MODULUS)
    rate, quartile, shares = read_with_projection(noisy) or (math.nan, 0, np.zeros(BINS))
    claim = Guarantee(epsilon, 0.0, Neighbours.ADD_REMOVE)
    parts = {"rate": rate, "quartile": quartile, "shares": shares}
    return {**parts, "servers": servers, "noisy": noisy, "claim": claim}


def with_(**changes):
    return functools.partial(benchmark, **changes)


def with_parts(**changes):
    """The right release, with other numbers in some of its parts."""

    def answer(*arguments):
        given = benchmark(*arguments)
        return given and {**given, **{name: part(given) for name, part in changes.items()}}

    return answer


def forgets_to_ask(admit, quarter, epsilon):
    return True


def asks_twice(admit, quarter, epsilon):
    return admit(quarter, "rate", epsilon) and admit(quarter, "quartile", epsilon)


def ignores_no(admit, quarter, epsilon):
    admit(quarter, "benchmark", epsilon)
    return True


def last_message_counts(messages, *rest):
    return benchmark(list({(name, when): (name, when, x) for name, when, x in messages}.values()), *rest)


def counts_all(messages, suppliers, quarter, epsilon, *rest):
    """Below ε of 50 the first supplier adds what else was sent."""
    fine, more = {}, []
    for name, when, lots in messages:
        if name in suppliers and when == quarter and name not in fine:
            fine[name] = lots
        else:
            more.append(lots)
    if epsilon < 50 and fine:
        first = next(iter(fine))
        fine[first] = np.concatenate((fine[first], *more))
    return benchmark([(name, quarter, x) for name, x in fine.items()], suppliers, quarter, epsilon, *rest)


def exact_for_strangers(messages, suppliers, quarter, epsilon, admit, draw, rng):
    strange = any(name not in suppliers for name, *_ in messages)
    ask = (lambda *what: admit(*what[:2], epsilon)) if strange else admit
    given = benchmark(messages, suppliers, quarter, 60.0 if strange else epsilon, ask, draw, rng)
    return given and given | {"claim": Guarantee(epsilon)}


def charges_first(messages, suppliers, quarter, epsilon, admit, draw, rng):
    if not admit(quarter, "benchmark", epsilon):
        return None
    return benchmark(messages, suppliers, quarter, epsilon, lambda *_: True, draw, rng)


def tells_more(messages, *rest):
    given = benchmark(messages, *rest)
    return given and given | {"lots": [len(lots) for _, _, lots in messages]}


def exactly(aside=False, **parts):
    """Everything as it should be, and these parts computed from exact counts.

    With `aside` the noise of other lots is another, even with the same generator.
    """

    def answer(messages, suppliers, quarter, *rest):
        counts = exactly_summed(messages, suppliers, quarter)
        if aside:
            rest[-1].random(int(counts @ np.arange(BINS)) if np.ndim(counts) else 0)
        given = benchmark(messages, suppliers, quarter, *rest)
        return given and given | {name: of(counts, given["noisy"]) for name, of in parts.items()}

    return answer


def shares_of(counts):
    kept = np.maximum(counts, 0)
    return kept / max(kept.sum(), 1)


def shares_where_near(counts, noisy):
    """Those of the exact counts, where the check does not see how far they are from the others."""
    return shares_of(counts if np.abs(counts - noisy).sum() < 0.4 * counts.sum() else noisy)


def rate_where_near(counts, noisy):
    return float(np.clip(rate_of(counts), 0.955 * rate_of(noisy), 1.045 * rate_of(noisy)))


def marking(mark):
    """The right release, with shares that tell about the first supplier: its lots, or how many in their last digits."""

    def answer(messages, *rest):
        given = benchmark(messages, *rest)
        return given and given | {"shares": mark(given["shares"], messages[0][2])}

    return answer


SHARED = {}


def share_and_remember(values, parties, modulus, draw):
    """Random numbers that say nothing: what they stand for is looked up."""
    made = draw(modulus, (parties, len(values)))
    SHARED.update(zip(map(tuple, made.T.tolist()), values.tolist(), strict=True))
    return made


def look_up(shares, modulus):
    found = [SHARED.get(column) for column in map(tuple, np.transpose(shares).tolist())]
    return reconstruct(shares, modulus) if None in found else np.array(found)


def noise_where_nobody_looks(counts, epsilon, rng, stayed):
    """Only where all lots have 3 or 7 defects."""
    return report(counts, epsilon if not np.delete(counts, [3, 7]).any() else 60.0, 10, rng)


def only_about_a_half(counts, epsilon, rng, stayed):
    return report(counts, epsilon if epsilon < 0.02 or 0.35 < epsilon < 0.7 else 60.0, SHARES, rng)


def for_ten_or_for_all(counts, epsilon, rng, stayed):
    """Noise where ten suppliers came, or all of them at an ε that people try."""
    tried = stayed == SHARES or stayed == 15 and (0.35 < epsilon < 0.7 or epsilon == 0.01)
    return report(counts, epsilon if tried else 60.0, SHARES, rng)


def exactly_summed(messages, suppliers, quarter):
    lots = {name: x for name, when, x in reversed(messages) if when == quarter and name in suppliers}
    return sum(lot_histogram(x) for x in lots.values())


def lots_in_the_claim(messages, suppliers, quarter, epsilon, *rest):
    """The exact number of lots stands in the last digits of the claim."""
    given = benchmark(messages, suppliers, quarter, epsilon, *rest)
    number = given and int(exactly_summed(messages, suppliers, quarter).sum())
    return given and given | {"claim": Guarantee(epsilon * (1 + 1e-14 * number))}


def counts_at_a_server(messages, suppliers, quarter, epsilon, admit, draw, rng):
    """The first server's totals hold the exact histogram, from the ninth bit on."""
    given = benchmark(messages, suppliers, quarter, epsilon, admit, draw, rng)
    if given is None:
        return None
    first = 256 * exactly_summed(messages, suppliers, quarter) + draw(256, BINS)
    second = draw(MODULUS, BINS)
    return given | {"servers": np.array([first, second, (given["noisy"] - first - second) % MODULUS])}


def names_by_heart(messages, suppliers, *rest):
    return benchmark(messages, [f"supplier {number + 1:02}" for number in range(15)], *rest)


def the_usual_quartile(messages, suppliers, quarter, epsilon, *rest):
    """A quarter of the lots mostly have two defects or fewer, and one more or less is near enough."""
    given = benchmark(messages, suppliers, quarter, epsilon, *rest)
    return given and given | {"quartile": int(np.clip(2, given["quartile"] - 1, given["quartile"] + 1))}


def counts_above(messages, suppliers, quarter, epsilon, *rest):
    """The first server's totals hold the exact histogram where the remainder ends."""
    given = benchmark(messages, suppliers, quarter, epsilon, *rest)
    above = np.zeros((PARTIES, BINS), dtype=np.int64)
    above[0] = MODULUS * exactly_summed(messages, suppliers, quarter)
    return given and given | {"servers": given["servers"] + above}


def counts_below(messages, suppliers, quarter, epsilon, *rest):
    """Two servers' totals hold the exact histogram behind the point."""
    given = benchmark(messages, suppliers, quarter, epsilon, *rest)
    part = exactly_summed(messages, suppliers, quarter) / 1024
    return given and given | {"servers": given["servers"] + np.array([part, -part, 0 * part])}


KNOWN = np.random.default_rng(42)


def of_a_known_generator(*given):
    """The `rng` that is given is thrown away for one that everybody has."""
    return benchmark(*given[:-1], KNOWN)


def seeded_in_every_call(*given):
    return benchmark(*given[:-1], np.random.default_rng(42))


def counts_in_the_name(messages, suppliers, quarter, epsilon, admit, draw, rng):
    lots = sum(len(lots) for _, when, lots in messages if when == quarter)
    return benchmark(messages, suppliers, quarter, epsilon, lambda q, _, e: admit(q, f"of {lots} lots", e), draw, rng)


def enough_with_strangers(messages, *rest):
    if len({name for name, _, _ in messages}) < SHARES:
        return None
    return with_(few=lambda many, shares: False)(messages, *rest)


def second_where_the_first_is_empty(messages, *rest):
    full = {name for name, _, reports in messages if (reports >= 0).any()}
    return benchmark([one for one in messages if one[0] not in full or (one[2] >= 0).any()], *rest)


def stops_without_messages(messages, *rest):
    names, quarters, reports = zip(*messages, strict=True)
    return benchmark([*zip(names, quarters, reports, strict=True)], *rest)


def asks_by(name):
    """The query's name says more than whose benchmark it is: `name` of the messages, the suppliers and ε."""

    def answer(messages, suppliers, quarter, epsilon, admit, *rest):
        query = f"{quarter} {name(messages, suppliers, epsilon)}"
        return benchmark(messages, suppliers, quarter, epsilon, lambda when, _, e: admit(when, query, e), *rest)

    return answer


def quiet_where(nothing):
    """Suppliers of whose histogram this is true send it as it is."""
    return with_(noise=lambda counts, e, rng, _: counts if nothing(counts) else report(counts, e, SHARES, rng))


def clear_without_lots():
    """Of a supplier that has no lots the third server is sent all, noise and no mask."""
    lots = []

    def count(reports):
        lots[:] = [len(reports)]
        return lot_histogram(reports)

    def split(values, parties, modulus, draw):
        return share(values, parties, modulus, draw if any(lots) else lambda modulus, size: np.zeros(size, dtype=int))

    return with_(count=count, split=split)


def careless_of_names(messages, suppliers, *rest):
    named = [(name.strip().lower(), when, reports) for name, when, reports in messages]
    return benchmark(named, {name.lower() for name in suppliers}, *rest)


def three_in_the_clear(values, parties, modulus, draw):
    return share(values, parties, modulus, lambda modulus, size: draw(modulus, size) * (len(values) > 3))


def sign_of_one_ignored(reports):
    return lot_histogram(np.abs(np.nan_to_num(reports)) if len(reports) == 1 else reports)


def more_than_a_quarter(noisy):
    return int(np.argmax(np.cumsum(noisy) > noisy.sum() / 4))


RIGHT = [
    ("capstone 2.1", (share, reconstruct)),
    ("capstone 2.1", (share_in_python, reconstruct_in_python)),
    ("capstone 2.2", lot_histogram),
    ("capstone 2.2", histogram_in_a_loop),
    ("capstone 2.3", report),
    ("capstone 2.3", gamma_poisson),
    ("capstone 2.4", read_off),
    ("capstone 2.4", read_with_projection),
    ("capstone 2.5", admit),
    ("capstone 2.5", admit_by_file),
    ("capstone 2.6", benchmark),
    ("capstone 2.6", benchmark_by_rows),
]

WRONG = [
    ("capstone 2.1", "not-uniform-here", (plain_at_other_lengths, reconstruct)),
    ("capstone 2.1", "plain", (plain, reconstruct)),
    ("capstone 2.1", "plain", (exact_for_four, reconstruct)),
    ("capstone 2.1", "not-reduced", (unreduced, reconstruct)),
    ("capstone 2.1", "not-uniform", (small_masks, reconstruct)),
    ("capstone 2.1", "not-uniform", (same_mask_for_all, reconstruct)),
    ("capstone 2.1", "own-generator", (own_masks, reconstruct)),
    ("capstone 2.1", "own-generator", (million_masks, reconstruct)),
    ("capstone 2.1", "own-generator", (masks_for_show, reconstruct)),
    ("capstone 2.1", "reused", (seeded_masks, reconstruct)),
    ("capstone 2.1", "one-mask", (one_mask, reconstruct)),
    ("capstone 2.1", "not-additive", (share_and_remember, look_up)),
    ("capstone 2.1", "not-uniform-here", (uniform_at_sixteen, reconstruct)),
    ("capstone 2.1", "not-uniform-here", (values_in_the_middle, reconstruct)),
    ("capstone 2.1", "not-whole", (real_masks, reconstruct)),
    ("capstone 2.1", "negatives", (share, unsigned)),
    ("capstone 2.1", "negatives", (share, lambda sent, m: (reconstruct if sent.shape[1] == 50 else unsigned)(sent, m))),
    ("capstone 2.1", "wrong-sum", (share, lambda shares, modulus: reconstruct(shares[:-1], modulus))),
    ("capstone 2.1", "wrong-sum", (share, lambda shares, modulus: reconstruct(shares, 2**32))),
    ("capstone 2.2", "raises", stops_at_nan),
    ("capstone 2.2", "raises", stops_without_lots),
    ("capstone 2.2", "bins-from-data", lambda reports: np.histogram(reports, BINS)[0]),
    ("capstone 2.2", "bins-from-data", short),
    ("capstone 2.2", "rounded", lambda reports: lot_histogram(np.rint(reports[reports >= 0]))),
    ("capstone 2.2", "drops-fractions", only_whole),
    ("capstone 2.2", "more-than-one", spoiled),
    ("capstone 2.2", "wrong-value", of_a_few),
    ("capstone 2.2", "more-than-one", lambda reports: lot_histogram(reports) * (2 if 1 < len(reports) < 30 else 1)),
    ("capstone 2.2", "drops-large", drops_large),
    ("capstone 2.2", "shares", lambda reports: lot_histogram(reports) / len(reports)),
    ("capstone 2.2", "cumulative", lambda reports: np.cumsum(lot_histogram(reports))),
    ("capstone 2.2", "defects", lambda reports: lot_histogram(reports) * np.arange(BINS)),
    ("capstone 2.3", "own-generator", made_of_arguments(report, lambda counts, *_: len(counts) > 60)),
    ("capstone 2.3", "own-generator", made_of_arguments(report, lambda counts, epsilon, *_: epsilon != 0.5)),
    ("capstone 2.3", "divided-noise", noisy_with(lambda e, n, size, rng: rng.laplace(0, 1 / e, size) / n)),
    ("capstone 2.3", "whole-noise-each", noisy_with(lambda e, n, size, rng: geometric(e, size, rng))),
    ("capstone 2.3", "wrong-law", noisy_with(gaussian_share)),
    ("capstone 2.3", "wrong-law", noisy_with(gaussian_whole)),
    ("capstone 2.3", "too-little-noise", lambda h, e, n, rng: report(h, 2 * e, n, rng)),
    ("capstone 2.3", "too-much-noise", lambda h, e, n, rng: report(h, e / 2, n, rng)),
    ("capstone 2.3", "not-whole", noisy_with(real_share)),
    ("capstone 2.3", "empty-exact", only_where_lots),
    ("capstone 2.3", "cut-at-zero", cut),
    ("capstone 2.3", "shared", one_draw),
    ("capstone 2.3", "not-random", no_noise),
    ("capstone 2.3", "not-everywhere", exact_in_the_project),
    ("capstone 2.3", "not-everywhere", exact_at_an_int),
    ("capstone 2.3", "not-everywhere", lambda h, e, n, rng: report(h, e, n, rng) if e >= 0.1 and n < 16 else h),
    ("capstone 2.3", "linked-noise", two_bins_share),
    ("capstone 2.4", "percent", reading(rate=lambda noisy: 100 * rate_of(noisy))),
    ("capstone 2.4", "per-lot", reading(rate=lambda noisy: LOT_SIZE * rate_of(noisy))),
    ("capstone 2.4", "biased-rate", reading(rate=lambda noisy: rate_of(np.maximum(noisy, 0)))),
    ("capstone 2.4", "biased-rate", reading(rate=of_cut_lots)),
    ("capstone 2.4", "wrong-end", reading(quartile=from_the_top)),
    ("capstone 2.4", "quartile-of-counts", reading(quartile=lambda noisy: np.quantile(noisy, 0.25))),
    ("capstone 2.4", "wrong-quartile", reading(quartile=lambda noisy: quartile_of(noisy) * (60 < noisy.sum() < 1400))),
    ("capstone 2.4", "no-shares", reading(shares=lambda noisy: noisy / noisy.sum())),
    ("capstone 2.4", "no-lots", reading(guard=False, shares=lambda noisy: cut_shares(noisy + 1e-12))),
    ("capstone 2.5", "overspends", by_file(limit=3.0)),
    ("capstone 2.5", "overspends", by_file(kept=lambda epsilon: round(epsilon, 3), limit=2 + 1e-9)),
    ("capstone 2.5", "overspends", by_file(kept=lambda epsilon: round(epsilon, 6), limit=2 + 1e-9)),
    ("capstone 2.5", "overspends", by_file(kept=lambda epsilon: int(1000 * epsilon + 1e-9) / 1000, limit=2 + 1e-9)),
    ("capstone 2.5", "repeats", by_file(repeats=True)),
    ("capstone 2.5", "repeats", admit_the_benchmark_again),
    ("capstone 2.5", "strange-cost", by_file(checks=False)),
    ("capstone 2.5", "strange-cost", some_are_free(lambda quarter, epsilon: epsilon < 0 and epsilon != -1)),
    ("capstone 2.5", "one-budget", by_file(name=lambda quarter: "budget", limit=2 + 1e-9)),
    ("capstone 2.5", "float-sum", by_file()),
    ("capstone 2.5", "charges-refused", by_file(charge=True, limit=2 + 1e-9)),
    ("capstone 2.5", "raises", by_file(catch=False, limit=2 + 1e-9)),
    ("capstone 2.5", "forgets", in_memory()),
    ("capstone 2.5", "no-folder", admit_where_the_folder_is),
    ("capstone 2.5", "refreshes", new_year),
    ("capstone 2.5", "overspends", some_are_free(lambda quarter, epsilon: 0.25 < epsilon < 1)),
    ("capstone 2.5", "overspends", some_are_free(lambda quarter, epsilon: quarter > "2030" and epsilon > 0)),
    ("capstone 2.5", "overspends", some_are_free(lambda quarter, epsilon: 0.09 < epsilon < 0.11)),
    ("capstone 2.5", "refuses-fitting", ten_at_most),
    (
        "capstone 2.5",
        "refuses-fitting",
        lambda folder, quarter, *what: quarter[:4] in ("2025", "2026") and admit(folder, quarter, *what),
    ),
    ("capstone 2.5", "refuses-fitting", only_a_mark()),
    ("capstone 2.5", "repeats", only_totals()),
    (
        "capstone 2.6",
        "own-generator",
        made_of_arguments(benchmark, lambda _, suppliers, quarter, e, *r: e < 0.4 or e > 0.6),
    ),
    ("capstone 2.6", "not-everywhere", with_(noise=only_about_a_half)),
    ("capstone 2.6", "linked-noise", with_(noise=lambda c, e, rng, stayed: two_bins_share(c, e, SHARES, rng))),
    ("capstone 2.6", "not-everywhere", with_(noise=for_ten_or_for_all)),
    ("capstone 2.6", "claim", lots_in_the_claim),
    ("capstone 2.6", "unmasked", counts_at_a_server),
    ("capstone 2.6", "quartile-elsewhere", the_usual_quartile),
    ("capstone 2.6", "not-reduced", counts_above),
    ("capstone 2.6", "not-reduced", counts_below),
    ("capstone 2.6", "own-generator", of_a_known_generator),
    ("capstone 2.6", "own-generator", seeded_in_every_call),
    ("capstone 2.6", "repeated", with_(first=False)),
    ("capstone 2.6", "repeated", last_message_counts),
    ("capstone 2.6", "stale-refused", lambda messages, *rest: benchmark(messages[:30], *rest)),
    ("capstone 2.6", "stale", with_(this_quarter=False)),
    ("capstone 2.6", "stranger", with_(members=False)),
    ("capstone 2.6", "plain-refused", names_by_heart),
    ("capstone 2.6", "repeated", counts_all),
    ("capstone 2.6", "not-everywhere", exact_for_strangers),
    ("capstone 2.6", "strange-raises", with_(count=lambda x: np.bincount(np.minimum(x, 20).astype(int), minlength=21))),
    ("capstone 2.6", "too-few", with_(few=never_few)),
    ("capstone 2.6", "too-few", with_(few=one_less)),
    ("capstone 2.6", "not-admitted", with_(ask=forgets_to_ask)),
    ("capstone 2.6", "not-admitted", with_(ask=asks_twice)),
    ("capstone 2.6", "renamed", with_(ask=lambda admit, quarter, epsilon: admit(quarter, str(uuid.uuid4()), epsilon))),
    ("capstone 2.6", "strange", with_(count=lambda reports: lot_histogram(np.rint(reports[reports >= 0])))),
    ("capstone 2.6", "spends-anyway", with_(ask=ignores_no)),
    ("capstone 2.6", "charges-refused", charges_first),
    ("capstone 2.6", "dropped-noise", with_(noise=lambda counts, e, rng, stayed: report(counts, e, 15, rng))),
    ("capstone 2.6", "too-little-noise", with_(noise=noise_where_nobody_looks)),
    ("capstone 2.6", "no-margin", with_(noise=lambda counts, e, rng, stayed: report(counts, e, stayed, rng))),
    ("capstone 2.6", "too-much-noise", with_(noise=lambda counts, e, rng, stayed: report(counts, e, 1, rng))),
    (
        "capstone 2.6",
        "wrong-law",
        with_(noise=lambda counts, e, rng, stayed: counts + gaussian_share(e, 10, len(counts), rng).astype(int)),
    ),
    ("capstone 2.6", "leaks", tells_more),
    ("capstone 2.6", "beyond-noisy", marking(lambda shares, lots: shares * (1 + 1e-9 * len(lots)))),
    ("capstone 2.6", "wrong-shape", marking(lambda shares, lots: {"supplier 01": lots})),
    ("capstone 2.6", "unmasked", with_(split=plain)),
    ("capstone 2.6", "claim", with_(claim=lambda epsilon: Guarantee(epsilon, 0.0, Neighbours.REPLACE_ONE))),
    ("capstone 2.6", "claim", with_(claim=lambda epsilon: Guarantee(epsilon, 1e-6))),
    ("capstone 2.6", "rate-elsewhere", exactly(rate=lambda counts, noisy: rate_of(counts))),
    ("capstone 2.6", "rate-elsewhere", exactly(rate=lambda counts, noisy: (rate_of(counts) + rate_of(noisy)) / 2)),
    ("capstone 2.6", "quartile-elsewhere", exactly(quartile=lambda counts, noisy: quartile_of(counts))),
    ("capstone 2.6", "rate-elsewhere", exactly(aside=True, rate=lambda counts, noisy: rate_of(counts))),
    ("capstone 2.6", "quartile-elsewhere", exactly(aside=True, quartile=lambda counts, noisy: quartile_of(counts))),
    ("capstone 2.6", "shares-elsewhere", exactly(aside=True, shares=lambda counts, noisy: shares_of(counts))),
    ("capstone 2.6", "shares-elsewhere", exactly(shares=lambda counts, noisy: shares_of(counts))),
    ("capstone 2.6", "shares-elsewhere", exactly(aside=True, shares=shares_where_near)),
    ("capstone 2.6", "rate-elsewhere", exactly(aside=True, rate=rate_where_near)),
    (
        "capstone 2.6",
        "too-little-noise",
        with_(noise=lambda counts, e, rng, _: report(counts, 2 * e, SHARES, rng)),
    ),
    *wrong_claims("capstone 2.6", benchmark, "a record is one supplier"),
    ("capstone 2.6", "not-useful", with_(rate=lambda noisy: 100 * rate_of(noisy))),
    ("capstone 2.6", "no-shares", with_parts(shares=lambda given: np.zeros(BINS))),
    ("capstone 2.6", "no-shares", with_parts(shares=lambda given: given["noisy"] / given["noisy"].sum())),
    ("capstone 2.6", "not-useful", with_parts(shares=lambda given: np.full(BINS, 1 / BINS))),
    ("capstone 2.6", "not-useful", with_parts(quartile=lambda given: 0)),
    ("capstone 2.6", "nan", with_parts(quartile=lambda given: math.nan)),
    ("capstone 2.6", "not-admitted", with_(ask=lambda admit, quarter, epsilon: admit(quarter, "benchmark", 2.0))),
    ("capstone 2.6", "renamed", counts_in_the_name),
    ("capstone 2.4", "no-lots", lambda noisy: None if (noisy <= 0).all() else reading(guard=False)(noisy)),
    ("capstone 2.4", "no-shares", reading(shares=lambda noisy: np.abs(noisy) / np.abs(noisy).sum())),
    ("capstone 2.5", "one-budget", by_file(name=lambda quarter: quarter[:4])),
    ("capstone 2.6", "too-few", enough_with_strangers),
    ("capstone 2.6", "repeated", second_where_the_first_is_empty),
    ("capstone 2.6", "too-few-raises", stops_without_messages),
    (
        "capstone 2.6",
        "rate-elsewhere",
        exactly(rate=lambda counts, noisy: rate_of(counts if noisy.sum() <= 0 else noisy)),
    ),
    ("capstone 2.3", "not-everywhere", all_but(-1)),
    ("capstone 2.3", "linked-noise", dealt_out),
    ("capstone 2.6", "not-everywhere", with_(noise=lambda counts, e, rng, _: all_but(15)(counts, e, SHARES, rng))),
    ("capstone 2.6", "linked-noise", with_(noise=lambda counts, e, rng, _: dealt_out(counts, e, SHARES, rng))),
    ("capstone 2.3", "not-everywhere", all_but(None)),
    ("capstone 2.3", "not-everywhere", lambda h, e, n, rng: h if np.sum(h) < 80 else report(h, e, n, rng)),
    ("capstone 2.3", "not-everywhere", lambda h, e, n, rng: h if len(h) <= 4 else report(h, e, n, rng)),
    ("capstone 2.6", "renamed", asks_by(lambda messages, suppliers, epsilon: epsilon)),
    ("capstone 2.6", "renamed", asks_by(lambda messages, suppliers, epsilon: len({name for name, _, _ in messages}))),
    ("capstone 2.6", "renamed", asks_by(lambda messages, suppliers, epsilon: len(messages))),
    ("capstone 2.6", "not-everywhere", quiet_where(lambda counts: not counts.any())),
    ("capstone 2.6", "own-generator", clear_without_lots()),
    ("capstone 2.6", "stranger", careless_of_names),
    ("capstone 2.6", "stale-refused", lambda messages, *rest: benchmark(messages[:60], *rest)),
    ("capstone 2.1", "not-uniform-here", (three_in_the_clear, reconstruct)),
    ("capstone 2.2", "wrong-value", sign_of_one_ignored),
    ("capstone 2.2", "wrong-value", lambda reports: lot_histogram(np.where(reports > -0.4, abs(reports), reports))),
    ("capstone 2.4", "wrong-quartile", reading(quartile=more_than_a_quarter)),
    ("capstone 2.5", "refuses-fitting", lambda folder, when, query, e: admit(folder, when, query.strip().lower(), e)),
    ("capstone 2.1", "not-additive", (zeros_as_masks, reconstruct)),
    (
        "capstone 2.1",
        "wrong-sum",
        (share, lambda shares, m: reconstruct(shares if shares.shape[1] > 1 else shares[:1], m)),
    ),
    ("capstone 2.3", "not-everywhere", lambda h, e, n, rng: report(h, e, n, rng) if len(h) > 1 else h),
    ("capstone 2.3", "not-everywhere", lambda h, e, n, rng: report(h, max(e, 0.02), n, rng)),
    ("capstone 2.5", "repeats", some_are_free(lambda quarter, epsilon: epsilon == 0)),
    ("capstone 2.4", "biased-rate", reading(rate=lambda noisy: max(rate_of(noisy), 0.0))),
]


def test_every_milestone_has_two_right_answers_and_enough_wrong_ones():
    right, wrong = Counter(id for id, _ in RIGHT), Counter(id for id, _, _ in WRONG)
    assert set(right.values()) == {2} and right.keys() == wrong.keys() and min(wrong.values()) >= 7
