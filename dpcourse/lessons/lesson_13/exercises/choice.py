"""Exercise 13.3: the exponential mechanism chooses a pair of columns, with its own probabilities."""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance
from dpcourse.checks.cases import Frequencies, Mistake, Returns, for_each
from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.checks.measured import in_a_file
from dpcourse.checks.once import whole
from dpcourse.checks.places import Place, Placed, place_of_choice
from dpcourse.checks.selection import far_behind, few_or_equal, largest_after, softmax
from dpcourse.checks.vocabulary import Shared


def _scores(rng: np.random.Generator, low: float = 2.6, high: float = 3.2) -> tuple[np.ndarray, float]:
    """Scores with differences of a few units, far from zero, in an order nobody can guess; ε and ε/2 away from 1."""
    gaps = np.array([0.0, 1.0, 2.5, 4.0]) * rng.uniform(0.8, 1.2)
    return rng.permutation(rng.uniform(5_000, 20_000) - gaps), float(rng.uniform(low, high))


def _small_epsilon(rng: np.random.Generator) -> tuple[np.ndarray, float]:
    return _scores(rng, 0.4, 0.6)


def _close(rng: np.random.Generator) -> tuple[np.ndarray, float]:
    """The best of four has a probability below 0.32: a right answer does not choose it twenty times in a row."""
    scores, epsilon = _scores(rng, 0.7, 1.4)
    return scores.max() + 0.15 * (scores - scores.max()), epsilon


def _many_alike(rng: np.random.Generator) -> tuple[np.ndarray, float]:
    """Forty pairs alike and one better: Laplace noise on the scores finds the better one more often than it should."""
    epsilon = float(rng.uniform(0.8, 1.6))
    scores = np.full(41, rng.uniform(5_000, 20_000))
    scores[rng.integers(scores.size)] += 2 * float(rng.uniform(3.0, 3.5)) / epsilon
    return scores, epsilon


def _noisy_max(scores: np.ndarray, scale: float) -> dict[Hashable, float]:
    return dict(enumerate(largest_after(scores / scale).tolist()))


def _softmax(scores: np.ndarray, scale: float) -> dict[Hashable, float]:
    return dict(enumerate(softmax(scores / scale).tolist()))


def _choose(answer: Answer, data: tuple[np.ndarray, float], rng: np.random.Generator) -> int:
    return answer(*data, rng=rng)


def _chosen_from(scores: np.ndarray, epsilon: float) -> list[int]:
    return list(range(len(scores)))


def _overflows(answer: Answer, chance: Chance) -> Diagnosis | None:
    """A naive e^(εu/2) of scores in the thousands is infinite, and its shares are NaN."""
    scores, epsilon = _scores(chance.rng)
    try:
        answer(scores, epsilon, rng=chance.rng)
    except Exception as error:
        if "NaN" in str(error) or "nan" in str(error):
            return Diagnosis(
                "overflow",
                "With scores in the thousands your weights overflow to infinity, and their shares are NaN.",
                "Only differences of scores matter: subtract the largest first.",
            )
        raise
    return None


def _below_zero(answer: Answer, chance: Chance) -> Diagnosis | None:
    """One of eight pairs is better than all others by 80/ε: a right answer misses it with probability 7·e⁻⁴⁰."""
    for _ in range(10):
        epsilon = float(chance.rng.uniform(0.5, 2.0))
        scores = -chance.rng.uniform(5_000, 20_000) - 80 / epsilon * chance.rng.permutation(8)
        chosen = int(answer(scores, epsilon, rng=chance.rng))
        if chosen != scores.argmax():
            return Diagnosis(
                "negative-scores",
                f"With ε = {epsilon:.2g} and scores from {scores.min():,.0f} to {scores.max():,.0f}, all below 0, you "
                f"choose a pair with {scores[chosen]:,.0f}. The best should come out practically always.",
                "What does your function do with a score below 0?",
            )
    return None


def _drawn_from(*scores):
    def inputs(rng: np.random.Generator):
        questions = [draw(rng) for draw in scores]
        return questions, [_softmax(data[0], 2 / data[1]) for data in questions]

    return inputs


