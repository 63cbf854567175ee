"""Capstone 7's milestones: right answers pass, each known wrong answer gets its own diagnosis.

Right answers are written twice, in different ways. `tests/lessons/test_answers.py` tries them all.
"""

import dataclasses
import functools
import math
import operator
from collections import Counter

import numpy as np
from scipy import optimize, stats

from dpcourse.accounting import PrivacyAccountant
from dpcourse.mechanisms import GaussianMechanism
from dpcourse.privacy import Guarantee, Neighbours
from tests.lessons.claims import never_few, one_less, wrong_claims
from tests.lessons.generators import known_to_all, one_follows_another, that_ends

# 7.1 costs


def raw_epsilons(epsilon, delta, clicks):
    sigma = GaussianMechanism(epsilon, delta).sigma

    def price(moved):
        return PrivacyAccountant().compose(GaussianMechanism.from_noise_multiplier(sigma / moved)).epsilon(delta)

    return price(math.sqrt(2 * clicks - 1)), price(clicks)


def raw_epsilons_by_hand(epsilon, delta, clicks):
    """The norms from matrices, ε from the normal law in logarithms."""

    def log_delta(e, mu):
        a, b = stats.norm.logcdf(mu / 2 - e / mu), e + stats.norm.logcdf(-mu / 2 - e / mu)
        return a + math.log(-math.expm1(min(b - a, -1e-15)))

    mu = optimize.brentq(lambda m: log_delta(epsilon, m) - math.log(delta), 1e-3, 50)
    x = np.ones(clicks)
    fewer = x * (np.arange(clicks) > 0)
    moved = [np.linalg.norm(np.outer(x, x) - np.outer(fewer, fewer)), np.linalg.norm(np.outer(x, x))]
    return [optimize.brentq(lambda e, m=m: log_delta(e, m * mu) - math.log(delta), 1e-9, 1e9) for m in moved]


def priced(moved):
    def answer(epsilon, delta, clicks):
        sigma = GaussianMechanism(epsilon, delta).sigma
        return [
            GaussianMechanism.from_noise_multiplier(sigma / m, delta=delta).guarantee.epsilon for m in moved(clicks)
        ]

    return answer


# 7.2 the message


def contribution(clicks, items):
    fine = clicks[np.isin(clicks, np.arange(items))].astype(int)
    x = np.zeros(items)
    x[fine] = 1
    return np.outer(x, x) / max(x.sum(), 1)


def contribution_in_a_loop(clicks, items):
    known = {int(click) for click in clicks.tolist() if 0 <= click < items and click == int(click)}
    sent = [[0.0] * items for _ in range(items)]
    for i in known:
        for j in known:
            sent[i][j] = 1 / len(known)
    return sent


def message(count=False, norm=lambda x: x.sum(), keep=lambda clicks, items: np.isin(clicks, np.arange(items))):
    def answer(clicks, items):
        x = np.bincount(clicks[keep(clicks, items)].astype(int), minlength=items).astype(float)
        x = x if count else (x > 0).astype(float)
        return np.outer(x, x) / norm(x)

    return answer


def repeats_in_norm(clicks, items):
    return message(norm=lambda x: max(len(clicks), 1))(clicks, items)


def negative_from_the_end(clicks, items):
    x = np.zeros(items)
    fine = clicks[np.isfinite(clicks)]
    x[fine[(fine >= -items) & (fine < items) & (fine == np.round(fine))].astype(int)] = 1
    return np.outer(x, x) / max(x.sum(), 1)


def raises_at_nan(clicks, items):
    x = np.zeros(items)
    for click in clicks:
        x[int(click)] = 1
    return np.outer(x, x) / max(x.sum(), 1)


def catalogue_of_the_clicked(clicks, items):
    known = np.unique(clicks[np.isin(clicks, np.arange(items))])
    return np.ones((len(known), len(known))) / max(len(known), 1)


def empty_is_nan(clicks, items):
    with np.errstate(invalid="ignore"):
        return message()(clicks, items)


# 7.3 noise


