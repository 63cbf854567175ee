"""Capstones 7.4 and 7.5: the item-item model from a Gram matrix, and a list made on the phone."""

from __future__ import annotations

import time

import numpy as np

from dpcourse.checks.answers import Answer, AnswerRaised
from dpcourse.checks.base import Chance
from dpcourse.checks.cases import Equals, Mistake
from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.checks.once import between, whole
from dpcourse.checks.real_size import up_to_twice
from dpcourse.checks.vocabulary import Shared
from dpcourse.lessons.capstone_7.design import gram, item_model, noise_radius, symmetric_noise
from dpcourse.lessons.capstone_7.exercises.phone import STRANGE, fractions


def _gram(rng: np.random.Generator) -> tuple[np.ndarray, float]:
    """A noisy Gram matrix, and a ridge above its noise."""
    return _of_items(rng, whole(rng, 4, 100))


def _large(rng: np.random.Generator) -> tuple[np.ndarray, float]:
    """As noise and data of many people make it. One is enough, as who solves item by item takes long."""
    (total, ridge), by = _of_items(rng, whole(rng, 110, 300)), between(rng, 0.5, 100.0)
    return by * total, by * ridge


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


def in_the_shop(answer: Answer, chance: Chance) -> Diagnosis | None:
    """The shop's 500 books, once, where 150 are done in a hundredth of a second: who solves book by book takes long."""
    total, ridge = _of_items(chance.rng, 150)
    times = []
    for _ in range(3):
        start = time.process_time()
        answer(total.copy(), ridge)
        times.append(time.process_time() - start)
    if min(times) > 0.01:
        return None
    found = Equals(lambda rng: _of_items(rng, int(rng.integers(500, 511))), item_model, times=1)(answer, chance)
    if found is None:
        return None
    return Shared.NOT_EVERYWHERE.seen(
        f"With fewer items you are right. {found.seen}", "What changes in your code with the number of items?"
    )


MODEL = (
    Equals(
        _gram,
        item_model,
        (
            Mistake(
                "by-rows",
                _by_rows,
                "You divide each row of −P by its diagonal entry, and the task divides each column: your model is "
                "transposed.",
                "The scores are x B. Which entry of B says what a click on i adds to the score of j?",
            ),
            Mistake(
                "own-item",
                _with_diagonal,
                "The diagonal of your model is −1: every item that was clicked lowers its own score.",
                "May an item predict itself? What does the task say about the diagonal?",
            ),
            Mistake(
                "ridge-regression",
                lambda total, ridge: _inverse(total, ridge) @ total,
                "That is ridge regression of every item on all items, itself included.",
                "No item may predict itself. Which closed form does the task give for such a model?",
            ),
            Mistake(
                "ridge-regression",
                lambda total, ridge: (b := _inverse(total, ridge) @ total) - np.diag(np.diag(b)),
                "That is ridge regression with the diagonal set to zero afterwards: the other weights were made for a "
                "model that may use the item itself.",
                "Which closed form does the task give for a model whose diagonal is zero from the start?",
            ),
            Mistake(
                "no-ridge",
                lambda total, ridge: item_model(total, 0.0),
                "Your model is the one for ridge = 0, whatever `ridge` is.",
                "The noisy matrix has eigenvalues near zero, or below. What lifts them?",
            ),
            Mistake(
                "ridge-everywhere",
                lambda total, ridge: item_model(total + ridge, 0.0),
                "You add the ridge to every entry.",
                "Which entries does λI change, with I the identity?",
            ),
            Mistake(
                "sign",
                lambda total, ridge: -item_model(total, ridge),
                "Your model has the wrong sign everywhere: items that go together lower each other's scores.",
                "Which sign does P have where two items go together, and which should B have?",
            ),
            Mistake(
                "not-divided",
                lambda total, ridge: -_inverse(total, ridge) + np.diag(np.diag(_inverse(total, ridge))),
                "You do not divide −P by the diagonal of P.",
                "Which entry of P does the task divide column j by?",
            ),
        ),
        wide=_large,
        wide_times=1,
    ),
    in_the_shop,
)


def recommended(clicks: np.ndarray, model: np.ndarray, popular: np.ndarray, many: int) -> np.ndarray:
    """The right list: best scores first, what was clicked left out; `popular` where nothing was."""
    x = np.isin(np.arange(len(model)), clicks).astype(float)
    order = np.argsort(-(x @ model), kind="stable") if x.any() else np.asarray(popular)
    return order[x[order] == 0][:many]


