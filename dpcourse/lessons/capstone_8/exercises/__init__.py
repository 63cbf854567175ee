"""Milestones of capstone 8: reports, what a year costs, memory and its leak, noisy means, an alarm, the whole."""

from dpcourse.checks.base import Exercise
from dpcourse.lessons.capstone_8.exercises.alarm import ALARM
from dpcourse.lessons.capstone_8.exercises.costs import COSTS
from dpcourse.lessons.capstone_8.exercises.every_day import of_means, of_messages
from dpcourse.lessons.capstone_8.exercises.means import MEANS
from dpcourse.lessons.capstone_8.exercises.memory import MEMORISED
from dpcourse.lessons.capstone_8.exercises.reports import REPORTS
from dpcourse.lessons.capstone_8.exercises.same_days import of_same_days
from dpcourse.lessons.capstone_8.exercises.sparse import SPARSE
from dpcourse.lessons.capstone_8.exercises.whole import WHOLE

EXERCISES = (
    Exercise(
        "capstone 8.1",
        "A report every day",
        REPORTS,
        call="(daily_reports(readings, epsilon, rng), daily_means(reports, epsilon))",
    ),
    Exercise(
        "capstone 8.2",
        "A day and a year",
        COSTS,
        call="year_epsilon(deviation, days, delta)",
        allowed=("accounting", "mechanisms"),
    ),
    Exercise(
        "capstone 8.3",
        "Memory, and what it tells",
        MEMORISED,
        call="(memoised(buckets, epsilon, rng), data, neighbour, event)",
    ),
    Exercise(
        "capstone 8.4",
        "Means of every day, for a home's year",
        (*MEANS, of_means, of_same_days),
        call="private_daily_means(readings, epsilon, delta, rng)",
        allowed=("accounting", "mechanisms"),
        restless=lambda result, *_: len(result) > 40,  # normal noise, of which an answer may cut some
    ),
    Exercise("capstone 8.5", "An alarm at home", ALARM, call="local_alarm(readings, means)"),
    Exercise(
        "capstone 8.6",
        "The whole year",
        (*WHOLE, of_messages, *SPARSE),
        call="year_of_means(messages, homes, days, epsilon, delta, shares, rng)",
        own_work=False,
        odd=("nan",),
    ),
)
