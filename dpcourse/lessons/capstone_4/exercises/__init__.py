"""Milestones of capstone 4: Paillier, packing, three of four, tests within a budget, what leaves, the whole."""

from dpcourse.checks.base import Exercise
from dpcourse.checks.whole_noise import never_again
from dpcourse.lessons.capstone_4.exercises.apiece import apiece
from dpcourse.lessons.capstone_4.exercises.choice import CHOICE
from dpcourse.lessons.capstone_4.exercises.few import reports, uploads
from dpcourse.lessons.capstone_4.exercises.full import full_key, full_parts, longer_key
from dpcourse.lessons.capstone_4.exercises.leaves import LEAVES
from dpcourse.lessons.capstone_4.exercises.packing import PACKING
from dpcourse.lessons.capstone_4.exercises.paillier import PAILLIER
from dpcourse.lessons.capstone_4.exercises.small_numbers import own_r
from dpcourse.lessons.capstone_4.exercises.threshold import THRESHOLD
from dpcourse.lessons.capstone_4.exercises.whole import WHOLE

EXERCISES = (
    Exercise(
        "capstone 4.1", "Sums under encryption", (*PAILLIER, own_r, full_key), call="(key, encrypt, add, decrypt)"
    ),
    Exercise("capstone 4.2", "Cells side by side", PACKING, call="(pack, unpack)"),
    Exercise("capstone 4.3", "Three of four", (*THRESHOLD, full_parts), call="(partial, combine)"),
    Exercise("capstone 4.4", "Tests within a budget", CHOICE, call="choose_tests(caught, cost, weights, budget)"),
    Exercise(
        "capstone 4.5",
        "What leaves",
        (*LEAVES, apiece, reports),
        call="(learned, chip_report(failures, defects, epsilon, shares, rng))",
    ),
    Exercise(
        "capstone 4.6",
        "The whole test programme",
        (*WHOLE, uploads, longer_key),
        call="programme(messages, centres, cost, budget, epsilon, key, draw, rng)",
        own_work=False,
        restless=lambda result, messages, centres, cost, budget, epsilon, *_: never_again(
            len(result["counts"]), epsilon
        ),
    ),
)
