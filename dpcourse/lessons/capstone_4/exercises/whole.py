"""Capstone 4.6: the whole in one function, judged on robustness, on its claim and on its noise."""

from __future__ import annotations

import copy
import math
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import stats

from dpcourse.checks.again import drawn_elsewhere, follows
from dpcourse.checks.answered import answered
from dpcourse.checks.answers import Answer, AnswerRaised
from dpcourse.checks.base import Chance
from dpcourse.checks.claims import claimed
from dpcourse.checks.diagnosis import Diagnosis, Refused
from dpcourse.checks.once import fresh, near, spread, whole
from dpcourse.checks.whole_apiece import amiss
from dpcourse.checks.whole_noise import in_shares, misplaced, missing
from dpcourse.datasets.centres import NAMES
from dpcourse.lessons.capstone_4.design import NEEDED, SHARES
from dpcourse.lessons.capstone_4.exercises.leaves import shape_wrong, variance
from dpcourse.lessons.capstone_4.exercises.reference import OneOdd, anew, counted
from dpcourse.lessons.capstone_4.exercises.selection import quiet, tests_wrong, useful
from dpcourse.lessons.capstone_4.exercises.world import (
    COUNTS,
    LOUD,
    MIXES,
    Message,
    columns,
    mixed,
    office,
    released,
)
from dpcourse.privacy import Guarantee

VALUES = 800  # numbers of noise of each centre that are looked at


def robust(answer: Answer, chance: Chance) -> Diagnosis | None:
    """At a huge ε the noise is gone, so what is counted shows exactly; too few centres and a broken key are refused."""
    for kind, (what, hint) in MIXES.items():
        for large in (False, True):
            renamed = large and kind == "plain"  # who knows names by heart is told of nothing else
            messages, at, total, counts = mixed(chance.rng, kind, large=large)
            given = answered(kind, what, hint, released, answer, messages, at, LOUD, chance.rng, renamed=renamed)
            off = np.abs(given.total - total).sum(), np.abs(given.counts - counts).sum()
            if any(off):
                names = zip(("total is", "counts are"), off, strict=True)
                seen = " and ".join(f"your {name} off by {far:,.0f} in all" for name, far in names if far)
                seen = f"{what}, {seen} (at ε = {LOUD:g}, where noise is practically always 0)."
                return Diagnosis(kind, seen, COUNTS if kind == "plain" else hint)
            wrong = tests_wrong(given, at)
            if wrong:
                return wrong
    return _refusals(answer, chance) or _broken(answer, chance)


def hidden(answer: Answer, chance: Chance) -> Diagnosis | None:
    """What `robust` looks at, under noise as it is asked for: crowds are seen through it, and it is there for them."""
    level = chance.failure / (2 * len(MIXES))
    for kind, (what, hint) in MIXES.items():
        noise, zero, places = list[np.ndarray](), list[np.ndarray](), list[np.ndarray]()
        for low, high in ((0.05, 0.5), (0.5, 2.0)):
            epsilon = near(spread(chance.rng, low, high, 1)[0], chance.rng, 1.0)
            messages, at, total, counts = mixed(chance.rng, kind, math.ceil(100 / epsilon))
            given = answered(kind, what, hint, released, answer, messages, at, epsilon, chance.rng)
            noise.append(given.counts - counts)
            of_zero, found = in_shares(noise[-1], epsilon, len(given.noisy) / SHARES, chance.rng)
            zero.append(of_zero)
            places.append(found)
            far = np.minimum(found, 1 - found).min() < level / (8 * found.size)
            if far or not np.array_equal(given.total, total):
                off = np.abs(given.total - total).sum(), np.abs(noise[-1]).max()
                total_off = f"your total is off by {off[0]:,.0f} in all" if off[0] else ""
                count_off = f"one of your counts is off by {off[1]:,.0f}, farther than noise goes" if far else ""
                seen = " and ".join(filter(None, (total_off, count_off)))
                seen = f"{what}, at ε = {epsilon:.3g}, {seen}."
                return Diagnosis(kind, seen, COUNTS if kind == "plain" else hint)
        of = np.concatenate(noise), np.concatenate(zero), np.concatenate(places)
        if misplaced(*of, level / 2):
            seen = f"{what}, your noise is not as it is elsewhere: it is 0 in {(of[0] == 0).mean():.0%} of the counts, "
            seen += f"and {of[1].mean():.0%} would be right."
            return Diagnosis("not-everywhere", seen, "What does your noise depend on besides ε?")
    return None


