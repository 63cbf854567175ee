"""Exercises on totals: one secret from two large groups, and many from noisy counts."""

from __future__ import annotations

import numpy as np

from dpcourse.checks.answers import Answer, AnswerRaised
from dpcourse.checks.base import Trial, Wrong


class Office:
    """Counts the people of a group who have the secret; silent (None) about groups below `SMALLEST`."""

    SMALLEST = 20

    def __init__(self, secret: np.ndarray) -> None:
        self._secret = secret
        self.asked: list[np.ndarray] = []

    @property
    def silent(self) -> bool:
        """Whether it kept silent about some group."""
        return any(members.sum() < self.SMALLEST for members in self.asked)

    def __call__(self, members: np.ndarray) -> int | None:
        members = np.asarray(members)
        if members.dtype != bool or members.shape != self._secret.shape:
            raise ValueError(
                f"members must be {len(self._secret)} booleans, got {members.dtype} of shape {members.shape}"
            )
        self.asked.append(members.copy())
        return int(self._secret[members].sum()) if members.sum() >= self.SMALLEST else None


_FEW = Wrong(
    "The office keeps silent (None) about groups of fewer than 20 people, and you asked about one.",
    "Which two large groups differ by this person alone?",
    "asks-about-few",
)


def reveals(answer: Answer, trial: Trial) -> Wrong | None:
    """The answer finds out one person's secret from an office that never speaks about small groups."""
    results, secrets, counts, offices = [], [], [], []
    for _ in range(40):
        n = int(trial.rng.integers(30, 80))
        secret = trial.rng.random(n) < 0.5
        person, office = int(trial.rng.integers(n)), Office(secret)
        try:
            results.append(answer(office, n, person))
        except AnswerRaised:
            if office.silent:  # and None was counted with
                return _FEW
            raise
        secrets.append(int(secret[person]))
        counts.append(int(secret.sum()))
        offices.append((office, person))
    if all(result is None for result in results):
        if any(office.silent for office, _ in offices):
            return _FEW
        return Wrong("Your function returns nothing (None).", "Is a `return` missing?", "returns-nothing")
    if not any(office.asked for office, _ in offices):
        return Wrong("You ask the office nothing.", "A guess is right half of the time; ask.", "guesses")
    found = np.array([np.nan if result is None else float(result) for result in results])
    wanted = np.array(secrets)
    if np.array_equal(found, wanted):
        return None
    if np.array_equal(found, -wanted):
        return Wrong(
            "You give −1 where the secret is yes.",
            "Subtract the count without the person from the one with.",
            "reversed",
        )
    if all(len(office.asked) == 1 for office, _ in offices) or np.array_equal(found, counts):
        return Wrong(
            "You give the count of one group.", "Ask about a second group that differs by one person.", "one-count"
        )
    for office, person in offices:
        pairs = [office.asked[i] ^ office.asked[i + 1] for i in range(len(office.asked) - 1)]
        if not any(pair.any() for pair in pairs):
            return Wrong("You ask about the same group twice.", "Leave the person out of one of them.", "same-group")
        if all(pair.sum() != 1 for pair in pairs):
            return Wrong(
                "Your two groups differ by more than one person, so their counts do too.",
                "Everybody else must be in both groups or in neither.",
                "more-than-one",
            )
        if not any(pair[person] for pair in pairs):
            return Wrong(
                "Your two groups do not differ by the person asked about.",
                "The person at position `person` is in one of them and not in the other.",
                "wrong-person",
            )
    return Wrong(
        f"You give {results[0]!r} where the secret is {secrets[0]}.",
        "Give 1 for yes, 0 for no.",
        "wrong-value",
    )


def reconstructs(answer: Answer, trial: Trial) -> Wrong | None:
    """The answer recovers at least 95% of the bits of 40 people from 240 counts that are off by up to one."""
    draws = []
    for i in range(5):
        # Few yeses, then many: whoever always says half yes is off both ways.
        yeses = trial.rng.integers(12, 18) if i % 2 else trial.rng.integers(23, 29)
        secret = trial.rng.permutation(np.arange(40) < yeses).astype(int)
        queries = trial.rng.integers(2, size=(240, 40))
        answers = queries @ secret + trial.rng.uniform(-1, 1, size=240)
        result = answer(queries.copy(), answers.copy())
        if result is None:
            return Wrong(
                "Your function returns nothing (None).",
                "Is a `return` missing, or has your programme no solution? With noise no table fits exactly: ask for "
                "the closest.",
                "returns-nothing",
            )
        bits = np.asarray(result)
        if bits.shape != (40,):
            return Wrong(f"One bit a person is wanted, shape (40,); yours is {bits.shape}.", "", "wrong-shape")
        if not np.isin(bits, (0, 1)).all():
            return Wrong(
                f"You return values such as {float(bits[~np.isin(bits, (0, 1))][0]):.3g}.",
                "A secret is 0 or 1: round what the programme gives.",
                "not-bits",
            )
        draws.append((bits.astype(int), secret, queries, answers))
    right = min(float((bits == secret).mean()) for bits, secret, _, _ in draws)
    return None if right >= 0.95 else _why_wrong(draws, right)


def _why_wrong(draws: list[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]], right: float) -> Wrong:
    if all((bits == secret).mean() <= 0.05 for bits, secret, _, _ in draws):
        return Wrong("Each bit you return is the opposite of the right one.", "Is 1 a yes?", "flipped")
    if len({bits.tobytes() for bits, _, _, _ in draws}) == 1:
        return Wrong(
            f"You say the same whatever the answers are; that is right for {right:.0%} of the people.",
            "The published counts must enter.",
            "constant",
        )
    if all(np.array_equal(bits, _first_equations(queries, answers)) for bits, _, queries, answers in draws):
        return Wrong(
            f"You solve 40 equations for 40 people, which makes the noise larger: {right:.0%} right.",
            "All 240 answers count: find the bits that fit all of them best.",
            "few-equations",
        )
    if all((bits >= secret).all() for bits, secret, _, _ in draws):
        return Wrong(
            f"Every mistake you make is a 1 where 0 is right ({right:.0%} right).",
            "Where do you cut the fractions? ½ is in the middle.",
            "rounds-up",
        )
    return Wrong(
        f"You recover {right:.0%} of the secrets; 95% is possible from these answers.",
        "Do your variables stand for all people together, and does every answer enter?",
        "too-few",
    )


def _first_equations(queries: np.ndarray, answers: np.ndarray) -> np.ndarray:
    n = queries.shape[1]
    return (np.linalg.lstsq(queries[:n].astype(float), answers[:n], rcond=None)[0] > 0.5).astype(int)
