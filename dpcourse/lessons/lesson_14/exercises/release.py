"""Exercise 14.5: a release in whole steps of a public grid, and by how many steps one record can move it."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.random import Generator
from scipy import stats

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance
from dpcourse.checks.cases import Audited, Returns, either_order
from dpcourse.checks.diagnosis import Diagnosis, Refused
from dpcourse.checks.links import same_side
from dpcourse.checks.noise_laws import Wanted, geometric, laplace, noise_wrong
from dpcourse.checks.once import whole
from dpcourse.checks.places import Place, Placed, place
from dpcourse.checks.vocabulary import Shared
from dpcourse.lessons.lesson_14.exercises.values import of_all_sizes
from dpcourse.privacy import Guarantee

RUNS = 6_000
SAME = 8  # releases of one value, at one ε
ROOMY = 10  # steps, of which noise for one more is no more than a tenth larger


def _setting(rng: Generator, least: float = 0.3, most: float = 0.5) -> tuple[float, float]:
    """A sensitivity of one or two steps and a bit, and a step between 1/16 and 1/4: one step more is 10% or more."""
    g = 2.0 ** -int(rng.integers(2, 5))
    return g * float(rng.integers(1, 3) + rng.uniform(least, most)), g


def _value(rng: Generator, g: float) -> float:
    """A value that no grid holds, well between two steps."""
    return g * float(rng.integers(-50, 50) + rng.choice([-1, 1]) * rng.uniform(0.1, 0.4))


def _drawn(answer: Answer, value: float, sensitivity: float, g: float, epsilon: float, rng: Generator, n: int):
    return np.array([float(answer(value, sensitivity, g, epsilon, rng=rng)) for _ in range(n)])


def _on_the_grid(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Releases are whole multiples of g and, for small and for large values, of nothing coarser."""
    sensitivity, g = _setting(chance.rng)
    small = _value(chance.rng, g)
    values = (small, 1000 + small)
    samples = [_drawn(answer, value, sensitivity, g, 1.0, chance.rng, 300) / g for value in values]
    if (np.concatenate(samples) % 1 == 0).all():
        coarser = [(sample % 2 == sample[0] % 2).all() for sample in samples]
        if coarser == [False, True]:
            return Diagnosis(
                "step-from-data",
                f"Near {small:.3g} you release all multiples of {g:g}, near {values[1]:.5g} only every second one: the "
                "step tells where the value is.",
                "The step is g, whatever the value. Where does the value enter yours?",
            )
        if all(coarser):
            return Diagnosis(
                "coarse-step",
                f"With g = {g:g} your releases are multiples of {2 * g:g} or more.",
                "The step is g: no finer and no coarser.",
            )
        return None
    one = samples[0] * g
    finer = one - one[0]
    if (np.abs(finer / g - np.rint(finer / g)) < 1e-6).all():
        return Diagnosis(
            "value-not-rounded",
            f"Your noise is made of whole steps, and the value {small:.6g} is not: its own last bits show in every "
            f"release, such as {float(one[0])!r}.",
            "Round the value to whole steps before the noise is added.",
        )
    spacing = _spacing(one)
    if spacing:
        return Diagnosis(
            "not-a-power-of-two",
            f"Your releases are whole multiples of {spacing:.6g}, and g is {g:g}.",
            "Whole steps times g: a product with a power of two is exact.",
        )
    return Diagnosis(
        "naive",
        f"A release of {small:.6g} is {float(one[0])!r}: no multiple of g = {g:g}. Which floats can come out "
        "depends on the value.",
        "Round the value to whole steps, and draw whole steps of noise. When do you multiply by g?",
    )


def _spacing(numbers: np.ndarray) -> float:
    """The step of which all are multiples but for rounding, or 0."""
    step = 0.0
    for gap in np.diff(np.unique(numbers)).tolist():
        while gap > 1e-7:  # Euclid's algorithm, with remainders that rounding made negative
            step, gap = gap, abs(step - gap * round(step / gap))
    return step if step > 1e-5 and (np.abs(numbers / step - np.rint(numbers / step)) < 1e-3).all() else 0.0


