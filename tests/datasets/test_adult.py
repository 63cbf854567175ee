"""`load_adult`: the frame AIF360 encodes, the same shape from the twin, an encoding that reads nothing from data."""

from __future__ import annotations

import shutil
import subprocess
import sys
import warnings

import numpy as np
import pandas as pd
import pytest

from dpcourse.datasets import ADULT_SCHEMA, AdultNotFound, DataError, load_adult
from dpcourse.datasets.adult import load
from dpcourse.lessons.lesson_15 import quietly


@pytest.fixture(scope="module")
def uci():
    try:
        return load_adult("uci")
    except AdultNotFound as missing:
        pytest.skip(f"needs the UCI files: {missing}")


@pytest.fixture(params=["uci", "twin"])
def adult(request):
    return request.getfixturevalue("uci") if request.param == "uci" else load_adult("twin")


def test_the_uci_frame(uci):
    assert uci.source == "uci" and uci.frame.shape == (45_222, 15)
    assert uci.frame.columns.tolist() == list(load.COLUMN_NAMES)
    assert uci.frame.index.equals(pd.RangeIndex(45_222))
    assert not uci.frame.isna().any().any()
    # The codebook: 30,162 complete records in adult.data, 15,060 in adult.test; 24.78% of all earn more than 50,000.
    assert (uci.frame["income-per-year"] == ">50K").mean() == pytest.approx(0.2478, abs=5e-5)


def test_both_frames_fit_the_schema(adult):
    adult.schema.validate(adult.frame)
    numbers = {*adult.schema.bounds, "fnlwgt"}
    for name, column in adult.frame.items():
        assert column.dtype == (np.int64 if name in numbers else object), name
    assert len(adult.frame) == adult.schema.n


def test_the_twin_has_the_same_columns_but_no_survey_weight():
    assert load_adult("twin").frame.columns.tolist() == [name for name in load.COLUMN_NAMES if name != "fnlwgt"]


def test_the_encoding(adult):
    X, y = adult.encode()
    assert X.shape == (45_222, 87) and len(adult.feature_names) == 87
    assert X.dtype == float and X.min() == -1 and X.max() == 1
    assert y.shape == (45_222,) and set(y.tolist()) == {0, 1}
    assert not any("fnlwgt" in name for name in adult.feature_names)
    for prefix, size in {"workclass=": 8, "native-country=": 41, "race=": 5}.items():
        block = X[:, [name.startswith(prefix) for name in adult.feature_names]]
        assert block.shape[1] == size and np.array_equal(block.sum(axis=1), np.ones(len(X)))


def test_the_encoding_in_bins(adult):
    X, y = adult.encode(numeric="bins")
    names = adult.schema.feature_names_of("bins")
    assert X.shape == (45_222, 163) and len(names) == len(set(names)) == 163
    assert np.array_equal(y, adult.encode()[1])
    norms = np.linalg.norm(X, axis=1)
    assert norms.min() >= np.sqrt(11) - 1e-12 and norms.max() == adult.schema.largest_norm == np.sqrt(12)
    forty = X[:, names.index("hours-per-week=40")]
    assert np.array_equal(forty == 1, adult.frame["hours-per-week"] == 40)
    married = X[:, names.index("marital-status=Married-civ-spouse")]
    assert np.array_equal(married == 1, adult.frame["marital-status"] == "Married-civ-spouse")
    gains = X[:, names.index("capital-gain=1–999")]
    assert np.array_equal(gains == 1, adult.frame["capital-gain"].between(1, 999))


def test_a_caller_may_change_the_frame(adult):
    again = load_adult(adult.source)
    again.frame.loc[0, "age"] = -1
    again.frame["new"] = 0
    fresh = load_adult(adult.source).frame
    assert fresh.loc[0, "age"] >= 17 and "new" not in fresh


