"""Capstone 2.6: the whole in one function, judged on robustness, claim and utility."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import stats

from dpcourse.checks.answers import Answer, AnswerRaised
from dpcourse.checks.base import Chance, Diagnosis, Refused, parts
from dpcourse.checks.claims import claimed
from dpcourse.checks.once import near
from dpcourse.datasets import simulate_suppliers
from dpcourse.datasets.suppliers import LOT_SIZE
from dpcourse.lessons.capstone_2.design import BINS, MODULUS, PARTIES, SHARES, SUPPLIERS
from dpcourse.lessons.capstone_2.exercises.histogram import CANARIES, counted
from dpcourse.lessons.capstone_2.exercises.noise import lawful, variance
from dpcourse.lessons.capstone_2.exercises.reading import quartile_of
from dpcourse.lessons.capstone_2.exercises.sharing import Source
from dpcourse.privacy import Guarantee

NAMES = tuple(f"supplier {number + 1:02}" for number in range(SUPPLIERS))
LOUD = 60.0  # an ε at which the noise of 21 bins is 0 but for e^−57
Message = tuple[str, str, np.ndarray]
WANTED = ("servers", "noisy", "rate", "quartile", "shares", "claim")


@dataclass
class Desk:
    """What the check hands in as `admit`: it writes down what it is asked, and says yes or no."""

    says: bool = True
    asked: list[tuple[Any, ...]] = field(default_factory=list)

    def __call__(self, quarter: str, query_id: str, epsilon: float) -> bool:
        self.asked.append((quarter, query_id, epsilon))
        return self.says


def released(
    answer: Answer, messages: list[Message], quarter: str, epsilon: float, rng: np.random.Generator
) -> dict[str, Any] | None:
    """What the answer returns, its parts of the right shapes; None where it refuses."""
    desk, source = Desk(), Source(rng)
    given = answer(messages, NAMES, quarter, epsilon, desk, source, rng)
    if given is None:
        return None
    parts(given, WANTED)
    noisy, servers = np.asarray(given["noisy"], dtype=float), np.asarray(given["servers"], dtype=float)
    if noisy.shape != (BINS,) or servers.shape != (PARTIES, BINS):
        shapes = f"`noisy` has shape {noisy.shape} and `servers` {servers.shape}"
        raise Refused(Diagnosis("wrong-shape", f"{shapes}; {(BINS,)} and {(PARTIES, BINS)} are wanted."))
    if len(desk.asked) != 1 or desk.asked[0][0] != quarter or desk.asked[0][2] != epsilon:
        what = f"admit was asked {len(desk.asked)} times" + (f", last for {desk.asked[-1]}" if desk.asked else "")
        raise Refused(
            Diagnosis("not-admitted", f"{what}. One release costs ε = {epsilon:g} of {quarter}, once.", "Ask once.")
        )
    if not np.array_equal(servers.sum(axis=0) % MODULUS, noisy % MODULUS) or (servers < 0).any():
        raise Refused(
            Diagnosis(
                "servers",
                "The servers' totals do not add up to `noisy` modulo 2^32.",
                "Each server adds the shares it was sent, modulo 2^32. `noisy` is reconstructed from these totals.",
            )
        )
    return given


def _quarter(rng: np.random.Generator) -> tuple[str, str]:
    """Some quarter, and the one before it."""
    number = int(rng.integers(4 * 2020, 4 * 2040))
    now, before = (f"{n // 4}-Q{n % 4 + 1}" for n in (number, number - 1))
    return now, before


def _mix(rng: np.random.Generator, kind: str) -> tuple[list[Message], np.ndarray, str]:
    """Messages of one quarter and of the one before, the histogram of those that count, and the quarter."""
    quarter, before = _quarter(rng)
    stayed = rng.permutation(NAMES)[: rng.integers(SHARES, SUPPLIERS + 1)]
    messages: list[Message] = []
    for name in stayed:
        lots = rng.integers(0, 26, int(rng.integers(2, 9))).astype(float)
        if kind == "strange":
            lots = rng.permutation(np.append(lots, rng.choice(CANARIES, 4)))
        messages.append((str(name), quarter, lots))
    if kind == "empty":
        for place in rng.choice(len(messages), 2, replace=False):
            messages[place] = (*messages[place][:2], np.array([]))
    right = counted(np.concatenate([lots for _, _, lots in messages]))
    extra = rng.integers(0, 20, 5).astype(float)
    if kind == "repeated":
        messages.extend((str(name), quarter, extra) for name in rng.choice(stayed, 3))
    if kind == "stale":
        messages[:0] = [(str(name), before, extra) for name in rng.choice(stayed, 3)]
    if kind == "stranger":
        messages.insert(3, ("supplier 16", quarter, extra))
    return messages, right, quarter


_MIXES = {
    "plain": ("With ten suppliers or more, each once", "Does everybody who sent something count, and once?"),
    "strange": (
        "With reports that are NaN, infinite or negative",
        "Milestone 2.2 settled where such a lot goes. Does one reach the others' counts?",
    ),
    "empty": ("With suppliers that made no lot", "A supplier without lots is there all the same, and so is its noise."),
    "repeated": (
        "When a supplier's second message arrives",
        "Counted twice, each of its lots moves two counts. Which of the messages counts?",
    ),
    "stale": (
        "When last quarter's messages are sent again",
        "Those lots have spent their budget in their own quarter. What does a message say about its quarter?",
    ),
    "stranger": ("When a stranger sends lots", "Who may take part is public, and decided before."),
}


def robust(answer: Answer, chance: Chance) -> Diagnosis | None:
    """At a huge ε the noise is gone, so what is counted shows exactly; and refusals cost nothing."""
    for kind, (what, hint) in _MIXES.items():
        for _ in range(2):
            messages, right, quarter = _mix(chance.rng, kind)
            try:
                given = released(answer, messages, quarter, LOUD, chance.rng)
            except AnswerRaised as raised:
                return Diagnosis(f"{kind}-raises", f"{what}, your function stops with {raised}.", hint)
            if given is None:
                return Diagnosis(f"{kind}-refused", f"{what}, you refuse, and there is no reason to.", hint)
            if not np.array_equal(given["noisy"], right):
                off = float(np.abs(np.asarray(given["noisy"]) - right).sum())
                return Diagnosis(kind, f"{what}, your counts are off by {off:.4g} lots in all before any noise.", hint)
    return _refusals(answer, chance)


def _refusals(answer: Answer, chance: Chance) -> Diagnosis | None:
    messages, _, quarter = _mix(chance.rng, "plain")
    few = messages[: SHARES - 1]
    copies = [*few, *few[:3]]
    for sent, desk, what, key in (
        (few, Desk(), f"Only {SHARES - 1} suppliers sent something, so the noise is not whole", "too-few"),
        (copies, Desk(), f"{SHARES - 1} suppliers sent {len(copies)} messages, so the noise is not whole", "too-few"),
        (messages, Desk(says=False), "`admit` says no", "spends-anyway"),
    ):
        try:
            given = answer(sent, NAMES, quarter, 0.5, desk, Source(chance.rng), chance.rng)
        except AnswerRaised as raised:
            return Diagnosis(f"{key}-raises", f"{what}, and your function stops with {raised}.", "Return None.")
        if given is not None:
            return Diagnosis(key, f"{what}, and you publish all the same.", "Return None, and publish nothing.")
        if key == "too-few" and desk.asked:
            return Diagnosis(
                "charges-refused",
                f"{what}; nothing is published, but the budget was charged.",
                "Count the suppliers before you ask.",
            )
    return None


def honest(answer: Answer, chance: Chance) -> Diagnosis | None:
    """The claim, and the noise it needs: on quarters as they are, with the fewest suppliers allowed, and with all."""
    epsilon = near(0.5, chance.rng)
    for stayed, runs in ((SHARES, 240), (SUPPLIERS, 160)):
        noise, low, claims = [], [], []
        for world in chance.rng.spawn(runs):
            given, right, _ = _release(answer, stayed, epsilon, world)
            noise.append(np.asarray(given["noisy"], dtype=float) - right)
            low.append(np.asarray(given["servers"])[:2].astype(np.int64) % 4)
            claims.append(given["claim"])
        wrong = (
            _claim(claims[-1], epsilon)
            or _size(np.array(noise), stayed, epsilon)
            or _masked(np.array(low), chance.failure / 4)
            or (lawful(np.ravel(noise), epsilon, SHARES, chance.failure / 4) if stayed == SHARES else None)
            or _audit(np.array(noise), epsilon, chance)
        )
        if wrong:
            return wrong
    return None


def _release(
    answer: Answer, stayed: int, epsilon: float, rng: np.random.Generator
) -> tuple[dict[str, Any], np.ndarray, np.ndarray]:
    """What is released of a simulated quarter in which so many take part, its histogram, and its lots."""
    world, (quarter, _) = simulate_suppliers(SUPPLIERS, rng=rng), _quarter(rng)
    here = sorted(rng.choice(NAMES, stayed, replace=False).tolist())
    messages: list[Message] = [(name, quarter, world.lots[name].astype(float)) for name in here]
    given = released(answer, messages, quarter, epsilon, rng)
    if given is None:
        raise Refused(Diagnosis("refuses-all", f"{stayed} suppliers sent their lots, and you refuse."))
    lots = np.concatenate([world.lots[name] for name in here])
    return given, counted(lots), lots


def _claim(claim: Any, epsilon: float) -> Diagnosis | None:
    why = "Replaced, a lot leaves one bin and enters another: two counts move by one each."
    fewest = f"Five of {SUPPLIERS} suppliers may drop out or collude: {SHARES} shares of noise are left."
    return claimed(claim, Guarantee(epsilon), "a lot", (why, "Which change is your noise made for?"), fewest)


def _size(noise: np.ndarray, stayed: int, epsilon: float) -> Diagnosis | None:
    """Variance of 3,360 draws or more: it deviates by 4%. Too little is 0.67 with ten; without margin, 0.67 of 1.5."""
    ratio = float(noise.var() / variance(epsilon))
    wanted = stayed / SHARES
    if 0.82 * wanted < ratio < 1.35 * wanted:
        return None
    seen = f"With {stayed} suppliers the noise has {ratio:.2g} times the variance of discrete Laplace noise at ε = "
    seen += f"{epsilon:.3g}"
    if ratio < wanted and stayed == SHARES:
        return Diagnosis(
            "dropped-noise",
            f"{seen}: your claim of {epsilon:.3g} does not hold.",
            f"Noise of those who dropped out is not in the sum. {SHARES} suppliers have to make the whole.",
        )
    if ratio < wanted:
        return Diagnosis(
            "no-margin",
            f"{seen}; {wanted:g} is wanted. A supplier that colludes knows its own share and takes it off, so nothing "
            "is left for the dropouts and colluders of the brief.",
            f"Each share is one of {SHARES}, however many take part.",
        )
    return Diagnosis("too-much-noise", f"{seen}; {wanted:g} is enough.", "Who else adds noise?")


def _masked(low: np.ndarray, level: float) -> Diagnosis | None:
    """The last two bits of two servers' totals, shape (runs, 2, bins): all 16 pairs alike."""
    counts = np.bincount((4 * low[:, 0] + low[:, 1]).ravel(), minlength=16)
    if stats.chisquare(counts).pvalue >= level:
        return None
    return Diagnosis(
        "unmasked",
        "What two of the three servers hold is not uniform: they need not wait for the third.",
        "Every supplier shares its noisy histogram with `share`, and each server is sent one row.",
    )


