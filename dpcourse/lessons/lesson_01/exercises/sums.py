"""Exercise 01.5: many people's numbers from noisy sums."""

from __future__ import annotations

import numpy as np

from dpcourse.checks.answers import Answer, AnswerRaised
from dpcourse.checks.base import Chance
from dpcourse.checks.diagnosis import Diagnosis

RIGHT, IN_EACH = 0.95, 0.75  # of all people, and of those of each survey


def reconstructs(answer: Answer, chance: Chance) -> Diagnosis | None:
    """The answer recovers at least 95% of the numbers, 0 to 3, of some 40 people, from six times as many sums.

    Each is off by up to one, and one number of 12 to 30, up or down, has been added to all of them. Who overlooks it
    spreads it over the half of the people who are in a sum, which takes most of them to the next whole number.

    Least squares hardly ever get one wrong. The list with the smallest sum of absolute errors has wrong numbers in 0.6%
    of surveys of 30 to 33 people whose sums are whole (19 of 3,000), and two or more in 0.07%. So 95% is asked for of
    all five surveys together, and 75% of each: eight wrong ones in one survey, or nine in all, happen less than once in
    a hundred million checks, if each further one is as rare as the second.
    """
    draws = []
    for i, n in enumerate((40, *chance.rng.integers(30, 45, size=4).tolist())):
        # Small numbers, then large ones: an answer that is always in the middle is off both ways.
        shares = (0.4, 0.3, 0.2, 0.1) if i % 2 else (0.1, 0.2, 0.3, 0.4)
        secret = chance.rng.choice(4, size=n, p=shares)
        queries = chance.rng.integers(2, size=(6 * n, n))
        shift = int(chance.rng.integers(0.3 * n, 31)) * (-1) ** i
        answers = queries @ secret + shift + chance.rng.uniform(-1, 1, size=6 * n)
        answers = np.round(answers) if i > 2 else answers  # as many an office publishes counts
        try:
            result = answer(queries.copy(), answers.copy())
        except AnswerRaised as raised:
            if isinstance(raised.error, TypeError) and "None" in str(raised):
                return Diagnosis(
                    "returns-nothing",
                    f"Your code stopped: {raised}. `linprog` gives None for x if its programme has no solution.",
                    "With noise no list fits exactly. Which list comes closest, and how is that asked for?",
                )
            raise
        if result is None:
            return Diagnosis(
                "returns-nothing",
                "Your function returns nothing (None).",
                "Is a `return` missing, or has your programme no solution? With noise no list fits exactly: ask for "
                "the closest.",
            )
        numbers = np.asarray(result)
        if numbers.shape != (n,):
            return Diagnosis(
                "wrong-shape",
                f"For {n} people {n} numbers are wanted, shape ({n},); yours is {numbers.shape}.",
                "Which of your numbers stand for a person? Each column of `queries` is one.",
            )
        if not np.isin(numbers, (0, 1, 2, 3)).all():
            return Diagnosis(
                "not-whole",
                f"You return values such as {float(numbers[~np.isin(numbers, (0, 1, 2, 3))][0]):.3g}.",
                "An answer is 0, 1, 2 or 3: what does your programme have to be told, and what is left to round?",
            )
        draws.append((numbers.astype(int), secret, queries, answers))
    hits = [numbers == secret for numbers, secret, _, _ in draws]
    right = min(float(some.mean()) for some in hits)
    if right >= IN_EACH and np.concatenate(hits).mean() >= RIGHT:
        return None
    return _right_for_some(draws, _why_wrong(draws, right))


def _right_for_some(draws: list[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]], why: Diagnosis) -> Diagnosis:
    """Where an answer is right for some numbers of people and far off for all others, that is said instead.

    Not where it is right every other time: there the secret number is above 0, or below.
    """
    shares = np.array([(numbers == secret).mean() for numbers, secret, _, _ in draws])
    sizes, right = np.array([len(secret) for _, secret, _, _ in draws]), shares >= RIGHT
    good, bad = (sorted(set(sizes[some].tolist())) for some in (right, ~right))
    by_turns = len(set(right[::2])) == len(set(right[1::2])) == 1
    if by_turns or not good or set(good) & set(bad) or shares[~right].max() > 0.6:
        return why
    return Diagnosis(
        why.key,
        f"You are right for {_listed(good)} people, and not for {_listed(bad)}.",
        "What does your function do differently for another number of people?",
    )


