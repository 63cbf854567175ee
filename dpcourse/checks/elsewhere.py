"""What stands in another process is called as if it were here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np


class Elsewhere:
    """What a function in another process, or a thing of another class, is here: its calls take their forms there.

    Attributes
    ----------
    of : str
        The name of its class there.
    """

    of = "function"

    def __repr__(self) -> str:
        return f"<{self.of}>"

    def announce(self, rngs: Sequence[np.random.Generator]) -> None:
        """The next calls will come with these generators, and all else the same."""

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        raise NotImplementedError