def _phone(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
    """A catalogue of up to twice the shop's books, and one click or more; a third have three or fewer."""
    items = up_to_twice(rng, 8, 500)
    clicked = rng.choice(items, whole(rng, 1, 3 if rng.random() < 1 / 3 else items // 2), replace=False)
    clicks = rng.permutation(np.append(clicked, clicked[:2])).astype(float)
    model = rng.normal(0, between(rng, 1e-3, 10.0), (items, items)) * (1 - np.eye(items))
    return clicks, model, rng.permutation(items), whole(rng, 1, items // 4)


def _strange_phone(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
    clicks, model, popular, many = _phone(rng)
    odd = rng.choice((*STRANGE, float(len(model)), *fractions(rng, len(model))), 3)
    return rng.permutation(np.append(clicks, odd) if rng.random() < 0.7 else odd), model, popular, many


def _ranked(clicks: np.ndarray, model: np.ndarray, scores: np.ndarray, many: int) -> np.ndarray:
    return np.array([item for item in np.argsort(-scores, kind="stable") if item not in clicks][:many])


def _x(clicks: np.ndarray, model: np.ndarray) -> np.ndarray:
    return np.isin(np.arange(len(model)), clicks).astype(float)


def short(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Nothing clicked, strange clicks, and a catalogue that is nearly all clicked: a list comes out all the same."""
    for _ in range(5):
        clicks, model, popular, many = _phone(chance.rng)
        all_of_them = np.arange(len(model), dtype=float)
        for given, what in (
            (clicks[:0], "Without a click"),
            (all_of_them[2:], "With all items clicked but two"),
            (all_of_them, "With all items clicked"),
        ):
            try:
                got = np.asarray(answer(given.copy(), model.copy(), popular.copy(), many), dtype=float)
            except AnswerRaised as raised:
                ask = "Which list does the task want there?"
                return Diagnosis("raises", f"{what}, your function stops: {raised}.", ask)
            right = recommended(given, model, popular, many)
            if np.array_equal(got, right):
                continue
            if not len(given):
                return Diagnosis(
                    "no-clicks",
                    f"Without a click you give {_first(got)}; right is the beginning of `popular`, {_first(right)}.",
                    "Without a click all scores are 0. Which order does a sort give them? Which does the task want?",
                )
            new = "only the items 0 and 1 are" if len(right) else "none is"
            seen = f"{what}, you give {_first(got)}; {new} new, and {_first(right)} is right."
            if len(right) and len(got) <= 2:
                return Diagnosis("wrong-value", seen, "Fewer than `many` are left. What happens to them?")
            return Diagnosis(
                "fills-up", seen, "Fewer than `many` are left. Where do the others in your list come from?"
            )
    return None


def _first(given: np.ndarray) -> str:
    """A list of items, in words if it is long."""
    shown = ", ".join(f"{item:g}" for item in given.ravel()[:5])
    return f"[{shown}, …] ({given.size} items)" if given.size > 5 else f"[{shown}]"


def strange(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Logs that hold clicks that are no item, beside others or alone."""
    try:
        found = Equals(_strange_phone, recommended)(answer, chance)
    except AnswerRaised as raised:
        seen = f"With clicks that are no item, such as NaN, infinity or 2.5, your function stops: {raised}."
        return Diagnosis("raised", seen, "What does such a click count as in 7.2?")
    return found and found.led_by("The log holds clicks that are no item, such as NaN, −1 or 2.5. ")


RECOMMEND = (
    Equals(
        _phone,
        recommended,
        (
            Mistake(
                "seen",
                lambda clicks, model, popular, many: np.argsort(-(_x(clicks, model) @ model))[:many],
                "Your list holds items that were clicked already.",
                "What do you do with the scores of items in `clicks`?",
            ),
            Mistake(
                "seen",
                lambda clicks, model, popular, many: np.array(
                    [i for i in np.argsort(-(_x(clicks, model) @ model))[:many] if i not in clicks]
                ),
                "You take the best `many` first and then leave out what was clicked, so the list gets too short.",
                "In which order do you get `many` new items?",
            ),
            Mistake(
                "worst-first",
                lambda clicks, model, popular, many: _ranked(clicks, model, -(_x(clicks, model) @ model), many),
                "Your list begins with the lowest scores.",
                "At which end of your order do the best scores stand?",
            ),
            Mistake(
                "transposed",
                lambda clicks, model, popular, many: _ranked(clicks, model, model @ _x(clicks, model), many),
                "You use B x where x B is wanted.",
                "B[i, j] is what a click on i adds to the score of j. Over which of the two do you add up?",
            ),
            Mistake(
                "repeats",
                lambda clicks, model, popular, many: _ranked(
                    clicks, model, np.bincount(clicks.astype(int), minlength=len(model)) @ model, many
                ),
                "An item clicked twice counts twice in your scores.",
                "What did x hold for such an item in 7.2?",
            ),
            Mistake(
                "popular",
                lambda clicks, model, popular, many: np.array([i for i in popular if i not in clicks][:many]),
                "You give everybody the popular items.",
                "Where does the model come in?",
            ),
        ),
        times=20,
    ),
    short,
    strange,
)
