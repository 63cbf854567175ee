"""Exercises of lesson 07: local protocols, memory, and the shuffler."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Exercise, Trial, Wrong
from dpcourse.checks.cases import Audited, Equals, Mistake, Returns, Useful
from dpcourse.privacy import Guarantee, Neighbours

# Inputs of two or three kinds are drawn at random; in this many a kind is missing with probability 3e-11 at most.
_TIMES = 60

# 07.1 Which protocol


def _best(k: int, epsilon: float) -> str:
    return "k-RR" if k < 3 * math.exp(epsilon) + 2 else "OUE"


def _a_domain(rng: np.random.Generator) -> tuple[int, float]:
    """ε anywhere, and k near the crossover as often as far from it."""
    epsilon = float(rng.uniform(0.1, 4.0))
    bound = 3 * math.exp(epsilon) + 2
    k = round(bound * rng.uniform(0.5, 1.5)) if rng.random() < 0.5 else round(10 ** rng.uniform(0.4, 2.5))
    k = max(2, k)
    return (k, epsilon) if abs(k - bound) > 1e-6 else (k + 1, epsilon)


PROTOCOL = (
    Equals(
        _a_domain,
        expected=_best,
        times=100,
        mistakes=(
            Mistake(
                lambda k, epsilon: "OUE",
                Wrong(
                    "You always take OUE; with few answers or a large ε randomized response has less variance.",
                    "Compare (e^ε + k − 2)/(e^ε − 1)² with 4e^ε/(e^ε − 1)².",
                    "always-oue",
                ),
            ),
            Mistake(
                lambda k, epsilon: "k-RR",
                Wrong(
                    "You always take randomized response; its variance grows with k, that of OUE does not.",
                    "Compare the two variances of the lesson.",
                    "always-rr",
                ),
            ),
            Mistake(
                lambda k, epsilon: "OUE" if k < 3 * math.exp(epsilon) + 2 else "k-RR",
                Wrong("The wrong way round.", "Which of them suffers when k grows?", "swapped"),
            ),
            Mistake(
                lambda k, epsilon: "k-RR" if k < 3 * epsilon + 2 else "OUE",
                Wrong("You compare k with 3ε + 2.", "It is e^ε that grows: 3e^ε + 2.", "no-exp"),
            ),
            Mistake(
                lambda k, epsilon: "k-RR" if k < math.exp(epsilon) + 2 else "OUE",
                Wrong("You compare k with e^ε + 2.", "e^ε + k − 2 < 4e^ε: solve for k.", "lost-three"),
            ),
            Mistake(
                lambda k, epsilon: (
                    "k-RR"
                    if math.exp(epsilon) + k - 2 < math.exp(epsilon / 2) * (math.exp(epsilon / 2) + 1) ** 2
                    else "OUE"
                ),
                Wrong("That is where randomized response beats *symmetric* unary encoding.", "Take OUE's.", "sue"),
            ),
        ),
    ),
)

# 07.2 Optimized unary encoding

_K = 6


def _two_people(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Fifty people; the first one's answer is replaced. The auditor looks at the first person's two bits."""
    codes = rng.integers(_K, size=50)
    other = codes.copy()
    other[0] = (codes[0] + rng.integers(1, _K)) % _K
    return codes, other


def _audit_call(epsilon: float, k: int):
    """Which answer the two neighbours have is drawn anew for each pair, so the view is the whole first row as one number."""

    def call(answer: Answer, codes: np.ndarray, rng: np.random.Generator) -> int:
        row = np.asarray(answer(codes, k, epsilon, rng=rng))[0].astype(bool)
        return int(row @ (1 << np.arange(k)))

    return call


def _bits(codes: np.ndarray, k: int, epsilon: float, truth: float, lie: float) -> tuple[float, float]:
    return truth, lie