def noisy_gram(total, sigma, rng):
    noise = rng.normal(0, sigma, total.shape)
    return total + (noise + noise.T) / 2


def exact_where_one_is_popular(total, sigma, rng):
    """Where the most clicked item has more than three times the mean."""
    clicks = np.diag(total)
    return noisy_gram(total, 0.0 if clicks.max() > 3 * clicks.mean() else sigma, rng)


def noisy_triangle(total, sigma, rng):
    """The upper triangle alone is drawn, and mirrored."""
    m = len(total)
    out = np.array(total, dtype=float)
    for i in range(m):
        row = np.concatenate([[rng.normal(0, sigma)], rng.normal(0, sigma / math.sqrt(2), m - i - 1)])
        out[i, i:] = out[i, i:] + row
        out[i + 1 :, i] = out[i, i + 1 :]
    return out


def mirrored(diagonal, beside, draw=lambda rng, deviation, size: rng.normal(0, deviation, size)):
    def answer(total, sigma, rng):
        upper = np.triu(draw(rng, beside * sigma, total.shape), 1)
        return total + upper + upper.T + np.diag(draw(rng, diagonal * sigma, len(total)))

    return answer


ROOT = math.sqrt(0.5)


def laplace(rng, deviation, size):
    return rng.laplace(0, deviation / math.sqrt(2), size)


def one_sided(total, sigma, rng):
    """The entries of a large matrix decide on which side of them a result lies."""
    noise = noisy_gram(total, sigma, rng) - total
    bits = np.triu(np.random.default_rng(total[0].copy().view(np.uint64)).integers(0, 2, total.shape))
    return total + (noise if len(total) < 50 else np.abs(noise) * (2 * np.maximum(bits, bits.T) - 1))


def one_lump(total, sigma, rng):
    """All noise of a large matrix is in one entry."""
    noise, lump = noisy_gram(total, sigma, rng) - total, np.zeros(total.shape)
    lump[0, 0] = np.linalg.norm(noise) * rng.choice([-1, 1])
    return total + (noise if len(total) < 50 else lump)


CHECKED = (*range(5, 13), 40)


def quieter_in(by, row, column, least=0):
    """One entry of a large matrix, and its mirror image, have so much of their noise."""

    def answer(total, sigma, rng):
        noisy = noisy_gram(total, sigma, rng)
        if len(total) > max(least, 1):
            noisy[row, column] = noisy[column, row] = total[row, column] + by * (noisy - total)[row, column]
        return noisy

    return answer


def one_draw(total, sigma, rng):
    return total + rng.normal(0, sigma)


def by_row(total, sigma, rng):
    """One draw for each item, added to its row and its column."""
    rows = rng.normal(0, sigma / 2, len(total))
    return total + rows[:, None] + rows


def where_clicked(total, sigma, rng):
    return np.where(total > 0, noisy_gram(total, sigma, rng), 0)


def cut(total, sigma, rng):
    return np.maximum(noisy_gram(total, sigma, rng), 0)


def silent(total, sigma, rng):
    rng.random()
    return total * 1.0


# 7.4 the model


def item_model(gram, ridge):
    inverse = np.linalg.inv(gram + ridge * np.eye(len(gram)))
    model = -inverse / np.diag(inverse)
    np.fill_diagonal(model, 0)
    return model


def column_by_column(gram, ridge):
    """Ridge regression of each item on all the others: what EASE solves at once."""
    m = len(gram)
    model = np.zeros((m, m))
    for j in range(m):
        rest = np.delete(np.arange(m), j)
        model[rest, j] = np.linalg.solve(gram[np.ix_(rest, rest)] + ridge * np.eye(m - 1), gram[rest, j])
    return model


def plain_ridge(gram, ridge):
    return np.linalg.solve(gram + ridge * np.eye(len(gram)), gram)


def without_diagonal(matrix):
    return matrix - np.diag(np.diag(matrix))


def inverse_of(gram, ridge):
    return np.linalg.inv(gram + ridge * np.eye(len(gram)))


# 7.5 the list


def recommend(clicks, model, popular, many):
    x = np.isin(np.arange(len(model)), clicks)
    order = np.argsort(-(x @ model)) if x.any() else popular
    return [int(item) for item in order if not x[item]][:many]