def _refusals(answer: Answer, chance: Chance) -> Diagnosis | None:
    messages, at, _, _ = mixed(chance.rng, "plain")
    few = messages[:2]
    stranger: Message = ("centre", *few[0][1:])
    for sent, what in (
        (few, "Two centres sent something"),
        ([*few, *few], "Two centres sent something, twice"),
        ([*few, stranger], "Two centres and a stranger sent something"),
        ([], "Nobody sent anything"),
    ):
        try:
            most, key = (at.cost.copy(), at.budget), (at.n, at.shares)
            given = answer(copy.deepcopy(sent), NAMES, *most, 1.0, key, anew(chance.rng), chance.rng)
        except AnswerRaised as raised:
            ask = "Three centres are needed, or None is returned. Where do you count them?"
            return Diagnosis("too-few-raises", f"{what}, and your function stops with {raised}.", ask)
        if given is not None:
            return Diagnosis(
                "too-few",
                f"{what}, and you publish all the same.",
                "How many centres are needed, and what does the task want with fewer?",
            )
    return None


def _broken(answer: Answer, chance: Chance) -> Diagnosis | None:
    """One share of the key is broken so that one sum does not open: of three centres, or of four, who do not agree.

    That of a centre which sent nothing may be broken.
    """
    return _broken_of(3, answer, chance) or _broken_of(4, answer, chance)