def _known_bits(epsilon: float) -> dict[str, tuple[tuple[float, float], Wrong]]:
    """The probabilities (own bit, other bits) that known mistakes have, with their diagnoses."""
    e, h = math.exp(epsilon), math.exp(epsilon / 2)
    return {
        "full-epsilon": (
            (e / (e + 1), 1 / (e + 1)),
            Wrong(
                "Every bit is flipped with probability 1/(e^ε + 1), the full ε on each. Two people differ in *two* bits: 2ε.",
                "Optimized unary encoding tells the own bit with a fair coin.",
                "full-epsilon",
            ),
        ),
        "symmetric": (
            (h / (h + 1), 1 / (h + 1)),
            Wrong(
                "That is the symmetric encoding: private, and not the one asked for.",
                "Optimized: own bit with probability ½, every other bit with 1/(e^ε + 1).",
                "symmetric",
            ),
        ),
        "own-bit-sure": (
            (1.0, 1 / (e + 1)),
            Wrong(
                "A person's own bit is always 1. A report where it is 0 then proves that this is not her answer.",
                "The own bit needs a coin too: probability ½.",
                "own-bit-sure",
            ),
        ),
        "inverse": (
            (0.5, 1 / e),
            Wrong(
                "The other bits are set with probability e^(−ε); then e^ε = p(1 − q)/((1 − p)q) gives another ε.",
                "With p = ½ solve for q: 1/(e^ε + 1).",
                "inverse",
            ),
        ),
        "half-epsilon": (
            (0.5, 1 / (h + 1)),
            Wrong(
                "The other bits are set with probability 1/(e^(ε/2) + 1): private, and noisier than it need be.",
                "With p = ½ solve e^ε = p(1 − q)/((1 − p)q) for q.",
                "half-epsilon",
            ),
        ),
    }


def _right_bits(answer: Answer, trial: Trial) -> Wrong | None:
    """How often own and other bits are set, against ½ and 1/(e^ε + 1) and against known mistakes."""
    from scipy.stats import binomtest

    epsilon, n = float(trial.rng.uniform(0.8, 2.0)), 20_000
    codes = trial.rng.integers(_K, size=n)
    reports = np.asarray(answer(codes, _K, epsilon, rng=trial.rng)).astype(bool)
    mine = codes[:, None] == np.arange(_K)
    own, other = int(reports[mine].sum()), int(reports[~mine].sum())

    def fits(truth: float, lie: float) -> bool:
        # Bits of one person may hang together in a wrong answer; for the right one they do not.
        return (
            binomtest(own, n, truth).pvalue > trial.failure / 4
            and binomtest(other, n * (_K - 1), lie).pvalue > trial.failure / 4
        )

    if fits(0.5, 1 / (math.exp(epsilon) + 1)):
        # Bits of different columns must be independent of each other: compare how often two other bits are set at once.
        first, second = (reports[np.arange(n), (codes + step) % _K] for step in (1, 2))
        lie = 1 / (math.exp(epsilon) + 1)
        if binomtest(int((first & second).sum()), n, lie**2).pvalue < trial.failure / 4:
            return Wrong(
                "The bits of one person hang together: one draw decides several of them.",
                "Draw independently for every bit: rng.random((n, k)).",
                "one-draw",
            )
        return None
    for (truth, lie), wrong in _known_bits(epsilon).values():
        if fits(truth, lie):
            return wrong
    return Wrong(
        f"At ε = {epsilon:.2f} a person's own bit is set with probability {own / n:.3f} and every other bit with "
        f"{other / (n * (_K - 1)):.3f}.",
        "Wanted: ½ and 1/(e^ε + 1).",
        "wrong-probabilities",
    )


UNARY = (
    Returns(
        inputs=lambda rng: (rng.integers(5, size=40), 5, float(rng.uniform(0.5, 2))),
        what="array",
        shape=lambda codes, k, epsilon: (len(codes), k),
        among=(False, True, 0, 1, 0.0, 1.0),
    ),
    _right_bits,
    Audited(
        _two_people,
        Guarantee(1.0, neighbours=Neighbours.REPLACE_ONE),
        call=_audit_call(1.0, _K),
        runs=8000,
        times=2,
        hint="Two people differ in two bits. What is the largest ratio of probabilities that gives?",
    ),
)

# 07.3 From bits to counts


def _estimate(reports: np.ndarray, epsilon: float) -> np.ndarray:
    lie = 1 / (math.exp(epsilon) + 1)
    return (reports.sum(axis=0) - len(reports) * lie) / (0.5 - lie)


