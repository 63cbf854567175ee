"""What lesson 10 tabulates and draws."""

import numpy as np
import pytest

from dpcourse import attacks
from dpcourse.accounting import PrivacyLoss
from dpcourse.lessons import lesson_10 as l10


@pytest.fixture
def guesses():
    """Scores of 20 models and 500 people that say something about who was in, and who was."""
    rng = np.random.default_rng(1)
    members = rng.random((20, 500)) < 0.5
    return rng.normal(size=members.shape) + members, members


def test_a_report_is_what_the_attacks_module_says(guesses):
    scores, members = guesses
    report = l10.report(scores, members)
    assert list(report) == ["AUC", "right", "TPR at 1%", "TPR at 0.1%"]
    areas = [attacks.auc(one, coins) for one, coins in zip(scores, members, strict=True)]
    assert report["AUC"].startswith(f"{np.mean(areas):.3f} ± ")
    assert report["right"] == f"{attacks.best_accuracy(scores, members):.1%}"
    assert report["TPR at 1%"] == str(attacks.tpr_at_fpr(scores, members, 0.01, resamples=100, rng=0))


def test_a_measured_curve_lies_in_its_band(guesses):
    curve = l10.measured("an attack", *guesses)
    assert curve.name == "an attack" and (np.diff(curve.fpr) >= 0).all()
    assert (curve.low <= curve.tpr).all() and (curve.tpr <= curve.high).all()
    assert curve.tpr.mean() > curve.fpr.mean() + 0.1


def test_the_best_attack_on_the_steps_is_within_the_limit():
    drawn = l10.under_the_limit(2.0, 1e-5, 15.0, 30, [])
    assert PrivacyLoss.gaussian(15.0 / 30**0.5).epsilon(1e-5) < 2.0
    np.testing.assert_allclose(drawn.allowed, attacks.dp_roc_bound(2.0, 1e-5, drawn.rates))
    assert (drawn.exact <= drawn.allowed + 1e-9).all() and drawn.epsilon == 2.0
    assert "ε = 2, δ = 10⁻⁵" in drawn.title
