"""A run is repeatable, stops and goes on without repeating anything, and its promises are what the models say."""

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest

from dpcourse.accounting import PrivacyAccountant
from dpcourse.attacks import random_halves
from dpcourse.mechanisms import GaussianMechanism, PoissonSubsampled
from dpcourse.pipeline import adversary, models, parse_config, recommend, run, save_report, summary
from dpcourse.pipeline.config import Level
from dpcourse.pipeline.page import total_cost
from dpcourse.pipeline.recommend import BASELINE
from dpcourse.pipeline.run import COLUMNS
from dpcourse.pipeline.store import Done, Piece, Store
from dpcourse.privacy import Guarantee, Neighbours

TEXT = """
data: {source: twin, records: 300}
levels: {moderate: {delta: 1e-6}, relaxed: }
methods:
  dp-sgd: {steps: 10, sampling_rate: 1}
  pate: {teachers: 5, questions: 50, answers: 20}
  output-perturbation:
  objective-perturbation:
attacks: {confidence: , lira: {shadows: 16}}
seeds: [1, 2]
"""
CONFIG = parse_config(TEXT)


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    folder = tmp_path_factory.mktemp("run")
    return run(CONFIG, output=folder, progress=False), folder


def test_the_table_is_tidy_and_whole(done):
    frame, _ = done
    assert tuple(frame.columns) == COLUMNS
    assert len(frame) == (1 + 4 * 2) * 2 * 2 == len(frame.drop_duplicates(["method", "level", "seed", "attack"]))
    numbers = frame.drop(columns=["epsilon", "ratio"]).select_dtypes("number")
    assert np.isfinite(numbers.to_numpy()).all()
    assert (frame["source"] == "twin").all()
    plain = frame[frame["method"] == BASELINE]
    assert (plain[["privacy_gain", "utility_loss"]] == 0).all(axis=None) and plain["ratio"].isna().all()
    one = frame[(frame["seed"] == 2) & (frame["attack"] == "lira")].set_index(["method", "level"])
    base, other = one.loc[(BASELINE, "")], one.loc[("dp-sgd", "relaxed")]
    assert other["utility_loss"] == base["accuracy"] - other["accuracy"]
    assert other["privacy_gain"] == base["advantage"] - other["advantage"]


def test_every_model_keeps_its_level_about_replacing_a_record(done):
    frame, _ = done
    for level in CONFIG.levels:
        part = frame[frame["level"] == level.name]
        assert (part["neighbours"] == "replace-one").all()
        assert (part["epsilon"] <= level.epsilon).all() and (part["epsilon"] > 0.999 * level.epsilon).all()
        assert (part["delta"] <= level.delta).all()
    own = frame.set_index("method")["own_claim"]
    assert own["dp-sgd"].str.contains("adding or removing").all() and own["pate"].str.contains("adding").all()


def test_the_noise_of_dp_sgd_by_another_way():
    """Two records are a step of twice the distance: without subsampling, half the multiplier."""
    level, options = Level("one", 1.0, 1e-5), {"sampling_rate": 1.0, "steps": 4, "clip_norm": 1.0}
    # Analytic Gaussian of Balle & Wang (arXiv:1805.06530) at ε = 1, δ = 1e-5, four steps, sensitivity two.
    assert models.noise_for("dp-sgd", level, options) == pytest.approx(3.730632 * np.sqrt(4) * 2, rel=2e-5)
    options["sampling_rate"] = 0.1
    step = PoissonSubsampled(GaussianMechanism.from_noise_multiplier(models.noise_for("dp-sgd", level, options)), 0.1)
    total = PrivacyAccountant(Neighbours.REPLACE_ONE).compose(step, times=4)
    assert 0.9999 < total.epsilon(1e-5) <= 1.0


def test_nothing_is_done_twice(done, monkeypatch):
    frame, folder = done

    def refuse(*_, **__):
        raise AssertionError("done again")

    for module, name in (
        (models, "train"),
        (models, "baseline"),
        (models, "noise_for"),
        (adversary, "shadows"),
        (adversary, "achieved"),
    ):
        monkeypatch.setattr(module, name, refuse)
    pd.testing.assert_frame_equal(run(CONFIG, output=folder, progress=False), frame)


