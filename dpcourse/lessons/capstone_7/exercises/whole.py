"""Capstone 7.6: the whole in one function, judged on robustness, on its claim and on the lists it gives."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dpcourse.checks.answers import Answer, AnswerRaised
from dpcourse.checks.base import Chance, Diagnosis, Refused, parts
from dpcourse.checks.claims import claimed
from dpcourse.datasets import simulate_clicks
from dpcourse.lessons.capstone_7.design import DELTA, item_model, noise_radius, sigma
from dpcourse.lessons.capstone_7.exercises.noise import audited, noise_wrong
from dpcourse.lessons.capstone_7.exercises.phone import STRANGE, contributed
from dpcourse.lessons.capstone_7.numbers import hit_rate, popularity, scores_of
from dpcourse.privacy import Guarantee

ITEMS, FEW = 12, 8  # of the small shop in which what is counted is looked at; phones that have to stay
SHARED, DECLARED = 20, 30  # phones in whose sum the law of the noise is looked at
LOUD = 1e6  # an ε at which the noise is below 0.001
Message = tuple[str, np.ndarray]
WANTED = ("gram", "ridge", "model", "popular", "claim")


def phones(many: int) -> tuple[str, ...]:
    return tuple(f"phone {number + 1}" for number in range(many))


def released(
    answer: Answer, messages: list[Message], who: tuple[str, ...], items: int, epsilon: float, delta: float,
    shares: int, rng: np.random.Generator,
) -> dict[str, Any] | None:  # fmt: skip
    """What the answer returns, its parts of the right kind and read off `gram`; None where it refuses."""
    given = answer(messages, set(who), items, epsilon, delta, shares, rng)
    if given is None:
        return None
    parts(given, WANTED)
    gram, model = (np.asarray(given[key], dtype=float) for key in ("gram", "model"))
    if gram.shape != (items, items) or model.shape != (items, items) or np.shape(given["popular"]) != (items,):
        shapes = f"`gram` has shape {gram.shape}, `model` {model.shape}, `popular` {np.shape(given['popular'])}"
        ask = "The catalogue is public and decided before anybody clicks."
        raise Refused(Diagnosis("items-from-data", f"{shapes}, for a catalogue of {items} items.", ask))
    ridge = float(given["ridge"])
    if not (np.isfinite(gram).all() and np.isfinite(model).all() and np.isfinite(ridge)):
        raise Refused(Diagnosis("not-finite", "Your release holds NaN or infinity.", "What did a phone add?"))
    if not np.allclose(model, item_model(gram, ridge), atol=1e-6 * max(np.abs(model).max(), 1e-9)):
        ask = "All that is published has to be computed from the noisy matrix."
        raise Refused(Diagnosis("model-elsewhere", "`model` is not the model of `gram` at this `ridge`.", ask))
    if not np.array_equal(np.diag(gram)[np.asarray(given["popular"], dtype=int)], -np.sort(-np.diag(gram))):
        ask = "An order by exact counts is a second release, without noise. What does the diagonal of `gram` tell?"
        raise Refused(Diagnosis("popular-elsewhere", "`popular` is not in the order of the diagonal of `gram`.", ask))
    return {**given, "gram": gram, "model": model, "ridge": ridge}


def mixed(rng: np.random.Generator, kind: str) -> tuple[list[Message], tuple[str, ...], np.ndarray]:
    """Messages in a small shop, the phones that take part, and the sum of what counts."""
    who = phones(int(rng.integers(FEW + 2, 16)))
    stayed = rng.permutation(who)[: int(rng.integers(FEW, len(who) + 1))]

    def log() -> np.ndarray:
        clicked = rng.choice(ITEMS, int(rng.integers(1, 7)), replace=False)
        return rng.permutation(np.append(clicked, clicked[:1])).astype(float)

    messages = [(str(name), log()) for name in stayed]
    if kind == "strange":
        strange = (*STRANGE, float(ITEMS))
        messages = [(name, rng.permutation(np.append(clicks, rng.choice(strange, 2)))) for name, clicks in messages]
    if kind == "empty":
        for place in rng.choice(len(messages), 3, replace=False):
            messages[place] = (messages[place][0], np.array([]))
    right = np.sum([contributed(clicks, ITEMS) for _, clicks in messages], axis=0)
    if kind == "repeated":
        messages.extend((str(name), log()) for name in rng.choice(stayed, 3))
    if kind == "stranger":
        messages[2:2] = [("phone 99", log()), ("", log())]
    return messages, who, right


MIXES = {
    "plain": ("With some phones missing", "Does everybody who sent something count, and once?"),
    "strange": ("With clicks that are NaN, infinite or no item", "Milestone 7.2 settled what such a click adds."),
    "empty": ("With phones that clicked nothing", "They add zeros, and their share of the noise."),
    "repeated": (
        "When a phone's second message arrives",
        "Counted twice, a person adds a matrix of norm 2. Which of the messages counts?",
    ),
    "stranger": ("When somebody else sends a message", "Who may take part is public, and decided before."),
}


def robust(answer: Answer, chance: Chance) -> Diagnosis | None:
    """At a huge ε the noise is gone, so what was added up shows; and too few phones are refused."""
    for kind, (what, ask) in MIXES.items():
        for _ in range(3):
            messages, who, right = mixed(chance.rng, kind)
            try:
                given = released(answer, messages, who, ITEMS, LOUD, DELTA, FEW, chance.rng)
            except AnswerRaised as raised:
                return Diagnosis(f"{kind}-raises", f"{what} your function stops with {raised}.", ask)
            if given is None:
                return Diagnosis(f"{kind}-refused", f"{what} you refuse, and there is no reason to.", ask)
            off = float(np.abs(given["gram"] - right).max())
            if off > 0.02:
                seen = f"{what} an entry of `gram` is off by {off:.3g} where hardly any noise is (ε = {LOUD:g})."
                return Diagnosis(kind, seen, ask)
    messages, who, _ = mixed(chance.rng, "plain")
    few = messages[: FEW - 1]
    for sent in (few, [*few, *few[:3]], [*few, ("phone 99", few[0][1])]):
        if answer(sent, set(who), ITEMS, 3.0, DELTA, FEW, chance.rng) is not None:
            return Diagnosis(
                "too-few",
                f"{FEW - 1} phones that take part sent {len(sent)} messages, and {FEW} shares make the noise whole. "
                "You publish all the same.",
                "Return None, and publish nothing.",
            )
    return None


def honest(answer: Answer, chance: Chance) -> Diagnosis | None:
    """The claim, the noise it takes with the fewest phones and with more, and an auditor."""
    items, epsilon, delta = 30, 1.0, 0.1
    deviation = sigma(epsilon, delta)
    for stayed in (SHARED, DECLARED):
        noise, claim = [], None
        for _ in range(40):
            silent: list[Message] = [(name, np.array([])) for name in phones(stayed)]
            given = released(answer, silent, phones(DECLARED), items, epsilon, delta, SHARED, chance.rng)
            if given is None:
                return Diagnosis("refuses-all", f"{stayed} of {DECLARED} phones sent something, {SHARED} are enough.")
            noise.append(given["gram"])
            claim = given["claim"]
        found = _claim(claim, epsilon, delta) or _shares(np.array(noise), deviation, stayed)
        if found:
            return found
        whole = deviation * math.sqrt(stayed / SHARED)
        found = noise_wrong(np.array(noise), whole, chance.failure / 4, "that of all shares together")
        if found:
            return found
    return _audit(answer, items, Guarantee(epsilon, delta), chance) or _ridge(answer, chance)


def _claim(claim: Any, epsilon: float, delta: float) -> Diagnosis | None:
    why = "Replaced, one history is taken away and another added: a change of norm √2 at most."
    fewest = f"Of {DECLARED} phones {DECLARED - SHARED} may drop out or collude: {SHARED} shares of noise are left."
    wanted = Guarantee(epsilon, delta)
    return claimed(claim, wanted, "a history", (why, "Which change is your noise made for?"), fewest)


def _shares(noise: np.ndarray, deviation: float, stayed: int) -> Diagnosis | None:
    """Whose shares are counted: the variance of 17,000 numbers, which deviates by 1%."""
    ratio = float((noise[:, *np.triu_indices(noise.shape[1], 1)] ** 2).mean()) / (deviation**2 / 2)
    seen = (
        f"With {stayed} of {DECLARED} phones, {SHARED} of which have to make the noise whole, it has {ratio:.2g} times "
        "the variance of whole noise"
    )
    if stayed == SHARED and abs(ratio - SHARED / DECLARED) < 0.06:
        return Diagnosis(
            "dropped-noise",
            f"{seen}: noise of those who dropped out is not in the sum.",
            "Who is sure to be in it?",
        )
    if stayed > SHARED and abs(ratio - 1) < 0.1:
        return Diagnosis(
            "no-margin",
            f"{seen}. Phones that collude take their shares off again, and {stayed - SHARED} may do so.",
            f"Each share is one of {SHARED}, however many take part.",
        )
    if abs(ratio - stayed) < 0.1 * stayed:
        return Diagnosis("whole-noise-each", f"{seen}: every phone adds all of it.", "Variances add up.")
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
            return Diagnosis("refuses-all", f"All {items} phones sent something, and you refuse.")
        shown.append(np.diag(given["gram"]))
        there.append(here)
    found = audited(np.ravel(shown), np.ravel(there), claim, chance.failure / 4)
    if found is None:
        return None
    return Diagnosis(
        "not-private",
        f"Your diagonal gives away who clicked a single item: ε ≥ {found:.3g} at δ = {claim.delta:g}, you claim 1.",
        "Is it the sum of messages of norm 1, with noise of the right size on the diagonal?",
    )


def _ridge(answer: Answer, chance: Chance) -> Diagnosis | None:
    """The same public numbers, other clicks: the ridge stays. Shops without taste, and some where items go by twos."""
    found, who = [], phones(30)
    for shop in range(24):
        twos = 2 * chance.rng.integers(ITEMS // 2, size=(30, 2 + shop % 3)) if shop % 2 else None
        messages: list[Message] = [
            (name, np.array(chance.rng.choice(ITEMS, 2 + shop % 4, replace=False), dtype=float))
            if twos is None
            else (name, np.append(twos[place], twos[place] + 1).astype(float))
            for place, name in enumerate(who)
        ]
        given = released(answer, messages, who, ITEMS, 3.0, DELTA, 30, chance.rng)
        if given is None:
            return Diagnosis("refuses-all", "All 30 phones sent something, and you refuse.")
        found.append(given["ridge"])
    if np.ptp(found) <= 1e-6 * max(found):
        return None
    return Diagnosis(
        "ridge-from-data",
        f"Your ridge is {min(found):.3g} for one shop and {max(found):.3g} for another, with the same ε, δ, phones and "
        "items. It must not look at clicks: what it tells about them is not paid for.",
        "How large is the noise? That is public, and it tells how large the ridge has to be.",
    )


def useful(answer: Answer, chance: Chance) -> Diagnosis | None:
    """4,000 people, 100 items, ε = 3: better than popularity by 0.04; right answers lead by 0.10 ± 0.011."""
    world = simulate_clicks(4000, 100, rng=chance.rng)
    messages = list(zip(phones(4000), (clicks.astype(float) for clicks in world.histories()), strict=True))
    given = released(answer, messages, phones(4000), 100, 3.0, DELTA, 3600, chance.rng)
    if given is None:
        return Diagnosis("refuses-all", "All 4,000 phones sent something, and you refuse.")
    popular, rate = popularity(world), hit_rate(world, scores_of(world, given["model"]))
    if rate >= popular + 0.04:
        return None
    radius = noise_radius(sigma(3.0) * math.sqrt(4000 / 3600), 100)
    seen = (
        f"At ε = 3, with 4,000 people and 100 items, your lists hit {rate:.3f}; popularity hits {popular:.3f}, and "
        "0.04 more is asked for."
    )
    if given["ridge"] < radius:
        return Diagnosis(
            "ridge-too-small",
            f"{seen} Your ridge is {given['ridge']:.3g}, and the noise has eigenvalues from −{radius:.2g} to "
            f"{radius:.2g}.",
            "What does the inverse make of eigenvalues near zero?",
        )
    return Diagnosis("not-useful", seen, "Is the ridge a few times the noise's largest eigenvalue, and no more?")


WHOLE = (robust, honest, useful)
