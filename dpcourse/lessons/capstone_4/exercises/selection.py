"""Capstone 4.6: the tests that are chosen follow what is published, and catch what tests can."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import repeat

import numpy as np
from scipy import stats

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance
from dpcourse.checks.diagnosis import Diagnosis, Refused
from dpcourse.checks.once import fresh, spread
from dpcourse.checks.whole_noise import missing
from dpcourse.datasets import simulate_centres
from dpcourse.datasets.centres import NAMES
from dpcourse.lessons.capstone_4.exercises.reference import chosen, counted
from dpcourse.lessons.capstone_4.exercises.world import Message, Office, Release, office, released


def tests_wrong(given: Release, at: Office) -> Diagnosis | None:
    """The tests: numbers within the budget, about as good as ours for the counts that were published."""
    tests = given.tests
    inside = tests.dtype.kind in "iu" and ((tests >= 0) & (tests < len(at.cost))).all()
    if tests.ndim != 1 or (tests.size and not inside):
        seen = f"`tests` has to hold the tests you choose, as whole numbers from 0 to {len(at.cost) - 1}, in one row."
        return Diagnosis("wrong-tests", seen, "What does 4.4 return, and what do you make of it?")
    if len(set(tests.tolist())) < tests.size or at.cost[tests.astype(int)].sum() > at.budget * (1 + 1e-9):
        return Diagnosis(
            "over-budget",
            "`tests` takes more than the budget, or one test twice.",
            "What did 4.4 say of tests and budget?",
        )
    caught, weights = given.total > 0, np.maximum(given.counts, 0)
    # Where two tests are equally good either may be taken: the least of those in any order counts.
    orders = [*_orders(at.cost), *_orders(caught @ weights)]
    *all_ours, yours = (
        float(weights[caught[some.astype(int)].any(axis=0)].sum())
        for some in (*(one[chosen(caught[one], at.cost[one], weights, at.budget)] for one in orders), tests)
    )
    ours = min(all_ours)
    if yours >= 0.7 * ours:
        return None
    return Diagnosis(
        "tests-elsewhere",
        f"By the published counts, your tests catch {yours:.4g} chips. Chosen as in 4.4, tests catch {ours:.4g}.",
        "Are they chosen as in 4.4, and from what is published, `total` > 0 and `counts`, and nothing else?",
    )


def _orders(values: np.ndarray) -> list[np.ndarray]:
    """By these values up and down, and equal ones by their number up and down."""
    up, down = np.argsort(values, kind="stable"), np.argsort(values[::-1], kind="stable")
    return [up, up[::-1], len(values) - 1 - down, len(values) - 1 - down[::-1]]


def _there(
    given: Release, messages: list[Message], epsilon: float, rng: np.random.Generator, failure: float
) -> Diagnosis | None:
    """The noise of two centres together is whole with many tests, too; `missing` says how often by chance not."""
    defects = len(given.counts)
    noise = [given.noisy[name] - counted(chips, defects) for name, _, chips in messages]
    pairs = np.concatenate([noise[0] + noise[1], noise[2] + noise[3]])
    if not missing(pairs, np.full(len(pairs), epsilon), rng, failure):
        return None
    return Diagnosis(
        "not-everywhere",
        f"With {len(given.total)} tests and {defects} defects the noise of two centres together is not whole at ε = "
        f"{epsilon:g}: its mean size is {np.abs(pairs).mean():.3g}, not {1 / math.sinh(epsilon):.3g}.",
        "With one test in the catalogue it is whole. What does your noise depend on besides ε?",
    )


def quiet(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Where noise is louder than the counts, tests follow the published counts and not the true ones."""
    for _ in range(2):
        at = office(chance.rng, 40, 30)
        messages: list[Message] = [
            (name, (chance.rng.random((40, 30)) < 0.1).astype(float), chance.rng.integers(0, 3, 40).astype(float))
            for name in NAMES
        ]
        given = released(answer, messages, Office(at.p, at.q, at.shares, at.cost, at.budget / 3), 0.01, chance.rng)
        if given is None:
            return Diagnosis("refuses-all", "Four centres sent something, and you refuse.")
        wrong = tests_wrong(given, Office(at.p, at.q, at.shares, at.cost, at.budget / 3))
        wrong = wrong or _there(given, messages, 0.01, chance.rng, chance.failure / 12)
        if wrong:
            return wrong
    return _as_published(answer, chance) or _one_chip(answer, chance)


def _as_published(answer: Answer, chance: Chance) -> Diagnosis | None:
    """At any ε, counts that noise mixes up: tests are chosen by what is published.

    Each defect has a test of its own, so there is nothing to choose but by count and cost. By exact counts, tests catch
    about three quarters as much of the published ones.
    """
    ratios, asked = [], spread(chance.rng, 0.03, 3, 24)
    for epsilon in asked:
        at, cells, *_ = _tests_of_their_own(chance.rng)
        at = replace(at, budget=float(at.cost.sum() / 4))
        chips = [chance.rng.integers(0, 8, int(2 / epsilon) + 1).astype(float) for _ in NAMES]
        given = released(answer, list(zip(NAMES, repeat(cells), chips, strict=False)), at, epsilon, chance.rng)
        if given is None:
            return Diagnosis("refuses-all", "Four centres sent something, and you refuse.")
        caught, weights = cells > 0, np.maximum(given.counts, 0)
        some = given.tests.astype(int), chosen(caught, at.cost, weights, at.budget)
        yours, ours = (float(weights[caught[one].any(axis=0)].sum()) for one in some)
        ratios.append(yours / ours if ours else 1.0)
    if np.mean(ratios) >= 0.95:
        return None
    return Diagnosis(
        "tests-elsewhere",
        f"Where each defect has a test of its own, and noise is larger than the counts (ε from {min(asked):.2g} to "
        f"{max(asked):.2g}), your tests catch {np.mean(ratios):.0%} of what tests chosen as in 4.4 catch, by the "
        "published counts.",
        "Are they chosen from what is published, `total` and `counts`, and nothing else?",
    )