def _audit(noise: np.ndarray, epsilon: float, chance: Chance) -> Diagnosis | None:
    """One lot more, seen by an auditor who knows the rest: every bin of every run is a run."""
    from dpcourse.audit import audit_outputs  # here, because only a check that audits needs it

    draws = chance.rng.permutation(noise.ravel())
    half = draws.size // 2
    sides = draws[:half].tolist(), (draws[half : 2 * half] + 1).tolist()
    result = audit_outputs(*sides, claim=Guarantee(epsilon), confidence=1 - chance.failure / 2)
    if not result.violated:
        return None
    return Diagnosis(
        "not-private",
        f"One lot more shows in your release: ε ≥ {result.epsilon_lower:.3g}, you claim {epsilon:.3g}. What gives it "
        f"away: {result.event}.",
        "One lot moves one bin by one. Is the noise in every bin whole?",
    )


def useful(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Rate within 0.05 points on average, at ε = 0.5, over worlds in which up to five suppliers drop out."""
    errors, misses, worlds = [], 0, 200
    for world in chance.rng.spawn(worlds):
        given, right, lots = _release(answer, int(world.integers(SHARES, SUPPLIERS + 1)), 0.5, world)
        errors.append(abs(given["rate"] - lots.mean() / LOT_SIZE))  # lots with more than 20 defects as they are
        misses += abs(given["quartile"] - quartile_of(right)) > 1
    # A right answer errs by 0.034 points and deviates by 0.031: the mean of 200 is 7 deviations below.
    if not np.mean(errors) <= 5e-4 or misses > 12:
        return Diagnosis(
            "not-useful",
            f"At ε = 0.5 your rate is off by {100 * np.mean(errors):.2g} points on average over {worlds} "
            f"quarters, and about 0.03 points are within reach. Your quartile is off by more than one defect in "
            f"{misses} of them.",
            "Is `rate` read off `noisy` as milestone 2.4 does it?",
        )
    return None


WHOLE = (robust, honest, useful)
