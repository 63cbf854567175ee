"""No analyst who chooses costs after seeing answers gets past a filter, and plans cost what dp-accounting says.

Randomized response of cost ε has two losses, ε and −ε, so what an adaptive schedule leaks is computed exactly: go
through all states (how many of each cost were paid, how many of each came out positive) from the last to the first.
Taking the largest continuation in each state gives the worst of *all* schedules over a menu of costs; taking a random
one gives a schedule at random. The only error is that of adding floats.
"""

import functools
import itertools
import math

import numpy as np
import pytest
from dp_accounting import pld
from scipy.stats import norm

from dpcourse.accounting import PrivacyLoss
from dpcourse.budget import PrivacyLedger
from dpcourse.budget.filters import UNIT, BasicFilter, PlannedFilter, RenyiFilter, pure_divergence
from dpcourse.mechanisms import GaussianMechanism, LaplaceMechanism, PoissonSubsampled
from dpcourse.privacy import BudgetExhausted, Guarantee

BUDGET = Guarantee(1.0, 1e-5)


def gaussian(sigma):
    return GaussianMechanism.from_noise_multiplier(sigma)


# Adaptive schedules over two-point losses, exactly


def admitted_states(menu, admits):
    """Every vector of counts that the filter lets an analyst reach, and from each the costs it admits next."""
    start = (0,) * len(menu)
    moves, waiting = {}, [start]
    while waiting:
        state = waiting.pop()
        if state in moves:
            continue
        moves[state] = [i for i in range(len(menu)) if admits(state, i)]
        waiting += [tuple(np.add(state, np.eye(len(menu), dtype=int)[i])) for i in moves[state]]
    return moves


def leaked(menu, moves, epsilon, schedules, rng):
    """δ(ε) of the worst schedule over `menu`, and of `schedules` random ones, the last axis of every array below."""
    truth = [1 / (1 + math.exp(-cost)) for cost in menu]
    values = {}
    for state in sorted(moves, key=sum, reverse=True):
        shape = tuple(count + 1 for count in state)
        positive = np.indices(shape)  # how many of each cost came out for the first of the two datasets
        loss = sum(cost * (2 * positive[i] - state[i]) for i, cost in enumerate(menu))
        options = [np.repeat(np.maximum(-np.expm1(epsilon - loss), 0.0)[..., None], schedules + 1, axis=-1)]
        for i in moves[state]:
            following = values[tuple(np.add(state, np.eye(len(menu), dtype=int)[i]))]
            for_it = np.take(following, np.arange(1, state[i] + 2), axis=i)
            against = np.take(following, np.arange(state[i] + 1), axis=i)
            options.append(truth[i] * for_it + (1 - truth[i]) * against)
        options = np.array(options)
        # Stopping is one of the options, and seldom taken at random.
        taken = rng.integers(min(1, len(options) - 1), len(options), size=options.shape[1:])
        taken[rng.random(taken.shape) < 0.05] = 0
        value = np.take_along_axis(options, taken[None], axis=0)[0]
        value[..., -1] = options[..., -1].max(axis=0)
        values[state] = value
    result = values[(0,) * len(menu)].reshape(-1)
    return result[-1], result[:-1]


def by_filter(rule, menu):
    prices = [rule.price(Guarantee(cost)) for cost in menu]

    @functools.cache
    def total(state):
        """The filter's own total; it refuses by raising."""
        if not any(state):
            return rule.zero()
        last = max(i for i, count in enumerate(state) if count)
        before = tuple(count - (i == last) for i, count in enumerate(state))
        return rule.add(total(before), prices[last])

    def admits(state, i):
        try:
            rule.add(total(state), prices[i])
        except BudgetExhausted:
            return False
        return True

    return admits


def by_naive_pld(menu, budget):
    """The rule that is no filter: compose what was asked so far with the next cost, and look at the exact δ."""

    def admits(state, i):
        after = tuple(count + (j == i) for j, count in enumerate(state))
        return fixed_delta(menu, after, budget.epsilon) <= budget.delta

    return admits


