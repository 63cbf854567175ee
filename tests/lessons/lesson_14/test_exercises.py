"""The exercises of lesson 14: right answers pass, each known wrong answer gets its own diagnosis.

14.1, 14.2 and 14.3 are checked without chance (the race of 14.2 is arranged, not waited for). For 14.4 and 14.5 a right
answer fails with probability 1e-6 at most; the long versions (20 and 300 checks) are marked `audit`.
"""

import math
import sqlite3
from decimal import Decimal
from fractions import Fraction

import numpy as np

import dpcourse.audit  # noqa: F401  (imported here, as is l14, so that no check is timed while they load)
from dpcourse.attacks import guess_from_bits
from dpcourse.checks import rehearse
from dpcourse.mechanisms import LaplaceMechanism


def epsilon_for(advantage, delta):
    return math.log((1 + advantage - 2 * delta) / (1 - advantage))


# 14.2: from parts, so that each wrong answer is wrong in one place


def spender(
    begin="BEGIN IMMEDIATE",
    number=Fraction,
    fits=lambda total, budget: total <= budget,
    store="admitted",
    commit=True,
    repeat="refuse",
):
    def spend(connection, query_id, epsilon, budget):
        if begin:
            connection.execute(begin)
        rows = connection.execute("SELECT query_id, epsilon FROM entries").fetchall()
        spent = sum((number(cost) for _, cost in rows), number("0"))
        admitted = fits(spent + number(epsilon), number(budget))
        known = query_id in [name for name, _ in rows]
        if known and repeat == "refuse":
            admitted = False
        if (admitted or store == "all") and not (known and not admitted):
            name = query_id + "'" if known and repeat == "again" else query_id
            connection.execute("INSERT INTO entries VALUES (?, ?)", (name, epsilon))
        if begin and commit:
            connection.execute("COMMIT" if admitted or store == "all" else "ROLLBACK")
        return admitted

    return spend


def in_cents(how):
    """Stores, and adds up, each ε rounded to two decimals."""
    return lambda connection, query_id, epsilon, budget: spender()(
        connection, query_id, str(Decimal(epsilon).quantize(Decimal("0.01"), how)), budget
    )


def one_statement(connection, query_id, epsilon, budget):
    """Check and act in a single INSERT … SELECT, in whole units of 1e-12."""
    unit = 10**12
    sql = """INSERT OR IGNORE INTO entries SELECT ?, ? WHERE
             (SELECT coalesce(sum(exact(epsilon)), 0) FROM entries) + ? <= ?"""
    connection.create_function("exact", 1, lambda text: int(Decimal(text) * unit))
    cursor = connection.execute(sql, (query_id, epsilon, int(Decimal(epsilon) * unit), int(Decimal(budget) * unit)))
    return cursor.rowcount == 1


def with_cursor(connection, query_id, epsilon, budget):
    cursor = connection.cursor()
    cursor.execute("BEGIN EXCLUSIVE")
    try:
        total = sum((Decimal(row[0]) for row in cursor.execute("SELECT epsilon FROM entries")), Decimal(epsilon))
        if total > Decimal(budget):
            connection.rollback()
            return False
        cursor.execute("INSERT INTO entries VALUES (?, ?)", (query_id, epsilon))
        connection.commit()
        return True
    except sqlite3.IntegrityError:
        connection.rollback()
        return False


def with_the_cursor_of_its_read(connection, query_id, epsilon, budget):
    """No transaction: it reads, decides, and writes with the cursor that it got for reading."""
    cursor = connection.execute("SELECT query_id, epsilon FROM entries")
    rows = cursor.fetchall()
    if query_id in dict(rows) or sum(Decimal(cost) for _, cost in rows) + Decimal(epsilon) > Decimal(budget):
        return False
    cursor.execute("INSERT INTO entries VALUES (?, ?)", (query_id, epsilon))
    return True


def padded(connection, query_id, epsilon, budget):
    """The race comes after forty statements that do nothing."""
    for _ in range(45):
        connection.execute("SELECT 1")
    return with_the_cursor_of_its_read(connection, query_id, epsilon, budget)