def test_more_is_added_and_the_rest_is_kept(done, monkeypatch):
    """One more level: only its models are trained."""
    frame, folder = done
    trained, whole = [], models.train

    def counted(method, level, *rest):
        trained.append(level.name)
        return whole(method, level, *rest)

    monkeypatch.setattr(models, "train", counted)
    wider = parse_config(TEXT.replace("levels: {", "levels: {loose: {epsilon: 8, delta: 1e-6}, "))
    more = run(wider, output=folder, progress=False)
    assert set(trained) == {"loose"} and len(trained) == 4 * 2
    kept = more[more["level"] != "loose"].reset_index(drop=True)
    pd.testing.assert_frame_equal(kept, frame)


KILLED = """
import sys, time
from dpcourse.pipeline import run, parse_config
from dpcourse.pipeline import models, store
put = store.Store.put
def slowly(self, piece, done):
    put(self, piece, done)
    print(piece.name, flush=True)
    time.sleep(0.01)
store.Store.put = slowly
run(parse_config(open(sys.argv[1]).read()), output=sys.argv[2], progress=False)
"""


SMALL = """
data: {source: twin, records: 200}
levels: [LEVELS]
methods: {output-perturbation: }
attacks: {confidence: , lira: {shadows: 16}}
seeds: [1, 2]
"""


@pytest.mark.parametrize(
    ("kills", "levels"), [(1, ["strict"]), pytest.param(6, ["strict", "moderate", "relaxed"], marks=pytest.mark.audit)]
)
@pytest.mark.skipif(os.name == "nt", reason="SIGKILL is POSIX")
def test_a_killed_run_goes_on_where_it_stopped(tmp_path, monkeypatch, kills, levels):
    """Killed while it works, begun again: every piece is made once, and the table is that of a run left alone."""
    text = SMALL.replace("LEVELS", ", ".join(levels))
    config, everything = tmp_path / "config.yaml", 2 * (1 + 3 * (1 + len(levels)))
    config.write_text(text)
    rng, made = np.random.default_rng(14), []
    for _ in range(kills):
        with subprocess.Popen(
            [sys.executable, "-c", KILLED, config, tmp_path / "out"], stdout=subprocess.PIPE, text=True
        ) as process:
            made += [process.stdout.readline().strip() for _ in range(3)]
            time.sleep(rng.uniform(0, 0.05))
            process.send_signal(signal.SIGKILL)
            made += process.stdout.read().splitlines()
    put = Store.put
    with monkeypatch.context() as patch:
        patch.setattr(Store, "put", lambda self, piece, done: made.append(piece.name) or put(self, piece, done))
        resumed = run(parse_config(text), output=tmp_path / "out", progress=False)
    assert 3 * kills < len(made) == len(set(made))
    # A piece may be whole before its name was printed: at most one a kill.
    assert everything - kills <= len(made) <= everything
    pd.testing.assert_frame_equal(resumed, run(parse_config(text), output=tmp_path / "alone", progress=False))


def test_a_piece_is_whole_or_not_there(tmp_path, monkeypatch):
    store, piece = Store(tmp_path), Piece("one", {"a": 1})
    store.put(piece, Done({"x": 1.5}, {"y": np.arange(3)}))
    back = store.get(piece)
    assert back.record == {"x": 1.5} and back.arrays["y"].tolist() == [0, 1, 2]
    assert store.get(Piece("one", {"a": 2})) is None
    path = tmp_path / piece.file
    path.write_bytes(path.read_bytes()[:-30])
    assert store.get(piece) is None

    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="No space"):
        store.put(Piece("two", {}), Done({}, {}))
    assert store.get(Piece("two", {})) is None
    assert list(tmp_path.glob("*.part")) and not list(Store(tmp_path).folder.glob("*.part"))


