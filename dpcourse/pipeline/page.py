"""What a run leaves behind: the table as CSV, the dashboard as PNG, and one HTML page that needs nothing else."""

from __future__ import annotations

import base64
import math
import platform
from html import escape
from importlib.metadata import version
from pathlib import Path

import pandas as pd

import dpcourse
from dpcourse.accounting.composition import basic
from dpcourse.pipeline.config import Config
from dpcourse.pipeline.dashboard import draw_dashboard
from dpcourse.pipeline.recommend import BASELINE, Recommendation, recommend, summary
from dpcourse.pipeline.store import write_whole
from dpcourse.privacy import Guarantee, Neighbours
from dpcourse.privacy.claim import rounded_up

LIBRARIES = ("numpy", "scipy", "pandas", "scikit-learn", "matplotlib", "seaborn")

_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 1500px; margin: 1rem auto; padding: 0 1rem; color: #222; }
img { width: 100%; height: auto; }
.choice { border-left: 5px solid #0072B2; padding: .2rem 1rem; max-width: 60rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: 13px; font-variant-numeric: tabular-nums; }
th, td { padding: .25rem .6rem; text-align: right; border-bottom: 1px solid #ddd; white-space: nowrap; }
th:first-child, td:first-child, th:nth-child(2), td:nth-child(2), th:nth-child(3), td:nth-child(3) { text-align: left; }
pre { background: #f5f5f5; padding: 1rem; overflow-x: auto; font-size: 13px; }
p, li { max-width: 60rem; }
"""

_PERCENT, _THREE = "{:.1%}".format, "{:.3f}".format
_FORMATS = {
    **dict.fromkeys(("accuracy", "majority", "tpr_at_low_fpr"), _PERCENT),
    **dict.fromkeys(("f1", "auc", "brier", "attack_auc", "advantage", "advantage_error"), _THREE),
    **dict.fromkeys(("privacy_gain", "privacy_gain_error", "utility_loss", "utility_loss_error"), _THREE),
    "ratio": "{:.2f}".format,
    # What is promised is never shown smaller than it is.
    "advantage_bound": lambda bound: f"{math.ceil(1000 * bound) / 1000:.3f}",
    "epsilon": lambda epsilon: "∞" if math.isinf(epsilon) else rounded_up(epsilon),
    "delta": rounded_up,
}


def save_report(frame: pd.DataFrame, config: Config, folder: str | Path) -> Recommendation:
    """Write ``results.csv``, ``dashboard.png`` and ``dashboard.html`` into `folder`, and return the recommendation."""
    folder = Path(folder)
    chosen = recommend(frame, config.max_utility_loss)
    picture = draw_dashboard(frame, str(chosen))
    png = picture.png()
    page = _page(frame, config, chosen, png, picture.alt)
    for name, content in (
        ("results.csv", frame.to_csv(index=False).encode()),
        ("dashboard.png", png),
        ("dashboard.html", page.encode()),
    ):
        write_whole(folder / name, lambda file, content=content: file.write(content))
    return chosen


def total_cost(frame: pd.DataFrame) -> Guarantee:
    """What publishing every private model of the table would cost together, by adding up.

    The people of different seeds overlap: in the worst case one person is in all of them.
    """
    models = frame[frame["method"] != BASELINE].drop_duplicates(["method", "level", "seed"])
    claims = [
        Guarantee(epsilon, delta, Neighbours(relation))
        for epsilon, delta, relation in zip(models["epsilon"], models["delta"], models["neighbours"], strict=True)
    ]
    return basic(claims)


def _page(frame: pd.DataFrame, config: Config, chosen: Recommendation, png: bytes, alt: str) -> str:
    table = summary(frame)
    relation = Neighbours(table["neighbours"].iloc[0])
    hidden = ["condition", "own_claim"]  # said once for each model above
    libraries = ", ".join(f"{name} {version(name)}" for name in LIBRARIES)
    models = frame.drop_duplicates(["method", "level", "seed"])
    conditions = models[models["condition"] != ""].drop_duplicates("method")
    claims = models[models["method"] != BASELINE].drop_duplicates(["method", "level"])
    source = {"uci": "Adult, the UCI files", "twin": "the synthetic twin of Adult"}[frame["source"].iloc[0]]
    count = int((models["method"] != BASELINE).sum())
    promises = "".join(
        f"<li>{escape(row.method)}, {escape(row.level)}: "
        f"{escape(str(Guarantee(row.epsilon, row.delta, Neighbours(row.neighbours), row.condition)))}. "
        f"In its own terms: {escape(row.own_claim)}.</li>"
        for row in claims.itertuples()
    )
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Privacy and utility: {escape(source)}</title>
<style>{_STYLE}</style>
</head>
<body>
<h1>Privacy and utility</h1>
<p>{escape(source)}: {config.records:,} people trained on, as many kept out, {len(config.seeds)} seeds.
{count} private models{"" if conditions.empty else ", under the conditions stated with their promises"}.</p>
<div class="choice"><p><strong>{escape(chosen.reason)}</strong></p>
<p>The rule: {escape(chosen.rule)}</p></div>
<figure><img src="data:image/png;base64,{base64.b64encode(png).decode()}" alt="{escape(alt)}"></figure>
<details><summary>The picture in words</summary><p>{escape(alt)}</p></details>
<h2>What is promised</h2>
<p>Each (ε, δ) is that of <em>one</em> released model, {relation}, and is read off the trained model. Publishing all
{count} of them would cost {escape(str(total_cost(frame)))} by adding up.</p>
<ul>{promises}</ul>
<p>This is a rehearsal. The seeds are written down below, and the accuracies, the attacks and the recommendation were
computed from the records without noise: on private data none of it may be published, and choosing by it costs privacy
too. The noise is drawn in floating point.</p>
<p>The attacks are two of many, with shadow models that were trained without privacy. That they fail proves nothing.
What no attack exceeds is <em>advantage bound</em>.</p>
<h2>Means over seeds</h2>
<p>Spreads are half-widths of 95% intervals by Student's t. <em>TPR at low FPR</em> is at
{frame["low_fpr"].iloc[0]:.3g}. <em>Privacy gain</em> is the advantage (TPR − FPR) the attack has against the model
without privacy, minus the one it has here; <em>ratio</em> is the loss of accuracy over that gain, and left out where
the interval of the gain holds zero.</p>
<div class="scroll">{_table(table)}</div>
<h2>Every model and attack</h2>
<details><summary>{len(frame)} rows (here <em>advantage error</em> is a standard error)</summary>
<div class="scroll">{_table(frame.drop(columns=hidden))}
</div></details>
<h2>The config</h2>
<pre>{escape(config.text or repr(config.settings()))}</pre>
<p>dpcourse {dpcourse.__version__}, Python {platform.python_version()}, {escape(libraries)}.</p>
</body>
</html>
"""


def _table(frame: pd.DataFrame) -> str:
    formats = {name: how for name, how in _FORMATS.items() if name in frame}
    shown = frame.rename(columns=lambda name: name.replace("_", " "))
    return shown.to_html(
        index=False,
        border=0,
        na_rep="",
        formatters={name.replace("_", " "): lambda value, how=how: how(value) for name, how in formats.items()},
    )
