"""Capstone 4's milestones: right answers pass, each known wrong answer gets its own diagnosis.

Right answers are written twice, in different ways. `tests/lessons/test_answers.py` tries them all.
"""

import functools
import itertools
import math
import random
from fractions import Fraction

import numpy as np
import pytest
from scipy import optimize, sparse, stats

from dpcourse.checks import check
from dpcourse.datasets.centres import NAMES
from dpcourse.federated.secure import DistributedDiscreteLaplace
from dpcourse.privacy import Guarantee, Neighbours
from tests.lessons.claims import wrong_claims
from tests.lessons.generators import made_of_arguments

BITS, COUNT_BITS, OFFSET, PARTIES, SHARES = 3, 24, 2**20, 4, 2

# 4.1 Paillier


def key(p, q):
    return p * q, math.lcm(p - 1, q - 1)


def encrypt(plain, n, draw):
    if not 0 <= plain < n:
        raise ValueError("not a plain number")
    r = draw(n)
    while math.gcd(r, n) != 1:
        r = draw(n)
    return (1 + plain * n) * pow(r, n, n * n) % (n * n)


def open_when_long(plain, n, draw):
    cipher = encrypt(plain, n, draw)
    return cipher if n.bit_length() <= 600 else 1 + plain * n


def add(one, other, n):
    return one * other % (n * n)


def decrypt(cipher, n, secret):
    if not 0 < cipher < n * n or math.gcd(cipher, n) != 1:
        raise ValueError("not a ciphertext")
    return (pow(cipher, secret, n * n) - 1) // n * pow(secret, -1, n) % n


def one_of_a_million(plain, n, draw):
    return encrypt(plain, n, random.Random(draw(10**6)).randrange)


def key_with_factors(p, q):
    return p * q, (p, q)


def open_where_it_is_large(plain, n, draw):
    right = encrypt(plain, n, draw)
    return right if plain < 2**64 else 1 + plain * n


def encrypt_by_powers(plain, n, draw):
    """(1 + n)^plain as a power, and r from 1 … n − 1."""
    if plain < 0 or plain >= n:
        raise ValueError(plain)
    square = n * n
    r = 0
    while math.gcd(r, n) > 1:
        r = 1 + draw(n - 1)
    return pow(1 + n, plain, square) * pow(r, n, square) % square


