"""The check's own generator is never handed to an answer."""

from __future__ import annotations

from typing import Any

import numpy as np


class Hidden:
    """The check's own generator, and the one that answers get in its place.

    A generator can be run backwards: whoever has the check's own draws again what the check drew, and sets what it will
    draw next.
    """

    def __init__(self) -> None:
        self.own: np.random.Generator | None = None
        self._instead: np.random.Generator | None = None

    def keep(self, rng: np.random.Generator) -> None:
        self.own, self._instead = rng, None

    def instead(self, value: Any) -> Any:
        if value is not self.own or self.own is None:
            return value
        # The same for all calls, so that calls alike can be asked for ahead.
        self._instead = self._instead or np.random.default_rng(self.own.integers(2**63))
        return self._instead
