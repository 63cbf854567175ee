"""Secure aggregation: the sum is exact, too few clients are refused, and the server's view says nothing more.

False alarms: a chi-square or binomial test here rejects uniform masks with probability 1e-6; there are fewer than 60 of
them, all with fixed seeds.
"""

import copy
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest, chi2

from dpcourse.federated import SecureAggregator, ThresholdNotMet
from dpcourse.federated.secure import ProtocolViolation, SecureClient, SecureServer, masks, shamir
from dpcourse.federated.secure.client import MASK_KEY, SELF_MASK
from dpcourse.federated.secure.fixed_point import FixedPoint
from dpcourse.federated.secure.keys import KEY_BYTES, KeyPair

FALSE_ALARM = 1e-6


def patterns(n: int, fewest: int = 2):
    """Every set of dropouts among n clients that leaves at least `fewest`."""
    for size in range(n - fewest + 1):
        for dropped in combinations(range(n), size):
            yield set(dropped)


def run(n, threshold, dropped, vectors, **options):
    """Mask what the survivors send, and sum it up."""
    aggregator = SecureAggregator(n, threshold, 32, 1, **options)
    masked = {i: aggregator.mask(i, vectors[i]) for i in range(n) if i not in dropped}
    return aggregator, aggregator.aggregate(masked, dropped)


# The sum


@pytest.mark.parametrize("n", [3, 4, 5, 6])
def test_the_sum_is_exact_for_every_dropout_pattern(n):
    rng = np.random.default_rng(n)
    vectors = rng.integers(-(10**7), 10**7, (n, 3))
    for dropped in patterns(n):
        survivors = sorted(set(range(n)) - dropped)
        threshold = int(rng.integers(2, len(survivors) + 1)) if len(dropped) % 2 else len(survivors)
        aggregator, total = run(n, threshold, dropped, vectors)
        assert (total == vectors[survivors].sum(axis=0)).all()
        assert aggregator.view.total.dtype == np.int64


@pytest.mark.parametrize("n", [7, 19, 50])
def test_the_sum_is_exact_for_random_patterns_of_more_clients(n):
    rng = np.random.default_rng(n)
    vectors = rng.integers(-(10**6), 10**6, (n, 40))
    threshold = int(rng.integers(2, n))
    dropped = set(rng.choice(n, size=int(rng.integers(0, n - threshold + 1)), replace=False).tolist())
    _, total = run(n, threshold, dropped, vectors)
    assert (total == np.delete(vectors, sorted(dropped), axis=0).sum(axis=0)).all()


@pytest.mark.audit
@pytest.mark.parametrize("n", range(3, 51))
def test_the_sum_is_exact_for_many_patterns(n):
    rng = np.random.default_rng(100 + n)
    for _ in range(5):
        vectors = rng.integers(-(10**6), 10**6, (n, 5))
        threshold = int(rng.integers(2, n + 1))
        dropped = set(rng.choice(n, size=int(rng.integers(0, n - threshold + 1)), replace=False).tolist())
        _, total = run(n, threshold, dropped, vectors)
        assert (total == np.delete(vectors, sorted(dropped), axis=0).sum(axis=0)).all()


@pytest.mark.parametrize("n", [3, 4, 5, 6])
def test_below_the_threshold_it_refuses_and_reveals_nothing(n):
    for threshold in range(2, n + 1):
        aggregator = SecureAggregator(n, threshold, 32, 1)
        masked = [aggregator.mask(i, [i, 1]) for i in range(n)]
        for dropped in patterns(n, fewest=0):
            if n - len(dropped) < threshold:
                with pytest.raises(ThresholdNotMet, match=f"the threshold of {threshold}"):
                    aggregator.aggregate(masked, dropped)
                assert not aggregator.view.recovered and aggregator.view.total is None
        # Nothing was revealed, so the run may still be finished by enough clients.
        assert aggregator.aggregate(masked, ()).tolist() == [n * (n - 1) / 2, n]


def test_clients_that_fall_silent_before_the_last_round_are_in_the_sum():
    aggregator = SecureAggregator(5, 3, 32, 1)
    masked = {i: aggregator.mask(i, [10**i]) for i in range(4)}
    assert aggregator.aggregate(masked, {4}, silent={0}).tolist() == [1111]
    assert aggregator.view.recovered == {i: SELF_MASK for i in range(4)} | {4: MASK_KEY}
    again = SecureAggregator(5, 3, 32, 1)
    masked = {i: again.mask(i, [1]) for i in range(4)}
    with pytest.raises(ThresholdNotMet, match="2 clients would answer"):
        again.aggregate(masked, {4}, silent={0, 1})