def _below_half(answer: Answer, chance: Chance) -> Diagnosis | None:
    return _steps(answer, chance, *_setting(chance.rng))


def _above_half(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Where round(Δ/g) is not ⌊Δ/g⌋, as it is below a half."""
    return _steps(answer, chance, *_setting(chance.rng, 0.55, 0.65))


def _steps(answer: Answer, chance: Chance, sensitivity: float, g: float) -> Diagnosis | None:
    """Discrete Laplace noise for ⌊Δ/g⌋ + 1 steps, at two ε, around the value rounded in any way."""
    moved = math.floor(sensitivity / g) + 1
    seen, float_noise = [], []
    for epsilon in (0.5, 2.0):
        errors = []
        for value in (_value(chance.rng, g), _value(chance.rng, g)):
            steps = _drawn(answer, value, sensitivity, g, epsilon, chance.rng, RUNS) / g
            float_noise.append(_float_noise(steps, value / g, sensitivity / g / epsilon))
            base = np.median(steps)  # of whole numbers: the value's own step, whichever way it was rounded
            near = math.floor(value / g) <= base <= math.ceil(value / g)
            errors.append(steps - (base if near else round(value / g)))
        wanted = np.concatenate(errors)
        seen.append(Wanted(wanted, epsilon, (geometric(moved / epsilon),)))
    if all(float_noise):
        return Diagnosis(
            "float-noise",
            "Your noise is a float, and the sum is rounded afterwards. In exact arithmetic that keeps the "
            "claim. Here the sum has last bits of its own before it is rounded, and nobody has a proof.",
            "Draw whole steps of noise: a difference of two rng.geometric(p).",
        )
    wrong = noise_wrong(seen, chance.failure, scale=f"{moved}/ε", unit=" steps")
    size, other = (_scale_of(one.errors) * one.epsilon for one in seen)
    if wrong and wrong.key == "wrong-power" and abs(size - other) < 0.25 * moved:
        # Whole noise of few steps is narrower than its scale says, so its width follows 1/ε less closely.
        wrong = (Shared.TOO_LITTLE_NOISE if size < moved else Shared.TOO_MUCH_NOISE).seen("")
    if wrong is None or wrong.key not in ("too-little-noise", "too-much-noise"):
        return wrong
    about = f"Here Δ/g = {sensitivity / g:.3g}."
    if abs(size - sensitivity / g) < 0.12:
        return Diagnosis(
            "rounding-forgotten",
            f"{about} Your noise is for that: {size:.3g}/ε steps. But values {sensitivity / g:.3g} steps apart can "
            f"be {moved} steps apart once they are rounded.",
            f"Take g = 1: where do 0.4 and 0.4 + {sensitivity / g:.3g} go when they are rounded?",
        )
    apart = f"Rounded values are at most {moved} steps apart. Your noise is for "
    apart += f"Δ/g + 1: {size:.3g}/ε steps." if size < moved + 0.7 else f"about {moved + 1}: {size:.3g}/ε steps."
    if min(abs(size - sensitivity / g - 1), abs(size - moved - 1)) < 0.12:
        return Diagnosis(
            "one-step-too-many",
            f"{about} {apart}",
            f"Which is the largest whole number of steps between two roundings of values {sensitivity / g:.3g} apart?",
        )
    epsilon, scale = seen[0].epsilon, _scale_of(seen[0].errors)
    wide = f"At ε = {epsilon:g} your noise is as wide as noise of scale {scale:.3g} steps. Right is {moved}/ε = "
    return replace(wrong, seen=f"{wide}{moved / epsilon:.3g}: yours is {size / moved:.2g} times as wide.")


def _scale_of(errors: np.ndarray) -> float:
    """The scale of two-sided geometric noise with this mean size."""
    return 1 / math.asinh(1 / max(float(np.abs(errors).mean()), 1e-9))


def _float_noise(steps: np.ndarray, value: float, scale: float) -> bool:
    """Whether these are roundings of value + Laplace noise, where that is another law than whole noise."""
    at = np.unique(np.rint(value + scale * np.array([-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0]))) + 0.5
    chances = laplace(scale).above(at - value)
    counts = (steps[:, None] > at).sum(axis=0)
    return all(
        stats.binomtest(int(n), len(steps), float(p)).pvalue > 1e-6 for n, p in zip(counts, chances, strict=True)
    )


def _pair(rng: Generator) -> tuple[tuple[float, float, float], tuple[float, float, float]]:
    """Two values that far apart, which roundings take as far apart as they can go."""
    sensitivity, g = _setting(rng)
    value = g * (int(rng.integers(-50, 50)) + 0.45)
    return either_order((value, sensitivity, g), (value + sensitivity, sensitivity, g), rng)


def _half_way(rng: Generator) -> tuple[tuple[float, float, float], tuple[float, float, float]]:
    """Two values half-way between steps, a whole number of steps apart: `round`, to even numbers, takes them one more
    apart."""
    g, apart = 2.0 ** -int(rng.integers(2, 5)), int(rng.choice((1, 3)))
    value = g * (2 * int(rng.integers(-25, 25)) + 0.5)
    return either_order((value, g * apart, g), (value + g * apart, g * apart, g), rng)


def _anywhere(answer: Answer, epsilon: float, steps: int, rng: Generator) -> list[Place]:
    """How many steps the first release and the last are off: of a value on the grid, where less noise than that tells
    how it was rounded.

    And how many of all lie on the same side as the first.

    Every other value is a whole number, such as a count, and two of three of those are of type int. Every third
    sensitivity of many steps is a whole number of them: there one step more, which is right as well, hardly shows.
    """
    g, fine = 2.0 ** -int(rng.integers(-10, 31)), steps / epsilon < 20
    value: float = int(rng.choice([-1, 1])) * whole(rng, 1, 10**6)
    if rng.random() < 0.5:
        g, value = min(g, 1 / g), value if rng.random() < 2 / 3 else float(value)
    else:
        value = g * (value + (0.0 if fine else float(rng.uniform(-0.5, 0.5))))
    part = 0.0 if steps >= ROOMY and rng.random() < 1 / 3 else float(rng.uniform(0.2, 0.8))
    sensitivity = g * float(steps - part)
    released = [float(answer(value, sensitivity, g, epsilon, rng=rng)) for _ in range(SAME)]
    if bare := [one for one in released if math.remainder(one, g)]:
        raise Refused(
            Diagnosis(
                "naive",
                f"With g = {g:g} you release {bare[0]!r} for {value!r}: no multiple of g.",
                "Round the value to whole steps, and draw whole steps of noise. When do you multiply by g?",
            )
        )
    off = np.array([round(one / g) - round(value / g) for one in released])
    rest = math.exp(-epsilon / steps)  # P[|steps| ≥ m] = 2 rest^m / (1 + rest)
    places = []
    for m in np.abs(off[[0, -1]]).tolist():
        beyond, more = (2 * rest**k / (1 + rest) if k else 1.0 for k in (m, m + 1))
        places.append(place(1 - beyond, beyond - more, rng))
    # Only the last may have been asked again.
    return [Place(places[0].at, 1.0), places[1], Place(same_side(off[0], off[1:], rng), 1.0)]


RELEASE = (
    Returns(inputs=lambda rng: (float(rng.uniform(-5, 5)), 1.0, 0.125, float(rng.uniform(0.5, 2))), what="number"),
    _on_the_grid,
    _below_half,
    _above_half,
    Audited(
        _pair,
        Guarantee(1.0),
        call=lambda answer, data, rng: answer(*data, 1.0, rng=rng),
        runs=4000,
        hint="The width of the noise was right. Does it depend on the value?",
    ),
    Audited(
        _half_way,
        Guarantee(1.0),
        call=lambda answer, data, rng: answer(*data, 1.0, rng=rng),
        runs=4000,
        hint="`sensitivity` is a whole number of steps here, and each value lies half-way between two steps. Take "
        "g = 1: to which steps does your function round 0.5 and 1.5?",
    ),
    Placed(
        _anywhere,
        sizes=(1, 10_000),
        of="steps",
        times=320,
        often=100,
        near="your results are too near to the truth, or too often on the same side of it",
        far="your results are too far from the truth, or too evenly on its two sides",
    ),
    of_all_sizes,
)
