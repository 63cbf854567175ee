"""Exercises of lesson 15, and what the lesson says of AIF360's Adult dataset.

A right answer fails a check with probability 1e-6 at most.
"""

import math
import os
from pathlib import Path
from unittest import mock

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from dpcourse.audit import audit  # noqa: F401 (loaded here, so that no check's time includes it)
from dpcourse.checks import rehearse
from dpcourse.datasets import load_adult
from dpcourse.lessons.lesson_15 import exercises as l15  # noqa: F401 (the same)
from dpcourse.lessons.lesson_15 import quietly
from dpcourse.mechanisms import GeometricMechanism


def sizes_of(groups, k):
    return np.bincount(groups, minlength=k)


def laplace(groups, k, epsilon, rng):
    return sizes_of(groups, k) + rng.laplace(0, 1 / epsilon, size=k)


def geometric(groups, k, epsilon, rng):
    stop = 1 - math.exp(-epsilon)
    return sizes_of(groups, k) + rng.geometric(stop, size=k) - rng.geometric(stop, size=k)


def fair_shares(groups, k, epsilon, rng):
    """The same relative error for every group: what sounds fair, and leaks."""
    counts = sizes_of(groups, k)
    return counts + rng.laplace(0, 1 / epsilon, size=k) * (1 + counts) / (1 + counts).mean()


def root_noise(groups, k, epsilon, rng):
    counts = sizes_of(groups, k)
    return counts + rng.laplace(0, 1 / epsilon, size=k) * np.sqrt(1 + counts)


def left_out(groups, k, epsilon, rng):
    counts = np.unique(groups, return_counts=True)[1]
    return counts + rng.laplace(0, 1 / epsilon, size=len(counts))


def half_for_large(groups, k, epsilon, rng):
    counts = sizes_of(groups, k)
    return counts + rng.laplace(0, 1 / epsilon, size=k) * np.where(counts > 100, 0.5, 1)


def twice_for_large(groups, k, epsilon, rng):
    counts = sizes_of(groups, k)
    return counts + rng.laplace(0, 1 / epsilon, size=k) * np.where(counts > 100, 2.0, 1)


def noise_in_pairs(sign):
    def answer(groups, k, epsilon, rng):
        noise = rng.laplace(0, 1 / epsilon, size=k)
        noise[1::2] = sign * noise[::2][: len(noise[1::2])]
        return sizes_of(groups, k) + noise

    return answer


def with_noise(counted):
    return lambda groups, k, epsilon, rng: counted(groups, k) + rng.laplace(0, 1 / epsilon, size=k)


def quiet_first_group(groups, k, epsilon, rng):
    return sizes_of(groups, k) + rng.laplace(0, 1 / epsilon, size=k) * np.where(np.arange(k) == 0, 0.3, 1)


def by_value_counts(groups, k, epsilon, rng):
    return pd.Series(groups).value_counts().reindex(range(k), fill_value=0) + rng.laplace(0, 1 / epsilon, size=k)


def rate(labels, says):
    return says[labels].mean()


def opportunity(labels, says, privileged):
    return rate(labels[~privileged], says[~privileged]) - rate(labels[privileged], says[privileged])


def interval(private, plain, t=None, ddof=1, root=True):
    change, m = np.asarray(private) - plain, len(private)
    half = (stats.t.ppf(0.975, m - 1) if t is None else t) * change.std(ddof=ddof) / (math.sqrt(m) if root else 1)
    return np.array([change.mean() - half, change.mean() + half])


def by_scipy(private, plain):
    change = private - plain
    return stats.t.interval(0.95, len(change) - 1, loc=change.mean(), scale=stats.sem(change))


RIGHT = {
    "15.1": [lambda count, epsilon: math.log(20) / epsilon / count],
    "15.2": [laplace, geometric, by_value_counts],
    "15.3": [lambda count, epsilon: math.exp(-epsilon * count) / (2 * epsilon)],
    "15.4": [opportunity],
    "15.5": [interval, lambda private, plain: tuple(interval(private, plain)), by_scipy],
}
WRONG = {
    "15.1": {
        "wrong-value": lambda count, epsilon: 1 / count,
    },
    "15.2": {
        "noise-by-size": fair_shares,
        "scale-from-data": lambda groups, k, epsilon, rng: laplace(
            groups, k, epsilon if groups.dtype == np.int64 else 1e9, rng
        ),
        "noise-by-size too": half_for_large,
        "uneven-noise": quiet_first_group,
        "wrong-counts": with_noise(lambda groups, k: np.histogram(groups, bins=k)[0]),
        "raised": with_noise(lambda groups, k: np.bincount(groups)),
        "wrong-shape": left_out,
        "too-little-noise": lambda groups, k, epsilon, rng: sizes_of(groups, k) + rng.laplace(0, 0.8 / epsilon, size=k),
        "package-used": lambda groups, k, epsilon, rng: GeometricMechanism(epsilon).release(
            sizes_of(groups, k), rng=rng
        ),
        "not-everywhere too of three": with_noise(
            lambda groups, k: np.eye(k)[0] * len(groups) if len(groups) <= 3 else sizes_of(groups, k)
        ),
    },
    "15.3": {},
    "15.4": {
        "not-everywhere too at size": lambda labels, says, privileged: opportunity(
            labels | (len(says) > 40_000), says, privileged
        ),
        "not-everywhere too if all are right": lambda labels, says, privileged: (
            opportunity(labels, says, privileged) if (labels != says).any() else 0.1
        ),
    },
    "15.5": {
        "wrong-value": lambda private, plain: interval(private, 0.84),
    },
}


@pytest.mark.parametrize("answer", [root_noise, half_for_large, twice_for_large])
def test_noise_that_follows_the_size_otherwise_is_caught_too(answer):
    assert rehearse("15.2", answer, times=2, rng=2).keys == {"noise-by-size": 2}


def test_noise_that_cancels_in_pairs_is_caught_too():
    assert rehearse("15.2", noise_in_pairs(-1), times=2, rng=2).keys == {"exact-total": 2}  # six groups, three pairs


def strings_as_objects(frame):
    return frame.astype(dict.fromkeys(frame.select_dtypes("str").columns, object))


def test_our_rows_are_those_of_aif360s_adult_dataset(capsys):
    """The claim of the lesson: with the cure for pandas 3, `AdultDataset` gives our rows, entry by entry."""
    folder = os.environ.get("DPCOURSE_DATA")
    if not folder or not (Path(folder) / "adult.data").is_file():
        pytest.skip("no UCI files")
    with quietly():  # it reports optional packages and the rows it drops
        from aif360.datasets import AdultDataset, StandardDataset

        read = pd.read_csv
        with mock.patch("pandas.read_csv", lambda path, **how: read(Path(folder) / Path(path).name, **how)):
            theirs = AdultDataset(custom_preprocessing=strings_as_objects)
            with pytest.raises(TypeError, match="as a data type"):
                AdultDataset()
        ours = StandardDataset(df=load_adult("uci").frame, **theirs_defaults(AdultDataset))
    assert theirs.feature_names == ours.feature_names and theirs.features.shape == (45_222, 98)
    for part in ("features", "labels", "protected_attributes", "instance_weights"):
        assert (getattr(theirs, part) == getattr(ours, part)).all()


def theirs_defaults(cls):
    import inspect

    parameters = inspect.signature(cls.__init__).parameters.items()
    return {name: p.default for name, p in parameters if p.default is not inspect.Parameter.empty}
