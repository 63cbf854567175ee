"""Milestones of capstone 2: shares, one lot in a histogram, shared noise, what is read off, the ledger, the whole."""

from dpcourse.checks.base import Exercise
from dpcourse.checks.whole_noise import never_again
from dpcourse.lessons.capstone_2.design import BINS
from dpcourse.lessons.capstone_2.exercises.histogram import HISTOGRAM
from dpcourse.lessons.capstone_2.exercises.ledger import LEDGER
from dpcourse.lessons.capstone_2.exercises.moduli import other_moduli
from dpcourse.lessons.capstone_2.exercises.noise import NOISE
from dpcourse.lessons.capstone_2.exercises.reading import READING
from dpcourse.lessons.capstone_2.exercises.sharing import SHARING
from dpcourse.lessons.capstone_2.exercises.short import hides_few
from dpcourse.lessons.capstone_2.exercises.whole import WHOLE

EXERCISES = (
    Exercise("capstone 2.1", "Additive shares", (*SHARING, hides_few, other_moduli), call="(share, reconstruct)"),
    Exercise("capstone 2.2", "One lot, one count", HISTOGRAM, call="lot_histogram(reports)"),
    Exercise("capstone 2.3", "A share of the noise", NOISE, call="report(histogram, epsilon, shares, rng)"),
    Exercise("capstone 2.4", "Three answers from one release", READING, call="read_off(noisy)"),
    Exercise(
        "capstone 2.5",
        "A budget for each quarter's lots",
        LEDGER,
        call="admit(folder, quarter, query_id, epsilon)",
        allowed=("budget", "accounting"),
    ),
    Exercise(
        "capstone 2.6",
        "The whole benchmark",
        WHOLE,
        call="benchmark(messages, suppliers, quarter, epsilon, admit, draw, rng)",
        own_work=False,
        restless=lambda result, messages, suppliers, quarter, epsilon, *_: never_again(BINS, epsilon),
        odd=("nan",),
    ),
)
