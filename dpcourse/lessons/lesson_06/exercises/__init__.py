"""Exercises of lesson 06: randomized response written, undone, attacked, dimensioned and read by Bayes' rule."""

from __future__ import annotations

from dpcourse.checks.base import Exercise
from dpcourse.checks.cases import Equals, Returns
from dpcourse.lessons.lesson_06.exercises import formulas, mechanism
from dpcourse.lessons.lesson_06.exercises.attack import collect, leak_found

__all__ = ["EXERCISES", "collect"]

EXERCISES = (
    Exercise(
        "06.1",
        "Randomized response for k answers",
        (
            mechanism.codes_and_answers,
            Returns(mechanism.arguments, "array", shape=lambda c, e, k: c.shape, among=lambda c, e, k: range(k)),
            mechanism.transition_probabilities,
            mechanism.coins_of_their_own,
            *mechanism.PLACED,
            mechanism.of_one_or_two,
            mechanism.in_a_crowd,
            mechanism.how_many_lie,
            mechanism.rarely,
        ),
        call="randomized_response(codes, epsilon, k, rng)",
    ),
    Exercise(
        "06.2",
        "The unbiased estimate",
        (
            Equals(formulas.reports, formulas.solved, formulas.ESTIMATOR_MISTAKES),
            Equals(
                formulas.few_reports,
                formulas.solved,
                formulas.UNREPORTED_MISTAKES,
                wide=formulas.any_reports,
                full=lambda rng: formulas.any_reports(rng, formulas.ADULT),
            ),
        ),
        call="estimate_counts(reports, epsilon, k)",
    ),
    Exercise("06.3", "Find the leak", (leak_found,)),
    Exercise(
        "06.4",
        "The ε that is precise enough",
        (
            Equals(
                formulas.requirement,
                formulas.smallest,
                formulas.EPSILON_MISTAKES,
                rtol=1e-3,
                wide=formulas.any_requirement,
                full=lambda rng: formulas.any_requirement(rng, nobody=True),
            ),
        ),
        call="epsilon_for(n, count, k, error)",
    ),
    Exercise(
        "06.5",
        "What a report tells",
        (Equals(formulas.belief, formulas.posterior, formulas.BAYES_MISTAKES, wide=formulas.any_belief),),
        call="posterior(prior, report, epsilon)",
    ),
)
