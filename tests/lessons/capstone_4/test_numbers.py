"""Capstone 4: the simulator, what an opened sum tells, the bound, the dealer, and what liars can do.

Seeds are fixed; where a test is statistical, its false-alarm rate stands beside it.
"""

import functools
import importlib.util
import itertools
import math
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from scipy import optimize, stats

from dpcourse.checks.answers import Answer
from dpcourse.datasets import simulate_centres
from dpcourse.lessons import capstone_4 as project
from dpcourse.lessons.capstone_4.exercises import reference, world

HERE = Path(__file__).parent


def answers():
    """The known answers of this project, as `test_answers` loads them."""
    spec = importlib.util.spec_from_file_location("answers_capstone_4", HERE / "test_exercises.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


known = answers()


@pytest.fixture(scope="module")
def centres():
    return simulate_centres(rng=4)


def test_the_simulator_is_what_it_says(centres):
    assert abs(centres.caught.mean() - 0.0102) < 0.001  # 0.008 e^(0.7²/2)
    assert abs(np.median(centres.cost) - 1) < 0.05 and abs(centres.weights.sum() - 1) < 1e-12
    for name, a in centres.matrices.items():
        assert not (a & ~centres.caught).any()  # nobody confirms what is not so
        knows = a.any(axis=0)
        assert abs(knows.mean() - 0.6) < 0.1 and abs(a[:, knows].sum() / centres.caught[:, knows].sum() - 0.8) < 0.02
        assert len(centres.chips[name]) == 25_000 and set(centres.chips[name]) <= set(np.flatnonzero(knows))
    assert np.array_equal(simulate_centres(50, 20, rng=3).caught, simulate_centres(50, 20, rng=3).caught)


@pytest.mark.parametrize(("arguments", "error"), [((0, 5), ValueError), ((5, 2.0), TypeError), ((5, 5, 0), ValueError)])
def test_the_simulator_names_what_it_refuses(arguments, error):
    with pytest.raises(error, match="must be"):
        simulate_centres(*arguments)


@pytest.mark.parametrize("colluders", range(4))
def test_what_a_sum_tells_by_trying_all_matrices(colluders):
    """A cell is certain if all ways to fill the others' cells that fit the sum agree on it."""
    centres = simulate_centres(60, 20, rng=5)
    total, certain, catches = centres.total(), 0, 0
    for group in itertools.combinations(centres.matrices, colluders):
        own = sum((centres.matrices[name].astype(int) for name in group), np.zeros(total.shape, dtype=int))
        others = [a for name, a in centres.matrices.items() if name not in group]
        for place in zip(*np.nonzero(total), strict=True):
            fits = [w for w in itertools.product((0, 1), repeat=len(others)) if sum(w) == total[place] - own[place]]
            for k, other in enumerate(others):
                catches += other[place]
                certain += bool(other[place]) and all(way[k] for way in fits)
    found = project.known(centres, colluders)
    groups = math.comb(4, colluders)
    assert abs(found.catches - certain / catches) < 0.05 or groups == 1 and found.catches == certain / catches
    expected = 0.48 ** (3 - colluders)  # 0.6 · 0.8 for each other centre; columns make it vary by some points
    assert abs(project.known(simulate_centres(rng=1), colluders).catches - expected) < 0.06


def test_the_bound_is_no_less_than_the_best_choice():
    """The best choice by trying all; and `milp`, which solves it exactly, lies between."""
    rng = np.random.default_rng(6)
    for _ in range(20):
        caught, cost = rng.random((9, 7)) < 0.35, rng.lognormal(0, 1, 9)
        weights, budget = rng.normal(3, 3, 7).round(), float(rng.uniform(0.5, 6))
        best = max(
            np.maximum(weights, 0)[caught[list(some)].any(axis=0)].sum()
            for size in range(10)
            for some in itertools.combinations(range(9), size)
            if cost[list(some)].sum() <= budget
        )
        bound = project.bound(caught, cost, weights, budget)
        assert best <= bound + 1e-9
        whole = optimize.milp(
            np.concatenate([np.zeros(9), -np.maximum(weights, 0)]),
            integrality=np.concatenate([np.ones(9), np.zeros(7)]),
            bounds=optimize.Bounds(0, 1),
            constraints=[
                optimize.LinearConstraint(np.hstack([-caught.T.astype(float), np.eye(7)]), ub=0),
                optimize.LinearConstraint(np.concatenate([cost, np.zeros(7)]), ub=budget),
            ],
        )
        assert abs(-whole.fun - best) < 1e-6


def test_greedy_is_close_to_the_bound_at_full_size(centres):
    caught, counts = centres.total() > 0, centres.counts()
    budget = project.BUDGET * centres.cost.sum()
    chosen = reference.chosen(caught, centres.cost, counts, budget)
    gain = counts[caught[chosen].any(axis=0)].sum()
    assert 0.97 < gain / project.bound(caught, centres.cost, counts, budget) <= 1
    assert set(chosen) == set(known.choose_tests(caught, centres.cost, counts, budget))


def test_private_counts_choose_as_well_as_exact_ones():
    """The project's aim: no more than 0.01 below pooling, at ε = 1 and 0.2% of the time; five worlds."""
    table = project.compared(reference.chosen, (1.0, 0.01), 5, rng=8)
    pooled, alone = table["pooled, exact counts"], table["one centre alone"]
    assert table["pooled, counts at ε = 1"].mean() > pooled.mean() - 0.01
    assert table["pooled, counts at ε = 0.01"].mean() < pooled.mean() - 0.01
    assert alone.mean() < pooled.mean() - 0.05 and table["tests at random"].mean() < 0.5
    assert table["the truth, which nobody has"].mean() > pooled.mean()
    assert project.compared(lambda *_: None, (1.0,), 1, rng=8) is None


def test_a_liar_takes_it_all_unless_two_have_to_confirm(centres):
    assert project.boasted(centres, reference.chosen, 10)[0] < 0.1
    coverage, chosen = project.boasted(centres, reference.chosen, 10, least=2)
    assert coverage > 0.85 and chosen == 0


def test_the_toy_primes_are_safe():
    for p in project.TOY_PRIMES:
        assert p.bit_length() == 1024 and reference.is_prime(p) and reference.is_prime(p // 2)
    assert len(set(project.TOY_PRIMES)) == 2


def test_a_prime_is_told_from_others():
    primes = [k for k in range(2, 20_000) if all(k % j for j in range(2, math.isqrt(k) + 1))]
    assert [k for k in range(2, 20_000) if reference.is_prime(k)] == primes


def test_two_shares_of_the_key_are_uniform():
    """Any two parties' shares modulo 8 over 4,000 dealings: false alarm 1e-6 for each of the six pairs."""
    dealt = [dict(project.deal(11, 47)[1]) for _ in range(4000)]
    modulus = 11 * 47 * 5 * 23
    for one, two in itertools.combinations(range(1, 5), 2):
        codes = [8 * (s[one] * 8 // modulus) + s[two] * 8 // modulus for s in dealt]
        seen = np.bincount(codes, minlength=64)
        assert stats.chisquare(seen).pvalue > 1e-6
    three = Counter(tuple(s[k] * project.exponents([1, 2, 3])[k] for k in (1, 2, 3)) for s in dealt)
    assert len({sum(values) % modulus for values in three}) == 1  # and three give 4! d


def test_below_is_uniform():
    """False alarm 1e-6."""
    assert stats.chisquare(np.bincount([project.below(20) for _ in range(8000)], minlength=20)).pvalue > 1e-6


def opened(parts, n):
    return reference.combined(parts, n)


def test_what_liars_do_with_their_parts():
    """One shifts three, and is noticed by four; two shift four; nobody below three opens. 200 random mixes."""
    rng = np.random.default_rng(9)
    for _ in range(200):
        p, q = reference.primes(int(rng.integers(12, 40)), rng, safe=True)
        n, shares = project.deal(p, q, reference.anew(rng))
        plain, wish = reference.anew(rng)(n), int(rng.integers(1, min(1000, n)))
        cipher = reference.encrypted(plain, n, reference.anew(rng))
        parts = [reference.part_of(cipher, share, n) for share in shares]
        liar = int(rng.integers(4))
        mine = [parts[liar], *(part for k, part in enumerate(parts) if k != liar)]
        forged = project.forged(mine, [liar + 1], wish, n)
        assert opened(mine, n) == opened(mine[:3], n) == plain and opened(mine[:2], n) is None
        assert opened(forged[:3], n) == (plain + wish) % n and opened(forged, n) is None
        pair = sorted(int(k) + 1 for k in rng.choice(4, 2, replace=False))
        assert opened(project.forged(parts, pair, wish, n), n) == (plain + wish) % n


def test_two_hundred_mixes_are_counted_right_or_refused():
    """Missing, repeated, strange and empty messages; some with a share of the key that is broken."""
    rng, refused = np.random.default_rng(12), 0
    for place in range(200):
        kind = list(world.MIXES)[place % len(world.MIXES)]
        messages, at, total, counts = world.mixed(rng, kind)
        if broken := rng.random() < 0.2:
            liar = int(rng.integers(4))
            shares = tuple((i, s + int(k == liar)) for k, (i, s) in enumerate(at.shares))
            at = world.Office(at.p, at.q, shares, at.cost, at.budget)
        given = world.released(Answer(known.programme, own_work=False), messages, at, world.LOUD, rng)
        if given is None:
            assert broken
            refused += 1
        else:
            assert np.array_equal(given.total, total) and np.array_equal(given.counts, counts)
    assert 15 < refused < 60


def test_packing_without_a_guard_fails_silently():
    loose = known.packing(lambda value, bits, parties: True)
    n = 2**64 + 13
    assert known.unpack([9 * one for one in loose([1, 0], 3, 1, n)], 3, 2, n) == [1, 1]
    assert known.unpack([loose([0, 0, 1, 0], 3, 1, n)[0] - 1], 3, 4, n) == [7, 7, 0, 0]


def test_randomized_cells(centres):
    """What is left: cells where all four say yes, at the rates that ε = 1 gives. 5 deviations."""
    seen, total = project.flipped(centres, 1.0, rng=10), centres.total()
    keep = 1 / (1 + math.exp(-1))
    for ones in range(5):
        right = keep**ones * (1 - keep) ** (4 - ones)
        cells = np.count_nonzero(total == ones)
        assert abs(seen[total == ones].mean() - right) < 5 * math.sqrt(right / cells)


def test_noise_of_few_honest_centres():
    """ln(P(0)/P(1)) of m shares NB(1/2), computed from the characteristic function instead."""
    a = math.exp(-1.0)
    angles = np.linspace(-math.pi, math.pi, 200_001)[:-1]
    for honest in (1, 2, 3):
        law = (np.abs((1 - a) / (1 - a * np.exp(1j * angles))) ** 2) ** (min(honest, 2) / 2)
        at = [float((law * np.cos(k * angles)).mean()) for k in (0, 1)]
        assert abs(project.left_epsilon(1.0, honest) - math.log(at[0] / at[1])) < 1e-6


def test_pictures_say_what_they_show(centres):
    told = project.draw_knowledge([project.known(centres, k) for k in range(4)])
    assert "3 colluding: 100%" in told.alt
    rng = np.random.default_rng(11)
    private, others = rng.uniform(0.9, 0.97, (2, 3)), rng.uniform(0.8, 0.97, (3, 3))
    assert f"{private[1].mean():.3f} at 1" in project.draw_coverage(np.array([0.1, 1.0]), private, *others).alt


def test_paillier_against_phe():
    """An independent implementation (GPL 3, so in this test only, where it is installed)."""
    paillier = pytest.importorskip("phe.paillier", reason="phe is not installed: it is no dependency")
    public, private = paillier.generate_paillier_keypair(n_length=512)
    n = public.n
    for plain in (0, 1, 12345, n // 4):
        ours = known.encrypt(plain, n, project.below)
        assert private.raw_decrypt(ours) == plain
        theirs = public.raw_encrypt(plain)
        n_, secret = known.key(private.p, private.q)
        assert n_ == n and known.decrypt(theirs, n, secret) == plain
        assert private.raw_decrypt(known.add(ours, theirs, n)) == 2 * plain % n


def test_sums_against_tenseal():
    """The sum of four centres' matrices and a weighted sum, in another encryption (BFV), where tenseal installs."""
    ts = pytest.importorskip("tenseal", reason="tenseal is not installed: it is no dependency")
    centres, rng = simulate_centres(12, 10, rng=8), np.random.default_rng(8)
    n, secret = known.key(*reference.primes(128, rng))
    matrices = [a.ravel().astype(int).tolist() for a in centres.matrices.values()]
    weights = rng.integers(1, 1000, centres.total().size).tolist()
    context = ts.context(ts.SCHEME_TYPE.BFV, poly_modulus_degree=4096, plain_modulus=1032193)
    context.generate_galois_keys()  # a sum over slots rotates them
    theirs = sum((ts.bfv_vector(context, one) for one in matrices[1:]), ts.bfv_vector(context, matrices[0]))
    ours = [[known.encrypt(cell, n, project.below) for cell in one] for one in matrices]
    ours = [functools.reduce(lambda a, b: known.add(a, b, n), column) for column in zip(*ours, strict=True)]
    opened = [known.decrypt(cipher, n, secret) for cipher in ours]
    assert opened == theirs.decrypt() == centres.total().ravel().tolist() and max(opened) > 1
    ours = [pow(cipher, weight, n * n) for cipher, weight in zip(ours, weights, strict=True)]
    assert [known.decrypt(cipher, n, secret) for cipher in ours] == (theirs * weights).decrypt()
    whole = functools.reduce(lambda a, b: known.add(a, b, n), ours)
    assert [known.decrypt(whole, n, secret)] == theirs.dot(weights).decrypt()