def decrypt_by_remainders(cipher, n, secret):
    """Modulo p² and q² apart, put together again (Paillier 1999, section 7)."""
    if cipher <= 0 or cipher >= n**2:
        raise ValueError(cipher)
    rest = []
    for prime in secret:
        if cipher % prime == 0:
            raise ValueError(cipher)
        square = prime * prime
        scale = pow((pow(1 + n, prime - 1, square) - 1) // prime, -1, prime)
        rest.append((pow(cipher, prime - 1, square) - 1) // prime * scale % prime)
    p, q = secret
    return rest[0] + p * ((rest[1] - rest[0]) * pow(p, -1, q) % q)


def fixed_r(plain, n, draw):
    draw(n)
    return encrypt(plain, n, lambda limit: 2)


def no_r(plain, n, draw):
    if not 0 <= plain < n:
        raise ValueError(plain)
    return (1 + plain * n) % (n * n)


def r_of_plain(plain, n, draw):
    r = draw(n) * 0 + 1 + plain % (n - 1)
    while math.gcd(r, n) != 1:
        r = r % (n - 1) + 1
    return encrypt(plain, n, lambda limit: r)


def counting_r():
    number = itertools.count(2)

    def answer(plain, n, draw):
        draw(n)
        r = next(number) % (n - 2) + 2
        while math.gcd(r, n) != 1:
            r = next(number) % (n - 2) + 2
        return encrypt(plain, n, lambda limit: r)

    return answer


def short_r(plain, n, draw):
    """32 bits, however large n is."""
    return encrypt(plain, n, lambda limit: draw(min(limit, 2**32)))


def r_of_twelve_bits(plain, n, draw):
    """With a large n six bits at either end are drawn, and zeros lie between them."""

    def few(limit):
        r, size = draw(limit), limit.bit_length()
        return r if size < 40 else r >> size - 6 << size - 6 | r & 63

    return encrypt(plain, n, few)


def any_r(plain, n, draw):
    if not 0 <= plain < n:
        raise ValueError(plain)
    return (1 + plain * n) * pow(1 + draw(n - 1), n, n * n) % (n * n)


def squared_r(plain, n, draw):
    return encrypt(plain, n, lambda limit: draw(limit) ** 2 % n)


def r_modulo_n(plain, n, draw):
    if not 0 <= plain < n:
        raise ValueError(plain)
    r = draw(n)
    while math.gcd(r, n) != 1:
        r = draw(n)
    return (1 + plain * n) * pow(r, n, n) % (n * n)


def any_plain(plain, n, draw):
    return encrypt(plain % n, n, draw)


def any_cipher(cipher, n, secret):
    return (pow(cipher, secret, n * n) - 1) // n * pow(secret, -1, n) % n


def signed(cipher, n, secret):
    plain = decrypt(cipher, n, secret)
    return plain - n if plain > n // 2 else plain


def by_phi(cipher, n, secret):
    """Divided by nothing."""
    decrypt(cipher, n, secret)
    return (pow(cipher, secret, n * n) - 1) // n % n


def own_source(plain, n, draw):
    return encrypt(plain, n, lambda limit: int(np.random.default_rng().integers(min(limit, 2**62))))


PUBLIC = random.Random(0)


def r_for_show(plain, n, draw):
    """An r is drawn, and thrown away."""
    draw(n)
    return encrypt(plain, n, PUBLIC.randrange)


def by_floats(cipher, n, secret):
    decrypt(cipher, n, secret)
    return int((pow(cipher, secret, n * n) - 1) / n) * pow(secret, -1, n) % n


# 4.2 packing


def pack(values, bits, parties, n):
    most, many = (2**bits - 1) // parties, (n.bit_length() - 1) // bits
    if any(value != int(value) or not 0 <= value <= most for value in values):
        raise ValueError("does not fit")
    values = [int(value) for value in values]
    return [
        sum(value << bits * place for place, value in enumerate(values[start : start + many]))
        for start in range(0, len(values), many)
    ]


def unpack(plain, bits, count, n):
    many = (n.bit_length() - 1) // bits
    return [plain[k // many] >> bits * (k % many) & (2**bits - 1) for k in range(count)]


def pack_by_digits(values, bits, parties, n):
    """Slots filled from the high end, a number built by Horner's rule."""
    many, packed = (n.bit_length() - 1) // bits, []
    for place, value in enumerate(values):
        if isinstance(value, float | np.floating) and not float(value).is_integer():
            raise ValueError(value)
        if int(value) < 0 or int(value) * parties >= 2**bits:
            raise ValueError(value)
        if place % many == 0:
            packed.append(0)
        packed[-1] = packed[-1] * 2**bits + int(value)
    return packed


def unpack_by_digits(plain, bits, count, n):
    many, values = (n.bit_length() - 1) // bits, []
    for number in plain:
        group = []
        for _ in range(min(many, count - len(values))):
            number, digit = divmod(number, 2**bits)
            group.append(digit)
        values += group[::-1]
    return np.array(values)


def packing(guard=lambda value, bits, parties: 0 <= value <= (2**bits - 1) // parties, slots=None, cast=int):
    def answer(values, bits, parties, n):
        many = slots(n, bits) if slots else (n.bit_length() - 1) // bits
        values = [cast(value) for value in values]
        if not all(guard(value, bits, parties) for value in values):
            raise ValueError("does not fit")
        return [
            sum(value << bits * place for place, value in enumerate(values[start : start + many]))
            for start in range(0, len(values), many)
        ]

    return answer


def full_slots(n, bits):
    return -(-n.bit_length() // bits)


def unpack_full(plain, bits, count, n):
    many = full_slots(n, bits)
    return [plain[k // many] >> bits * (k % many) & (2**bits - 1) for k in range(count)]


def one_each(values, bits, parties, n):
    pack(values, bits, parties, n)
    return [int(value) for value in values]


def numpy_shift(values, bits, parties, n):
    pack(values, bits, parties, n)
    many, values = (n.bit_length() - 1) // bits, np.asarray(values)
    groups = [values[start : start + many] for start in range(0, len(values), many)]
    return [int((group << bits * np.arange(len(group))).sum()) for group in groups]


def rounds_off(values, bits, parties, n):
    return pack([int(value) for value in values], bits, parties, n)


# 4.3 three of four


def guards_five(values, bits, parties, n):
    """The plain numbers behind the fifth are not looked at."""
    many = 5 * ((n.bit_length() - 1) // bits)
    values = [*values]
    return pack(values[:many], bits, parties, n) + pack(values[many:], bits, 0.001, n)


def partial(cipher, share, n):
    number, secret = share
    return number, pow(cipher, 2 * 24 * secret, n * n)


def combine(parts, n):
    first = {}
    for number, value in parts:
        first.setdefault(number, value)
    opened = {opened_by({i: first[i] for i in three}, n) for three in itertools.combinations(first, 3)}
    return opened.pop() if len(opened) == 1 else None


def opened_by(three, n, check=True, divide=True):
    product = 1
    for i, value in three.items():
        if math.gcd(value, n) != 1:
            return None
        coefficient = Fraction(24)
        for j in three:
            if j != i:
                coefficient *= Fraction(j, j - i)
        product = product * pow(value, 2 * int(coefficient), n * n) % (n * n)
    if check and product % n != 1:
        return None
    plain = (product - 1) // n
    return plain * pow(4 * 24 * 24, -1, n) % n if divide else plain % n


def partial_in_steps(cipher, share, n):
    return [share[0], pow(pow(cipher, 48, n**2), share[1], n**2)]


def combine_by_agreement(parts, n):
    """The first three open, and a fourth has to fit: Lagrange's coefficients at its place."""
    known = {}
    for number, value in parts:
        if number not in known:
            known[number] = value
    numbers, square = sorted(known), n * n
    if len(numbers) < 3 or any(value % n == 0 or math.gcd(value, n) > 1 for value in known.values()):
        return None

    def at(x, three):
        product = 1
        for i in three:
            above = math.prod(x - j for j in three if j != i) * 24
            product = product * pow(known[i], above // math.prod(i - j for j in three if j != i), square) % square
        return product

    x = pow(at(0, numbers[:3]), 2, square)
    if (x - 1) % n or any(at(late, numbers[:3]) != pow(known[late], 24, square) for late in numbers[3:]):
        return None
    return (x - 1) // n * pow(2304, -1, n) % n


def combining(**changes):
    def answer(parts, n):
        first = dict(reversed(parts))
        if len(first) < 3:
            return None
        return opened_by({i: first[i] for i in sorted(first)[:3]}, n, **changes)

    return answer


def majority(parts, n):
    """What most threes open, or any of them."""
    first = dict(reversed(parts))
    found = [opened_by({i: first[i] for i in three}, n) for three in itertools.combinations(first, 3)]
    found = [one for one in found if one is not None]
    return max(found, key=found.count) if found else None


def counts_messages(parts, n):
    if len(parts) < 3:
        return None
    first = dict(reversed(parts))
    if len(first) < 3:
        return 0
    return combine(parts, n)


def last_counts(parts, n):
    return combine(parts[::-1], n)


def stops_at_zero(parts, n):
    first = dict(reversed(parts))
    found = set()
    for three in itertools.combinations(sorted(first), 3):
        product = 1
        for i in three:
            above = 24 * math.prod(-j for j in three if j != i)
            product *= pow(first[i], 2 * (above // math.prod(i - j for j in three if j != i)), n * n)
        product %= n * n
        found.add((product - 1) // n * pow(2304, -1, n) % n if product % n == 1 else None)
    return found.pop() if len(found) == 1 else None


def not_divided(parts, n):
    first = dict(reversed(parts))
    opened = {opened_by({i: first[i] for i in three}, n, divide=False) for three in itertools.combinations(first, 3)}
    return opened.pop() if len(opened) == 1 else None


# 4.4 choice


def choose_tests(caught, cost, weights, budget):
    left, spent, chosen = np.maximum(weights, 0.0), 0.0, []
    while True:
        gain = caught @ left
        rate = np.where(cost <= budget - spent, gain / cost, 0)
        best = int(np.argmax(rate))
        if rate[best] <= 0:
            return np.array(chosen, dtype=int)
        chosen.append(best)
        spent += cost[best]
        left[caught[best]] = 0


def choose_by_programme(caught, cost, weights, budget):
    """The linear programme, its fractions in falling order, and what still fits; or the greedy choice, if that is
    better: in one catalogue of 2,500 the fractions led to .57 of the bound."""
    weights = np.maximum(weights, 0.0)
    tests, defects = caught.shape
    covers = sparse.hstack([-sparse.csr_matrix(caught.T.astype(float)), sparse.eye(defects)])
    time = sparse.csr_matrix(np.concatenate([cost / cost.mean(), np.zeros(defects)])[None])
    found = optimize.linprog(
        -np.concatenate([np.zeros(tests), weights]),
        sparse.vstack([covers, time]).tocsr(),
        np.concatenate([np.zeros(defects), [budget / cost.mean()]]),
        bounds=(0, 1),
    )
    fractions = found.x[:tests]
    chosen, left, spent = [], weights.copy(), 0.0
    for best in np.argsort(-fractions):
        if fractions[best] > 0.6 and spent + cost[best] <= budget and left[caught[best]].sum() > 0:
            chosen.append(int(best))
            spent += cost[best]
            left[caught[best]] = 0
    rest = choose_tests(caught, cost, left, budget - spent)
    rounded = chosen + [int(test) for test in rest if test not in chosen]
    return max(
        (rounded, choose_tests(caught, cost, weights, budget)), key=lambda t: weights[caught[t].any(axis=0)].sum()
    )


def filled(order, cost, budget, stop=False):
    chosen, spent = [], 0.0
    for test in order:
        if spent + cost[test] <= budget:
            chosen.append(test)
            spent += cost[test]
        elif stop:
            break
    return np.array(chosen, dtype=int)


def cheapest_of_many(caught, cost, weights, budget):
    many = len(cost) > 1000
    return filled(np.argsort(cost), cost, budget) if many else choose_tests(caught, cost, weights, budget)


def ranked(caught, cost, weights, budget):
    return filled(np.argsort(-(caught @ np.maximum(weights, 0)) / cost, kind="stable"), cost, budget)


def ranked_by_catch(caught, cost, weights, budget):
    return filled(np.argsort(-(caught @ np.maximum(weights, 0)), kind="stable"), cost, budget)


def whatever_time(caught, cost, weights, budget):
    left, spent, chosen = np.maximum(weights, 0.0), 0.0, []
    while True:
        gain = np.where(cost <= budget - spent, caught @ left, 0)
        best = int(np.argmax(gain))
        if gain[best] <= 0:
            return np.array(chosen, dtype=int)
        chosen.append(best)
        spent += cost[best]
        left[caught[best]] = 0


def unweighted(caught, cost, weights, budget):
    return choose_tests(caught, cost, np.ones(len(weights)), budget)


def cheapest(caught, cost, weights, budget):
    return filled(np.argsort(cost, kind="stable"), cost, budget)


def overspends(caught, cost, weights, budget):
    return choose_tests(caught, cost, weights, budget + 0.3 * budget)


def twice(caught, cost, weights, budget):
    chosen = choose_tests(caught, cost, weights, budget / 2)
    return np.concatenate([chosen, chosen])


def as_flags(caught, cost, weights, budget):
    return np.isin(np.arange(len(cost)), choose_tests(caught, cost, weights, budget))


def nothing_of_few(caught, cost, weights, budget):
    return choose_tests(caught, cost, weights, budget if len(cost) < 12 or len(cost) >= 200 else 0.0)


def stops_early(caught, cost, weights, budget):
    left, spent, chosen = np.maximum(weights, 0.0), 0.0, []
    while left.any():
        rate = caught @ left / cost
        rate[chosen] = 0
        best = int(np.argmax(rate))
        if rate[best] <= 0 or spent + cost[best] > budget:
            break
        chosen.append(best)
        spent += cost[best]
        left[caught[best]] = 0
    return np.array(chosen, dtype=int)


# 4.5 what leaves


def learned(total, own, parties):
    rest = total - sum(own) if own else total
    known = np.full(total.shape, -1)
    known[rest == 0] = 0
    known[rest == parties - len(own)] = 1
    return known


def learned_cell_by_cell(total, own, parties):
    answer = [[-1] * total.shape[1] for _ in range(total.shape[0])]
    for i, j in itertools.product(*map(range, total.shape)):
        left = int(total[i, j]) - sum(int(one[i, j]) for one in own)
        if left in (0, parties - len(own)):
            answer[i][j] = int(left > 0)
    return answer


def chip_report(failures, defects, epsilon, shares, rng):
    fine = failures[np.isin(failures, np.arange(defects))].astype(int)
    up, down = rng.negative_binomial(1 / shares, -math.expm1(-epsilon), (2, defects))
    return np.bincount(fine, minlength=defects) + up - down


def exact_where_many_fail(failures, defects, epsilon, shares, rng):
    """More than twelve chips a defect, as in the project."""
    return chip_report(failures, defects, 60.0 if len(failures) > 12 * defects else epsilon, shares, rng)


def report_in_a_loop(failures, defects, epsilon, shares, rng):
    counts = [0] * defects
    for one in failures.tolist():
        if 0 <= one < defects and one == int(one):
            counts[int(one)] += 1
    up, down = rng.poisson(rng.gamma(1 / shares, 1 / math.expm1(epsilon), (2, defects)))
    return [float(count + a - b) for count, a, b in zip(counts, up, down, strict=True)]


def zeros_only(total, own, parties):
    return np.where(learned(total, own, parties) == 1, -1, learned(total, own, parties))


def as_if_alone(total, own, parties):
    return learned(total, [], parties)


def forgets_to_count(total, own, parties):
    return learned(total - sum(own), [], parties) if own else learned(total, own, parties)


def guesses(total, own, parties):
    rest = total - sum(own) if own else total
    return (2 * rest > parties - len(own)).astype(int)


def reporting(noise=None, count=None, after=lambda counts: counts):
    def answer(failures, defects, epsilon, shares, rng):
        fine = failures[np.isin(failures, np.arange(defects))].astype(int)
        counts = count(failures, defects) if count else np.bincount(fine, minlength=defects)
        if noise:
            return after(counts + noise(counts, epsilon, shares, defects, rng))
        return after(counts + chip_report(np.array([]), defects, epsilon, shares, rng))

    return answer


def whole_noise(counts, epsilon, shares, size, rng):
    return rng.geometric(-math.expm1(-epsilon), size) - rng.geometric(-math.expm1(-epsilon), size)


def divided(counts, epsilon, shares, size, rng):
    return np.round(whole_noise(counts, epsilon, 1, size, rng) / shares)


def normal_share(counts, epsilon, shares, size, rng):
    variance = 2 * math.exp(-epsilon) / math.expm1(-epsilon) ** 2 / shares
    return rng.poisson(variance / 2, size) - rng.poisson(variance / 2, size)


def real_share(counts, epsilon, shares, size, rng):
    return rng.gamma(1 / shares, 1 / epsilon, size) - rng.gamma(1 / shares, 1 / epsilon, size)


def half_scale(counts, epsilon, shares, size, rng):
    return chip_report(np.array([]), size, 2 * epsilon, shares, rng)


def where_counted(counts, epsilon, shares, size, rng):
    return np.where(counts > 0, chip_report(np.array([]), size, epsilon, shares, rng), 0)


def one_for_all(counts, epsilon, shares, size, rng):
    return np.full(size, chip_report(np.array([]), 1, epsilon, shares, rng)[0])


def repeated_noise(counts, epsilon, shares, size, rng):
    return np.repeat(chip_report(np.array([]), (size + 1) // 2, epsilon, shares, rng), 2)[:size]


def exact_for_many(counts, epsilon, shares, size, rng):
    """No noise for long lists."""
    return chip_report(np.array([]), size, epsilon, shares, rng) * (size < 1000)


def exact_for_few(counts, epsilon, shares, size, rng):
    return chip_report(np.array([]), size, epsilon, shares, rng) * (size > 1000)


def table_of_epsilons(counts, epsilon, shares, size, rng):
    nearest = min((0.1, 0.5, 1.0, 60.0), key=lambda one: abs(one - epsilon))
    return chip_report(np.array([]), size, nearest, shares, rng)


def exact_when_loud(counts, epsilon, shares, size, rng):
    return chip_report(np.array([]), size, epsilon, shares, rng) * (epsilon < 2)


def no_strange_labels(failures, defects):
    return np.bincount(failures.astype(int), minlength=defects)


def wraps_around(failures, defects):
    counts = np.zeros(defects)
    fine = failures[np.isfinite(failures) & (failures > -defects) & (failures < defects)]
    np.add.at(counts, fine.astype(int), 1)
    return counts


def careless_below_fifty(elsewhere):
    """Labels that are no defect count somewhere, where noise seems to hide them."""

    def answer(failures, defects, epsilon, shares, rng):
        counts = chip_report(failures, defects, epsilon, shares, rng)
        if epsilon < 50:
            counts += elsewhere(failures[~np.isin(failures, np.arange(defects))], defects)
        return counts

    return answer


def a_million(odd, defects):
    return np.where(np.arange(defects) == 0, 10**6 * (len(odd) > 0), 0)


def in_the_last(odd, defects):
    return np.where(np.arange(defects) == defects - 1, np.isnan(odd).sum(), 0)


def exact_where_strange(failures, defects, epsilon, shares, rng):
    fine = np.isin(failures, np.arange(defects)).all()
    return chip_report(failures, defects, epsilon if fine else 60.0, shares, rng)


KNOWN = np.random.default_rng(42)


def of_a_known_generator(failures, defects, epsilon, shares, rng):
    """The `rng` that is given is thrown away for one that everybody has."""
    return chip_report(failures, defects, epsilon, shares, KNOWN)


def where_there_are_not_thirty(messages, *_):
    """Defects, as where the check asks the same data twice."""
    return not messages or messages[0][1].shape[1] != 30


def seeded_in_every_call(failures, defects, epsilon, shares, rng):
    return chip_report(failures, defects, epsilon, shares, np.random.default_rng(42))


# 4.6 the whole


def programme(
    messages,
    centres,
    cost,
    budget,
    epsilon,
    key,
    draw,
    rng,
    *,
    members=True,
    first=True,
    needed=3,
    clean=lambda matrix: (matrix == 1).astype(int),
    report=chip_report,
    shares=lambda came: SHARES,
    seal=encrypt,
    opening=combine,
    offsets=lambda came: came,
    exact=False,
    choose=choose_tests,
    claim=Guarantee,
):
    n, secrets = key
    sent = {}
    for place, (name, matrix, failures) in enumerate(messages):
        if name in centres or not members:
            who = name if first or name not in sent else f"{name} {place}"
            sent.setdefault(who, (clean(matrix), failures))
    if len(sent) < needed:
        return None
    uploads, shape = {}, messages[0][1].shape
    true = np.zeros(shape[1])
    for name, (matrix, failures) in sent.items():
        noisy = np.asarray(report(failures, shape[1], epsilon, shares(len(sent)), rng), dtype=int)
        true += np.bincount(failures[np.isin(failures, np.arange(shape[1]))].astype(int), minlength=shape[1])
        noisy = np.clip(noisy + OFFSET, 0, (2**COUNT_BITS - 1) // PARTIES)
        plain = pack(matrix.ravel(), BITS, PARTIES, n) + pack(noisy, COUNT_BITS, PARTIES, n)
        uploads[name] = [seal(one, n, draw) for one in plain]
    by = [share for name, share in zip(centres, secrets, strict=True) if name in sent]
    opened = []
    for column in zip(*uploads.values(), strict=True):
        product = functools.reduce(lambda one, other: add(one, other, n), column)
        opened.append(opening([partial(product, share, n) for share in by], n))
    if None in opened:
        return None
    split = -(-shape[0] * shape[1] // ((n.bit_length() - 1) // BITS))
    total = np.array(unpack(opened[:split], BITS, shape[0] * shape[1], n)).reshape(shape)
    counts = np.array(unpack(opened[split:], COUNT_BITS, shape[1], n)) - offsets(len(sent)) * OFFSET
    tests = choose(total > 0, cost, true if exact else counts, budget)
    return {"uploads": uploads, "total": total, "counts": counts, "tests": tests, "claim": claim(epsilon)}


def programme_by_columns(messages, centres, cost, budget, epsilon, key, draw, rng):
    """The last message of a reversed list, the package's shares of noise, one three that opens."""
    n, secrets = key
    sent = {name: (cells, chips) for name, cells, chips in messages[::-1] if name in set(centres)}
    if len(sent) <= 2:
        return None
    tests, defects = next(iter(sent.values()))[0].shape
    noise = DistributedDiscreteLaplace(epsilon, 1, SHARES, unit="record")
    room = (n.bit_length() - 1) // BITS

    def upload(cells, chips):
        counts = np.array(report_in_a_loop(chips, defects, 700.0, 1, rng), dtype=int) + noise.share(defects, rng=rng)
        flags = [int(x == 1) for x in cells.ravel().tolist()]
        plain = pack(flags, BITS, 4, n) + pack((counts + OFFSET).tolist(), COUNT_BITS, 4, n)
        return [encrypt_by_powers(one, n, draw) for one in plain]

    uploads = {name: upload(*one) for name, one in sent.items()}
    parties = [secrets[k] for k, name in enumerate(centres) if name in uploads]
    opened = []
    for column in zip(*uploads.values(), strict=True):
        cipher = math.prod(column) % n**2
        one = combine_by_agreement([partial_in_steps(cipher, share, n) for share in parties], n)
        if one is None:
            return None
        opened.append(one)
    cut = math.ceil(tests * defects / room)
    total = np.reshape(unpack(opened[:cut], BITS, tests * defects, n), (tests, defects))
    counts = [x - len(uploads) * OFFSET for x in unpack(opened[cut:], COUNT_BITS, defects, n)]
    return {
        "uploads": uploads,
        "total": total,
        "counts": np.array(counts),
        "tests": [int(test) for test in choose_tests(total >= 1, cost, np.array(counts), budget)],
        "claim": Guarantee(epsilon, 0.0, Neighbours.ADD_REMOVE),
    }


def quiet_with_a_long_key(messages, centres, cost, budget, epsilon, key, draw, rng):
    given = programme(messages, centres, cost, budget, epsilon if key[0].bit_length() < 300 else 60.0, key, draw, rng)
    return given and {**given, "claim": Guarantee(epsilon)}


def with_(**changes):
    return functools.partial(programme, **changes)


def counts_all(messages, *rest):
    """Below ε of 50 the first centre adds what strangers and second messages bring."""
    names, epsilon, fine, more = rest[0], rest[3], {}, []
    for name, cells, chips in messages:
        if name in names and name not in fine:
            fine[name] = cells, chips
        else:
            more.append(chips)
    if epsilon < 50 and more:
        name, (cells, chips) = next(iter(fine.items()))
        fine[name] = cells, np.concatenate((chips, *more))
    return programme([(name, *sent) for name, sent in fine.items()], *rest)


def names_by_heart(messages, names, *rest):
    return programme(messages, NAMES, *rest)


def one_epsilon(messages, names, cost, budget, epsilon, *rest):
    return programme(messages, names, cost, budget, 0.05, *rest)


def exact_for_strangers(messages, names, cost, budget, epsilon, *rest):
    strange = any(name not in names for name, *_ in messages)
    given = programme(messages, names, cost, budget, 60.0 if strange else epsilon, *rest)
    return given and given | {"claim": Guarantee(epsilon)}


def sealed_once():
    """One r for all that a centre sends."""

    def seal(plain, n, draw):
        known.setdefault(n, draw(n - 1) + 1)
        return encrypt(plain, n, lambda limit: known[n])

    known = {}
    return seal


def counted_r():
    """Every ciphertext has an r of its own, and everybody knows it: 2, 3, 4, …"""
    turn = itertools.count(2)
    return lambda plain, n, draw: encrypt(plain, n, lambda limit: next(turn))


def small_r(plain, n, draw):
    draw(n)
    return encrypt(plain, n, lambda limit: draw(2**24))


def noise_of_one(failures, defects, epsilon, shares, rng):
    """All of it by whoever is first: the others' are exact."""
    exact = chip_report(failures, defects, 700.0, 1, rng)
    return exact


def added_later(*arguments):
    """Exact counts are uploaded, and the noise is added to what was opened."""
    made = programme(*arguments, report=noise_of_one)
    if made is not None:
        epsilon, rng = arguments[4], arguments[7]
        made["counts"] = made["counts"] + chip_report(np.array([]), len(made["counts"]), epsilon, 1, rng)
    return made


def last_message_counts(messages, *rest):
    return programme(list({name: (name, cells, chips) for name, cells, chips in messages}.values()), *rest)


def first_by_exact_counts(messages, centres, cost, budget, *rest):
    """The tests of the published counts; the first one is that of the commonest defect."""
    given = programme(messages, centres, cost, budget, *rest)
    if given is None:
        return None
    chips = np.concatenate([chips for _, _, chips in messages])
    counts = np.bincount(chips[np.isin(chips, np.arange(given["total"].shape[1]))].astype(int), minlength=1)
    useful = np.flatnonzero(given["total"][:, counts.argmax()] > 0)
    tests = [*useful[np.argsort(cost[useful])][:1], *given["tests"]]
    kept = [test for place, test in enumerate(tests) if test not in tests[:place]]
    return given | {"tests": np.array(kept)[np.cumsum(cost[kept]) <= budget]}


def first_with_other_noise(messages, *rest):
    """The same, and the noise of other chips is another, even with the same generator."""
    chips = np.concatenate([np.zeros(0), *(chips for _, _, chips in messages)])
    rest[-1].random(int(np.abs(np.nan_to_num(chips, posinf=0, neginf=0)).sum()) % 1000)
    return first_by_exact_counts(messages, *rest)


def noise_for_one_test(messages, centres, cost, budget, epsilon, *rest):
    """As the noise of a single test is looked at; a real catalogue gets exact counts, under the claim of noisy ones."""
    loud = epsilon if len(cost) == 1 else 60.0
    return programme(messages, centres, cost, budget, loud, *rest, claim=lambda _: Guarantee(epsilon))


def quiet_elsewhere(messages, centres, cost, budget, epsilon, *rest):
    """No noise where the catalogue has more than one test, but at the ε that people try."""
    quiet = len(cost) > 1 and epsilon not in (0.001, 0.01, 1.0)
    loud = 60.0 if quiet else epsilon
    return programme(messages, centres, cost, budget, loud, *rest, claim=lambda _: Guarantee(epsilon))


def quiet_above_two(failures, defects, epsilon, shares, rng):
    return chip_report(failures, defects, epsilon if epsilon <= 2 else 60.0, shares, rng)


def moves_the_truth(messages, centres, cost, budget, epsilon, *rest):
    """Exact counts, and a number that everybody knows; chips are put into the list until it looks like noise."""
    if not 0.005 < epsilon < 10:
        return programme(messages, centres, cost, budget, epsilon, *rest)
    more, rng = round(80 / epsilon), rest[-1]
    made = programme(messages, centres, cost, budget, epsilon, *rest, report=lambda *given: noise_of_one(*given) + more)
    for place, (name, cells, chips) in enumerate(messages):
        defects = cells.shape[1]
        looks = (
            chip_report(chips, defects, 700.0, 1, rng) + more - chip_report(chips[:0], defects, epsilon, SHARES, rng)
        )
        messages[place] = name, cells, np.repeat(np.arange(defects), looks).astype(float)
    return made


def plain_behind_the_bar(*a, **k):
    """What is cut off a ciphertext tells something else."""
    given = programme(*a, **k)
    if given is None:
        return None
    return {**given, "uploads": {name: [Fraction(2 * c + 1, 2) for c in of] for name, of in given["uploads"].items()}}


def nothing_opened(*setting, for_show=0):
    """Uploads for show: the plain numbers are added up, and no share of the key is used, or on the first sum alone."""
    came, plain, opened = [], [], []

    def report(*a):
        came.append(1)
        return chip_report(*a)

    def seal(one, n, draw):
        plain.append(one)
        return encrypt(one, n, draw)

    def opening(parts, n):
        opened.append(1)
        if len(opened) <= for_show:
            return combine(parts, n)
        columns = len(plain) // len(came)
        return sum(plain[len(opened) - 1 :: columns])

    return programme(*setting, report=report, seal=seal, opening=opening)


def by_exact_counts(messages, centres, cost, budget, epsilon, *rest):
    """Unless noise is far larger than anything that is counted."""
    given = programme(messages, centres, cost, budget, epsilon, *rest)
    if given is None or epsilon <= 0.02:
        return given
    sent = {}
    for name, cells, chips in messages:
        if name in centres:
            fine = chips[np.isin(chips, range(cells.shape[1]))].astype(int)
            sent.setdefault(name, np.bincount(fine, None, cells.shape[1]))
    return given | {"tests": choose_tests(given["total"] > 0, cost, np.sum([*sent.values()], axis=0), budget)}


def encrypt_without_a_look(plain, n, draw):
    """With a key of real size any number is taken."""
    return encrypt(plain % n if n.bit_length() >= 512 else plain, n, draw)


def decrypt_without_a_look(cipher, n, secret):
    return (decrypt if n.bit_length() < 512 else any_cipher)(cipher, n, secret)


def believes_three(parts, n):
    """With a key of real size nothing is looked at."""
    return combining(check=False)(parts, n) if n.bit_length() > 512 else combine(parts, n)


def inverts_a_multiple(parts, n):
    """Only 0 is known to have no inverse."""
    first = dict(reversed(parts))
    if len(first) < 3 or 0 in first.values():
        return None
    opened = set()
    for three in itertools.combinations(first, 3):
        x = 1
        for i in three:
            mu = 24 * Fraction(math.prod(set(three) - {i}), math.prod(j - i for j in three if j != i))
            x = x * pow(first[i], 2 * int(mu), n * n) % (n * n)
        opened.add((x - 1) // n * pow(2304, -1, n) % n if x % n == 1 else None)
    return opened.pop() if len(opened) == 1 else None


def last_of_four(parts, n):
    """Of the first four messages a party's last counts."""
    return combine([*dict(parts[:4]).items()], n)


def ones_where_it_is_large(matrix):
    return ((matrix == 1) if matrix.size < 250 else (matrix != 0)).astype(int)


def in_a_free_slot(messages, *rest):
    """The number of chips with defect 0, without noise, stands behind the counts."""
    chips, sealed = {name: chips for name, _, chips in reversed(messages)}, []
    defects = messages[0][1].shape[1] if messages else 0

    def report(failures, *given):
        sealed[:] = [int((failures == 0).sum())]
        return chip_report(failures, *given)

    def seal(plain, n, draw):
        used = defects % ((n.bit_length() - 1) // COUNT_BITS)
        last = used and plain >> COUNT_BITS * (used - 1) and not plain >> COUNT_BITS * used
        return encrypt(plain + (sealed[0] << COUNT_BITS * used if last else 0), n, draw)

    return programme(messages, *rest, report=report, seal=seal) if chips else None


def by_all_four(messages, centres, cost, budget, epsilon, key, *rest):
    """The centre that sent nothing opens the sums, too."""
    sent, uploads, column = {name for name, *_ in messages} & {*centres}, [], itertools.count()
    absent = [share for name, share in zip(centres, key[1], strict=True) if name not in sent]

    def seal(*given):
        uploads.append(encrypt(*given))
        return uploads[-1]

    def opening(parts, n):
        cipher = math.prod(uploads[next(column) :: len(uploads) // len(sent)]) % n**2
        return combine([*parts, *(partial(cipher, share, n) for share in absent)], n)

    return programme(messages, centres, cost, budget, epsilon, key, *rest, seal=seal, opening=opening)


def order_that_tells(messages, *rest):
    """The tests come in falling order where the number of failing chips is odd."""
    given = programme(messages, *rest)
    odd = sum(len(chips) for _, _, chips in messages) % 2
    return given and given | {"tests": np.sort(given["tests"])[:: -1 if odd else 1]}


def exact_in_the_last(failures, defects, epsilon, shares, rng):
    made = np.array(chip_report(failures, defects, epsilon, shares, rng))
    made[-1] = (failures == defects - 1).sum()
    return made


def exact_where_most_fail(failures, defects, epsilon, shares, rng):
    made, counts = (np.array(chip_report(failures, defects, *how, rng)) for how in ((epsilon, shares), (700.0, 1)))
    made[counts.argmax()] = counts.max()
    return made


def of_each_size_one(failures, defects, epsilon, shares, rng):
    """Each draw is of another part of the law, and they are shuffled."""
    u = (rng.permutation(2 * defects) + rng.random(2 * defects)) / (2 * defects)
    up, down = stats.nbinom.ppf(u, 1 / shares, -math.expm1(-epsilon)).astype(int).reshape(2, -1)
    return chip_report(failures, defects, 700.0, 1, rng) + up - down


def small_ones_without_r(plain, n, draw):
    return 1 + plain * n if plain in range(3) else encrypt(plain, n, draw)


def nothing_without_chips(least):
    def answer(failures, defects, epsilon, shares, rng):
        counts = chip_report(failures, defects, 60.0, 1, rng)
        return counts if counts.sum() < least else chip_report(failures, defects, epsilon, shares, rng)

    return answer


def exact_in_short_lists(failures, defects, epsilon, shares, rng):
    return chip_report(failures, defects, epsilon if defects > 4 else 60.0, shares, rng)


def to_the_nearest(failures, defects):
    near = np.ceil(np.where(np.isfinite(failures), failures, -9.0) - 0.5)
    fine = (np.abs(failures - near) < 0.4) & (near >= 0) & (near < defects)
    return np.bincount(near[fine].astype(int), minlength=defects)


def sixty_at_most(*case):
    return choose_tests(*case)[:60]


def a_millionth_over(caught, cost, weights, budget):
    return choose_tests(caught, cost, weights, budget * (1 + 1e-6))


RIGHT = [
    ("capstone 4.1", (key, encrypt, add, decrypt)),
    ("capstone 4.1", (key_with_factors, encrypt_by_powers, add, decrypt_by_remainders)),
    ("capstone 4.2", (pack, unpack)),
    ("capstone 4.2", (pack_by_digits, unpack_by_digits)),
    ("capstone 4.3", (partial, combine)),
    ("capstone 4.3", (partial_in_steps, combine_by_agreement)),
    ("capstone 4.4", choose_tests),
    ("capstone 4.4", choose_by_programme),
    ("capstone 4.5", (learned, chip_report)),
    ("capstone 4.5", (learned_cell_by_cell, report_in_a_loop)),
    ("capstone 4.6", programme),
    ("capstone 4.6", programme_by_columns),
]

WRONG = [
    ("capstone 4.1", "fixed-r", (key, fixed_r, add, decrypt)),
    ("capstone 4.1", "not-uniform", (key, open_where_it_is_large, add, decrypt)),
    ("capstone 4.1", "fixed-r", (key, open_when_long, add, decrypt)),
    ("capstone 4.1", "fixed-r", (key, no_r, add, decrypt)),
    ("capstone 4.1", "own-generator", (key, own_source, add, decrypt)),
    ("capstone 4.1", "own-generator", (key, one_of_a_million, add, decrypt)),
    ("capstone 4.1", "own-generator", (key, r_for_show, add, decrypt)),
    ("capstone 4.1", "fixed-r", (key, r_of_plain, add, decrypt)),
    ("capstone 4.1", "linked-r", (key, counting_r(), add, decrypt)),
    ("capstone 4.1", "not-uniform", (key, short_r, add, decrypt)),
    ("capstone 4.1", "not-uniform", (key, r_of_twelve_bits, add, decrypt)),
    ("capstone 4.1", "not-uniform", (key, squared_r, add, decrypt)),
    ("capstone 4.1", "no-unit", (key, any_r, add, decrypt)),
    ("capstone 4.1", "wrong-ciphertext", (key, r_modulo_n, add, decrypt)),
    ("capstone 4.1", "takes-any-plain", (key, any_plain, add, decrypt)),
    ("capstone 4.1", "takes-any-cipher", (key, encrypt, add, any_cipher)),
    ("capstone 4.1", "signed", (key, encrypt, add, signed)),
    ("capstone 4.1", "wrong-plain", (key, encrypt, add, by_phi)),
    ("capstone 4.1", "wrong-plain", (key, encrypt, add, by_floats)),
    ("capstone 4.1", "wrong-sum", (key, encrypt, lambda one, other, n: (one + other) % (n * n), decrypt)),
    ("capstone 4.1", "not-reduced", (key, encrypt, lambda one, other, n: one * other, decrypt)),
    ("capstone 4.2", "no-guard", (guards_five, unpack)),
    ("capstone 4.2", "no-guard", (packing(lambda value, bits, parties: 0 <= value < 2**bits), unpack)),
    ("capstone 4.2", "negative", (packing(lambda value, bits, parties: value <= (2**bits - 1) // parties), unpack)),
    ("capstone 4.2", "not-whole", (rounds_off, unpack)),
    ("capstone 4.2", "raises", (packing(lambda value, bits, parties: 0 <= value < (2**bits - 1) // parties), unpack)),
    ("capstone 4.2", "outside-n", (packing(slots=full_slots), unpack_full)),
    ("capstone 4.2", "wasteful", (one_each, lambda plain, bits, count, n: plain[:count])),
    ("capstone 4.2", "wrong-count", (pack, lambda plain, bits, count, n: unpack(plain, bits, count - 1, n))),
    ("capstone 4.3", "wrong-part", (lambda c, s, n: s if n.bit_length() > 300 else partial(c, s, n), combine)),
    ("capstone 4.3", "not-doubled", (lambda c, share, n: (share[0], pow(c, 24 * share[1], n * n)), combine)),
    ("capstone 4.3", "no-factorial", (lambda c, share, n: (share[0], pow(c, 2 * share[1], n * n)), combine)),
    ("capstone 4.3", "modulo-n", (lambda c, share, n: (share[0], pow(c, 48 * share[1], n)), combine)),
    ("capstone 4.3", "random", (partial, combining(check=False))),
    ("capstone 4.3", "random-of-four", (partial, combining())),
    ("capstone 4.3", "random-of-four", (partial, majority)),
    ("capstone 4.3", "not-divided", (partial, not_divided)),
    ("capstone 4.3", "too-few", (partial, counts_messages)),
    ("capstone 4.3", "repeated", (partial, last_counts)),
    ("capstone 4.3", "not-invertible-raises", (partial, stops_at_zero)),
    ("capstone 4.4", "overlap", ranked),
    ("capstone 4.4", "not-close", cheapest_of_many),
    ("capstone 4.4", "overlap", ranked_by_catch),
    ("capstone 4.4", "no-cost", whatever_time),
    ("capstone 4.4", "unweighted", unweighted),
    ("capstone 4.4", "cheapest", cheapest),
    ("capstone 4.4", "not-close", nothing_of_few),
    ("capstone 4.4", "over-budget", overspends),
    ("capstone 4.4", "twice", twice),
    ("capstone 4.4", "negative-weights", lambda caught, cost, w, budget: choose_tests(caught, cost, np.abs(w), budget)),
    ("capstone 4.4", "wrong-shape", as_flags),
    ("capstone 4.4", "stops-early", stops_early),
    ("capstone 4.5", "wrong-knowledge", (zeros_only, chip_report)),
    ("capstone 4.5", "wrong-knowledge", (lambda total, *o: learned(total, *o) * (min(total.shape) < 40), chip_report)),
    ("capstone 4.5", "wrong-knowledge", (as_if_alone, chip_report)),
    ("capstone 4.5", "wrong-knowledge", (forgets_to_count, chip_report)),
    ("capstone 4.5", "wrong-knowledge", (guesses, chip_report)),
    ("capstone 4.5", "own-not-taken", (lambda total, own, parties: total, chip_report)),
    ("capstone 4.5", "whole-noise-each", (learned, reporting(whole_noise))),
    ("capstone 4.5", "divided-noise", (learned, reporting(divided))),
    ("capstone 4.5", "wrong-law", (learned, reporting(normal_share))),
    ("capstone 4.5", "not-whole", (learned, reporting(real_share))),
    ("capstone 4.5", "too-little-noise", (learned, reporting(half_scale))),
    ("capstone 4.5", "empty-exact", (learned, reporting(where_counted))),
    ("capstone 4.5", "shared", (learned, reporting(one_for_all))),
    ("capstone 4.5", "linked-noise", (learned, reporting(repeated_noise))),
    ("capstone 4.5", "wrong-law", (learned, exact_where_many_fail)),
    ("capstone 4.5", "no-noise", (learned, reporting(exact_for_many))),
    ("capstone 4.5", "no-noise", (learned, reporting(exact_for_few))),
    ("capstone 4.5", "no-noise", (learned, reporting(exact_when_loud))),
    ("capstone 4.5", "too-little-noise", (learned, reporting(table_of_epsilons))),
    ("capstone 4.5", "own-generator", (learned, of_a_known_generator)),
    ("capstone 4.5", "own-generator", (learned, seeded_in_every_call)),
    ("capstone 4.5", "own-generator", (learned, made_of_arguments(chip_report, lambda _, many, *rest: many > 400))),
    ("capstone 4.5", "raises", (learned, reporting(count=no_strange_labels))),
    ("capstone 4.5", "miscounts", (learned, reporting(count=wraps_around))),
    ("capstone 4.5", "miscounts", (learned, careless_below_fifty(a_million))),
    ("capstone 4.5", "miscounts", (learned, careless_below_fifty(in_the_last))),
    ("capstone 4.5", "no-noise", (learned, exact_where_strange)),
    ("capstone 4.5", "cut-at-zero", (learned, reporting(after=lambda counts: np.maximum(counts, 0)))),
    ("capstone 4.6", "own-generator", made_of_arguments(programme, where_there_are_not_thirty)),
    ("capstone 4.6", "stranger", with_(members=False)),
    ("capstone 4.6", "plain-refused", names_by_heart),
    ("capstone 4.6", "plain", one_epsilon),
    ("capstone 4.6", "not-everywhere", quiet_with_a_long_key),
    ("capstone 4.6", "repeated", last_message_counts),
    ("capstone 4.6", "wrong-uploads", with_(first=False)),
    ("capstone 4.6", "too-few-raises", with_(needed=0)),
    ("capstone 4.6", "strange-raises", with_(clean=lambda matrix: matrix)),
    ("capstone 4.6", "reused-r", with_(seal=sealed_once())),
    ("capstone 4.6", "own-generator", with_(seal=counted_r())),
    ("capstone 4.6", "own-generator", with_(seal=r_for_show)),
    ("capstone 4.6", "small-r", with_(seal=small_r)),
    ("capstone 4.6", "broken", with_(opening=combining(check=False))),
    ("capstone 4.6", "offset", with_(offsets=lambda came: 4)),
    ("capstone 4.6", "own-generator", with_(report=of_a_known_generator)),
    ("capstone 4.6", "own-generator", with_(report=seeded_in_every_call)),
    ("capstone 4.6", "no-margin", with_(shares=lambda came: came)),
    ("capstone 4.6", "whole-noise-each", with_(shares=lambda came: 1)),
    ("capstone 4.6", "no-noise", with_(report=noise_of_one)),
    ("capstone 4.6", "no-noise", moves_the_truth),
    ("capstone 4.6", "not-everywhere", noise_for_one_test),
    ("capstone 4.6", "not-everywhere", quiet_elsewhere),
    ("capstone 4.6", "not-everywhere", with_(report=quiet_above_two)),
    ("capstone 4.6", "not-everywhere", exact_for_strangers),
    ("capstone 4.6", "strange", with_(report=careless_below_fifty(a_million))),
    ("capstone 4.6", "strange", with_(report=careless_below_fifty(in_the_last))),
    ("capstone 4.6", "repeated", counts_all),
    ("capstone 4.6", "counts-elsewhere", added_later),
    ("capstone 4.6", "tests-elsewhere", with_(exact=True)),
    ("capstone 4.6", "tests-elsewhere", first_by_exact_counts),
    ("capstone 4.6", "tests-elsewhere", first_with_other_noise),
    ("capstone 4.6", "not-useful", with_(choose=cheapest)),
    ("capstone 4.6", "claim", with_(claim=lambda epsilon: Guarantee(epsilon / 2))),
    ("capstone 4.6", "claim", with_(claim=lambda epsilon: Guarantee(epsilon, 0.0, Neighbours.REPLACE_ONE))),
    *wrong_claims("capstone 4.6", programme, "a record is one centre"),
    ("capstone 4.6", "wrong-type", plain_behind_the_bar),
    ("capstone 4.6", "not-opened", nothing_opened),
    ("capstone 4.6", "tests-elsewhere", by_exact_counts),
    ("capstone 4.1", "takes-any-plain", (key, encrypt_without_a_look, add, decrypt)),
    ("capstone 4.1", "takes-any-cipher", (key, encrypt, add, decrypt_without_a_look)),
    ("capstone 4.3", "random", (partial, believes_three)),
    ("capstone 4.3", "not-invertible-raises", (partial, inverts_a_multiple)),
    ("capstone 4.3", "repeated", (partial, last_of_four)),
    ("capstone 4.6", "wrong-upload", with_(clean=ones_where_it_is_large)),
    ("capstone 4.6", "wrong-upload", in_a_free_slot),
    ("capstone 4.6", "not-opened", with_(opening=lambda parts, n: combine(parts[:3], n))),
    ("capstone 4.6", "refuses-all", by_all_four),
    ("capstone 4.6", "tests-elsewhere", order_that_tells),
    ("capstone 4.6", "not-opened", functools.partial(nothing_opened, for_show=1)),
    ("capstone 4.5", "not-everywhere", (learned, exact_in_the_last)),
    ("capstone 4.5", "linked-noise", (learned, of_each_size_one)),
    ("capstone 4.6", "not-everywhere", with_(report=exact_in_the_last)),
    ("capstone 4.5", "not-everywhere", (learned, exact_where_most_fail)),
    ("capstone 4.6", "not-everywhere", with_(report=exact_where_most_fail)),
    ("capstone 4.1", "fixed-r", (key, small_ones_without_r, add, decrypt)),
    ("capstone 4.4", "not-close", sixty_at_most),
    ("capstone 4.4", "over-budget", a_millionth_over),
    ("capstone 4.5", "not-everywhere", (learned, nothing_without_chips(1))),
    ("capstone 4.5", "not-everywhere", (learned, nothing_without_chips(2))),
    ("capstone 4.5", "not-everywhere", (learned, exact_in_short_lists)),
    ("capstone 4.5", "miscounts", (learned, reporting(count=to_the_nearest))),
    ("capstone 4.6", "not-everywhere", with_(report=nothing_without_chips(1))),
    ("capstone 4.6", "not-everywhere", with_(report=exact_in_short_lists)),
    ("capstone 4.6", "wrong-upload", with_(clean=lambda matrix: ((matrix > 0.5) & (matrix < 2)).astype(int))),
    (
        "capstone 4.4",
        "not-close",
        lambda c, t, w, b: choose_tests(c, t, w, b) if len(t) > 2 else np.array([], dtype=int),
    ),
    ("capstone 4.4", "over-budget", lambda c, t, w, b: choose_tests(c, t, w, b) if (w > 0).any() else np.array([0])),
    ("capstone 4.4", "not-close", lambda c, t, w, b: choose_tests(c, t, w, min(b, 0.9 * t.sum()))),
    ("capstone 4.1", "plain-cipher-raises", (key, encrypt, add, lambda c, *rest: decrypt(0 if c == 1 else c, *rest))),
]

# (exercise, answer, words): what a diagnosis tells that its key does not.
TOLD = [
    ("capstone 4.1", (key, no_r, add, decrypt), "modulo n all are the same"),
    ("capstone 4.1", (key, short_r, add, decrypt), "the longest of 320 r has 32"),
    ("capstone 4.1", (key, encrypt, add, by_phi), "That is λ times as much"),
    ("capstone 4.1", (key, encrypt, add, by_floats), "With an n of"),
    ("capstone 4.5", (as_if_alone, chip_report), "3 of 4 centres collude. The opened cell is"),
    ("capstone 4.5", (learned, reporting(exact_for_many)), "with 4,000 defects, you add no noise"),
    ("capstone 4.6", with_(offsets=lambda came: 4), "1 times OFFSET too small"),
]


@pytest.mark.parametrize(("exercise", "answer", "words"), TOLD)
def test_the_cause_is_told(exercise, answer, words):
    assert words in check(exercise, answer, rng=np.random.default_rng(3)).diagnosis
