"""Exercises on totals: one secret from large groups that are far apart, and many numbers from noisy sums."""

from __future__ import annotations

from itertools import product

import numpy as np

from dpcourse.checks.answers import Answer, AnswerRaised, PackageUsed
from dpcourse.checks.base import NOTHING, Chance, Diagnosis
from dpcourse.checks.once import whole


class Office:
    """Counts the people of a group who have the secret. Silent (None) about groups below `SMALLEST`, and about groups
    that differ by fewer than `SMALLEST` people from one it has answered."""

    SMALLEST = 20

    def __init__(self, secret: np.ndarray) -> None:
        self._secret = secret
        self.answered: list[np.ndarray] = []
        self.refused: list[str] = []

    def __call__(self, members: np.ndarray) -> int | None:
        members = np.asarray(members)
        if members.dtype != bool or members.shape != self._secret.shape:
            raise ValueError(
                f"members must be {len(self._secret)} booleans, got {members.dtype} of shape {members.shape}"
            )
        if members.sum() < self.SMALLEST:
            self.refused.append("few")
        elif any((members ^ other).sum() < self.SMALLEST for other in self.answered):
            self.refused.append("near")
        else:
            self.answered.append(members.copy())
            return int(self._secret[members].sum())
        return None

    @property
    def asked(self) -> bool:
        return bool(self.answered or self.refused)


_REFUSED = {
    "few": Diagnosis(
        "asks-about-few",
        "The office keeps silent (None) about groups of fewer than 20 people, and you asked about one.",
        "Which large groups tell about this person together?",
    ),
    "near": Diagnosis(
        "asks-too-near",
        "The office keeps silent (None): a group of yours differs by fewer than 20 people from one that it has "
        "answered.",
        "The difference of two counts leaves one person only if the two groups are near. Which combination of more "
        "than two counts does?",
    ),
}
_DIFFERENCE = Diagnosis(
    "package-used",
    "Your answer uses dpcourse.attacks.records.totals.difference. It subtracts the counts of two groups that differ "
    "by one person, and this office refuses the second of them (None).",
    "Which three groups, far apart, tell the same about this person? Write it yourself.",
)


def reveals(answer: Answer, chance: Chance) -> Diagnosis | None:
    """The answer finds out one person's secret from an office that answers about large groups, far apart, only."""
    results, secrets, offices, people, sizes = [], [], [], [], []
    for _ in range(40):
        n = int(chance.rng.integers(60, 100)) if chance.rng.random() < 0.6 else whole(chance.rng, 60, 1000)
        secret = chance.rng.random(n) < 0.5
        person, office = int(chance.rng.integers(n)), Office(secret)
        try:
            results.append(answer(office, n, person))
        except AnswerRaised:
            if office.refused:  # and None was counted with
                return _REFUSED[office.refused[0]]
            raise
        except PackageUsed as used:
            if str(used).endswith(".difference"):
                return _DIFFERENCE
            raise
        secrets.append(int(secret[person]))
        offices.append(office)
        people.append(person)
        sizes.append(n)
    if all(result is None for result in results):
        refused = [why for office in offices for why in office.refused]
        return _REFUSED[refused[0]] if refused else NOTHING
    if not any(office.asked for office in offices):
        return Diagnosis("guesses", "You ask the office nothing.", "A guess is right half of the time; ask.")
    found = np.array([np.nan if result is None else float(result) for result in results])
    wanted = np.array(secrets)
    if np.array_equal(found, wanted):
        return None
    if np.array_equal(found, -wanted):
        return Diagnosis("reversed", "You give −1 where the secret is yes.", "Which counts are to be subtracted?")
    if np.array_equal(found, 2 * wanted):
        return Diagnosis(
            "twice",
            "You give 2 where the secret is yes. Everybody else cancels, and this person is left twice.",
            "In which of your groups is the person, and which of them do you add or subtract?",
        )
    if np.array_equal(found, 1 - wanted):
        return Diagnosis("complement", "You give 0 where the secret is yes, and 1 where it is no.", "What does 1 mean?")
    yes, no = set(found[wanted == 1].tolist()), set(found[wanted == 0].tolist())
    if len(yes) == len(no) == 1 and yes != no:
        return Diagnosis(
            "wrong-value",
            f"You give {yes.pop():g} where the secret is yes, and {no.pop():g} where it is no.",
            "1 and 0 are wanted. What do you multiply by, or add, at the end?",
        )
    refused = [why for office in offices for why in office.refused]
    if refused:
        return _REFUSED[refused[0]]
    if all(len(office.answered) == 1 for office in offices):
        return Diagnosis("one-count", "You give the count of one group.", "Which other groups would leave this person?")
    left = [
        (person, _left_over(office.answered))
        for person, office in zip(people, offices, strict=True)
        if 0 < len(office.answered) <= 5
    ]
    if left and not any(some for _, some in left):
        never = not any(
            group[person] for person, office in zip(people, offices, strict=True) for group in office.answered
        )
        if never:
            return Diagnosis(
                "more-than-one",
                "The person asked about is in none of the groups that you ask about.",
                "Which of your groups must hold `person`, so that one more or one fewer shows?",
            )
        return Diagnosis(
            "more-than-one",
            "No way to add and subtract your counts leaves exactly one person.",
            "Everybody else has to be counted as often with plus as with minus. And the person asked about?",
        )
    if left and not any(person in some for person, some in left):
        return Diagnosis(
            "wrong-person",
            "Your counts leave somebody else, not the person asked about.",
            "Which of your groups is the person at position `person` in?",
        )
    wrong = found != wanted
    place = int(np.flatnonzero(wrong)[0])
    asked = f"For n = {sizes[place]} and person = {people[place]}"
    seen = f"{asked} you give {results[place]!r} where the secret is {secrets[place]}."
    where = _where(wrong, {"n": np.array(sizes), "person": np.array(people)})
    ask = "What does your function do differently there?" if where else "Do your counts leave this person in each call?"
    if not np.isin(found, (0, 1)).all():
        ask = "Give 1 for yes, 0 for no."
    return Diagnosis("wrong-value", f"You are right in {(~wrong).sum()} of {len(wrong)} calls. {where}{seen}", ask)