def test_a_refused_sum_binds_nobody():
    aggregator = SecureAggregator(5, 3, 32, 100)
    masked = [aggregator.mask(i, [1, 2]) for i in range(5)]
    with pytest.raises(ThresholdNotMet):
        aggregator.aggregate(masked, silent={0, 1, 2})
    assert not aggregator.view.recovered and aggregator.view.total is None
    assert aggregator.aggregate(masked, dropped={0}, silent={1}).tolist() == [4, 8]


def test_clients_who_were_silent_do_not_answer_for_other_survivors_either():
    """With a threshold of half, two groups of clients have nobody in common who would notice."""
    aggregator = SecureAggregator(4, 2, 32, 1)
    masked = [aggregator.mask(i, [1]) for i in range(4)]
    assert aggregator.aggregate(masked, silent={0, 1}).tolist() == [4]
    with pytest.raises(ProtocolViolation, match=r"summed for survivors \[0, 1, 2, 3\] already"):
        aggregator.aggregate(masked, dropped={2}, silent={3})
    # Neither was asked: both are still free to answer for the first list.
    assert aggregator.aggregate(masked, silent={2, 3}).tolist() == [4]


def test_one_client_that_refuses_binds_no_other():
    aggregator = SecureAggregator(4, 2, 32, 1)
    masked = [aggregator.mask(i, [1]) for i in range(4)]
    aggregator.clients[3].reveal({1, 2, 3}, {0})
    with pytest.raises(ProtocolViolation, match="client 3 has answered"):
        aggregator.aggregate(masked)
    assert aggregator.aggregate(masked, dropped={0}).tolist() == [3]


def test_a_late_vector_counts_as_dropped():
    vectors = np.arange(12).reshape(4, 3)
    aggregator = SecureAggregator(4, 2, 32, 1)
    masked = [aggregator.mask(i, vectors[i]) for i in range(4)]  # number 1 is masked like the others, but arrives late
    total = aggregator.aggregate(masked, dropped=[1])
    assert (total == vectors[[0, 2, 3]].sum(axis=0)).all()
    assert list(aggregator.view.late) == [1] and sorted(aggregator.view.masked) == [0, 2, 3]
    assert aggregator.view.recovered[1] == MASK_KEY


def test_lists_of_all_and_of_survivors_and_mappings_mean_the_same():
    sums = []
    for form in ("all", "survivors", "mapping", "holes"):
        aggregator = SecureAggregator(4, 3, 16, 1)
        sent = [aggregator.mask(i, [i + 1]) for i in range(4)]
        masked = {
            "all": sent,
            "survivors": [sent[0], sent[1], sent[3]],
            "mapping": dict(enumerate(sent)),
            "holes": [sent[0], sent[1], None, sent[3]],
        }[form]
        sums.append(aggregator.aggregate(masked, {2}).tolist())
    assert sums == [[7]] * 4


def test_the_same_generator_gives_the_same_run_and_no_generator_another():
    def sent(rng):
        return SecureAggregator(3, 2, 32, 1, rng=rng).mask(0, [1, 2]).tolist()

    assert sent(5) == sent(5) != sent(6)
    assert sent(None) != sent(None)


def test_the_next_run_has_fresh_masks():
    aggregator = SecureAggregator(3, 2, 64, 1)
    first = [aggregator.mask(i, [7]) for i in range(3)]
    assert aggregator.aggregate(first).tolist() == [21]
    second = [aggregator.mask(i, [7]) for i in range(3)]
    assert not {int(v[0]) for v in first} & {int(v[0]) for v in second}
    with pytest.raises(ProtocolViolation, match="client 0 is not what it sent in this run"):
        aggregator.aggregate([first[0], *second[1:]])  # a vector of the first run, replayed
    assert aggregator.aggregate(second).tolist() == [21]


# What the server sees


def uniform(counts: np.ndarray) -> bool:
    expected = counts.sum() / counts.size
    return chi2.sf(((counts - expected) ** 2 / expected).sum(), counts.size - 1) > FALSE_ALARM


