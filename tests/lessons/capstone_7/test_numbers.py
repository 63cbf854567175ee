"""Capstone 7's figures: closed forms, simulations, and the notebook's own answers under 200 random mixes."""

import math

import numpy as np
import pytest

from dpcourse.accounting import PrivacyAccountant
from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance
from dpcourse.datasets import simulate_clicks
from dpcourse.federated.secure.fixed_point import FixedPoint
from dpcourse.lessons import capstone_7 as c7
from dpcourse.lessons.capstone_7.exercises.noise import hides
from dpcourse.lessons.capstone_7.exercises.phone import STRANGE
from dpcourse.lessons.capstone_7.exercises.world import FEW, ITEMS, LOUD, MIXES, mixed, phones, released
from dpcourse.mechanisms import GaussianMechanism
from dpcourse.privacy import Guarantee


def test_epsilons():
    """Against the accountant, and the figures published for raw counts: 21, 237, 10,955."""
    for moved in (0.5, 1.0, math.sqrt(2), 5.0, 25.0):
        step = GaussianMechanism.from_noise_multiplier(c7.sigma(3.0) / moved)
        assert math.isclose(c7.epsilon_of(moved, c7.sigma(3.0)), PrivacyAccountant().compose(step).epsilon(1e-5))
    assert math.isclose(c7.sigma(3.0), GaussianMechanism(3.0, 1e-5).sigma)
    assert [round(c7.raw_epsilons(3.0, 1e-5, k)[1]) for k in (5, 25, 200)] == [21, 237, 10955]
    assert round(c7.epsilon_of(math.sqrt(2), c7.sigma(3.0)), 2) == 4.46
    ten = PrivacyAccountant().compose(GaussianMechanism(3.0, 1e-5), times=10)
    assert math.isclose(c7.rounds_epsilon(3.0, 10), ten.epsilon(1e-5), rel_tol=1e-4)
    assert math.isclose(c7.left_epsilon(18_000, 18_000, 3.0), 3.0, abs_tol=1e-6) < c7.left_epsilon(9_000, 18_000, 3.0)


def test_what_one_click_and_one_person_change():
    for k in (1, 2, 7, 30):
        x = np.ones(k)
        fewer = np.arange(k) > 0
        click = np.linalg.norm(np.outer(x, x) - np.outer(fewer, fewer))
        deviation = c7.sigma(2.0, 1e-6)
        wanted = c7.epsilon_of(click, deviation, 1e-6), c7.epsilon_of(k, deviation, 1e-6)
        assert np.allclose(c7.raw_epsilons(2.0, 1e-6, k), wanted)


def test_the_gram_is_the_sum_of_messages_of_norm_one(reference):
    world = simulate_clicks(300, 40, rng=0)
    messages = [reference["contribution"](some.astype(float), 40) for some in world.histories()]
    assert np.allclose(np.linalg.norm(messages, axis=(1, 2)), 1)
    assert np.allclose(np.sum(messages, axis=0), c7.gram(world.clicked))
    assert np.array_equal(c7.gram(np.zeros((3, 4))), np.zeros((4, 4)))


def test_packing_keeps_norms_and_sums():
    rng = np.random.default_rng(1)
    for m in (1, 2, 7, 40):
        one, two = (a + a.T for a in rng.normal(size=(2, m, m)))
        assert np.isclose(np.linalg.norm(c7.packed(one)), np.linalg.norm(one))
        assert len(c7.packed(one)) == m * (m + 1) / 2
        assert np.allclose(c7.unpacked(c7.packed(one) + c7.packed(two)), one + two)
    equal = [c7.unpacked(rng.normal(0, 2.0, 820)) for _ in range(400)]  # equal noise in a packed vector is the noise
    assert np.isclose(np.std([np.diag(one) for one in equal]), 2.0, rtol=0.03)
    assert np.isclose(np.std([one[np.triu_indices(40, 1)] for one in equal]), math.sqrt(2), rtol=0.01)


def test_noise_in_every_direction():
    """A direction's deviation from 4,000 draws is off by 1.1%: within 6%. The radius is Wigner's."""
    rng = np.random.default_rng(2)
    noise = np.array([c7.symmetric_noise(1.5, 12, rng=rng) for _ in range(4000)])
    for k in (1, 2, 5, 12):
        x = np.zeros(12)
        x[:k] = 1
        direction = np.outer(x, x) / k
        assert np.isclose((noise * direction).sum(axis=(1, 2)).std(), 1.5, rtol=0.06)
        # the same noise with σ/√2 on the diagonal: the formula printed in the notebook
        short = noise - np.einsum("nij,ij->nij", noise, np.eye(12)) * (1 - math.sqrt(0.5))
        wanted = 1.5 * math.sqrt((2 * k - 1) / (2 * k))
        assert np.isclose((short * direction).sum(axis=(1, 2)).std(), wanted, rtol=0.06)
    largest = np.abs(np.linalg.eigvalsh(c7.symmetric_noise(1.5, 500, rng=rng))).max()
    assert np.isclose(largest, c7.noise_radius(1.5, 500), rtol=0.05)


