"""Capstone 6.6: the whole in one function, judged on robustness, claim and utility."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dpcourse.checks.answers import Answer, AnswerRaised
from dpcourse.checks.base import Chance, Diagnosis, Refused, a
from dpcourse.datasets import Bank, Customers, simulate_customers
from dpcourse.datasets.customers import FEATURES, LENDER, NAMES
from dpcourse.lessons.capstone_6.design import (
    BANKS,
    BITS,
    COLUMNS,
    DELTA,
    FEWEST,
    HONEST,
    Run,
    Triple,
)
from dpcourse.lessons.capstone_6.exercises.noise import clipped, parts_of
from dpcourse.lessons.capstone_6.exercises.tools import Source, by_name, run_of
from dpcourse.lessons.capstone_6.numbers import SENSITIVITY, auc, best_bank, ridge_of, scores, sigma, weights_from
from dpcourse.privacy import Guarantee, Neighbours

WANTED = ("customers", "noisy", "weights", "claim")
EXACT = 0.02  # sums of up to 160 products of numbers below 1, each cut by less than 2^−16: 0.005 at most
GAIN = 0.04


@dataclass
class Silent:
    """Noise for robustness: zeros, so that what was added up shows."""

    asked: int = 0

    def __call__(self, shape: Any) -> np.ndarray:
        self.asked += int(np.prod(shape))
        return np.zeros(shape)


def made(
    answer: Answer,
    banks: list[Bank | None],
    run: Run,
    normal: Any,
    epsilon: float = 1.0,
) -> dict[str, Any] | None:
    """What the answer returns, its parts of the right shapes; None where it refuses."""
    ids = [bank and bank.ids for bank in banks]
    lender = banks[NAMES.index(LENDER)]
    features = [bank and bank.features for bank in banks]
    given = answer(ids, features, lender and lender.defaulted, run.tools(normal), epsilon, DELTA)
    if given is None:
        return None
    if not isinstance(given, dict) or any(key not in given for key in WANTED):
        raise Refused(Diagnosis("wrong-type", f"A dict with {', '.join(WANTED)} is wanted; you return {a(given)}."))
    shapes = tuple(np.shape(given[key]) for key in ("noisy", "weights"))
    if shapes != ((COLUMNS, COLUMNS), (COLUMNS - 1,)):
        what = f"`noisy` has shape {shapes[0]} and `weights` {shapes[1]}"
        raise Refused(Diagnosis("wrong-shape", f"{what}; {(COLUMNS, COLUMNS)} and {(COLUMNS - 1,)} are wanted."))
    return given


def exact_matrix(banks: list[Bank], rows: list[np.ndarray]) -> np.ndarray:
    """The matrix of the common customers, in floats, shape (32, 32)."""
    lender = banks[NAMES.index(LENDER)]
    assert lender.defaulted is not None
    label = np.where(lender.defaulted[rows[NAMES.index(LENDER)]], 1.0, -1.0)
    z = [clipped(bank.features[some]) for bank, some in zip(banks, rows, strict=True)]
    whole = np.hstack([*z, clipped(np.column_stack((np.ones(len(label)), label)))])
    return whole.T @ whole


def _world(rng: np.random.Generator, common: int, kind: str = "plain") -> list[Bank]:
    """Five banks; strange features, or rows that repeat an identifier, in every one of them."""
    world = simulate_customers(common, others=60, applicants=1, rng=rng)
    banks = []
    for bank in world.banks.values():
        ids, features, defaulted = list(bank.ids), bank.features.copy(), bank.defaulted
        if kind == "strange":
            rows = rng.choice(len(ids), 12, replace=False)
            features[rows, rng.integers(0, FEATURES, 12)] = rng.choice((np.nan, np.inf, -np.inf, 1e300, 1e18), 12)
        if kind == "repeated":
            rows = rng.choice(len(ids), 10, replace=False)
            ids += [ids[row] for row in rows]
            features = np.vstack((features, rng.normal(0, 2, (10, FEATURES))))
            defaulted = None if defaulted is None else np.append(defaulted, rng.random(10) < 0.5)
        banks.append(Bank(ids, features, defaulted))
    return banks


MIXES = {
    "plain": (
        "With some customers in common",
        "Does every block stand at its own bank's rows, and the label at bank B's?",
    ),
    "strange": (
        "With features that are NaN, infinite or huge",
        "Milestone 6.5 settled what becomes of such a row. Does one reach the others?",
    ),
    "repeated": (
        "With identifiers that stand twice in a bank's files",
        "`run.align` names one row for each customer. Take those.",
    ),
}


def robust(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Without noise the sum shows exactly; a bank that is missing, few customers and a replayed triple are refused."""
    for kind, (what, hint) in MIXES.items():
        rng = chance.rng.spawn(1)[0]
        run, banks = run_of(rng), _world(rng, int(rng.integers(FEWEST, 160)), kind)
        try:
            given = made(answer, [*banks], run, Silent())
        except AnswerRaised as raised:
            return Diagnosis(f"{kind}-raises", f"{what}, your function stops with {raised}.", hint)
        if given is None:
            return Diagnosis(f"{kind}-refused", f"{what}, you refuse, and there is no reason to.", hint)
        right = exact_matrix(banks, run.align([bank.ids for bank in banks]))
        noisy = np.asarray(given["noisy"], dtype=float)
        off = np.abs(noisy - right)
        if not off.max() <= EXACT:
            return Diagnosis(
                kind,
                f"{what}, and noise that is zero, your matrix is off by up to {off.max():.3g}, in column "
                f"{int(off.max(axis=0).argmax())} of 32.",
                hint,
            )
        wrong = _board(run, noisy)
        if wrong:
            return wrong
    return _refusals(answer, chance)


