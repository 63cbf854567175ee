"""Capstones 7.4 and 7.5: the item-item model from a Gram matrix, and a list made on the phone."""

from __future__ import annotations

import numpy as np

from dpcourse.checks.answers import Answer, AnswerRaised
from dpcourse.checks.base import Chance, Diagnosis
from dpcourse.checks.cases import Equals, Mistake
from dpcourse.checks.once import whole
from dpcourse.lessons.capstone_7.design import gram, item_model, noise_radius, symmetric_noise
from dpcourse.lessons.capstone_7.exercises.phone import STRANGE


def _gram(rng: np.random.Generator) -> tuple[np.ndarray, float]:
    """A noisy Gram matrix, and a ridge above its noise."""
    return _of_items(rng, whole(rng, 4, 100))


def _large(rng: np.random.Generator) -> tuple[np.ndarray, float]:
    """One is enough, and no larger: who solves item by item takes long."""
    return _of_items(rng, int(rng.integers(110, 180)))


def _of_items(rng: np.random.Generator, items: int) -> tuple[np.ndarray, float]:
    total = gram(rng.random((200, items)) < rng.uniform(0.1, 0.6, items)) + symmetric_noise(1.5, items, rng=rng)
    return total, float(rng.uniform(2, 5)) * noise_radius(1.5, items)


def _inverse(total: np.ndarray, ridge: float) -> np.ndarray:
    return np.linalg.inv(total + ridge * np.eye(len(total)))


def _by_rows(total: np.ndarray, ridge: float) -> np.ndarray:
    return item_model(total, ridge).T


def _with_diagonal(total: np.ndarray, ridge: float) -> np.ndarray:
    inverse = _inverse(total, ridge)
    return -inverse / np.diag(inverse)


MODEL = (
    Equals(
        _gram,
        item_model,
        (
            Mistake(
                "by-rows",
                _by_rows,
                "You divide each row by its diagonal entry, and each column is wanted: your model is transposed.",
                "The scores are x B. Which entry of B says what item i adds to the score of item j?",
            ),
            Mistake(
                "own-item",
                _with_diagonal,
                "Your diagonal is not zero: every item recommends itself, or forbids itself.",
                "Set the diagonal to zero at the end.",
            ),
            Mistake(
                "ridge-regression",
                lambda total, ridge: _inverse(total, ridge) @ total,
                "That is ridge regression of every item on all items, itself included.",
                "How do you forbid an item to predict itself? That is what dividing by diag(P) does.",
            ),
            Mistake(
                "ridge-regression",
                lambda total, ridge: (b := _inverse(total, ridge) @ total) - np.diag(np.diag(b)),
                "That is ridge regression with the diagonal set to zero afterwards: the other weights were made for a "
                "model that may use the item itself.",
                "Divide by diag(P), column by column.",
            ),
            Mistake(
                "no-ridge",
                lambda total, ridge: item_model(total, 0.0),
                "The ridge does not enter.",
                "The noisy matrix has eigenvalues near zero, or below. What lifts them?",
            ),
            Mistake(
                "ridge-everywhere",
                lambda total, ridge: item_model(total + ridge, 0.0),
                "You add the ridge to every entry.",
                "It belongs on the diagonal: λ times the identity.",
            ),
            Mistake(
                "sign",
                lambda total, ridge: -item_model(total, ridge),
                "The sign is turned around: what goes together is kept apart.",
                "P is negative where two items go together.",
            ),
            Mistake(
                "not-divided",
                lambda total, ridge: -_inverse(total, ridge) + np.diag(np.diag(_inverse(total, ridge))),
                "You do not divide by the diagonal of P.",
                "−P/diag(P), column by column.",
            ),
        ),
        wide=_large,
        wide_times=1,
    ),
)


def recommended(clicks: np.ndarray, model: np.ndarray, popular: np.ndarray, many: int) -> np.ndarray:
    """The right list: best scores first, what was clicked left out; `popular` where nothing was."""
    x = np.isin(np.arange(len(model)), clicks).astype(float)
    order = np.argsort(-(x @ model), kind="stable") if x.any() else np.asarray(popular)
    return order[x[order] == 0][:many]


