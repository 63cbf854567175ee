"""Privacy bugs in a few lines each, beside the mechanism it should have been. Nothing here is to be used."""

from dpcourse.gauntlet import noise, selection, sensitivity, training
from dpcourse.gauntlet.exhibit import Batched, Exhibit

EXHIBITS: tuple[Exhibit, ...] = (
    *sensitivity.EXHIBITS,
    *noise.EXHIBITS,
    *selection.EXHIBITS,
    *training.EXHIBITS,
)

__all__ = ["EXHIBITS", "Exhibit", "Batched"]
