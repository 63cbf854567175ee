"""What to choose: the table condensed over seeds, and a rule stated in words and computed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import stats

from dpcourse.privacy import Guarantee, Neighbours, arguments

BASELINE = "no privacy"
WHO = ["method", "level"]


@dataclass(frozen=True)
class Recommendation:
    """The choice, if there is one, and how it came about.

    Attributes
    ----------
    method, level : str
        Empty if nothing is recommended.
    rule : str
        The rule, in words.
    reason : str
        What it found.
    """

    method: str
    level: str
    rule: str
    reason: str

    def __str__(self) -> str:
        return f"{self.reason} The rule: {self.rule}"


def summary(frame: pd.DataFrame) -> pd.DataFrame:
    """Means over seeds for each model and attack, in the order of the table.

    Spreads (``…_error``) are half-widths of 95% intervals for these means by Student's t, NaN for one seed. ``ratio``
    is the mean loss of accuracy over the mean privacy gain, and left out where the interval of that gain holds zero.
    """
    rows = []
    for (method, level, attack), part in frame.groupby([*WHO, "attack"], sort=False):
        gain, error = part["privacy_gain"].mean(), half_width(part["privacy_gain"])
        rows.append(
            {
                "method": method,
                "level": level,
                "attack": attack,
                "epsilon": part["epsilon"].max(),
                "delta": part["delta"].max(),
                "neighbours": part["neighbours"].iloc[0],
                "seeds": len(part),
                **{name: part[name].mean() for name in ("accuracy", "f1", "auc", "brier", "attack_auc")},
                "tpr_at_low_fpr": part["tpr_at_low_fpr"].mean(),
                "advantage": part["advantage"].mean(),
                "advantage_error": half_width(part["advantage"]),
                "advantage_bound": part["advantage_bound"].max(),
                "privacy_gain": gain,
                "privacy_gain_error": error,
                "utility_loss": part["utility_loss"].mean(),
                "utility_loss_error": half_width(part["utility_loss"]),
                "ratio": part["utility_loss"].mean() / gain if gain > error else np.nan,
            }
        )
    return pd.DataFrame(rows)


def recommend(frame: pd.DataFrame, max_utility_loss: float = 0.02) -> Recommendation:
    """The most private model that is still good enough, or none.

    Parameters
    ----------
    frame : DataFrame
        What `run` returns, with at least two seeds: one draw of the noise says nothing about the next.
    max_utility_loss : float
        Accuracy that may be lost, in (0, 1).
    """
    most = arguments.probability("max_utility_loss", max_utility_loss, zero=False, one=False)
    rule = (
        f"among the models that lose at most {100 * most:g} points of accuracy against the one without privacy (upper "
        "end of the 95% interval over seeds, by Student's t), the smallest ε, then the smallest δ, then the smallest "
        "loss. No attack enters it: an attack that fails proves nothing, a guarantee does."
    )
    table = summary(frame).drop_duplicates(WHO)
    models = table[table["method"] != BASELINE]
    if models.empty or models["seeds"].min() < 2:
        return Recommendation("", "", rule, "No recommendation: it takes private models under at least two seeds.")
    worst = models["utility_loss"] + models["utility_loss_error"]
    enough = models[worst <= most]
    if enough.empty:
        least = models.loc[worst.idxmin()]
        return Recommendation(
            "",
            "",
            rule,
            f"No recommendation: no model is good enough. The closest is {least['method']} at {_claim(least)}, "
            f"which loses {_loss(least)}.",
        )
    chosen = enough.sort_values(["epsilon", "delta", "utility_loss"], kind="stable").iloc[0]
    reason = (
        f"{chosen['method']} at level {chosen['level']}: {_claim(chosen)}. It loses {_loss(chosen)}; "
        f"{len(enough)} of {len(models)} private models {'is' if len(enough) == 1 else 'are'} good enough."
    )
    return Recommendation(chosen["method"], chosen["level"], rule, reason)


def half_width(values: pd.Series) -> float:
    """Half the 95% interval of a mean over seeds, by Student's t; NaN for one seed.

    Examples
    --------
    >>> round(half_width(pd.Series([0.0, 1.0])), 2)  # a deviation of .71 from two seeds: t = 12.7
    6.35
    """
    n = len(values)
    return float(stats.t.ppf(0.975, n - 1) * values.std(ddof=1) / np.sqrt(n)) if n > 1 else np.nan


def _claim(row: pd.Series) -> str:
    return str(Guarantee(row["epsilon"], row["delta"], Neighbours(row["neighbours"])))


def _loss(row: pd.Series) -> str:
    return f"{round(100 * row['utility_loss'], 1) + 0.0:.1f} ± {100 * row['utility_loss_error']:.1f} points"