_NOISY_MAX = Mistake(
    "noisy-max",
    for_each(lambda data: _noisy_max(data[0], 2 / data[1])),
    "You take the largest score after adding Laplace noise. That is ε-DP too, but another mechanism: "
    "its choices occur with other probabilities, and a cost of ε²/8 is proven for the exponential one.",
    "Draw with weights e^(εu/2), or add Gumbel noise instead: that gives the same law.",
)
_CHOICE_MISTAKES = (
    Mistake(
        "two-twos",
        for_each(lambda data: _softmax(data[0], 4 / data[1])),
        "Your weights are exp(εu/4): the choice is more random than ε asks.",
        "One 2 is enough.",
    ),
    Mistake(
        Shared.EPSILON_IGNORED,
        for_each(lambda data: _softmax(data[0], 2)),
        "Your choice does not follow ε: it is the one for ε = 1.",
    ),
    Mistake(
        "upside-down",
        for_each(lambda data: _softmax(data[0], 2 * data[1])),
        "Your choice gets worse as ε grows.",
        "The weight of a score u is exp(εu/2).",
    ),
    Mistake(
        "no-two",
        for_each(lambda data: _softmax(data[0], 1 / data[1])),
        "Your choice is as sharp as with weights exp(εu): between neighbours the best score can fall while another "
        "rises, and the odds move by e^(2ε).",
        "Which factor belongs under the ε? If you add noise to scores: which scale has it?",
    ),
    Mistake(  # and who chooses in proportion to the score itself: scores in the thousands, a few apart, are all alike
        "uniform",
        for_each(lambda data: {i: 0.25 for i in range(4)}),
        "All pairs come out about equally often, though one score is some units better than the others.",
        "Where do the scores come in, and how much does a difference of one unit weigh?",
    ),
    Mistake(
        "sign",
        for_each(lambda data: _softmax(-data[0], 2 / data[1])),
        "The worst pair comes out most often.",
        "Look at the sign in the exponent.",
    ),
    _NOISY_MAX,
)


def _anywhere(answer: Answer, epsilon: float, many: int, rng: np.random.Generator) -> list[Place]:
    """Pairs some units of 2/ε behind the best, which may be below 0, and every other time some that are far behind;
    every other time scores are whole numbers, one of them the largest, and two of three such are counts, without a
    point."""
    behind = rng.exponential(size=many)
    if rng.random() < 0.5:
        behind[2:] += 10 ** rng.uniform(2, 4) * (rng.random(many - 2) < 0.5)
        rng.shuffle(behind)
    behind = in_a_file(behind, rng)
    most = whole(rng, 20_000, 90_000) if rng.random() < 0.5 else whole(rng, 1, 20_000)
    scores = float(rng.choice([-1, 1])) * most - 2 / epsilon * behind
    if rng.random() < 0.5:
        scores = np.rint(scores)
        scores[scores.argmax()] += 1
        behind = epsilon / 2 * (scores.max() - scores)
        scores = scores.astype(np.int64) if rng.random() < 2 / 3 else scores
    chosen = answer(scores, epsilon, rng=rng)
    return [place_of_choice(int(chosen), softmax(-behind), behind, rng)]


def _far_behind(answer: Answer, chance: Chance) -> Diagnosis | None:
    epsilon = float(chance.rng.uniform(0.5, 2))
    return far_behind(lambda behind: int(answer(-2 / epsilon * behind, epsilon, rng=chance.rng)), chance.rng)


def _few_or_equal(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Half of the time around 0, as where no pair stands out. Of one pair, that one is chosen."""
    epsilon, best = float(chance.rng.uniform(0.5, 2)), whole(chance.rng, 1, 20_000) * int(chance.rng.integers(2))
    one = answer(np.array([float(best)]), epsilon, rng=chance.rng)
    if not np.array_equal(one, 0):
        seen = f"Of one pair, with the score {best:,}, you choose {one!r}; its index is 0."
        return Shared.NOT_EVERYWHERE.seen(seen, "What does your function do where there is nothing to choose?")
    return few_or_equal(lambda behind: int(answer(best - 2 / epsilon * behind, epsilon, rng=chance.rng)), chance)


CHOICE = (
    _overflows,
    Returns(inputs=_close, what="integer", among=_chosen_from),
    Frequencies(
        _drawn_from(_scores, _small_epsilon),
        runs=5000,
        call=_choose,
        mistakes=_CHOICE_MISTAKES,
        hint="Which probability should each output have? Add them up: they must give 1.",
    ),
    Frequencies(
        _drawn_from(_many_alike),
        runs=10_000,
        call=_choose,
        mistakes=(_NOISY_MAX,),
        hint="The weight of a score u is exp(εu/2), however many pairs there are.",
    ),
    _below_zero,
    Placed(_anywhere, sizes=(2, 300), of="pairs", times=400, whole=True),
    _far_behind,
    _few_or_equal,
)