def looks_uniform(words: np.ndarray, bits: int) -> bool:
    """Chi-square of the low byte, of the high byte, and of neighbouring coordinates' low nibbles."""
    low, high = words & np.uint64(255), words >> np.uint64(bits - 8)
    pairs = (words[::2] & np.uint64(15)) * np.uint64(16) + (words[1::2] & np.uint64(15))
    return all(uniform(np.bincount(cells.astype(int), minlength=256)) for cells in (low, high, pairs))


INPUTS = {
    "zeros": lambda d: np.zeros(d, dtype=int),
    "ones": lambda d: np.ones(d, dtype=int),
    "largest": lambda d: np.full(d, FixedPoint(16, 1, 3).capacity),
    "parity": lambda d: np.arange(d) % 2,
}


@pytest.mark.parametrize("name", INPUTS)
@pytest.mark.parametrize("bits", [16, 64])
def test_a_masked_vector_is_uniform(name, bits):
    vector = INPUTS[name](20_000)
    masked = SecureAggregator(3, 2, bits, 1, rng=bits).mask(1, vector)
    assert looks_uniform(masked, bits)
    assert not looks_uniform(FixedPoint(bits, 1, 3).encode(vector), bits)  # the test sees what is not masked


def test_a_masked_vector_is_uniform_from_run_to_run():
    """One coordinate over 200 runs: the keys are fresh, whatever the input."""
    sent = [int(SecureAggregator(2, 2, 8, 1, rng=[4, seed]).mask(0, [3])[0]) for seed in range(200)]
    assert uniform(np.bincount(np.array(sent) >> 4, minlength=16))
    assert uniform(np.bincount(np.array(sent) & 15, minlength=16))


def test_no_bit_of_a_masked_vector_follows_the_input():
    """Each of the 16 bits agrees with the input's lowest bit for half of 40,000 coordinates."""
    vector = np.random.default_rng(0).integers(0, 2, 40_000)
    masked = SecureAggregator(3, 2, 16, 1, rng=1).mask(0, vector)
    for bit in range(16):
        agree = int((((masked >> np.uint64(bit)) & np.uint64(1)) == vector).sum())
        assert binomtest(agree, vector.size).pvalue > FALSE_ALARM


def test_a_late_vector_stays_hidden_by_its_own_mask():
    """The server recovers the pairwise masks of a client that came too late, and can take them away: b_u is why it
    learns nothing. Without it, the vector would lie open."""
    vector = np.full(20_000, 3)
    aggregator = SecureAggregator(3, 2, 16, 1, rng=3)
    masked = [aggregator.mask(i, vector) for i in range(3)]
    aggregator.aggregate(masked, {0})
    pair = aggregator.clients[0]._masking  # what the server now holds as well
    open_to_the_server = aggregator.view.late[0]
    for peer in (1, 2):
        key = pair.agree(aggregator.view.public_keys[peer].masking, b"mask")
        # Client 0 added its masks: the other side of each pair takes it away again.
        open_to_the_server = masks.add_pairwise(open_to_the_server, key, peer, 0, 16)
    assert looks_uniform(open_to_the_server, 16)
    seed = aggregator.clients[0]._seed
    without = masks.reduce(open_to_the_server - masks.expand(seed, vector.size, 16), 16)
    assert (without == vector).all()  # the attack is right: only the self-mask stood in its way


# Never both shares


def parties(n: int, threshold: int, sent: set[int]) -> tuple[list[SecureClient], SecureServer]:
    codec = FixedPoint(16, 1, n)
    generator = np.random.default_rng(n)
    clients = [SecureClient(i, threshold, codec, entropy=generator.spawn(1)[0].bytes) for i in range(n)]
    server = SecureServer(threshold, codec)
    roster = server.roster({c.index: c.advertise() for c in clients})
    sealed = {c.index: c.share(roster) for c in clients}
    for c in clients:
        c.receive({i: sealed[i][c.index] for i in sealed if i != c.index})
        if c.index in sent:
            server.collect(c.index, c.masked_input([c.index]))
    return clients, server


