"""Capstone 2.6: the whole in one function, judged on robustness, claim and utility."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import stats

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance
from dpcourse.checks.claims import claimed
from dpcourse.checks.diagnosis import Diagnosis, Refused
from dpcourse.checks.links import uneven_bit
from dpcourse.checks.once import near, spread
from dpcourse.checks.vocabulary import Shared
from dpcourse.checks.whole_apiece import amiss
from dpcourse.checks.whole_noise import in_shares, misplaced
from dpcourse.datasets.suppliers import LOT_SIZE
from dpcourse.lessons.capstone_2.design import BINS, PARTIES, SHARES, SUPPLIERS
from dpcourse.lessons.capstone_2.exercises.hidden import hidden
from dpcourse.lessons.capstone_2.exercises.noise import as_at, in_common, in_words, lawful, variance, worst
from dpcourse.lessons.capstone_2.exercises.reading import quartile_of
from dpcourse.lessons.capstone_2.exercises.redealt import redealt
from dpcourse.lessons.capstone_2.exercises.reread import exact_shown, misread, misread_often
from dpcourse.lessons.capstone_2.exercises.robust import robust
from dpcourse.lessons.capstone_2.exercises.world import (
    FAINT,
    MIXES,
    NAMES,
    Message,
    a_quarter,
    released,
    simulated,
)
from dpcourse.privacy import Guarantee

DROWNING = 300  # lots: at ε = 0.01 the sizes of right noise in 21 bins add up to less once in a million million times
QUARTERS = ((SHARES, 160), (SUPPLIERS, 120))  # simulated with the fewest suppliers allowed, and with all


def honest(answer: Answer, chance: Chance) -> Diagnosis | None:
    """The claim, the noise it needs, what is read off the noisy counts; and of the same quarters how good it is."""
    epsilon, rates, far, apart = near(0.5, chance.rng), list[tuple[float, float]](), 0, list[float]()
    published, every, parts = list[dict[str, Any]](), list[np.ndarray](), list[float]()
    for stayed, runs in QUARTERS:
        noise, held, claims = [], [], []
        for world in chance.rng.spawn(runs):
            given, right, lots = simulated(answer, stayed, epsilon, world)
            noise.append(np.asarray(given["noisy"], dtype=float) - right)
            held.append(np.asarray(given["servers"]).astype(np.int64))
            claims.append(given["claim"])
            published.append(given)
            rates.append((given["rate"], lots.mean() / LOT_SIZE))  # lots with more than 20 defects as they are
            apart.append(float(np.abs(np.asarray(given["shares"]) - right / right.sum()).sum()) / 2)
            far += not abs(given["quartile"] - quartile_of(right)) <= 1
        wrong = (
            next(filter(None, (_claim(claim, epsilon) for claim in claims)), None)
            or _size(np.array(noise), stayed, epsilon)
            or _masked(np.array(held), chance.failure / 4)
            or (lawful(np.ravel(noise), epsilon, SHARES, chance.failure / 4) if stayed == SHARES else None)
            or (in_common([np.ravel(noise)], [epsilon], chance.failure / 8) if stayed == SHARES else None)
            or _audit(np.array(noise), epsilon, chance)
        )
        if wrong:
            return wrong
        every += noise
        parts += [stayed / SHARES] * runs
    if wrong := amiss(every, [epsilon] * len(every), chance.failure / 8, chance.rng, parts):
        return wrong
    wrong = from_noisy(answer, chance) or _useful(np.array(rates), int(far), float(np.mean(apart)), epsilon)
    return wrong or misread_often(published, epsilon) or next(filter(None, (given["few"] for given in published)), None)


def anywhere(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Quarters at any ε, one release each: half of them with the fewest suppliers allowed, the others with more.

    `misplaced` is asked about eight groups of them.
    """
    rng, asked, wrong = chance.rng, list[tuple[int, float]](), list[tuple[float, str, str]]()
    released = list[tuple[dict[str, Any], np.ndarray]]()
    noise, zero, places = list[np.ndarray](), list[np.ndarray](), list[np.ndarray]()
    for stayed in (SHARES, *range(SHARES + 1, SUPPLIERS + 1)):
        many = 24 if stayed == SHARES else 5
        for number, one in enumerate(spread(rng, 0.01, 6, many)):
            epsilon = int(rng.integers(1, 3)) if number % 4 == 3 else near(one, rng, 1.0)
            given, right, _ = simulated(answer, stayed, epsilon, rng.spawn(1)[0])
            if found := _claim(given["claim"], epsilon) or misread(given, epsilon):
                return found
            released.append((given, right))
            asked.append((stayed, epsilon))
            noise.append(np.asarray(given["noisy"], dtype=float) - right)
            of_zero, at = in_shares(noise[-1], epsilon, stayed / SHARES, rng)
            zero.append(of_zero)
            places.append(at)
    for where, of in (
        ("at ε of 0.5 and less", lambda stayed, epsilon: epsilon <= 0.5),
        ("at ε above 0.5", lambda stayed, epsilon: epsilon > 0.5),
        ("where ε is an int", lambda stayed, epsilon: isinstance(epsilon, int)),
        *((f"with {many} suppliers", lambda stayed, epsilon, many=many: stayed == many) for many in range(11, 16)),
    ):
        some = [place for place, one in enumerate(asked) if of(*one)]
        draws, of_zero, at = (np.ravel([known[place] for place in some]) for known in (noise, zero, places))
        if misplaced(draws, of_zero, at, chance.failure / 8):
            exact, wanted = float((draws == 0).mean()), float(of_zero.mean())
            words = in_words(exact, wanted, f" in shares of 1/{SHARES}")
            least, most = (end(asked[place][1] for place in some) for end in (min, max))
            seen = f"In {len(some)} quarters {where} (ε from {least:.2g} to {most:.2g}), {words}"
            wrong.append((abs(exact - wanted), where, seen))
    if wrong:
        ask = "How does your noise follow from `epsilon`, and what else does it depend on?"
        return Shared.NOT_EVERYWHERE.seen(worst(wrong), ask)
    return exact_shown(released)


