"""Any threshold of shares gives the secret; one fewer fits every secret equally well."""

import random
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpcourse.federated.secure.shamir import PRIME, Share, combine, split


def test_the_modulus_is_a_prime_above_all_32_byte_secrets():
    """Forty Miller–Rabin rounds: a composite passes with probability below 4^-40."""
    assert PRIME > 2**256 - 1
    odd, power = PRIME - 1, 0
    while odd % 2 == 0:
        odd, power = odd // 2, power + 1
    generator = random.Random(0)
    for _ in range(40):
        value = pow(generator.randrange(2, PRIME - 1), odd, PRIME)
        squares = [value]
        for _ in range(power - 1):
            squares.append(squares[-1] ** 2 % PRIME)
        assert value == 1 or PRIME - 1 in squares


@given(st.integers(0, PRIME - 1), st.integers(1, 12), st.data())
@settings(max_examples=50, deadline=None)
def test_any_threshold_of_shares_recovers_the_secret(secret, n, data):
    threshold = data.draw(st.integers(1, n))
    shares = split(secret, n, threshold)
    chosen = data.draw(st.permutations(shares))[: data.draw(st.integers(threshold, n))]
    assert combine(chosen, threshold) == secret


def test_every_subset_of_six():
    shares = split(99, 6, 4)
    for size in range(4, 7):
        assert {combine(subset, 4) for subset in combinations(shares, size)} == {99}


@given(st.integers(0, PRIME - 1), st.integers(0, PRIME - 1), st.integers(2, 8))
@settings(max_examples=50, deadline=None)
def test_one_share_fewer_fits_any_secret(secret, other, threshold):
    """For each other secret one polynomial goes through the shares seen: they carry no information about it."""
    seen = split(secret, threshold + 1, threshold)[: threshold - 1]
    # The missing share that would make it `other`: solve value_at_zero = other for the value at a fresh point.
    fresh = threshold + 1
    at_zero = combine([*seen, Share(fresh, 0)], threshold)
    slope = (combine([*seen, Share(fresh, 1)], threshold) - at_zero) % PRIME
    forged = Share(fresh, (other - at_zero) * pow(slope, -1, PRIME) % PRIME)
    assert combine([*seen, forged], threshold) == other


def test_too_few_shares_or_one_twice_are_refused():
    shares = split(5, 4, 3)
    with pytest.raises(ValueError, match="at least threshold = 3, got 2"):
        combine(shares[:2], 3)
    with pytest.raises(ValueError, match="different points"):
        combine([shares[0], shares[0], shares[1]], 3)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((PRIME, 3, 2), "secret"),
        ((-1, 3, 2), "secret"),
        ((1, 3, 4), "n_shares must be ≥ threshold = 4, got 3"),
        ((1, 3, 0), "threshold must be ≥ 1, got 0"),
    ],
)
def test_bad_arguments_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        split(*arguments)


def test_a_refused_secret_is_not_printed():
    with pytest.raises(ValueError) as caught:
        split(PRIME + 12345, 3, 2)
    assert str(PRIME + 12345) not in str(caught.value)