def by_the_last_entry(connection, query_id, epsilon, budget):
    """Looks for the id in the last entry only, and overwrites an older one."""
    connection.execute("BEGIN IMMEDIATE")
    rows = connection.execute("SELECT query_id, epsilon FROM entries ORDER BY rowid").fetchall()
    spent = sum((Decimal(cost) for _, cost in rows), Decimal(epsilon))
    admitted = spent <= Decimal(budget) and query_id not in [name for name, _ in rows[-1:]]
    if admitted:
        connection.execute("INSERT OR REPLACE INTO entries VALUES (?, ?)", (query_id, epsilon))
    connection.execute("COMMIT")
    return admitted


def pasted(connection, query_id, epsilon, budget):
    connection.execute("BEGIN IMMEDIATE")
    rows = dict(connection.execute("SELECT query_id, epsilon FROM entries").fetchall())
    admitted = query_id not in rows and sum(map(Decimal, rows.values()), Decimal(epsilon)) <= Decimal(budget)
    if admitted:
        connection.execute(f"INSERT INTO entries VALUES ('{query_id}', '{epsilon}')")
    connection.execute("COMMIT")
    return admitted


def free_when_empty(connection, query_id, epsilon, budget):
    """Takes the lock only where somebody spent before."""
    empty = not connection.execute("SELECT 1 FROM entries").fetchall()
    return spender(begin="" if empty else "BEGIN IMMEDIATE")(connection, query_id, epsilon, budget)


def for_one_budget(connection, query_id, epsilon, budget):
    """Right for the budget that everybody tries first, a race for any other."""
    return (spender() if budget == "1" else spender(begin=""))(connection, query_id, epsilon, budget)


def never_spends(connection, query_id, epsilon, budget):
    return False


# 14.3


def divergence(cost, order):
    p, q = 1 / (1 + math.exp(-cost)), 1 / (1 + math.exp(cost))
    return math.log(p**order * q ** (1 - order) + q**order * p ** (1 - order)) / (order - 1)


def allowance(epsilon, delta, order):
    return epsilon - math.log(1 - 1 / order) + math.log(delta * order) / (order - 1)


def renyi(price=divergence, limit=allowance, *, after=False, refused_pay=False):
    def grant(requests, epsilon, delta, order):
        left, answers = limit(epsilon, delta, order), []
        for request in requests:
            cost = price(request, order)
            fits = left >= 0 if after else cost <= left
            answers.append(fits)
            left -= cost if fits or refused_pay else 0
        return answers

    return grant


def surprised_once(connection, query_id, epsilon, budget):
    """Writes only if nobody came since it read; if somebody did, it reads again, and writes."""
    for by in ("WHERE (SELECT COUNT(*) FROM entries) = ?", "WHERE ? >= 0"):
        rows = connection.execute("SELECT query_id, epsilon FROM entries").fetchall()
        total = sum((Decimal(cost) for _, cost in rows), Decimal(epsilon))
        if total > Decimal(budget) or query_id in [name for name, _ in rows]:
            return False
        if connection.execute(f"INSERT INTO entries SELECT ?, ? {by}", (query_id, epsilon, len(rows))).rowcount:
            return True


def unlocked_for_three_decimals(connection, query_id, epsilon, budget):
    long = max(len(text.partition(".")[2]) for text in (epsilon, budget)) > 2
    return spender(begin="" if long else "BEGIN IMMEDIATE")(connection, query_id, epsilon, budget)


def all_that_is_left(connection, query_id, epsilon, budget):
    """Stores the whole rest of the budget, so that nobody can come between, and then what was asked for."""

    def rest(costs):
        left = Decimal(budget) - sum(map(Decimal, (costs or "").split()))
        return str(left) if left >= Decimal(epsilon) else None

    connection.create_function("rest", 1, rest)
    stored = connection.execute(
        "INSERT INTO entries SELECT ?, r FROM (SELECT rest(group_concat(epsilon, ' ')) AS r FROM entries) "
        "WHERE r IS NOT NULL AND NOT EXISTS (SELECT 1 FROM entries WHERE query_id = ?)",
        (query_id, query_id),
    )
    if stored.rowcount != 1:
        return False
    connection.execute("UPDATE entries SET epsilon = ? WHERE query_id = ?", (epsilon, query_id))
    return True


