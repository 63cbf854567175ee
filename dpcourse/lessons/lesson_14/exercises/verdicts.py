"""Exercise 14.2: what is wrong with a spend, with its answer or with what the file holds after it."""

from __future__ import annotations

from collections.abc import Collection
from decimal import Decimal

from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.lessons.lesson_14.exercises.costs import text


def one_wrong(got: bool, fits: bool, stored: bool, cost: str, budget: str, before: list[str]) -> Diagnosis | None:
    if got and not stored:
        return Diagnosis(
            "not-stored",
            "You say True, and another connection does not find the entry in the file: it was not committed, or not "
            "written.",
            "INSERT it and COMMIT before returning True. What is not on disk was not spent.",
        )
    if stored and not got:
        return Diagnosis(
            "refused-pay",
            "You refuse, and the entry is in the file: the next total is too large.",
            "Insert only what is admitted; ROLLBACK otherwise.",
        )
    if got and not fits:
        return Diagnosis(
            "overspends",
            f"After {', '.join(before)} you admit {cost}, and the budget is {budget}: overspent.",
            "Admit only if the total *including* this request is at most the budget, exactly: "
            "a tolerance is spent too.",
        )
    if fits and not got:
        return Diagnosis(
            "float-sum",
            f"After {', '.join(before)} you refuse {cost}, and it fits exactly into the budget of {budget}.",
            "In floats 0.05 added up twenty times is more than 1. decimal.Decimal or fractions.Fraction of the strings "
            "add up exactly. If you have them: may the total equal the budget?",
        )
    return None


def rounded(wrong: Diagnosis, spent: list[tuple[str, Decimal | None]]) -> Diagnosis:
    """Whether a sum is wrong because other numbers are in the file than those that were spent."""
    for cost, stored in spent:
        if stored not in (None, Decimal(cost)) and wrong.key in ("float-sum", "overspends"):
            seen = f"{wrong.seen} You store {stored} where {cost} was spent."
            return Diagnosis("rounded", seen, "Which digits do you drop?")
    return wrong


def id_wrong(got: bool, new: bool, query: str, before: Collection[str]) -> Diagnosis | None:
    """An id that is new is admitted, and no other; there is room for any."""
    if got and not new:
        return Diagnosis(
            "repeated-id",
            f"The query id {query!r} was spent twice. An answer may be shown again; it must not be drawn again.",
            "Return False if the id is anywhere in the table.",
        )
    if new and not got:
        return Diagnosis(
            "new-id",
            f"The query id {query!r} is new among {len(before)} entries and there is room for it, and you refuse it.",
            "When are two ids the same? Compare them whole, and as they are.",
        )
    return None


def rows_wrong(rows: dict[str, Decimal], wanted: dict[str, int], query: str, new: bool) -> Diagnosis | None:
    """The new entry is there, and each of the others as it was."""
    if rows == {name: Decimal(text(cost)) for name, cost in wanted.items()}:
        return None
    if not new:
        return Diagnosis(
            "repeated-id",
            f"You refuse {query!r}, which was spent before, and other entries are in the file than before.",
            "Store nothing, and change nothing, where you return False.",
        )
    return Diagnosis(
        "not-stored",
        f"You admit {query!r}, and the file does not hold just what was there before and this entry.",
        "INSERT one row, with the id and the ε that you are given, and leave the others as they are.",
    )
