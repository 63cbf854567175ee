"""Capstone 3.3: a vector of one fixed length, anywhere in the half of the sphere that a noisy coin chooses."""

from __future__ import annotations

import math

import numpy as np
from scipy import stats
from scipy.special import gammaln

from dpcourse.checks.again import listens
from dpcourse.checks.answers import Answer, AnswerRaised
from dpcourse.checks.base import Chance
from dpcourse.checks.diagnosis import NOTHING, Diagnosis, Refused
from dpcourse.checks.measured import as_measured
from dpcourse.checks.once import fresh, near
from dpcourse.checks.plain import only_numbers
from dpcourse.lessons.capstone_3.exercises.sides import Asked, between, by_largest, linked_coins, same_side, sided
from dpcourse.lessons.capstone_3.exercises.tools import decades, people
from dpcourse.privacy import Guarantee, Neighbours

ODD = (np.nan, np.inf, -np.inf)


def clipped(rows: np.ndarray) -> np.ndarray:
    """Rows with NaN or infinity become zeros, rows longer than 1 get length 1."""
    fine = np.where(np.isfinite(rows).all(axis=1, keepdims=True), rows, 0.0)
    return fine / np.maximum(np.linalg.norm(fine, axis=1, keepdims=True), 1.0)


def half_sphere(d: int) -> float:
    """1 over the mean of u·v for u uniform on the half of the unit sphere around v."""
    return math.sqrt(math.pi) * math.exp(gammaln((d + 1) / 2) - gammaln(d / 2))


def length(epsilon: float, d: int) -> float:
    """How long the reports are."""
    return half_sphere(d) / math.tanh(epsilon / 2)


def _directions(rng: np.random.Generator, n: int, d: int) -> np.ndarray:
    drawn = rng.normal(size=(n, d))
    return drawn / np.linalg.norm(drawn, axis=1, keepdims=True)


def reported(answer: Answer, rows: np.ndarray, epsilon: float, rng: np.random.Generator) -> np.ndarray:
    """What the answer returns: reports of the rows' shape, all finite."""
    handed = rows.copy()
    handed.setflags(write=False)
    given = answer(handed, epsilon, rng=fresh(rng))
    if given is None:
        raise Refused(NOTHING)
    reports = np.asarray(only_numbers(given), dtype=float)
    if reports.shape != rows.shape:
        raise Refused(Diagnosis("wrong-shape", f"Reports have shape {reports.shape}; {rows.shape} is wanted."))
    if not np.isfinite(reports).all():
        row = rows[~np.isfinite(reports).all(axis=1)][0]
        what, ask = f"of length {np.linalg.norm(row):.3g}", "What do you divide by on the way?"
        if not np.isfinite(row).all() or not row.any():
            what = "of zeros" if np.isfinite(row).all() else "with NaN or infinity"
            ask = "0/0 is NaN. Such a row counts as zeros: which direction do you give it?"
        seen = f"For a row {what} your report is not finite: that gives the row away."
        raise Refused(Diagnosis("not-finite", seen, ask))
    return reports