def _listed(numbers: list[int]) -> str:
    return " and ".join(filter(None, (", ".join(map(str, numbers[:-1])), str(numbers[-1]))))


def _why_wrong(draws: list[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]], right: float) -> Diagnosis:
    if all((numbers == 3 - secret).mean() >= RIGHT for numbers, secret, _, _ in draws):
        return Diagnosis("flipped", "You return 3 where 0 is right, and 0 where 3 is.", "What does a 3 mean?")
    if len({numbers[:30].tobytes() for numbers, _, _, _ in draws}) == 1:
        return Diagnosis(
            "constant",
            f"You say the same whatever the sums are; that is right for {right:.0%} of the people.",
            "Where do the sums enter? Does your programme ask that none is too small, and none too large?",
        )
    shares = [float((numbers == secret).mean()) for numbers, secret, _, _ in draws]
    if min(shares[::2]) >= RIGHT > max(shares[1::2]):
        return Diagnosis(
            "shift-above-zero",
            "You are right where the office's secret number is above 0, and wrong where it is below.",
            "Between which bounds may the unknown for it lie? What are they in `linprog`, if you give none?",
        )
    above = max(int((numbers > secret).sum()) for numbers, secret, _, _ in draws)
    below = max(int((secret - numbers).max()) for numbers, secret, _, _ in draws)
    if above <= 1 and below > 1:  # no rounding is off by two; the noise may lift a single number
        return Diagnosis(
            "far-too-small",
            f"Hardly any of your numbers is too large, and some are too small by 2 or more ({right:.0%} right).",
            "Did you take anything away from the sums? Each is made of 20 or so people's answers and one number more.",
        )
    if all(numbers.max() <= 1 for numbers, _, _, _ in draws):
        return Diagnosis(
            "bits", "You never return a 2 or a 3.", "Between which bounds are the unknowns, and how do you round them?"
        )
    if all(np.array_equal(numbers, _first_equations(queries, answers)) for numbers, _, queries, answers in draws):
        return Diagnosis(
            "few-equations",
            f"You solve as many equations as there are unknowns, which makes the noise larger: {right:.0%} right.",
            "There are six times as many sums. Which numbers fit all of them best?",
        )
    if all((numbers >= secret).all() for numbers, secret, _, _ in draws):
        return Diagnosis(
            "rounds-up",
            f"Every mistake you make is a number that is too large ({right:.0%} right).",
            "Where between two whole numbers do you cut?",
        )
    if not above:
        return Diagnosis(
            "rounds-down",
            f"Every mistake you make is a number that is too small ({right:.0%} right).",
            "Where between two whole numbers do you cut? `astype(int)` cuts the decimals off.",
        )
    if all((numbers - secret).mean() * (-1) ** i > 0.2 for i, (numbers, secret, _, _) in enumerate(draws)):
        return Diagnosis(
            "shift-ignored",
            "Your numbers are too large where the office's secret number is above 0, and too small where it is below "
            f"({right:.0%} right).",
            "Each sum is made of 20 or so people's answers and one number more. Which of these are your unknowns?",
        )
    return Diagnosis(
        "too-few",
        f"You recover {right:.0%} of the numbers; 95% is possible from these sums.",
        "Do your unknowns stand for all people together, and does every sum enter?",
    )


def _first_equations(queries: np.ndarray, answers: np.ndarray) -> np.ndarray:
    """From as many sums as there are unknowns."""
    unknowns = np.c_[queries, np.ones(len(queries))]
    some = unknowns.shape[1]
    return np.clip(np.round(np.linalg.lstsq(unknowns[:some], answers[:some], rcond=None)[0][:-1]), 0, 3).astype(int)