def fixed_delta(menu, counts, epsilon):
    """δ(ε) of a plan of randomized responses, by adding up all outcomes."""
    losses, masses = np.zeros(1), np.ones(1)
    for cost, count in zip(menu, counts, strict=True):
        truth = 1 / (1 + math.exp(-cost))
        up = np.arange(count + 1)
        chance = np.array([math.comb(count, k) * truth**k * (1 - truth) ** (count - k) for k in up])
        losses = np.add.outer(losses, cost * (2 * up - count)).ravel()
        masses = np.multiply.outer(masses, chance).ravel()
    return float(np.sum(masses * np.maximum(-np.expm1(epsilon - losses), 0)))


def menus(rng, count, low, high):
    """Pairs of costs, so small that sums of them exceed ε: with a few large ones δ is 0, and nothing is tested."""
    return [tuple(np.round(rng.uniform(low, high, size=2), 3).tolist()) for _ in range(count)]


@pytest.mark.parametrize(("many", "each"), [(3, 100), pytest.param(100, 100, marks=pytest.mark.audit)])
@pytest.mark.parametrize(
    ("budget", "low", "high"), [(BUDGET, 0.04, 0.12), (Guarantee(2.0, 1e-3), 0.08, 0.3)], ids=["1", "2"]
)
def test_no_adaptive_schedule_gets_past_the_renyi_filter(budget, low, high, many, each):
    rng = np.random.default_rng(14)
    rule = RenyiFilter(budget)
    largest = 0.0
    for menu in menus(rng, many, low, high):
        moves = admitted_states(menu, by_filter(rule, menu))
        worst, random = leaked(menu, moves, budget.epsilon, each, rng)
        assert random.max() <= worst * (1 + 1e-9) + 1e-300
        assert worst <= budget.delta
        largest = max(largest, worst)
    assert largest > 0.1 * budget.delta  # the schedules do spend


@pytest.mark.parametrize(("many", "each"), [(4, 100), pytest.param(100, 100, marks=pytest.mark.audit)])
def test_no_adaptive_schedule_gets_past_adding_up(many, each):
    rng = np.random.default_rng(15)
    for menu in menus(rng, many, 0.12, 0.6):
        moves = admitted_states(menu, by_filter(BasicFilter(Guarantee(1.0)), menu))
        worst, random = leaked(menu, moves, 1.0, each, rng)
        assert worst <= 1e-15 and random.max() <= 1e-15  # δ = 0 up to the rounding of a loss of exactly 1


def test_the_same_computation_convicts_the_naive_rule():
    """What the schedules above could have found: composing the PLD of what was asked so far is overspent."""
    for menu, budget, times in [((0.04, 0.1), BUDGET, 1.9), ((0.1, 0.3), Guarantee(2.0, 1e-3), 1.8)]:
        moves = admitted_states(menu, by_naive_pld(menu, budget))
        worst, _ = leaked(menu, moves, budget.epsilon, 1, np.random.default_rng(16))
        assert worst > times * budget.delta
        filtered = admitted_states(menu, by_filter(RenyiFilter(budget), menu))
        assert leaked(menu, filtered, budget.epsilon, 1, np.random.default_rng(16))[0] < 0.6 * budget.delta


def test_an_adaptive_order_within_a_plan_costs_no_more_than_the_plan():
    rng = np.random.default_rng(17)
    for menu, plan in [((0.05, 0.2), (18, 1)), ((0.05, 0.1), (15, 3))]:
        rule = PlannedFilter(BUDGET, [(Guarantee(cost), times) for cost, times in zip(menu, plan, strict=True)])
        moves = admitted_states(menu, by_filter(rule, menu))
        worst, _ = leaked(menu, moves, 1.0, 1, rng)
        assert max(moves) == plan
        assert 0 < worst == pytest.approx(fixed_delta(menu, plan, 1.0), rel=1e-9) and worst <= BUDGET.delta


# The analyst who chooses between a Gaussian and a coin


