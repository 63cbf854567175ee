"""Capstone 7.6: the whole in one function, judged on robustness, on its claim and on the lists it gives."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dpcourse.checks.again import listens
from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance
from dpcourse.checks.claims import claimed
from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.checks.once import between, near, spread, whole
from dpcourse.datasets import simulate_clicks
from dpcourse.lessons.capstone_7.design import DELTA, gram, noise_radius, sigma
from dpcourse.lessons.capstone_7.exercises.noise import Released, amount, audited, noise_wrong, off_anywhere
from dpcourse.lessons.capstone_7.exercises.phone import contributed
from dpcourse.lessons.capstone_7.exercises.places import quiet_place
from dpcourse.lessons.capstone_7.exercises.robust import REFUSED, robust
from dpcourse.lessons.capstone_7.exercises.world import (
    BOOKS,
    Message,
    a_few,
    beside,
    miscounted,
    phones,
    released,
    shops,
)
from dpcourse.lessons.capstone_7.numbers import hit_rate, popularity, scores_of
from dpcourse.privacy import Guarantee

SHARED, DECLARED = 20, 30  # phones in whose sum the law of the noise is looked at
TOGETHER = "σ√(n/`shares`), with n phones in the sum"
LEAST, MOST = 1.0, 10.0  # times the noise's largest eigenvalue: what the ridge may be


def honest(answer: Answer, chance: Chance) -> Diagnosis | None:
    """The claim, the noise it takes with the fewest phones and with more, and an auditor."""
    items, epsilon, delta = 30, 1.0, 0.1
    deviation, units = sigma(epsilon, delta), list[np.ndarray]()
    for stayed in (SHARED, DECLARED):
        noise, claim = [], None
        for _ in range(50):
            silent: list[Message] = [(name, np.array([])) for name in phones(stayed)]
            given = released(answer, silent, phones(DECLARED), items, epsilon, delta, SHARED, chance.rng)
            if given is None:
                seen = f"{stayed} of {DECLARED} phones sent an empty log, `shares` is {SHARED}, and you return None."
                return Diagnosis("refuses-all", seen, REFUSED)
            noise.append(given["gram"])
            claim = given["claim"]
        found = _claim(claim, epsilon, delta, DECLARED, SHARED) or _shares(
            np.array(noise), deviation, stayed, f"ε = {epsilon:g}, δ = {delta:g}"
        )
        if found:
            return found
        whole = deviation * math.sqrt(stayed / SHARED)
        found = noise_wrong(np.array(noise), whole, chance.failure / 4, TOGETHER)
        if found:
            return found
        units.extend(np.array(noise) / whole)
    return (
        quiet_place(units, chance.failure / 8)
        or _audit(answer, items, Guarantee(epsilon, delta), chance)
        or _ridge(answer, chance)
    )


def _claim(claim: Any, epsilon: float, delta: float, declared: int, shares: int) -> Diagnosis | None:
    why = "Replaced, one history is taken away and another added: a change of norm √2 at most."
    fewest = f"Of {declared:,} phones only {shares:,} are sure to stay and to keep their noise to themselves."
    fewest = fewest if shares < declared else ""
    wanted = Guarantee(epsilon, delta)
    return claimed(claim, wanted, "a history", (why, "Which change is your noise made for?"), fewest)


def _shares(noise: np.ndarray, deviation: float, stayed: int, budget: str) -> Diagnosis | None:
    """Whose shares are counted: the variance of 21,750 numbers, which deviates by 1%."""
    ratio = float((noise[:, *np.triu_indices(noise.shape[1], 1)] ** 2).mean()) / (deviation**2 / 2)
    seen = (
        f"{stayed} of {DECLARED} phones sent something, and `shares` is {SHARED} ({budget}). Your noise has "
        f"{ratio:.2g} times the variance of whole noise"
    )
    if stayed == SHARED and abs(ratio - SHARED / DECLARED) < 0.06:
        return Diagnosis(
            "dropped-noise",
            f"{seen}, as if each phone added one share of {DECLARED}. The phones that dropped out added none.",
            "How many phones are sure to be in the sum, and how large is a share when just these make the noise whole?",
        )
    if stayed > SHARED and abs(ratio - 1) < 0.1:
        return Diagnosis(
            "no-margin",
            f"{seen}. But {stayed - SHARED} of the phones may tell the server their noise, and what is left is less.",
            f"How large is one share, if any {SHARED} of them have to make the noise whole?",
        )
    if abs(ratio - stayed) < 0.1 * stayed:
        return Diagnosis(
            "whole-noise-each",
            f"{seen}: every phone adds all of it.",
            "Variances add up. What is the variance of one share?",
        )
    return None


def _audit(answer: Answer, items: int, claim: Guarantee, chance: Chance) -> Diagnosis | None:
    """Phones with one click each, each on an item of its own, which clicked or did not."""
    who, shown, there = phones(items), [], []
    for _ in range(60):
        here = chance.rng.random(items) < 0.5
        messages: list[Message] = [
            (name, np.array([float(place)]) if here[place] else np.array([])) for place, name in enumerate(who)
        ]
        given = released(answer, messages, who, items, claim.epsilon, claim.delta, items, chance.rng)
        if given is None:
            return Diagnosis("refuses-all", f"All {items} phones sent something, and you return None.", REFUSED)
        shown.append(np.diag(given["gram"]))
        there.append(here)
    found = audited(np.ravel(shown), np.ravel(there), claim, chance.failure / 4)
    if found is None:
        return None
    return Diagnosis(
        "not-private",
        f"Your diagonal tells too much about people who clicked a single item: the auditor certifies ε ≥ {found:.3g} "
        f"at δ = {claim.delta:g}, and you claim ε = 1.",
        "Is it the sum of messages of norm 1, with noise of the right size on the diagonal?",
    )


def _ridge(answer: Answer, chance: Chance) -> Diagnosis | None:
    """The same public numbers, other clicks: the ridge stays."""
    found, who = [], phones(30)
    for logs in shops(chance.rng):
        given = released(answer, list(zip(who, logs, strict=True)), who, BOOKS, 3.0, DELTA, 30, chance.rng)
        if given is None:
            return Diagnosis("refuses-all", "All 30 phones sent something, and you return None.", REFUSED)
        found.append(given["ridge"])
    if np.ptp(found) <= 1e-6 * max(found):
        return None
    return Diagnosis(
        "ridge-from-data",
        f"Your ridge is {min(found):.5g} for one shop and {max(found):.5g} for another, with the same ε, δ, numbers of "
        "phones and of items. A ridge made from clicks publishes something that the claim does not cover. One made "
        "from `gram` is private, but public numbers alone are asked for.",
        "The deviation of the noise is public. How large does the ridge have to be for it?",
    )


def anywhere(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Shops of 2 to 500 items, at any ε and δ, with the fewest phones and with more; small ones release twice.

    One more has as many phones as the brief, most of which clicked nothing. It and every other one of the small have
    broken logs, and so many strangers and second messages that they would show in the noise; the others have a few.
    """
    rng, found, asked, nothing = chance.rng, list[Released](), list[str](), np.array([])
    ridges = list[Diagnosis | None]()
    crowd = whole(rng, 8, 20), (many := whole(rng, 20_000, 22_000)), many
    shops = [(round(size), (most := whole(rng, 2, 60 if size < 100 else 6)), most) for size in spread(rng, 2, 500, 8)]
    for number, (items, declared, most) in enumerate((crowd, *shops)):
        shares = int(rng.integers(1 if number else most * 9 // 10, most + 1))  # in the crowd, as in the brief
        stayed, delta = int(rng.integers(shares, most + 1)), between(rng, 1e-10, 1e-2)
        epsilon, who = near(0.05 * 200 ** rng.random(), rng, 1.0), phones(declared)
        logs = [rng.integers(items, size=int(rng.integers(8))).astype(float) for _ in range(min(stayed, 60))]
        messages: list[Message] = [(name, nothing) for name in who[:stayed]]
        messages[: len(logs)] = zip(who[: len(logs)], logs, strict=True)
        exact, noise = np.sum([contributed(clicks, items) for clicks in logs], axis=0), list[np.ndarray]()
        deviation, told = sigma(epsilon, delta) * math.sqrt(stayed / shares), dict[str, int]()
        sent = f"{declared:,} phones of which {stayed:,} sent something"
        asked.append(f"{items} items, {sent}, shares = {shares:,}, ε = {epsilon:.3g}, δ = {delta:.2g}")
        if 8 <= items < 100 and number % 2 == 0:
            messages, told = beside(messages, items, int(16 * deviation) + 1, rng)
        elif number % 2:
            messages = a_few(messages, ("stranger", "repeated")[number // 2 % 2], items, rng)
        for _ in range(2 if items < 100 and most <= 60 else 1):
            given = released(answer, messages, who, items, epsilon, delta, shares, rng)
            if given is None:
                seen = f"{stayed:,} of {declared:,} phones sent something, `shares` is {shares:,}, and you return None."
                return Diagnosis("refuses-all", seen, REFUSED)
            radius = noise_radius(sigma(epsilon, delta), items), noise_radius(deviation, items)
            ridges.append(_ridge_off(given["ridge"], *radius, f"With {asked[-1]},"))
            if wrong := _claim(given["claim"], epsilon, delta, declared, shares):
                return wrong
            noise.append(given["gram"] - exact)
        if told and (wrong := miscounted(np.array(noise) / deviation, told, asked[-1])):
            return wrong
        found.append((items, deviation, noise))
    wrong = off_anywhere(found, chance, "right deviation")
    ask = "How does the size of your noise follow from ε, δ, `shares` and the phones in the sum? What else changes it?"
    if wrong:
        return Diagnosis(wrong.key, wrong.seen + _farthest(found, asked), ask)
    return next(filter(None, ridges), None)


def _farthest(found: list[Released], asked: list[str]) -> str:
    """The call whose noise is farthest from the right size; "" where all sizes are about right."""
    off = []
    for items, deviation, noise in found:
        size = float(np.square(noise).sum()) / (len(noise) * items * (items + 1) / 2 * deviation**2)
        off.append(abs(math.log(max(size, 1e-12))))
    place = int(np.argmax(off))
    return f" The noise is farthest from its right size with {asked[place]}." if off[place] > 3 else ""


def useful(answer: Answer, chance: Chance) -> Diagnosis | None:
    """4,000 people, 100 items, ε = 3: what counts, the noise, the ridge, and lists that beat popularity by 0.03.

    Right answers lead by 0.10 ± 0.009, by 0.075 ± 0.008 with the least ridge allowed and 0.083 ± 0.007 with the most.
    """
    world = simulate_clicks(4000, 100, rng=chance.rng)
    messages: list[Message] = list(zip(phones(4000), (log.astype(float) for log in world.histories()), strict=True))
    messages, told = beside(messages, 100, 400, chance.rng)
    given = released(answer, messages, phones(4000), 100, 3.0, DELTA, 3600, chance.rng)
    if given is None:
        return Diagnosis("refuses-all", "All 4,000 phones sent something, and you return None.", REFUSED)
    least, whole = sigma(3.0), sigma(3.0) * math.sqrt(4000 / 3600)
    noise = (given["gram"] - gram(world.clicked))[None]
    if wrong := miscounted(noise / whole, told, "4,000 people, 100 items, ε = 3"):
        return wrong
    if wrong := amount(noise, whole, chance.failure / 2, TOGETHER):
        return wrong.led_by(
            "Where nobody clicked your noise was right. With 4,000 people who click, 100 items and ε = 3 it is not. "
        )
    popular, rate = popularity(world), hit_rate(world, scores_of(world, given["model"]))
    lists = f"Your lists hit {rate:.3f} of the clicks held back, and the bestsellers {popular:.3f}."
    where = "With 4,000 people and 100 items at ε = 3"
    if wrong := _ridge_off(given["ridge"], noise_radius(least, 100), noise_radius(whole, 100), f"{where},", lists):
        return wrong
    if rate >= popular + 0.03:
        return None
    return Diagnosis(
        "not-useful",
        f"{where} your ridge is {given['ridge']:,.1f}. {lists} 0.03 more than that is asked for.",
        "Which of your milestones does this code not use?",
    )


def _ridge_off(ridge: float, least: float, most: float, where: str, lists: str = "") -> Diagnosis | None:
    """The ridge against σ√(2m), that of `shares` shares and that of all: both are right."""
    seen = (
        f"{where} σ√(2m) is {most:.3g}, and a ridge between {LEAST:g} and {MOST:g} times that is asked for. Yours is "
    )
    seen = f"{seen}{ridge:,.4g}. {lists}".rstrip()
    if ridge < 0.95 * LEAST * least:  # the largest eigenvalue itself is a little below σ√(2m)
        return Diagnosis("ridge-too-small", seen, "What does the inverse make of eigenvalues near zero?")
    if ridge > 1.001 * MOST * most:
        ask = "What is left of the matrix in G + λI, when λ is much larger than G?"
        return Diagnosis("ridge-too-large", seen, ask)
    return None


def _shop(rng: np.random.Generator) -> tuple[Any, ...]:
    items, who = whole(rng, 2, 100), phones(whole(rng, 2, 60))
    messages = [(name, rng.integers(items, size=8).astype(float)) for name in who]
    return messages, who, items, near(0.05 * 200 ** rng.random(), rng, 1.0), DELTA, int(rng.integers(1, len(who) + 1))


def _gram(answer: Answer, *asked: Any) -> Any:
    given = released(answer, *asked)
    return given and given["gram"]


WHOLE = (robust, honest, useful, anywhere, listens(_shop, _gram))
