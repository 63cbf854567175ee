"""Capstone 5.5: the whole training, replayed, its noise measured on ordinary stays, and its model tried."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy import stats

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance
from dpcourse.checks.claims import claimed
from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.checks.links import shared
from dpcourse.checks.once import fresh
from dpcourse.checks.told import beside_data, known_to_all, other_sums, quiet_in_earnest, quieter, same_weights
from dpcourse.checks.vocabulary import Shared
from dpcourse.datasets import simulate_hospitals
from dpcourse.lessons.capstone_5.design import Rows
from dpcourse.lessons.capstone_5.exercises.earnest import LOOKED_AT, sums_of
from dpcourse.lessons.capstone_5.exercises.hidden import hidden
from dpcourse.lessons.capstone_5.exercises.reference import ward, whole
from dpcourse.lessons.capstone_5.exercises.run import Sums, Ward, one_more, study, trained
from dpcourse.lessons.capstone_5.exercises.seen import Seen, amount, law
from dpcourse.lessons.capstone_5.numbers import plain, tested
from dpcourse.privacy import Guarantee

MANY = 10  # hospitals, from which on their weights can be found in what they send
WORTH = 0.06  # how far below one pool without noise the model of a small study may score
ANEW = "Each number, hospital and round needs a new draw. Where do you use one twice?"


def private(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Studies of several kinds, and what their noise has in common; one has whole readings, one those of a decimal."""
    seen, sums = list[Seen](), list[Callable[[], Diagnosis | None]]()
    some = (chance.rng.permutation(one).tolist() for one in ((1, 2, 3), (0, 1, 2)))
    for kind, reach, decimals in zip(("ordinary", "clean", "strange"), *some, strict=True):
        hospitals, plan = study(chance.rng, reach, kind, decimals if decimals < 2 else None)
        clean = kind == "clean"
        _, found, sent = looked_at(answer, hospitals, plan, chance, strange=not clean, others=not clean)
        if isinstance(found, Diagnosis):
            return found
        seen.append(found)
        sums.append(sent)
    wrong = amount(seen, chance.failure / 16) or law(seen, chance.failure / 16)
    return wrong or next(filter(None, (look() for look in sums)), None)


