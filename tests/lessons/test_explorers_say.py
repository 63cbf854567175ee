"""What explorers say is true where it is easiest to be wrong: at the ends of their controls and at random places."""

import math
import random
import re

import pytest
from scipy.special import ndtr

from dpcourse import widgets
from dpcourse.lessons.lesson_05.numbers import NOISES, five_prices
from dpcourse.lessons.lesson_07.numbers import protocols
from dpcourse.lessons.lesson_08.numbers import STAGES, norms_at
from dpcourse.lessons.lesson_11.numbers import certifiable
from dpcourse.lessons.lesson_14.numbers import price_curves

MANY = "answers|votes|queries|cells|counts|people|rounds|reports"


@pytest.mark.parametrize("name", sorted(widgets.EXPLORERS))
def test_numbers_are_written_as_a_person_writes_them(name):
    """No "1 queries", no hyphen for a minus, no minus zero, no day 0; thirty places, ends first."""
    explorer, rng = getattr(widgets, name)(), random.Random(22)
    for k in range(30):
        ends = [(c.options[0], c.options[-1]) if k % 3 else c.options for c in explorer.controls.values()]
        text = explorer.show(**{n: rng.choice(end) for n, end in zip(explorer.controls, ends, strict=True)})
        wrong = re.search(rf"(?<![\d.,])1 ({MANY})\b|(?<![\w^])-\d|−0(\.0+)?(?![\d.])|\bnan\b|day 0\b", text)
        assert not wrong, (wrong, text)
    explorer.close_all()


@pytest.mark.parametrize(("sigma", "answers"), [(1, 1000), (1, 1), (1000, 1), (1000, 1000)])
def test_the_price_of_votes_is_exact_at_the_corners(sigma, answers):
    """The δ of the ε that is said, by the closed form of Gaussian noise: √2 a vote, √k for k answers."""
    said = widgets.explore_votes().show(sigma=sigma, answers=answers)
    epsilon, mu = float(re.search(r"costs? ε = ([\d,.]+)", said)[1].replace(",", "")), math.sqrt(2 * answers) / sigma

    def delta(e):
        return ndtr(mu / 2 - e / mu) - (math.exp(e) * ndtr(-mu / 2 - e / mu) if e < 600 else 0.0)

    assert delta(epsilon * 1.01) < 1e-5 < delta(epsilon * 0.99)


def test_nothing_is_certain_that_is_not():
    assert "is true 99.97% of the time" in widgets.explore_truth().show(epsilon=8.0, k=2)
    assert "wins more than 99.99%" in widgets.explore_votes().show(teachers=1000, share=1.0, sigma=100.0)


def test_intervals_that_rest_on_few_lies_say_so():
    explorer = widgets.explore_estimates()
    assert "intervals are rough" in explorer.show(epsilon=8.0, share=0.01, draw=3)
    assert "intervals are rough" not in explorer.show(epsilon=1.0, share=0.01, draw=3)


def test_a_budget_below_one_query_admits_none():
    explorer = widgets.explore_quarter()
    assert "admits 0 queries and refuses the first" in explorer.show(rate=0.5, epsilon=0.5, budget=0.25, method="basic")
    assert "is spent on day 1 of 91" in explorer.show(rate=300, epsilon=0.5, budget=8.0, method="basic")


def test_what_the_answers_claim():
    """The folded answers of lessons 05, 07, 08, 11 and 14, each over its explorer's controls."""
    for epsilon in (0.01, 0.1, 0.5, 0.8, 2.0):
        for k in (1, 10, 100, 10_000):
            here = five_prices(epsilon, k, 1e-5, list(NOISES.values())[k % 3]).here
            assert here["loss distribution"] <= min(here.values()) * (1 + 1e-6)
            assert epsilon < 0.75 or here["advanced"] > here["basic"]
            assert k > 1 or here["loss distribution"] > here["basic"] - 2.1e-5
    for k in (2, 3, 5, 6, 40, 1000):
        for epsilon in (0.1, 0.5, 1.0, 3.0, 6.0):
            here = protocols(epsilon, k).here
            best = "k-RR" if k < 3 * math.exp(epsilon) + 2 else "OUE"
            assert min(here, key=here.get) == best and (k > 5 or best == "k-RR")
    for clip_norm in (0.03, 0.3, 3.0):
        assert norms_at(clip_norm, STAGES[0]).turned < 1
        assert norms_at(clip_norm, STAGES[1]).clipped > norms_at(clip_norm, STAGES[1]).whole
    ten_thousand = certifiable(10.0, 10_000, 0.95)
    assert ten_thousand.largest[list(ten_thousand.runs).index(10_000)] < 8
    for budget in (0.25, 1.0, 8.0):
        for epsilon in (0.01, 0.08, 0.32):
            few, many = (price_curves(part, budget)[2] for part in (epsilon, epsilon / 2))
            assert all(many[way] <= 4 * few[way] for way in few if few[way])
