"""Exercises of lesson 08: gradients, clipping, noise and pairs of private training.

Data are drawn anew for every check. Where an answer is random, its law is known exactly (Gaussian noise around a
clipped sum), so the check tests that law, and recognises the laws that the usual mistakes have.
"""

from __future__ import annotations

from dpcourse.checks.base import Exercise
from dpcourse.lessons.lesson_08.exercises.costs import COST
from dpcourse.lessons.lesson_08.exercises.gradients import CLIPPED_SUM, GRADIENT_NORMS
from dpcourse.lessons.lesson_08.exercises.shifted import SHIFTED
from dpcourse.lessons.lesson_08.exercises.step import PRIVATE_STEP

EXERCISES = (
    Exercise(
        "08.1",
        "Every example's gradient norm",
        GRADIENT_NORMS,
        call="gradient_norms(X, y, weights, intercept)",
    ),
    Exercise("08.2", "Clip each example", CLIPPED_SUM, call="clipped_sum(gradients, clip_norm)"),
    Exercise(
        "08.3",
        "One private step",
        PRIVATE_STEP.cases,
        call="private_step(gradients, clip_norm, noise_multiplier, expected_size, rng)",
    ),
    Exercise("08.4", "Find the person who moves all pairs", SHIFTED),
    Exercise(
        "08.5",
        "What a training run really costs",
        COST,
        call="training_epsilon(microbatch, arrays, batch_size, dataset_size, epochs, noise_multiplier, delta)",
        allowed=("accounting", "mechanisms"),
    ),
)
