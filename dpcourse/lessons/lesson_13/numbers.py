"""Numbers of lesson 13."""

from __future__ import annotations

import functools
import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd
from scipy.optimize import brentq
from sklearn.linear_model import LogisticRegression

from dpcourse.accounting import PrivacyAccountant, calibrate_noise_multiplier
from dpcourse.datasets import Schema, load_adult
from dpcourse.synthetic import NoisyCounts, TreeSynthesizer
from dpcourse.synthetic.marginals import count

Pair = tuple[str, str]

DELTA = 1e-6
TABLES = {
    "education": ("education",),
    "native-country": ("native-country",),
    "education × occupation": ("education", "occupation"),
    "education × occupation × income": ("education", "occupation", "income-per-year"),
    "age × hours × income": ("age", "hours-per-week", "income-per-year"),
    "occupation × native-country": ("occupation", "native-country"),
}


@dataclass(frozen=True)
class NoisyTable:
    """A table of counts beside its noisy release.

    ``exact`` and ``noisy`` have one entry a cell (people), largest exact count first; ``error`` is the total variation
    distance of the two after negative counts are cut and both are scaled to shares; ``tables`` share the budget.
    """

    columns: str
    exact: np.ndarray
    noisy: np.ndarray
    sigma: float
    error: float
    epsilon: float
    delta: float
    tables: int

    @property
    def drowned(self) -> int:
        """How many cells have fewer people than the noise has standard deviation."""
        return int((self.exact < self.sigma).sum())


@functools.cache
def _exact(columns: tuple[str, ...]) -> np.ndarray:
    """The counts of the twin in the bins of the schema, largest first."""
    adult = load_adult("twin")
    codes = [adult.schema[name].codes(adult.frame[name]) for name in columns]
    shape = tuple(adult.schema[name].size for name in columns)
    flat = np.bincount(np.ravel_multi_index(codes, shape), minlength=math.prod(shape))
    return np.sort(flat)[::-1]


@functools.lru_cache(maxsize=256)
def zcdp_worth(epsilon: float, delta: float) -> float:
    """The largest ρ whose zCDP is worth (ε, δ), from below, to a part in a billion.

    Examples
    --------
    >>> from dpcourse.accounting.renyi import epsilon_from_zcdp
    >>> rho = zcdp_worth(1.0, 1e-6)
    >>> round(rho, 4), round(epsilon_from_zcdp(rho, 1e-6), 4)
    (0.0244, 1.0)
    """
    noise = calibrate_noise_multiplier(epsilon, delta, sampling_rate=1.0, steps=1, method="zcdp")
    return 1 / (2 * noise**2)


def noisy_table(columns: tuple[str, ...], epsilon: float, tables: int = 1) -> NoisyTable:
    """A table of the twin, released as one of `tables` that share (ε, δ = 1e-6) equally; add-remove neighbours.

    Examples
    --------
    >>> noisy_table(("education",), 1.0).exact.size
    16
    >>> noisy_table(("education",), 1.0, tables=4).sigma / noisy_table(("education",), 1.0).sigma
    2.0
    """
    sigma = math.sqrt(tables / (2 * zcdp_worth(epsilon, DELTA)))
    exact = _exact(columns)
    noisy = NoisyCounts(sigma).release(exact, rng=13)
    kept = np.maximum(noisy, 0)
    shares = kept / kept.sum() if kept.any() else np.full(exact.size, 1 / exact.size)
    error = float(np.abs(shares - exact / exact.sum()).sum() / 2)
    return NoisyTable(" × ".join(columns), exact, noisy, sigma, error, epsilon, DELTA, tables)


def pair_errors(frame: pd.DataFrame, other: pd.DataFrame, schema: Schema) -> dict[Pair, float]:
    """How far each two-way table of one frame is from the other's: total variation distance, in the schema's bins.

    An exact statistic of the people, and so not private.
    """
    first, second = (_pair_shares(one, schema) for one in (frame, other))
    return {pair: float(np.abs(first[pair] - second[pair]).sum() / 2) for pair in first}


def _pair_shares(frame: pd.DataFrame, schema: Schema) -> dict[Pair, np.ndarray]:
    codes = {name: schema[name].codes(frame[name]) for name in schema.names}
    return {
        (a, b): count([codes[a], codes[b]], (schema[a].size, schema[b].size)) / len(frame)
        for a, b in combinations(schema.names, 2)
    }


