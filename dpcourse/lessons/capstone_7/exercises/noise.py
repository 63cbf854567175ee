"""Capstone 7.3: symmetric noise that hides a change of norm 1 in every direction, on the diagonal above all."""

from __future__ import annotations

import math

import numpy as np
from scipy import stats

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance
from dpcourse.checks.cases import Returns
from dpcourse.checks.diagnosis import Diagnosis, Refused
from dpcourse.checks.few import SIZES
from dpcourse.checks.gaussian import noise_ends
from dpcourse.checks.links import Draws, linked, shared
from dpcourse.checks.once import near, spread, whole
from dpcourse.checks.plain import only_numbers
from dpcourse.checks.scores import off_in_calls
from dpcourse.checks.vocabulary import Shared
from dpcourse.lessons.capstone_7.design import gram
from dpcourse.lessons.capstone_7.exercises.places import quiet_place
from dpcourse.mechanisms.additive.gaussian import gaussian_delta
from dpcourse.privacy import Guarantee

ITEMS, RUNS = 40, 500
NUMBERS = 500  # draws: half the variance in so many passes for right once in a million checks
NOTHING = 1e-9  # of the right variance: no noise
ROOT = math.sqrt(2)
Released = tuple[int, float, list[np.ndarray]]  # items, σ, and the noise of a call or two
EPSILON = 1.0  # at which the auditor looks, with the δ that the noise has there: an auditor sees a large δ best


