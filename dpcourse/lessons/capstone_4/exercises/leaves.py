"""Capstone 4.5: what the opened sum tells those who add up what they know, and a share of noise for the counts."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np
from scipy import stats

from dpcourse.checks.again import drawn_elsewhere
from dpcourse.checks.answers import Answer, AnswerRaised
from dpcourse.checks.base import Chance
from dpcourse.checks.diagnosis import Diagnosis, Refused, a
from dpcourse.checks.noise_laws import geometric
from dpcourse.checks.once import fresh, whole
from dpcourse.checks.plain import only_numbers
from dpcourse.checks.vocabulary import Shared
from dpcourse.lessons.capstone_4.exercises.reference import counted, fractions, learned
from dpcourse.privacy import Guarantee

PARTS = ("learned", "chip_report")
DEFECTS = 4_000
SPANS = ((0.02, 0.06), (0.06, 0.2), (0.2, 0.6), (0.6, 2.0), (2.0, 5.0))
STRANGE = (np.nan, np.inf, -np.inf, -1.0, -0.5, 0.5, 1e300, -1e300, 1e19)


def variance(epsilon: float) -> float:
    """Of discrete Laplace noise with P[x] ∝ e^(−ε|x|)."""
    return 2 * math.exp(-epsilon) / math.expm1(-epsilon) ** 2


def tells(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Exact, for any number of parties and of those who collude, the server alone among them, of one cell or many."""
    if not isinstance(answer.value, tuple | list) or len(answer.value) != len(PARTS):
        return Diagnosis("wrong-shape", f"({', '.join(PARTS)}) is wanted, and this is {a(answer.value)}.")
    for parties, together in [(4, 3), (4, 0), (4, 1), (4, 2), (5, 2), (3, 1), (7, 6), (6, 3)]:
        most = 60_000 if together < 3 else 300_000 // parties  # cells, some thousand tests
        shape = (rows := whole(chance.rng, 1, 20_000), whole(chance.rng, 1, max(most // rows, 1)))
        shape = (most // 500, 500) if (parties, together) == (4, 3) else shape
        true = chance.rng.random(shape) < chance.rng.uniform(0.3, 0.7)
        matrices = [(true & (chance.rng.random(shape) < 0.8)).astype(int) for _ in range(parties)]
        kind = np.int8 if chance.rng.random() < 0.5 else np.int64  # the project's own cells have 8 bits
        total, own = np.sum(matrices, axis=0).astype(kind), [one.astype(kind) for one in matrices[:together]]
        given = answer.part(0)(total.copy(), [one.copy() for one in own], parties)
        right = learned(total, own, parties)
        got = np.asarray(given)
        if got.shape != shape:
            return Diagnosis("wrong-shape", f"`learned` returns {a(given)} of shape {got.shape}; {shape} is wanted.")
        if np.array_equal(got, right):
            continue
        if together == 3 and parties == 4 and np.array_equal(got, total):
            ask = "Three centres know their own cells. What is left of the sum for the fourth?"
            return Diagnosis("own-not-taken", "You return the opened sum.", ask)
        return _misread(got, right, total, own, parties)
    return None


def _misread(got: np.ndarray, right: np.ndarray, total: np.ndarray, own: list[np.ndarray], parties: int) -> Diagnosis:
    others, together = parties - len(own), len(own)
    where = tuple(int(k) for k in np.argwhere(got != right)[0])
    who = f"The server alone looks at {parties} centres, and the opened cell is {total[where]}."
    if own:
        own_cells = ", ".join(str(one[where]) for one in own)
        who = f"{together} of {parties} centres collude. The opened cell is {total[where]}, their own are {own_cells}."
    if right[where] < 0:
        ask = f"Can one tell which of the {others} {'others' if own else 'centres'} have a 1 there?"
    else:
        left = "other centre" if others == 1 else f"{others} {'others' if own else 'centres'}"
        ask = f"How much of the opened cell is left for the {left}?"
    return Diagnosis("wrong-knowledge", f"{who} You say {got[where]}; {right[where]} is right.", ask)


def summed(
    answer: Answer, failures: list[np.ndarray], defects: int, epsilon: float, shares: int, rng: Any
) -> np.ndarray:
    """What these centres report, added up."""
    total = np.zeros(defects)
    for one in failures:
        frozen = one.copy()
        frozen.setflags(write=False)
        made = fresh(rng)
        sent = np.asarray(only_numbers(answer.part(1)(frozen, defects, epsilon, shares, made)), dtype=float)
        if sent.shape != (defects,):
            seen = f"`chip_report` has shape {sent.shape}; a number for each of {defects} defects is wanted."
            raise Refused(Diagnosis("defects-from-data", seen, "How many defects there are is public."))
        if not np.array_equal(sent, np.round(sent)):
            raise Refused(
                Diagnosis(
                    "not-whole",
                    "`chip_report` holds numbers that are not whole. Only whole numbers can be encrypted, and rounding "
                    "changes the law.",
                    "A whole number of Laplace noise is the difference of two geometric ones. What are those sums of?",
                )
            )
        total += sent
    return total


def counts(answer: Answer, chance: Chance) -> Diagnosis | None:
    """At a huge ε the noise is gone, so what is counted shows; a strange label reaches nobody else's count."""
    for look in range(3 + len(STRANGE) + 4):
        defects, chips = int(chance.rng.integers(3, 400)), int(10 ** chance.rng.uniform(0, 4.7))
        fine = chance.rng.integers(0, defects, chips * (look % 4 > 0)).astype(float)
        labels = [*STRANGE, float(defects), defects + 0.5, *fractions(chance.rng, defects)]
        strange = np.full(int(chance.rng.integers(1, 4)), labels[max(look - 3, 0)])
        failures = chance.rng.permutation(np.concatenate((fine, strange if look > 2 else fine[:0])))
        what, ask = "With failures that are all defects", "Each chip adds one to one count. Which one?"
        if look > 2:
            many = f"{len(strange)} failures" if len(strange) > 1 else "a failure"
            what = f"With {defects} defects, and {many} of {_named(strange[0])} among others"
            ask = f"Defects are the whole numbers 0 … {defects - 1}. What does anything else add, and to which count?"
        elif not failures.size:
            what, ask = "With a centre where no chip failed", "What does such a centre send?"
        try:
            got = summed(answer, [failures], defects, 60.0, 1, chance.rng)
        except AnswerRaised as raised:
            return Diagnosis(
                "raises",
                f"{what}, `chip_report` stops with {raised}. An error is an output, and it tells about the chips.",
                ask,
            )
        off = got - counted(failures, defects)
        if np.any(off):
            return Diagnosis(
                "miscounts",
                f"{what}, your counts are off by {np.abs(off).sum():,.0f} in all. That is at ε = 60, where noise is "
                "practically always 0.",
                ask,
            )
    return None


def _named(strange: float) -> str:
    return {"nan": "NaN", "inf": "infinity", "-inf": "−infinity"}.get(str(strange), f"{strange:g}".replace("-", "−"))


def own(answer: Answer, chance: Chance) -> Diagnosis | None:
    """A report's noise is the same for the same generator, and another for another.

    At ε of 0.5 and less a third of the whole noise is the same at 200 defects by chance with probability below 1e-26.
    """
    rng = chance.rng
    for shares in (1, 2, 3):
        epsilon, defects = float(0.02 * 25 ** rng.uniform()), int(rng.integers(200, 400))
        chips = _failures(defects, rng)
        if wrong := drawn_elsewhere(functools.partial(_noise, answer, chips, defects, epsilon, shares), rng):
            return wrong
    return None


def _noise(answer: Answer, chips: np.ndarray, defects: int, epsilon: float, shares: int, seed: int) -> np.ndarray:
    return noise_of(answer, [chips], defects, epsilon, shares, np.random.default_rng(seed))


def noise_of(
    answer: Answer, failures: list[np.ndarray], defects: int, epsilon: float, shares: int, rng: np.random.Generator
) -> np.ndarray:
    """What the sum of these centres' reports is off by."""
    truth = np.sum([counted(one, defects) for one in failures], axis=0)
    return summed(answer, failures, defects, epsilon, shares, rng) - truth


def law(answer: Answer, chance: Chance) -> Diagnosis | None:
    """The noise of so many reports together: its size, its law, new for every defect, whatever is counted.

    Once with a short list of defects and many calls, for the rest with a long list; and once more with crowds of labels
    that are no defect among the failures.
    """
    settings = _settings(chance.rng)
    for strange in (False, True):
        for look, (epsilon, shares) in enumerate(settings):
            defects = DEFECTS if look or strange else int(chance.rng.integers(20, 60))
            wrong = _lawful(answer, chance, defects, epsilon, shares, strange)
            if wrong and strange:
                return wrong.led_by("Among the failures are many labels that are no defect, such as NaN, −1 and 0.5. ")
            if wrong:
                return wrong
    return None


def _lawful(
    answer: Answer, chance: Chance, defects: int, epsilon: float, shares: int, strange: bool
) -> Diagnosis | None:
    """One setting. Some count's noise is beyond `far` with a probability below `level`, and twice that is a crowd."""
    noise, truth, level = list[np.ndarray](), list[np.ndarray](), chance.failure / 30
    far = math.log(2 * DEFECTS / level) / epsilon
    crowd = np.repeat([*STRANGE, float(defects), defects + 0.5], math.ceil(2 * far) if strange else 0)
    while sum(map(len, noise)) < DEFECTS:
        failures = [
            chance.rng.permutation(np.concatenate((_failures(defects, chance.rng), crowd))) for _ in range(shares)
        ]
        truth.append(np.sum([counted(one, defects) for one in failures], axis=0))
        noise.append(summed(answer, failures, defects, epsilon, shares, chance.rng) - truth[-1])
    found, known = np.concatenate(noise), np.concatenate(truth)
    if strange and np.abs(found).max() > far:
        seen = f"At ε = {epsilon:.3g} one of your counts is off by {np.abs(found).max():,.0f}, farther than noise goes."
        ask = f"Defects are the whole numbers 0 … {defects - 1}. What does anything else add, and to which count?"
        return Diagnosis("miscounts", seen, ask)
    if all(np.ptp(one) == 0 for one in noise) and found.any():
        seen = "All counts of a report share one draw of noise: their differences are exact."
        return Diagnosis("shared", seen, "How many numbers have to be drawn for a report?")
    if not found.any():
        first = defects < DEFECTS
        ask = "Who else would add it?" if first else "In other settings there is noise. What switches it off here?"
        return Diagnosis("no-noise", f"At ε = {epsilon:.3g}, with {defects:,} defects, you add no noise.", ask)
    # Three shares of noise are 0 in all of 4,000 places by chance with probability 2e-8 at ε = 5, 1e-21 at ε = 4.
    wrong = drawn_elsewhere(functools.partial(_noise, answer, failures[0], defects, epsilon, shares), chance.rng)
    return wrong or _size(found, known, epsilon, shares, level) or shape_wrong(found, epsilon, shares, level)


def _failures(defects: int, rng: np.random.Generator) -> np.ndarray:
    """Failing chips as they come, up to a hundred times as many as defects: a few often, most rarely or never."""
    chips = int(10 ** rng.uniform(0.5, 2 + math.log10(defects)))
    return rng.permutation(defects)[np.minimum(rng.zipf(1.4, chips), 10**6) % defects].astype(float)


def _settings(rng: np.random.Generator) -> list[tuple[float, int]]:
    """ε in every part of 0.02 … 5, and the number of reports."""
    return [
        (float(rng.uniform(*span)), shares)
        for span, shares in zip(SPANS, (1, 1, 2, int(rng.integers(3, 7)), int(rng.integers(1, 4))), strict=True)
    ]


def _size(noise: np.ndarray, truth: np.ndarray, epsilon: float, shares: int, level: float) -> Diagnosis | None:
    """The variance of 4,000 draws deviates by 4% (its excess kurtosis is below 6.2 up to ε = 2).

    At ε = 5 most noise is 0: that none of it lies where the true count is 0, or all of that is above, may be chance.
    """
    ratio = float(noise.var() / variance(epsilon))
    empty, drawn = noise[truth == 0], np.count_nonzero(noise)
    if not empty.any() and stats.hypergeom.pmf(0, noise.size, drawn, empty.size) < level:
        seen = "Defects that no chip showed get no noise: where the true count is 0, you always send 0."
        return Diagnosis(
            "empty-exact", seen, "What does a 0 tell, if only these are exact? The list of defects is public."
        )
    if shares == 1 and (empty >= 0).all() and 0.5 ** np.count_nonzero(empty) < level:
        seen = "Where the true count is 0, your count is often above 0 and never below. Right noise goes both ways."
        return Diagnosis("cut-at-zero", seen, "The noise makes some counts negative. Where do these go?")
    if 0.72 < ratio < 1.38 or epsilon > 2:  # above, the law is looked at only
        return None
    seen = f"{_reports(shares)} at ε = {epsilon:.3g} has {ratio:.2g} times the variance of discrete Laplace noise."
    if shares > 1 and 0.7 * shares < ratio < 1.5 * shares:
        ask = "The parts of one number of Laplace noise add up to it. Which law do they have?"
        return Diagnosis("whole-noise-each", f"{seen} That is as if each added the whole noise.", ask)
    if shares > 1 and 0.6 / shares < ratio < 1.5 / shares:
        ask = "A draw divided by n has 1/n² of its variance. What do n of them have together?"
        return Diagnosis("divided-noise", f"{seen} All together have as much as one of them should have.", ask)
    key = "too-little-noise" if ratio < 1 else "too-much-noise"
    ask = "One chip moves one count by one. Which scale does that need at this ε, and how many reports make the whole?"
    return Diagnosis(key, seen, ask)


def _reports(shares: int) -> str:
    return "The noise of one report (shares = 1)" if shares == 1 else f"The noise of {shares} reports together"


def shape_wrong(noise: np.ndarray, epsilon: float, shares: int, level: float) -> Diagnosis | None:
    """χ² against the discrete Laplace law on about twenty classes, and of neighbours against each other."""
    a_ = math.exp(-epsilon)

    def below(k: np.ndarray) -> np.ndarray:  # P[noise ≤ k], k < 0
        return a_ ** (-k) / (1 + a_)

    wanted = np.arange(1, 10) / 20
    edges = np.unique(np.floor(np.log(wanted * (1 + a_)) / epsilon).astype(int))
    edges = edges[edges < 0]
    edges = edges[below(edges) * len(noise) >= 20]
    cuts = np.concatenate((edges, -edges[::-1] - 1)) if edges.size else np.array([-1, 0])
    at_most = np.where(cuts < 0, below(np.minimum(cuts, -1)), 1 - below(np.minimum(-cuts - 1, -1)))
    cuts, kept = np.unique(cuts, return_index=True)
    expected = np.diff(np.concatenate(([0.0], at_most[kept], [1.0]))) * len(noise)
    places = np.searchsorted(cuts, noise, side="left")
    found = np.bincount(places, minlength=len(expected))
    if stats.chisquare(found, expected).pvalue < level:
        worst = int(((found - expected) ** 2 / expected).argmax())
        low, high = (int(cuts[k]) + one if 0 <= k < len(cuts) else None for k, one in ((worst - 1, 1), (worst, 0)))
        where = f"{high} or less" if low is None else f"{low} or more" if high is None else f"from {low} to {high}"
        where = f"{low}" if low == high else where
        return Diagnosis(
            "wrong-law",
            f"{_reports(shares)} at ε = {epsilon:.3g} is {where} for {found[worst] / len(noise):.2%} of the "
            f"defects. Discrete Laplace noise is so for {expected[worst] / len(noise):.2%}.".replace("-", "−"),
            "From one whole number to the next, away from 0, discrete Laplace noise gets rarer by e^(−ε). Does yours?",
        )
    side = (noise > 0).astype(int)
    table = np.bincount(2 * side[:-1] + side[1:], minlength=4).reshape(2, 2)
    if min(table.sum(axis=0).min(), table.sum(axis=1).min()) > 20 and stats.chi2_contingency(table)[1] < level:
        seen = "The noise of one defect tells whether that of the next is above 0, better than chance does."
        return Diagnosis("linked-noise", seen, "Does each defect have a draw of its own?")
    if geometric(1 / epsilon).ends(noise, level / 2):
        return Shared.NOISE_ENDS.seen(
            f"{_reports(shares)} at ε = {epsilon:.3g} is never more than {np.abs(noise).max():.0f} in {len(noise):,} "
            "draws."
        )
    return None


def audited(answer: Answer, chance: Chance) -> Diagnosis | None:
    """The auditor: is one more failing chip hidden in the sum of the reports? Every defect is a run."""
    from dpcourse.audit import audit_outputs  # here, because only a check that audits needs it

    for epsilon, shares in ((float(chance.rng.uniform(0.3, 1.5)), 2), (float(chance.rng.uniform(0.3, 1.5)), 1)):
        sides = []
        for more in (0, 1):
            failures = [np.arange(DEFECTS, dtype=float) for _ in range(shares)]
            failures[0] = np.repeat(failures[0], 1 + more)
            sides.append((summed(answer, failures, DEFECTS, epsilon, shares, chance.rng) - shares).tolist())
        claim = Guarantee(epsilon)
        result = audit_outputs(*sides, claim=claim, confidence=1 - chance.failure / 2)
        if result.violated:
            return Diagnosis(
                "not-private",
                f"The sum of {shares} of your reports tells whether one more chip failed: ε ≥ "
                f"{result.epsilon_lower:.3g}, you claim {claim}. What gives it away: {result.event}.",
                "One chip moves one count by one. Is the noise of all shares together enough for that?",
            )
    return None


LEAVES = (tells, counts, own, law, audited)