def _reports(rng: np.random.Generator) -> tuple[np.ndarray, float]:
    """Reports in which the last two answers are rare, so that some estimates are negative."""
    epsilon, n = float(rng.uniform(0.5, 2.5)), int(rng.integers(200, 400))
    codes = rng.choice(5, p=[0.4, 0.3, 0.3, 0.0, 0.0], size=n)
    mine = codes[:, None] == np.arange(5)
    return rng.random(mine.shape) < np.where(mine, 0.5, 1 / (math.exp(epsilon) + 1)), epsilon


def _symmetric_estimate(reports: np.ndarray, epsilon: float) -> np.ndarray:
    lie = 1 / (math.exp(epsilon / 2) + 1)
    return (reports.sum(axis=0) - len(reports) * lie) / (1 - 2 * lie)


def _scaled(reports: np.ndarray, epsilon: float) -> np.ndarray:
    counts = reports.sum(axis=0)
    return counts / counts.sum() * len(reports)


ESTIMATE = (
    Equals(
        _reports,
        expected=_estimate,
        times=30,
        mistakes=(
            Mistake(
                lambda reports, epsilon: reports.sum(axis=0),
                Wrong(
                    "Those are the reports, counted. Most of the bits that are set are noise.",
                    "E[R] = Np + (n − N)q. Solve for N.",
                    "raw-counts",
                ),
            ),
            Mistake(
                lambda reports, epsilon: np.maximum(_estimate(reports, epsilon), 0),
                Wrong(
                    "You cut negative estimates off at 0, which makes rare answers look more frequent than they are.",
                    "Leave them negative. Whoever needs a table projects it afterwards, as a whole.",
                    "clipped",
                ),
            ),
            Mistake(
                lambda reports, epsilon: reports.sum(axis=0) - len(reports) / (math.exp(epsilon) + 1),
                Wrong(
                    "You take the noise away and forget that only half of the true bits were told.",
                    "Divide by p − q.",
                    "no-division",
                ),
            ),
            Mistake(
                lambda reports, epsilon: 2 * reports.sum(axis=0),
                Wrong(
                    "You double the reports, as if all of them were true bits.", "Subtract n·q first.", "no-subtraction"
                ),
            ),
            Mistake(
                _symmetric_estimate,
                Wrong(
                    "Those are the probabilities of the *symmetric* encoding.",
                    "Here p = ½, q = 1/(e^ε + 1).",
                    "symmetric",
                ),
            ),
            Mistake(
                lambda reports, epsilon: _estimate(reports, epsilon) / len(reports),
                Wrong("Those are shares.", "Counts are asked for: multiply by n.", "shares"),
            ),
            Mistake(
                _scaled,
                Wrong(
                    "You scale the reports so that they add up to n. The noise is still in them.",
                    "E[R] = Np + (n − N)q. Solve for N.",
                    "scaled",
                ),
            ),
        ),
    ),
)

# 07.4 What T days cost


def _cost(days: int, daily: float, permanent: float) -> float:
    return min(days * daily, permanent)


def _a_phone(rng: np.random.Generator) -> tuple[int, float, float]:
    permanent = float(rng.uniform(1, 4))
    return int(rng.integers(2, 40)), permanent * float(10 ** rng.uniform(-2, -0.3)), permanent


COST = (
    Equals(
        _a_phone,
        expected=_cost,
        times=_TIMES,
        mistakes=(
            Mistake(
                lambda days, daily, permanent: days * daily,
                Wrong(
                    "You add the days up without end, as if there were no memory.",
                    "Everything sent is a function of the permanent answer. What does post-processing say?",
                    "no-memory",
                ),
            ),
            Mistake(
                lambda days, daily, permanent: permanent,
                Wrong(
                    "That is the price for ever. After a few days less is proven.",
                    "Days add up too. Both bounds hold.",
                    "always-permanent",
                ),
            ),
            Mistake(
                lambda days, daily, permanent: max(days * daily, permanent),
                Wrong("That is the larger of two true bounds.", "Quote the smaller.", "larger"),
            ),
            Mistake(
                lambda days, daily, permanent: permanent + days * daily,
                Wrong(
                    "You charge for the permanent answer and for the days. But the permanent answer itself is never sent.",
                    "What does somebody see who sees all the reports?",
                    "both",
                ),
            ),
            Mistake(
                lambda days, daily, permanent: daily,
                Wrong(
                    "That is the price of a single day. The others are released as well.",
                    "A guarantee is about everything released.",
                    "one-day",
                ),
            ),
            Mistake(
                lambda days, daily, permanent: min(math.sqrt(days) * daily, permanent),
                Wrong(
                    "√days is the growth of advanced composition, which needs a δ.",
                    "Without δ the days add up: days · ε.",
                    "square-root",
                ),
            ),
        ),
    ),
)

