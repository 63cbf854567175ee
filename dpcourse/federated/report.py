"""What a round did: who took part, who was refused and why, what was added, and what it has cost so far."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property

from dpcourse.federated.accounting import Spent, record_epsilon, subsampled_gaussian_epsilon
from dpcourse.privacy import Guarantee, Neighbours

A_CLIENT = "a record is all the data of one client"
OWN_NOISE = "each client trains as it says"
PUBLIC_SIZES = "the number of records of each client is public"


@dataclass(frozen=True)
class ClientLevel:
    """The claim of rounds with noise on the sum: noise multiplier z, sampling rate q, and δ."""

    noise_multiplier: float
    sampling_rate: float
    delta: float
    condition: str = A_CLIENT

    def guarantee(self, rounds: int) -> Guarantee:
        """What `rounds` rounds promise about one client, adding or removing it with all its data."""
        epsilon = subsampled_gaussian_epsilon(self.noise_multiplier, self.sampling_rate, rounds, self.delta)
        return Guarantee(epsilon, 0.0 if math.isinf(epsilon) else self.delta, Neighbours.ADD_REMOVE, self.condition)


@dataclass(frozen=True)
class RoundReport:
    """One round, as the server sees it.

    The weights, the clip norm and the claim at client level may be published. Who took part, how many, their norms,
    and who was refused may not: the amplification by sampling needs the sample to stay secret. Neither may the claims
    at record level: they grow for those who took part, and so name them. Each is for its own client only.

    Attributes
    ----------
    round : int
        From 1.
    selected, accepted : tuple of str
        Who was sampled, and whose update was added.
    rejected : dict of str to str
        Who was sampled and contributed zero, with the reason. Nobody else's share changes.
    norms : dict of str to float
        ‖update‖ before clipping, of those accepted.
    clip_norm : float
        S, the norm updates were clipped to.
    noise_deviation : float
        Deviation of the noise on each coordinate of the weighted *sum*.
    share : float
        What the sum was multiplied by: one client moved the weights by ``share · clip_norm`` at most.
    accuracy : float or None
        On the server's test set, which is taken as public.
    guarantee : Guarantee
        So far, at client level: about one client with everything it holds. It is the same whoever took part.
    record_guarantees : dict of str to Guarantee
        So far, at record level: about one record of each client the server has ever known, by the rules it trained by
        in each round; ε = ∞ where one of them was not private. Not to be published.
    """

    round: int
    selected: tuple[str, ...]
    accepted: tuple[str, ...]
    rejected: dict[str, str]
    norms: dict[str, float]
    clip_norm: float
    noise_deviation: float
    share: float
    accuracy: float | None
    client_level: ClientLevel = field(repr=False)
    ledger: dict[str, Spent] = field(repr=False)
    record_condition: str = field(repr=False, default=OWN_NOISE)

    @property
    def clipped(self) -> tuple[str, ...]:
        """Whose updates were longer than the clip norm."""
        return tuple(name for name, norm in self.norms.items() if norm > self.clip_norm)

    @cached_property
    def guarantee(self) -> Guarantee:
        """What all rounds so far promise about one client."""
        return self.client_level.guarantee(self.round)

    @property
    def epsilon(self) -> float:
        """ε so far at client level."""
        return self.guarantee.epsilon

    @cached_property
    def record_guarantees(self) -> dict[str, Guarantee]:
        """What all rounds so far promise about one record, by the client that holds it: to be told to that one only."""
        delta, found = self.client_level.delta, {}
        for name, spent in self.ledger.items():
            epsilon = record_epsilon(spent, delta)
            found[name] = Guarantee(
                epsilon, 0.0 if math.isinf(epsilon) else delta, Neighbours.ADD_REMOVE, self.record_condition
            )
        return found

    @property
    def record_guarantee(self) -> Guarantee:
        """The weakest of `record_guarantees`: a record lies with one client, so ε does not add up over clients.

        Not to be published either, below a sampling rate of 1: it depends on who took part.
        """
        nothing = Guarantee(math.inf, 0.0, Neighbours.ADD_REMOVE, self.record_condition)
        return max(self.record_guarantees.values(), key=lambda claim: claim.epsilon, default=nothing)

    def __str__(self) -> str:
        parts = [f"round {self.round}: {len(self.accepted)} of {len(self.selected)} updates added"]
        if self.rejected:
            parts.append("rejected " + ", ".join(f"{name} ({why})" for name, why in self.rejected.items()))
        if self.clipped:
            parts.append(f"{len(self.clipped)} clipped to {self.clip_norm:.3g}")
        if self.noise_deviation:
            parts.append(f"noise {self.noise_deviation:.3g} on the sum")
        if self.accuracy is not None:
            parts.append(f"accuracy {self.accuracy:.1%}")
        if not math.isinf(self.epsilon):
            parts.append(str(self.guarantee))
        return "; ".join(parts)
