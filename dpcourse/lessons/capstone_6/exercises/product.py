"""Capstone 6.4: shares of a number tell nothing, and a product of shared matrices opens masked matrices only."""

from __future__ import annotations

import itertools
import math

import numpy as np
from scipy import stats

from dpcourse.checks.again import follows
from dpcourse.checks.answers import Answer, AnswerRaised
from dpcourse.checks.base import Chance
from dpcourse.checks.diagnosis import Diagnosis, Refused, a
from dpcourse.checks.links import uneven_bit
from dpcourse.checks.once import whole
from dpcourse.lessons.capstone_6.design import BANKS, BITS, COLUMNS, FEWEST, Run, Triple, opened, times
from dpcourse.lessons.capstone_6.exercises.local import TWICE, Multiplied, Shared, Watched, alone, watched
from dpcourse.lessons.capstone_6.exercises.tools import Source

VALUES = 6_000  # 23 for each of 256 joint values of four shares
BLOCK = 6 * 20_000  # numbers of a bank's block, by the plan
TESTS = 80  # χ² tests a check at most: each is held to so much less


def shapes(rng: np.random.Generator) -> list[tuple[int, int, int]]:
    """Some (n, p, q): an (n, p) matrix, transposed, times an (n, q) one.

    From 1 to twice the customers of the plan; its own columns are there with 100 to 200 customers, and its customers
    with a column or two: a product of both at once takes too long.
    """
    small = [(6, 2, 3), (40, 5, 5), (1, 1, 1), (25, 3, 1), (2, 3, 2), (3, 1, 4)]
    between = [(whole(rng, 4, 20_000), int(rng.integers(1, 3)), int(rng.integers(1, 3))) for _ in range(3)]
    return [*small, *between, (whole(rng, 100, 200), COLUMNS, COLUMNS), (whole(rng, 20_000, 40_000), 3, 2)]


def shares_of(answer: Answer, values: np.ndarray, source: Source) -> np.ndarray:
    """What `share` returns, uint64 with a first axis of banks: shares that add up, in every call."""
    made = answer.part(0)(values.copy(), source)
    shares = np.asarray(made)
    if shares.dtype == object and all(isinstance(one, int) and 0 <= one < 2**64 for one in shares.flat):
        shares = shares.astype(np.uint64)
    fits = shares.shape == (BANKS, *values.shape)
    if not fits or shares.dtype != np.uint64:
        seen = f"`share` returns {a(made)} of {shares.dtype} and shape {shares.shape}; uint64 of shape "
        seen += f"{(BANKS, *values.shape)} is wanted."
        ask = "NumPy's uint64 is a number modulo 2^64: what overflows wraps, and that is what you need here."
        if not fits:
            ask = "The first axis is over the five banks: shares[k] is what bank k gets, and has the values' shape."
        raise Refused(Diagnosis("wrong-type" if fits else "wrong-shape", seen, ask))
    if not np.array_equal(opened(shares), values):
        raise Refused(
            Diagnosis(
                "wrong-sum",
                f"Given values of shape {values.shape}, your five shares do not add up to them modulo 2^64.",
                "Which share is not drawn but computed? `values.astype(np.uint64)` takes a negative number modulo "
                "2^64.",
            )
        )
    return shares