# 07.5 After the shuffler


def _spread(epsilon: float, n: int, delta: float) -> float:
    return 8 * math.sqrt(math.exp(epsilon) * math.log(4 / delta) / n) + 8 * math.exp(epsilon) / n


def _allowed(epsilon: float, n: int, delta: float) -> bool:
    return epsilon <= math.log(n / (16 * math.log(2 / delta)))


def _shuffled(epsilon: float, n: int, delta: float) -> float:
    if not _allowed(epsilon, n, delta):
        return epsilon
    return min(epsilon, math.log1p(math.tanh(epsilon / 2) * _spread(epsilon, n, delta)))


def _a_crowd(rng: np.random.Generator) -> tuple[float, int, float]:
    """Large crowds, where the theorem helps; crowds just too small for its condition; tiny crowds."""
    kind, delta = rng.integers(3), float(10 ** rng.uniform(-9, -5))
    epsilon = float(rng.uniform(0.5, 2.5))
    needed = 16 * math.log(2 / delta) * math.exp(epsilon)
    if kind == 0:
        return epsilon, int(needed * 10 ** rng.uniform(0.5, 3)), delta
    return epsilon, int(needed * (rng.uniform(0.7, 0.95) if kind == 1 else rng.uniform(0.02, 0.2))) + 2, delta


def _shuffled_by(formula: Any):
    """The theorem with another formula in it."""

    def wrong(epsilon: float, n: int, delta: float) -> float:
        return min(epsilon, formula(epsilon, n, delta)) if _allowed(epsilon, n, delta) else epsilon

    return wrong


SHUFFLED = (
    Equals(
        _a_crowd,
        expected=_shuffled,
        times=_TIMES,
        mistakes=(
            Mistake(
                lambda epsilon, n, delta: min(epsilon, math.log1p(math.tanh(epsilon / 2) * _spread(epsilon, n, delta))),
                Wrong(
                    "You use the formula where its condition ε₀ ≤ ln(n/(16 ln(2/δ))) fails: there the theorem says nothing.",
                    "What is left then? The phone's own promise.",
                    "no-condition",
                ),
            ),
            Mistake(
                _shuffled_by(lambda epsilon, n, delta: math.tanh(epsilon / 2) * _spread(epsilon, n, delta)),
                Wrong("The logarithm is missing: ε = ln(1 + …).", "That is smaller than what stands in it.", "no-log"),
            ),
            Mistake(
                _shuffled_by(lambda epsilon, n, delta: math.log1p(_spread(epsilon, n, delta))),
                Wrong("The factor (e^ε₀ − 1)/(e^ε₀ + 1) is missing.", "Read the formula once more.", "no-factor"),
            ),
            Mistake(
                lambda epsilon, n, delta: (
                    math.log1p(math.tanh(epsilon / 2) * _spread(epsilon, n, delta))
                    if _allowed(epsilon, n, delta)
                    else math.inf
                ),
                Wrong(
                    "Where the condition fails you promise nothing at all. But each phone has added noise.",
                    "Shuffling never hurts: return ε₀ there.",
                    "infinite",
                ),
            ),
            Mistake(
                lambda epsilon, n, delta: epsilon / math.sqrt(n),
                Wrong(
                    "ε₀/√n has the right growth and is no theorem: it is smaller than the truth.",
                    "Use the formula, with its constants.",
                    "root-n",
                ),
            ),
            Mistake(
                lambda epsilon, n, delta: epsilon,
                Wrong("That is the local ε: what the shuffler gains is lost.", "Use the theorem.", "no-gain"),
            ),
        ),
    ),
)

# 07.6 A phone that reports every day

_DAYS, _ANSWERS = 12, 4


def _two_answers(rng: np.random.Generator) -> tuple[int, int]:
    first = int(rng.integers(_ANSWERS))
    return first, int((first + rng.integers(1, _ANSWERS)) % _ANSWERS)


