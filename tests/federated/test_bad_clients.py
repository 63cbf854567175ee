"""Clients that send nonsense or lie: bounded or refused, always reported, never a NaN in the model."""

import warnings

import numpy as np
import pytest

from dpcourse.datasets import load_fabs
from dpcourse.federated import FederatedClient, FederatedServer, LocalTraining, Reply, run_rounds

FABS = load_fabs(heterogeneity=1.0, rng=12)
DATA = FABS.clients["China"]
D = 21
ROUNDS = 3


def nan(weights, data, rng):
    return np.where(np.arange(D) == rng.integers(D), np.nan, 0.1)


def infinite(weights, data, rng):
    return np.full(D, -np.inf)


def wrong_shape(weights, data, rng):
    return np.ones((D, 1)) if rng.random() < 0.5 else np.ones(D - 1)


def ragged(weights, data, rng):
    return [[1.0], [1.0, 2.0]]


def words(weights, data, rng):
    return ["a"] * D


def complex_numbers(weights, data, rng):
    return np.full(D, 1j)


def nothing(weights, data, rng):
    return None


def raises(weights, data, rng):
    raise RuntimeError("the line is down")


def writes_into_the_weights(weights, data, rng):
    weights += 1e6
    return weights


def someone_else(weights, data, rng):
    return Reply("Taiwan", rng.integers(ROUNDS) + 1, np.ones(D))


def weight(value):
    class Liar:
        round = 0

        def __call__(self, weights, data, rng):
            self.round += 1
            return Reply("bad", self.round, np.ones(D), value)

    return Liar


class Replays:
    """Answers every round with what it sent in the first one."""

    sent = None

    def __call__(self, weights, data, rng):
        self.sent = self.sent or Reply("bad", 1, np.ones(D))
        return self.sent


def enormous(weights, data, rng):
    return 1e6 * LocalTraining()(weights, data, rng)


def beyond_a_float(weights, data, rng):
    return np.full(D, 1.7e308)


REFUSED = {
    "nan": lambda: nan,
    "infinite": lambda: infinite,
    "wrong shape": lambda: wrong_shape,
    "ragged": lambda: ragged,
    "words": lambda: words,
    "complex": lambda: complex_numbers,
    "nothing": lambda: nothing,
    "raises": lambda: raises,
    "writes into the weights": lambda: writes_into_the_weights,
    "someone else": lambda: someone_else,
    "weight 0": weight(0),
    "weight −3": weight(-3.0),
    "weight NaN": weight(np.nan),
    "weight 10⁶": weight(1e6),
    "weight as a word": weight("all"),
}
BOUNDED = {"enormous": lambda: enormous, "beyond a float": lambda: beyond_a_float}
HONEST = {
    "zero": lambda: lambda weights, data, rng: np.zeros(D),
    "integers": lambda: lambda weights, data, rng: np.ones(D, dtype=int),
    "says its true weight": weight(len(DATA.y)),
}


def client(rule):
    return FederatedClient("bad", DATA, rule)


def server(**settings):
    return FederatedServer(np.zeros(D), **{"clip_norm": 0.5, "noise_multiplier": 0.3, "total_weight": 3} | settings)


def good(n=2):
    return [FederatedClient(name, data, LocalTraining(3)) for name, data in list(FABS.clients.items())[:n]]


@pytest.mark.parametrize("kind", REFUSED)
def test_nonsense_and_lies_count_as_zero_and_are_reported(kind):
    with_it, without = server(), server()
    reports = run_rounds(with_it, [*good(), client(REFUSED[kind]())], ROUNDS, rng=12)
    run_rounds(without, [*good(), client(HONEST["zero"]())], ROUNDS, rng=12)
    assert all("bad" in report.rejected and "bad" not in report.accepted for report in reports)
    assert all(reports[0].rejected["bad"] in str(report) for report in reports[:1])
    # Its share is not given to the others: the denominator stays.
    np.testing.assert_array_equal(with_it.weights, without.weights)


def test_a_replayed_round_counts_once():
    reports = run_rounds(server(), [*good(), client(Replays())], ROUNDS, rng=12)
    assert [report.rejected.get("bad") for report in reports] == [None, "replays round 1", "replays round 1"]