def looked_at(
    answer: Answer,
    hospitals: dict[str, Ward],
    plan: dict[str, Any],
    chance: Chance,
    strange: bool,
    lost: float = 0.08,
    others: bool = True,
) -> tuple[np.ndarray, Diagnosis | Seen, Callable[[], Diagnosis | None]]:
    """One run with real sums, and some that get the same sums: by another seed, of others, and with a patient more.

    So weights cannot depend on patients, and what each hospital sends can be compared. The runs of others get the sums
    but for their ninth digits, for an answer that remembers which weights came with which sums. In one of them half of
    the hospitals have the stays they had, and draw by a third seed: so the run with real sums is compared with two
    others, and its noise is known by itself. Some of its rounds are also set beside the stays. Noise has to cover the
    rounds that gave a sum, so each `lost` one hides a little. Without `others`, where there are many hospitals, the
    looks that need the runs of others are left out, to save time. The last that is returned looks at what was sent
    besides noise, where this is right.
    """
    rng, names, shape = chance.rng, frozenset(hospitals), (len(plan["centre"]) + 1,)
    seeds = [int(seed) for seed in rng.integers(2**63, size=4)]
    stay = set(rng.permutation(sorted(names))[: (len(names) + 1) // 2].tolist())
    strangers = {name: ward(rng, whole(rng, 1, 60), plan["centre"], plan["spread"]) for name in hospitals}
    some_of_them = {name: hospitals[name] if name in stay else one for name, one in strangers.items()}
    runs: list[Sums] = []
    weights, claims = [], []
    grown, chosen = one_more(rng, hospitals, plan, strange)
    of_others = [(some_of_them, seeds[2]), (strangers, seeds[3])] if others else []
    for some, seed in ((hospitals, seeds[0]), (hospitals, seeds[1]), *of_others, (grown, seeds[0])):
        script = runs[0].sums if runs else None
        if script and (some is some_of_them or some is strangers):
            answer.renew()
            script = [one if one is None else one * (1 + 1e-9 * rng.normal(size=one.shape)) for one in script]
        gone = len(names) - plan["shares"] - 1
        runs.append(Sums(shape, names, fresh(rng), gone=gone, lost=lost, script=script))
        found = trained(answer, some, plan, runs[-1], seed)
        weights.append(found[0])
        claims.append(found[1])
    whose = ("another seed", *["other patients"] * len(of_others), "one patient more")
    wrong = _same(runs, weights, whose) or _claim(claims[0], plan)
    if wrong:
        return weights[0], wrong, lambda: None
    sent = [np.array(run.sent) for run in runs]
    seen = Seen(sent[0] - sent[1], [one is None for one in runs[0].sums], plan)
    wrong = _even(seen, chance.failure / 8)
    if not wrong:
        wrong = _replayed(sent[0], sent[-1], sorted(names), chosen, plan)
    if others and not wrong:
        stayed = [place for place, name in enumerate(sorted(names)) if name in stay]
        part = quieter(sent[0][:, stayed], [one[:, stayed] for one in sent[1:3]], chance.failure / 32)
        if part is None:
            rounds = np.sort(1 + rng.permutation(len(sent[0]) - 1)[:LOOKED_AT])
            sums = sums_of([hospitals[name] for name in sorted(names)], plan["centre"], plan["spread"], plan["clip"])
            part = beside_data(sent[0][rounds], sums, chance.failure / 32, seen.noise)
        wrong = quiet_in_earnest(part, "hospitals")
    elsewhere = (runs[3], strangers, seeds[3]) if others else None
    later = functools.partial(_sums, answer, plan, (runs[0], hospitals, seeds[0]), elsewhere, rng)
    return weights[0], wrong or seen, later


Tried = tuple[Sums, dict[str, Ward], int]


def _sums(
    answer: Answer, plan: dict[str, Any], real: Tried, elsewhere: Tried | None, rng: np.random.Generator
) -> Diagnosis | None:
    """What is sent less its noise: the hospitals' clipped sums, at the same weights, in a few rounds; and whose noise.

    The noise is what they send with the same draws and the same sums, and no stays. In a run of other patients with
    these sums the weights are the same. Where hospitals are few weights cannot always be found, and each sum is no
    longer than all patients can make it.
    """
    run, hospitals, seed = real
    names, tried = sorted(hospitals), [real, *([elsewhere] if elsewhere else [])]
    seeds = seed, elsewhere[2] if elsewhere else int(rng.integers(2**63))
    empty = {name: tuple(part[:0].copy() for part in one) for name, one in hospitals.items()}
    quiet = [Sums(run.shape, run.names, rng, script=run.sums) for _ in range(2)]
    for silent, one_seed in zip(quiet, seeds, strict=True):
        trained(answer, empty, plan, silent, one_seed)
    if not len(quiet[0].sent) == len(quiet[1].sent) == len(run.sent):
        seen = f"You make {len(run.sent)} rounds, and with the same sums {len(quiet[0].sent)} where nobody has stays."
        return Diagnosis("data-in-weights", seen, "What decides how many rounds you make?")
    noise = [np.array(silent.sent) for silent in quiet]
    signals = [np.array(one.sent) - own for (one, _, _), own in zip(tried, noise, strict=False)]
    most = plan["clip"] * np.array([len(np.unique(hospitals[name][2])) for name in names])
    lengths = np.linalg.norm(signals[0], axis=2)
    if (far := lengths - 1.001 * most - 1e-6 * plan["clip"]).max() > 0:
        turn, who = np.unravel_index(far.argmax(), far.shape)
        seen = f"Without its noise, what {names[who]} sends in round {turn + 1} is {lengths[turn, who]:.3g} long. Its "
        seen += f"patients, each of them with {plan['clip']:.2g}, make {most[who]:.3g} at most."
        return Diagnosis("other-sums", seen, "Milestone 5.2: what does a hospital add up?")
    if wrong := known_to_all(*noise):
        return wrong
    if len(names) < MANY:
        return None
    rounds = np.sort(rng.permutation(len(run.sent))[:LOOKED_AT])
    book = plan["centre"], plan["spread"], plan["clip"]
    sums = [sums_of([some[name] for name in names], *book) for _, some, _ in tried]
    seen = other_sums([one[rounds] for one in signals], noise[0], sums, names, (rounds + 1).tolist())
    if not seen:
        return None
    return Diagnosis("other-sums", seen, "Milestone 5.2: what does a hospital add up, and at which weights?")


def _same(runs: list[Sums], weights: list[np.ndarray], whose: Sequence[str]) -> Diagnosis | None:
    """The same sums make the same weights, of whatever patients they are."""
    ask = "The server has the sums and the plan. Which of your numbers comes from the hospitals past secure_sum?"
    if len({len(run.sent) for run in runs}) > 1:
        many = ", ".join(str(len(run.sent)) for run in runs)
        return Diagnosis("data-in-weights", f"With the same sums you make {many} rounds.", ask)
    for other, what in zip(weights[1:], whose, strict=False):
        within = 1e-9 if what != "other patients" else 1e-6  # the ninth digits of its sums are others
        if not same_weights(weights[0], other, within):
            seen = f"secure_sum returned the same sums, and with {what} your weights differ by up to "
            seen += f"{np.abs(other - weights[0]).max():,.3g}."
            if what == "another seed":
                ask = "Which of your numbers comes from `rng`, and reaches the weights past secure_sum?"
                return Diagnosis("data-in-weights", seen, ask)
            return Diagnosis("data-in-weights", f"{seen} What does not go through the sum has no noise.", ask)
    return None


def _claim(claim: Any, plan: dict[str, Any]) -> Diagnosis | None:
    why = "Replaced, one patient is taken away and another added: up to twice the change."
    fewest = f"Only {plan['shares']} hospitals' noise is sure to be there, and all rounds count."
    wanted = Guarantee(plan["epsilon"], plan["delta"])
    return claimed(claim, wanted, "a patient", (why, "Which change is your noise made for?"), fewest)


def _replayed(
    before: np.ndarray, after: np.ndarray, names: list[str], chosen: set[str], plan: dict[str, Any]
) -> Diagnosis | None:
    """A patient more, the same generator: no hospital's vector moves by more than the clip, and only the patient's."""
    clip, moved = plan["clip"], np.linalg.norm(after - before, axis=2)
    room = 1e-9 * (1 + np.linalg.norm(before, axis=2))
    for place, name in enumerate(names):
        if name not in chosen and (moved[:, place] > room[:, place]).any():
            seen = f"One more patient, with stays in {' and '.join(sorted(chosen))}, changes what {name} sends."
            ask = "A hospital knows its own stays, the plan and the sums. Which of your numbers needs more?"
            return Diagnosis("not-local", seen, ask)
    for place, name in enumerate(names):
        largest = float((moved[:, place] - room[:, place]).max())
        if largest > clip * (1 + 1e-6):
            return Diagnosis(
                "moves-more",
                f"One patient more moves what {name} sends by {moved[:, place].max():.3g}, and the clip is {clip:.2g}.",
                "Milestone 5.2: what do all stays of one patient add, strange ones too?",
            )
    if not moved.any():
        return Diagnosis("ignores-data", "A patient more changes nothing in what is sent.", "Where do stays come in?")
    return None


def _even(seen: Seen, failure: float) -> Diagnosis | None:
    """Every hospital adds noise of its own in every round, and all of them as much."""
    x, level = seen.noise, failure / 8
    by_hospital, by_round = (x**2).mean(axis=(0, 2)), (x**2).mean(axis=(1, 2))
    if not by_hospital.all():
        none = sorted(seen.plan["declared"])[int((by_hospital == 0).argmax())]
        many = len(by_hospital)
        who = f"Of {many} hospitals, {none} adds" if by_hospital.any() else f"The {many} hospitals add"
        return Shared.NO_NOISE.seen(f"{who} no noise.", "Every patient is in the sum. What hides one?")
    mean = float((x**2).mean())
    evened = x / np.sqrt(np.maximum(by_round, 1e-300))[:, None, None]
    linked = _linked(evened / np.sqrt((evened**2).mean(axis=(0, 2)))[:, None], level, coarse=True)
    if linked:
        return linked
    kinds = (by_hospital, "hospitals", x.size / len(by_hospital)), (by_round, "rounds", x[0].size)
    for some, what, each in sorted(kinds, key=lambda kind: kind[0].min() / kind[0].max()):  # the more uneven one first
        ends = stats.chi2.cdf(each * some.min() / mean, each), stats.chi2.sf(each * some.max() / mean, each)
        if min(ends) < level / len(some):
            where = {
                "hospitals": "a small hospital's sum as far as a large one's",
                "rounds": "every round's sum as far",
            }
            return Shared.UNEVEN_NOISE.seen(
                f"Your {what} differ: the variance of their noise is between {some.min() / mean:.2g} and "
                f"{some.max() / mean:.2g} times its mean.",
                f"A patient may move {where[what]}. What follows for the noise?",
            )
    if wrong := hidden(x / math.sqrt(mean), level):
        return wrong
    common = shared([x], level, "round, hospital and number", even=True)
    return _linked(x / math.sqrt(mean), level) or (Shared.LINKED_NOISE.seen(common, ANEW) if common else None)


def _linked(x: np.ndarray, level: float, coarse: bool = False) -> Diagnosis | None:
    """Sums along each axis have as much variance as independent noise; `coarse` asks for a factor of two."""
    for axis, what in ((0, "rounds"), (1, "hospitals"), (2, "numbers of a vector")):
        count = x.size // x.shape[axis]
        together = float((x.sum(axis=axis) ** 2).sum() / x.shape[axis])
        unlikely = min(stats.chi2.cdf(together, count), stats.chi2.sf(together, count)) < level
        if unlikely and not (coarse and 0.5 < together / count < 2):
            how = "have noise in common, which can be taken off" if together > count else "have noise that cancels"
            return Shared.LINKED_NOISE.seen(f"Different {what} {how}.", ANEW)
    return None


def useful(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Sixteen hospitals, ε = 4, two missing at most: 0.06 below one pool or better.

    Right answers are 0.008 ± 0.005 below it, and in 288 worlds at most 0.029.
    """
    world = simulate_hospitals(16, rng=chance.rng)
    hospitals = {name: tuple(one) for name, one in world.stays.items()}
    plan = {
        "centre": world.centre,
        "spread": world.spread,
        "clip": 1.0,
        "epsilon": 4.0,
        "delta": 1e-6,
        "reach": 2,
        "shares": 13,
        "declared": dict(world.declared),
    }
    weights, seen, sums = looked_at(answer, hospitals, plan, chance, strange=False, lost=0.0)
    if isinstance(seen, Diagnosis):
        return seen
    wrong = amount([seen], chance.failure / 16, before=3)
    if wrong:
        return wrong
    rows, score = Rows.of(world), tested(world)
    pooled, found = score(plain(rows.Z, rows.y, 1.0)), score(weights)
    if found >= pooled - WORTH:
        return sums()
    told = f"With {len(hospitals)} hospitals at (ε, δ) = (4, 1e-6) for a patient your model has AUC {found:.3f}. "
    told += f"One pool without noise has {pooled:.3f}, and yours has to come within {WORTH} of it."
    if not weights[:-1].any():
        return Diagnosis("not-useful", f"{told} Your weights of all readings are 0.", "Which step changes them?")
    if found < 0.5:
        told += " It is below 0.5: stays that ended in intensive care get the lower score more often."
        return Diagnosis("not-useful", told, "Does a step go up the gradient of the loss, or down?")
    ask = "Full steps of size 2 on sum / (all stays declared), momentum 0.9, fifty rounds, and the mean of the later "
    return Diagnosis("not-useful", told, f"{ask}weights get there. Which of these do you do in another way?")


WHOLE = (private, useful)