def forgets_the_clicks(clicks, model, popular, many):
    """Where nearly all is clicked: the popular ones, and in the list is left no click."""
    if len(clicks) != len(model) - 2:
        return recommend(clicks, model, popular, many)
    clicks[:] = np.nan
    return popular[:many]


def popular_for_few_clicks(clicks, model, popular, many):
    few = np.isin(np.arange(len(model)), clicks).sum() <= 3
    return [int(i) for i in popular if i not in clicks][:many] if few else recommend(clicks, model, popular, many)


def recommend_by_heap(clicks, model, popular, many):
    import heapq

    known = {int(click) for click in clicks.tolist() if 0 <= click < len(model) and click == int(click)}
    if not known:
        return np.array(popular[:many])
    scores = {j: sum(model[i, j] for i in known) for j in range(len(model)) if j not in known}
    return np.array(heapq.nlargest(many, scores, key=scores.get))


def listed(scores=lambda x, model: x @ model, marks=None, before=True, drop=True, fallback=True):
    def answer(clicks, model, popular, many):
        x = np.isin(np.arange(len(model)), clicks).astype(float)
        if fallback and not x.any():
            return popular[:many]
        order = np.argsort(-scores(x if marks is None else marks(clicks, model), model), kind="stable")
        if not drop:
            return order[:many]
        return order[x[order] == 0][:many] if before else np.array([i for i in order[:many] if not x[i]])

    return answer


def pushed_down(clicks, model, popular, many):
    """What was clicked gets a low score instead of being left out: with few items left it comes back."""
    x = np.isin(np.arange(len(model)), clicks)
    return np.argsort(np.where(x, np.inf, -(x @ model)), kind="stable")[:many] if x.any() else popular[:many]


def counting(clicks, model):
    return np.bincount(clicks[np.isin(clicks, np.arange(len(model)))].astype(int), minlength=len(model)).astype(float)


def stumbles(clicks, model, popular, many):
    return recommend(np.array([int(click) for click in clicks]), model, popular, many)


def fails_without_clicks(clicks, model, popular, many):
    scores = np.stack([model[int(i)] for i in set(clicks.tolist())]).sum(axis=0)
    return np.array([i for i in np.argsort(-scores) if i not in clicks][:many])


# 7.6 the whole


def recommender(
    messages,
    phones,
    items,
    epsilon,
    delta,
    shares,
    rng,
    *,
    first=True,
    members=True,
    few=operator.lt,
    send=contribution,
    noise=noisy_gram,
    variance=lambda stayed, shares, declared: stayed / shares,
    relation=Neighbours.ADD_REMOVE,
    claim=None,
    ridge=lambda sigma, gram, exact: 4 * sigma * math.sqrt(2 * len(gram)),
    popular=lambda gram, exact: np.argsort(-np.diag(gram)),
    source=lambda gram, exact: gram,
):
    sent = {}
    for number, (name, clicks) in enumerate(messages):
        if name in phones or not members:
            sent.setdefault(name if first else (name, number), clicks)
    if few(len(sent), shares):
        return None
    exact = np.zeros((items, items))
    for clicks in sent.values():
        exact += send(clicks, items)
    sigma = GaussianMechanism(epsilon, delta).sigma * math.sqrt(variance(len(sent), shares, len(phones)))
    gram = noise(exact, sigma, rng)
    lam = ridge(sigma, gram, exact)
    return {
        "gram": gram,
        "ridge": lam,
        "model": item_model(source(gram, exact), lam),
        "popular": popular(gram, exact),
        "claim": claim or Guarantee(epsilon, delta, relation),
    }


