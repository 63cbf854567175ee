"""The best of a random number of runs costs what the theorem says, at most: computed, not sampled."""

import dp_accounting
import numpy as np
import pytest
from dp_accounting.dp_event import RepeatAndSelectDpEvent
from dp_accounting.rdp import RdpAccountant
from scipy.special import logsumexp
from scipy.stats import chisquare, norm

from dpcourse.accounting import PrivacyAccountant, renyi
from dpcourse.accounting.repeated import best_of_runs
from dpcourse.learning.search import PrivateSearch
from dpcourse.mechanisms import GaussianMechanism, LaplaceMechanism, PoissonSubsampled
from dpcourse.privacy import Guarantee


def number_of_runs(search):
    k = np.arange(1, int(100 + 40 / search.gamma))  # beyond: e⁻⁴⁰
    ratios = (1 - search.gamma) * (k[:-1] + search.eta) / (k[:-1] + 1)
    mass = np.concatenate([[1.0], np.cumprod(ratios)])
    return k, mass / mass.sum()


def best_of(masses, search):
    """Exact distribution of the best output, outputs ordered by score: P[best ≤ x] = E[F(x)^K]."""
    k, weight = number_of_runs(search)
    cumulative = (weight * np.cumsum(masses)[:, None] ** k).sum(axis=1)
    return np.diff(cumulative, prepend=0.0)


def divergence(p, q, orders):
    orders = np.asarray(orders)[..., None]
    return logsumexp(orders * np.log(p) + (1 - orders) * np.log(q), axis=-1) / (orders[..., 0] - 1)


@pytest.mark.parametrize("eta", [-0.5, 0.0, 1.0, 2.0])
@pytest.mark.parametrize("gamma", [0.01, 0.2])
def test_the_exact_divergence_is_within_the_bound(eta, gamma):
    """Randomized response with the telling output best, or worst, or a Gaussian cut into 40 outputs."""
    search = PrivateSearch(gamma, eta)
    orders = np.array([1.5, 2.0, 4.0, 8.0, 32.0])
    rr = np.array([0.3, 0.7])
    edges = np.linspace(-4, 5, 41)
    gauss = [np.diff(norm.cdf(np.concatenate([[-np.inf], edges, [np.inf]]), shift, 2.0)) for shift in (0.0, 1.0)]
    for p, q in [(rr, rr[::-1]), (rr[::-1], rr), tuple(gauss), tuple(gauss[::-1])]:
        p, q = p / p.sum(), q / q.sum()

        def one_run(alphas, p=p, q=q):
            return np.maximum(np.maximum(divergence(p, q, alphas), divergence(q, p, alphas)), 0.0)

        bound = best_of_runs(one_run, gamma, eta, orders)
        exact = divergence(best_of(p, search), best_of(q, search), orders)
        assert (exact <= bound + 1e-12).all()


@pytest.mark.parametrize(("gamma", "eta"), [(0.02, 0.0), (0.2, 0.5), (0.02, 1.0)])
def test_costs_what_an_independent_accountant_says(gamma, eta):
    """A search over DP-SGD runs, given as the accountant of one run."""
    search = PrivateSearch(gamma, eta)
    step = PoissonSubsampled(GaussianMechanism.from_noise_multiplier(5.0), 0.1)
    ours = search.guarantee(PrivacyAccountant().compose(step, times=200), 1e-5)
    one_run = dp_accounting.SelfComposedDpEvent(
        dp_accounting.PoissonSampledDpEvent(0.1, dp_accounting.GaussianDpEvent(5.0)), 200
    )
    oracle = RdpAccountant(orders=list(1 + np.geomspace(0.05, 1e3, 100)))
    oracle.compose(RepeatAndSelectDpEvent(one_run, search.expected_runs, eta))
    assert ours.epsilon == pytest.approx(oracle.get_epsilon(1e-5), rel=2e-3)


@pytest.mark.parametrize(("gamma", "eta"), [(0.1, 0.0), (0.1, 1.0), (0.3, -0.5), (0.2, 3.0), (0.3, 60.0)])
def test_draws_its_distribution(gamma, eta):
    """Chi-square, false alarm 1e-6 each."""
    search = PrivateSearch(gamma, eta)
    rng = np.random.default_rng(5)
    draws = np.array([search.draw_runs(rng=rng) for _ in range(20_000)])
    k, mass = number_of_runs(search)
    cells = int(np.flatnonzero(mass * draws.size >= 10)[-1]) + 1
    observed = [*np.bincount(draws, minlength=cells + 1)[1 : cells + 1], (draws > cells).sum()]
    assert chisquare(observed, np.append(mass[:cells], mass[cells:].sum()) * draws.size).pvalue > 1e-6
    assert abs(draws.mean() - search.expected_runs) < 6 * draws.std() / np.sqrt(draws.size)


