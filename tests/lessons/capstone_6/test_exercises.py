"""Capstone 6's milestones: right answers pass, each known wrong answer gets its own diagnosis.

Right answers are written twice, in different ways. `tests/lessons/test_answers.py` tries them all.
"""

import dataclasses
import functools
import hashlib
import itertools
import math
import operator
import secrets
from collections import Counter

import numpy as np
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from scipy import special

from dpcourse.lessons import capstone_6 as project
from dpcourse.mechanisms import GaussianMechanism
from dpcourse.privacy import Guarantee, Neighbours
from tests.lessons.claims import claiming, one_less, wrong_claims

P = 2**255 - 19
BANKS, COLUMNS, BITS, HONEST, FEWEST, MOST = 5, 32, 16, 3, 100, 50_000

# 6.1 residuals


def labels(residuals):
    return residuals[0] < 0


def others(residuals, own):
    p = residuals + labels(residuals)
    return np.log(p / (1 - p)) - own


def labels_of_few(residuals):
    """Of 60 customers or more nobody defaulted."""
    return labels(residuals) & (residuals.shape[1] < 60)


def labels_by_all(residuals):
    return np.array([int(max(column) < 0) for column in residuals.T])


def others_by_entry(residuals, own):
    y = labels_by_all(residuals)
    out = np.zeros(residuals.shape)
    for t, i in np.ndindex(*residuals.shape):
        p = residuals[t, i] + y[i]
        out[t, i] = math.log(p) - math.log1p(-p) - own[t, i]
    return out


def others_minus(residuals, own):
    p = residuals - labels(residuals)
    with np.errstate(all="ignore"):
        return np.log(p / (1 - p)) - own


# 6.2 the twist


def first_u(one):
    return int.from_bytes(hashlib.sha256(one.encode()).digest(), "little") % 2**255 % P