def _broken_of(came: int, answer: Answer, chance: Chance) -> Diagnosis | None:
    while len((world := mixed(chance.rng, "plain"))[0]) != came:
        pass
    messages, at, total, counts = world
    seen = "One centre's share of the key is broken. What opens is not what was uploaded, and you publish it."
    false = Diagnosis("broken", seen, "By what does `combine` of 4.3 know that a part is not right?")
    here, many = [NAMES.index(name) for name, _, _ in messages], columns(total.shape, at.n)
    for liar in range(len(NAMES)):
        broken = tuple((i, s + (k == liar) * at.n * (at.q // 2)) for k, (i, s) in enumerate(at.shares))
        draw = OneOdd(fresh(chance.rng), n=at.n, p=at.p, odd=int(chance.rng.integers(came * many)))
        try:
            given = released(answer, messages, replace(at, shares=broken), LOUD, chance.rng, draw=draw)
        except Refused:
            return false
        except AnswerRaised as raised:
            seen = f"One centre's share of the key is broken, and your function stops with {raised}."
            return Diagnosis("broken-raises", seen, "What does the task want where something does not open?")
        if given is None and liar in here:
            continue
        if given is None:
            seen = "Three centres sent something, and the share of the key of the fourth is broken. You return None."
            return Diagnosis("refuses-all", seen, "Who opens the sums? Whose parts do you hand to your `combine`?")
        if not (np.array_equal(given.total, total) and np.array_equal(given.counts, counts)):
            return false
        if liar not in here or all(math.prod(given.roots[k::many]) % at.p == 1 for k in range(many)):
            continue  # in the second case, another number was the odd one's r
        seen, ask = (
            (
                "Three centres sent something, and the share of the key of one of them is broken: so at least one sum "
                "cannot be opened. You publish the right sums all the same.",
                "From what do you make `total` and `counts`, if not from what was opened?",
            )
            if came == NEEDED
            else (
                "Four centres sent something, and the share of the key of one of them is broken: on at least one sum "
                "they do not agree. You publish the right sums all the same.",
                "Do all four threes agree, on every sum? Which parts do you hand to your `combine`?",
            )
        )
        return Diagnosis("not-opened", seen, ask)
    return None


def honest(answer: Answer, chance: Chance) -> Diagnosis | None:
    """The claim, where noise comes from, and how much: any two centres' is whole, with three centres and with four."""
    if wrong := _own(answer, chance.rng):
        return wrong
    for came in (4, 3):
        epsilon, noise = float(0.05 * 40 ** chance.rng.uniform()), list[list[np.ndarray]]()
        defects = int(chance.rng.integers(150, 500))
        at = office(chance.rng, 1, 28)
        while sum(len(one[0]) for one in noise) < VALUES:
            who = [str(name) for name in chance.rng.permutation(NAMES)[:came]]
            top = int(10 ** chance.rng.uniform(0.5, 4))
            popular = np.minimum(chance.rng.zipf(1.3, (came, top)), 10**6) % defects
            messages: list[Message] = [
                (name, (chance.rng.random((1, defects)) < 0.2).astype(float), chips.astype(float))
                for name, chips in zip(who, popular, strict=True)
            ]
            given = released(answer, messages, at, epsilon, chance.rng)
            if given is None:
                return Diagnosis("refuses-all", f"{came} centres sent something, and you refuse.")
            wrong = _claim(given.claim, epsilon)
            if wrong:
                return wrong
            noise.append([given.noisy[name] - counted(chips, defects) for name, _, chips in messages])
        wrong = _noise(np.concatenate([np.array(one) for one in noise], axis=1), epsilon, came, chance.failure / 6)
        if wrong:
            return wrong
    return quiet(answer, chance) or _anywhere(answer, chance)


def _own(answer: Answer, rng: np.random.Generator) -> Diagnosis | None:
    """All uploads' noise comes from `rng`: four halves at ε of 0.5 and less for 30 defects are the same by chance with
    probability below 1e-24."""
    tests, epsilon = int(rng.integers(1, 9)), float(0.02 * 25 ** rng.uniform())
    at, messages = office(rng, tests, 30), _sent(rng, tests, 30, 20)

    def noise(seed: int) -> np.ndarray:
        given = released(answer, messages, at, epsilon, np.random.default_rng(seed))
        if given is None:
            raise Refused(Diagnosis("refuses-all", "Four centres sent something, and you refuse."))
        return np.array([given.noisy[name] - counted(chips, 30) for name, _, chips in messages])

    return drawn_elsewhere(noise, rng)


def drawn(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Every r follows from what `draw` gives: one of 60 bits and more is never the same twice."""
    at, messages = office(chance.rng, 3, 30), _sent(chance.rng, 3, 30, 20)

    def roots(seed: int) -> list[int]:
        given = released(answer, messages, at, 1.0, np.random.default_rng(seed))
        return [] if given is None else given.roots

    return follows(answer, roots, chance.rng, "draw")


def _sent(rng: np.random.Generator, tests: int, defects: int, chips: int) -> list[Message]:
    """A message of each centre."""
    return [
        (name, (rng.random((tests, defects)) < 0.2).astype(float), rng.integers(defects, size=chips).astype(float))
        for name in NAMES
    ]


def _anywhere(answer: Answer, chance: Chance) -> Diagnosis | None:
    """One release each of 2 to 30 tests, at ε of all sizes up to where noise is seen: that of two centres is whole."""
    rng, noise, epsilons = chance.rng, list[np.ndarray](), list[float]()
    most, defects = office(rng, 30, 28), 100
    for epsilon in (near(spread(rng, 0.02, 2, 1)[0], rng, 1.0), *spread(rng, 2, 4, 3)):
        tests = whole(rng, 2, 30)
        at, messages = replace(most, cost=most.cost[:tests]), _sent(rng, tests, defects, 40)
        given = released(answer, messages, at, epsilon, rng)
        if given is None:
            return Diagnosis("refuses-all", "Four centres sent something, and you refuse.")
        each = [given.noisy[name] - counted(some, defects) for name, _, some in messages]
        noise.append(np.concatenate([each[0] + each[1], each[2] + each[3]]))
        epsilons.append(float(epsilon))
    one = f"In a release at ε = {epsilons[0]:.3g} with a catalogue of several tests"
    for where, some in ((one, slice(1)), ("In three releases at ε from 2 to 4", slice(1, 4))):
        found = np.concatenate(noise[some])
        if missing(found, np.repeat(epsilons[some], 2 * defects), rng, chance.failure / 12):
            size, right = np.abs(found).mean(), np.mean([1 / math.sinh(one) for one in epsilons[some]])
            seen = (
                f"{where} the noise of two centres together is not whole: its mean size is {size:.2g}, not {right:.2g}."
            )
            ask = "In other releases it is whole. What does your noise depend on besides ε, and how on ε?"
            return Diagnosis("not-everywhere", seen, ask)
    return None


def apiece(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Each defect has noise of its own in every upload, wherever it stands: looked at alone, and by two centres."""
    rng, each, pairs, epsilons = chance.rng, list[np.ndarray](), list[np.ndarray](), list[float]()
    truths = list[np.ndarray]()
    at, defects = office(rng, 1, 28), int(rng.integers(21, 26))
    for epsilon in spread(rng, 0.03, 0.5, 20):
        messages = _sent(rng, 1, defects, 100)
        given = released(answer, messages, at, epsilon, rng)
        if given is None:
            return Diagnosis("refuses-all", "Four centres sent something, and you refuse.")
        counts = [counted(chips, defects) for _, _, chips in messages]
        noise = [given.noisy[name] - count for (name, _, _), count in zip(messages, counts, strict=True)]
        truths += counts
        each += noise
        pairs += [noise[0] + noise[1], noise[2] + noise[3]]
        epsilons.append(epsilon)
    fours, twos = (np.repeat(epsilons, many).tolist() for many in (4, 2))
    level = chance.failure / 2
    wrong = amiss(each, fours, level, rng, 1 / SHARES, truths) or amiss(pairs, twos, level, rng)
    return wrong and wrong.led_by("In uploads, opened one by one: ")


def _claim(claim: Any, epsilon: float) -> Diagnosis | None:
    why = "Replaced, a chip may have another defect: two counts move by one each."
    fewest = f"Two of four centres may drop out or collude: {SHARES} shares of noise are left."
    return claimed(claim, Guarantee(epsilon), "a chip", (why, "Which change is your noise made for?"), fewest)


def _noise(noise: np.ndarray, epsilon: float, came: int, level: float) -> Diagnosis | None:
    """Each centre's noise, shape (came, VALUES or more): half of the whole variance, and the law of two together.

    The variance of one deviates by 13% at most, the mean of all by 8%.
    """
    whole = variance(epsilon)
    each = noise.var(axis=1) / whole * SHARES
    for ratio, least, most in [(float(each.mean()), 0.62, 1.6), *((float(one), 0.4, 2.2) for one in each)]:
        if not least < ratio < most:
            seen = (
                f"{came} centres came, and the noise in one upload has {ratio / SHARES:.2g} times the variance of "
                f"whole noise at ε = {epsilon:.3g}"
            )
            if ratio < 0.01:
                seen = (
                    f"{came} centres came, and there is hardly any noise in an upload, or none, at ε = {epsilon:.3g}."
                )
                return Diagnosis("no-noise", seen, "The counts are opened. What hides one chip of this centre then?")
            if abs(ratio * came / SHARES - 1) < 0.3:
                return Diagnosis(
                    "no-margin",
                    f"{seen}: it takes all {came} to make it whole. But a centre that colludes tells its own noise, "
                    "and that is taken off.",
                    "Centres that drop out or collude are two at most. How many shares are left?",
                )
            if abs(ratio / SHARES - 1) < 0.3:
                return Diagnosis("whole-noise-each", f"{seen}.", f"{SHARES} shares make the whole. How large is one?")
            return Diagnosis("wrong-size", f"{seen}; 1/{SHARES} is wanted.", "Which report did 4.5 send?")
    for one, two in ((0, 1), (2, 3) if came == 4 else (1, 2)):
        found = shape_wrong(noise[one] + noise[two], epsilon, 2, level)
        if found:
            return found
        if abs(stats.spearmanr(noise[one], noise[two]).statistic) > 7 / math.sqrt(noise.shape[1]):
            return Diagnosis("one-noise", "Two centres' noise is correlated.", "Does each draw its own?")
    return None


WHOLE = (robust, honest, hidden, drawn, apiece, useful)
