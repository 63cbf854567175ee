"""Capstone 6's figures and cryptography: closed forms, independent arithmetic, and the notebook under random mixes."""

import math

import numpy as np
import pytest
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from scipy import stats

from dpcourse.datasets import simulate_customers
from dpcourse.lessons import capstone_6 as c6
from dpcourse.lessons.capstone_6 import numbers
from dpcourse.lessons.capstone_6.exercises.tools import by_name, run_of
from dpcourse.lessons.capstone_6.exercises.world import EXACT, MIXES, Silent, exact_matrix, five_banks, made

P = 2**255 - 19


def ladder(scalar, u):
    """X25519 as RFC 7748 writes it, in Python's own integers."""
    k = int.from_bytes(scalar, "little") & ((1 << 255) - 8) | 1 << 254
    k &= (1 << 255) - 1
    x1 = int.from_bytes(u, "little") % 2**255 % P
    x2, z2, x3, z3, swapped = 1, 0, x1, 1, 0
    for t in reversed(range(255)):
        bit = k >> t & 1
        if swapped ^ bit:
            x2, x3, z2, z3 = x3, x2, z3, z2
        swapped = bit
        a, b, c, d = x2 + z2, x2 - z2, x3 + z3, x3 - z3
        da, cb, aa, bb = d * a, c * b, a * a, b * b
        x3, z3 = (da + cb) ** 2 % P, x1 * (da - cb) ** 2 % P
        x2, z2 = aa * bb % P, (aa - bb) * (aa + 121665 * (aa - bb)) % P
    if swapped:
        x2, z2 = x3, z3
    return (x2 * pow(z2, P - 2, P) % P).to_bytes(32, "little")


def exchange(key, point):
    return key.exchange(X25519PublicKey.from_public_bytes(point))


def test_x25519_against_rfc_7748_and_python():
    scalar = bytes.fromhex("a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4")
    u = bytes.fromhex("e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c")
    wanted = "c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552"
    assert ladder(scalar, u).hex() == exchange(X25519PrivateKey.from_private_bytes(scalar), u).hex() == wanted
    rng = np.random.default_rng(0)
    for _ in range(20):
        one, two, point = (rng.bytes(32) for _ in range(3))
        keys = [X25519PrivateKey.from_private_bytes(k) for k in (one, two)]
        assert exchange(keys[0], point) == ladder(one, point)
        assert exchange(keys[0], exchange(keys[1], point)) == exchange(keys[1], exchange(keys[0], point))


def test_points_of_low_order():
    """Every key sends them to zero, and `cryptography` refuses them; they are all there are below P + 2."""
    rng = np.random.default_rng(1)
    for u in numbers.LOW_ORDER:
        assert not any(ladder(rng.bytes(32), u.to_bytes(32, "little")))
        with pytest.raises(ValueError, match="shared key"):
            exchange(X25519PrivateKey.generate(), u.to_bytes(32, "little"))
    # Orders 1, 2, 4 and 8 of curve and twist: u = 0; u = ±1; and the roots of doubling to u = 1.
    for u in numbers.LOW_ORDER[2:4]:
        assert (u * u - 1) ** 2 % P == 4 * (u**3 + 486662 * u * u + u) % P  # the double of u is 1


def test_the_side_survives_blinding():
    """Half of all numbers are on the curve, and every key leaves them there. A share off by 5 deviations: 1e-6."""
    rng = np.random.default_rng(2)
    points = [numbers.first_hash(str(k)) for k in range(1000)]
    sides = [numbers.on_curve(int.from_bytes(point, "little")) for point in points]
    assert abs(np.mean(sides) - 0.5) < 5 * 0.5 / math.sqrt(1000)
    keys = [X25519PrivateKey.from_private_bytes(rng.bytes(32)) for _ in range(3)]
    for key in keys:
        assert sides == [numbers.on_curve(int.from_bytes(exchange(key, point), "little")) for point in points]


def test_blinded_points_and_uniform_numbers(reference):
    """χ² over 16 classes; false alarm 1e-9 each."""
    rng = np.random.default_rng(16)
    points, _ = reference["start"]([str(k) for k in range(3000)], rng.bytes(32))
    whole = [int.from_bytes(point, "little") for point in points]
    drawn = c6.uniform(64_000)
    for classes in ([u & 15 for u in whole], [u >> 251 for u in whole], drawn & 15, drawn >> 60):
        assert stats.chisquare(np.bincount(np.array(classes, dtype=int), minlength=16)).pvalue > 1e-9
    assert stats.kstest(c6.normal(50_000), "norm").pvalue > 1e-9


