"""Exercises 13.4 and 13.5: drawing the children, and how often a copy gives somebody away."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np
from scipy import stats

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance
from dpcourse.checks.cases import Frequencies, Mistake, Returns, Value, for_each
from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.checks.links import Draws, linked, stays
from dpcourse.checks.measured import in_a_file
from dpcourse.checks.once import whole
from dpcourse.checks.scores import Asked, off_somewhere, score_of
from dpcourse.checks.vocabulary import Shared
from dpcourse.lessons.lesson_13.exercises.few_people import conditional, few_people

# 13.4 Draw the children


def _drawing(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """A noisy table with negative counts and a row without a positive one, and parents for it.

    Outputs are coded as parent · 4 + child, so that one distribution says all.
    """
    table = rng.integers(20, 200, size=(3, 4))
    order = rng.permutation(4)
    table[np.arange(3), order[:3]] = -rng.integers(30, 60, size=3)
    # Rows whose proportions differ clearly; never the negative cell, so that each of these rows has one.
    table[np.arange(3), order[1:]] += 300
    table = np.vstack([table, -rng.integers(1, 40, size=(1, 4))])[rng.permutation(4)]
    share = rng.dirichlet(np.full(4, 20.0))
    parents = rng.choice(4, size=20_000, p=share)
    return parents, table


def _steep_row(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Nearly everybody has one parent, whose counts lie far apart: proportional means proportional."""
    table = np.array([rng.permutation([1000, int(rng.integers(120, 180)), -40, -20]) for _ in range(4)])
    parents = rng.permutation(np.append(np.full(30_000, rng.integers(4)), np.arange(4)))
    return parents, table


def _with_law(draw):
    def inputs(rng: np.random.Generator):
        data = draw(rng)
        return [data], [_expected(data, conditional(data[1]))]

    return inputs


def _expected(data: tuple[np.ndarray, np.ndarray], children: np.ndarray) -> dict[Hashable, float]:
    parents, table = data
    share = np.bincount(parents, minlength=len(table)) / len(parents)
    return dict(enumerate((share[:, None] * children).ravel().tolist()))


def _rows(weights: np.ndarray) -> np.ndarray:
    weights = np.asarray(weights, dtype=float)
    weights[weights.sum(axis=1) == 0] = 1
    return weights / weights.sum(axis=1, keepdims=True)


def _marginal(table: np.ndarray) -> np.ndarray:
    total = np.maximum(table, 0).sum(axis=0)
    return np.tile(total / total.sum(), (len(table), 1))


def _by_column(table: np.ndarray) -> np.ndarray:
    """Normalised down the columns, then along the rows so that something can be drawn."""
    positive = np.maximum(table, 0).astype(float)
    return _rows(positive / np.maximum(positive.sum(axis=0, keepdims=True), 1e-300))


def _draw(answer: Answer, data: tuple[np.ndarray, np.ndarray], rng: np.random.Generator) -> np.ndarray:
    children = np.asarray(answer(*data, rng=rng))
    if children.shape != data[0].shape:
        raise ValueError(f"a result of shape {children.shape} where {data[0].shape} is wanted")
    return data[0] * 4 + children


def _together(_: Any, code: float) -> str:
    return f"Parent {int(code) // 4} and child {int(code) % 4} come out together"


def _drawn_by(children):
    """The laws of who draws from these rows."""
    return for_each(lambda data: _expected(data, children(data[1])))


def _empty_row(answer: Answer, chance: Chance) -> Diagnosis | None:
    """A parent whose row has no positive count."""
    parents, table = _drawing(chance.rng)
    try:
        answer(parents, table, rng=chance.rng)
    except Exception as error:
        text = str(error)
        if "NaN" in text or "nan" in text or "division" in text or "sum to 1" in text:
            return Diagnosis(
                "empty-row",
                "A row of the table has no positive count at all, and dividing by its sum gives no shares.",
                "The noise says that nobody has this parent. Make every child equally likely there.",
            )
        if "non-negative" in text:
            return Diagnosis(
                "negative-shares",
                "Some of the noisy counts are negative, and they are no probabilities.",
                "Cut them at zero before you divide by the sum of the row.",
            )
        raise
    return None