def _all_days(epsilon: float):
    def call(answer: Answer, truth: int, rng: np.random.Generator) -> Any:
        return answer(truth, _DAYS, _ANSWERS, epsilon, rng=rng)

    return call


def _votes(reports: np.ndarray) -> int:
    """The most frequent report (the smallest of several): what an attacker would bet on."""
    return int(np.bincount(np.asarray(reports).astype(int), minlength=_ANSWERS).argmax())


def _pattern(reports: np.ndarray) -> str:
    """The reports of the first three days: enough to see whether they are one report or three."""
    return "".join(map(str, np.asarray(reports).astype(int)[:3]))


def _how_daily(answer: Answer, trial: Trial, _: Any) -> Wrong | None:
    runs = [np.asarray(_all_days(1.0)(answer, 1, trial.rng)).astype(int) for _ in range(600)]
    if all((run == 1).all() for run in runs):
        return Wrong("Your phone always tells the truth.", "Where does the randomness come in?", "no-noise")
    if all(run[0] == 1 for run in runs):
        return Wrong(
            "On the first day your phone tells the truth; noise later does not take that back.",
            "Randomize once, before anything is sent.",
            "first-day-true",
        )
    if any(np.ptp(run) > 0 for run in runs):
        return Wrong(
            "Every day has fresh noise, and the days can be averaged: together they cost about days · ε.",
            "Draw one report, remember it, and send it every day.",
            "fresh-noise",
        )
    truth = np.mean([run[0] == 1 for run in runs])
    if truth > 0.6:
        return Wrong(
            f"Your report is the truth with probability {truth:.2f} at ε = 1. With {_ANSWERS} answers that is more than ε "
            "allows: e^ε/(e^ε + 1) is the formula for two.",
            "Each lie has probability (1 − p)/(k − 1). What is p over that?",
            "formula-of-two",
        )
    return None


DAILY = (
    Returns(
        inputs=lambda rng: (int(rng.integers(5)), int(rng.integers(3, 20)), 5, float(rng.uniform(0.5, 2))),
        what="array",
        shape=lambda answer, days, k, epsilon: (days,),
        among=lambda answer, days, k, epsilon: list(range(k)),
    ),
    Audited(
        _two_answers,
        Guarantee(1.0, neighbours=Neighbours.REPLACE_ONE),
        call=_all_days(1.0),
        view=_votes,
        runs=6000,
        times=2,
        diagnose=_how_daily,
        hint="All the days together must be ε-DP.",
    ),
    Audited(
        _two_answers,
        Guarantee(1.0, neighbours=Neighbours.REPLACE_ONE),
        call=_all_days(1.0),
        view=_pattern,
        runs=8000,
        diagnose=_how_daily,
        hint="All the days together must be ε-DP.",
    ),
    # At ε = 1 the truth may be told with probability e/(e + 3) = 47.5%, at ε = 3 with 87%.
    Useful(
        _two_answers,
        truth=lambda answer: answer,
        within=0.0,
        at_least=0.8,
        call=_all_days(3.0),
        error=lambda output, answer: float(np.mean(np.asarray(output) != answer)),
        hint="At ε = 3 one remembered report may be the truth 87% of the time. Do you share ε among the days?",
    ),
    Useful(
        _two_answers,
        truth=lambda answer: answer,
        within=0.0,
        at_least=0.42,
        runs=4000,
        call=_all_days(1.0),
        error=lambda output, answer: float(np.mean(np.asarray(output) != answer)),
        hint="At ε = 1 one remembered report may be the truth 47.5% of the time.",
    ),
)

EXERCISES = (
    Exercise("07.1", "Which protocol", PROTOCOL, call="best_protocol(k, epsilon)"),
    Exercise("07.2", "Optimized unary encoding", UNARY, call="unary_reports(codes, k, epsilon, rng)"),
    Exercise("07.3", "From bits to counts", ESTIMATE, call="estimate(reports, epsilon)"),
    Exercise("07.4", "What T days cost", COST, call="cost(days, epsilon_daily, epsilon_permanent)"),
    Exercise("07.5", "After the shuffler", SHUFFLED, call="shuffled(epsilon, n, delta)"),
    Exercise("07.6", "A phone that reports every day", DAILY, call="daily_reports(answer, days, k, epsilon, rng)"),
)