def _board(run: Run, noisy: np.ndarray) -> Diagnosis | None:
    """What is returned was opened, and nothing else on the board is small, as an input without a mask would be."""
    ends = [seen for seen in run.board if seen.shape == noisy.shape]
    if not any(np.abs(seen / 2.0 ** (2 * BITS) - noisy).max() < EXACT for seen in ends):
        return Diagnosis(
            "not-opened",
            "The matrix that you return was never opened on the board: nobody in the protocol has it.",
            "Which shares have to be opened at the end, and only then?",
        )
    for seen in run.board:
        if any(seen is end for end in ends):
            continue
        if seen.size and np.abs(seen.astype(float)).max() < 2.0**40:
            return Diagnosis(
                "opens-input",
                f"A matrix of shape {seen.shape} stands on the board without a mask.",
                "What is opened before the end is an input minus a mask of the triple.",
            )
    return None


def _refusals(answer: Answer, chance: Chance) -> Diagnosis | None:
    rng = chance.rng
    banks: list[Bank | None] = [*_world(rng, FEWEST + 10)]
    gone = int(rng.integers(BANKS))
    dropped = [None if place == gone else bank for place, bank in enumerate(banks)]
    empty = Bank([], np.zeros((0, FEATURES)), np.zeros(0, dtype=bool) if NAMES[gone] == LENDER else None)
    nobody = [empty if place == gone else bank for place, bank in enumerate(banks)]
    few: list[Bank | None] = [*_world(rng, FEWEST - 1)]
    for sent, what, key in (
        (dropped, f"Bank {NAMES[gone]} has dropped out (its place holds None)", "dropped"),
        (nobody, f"Bank {NAMES[gone]} has no customers", "too-few"),
        (few, f"{FEWEST - 1} customers are common to all banks", "too-few"),
    ):
        run = run_of(rng)
        try:
            given = made(answer, sent, run, Silent())
        except AnswerRaised as raised:
            return Diagnosis(f"{key}-raises", f"{what}, and your function stops with {raised}.", "Return None.")
        if given is not None or run.board:
            ask = "Return None, and open nothing."
            return Diagnosis(key, f"{what}, and you go on all the same.", ask)
    return _replay(answer, banks, rng)


def _replay(answer: Answer, banks: list[Bank | None], rng: np.random.Generator) -> Diagnosis | None:
    """The office deals the triples of the first run once more, by a message that is sent again."""
    dealt: list[Triple] = []

    class Recording(Run):
        def deal(self, n: int, p: int, q: int) -> Triple:
            dealt.append(super().deal(n, p, q))
            return dealt[-1]

    class Replaying(Run):
        def deal(self, n: int, p: int, q: int) -> Triple:
            return dealt[0]

    first = Recording(by_name, Source(rng))
    made(answer, banks, first, Silent())
    run = Replaying(by_name, Source(rng), used=first.used)
    try:
        given = made(answer, banks, run, Silent())
    except AnswerRaised as raised:
        return Diagnosis(
            "replayed-raises", f"When an old triple comes again, your function stops with {raised}.", "Return None."
        )
    if given is None and not run.board:
        return None
    return Diagnosis(
        "replayed",
        "The office deals a triple that an earlier run used, and you use it again.",
        "`fresh` says whether a triple is new. Who asks, and when?",
    )