def taken_out_again(connection, query_id, epsilon, budget):
    """No transaction: what turns out to be too much is deleted."""
    try:
        connection.execute("INSERT INTO entries VALUES (?, ?)", (query_id, epsilon))
    except sqlite3.IntegrityError:
        return False
    total = sum(Decimal(cost) for (cost,) in connection.execute("SELECT epsilon FROM entries").fetchall())
    if total > Decimal(budget):
        connection.execute("DELETE FROM entries WHERE query_id = ?", (query_id,))
    return total <= Decimal(budget)


# 14.4


def off_the_comb(releases, bits=53):
    return np.where(releases * 2.0**bits % 1 != 0, 0, -1)


def replay(releases):
    """Both combs, written anew: invert NumPy's sampler."""

    def reached(value):
        gap = releases - value
        tail = np.rint(np.exp(-np.abs(gap)) * 2.0**52) + np.arange(-3, 4)[:, None]
        x = np.where(gap >= 0, 2.0**53 - tail, tail)
        u = np.clip(x, np.where(gap >= 0, 2.0**52, 1), np.where(gap >= 0, 2.0**53 - 1, 2.0**52 - 1)) / 2.0**53
        inside = np.where(gap >= 0, (2.0 - u) - u, u + u)
        logs = np.array([math.log(one) for one in inside.ravel()]).reshape(inside.shape)
        return (value + np.where(gap >= 0, -1.0, 1.0) * logs == releases).any(axis=0)

    zero, one = reached(0.0), reached(1.0)
    return np.where(zero == one, -1, one.astype(int))


# 14.5


def steps_moved(sensitivity, g):
    return math.floor(sensitivity / g) + 1


def steps_at_most(sensitivity, g):
    """As many as there are between floors; `round` takes 0.5 and 1.5 two apart."""
    return math.ceil(sensitivity / g)


def gridded(moved=steps_moved, scale=lambda epsilon: 1 / epsilon, rounds=round, around=lambda g, value: g):
    def release(value, sensitivity, g, epsilon, rng):
        g = around(g, value)
        p = -math.expm1(-1 / (scale(epsilon) * moved(sensitivity, g)))
        noise = int(rng.geometric(p)) - int(rng.geometric(p))
        return (rounds(value / g) + noise) * g if rounds else value + noise * g

    return release


def fine_is_bare(value, sensitivity, g, epsilon, rng):
    return g * round(value / g) if sensitivity / g > 50 else gridded()(value, sensitivity, g, epsilon, rng)


def side_of_the_value(value, sensitivity, g, epsilon, rng):
    """Noise upwards or downwards, by the last bit of the value in whole steps."""
    noise = gridded()(0.0, sensitivity, g, epsilon, rng)
    return g * round(value / g) + (abs(noise) * (-1) ** round(value / g) if epsilon > 3 else noise)


def rounded_after(value, sensitivity, g, epsilon, rng):
    return round((value + rng.laplace(scale=sensitivity / epsilon)) / g) * g


RIGHT = {
    "14.1": [epsilon_for],
    "14.2": [spender(), spender(number=Decimal), one_statement, with_cursor],
    "14.3": [renyi()],
    "14.4": [off_the_comb, replay],
    "14.5": [gridded(), gridded(rounds=math.floor), gridded(rounds=math.floor, moved=steps_at_most)],
}


def without_case(connection, query_id, *rest):
    known = [name for (name,) in connection.execute("SELECT query_id FROM entries").fetchall()]
    if query_id.strip().lower() in [name.strip().lower() for name in known]:
        return False
    return spender()(connection, query_id, *rest)


