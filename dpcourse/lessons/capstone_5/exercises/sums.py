"""Capstone 5.2: one patient, with however many stays, moves a hospital's sum by the clip at most."""

from __future__ import annotations

from functools import partial

import numpy as np
from scipy.special import expit

from dpcourse.checks.answers import Answer, AnswerRaised
from dpcourse.checks.base import Chance
from dpcourse.checks.cases import Equals, Mistake
from dpcourse.checks.diagnosis import Diagnosis, Refused
from dpcourse.checks.measured import to_decimals
from dpcourse.checks.real_size import up_to_twice
from dpcourse.lessons.capstone_5.exercises.coming import coming, place
from dpcourse.lessons.capstone_5.exercises.reference import (
    CANARIES,
    book,
    hospital_sum,
    numbers_of,
    rows_of,
    soiled,
    spread_out,
    ward,
    whole,
)

LARGE = 20_000  # stays of one hospital that is larger than any of the simulator


def _given(rng: np.random.Generator, n: int, readings: int = 0, size: float = 1.0) -> tuple:
    centre, spread = book(rng, readings := readings or int(rng.integers(4, 35)))
    weights = rng.normal(0, 0.5 / np.sqrt(readings / 10), readings + 1) * size
    return weights, *ward(rng, n, centre, spread), centre, spread, spread_out(rng, 0.1, 6)


def _soiled(rng: np.random.Generator, given: tuple) -> tuple:
    return given[0], *soiled(rng, given[1:4]), *given[4:]


def _wide(rng: np.random.Generator) -> tuple:
    """One stay up to twice those of the largest hospital; a third of the weights are zeros."""
    return _given(rng, up_to_twice(rng, 1, 1500), whole(rng, 1, 60), rng.random() < 2 / 3)


def _measured(rng: np.random.Generator) -> tuple:
    """The same, half of the time with readings that are whole or have one decimal: some may lie beyond ±3.

    Every other time outcomes are of type int.
    """
    weights, X, y, *others = _wide(rng)
    return weights, to_decimals(X, rng), y.astype(int) if rng.random() < 0.5 else y, *others


def _gradients(weights, X, y, centre, spread) -> np.ndarray:
    Z = rows_of(X, centre, spread)
    return (expit(Z @ weights) - y)[:, None] * Z


def _cut(parts: np.ndarray, clip: float, norms: np.ndarray | None = None) -> np.ndarray:
    norms = np.linalg.norm(parts, axis=1) if norms is None else norms
    return (parts / np.maximum(1, norms / clip)[:, None]).sum(axis=0)