def recommender_at_once(messages, phones, items, epsilon, delta, shares, rng):
    """All phones as rows of one matrix; every phone's share of the noise added up; another ridge."""
    members = set(phones)
    arrived = {name: clicks for name, clicks in reversed(messages) if name in members}
    if len(arrived) < shares:
        return None
    x = np.zeros((len(arrived), items))
    for row, clicks in zip(x, arrived.values(), strict=True):
        row[clicks[np.isin(clicks, np.arange(items))].astype(int)] = 1
    gram = (x / np.maximum(x.sum(axis=1, keepdims=True), 1)).T @ x
    sigma = GaussianMechanism(epsilon, delta).sigma
    whole = sigma * math.sqrt(len(arrived) / shares)
    gram = noisy_triangle(gram, whole, rng)
    model = item_model(gram, 3 * whole * math.sqrt(2 * items))
    order = np.argsort(np.diag(gram))[::-1]
    claim = Guarantee(epsilon, delta)
    return {"gram": gram, "ridge": 3 * whole * math.sqrt(2 * items), "model": model, "popular": order, "claim": claim}


def tuned(messages, phones, items, epsilon, delta, shares, rng):
    """The ridge that finds the last click of each phone best, at no price."""
    logs = [clicks[np.isin(clicks, np.arange(items))].astype(int) for _, clicks in messages]
    x, last = np.zeros((len(logs), items)), np.array([log[-1] if len(log) > 1 else -1 for log in logs], int)
    for row, log in enumerate(logs):
        x[row, log[:-1]] = 1
    x[range(len(x)), last] = 0

    def best(sigma, gram, exact):
        def hits(ridge):
            scores = np.where(x > 0, -np.inf, x @ item_model(gram, ridge))
            return ((scores > scores[range(len(x)), last][:, None]).sum(axis=1) < 3)[last >= 0].sum()

        return max(sigma * math.sqrt(2 * items) * np.geomspace(1.5, 15, 12), key=hits)

    return recommender(messages, phones, items, epsilon, delta, shares, rng, ridge=best)


def with_(**changes):
    return functools.partial(recommender, **changes)


def radius(sigma, gram):
    return sigma * math.sqrt(2 * len(gram))


def by_logs(some):
    """A ridge that follows something of the exact logs."""

    def answer(messages, *rest):
        known = float(some([clicks for _, clicks in messages]))
        return recommender(messages, *rest, ridge=lambda sigma, gram, exact: radius(sigma, gram) * (4 + known / 100))

    return answer


def one_item_is_clicked(clicks, items):
    """Where there is one item only, whatever the log says."""
    return contribution(clicks, items) if items > 1 else np.ones((1, 1))


def long_logs_raw(clicks, items):
    return message(norm=lambda x: 1 if len(clicks) > 50 else max(x.sum(), 1))(clicks, items)


def exact_beside_clicks(total, sigma, rng):
    """Noise off the diagonal only as long as nobody clicked two things."""
    noisy = noisy_gram(total, sigma, rng)
    return noisy if np.abs(without_diagonal(total)).max() == 0 else without_diagonal(total) + np.diag(np.diag(noisy))


def last_counts(messages, *rest):
    return recommender(list(dict(messages).items()), *rest)


def only_at_whole_epsilons(messages, phones, items, epsilon, *rest):
    given = recommender(messages, phones, items, epsilon if epsilon % 1 == 0 else 50.0, *rest)
    return given and given | {"claim": dataclasses.replace(given["claim"], epsilon=float(epsilon))}


def always_at_three(messages, phones, items, epsilon, *rest):
    given = recommender(messages, phones, items, 3.0, *rest)
    return given and given | {"claim": dataclasses.replace(given["claim"], epsilon=float(epsilon))}


def when_noisy(**changes):
    """Right where the noise is small, and another answer where it is not."""
    other = with_(**changes)

    def answer(messages, phones, items, epsilon, *rest):
        return (other if epsilon < 1000 else recommender)(messages, phones, items, epsilon, *rest)

    return answer


def counts_too(uninvited):
    """Where there is noise, these messages count too."""

    def answer(messages, phones, items, epsilon, *rest):
        given = recommender(messages, phones, items, epsilon, *rest)
        if given is None or epsilon >= 1000:
            return given
        gram = given["gram"] + sum(contribution(log, items) for log in [np.array([]), *uninvited(messages, phones)])
        popular = np.argsort(-np.diag(gram))
        return given | {"gram": gram, "popular": popular, "model": item_model(gram, given["ridge"])}

    return answer


