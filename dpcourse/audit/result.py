"""What an audit says: one certified event, and a second one where floats have a bug of their own."""

from __future__ import annotations

from dataclasses import dataclass, replace

from dpcourse.privacy import Guarantee


@dataclass(frozen=True)
class Finding:
    """One certified event.

    Attributes
    ----------
    epsilon_lower : float
        No ε below this holds at the claim's δ. Zero where nothing was found.
    event : str
        What tells the datasets apart, as a sentence's predicate: "output ≤ 0.25". Where an event for either dataset
        proves more than one alone: "output ≤ 0 on one dataset, output > 1 on the other".
    frequencies : tuple of float
        How often the event happened where it was expected, and how often where it was not, among the runs that certify.
    floating_point : bool
        Whether it is about the last bits of floats, and not about what is done with the data.
    signs : tuple of str
        What points to `data`, and what points to its neighbour; one of them is empty where one event is certified.
    """

    epsilon_lower: float
    event: str
    frequencies: tuple[float, float]
    floating_point: bool = False
    signs: tuple[str, str] = ("", "")

    def __str__(self) -> str:
        expected, unexpected = self.frequencies
        return (
            f"ε ≥ {self.epsilon_lower:.3g}, from “{self.event}”: "
            f"in {100 * expected:.3g}% of the runs, against {100 * unexpected:.3g}% on the neighbours."
        )


@dataclass(frozen=True)
class AuditResult:
    """What an audit found.

    `epsilon_lower`, `event` and `frequencies` are those of the strongest finding.

    Attributes
    ----------
    claim : Guarantee
    confidence : float
        With this probability or more, over the audit's own runs, every finding holds.
    runs : int
        Per side, those that choose included.
    findings : tuple of Finding
        The best event; and after it, where the last bits of floats seem to tell more, the best event about them.

    Examples
    --------
    >>> from dpcourse.audit import audit
    >>> result = audit(lambda data, rng: data + rng.laplace(scale=0.5), 0, 1, claim=Guarantee(1.0), runs=8000, rng=6)
    >>> result.violated, [finding.floating_point for finding in result.findings]
    (True, [False, True])
    >>> result.without_floating_point.violated
    True
    """

    claim: Guarantee
    confidence: float
    runs: int
    findings: tuple[Finding, ...]

    @property
    def strongest(self) -> Finding:
        """The finding with the largest ε."""
        return max(self.findings, key=lambda finding: finding.epsilon_lower)

    @property
    def epsilon_lower(self) -> float:
        """With probability `confidence` or more, no ε below this holds at the claim's δ. Zero: nothing was found."""
        return self.strongest.epsilon_lower

    @property
    def event(self) -> str:
        """What tells the datasets apart best."""
        return self.strongest.event

    @property
    def frequencies(self) -> tuple[float, float]:
        """How often that event happened where it was expected, and where it was not."""
        return self.strongest.frequencies

    @property
    def violated(self) -> bool:
        """Whether the claim is refuted."""
        return bool(self.epsilon_lower > self.claim.epsilon)

    @property
    def without_floating_point(self) -> AuditResult:
        """The same audit apart from the last bits of floats: was the mechanism right if numbers were exact?"""
        return replace(self, findings=tuple(f for f in self.findings if not f.floating_point))

    def __str__(self) -> str:
        verdict = "REFUTED" if self.violated else "not refuted"
        told = f"Claim {self.claim}: {verdict}. At {100 * self.confidence:.7g}% confidence {self.strongest}"
        for finding in self.findings:
            if finding is not self.strongest:
                told += f" {'Floating point' if finding.floating_point else 'Without floating point'}: {finding}"
        return told
