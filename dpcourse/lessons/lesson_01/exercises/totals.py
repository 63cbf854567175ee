"""Exercise 01.3: one secret from counts of large groups that are far apart."""

from __future__ import annotations

from itertools import product

import numpy as np

from dpcourse.checks.answers import Answer, AnswerRaised, PackageUsed
from dpcourse.checks.base import Chance
from dpcourse.checks.diagnosis import NOTHING, Diagnosis
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
    for most in chance.rng.permutation([99] * 24 + [100_000] * 16).tolist():
        n = whole(chance.rng, 60, most)
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
    codes = 2 ** np.arange(len(groups)) @ np.array(groups, dtype=int)  # who is in the same groups has the same
    kinds, first, many = np.unique(codes, return_index=True, return_counts=True)
    signs = np.array(list(product((-1, 0, 1), repeat=len(groups))))
    sums = signs @ (kinds >> np.arange(len(groups))[:, None] & 1)
    alone = sums[np.abs(sums) @ many == 1]
    return set(first[np.nonzero(alone)[1]].tolist())