def test_two_hundred_meetings(reference):
    """Random lists, empty ones too, against Python's sets."""
    rng = np.random.default_rng(3)
    meet = c6.meet(reference["start"], reference["again"], reference["common"])
    for _ in range(200):
        people = [f"{k:09}" for k in rng.choice(10**9, int(rng.integers(1, 7)), replace=False)]
        ids = [[one for one in people if rng.random() < 0.85] for _ in range(5)]
        ids = [[*some, *some[:1]] for some in ids]  # and one of them twice
        rows = meet(ids)
        named = [[some[row] for row in place] for some, place in zip(ids, rows, strict=True)]
        assert set(named[0]) == set.intersection(*map(set, ids)) and len(named[0]) == len(set(named[0]))
        assert all(one == named[0] for one in named)


def test_against_openmined_psi(reference):
    """Sizes of two sets' intersections, where that package installs (Linux on x86-64, macOS on ARM)."""
    psi = pytest.importorskip("private_set_intersection.python")
    rng = np.random.default_rng(4)
    meet = c6.meet(reference["start"], reference["again"], reference["common"])
    for _ in range(5):
        people = [f"{k:09}" for k in rng.choice(10**9, 60, replace=False)]
        one, two = ([person for person in people if rng.random() < 0.6] for _ in range(2))
        client, server = psi.client.CreateWithNewKey(False), psi.server.CreateWithNewKey(False)
        setup = server.CreateSetupMessage(1e-9, len(one), two, psi.DataStructure.GCS)
        request = client.CreateRequest(one)
        size = client.GetIntersectionSize(setup, server.ProcessRequest(request))
        assert size == len(meet([one, two, one, two, one])[0])


def test_wrong_keys_never_match(reference):
    """A bank that blinds with a new key for every list shares no customer with anybody."""
    rng, ids = np.random.default_rng(17), [str(k) for k in range(20)]
    lists = []
    for _ in range(5):
        points, _ = reference["start"](ids, rng.bytes(32))
        lists.append(reference["again"](points, rng.bytes(32)))
    assert reference["common"](lists) == [[]] * 5


