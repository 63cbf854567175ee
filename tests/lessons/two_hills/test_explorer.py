"""Two hills: the shaded area is δ, the band is e^ε, and Boris wins as many bets as he is said to."""

import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import laplace, norm

from dpcourse.lessons.two_hills import coin_hills, composed_hills, explore_two_hills, gaussian_hills, laplace_hills
from dpcourse.lessons.two_hills.numbers import epsilon_by_answers, threshold_on
from dpcourse.widgets.grid import site_grid

VIEWS = ("laplace", "coin", "gaussian", "threshold", "composition")


def area_above(one, other, factor):
    """The area of one hill above `factor` times the other, by quadrature."""
    return quad(lambda x: max(one(x) - factor * other(x), 0), 20, 100, points=[61, 62], limit=500)[0]


@pytest.mark.parametrize("noise, claim", [(1.0, 0.5), (2.0, 0.3), (0.4, 1.0)])
def test_laplace_delta_is_the_area_between_the_hills(noise, claim):
    hills = laplace_hills(noise, claim)
    without, with_ana = (laplace(centre, 1 / noise).pdf for centre in (61, 62))
    assert hills.delta == pytest.approx(area_above(with_ana, without, math.exp(claim)), abs=1e-6)
    assert hills.accuracy == pytest.approx((1 + area_above(with_ana, without, 1)) / 2, abs=1e-6)
    assert hills.ratio.max() == pytest.approx(math.exp(noise)) and hills.ratio.min() == pytest.approx(math.exp(-noise))


@pytest.mark.parametrize("sigma, claim", [(1.0, 1.0), (3.0, 0.2)])
def test_gaussian_delta_is_the_area_between_the_hills(sigma, claim):
    hills = gaussian_hills(sigma, claim)
    without, with_ana = (norm(centre, sigma).pdf for centre in (61, 62))
    assert hills.delta == pytest.approx(area_above(with_ana, without, math.exp(claim)), rel=1e-4)


def test_the_coin_is_the_worst_noise_of_its_epsilon():
    hills = coin_hills(1.0, 0.4)
    yes, no = hills.with_ana[1], hills.without[1]
    assert yes / no == pytest.approx(math.e) and hills.delta == pytest.approx(yes - math.exp(0.4) * no)
    assert hills.delta > laplace_hills(1.0, 0.4).delta


def test_a_sum_of_answers_says_what_they_say_together():
    """Against 20,000 rounds of nine answers each; a wrong share would be off by more than 5 standard errors."""
    rng = np.random.default_rng(2)
    here = rng.integers(0, 2, 20_000)
    published = here[:, None] + rng.normal(0, 6.0, (20_000, 9))
    wins = np.mean((published.sum(axis=1) > 4.5) == here)  # false alarm below 1e-6
    assert abs(wins - composed_hills(6.0, 9, 1.0).accuracy) < 5 * math.sqrt(0.25 / 20_000)
    answers, epsilons = epsilon_by_answers(10.0, 1e-5)
    assert answers[0] == 1 and epsilons[-1] < 0.2 * 100 * epsilons[0]


@pytest.mark.parametrize("kind", ["Laplace", "Gaussian"])
def test_a_threshold_makes_the_alarms_it_is_said_to(kind):
    cut = threshold_on(0.8, 62.5, kind)
    law = laplace(0, 1 / 0.8) if kind == "Laplace" else norm(0, math.sqrt(2) / 0.8)
    assert cut.false_alarms == pytest.approx(law.sf(1.5)) and cut.right_alarms == pytest.approx(law.sf(0.5))
    assert np.all(np.diff(cut.curve_x) >= 0) and np.all(np.diff(cut.curve_y) >= 0)
    assert np.interp(cut.false_alarms, cut.curve_x, cut.curve_y) == pytest.approx(cut.right_alarms, abs=0.01)
    limit = np.minimum(math.exp(0.8) * cut.curve_x, 1 - math.exp(-0.8) * (1 - cut.curve_x))
    below = cut.curve_y <= limit + 1e-12
    assert below.all() == (kind == "Laplace")


@pytest.mark.parametrize("view", VIEWS)
def test_every_view_draws_the_same_in_the_browser(view, browser_draws_the_same):
    explorer = explore_two_hills(view)
    views = []
    for setting in explorer.settings():
        explorer.show(**setting)
        views.append(explorer.front.view)
    browser_draws_the_same(views, 640)
    assert explorer.title.endswith("?") and len(explorer.answer) > 80


def test_the_claim_that_the_lesson_asks_for_can_be_set_on_the_site():
    explorer = explore_two_hills()
    at = site_grid(explorer)["spec"]["controls"]
    claims = next(control["labels"] for control in at if control["name"] == "claim")
    assert {"0.5", "1", "2"} <= set(claims)
    said = explorer.show(noise=1.0, claim=0.5)
    assert "δ ≈ 0.22" in said and "worth little" in said  # 1 − e^(−1/4)
    explorer.show(claim=4.0)
    factor = explorer.front.view["words"]["claim"].rsplit(" ", 1)[1].rstrip(".")
    assert f"green: claimed, at most e^ε = {factor}" in {label["t"] for label in explorer.front.view["p"][1]["s"]}


def test_the_shaded_area_shows_where_the_claim_is_too_small():
    explorer = explore_two_hills()
    assert "is true" in explorer.show(noise=1.0, claim=1.0) and "is false" in explorer.show(noise=1.0, claim=0.5)
    low, high = (explorer.front.view["p"][0]["k"][0][key] for key in ("y", "Y"))
    assert max(np.subtract(high, low)) > 300  # of 4,000 steps


def test_an_unknown_view_is_named():
    with pytest.raises(ValueError, match="'bell'"):
        explore_two_hills("bell")
