"""Capstone 4.4: tests that catch most within a budget, close to what no choice can exceed."""

from __future__ import annotations

import itertools

import numpy as np

from dpcourse.checks.answers import Answer, AnswerRaised
from dpcourse.checks.base import Chance
from dpcourse.checks.diagnosis import Diagnosis, Refused
from dpcourse.checks.once import between, spread, whole
from dpcourse.datasets import simulate_centres
from dpcourse.lessons.capstone_4.exercises.reference import chosen, timed
from dpcourse.lessons.capstone_4.numbers import bound

WANTED = 0.97
CATALOGUES = 6
TESTS = (10_000, 20_000)  # the project has 10,000
TIMES = {"whole": "whole, or equal", "decimal": "of one decimal, or equal", "alike": "all equal"}
Case = tuple[np.ndarray, np.ndarray, np.ndarray, float]


def _drawn(rng: np.random.Generator) -> Case:
    """A catalogue of some hundred tests, counts with noise (negative ones too), and a budget for half of the weight.

    Half to nine tenths, so that what is caught, and in which time, makes a difference; and so that few tests of very
    different times do not leave a gap that nobody can fill.
    """
    while True:
        tests, defects = int(200 * 5 ** rng.uniform()), int(80 * 5 ** rng.uniform())
        centres = simulate_centres(tests, defects, rng=rng)
        cost = rng.lognormal(0, 1.2, tests) * between(rng, 1e-2, 1e2)
        weights = centres.counts() + np.round(rng.laplace(0, between(rng, 1e-1, 1e2), defects))
        case = centres.total() > 0, cost, weights, float(cost.sum() * 0.001 * 30 ** rng.uniform())
        most = bound(*case)
        if 0.5 < most / np.maximum(weights, 0).sum() < 0.9 and _gain(case, chosen(*case)) > 0.975 * most:
            return case


def selected(answer: Answer, case: Case) -> np.ndarray:
    """What `choose_tests` returns: different numbers of tests, within the budget."""
    handed = [array.copy() for array in case[:3]]
    for array in handed:
        array.setflags(write=False)
    given = np.asarray(answer(*handed, case[3]))
    caught, cost, _, budget = case
    if given.ndim != 1 or (given.size and given.dtype.kind not in "iu"):
        what = f"{given.dtype} of shape {given.shape}"
        ask = "Which tests do you choose? Return their numbers: the first test is 0."
        raise Refused(Diagnosis("wrong-shape", f"You return {what}; numbers of tests are wanted, from 0.", ask))
    if given.size and not (0 <= given.min() and given.max() < len(cost)):
        raise Refused(Diagnosis("no-test", f"You choose test {given.max()}; there are {len(cost)}, from 0."))
    if len(set(given.tolist())) < given.size:
        seen = "You choose a test twice. It takes its time twice, and catches nothing new."
        raise Refused(Diagnosis("twice", seen, "What is left to gain from a test that is already chosen?"))
    spent = float(cost[given].sum()) if given.size else 0.0
    if spent > budget * (1 + 1e-9):
        ask = "Does a test still fit before it is chosen?"
        raise Refused(Diagnosis("over-budget", f"Your tests take {spent:.9g} ms, the budget is {budget:.9g} ms.", ask))
    return given


def _gain(case: Case, tests: np.ndarray) -> float:
    return float(np.maximum(case[2], 0)[case[0][tests.astype(int)].any(axis=0)].sum())


