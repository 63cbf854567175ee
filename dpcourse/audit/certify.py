"""From many runs on two neighbouring datasets to a certificate: "with this confidence, ε is at least …".

The runs on either side are split. On the first ones the auditor looks for the event that tells the datasets apart best
(`events`), on the others it counts that one event, and only these counts are certified. Looking and certifying on the
same runs would find patterns in pure chance and certify them. Half of the runs look, or a fifth where that is enough.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator

from dpcourse.audit.events import Choice, Counts, choose_and_split, choose_event
from dpcourse.audit.families import FLOATING_POINT
from dpcourse.audit.outputs import Outputs
from dpcourse.audit.parts import Raised
from dpcourse.audit.rates import certified_epsilon
from dpcourse.audit.result import AuditResult, Finding
from dpcourse.audit.two_events import epsilon_from_two_events
from dpcourse.privacy import Guarantee, arguments

Auditable = Callable[[Any, Generator], Any]  # mechanism(data, rng) -> output; it need carry no claim


def audit(
    mechanism: Auditable,
    data: Any,
    neighbour: Any,
    *,
    claim: Guarantee,
    runs: int = 100_000,
    confidence: float = 0.999,
    floating_point: bool = True,
    rng: Generator | int | None = None,
) -> AuditResult:
    """Try to refute a privacy claim by running a mechanism on two neighbouring datasets.

    Parameters
    ----------
    mechanism : callable
        ``mechanism(data, rng) -> output``: a number, label, string, boolean, None, NaN, vector or tuple. An exception
        it raises is an output too. If it has an attribute ``batch(data, runs, rng) -> sequence of outputs``, that is
        used instead of single calls.
    data, neighbour
        Two datasets that are neighbours under the claim's relation: that they are is not checked.
    claim : Guarantee
        What is to be refuted. Its ε only decides `violated`; its δ enters the bound.
    runs : int
        Per dataset, ≥ 4: half to choose the event, half to certify it. From 100,000 on, a fifth chooses if it shows a
        normal statistic, and the others certify.
    confidence : float
        In (0, 1). A true claim is refuted with probability 1 − confidence at most, whatever the mechanism, as long as
        its runs are independent.
    floating_point : bool
        Whether to look at the last bits of floats too. What they show comes beside the other finding, never in place
        of it. False leaves them out: the result then says what would hold if the mechanism's numbers were exact, which
        no release of floats is (lesson 14).
    rng : Generator, int or None

    Returns
    -------
    AuditResult

    Raises
    ------
    TypeError, ValueError
        Naming the argument and the value refused; a batch of the wrong length.

    Notes
    -----
    The bound: TPR ≤ e^ε·FPR + δ for every event (Kairouz, Oh, Viswanath 2015, arXiv:1311.0776), with one-sided
    Clopper–Pearson bounds for the two rates at (1 − confidence)/2 each. Both directions use the same two bounds, so
    nothing else has to be paid for. Two events, E expected on `data` and F on its neighbour, may be certified together
    (`epsilon_from_two_events`), which has all runs of both datasets behind it: one bound, at 1 − confidence. Whether
    one event or two are certified is decided on the runs that choose too. Where in those runs the last bits of floats
    show more than any other event, two findings are certified, each at (1 − confidence)/2.
    What an audit does not find is not thereby shown to be private.
    """
    arguments.member("claim", claim, Guarantee)
    runs = arguments.integer("runs", runs, minimum=4)
    confidence = arguments.probability("confidence", confidence, zero=False, one=False)
    if not callable(mechanism):
        raise TypeError(f"mechanism must be callable as mechanism(data, rng), got {mechanism!r}")
    rng = np.random.default_rng(rng)
    outputs = (run(mechanism, data, runs, rng), run(mechanism, neighbour, runs, rng))
    return audit_outputs(*outputs, claim=claim, confidence=confidence, floating_point=floating_point)


def audit_outputs(
    data: Sequence[Any],
    neighbour: Sequence[Any],
    *,
    claim: Guarantee,
    confidence: float = 0.999,
    floating_point: bool = True,
) -> AuditResult:
    """Try to refute a privacy claim by outputs that are there already: `audit` without the running.

    Parameters
    ----------
    data, neighbour : sequences of outputs, equally long, at least 4 each
        Independent runs on two neighbouring datasets. What a run raised is a `parts.Raised`.
    claim, confidence, floating_point
        As in `audit`.

    Raises
    ------
    TypeError, ValueError
        Naming the argument and the value refused.

    Examples
    --------
    >>> noise = np.random.default_rng(8).laplace(size=(2, 4000)).round(2)
    >>> audit_outputs(noise[0], 3 + noise[1], claim=Guarantee(1.0)).violated
    True
    """
    arguments.member("claim", claim, Guarantee)
    confidence = arguments.probability("confidence", confidence, zero=False, one=False)
    runs = arguments.integer("number of outputs", _count("data", data), minimum=4)
    if _count("neighbour", neighbour) != runs:
        raise ValueError(f"data and neighbour must hold equally many outputs, got {runs} and {len(neighbour)}")
    doubt = 1 - confidence
    outputs, score = Outputs.collect(data, neighbour), EpsilonScore(claim.delta, doubt)
    choice, first = choose_and_split(outputs, score)
    chosen = [(choice, False)]
    if floating_point:
        # From the same runs as the first choice: how the error is shared may depend on no run that certifies. Small
        # numbers have more low bits than large ones, so bits that show no more than the best threshold show nothing.
        bits = choose_event(outputs, first=first, score=score, families=FLOATING_POINT, besides=choice.tried)
        chosen += [(bits, True)] * (bits.score > max(choice.score, 0.0))
    rows, share = slice(first, runs), doubt / len(chosen)
    findings = tuple(certify(choice, rows, claim.delta, share, of_floats) for choice, of_floats in chosen)
    return AuditResult(claim, confidence, runs, findings)


def certify(choice: Choice, rows: slice, delta: float, error: float, floating_point: bool = False) -> Finding:
    """What runs nobody has looked at say of a chosen event; its ε is too large with probability `error` at most."""
    counts = choice.counts(rows)
    shares = (counts.expected / counts.trials, counts.unexpected / counts.trials)
    if choice.pooled:
        epsilon = epsilon_from_two_events(counts.right, counts.wrong, rows.stop - rows.start, delta, error)
        return Finding(epsilon, choice.text, shares, floating_point, choice.signs)
    by_event, by_complement = certified_epsilon(
        np.array(counts.expected), np.array(counts.unexpected), counts.trials, delta, error / 2
    )
    epsilon = max(float(by_event), float(by_complement), 0.0)
    if by_event >= by_complement:
        return Finding(epsilon, choice.text, shares, floating_point, choice.signs)
    signs = ("", choice.opposite) if choice.on_data else (choice.opposite, "")
    return Finding(epsilon, choice.opposite, (1 - shares[1], 1 - shares[0]), floating_point, signs)


def run(mechanism: Auditable, data: Any, runs: int, rng: Generator) -> Sequence[Any]:
    """`runs` outputs of the mechanism on one dataset, in one batch where it offers one."""
    batch = getattr(mechanism, "batch", None)
    outputs = None
    if batch is not None:
        # A batch that raises cannot say which run failed: single calls can.
        with contextlib.suppress(Exception):
            outputs = batch(data, runs, rng)
    if outputs is not None:
        outputs = outputs if hasattr(outputs, "__len__") or not isinstance(outputs, Iterable) else list(outputs)
        if _count("what mechanism.batch gives", outputs) != runs:
            raise ValueError(f"mechanism.batch must give {runs} outputs, got {len(outputs)}")
        return outputs

    def once() -> Any:
        try:
            return mechanism(data, rng)
        # An exception that depends on a record tells neighbours apart: it is an output, and so is leaving altogether.
        except (Exception, SystemExit) as error:
            return Raised.from_error(error)

    return [once() for _ in range(runs)]


def _count(name: str, outputs: Any) -> int:
    """How many outputs there are. Going through a frame or a dict gives its columns or keys, not an output a run."""
    with contextlib.suppress(TypeError):
        if not (isinstance(outputs, str | bytes | Mapping | Set) or hasattr(outputs, "columns")):
            return len(outputs)
    raise TypeError(f"{name} must be a sequence of outputs, one a run, got a {type(outputs).__name__}")


@dataclass(frozen=True)
class EpsilonScore:
    """How good an event is: the ε its counts would certify if it had to be paid for that many events were tried.

    The largest of many estimates is the luckiest, not the best. Sharing the error among all events, as Bonferroni does,
    would be right for unrelated events; most are neighbouring thresholds, so for one event it is shared among the root
    of their number. Pairs are many more, and the luckiest of them are rare ones: there it is shared among all events.
    """

    delta: float
    doubt: float

    def one(self, hits: np.ndarray, false_hits: np.ndarray, runs: np.ndarray, events: np.ndarray) -> np.ndarray:
        """The ε certified by each event alone, its error shared among the root of the number of events."""
        return certified_epsilon(hits, false_hits, runs, self.delta, self.doubt / 2 / np.sqrt(events))[0]

    def two(self, counts: Counts, events: int) -> float:
        """The ε certified by two events together, with the error shared among all events."""
        return epsilon_from_two_events(counts.right, counts.wrong, counts.trials // 2, self.delta, self.doubt / events)