def _most_frequent(answer: Answer, chance: Chance) -> Diagnosis | None:
    """The most frequent child for thousands of people, in every call, wherever a row has a positive count."""
    parents, table = _drawing(chance.rng)
    some, most = table.max(axis=1)[parents] > 0, table.argmax(axis=1)[parents]
    for _ in range(20):
        children = np.asarray(answer(parents, table, rng=chance.rng))
        if children.shape != parents.shape or not np.array_equal(children[some], most[some]):
            return None
    return Diagnosis(
        "not-random",
        "Everybody gets the most frequent child of their parent.",
        "Draw, so that the rarer ones occur as often as they should.",
    )


def _one_draw(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Thousands of people with the same parent, and one child for all of them, another one in the next call."""
    parents, table = _drawing(chance.rng)
    found = []
    for _ in range(20):
        children = np.asarray(answer(parents, table, rng=chance.rng))
        first = [children[parents == parent][0] for parent in range(len(table))]
        if not np.array_equal(children, np.array(first)[parents]):
            return None
        found.append(tuple(first))
    if len(set(found)) == 1:
        return None
    return Diagnosis(
        "one-draw",
        "Everybody with the same parent gets the same child, another one in each call: one draw serves them all.",
        "A draw of its own for each person: size=….",
    )


def _any_table(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Tables of any shape, whole or not: of some parents, how often one child comes, and how often in the first half.

    One of them is for a city, with four parents whose children differ much; in twelve counts are around one.

    Given how often it comes, how often it does so early is hypergeometric.
    """
    answer.renew()
    rng, asked, worst, told, deaf, draws = chance.rng, [], 0.0, "", 0, list[Draws]()
    for place in rng.permutation(32):
        city, small = place == 0, place > 19
        shape = (4, whole(rng, 5, 20)) if city else (whole(rng, 1, 30), whole(rng, 2, 60))
        table = rng.normal(1 if city else whole(rng, 1, 100), 100, size=shape) * 10 ** rng.choice(
            (0, rng.uniform(0, 3))
        )
        if small:
            table /= 100
        elif rng.random() < 0.5:
            table = np.rint(table).astype(int)
        parents = rng.integers(
            shape[0], size=whole(rng, 45_000, 100_000) if city else whole(rng, 1 + 300 * small, 45_000)
        )
        parents = in_a_file(parents, rng)
        children, shares, scores = np.asarray(answer(parents, table, rng=rng)), conditional(table), []
        equal = (shares**2).sum(axis=1)[parents]  # the chance of the same child again
        if np.log(equal).sum() < -60 or (equal * (1 - equal)).sum() >= 100:
            same = children == np.asarray(answer(parents, table, rng=rng))
            if same.all() or stays(same, equal, 1e-3 * chance.failure):
                deaf = max(deaf, int(same.sum()))
        for parent in rng.permutation(np.unique(parents))[: 4 if city else 2]:
            here = children[parents == parent]
            likely = int(rng.choice(shape[1], p=shares[parent]))
            seen, half = here == likely, here.size // 2
            share = float(shares[parent, likely])
            draws.append(Draws(seen - share, np.full(here.size, share * (1 - share))))
            early = stats.hypergeom(here.size, int(seen.sum()), half)
            for law, came, where in (
                (stats.binom(here.size, share), seen, "for its share in `table`"),
                (early, seen[:half], "in the first half of the people"),
            ):
                scores.append(score_of(law, int(came.sum()), rng))
                if abs(scores[-1]) > worst:
                    worst, often = abs(scores[-1]), "often" if came.sum() > law.mean() else "seldom"
                    told = (
                        f"In a call with rows = {shape[0]}, columns = {shape[1]}, people = {parents.size:,}, one child "
                        f"comes out far too {often} {where}: child {likely} in {came.sum():,} of {came.size:,} draws "
                        f"for parent {parent}. Right is about {law.mean():,.1f}."
                    )
        asked.append(Asked({"rows": shape[0], "columns": shape[1], "people": parents.size}, np.array(scores)))
    if not (words := off_somewhere(asked, 0.9 * chance.failure)):
        if where := linked(draws, 0.06 * chance.failure):
            seen = f"Of the people with one parent, two have the same child too often, or too seldom: {where}."
            return Shared.NOT_EVERYWHERE.seen(seen, "Does everybody draw, whatever the others before them drew?")
        seen = f"Asked again with another generator, {deaf:,} children are the same: more than chance explains."
        return Diagnosis("own-generator", seen, "Where do you draw from the `rng` you are given?") if deaf else None
    if worst < 6:  # no single one is far off, but many are a little
        told = words.replace("your results are", "the numbers of people with one child are")
    return Shared.NOT_EVERYWHERE.seen(told, "For which tables, or for how many people, do you do something else?")


CHILDREN = (
    _empty_row,
    _most_frequent,
    Returns(
        inputs=_drawing,
        what="array",
        shape=lambda parents, table: parents.shape,
        among=range(4),
    ),
    _one_draw,
    Frequencies(
        _with_law(_drawing),
        runs=1,
        call=_draw,
        mistakes=(
            Mistake(
                "absolute",
                _drawn_by(lambda table: _rows(np.abs(table))),
                "Negative counts come out as if they were people: −40 as often as 40.",
                "A negative count is noise around (almost) nobody. Cut it at zero.",
            ),
            Mistake(
                "shifted",
                _drawn_by(lambda table: _rows(table - table.min(axis=1, keepdims=True))),
                "You lift each row until nothing is negative, which gives people to every other cell too.",
                "Cut at zero, and leave the positive counts as they are.",
            ),
            Mistake(
                "shifted",
                _drawn_by(lambda table: _rows(table - table.min())),
                "You lift the table until nothing is negative, which gives people to every other cell too.",
                "Cut at zero, and leave the positive counts as they are.",
            ),
            Mistake(
                "ignores-parent",
                _drawn_by(_marginal),
                "The children do not depend on their parents: you draw from the sums over all rows.",
                "Take the row of each record's own parent.",
            ),
            Mistake(
                "wrong-axis",
                _drawn_by(_by_column),
                "You normalise the columns. The child is drawn *given the parent*, which is the row.",
                "Which axis must add up to 1?",
            ),
        ),
        words=_together,
        hint="For each parent the children must come out in the proportions of the positive counts in its row.",
    ),
    Frequencies(
        _with_law(_steep_row),
        runs=1,
        call=_draw,
        words=_together,
        hint="For each parent the children must come out in the proportions of the positive counts in its row.",
    ),
    _any_table,
    few_people,
)

# 13.5 Copies

_N, _DRAWN = 45_222, 20_000

COPIED = Value(
    1 - (1 - 1 / _N) ** _DRAWN,
    mistakes=(
        Mistake(
            "complement",
            (1 - 1 / _N) ** _DRAWN,
            "That is the probability that Ana is *not* in the table.",
            "One minus it is asked for.",
        ),
        Mistake(
            "expectation",
            _DRAWN / _N,
            "That is how many times she is in it on average.",
            "Sometimes it is twice, sometimes never. How often never?",
        ),
        Mistake(
            "all-drawn",
            1 - (1 - 1 / _N) ** _N,
            "That is the probability for as many draws as there are people in the data.",
            "How many draws are there here?",
        ),
        Mistake("one-draw", 1 / _N, "That is the chance of a single draw.", "There are 20,000 of them."),
        Mistake("coin", 0.5, "No: in or out is not a fair coin.", "Each draw misses her with probability 1 − 1/n."),
    ),
)