def after_first(sigma_1, sigma_2, coin):
    """δ(1) of Gaussian σ₁ and then, for each of its answers, whichever of Gaussian σ₂ and the coin does more harm."""
    mean, spread = 1 / (2 * sigma_1**2), 1 / sigma_1
    loss = np.linspace(mean - 10 * spread, mean + 10 * spread, 200_001)
    weight = norm.pdf(loss, mean, spread) * (loss[1] - loss[0])
    rest = 1 - loss
    mu = 1 / sigma_2
    second = norm.cdf(mu / 2 - rest / mu) - np.exp(rest) * norm.cdf(-mu / 2 - rest / mu)
    truth = 1 / (1 + math.exp(-coin))
    toss = np.where(rest < -coin, -np.expm1(rest), np.maximum(truth - np.exp(rest) * (1 - truth), 0))
    return float(weight @ second), float(weight @ toss), float(weight @ np.maximum(second, toss))


def test_the_naive_rule_is_overspent_almost_twice():
    def just_allowed(make, low, high):
        for _ in range(40):
            middle = (low + high) / 2
            fits = PrivacyLoss.gaussian(8.0).compose(make(middle)).delta(1.0) <= 1e-5
            low, high = (middle, high) if fits else (low, middle)
        return low

    sigma = 1 / just_allowed(lambda mu: PrivacyLoss.gaussian(mu**-1), 0.1, 0.5)
    coin = just_allowed(PrivacyLoss.pure, 0.1, 1.0)
    assert sigma == pytest.approx(4.22, abs=0.005) and coin == pytest.approx(0.580, abs=5e-4)
    gaussian_alone, coin_alone, chosen = after_first(8.0, sigma, coin)
    assert gaussian_alone == pytest.approx(1e-5, rel=2e-3) and coin_alone == pytest.approx(1e-5, rel=2e-3)
    assert chosen == pytest.approx(1.94e-5, rel=3e-3)


def test_the_same_analyst_is_stopped_by_the_ledger(tmp_path):
    with PrivacyLedger(tmp_path / "rdp.sqlite", BUDGET, method="rdp") as ledger:
        ledger.spend(gaussian(8.0), "first", "dora")
        for cost in (gaussian(4.22), Guarantee(0.580)):
            with pytest.raises(BudgetExhausted):
                ledger.spend(cost, "second", "dora")
        left = ledger.remaining()
        ledger.spend(Guarantee(math.floor(left.epsilon * 1e4) / 1e4), "second", "dora")
    plan = [gaussian(8.0), gaussian(4.24)]
    with PrivacyLedger(tmp_path / "pld.sqlite", BUDGET, method="pld", plan=plan) as ledger:
        ledger.spend(plan[0], "first", "dora")
        with pytest.raises(ValueError, match="plan"):
            ledger.spend(Guarantee(0.580), "second", "dora")
        ledger.spend(plan[1], "second", "dora")


def test_the_worst_the_renyi_filter_leaves_her_is_within_the_budget():
    rule = RenyiFilter(BUDGET)
    left = rule.limit / UNIT - float(gaussian(8.0).renyi_divergence(np.array([rule.order]))[0])
    sigma = math.sqrt(rule.order / (2 * left))
    low, high = 0.0, 5.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if pure_divergence(middle, rule.order) <= left else (low, middle)
    assert sigma > 4.6 and low < 0.55
    assert after_first(8.0, sigma, low)[2] < 0.9 * BUDGET.delta


def test_a_tiny_cost_is_not_priced_below_its_divergence():
    """The divergence at the filter's order: 1644794317039.1 units by mpmath with 80 digits, at order 17.833."""
    rule = RenyiFilter(BUDGET)
    assert rule.order == pytest.approx(17.833499075343223, rel=1e-15)
    assert 0 < int(rule.price(LaplaceMechanism(1e-4))) - 1644794317039 < 10


# What is admitted, and what plans cost


@pytest.mark.parametrize(("method", "admitted"), [("basic", 20), ("rdp", 27)])
def test_how_many_laplace_queries_of_a_twentieth(tmp_path, method, admitted):
    with PrivacyLedger(tmp_path / "l.sqlite", BUDGET, method=method) as ledger:
        for number in range(admitted):
            ledger.spend(LaplaceMechanism(0.05), f"q{number}", "ana")
        with pytest.raises(BudgetExhausted):
            ledger.spend(LaplaceMechanism(0.05), "one more", "ana")


