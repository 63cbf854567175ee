"""Pictures of capstone 6: how many customers a common model needs, and what the proposal would have told."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from dpcourse.plots import marks
from dpcourse.plots.marks import Axis, Panel
from dpcourse.plots.still import Still


def draw_needed(
    customers: np.ndarray, best_bank: np.ndarray, together: np.ndarray, private: np.ndarray, epsilon: float
) -> Still:
    """AUC over the number of common customers, on a logarithmic axis: of the best bank alone, of all five without
    noise, and of all five at `epsilon`. Four arrays of one length."""
    private_name = f"all five, ε = {epsilon:g}"
    rows = {"all five, no noise": together, private_name: private, "best bank alone": best_bank}
    values, better = np.concatenate(list(rows.values())), private > best_bank
    enough = f"from about {customers[np.argmax(better)]:,} customers on" if better.any() else "never, in this range,"
    panel = Panel(
        _many(customers, "customers of all five banks (log scale)"),
        Axis(values.min() - 0.03, values.max() + 0.03, "AUC on new applicants"),
        marks.lines(customers, rows, dots=4),
        title=f"Sharing pays {enough} at ε = {epsilon:g}, δ = 10⁻⁶",
    )
    first, last = (
        f"{customers[k]:,} customers: best bank {best_bank[k]:.2f}, all five without noise {together[k]:.2f}, with "
        f"noise {private[k]:.2f}"
        for k in (0, -1)
    )
    alt = f"AUC against the number of customers, on a logarithmic axis. {first}; {last}."
    return Still(panel, alt=alt, width=680, height=380)


def draw_told(known: np.ndarray, recovered: Mapping[str, np.ndarray], before: float) -> Still:
    """How much of the other banks' features bank A recovers (R²) over the customers it knows: a line for each precision
    of the residuals, and what bank A's own features say."""
    best = max(values[-1] for values in recovered.values())
    panel = Panel(
        _many(known, "customers whose other features bank A knows (log scale)"),
        Axis(0, 1.05, "share of variance recovered (R²)"),
        [
            marks.rule(y=before, name="bank A's own features"),
            *marks.lines(known, {name: np.maximum(values, 0) for name, values in recovered.items()}, dots=4),
        ],
        title=f"Fast training (rate 2) hands out {best:.0%} of the variance of the others' features",
    )
    lines = "; ".join(
        f"{name}: {v[0]:.2f} with {known[0]} known customers, {v[-1]:.2f} with {known[-1]}"
        for name, v in recovered.items()
    )
    alt = f"Share of variance recovered. {lines}. Bank A's own features alone give {before:.2f}."
    return Still(panel, alt=alt, width=680, height=360)


def _many(counts: np.ndarray, label: str) -> Axis:
    return Axis(counts.min() / 1.1, counts.max() * 1.02, label, log=True, ticks=counts)