def _claim(claim: Any, epsilon: float) -> Diagnosis | None:
    why = "Replaced, a lot leaves one bin and enters another: two counts move by one each."
    fewest = f"Five of {SUPPLIERS} suppliers may drop out or collude: {SHARES} shares of noise are left."
    return claimed(claim, Guarantee(epsilon), "a lot", (why, "Which change is your noise made for?"), fewest)


def _size(noise: np.ndarray, stayed: int, epsilon: float) -> Diagnosis | None:
    """Variance of 3,360 draws with ten suppliers, 2,520 with all: it deviates by 4%, skewed to the right, so a right
    answer is refused once in three million times at most. Too little is 0.67 with ten; without margin, 0.67 of 1.5."""
    ratio = float(noise.var() / variance(epsilon))
    wanted = stayed / SHARES
    if 0.8 * wanted < ratio < 1.35 * wanted:
        return None
    seen = f"With {stayed} suppliers the noise has {ratio:.2g} times the variance of discrete Laplace noise at ε = "
    seen += f"{epsilon:.3g}"
    if ratio < 0.005:
        seen = f"With {stayed} suppliers there is hardly any noise, or none, at ε = {epsilon:.3g}"
    if ratio < wanted and abs(ratio / wanted - SHARES / SUPPLIERS) > 0.15:
        ask = f"2.3 settled the noise of {SHARES} reports. Which ε, and which number of shares, do you hand it here?"
        more = f"; {wanted:g} is wanted. {as_at(ratio / wanted, epsilon)}" if ratio >= 0.005 else "."
        seen = f"{seen}{more}".strip()
        return Diagnosis("too-little-noise", seen, ask)
    if ratio < wanted and stayed == SHARES:
        return Diagnosis(
            "dropped-noise",
            f"{seen}, and 1 is wanted: your claim of ε = {epsilon:.3g} does not hold.",
            f"{SHARES} suppliers have to make the whole, as {SUPPLIERS - SHARES} may drop out. How many of your shares "
            "does it take?",
        )
    if ratio < wanted:
        return Diagnosis(
            "no-margin",
            f"{seen}; {wanted:g} is wanted. Five of them may collude. They know their own shares and take them off, "
            "and what is left is less than the whole.",
            f"{SHARES} shares make the whole, however many take part. How many make it in yours?",
        )
    ask = "Which ε, and which number of shares, do you hand to the noise of 2.3?"
    return Diagnosis("too-much-noise", f"{seen}; {wanted:g} is enough.", ask)


