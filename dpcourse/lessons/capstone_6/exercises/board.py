"""Capstone 6.6: what stands on the board, which all five banks read."""

from __future__ import annotations

import numpy as np

from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.lessons.capstone_6.design import BITS, opened
from dpcourse.lessons.capstone_6.exercises.local import Watched
from dpcourse.lessons.capstone_6.exercises.world import EXACT

NEAR = 2.0**24  # of a mask: inputs are 2^16 at most, and a number that has no mask is so near to one by chance alone


def shown(run: Watched, noisy: np.ndarray) -> Diagnosis | None:
    """What is returned was opened; all else is inputs minus masks. Of two inputs to a mask one is let through."""
    before = [seen for seen in run.board if not _is(seen, noisy)]
    if len(before) == len(run.board):
        return Diagnosis(
            "not-opened",
            "The matrix that you return was never opened on the board: nobody in the protocol has it.",
            "Which shares have to be opened at the end, and only then?",
        )
    if len(before) < 2:
        return Diagnosis(
            "in-the-clear",
            f"Before the end {len(before)} matrices were opened. No bank can make its share of the product alone, so "
            "somebody puts all five banks' blocks or shares together.",
            "6.4: which two masked matrices do the banks open, and what does each bank compute from them?",
        )
    shapes = {mask.shape[1:] for _, left, right, _ in run.dealt for mask in (left, right)}
    masks, used, covered = _masks(run), [np.zeros(0, dtype=int)], [np.zeros(0)]
    for seen in before:
        if seen.shape not in shapes or not seen.size:
            return _bare(seen)
        which, inputs = _unmasked(np.sort(seen.ravel().view(np.uint64)), masks)  # in order: found faster
        if (np.abs(inputs) > NEAR).any():
            return _bare(seen)
        used.append(which)
        covered.append(inputs)
    return _twice(np.concatenate(used), np.concatenate(covered))


def _twice(which: np.ndarray, inputs: np.ndarray) -> Diagnosis | None:
    """Whether masks cover two inputs each: more than one of them, as one number may be near to another's mask."""
    order = np.lexsort((inputs, which))
    again = int(((np.diff(which[order]) == 0) & (np.diff(inputs[order]) != 0)).sum())
    if again <= 1:
        return None
    return Diagnosis(
        "mask-twice",
        f"{again:,} numbers on the board have a mask that another number there has, too. Put the two together, and "
        "the mask is gone.",
        "How many inputs may a mask serve, and is the mask itself on the board?",
    )


def _is(seen: np.ndarray, noisy: np.ndarray) -> bool:
    return seen.shape == noisy.shape and bool(np.abs(seen / 2.0 ** (2 * BITS) - noisy).max() < EXACT)


def _masks(run: Watched) -> np.ndarray:
    """All numbers of all masks that were dealt, sorted."""
    dealt = [opened(mask).ravel() for _, left, right, _ in run.dealt for mask in (left, right)]
    return np.unique(np.concatenate([np.zeros(0, dtype=np.int64), *dealt]).view(np.uint64))


def _unmasked(numbers: np.ndarray, masks: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """For each number the mask that leaves least of it, and what is left: an input, if it is input − mask or mask −
    input."""
    if not len(masks):
        return np.zeros(len(numbers), dtype=int), np.full(len(numbers), np.inf)
    places, inputs = [], []
    for turned in (numbers, -numbers):  # a mask − input is near its mask
        above = np.searchsorted(masks, turned)
        for place in (above % len(masks), above - 1):
            left = (masks[place] - turned).view(np.int64)
            places.append(place % len(masks))
            inputs.append(left.astype(float))
    best = np.abs(inputs).argmin(axis=0)[None]
    which = np.take_along_axis(np.array(places), best, axis=0)[0]
    return which, np.take_along_axis(np.array(inputs), best, axis=0)[0]


def _bare(seen: np.ndarray) -> Diagnosis:
    ask = "Before the end only an input minus a mask of the triple is opened. What do you open here?"
    if np.abs(seen.astype(float)).max(initial=0) < 2.0**40:
        return Diagnosis("opens-input", f"A matrix of shape {seen.shape} stands on the board without a mask.", ask)
    return Diagnosis(
        "opens-other",
        f"A matrix of shape {seen.shape} stands on the board that is neither an input minus a mask that was dealt, nor "
        "the matrix that you return. A large number may still tell what it was made from.",
        ask,
    )