@pytest.mark.parametrize("kind", BOUNDED)
def test_an_update_of_any_length_moves_the_model_by_its_clip(kind):
    with_it, without = server(), server()
    report = run_rounds(with_it, [*good(), client(BOUNDED[kind]())], 1, rng=12)[0]
    run_rounds(without, [*good(), client(HONEST["zero"]())], 1, rng=12)
    assert "bad" in report.clipped
    assert np.linalg.norm(with_it.weights - without.weights) == pytest.approx(report.share * 0.5, rel=1e-9)


@pytest.mark.parametrize("kind", HONEST)
def test_what_is_harmless_is_accepted(kind):
    report = run_rounds(server(), [*good(), client(HONEST[kind]())], 1, rng=12)[0]
    assert "bad" in report.accepted and not report.rejected


def test_without_a_clip_what_would_overflow_is_refused():
    plain = server(clip_norm=np.inf, noise_multiplier=0.0)
    report = run_rounds(plain, [*good(), client(beyond_a_float)], 1, rng=12)[0]
    assert report.rejected == {"bad": "is too long to be added up"} and np.isfinite(plain.weights).all()


def test_an_empty_client_moves_nothing():
    empty = FederatedClient("bad", (np.zeros((0, D - 1)), np.zeros(0)), LocalTraining(3))
    with_it, without = server(weighting="sizes", largest_size=900), server(weighting="sizes", largest_size=900)
    report = run_rounds(with_it, [*good(), empty], ROUNDS, rng=12)[-1]
    run_rounds(without, [*good(), client(HONEST["zero"]())], ROUNDS, rng=12)
    assert "bad" in report.accepted and report.norms["bad"] == 0
    np.testing.assert_array_equal(with_it.weights, without.weights)


def test_all_bad_is_noise_alone():
    alone = server()
    report = run_rounds(alone, [client(nan)], 1, rng=12)[0]
    assert not report.accepted and np.isfinite(alone.weights).all() and alone.weights.any()


def mix(rng):
    """Between one and five bad clients among six, of kinds drawn at random."""
    kinds = REFUSED | BOUNDED | {"replays": Replays}
    names = [*FABS.clients]
    bad = {name: str(rng.choice(list(kinds))) for name in rng.choice(names, rng.integers(1, 6), replace=False)}
    made = []
    for name, data in FABS.clients.items():
        rule = kinds[bad[name]]() if name in bad else LocalTraining(2)
        made.append(FederatedClient(name, data, _under(name, rule) if name in bad else rule))
    return made, bad


def _under(name, rule):
    """The same bad behaviour, sent under the client's own name."""

    def update(weights, data, rng):
        answer = rule(weights, data, rng)
        if isinstance(answer, Reply) and answer.client == "bad":
            answer = Reply(name, answer.round, answer.update, answer.weight)
        return answer

    return update


@pytest.mark.parametrize("noise", [0.0, 1.0])
def test_two_hundred_mixes_of_bad_clients(noise):
    rng = np.random.default_rng(12)
    for _ in range(100):
        made, bad = mix(rng)
        ours, quiet = (
            server(noise_multiplier=noise, total_weight=6, sampling_rate=float(rate))
            for rate in [rng.choice([0.7, 1.0])] * 2
        )
        replaced = [c if c.name not in bad else FederatedClient(c.name, c.data, HONEST["zero"]()) for c in made]
        seed = int(rng.integers(2**32))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            first = run_rounds(ours, made, 1, rng=seed)[0]
        run_rounds(quiet, replaced, 1, rng=seed)
        moved = np.linalg.norm(ours.weights - quiet.weights)
        through = [name for name in first.accepted if name in bad]
        assert moved <= first.share * 0.5 * len(through) * (1 + 1e-9) + 1e-15
        later = run_rounds(ours, made, 2, rng=seed + 1)
        assert np.isfinite(ours.weights).all()
        for report in (first, *later):
            for name, kind in bad.items():
                if name in report.selected:
                    replay = kind == "replays" and (report.round == 1 or name in report.accepted)
                    assert name in report.rejected or name in report.clipped or replay, (kind, report)
            assert not set(report.rejected) - set(bad)
