"""The dashboard: six panels of the table's own numbers, every ε with its δ and its relation, and words for all."""

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from dpcourse.pipeline.dashboard import draw_dashboard


def table(methods=("dp-sgd", "output-perturbation"), seeds=3):
    rows = []
    rng = np.random.default_rng(14)
    for seed in range(seeds):
        for method, level, epsilon in [("no privacy", "", np.inf)] + [
            (method, level, epsilon) for method in methods for level, epsilon in (("strict", 0.5), ("loose", 4.0))
        ]:
            for attack in ("confidence", "lira"):
                rows.append(
                    {"method": method, "level": level, "seed": seed, "attack": attack, "epsilon": epsilon}
                    | {"delta": 1e-6 if method == "dp-sgd" else 0.0, "neighbours": "replace-one", "source": "twin"}
                    | {"accuracy": 0.8 + 0.01 * seed, "auc": 0.85, "majority": 0.75, "advantage_bound": 0.2449}
                    | {
                        "advantage": (0.04 if attack == "lira" else 0.01)
                        if method == "no privacy"
                        else 0.001 * rng.normal()
                    }
                    | {"privacy_gain": 0.04, "utility_loss": 0.01 * seed}
                )
    return pd.DataFrame(rows)


@pytest.fixture(scope="module")
def picture():
    return draw_dashboard(table(), "dp-sgd at level strict. The rule: the smallest ε.")


def texts(axes):
    found = [*axes.texts, axes.xaxis.label, axes.yaxis.label, *axes.get_yticklabels()]
    return " ".join(text.get_text() for text in found)


def test_six_panels_that_say_delta_and_neighbours(picture):
    assert len(picture.axes) == 6 and picture.png()[:4] == b"\x89PNG"
    utility, attack, trade, methods, seeds, advice = picture.axes
    assert "replacing one record" in texts(utility) and "1e-06 strict" in texts(utility)
    assert "0 for output-perturbation" in texts(utility) and "← more private" in texts(utility)
    for axes in (attack, seeds):
        assert "ε=0.5, δ=1e-06" in texts(axes) and "ε=4, δ=0" in texts(axes)
    assert "≤ 0.25" in texts(attack)  # .2449, never rounded down
    assert "lira" in texts(trade) and "AUC" in texts(methods)
    assert "dp-sgd at level strict" in texts(advice) and "The rule" in texts(advice)


def test_the_panels_draw_the_tables_numbers(picture):
    utility, attack = picture.axes[:2]
    line = utility.lines[0].get_xydata()
    np.testing.assert_allclose(line, [[0.5, 0.81], [4.0, 0.81]])
    widths = [bar.get_width() for container in attack.containers for bar in getattr(container, "patches", [])]
    assert max(widths) == pytest.approx(0.04)


def test_the_words_hold_the_numbers(picture):
    assert "No privacy: accuracy 81.0%, best attack's advantage 0.040" in picture.alt
    assert "dp-sgd at ε=0.5, δ=1e-06: accuracy 81.0%" in picture.alt and "replacing one record" in picture.alt
    assert "level strict" in picture.alt


def test_one_method_one_seed_no_warning_and_no_state():
    """Spreads that do not exist are left out; seaborn opens no figure and leaves the settings alone."""
    before = dict(mpl.rcParams)
    assert draw_dashboard(table(("dp-sgd",), seeds=1)).png()[:4] == b"\x89PNG"
    assert dict(mpl.rcParams) == before and not plt.get_fignums()
