"""`TreeSynthesizer`: its sensitivity, its ledger, silence about odd records, and tables that follow the data."""

from __future__ import annotations

import json
import math
from contextlib import contextmanager
from decimal import Decimal
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpcourse.accounting import PrivacyAccountant, renyi
from dpcourse.datasets import Categorical, Numeric, Schema
from dpcourse.mechanisms import ExponentialMechanism
from dpcourse.privacy import Guarantee, Neighbours
from dpcourse.synthetic import Marginal, NoisyCounts, TreeSynthesizer
from dpcourse.synthetic.marginals import count

SCHEMA = Schema(
    columns=(
        Categorical("city", ("A", "B", "C"), "the register of towns"),
        Categorical("school", ("low", "middle", "high"), "three forms"),
        Numeric("rank", 1, 3, (1, 2, 3, 4), "the code of school", determined_by="school"),
        Numeric("hours", 1, 60, (1, 20, 40, 41, 61), "a question with two digits"),
        Numeric("gain", 0, 9_999, (0, 1, 100, 10_000), "a question with four digits"),
        Categorical("rich", ("no", "yes"), "the label"),
    ),
    label="rich",
    n=3_000,
    n_reason="Printed on the cover.",
)


def people(n: int, rng: np.random.Generator) -> pd.DataFrame:
    """Artificial people among whom school depends on city, hours on school, and the label on hours."""
    city = rng.integers(0, 3, n)
    school = np.where(rng.random(n) < 0.8, city, rng.integers(0, 3, n))
    hours = np.clip(rng.normal(15 + 15 * school, 8), 1, 60).astype(int)
    rich = rng.random(n) < hours / 80
    return pd.DataFrame(
        {
            "city": np.array(["A", "B", "C"], dtype=object)[city],
            "school": np.array(["low", "middle", "high"], dtype=object)[school],
            "rank": school + 1,
            "hours": hours,
            "gain": np.where(rng.random(n) < 0.9, 0, rng.integers(1, 5_000, n)),
            "rich": np.where(rich, "yes", "no").astype(object),
        }
    )


@pytest.fixture
def frame():
    return people(3_000, np.random.default_rng(0))


@pytest.mark.parametrize("target", ["rich", None, "city"])
@pytest.mark.parametrize(("epsilon", "delta"), [(0.1, 1e-9), (1.0, 1e-6), (3.0, 1e-6), (20.0, 1e-5), (1000.0, 0.1)])
def test_the_ledger_adds_up_to_no_more_than_the_promise(frame, target, epsilon, delta):
    synthesizer = TreeSynthesizer(epsilon, delta, target).fit(frame, SCHEMA, rng=1)
    assert synthesizer.guarantee_ == Guarantee(epsilon, delta, Neighbours.ADD_REMOVE)
    accountant = synthesizer.accountant_
    assert isinstance(accountant, PrivacyAccountant)
    assert accountant.epsilon(delta, method="zcdp") <= epsilon
    # Rényi orders are a grid there, which costs a little at the extremes.
    assert accountant.epsilon(delta, method="rdp") <= 1.003 * epsilon
    assert accountant.epsilon(delta, method="zcdp") >= 0.99 * epsilon  # and little is wasted
    # Every release is in the ledger, under the noise it was made with.
    noted = [e.source.sigma for e in accountant.ledger if isinstance(e.source, NoisyCounts) for _ in range(e.times)]
    assert sorted(noted) == sorted(m.sigma for m in synthesizer.marginals_.values())
    chosen = sum(e.times for e in accountant.ledger if isinstance(e.source, ExponentialMechanism))
    assert chosen == len(synthesizer.edges_) == (4 if target is None else 3)


@pytest.mark.parametrize("epsilon", [1e-6, 1.0, 50.0])
@pytest.mark.parametrize("delta", [1e-300, 1e-6, 0.5, 0.9, 1 - 1e-12])
def test_every_budget_the_constructor_takes_has_a_rho(epsilon, delta):
    rho = TreeSynthesizer(epsilon, delta)._budget()
    assert renyi.epsilon_from_zcdp(rho, delta) <= epsilon < renyi.epsilon_from_zcdp(rho * (1 + 1e-3), delta)


def test_a_budget_with_a_large_delta_is_spent(frame):
    accountant = TreeSynthesizer(1.0, 0.9, "rich").fit(frame, SCHEMA, rng=1).accountant_
    assert 0.99 <= accountant.epsilon(0.9, method="zcdp") <= 1.0