def test_tampered_lists_are_refused_or_fall_out(reference):
    """Two hundred lists with one flipped bit: `again` refuses, or exactly the flipped point has no partner."""
    rng = np.random.default_rng(5)
    points, _ = reference["start"]([str(k) for k in range(8)], rng.bytes(32))
    other = rng.bytes(32)
    honest = reference["again"](points, other)
    for _ in range(200):
        place, bit = int(rng.integers(8)), int(rng.integers(256))
        bad = bytearray(points[place])
        bad[bit // 8] ^= 1 << bit % 8
        done = reference["again"]([*points[:place], bytes(bad), *points[place + 1 :]], other)
        if bit == 255:
            assert done is None
        elif done is not None:
            assert [one == two for one, two in zip(done, honest, strict=True)] == [k != place for k in range(8)]


def test_products_at_the_edges(reference):
    """Against Python's integers modulo 2^64: the largest and the smallest numbers, one row, two hundred draws."""
    rng = np.random.default_rng(6)
    for _ in range(200):
        n, p, q = (int(rng.integers(1, 5)) for _ in range(3))
        x, y = (rng.choice([-(2**63), -1, 0, 1, 2**62, 2**63 - 1], (n, k)) for k in (p, q))
        run = run_of(rng)
        shares = [reference["share"](one, c6.uniform) for one in (x, y)]
        product = reference["multiply"](*shares, run.deal(n, p, q), run.fresh, run.open)
        right = [[sum(int(x[i, a]) * int(y[i, b]) for i in range(n)) % 2**64 for b in range(q)] for a in range(p)]
        assert (product.sum(axis=0, dtype=np.uint64)).tolist() == right


def test_products_against_tenseal(reference):
    """Products on shares and under another encryption (BFV) of the same numbers, where tenseal installs."""
    ts = pytest.importorskip("tenseal", reason="tenseal is not installed: it is no dependency")
    rng = np.random.default_rng(7)
    context = ts.context(ts.SCHEME_TYPE.BFV, poly_modulus_degree=8192, plain_modulus=1032193)
    context.generate_galois_keys()  # a sum over slots rotates them
    for n, p, q in ((1, 1, 1), (30, 2, 2), (100, 1, 2)):
        x, y = (
            rng.integers(-60, 61, (n, p)),
            rng.integers(-60, 61, (n, q)),
        )  # far below half the modulus
        run = run_of(rng)
        shares = [reference["share"](one, c6.uniform) for one in (x, y)]
        product = reference["multiply"](*shares, run.deal(n, p, q), run.fresh, run.open)
        left, right = ([ts.bfv_vector(context, column) for column in one.T.tolist()] for one in (x, y))
        theirs = [[a.dot(b).decrypt()[0] for b in right] for a in left]
        assert product.sum(axis=0, dtype=np.uint64).view(np.int64).tolist() == theirs


def test_a_block_is_never_too_long(reference):
    """Integer arithmetic: no rounding can hide a step too many. Rows near and beyond the bound, huge and tiny ones."""
    rng = np.random.default_rng(7)
    rows = rng.normal(size=(20_000, 6)) * 10.0 ** rng.uniform(-3, 300, (20_000, 1))
    for features in (rows, rows / np.linalg.norm(rows / 1e150, axis=1, keepdims=True) / 1e150, np.eye(6)):
        squares = [sum(x * x for x in row) for row in reference["block"](features).tolist()]
        assert max(squares) <= 2**32
    pair = reference["block"](np.array([[1.0, 1.0], [1.0, -1.0]])).tolist()
    assert pair == [[46340, 46340], [46340, -46340]]  # 46340 = ⌊2^16/√2⌋


def test_the_sensitivity_is_reached_and_not_exceeded():
    """Random rows of six blocks stay below 6√2; two perpendicular ones reach it."""
    rng = np.random.default_rng(8)
    z, w = rng.normal(size=(2, 4000, 32))
    for rows in (z, w):
        for block in (*(slice(6 * k, 6 * k + 6) for k in range(5)), slice(30, 32)):
            rows[:, block] /= np.linalg.norm(rows[:, block], axis=1, keepdims=True)
    change = np.linalg.norm(z[:, :, None] * z[:, None] - w[:, :, None] * w[:, None], axis=(1, 2))
    assert change.max() <= numbers.SENSITIVITY
    one = np.zeros(32)
    one[[0, 6, 12, 18, 24]] = 1
    one[30:] = math.sqrt(0.5)
    other = one.copy()
    other[[0, 6, 12, 18, 24]] = (-1, 0, 0, 0, 0)  # A's block turned round, the others' perpendicular
    other[[7, 13, 19, 25]] = 1
    assert one @ other == pytest.approx(0) and one @ one == pytest.approx(6) == other @ other
    reached = np.linalg.norm(np.outer(one, one) - np.outer(other, other))
    assert reached == pytest.approx(numbers.SENSITIVITY)


def test_sigma_against_the_privacy_loss_distribution():
    """The whole matrix is one Gaussian release: μ = Δ/σ. An independent accountant agrees on ε."""
    accounting = pytest.importorskip("dp_accounting.pld.privacy_loss_distribution")
    for epsilon in (0.3, 1.0, 3.0):
        z = numbers.sigma(epsilon) / numbers.SENSITIVITY
        pld = accounting.from_gaussian_mechanism(z, value_discretization_interval=1e-4)
        assert abs(pld.get_epsilon_for_delta(c6.DELTA) - epsilon) < 0.01 * epsilon
    assert [round(c6.epsilon_with(k), 2) for k in (5, 3, 2, 1)] == [0.76, 1.0, 1.24, 1.81]


def test_the_proposal():
    """Figures of the notebook, on other worlds."""
    cost = c6.same_customers_five_times()
    assert cost["pure"] == 5 and abs(cost["Gaussian"] - 2.44) < 0.005
    ids = [f"{k:04}" for k in (3, 77, 9999)]
    assert c6.guessed([c6.hashed(one) for one in ids], digits=4) == ids
    world = simulate_customers(2_000, applicants=1, rng=9)
    seen = c6.residual_rounds(world)
    assert all(((row < 0) == seen.defaulted).all() for row in seen.residuals)
    linear = c6.residual_rounds(world, rate=0.2, linear=True)
    assert 0.75 < linear.told < 0.92
    slow, fast, rounded = (c6.told([30, 100], rng=10, **kw) for kw in ({"rate": 0.5}, {}, {"rate": 0.5, "bits": 16}))
    assert 0.55 < slow[0] < slow[1] < 0.95 < fast[0]
    assert c6.from_own_features(world, 100) < 0.5 < rounded[1] < slow[1]


def test_what_five_banks_gain():
    """20,000 customers, ten worlds: the mean gain deviates by 0.008, what noise costs by 0.001."""
    at = c6.models(20_000, (1.0, 3.0), worlds=10, rng=11)
    gain = {epsilon: float((some - at.best_bank).mean()) for epsilon, some in at.private.items()}
    assert gain[1.0] >= 0.04 and (at.together - at.private[1.0]).mean() < 0.015
    assert 0 < (at.together - at.private[3.0]).mean() < 0.005
    few = c6.models(2_000, (1.0,), worlds=10, rng=11)
    assert (few.private[1.0] - few.best_bank).mean() < 0
    without = c6.models(5_000, (1.0,), worlds=5, ridge=0.0, rng=11)
    assert (c6.models(5_000, (1.0,), worlds=5, rng=11).private[1.0] - without.private[1.0]).mean() > 0.05


def test_auc_against_scikit_learn():
    from sklearn.metrics import roc_auc_score

    rng = np.random.default_rng(12)
    score, y = np.round(rng.normal(size=500), 1), rng.random(500) < 0.2
    assert c6.auc(score, y) == pytest.approx(roc_auc_score(y, score))


@pytest.mark.parametrize("kind", MIXES)
def test_two_hundred_random_mixes(reference, kind):
    """Without noise nothing but the right matrix may come out of the notebook's own function."""
    rng = np.random.default_rng(13)
    for _ in range(200):
        run, banks = run_of(rng), five_banks(rng, int(rng.integers(100, 130)), kind)
        given = made(reference["credit_model"], [*banks], run, Silent())
        right = exact_matrix(banks, run.align([bank.ids for bank in banks]))
        assert np.abs(given["noisy"] - right).max() < EXACT


def test_every_pattern_of_dropouts(reference):
    """All five banks are needed: each of 31 patterns with somebody missing is refused, and nothing is opened."""
    rng = np.random.default_rng(14)
    banks = five_banks(rng, 100)
    for pattern in range(32):
        run = run_of(rng)
        here = [bank if pattern >> k & 1 else None for k, bank in enumerate(banks)]
        given = made(reference["credit_model"], here, run, Silent())
        assert (given is not None) == (pattern == 31) == bool(run.board)


def test_a_lie():
    world = simulate_customers(5_000, applicants=5_000, rng=15)
    honest, zeros = c6.lie(world, 0.0, epsilon=20.0, rng=0)
    assert honest > zeros and c6.lie(world, 1.0, rng=0)[0] == c6.lie(world, 1.0, rng=0)[1]


def test_one_wrong_share_reads_a_row(reference):
    """What a bank that lies about a share can do: the first customer's row, to five digits, in 20 worlds."""
    rng = np.random.default_rng(18)
    for _ in range(20):
        banks = five_banks(rng, 120)
        rows = by_name([bank.ids for bank in banks])
        run = c6.LyingRun(lambda ids, rows=rows: rows)
        given = made(reference["credit_model"], [*banks], run, rng.standard_normal)
        first = [np.array([place[0]]) for place in rows]
        features = np.hstack([bank.features[place] for bank, place in zip(banks, first, strict=True)])
        row = c6.rows_of(features, banks[1].defaulted[first[1]])[0]
        assert np.abs(given["noisy"][0] / c6.LIE - row).max() < 2e-5  # the blocks come in steps of 1.5e-5


def test_bytes_that_a_bank_sends():
    sent = c6.sent_bytes(20_000, 25_000)
    assert sent == {"points": 4_000_000, "shares": 3_840_000, "opened": 10_240_000 + 8_192}


def test_pictures_say_what_they_show():
    sizes = np.array([1_000, 2_000, 4_000])
    private = np.array([0.7, 0.74, 0.79])
    some, never = (c6.draw_needed(sizes, np.full(3, best), np.full(3, 0.82), private, 1.0) for best in (0.75, 0.8))
    assert "4,000 customers: best bank 0.75" in some.alt
    assert "from about 4,000" in some.view["p"][0]["t"] and "never" in never.view["p"][0]["t"]
    told = c6.draw_told(np.array([10, 30]), {"floats": np.array([0.3, 1.0]), "rounded": np.array([0.3, 0.5])}, 0.4)
    assert "floats: 0.30 with 10 known customers, 1.00 with 30" in told.alt and "give 0.40" in told.alt
