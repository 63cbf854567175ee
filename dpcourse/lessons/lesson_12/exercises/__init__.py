"""Exercises of lesson 12: what an update gives away, a private round, masks that cancel, and what rounds cost.

Data are drawn anew for every check. A private round is random; its law is known exactly, so the check tests that law,
recognises the laws that the usual mistakes have, and audits it with a client that sends what no client should.
"""

from __future__ import annotations

from dpcourse.checks.base import Exercise
from dpcourse.lessons.lesson_12.exercises.prices import NOISE_SHARE, RECORD_COST
from dpcourse.lessons.lesson_12.exercises.round import PRIVATE_ROUND
from dpcourse.lessons.lesson_12.exercises.updates import MASKED, RECONSTRUCT

EXERCISES = (
    Exercise("12.1", "Read a wafer off an update", RECONSTRUCT, call="reconstruct(update)"),
    Exercise("12.2", "Masks that cancel", MASKED, call="masked(vector, me, seeds, modulus)"),
    Exercise(
        "12.3",
        "A private round",
        PRIVATE_ROUND,
        call="private_round(updates, clip_norm, noise_multiplier, expected_clients, rng)",
    ),
    Exercise(
        "12.4",
        "What ten rounds cost a wafer",
        RECORD_COST,
        call="record_epsilon(noise_multiplier, batch_size, dataset_size, local_epochs, rounds, delta)",
        allowed=("accounting", "mechanisms", "federated.accounting"),
    ),
    Exercise(
        "12.5",
        "Everybody's share of the noise",
        NOISE_SHARE,
        call="noise_share(clip_norm, noise_multiplier, n_clients, most_dropouts)",
    ),
)
