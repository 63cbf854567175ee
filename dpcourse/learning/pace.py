"""How far and how fast DP-SGD goes by itself: steps, clipping norm and learning rate from public numbers alone.

Each step adds noise of deviation σC/(qn) to the gradient, momentum m repeats it 1/(1 − m) times in all, and T steps
walk at random: a deviation of at most η σC√T / ((1 − m) q n) in a weight, at learning rate η. All of these numbers are
public, so what is chosen by them costs no privacy.
"""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Pace:
    """The limits within which clipping norm and learning rate are chosen.

    Parameters
    ----------
    steps : int
        T.
    largest_rate : float
        The learning rate where the noise allows it.
    travel : float
        How far the noise alone may move a weight, as a deviation: more noise means a smaller rate.
    largest_clip : float
        The clipping norm where the noise allows it.
    calm : float
        The walk of the noise, at η = C = 1, beyond which the clipping norm shrinks: with 1 over the root of it.
    """

    steps: int
    largest_rate: float
    travel: float
    largest_clip: float
    calm: float

    @classmethod
    def of(cls, features: str) -> Pace:
        """The pace for features "scaled" or in "bins"; `ValueError` for others."""
        if not isinstance(features, str) or features not in PACES:
            raise ValueError(f'features must be "scaled" or "bins", got {features!r}')
        return PACES[features]

    def clip_norm(
        self, noise_multiplier: float, sampling_rate: float, steps: int, momentum: float, dataset_size: int
    ) -> float:
        """C: `largest_clip`, and less where there is much noise, since the noise grows with C.

        Examples
        --------
        >>> [round(Pace.of("bins").clip_norm(z, 0.1, 400, 0.9, 31_655), 2) for z in (1.4, 61.6)]
        [2.0, 1.01]
        """
        walk = _walk(noise_multiplier, 1.0, sampling_rate, steps, momentum, dataset_size)
        return self.largest_clip * min(1.0, math.sqrt(self.calm / walk) if walk else 1.0)

    def learning_rate(
        self,
        noise_multiplier: float,
        clip_norm: float,
        sampling_rate: float,
        steps: int,
        momentum: float,
        dataset_size: int,
    ) -> float:
        """η: the largest up to `largest_rate` at which the noise moves a weight by a deviation of `travel` at most."""
        walk = _walk(noise_multiplier, clip_norm, sampling_rate, steps, momentum, dataset_size)
        return min(self.largest_rate, self.travel / walk if walk else math.inf)


# Chosen on the synthetic twin of Adult, not on real people. A rare bin is in few batches' gradients, and each of them
# moves its weight by little: bins take more and larger steps. They gain more by a large C too: with C = 1 the accuracy
# is the same from ε = 0.3 on, but the predicted probabilities are worse.
PACES = {"scaled": Pace(200, 2.0, 0.75, 1.0, math.inf), "bins": Pace(400, 4.0, 1.0, 2.0, 1.0)}


def _walk(
    noise_multiplier: float, clip_norm: float, sampling_rate: float, steps: int, momentum: float, dataset_size: int
) -> float:
    return noise_multiplier * clip_norm * math.sqrt(steps) / ((1 - momentum) * sampling_rate * dataset_size)