@given(st.data())
@settings(max_examples=40, deadline=None)
def test_no_client_ever_gives_away_both_shares_of_one(data):
    """Whatever a server asks, how often, of whom: lists that overlap, that leave somebody out, that contradict."""
    n = data.draw(st.integers(2, 4))
    threshold = data.draw(st.integers(2, n))
    sent = data.draw(st.sets(st.integers(0, n - 1)))
    clients, _ = parties(n, threshold, sent)
    someone = st.sets(st.integers(0, n - 1))
    given_away: dict[tuple[int, int], set[str]] = {}
    recoverable: dict[tuple[int, str], set[int]] = {}
    for _ in range(data.draw(st.integers(1, 8))):
        asked = data.draw(st.integers(0, n - 1))
        alive = data.draw(someone)
        gone = set(range(n)) - alive if data.draw(st.booleans()) else data.draw(someone)
        try:
            answer = clients[asked].reveal(alive, gone)
        except ProtocolViolation:
            continue
        assert asked in alive and asked in sent and len(alive) >= threshold
        for reveal in answer:
            given_away.setdefault((asked, reveal.owner), set()).add(reveal.kind)
            recoverable.setdefault((reveal.owner, reveal.kind), set()).add(asked)
    assert all(len(kinds) == 1 for kinds in given_away.values())
    if 2 * threshold > n:
        for owner in range(n):
            both = [len(recoverable.get((owner, kind), ())) >= threshold for kind in (SELF_MASK, MASK_KEY)]
            assert not all(both)


@given(st.data())
@settings(max_examples=25, deadline=None)
def test_the_server_recovers_one_secret_of_each_client_and_the_aggregator_answers_once(data):
    n = data.draw(st.integers(2, 5))
    threshold = data.draw(st.integers(2, n))
    everyone = list(range(n))
    first = set(data.draw(st.permutations(everyone))[: data.draw(st.integers(0, n - threshold))])
    aggregator = SecureAggregator(n, threshold, 32, 1)
    masked = [aggregator.mask(i, [2**i]) for i in everyone]
    total = aggregator.aggregate(masked, first).tolist()
    assert aggregator.view.recovered == {i: MASK_KEY if i in first else SELF_MASK for i in everyone}
    assert aggregator.aggregate(masked, first).tolist() == total  # the same question has the same answer
    second = data.draw(st.sets(st.sampled_from(everyone)))
    if second != first:
        with pytest.raises(ProtocolViolation):
            aggregator.aggregate(masked, second)
        assert aggregator.view.recovered == {i: MASK_KEY if i in first else SELF_MASK for i in everyone}


@pytest.mark.parametrize(("threshold", "helpers"), [(2, ()), (3, (1, 2))])
def test_a_lying_server_needs_two_groups_and_its_helpers_count_in_both(threshold, helpers):
    """With 4 clients, two groups told differently about client 0 give away both of its secrets: where `threshold` is
    half, or more than half and some help the server. (Against such a server the paper adds a round, which is not here.)
    """
    clients, server = parties(4, threshold, sent={0, 1, 2, 3})
    twice = copy.deepcopy([clients[i] for i in helpers])
    others = [clients[i] for i in range(4) if i not in helpers]
    stays, goes = others[: threshold - len(helpers)], others[-(threshold - len(helpers)) :]
    assert not set(stays) & set(goes) and clients[0] not in goes
    stayed = [client.reveal({0, 1, 2, 3}, set()) for client in [*stays, *twice]]
    left = [client.reveal({1, 2, 3}, {0}) for client in [*goes, *(clients[i] for i in helpers)]]
    seed = shamir.combine([answer[0].share for answer in stayed], threshold)
    key = shamir.combine([answer[0].share for answer in left], threshold)
    pair = KeyPair.from_secret(key.to_bytes(KEY_BYTES, "little"))
    word = server.view.masked[0] - masks.expand(seed.to_bytes(KEY_BYTES, "little"), 1, 16)
    for peer in (1, 2, 3):
        word = masks.add_pairwise(
            word, pair.agree(server.view.public_keys[peer].masking, b"mask"), peer, 0, 16
        )  # client 0 sent [0]
    assert word.tolist() == [0]


def test_one_client_sends_one_vector():
    aggregator = SecureAggregator(3, 2, 16, 1)
    aggregator.mask(0, [1, 2])
    with pytest.raises(ProtocolViolation, match="would give away the difference"):
        aggregator.mask(0, [1, 2])