def honest(answer: Answer, chance: Chance) -> Diagnosis | None:
    """The claim, the noise in the sum, and that nothing without noise is opened or fitted."""
    rng = chance.rng
    banks = _world(rng, FEWEST)
    right = exact_matrix(banks, run_of(rng).align([bank.ids for bank in banks]))
    noise, weights = [], []
    for epsilon in np.repeat((1.0, 0.4), (24, 12)):
        run = run_of(rng)
        given = made(answer, [*banks], run, rng.standard_normal, float(epsilon))
        if given is None:
            return Diagnosis("refuses-all", f"{FEWEST} common customers, and you refuse.")
        noisy = np.asarray(given["noisy"], dtype=float)
        noise.append((noisy - right) / sigma(float(epsilon)))
        weights.append(np.asarray(given["weights"], dtype=float))
        if np.abs(noisy - right).max() < EXACT:
            return Diagnosis("no-noise", "There is no noise in your matrix.", "Which bank adds it?")
        for seen in run.board:
            if seen.shape == right.shape and np.abs(seen / 2.0 ** (2 * BITS) - right).max() < EXACT:
                return Diagnosis(
                    "opens-exact",
                    "The matrix without noise stands on the board: all five banks have seen it.",
                    "A bank adds its noise to its own share, before anything is opened.",
                )
        wrong = _claim(given["claim"], float(epsilon)) or _counted(given["customers"])
        if wrong:
            return wrong
    if np.ptp(np.array(weights[:24]), axis=0).max() < 1e-9:
        return Diagnosis(
            "exact-fit",
            "In all runs on the same data your weights are the same, though the noise is not: they are made from "
            "something that has none.",
            "Which matrix are the weights solved from?",
        )
    return (
        _spread(np.array(noise)[:24], 1.0) or _spread(np.array(noise)[24:], 0.4) or _audit(np.array(noise)[:24], chance)
    )


def _counted(customers: Any) -> Diagnosis | None:
    if np.ndim(customers) == 0 and customers == FEWEST:
        return None
    return Diagnosis("customers", f"`customers` is {customers!r}; {FEWEST} are common to all banks.", "")


def _claim(claim: Any, epsilon: float) -> Diagnosis | None:
    if isinstance(claim, Guarantee) and claim.epsilon == epsilon and claim.delta == DELTA:
        if claim.neighbours is Neighbours.REPLACE_ONE:
            return None
        return Diagnosis(
            "claim",
            "You claim it for adding or removing a customer. But the number of common customers is published exactly, "
            "and it tells those neighbours apart.",
            "Which relation keeps the number as it is?",
        )
    return Diagnosis(
        "claim",
        f"`claim` is {claim!r}; asked for is ε = {epsilon:g} at δ = {DELTA:g}.",
        "Guarantee(epsilon, delta, neighbours): one release, one claim.",
    )