def test_how_many_laplace_queries_a_plan_holds():
    PlannedFilter(BUDGET, [(LaplaceMechanism(0.05), 31)])
    with pytest.raises(ValueError, match="plan costs"):
        PlannedFilter(BUDGET, [(LaplaceMechanism(0.05), 32)])
    # dp-accounting agrees on either side.
    one = pld.privacy_loss_distribution.from_laplace_mechanism(20.0, value_discretization_interval=1e-4)
    assert one.self_compose(31).get_epsilon_for_delta(1e-5) <= 1 < one.self_compose(32).get_epsilon_for_delta(1e-5)


def test_a_plan_that_is_the_whole_budget_fits_whatever_floats_add_up_to():
    for share in np.arange(1, 100) / 100:
        PlannedFilter(Guarantee(share), [LaplaceMechanism(share)])
        PlannedFilter(Guarantee(round(3 * share, 2)), [(Guarantee(share), 3)])
        with pytest.raises(ValueError, match="plan costs"):
            PlannedFilter(Guarantee(share), [LaplaceMechanism(share * (1 + 1e-9))])


def random_plan(rng):
    """Laplace, Gaussian and randomized response, in numbers that cost about 1 at δ = 1e-5."""
    laplace, coin = (float(cost) for cost in np.round(rng.uniform(0.02, 0.3, size=2), 3))
    sigma = round(float(rng.uniform(8, 40)), 2)
    shares = rng.dirichlet(np.ones(3)) * 0.07 * rng.uniform(0.4, 1.6)  # of Σμ²
    times = [
        max(1, round(shares[0] / laplace**2)),
        max(1, round(shares[1] * sigma**2)),
        max(1, round(shares[2] / coin**2)),
    ]
    return (laplace, sigma, coin), times


@pytest.mark.parametrize("plans", [5, pytest.param(200, marks=pytest.mark.audit)])
def test_plans_cost_what_dp_accounting_says(plans):
    rng = np.random.default_rng(18)
    library = pld.privacy_loss_distribution
    for _ in range(plans):
        (laplace, sigma, coin), times = random_plan(rng)
        grid = {"value_discretization_interval": 1e-4, "use_connect_dots": True}
        true, lie = -math.log1p(math.exp(-coin)), -math.log1p(math.exp(coin))
        parts = [
            library.from_laplace_mechanism(1 / laplace, **grid),
            library.from_gaussian_mechanism(sigma, **grid),
            library.from_two_probability_mass_functions({0: lie, 1: true}, {0: true, 1: lie}),
        ]
        oracle = functools.reduce(
            lambda a, b: a.compose(b),
            itertools.starmap(lambda part, n: part.self_compose(n), zip(parts, times, strict=True)),
        ).get_epsilon_for_delta(BUDGET.delta)
        plan = list(zip([LaplaceMechanism(laplace), gaussian(sigma), Guarantee(coin)], times, strict=True))
        ours = PlannedFilter(Guarantee(100.0, 1e-5), plan).left("{}").epsilon
        # The oracle rounds the loss of every coin up to its grid.
        assert (oracle - 1e-4 * times[2]) * (1 - 1e-4) <= ours <= oracle * 1.01
        # Admitted by every budget above the oracle's figure, refused by every budget below it.
        PlannedFilter(Guarantee(oracle * 1.01, 1e-5), plan)
        with pytest.raises(ValueError, match="plan costs"):
            PlannedFilter(Guarantee((oracle - 1e-4 * times[2]) * (1 - 1e-3), 1e-5), plan)


class Taciturn:
    """A mechanism that prints the same whatever its noise."""

    neighbours = BUDGET.neighbours

    def __init__(self, sigma):
        self.inner = gaussian(sigma)

    def __repr__(self):
        return "Taciturn()"

    def privacy_loss(self):
        return self.inner.privacy_loss()

    @property
    def guarantee(self):
        return self.inner.guarantee