def test_an_envelope_opens_for_its_receiver_only():
    from cryptography.exceptions import InvalidTag

    from dpcourse.federated.secure.keys import seal, unseal

    sealed = seal(bytes(32), b"shares", 1, 2)
    assert unseal(bytes(32), sealed, 1, 2) == b"shares"
    for key, sender, receiver in ((bytes(32), 2, 1), (bytes(32), 1, 3), (b"\1" * 32, 1, 2)):
        with pytest.raises(InvalidTag):
            unseal(key, sealed, sender, receiver)


# Arithmetic and arguments


@given(st.lists(st.floats(-300, 300), min_size=1, max_size=5), st.sampled_from([16, 20, 33, 64]))
@settings(max_examples=50, deadline=None)
def test_encoding_rounds_to_the_nearest_step(values, bits):
    codec = FixedPoint(bits, 32, terms=3)
    assert np.abs(codec.decode(codec.encode(values)) - values).max() <= 1 / 64


@pytest.mark.parametrize("bits", [2, 8, 63, 64])
def test_the_capacity_is_reached_and_not_passed(bits):
    codec = FixedPoint(bits, 1, terms=1)
    for value in (codec.capacity, -codec.capacity):
        assert codec.unwrap(codec.encode(np.array([value]))).tolist() == [value]
    if bits < 64:
        for value in (codec.capacity + 1, -codec.capacity - 1):
            with pytest.raises(ValueError, match="vector must stay within"):
                codec.encode(np.array([value]))


def test_an_overflow_is_refused_and_a_sum_of_largest_vectors_fits():
    aggregator = SecureAggregator(3, 2, 16, 100)
    assert aggregator.capacity == 109.22
    with pytest.raises(ValueError, match=r"within ±109.22 \(10922 steps of 1/100\).*; got more in an array of float64"):
        aggregator.mask(0, [0.0, -109.23])
    for sign in (1, -1):
        aggregator = SecureAggregator(3, 2, 16, 100)
        masked = [aggregator.mask(i, [sign * 109.22]) for i in range(3)]
        assert aggregator.aggregate(masked).tolist() == [sign * 327.66]
    # What was refused has not used up the mask.
    aggregator = SecureAggregator(3, 2, 16, 100)
    with pytest.raises(ValueError):
        aggregator.mask(0, [1e300])
    aggregator.mask(0, [1.0])


@pytest.mark.parametrize(
    ("vector", "error", "message"),
    [
        ([np.nan, 1], ValueError, "vector must be finite, got NaN or ∞"),
        ([np.inf], ValueError, "vector must be finite, got NaN or ∞"),
        ([[1.0]], ValueError, r"one-dimensional .* \(1, 1\)"),
        ([], ValueError, "not empty"),
        (["a"], TypeError, "vector must hold real numbers"),
        ([1e18], ValueError, "vector must stay within"),
    ],
)
def test_bad_vectors_are_refused(vector, error, message):
    with pytest.raises(error, match=message):
        SecureAggregator(3, 2, 32, 1).mask(0, vector)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((1, 2, 32, 1), ValueError, "n_clients must be ≥ 2, got 1"),
        ((3, 1, 32, 1), ValueError, "threshold must be ≥ 2, got 1"),
        ((3, 4, 32, 1), ValueError, "threshold must be ≤ n_clients = 3, got 4"),
        ((3, 2, 65, 1), ValueError, "modulus_bits must be ≤ 64, got 65"),
        ((3, 2, 32.0, 1), TypeError, "modulus_bits must be an integer, got 32.0"),
        ((3, 2, 32, 0), ValueError, "scale must be > 0"),
        ((50, 2, 5, 1), ValueError, "modulus_bits must leave"),
    ],
)
def test_bad_arguments_are_named(arguments, error, message):
    with pytest.raises(error, match=message):
        SecureAggregator(*arguments)


def test_bad_calls_are_named():
    aggregator = SecureAggregator(3, 2, 16, 1)
    with pytest.raises(ValueError, match="client must be < n_clients = 3, got 3"):
        aggregator.mask(3, [1])
    masked = {i: aggregator.mask(i, [1]) for i in range(2)}
    with pytest.raises(ValueError, match=r"missing: \[2\]"):
        aggregator.aggregate(masked)
    with pytest.raises(ValueError, match="masked must hold 3 survivors' vectors or all 3, got 1"):
        aggregator.aggregate([masked[0]])
    uneven = SecureAggregator(2, 2, 16, 1)
    with pytest.raises(ValueError, match="must have one length"):
        uneven.aggregate([uneven.mask(0, [1]), uneven.mask(1, [1, 2])])