def test_ease_is_the_best_model_without_a_diagonal():
    """Against weighted ridge regression of each item on the others, by SciPy."""
    from scipy.linalg import lstsq

    world = simulate_clicks(200, 15, rng=3)
    x = world.clicked / np.sqrt(world.clicked.sum(axis=1, keepdims=True))
    model = c7.item_model(c7.gram(world.clicked), 2.0)
    for j in range(15):
        rest = np.delete(np.arange(15), j)
        tall = np.vstack([x[:, rest], math.sqrt(2.0) * np.eye(14)])
        assert np.allclose(model[rest, j], lstsq(tall, np.append(x[:, j], np.zeros(14)))[0]) and model[j, j] == 0


def test_hit_rates_on_a_small_case():
    world = simulate_clicks(50, 12, rng=4)
    own = np.zeros((50, 12))
    own[np.arange(50), world.held] = 1
    assert c7.hit_rate(world, own) == 1 and c7.hit_rate(world, np.arange(12.0)) <= 1
    wrong = 1 - own
    assert c7.hit_rate(world, wrong) == np.mean((~world.clicked).sum(axis=1) <= 10)


def rates_at_full_size(seed):
    world = simulate_clicks(rng=seed)
    rates = (
        c7.popularity(world),
        c7.without_noise(world),
        c7.central(world, 3.0, shares=20 / 18, rng=seed),
        c7.central(world, 1.0, rng=seed),
    )
    assert rates[2] > rates[0] + 0.03
    return world, rates


def test_twenty_thousand_people():
    """Against figures measured elsewhere: bestsellers, no noise, ε = 3, ε = 1. A shop deviates by 0.008."""
    world, rates = rates_at_full_size(10)
    assert np.allclose(rates, (0.213, 0.285, 0.273, 0.254), atol=0.035)
    assert c7.central(world, 1.0, ridge=100, rng=0) < 0.2 < c7.central(world, 3.0, ridge=100, rng=0)


@pytest.mark.audit
def test_twenty_thousand_people_in_ten_shops():
    means = np.mean([rates_at_full_size(seed)[1] for seed in range(20, 30)], axis=0)
    assert np.allclose(means, (0.213, 0.285, 0.273, 0.254), atol=0.012)


def test_the_other_ways():
    """In a shop of 10,000: rounds with the noise once beat bestsellers, noise on the phone does not, in any form."""
    world = simulate_clicks(10_000, 300, rng=11)
    bestsellers = c7.popularity(world)
    assert c7.federated(world, 3.0, rng=0) > bestsellers + 0.01
    assert c7.federated(world, 3.0, shares=10_000, rng=0) < 0.08 and c7.local_gram(world, 3.0, rng=0) < 0.12
    assert c7.local_popularity(world, 3.0, rng=0) < bestsellers


def test_few_people():
    world = simulate_clicks(5000, rng=13)
    few, many = (c7.by_people(world, n, (3.0,), rng=0) for n in (1000, 5000))
    assert few[2] < few[0] - 0.02 and many[2] > many[0] + 0.005
    assert math.isclose(c7.crossing(np.array([100, 200, 400]), np.array([-1.0, -1.0, 1.0])), math.sqrt(200 * 400))
    assert math.isnan(c7.crossing(np.array([1, 2]), np.array([-1.0, -1.0])))


def test_the_liar():
    """Within the norm nothing changes; far beyond it, the item is shown to most, and its column is the longest."""
    world = simulate_clicks(4000, 150, rng=14)
    noisy = c7.gram(world.clicked) + c7.symmetric_noise(c7.sigma(3.0), 150, rng=0)
    ridge = 4 * c7.noise_radius(c7.sigma(3.0), 150)
    item = int(world.clicked.sum(axis=0).argmin())
    found = [c7.pushed(world, noisy, ridge, item, s) for s in (0, 1, 1000)]
    assert abs(found[1][0] - found[0][0]) < 0.01 and found[2][0] > 0.3
    assert found[0][2] > 10 and found[2][2] == 1