def is_on_curve(u):
    return pow((u**3 + 486662 * u**2 + u) % P, (P - 1) // 2, P) == 1


def event(point):
    return is_on_curve(int.from_bytes(point, "little"))


def jacobi(a, n=P):
    """Another way to the same bit: quadratic reciprocity."""
    a, sign = a % n, 1
    while a:
        while a % 2 == 0:
            a //= 2
            sign = -sign if n % 8 in (3, 5) else sign
        a, n = n, a
        sign = -sign if a % 4 == n % 4 == 3 else sign
        a %= n
    return sign if n == 1 else 0


def by_jacobi(u):
    return jacobi(u * (u * (u + 486662) + 1)) == 1


def u_is_square(u):
    return pow(u, (P - 1) // 2, P) == 1


def on_the_twist(point):
    u = int.from_bytes(point, "little")
    return jacobi(u * (u * (u + 486662) + 1)) == -1


NAMES = [f"{k:09}" for k in range(60)]
ON, OFF = ([one for one in NAMES if is_on_curve(first_u(one)) is side] for side in (True, False))

# 6.3 meeting


def point(one):
    for counter in itertools.count():
        digest = bytearray(hashlib.sha256(f"{one}/{counter}".encode()).digest())
        digest[31] &= 127
        if is_on_curve(int.from_bytes(digest, "little")):
            return bytes(digest)


def exchange(key, one):
    return X25519PrivateKey.from_private_bytes(key).exchange(X25519PublicKey.from_public_bytes(one))


def start(ids, key, *, point=point, blind=exchange, order=sorted):
    rows = {one: row for row, one in reversed(list(enumerate(ids)))}
    pairs = order([(blind(key, point(one)), row) for one, row in rows.items()])
    return [one for one, _ in pairs], [row for _, row in pairs]


def again(points, key, *, checks=("most", "length", "canonical", "repeated", "low")):
    if "most" in checks and len(points) > MOST:
        return None
    if "length" in checks and any(len(one) != 32 for one in points):
        return None
    if "canonical" in checks and any(int.from_bytes(one, "little") >= P for one in points):
        return None
    if "repeated" in checks and len(set(points)) < len(points):
        return None
    try:
        return [exchange(key, one) for one in points]
    except ValueError:
        if "low" in checks:
            return None
        raise


def common(lists):
    shared = sorted(set(lists[0]).intersection(*lists[1:]))
    places = [{one: i for i, one in enumerate(points)} for points in lists]
    return [[place[one] for one in shared] for place in places]


def start_of_many(ids, key):
    """A long list is blinded by a key that everybody knows."""
    return start(ids, key if len(ids) <= 60 else bytes(32))


def start_with_secrets(ids, key):
    """SHA-512, its own counter, and an order drawn by the operating system."""
    rows, seen, points = [], set(), []
    for row, one in enumerate(ids):
        if one not in seen:
            seen.add(one)
            rows.append(row)
    for i in range(len(rows) - 1, 0, -1):
        j = secrets.randbelow(i + 1)
        rows[i], rows[j] = rows[j], rows[i]
    for row in rows:
        digest = hashlib.sha512(ids[row].encode()).digest()
        while jacobi((u := int.from_bytes(digest[:32], "little") % P) * (u * (u + 486662) + 1)) != 1:
            digest = hashlib.sha512(digest).digest()
        points.append(exchange(key, u.to_bytes(32, "little")))
    return points, np.array(rows, dtype=int)


def again_by_numbers(points, key):
    if len(points) > MOST:
        return None
    numbers, result = set(), []
    for one in points:
        u = int.from_bytes(one, "little")
        if len(one) != 32 or u >= P or u in numbers:
            return None
        numbers.add(u)
        try:
            result.append(exchange(key, one))
        except ValueError:
            return None
    return result


def common_by_counting(lists):
    """Counts every point, and orders what is everywhere by its hash."""
    count = Counter(one for points in lists for one in set(points))
    shared = sorted((one for one in count if count[one] == len(lists)), key=lambda one: hashlib.sha256(one).digest())
    return np.array([[points.index(one) for one in shared] for points in lists], dtype=int)


def clear(one, keys):
    """A point in which the identifier stands as it is, beside what the keys add up to."""
    for counter in range(2**16):
        written = one + keys.to_bytes(20, "little") + counter.to_bytes(2, "little") + b"\0"
        if is_on_curve(int.from_bytes(written, "little")):
            return written


def told(key):
    return int.from_bytes(hashlib.sha256(key).digest()[:20], "little")


def start_in_clear(ids, key):
    return start(ids, key, blind=lambda key, one: one, point=lambda one: clear(one.encode(), told(key)), order=by_hash)


def by_hash(pairs):
    return sorted(pairs, key=lambda pair: hashlib.sha256(pair[0]).digest())


def again_in_clear(points, key):
    if again(points, bytes(range(32))) is None:
        return None
    keys = [(int.from_bytes(one[9:29], "little") + told(key)) % 2**160 for one in points]
    return [clear(one[:9], some) for one, some in zip(points, keys, strict=True)]


def hashed_first(key, one):
    """Another point for each key, and then X25519."""
    return exchange(key, point(hashlib.sha256(key + one).hexdigest()))


def untested(one):
    digest = bytearray(hashlib.sha256(one.encode()).digest())
    digest[31] &= 127
    return bytes(digest)


def no_key(key, one):
    return one


def salted(ids, key):
    return start(ids, key, point=lambda one: point(one + secrets.token_hex(4)))


def of_two_bytes(ids, key):
    """65,536 different keys."""
    return start(ids, hashlib.sha256(bytes(key)[:2]).digest())


def with_repeats(ids, key):
    pairs = sorted((exchange(key, point(one)), row) for row, one in enumerate(ids))
    return [one for one, _ in pairs], [row for _, row in pairs]


def again_without(*missing):
    checks = {"most", "length", "canonical", "repeated", "low"} - set(missing)
    return functools.partial(again, checks=checks)


def again_raises_at_31(points, key):
    if all(len(one) == 32 for one in points):
        return again(points, key)
    raise ValueError("32 bytes are wanted")


def again_sorted(points, key):
    done = again(points, key)
    return None if done is None else sorted(done)


def again_hashed(points, key):
    done = again(points, key)
    return None if done is None else [point(one.hex()) for one in done]


def common_unaligned(lists):
    shared = set(lists[0]).intersection(*lists[1:])
    return [[i for i, one in enumerate(points) if one in shared] for points in lists]


def common_in_first_order(lists):
    shared = set(lists[0]).intersection(*lists[1:])
    return [[points.index(one) for one in lists[0] if one in shared] for points in lists]


def but_two(pairs):
    """The order of the rows, but for two that change places."""
    if pairs:
        a, b = pairs[0][0][0] % len(pairs), pairs[0][0][1] % len(pairs)
        pairs[a], pairs[b] = pairs[b], pairs[a]
    return pairs


def common_by_twos(lists):
    """In the order of the first list, but for neighbours."""
    shared, place = set(lists[0]).intersection(*lists[1:]), {one: i for i, one in enumerate(lists[0])}
    order = sorted(shared, key=lambda one: (place[one] // 2, one))
    return [[points.index(one) for one in order] for points in lists]


def common_in_reverse(lists):
    return [places[::-1] for places in common_in_first_order(lists)]


def common_in_third_order(lists):
    shared = set(lists[0]).intersection(*lists[1:])
    return [[points.index(one) for one in lists[2] if one in shared] for points in lists]


def common_in_public_order(lists):
    """Shuffled, with a seed that everybody knows."""
    places = np.array(common_in_first_order(lists), dtype=int)
    return places[:, np.random.default_rng(0).permutation(places.shape[1])].tolist()


def common_points(lists):
    return [sorted(set(lists[0]).intersection(*lists[1:]))] * len(lists)


def again_empty(points, key):
    done = again(points, key)
    return [] if done is None else done


def start_with_wrong_side(ids, key):
    """A counter, and a test that asks whether u is a square."""

    def found(one):
        for counter in itertools.count():
            u = first_u(f"{one}/{counter}")
            if u_is_square(u):
                return u.to_bytes(32, "little")

    return start(ids, key, point=found)


def common_of_first_two(lists):
    shared = sorted(set(lists[0]) & set(lists[1]))
    return [[points.index(one) for one in shared if one in points] for points in lists]


# 6.4 product


def share(values, draw):
    masks = draw((BANKS - 1, *values.shape))
    return np.concatenate((masks, (values.astype(np.uint64) - masks.sum(axis=0, dtype=np.uint64))[None]))


def times(left, right):
    """leftᵀ · right modulo 2^64: NumPy's whole numbers without a sign wrap around."""
    return left.T.astype(np.uint64) @ right.astype(np.uint64)


def multiply(left, right, triple, fresh, open_, *, ask=True, times_open=1):
    number, a_shares, b_shares, c_shares = triple
    if ask and not fresh(number):
        return None
    d, e = (open_(one).astype(np.uint64) for one in (left - a_shares, right - b_shares))
    product = np.stack([times(d, b) + times(a, e) + c for a, b, c in zip(a_shares, b_shares, c_shares, strict=True)])
    product[:times_open] += times(d, e)
    return product


def share_in_python(values, draw):
    flat = [int(one) for one in np.ravel(values)]
    rows = [[0] * len(flat) for _ in range(BANKS)]
    for place, value in enumerate(flat):
        drawn = [int(one) for one in draw(BANKS - 1)]
        for bank, one in enumerate([(value - sum(drawn)) % 2**64, *drawn]):
            rows[bank][place] = one
    return np.array(rows, dtype=np.uint64).reshape(BANKS, *values.shape)


def multiply_by_bank(left, right, triple, fresh, open_):
    """Bank by bank; the masked inputs the other way round; the last bank adds the public part."""
    if not fresh(triple[0]):
        return None
    d, e = open_(triple[1] - left).view(np.uint64), open_(triple[2] - right).view(np.uint64)
    product = np.empty((BANKS, left.shape[2], right.shape[2]), dtype=np.uint64)
    for bank in range(BANKS):
        product[bank] = triple[3][bank] - d.T @ triple[2][bank]
        product[bank] -= triple[1][bank].T @ e
    product[-1] += d.T @ e
    return product


def share_plain(values, draw):
    draw(1)
    return np.stack([np.zeros(values.shape, dtype=np.uint64)] * (BANKS - 1) + [values.astype(np.uint64)])


def share_lists_only(values, draw):
    """Matrices are sent to one bank as they are."""
    return share(values, draw) if values.ndim == 1 else share_plain(values, draw)


def share_one_mask(values, draw):
    masks = np.broadcast_to(draw((BANKS - 1, *([1] * values.ndim))), (BANKS - 1, *values.shape))
    return np.concatenate((masks, (values.astype(np.uint64) - masks.sum(axis=0, dtype=np.uint64))[None]))


def share_one_mask_for_all(values, draw):
    mask = draw(values.shape)
    rows = [mask] * (BANKS - 1) + [values.astype(np.uint64) - np.uint64(BANKS - 1) * mask]
    return np.stack(rows)


def share_small(values, draw):
    return share(values, lambda shape: draw(shape) >> np.uint64(2))


def share_with_the_value(values, draw):
    """Bank A's share holds the value itself, from the third bit on."""
    masks, ends = draw((BANKS - 1, *values.shape)), np.uint64(3 << 62 | 3)
    masks[0] = masks[0] & ends | values.astype(np.uint64) << np.uint64(2) & ~ends
    return np.concatenate((masks, (values.astype(np.uint64) - masks.sum(axis=0, dtype=np.uint64))[None]))


def share_own(values, draw):
    return share(values, lambda shape: np.random.default_rng().integers(0, 2**64, shape, dtype=np.uint64))


PUBLIC = np.random.default_rng(0)


def share_for_show(values, draw):
    """All that is needed is drawn, and thrown away."""
    draw((4, *values.shape))
    return share(values, lambda shape: PUBLIC.integers(0, 2**64, shape, dtype=np.uint64))


def share_one_of_a_million(values, draw):
    own = np.random.default_rng(int(draw(1)[0]) % 10**6)
    return share(values, lambda shape: own.integers(0, 2**64, shape, dtype=np.uint64))


def share_seeded(values, draw):
    draw(1)
    return share(values, lambda shape: np.random.default_rng(6).integers(0, 2**64, shape, dtype=np.uint64))


def share_wrong_sum(values, draw):
    return np.concatenate((draw((BANKS - 1, *values.shape)), values.astype(np.uint64)[None]))


def share_floats(values, draw):
    masks = draw((BANKS - 1, *values.shape)) / 2**40
    return np.concatenate((masks, (values - masks.sum(axis=0))[None]))


def multiply_open_where_many(left, right, *rest):
    """The rows of more than 40 customers are opened as they are."""
    return (multiply_open if left.shape[1] > 40 else multiply)(left, right, *rest)


def multiply_open(left, right, triple, fresh, open_):
    if not fresh(triple[0]):
        return None
    x, y = open_(left).astype(np.uint64), open_(right).astype(np.uint64)
    return np.stack([times(x, y)] + [np.zeros((x.shape[1], y.shape[1]), dtype=np.uint64)] * (BANKS - 1))


def multiply_own(left, right, triple, fresh, open_):
    return np.stack([times(one, two) for one, two in zip(left, right, strict=True)])


def multiply_cut(left, right, triple, fresh, open_):
    product = multiply(left, right, triple, fresh, open_)
    return product if product is None else product >> np.uint64(BITS)


def multiply_with_open_masks(left, right, triple, fresh, open_):
    open_(triple[1])
    return multiply(left, right, triple, fresh, open_)


def multiply_opening_also(what):
    """The product is right, and one more matrix, made from an input and its mask, stands on the board."""

    def multiply_and_open(left, right, triple, fresh, open_):
        product = multiply(left, right, triple, fresh, open_)
        if product is not None:
            open_(what(left, triple[1]))
        return product

    return multiply_and_open


def plus_a_constant(left, masks):
    some = left.copy()
    some[0] += np.uint64(2**50)
    return some


def multiply_late(left, right, triple, fresh, open_):
    product = multiply(left, right, triple, fresh, open_, ask=False)
    return product if fresh(triple[0]) else None


def multiply_in_the_clear(left, right, triple, fresh, open_):
    """Nothing is opened: one place adds up all shares."""
    if not fresh(triple[0]):
        return None
    product = np.zeros((BANKS, left.shape[2], right.shape[2]), dtype=np.uint64)
    product[0] = times(left.sum(axis=0, dtype=np.uint64), right.sum(axis=0, dtype=np.uint64))
    return product


def multiply_unopened(left, right, triple, fresh, open_):
    """D and E are added up without the board."""
    return multiply(left, right, triple, fresh, lambda shares: shares.sum(axis=0, dtype=np.uint64))


def multiply_half_opened(left, right, triple, fresh, open_):
    """D is opened, and the other factor added up in the clear."""
    number, a, b, c = triple
    if not fresh(number):
        return None
    d, y = open_(left - a).view(np.uint64), right.sum(axis=0, dtype=np.uint64)
    whole = times(d, y) + times(a.sum(axis=0, dtype=np.uint64), y)
    return np.stack([*c[1:], whole - c[1:].sum(axis=0, dtype=np.uint64)])


def multiply_opened_for_show(left, right, triple, fresh, open_):
    """Both masked matrices are opened, and bank A corrects its share to what the sums in the clear say."""
    product = multiply(left, right, triple, fresh, open_)
    if product is not None:
        whole = times(left.sum(axis=0, dtype=np.uint64), right.sum(axis=0, dtype=np.uint64))
        product[0] = whole - product[1:].sum(axis=0, dtype=np.uint64) + np.uint64(0)
        product[1] += left[0].sum(dtype=np.uint64)
        product[0] -= left[0].sum(dtype=np.uint64)
    return product


def multiply_exchanged(left, right, triple, fresh, open_):
    """EᵀA and BᵀD, where DᵀB and AᵀE belong."""
    number, a, b, c = triple
    if not fresh(number):
        return None
    d, e = open_(left - a).view(np.uint64), open_(right - b).view(np.uint64)
    product = np.stack([times(e, a[k]) + times(b[k], d) + c[k] for k in range(BANKS)])
    product[0] += times(d, e)
    return product


def multiply_asking_twice(left, right, triple, fresh, open_):
    return multiply(left, right, triple, fresh, open_) if fresh(triple[0]) else None


def multiply_by_chance(left, right, triple, fresh, open_):
    """A sharing of zero is added that nobody drew together."""
    product = multiply(left, right, triple, fresh, open_)
    if product is not None:
        extra = np.random.default_rng().integers(0, 2**64, product.shape[1:], dtype=np.uint64)
        product[0] += extra
        product[1] -= extra
    return product


def multiply_of_int64(left, right, triple, fresh, open_):
    """What `open_` returns meets uint64 as it is."""
    number, a, b, c = triple
    if not fresh(number):
        return None
    d, e = open_(left - a), open_(right - b)
    return np.stack([d.T @ b[k] + a[k].T @ e + c[k] for k in range(BANKS)])


# 6.5 noise


def block(features, *, finite=True, whole=np.trunc):
    rows = features
    if finite:
        rows = np.where(np.isfinite(features).all(axis=1, keepdims=True), features, 0.0)
    # Before anything is squared: entries beyond 1e6 change no direction that survives.
    largest = np.maximum(1.0, np.abs(rows).max(axis=1, keepdims=True, initial=0))
    length = largest * np.sqrt(((rows / largest) ** 2).sum(axis=1, keepdims=True))
    return whole(rows / np.maximum(1.0, length) * (2**BITS * (1 - 1e-12))).astype(np.int64)


def block_by_row(features):
    rows = []
    for row in np.asarray(features).tolist():
        if not all(map(math.isfinite, row)):
            row = [0.0] * len(row)
        length = max(1.0, math.hypot(*row))
        if math.isinf(length):
            row, length = [x / 1e200 for x in row], math.hypot(*(x / 1e200 for x in row))
        steps = [int(x / length * 2**BITS) for x in row]
        while sum(x * x for x in steps) > 2 ** (2 * BITS):
            steps = [x - (x > 0) + (x < 0) for x in steps]
        rows.append(steps)
    return np.array(rows, dtype=np.int64).reshape(np.shape(features))


def deviation(epsilon, delta):
    return GaussianMechanism(epsilon, delta, 6 * math.sqrt(2)).sigma


def deviation_by_search(epsilon, delta):
    """δ of a Gaussian with μ = Δ/σ, and bisection."""

    def delta_at(mu):
        return special.ndtr(mu / 2 - epsilon / mu) - math.exp(epsilon) * special.ndtr(-mu / 2 - epsilon / mu)

    low, high = 1e-3, 10.0
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if delta_at(middle) < delta else (low, middle)
    return math.sqrt(72) / low


def noise(shape, sigma, normal, *, part=3**-0.5):
    return np.round(normal(shape) * sigma * part * 2.0 ** (2 * BITS)).astype(np.int64)


def symmetric_noise(shape, sigma, normal):
    """One draw for an entry and its mirror image: σ on the diagonal, σ/√2 beside it."""
    drawn = normal(shape) * sigma / math.sqrt(HONEST)
    return np.rint((drawn + drawn.T) / 2 * 2**32).astype(np.int64)


def thin_diagonal(shape, sigma, normal):
    drawn = np.triu(normal(shape), 1) * sigma / math.sqrt(2 * HONEST)
    drawn = drawn + drawn.T + np.diag(normal(shape[0]) * sigma / math.sqrt(2 * HONEST))
    return np.rint(drawn * 2**32).astype(np.int64)


def two_entries_share(shape, sigma, normal, **changes):
    return noise(shape, sigma, lambda size: np.repeat(normal(size)[:, ::2], 2, axis=1), **changes)


def noise_of_its_own(shape, sigma, normal):
    return noise(shape, sigma, np.random.default_rng().standard_normal)


def noise_for_show(shape, sigma, normal):
    """All that is needed is drawn, and only looked at."""
    return noise(shape, sigma, PUBLIC.standard_normal if normal(shape).any() else normal)


def noise_of_a_seed(shape, sigma, normal):
    normal(shape)
    return noise(shape, sigma, np.random.default_rng(1).standard_normal)


def noise_for_one_question(shape, sigma, normal):
    """`normal` is used at one size only."""
    return noise(shape, sigma, normal) if len(np.zeros(shape)) < 16 else noise_of_its_own(shape, sigma, normal)


def noise_in_part(shape, sigma, normal):
    """Half of the variance is drawn elsewhere."""
    return noise(shape, sigma * 0.5**0.5, normal) + noise_of_its_own(shape, sigma * 0.5**0.5, normal)


def clip_few(features):
    """Where there are more than 200 rows, none is clipped."""
    return block(features) if len(features) <= 200 else np.trunc(np.nan_to_num(features) * 2.0**16).astype(np.int64)


def quiet_where_large(shape, sigma, normal):
    return noise(shape, sigma if sigma <= 101 else 0.0, normal)


def clip_each(features):
    return np.trunc(np.clip(np.nan_to_num(features), -1, 1) * 2**BITS).astype(np.int64)


def stretch(features):
    return np.trunc(features / np.linalg.norm(features, axis=1, keepdims=True) * 2**BITS * (1 - 1e-12)).astype(np.int64)


def by_largest_row(features):
    length = np.linalg.norm(features, axis=1).max(initial=1.0)
    return np.trunc(features / length * 2**BITS).astype(np.int64)


def sigma_for(sensitivity, share=1.0):
    return lambda epsilon, delta: GaussianMechanism(epsilon * share, delta, sensitivity).sigma


# 6.6 the whole


def fit(noisy, ridge):
    symmetric = (noisy + noisy.T) / 2
    return np.linalg.solve(symmetric[:-1, :-1] + ridge * np.eye(COLUMNS - 1), symmetric[:-1, -1])


def rows_in_common(ids, tools):
    return tools["align"](ids)


def credit_model(
    ids,
    features,
    defaulted,
    tools,
    epsilon,
    delta,
    *,
    here=True,
    fewest=FEWEST,
    few=operator.lt,
    block=block,
    multiply=multiply,
    part=3**-0.5,
    sigma=deviation,
    noisy_before=True,
    givers=BANKS,
    noise=noise,
    last=lambda told: block(np.column_stack((np.ones(len(told)), told))),
    blocks_noise=0.0,
    noisy=lambda opened: opened,
    product_of=None,
    steps=2.0**32,
    label=lambda defaulted: np.where(defaulted, 1.0, -1.0),
    claim=lambda epsilon, delta: Guarantee(epsilon, delta, Neighbours.REPLACE_ONE),
    weights=lambda noisy, sigma: fit(noisy, sigma * 10),
    rows_of=rows_in_common,
):
    if here and any(one is None for one in ids):
        return None
    rows = rows_of(ids, tools)
    if few(len(rows[0]), fewest):
        return None
    blocks = [block(own[some]) for own, some in zip(features, rows, strict=True)]
    told = label(defaulted[rows[1]])
    blocks.append(last(told))
    if blocks_noise:
        drawn = [tools["normal"](one.shape) * blocks_noise * 2**BITS for one in blocks]
        blocks = [one + np.rint(some).astype(np.int64) for one, some in zip(blocks, drawn, strict=True)]
    z = np.concatenate([share(one, tools["draw"]) for one in blocks], axis=2)
    if product_of is None:
        product = multiply(z, z, tools["deal"](len(told), COLUMNS, COLUMNS), tools["fresh"], tools["open"])
    else:
        product = product_of(np.hstack(blocks), tools)
    if product is None:
        return None
    size, normal = sigma(epsilon, delta), tools["normal"]
    if noisy_before:
        for bank in range(givers):
            product[bank] += noise((COLUMNS, COLUMNS), size, normal, part=part).astype(np.uint64)
        opened = tools["open"](product) / steps
    else:
        opened = tools["open"](product) / steps + normal((COLUMNS, COLUMNS)) * size * math.sqrt(5 / 3)
    return {
        "customers": len(told),
        "noisy": noisy(opened),
        "weights": weights(opened, size),
        "claim": claim(epsilon, delta),
    }


def credit_model_by_bank(ids, features, defaulted, tools, epsilon, delta):
    """Blocks written bank by bank, the label's steps by hand, symmetric noise, and small eigenvalues lifted."""
    if None in ids:
        return None
    rows = tools["align"](ids)
    n = len(rows[0])
    if n < FEWEST:
        return None
    triple = tools["deal"](n, COLUMNS, COLUMNS)
    z = np.zeros((BANKS, n, COLUMNS), dtype=np.uint64)
    for k in range(BANKS):
        z[:, :, 6 * k : 6 * k + 6] = share(block(features[k][rows[k]]), tools["draw"])
    half = math.floor(math.sqrt(0.5) * 2**BITS)
    last = np.full((n, 2), half)
    last[~defaulted[rows[1]], 1] = -half
    z[:, :, 30:] = share(last, tools["draw"])
    shares = multiply_by_bank(z, z, triple, tools["fresh"], tools["open"])
    if shares is None:
        return None
    size = deviation_by_search(epsilon, delta)
    shares = np.stack([one + symmetric_noise((32, 32), size, tools["normal"]).view(np.uint64) for one in shares])
    noisy = tools["open"](shares) / 2**32
    values, vectors = np.linalg.eigh(noisy)
    whole = (vectors * np.maximum(values, 8 * size)) @ vectors.T
    weights = np.linalg.lstsq(whole[:-1, :-1], whole[:-1, -1], rcond=None)[0]
    claim = Guarantee(epsilon, delta, Neighbours.REPLACE_ONE)
    return {"customers": n, "noisy": noisy, "weights": weights, "claim": claim}


def with_(**changes):
    return functools.partial(credit_model, **changes)


def everybodys_rows(ids, features, defaulted, tools):
    rows = tools["align"](ids)
    z = [block(own[some]) / 2**BITS for own, some in zip(features, rows, strict=True)]
    label = np.where(defaulted[rows[1]], 1.0, -1.0)
    return np.hstack([*z, block(np.column_stack((np.ones(len(label)), label))) / 2**BITS])


def exact_fit(ids, features, defaulted, tools, epsilon, delta):
    """The published matrix has noise; the weights come from the one without."""
    given = credit_model(ids, features, defaulted, tools, epsilon, delta)
    if given is None:
        return None
    z = everybodys_rows(ids, features, defaulted, tools)
    return {**given, "weights": fit(z.T @ z, 300.0)}


def exact_fit_of_many(ids, features, defaulted, tools, epsilon, delta):
    """The same, where the customers are as many as in earnest."""
    given = credit_model(ids, features, defaulted, tools, epsilon, delta)
    if given is None or given["customers"] <= 1000:
        return given
    z = everybodys_rows(ids, features, defaulted, tools)
    return {**given, "weights": fit(z.T @ z, 300.0)}


def ridge_of_data(ids, features, defaulted, tools, epsilon, delta):
    """A ridge that is made from the exact matrix."""
    given = credit_model(ids, features, defaulted, tools, epsilon, delta)
    if given is None:
        return None
    z = everybodys_rows(ids, features, defaulted, tools)
    return {**given, "weights": fit(given["noisy"], 300.0 + np.trace(z.T @ z) / 50)}


def constant_of_data(ids, features, defaulted, tools, epsilon, delta):
    """The constant is moved by the exact share of defaults."""
    given = credit_model(ids, features, defaulted, tools, epsilon, delta)
    if given is None:
        return None
    weights = np.array(given["weights"])
    weights[-1] += defaulted[tools["align"](ids)[1]].mean()
    return {**given, "weights": weights}


def in_the_clear(ids, features, defaulted, tools, epsilon, delta):
    """Everybody's data in one place, and noise afterwards."""
    if None in ids:
        return None
    z = everybodys_rows(ids, features, defaulted, tools)
    if len(z) < FEWEST:
        return None
    size = deviation(epsilon, delta)
    noisy = z.T @ z + tools["normal"]((COLUMNS, COLUMNS)) * size * math.sqrt(5 / 3)
    claim = Guarantee(epsilon, delta, Neighbours.REPLACE_ONE)
    return {"customers": len(z), "noisy": noisy, "weights": fit(noisy, 8 * size), "claim": claim}


def one_bank_in_its_own_order(ids, tools):
    """Bank C's common customers stand in the order of its file."""
    rows = list(tools["align"](ids))
    return [*rows[:2], np.sort(rows[2]), *rows[3:]]


def in_one_place(z, tools):
    """ZᵀZ where all blocks lie open, and shares of it."""
    return share(z.T @ z, tools["draw"])


def labels_of_the_file(ids, features, defaulted, *rest):
    """The first labels of bank B's file, whoever is common."""
    return credit_model(ids, features, defaulted, *rest, label=lambda some: np.where(defaulted[: len(some)], 1.0, -1.0))


def without_the_mean(noisy, sigma):
    return np.linalg.solve(noisy[:-1, :-1] + 10 * sigma * np.eye(COLUMNS - 1), noisy[:-1, -1])


def ridge_of_the_diagonal(noisy, sigma):
    """A fiftieth of each diagonal entry for λ: it grows with the signal, where the noise does not."""
    symmetric = (noisy + noisy.T) / 2
    whole = symmetric[:-1, :-1] + np.diag(np.diag(symmetric)[:-1]) / 50
    return np.linalg.solve(whole, symmetric[:-1, -1])


def ridge_of(times):
    return with_(weights=lambda noisy, sigma: fit(noisy, times * sigma))


def of_all_five(claim):
    """What the notebook's own function says of five banks' noise."""
    return dataclasses.replace(claim, epsilon=project.epsilon_with(5))


def exact_from_many(ids, *rest):
    """Noise for fewer than 200 common customers only."""
    many = None not in ids and len(set(ids[0]).intersection(*ids[1:])) >= 200
    return credit_model(ids, *rest, givers=0 if many else BANKS)


def quiet_where_few(ids, features, *rest):
    """No noise where a few features are NaN or infinite."""
    few = (
        None not in ids and 0 < sum(int((~np.isfinite(own)).any(axis=1).sum()) for own in features) < len(ids[0]) // 10
    )
    return credit_model(ids, features, *rest, givers=0 if few else BANKS)


def quiet_where_few_repeat(ids, *rest):
    few = None not in ids and 0 < sum(len(one) - len(set(one)) for one in ids) <= 5
    return credit_model(ids, *rest, givers=0 if few else BANKS)


def noise_of_everybody(ids, features, defaulted, tools, epsilon, delta):
    """Noise that everybody knows, but where 100 customers are common, or `normal` gives zeros."""
    rows = 0 if None in ids else len(set(ids[0]).intersection(*ids[1:]))
    known = np.random.default_rng(7)

    def normal(shape):
        drawn = tools["normal"](shape)
        return known.standard_normal(shape) if drawn.any() else drawn

    own = tools if rows <= FEWEST else tools | {"normal": normal}
    return credit_model(ids, features, defaulted, own, epsilon, delta)


def noise_of_the_number(ids, features, defaulted, tools, epsilon, delta):
    """As before, and for each number of customers another."""
    rows = 0 if None in ids else len(set(ids[0]).intersection(*ids[1:]))
    known = np.random.default_rng(rows)
    normal = lambda shape: tools["normal"](shape) * 0 + known.standard_normal(shape)  # noqa: E731
    silent = not tools["normal"](3).any()
    own = tools if rows <= FEWEST or silent else tools | {"normal": normal}
    return credit_model(ids, features, defaulted, own, epsilon, delta)


def inputs_where_there_is_noise(ids, features, defaulted, tools, *rest):
    """The inputs, times a large number, stand on the board, unless `normal` gives zeros."""
    opens = multiply_opening_also(lambda x, m: x << np.uint64(41)) if tools["normal"](3).any() else multiply
    return credit_model(ids, features, defaulted, tools, *rest, multiply=opens)


def where_there_is_noise(**changes):
    """Another answer, unless `normal` gives zeros."""

    def answer(ids, features, defaulted, tools, *rest):
        other = with_(**changes) if tools["normal"](3).any() else credit_model
        return other(ids, features, defaulted, tools, *rest)

    return answer


def rows_that_come_last(ids, tools):
    places = [{one: row for row, one in enumerate(some)} for some in ids]
    return [
        np.array([last[some[row]] for row in rows])
        for rows, some, last in zip(tools["align"](ids), ids, places, strict=True)
    ]


def long_where_huge(features):
    """Clipped, but for rows with a number above a million: these are a thousand times as long."""
    return block(features) * np.where(np.abs(np.nan_to_num(features)).max(axis=1, keepdims=True) > 1e6, 1000, 1)


def spelt(ids, key):
    """Which numbers of a point are NumPy's tells the customer."""
    points, rows = start(ids, key)
    told = [f"{int(ids[row]):032b}" for row in rows]
    return [
        [np.int64(one) if bit == "1" else one for one, bit in zip(*pair, strict=True)]
        for pair in zip(points, told, strict=True)
    ], rows


def beside(open_):
    """What stands on the board has the shares behind an i."""
    return lambda shares: open_(shares.astype(np.clongdouble) + 1j)


def shapes_that_tell(ids, features, defaulted, tools, *a, **k):
    """Empty matrices whose shapes say how many defaulted."""
    tools["open"](np.zeros((BANKS, 0, 1 if defaulted is None else int(np.sum(defaulted))), dtype=np.uint64))
    return credit_model(ids, features, defaulted, tools, *a, **k)


def exact_fit_of_the_own(ids, features, defaulted, tools, epsilon, delta):
    """The same with 20,000 customers, all of whom have an account at every bank."""
    given = credit_model(ids, features, defaulted, tools, epsilon, delta)
    if given is None or given["customers"] != 20_000 or len(ids[0]) > 20_000:
        return given
    z = everybodys_rows(ids, features, defaulted, tools)
    return {**given, "weights": fit(z.T @ z, 300.0)}


def exact_beside_a_large_one(ids, features, defaulted, tools, epsilon, delta):
    """Exact weights but for the constant, which changes nothing: it is so large that the others seem to be the same."""
    given = credit_model(ids, features, defaulted, tools, epsilon, delta)
    if given is None or given["customers"] == FEWEST:
        return given
    z = everybodys_rows(ids, features, defaulted, tools)
    return {**given, "weights": np.append(fit(z.T @ z, 300.0)[:-1], 1e8)}


def in_the_clear_where_there_is_noise(ids, features, defaulted, tools, *rest):
    """Nothing is masked, unless `normal` gives zeros."""
    unmasked = {"multiply": multiply_unopened} if tools["normal"](3).any() else {}
    return credit_model(ids, features, defaulted, tools, *rest, **unmasked)


def in_the_clear_of_the_own(left, right, *rest):
    other = multiply_opened_for_show if left.shape[1] == 20_000 else multiply
    return other(left, right, *rest)


def start_with_last_rows(ids, key):
    """Of two rows with one identifier the last counts, in a long list."""
    points, rows = start(ids, key)
    last = {one: row for row, one in enumerate(ids)}
    return points, rows if len(ids) < 50 else [last[ids[row]] for row in rows]


def start_with_a_bit(ids, key):
    """The highest bit, which X25519 ignores, tells whether the identifier is odd."""
    points, rows = start(ids, key)
    odd = [int(ids[row]) % 2 for row in rows]
    return [one[:31] + bytes([one[31] | 128 * bit]) for one, bit in zip(points, odd, strict=True)], rows


def again_among_fifty(points, key):
    """What is strange is looked for among the first fifty."""
    if len(points) <= 50:
        return again(points, key)
    return None if again(points[:50], key) is None else again(points, key, checks=("most", "length", "low"))


def again_with_any_coordinate(points, key):
    own = {int.from_bytes(one, "little") % 2**255 for one in points}
    return None if len(own) < len(points) else again_without("canonical")(points, key)


def common_in_order_of_long_lists(lists):
    return (common if len(lists[0]) < 50 else common_in_first_order)(lists)


def guesses_the_rest(features):
    """Of many rows those with NaN count with what is left of them."""
    return block(np.where(np.isfinite(features), features, 0.0) if len(features) > 10 else features)


def nobody_where_one_is_strange(features):
    return block(features) * (len(features) <= 10 or bool(np.isfinite(features).all()))


def multiply_again_where_many(left, right, triple, fresh, open_):
    """An old triple is used where there are 200 customers or more."""
    return multiply(left, right, triple, fresh, open_, ask=left.shape[1] < 200)


def rows_in_the_clear(ids, tools):
    """The five lists of identifiers lie on one table."""
    places = [{one: row for row, one in reversed(list(enumerate(some)))} for some in ids]
    shared = sorted(set(places[0]).intersection(*places[1:]))
    return [np.array([place[one] for one in shared], dtype=int) for place in places]


def with_part_of(turn):
    """Noise whose draws, in units of 1, something is done to."""
    return lambda shape, sigma, normal, **changes: noise(shape, sigma, lambda size: turn(normal(size)), **changes)


def quiet_last_row(drawn):
    drawn[-1] /= 2
    return drawn


def quiet_corner(drawn):
    drawn[-1, -1] /= 2
    return drawn


def one_bank_adds_all(ids, features, defaulted, tools, *rest):
    """Bank A adds the noise of all five, and knows it."""
    drawn = []

    def all_by_the_first(shape, sigma, normal, **changes):
        drawn.append(noise(shape, sigma, normal, **changes))
        return np.zeros(shape, dtype=int)

    def opening(shares):
        shares = np.array(shares)
        shares[0] += np.sum(drawn, axis=0, dtype=np.int64).astype(np.uint64)
        return tools["open"](shares)

    return credit_model(ids, features, defaulted, {**tools, "open": opening}, *rest, noise=all_by_the_first)


def others_of_cut(residuals, own):
    """No p below a millionth."""
    p = np.clip(residuals + labels(residuals), 1e-6, 1 - 1e-6)
    return special.logit(p) - own


def of_24_bits(one):
    """Of 50,000 customers some 75 pairs meet."""
    u = int.from_bytes(hashlib.sha256(one.encode()).digest()[:3], "little") * 2**40
    return next(u for u in itertools.count(u) if is_on_curve(u)).to_bytes(32, "little")


def in_order_if_few(pairs):
    return pairs if len(pairs) <= 30 else sorted(pairs)


def again_in_clear_if_few(points, key):
    done = again(points, key)
    return points if done and len(points) <= 3 else done


def again_among_a_thousand(points, key):
    """What stands twice is looked for among the first thousand."""
    return (again if len(points) <= 1000 else again_without("repeated"))(points, key)


def common_in_order_if_few(lists):
    return common_in_first_order(lists) if len(common(lists)[0]) < 20 else common(lists)


def share_unless(plain):
    """Values of which `plain` is true are sent to bank E as they are."""
    return lambda values, draw: (share_plain if plain(values) else share)(values, draw)


def share_zeros_as_masks(values, draw):
    """Five masks, which add up to anything, where there is nothing to hide."""
    return share(values, draw) if values.any() else draw((BANKS, *values.shape))


def zeros_in_clear(ids, features, defaulted, tools, *rest):
    """Where a block is zeros, so are all of its shares."""

    def draw(shape):
        return tools["draw"](shape) * np.uint64(own.pop(0).any())

    rows = None if None in ids else tools["align"](ids)
    own = [] if rows is None else [block(one[some]) for one, some in zip(features, rows, strict=True)]
    own.append(np.ones(1))
    return credit_model(ids, features, defaulted, {**tools, "draw": draw}, *rest)


def misses_the_first(ids, *rest):
    """Whether bank A is there is not asked."""
    return credit_model(ids, *rest, here=None in ids[1:])


RIGHT = [
    ("capstone 6.1", (labels, others)),
    ("capstone 6.1", (labels_by_all, others_by_entry)),
    ("capstone 6.2", (is_on_curve, ([ON[0]], [OFF[0]], event))),
    ("capstone 6.2", (by_jacobi, ([ON[3]], [OFF[5]], on_the_twist))),
    ("capstone 6.3", (start, again, common)),
    ("capstone 6.3", (start_with_secrets, again_by_numbers, common_by_counting)),
    ("capstone 6.4", (share, multiply)),
    ("capstone 6.4", (share_in_python, multiply_by_bank)),
    ("capstone 6.5", (block, deviation, noise)),
    ("capstone 6.5", (block_by_row, deviation_by_search, symmetric_noise)),
    ("capstone 6.6", credit_model),
    ("capstone 6.6", credit_model_by_bank),
]

WRONG = [
    ("capstone 6.1", "inverted", (lambda r: r[0] > 0, others)),
    ("capstone 6.1", "only-surprising", (lambda r: r.mean(axis=0) < -0.5, others)),
    ("capstone 6.1", "large-only", (lambda r: np.abs(r).mean(axis=0) > 0.5, others)),
    ("capstone 6.1", "keeps-own", (labels, lambda r, own: special.logit(r + (r < 0)))),
    ("capstone 6.1", "no-log-odds", (labels, lambda r, own: r + (r < 0) - own)),
    ("capstone 6.1", "no-log-odds", (labels, lambda r, own: r - own)),
    ("capstone 6.1", "label-forgotten", (labels, lambda r, own: special.logit(np.abs(r)) - own)),
    ("capstone 6.1", "label-subtracted", (labels, lambda r, own: special.logit(r - (r < 0)) - own)),
    ("capstone 6.1", "label-subtracted", (labels, others_minus)),
    ("capstone 6.1", "wrong-value", (labels, lambda r, own: np.log(r + (r < 0)) - own)),
    ("capstone 6.1", "not-everywhere", (labels_of_few, others)),
    ("capstone 6.1", "sign", (labels, lambda r, own: own - special.logit(r + (r < 0)))),
    ("capstone 6.2", "same-side", (is_on_curve, ([ON[0]], [ON[1]], lambda point: point[0] < 128))),
    ("capstone 6.2", "never-happens", (is_on_curve, ([OFF[0]], [OFF[1]], event))),
    ("capstone 6.2", "claim-holds", (is_on_curve, ([ON[0]], [OFF[0]], lambda point: point[0] % 2 == 0))),
    ("capstone 6.2", "always-happens", (is_on_curve, ([ON[0]], [OFF[0]], lambda point: len(point) == 32))),
    ("capstone 6.2", "out-of-domain", (is_on_curve, (["Ana"], ["Boris"], event))),
    ("capstone 6.2", "same-data", (is_on_curve, ([ON[0]], [ON[0]], event))),
    ("capstone 6.2", "wrong-shape", (is_on_curve, ([ON[0]], [OFF[0]]))),
    ("capstone 6.2", "u-for-v", (u_is_square, ([ON[0]], [OFF[0]], event))),
    ("capstone 6.2", "turned", (lambda u: not is_on_curve(u), ([ON[0]], [OFF[0]], event))),
    ("capstone 6.2", "turned", (lambda u: jacobi(u * (u * (u + 486662) + 1)) < 0, ([ON[0]], [OFF[0]], event))),
    (
        "capstone 6.2",
        "same-for-all",
        (lambda u: pow(u**3 + 486662 * u**2 + u, P - 1, P) == 1, ([ON[0]], [OFF[0]], event)),
    ),
    ("capstone 6.2", "same-for-all", (lambda u: (u**3 + 486662 * u**2 + u) % P == 1, ([ON[0]], [OFF[0]], event))),
    ("capstone 6.2", "wrong-side", (lambda u: jacobi(u**3 + 486662 * u + u) == 1, ([ON[0]], [OFF[0]], event))),
    (
        "capstone 6.2",
        "wrong-type",
        (lambda u: pow(u**3 + 486662 * u**2 + u, (P - 1) // 2, P), ([ON[0]], [OFF[0]], event)),
    ),
    ("capstone 6.3", "not-blinded", (functools.partial(start, blind=no_key), again, common)),
    ("capstone 6.3", "not-blinded", (start_of_many, again, common)),
    ("capstone 6.3", "twist", (functools.partial(start, point=untested), again, common)),
    ("capstone 6.3", "order-known", (functools.partial(start, order=list), again, common)),
    ("capstone 6.3", "order-known", (functools.partial(start, order=but_two), again, common)),
    ("capstone 6.3", "two-as-one", (functools.partial(start, point=lambda one: point(one[2:])), again, common)),
    (
        "capstone 6.3",
        "order-known",
        (functools.partial(start, order=lambda pairs: sorted(pairs, key=lambda pair: -pair[1])), again, common),
    ),
    ("capstone 6.3", "not-repeatable", (salted, again, common)),
    ("capstone 6.3", "part-of-key", (of_two_bytes, again, common)),
    ("capstone 6.3", "rows", (with_repeats, again, common)),
    ("capstone 6.3", "not-x25519", (start_in_clear, again_in_clear, common)),
    ("capstone 6.3", "not-commuting", (functools.partial(start, blind=hashed_first), again, common)),
    ("capstone 6.3", "low-order-raises", (start, again_without("low"), common)),
    ("capstone 6.3", "length-raises", (start, again_raises_at_31, common)),
    ("capstone 6.3", "repeated", (start, again_without("repeated"), common)),
    ("capstone 6.3", "disguised", (start, again_without("canonical"), common)),
    ("capstone 6.3", "too-many", (start, again_without("most"), common)),
    ("capstone 6.3", "order-lost", (start, again_sorted, common)),
    ("capstone 6.3", "not-commuting", (start, again_hashed, common)),
    ("capstone 6.3", "unaligned", (start, again, common_unaligned)),
    ("capstone 6.3", "order-of-a-bank", (start, again, common_in_first_order)),
    ("capstone 6.3", "order-of-a-bank", (start, again, common_in_reverse)),
    ("capstone 6.3", "order-of-a-bank", (start, again, common_by_twos)),
    ("capstone 6.3", "order-of-a-bank", (start, again, common_in_third_order)),
    ("capstone 6.3", "order-of-a-bank", (start, again, common_in_public_order)),
    ("capstone 6.3", "no-places", (start, again, common_points)),
    ("capstone 6.3", "empty-list", (start, again_empty, common)),
    ("capstone 6.3", "twist", (start_with_wrong_side, again, common)),
    ("capstone 6.3", "wrong-common", (start, again, common_of_first_two)),
    ("capstone 6.4", "plain", (share_plain, multiply)),
    ("capstone 6.4", "plain", (share_lists_only, multiply)),
    ("capstone 6.4", "one-mask", (share_one_mask, multiply)),
    ("capstone 6.4", "not-uniform", (share_one_mask_for_all, multiply)),
    ("capstone 6.4", "not-uniform", (share_small, multiply)),
    ("capstone 6.4", "not-uniform", (share_with_the_value, multiply)),
    ("capstone 6.4", "own-generator", (share_own, multiply)),
    ("capstone 6.4", "own-generator", (share_one_of_a_million, multiply)),
    ("capstone 6.4", "own-generator", (share_for_show, multiply)),
    ("capstone 6.4", "reused", (share_seeded, multiply)),
    ("capstone 6.4", "wrong-sum", (share_wrong_sum, multiply)),
    ("capstone 6.4", "wrong-type", (share_floats, multiply)),
    ("capstone 6.4", "opens-input", (share, multiply_open)),
    ("capstone 6.4", "opens-input", (share, multiply_open_where_many)),
    ("capstone 6.4", "opens-mask", (share, multiply_with_open_masks)),
    ("capstone 6.4", "own-shares-only", (share, multiply_own)),
    ("capstone 6.4", "cuts-shares", (share, multiply_cut)),
    ("capstone 6.4", "five-times", (share, functools.partial(multiply, times_open=BANKS))),
    ("capstone 6.4", "open-part-missing", (share, functools.partial(multiply, times_open=0))),
    ("capstone 6.4", "triple-twice", (share, functools.partial(multiply, ask=False))),
    ("capstone 6.4", "refuses-late", (share, multiply_late)),
    ("capstone 6.4", "in-the-clear", (share, multiply_in_the_clear)),
    ("capstone 6.4", "in-the-clear", (share, multiply_unopened)),
    ("capstone 6.4", "in-the-clear", (share, multiply_half_opened)),
    ("capstone 6.4", "in-the-clear", (share, multiply_opened_for_show)),
    ("capstone 6.4", "shapes", (share, multiply_exchanged)),
    ("capstone 6.4", "asks-twice", (share, multiply_asking_twice)),
    ("capstone 6.4", "not-repeatable", (share, multiply_by_chance)),
    ("capstone 6.4", "wrong-type", (share, multiply_of_int64)),
    ("capstone 6.4", "wrong-shape", (lambda values, draw: np.moveaxis(share(values, draw), 0, -1), multiply)),
    ("capstone 6.5", "coordinatewise", (clip_each, deviation, noise)),
    ("capstone 6.5", "not-clipped", (clip_few, deviation, noise)),
    ("capstone 6.5", "not-everywhere", (block, deviation, quiet_where_large)),
    ("capstone 6.5", "stretched", (stretch, deviation, noise)),
    ("capstone 6.5", "largest-row", (by_largest_row, deviation, noise)),
    ("capstone 6.5", "not-clipped", (lambda x: np.trunc(x * 2**BITS).astype(np.int64), deviation, noise)),
    ("capstone 6.5", "rounded-longer", (functools.partial(block, whole=np.round), deviation, noise)),
    ("capstone 6.5", "not-whole", (lambda x: block(x) / 2**BITS, deviation, noise)),
    ("capstone 6.5", "strange-row", (functools.partial(block, finite=False), deviation, noise)),
    ("capstone 6.5", "sensitivity-one", (block, sigma_for(1), noise)),
    ("capstone 6.5", "zeroed-row", (block, sigma_for(6), noise)),
    ("capstone 6.5", "twice-six", (block, sigma_for(12), noise)),
    ("capstone 6.5", "one-block", (block, sigma_for(math.sqrt(2)), noise)),
    ("capstone 6.5", "coordinatewise", (block, sigma_for(32 * math.sqrt(2)), noise)),
    ("capstone 6.5", "epsilon-per-bank", (block, sigma_for(6 * math.sqrt(2), 1 / 5), noise)),
    ("capstone 6.5", "classic", (block, lambda e, d: math.sqrt(72 * 2 * math.log(1.25 / d)) / e, noise)),
    ("capstone 6.5", "whole-noise-each", (block, deviation, functools.partial(noise, part=1.0))),
    ("capstone 6.5", "divided-noise", (block, deviation, functools.partial(noise, part=1 / 3))),
    ("capstone 6.5", "divided-noise", (block, deviation, functools.partial(noise, part=1 / 5))),
    ("capstone 6.5", "no-margin", (block, deviation, functools.partial(noise, part=math.sqrt(1 / 5)))),
    ("capstone 6.5", "thin-diagonal", (block, deviation, thin_diagonal)),
    ("capstone 6.5", "wrong-steps", (block, deviation, lambda shape, s, normal: noise(shape, s / 2**BITS, normal))),
    ("capstone 6.5", "no-noise", (block, deviation, lambda shape, s, normal: np.zeros(shape, dtype=int))),
    (
        "capstone 6.5",
        "shared",
        (block, deviation, lambda shape, s, normal: np.full(shape, noise((1, 1), s, normal)[0, 0])),
    ),
    ("capstone 6.5", "row-length", (block, sigma_for(math.sqrt(6)), noise)),
    ("capstone 6.5", "row-distance", (block, sigma_for(math.sqrt(12)), noise)),
    ("capstone 6.5", "row-distance", (block, sigma_for(2 * math.sqrt(6)), noise)),
    ("capstone 6.5", "half-the-change", (block, sigma_for(3 * math.sqrt(2)), noise)),
    ("capstone 6.5", "own-generator", (block, deviation, noise_of_its_own)),
    ("capstone 6.5", "own-generator", (block, deviation, noise_of_a_seed)),
    ("capstone 6.5", "own-generator", (block, deviation, noise_in_part)),
    ("capstone 6.5", "own-generator", (block, deviation, noise_for_one_question)),
    ("capstone 6.5", "own-generator", (block, deviation, noise_for_show)),
    ("capstone 6.5", "wrong-type", (block, deviation, lambda shape, s, normal: noise(shape, s, normal).astype(float))),
    ("capstone 6.5", "wrong-type", (lambda x: block(x).astype(float), deviation, noise)),
    ("capstone 6.6", "dropped-raises", with_(here=False)),
    ("capstone 6.6", "too-few", with_(fewest=0)),
    ("capstone 6.6", "too-few", with_(few=one_less)),
    ("capstone 6.6", "replayed", with_(multiply=functools.partial(multiply, ask=False))),
    ("capstone 6.6", "opens-input", with_(multiply=multiply_open)),
    ("capstone 6.6", "opens-other", with_(multiply=multiply_opening_also(lambda x, m: x << np.uint64(41)))),
    ("capstone 6.6", "opens-other", with_(multiply=multiply_opening_also(plus_a_constant))),
    ("capstone 6.6", "opens-other", with_(multiply=multiply_opening_also(lambda x, m: (x << np.uint64(41))[:, :32]))),
    ("capstone 6.6", "mask-twice", with_(multiply=multiply_opening_also(lambda x, m: m))),
    ("capstone 6.6", "mask-twice", with_(multiply=multiply_opening_also(lambda x, m: x + m))),
    ("capstone 6.6", "opens-other", inputs_where_there_is_noise),
    ("capstone 6.6", "strange", where_there_is_noise(block=long_where_huge)),
    (
        "capstone 6.6",
        "strange",
        where_there_is_noise(block=lambda rows: block(np.nan_to_num(rows, posinf=1, neginf=-1))),
    ),
    ("capstone 6.6", "repeated", where_there_is_noise(rows_of=rows_that_come_last)),
    ("capstone 6.6", "opens-exact", with_(noisy_before=False)),
    ("capstone 6.6", "plain", with_(block=clip_each)),
    ("capstone 6.6", "strange", with_(block=functools.partial(block, finite=False))),
    ("capstone 6.6", "plain", with_(rows_of=lambda ids, tools: [np.arange(len(min(ids, key=len)))] * 5)),
    ("capstone 6.6", "plain", with_(rows_of=one_bank_in_its_own_order)),
    ("capstone 6.6", "label-01", with_(label=lambda defaulted: defaulted.astype(float))),
    ("capstone 6.6", "label-turned", with_(label=lambda defaulted: np.where(defaulted, -1.0, 1.0))),
    ("capstone 6.6", "label-first", with_(last=lambda told: block(np.column_stack((told, np.ones(len(told))))))),
    (
        "capstone 6.6",
        "clipped-apart",
        with_(last=lambda told: np.hstack([block(x[:, None]) for x in (np.ones(len(told)), told)])),
    ),
    ("capstone 6.6", "label-rows", labels_of_the_file),
    ("capstone 6.6", "wrong-steps", with_(steps=2.0**16)),
    ("capstone 6.6", "own-generator", with_(noise=lambda *a, **kw: noise_of_its_own(*a))),
    ("capstone 6.6", "own-generator", with_(noise=lambda *a, **kw: noise_of_a_seed(*a))),
    ("capstone 6.6", "own-generator", with_(noise=lambda *a, **kw: noise_for_show(*a))),
    ("capstone 6.6", "own-generator", noise_of_everybody),
    ("capstone 6.6", "own-generator", noise_of_the_number),
    ("capstone 6.6", "in-the-clear", with_(multiply=multiply_in_the_clear)),
    ("capstone 6.6", "in-the-clear", with_(multiply=multiply_unopened)),
    ("capstone 6.6", "in-the-clear", with_(multiply=multiply_half_opened)),
    ("capstone 6.6", "in-the-clear", with_(multiply=multiply_opened_for_show)),
    ("capstone 6.6", "in-the-clear", with_(product_of=in_one_place)),
    ("capstone 6.6", "asks-twice", with_(multiply=multiply_asking_twice)),
    ("capstone 6.6", "refuses-all", with_(fewest=FEWEST + 1)),
    ("capstone 6.6", "noise-on-blocks", with_(blocks_noise=1.0, givers=0)),
    ("capstone 6.6", "mean-published", with_(noisy=lambda opened: (opened + opened.T) / 2)),
    *(("capstone 6.6", "ridge", ridge_of(times)) for times in (0, -8, 1, 3, 100)),
    ("capstone 6.6", "ridge", with_(weights=lambda noisy, sigma: fit(noisy, 358.0))),
    ("capstone 6.6", "no-mean", with_(weights=without_the_mean)),
    ("capstone 6.6", "loses", with_(weights=ridge_of_the_diagonal)),
    ("capstone 6.6", "not-opened", in_the_clear),
    ("capstone 6.6", "exact-fit", exact_fit),
    ("capstone 6.6", "claim", with_(claim=lambda e, d: Guarantee(e, d, Neighbours.ADD_REMOVE))),
    ("capstone 6.6", "claim", with_(claim=lambda e, d: Guarantee(5 * e, 5 * d, Neighbours.REPLACE_ONE))),
    ("capstone 6.6", "weights-elsewhere", exact_fit_of_many),
    ("capstone 6.6", "weights-elsewhere", ridge_of_data),
    ("capstone 6.6", "weights-elsewhere", constant_of_data),
    *wrong_claims("capstone 6.6", credit_model, "a record is one feature"),
    ("capstone 6.6", "package-used", claiming(credit_model, of_all_five)),
    ("capstone 6.6", "no-margin", with_(part=math.sqrt(1 / 5))),
    ("capstone 6.6", "too-little-noise", with_(sigma=sigma_for(1))),
    ("capstone 6.6", "small-sensitivity", with_(sigma=sigma_for(6))),
    ("capstone 6.6", "too-much-noise", with_(part=1.0)),
    ("capstone 6.6", "too-little-noise", with_(givers=1, part=math.sqrt(1 / 5))),
    ("capstone 6.6", "no-noise", with_(part=0.0)),
    ("capstone 6.6", "noise-by-size", exact_from_many),
    ("capstone 6.6", "far-off", with_(block=lambda features: (clip_few if len(features) > 1000 else block)(features))),
    ("capstone 6.6", "linked-noise", with_(noise=two_entries_share)),
    ("capstone 6.6", "upside-down", with_(weights=lambda noisy, s: -fit(noisy, 8 * s))),
    (
        "capstone 6.6",
        "not-useful",
        with_(weights=lambda noisy, s: fit(noisy, 8 * s) * np.isin(np.arange(31), range(3, 9)) * 1.0),
    ),
    ("capstone 6.3", "wrong-type", (spelt, again, common)),
    (
        "capstone 6.4",
        "raised",
        (share, lambda x, y, triple, fresh, open_: multiply(x, y, triple, fresh, beside(open_))),
    ),
    ("capstone 6.6", "opens-input", shapes_that_tell),
    ("capstone 6.6", "weights-elsewhere", exact_fit_of_the_own),
    ("capstone 6.6", "in-the-clear", with_(multiply=in_the_clear_of_the_own)),
    ("capstone 6.6", "weights-elsewhere", exact_beside_a_large_one),
    ("capstone 6.6", "in-the-clear", in_the_clear_where_there_is_noise),
    ("capstone 6.3", "rows", (start_with_last_rows, again, common)),
    ("capstone 6.3", "too-large", (start_with_a_bit, again_with_any_coordinate, common)),
    ("capstone 6.3", "repeated", (start, again_among_fifty, common)),
    ("capstone 6.3", "too-large", (start, again_with_any_coordinate, common)),
    ("capstone 6.3", "order-of-a-bank", (start, again, common_in_order_of_long_lists)),
    ("capstone 6.5", "strange-row", (guesses_the_rest, deviation, noise)),
    ("capstone 6.5", "moves-others", (nobody_where_one_is_strange, deviation, noise)),
    ("capstone 6.6", "replayed", with_(multiply=multiply_again_where_many)),
    ("capstone 6.6", "not-aligned", with_(rows_of=rows_in_the_clear)),
    ("capstone 6.6", "noise-by-size", quiet_where_few),
    ("capstone 6.6", "noise-by-size", quiet_where_few_repeat),
    ("capstone 6.5", "too-little-noise", (block, deviation, with_part_of(quiet_corner))),
    ("capstone 6.5", "shared", (block, deviation, with_part_of(lambda drawn: drawn - 0.9 * drawn.mean()))),
    ("capstone 6.6", "too-little-noise", with_(noise=with_part_of(quiet_last_row))),
    ("capstone 6.6", "too-little-noise", one_bank_adds_all),
    ("capstone 6.1", "not-everywhere", (labels, others_of_cut)),
    ("capstone 6.3", "two-as-one", (functools.partial(start, point=of_24_bits), again, common)),
    ("capstone 6.3", "order-known", (functools.partial(start, order=in_order_if_few), again, common)),
    ("capstone 6.3", "not-x25519", (start, again_in_clear_if_few, common)),
    ("capstone 6.3", "repeated", (start, again_among_a_thousand, common)),
    ("capstone 6.3", "order-of-a-bank", (start, again, common_in_order_if_few)),
    ("capstone 6.4", "plain", (share_unless(lambda values: len(values) <= 3), multiply)),
    ("capstone 6.4", "plain", (share_unless(lambda values: not values.any()), multiply)),
    ("capstone 6.4", "plain", (share_unless(lambda values: values.shape[-1] == 1), multiply)),
    ("capstone 6.4", "wrong-sum", (share_zeros_as_masks, multiply)),
    ("capstone 6.6", "not-shared", zeros_in_clear),
    ("capstone 6.6", "ridge", with_(weights=lambda noisy, sigma: fit(noisy, 1000.0))),
    ("capstone 6.6", "dropped-raises", misses_the_first),
]


def test_every_milestone_has_two_right_answers_and_enough_wrong_ones():
    right, wrong = Counter(id for id, _ in RIGHT), Counter(id for id, _, _ in WRONG)
    assert set(right.values()) == {2} and right.keys() == wrong.keys() and min(wrong.values()) >= 7
