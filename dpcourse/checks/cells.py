"""Several numbers of one release: has each noise of its own, of one size, whatever is in it?

False alarms of a right answer, for Laplace and two-sided geometric noise and 300 releases or more in all: below 1e-8 a
look.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence

import numpy as np

from dpcourse.checks.diagnosis import Diagnosis
from dpcourse.checks.samples import FULL, Sample
from dpcourse.checks.vocabulary import Shared


def exact_wrong(
    samples: Sequence[Sample], cell: str, draw: str, empty_ask: str = "", shared_ask: str = ""
) -> Diagnosis | None:
    """What comes out without noise: cells that nobody is in, differences, the total."""
    if len(samples[0].truth) == 1:
        return None
    empty = [sample.errors[:, sample.truth == 0].ravel() for sample in samples]
    full = [sample.errors[:, sample.truth != 0].ravel() for sample in samples]
    nobody, somebody = np.concatenate(empty), np.concatenate(full)
    if len(nobody) and np.mean(nobody == 0) > 0.95 and np.mean(somebody == 0) < 0.8:
        return Shared.EMPTY_EXACT.seen(
            f"A {cell} with nobody in it gets no noise: an exact 0 says that a person is not there, and anything else "
            "that somebody is.",
            empty_ask
            or f"Which {cell}s are declared? Does every one of them get noise, whether anybody is in it or not?",
        )
    if all(np.ptp(sample.errors, axis=1).max() < 1e-9 * max(sample.scale, 1) for sample in samples):
        return Shared.SHARED_NOISE.seen(
            f"All {cell}s share one draw of noise: subtract two of them, and what is left is exact.",
            shared_ask or f"How is a draw of its own made for each {cell}? ({draw})",
        )
    if all(np.ptp(sample.errors.sum(axis=1)) < 0.1 * sample.errors.std(axis=0).mean() for sample in samples):
        return Shared.EXACT_TOTAL.seen(
            f"Your {cell}s always add up to the same total, without any noise. Boris, who knows all the others, reads "
            "off what one person more adds to it."
        )
    return None


def uneven_wrong(samples: Sequence[Sample], cell: str, draw: str) -> Diagnosis | None:
    """Noise that is cut at zero, follows what is in a cell, is smaller in some places, or belongs to two cells."""
    if len(samples[0].truth) == 1:
        return None
    return (
        _cut_at_zero(samples, cell)
        or _by_size(samples, cell)
        or _by_place(samples, cell)
        or _linked(samples, cell, draw)
    )


def _cut_at_zero(samples: Sequence[Sample], cell: str) -> Diagnosis | None:
    """At ε = 1 more than a quarter of all counts of nobody are negative."""
    nobody = np.concatenate([sample.errors[:, sample.truth == 0].ravel() for sample in samples])
    if len(nobody) < 100 or nobody.min() < 0:
        return None
    large = np.concatenate([sample.errors[:, sample.truth >= FULL * sample.scale].ravel() for sample in samples])
    if len(large) >= 100 and large.min() >= 0:
        return Shared.ONE_SIDED.seen(f"Your noise has one sign only: no {cell} comes out smaller than it is.")
    return Shared.CUT_AT_ZERO.seen(
        "Negative counts were cut, or made positive: none comes out. That is harmless for privacy, but not asked for: "
        f"{cell}s with nobody in them come out {nobody.mean():.2g} too large on average, and so do sums of many."
    )


def _by_size(samples: Sequence[Sample], cell: str) -> Diagnosis | None:
    """Mean errors where the truth is zero, small, middling and large, beside those of all; 300 or more."""
    words = ("empty", "small", "middling", "large")
    truth = np.concatenate([np.broadcast_to(s.truth / s.scale, s.errors.shape).ravel() for s in samples])
    errors = np.abs(np.concatenate([(s.errors / (s.size * s.scale)).ravel() for s in samples]))
    groups = np.digitize(truth, (0.5, FULL, 5 * FULL))
    sizes = {words[g]: float(errors[groups == g].mean()) for g in range(4) if (groups == g).sum() >= 300}
    if not sizes or max(sizes.values()) <= 1.6 * min(sizes.values()):
        return None
    least, most = min(sizes, key=sizes.__getitem__), max(sizes, key=sizes.__getitem__)
    full = np.concatenate([s.errors[:, s.truth >= FULL * s.scale].ravel() for s in samples])
    if len(full) >= 300 and (full == np.rint(full)).all() and abs(full.mean() + 0.5) < 0.2:
        return Shared.CUT_DECIMALS.seen(
            f"Your results are whole numbers: half a step below the truth on average in full {cell}s, and nearer to 0 "
            "than noise is in empty ones."
        )
    return Shared.NOISE_BY_SIZE.seen(
        f"Your noise follows the size of the {cell}. Set beside the average of all, it is {sizes[least]:.2g} times as "
        f"wide in {least} {cell}s, and {sizes[most]:.2g} times in {most} ones. Then the noise tells the size."
    )


def _pooled(samples: Sequence[Sample]) -> Iterator[np.ndarray]:
    """Errors in units of the scale, shape (runs, d), of all samples with the same d; ten runs a number or more."""
    pools = defaultdict(list)
    for sample in samples:
        pools[sample.errors.shape[1]].append(sample.errors / sample.scale)
    for d, pool in pools.items():
        errors = np.concatenate(pool)
        if len(errors) >= 10 * d:
            yield errors


def _by_place(samples: Sequence[Sample], cell: str) -> Diagnosis | None:
    for errors in _pooled(samples):
        places = np.abs(errors).mean(axis=0)
        if places.min() > 0.55 * places.mean() and places.max() < 1.7 * places.mean():
            continue
        return Shared.UNEVEN_NOISE.seen(
            f"Not all {cell}s get noise of one size: it is {places.min():.2g} times the right scale on average in "
            f"{cell} {places.argmin()}, and {places.max():.2g} times in {cell} {places.argmax()}, whatever is in them. "
            f"Any record may be in any {cell}."
        )
    return None


def _linked(samples: Sequence[Sample], cell: str, draw: str) -> Diagnosis | None:
    """Whether some combination of the numbers has hardly any noise.

    Independent noise of N runs and d numbers has a least singular value of about √N − √d in units of its deviation;
    with N ≥ 10d that is 0.68 √N or more, and 0.4 √N is never reached.
    """
    for errors in _pooled(samples):
        standard = errors / np.maximum(errors.std(axis=0), 1e-300)
        if np.linalg.svd(standard, compute_uv=False)[-1] < 0.4 * math.sqrt(len(standard)):
            return Shared.LINKED_NOISE.seen(
                f"Some {cell}s share noise: their sum or their difference has less noise than it should, or none.",
                f"How is a draw of its own made for each {cell}? ({draw})",
            )
    return None