def _rows(rng: np.random.Generator, kind: str, n: int, d: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows of some kind, where they are few half of the time as measured; their lengths, and where they point."""
    directions = _directions(rng, n, d)
    if kind == "unit" and rng.random() < 0.5:
        directions[:] = directions[0]
    lengths = {
        "unit": np.ones(n),
        "short": np.full(n, decades(rng, 0.02, 0.5)),
        "long": decades(rng, 1.1, 30) * rng.uniform(1, 3, n),
        "mixed": rng.uniform(0, 2, n) * (rng.random(n) < 0.9),
        "odd": np.zeros(n),
    }[kind]
    rows = directions * lengths[:, None]
    rows = as_measured(rows, rng) if n < 10_000 else rows
    if kind != "odd":
        lengths = np.linalg.norm(rows, axis=1)
        directions = np.where(lengths[:, None] > 0, rows / np.maximum(lengths, 1e-300)[:, None], directions)
    if kind == "odd":
        rows = directions * rng.uniform(0.5, 2, (n, 1))
        rows[np.arange(n), rng.integers(d, size=n)] = rng.choice(ODD, n)
    return rows, lengths, directions


def _handed(rows: np.ndarray) -> np.ndarray:
    return rows.astype(np.float32 if rows.shape[1] > 20 else float)


def asked_of(answer: Answer, rng: np.random.Generator, kind: str, n: int, d: int, epsilon: float) -> Asked:
    """Rows of some kind, and their reports."""
    rows, lengths, directions = _rows(rng, kind, n, d)
    try:
        reports = reported(answer, _handed(rows), epsilon, rng)
    except AnswerRaised as raised:
        if kind != "odd":
            raise
        ask = "An error is an output. A row that cannot be read counts as zeros. Where do you see to that?"
        raise Refused(Diagnosis("raises", f"With NaN or infinity in a row your code stops: {raised}.", ask)) from None
    return Asked(rows, np.minimum(lengths, 1), directions, epsilon, reports)


def law(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Lengths, sides and directions of the reports, in calls of all sizes, at every ε, in 2 to 40 dimensions.

    One call is as large as the project's, or twice as large. Rows as long as the project's have single precision, as
    `simulate_telemetry` makes them.
    """
    rng, calls = chance.rng, list[tuple[str, Asked]]()
    plan = _plan(rng)
    for kind, n in (plan[place] for place in rng.permutation(len(plan))):
        d, epsilon = _setting(rng, kind, n)
        calls.extend((kind, asked_of(answer, rng, kind, n, d, epsilon)) for _ in range(2 if n < 500 else 1))
    failure = chance.failure / (8 * len(calls))
    calls.sort(key=lambda call: call[0] in ("mixed", "odd"))  # there some rows have no direction
    for kind, one in calls:
        found = _stretched(one) or _directed(one, failure)
        if found:
            return by_largest(calls, failure) or found
        if kind == "odd" and one.off(same_side, failure) > 1:
            ask = "A row that cannot be read counts as zeros, all of it. What is left of it in yours?"
            return Diagnosis("odd-rows", "Reports of rows with NaN or infinity follow the row's other numbers.", ask)
    ones = [one for _, one in calls]
    if found := _after_infinity([one for kind, one in calls if kind == "odd"], failure):
        return found
    found = sided(ones, calls, failure) or linked_coins(ones, chance.failure / 8) or _others_stay(answer, rng)
    return found or _hides(answer, chance)


def _others_stay(answer: Answer, rng: np.random.Generator) -> Diagnosis | None:
    """One row of many cannot be read: of the others 95% have a report on their side, as ever, and never 85% or fewer.

    One column is half of every row: who leaves it out has about 73%, and who leaves all rows out half.
    """
    epsilon, sizes = 3.0, ((2, 4000), (21, 4000), (people(rng, 3, 42), 10_000))
    for odd, (d, most) in zip(rng.permutation(ODD), sizes, strict=True):
        n, column = people(rng, 2000, most), rng.integers(d)
        rows = _directions(rng, n, d)
        rows[:, column] *= math.sqrt(d)
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        rows[rng.integers(n), column] = odd
        rows, there = _handed(rows), np.isfinite(rows).all(axis=1)
        reports = reported(answer, rows, epsilon, rng)
        right = float(((reports[there] * rows[there]).sum(axis=1) > 0).mean())
        if right <= 0.85:
            seen = f"One of {n:,} rows of {d} numbers cannot be read, and of the others only {right:.0%} have a report "
            seen += "on their side."
            return Diagnosis("odd-rows", seen, "One device must not change what the others send. What do you set to 0?")
    return None


def _after_infinity(odd: list[Asked], failure: float) -> Diagnosis | None:
    """Whether reports go the way of ∞ or −∞, wherever that stands: its sign was drawn by itself."""
    same = []
    for one in odd:
        at = np.nonzero(np.isinf(one.rows))
        same += (np.signbit(one.reports[at]) == np.signbit(one.rows[at])).tolist()
    if stats.binom.sf(max(sum(same), len(same) - sum(same)) - 1, len(same), 0.5) >= failure / 2:
        return None
    return Diagnosis(
        "odd-rows",
        f"Of {len(same):,} rows with an infinite number {np.mean(same):.0%} have a report on its side.",
        "A row that cannot be read counts as zeros, all of it. What does your function divide ∞ by?",
    )


def _plan(rng: np.random.Generator) -> list[tuple[str, int]]:
    """Of which kind the rows of a call are, and how many."""
    plan = [(kind, people(rng, 1, 4000)) for kind in ("unit", "short", "long", "mixed", "odd") for _ in range(5)]
    return [*plan, ("unit", 50_000), ("short", 10_000), ("odd", 10_000), ("mixed", people(rng, 50_000, 52_000))]


def _setting(rng: np.random.Generator, kind: str, n: int) -> tuple[int, float]:
    """How long they are, and ε. A large call alone shows twice ε."""
    d = people(rng, 2, 40) if n < 10_000 else people(rng, 21, 42) if kind == "mixed" else people(rng, 2, 8)
    least = 0.05 if n < 10_000 else 0.1 if kind == "unit" else 1.0
    return d, near(decades(rng, least, 6), rng, 1.0)


def _stretched(one: Asked) -> Diagnosis | None:
    """Every report has the right length."""
    d, got = one.rows.shape[1], np.linalg.norm(one.reports, axis=1)
    wanted = length(one.epsilon, d)
    if np.allclose(got, wanted, rtol=1e-6):
        return None
    seen = f"For rows of {d} numbers and epsilon = {one.epsilon:.3g} your reports are {between(got)} long"
    if np.ptp(got) > 1e-6 * got.max():
        ask = "Every report has the same length. What could a length that varies say about the row?"
        return Diagnosis("lengths-vary", f"{seen}; {wanted:.4g} would be right.", ask)
    known = (
        ("coin-not-undone", half_sphere(d), "That makes up for the half sphere, and not for the coin."),
        (
            "half-sphere-not-undone",
            1 / math.tanh(one.epsilon / 2),
            "That makes up for the coin, and not for the half sphere.",
        ),
        ("not-scaled", 1.0, "So their average is far too short."),
        ("epsilon-scale", half_sphere(d) / math.tanh(one.epsilon), "That length is for twice `epsilon`."),
        ("epsilon-scale", half_sphere(d) / math.tanh(one.epsilon / 4), "That length is for half of `epsilon`."),
    )
    for key, other, why in known:
        if np.allclose(got, other, rtol=1e-6):
            ask = "The average of many reports of one row has to be that row. How long is it in yours?"
            return Diagnosis(key, f"{seen}. {why}", ask)
    ask = "The average of many reports of one row has to be that row. How long is the average of a half sphere?"
    return Diagnosis("wrong-length", f"{seen}; {wanted:.4g} would be right.", ask)


def _directed(one: Asked, failure: float) -> Diagnosis | None:
    """On its side, a report is anywhere on the half sphere: its cosine, and what is left of it, have their exact laws.

    For u uniform on the unit sphere in d dimensions and any direction v, (1 + u·v)/2 is Beta((d − 1)/2, (d − 1)/2).
    """
    n, d = one.rows.shape
    cosine = one.cosine
    half = (d - 1) / 2
    if n < 10:
        return None
    along = one.reports @ one.reports[0]
    if np.abs(cosine).mean() < 0.999 and np.allclose(np.abs(along), along[0]):
        return Diagnosis(
            "one-direction", "All devices report along one line.", "Where do you draw a direction for each?"
        )
    if stats.kstest(np.abs(cosine), lambda c: 2 * stats.beta.cdf((1 + c) / 2, half, half) - 1).pvalue < failure:
        seen = f"The angle between report and row is not that of a point anywhere on a half sphere ({d} numbers)."
        if np.abs(cosine).mean() > 0.999:
            seen = "Your reports lie on the line of their row, forwards or backwards. So a report shows that line."
            ask = "Where else on that side may the report point?"
            return Diagnosis("shows-direction", seen, ask)
        ask = "Normal numbers divided by their norm point everywhere alike. Which law do you draw from?"
        return Diagnosis("not-uniform", seen, ask)
    if d < 3:
        return None
    rest = one.reports / np.linalg.norm(one.reports, axis=1, keepdims=True) - cosine[:, None] * one.directions
    rest /= np.linalg.norm(rest, axis=1, keepdims=True)
    other = np.sqrt(np.arange(2.0, d + 2))  # along which no row lies, be it of whole numbers
    across = other - (one.directions @ other)[:, None] * one.directions
    across /= np.maximum(np.linalg.norm(across, axis=1, keepdims=True), 1e-300)
    half = (d - 2) / 2
    found = stats.kstest((rest * across).sum(axis=1), lambda c: stats.beta.cdf((1 + c) / 2, half, half))
    if found.pvalue >= failure:
        return None
    ask = "All points of the half sphere must be equally likely. From which law do you draw one?"
    return Diagnosis("not-uniform", "Around the row's direction your reports do not point everywhere alike.", ask)


def _hides(answer: Answer, chance: Chance) -> Diagnosis | None:
    """An auditor who knows the row v, or −v in its place, looks along v. And rows are asked again."""
    from dpcourse.audit import audit_outputs  # here, because only a check that audits needs it

    rng, d, epsilon = chance.rng, people(chance.rng, 2, 25), decades(chance.rng, 0.2, 3)
    v = _directions(rng, 1, d)
    sides = [
        (reported(answer, np.repeat(sign * v, 10_000, axis=0), epsilon, rng) @ v[0] / length(epsilon, d)).round(2)
        for sign in (1, -1)
    ]
    claim = Guarantee(epsilon, neighbours=Neighbours.REPLACE_ONE)
    found = audit_outputs(*(side.tolist() for side in sides), claim=claim, confidence=1 - chance.failure / 8)
    if found.violated:
        seen = f"Reports tell v and −v apart: ε ≥ {found.epsilon_lower:.3g}, and epsilon = {epsilon:.3g}."
        return Diagnosis("not-private", seen, "How much likelier may a report be under one than under the other?")
    again = np.array([reported(answer, v, 1.0, rng)[0] for _ in range(40)])
    if len(np.unique(again.round(9), axis=0)) < 30:
        return Diagnosis(
            "same-report", "Asked again, a device sends the same report.", "Which of your draws come from `rng`?"
        )
    return None


def _lawful(rng: np.random.Generator) -> tuple[np.ndarray, float]:
    """As `law` asks: else it could be told which rows are asked again."""
    kind, n = _plan(rng)[rng.integers(25)]  # the large calls take their time
    d, epsilon = _setting(rng, kind, n)
    return _handed(_rows(rng, kind, n, d)[0]), epsilon


def drawn(answer: Answer, chance: Chance) -> Diagnosis | None:
    """No row gets a line that it had before: neither one that can be read nor, among others, one that cannot.

    For two right reports 1 − cos² is Beta((d − 1)/2, 1/2), and of vectors of length 1 the sum or the difference is at
    least as long.
    """
    rng = chance.rng
    for _ in range(3):
        d, epsilon = people(rng, 2, 40), decades(rng, 0.05, 6)
        rows = _directions(rng, people(rng, 2, 4000), d)
        odd = np.append(True, rng.random(len(rows) - 1) < 0.5)
        rows[odd, rng.integers(rows.shape[1])] = rng.choice(ODD, odd.sum())
        n = len(rows)
        first, other = (reported(answer, rows, epsilon, rng) / length(epsilon, d) for _ in range(2))
        apart = np.minimum(*(((first + sign * other) ** 2).sum(axis=1) for sign in (1, -1)))
        same = apart <= stats.beta.ppf(chance.failure / (24 * n), (d - 1) / 2, 0.5)
        if not same.any():
            continue
        seen = f"Asked again with another generator, {same.sum():,} of {n:,} reports lie on the same line as before."
        if (same & ~odd).any():
            return Diagnosis("same-report", seen, "Which of your draws come from `rng`?")
        seen += " All of these are of rows with NaN or infinity: such a report says that its row cannot be read."
        return Diagnosis("odd-rows", seen, "A row that cannot be read counts as zeros. Where does its report point?")
    return None


VECTORS = (law, drawn, listens(_lawful, reported, times=6))