def _where(wrong: np.ndarray, settings: dict[str, np.ndarray]) -> str:
    """Beyond which number all wrong calls lie, if eight or more right ones lie on the other side; else ""."""
    most, words = 7, ""
    for name, values in settings.items():
        low, high = values[wrong].min(), values[wrong].max()
        for beyond, end in ((values < low, f"{low} or more"), (values > high, f"{high} or less")):
            if beyond.sum() > most:
                most, words = int(beyond.sum()), f"All wrong ones have {name} = {end}. "
    return words


def _left_over(groups: list[np.ndarray]) -> set[int]:
    """The people of whom one is left alone when the counts of some groups are added and those of others subtracted."""
    signs = np.array(list(product((-1, 0, 1), repeat=len(groups))))
    sums = signs @ np.array(groups, dtype=int)
    alone = sums[np.abs(sums).sum(axis=1) == 1]
    return set(np.nonzero(alone)[1].tolist())


def reconstructs(answer: Answer, chance: Chance) -> Diagnosis | None:
    """The answer recovers at least 95% of some 40 people's numbers, 0 to 3, from six times as many sums.

    Each is off by up to one, and one number of 12 to 30, up or down, has been added to all of them. Who overlooks it
    spreads it over the half of the people who are in a sum, which takes most of them to the next whole number.
    """
    draws = []
    for i, n in enumerate((40, *chance.rng.integers(30, 45, size=4).tolist())):
        # Small numbers, then large ones: an answer that is always in the middle is off both ways.
        shares = (0.4, 0.3, 0.2, 0.1) if i % 2 else (0.1, 0.2, 0.3, 0.4)
        secret = chance.rng.choice(4, size=n, p=shares)
        queries = chance.rng.integers(2, size=(6 * n, n))
        shift = int(chance.rng.integers(0.3 * n, 31)) * (-1) ** i
        answers = queries @ secret + shift + chance.rng.uniform(-1, 1, size=6 * n)
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
    right = min(float((numbers == secret).mean()) for numbers, secret, _, _ in draws)
    return None if right >= 0.95 else _right_for_some(draws, _why_wrong(draws, right))


def _right_for_some(draws: list[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]], why: Diagnosis) -> Diagnosis:
    """Where an answer is right for some numbers of people and far off for all others, that is said instead.

    Not where it is right every other time: there the secret number is above 0, or below.
    """
    shares = np.array([(numbers == secret).mean() for numbers, secret, _, _ in draws])
    sizes, right = np.array([len(secret) for _, secret, _, _ in draws]), shares >= 0.95
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
    if all((numbers == 3 - secret).mean() >= 0.95 for numbers, secret, _, _ in draws):
        return Diagnosis("flipped", "You return 3 where 0 is right, and 0 where 3 is.", "What does a 3 mean?")
    if len({numbers[:30].tobytes() for numbers, _, _, _ in draws}) == 1:
        return Diagnosis(
            "constant",
            f"You say the same whatever the sums are; that is right for {right:.0%} of the people.",
            "Where do the sums enter? Does your programme ask that none is too small, and none too large?",
        )
    shares = [float((numbers == secret).mean()) for numbers, secret, _, _ in draws]
    if min(shares[::2]) >= 0.95 > max(shares[1::2]):
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
