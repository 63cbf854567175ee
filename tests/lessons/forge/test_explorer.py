"""Forge a mechanism: the grid is the auditor's, and what is said to be true is."""

import math

import numpy as np
import pytest
from scipy.stats import laplace, norm

from dpcourse.lessons.forge import explore_forge, forged, true_epsilon
from dpcourse.lessons.forge.measure import FORGETS, certified
from dpcourse.lessons.forge.numbers import GRID
from dpcourse.plots.scene import STEPS

CELL = 1 / 1024


def delta_by_summing(noise, scale, epsilon):
    """The smallest δ at ε, summed over the cells that outputs are rounded to."""
    edges = np.arange(-40 * 1024, 41 * 1024 + 1) * CELL - CELL / 2
    law = {"Gaussian": norm}.get(noise, laplace)(0, scale)
    p, q = (np.diff(law.cdf(edges - centre)) for centre in (0, 1))
    if noise == "forgetful Laplace":
        p, q = (1 - FORGETS) * p, (1 - FORGETS) * q
        p[np.searchsorted(edges, 0) - 1] += FORGETS
        q[np.searchsorted(edges, 1) - 1] += FORGETS
    return np.maximum(p - math.exp(epsilon) * q, 0).sum()


@pytest.mark.parametrize("noise", ["Laplace", "Gaussian", "forgetful Laplace"])
@pytest.mark.parametrize("scale", [0.5, 1.0, 2.0])
def test_the_truth_is_the_truth(noise, scale):
    epsilon = true_epsilon(noise, scale, 0.01)
    assert delta_by_summing(noise, scale, epsilon) == pytest.approx(0.01, rel=0.02)


def test_pure_truths():
    assert true_epsilon("Laplace", 0.25, 0.0) == 4
    assert math.isinf(true_epsilon("Gaussian", 4.0, 0.0)) and math.isinf(true_epsilon("uniform", 8.0, 0.01))
    assert delta_by_summing("forgetful Laplace", 1.0, true_epsilon("forgetful Laplace", 1.0, 0.0)) < 1e-6


def test_no_audit_certifies_more_than_is_true():
    """Each of the 3,360 numbers may with probability 0.001; of one series they rise and fall together. Twelve or more
    by chance alone: below 1e-3 were they independent."""
    above = sum(
        int((forged(noise, scale, 1.0, delta, 100).certified > true_epsilon(noise, scale, delta) + 1e-3).sum())
        for noise in GRID.NOISES
        for scale in GRID.SCALES
        for delta in GRID.DELTAS
    )
    assert above < 12


@pytest.mark.parametrize("noise", GRID.NOISES)
def test_the_grid_is_what_the_auditor_says(noise):
    kept = GRID.CERTIFIED[GRID.NOISES.index(noise)][2][1]
    again = certified(noise, GRID.SCALES[2], 1, runs=tuple(GRID.RUNS))
    assert again == kept and len(again[0]) == len(GRID.RUNS)


def test_the_reader_is_told_who_has_won():
    explorer = explore_forge()

    def said(**moved):
        return explorer.show(**moved), explorer.front.view["p"][0]["t"]

    text, title = said(noise="Laplace", scale=0.5, claim=1.0, delta=0.0, runs=10_000)
    assert "caught in 5 of 5 audits" in text and title == "Caught in 5 of 5 audits"
    text, title = said(scale=1.0)
    assert "not caught: it is true" in text and title == "Not caught: it is true" and "not proved" not in text
    text, title = said(noise="Gaussian", scale=8.0, runs=1000)
    assert title.endswith("you got away with it") and "Not caught is not proved." in text and "no ε holds" in text


def test_a_truth_that_is_none_is_not_drawn_at_zero():
    explorer = explore_forge()
    explorer.show(noise="Gaussian", scale=8.0)
    labels = {label["t"]: label["y"] for label in explorer.front.view["p"][0]["s"]}
    assert "true ε" not in labels and labels["true ε: none, however large"] == STEPS
    explorer.show(noise="Laplace", scale=1.0)
    labels = {label["t"]: label["y"] for label in explorer.front.view["p"][0]["s"]}
    assert 0 < labels["true ε"] < STEPS and "true ε: none, however large" not in labels