def _known(case: Case) -> list[tuple[str, np.ndarray, str, str]]:
    """What wrong answers choose here."""
    caught, cost, weights, budget = case
    heavy = np.maximum(weights, 0)

    def filled(order: np.ndarray, stop: bool = False) -> np.ndarray:
        tests, spent = [], 0.0
        for test in order:
            if spent + cost[test] <= budget:
                tests.append(test)
                spent += cost[test]
            elif stop:
                break
        return np.array(tests, dtype=int)

    own = caught @ heavy
    ranked = np.argsort(-own / cost, kind="stable")
    again = "After each choice, what do the others still add?"
    alone = "You rank tests by what each catches alone for its time. Many catch the same defects."
    return [
        ("overlap", filled(ranked), alone, again),
        ("overlap", filled(ranked, True), alone, again),
        (
            "overlap",
            filled(np.argsort(-own, kind="stable")),
            "You rank tests by what each catches alone, whatever time it takes.",
            again,
        ),
        (
            "no-cost",
            _greedy(caught, np.ones_like(cost), case),
            "You take what adds most, whatever time it takes.",
            "Several quick tests may fit into the time of one slow test. What does a test add for its time?",
        ),
        (
            "stops-early",
            _greedy(caught, cost, case, stop=True),
            "You stop at the first test that does not fit.",
            "After it, do others still fit?",
        ),
        (
            "unweighted",
            chosen(caught, cost, np.ones(len(weights)), budget),
            "You count every defect alike. Most failing chips show one of a few defects.",
            "What are the weights for?",
        ),
        ("cheapest", filled(np.argsort(cost, kind="stable")), "You take the cheapest tests.", "What do they catch?"),
    ]


def _greedy(caught: np.ndarray, per: np.ndarray, case: Case, stop: bool = False) -> np.ndarray:
    """Again and again what adds most per `per`: of all that fits, or until it does not fit."""
    _, cost, weights, budget = case
    left, tests, spent = np.maximum(weights, 0.0), list[int](), 0.0
    while True:
        fits = cost <= budget - spent
        gain = np.where(fits | stop, caught @ left / per, 0)
        best = int(gain.argmax())
        if gain[best] <= 0 or not fits[best]:
            return np.array(tests, dtype=int)
        tests.append(best)
        spent += cost[best]
        left[caught[best]] = 0


def close(answer: Answer, chance: Chance) -> Diagnosis | None:
    """At least 0.97 of the linear programme's bound, on the mean of six catalogues, and 0.85 on each."""
    cases = [_drawn(chance.rng) for _ in range(CATALOGUES)]
    sets = [selected(answer, case) for case in cases]
    ratios = [_gain(case, tests) / bound(*case) for case, tests in zip(cases, sets, strict=True)]
    if np.mean(ratios) >= WANTED and min(ratios) >= 0.85:
        return None
    seen = (
        f"Your tests catch {np.mean(ratios):.3f} of the bound on average over six catalogues, and at least {WANTED} "
        "is asked for."
    )
    for rule in zip(*map(_known, cases), strict=True):
        if all(set(known[1].tolist()) == set(tests.tolist()) for known, tests in zip(rule, sets, strict=True)):
            key, _, what, ask = rule[0]
            return Diagnosis(key, f"{seen} {what}", ask)
    return Diagnosis("not-close", seen, "Again and again the test that adds most for its time, if it still fits.")