@pytest.mark.parametrize("make", [gaussian, Taciturn])
def test_a_plan_is_not_fooled_by_equal_names(tmp_path, make):
    """A Gaussian of σ = 0.1 is not the Gaussian of σ = 50 that was planned, though both may print alike."""
    with PrivacyLedger(tmp_path / "p.sqlite", BUDGET, method="pld", plan=[(make(50.0), 3)]) as ledger:
        ledger.spend(make(50.0), "a", "ana")
        with pytest.raises(ValueError, match="plan"):
            ledger.spend(make(0.1), "b", "ana")
    with pytest.raises(ValueError, match="plan costs"):
        PlannedFilter(BUDGET, [gaussian(0.1), gaussian(50.0)])
    with pytest.raises(TypeError, match="cost"):
        PlannedFilter(BUDGET, [0.5])


class Rare(Taciturn):
    """With probability `share` a coin of ε = 1, else silent: as many losses, over the same range, for any share."""

    def __init__(self, share):
        true, lie = share / (1 + math.exp(-1)), share / (1 + math.e)
        self.inner = self
        self.loss = PrivacyLoss.from_masses(np.array([true, 1 - share, lie]), np.array([lie, 1 - share, true]))

    def privacy_loss(self):
        return self.loss

    guarantee = Guarantee(1.0)


@pytest.mark.parametrize("wrap", [lambda m: m, lambda m: PoissonSubsampled(m, 0.5)], ids=["plain", "subsampled"])
def test_a_plan_is_not_fooled_by_losses_of_equal_range(tmp_path, wrap):
    assert repr(Rare(1e-4).loss) == repr(Rare(0.999).loss)
    plan = [(wrap(Rare(1e-4)), 2)]
    with PrivacyLedger(tmp_path / "p.sqlite", BUDGET, method="pld", plan=plan) as ledger:
        ledger.spend(wrap(Rare(1e-4)), "a", "ana")
        with pytest.raises(ValueError, match="plan"):
            ledger.spend(wrap(Rare(0.999)), "b", "ana")
    with PrivacyLedger(tmp_path / "p.sqlite", BUDGET, method="pld", plan=plan) as ledger:
        ledger.spend(wrap(Rare(1e-4)), "b", "ana")
        with pytest.raises(BudgetExhausted):
            ledger.spend(wrap(Rare(1e-4)), "c", "ana")
    with pytest.raises(ValueError, match="plan"):
        PrivacyLedger(tmp_path / "p.sqlite", BUDGET, method="pld", plan=[(wrap(Rare(2e-4)), 2)])


def test_names_in_a_plan_are_what_they_were_where_they_said_all():
    for cost in (LaplaceMechanism(0.05), gaussian(50.0), PoissonSubsampled(gaussian(2.0), 0.01), Guarantee(0.1)):
        (name,) = PlannedFilter(Guarantee(10.0, 1e-5), [cost]).plan
        assert name == (repr(cost) if isinstance(cost, Guarantee) else f"{cost!r}, {cost.privacy_loss()!r}")


def test_a_plan_wants_losses_that_can_be_told_apart():
    class Hidden:
        symmetric = atomic = lattice = True

    mechanism = Taciturn(50.0)
    for loss in (0.5, PrivacyLoss(((Hidden(), 1),))):
        mechanism.privacy_loss = lambda loss=loss: loss
        with pytest.raises(TypeError, match="cost must have a"):
            PlannedFilter(BUDGET, [mechanism])
    with pytest.raises(TypeError, match="cost"):
        PlannedFilter(BUDGET, [LaplaceMechanism])


def test_what_is_left_can_be_spent_and_not_more(tmp_path):
    for method, costs in {"basic": [0.3, 0.05], "rdp": [0.2, 0.31]}.items():
        with PrivacyLedger(tmp_path / f"{method}.sqlite", BUDGET, method=method) as ledger:
            for cost in costs:
                ledger.spend(Guarantee(cost), f"{cost}", "ana")
            left = ledger.remaining().epsilon
            with pytest.raises(BudgetExhausted):
                ledger.spend(Guarantee(left * (1 + 1e-6)), "too much", "ana")
            ledger.spend(Guarantee(left * (1 - 1e-9)), "the rest", "ana")