@pytest.mark.parametrize("name", ["1/2", "../up", "a" * 300, "é" * 100, "a\nb", "CON:"])
def test_any_name_makes_a_file_and_the_hash_keeps_them_apart(tmp_path, name):
    store, pieces = Store(tmp_path), [Piece(name, {}), Piece(f"{name}/", {}), Piece(f"{name}:", {})]
    for number, piece in enumerate(pieces):
        store.put(piece, Done({"x": number}, {}))
    assert [store.get(piece).record["x"] for piece in pieces] == [0, 1, 2]
    assert len(list(tmp_path.glob("*.npz"))) == 3


def test_a_file_says_what_it_holds():
    assert Piece("lira on pate strict, seed 1", {}).file.startswith("lira_on_pate_strict,_seed_1-")


def test_an_attack_that_knows_nothing_has_no_advantage_on_average():
    """500 coin tosses of 200 people: the mean is within 4 standard errors (false alarm 6e-5), and the errors fit."""
    rng = np.random.default_rng(14)
    members = np.arange(200) % 2 == 0
    found = [adversary.achieved(rng.normal(size=200), members, 0.05, rng) for _ in range(500)]
    advantage = np.array([one["advantage"] for one in found])
    assert abs(advantage.mean()) < 4 * advantage.std() / np.sqrt(len(advantage))
    assert np.sqrt(np.mean([one["advantage_error"] ** 2 for one in found])) == pytest.approx(advantage.std(), rel=0.15)


def test_the_advantage_of_a_shifted_normal():
    """Members from N(1, 1), others from N(0, 1): the best threshold has TPR − FPR = 2Φ(½) − 1 = .3829."""
    rng = np.random.default_rng(14)
    members = np.arange(200_000) % 2 == 0
    found = adversary.achieved(rng.normal(size=200_000) + members, members, 0.01, rng)
    assert found["advantage"] == pytest.approx(0.3829, abs=4 * found["advantage_error"])
    assert found["attack_auc"] == pytest.approx(0.7602, abs=0.005)  # Φ(1/√2)
    assert found["tpr_at_low_fpr"] == pytest.approx(0.0924, abs=0.01)  # Φ(1 − 2.3263)


def test_the_fewest_shadows_leave_every_record_some_with_it_and_some_without():
    """Coins alone would give 3 of 400 records eight times the same side."""
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(400, 2)), np.arange(400) % 2
    people = models.People.draw(X, y, 200, 0, rng)
    for _ in range(5):
        mask = np.unpackbits(adversary.shadows(people, 8, 1.0, rng)["in_mask"], axis=1, count=400)
        assert mask.shape == (8, 400) and (mask.any(axis=0) & ~mask.all(axis=0)).all()


def test_many_shadows_are_the_coins_themselves():
    rng = np.random.default_rng(6)
    people = models.People.draw(rng.normal(size=(400, 2)), np.arange(400) % 2, 200, 0, rng)
    found = adversary.shadows(people, 64, 1.0, np.random.default_rng(7))["in_mask"]
    np.testing.assert_array_equal(found, np.packbits(random_halves(64, 400, rng=7), axis=1))


def table(losses, epsilons, seeds=3):
    """A made-up run: method i loses losses[i] at epsilons[i]."""
    rows = []
    for seed in range(seeds):
        for method, loss, epsilon in zip([BASELINE, *"abcdef"], [0.0, *losses], [np.inf, *epsilons], strict=False):
            wobble = 0.001 * (seed - 1) if method != BASELINE else 0.0
            rows.append(
                {"method": method, "level": "" if method == BASELINE else "x", "seed": seed, "attack": "lira"}
                | {"epsilon": epsilon, "delta": 0.0, "neighbours": "replace-one", "condition": "", "own_claim": ""}
                | {"accuracy": 0.8 - loss + wobble, "f1": 0.5, "auc": 0.8, "brier": 0.1, "majority": 0.75}
                | {"attack_auc": 0.5, "low_fpr": 0.01, "tpr_at_low_fpr": 0.01, "advantage": 0.0}
                | {"advantage_error": 0.01, "advantage_bound": 1.0, "privacy_gain": 0.0}
                | {"utility_loss": loss - wobble, "ratio": np.nan, "source": "twin"}
            )
    return pd.DataFrame(rows)


