"""How slow something may be: in seconds of the machine for which a limit was set.

Machines differ by three, and one machine does within minutes, so that a limit in seconds says more of them than of
what is limited.
"""

import statistics
import time

import numpy as np

# Seconds of `pace` where the limits were set. A right notebook of lesson 04 took 14.1 s of processor time there; on
# another machine 40 s (three times, on average), beside thirty calls of `pace`, whose median was 0.14 s.
USUAL = 0.05


def in_time(seconds, most):
    """Whether something took no longer; on a machine that is slow now, than so long would be there."""
    return seconds < most or seconds < most * slowness()


def slowness():
    """How many times as slow as usual this machine is now."""
    return max(1.0, statistics.median(pace() for _ in range(3)) / USUAL)


def pace():
    """Seconds of processor time for plain Python and small draws, which is what slow answers are made of."""
    began, counts, rng = time.process_time(), {}, np.random.default_rng(1)
    for number, word in [(7 * one % 1009, str(one)) for one in range(100_000)]:
        counts[number] = counts.get(number, 0) + len(word)
    for _ in range(10_000):
        sum(int(one) for one in rng.integers(0, 2**63, 4))
    return time.process_time() - began