def _one_chip(answer: Answer, chance: Chance) -> Diagnosis | None:
    """One chip failed, by this defect or by that, or both. The same noise, 2,000 in size, hides it, and the tests stay.

    They stay in their order, too. In right answers a chip in noise of 2,000 decides between tests in one run of a
    hundred at most, so in one of fifty where there are two such runs: five of nine do with probability 4e-7.
    """
    same = differ = 0
    while differ < 5:
        at, cells, here, there = _tests_of_their_own(chance.rng)
        seed, found = int(chance.rng.integers(2**63)), []
        for failed in ([here], [there], [here, there]):
            given = _of_chips(answer, at, cells, failed, np.random.default_rng(seed))
            found.append((given.tests.tolist(), given.counts))
        other = [one[0] for one in found[1:] if one[0] != found[0][0] and np.abs(one[1] - found[0][1]).max() <= 1]
        if not other:
            same += 1
            if same == 5:
                return _told_apart(answer, chance)
        else:
            differ += 1
    return Diagnosis(
        "tests-elsewhere",
        f"Runs with the same noise, of size 2,000. In one a chip failed by defect {here}, in others by {there}, or one "
        f"by each: `counts` differ by 1 at most. Your tests are {found[0][0]} and {other[0]}.",
        "Are they chosen from what is published, `total` and `counts`, and nothing else?",
    )


def _told_apart(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Such chips again and again, each under noise of its own: no test tells which of two defects one had."""
    right, wrong, runs = 0, 0, 160
    for _ in range(runs):
        at, cells, here, there = _tests_of_their_own(chance.rng)
        caught = cells[_of_chips(answer, at, cells, [here], fresh(chance.rng)).tests].any(axis=0)
        right, wrong = right + int(caught[here] > caught[there]), wrong + int(caught[there] > caught[here])
    if stats.binom.sf(right - 1, right + wrong, 0.5) >= chance.failure / 12:
        return None
    return Diagnosis(
        "tests-elsewhere",
        f"In each of {runs} runs one chip failed, and noise of size 2,000 hides by which defect. We compared this "
        f"defect with one other. Your tests catch just one of the two in {right + wrong} runs, and in {right} of these "
        "it is the chip's. About half would be right.",
        "Are they chosen from what is published, `total` and `counts`, and nothing else?",
    )


def _tests_of_their_own(rng: np.random.Generator) -> tuple[Office, np.ndarray, int, int]:
    """An office, a catalogue in which each of eight defects has a test of its own, and two of them."""
    cells = np.zeros((10, 8))
    cells[rng.permutation(10)[:8], range(8)] = 1
    here, there = rng.permutation(8)[:2].tolist()
    return office(rng, 10, 30), cells, here, there


def _of_chips(answer: Answer, at: Office, cells: np.ndarray, failed: list[int], rng: np.random.Generator) -> Release:
    """What is released where a centre's one or two chips failed, by these defects, under noise of size 2,000."""
    chips = np.array(failed, dtype=float)
    messages: list[Message] = [(name, cells, chips if name == NAMES[0] else chips[:0]) for name in NAMES]
    given = released(answer, messages, at, 1e-3, rng)
    if given is None:
        raise Refused(Diagnosis("refuses-all", "Four centres sent something, and you refuse."))
    return given


def useful(answer: Answer, chance: Chance) -> Diagnosis | None:
    """At ε = 1 with 100,000 failing chips: the tests catch what those chosen with exact counts catch."""
    ratios = []
    wrong: Diagnosis | None = None
    for _ in range(2):
        centres = simulate_centres(80, 30, rng=chance.rng)
        at = office(chance.rng, 1)
        at = Office(at.p, at.q, at.shares, centres.cost, float(centres.cost.sum() / 10))
        messages = [(name, a.astype(float), centres.chips[name].astype(float)) for name, a in centres.matrices.items()]
        given = released(answer, messages, at, 1.0, chance.rng)
        if given is None:
            return Diagnosis("refuses-all", "Four centres sent something, and you refuse.")
        pooled, counts = centres.total() > 0, centres.counts()
        best = chosen(pooled, at.cost, counts, at.budget)
        yours, ours = (counts[pooled[some.astype(int)].any(axis=0)].sum() for some in (given.tests, best))
        ratios.append(float(yours / ours))
        wrong = wrong or _there(given, messages, 1.0, chance.rng, chance.failure / 2)
    if np.mean(ratios) >= 0.95:
        return wrong
    return Diagnosis(
        "not-useful",
        f"At ε = 1 and a tenth of the time of 80 tests, your tests catch {np.mean(ratios):.2f} of what tests chosen "
        "with exact counts catch.",
        "Are they chosen as in 4.4, from `total` > 0 and the noisy counts?",
    )
