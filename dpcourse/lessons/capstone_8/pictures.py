"""Pictures of capstone 8: what a home's reports show, the year's means at equal ε, and noise against cap."""

from __future__ import annotations

import numpy as np

from dpcourse.lessons.capstone_8.design import BUCKETS
from dpcourse.plots import marks
from dpcourse.plots.marks import Axis, Panel
from dpcourse.plots.still import Still

SHOWN = 60  # days of one home


def draw_home(true: np.ndarray, fresh: np.ndarray, remembered: np.ndarray) -> Still:
    """Two panels over the first days of one home, shape (days,) each: reports as dots on the stairs of true buckets."""
    day = np.arange(min(SHOWN, len(true)))
    moved = true[day][1:] != true[day][:-1]
    seen = moved & (remembered[day][1:] != remembered[day][:-1])
    titles = {
        "Drawn anew every day: the line shows through": fresh,
        f"Remembered: the report moves at {seen.sum()} of {moved.sum()} moves": remembered,
    }
    panels = [
        Panel(
            Axis(-1, len(day), "day of the year"),
            Axis(-0.5, BUCKETS - 0.3, "kWh, from", ticks=range(BUCKETS), names=[f"{3 * k}" for k in range(BUCKETS)]),
            [
                marks.line(day, true[day], "true bucket", colour=marks.GREY, width=1.5, step=True, label=""),
                marks.points(day, reports[day], "report", size=3),
                marks.text(len(day), 0, "● report", colour=marks.BLUE, anchor="end"),
                marks.text(len(day), 0.7, "— true bucket", colour=marks.GREY, anchor="end"),
            ],
            title=title,
        )
        for title, reports in titles.items()
    ]
    alt = (
        f"Buckets of one home over {len(day)} days, with reports. Fresh reports are the true bucket on "
        f"{(true[day] == fresh[day]).mean():.0%} of the days. Remembered reports move on {seen.sum()} of the "
        f"{moved.sum()} days on which the bucket moves."
    )
    return Still(panels, alt=alt, width=860, height=320)


def draw_year(true: np.ndarray, released: np.ndarray, local: np.ndarray) -> Still:
    """Means by day, shape (days,), all at the same ε: crosses of one noisy report a home (`local`) around the line of
    the release from secure sums, and the truth."""
    days = np.arange(len(true))
    in_sum, at_home = (float(np.sqrt(np.nanmean((means - true) ** 2))) for means in (released, local))
    panel = Panel(
        Axis(-2, len(days) + 1, "day of the year"),
        Axis(np.nanmin(local) - 0.5, 1.3 * np.nanmax(local), "mean of the day, kWh"),
        [
            marks.points(days, local, "noise at home", colour=marks.VERMILION, shape="x", size=2.5),
            marks.line(days, released, "noise once, in the sum", width=3, label=""),
            marks.line(days, true, "truth", colour=marks.INK, dash="4 4", width=1.2, label=""),
            *marks.key(
                0.5 * len(days),
                1.26 * np.nanmax(local),
                [
                    (f"✕ noise at home, one day a home: off by {at_home:.2g} kWh", marks.VERMILION),
                    (f"— noise once, in the sum: off by {in_sum:.2g} kWh", marks.BLUE),
                    ("- - truth, within the blue line", marks.INK),
                ],
                anchor="start",
            ),
        ],
        title=f"The same ε: off by {in_sum:.2g} kWh, or by {at_home:.2g}",
    )
    alt = (
        f"The mean of each of {len(days)} days: the truth goes from {true.max():.3g} kWh in winter to {true.min():.3g} "
        f"in summer. The release from secure sums is off by {in_sum:.2g} kWh (RMS) and lies on the truth's line. Noise "
        f"at home is off by {at_home:.2g}."
    )
    return Still(panel, alt=alt, width=720, height=380)


def draw_caps(caps: np.ndarray, noise: np.ndarray, cut: np.ndarray) -> Still:
    """For each cap the noise in a day's mean, what the cap leaves out, and both together, RMS in kWh, with a ring at
    the least."""
    together = np.hypot(noise, cut)
    best = int(together.argmin())
    panel = Panel(
        Axis(caps[0] / 1.1, caps[-1] * 1.02, "cap, kWh a day (log scale)", log=True, ticks=caps),
        Axis(min(noise.min(), cut.min()) / 1.5, together.max() * 1.5, "off by, kWh (RMS, log scale)", log=True),
        [
            marks.line(caps, together, "together", colour=marks.INK),
            *marks.lines(caps, {"noise": noise, "not counted": cut}, dots=4),
            marks.points(caps[best], together[best], "least", colour=marks.INK, size=9, hollow=True),
        ],
        title=f"A cap of about {caps[best]:g} kWh is off least, by {together[best]:.2g} kWh",
    )
    alt = (
        f"Noise and what is not counted over the cap. Noise grows from {noise[0]:.2g} kWh at {caps[0]:g} to "
        f"{noise[-1]:.2g} at {caps[-1]:g}; what is not counted falls from {cut[0]:.2g} to {cut[-1]:.2g}. Together they "
        f"are least at {caps[best]:g} kWh, {together[best]:.2g}."
    )
    return Still(panel, alt=alt, width=720, height=360)
