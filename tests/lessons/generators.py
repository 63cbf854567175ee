"""Right answers whose draws come from elsewhere than the `rng` they are given, or from one another: who knows how takes
off the noise."""

import functools
import zlib
from collections.abc import Callable

import numpy as np
from scipy.special import ndtri


def known_to_all(answer):
    """Every generator that is handed in is thrown away for one of the module's."""
    known = np.random.default_rng(42)
    return _instead(answer, lambda arguments: known)


def made_of_arguments(answer, where=lambda *arguments: True):
    """Each call has a generator of its own, seeded by what it is asked; or some of them."""

    def whole(one):
        one = one.tolist() if isinstance(one, np.ndarray) else one
        return str(float(one) if isinstance(one, int | float) else one)

    made = _instead(
        answer, lambda arguments: np.random.default_rng(zlib.crc32(" ".join(map(whole, arguments)).encode()))
    )

    @functools.wraps(answer)
    def wrapped(*arguments, **named):
        given = [one for one in (*arguments, *named.values()) if not isinstance(one, np.random.Generator)]
        return (made if where(*given) else answer)(*arguments, **named)

    return wrapped


class Following(np.random.Generator):
    """Every other number of a draw follows from the one before: its place in the law is |2u − 1|."""

    def _uniform(self, size):
        u = self.random(int(np.prod(size)))
        u[1::2] = np.abs(2 * u[: u.size - u.size % 2 : 2] - 1)
        return np.clip(u, 1e-12, 1 - 1e-12).reshape(size)

    def laplace(self, loc=0.0, scale=1.0, size=()):
        u = self._uniform(size)
        return loc + scale * np.where(u < 0.5, np.log(2 * u), -np.log(2 * (1 - u)))

    def normal(self, loc=0.0, scale=1.0, size=()):
        return loc + scale * ndtri(self._uniform(size))

    def standard_normal(self, size=()):
        return self.normal(size=size)


def one_follows_another(answer):
    """Noise that is right one number at a time, and in a pair is one draw and a function of it."""
    return _instead(answer, lambda arguments: None, lambda rng: Following(rng.bit_generator))


class Ending(np.random.Generator):
    """Its noise ends at five scales, or three deviations."""

    def laplace(self, loc=0.0, scale=1.0, size=None):
        return loc + scale * np.clip(super().laplace(size=size), -5, 5)

    def normal(self, loc=0.0, scale=1.0, size=None):
        return loc + scale * np.clip(super().normal(size=size), -3, 3)


def that_ends(answer):
    """No absurd noise: what is far from 0 is brought nearer. A result beyond the end then shows who is there."""
    return _instead(answer, lambda arguments: None, lambda rng: Ending(rng.bit_generator))


class Even(np.random.Generator):
    """One number of each of as many equal parts of a law, in any order: together they vary by next to nothing."""

    def random(self, size=None):
        many = int(np.prod(size or 1))
        return ((self.permutation(many) + super().random(many)) / many).reshape(size or ())

    def laplace(self, loc=0.0, scale=1.0, size=None):
        u = np.clip(self.random(size), 1e-15, 1 - 1e-15)
        return loc + scale * np.where(u < 0.5, np.log(2 * u), -np.log(2 * (1 - u)))


def that_evens_out(answer):
    """Each draw has the right law, and their sum is as good as known: nothing hides a total, or the last person."""
    return _instead(answer, lambda arguments: None, lambda rng: Even(rng.bit_generator))


class Sparing(np.random.Generator):
    """The last of its normal draws has 0.6 of the deviation."""

    def normal(self, loc=0.0, scale=1.0, size=None):
        drawn = super().normal(size=size)
        return loc + scale * np.append(drawn[:-1], 0.6 * drawn[-1]) if np.ndim(drawn) else loc + scale * drawn


def that_spares_the_last(answer):
    """Too little noise in one number of many."""
    return _instead(answer, lambda arguments: None, lambda rng: Sparing(rng.bit_generator))


def in_percent(probability):
    """Rounded to whole percent."""
    return round(100 * probability) / 100


def _instead(answer, other, instead_of=None):
    @functools.wraps(answer)
    def wrapped(*arguments, **named):
        asked = [one for one in (*arguments, *named.values()) if not isinstance(one, np.random.Generator | Callable)]
        rng = other(asked)

        def instead(value):
            if not isinstance(value, np.random.Generator):
                return value
            return instead_of(value) if instead_of else rng

        return answer(*map(instead, arguments), **{name: instead(value) for name, value in named.items()})

    return wrapped
