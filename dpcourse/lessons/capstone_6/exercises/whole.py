"""Capstone 6.6: the whole in one function, judged on robustness, claim and utility."""

from __future__ import annotations

import numpy as np

from dpcourse.checks.again import follows
from dpcourse.checks.answered import stops
from dpcourse.checks.answers import Answer, AnswerRaised
from dpcourse.checks.base import Chance
from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.checks.once import whole
from dpcourse.datasets import Bank, Customers, simulate_customers
from dpcourse.datasets.customers import FEATURES, LENDER, NAMES
from dpcourse.lessons.capstone_6.design import (
    BANKS,
    FEWEST,
    HONEST,
    Run,
    Triple,
)
from dpcourse.lessons.capstone_6.exercises.board import shown
from dpcourse.lessons.capstone_6.exercises.claimed import honest
from dpcourse.lessons.capstone_6.exercises.known import unknown
from dpcourse.lessons.capstone_6.exercises.local import aligning, refusal
from dpcourse.lessons.capstone_6.exercises.matrices import quiet_row
from dpcourse.lessons.capstone_6.exercises.off import off
from dpcourse.lessons.capstone_6.exercises.ridge import of_ridge, ridged, told
from dpcourse.lessons.capstone_6.exercises.sizes import counts, everywhere, too_far, too_quiet
from dpcourse.lessons.capstone_6.exercises.together import together
from dpcourse.lessons.capstone_6.exercises.tools import Source, by_name, run_of
from dpcourse.lessons.capstone_6.exercises.world import EXACT, MIXES, Silent, exact_matrix, five_banks, made
from dpcourse.lessons.capstone_6.numbers import auc, best_bank, ridge_of, scores, sigma, weights_from

GAIN, CUSTOMERS = 0.04, 20_000