def small(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Catalogues of 10 to 200 tests: three quarters of the bound on each, where the greedy choice reaches 0.95.

    In hundreds of them a right answer reached 0.99, and who ranks tests by what each catches alone 0.85. Of each size
    there is one as drawn, one of whole times and a whole budget, one of times with a decimal, and one in which all
    tests take as long: which of two equal ones is taken does not matter.
    """
    for low, kind in itertools.product((10, 30, 80), ("drawn", "whole", "decimal", "alike")):
        case = _few(chance.rng, whole(chance.rng, low, 2 * low + 40), kind)
        most, reached = bound(*case), _gain(case, selected(answer, case))
        if reached < 0.75 * most:
            seen = (
                f"With {len(case[1])} tests and {len(case[2])} defects, all tests together take {case[1].sum():.3g} ms "
                f"and the budget is {case[3]:.3g} ms. Your tests catch {reached / most:.3f} of the bound."
            )
            ask = "With some hundred tests your choice was good. Does it depend on how many there are?"
            if kind != "drawn":
                ask = f"With other catalogues your choice was good. What does it do with times that are {TIMES[kind]}?"
            return Diagnosis("not-close", seen, ask)
    return _all_fit(answer, chance.rng)


def _all_fit(answer: Answer, rng: np.random.Generator) -> Diagnosis | None:
    """One to ten tests that fit all together, each with a defect of its own: 0.97 on average over six catalogues."""
    ratios, sizes = list[float](), sorted(map(round, spread(rng, 1, 10, CATALOGUES)))
    for tests in sizes:
        caught = np.hstack([np.eye(tests, dtype=bool), rng.random((tests, whole(rng, 1, 20))) < 0.3])
        weights = rng.integers(20, 60, caught.shape[1]) * np.where(rng.random(caught.shape[1]) < 0.2, -1.0, 1.0)
        weights[:tests] = np.abs(weights[:tests])
        cost = timed(rng.lognormal(0, 0.5, tests) * between(rng, 1e-2, 1e2), rng)
        case = caught, cost, weights, float(cost.sum() * rng.uniform(1.01, 3))
        ratios.append(_gain(case, selected(answer, case)) / _gain(case, np.arange(tests)))
    if np.mean(ratios) >= WANTED:
        return None
    worst = int(np.argmin(ratios))
    seen = f"With {sizes[worst]} test{'s' * (sizes[worst] > 1)} and a budget for all, yours catch {ratios[worst]:.2f} "
    seen += f"of what all catch; over six such catalogues, of up to {sizes[-1]} tests, {np.mean(ratios):.2f}."
    return Diagnosis("not-close", seen, "When does your choice end? All that still adds something fits here.")


def _few(rng: np.random.Generator, tests: int, kind: str) -> Case:
    """A small catalogue with such times in which the greedy choice comes near the bound."""
    while True:
        defects = whole(rng, 10, 100)
        centres = simulate_centres(tests, defects, rng=rng)
        cost = timed(rng.lognormal(0, 0.5, tests) * between(rng, 1e-2, 1e2), rng, kind)
        weights = centres.counts() + np.round(rng.laplace(0, between(rng, 1e-1, 1e2), defects))
        weights = weights.astype(int) if rng.random() < 1 / 3 else weights * rng.choice((1, 0.37))  # its price
        budget = float(cost.sum() * rng.uniform(0.1, 0.5))
        case = centres.total() > 0, cost, weights, budget if kind == "drawn" or budget < 5 else float(round(budget))
        if 0.3 * np.maximum(weights, 0).sum() < bound(*case) < _gain(case, chosen(*case)) / 0.95:
            return case


def edges(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Nothing to catch, nothing to spend, and tests that would never fit."""
    caught, cost, weights, budget = _drawn(chance.rng)
    nothing, short = np.zeros_like(weights), float(cost.min() / 2)
    for case, what in (
        ((caught, cost, weights, 0.0), "With a budget of 0"),
        ((caught, cost, weights, short), "With a budget below every test's time"),
        ((caught, cost, nothing, budget), "With weights that are all 0"),
        ((caught, cost, nothing - 3, budget), "With weights that are all negative"),
        ((caught, cost, nothing, short), "With weights that are all 0, and a budget below every test's time,"),
        ((caught, cost, nothing - 3, short), "With negative weights, and a budget below every test's time,"),
        ((np.zeros_like(caught), cost, weights, budget), "Where no test catches anything"),
    ):
        try:
            selected(answer, case)
        except AnswerRaised as raised:
            return Diagnosis("edge-raises", f"{what} your function stops with {raised}.", "Choose nothing.")
    return _first_too_large(answer, chance) or _hardly_too_small(answer, chance)


def _first_too_large(answer: Answer, chance: Chance) -> Diagnosis | None:
    """The best test for its time does not fit; the next ones do."""
    large, size = int(chance.rng.integers(20, 60)), int(chance.rng.integers(4, 9))
    caught = np.zeros((size + 1, large + size), dtype=bool)
    caught[0, :large] = True
    caught[np.arange(1, size + 1), large + np.arange(size)] = True
    order = chance.rng.permutation(size + 1)
    cost = np.append(size + 1.0, np.ones(size))[order]
    tests = selected(answer, (caught[order], cost, np.ones(large + size), float(size)))
    if len(tests) == size:
        return None
    return Diagnosis(
        "stops-early",
        f"One test takes {size + 1} ms and catches {large} defects, {size} others take 1 ms and catch one each. With "
        f"{size} ms you choose {len(tests)} tests.",
        "After a test that does not fit, may others still fit?",
    )


def _hardly_too_small(answer: Answer, chance: Chance) -> Diagnosis | None:
    """A budget that is less than a millionth below the time of one, two or three tests, and they take as long."""
    for fit in (0, 1, 2):
        time, short = between(chance.rng, 0.1, 10.0), 10 ** chance.rng.uniform(-8, -6.5)
        found = selected(answer, (np.eye(8, dtype=bool), np.full(8, time), np.ones(8), (fit + 1) * time * (1 - short)))
        if len(found) < fit:
            seen = f"Tests that catch something take {time:.3g} ms each. With a budget of {fit + 1} times that, less a "
            seen += f"millionth, you choose {len(found)}."
            return Diagnosis("stops-early", seen, "Which tests still fit?")
    return None


def negative(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Tests that catch one defect that counts and one of large negative weight, beside tests of such defects alone."""
    many = whole(chance.rng, 3, 30)
    own, lost = np.eye(many, dtype=bool), np.zeros((many, many), dtype=bool)
    caught = np.block([[own, own, lost], [lost, lost, own]])
    weights = np.repeat([1.0, -3.0, -9.0], many) * between(chance.rng, 1.0, 30.0)
    order = chance.rng.permutation(2 * many)
    case = caught[order], np.ones(2 * many), weights, float(many)
    found = _gain(case, selected(answer, case)) / (many * weights[0])
    if found > 0.99:
        return None
    return Diagnosis(
        "negative-weights",
        f"{many} tests catch a defect of weight {weights[0]:.3g} each and one of {weights[many]:.3g}; as many others "
        f"catch one of {weights[-1]:.3g} each. The budget is for {many} tests. Yours catch {found:.0%} of what counts.",
        "A defect of negative weight counts nothing. What does it add to a test in yours?",
    )


def large(answer: Answer, chance: Chance) -> Diagnosis | None:
    """As many tests as the project has or twice as many, of fewer defects; and as many defects, of fewer tests.

    Compared with the greedy choice, as the bound takes long there: right answers reach 0.99 of it or more.
    """
    few, some = whole(chance.rng, 40, 80), whole(chance.rng, 400, 800)
    for tests, defects, part in ((whole(chance.rng, *TESTS), few, 0.002), (some, 1000, 0.03)):
        centres = simulate_centres(tests, defects, rng=chance.rng)
        case = centres.total() > 0, centres.cost, centres.counts().astype(float), float(centres.cost.sum() * part)
        ours, yours = (_gain(case, some) for some in (chosen(*case), selected(answer, case)))
        if yours < 0.93 * ours:
            seen = f"With {tests:,} tests and {defects:,} defects, in {part:.1%} of the time of all tests, yours catch "
            seen += f"{yours:,.0f} chips. Chosen again and again by what a test adds for its time, tests catch "
            ask = "With some hundred tests your choice was good. Does it depend on how many there are?"
            return Diagnosis("not-close", f"{seen}{ours:,.0f}.", ask)
    return None


def many_small(answer: Answer, chance: Chance) -> Diagnosis | None:
    """A hundred tests and more fit, each with a defect of its own: which of them are taken hardly matters."""
    fit = whole(chance.rng, 100, 250)
    tests, time = fit + whole(chance.rng, 2, 80), between(chance.rng, 0.1, 10.0)
    budget = (fit + 0.5) * time
    case = np.eye(tests, dtype=bool), np.full(tests, time), chance.rng.uniform(5, 6, tests), budget
    found = len(selected(answer, case))
    if found >= 0.9 * fit:
        return None
    seen = f"Each of {tests} tests takes {time:.3g} ms and catches a defect of its own. {fit} of them fit into the "
    return Diagnosis("not-close", f"{seen}budget, and you choose {found}.", "When does your choice end?")


CHOICE = (close, small, edges, negative, large, many_small)