def test_a_search_over_many_runs_costs_little_more_than_two():
    run = GaussianMechanism.from_noise_multiplier(4.0)
    one = renyi.epsilon_from_rdp(np.arange(2.0, 400), run.renyi_divergence(np.arange(2.0, 400)), 1e-6)
    search = PrivateSearch(gamma=0.01, eta=0)
    assert search.expected_runs > 20
    assert one < search.guarantee(run, 1e-6).epsilon < 2.5 * one


def test_keeps_the_best_run():
    best = PrivateSearch(0.05, 1.0).run([1, 2, 3], lambda c, rng: (c, f"setting {c}"), rng=0)
    assert best in {"setting 1", "setting 2", "setting 3"}
    assert PrivateSearch(1e-4, 1.0).run([1, 2, 3], lambda c, rng: (c, c), rng=0) == 3


def test_a_score_that_is_nan_never_wins():
    assert PrivateSearch(0.01, 1.0).run([np.nan, 2.0], lambda c, rng: (c, c), rng=1) == 2.0


def test_what_one_run_rests_on_is_said_of_the_search():
    run = PrivacyAccountant().compose(Guarantee(0.5, condition="n is public")).compose(Guarantee(0.1))
    assert PrivateSearch(0.1).guarantee(run, 1e-5).condition == "n is public"


@pytest.mark.parametrize("one_run", [Guarantee(1.0), 1.0, None])
def test_a_run_without_a_renyi_curve_is_refused_by_name(one_run):
    with pytest.raises(TypeError, match="one_run must be a mechanism or a PrivacyAccountant, got") as error:
        PrivateSearch(0.1).guarantee(one_run, 1e-5)
    assert repr(one_run) in str(error.value)


@pytest.mark.parametrize(
    ("name", "value"),
    [("gamma", 0), ("gamma", 1), ("gamma", "a"), ("eta", -1), ("eta", 1e3)] + [("eta", np.nan)],
)
def test_refuses_bad_arguments_by_name_and_value(name, value):
    with pytest.raises((TypeError, ValueError), match=name) as error:
        PrivateSearch(**({"gamma": 0.1} | {name: value}))
    assert repr(value) in str(error.value)


def test_a_search_is_an_entry_beside_others():
    """Composed with another release it costs less than both apart; over DP-SGD it costs what `guarantee` says."""
    search, step = PrivateSearch(0.02, 0.0), PoissonSubsampled(GaussianMechanism.from_noise_multiplier(5.0), 0.1)
    model = PrivacyAccountant().compose(step, times=200)
    alone = search.guarantee(model, 1e-5).epsilon
    accountant = PrivacyAccountant().compose(search.entry(model))
    assert accountant.epsilon(1e-5) == pytest.approx(alone, rel=5e-3)
    assert accountant.epsilon(1e-5) == accountant.epsilon(1e-5, "rdp")
    with pytest.raises(ValueError, match="no finite ε at δ = 0"):
        accountant.epsilon(1e-5, "pld")
    release = GaussianMechanism.from_noise_multiplier(3.0)
    together = PrivacyAccountant().compose(search.entry(model)).compose(release).epsilon(1e-5)
    assert alone < together < alone + PrivacyAccountant().compose(release).epsilon(1e-5)
    model.compose(step)  # what was entered stays what it was
    assert accountant.epsilon(1e-5, "rdp") == accountant.epsilon(1e-5)


@pytest.mark.parametrize("eta", [0.0, 1.0, -0.5])
def test_the_best_of_pure_runs_is_pure(eta):
    """(2 + η)ε, never below the exact loss of the best of randomized responses, either output best."""
    search, run = PrivateSearch(0.05, eta), LaplaceMechanism(0.3)
    entry = search.entry(run)
    assert entry.guarantee == Guarantee((2 + eta) * run.privacy_loss().epsilon(0.0))
    assert PrivacyAccountant().compose(entry, 3).epsilon(0.0) == pytest.approx(3 * (2 + eta) * 0.3)
    rr = np.array([1, np.exp(0.3)]) / (1 + np.exp(0.3))
    for p, q in ((rr, rr[::-1]), (rr[::-1], rr)):
        assert np.abs(np.log(best_of(p, search) / best_of(q, search))).max() <= (2 + eta) * 0.3 + 1e-12
    assert search.entry(Guarantee(0.3)).guarantee.epsilon == pytest.approx((2 + eta) * 0.3)
    with pytest.raises(ValueError, match="zCDP"):
        _ = entry.zcdp
    with pytest.raises(TypeError, match="one_run must be a mechanism or a PrivacyAccountant, got 1.0"):
        search.entry(1.0)