def robust(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Without noise the sum shows exactly; a bank that is missing, few customers and a replayed triple are refused.

    `align` leaves out a few of the common customers, so that it shows whose rows are used.
    """
    for kind, (what, hint) in MIXES.items():
        rng = chance.rng.spawn(1)[0]
        banks = five_banks(rng, int(rng.integers(FEWEST + 5, 160)), kind)
        everybody = by_name([bank.ids for bank in banks])
        kept = rng.permutation(len(everybody[0]))[int(rng.integers(1, 5)) :]
        common = [rows[kept] for rows in everybody]
        run = aligning(common, rng)
        right = exact_matrix(banks, common)
        with stops(kind, what, hint):
            given = made(answer, [*banks], run, Silent())
        if given is None:
            if kind == "plain":
                return refusal(run, len(common[0]))
            return Diagnosis(f"{kind}-refused", f"{what}, you refuse, and there is no reason to.", hint)
        noisy = np.asarray(given["noisy"], dtype=float)
        far = np.abs(noisy - right).max()
        if np.abs(noisy - exact_matrix(banks, everybody)).max() <= EXACT:
            seen = f"`align` names {len(kept)} customers, and your matrix is that of all {len(everybody[0])} whose "
            ask = "Identifiers are compared blinded, and only there. From which of `tools` do your rows come?"
            return Diagnosis("not-aligned", f"{seen}identifiers stand in all five banks' files.", ask)
        if not far <= EXACT:
            drawn = _drawn_elsewhere(answer, banks, common, noisy - right, rng) if kind == "plain" else ""
            if drawn:
                seen = f"Where `normal` gives zeros, {drawn} That noise is not drawn by `normal`."
                ask = "Every random number comes from `tools`. Which of yours does not?"
                return Diagnosis("own-generator", seen, ask)
            if kind == "plain":
                return off(noisy, right, banks, common)
            return Diagnosis(kind, f"{what}, and noise that is zero, your matrix is off by up to {far:.3g}.", hint)
        wrong = shown(run, noisy)
        if wrong:
            return wrong
    return together(answer, chance) or _refusals(answer, chance)


def _drawn_elsewhere(
    answer: Answer, banks: list[Bank], common: list[np.ndarray], wrong: np.ndarray, rng: np.random.Generator
) -> str:
    """How it shows that a matrix, made with noise that is zero, has noise of another generator."""

    def again(some: list[Bank], rows: list[np.ndarray]) -> np.ndarray:
        given = made(answer, [*some], aligning(rows, rng), Silent())
        right = exact_matrix(some, rows)
        return right if given is None else np.asarray(given["noisy"], dtype=float) - right

    if (far := np.abs(again(banks, common) - wrong).max()) > EXACT:
        return f"two matrices of the same customers differ by up to {far:.3g}."
    others = five_banks(rng, len(wrong) * 4)
    if np.abs(again(others, by_name([bank.ids for bank in others])) - wrong).max() <= EXACT:
        return f"your matrix is off by up to {np.abs(wrong).max():.3g}, by the same numbers on other customers too."
    return ""


def drawn(answer: Answer, chance: Chance) -> Diagnosis | None:
    """The noise of the matrix follows from what `normal` gives: no entry is the same twice."""
    banks = five_banks(chance.rng, FEWEST + 10)

    def noisy(seed: int) -> np.ndarray:
        rng = np.random.default_rng(seed)
        given = made(answer, [*banks], run_of(rng), rng.standard_normal)
        return np.zeros(0) if given is None else np.asarray(given["noisy"])

    return follows(answer, noisy, chance.rng, "normal")


def _but(banks: list[Bank | None], gone: int, instead: Bank | None) -> list[Bank | None]:
    return [instead if place == gone else bank for place, bank in enumerate(banks)]


def _empty(place: int) -> Bank:
    return Bank([], np.zeros((0, FEATURES)), np.zeros(0, dtype=bool) if NAMES[place] == LENDER else None)


def _refusals(answer: Answer, chance: Chance) -> Diagnosis | None:
    rng = chance.rng
    banks: list[Bank | None] = [*five_banks(rng, FEWEST + 10)]
    few: list[Bank | None] = [*five_banks(rng, FEWEST - 1)]
    number = int(rng.integers(2, FEWEST - 1))
    fewer: list[Bank | None] = [*five_banks(rng, number)]
    none = "What does the task want when a bank is missing?"
    least = f"What does the task want when fewer than {FEWEST} customers are common?"
    for sent, what, key, ask in (
        *(
            (_but(banks, place, None), f"Bank {NAMES[place]} has dropped out (its place holds None)", "dropped", none)
            for place in map(int, rng.permutation(BANKS))
        ),
        *(
            (_but(banks, place, _empty(place)), f"Bank {NAMES[place]} has no customers", "too-few", least)
            for place in map(int, rng.permutation(BANKS))
        ),
        (few, f"{FEWEST - 1} customers are common to all banks", "too-few", least),
        (fewer, f"{number} customers are common to all banks", "too-few", least),
    ):
        run = run_of(rng)
        try:
            given = made(answer, sent, run, Silent())
        except AnswerRaised as raised:
            return Diagnosis(f"{key}-raises", f"{what}, and your function stops with {raised}.", ask)
        if given is not None or run.board:
            how = "you go on all the same" if given is not None else "you return None, but open a matrix before"
            return Diagnosis(key, f"{what}, and {how}.", ask)
    return _replay(answer, banks, rng) or _replay(answer, [*five_banks(rng, whole(rng, 1000, 2000))], rng)


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
        seen = f"When an old triple comes again, your function stops with {raised}."
        return Diagnosis("replayed-raises", seen, "What does the task want when a triple was used before?")
    if given is None and not run.board:
        return None
    return Diagnosis(
        "replayed",
        "The office deals a triple that an earlier run used, and you use it again.",
        "`fresh` says whether a triple is new. Who asks, and when?",
    )


def useful(answer: Answer, chance: Chance) -> Diagnosis | None:
    """AUC on new applicants at ε = 1 with 20,000 customers, better than the best bank's own model by 0.04.

    Each bank knows its own shares there, too, and the weights follow from the opened matrix.
    """
    rng = chance.rng
    while True:
        world = simulate_customers(CUSTOMERS, applicants=6_000, rng=rng)
        banks, rows = list(world.banks.values()), world.common
        exact, alone = exact_matrix(banks, rows), best_bank(world)
        others = [_fitted(exact, world, rng) for _ in range(8)]
        if np.mean(others) - 7 * np.std(others, ddof=1) > alone + GAIN:
            break
    run = aligning(rows, rng)
    given = made(answer, [*banks], run, rng.standard_normal)
    if given is None:
        return refusal(run, len(rows[0]))
    if wrong := shown(run, np.asarray(given["noisy"], dtype=float)):
        return wrong
    board = run.board[-1].copy()  # now: an answer that keeps `open` may call it in a later run
    off = np.asarray(given["noisy"], dtype=float) - exact
    wrong = too_quiet(off, len(rows[0]), 1.0, chance.failure / 2) or too_far(off, len(rows[0]), 1.0)
    wrong = wrong or quiet_row(off[None], chance.failure / 8) or together(answer, chance, banks)
    wrong = wrong or together(answer, chance, five_banks(rng, whole(rng, FEWEST, 1000)))
    if wrong:
        return wrong
    weights = np.asarray(given["weights"], dtype=float)
    wrong = told(answer, board, weights, five_banks(rng, CUSTOMERS), rng)
    reached = auc(scores(np.nan_to_num(weights), world.applicants), world.defaulted)
    if reached >= alone + GAIN or wrong:
        return wrong
    wrong = of_ridge(np.asarray(given["noisy"], dtype=float), weights, 1.0, rng)
    if wrong:
        return wrong
    seen = f"At ε = 1 your weights reach an AUC of {reached:.3f}; the best bank alone has {alone:.3f}."
    if 1 - reached > alone:
        ask = "The label in your matrix is +1 for a default. Where do the weights, made from it, turn their sign?"
        return Diagnosis("upside-down", seen, ask)
    return Diagnosis(
        "not-useful",
        seen,
        "weights[k] belongs to column k of z, features first, then the constant. What is regressed on what?",
    )


def _fitted(exact: np.ndarray, world: Customers, rng: np.random.Generator) -> float:
    """What a right answer reaches in this world, with noise of its own: worlds are chosen by it, not answers judged."""
    deviation = sigma(1.0) * (BANKS / HONEST) ** 0.5
    weights = weights_from(exact + rng.normal(0, deviation, exact.shape), ridge_of(deviation))
    return auc(scores(weights, world.applicants), world.defaulted)


WHOLE = (robust, unknown, honest, drawn, everywhere, counts, useful, ridged)