def _phone(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
    items = whole(rng, 15, 500)
    clicked = rng.choice(items, whole(rng, 4, items // 2), replace=False)
    clicks = rng.permutation(np.append(clicked, clicked[:2])).astype(float)
    return clicks, rng.normal(0, 1, (items, items)), rng.permutation(items), whole(rng, 3, items // 4)


def _strange_phone(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
    clicks, model, popular, many = _phone(rng)
    odd = rng.choice((*STRANGE, float(len(model))), 3)
    return rng.permutation(np.append(clicks, odd) if rng.random() < 0.7 else odd), model, popular, many


def _ranked(clicks: np.ndarray, model: np.ndarray, scores: np.ndarray, many: int) -> np.ndarray:
    return np.array([item for item in np.argsort(-scores, kind="stable") if item not in clicks][:many])


def _x(clicks: np.ndarray, model: np.ndarray) -> np.ndarray:
    return np.isin(np.arange(len(model)), clicks).astype(float)


def short(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Nothing clicked, strange clicks, and a catalogue that is nearly all clicked: a list comes out all the same."""
    for _ in range(5):
        clicks, model, popular, many = _phone(chance.rng)
        nearly = np.delete(np.arange(len(model)), [0, 1]).astype(float)
        for given, what in ((clicks[:0], "Without a click"), (nearly, "With all items clicked but two")):
            try:
                got = np.asarray(answer(given, model.copy(), popular.copy(), many), dtype=float)
            except AnswerRaised as raised:
                return Diagnosis("raises", f"{what} your function stops: {raised}.", "There is a right list for it.")
            right = recommended(given, model, popular, many)
            if np.array_equal(got, right):
                continue
            if not len(given):
                return Diagnosis(
                    "no-clicks",
                    f"Without a click you give {got.tolist()}; the first of `popular` are {right.tolist()}.",
                    "All scores are zero there. What does an order of equal scores mean?",
                )
            return Diagnosis(
                "fills-up",
                f"{what} you give {got.tolist()}, and only {sorted(right.tolist())} are new.",
                "Fewer than `many` are left. What is clicked must not fill the list up.",
            )
    return None


RECOMMEND = (
    Equals(
        _phone,
        recommended,
        (
            Mistake(
                "seen",
                lambda clicks, model, popular, many: np.argsort(-(_x(clicks, model) @ model))[:many],
                "Your list holds items that were clicked already.",
                "Leave them out before you take the best.",
            ),
            Mistake(
                "seen",
                lambda clicks, model, popular, many: np.array(
                    [i for i in np.argsort(-(_x(clicks, model) @ model))[:many] if i not in clicks]
                ),
                "You leave out what was clicked after taking the best: the list gets shorter.",
                "First leave out, then take.",
            ),
            Mistake(
                "worst-first",
                lambda clicks, model, popular, many: _ranked(clicks, model, -(_x(clicks, model) @ model), many),
                "Your list begins with the lowest scores.",
                "argsort goes up.",
            ),
            Mistake(
                "transposed",
                lambda clicks, model, popular, many: _ranked(clicks, model, model @ _x(clicks, model), many),
                "You use B x where x B is wanted.",
                "Column j of B says how item j is predicted.",
            ),
            Mistake(
                "repeats",
                lambda clicks, model, popular, many: _ranked(
                    clicks, model, np.bincount(clicks.astype(int), minlength=len(model)) @ model, many
                ),
                "An item clicked twice weighs twice.",
                "x holds zeros and ones, as in the message.",
            ),
            Mistake(
                "popular",
                lambda clicks, model, popular, many: np.array([i for i in popular if i not in clicks][:many]),
                "You give everybody the popular items.",
                "Where does the model come in?",
            ),
        ),
    ),
    short,
    Equals(_strange_phone, recommended),
)