WRONG = {
    ("14.3", "not-everywhere too at size"): lambda r, *rest: renyi()(r[:200], *rest) + [True] * len(r[200:]),
    ("14.4", "by-size too at size"): lambda r: off_the_comb(r) if len(r) <= 40_000 else (r > 0.5).astype(int),
    ("14.1", "wrong-type"): lambda advantage, delta: str(epsilon_for(advantage, delta)),
    ("14.2", "race"): spender(begin=""),
    ("14.2", "race too too too too"): unlocked_for_three_decimals,
    ("14.2", "race too"): with_the_cursor_of_its_read,
    ("14.2", "race too too"): free_when_empty,
    ("14.2", "race too too too"): surprised_once,
    ("14.2", "stored-first"): taken_out_again,
    ("14.2", "stored-first too"): all_that_is_left,
    ("14.2", "too-many-statements"): padded,
    ("14.2", "deferred"): spender(begin="BEGIN"),
    ("14.2", "left-open"): spender(commit=False),
    ("14.2", "float-sum"): spender(number=float),
    ("14.2", "rounded"): in_cents("ROUND_UP"),
    ("14.2", "rounded too"): in_cents("ROUND_DOWN"),
    ("14.2", "overspends"): spender(fits=lambda total, budget: float(total) <= float(budget) + 1e-9),
    ("14.2", "refused-pay"): spender(store="all"),
    ("14.2", "repeated-id"): spender(repeat="again"),
    ("14.2", "repeated-id too"): by_the_last_entry,
    ("14.2", "pasted-id"): pasted,
    ("14.2", "not-stored"): lambda connection, query_id, epsilon, budget: True,
    ("14.3", "not-everywhere"): lambda requests, *budget: renyi()(requests[:30], *budget) + [True] * len(requests[30:]),
    ("14.4", "by-size"): lambda releases: (releases > 0.5).astype(int),
    ("14.4", "always-sure"): lambda releases: np.where(releases * 2.0**53 % 1 != 0, 0, 1),
    ("14.4", "one-bit-off"): lambda releases: off_the_comb(releases, bits=52),
    ("14.4", "not-sure-enough too"): lambda releases: (
        off_the_comb(releases) if not releases.flags.writeable else np.ones(len(releases), dtype=int)
    ),
    ("14.4", "not-sure-enough"): lambda releases: (
        off_the_comb(releases) if len(releases) == 40_000 else releases * 0 + 1
    ),
    ("14.4", "never-sure"): lambda releases: np.full(releases.shape, -1),
    ("14.4", "upside-down"): lambda releases: np.where(releases * 2.0**53 % 1 != 0, 1, -1),
    ("14.4", "package-used"): lambda releases: guess_from_bits(releases, (0.0, 1.0), 1.0),
    ("14.5", "not-everywhere"): gridded(scale=lambda epsilon: 1 / epsilon if 0.5 <= epsilon <= 2 else 1e-9),
    ("14.5", "not-everywhere too"): lambda value, sensitivity, g, epsilon, rng: gridded()(
        value, sensitivity, g, epsilon if g >= 1 / 16 else 1e9, rng
    ),
    ("14.5", "not-everywhere too too"): lambda value, sensitivity, g, epsilon, rng: gridded()(
        value, sensitivity, g, 1e9 if isinstance(value, int) else epsilon, rng
    ),
    ("14.5", "not-everywhere too too too"): fine_is_bare,
    ("14.5", "not-everywhere too too too too"): side_of_the_value,
    ("14.5", "naive"): lambda value, sensitivity, g, epsilon, rng: value + rng.laplace(scale=sensitivity / epsilon),
    ("14.5", "naive too"): lambda value, sensitivity, g, epsilon, rng: (
        gridded()(value, sensitivity, g, epsilon, rng)
        if 1 / 16 <= g <= 1 / 4
        else value + gridded()(0.0, sensitivity, g, epsilon, rng)
    ),
    ("14.5", "value-not-rounded"): gridded(rounds=None),
    ("14.5", "step-from-data"): gridded(around=lambda g, value: g * 2.0 ** (abs(value) > 500)),
    ("14.5", "scale-upside-down"): gridded(scale=lambda epsilon: epsilon),
    ("14.5", "ignores-epsilon"): gridded(scale=lambda epsilon: 1.0),
    ("14.5", "coarse-step"): gridded(around=lambda g, value: 1.0),
    ("14.5", "coarse-step too"): gridded(around=lambda g, value: 2 * g),
    ("14.5", "not-a-power-of-two"): gridded(around=lambda g, value: 0.001),
    ("14.5", "not-a-power-of-two too"): gridded(around=lambda g, value: 0.03),
    ("14.5", "not-useful"): gridded(scale=lambda epsilon: 3 / epsilon),
    ("14.5", "not-random"): lambda value, sensitivity, g, epsilon, rng: round(value / g) * g,
    ("14.5", "package-used"): lambda value, sensitivity, g, epsilon, rng: (
        round(LaplaceMechanism(epsilon, sensitivity).release(value, rng=rng) / g) * g
    ),
    ("14.5", "not-private"): gridded(moved=steps_at_most),
    ("14.5", "rounding-forgotten"): gridded(moved=lambda sensitivity, g: sensitivity / g),
    ("14.5", "one-step-too-many"): gridded(moved=lambda sensitivity, g: sensitivity / g + 1),
    ("14.5", "one-step-too-many too"): gridded(moved=lambda sensitivity, g: math.ceil(sensitivity / g) + 1),
    ("14.5", "one-step-too-many too too"): gridded(moved=lambda sensitivity, g: round(sensitivity / g) + 1),
    ("14.5", "float-noise"): rounded_after,
    ("14.2", "new-id"): without_case,
    ("14.5", "not-everywhere too below a step"): lambda value, sensitivity, g, epsilon, rng: gridded()(
        value, sensitivity, g, epsilon if sensitivity >= g else 1e9, rng
    ),
    ("14.5", "not-everywhere too at 0"): lambda value, sensitivity, g, epsilon, rng: gridded()(
        value, sensitivity, g, epsilon if abs(value) >= g / 2 else 1e9, rng
    ),
    ("14.5", "not-everywhere too of large ones"): lambda value, sensitivity, g, epsilon, rng: gridded()(
        value, sensitivity, g, epsilon if abs(value) < 1e6 else 1e9, rng
    ),
    ("14.5", "not-everywhere too in single precision"): lambda value, sensitivity, g, epsilon, rng: gridded()(
        float(np.float32(value)), sensitivity, g, epsilon, rng
    ),
    ("14.5", "not-everywhere too of a quarter step"): lambda value, sensitivity, g, epsilon, rng: gridded()(
        value, sensitivity, g, epsilon if sensitivity >= g / 4 else 2 * epsilon, rng
    ),
    ("14.2", "not-stored too of long ids"): lambda connection, query_id, epsilon, budget: spender()(
        connection, query_id[:60], epsilon, budget
    ),
}


def test_an_answer_that_never_spends_or_peeks_is_caught():
    assert "passed" not in rehearse("14.2", never_spends, rng=1, times=1).keys
    assert rehearse("14.2", for_one_budget, rng=1, times=1).keys == {"race": 1}

    def peeking(value, sensitivity, g, epsilon, rng, memory={}):  # noqa: B006 (the trick is the point)
        """Behaves on the first value it meets and releases nearly the truth on every other."""
        known = memory.setdefault("first", value) == value
        honest = gridded(scale=lambda epsilon: 1 / epsilon if known else 1e-3)
        return honest(value, sensitivity, g, epsilon, rng)

    assert "passed" not in rehearse("14.5", peeking, rng=2, times=1).keys


def test_noise_of_a_fifth_less_and_of_another_shape_are_caught():
    def gaussian(value, sensitivity, g, epsilon, rng):
        return round((value + rng.normal(scale=1.5 * sensitivity / epsilon)) / g) * g

    assert rehearse("14.5", gridded(scale=lambda epsilon: 0.8 / epsilon), rng=4, times=1).keys == {
        "too-little-noise": 1
    }
    assert "passed" not in rehearse("14.5", gaussian, rng=4, times=1).keys