def as_aif360_sees_it(frame):
    """AdultDataset with its own default arguments, given this frame in the place of the files it would read."""
    import inspect

    from aif360.datasets import AdultDataset, StandardDataset

    defaults = {
        name: parameter.default
        for name, parameter in inspect.signature(AdultDataset.__init__).parameters.items()
        if parameter.default is not inspect.Parameter.empty
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # AIF360's own, about pandas
        return StandardDataset(frame, **defaults)


def test_the_frame_is_what_aif360_encodes(uci, monkeypatch):
    """AIF360 reads the raw files with its own code; it gets the same features and labels from our frame."""
    import os

    folder = os.environ.get("DPCOURSE_DATA")
    if not folder:
        pytest.skip("needs the raw files in DPCOURSE_DATA")
    with quietly():
        pytest.importorskip("aif360")
        from aif360.datasets import AdultDataset

        ours = as_aif360_sees_it(uci.frame)
        read_csv = pd.read_csv
        # AIF360 looks for the files in its own package folder; they are read from ours, and nothing is left there.
        monkeypatch.setattr(
            "aif360.datasets.adult_dataset.pd.read_csv",
            lambda path, **how: read_csv(os.path.join(folder, os.path.basename(path)), **how),
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            theirs = AdultDataset(
                # Strings of pandas 3 are not what AIF360 0.6 expects.
                custom_preprocessing=lambda frame: frame.astype(
                    {name: object for name in frame.columns if not pd.api.types.is_numeric_dtype(frame[name])}
                )
            )
    assert ours.feature_names == theirs.feature_names
    assert np.array_equal(ours.features, theirs.features)
    assert np.array_equal(ours.labels, theirs.labels)
    assert np.array_equal(ours.protected_attributes, theirs.protected_attributes)
    assert ours.features.shape == (45_222, 98)


def test_the_source_can_be_forced(monkeypatch, capsys):
    monkeypatch.setenv("DPCOURSE_SOURCE", "twin")
    assert load_adult().source == "twin"
    assert capsys.readouterr().out == ""
    monkeypatch.setenv("DPCOURSE_SOURCE", "census")
    with pytest.raises(ValueError, match="DPCOURSE_SOURCE must be .* got 'census'"):
        load_adult()
    assert load_adult("twin").source == "twin"  # the argument comes first


@pytest.mark.parametrize("source", ["UCI", 1, b"twin"])
def test_another_source_is_refused_by_name_and_value(source):
    with pytest.raises(ValueError, match=f"source must be .* got {source!r}"):
        load_adult(source)


def test_the_command_line(uci):
    program = "from dpcourse.datasets import load_adult; a=load_adult(); print(a.source, a.frame.shape[0])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "uci 45222\n" and done.stderr == ""


@pytest.fixture
def twin_at(tmp_path, monkeypatch):
    """The twin's file, in a place where it may be damaged."""
    path = tmp_path / load.TWIN
    shutil.copy(load.data_file(load.TWIN), path)
    monkeypatch.setattr(load, "data_file", lambda name: tmp_path / name)
    load._twin.cache_clear()
    yield path
    load._twin.cache_clear()


def write_table(path, frame):
    frame.to_csv(path, index=False, compression={"method": "gzip", "compresslevel": 1})


@pytest.mark.parametrize(
    ("damage", "sentence"),
    [
        (lambda path: path.unlink(), "is missing"),
        (lambda path: path.write_bytes(b""), "cannot be read"),
        (lambda path: path.write_bytes(b"no gzip"), "cannot be read"),
        (lambda path: path.write_bytes(path.read_bytes()[:-1000]), "cannot be read"),
        (lambda path: path.write_bytes(path.read_bytes()[:5000] + b"x" + path.read_bytes()[5001:]), "twin"),
        (lambda path: write_table(path, pd.read_csv(path).head(10)), "10 records"),
        (lambda path: write_table(path, pd.read_csv(path).drop(columns="sex")), "sex: the column is missing"),
        (lambda path: write_table(path, pd.read_csv(path).assign(age=130)), "age: 45222 values"),
    ],
    ids=["missing", "empty", "no gzip", "truncated", "a wrong byte", "too short", "no sex", "too old"],
)
def test_a_damaged_twin_is_one_clear_sentence(twin_at, damage, sentence):
    damage(twin_at)
    with pytest.raises(DataError, match=sentence) as caught:
        load_adult("twin")
    assert "Install dpcourse again" in str(caught.value)
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


def test_an_installed_package_carries_its_own_twin(tmp_path, monkeypatch):
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / load.TWIN).touch()
    monkeypatch.setattr("dpcourse.datasets.adult.load.resources.files", lambda package: tmp_path)
    assert load.data_file(load.TWIN) == tmp_path / "data" / load.TWIN
    assert load.data_file("else.gz").parent.name == "data"


def test_the_schema_is_shared(adult):
    assert adult.schema is ADULT_SCHEMA
    assert "45,222" in repr(adult)
