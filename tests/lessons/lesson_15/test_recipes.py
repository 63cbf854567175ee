"""Lesson 15's comparison of recipes, by group."""

import numpy as np
import pytest

from dpcourse.lessons.lesson_15 import Change, Recipe, changes_by_recipe

SETTINGS = {"dataset_size": 420, "classes": (0, 1), "delta": 1e-5, "sampling_rate": 1.0, "steps": 20}
RECIPES = {
    "plain": Recipe(np.inf, 100.0, 2.0, "plain"),
    "again": Recipe(np.inf, 100.0, 2.0, "plain"),
    "noise": Recipe(0.05, 1.0, 2.0, "plain"),
}


@pytest.fixture(scope="module")
def found():
    rng = np.random.default_rng(15)
    X = rng.normal(size=(600, 3))
    y = (X[:, 0] + 0.5 * rng.normal(size=600) > 0).astype(int)
    groups = {"few": np.arange(600) < 60, "all": np.ones(600, dtype=bool)}
    return changes_by_recipe(X, y, groups, RECIPES, SETTINGS, splits=2, draws=4, rng=15)


def test_the_same_recipe_without_noise_changes_nothing(found):
    assert found["few"]["again"] == found["all"]["again"] == Change(0.0, 0.0, 0.0)
    assert "plain" not in found["all"]


def test_noise_costs_accuracy_and_fewer_people_are_less_sure(found):
    """Seeded. Under six other seeds noise of ε = 0.05 costs 13 to 23 points, each time beyond both errors."""
    few, everybody = found["few"]["noise"], found["all"]["noise"]
    assert everybody.mean + everybody.error < 0
    assert few.people > everybody.people > 0 and everybody.draws > 0
    assert everybody.error == pytest.approx(np.hypot(everybody.draws, everybody.people))
    assert str(Change(-1.25, 0.5, 0.25)) == "-1.2 ± 0.5 ± 0.2"
