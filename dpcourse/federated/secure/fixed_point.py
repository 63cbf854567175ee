"""Real vectors as integers modulo 2^k, where sums are exact and an overflow is refused instead of wrapped."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpcourse.privacy import arguments

_LARGEST_FLOAT_STEPS = 2**52


@dataclass(frozen=True)
class FixedPoint:
    """value ↔ round(value · scale) modulo 2^modulus_bits, with room for a sum of `terms` vectors.

    Half of the residues stand for negative numbers. A coordinate may reach `capacity` steps in size: that is what each
    of `terms` clients may send so that their sum, and `headroom` steps of noise, still fit.

    Parameters
    ----------
    modulus_bits : int
        k in [2, 64].
    scale : float
        Steps per unit, > 0: a value is kept to the nearest 1/scale.
    terms : int
        How many vectors may be added up, ≥ 1.
    headroom : int
        Steps kept free for noise in the sum, ≥ 0.

    Examples
    --------
    >>> codec = FixedPoint(modulus_bits=16, scale=100, terms=3)
    >>> codec.decode(codec.encode([1.25, -0.5]) + codec.encode([1, -2.0])).tolist()
    [2.25, -2.5]
    >>> codec.capacity
    10922
    """

    modulus_bits: int
    scale: float
    terms: int = 1
    headroom: int = 0

    def __post_init__(self) -> None:
        bits = arguments.integer("modulus_bits", self.modulus_bits, minimum=2)
        if bits > 64:
            raise ValueError(f"modulus_bits must be ≤ 64, got {bits}")
        arguments.positive("scale", self.scale)
        arguments.integer("terms", self.terms, minimum=1)
        arguments.integer("headroom", self.headroom, minimum=0)
        if self.capacity < 1:
            raise ValueError(
                f"modulus_bits must leave every one of {self.terms} terms at least one step beside {self.headroom} "
                f"steps of noise, got {bits}"
            )

    @property
    def capacity(self) -> int:
        """The largest size of a coordinate of one vector, in steps."""
        return (2 ** (self.modulus_bits - 1) - 1 - self.headroom) // self.terms

    def steps(self, vector: np.ndarray) -> np.ndarray:
        """`vector` in whole steps, int64: rounded to the nearest; integers at a whole scale are not rounded at all.

        Raises
        ------
        TypeError, ValueError
            If it is not a one-dimensional vector of finite numbers, or a coordinate is larger than `capacity` steps:
            a wrapped sum would look like any other. Whoever sees the refusal learns something of the vector, so clip it
            to less than `capacity` beforehand.
        """
        given = np.asarray(vector)
        values = arguments.finite_array("vector", given, private=True)
        if values.ndim != 1 or not values.size:
            raise ValueError(f"vector must be one-dimensional and not empty, got shape {values.shape}")
        with np.errstate(over="ignore"):  # infinite is larger than any capacity
            scaled = np.abs(values) * self.scale
        # As Python integers: a float cannot tell the largest capacities from the next number.
        if given.dtype.kind in "iu" and float(self.scale).is_integer():
            whole = [int(value) * int(self.scale) for value in given.tolist()]
            limit = self.capacity
            largest: float = max(map(abs, whole))
        else:
            limit = min(self.capacity, _LARGEST_FLOAT_STEPS)
            largest = float(np.rint(scaled.max()))
            whole = None
        if largest > limit:
            raise ValueError(
                f"vector must stay within ±{limit / self.scale:g} ({limit} steps of 1/{self.scale:g}), so that the sum "
                f"of {self.terms} fits {self.modulus_bits} bits; got more in {arguments.kind_of(given)}"
            )
        if whole is None:
            return np.rint(values * self.scale).astype(np.int64)
        return np.array(whole, dtype=np.int64)

    def encode(self, vector: np.ndarray) -> np.ndarray:
        """`vector` as residues, uint64 below 2^modulus_bits."""
        return self.wrap(self.steps(vector))

    def wrap(self, steps: np.ndarray) -> np.ndarray:
        """Signed steps, int64, as residues."""
        return np.asarray(steps, dtype=np.int64).astype(np.uint64) & np.uint64(2**self.modulus_bits - 1)

    def unwrap(self, residues: np.ndarray) -> np.ndarray:
        """Residues, reduced or not, as the signed steps of smallest size, int64."""
        shift = np.uint64(64 - self.modulus_bits)
        # Shifted up, the sign bit of the residue is the sign bit of the word; the arithmetic shift down copies it.
        return (np.asarray(residues, dtype=np.uint64) << shift).view(np.int64) >> np.int64(shift)

    def decode(self, residues: np.ndarray) -> np.ndarray:
        """Residues as floats in the units of the vectors; exact up to 2^53 steps."""
        return self.unwrap(residues) / self.scale