def _parts(gradients: np.ndarray, patients: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    who, place, times = np.unique(patients, return_inverse=True, return_counts=True)
    parts = np.zeros((len(who), gradients.shape[1]))
    np.add.at(parts, place, gradients)
    return parts, times


def _local(w, X, y, patients, centre, spread, clip) -> np.ndarray:
    return hospital_sum(w, X, y, patients, X.mean(axis=0), X.std(axis=0), clip)


def _averages(w, X, y, patients, centre, spread, clip) -> np.ndarray:
    parts, times = _parts(_gradients(w, X, y, centre, spread), patients)
    return _cut(parts / times[:, None], clip)


def _first(w, X, y, patients, centre, spread, clip) -> np.ndarray:
    rows = np.sort(np.unique(patients, return_index=True)[1])
    return hospital_sum(w, X[rows], y[rows], patients[rows], centre, spread, clip)


def _without_constant(w, X, y, patients, centre, spread, clip) -> np.ndarray:
    parts, _ = _parts(_gradients(w, X, y, centre, spread), patients)
    return _cut(parts, clip, np.linalg.norm(parts[:, :-1], axis=1))


def _neighbours(w, X, y, patients, centre, spread, clip) -> np.ndarray:
    runs = np.append(0, np.cumsum(np.diff(patients) != 0))
    return _cut(_parts(_gradients(w, X, y, centre, spread), runs)[0], clip)


CLEAN = Equals(
    lambda rng: _given(rng, whole(rng, 20, 2000)),
    hospital_sum,
    (
        Mistake(
            "local-scaler",
            _local,
            "You scale by the hospital's own mean and deviation. Both move with every patient, and then all rows do: "
            "one patient changes everybody's gradient.",
            "Which centre and which spread were agreed on before anybody looked?",
        ),
        Mistake(
            "clips-stays",
            lambda w, X, y, p, c, s, clip: _cut(_gradients(w, X, y, c, s), clip),
            "You clip each stay. A patient with three stays may move your sum by three times the clip.",
            "The unit is a patient. What do all stays of one patient add together?",
        ),
        Mistake(
            "not-clipped",
            lambda w, X, y, p, c, s, clip: _gradients(w, X, y, c, s).sum(axis=0),
            "You add the gradients up as they are: a patient moves the sum by as much as the readings make it.",
            "Where does `clip` enter?",
        ),
        Mistake(
            "clips-sum",
            lambda w, X, y, p, c, s, clip: _cut(_gradients(w, X, y, c, s).sum(axis=0)[None], clip),
            "You clip the sum of the hospital. One patient can still turn it around, and so move it by twice the clip.",
            "What has to be clipped, so that one patient moves the sum by the clip at most?",
        ),
        Mistake(
            "private-size",
            lambda w, X, y, p, c, s, clip: hospital_sum(w, X, y, p, c, s, clip) / len(y),
            "You divide by the number of stays. That number is not public, and it changes when a patient leaves.",
            "A sum is asked for. Which public number may the server divide by later?",
        ),
        Mistake(
            "private-size",
            lambda w, X, y, p, c, s, clip: hospital_sum(w, X, y, p, c, s, clip) / len(set(p.tolist())),
            "You divide by the number of patients. That number is not public, and it changes when a patient leaves.",
            "A sum is asked for. Which public number may the server divide by later?",
        ),
        Mistake(
            "averages-stays",
            _averages,
            "You average the stays of a patient before you clip.",
            "The task adds up the stays of one patient, and the clip bounds what comes out. Where do you divide?",
        ),
        Mistake(
            "first-stay",
            _first,
            "Only one stay of each patient counts in your sum.",
            "The task adds up all stays of a patient. Where do the others get lost?",
        ),
        Mistake(
            "neighbours",
            _neighbours,
            "You add up stays of one patient only where they follow each other in the list.",
            "In which order do the stays come?",
        ),
        Mistake(
            "clips-entries",
            lambda w, X, y, p, c, s, clip: np.clip(_parts(_gradients(w, X, y, c, s), p)[0], -clip, clip).sum(axis=0),
            "You clip each entry by itself. Thirty-one entries of `clip` each make a vector of length 5.6 · `clip`.",
            "`clip` bounds the length of a patient's vector. Which length has yours?",
        ),
        Mistake(
            "norm-without-constant",
            _without_constant,
            "Your norm leaves out the constant's entry.",
            "The vector has d + 1 entries. Which of them can move the sum?",
        ),
        Mistake(
            "stretched",
            lambda w, X, y, p, c, s, clip: (
                clip * (parts := _parts(_gradients(w, X, y, c, s), p)[0]) / np.linalg.norm(parts, axis=1)[:, None]
            ).sum(axis=0),
            "You bring every patient to the length `clip`, short vectors too.",
            "Only vectors longer than `clip` are to be changed. What does yours do to a vector of half that length?",
        ),
        Mistake(
            "sign",
            lambda w, X, y, p, c, s, clip: -hospital_sum(w, X, y, p, c, s, clip),
            "Your sum has the wrong sign.",
            "A stay's gradient is (p − y) · (z, 1). In which order do you subtract?",
        ),
    ),
    rtol=1e-6,
    atol=1e-8,
    wide=_wide,
)


def _dropped(w, X, y, patients, centre, spread, clip) -> np.ndarray:
    fine = np.isfinite(X).all(axis=1)
    return hospital_sum(w, X[fine], y[fine], patients[fine], centre, spread, clip)


def _filled(w, X, y, patients, centre, spread, clip) -> np.ndarray:
    fine = np.where(np.isfinite(X), X, np.nan)
    return hospital_sum(w, np.where(np.isnan(X), np.nanmean(fine, axis=0), X), y, patients, centre, spread, clip)


STRANGE = (
    Mistake(
        "not-cut",
        partial(hospital_sum, largest=1e9),  # so that norms are finite
        "You do not cut readings at ±3: one that is far from the centre can outweigh all others.",
        "What is a scaled reading of 5 after the cut, and what one of −5?",
    ),
    Mistake(
        "drops-rows",
        _dropped,
        "A stay in which one reading is missing does not count in your sum.",
        "The other readings of that stay are there. What is a missing one after scaling?",
    ),
)
COUNTED = tuple(
    Mistake(
        "wrong-sum",
        partial(hospital_sum, outcomes=(0, 1, *odd)),
        f"You count stays whose y is neither 0 nor 1, such as {odd[0]:g}.",
        "What does the task say such a stay adds?",
    )
    for odd in ((0.5,), (2.0,), (0.5, 2.0))
)
DIRTY = Equals(
    lambda rng: _soiled(rng, _given(rng, whole(rng, 30, 600))),
    hospital_sum,
    (
        *STRANGE,
        Mistake(
            "fills-by-mean",
            _filled,
            "You fill a missing reading with the hospital's own mean, and that moves with every patient.",
            "Which value is public, and the same everywhere?",
        ),
    ),
    rtol=1e-6,
    atol=1e-8,
    wide=lambda rng: _soiled(rng, _wide(rng)),
)


def replay(answer: Answer, chance: Chance) -> Diagnosis | None:
    """A patient more, of any kind, moves the sum by the clip at most; an error is an output too."""
    rng, unsure = chance.rng, None
    for n in (0, 1, whole(rng, 5, 3000), LARGE):
        weights, X, y, patients, centre, spread, clip = _given(rng, n)
        here = place(n)
        plainly = "Which of your numbers goes wrong first?" if n else "An array of no rows has a sum, too. Which?"
        for canary in CANARIES if n < LARGE else rng.choice(CANARIES, 1):
            more, comes, odd = coming(rng, (X, y, patients), centre, spread, float(canary))
            ask = "What is such a reading after scaling, and after the cut?"
            ask += " And what does a stay with such a y add?" if odd else ""
            sums = []
            for some, where in (((X, y, patients), here), (more, f"{here}, {comes}:")):
                try:
                    given = answer(weights.copy(), *(p.copy() for p in some), centre.copy(), spread.copy(), clip)
                except AnswerRaised as raised:
                    seen = f"{where} your function stops: {raised}. An error is an output, and it tells about patients."
                    return Diagnosis("raises", seen, ask if some is more else plainly)
                sums.append(numbers_of(given))
                if sums[-1].shape != weights.shape:
                    seen = f"Your sum has shape {sums[-1].shape}; {weights.shape} is wanted, also without any stay."
                    raise Refused(Diagnosis("wrong-shape", seen, "One number for each reading, and the constant's."))
                if not np.isfinite(sums[-1]).all():
                    seen = f"{where} your sum holds NaN or infinity."
                    return Diagnosis(
                        "not-finite", seen, f"NaN plus anything is NaN. {ask}" if some is more else plainly
                    )
            moved = float(np.linalg.norm(sums[1] - sums[0]))
            room = 1e-9 * (1 + n) * max(clip, 1)
            if not moved <= clip * (1 + 1e-9) + room:
                return Diagnosis(
                    "moves-more",
                    f"{here}, {comes}: your sum moves by {moved:.3g}. `clip` is {clip:.2g}.",
                    "What is the length of all that this patient adds?"
                    + (" In smaller hospitals you clip it. Why not here?" if n == LARGE else ""),
                )
            right = hospital_sum(weights, *more, centre, spread, clip)
            if not np.allclose(sums[1], right, atol=1e-6 * (1 + np.abs(right).max())):
                if np.allclose(sums[1], hospital_sum(weights, *more, centre, spread, np.inf)):
                    seen = f"{here} you cut nobody to the clip of {clip:.2g}."
                    return Diagnosis("moves-more", seen, "What is the length of all that a patient may add?")
                found = [
                    known
                    for known in (*STRANGE, *COUNTED)
                    if np.allclose(sums[1], known.gives(weights, *more, centre, spread, clip), rtol=1e-8)
                ]
                if len({known.key for known in found}) > 1:  # where p = y, a stay with a huge reading adds nothing
                    unsure = unsure or found[0].diagnosis
                    continue
                if found:
                    return found[0].diagnosis
                worst = np.abs(sums[1] - right).argmax()
                return Diagnosis(
                    "wrong-sum",
                    f"{here}, {comes}: an entry of your sum is {sums[1][worst]:.4g}; {right[worst]:.4g} is right.",
                    "A missing reading is 0 after scaling, a large one is cut at ±3, an outcome other than 0 and 1 "
                    "adds nothing.",
                )
    return unsure


SUM = (CLEAN, replay, DIRTY, Equals(_measured, hospital_sum, rtol=1e-6, atol=1e-8, times=30))
