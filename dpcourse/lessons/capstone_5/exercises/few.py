"""Capstone 5.5: two, three and four hospitals, as in a rare disease: each adds its share of noise there, too."""

from __future__ import annotations

import numpy as np

from dpcourse.checks.answers import Answer
from dpcourse.checks.base import Chance
from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.checks.once import fresh
from dpcourse.checks.vocabulary import Shared
from dpcourse.lessons.capstone_5.exercises.run import Sums, study, trained
from dpcourse.lessons.capstone_5.exercises.seen import Seen, amount


def few(answer: Answer, chance: Chance) -> Diagnosis | None:
    """Two seeds with the same sums: what hospitals send differs by noise, and it has the size of the plan's."""
    rng, found = chance.rng, list[Seen]()
    for many in (2, 3, 4):
        hospitals, plan = study(rng, int(rng.integers(1, 3)), "ordinary", many=many)
        runs: list[Sums] = []
        for seed in rng.integers(2**63, size=2).tolist():
            shape, names = (len(plan["centre"]) + 1,), frozenset(hospitals)
            script = runs[0].sums if runs else None
            runs.append(Sums(shape, names, fresh(rng), gone=many - plan["shares"] - 1, lost=0.0, script=script))
            trained(answer, hospitals, plan, runs[-1], seed)
        if len(runs[0].sent) != len(runs[1].sent):
            seen = (
                f"With {many} hospitals and the same sums you make {len(runs[0].sent)} and {len(runs[1].sent)} rounds."
            )
            return Diagnosis("data-in-weights", seen, "What decides how many rounds you make?")
        differences = np.array(runs[0].sent) - np.array(runs[1].sent)
        silent = ~differences.any(axis=(0, 2))
        if silent.any():
            seen = f"With {many} hospitals, {silent.sum()} of them add no noise (`shares` is {plan['shares']})."
            return Shared.NO_NOISE.seen(seen, "Every patient is in the sum. What hides one where hospitals are few?")
        found.append(Seen(differences, [False] * len(differences), plan))
    return amount(found, chance.failure, before=3)