def population(rng: np.random.Generator, items: int = ITEMS) -> np.ndarray:
    """A sum of contributions; a fifth of the items was never clicked."""
    clicked = rng.random((60, items)) < 0.2
    clicked[:, rng.permutation(items)[: items // 5]] = False
    return gram(clicked)


def _shop(rng: np.random.Generator, items: int) -> np.ndarray:
    """The same where some items are clicked by nearly all, and most by few, as in a shop."""
    popular = rng.permutation(np.clip(1 / np.arange(1, items + 1), 0.05, 0.9))
    return gram(rng.random((300, items)) < popular)


def _inputs(rng: np.random.Generator) -> tuple[np.ndarray, float]:
    return population(rng, int(rng.integers(5, 12))), float(rng.uniform(0.5, 4))


def audited(shown: np.ndarray, there: np.ndarray, claim: Guarantee, failure: float) -> float | None:
    """The ε that an auditor certifies of people with one item each, one to a diagonal entry; None if within the claim.

    `shown` holds what was released on the diagonal less what everybody else added, `there` whether the person was.
    """
    from dpcourse.audit import audit_outputs  # here, because only a check that audits needs it

    sides = [np.round(shown[there == here], 2).tolist() for here in (False, True)]
    runs = min(map(len, sides))
    result = audit_outputs(*(side[:runs] for side in sides), claim=claim, confidence=1 - failure)
    return result.epsilon_lower if result.violated else None


def hides(answer: Answer, chance: Chance) -> Diagnosis | None:
    """The auditor: people who clicked a single item, one for each item, there or not."""
    sigma = float(chance.rng.uniform(0.7, 1.2))
    claim = Guarantee(EPSILON, gaussian_delta(EPSILON, sigma))
    total = population(chance.rng)
    there = chance.rng.random((RUNS, ITEMS)) < 0.5
    shown = np.array([_released(answer, total + np.diag(row), sigma, chance) for row in there.astype(float)])
    diagonal = shown[:, range(ITEMS), range(ITEMS)] - np.diag(total)
    found = audited(diagonal.ravel(), there.ravel(), claim, chance.failure / 2)
    if found is None:
        return None
    noise = diagonal - there
    seen = (
        f"Your diagonal tells too much about people who clicked a single item: the auditor certifies ε ≥ {found:.3g}, "
        f"and right noise has ε = 1 (at δ = {claim.delta:.2g})."
    )
    if np.isclose(noise.std(), sigma / math.sqrt(2), rtol=0.05):
        return Diagnosis(
            "diagonal",
            f"{seen} On the diagonal your noise has deviation sigma/√2.",
            "Off the diagonal a pair stands twice in the norm. How often does a diagonal entry?",
        )
    ask = "A person with one item adds 1 to one diagonal entry, and nothing else. How much noise is there?"
    return law(answer, chance) or Diagnosis("not-private", seen, ask)


def _released(answer: Answer, total: np.ndarray, sigma: float, chance: Chance) -> np.ndarray:
    total.setflags(write=False)
    given = np.asarray(only_numbers(answer(total, sigma, rng=chance.rng)), dtype=float)
    if given.shape != total.shape:
        raise Refused(Diagnosis("wrong-shape", f"Your matrix has shape {given.shape}; {total.shape} is wanted."))
    return given


def law(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Symmetry, mean, and the exact law of the noise on and off the diagonal."""
    sigma = float(chance.rng.uniform(0.5, 4))
    total = population(chance.rng)
    noise = np.array([_released(answer, total, sigma, chance) for _ in range(RUNS)]) - total
    if not np.allclose(noise, noise.transpose(0, 2, 1), atol=1e-9):
        return Diagnosis(
            "not-symmetric",
            "Your matrix is not symmetric: entry (i, j) and entry (j, i) differ.",
            "Both entries say the same about the data. How do you make one noisy number of the two?",
        )
    return (
        _off_centre(noise, chance.failure / 8)
        or _by_content(noise, total)
        or noise_wrong(noise, sigma, chance.failure / 4, "sigma")
    )


def _off_centre(noise: np.ndarray, failure: float) -> Diagnosis | None:
    """Means of the runs, on the diagonal and off it, by t-tests."""
    for place, part in (("On", noise[:, range(noise.shape[1]), range(noise.shape[1])]), ("Off", _beside(noise))):
        if stats.ttest_1samp(part.mean(axis=1), 0).pvalue < failure / 2:
            return Diagnosis(
                "not-centred",
                f"{place} the diagonal your result is off by {part.mean():+.2g} on average.",
                "Do you cut anything, or add anything besides noise?",
            )
    return None


def _beside(noise: np.ndarray) -> np.ndarray:
    """The entries above the diagonal, shape (runs, pairs)."""
    upper = np.triu_indices(noise.shape[1], 1)
    return noise[:, upper[0], upper[1]]


def noise_wrong(noise: np.ndarray, sigma: float, failure: float, name: str) -> Diagnosis | None:
    """What is wrong with symmetric noise, shape (runs, items, items), that should have this deviation."""
    diagonal = noise[:, range(noise.shape[1]), range(noise.shape[1])] / sigma
    beside = _beside(noise) / sigma * ROOT
    same = [part.std() > 0 and np.ptp(part, axis=1).max() < 1e-9 for part in (diagonal, beside)]
    if any(same):
        where = "All entries" if all(same) else f"All entries {'on' if same[0] else 'off'} the diagonal"
        ask = "How many numbers do you draw for a matrix? How many different entries has a symmetric one?"
        return Shared.SHARED_NOISE.seen(f"{where} share one draw of noise.", ask)
    if not (noise.std(axis=0).max() > 0):
        return Shared.NO_NOISE.seen("Your matrix is the same in every run.")
    return (
        _off_centre(noise, failure / 8)
        or _linked(np.hstack([diagonal, beside]), failure / 8)
        or amount(noise, sigma, failure, name)
        or quiet_place([*(noise / sigma)], failure / 16)
        or _shared(noise, failure / 16)
        or _follows(np.hstack([diagonal, beside]), failure / 16)
        or _not_normal(np.hstack([diagonal, beside]), failure / 8)
        or noise_ends(diagonal.ravel(), failure / 16)
        or noise_ends(beside.ravel(), failure / 16)
    )


def _linked(noise: np.ndarray, failure: float) -> Diagnosis | None:
    """The sum of all entries of a run has as much variance as they have together, shape (runs, entries)."""
    spread = float((noise.sum(axis=1) ** 2).sum() / (noise**2).mean(axis=0).sum())
    if stats.chi2.ppf(failure, len(noise)) <= spread <= stats.chi2.isf(failure, len(noise)):
        return None
    return Diagnosis(
        "linked-noise",
        f"Your entries do not have independent noise: the sum of all has {spread / len(noise):.2g} times the variance "
        "that it would have then.",
        "Does every pair of items have a draw of its own, and every item on the diagonal?",
    )


def _shared(noise: np.ndarray, failure: float) -> Diagnosis | None:
    """Entries that go together, in a run or from run to run: all runs one after another, without what mirrors them."""
    once = np.broadcast_to(np.triu(np.ones(noise.shape[1:])), noise.shape).ravel()
    if where := linked([Draws(np.sign(noise).ravel() * once, once)], failure):
        seen = f"Entries of your noise have the same sign, or the opposite, more often than by chance: {where}."
        return Shared.LINKED_NOISE.seen(seen, "Does every pair of items, and every item, have a draw of its own?")
    return None


def _follows(entries: np.ndarray, failure: float) -> Diagnosis | None:
    """Entries in units of their deviations, shape (runs, entries)."""
    if seen := shared([*entries], failure, even=True):
        return Shared.LINKED_NOISE.seen(seen, "Does every pair of items, and every item, have a draw of its own?")
    return None


def amount(noise: np.ndarray, sigma: float, failure: float, name: str) -> Diagnosis | None:
    """Variances of symmetric noise, shape (runs, items, items), in units of the right ones."""
    diagonal, beside = noise[:, range(noise.shape[1]), range(noise.shape[1])] / sigma, _beside(noise) / sigma * ROOT
    ratios = [float((part**2).mean()) for part in (diagonal, beside)]
    low, high = [], []
    for part, ratio in zip((diagonal, beside), ratios, strict=True):
        low.append(stats.chi2.cdf(part.size * ratio, part.size) < failure / 8)
        high.append(stats.chi2.sf(part.size * ratio, part.size) < failure / 8)
    if not any(low + high):
        return None
    seen = f"Your noise has {_times(ratios[0])} on the diagonal and {_times(ratios[1])} off it."
    if low[0] and not low[1]:
        return Diagnosis(
            "diagonal",
            f"{seen} A person with a single item changes the diagonal alone.",
            "A single 1 on the diagonal is a matrix of norm 1. Which deviation does the noise need in that entry?",
        )
    ask = "Take a symmetric matrix of norm 1. Which deviation does your noise have in its direction?"
    if max(ratios) < 1.3 * min(ratios):
        ask = f"Both are off by about the same factor. The deviation asked for is {name}. Which one do you draw with?"
    if ratios[1] < NOTHING:
        seen += " So the total is published exactly there."
        ask = "A pair of items adds to two entries off the diagonal. Which noise hides that?"
    if any(low):
        return Shared.TOO_LITTLE_NOISE.seen(seen, ask)
    if high[1] and ratios[1] > 1.5 * ratios[0]:
        return Diagnosis(
            "counts-twice",
            f"{seen} Off the diagonal that is too much.",
            "A pair of items stands twice in the norm, with the same noise in both places. Which deviation is enough?",
        )
    return Shared.TOO_MUCH_NOISE.seen(seen, ask)


def _times(ratio: float) -> str:
    return "no variance" if ratio < NOTHING else f"{ratio:.2g} times the right variance"


def _not_normal(noise: np.ndarray, failure: float) -> Diagnosis | None:
    """Kolmogorov and Smirnov's test of all entries, in units of the right deviations."""
    if stats.kstest(noise.ravel(), stats.norm.cdf).pvalue >= failure:
        return None
    seen = "Your noise has the right variance, but it is not normal."
    return Diagnosis("not-normal", seen, "Normal noise is asked for. Which method of `rng` draws it?")


def off_anywhere(found: list[Released], chance: Chance, name: str = "sigma") -> Diagnosis | None:
    """What is wrong with the noise of releases, each alone and by items and by σ (called `name`), from either end."""
    asked = [({"items": items, name: sigma}, [_units(one) / sigma for one in noise]) for items, sigma, noise in found]
    words = off_in_calls(asked, chance.failure / 2, chance.rng)
    ask = "How large the noise is follows from sigma alone. What else does yours depend on?"
    if words:
        return Shared.NOT_EVERYWHERE.seen(words, ask)
    each = chance.failure / (4 * len(found))
    looks = (quiet_place([one / sigma for one in noise], each) for _, sigma, noise in found)
    return next(filter(None, looks), None)


def _units(noise: np.ndarray) -> np.ndarray:
    """A symmetric matrix as independent numbers of one deviation."""
    return np.concatenate([np.diag(noise), noise[np.triu_indices(len(noise), 1)] * ROOT])


def anywhere(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Catalogues of 1 to 1,000 items and sums over 60 to 40,000 people, twice each, at any σ, and one of them often.

    A third of the sums are whole: those of people with a single item each. Others are of nobody.
    """
    rng, found = chance.rng, []
    for size in spread(rng, 1, 1000, 16):
        total = (_shop if rng.random() < 0.5 else population)(rng, round(size))
        sigma = near(0.02 * 5000 ** rng.random(), rng, 1.0)
        total = np.diag(np.round(np.diag(total))) if rng.random() < 1 / 3 else total
        total *= whole(rng, 1, 700) if rng.random() < 0.8 else 0
        found.append((len(total), sigma, [_released(answer, total.copy(), sigma, chance) - total for _ in range(2)]))
    return off_anywhere(found, chance) or _often(answer, chance) or _of_few(answer, chance)


def _often(answer: Answer, chance: Chance) -> Diagnosis | None:
    """A catalogue of up to the shop's 500 items, a hundred times: half the noise in one entry shows."""
    total = _shop(chance.rng, whole(chance.rng, 60, 500))
    sigma = near(0.02 * 5000 ** chance.rng.random(), chance.rng, 1.0)
    noise = [(_released(answer, total.copy(), sigma, chance) - total) / sigma for _ in range(100)]
    return quiet_place(noise, chance.failure / 8)


def _of_few(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Catalogues of one to five items, so often that seven tenths of the noise in those of one size show."""
    rng, level = chance.rng, chance.failure / (16 * len(SIZES))
    for items in SIZES:
        units = list[np.ndarray]()
        while sum(map(len, units)) < NUMBERS:
            total, sigma = population(rng, items), near(0.02 * 5000 ** rng.random(), rng, 1.0)
            units.append(_units(_released(answer, total.copy(), sigma, chance) - total) / sigma)
        found = np.concatenate(units)
        square = float((found**2).sum())
        if min(stats.chi2.cdf(square, len(found)), stats.chi2.sf(square, len(found))) < level:
            seen = f"With a catalogue of {items} item{'s' * (items > 1)}, {len(units)} times, your noise has "
            seen += f"{_times(square / len(found))}."
            ask = "How large the noise is follows from sigma alone. What else does yours depend on?"
            return Shared.NOT_EVERYWHERE.seen(seen, ask)
    return None


def _by_content(noise: np.ndarray, total: np.ndarray) -> Diagnosis | None:
    """Entries nobody clicked are noised like the others: two thousand numbers at least, variance within a fifth."""
    for part, filled in (
        (_beside(noise), _beside(total[None])[0] > 0),
        (noise[:, range(ITEMS), range(ITEMS)], np.diag(total) > 0),
    ):
        clicked, never = (float(np.sqrt((part[:, where] ** 2).mean())) for where in (filled, ~filled))
        if clicked > 0 and not 0.8 < never / clicked < 1.25:
            seen = f"Where nobody clicked your noise is {never / clicked:.2g} times as large as where somebody did."
            if never < NOTHING * clicked:
                seen = "Where nobody clicked your matrix has no noise: an exact 0 there says so."
            return Diagnosis("noise-by-content", seen, "May the noise of an entry depend on whether somebody clicked?")
    return None


NOISE = (Returns(_inputs, what="array", shape=lambda total, sigma: total.shape), hides, law, anywhere)