def test_room_for_the_sum():
    """20,000 messages in 32 bits: the largest entries cannot wrap, with the noise that 20,000 shares may reach."""
    codec = FixedPoint(32, 2.0**16, 20_000, 1_034_308)
    assert c7.room(2.0**16, 20_000, 1_034_308) == codec.capacity / 2**16 > 1
    assert 20_000 * codec.capacity + 1_034_308 < 2**31
    with pytest.raises(ValueError, match="stay within"):
        codec.encode(np.array([1.7]))
    rng = np.random.default_rng(23)
    for _ in range(200):  # 20,000 phones that send one of two messages: sums come out whole, and so they do at the edge
        two = rng.uniform(-1, 1, (2, 6)) * codec.capacity / 2**16
        two[:, :2] = np.sign(two[:, :2]) * codec.capacity / 2**16
        many = np.array([[m := int(rng.integers(20_001)), 20_000 - m]], dtype=np.uint64)
        sent = np.array([codec.encode(one) for one in two])
        assert np.allclose(codec.decode(many @ sent), many.astype(float) @ two, atol=20_000 / 2**16)


@pytest.mark.parametrize("times", [3, pytest.param(50, marks=pytest.mark.audit)])
def test_an_auditor_sees_the_diagonal(times):
    """The auditor of milestone 7.3 by itself, every time; and never a right answer."""

    def half_on_the_diagonal(total, sigma, rng):
        upper = np.triu(rng.normal(0, sigma / math.sqrt(2), total.shape))
        return total + upper + np.triu(upper, 1).T

    def right(total, sigma, rng):
        noise = rng.normal(0, sigma, total.shape)
        return total + (noise + noise.T) / 2

    seeds = np.random.default_rng(15).spawn(times)
    found = [hides(Answer(half_on_the_diagonal), Chance(rng, 1e-7)) for rng in seeds]
    assert [one.key for one in found] == ["diagonal"] * times
    assert not any(hides(Answer(right), Chance(rng, 1e-7)) for rng in seeds)
    claim = Guarantee(c7.epsilon_of(1, 1.4, 0.1), 0.1)
    assert c7.certified(1.4 / math.sqrt(2), claim, 20_000, rng=0).violated
    assert not c7.certified(1.4, claim, 20_000, rng=0).violated


@pytest.mark.parametrize("kind", MIXES)
def test_two_hundred_random_mixes(reference, kind):
    """At a huge ε nothing but the right sum may come out of the notebook's own recommender."""
    rng = np.random.default_rng(21)
    for _ in range(200):
        messages, who, right = mixed(rng, kind)
        given = released(reference["recommender"], messages, who, ITEMS, LOUD, 1e-5, FEW, rng)
        assert np.abs(given["gram"] - right).max() < 0.02


def test_every_number_of_stayers(reference):
    """Enough phones are served, too few refused, in whatever order and however often they send."""
    rng, who = np.random.default_rng(0), phones(15)
    for stayed in range(16):
        messages = [(str(name), np.array([1.0])) for name in rng.permutation(who)[:stayed]]
        given = reference["recommender"](3 * messages, who, ITEMS, LOUD, 1e-5, FEW, rng)
        assert (given is not None) == (stayed >= FEW)
        assert given is None or abs(given["gram"][1, 1] - stayed) < 0.02


def test_two_hundred_strange_logs_on_the_phone(reference):
    """A list always comes out: new items of the catalogue, each once, as many as there are."""
    rng = np.random.default_rng(22)
    model, popular = rng.normal(size=(20, 20)), rng.permutation(20)
    for _ in range(200):
        log = rng.choice([*STRANGE, *range(20)], int(rng.integers(0, 30))).astype(float)
        known = set(log.tolist()) & set(range(20))
        given = [int(item) for item in reference["recommend"](log, model, popular, 10)]
        assert len(set(given)) == len(given) == min(10, 20 - len(known)) and not known & set(given)
        assert set(given) <= set(range(20))


def test_pictures_say_what_they_show():
    people, rates = np.array([500, 1000, 2000]), np.array([[0.2, 0.3, 0.1, 0.05]] * 3)
    one, other = (c7.draw_people(people, some, (1234.0, 1800.0)) for some in (rates, 1.1 * rates))
    assert "at about 1,200 people for ε = 3 and 1,800 for ε = 1" in one.alt
    assert "popularity from 0.22 to 0.22" in other.alt and one.png() != other.png()
    rates = {3.0: np.array([0.1, 0.25, 0.2]), 1.0: np.array([0.05, 0.2, 0.22])}
    ridges = c7.draw_ridges(np.array([0.5, 1.0, 4.0]), rates, 0.21)
    assert "ε = 3: 0.1 at 0.5, at most 0.25 at 1" in ridges.alt and "Popularity reaches 0.21" in ridges.alt