def other_ways(
    codes: Mapping[str, np.ndarray], sizes: Mapping[str, int], rho: float, n: int, rng: np.random.Generator
) -> dict[str, dict[str, np.ndarray]]:
    """n artificial people, as codes, from two simpler releases that cost ρ each: every column alone, and one table of
    all columns.

    The one table is read twice: negative counts cut, and first lowered by one constant, so that the positive cells add
    up to the public n.
    """
    alone = {}
    for name in codes:
        noisy = NoisyCounts(math.sqrt(len(codes) / (2 * rho))).release(count([codes[name]], (sizes[name],)), rng=rng)
        shares = np.maximum(noisy, 0)
        alone[name] = rng.choice(sizes[name], size=n, p=shares / shares.sum())
    found, shape = {"every column alone": alone}, tuple(sizes[name] for name in codes)
    whole = NoisyCounts(math.sqrt(1 / (2 * rho))).release(count(list(codes.values()), shape), rng=rng)
    less = float(brentq(lambda off: np.maximum(whole - off, 0).sum() - n, 0, whole.max()))
    for how, off in (("cut", 0.0), ("lowered", less)):
        shares = np.maximum(whole - off, 0).ravel()
        drawn = rng.choice(shares.size, size=n, p=shares / shares.sum())
        found[f"one table of all, {how}"] = dict(zip(codes, np.unravel_index(drawn, shape), strict=True))
    return found


@dataclass(frozen=True)
class Quality:
    """Synthetic tables at several ε, two draws each, by the name of a method.

    ``errors`` are mean errors of the two-way tables, ``accuracies`` those of a logistic regression of income on people
    who had no part in it, ``with_label`` how many columns share a table with income; shape (number of ε, 2).
    ``ceiling`` is the accuracy of the same regression trained on people, ``floor`` that of the more frequent answer.
    ``spent`` has the cost of all fits together, for a person of the training set.
    """

    epsilons: np.ndarray
    errors: dict[str, np.ndarray]
    accuracies: dict[str, np.ndarray]
    with_label: dict[str, np.ndarray]
    ceiling: float
    floor: float
    spent: PrivacyAccountant


def accuracy_on_people(made: pd.DataFrame, test: pd.DataFrame, schema: Schema) -> float:
    """Of a logistic regression of the schema's label, trained on `made`."""
    model = LogisticRegression(solver="newton-cholesky", tol=0.01).fit(*schema.encode(made))
    return float(model.score(*schema.encode(test)))


def quality(train: pd.DataFrame, test: pd.DataFrame, schema: Schema, epsilons: Collection[float], rng) -> Quality:
    """A tree with the label in every table and a plain tree, learnt from `train` at each ε, δ = 1e-6, add-remove."""
    rng = np.random.default_rng(rng)
    methods, spent = {"label in every table": schema.label, "plain tree": None}, PrivacyAccountant()
    errors, accuracies, with_label = ({name: np.empty((len(epsilons), 2)) for name in methods} for _ in range(3))
    for name, label in methods.items():
        for i, epsilon in enumerate(epsilons):
            for draw in range(2):
                fitted = TreeSynthesizer(epsilon, DELTA, label).fit(train, schema, rng=rng)
                for entry in fitted.accountant_.ledger:
                    spent.compose(entry.source, entry.times)
                made = fitted.sample(len(train), rng=rng)
                errors[name][i, draw] = np.mean(list(pair_errors(train, made, schema).values()))
                accuracies[name][i, draw] = accuracy_on_people(made, test, schema)
                with_label[name][i, draw] = sum(schema.label in edge for edge in fitted.edges_)
    floor = float((test[schema.label] == test[schema.label].mode()[0]).mean())
    ceiling = accuracy_on_people(train, test, schema)
    return Quality(np.array(epsilons), errors, accuracies, with_label, ceiling, floor, spent)


def coverage(pairs: Collection[Pair], made: pd.DataFrame, truth: pd.DataFrame, schema: Schema) -> float:
    """Of the cells with at least 50 artificial people: the share whose usual 95% interval holds the cell's true share.

    The usual interval takes the artificial people for a survey of as many people.
    """
    hits = []
    for a, b in pairs:
        shape = (schema[a].size, schema[b].size)
        p, share = (count([schema[c].codes(f[c]) for c in (a, b)], shape) / len(f) for f in (made, truth))
        inside = np.abs(p - share) <= 1.96 * np.sqrt(p * (1 - p) / len(made))
        hits.append(inside[p >= 50 / len(made)])
    return float(np.concatenate(hits).mean())


def measured(pairs: Collection[Pair], fitted: TreeSynthesizer) -> tuple[list[Pair], list[Pair]]:
    """Pairs of columns that a release has counted together, or with the label as one of the two; and the others."""
    edges = {frozenset(edge) for edge in fitted.edges_}
    told = [pair for pair in pairs if frozenset(pair) in edges or fitted.target in pair]
    return told, [pair for pair in pairs if pair not in told]


def found_again(people: pd.DataFrame, made: pd.DataFrame, schema: Schema) -> np.ndarray:
    """For each person, whether a row of `made` equals the person's in all columns of the schema."""
    return np.isin(_fingerprints(people, schema), _fingerprints(made, schema))


def _fingerprints(frame: pd.DataFrame, schema: Schema) -> np.ndarray:
    """One number a record, the same for equal records."""
    total = np.zeros(len(frame), dtype=np.uint64)
    for name in schema.names:
        total = total * np.uint64(1_000_003) + pd.util.hash_array(frame[name].to_numpy())
    return total
