"""Capstone 7.2: a person's message has norm 1 at most, whatever the log on the phone says."""

from __future__ import annotations

import numpy as np

from dpcourse.checks.answers import Answer, AnswerRaised
from dpcourse.checks.base import Chance
from dpcourse.checks.cases import Equals, Mistake
from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.checks.once import whole
from dpcourse.checks.real_size import up_to_twice

STRANGE = (np.nan, np.inf, -np.inf, -1.0, -3.0, 1e9, 1e300, 2.5, -0.5)  # and the number of items, which is none


def fractions(rng: np.random.Generator, items: int) -> np.ndarray:
    """A little above one item, and a little below another."""
    return rng.integers(items, size=2) + 10 ** rng.uniform(-3.5, -0.31, 2) * (1, -1)


def contributed(clicks: np.ndarray, items: int) -> np.ndarray:
    """The right message: x xᵀ/|x|², where x marks each item clicked; what is no item does not count."""
    x = np.isin(np.arange(items), np.asarray(clicks, dtype=float)).astype(float)
    return np.outer(x, x) / max(x.sum(), 1)


def _clean(rng: np.random.Generator) -> tuple[np.ndarray, int]:
    """One item up to twice as many as anybody in the shop clicked, two of them again, and one of these more often."""
    return _log(rng, items := up_to_twice(rng, 1, 500)), items


def _log(rng: np.random.Generator, items: int) -> np.ndarray:
    """A third have four items or fewer."""
    clicked = rng.choice(items, whole(rng, 1, min(items, 4 if rng.random() < 1 / 3 else 400)), replace=False)
    again = clicked[:1].repeat(whole(rng, 1, 300))
    return rng.permutation(np.concatenate((clicked, clicked[:2], again))).astype(float)


def _dirty(rng: np.random.Generator) -> tuple[np.ndarray, int]:
    clicks, items = _clean(rng)
    return rng.permutation(np.append(clicks, rng.choice((*STRANGE, float(items), *fractions(rng, items)), 3))), items


def _counts(clicks: np.ndarray, items: int) -> np.ndarray:
    return np.bincount(clicks.astype(int), minlength=items).astype(float)


def _by(norm):
    """x xᵀ divided by something else."""
    return lambda clicks, items: np.outer(*[_counts(clicks, items) > 0] * 2) / norm(clicks)


CLEAN = Equals(
    _clean,
    contributed,
    (
        Mistake(
            "raw",
            _by(lambda clicks: 1),
            "You send x xᵀ as it is. With k items its norm is k, and the noise is made for norm 1.",
            "What do you have to divide by?",
        ),
        Mistake(
            "length-for-square",
            _by(lambda clicks: np.sqrt(len(set(clicks.tolist())))),
            "You divide by |x|. With k items the norm is still √k.",
            "The norm of x xᵀ is |x|². For three items, what is |x|², and what is |x|?",
        ),
        Mistake(
            "too-short",
            _by(lambda clicks: len(set(clicks.tolist())) ** 2),
            "You divide by k², so your message has norm 1/k: a person with many items hardly counts.",
            "The norm of x xᵀ is k. Which divisor makes it 1?",
        ),
        Mistake(
            "repeats-in-norm",
            _by(len),
            "You divide by the number of clicks, and an item clicked again is counted again there.",
            "Does an item that was clicked again change x? What is |x|² then?",
        ),
        Mistake(
            "repeats",
            lambda clicks, items: np.outer(*[_counts(clicks, items)] * 2) / (_counts(clicks, items) ** 2).sum(),
            "An item clicked twice weighs twice in your x.",
            "Once is enough, says the task. What does x hold for an item that was clicked three times?",
        ),
        Mistake(
            "repeats",
            lambda clicks, items: np.outer(*[_counts(clicks, items)] * 2),
            "You send counts of clicks, multiplied: one item clicked a hundred times gives a matrix of norm 10,000.",
            "x holds zeros and ones. What is the norm of x xᵀ then, and what is it divided by?",
        ),
        Mistake(
            "items-from-data",
            lambda clicks, items: np.full((k := len(set(clicks.tolist())), k), 1 / k),
            "Your matrix has a row for each item this person clicked, so its shape tells how many there are.",
            "Which number of rows is known without looking at the clicks?",
        ),
        Mistake(
            "no-diagonal",
            lambda clicks, items: contributed(clicks, items) * (1 - np.eye(items)),
            "Your diagonal is zero. In the sum, the diagonal tells how popular each item is, and the model needs that.",
            "What is entry (i, i) of x xᵀ for an item i that was clicked?",
        ),
    ),
    times=30,
)


def replay(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Each strange click beside fine ones, and alone: an error is an output, and the message keeps its norm."""
    fine = _log(chance.rng, items := whole(chance.rng, 8, 500))
    for others in (fine, fine[:0]):
        for click in (*STRANGE, float(items), *fractions(chance.rng, items)):
            clicks = chance.rng.permutation(np.append(others, click))
            where = f"With {click:g} among the clicks" if len(others) else f"With {click:g} as the only click"
            nothing = "With the same clicks again" if len(others) else "Without any click"
            sent = []
            for some, what in ((others, nothing), (clicks, where)):
                try:
                    sent.append(np.asarray(answer(some.copy(), items), dtype=float))
                except AnswerRaised as raised:
                    return Diagnosis(
                        "raises",
                        f"{what}, your function stops: {raised}. An error is an output, and this one tells about a "
                        "person.",
                        "What does a click add that is no item, and what does a phone send that clicked nothing?",
                    )
            if sent[0].shape != (items, items) or sent[1].shape != (items, items):
                shapes = " and ".join(str(one.shape) for one in sent)
                return Diagnosis(
                    "items-from-data",
                    f"For a catalogue of {items} items your messages have shapes {shapes}.",
                    "Which number of rows is known without looking at the clicks?",
                )
            if not np.linalg.norm(sent[1]) <= 1 + 1e-9:
                norm = np.linalg.norm(sent[1])
                ask = "What does a click add that is no item?"
                if np.isnan(norm):
                    ask = "0/0 is NaN. What do you divide by when no item was clicked, and what should the phone send?"
                return Diagnosis(
                    "not-bounded", f"{where}, your message has norm {norm:.3g}; 1 is the most allowed.", ask
                )
            if not np.allclose(sent[0], sent[1], atol=1e-9):
                return Diagnosis(
                    "strange-click",
                    f"{where}, your message differs from the one without it.",
                    f"The items are the whole numbers 0, …, items − 1. Which item does your code make of {click:g}?"
                    + (" (NumPy counts −1 from the end.)" if click in (-1, -3) else ""),
                )
    return _nothing(answer, chance.rng)


def _nothing(answer: Answer, rng: np.random.Generator) -> Diagnosis | None:
    """Catalogues of one item, of a few and of many: who clicked none of them sends zeros."""
    for items in (1, whole(rng, 2, 8), whole(rng, 9, 500)):
        for log in (np.array([]), rng.choice(STRANGE, 1)):
            if np.asarray(answer(log.copy(), items), dtype=float).any():
                what = f"a single click, {log[0]:g}," if len(log) else "no click"
                seen = f"With {what} and a catalogue of {items} item{'s' * (items > 1)}, your message is not zero."
                return Diagnosis("no-clicks", seen, "What does a phone send that clicked no item?")
    return None


PHONE = (CLEAN, replay, Equals(_dirty, contributed))