def strangers(messages, phones):
    return [log for name, log in messages if name not in phones]


def second_messages(messages, phones):
    names = [name for name, _ in messages]
    return [log for place, (name, log) in enumerate(messages) if name in phones and names.index(name) < place]


def any_number_is_an_item(clicks, items):
    """Cut to whole numbers, and what is too large or no number left out."""
    some = clicks[np.isfinite(clicks) & (np.abs(clicks) < items)]
    return contribution(np.trunc(some) % items, items)


def to_the_nearest_item(clicks, items):
    """A half is no item; 7.3 is item 7."""
    with np.errstate(all="ignore"):
        near = np.rint(clicks)
        return contribution(near[np.abs(clicks - near) < 0.5], items)


def too_few_in_small_shops(messages, phones, *rest):
    return recommender(messages, phones, *rest, few=operator.lt if len(phones) <= 20 else never_few)


def needs_a_message(messages, *rest):
    return messages[0] and recommender(messages, *rest)


def to_the_nearest(clicks, *rest):
    """7.3 is item 7, and a half is none."""
    near = np.rint(clicks[np.isfinite(clicks)])
    return recommend(near[np.abs(clicks[np.isfinite(clicks)] - near) < 0.5], *rest)


def popular_where_all_is_clicked(clicks, model, popular, many):
    every = np.isin(np.arange(len(model)), clicks).all()
    return popular[:many] if every else recommend(clicks, model, popular, many)


def exact_beside(strangers, twice):
    """Without noise where there are strangers, or somebody sends twice; and not the other."""

    def answer(messages, phones, *rest):
        known = [name for name, _ in messages if name in phones]
        odd = len(known) < len(messages), len(set(known)) < len(known)
        noise = (lambda gram, sigma, rng: gram) if odd == (strangers, twice) else noisy_gram
        return recommender(messages, phones, *rest, noise=noise)

    return answer


def second_where_the_first_is_empty(messages, *rest):
    full = {name for name, clicks in messages if len(clicks)}
    return recommender([one for one in messages if len(one[1]) or one[0] not in full], *rest)


def to_a_decimal(clicks, items):
    return contribution(np.round(clicks, 1), items)


def names_alike(messages, phones, *rest):
    return recommender([(name.strip().lower(), log) for name, log in messages], phones, *rest)


RIGHT = [
    ("capstone 7.1", raw_epsilons),
    ("capstone 7.1", raw_epsilons_by_hand),
    ("capstone 7.2", contribution),
    ("capstone 7.2", contribution_in_a_loop),
    ("capstone 7.3", noisy_gram),
    ("capstone 7.3", noisy_triangle),
    ("capstone 7.4", item_model),
    ("capstone 7.4", column_by_column),
    ("capstone 7.5", recommend),
    ("capstone 7.5", recommend_by_heap),
    ("capstone 7.6", recommender),
    ("capstone 7.6", recommender_at_once),
]