def _masked(held: np.ndarray, level: float) -> Diagnosis | None:
    """Three servers' totals, shape (runs, 3, bins): all 16 pairs of two servers' last two bits alike, and every bit of
    each server's as often 1 as 0 (`uneven_bit`)."""
    low = held[:, :2] % 4
    counts = np.bincount((4 * low[:, 0] + low[:, 1]).ravel(), minlength=16)
    each = held.transpose(1, 0, 2).reshape(PARTIES, -1)
    bit = uneven_bit(each, 32, level / 2)
    if stats.chisquare(counts).pvalue >= level / 2 and bit is None:
        return None
    seen = "What `servers[0]` and `servers[1]` hold is not uniform together: their lowest bits are not independent."
    if bit is not None:
        ones = (each >> bit & 1).mean(axis=1)
        server = int(np.abs(ones - 0.5).argmax())
        seen = f"What `servers[{server}]` holds is not uniform: bit {bit} of a total (the lowest is bit 0) is 1 in "
        seen += f"{ones[server]:.0%} of {each.shape[1]:,} totals, and half would be right."
    ask = "Does every supplier share its noisy histogram with your `share`, and is each server sent one row of it?"
    return Diagnosis("unmasked", seen, ask)


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


def from_noisy(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Another lot, the same generator, noise that drowns it: `noisy` hardly moves, nor does what is read off it.

    In right answers the rate moves by 3e-4 at most, a share by 0.01, and one quartile in fifty jumps.
    """
    jumps: list[tuple[float, ...]] = []
    below = 0  # pairs in which the counts add up to less than nothing: any numbers will do, but the same for both
    for _ in range(60):
        pair = _drowned(answer, chance.rng)
        noisy = np.array([given["noisy"] for given in pair], dtype=float)
        if (size := np.abs(noisy).sum(axis=1).min()) < DROWNING:
            return _not_drowned(size)
        totals = noisy.sum(axis=1)
        if np.abs(noisy[0] - noisy[1]).max() > 1 or np.abs(totals).min() < 0.05 * np.abs(noisy).sum(axis=1).max():
            continue  # too near to nothing over nothing
        rates, shares = (np.nan_to_num([given[part] for given in pair]) for part in ("rate", "shares"))
        seen = (
            "Two quarters hold one lot each: one without defects, one with 25. Both get the same noise, so large that "
        )
        seen += f"it hides the lot (ε = {FAINT:g}), and `noisy` is nearly the same. Your"
        ask = "Milestone 2.4 takes the noisy counts and nothing else. What else does this one look at?"
        if not abs(rates[0] - rates[1]) < 5e-3 + 0.2 * np.abs(rates).max():
            return Diagnosis(
                "rate-elsewhere", f"{seen} rate is {rates[0]:.3g} in one and {rates[1]:.3g} in the other.", ask
            )
        if not np.abs(shares[0] - shares[1]).max() < 0.05:
            off = np.abs(shares[0] - shares[1]).max()
            return Diagnosis("shares-elsewhere", f"{seen} shares differ by up to {off:.2g}.", ask)
        if totals.max() < 0:
            below += 1
        else:
            jumps.append(tuple(float(given["quartile"]) for given in pair))
        if len(jumps) >= 6 and below >= 3:
            break
    differ = [pair for pair in jumps if pair[0] != pair[1]]
    if not differ or len(differ) < 5 * len(jumps) / 6:
        return _told_apart(answer, chance)
    seen = f"{seen} quartile is {differ[0][0]:g} in one and {differ[0][1]:g} in the other."
    return Diagnosis("quartile-elsewhere", seen, ask)


def _not_drowned(size: float) -> Diagnosis:
    """What is wrong where all suppliers but one have no lots, and with them no noise."""
    seen = f"{SUPPLIERS} suppliers have one lot in all, and ε = {FAINT:g}. The sizes of your {BINS} counts add up to "
    return Shared.NOT_EVERYWHERE.seen(f"{seen}{size:,.0f}; with right noise to about 2,600.", MIXES["empty"][1])


def _told_apart(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Forty such pairs, each quarter with noise of its own: whatever tells the lot with defects is not from `noisy`.

    The lot moves the counts by 1/140 of their noise. Ranks are compared (Mann–Whitney); a rate of no lots, which may be
    NaN, is ranked as 0.
    """
    pairs = [_drowned(answer, chance.rng, alike=False) for _ in range(40)]
    for part, number in (("rate", 0), ("quartile", 0), ("shares", 0), ("shares", -1)):
        none, many = np.nan_to_num([[np.ravel(given[part])[number] for given in pair] for pair in pairs]).T
        test = stats.mannwhitneyu(many, none, method="asymptotic")
        if test.pvalue < chance.failure / 64:
            larger, smaller = (float(than(many[:, None], none).mean()) for than in (np.greater, np.less))
            name = f"{part}[{number}]" if part == "shares" else part
            seen = (
                f"{len(pairs)} quarters hold a single lot without defects, and {len(pairs)} others a single lot with "
                f"25. The noise hides the difference (ε = {FAINT:g}). Compare each of the first with each of the "
                f"others: with 25 defects your `{name}` is larger in {larger:.0%} of pairs and smaller in "
                f"{smaller:.0%}. Both should come about equally often."
            )
            return Diagnosis(f"{part}-elsewhere", seen, "Which counts do you make it from: the noisy ones, or others?")
    return None


def _drowned(answer: Answer, rng: np.random.Generator, alike: bool = True) -> list[dict[str, Any]]:
    """Releases of two quarters with one lot in all, without defects or with many, at a small ε, with noise `alike`."""
    (quarter, _), seed, pair = a_quarter(rng), int(rng.integers(2**62)), []
    for defects in (0.0, 25.0):
        messages: list[Message] = [(name, quarter, np.array([defects][: name == NAMES[0]])) for name in NAMES]
        own = seed if alike else seed + int(defects)
        given = released(answer, messages, quarter, FAINT, np.random.default_rng(own))
        if given is None:
            raise Refused(Diagnosis("refuses-all", f"{SUPPLIERS} suppliers sent their lots, and you refuse."))
        pair.append(given)
    return pair


def _useful(rates: np.ndarray, far: int, apart: float, epsilon: float) -> Diagnosis | None:
    """Rate within 0.05 points on average, at ε = 0.5; where ε is smaller, in proportion more.

    A right answer errs by 0.037 points with ten suppliers and 0.031 with all, and deviates by 0.033: the mean of 280 is
    8 deviations below. Its quartile was never off by more than one, in 9,000 quarters; its shares are off by 0.018/ε in
    total variation on average, and the mean of 280 by less than a twentieth more or less.
    """
    (given, true), quarters = rates.T, len(rates)
    error, room = float(np.abs(given - true).mean()), 5e-4 * max(1.0, 0.5 / epsilon)
    if error <= room and far <= 0.06 * quarters:
        if apart <= 0.03 / epsilon:
            return None
        seen = f"At ε = {epsilon:.3g} the absolute errors of your shares add up to {2 * apart:.2g} on average over "
        seen += f"{quarters} quarters, and about {0.036 / epsilon:.2g} is within reach."
        return Diagnosis("not-useful", seen, "Are `shares` read off `noisy` as milestone 2.4 does it?")
    if error <= room:
        seen = f"At ε = {epsilon:.3g} your quartile is off by more than one defect in {far} of {quarters} quarters."
        return Diagnosis("not-useful", seen, "Is `quartile` read off `noisy` as milestone 2.4 does it?")
    seen = f"At ε = {epsilon:.3g} your rate is off by {100 * error:.2g} points on average over {quarters} quarters, "
    seen += f"and about {0.017 / epsilon:.2g} points are within reach."
    for factor, words in ((100, "percent"), (LOT_SIZE, "defects in a lot")):
        if np.abs(given / factor - true).mean() <= room:
            seen += f" Read as {words}, it is right."
    return Diagnosis("not-useful", seen, "Is `rate` read off `noisy` as milestone 2.4 does it?")


WHOLE = (robust, redealt, honest, anywhere, hidden)
