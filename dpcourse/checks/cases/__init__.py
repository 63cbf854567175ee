"""Building blocks for exercises: each is a case, called as ``case(answer, chance) -> Diagnosis | None``.

=============== ===========================================================================================
`Returns`       a result of the right type, shape and domain; nothing returned; data changed; the rng unused
`Equals`        a formula without randomness, against the right one, with known mistakes recognised
`Value`         a number or a string as the answer, with known mistakes recognised
`Useful`        error small often enough: neither over-noised nor constant
`Frequencies`   outputs from a finite set occur as often as they should, on several questions together
`Audited`       neighbouring datasets, a claim, and an auditor who tries to refute it, through one `View` or several
`Attack`        the other way round: the student hands in neighbours or an event, and our release is to be refuted
=============== ===========================================================================================

Statistical cases fail a right answer with probability `chance.failure` at most; how many runs they make decides which
wrong answers they catch, so rehearse every wrong answer you can think of.
"""

from dpcourse.checks.cases.attack import Attack, not_neighbours
from dpcourse.checks.cases.audited import Audited, View, either_order
from dpcourse.checks.cases.exact import Returns, Value
from dpcourse.checks.cases.formula import Equals
from dpcourse.checks.cases.frequencies import Frequencies, for_each
from dpcourse.checks.cases.known import Mistake, frozen
from dpcourse.checks.cases.statistical import Useful

__all__ = [
    "Attack",
    "Audited",
    "Equals",
    "Frequencies",
    "Mistake",
    "Returns",
    "Useful",
    "Value",
    "View",
    "either_order",
    "for_each",
    "frozen",
    "not_neighbours",
]