def test_the_release(frame):
    synthesizer = TreeSynthesizer(3.0, 1e-6, "rich").fit(frame, SCHEMA, rng=1)
    alone = [columns for columns in synthesizer.marginals_ if len(columns) == 2]
    assert alone == [("rich", "city"), ("rich", "school"), ("rich", "hours"), ("rich", "gain")]
    assert synthesizer.marginals_["rich", "hours"].counts.shape == (2, 60)  # by single values
    assert synthesizer.marginals_["rich", "gain"].counts.shape == (2, 3)  # by bins
    assert all(isinstance(m, Marginal) and m.counts.dtype == np.int64 for m in synthesizer.marginals_.values())
    # A tree: it reaches every column and has one edge fewer.
    reached = {name for edge in synthesizer.edges_ for name in edge}
    assert reached == {"city", "school", "hours", "gain"} and len(synthesizer.edges_) == 3


def test_the_tree_follows_the_dependence(frame):
    """With ample budget, the strong pairs are chosen: city and school, school and hours."""
    edges = {frozenset(edge) for edge in TreeSynthesizer(50.0, 1e-6, "rich").fit(frame, SCHEMA, rng=1).edges_}
    assert {frozenset(("city", "school")), frozenset(("school", "hours"))} <= edges


RECORDS = st.fixed_dictionaries(
    {
        "city": st.sampled_from(["A", "B", "C", "?", None, 7]),
        "school": st.sampled_from(["low", "high", "", float("nan")]),
        "rank": st.integers(-5, 5),
        "hours": st.one_of(st.integers(-(10**9), 10**9), st.floats(), st.none(), st.just("many"), st.just([1])),
        "gain": st.one_of(st.integers(-10, 10**6), st.floats(), st.sampled_from(["1_0", 10**400, 1j, Decimal("sNaN")])),
        "rich": st.sampled_from(["no", "yes", "unknown", None, True]),
    }
)