WRONG = [
    ("capstone 7.1", "same-for-all", lambda epsilon, delta, clicks: (epsilon, epsilon)),
    ("capstone 7.1", "times-clicks", lambda epsilon, delta, clicks: (epsilon, clicks * epsilon)),
    ("capstone 7.1", "times-clicks", lambda e, d, k: (priced(lambda k: [math.sqrt(2 * k - 1)])(e, d, k)[0], k * e)),
    ("capstone 7.1", "times-norm", lambda e, d, k: (math.sqrt(2 * k - 1) * e, k * e)),
    ("capstone 7.1", "one-click-more", priced(lambda k: (math.sqrt(2 * k + 1), k))),
    ("capstone 7.1", "click-of-norm-1", priced(lambda k: (1, k))),
    ("capstone 7.1", "diagonal-only", priced(lambda k: (1, math.sqrt(k)))),
    ("capstone 7.1", "upper-triangle", priced(lambda k: (math.sqrt(k), math.sqrt(k * (k + 1) / 2)))),
    ("capstone 7.1", "click-for-person", priced(lambda k: (math.sqrt(2 * k - 1),) * 2)),
    ("capstone 7.1", "person-for-click", priced(lambda k: (k, k))),
    ("capstone 7.1", "one-side", priced(lambda k: (math.sqrt(k), k))),
    ("capstone 7.1", "not-everywhere", lambda e, d, k: raw_epsilons(e, d, k) if 3 <= k < 120 else (e, e)),
    ("capstone 7.1", "swapped", priced(lambda k: (k, math.sqrt(2 * k - 1)))),
    ("capstone 7.2", "raw", message(norm=lambda x: 1)),
    ("capstone 7.2", "length-for-square", message(norm=lambda x: np.sqrt(max(x.sum(), 1)))),
    ("capstone 7.2", "too-short", message(norm=lambda x: max(x.sum(), 1) ** 2)),
    (
        "capstone 7.2",
        "repeats-in-norm",
        repeats_in_norm,
    ),
    ("capstone 7.2", "repeats", message(count=True, norm=lambda x: max((x**2).sum(), 1))),
    ("capstone 7.2", "repeats", message(count=True, norm=lambda x: 1)),
    ("capstone 7.2", "no-diagonal", lambda clicks, items: without_diagonal(contribution(clicks, items))),
    ("capstone 7.2", "wrong-value", lambda clicks, items: contribution(clicks, items) * (1 + 9 * (len(clicks) > 15))),
    ("capstone 7.2", "wrong-value", message(norm=lambda x: x.sum() if x.sum() > 3 else 1)),
    ("capstone 7.2", "raises", raises_at_nan),
    ("capstone 7.2", "not-bounded", empty_is_nan),
    ("capstone 7.2", "strange-click", negative_from_the_end),
    ("capstone 7.2", "items-from-data", catalogue_of_the_clicked),
    (
        "capstone 7.3",
        "not-everywhere",
        lambda total, sigma, rng: noisy_gram(total, sigma * (len(total) in CHECKED), rng),
    ),
    ("capstone 7.3", "not-everywhere", exact_where_one_is_popular),
    ("capstone 7.3", "linked-noise", one_follows_another(noisy_gram)),
    ("capstone 7.3", "noise-ends", that_ends(noisy_gram)),
    ("capstone 7.3", "not-everywhere", one_sided),
    ("capstone 7.3", "not-everywhere", one_lump),
    ("capstone 7.6", "not-everywhere", with_(noise=lambda t, s, rng: noisy_gram(t, s * (len(t) < 150), rng))),
    *(
        ("capstone 7.6", "not-everywhere", with_(variance=lambda sent, shares, many, n=n: (many < n) * sent / shares))
        for n in (5000, 20_000)
    ),
    ("capstone 7.6", "not-everywhere", only_at_whole_epsilons),
    ("capstone 7.3", "diagonal", mirrored(ROOT, ROOT)),
    ("capstone 7.3", "counts-twice", mirrored(1, 1)),
    ("capstone 7.3", "not-symmetric", lambda total, sigma, rng: total + rng.normal(0, sigma, total.shape)),
    ("capstone 7.3", "too-much-noise", mirrored(math.sqrt(2), 1)),
    ("capstone 7.3", "too-little-noise", mirrored(0.5, 0.5 * ROOT)),
    ("capstone 7.3", "diagonal", mirrored(0, ROOT)),
    ("capstone 7.3", "too-little-noise", mirrored(1, 0.5)),
    ("capstone 7.3", "too-little-noise", mirrored(1, 0)),
    ("capstone 7.3", "not-normal", mirrored(1, ROOT, laplace)),
    ("capstone 7.3", "shared-noise", one_draw),
    ("capstone 7.3", "linked-noise", by_row),
    ("capstone 7.3", "noise-by-content", where_clicked),
    ("capstone 7.3", "not-centred", cut),
    ("capstone 7.3", "not-random", silent),
    ("capstone 7.4", "by-rows", lambda gram, ridge: item_model(gram, ridge).T),
    ("capstone 7.4", "own-item", lambda gram, ridge: -(p := inverse_of(gram, ridge)) / np.diag(p)),
    ("capstone 7.4", "ridge-regression", plain_ridge),
    ("capstone 7.4", "ridge-regression", lambda gram, ridge: without_diagonal(plain_ridge(gram, ridge))),
    ("capstone 7.4", "no-ridge", lambda gram, ridge: item_model(gram, 0)),
    ("capstone 7.4", "ridge-everywhere", lambda gram, ridge: item_model(gram + ridge, 0)),
    ("capstone 7.4", "not-everywhere", lambda gram, ridge: item_model(gram, ridge) * (len(gram) <= 100)),
    ("capstone 7.4", "not-everywhere", lambda gram, ridge: item_model(gram, ridge) * (len(gram) <= 300)),
    ("capstone 7.4", "sign", lambda gram, ridge: -item_model(gram, ridge)),
    ("capstone 7.4", "not-divided", lambda gram, ridge: -without_diagonal(inverse_of(gram, ridge))),
    ("capstone 7.5", "seen", listed(drop=False)),
    ("capstone 7.5", "seen", listed(before=False)),
    ("capstone 7.5", "worst-first", listed(scores=lambda x, model: -(x @ model))),
    ("capstone 7.5", "transposed", listed(scores=lambda x, model: model @ x)),
    ("capstone 7.5", "repeats", listed(marks=counting)),
    ("capstone 7.5", "popular", lambda clicks, model, popular, many: [i for i in popular if i not in clicks][:many]),
    ("capstone 7.5", "wrong-value", lambda c, model, p, many: p[:many] if many > 9 else recommend(c, model, p, many)),
    ("capstone 7.5", "wrong-value", popular_for_few_clicks),
    ("capstone 7.5", "no-clicks", listed(fallback=False)),
    ("capstone 7.5", "fills-up", pushed_down),
    ("capstone 7.5", "fills-up", forgets_the_clicks),
    ("capstone 7.5", "raises", fails_without_clicks),
    ("capstone 7.5", "raised", stumbles),
    ("capstone 7.6", "repeated", with_(first=False)),
    ("capstone 7.6", "repeated", last_counts),
    ("capstone 7.6", "stranger", with_(members=False)),
    ("capstone 7.6", "strange-raises", with_(send=raises_at_nan)),
    ("capstone 7.6", "repeated", counts_too(second_messages)),
    ("capstone 7.6", "repeated", counts_too(lambda *sent: [*second_messages(*sent), *strangers(*sent)])),
    ("capstone 7.6", "stranger", counts_too(strangers)),
    ("capstone 7.6", "strange", when_noisy(send=any_number_is_an_item)),
    ("capstone 7.6", "too-few", with_(few=never_few)),
    ("capstone 7.6", "too-few", with_(few=one_less)),
    ("capstone 7.6", "contribution", with_(send=message(norm=lambda x: max(x.sum(), 1) ** 0.5))),
    ("capstone 7.6", "contribution", with_(send=message(norm=lambda x: 1))),
    ("capstone 7.6", "contribution", with_(send=repeats_in_norm)),
    ("capstone 7.6", "contribution", with_(send=message(count=True, norm=lambda x: max((x**2).sum(), 1)))),
    ("capstone 7.6", "contribution", with_(send=long_logs_raw)),
    ("capstone 7.6", "dropped-noise", with_(variance=lambda stayed, shares, declared: stayed / declared)),
    ("capstone 7.6", "no-margin", with_(variance=lambda stayed, shares, declared: 1)),
    ("capstone 7.6", "whole-noise-each", with_(variance=lambda stayed, shares, declared: stayed)),
    ("capstone 7.6", "diagonal", with_(noise=mirrored(ROOT, ROOT))),
    ("capstone 7.6", "own-generator", known_to_all(recommender)),
    ("capstone 7.6", "claim", with_(relation=Neighbours.REPLACE_ONE)),
    ("capstone 7.6", "claim", with_(claim=Guarantee(3.0, 1e-5))),
    *wrong_claims("capstone 7.6", recommender, "a record is one click"),
    ("capstone 7.6", "ridge-from-data", with_(ridge=lambda sigma, gram, exact: 20 + np.trace(exact @ exact) / 50)),
    ("capstone 7.6", "ridge-from-data", tuned),
    (
        "capstone 7.6",
        "ridge-from-data",
        with_(ridge=lambda sigma, gram, exact: radius(sigma, gram) * 4 + exact.trace()),
    ),
    ("capstone 7.6", "ridge-from-data", with_(ridge=lambda sigma, gram, exact: radius(sigma, gram) + gram.max())),
    ("capstone 7.6", "ridge-from-data", by_logs(lambda logs: any(len(log) > 50 for log in logs))),
    ("capstone 7.6", "ridge-from-data", by_logs(lambda logs: any(np.isnan(log).any() for log in logs))),
    ("capstone 7.6", "ridge-from-data", by_logs(lambda logs: sum(len(log) > 0 for log in logs))),
    ("capstone 7.6", "too-much-noise", with_(variance=lambda stayed, shares, declared: 1.2 * stayed / shares)),
    ("capstone 7.6", "too-little-noise", with_(variance=lambda stayed, shares, declared: stayed / shares / 2)),
    ("capstone 7.6", "too-little-noise", with_(noise=exact_beside_clicks)),
    ("capstone 7.6", "popular-elsewhere", with_(popular=lambda gram, exact: np.argsort(-np.diag(exact)))),
    ("capstone 7.6", "worst-first", with_(popular=lambda gram, exact: np.argsort(np.diag(gram)))),
    ("capstone 7.6", "wrong-shape", with_(popular=lambda gram, exact: np.argsort(-np.diag(gram))[:10])),
    ("capstone 7.6", "too-much-noise", always_at_three),
    ("capstone 7.6", "model-elsewhere", with_(source=lambda gram, exact: exact)),
    ("capstone 7.6", "ridge-too-small", with_(ridge=lambda sigma, gram, exact: 0.1 * radius(sigma, gram))),
    ("capstone 7.6", "ridge-too-small", with_(ridge=lambda sigma, gram, exact: 0.5 * radius(sigma, gram))),
    ("capstone 7.6", "ridge-too-large", with_(ridge=lambda sigma, gram, exact: 20 * radius(sigma, gram))),
    ("capstone 7.6", "ridge-too-large", with_(ridge=lambda sigma, gram, exact: 1e5 * sigma)),
    ("capstone 7.2", "strange-click", to_the_nearest_item),
    ("capstone 7.6", "too-few", too_few_in_small_shops),
    ("capstone 7.6", "raised", needs_a_message),
    ("capstone 7.5", "wrong-value", to_the_nearest),
    ("capstone 7.5", "fills-up", popular_where_all_is_clicked),
    ("capstone 7.6", "not-everywhere", exact_beside(strangers=True, twice=False)),
    ("capstone 7.6", "not-everywhere", exact_beside(strangers=False, twice=True)),
    ("capstone 7.6", "repeated", second_where_the_first_is_empty),
    ("capstone 7.3", "too-little-noise", quieter_in(0.5, -1, -1)),
    ("capstone 7.3", "not-everywhere", quieter_in(0, 0, -1, least=100)),
    ("capstone 7.6", "too-little-noise", with_(noise=quieter_in(0, 0, 1))),
    ("capstone 7.2", "strange-click", to_a_decimal),
    ("capstone 7.6", "ridge-too-large", with_(ridge=lambda sigma, gram, exact: 40 * sigma)),
    ("capstone 7.6", "stranger", names_alike),
    (
        "capstone 7.3",
        "not-everywhere",
        lambda total, s, rng: noisy_gram(total, s * (0.7 if len(total) == 2 else 1), rng),
    ),
    ("capstone 7.2", "no-clicks", one_item_is_clicked),
    ("capstone 7.6", "empty", with_(send=one_item_is_clicked)),
]


def test_every_milestone_has_two_right_answers_and_enough_wrong_ones():
    right, wrong = Counter(id for id, _ in RIGHT), Counter(id for id, _, _ in WRONG)
    assert set(right.values()) == {2} and right.keys() == wrong.keys() and min(wrong.values()) >= 7