def test_the_rule_takes_the_smallest_epsilon_that_is_good_enough():
    chosen = recommend(table([0.03, 0.01, 0.0], [0.5, 1.0, 2.0]), 0.02)
    assert (chosen.method, chosen.level) == ("b", "x") and "1.0 ± 0.2 points" in chosen.reason
    assert "2 of 3" in chosen.reason and "ε=1" in chosen.reason
    # 1.95 points ± .25 (three seeds, t = 4.3; twice the standard error would be .12): not surely below two.
    assert recommend(table([0.0195, 0.01], [0.5, 1.0]), 0.02).method == "b"
    assert recommend(table([0.0182, 0.01], [0.5, 1.0]), 0.02).method == "b"  # which two standard errors would let in
    assert recommend(table([0.01, 0.005], [1.0, 1.0]), 0.02).method == "b"


def test_the_rule_may_recommend_nothing():
    none = recommend(table([0.03, 0.05], [0.5, 1.0]), 0.02)
    assert none.method == "" and "no model is good enough" in none.reason and "3.0 ± 0.2" in none.reason
    one_seed = recommend(table([0.0], [1.0], seeds=1), 0.02)
    assert one_seed.method == "" and "two seeds" in one_seed.reason
    with pytest.raises(ValueError, match="max_utility_loss"):
        recommend(table([0.0], [1.0]), 0)


def test_all_models_together_cost_the_sum(done):
    frame, _ = done
    assert total_cost(table([0.1, 0.2], [0.5, 1.0])) == Guarantee(4.5, 0.0, Neighbours.REPLACE_ONE)
    total = total_cost(frame)
    assert total.epsilon == pytest.approx(4 * 2 * (2 + 5), rel=1e-3) and total.delta == pytest.approx(4 * (1e-6 + 1e-5))


def test_the_report_is_whole_and_needs_nothing_else(done, tmp_path):
    frame, _ = done
    chosen = save_report(frame, CONFIG, tmp_path)
    page = (tmp_path / "dashboard.html").read_text(encoding="utf-8")
    assert chosen.rule.replace("'", "&#x27;") in page
    assert page.count("<img") == 1 and 'src="data:image/png;base64,' in page and 'alt="Six panels' in page
    assert (
        not {"http://", "https://", "<script", "<link"} & {word for word in page.split('"')} and "<script" not in page
    )
    assert "src=" not in page.replace('src="data:', "") and "records: 300" in page and "numpy" in page
    assert "replacing one record" in page and "adding or removing one record" in page
    assert str(total_cost(frame)) in page
    stored = pd.read_csv(tmp_path / "results.csv", keep_default_na=False, na_values=[""])
    assert len(stored) == len(frame) and np.isinf(stored["epsilon"].iloc[0])
    assert summary(frame)["seeds"].eq(2).all()
    assert (tmp_path / "dashboard.png").read_bytes()[:4] == b"\x89PNG"


def test_a_bad_config_and_a_good_example_on_the_command_line(tmp_path, capsys):
    from dpcourse.pipeline.__main__ import main

    bad = tmp_path / "bad.yaml"
    bad.write_text("seeds: [1]\nlevles: [strict]\n")
    assert main([str(bad)]) == 2
    assert f"{bad}, line 2: levles is not a known key; did you mean levels?" in capsys.readouterr().out
    assert main(["--example"]) == 0
    assert parse_config(capsys.readouterr().out).seeds == tuple(range(1, 25))
    with pytest.raises(SystemExit):
        main([])


def test_pieces_hold_no_person(done):
    """Scores of the attack go into the store, people do not."""
    _, folder = done
    for path in (folder / "pieces").glob("*.npz"):
        with np.load(path) as stored:
            assert set(stored.files) <= {"record", "confidence", "margin", "weights", "in_mask"}
            json.loads(str(stored["record"]))