@contextmanager
def only_the_release():
    """Without what reads no record and takes most of the time: the search for ρ, and the model fitted afterwards."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TreeSynthesizer, "_budget", lambda synthesizer: 0.02)
        patch.setattr("dpcourse.synthetic.tree.TreeModel.from_release", lambda release, schema: release)
        yield patch


class Noiseless:
    """In the place of `NoisyCounts`: shows what is counted. Only a test may do this."""

    def __init__(self, sigma):
        self.sigma, self.zcdp, self.neighbours = sigma, 0.0, Neighbours.ADD_REMOVE

    def privacy_loss(self):
        return None

    def release(self, counts, *, rng=None):
        return np.asarray(counts, dtype=np.int64)


@settings(max_examples=20, deadline=None)
@given(RECORDS, st.sampled_from(["rich", None]), st.integers(0, 50))
def test_one_more_record_moves_one_cell_of_each_table_by_one(record, target, n):
    """Whatever the record holds: this is the sensitivity that the noise pays for."""
    base = people(n, np.random.default_rng(n)).astype(object)
    base["gain"] = base["gain"].map("{:_}".format)  # text such as 1_000, which not every reader takes for a number
    more = pd.concat([base, pd.DataFrame([record], dtype=object)], ignore_index=True)
    with only_the_release() as patch:
        patch.setattr("dpcourse.synthetic.tree.NoisyCounts", Noiseless)
        # The same tree for both: which one is chosen is a release of its own.
        patch.setattr(
            "dpcourse.synthetic.tree.spanning_tree", lambda names, *_: list(zip(names, names[1:], strict=False))
        )
        one, other = (TreeSynthesizer(1.0, 1e-6, target).fit(table, SCHEMA, rng=0) for table in (base, more))
    assert one.marginals_.keys() == other.marginals_.keys()
    for columns, marginal in one.marginals_.items():
        moved = other.marginals_[columns].counts - marginal.counts
        assert moved.sum() == 1 and np.abs(moved).sum() == 1, columns


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32), st.integers(0, 200))
def test_scores_have_sensitivity_one(seed, n):
    """Given the released counts of step 1, one more record moves every score by at most one."""
    rng = np.random.default_rng(seed)
    with only_the_release():
        synthesizer = TreeSynthesizer(1.0, 1e-6, "rich").fit(people(200, rng), SCHEMA, rng=rng)
    axes = synthesizer._release.axes
    table = people(n + 1, rng)

    def scores(frame):
        label = SCHEMA["rich"].codes(frame["rich"])
        bins = {name: axis.bin_of_cell[axis.cell_codes(frame[name])] for name, axis in axes.items()}
        exact = {
            (a, b): count([label, bins[a], bins[b]], (2, axes[a].bins, axes[b].bins)) for a, b in combinations(axes, 2)
        }
        return synthesizer._scores(exact, 5.0)

    one, other = scores(table.iloc[:n]), scores(table)
    assert max(abs(one[pair] - other[pair]) for pair in one) <= 1 + 1e-9


@settings(max_examples=25, deadline=None)
@given(st.lists(RECORDS, max_size=4), st.sampled_from(["rich", None]), st.integers(0, 1000))
def test_odd_records_never_raise_and_samples_fit_the_schema(records, target, seed):
    frame = pd.DataFrame(records, columns=list(SCHEMA.names), dtype=object)
    with pytest.MonkeyPatch.context() as patch:
        # How well the tables are fitted does not matter here, and most of the time goes there.
        patch.setattr("dpcourse.synthetic.consistent.ROUNDS", 10)
        synthesizer = TreeSynthesizer(0.5, 1e-6, target).fit(frame, SCHEMA, rng=seed)
    sample = synthesizer.sample(50, rng=seed)
    SCHEMA.validate(sample)
    assert sample.columns.tolist() == list(SCHEMA.names) and len(sample) == 50
    assert len(synthesizer.sample(0)) == 0


def test_with_ample_budget_the_tables_are_those_of_the_data(frame):
    synthesizer = TreeSynthesizer(1e4, 1e-3, "rich").fit(frame, SCHEMA, rng=1)
    sample = synthesizer.sample(3_000, rng=2)
    for a, b in [("rich", name) for name in ("city", "school", "hours", "gain")] + list(synthesizer.edges_):
        real, twin = (
            pd.crosstab(SCHEMA[a].codes(f[a]), SCHEMA[b].codes(f[b])).reindex(
                index=range(SCHEMA[a].size), columns=range(SCHEMA[b].size), fill_value=0
            )
            for f in (frame, sample)
        )
        assert np.abs(real - twin).to_numpy().max() <= 10, (a, b)  # stratified draws, rounded at every step of the tree
    # Single values within a bin follow the counts of step 1.
    by_value = [np.bincount(f["hours"], minlength=61) for f in (frame, sample)]
    assert np.abs(by_value[0] - by_value[1]).max() <= 10


def test_records_drawn_by_themselves_scatter_as_a_survey_does(frame):
    """Of 400 samples the deviation of a share is within 20% of the binomial one: p-value of a right one below 1e-6."""
    model = TreeSynthesizer(1000.0, 0.1, "rich").fit(frame, SCHEMA, rng=1)
    rng = np.random.default_rng(2)
    share = {
        how: [(model.sample(200, rng=rng, stratified=how)["city"] == "A").mean() for _ in range(400)]
        for how in (True, False)
    }
    p = np.mean(share[False])
    assert abs(np.mean(share[True]) - p) < 0.02
    assert 0.8 < np.std(share[False]) / np.sqrt(p * (1 - p) / 200) < 1.2
    assert np.std(share[True]) < 0.5 * np.std(share[False])


def test_sampling_reads_the_release_alone(frame):
    synthesizer = TreeSynthesizer(1.0, 1e-6, "rich").fit(frame, SCHEMA, rng=3)
    stored = json.loads(json.dumps(synthesizer.to_dict()))
    again = TreeSynthesizer.from_dict(stored, SCHEMA)
    pd.testing.assert_frame_equal(synthesizer.sample(500, rng=4), again.sample(500, rng=4))
    assert again.edges_ == synthesizer.edges_ and again.guarantee_ == synthesizer.guarantee_
    for method in ("zcdp", "pld"):
        cost = again.accountant_.epsilon(1e-6, method=method)
        assert cost == pytest.approx(synthesizer.accountant_.epsilon(1e-6, method=method), rel=1e-6)


def test_a_release_of_another_schema_is_refused(frame):
    stored = TreeSynthesizer(1.0, 1e-6, "rich").fit(frame, SCHEMA, rng=3).to_dict()
    other = Schema(
        tuple(Categorical("city", ("A", "B"), "fewer") if c.name == "city" else c for c in SCHEMA.columns),
        "rich",
        3_000,
        "Printed on the cover.",
    )
    with pytest.raises(ValueError, match="release must fit the schema"):
        TreeSynthesizer.from_dict(stored, other)


@pytest.mark.parametrize(
    ("changed", "error"),
    [
        ({"epsilon": 0.1}, "must claim the ε=0.9999.* that it cost at δ=1e-06, got 0.1"),
        ({"delta": 1e-12}, "must claim the ε"),
        ({"neighbours": "replace-one"}, "must claim neighbours 'add-remove', as its noise does, got 'replace-one'"),
    ],
)
def test_a_release_claims_what_its_ledger_says(frame, changed, error):
    stored = TreeSynthesizer(1.0, 1e-6, "rich").fit(frame, SCHEMA, rng=3).to_dict()
    with pytest.raises(ValueError, match=f"release {error}"):
        TreeSynthesizer.from_dict(stored | changed, SCHEMA)
    TreeSynthesizer.from_dict(stored | {"epsilon": 2.0}, SCHEMA)  # more than was spent is no lie


@pytest.mark.parametrize("target", ["rich", None])
def test_a_release_is_one_table_a_column_and_a_tree(frame, target):
    stored = TreeSynthesizer(1.0, 1e-6, target).fit(frame, SCHEMA, rng=3).to_dict()
    tables, count = stored["marginals"], 5 if target is None else 4
    for place, table in enumerate(tables):
        without = stored | {"marginals": tables[:place] + tables[place + 1 :]}
        error = f"lacks {table['columns'][-1]}" if place < count else "a tree of pairs, but none joins"
        with pytest.raises(ValueError, match=error):
            TreeSynthesizer.from_dict(without, SCHEMA)
        with pytest.raises(ValueError, match="must hold each table once"):
            TreeSynthesizer.from_dict(stored | {"marginals": [*tables, table]}, SCHEMA)
    pair = tables[-1]
    turned = pair | {"columns": [*pair["columns"][:-2], *pair["columns"][:-3:-1]]}
    turned |= {"shape": [*pair["shape"][:-2], *pair["shape"][:-3:-1]]}
    with pytest.raises(ValueError, match="must have a tree of pairs, but has"):
        TreeSynthesizer.from_dict(stored | {"marginals": [*tables, turned]}, SCHEMA)


def test_a_single_column_gets_the_whole_budget(frame):
    schema = Schema((SCHEMA["city"], SCHEMA["rich"]), "rich", 3_000, "Printed on the cover.")
    synthesizer = TreeSynthesizer(1.0, 1e-6, "rich").fit(frame, schema, rng=0)
    assert list(synthesizer.marginals_) == [("rich", "city")] and synthesizer.edges_ == ()
    assert 0.99 <= synthesizer.accountant_.epsilon(1e-6, "zcdp") <= 1
    schema.validate(synthesizer.sample(100, rng=0))


def test_the_same_generator_gives_the_same_release(frame):
    one, other = (TreeSynthesizer(1.0, 1e-6, "rich").fit(frame, SCHEMA, rng=5).to_dict() for _ in range(2))
    assert one == other
    assert one != TreeSynthesizer(1.0, 1e-6, "rich").fit(frame, SCHEMA, rng=6).to_dict()


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        *[((bad, 1e-6), "epsilon must be") for bad in (0, -1, math.nan, math.inf, "1", None, True)],
        *[((1.0, bad), "delta must be") for bad in (0, -1, 1, math.nan, "1", None)],
        ((1.0, 1e-6, 3), "target must be"),
    ],
)
def test_bad_arguments_are_refused_by_name(arguments, error):
    with pytest.raises((TypeError, ValueError), match=error):
        TreeSynthesizer(*arguments)


def test_bad_tables_and_schemas_are_refused_by_name(frame):
    with pytest.raises(ValueError, match="target must be a categorical column of the schema, got 'hours'"):
        TreeSynthesizer(1.0, 1e-6, "hours").fit(frame, SCHEMA)
    with pytest.raises(ValueError, match="lacks city"):
        TreeSynthesizer(1.0, 1e-6, "rich").fit(frame.drop(columns="city"), SCHEMA)
    with pytest.raises(ValueError, match="once, but repeats city"):
        TreeSynthesizer(1.0, 1e-6, "rich").fit(pd.concat([frame, frame[["city"]]], axis=1), SCHEMA)
    with pytest.raises(TypeError, match="schema must be a Schema"):
        TreeSynthesizer(1.0, 1e-6, "rich").fit(frame, {"city": 3})
    with pytest.raises(ValueError, match="not fitted yet"):
        TreeSynthesizer(1.0, 1e-6).sample(3)
    fitted = TreeSynthesizer(1.0, 1e-6).fit(frame, SCHEMA, rng=0)
    for n in (-1, 2.5, True):
        with pytest.raises((TypeError, ValueError), match="n must be"):
            fitted.sample(n)