def _spread(noise: np.ndarray, epsilon: float) -> Diagnosis | None:
    """In units of σ: five shares of which three make the whole have √(5/3) = 1.29 on the diagonal, 0.91 beside it.

    12 runs of 32 entries: the diagonal deviates by 3.6%, so that 20% are five deviations and more.
    """
    wanted = (BANKS / HONEST) ** 0.5
    diagonal, above = (part.std() for part in parts_of(noise))
    centre = np.abs(noise.mean(axis=0)).max() * len(noise) ** 0.5
    if 0.8 * wanted < diagonal < 1.25 * wanted and 0.9 * wanted < above * 2**0.5 < 2**0.5 * 1.15 * wanted:
        if centre < 7 * wanted:
            return None
        return Diagnosis("off-centre", "The noise is not centred.", "What do you add besides noise?")
    seen = f"At ε = {epsilon:g} the noise in your matrix has {diagonal:.2f} times σ on the diagonal"
    # Where all entries were drawn alike, those beside the diagonal say it more precisely.
    ratio = (above * 2**0.5 if abs(above * 2**0.5 / diagonal - 1) < 0.15 else diagonal) / wanted
    if abs(ratio - 0.6**0.5) < 0.035:
        return Diagnosis(
            "no-margin",
            f"{seen}: σ in all. Two banks that collude take their two shares of it off.",
            f"The shares of {HONEST} banks are to make σ. How much do five make?",
        )
    if diagonal < 0.5:
        return Diagnosis(
            "too-little-noise",
            f"{seen}; {wanted:.2f} is wanted.",
            "How far does one customer move the matrix, and does every bank add its share?",
        )
    if abs(ratio - 0.5**0.5) < 0.035:
        return Diagnosis(
            "small-sensitivity",
            f"{seen}; {wanted:.2f} is wanted.",
            "Replaced, a row takes one product out and brings another in. And does every bank add its share?",
        )
    key = "too-much-noise" if diagonal > wanted else "too-little-noise"
    return Diagnosis(key, f"{seen}; {wanted:.2f} is wanted.", "Does every bank add one share, and one only?")


def _audit(noise: np.ndarray, chance: Chance) -> Diagnosis | None:
    """A replaced row, seen along its change by an auditor who knows the rest; three banks' noise is unknown to it."""
    from dpcourse.audit import audit_outputs  # here, because only a check that audits needs it

    diagonal, above = parts_of(noise)
    draws = chance.rng.permutation(np.concatenate((diagonal.ravel(), above.ravel() * 2**0.5)))
    change = SENSITIVITY / sigma(1.0)  # so many σ apart are the two matrices
    half = min(draws.size // 2, 4000)
    claim = Guarantee(1.0, DELTA, Neighbours.REPLACE_ONE)
    # Rounded: two decimals tell nothing about the steps in which the noise comes.
    sides = np.round(draws[:half], 2).tolist(), np.round(draws[half : 2 * half] + change, 2).tolist()
    result = audit_outputs(*sides, claim=claim, confidence=1 - chance.failure / 2)
    if not result.violated:
        return None
    return Diagnosis(
        "not-private",
        f"One customer replaced shows in your matrix: ε ≥ {result.epsilon_lower:.3g}, and {claim} is claimed.",
        "Is the noise of three banks enough for √2 · 6?",
    )


def useful(answer: Answer, chance: Chance) -> Diagnosis | None:
    """AUC on new applicants at ε = 1 with 20,000 customers: better than the best bank's own model by 0.04."""
    rng = chance.rng
    while True:
        world = simulate_customers(20_000, applicants=6_000, rng=rng)
        banks, rows = list(world.banks.values()), world.common
        exact, alone = exact_matrix(banks, rows), best_bank(world)
        others = [_fitted(exact, world, rng) for _ in range(8)]
        if np.mean(others) - 7 * np.std(others, ddof=1) > alone + GAIN:
            break
    given = made(answer, [*banks], Run(lambda ids: rows, Source(rng)), rng.standard_normal)
    if given is None:
        return Diagnosis("refuses-all", "20,000 common customers, and you refuse.")
    weights = np.asarray(given["weights"], dtype=float)
    reached = auc(scores(np.nan_to_num(weights), world.applicants), world.defaulted)
    if reached >= alone + GAIN:
        return None
    seen = f"At ε = 1 your weights reach an AUC of {reached:.3f}; the best bank alone has {alone:.3f}."
    if 1 - reached > alone:
        return Diagnosis("upside-down", seen, "A high score is a high risk. Which sign has your label?")
    return Diagnosis(
        "not-useful",
        seen,
        "weights[k] belongs to column k of z, features first, then the constant. How large is the ridge, and what is "
        "regressed on what?",
    )


def _fitted(exact: np.ndarray, world: Customers, rng: np.random.Generator) -> float:
    """What a right answer reaches in this world, with noise of its own: worlds are chosen by it, not answers judged."""
    deviation = sigma(1.0) * (BANKS / HONEST) ** 0.5
    weights = weights_from(exact + rng.normal(0, deviation, exact.shape), ridge_of(deviation))
    return auc(scores(weights, world.applicants), world.defaulted)


WHOLE = (robust, honest, useful)