def adds_up(answer: Answer, chance: Chance) -> Diagnosis | None:
    """The shares' sum is the value, negative ones too; every share is drawn but one."""
    if not isinstance(answer.value, tuple | list) or len(answer.value) != 2:
        return Diagnosis("wrong-shape", f"(share, multiply) is wanted, and this is {a(answer.value)}.")
    rng = chance.rng
    source = Source(rng)
    block = (whole(rng, BLOCK // 6, BLOCK // 3), 6)
    for shape in ((30, 4), (1, 1), (0, 6), (2, 6), (whole(rng, 3, BLOCK // 6), whole(rng, 1, 6)), block):
        values = rng.integers(-(2**40), 2**40, shape) * (rng.random(shape) < 0.9)
        shares_of(answer, values, source)
    if not source.drawn:
        return Diagnosis(
            "own-generator",
            "Your `share` never calls `draw`. Masks from another generator are only as secret as its seed.",
            "draw(shape) gives uniform numbers. Every share but one is drawn.",
        )
    return None


def hides(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Any four shares are uniform together, in their lowest and in their highest bits; all bits are even.

    So in a matrix of a few thousand numbers, and in a list of as many as a block has.
    """
    columns, block = whole(chance.rng, 2, 8), whole(chance.rng, BLOCK, 2 * BLOCK)
    return _hides(answer, chance, (VALUES // columns, columns)) or _hides(answer, chance, (block,))


def _hides(answer: Answer, chance: Chance, shape: tuple[int, ...]) -> Diagnosis | None:
    source, many = Source(chance.rng), math.prod(shape)
    one = np.full(shape, int(chance.rng.integers(-(2**30), 2**30)))
    first, second = (shares_of(answer, one, source).reshape(BANKS, many) for _ in range(2))
    values = one.ravel()
    plain = [bank for bank in range(BANKS) if np.ptp(first[bank]) == 0 and first[bank][0] == second[bank][0]]
    if any((first[bank].view(np.int64) == values).all() for bank in plain):
        return Diagnosis(
            "plain", "One bank is sent the values themselves.", "It has to take away what the others' shares add."
        )
    if (np.ptp(first, axis=1) == 0).all():
        return Diagnosis(
            "one-mask",
            "One mask serves all entries: the difference of two entries of a share is the difference of two customers.",
            "Draw as many numbers as there are values.",
        )
    if np.array_equal(first, second):
        return Diagnosis("reused", "Two calls give the same shares.", "Call `draw` anew in every call.")
    for few in itertools.combinations(range(BANKS), BANKS - 1):
        for shift, where in ((0, "lowest"), (62, "highest")):
            bits = (first[list(few)] >> np.uint64(shift) & np.uint64(3)).astype(int)
            calls = np.array([bits[0], second[few[0]] >> np.uint64(shift) & np.uint64(3)], dtype=int)
            who = ", ".join("ABCDE"[bank] for bank in few)
            for joint, whose in (
                (bits, f"of the shares of banks {who} together"),
                (calls, f"of bank {who[0]}'s shares in two calls"),
            ):
                if not _uniform(joint, chance.failure / TESTS):
                    return Diagnosis(
                        "not-uniform",
                        f"The {where} two bits {whose} are not uniform over {many:,} sharings of one number. So the "
                        "shares may tell what was shared.",
                        "Every number modulo 2^64 must be equally likely for a share, whatever the others are. Which "
                        "of yours is not drawn?",
                    )
    if (bit := uneven_bit(first, 64, chance.failure / TESTS)) is not None:
        seen = f"Bit {bit} of 64, from the lowest, is nearly always the same in some bank's shares of one number."
        return Diagnosis("not-uniform", seen, "Which bits of your shares come from `draw`, and which from the values?")
    masks = 2 * (BANKS - 1) * many
    if source.drawn < masks:
        return Diagnosis(
            "own-generator",
            f"For {masks:,} masks your `share` draws {source.drawn:,} numbers. The others are computed from "
            "these, or come from another generator: they are only as secret as what they are made from.",
            "How many shares of a number are drawn, and not computed?",
        )
    return None


def _uniform(bits: np.ndarray, level: float) -> bool:
    """χ² of joint values of two bits each, shape (k, n), against all 4^k of them."""
    codes = (bits * 4 ** np.arange(len(bits))[:, None]).sum(axis=0)
    return bool(stats.chisquare(np.bincount(codes, minlength=4 ** len(bits))).pvalue >= level)


def multiplies(answer: Answer, chance: Chance) -> Diagnosis | None:
    """The product is right, for several shapes; the board shows masked matrices only; no triple serves twice."""
    rng, done = chance.rng, []
    for n, p, q in shapes(rng):
        run = watched(rng)
        x, y = rng.integers(-(2**20), 2**20, (n, p)), rng.integers(-(2**20), 2**20, (n, q))
        left, right = (shares_of(answer, one, Source(rng)) for one in (x, y))
        shared = Shared(left, right, run.deal(n, p, q))
        product = _product(answer, shared, run)
        done.append(Multiplied(shared, [*run.board], product))
        wrong = _board(run, shared.triple, x, y) or _value(product, x, y, shared) or _again(answer, rng, shared, run)
        if wrong:
            return wrong.led_by(f"With {n:,} customers: ") if n >= FEWEST else wrong
    return alone(answer, rng, done)


def _product(answer: Answer, shared: Shared, run: Watched) -> np.ndarray:
    x, y = shared.left, shared.right
    try:
        given = answer.part(1)(x.copy(), y.copy(), shared.triple, run.fresh, run.open)
    except AnswerRaised as raised:
        if not any(word in str(raised.error) for word in ("broadcast", "shape", "dimension", "mismatch")):
            raise
        seen = f"`multiply` stops with {raised}, for left of shape {x.shape} and right of shape {y.shape}."
        ask = "D and M have left's columns, E and N right's. Which of the four parts has (p, q) numbers?"
        raise Refused(Diagnosis("shapes", seen, ask)) from raised
    if given is None:
        if run.twice:
            raise Refused(TWICE)
        raise Refused(Diagnosis("refuses-all", "`multiply` refuses a triple that was never used."))
    product, wanted = np.asarray(given), (BANKS, x.shape[2], y.shape[2])
    if product.shape != wanted:
        raise Refused(
            Diagnosis(
                "wrong-shape",
                f"`multiply` returns shape {product.shape}; {wanted} is wanted: leftᵀ · right, for each bank.",
            )
        )
    if product.dtype != np.uint64:
        ask = "`open_` returns int64, and NumPy makes floats of int64 and uint64 together: `.astype(np.uint64)` first."
        raise Refused(Diagnosis("wrong-type", f"`multiply` returns {product.dtype}; shares are uint64.", ask))
    return product


def _board(run: Run, triple: Triple, x: np.ndarray, y: np.ndarray) -> Diagnosis | None:
    """Everything on the board is an input minus its mask (or the other way round)."""
    a_, b_ = opened(triple[1]), opened(triple[2])
    fine = [x - a_, a_ - x, y - b_, b_ - y]
    for seen in run.board:
        if any(seen.shape == one.shape and np.array_equal(seen, one) for one in fine):
            continue
        if any(seen.shape == one.shape and np.array_equal(seen, one) for one in (x, y, x.T, y.T)):
            return Diagnosis(
                "opens-input",
                "You open an input: every bank's customers are on the board.",
                "What can be opened that says nothing? An input minus a mask that nobody knows.",
            )
        if any(seen.shape == one.shape and np.array_equal(seen, one) for one in (a_, b_)):
            return Diagnosis(
                "opens-mask",
                "You open a matrix of the triple: with it, the masked input on the board is the input.",
                "Of the masks nobody may know more than a share.",
            )
        return Diagnosis(
            "opens-other",
            f"You open a matrix of shape {seen.shape} that is neither left − M nor right − N.",
            "These two are enough, and each is uniform. What else is on the board may not be.",
        )
    return None


def _value(product: np.ndarray, x: np.ndarray, y: np.ndarray, shared: Shared) -> Diagnosis | None:
    got, right = opened(product), x.T @ y
    if np.array_equal(got, right):
        return None
    d, e = x - opened(shared.triple[1]), y - opened(shared.triple[2])
    open_part = times(d.view(np.uint64), e.view(np.uint64)).view(np.int64)
    own = opened(np.array([times(one, two) for one, two in zip(shared.left, shared.right, strict=True)]))
    off = got - (right >> BITS)
    steps = (off + 2**40) % 2 ** (64 - BITS) - 2**40  # cut shares are off by a multiple of 2^48, and a few
    for fits, key, seen, ask in (
        (
            np.array_equal(got, right + (BANKS - 1) * open_part),
            "five-times",
            "Your product is too large by four times (left − M)ᵀ(right − N): every bank adds that part.",
            "It is public. How often does it belong into the sum?",
        ),
        (
            np.array_equal(got, right - open_part),
            "open-part-missing",
            "(left − M)ᵀ(right − N) is missing from your product.",
            "Multiply (D + M)ᵀ(E + N) out. How many parts are there?",
        ),
        (
            np.array_equal(got, own),
            "own-shares-only",
            "Each bank multiplies its own shares. The product of two sums is more than the sum of the products.",
            "What about one bank's share times another's? That is what the triple is for.",
        ),
        (
            np.abs(steps).max() <= 2 * BANKS,
            "cuts-shares",
            f"Each bank cuts {BITS} bits off its own share. The shares wrap around 2^64 together, and cut alone they "
            "are off by multiples of 2^48.",
            "Who may divide? Whoever has the opened sum. Leave the product with 32 bits behind the point.",
        ),
    ):
        if fits:
            return Diagnosis(key, seen, ask)
    return Diagnosis(
        "wrong-product",
        f"Your shares add up to {got.flat[0]} in the first place; leftᵀ · right is {right.flat[0]}.",
        "Multiply (D + M)ᵀ(E + N) out, and see of which of the four parts a bank has a share.",
    )


def _again(answer: Answer, rng: np.random.Generator, shared: Shared, run: Run) -> Diagnosis | None:
    """The same triple once more, by a replayed message of the office."""
    before = len(run.board)
    other = shares_of(answer, rng.integers(-(2**20), 2**20, shared.left.shape[1:]), Source(rng))
    given = answer.part(1)(other, shared.right.copy(), shared.triple, run.fresh, run.open)
    if given is None and len(run.board) == before:
        return None
    if given is None:
        return Diagnosis(
            "refuses-late",
            "You refuse a triple that was used before, but only after you opened something with it.",
            "Ask `fresh` first.",
        )
    return Diagnosis(
        "triple-twice",
        "The office deals a triple that was used before, and you use it again. What you opened now minus what you "
        "opened then is the difference of the two inputs, without a mask.",
        "`fresh(number)` says whether it is new. Who asks?",
    )


def drawn(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Shares follow from what `draw` gives: a number modulo 2^64 is never the same twice."""
    values = chance.rng.integers(-(2**30), 2**30, (8, 5))
    return follows(
        answer, lambda seed: shares_of(answer, values, Source(np.random.default_rng(seed))), chance.rng, "draw"
    )


PRODUCT = (adds_up, hides, drawn, multiplies)
