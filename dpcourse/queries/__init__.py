"""Questions about a table, answered privately: counts, sums, means, quantiles, histograms, cross-tabulations.

Every bound and category list is a public argument. Records are never trusted: whatever they hold, a query gives an
answer, and one record moves it by no more than the sensitivity its noise was made for.
"""

from dpcourse.queries.estimate import Estimate
from dpcourse.queries.numeric import private_mean, private_sum
from dpcourse.queries.quantile import private_quantile
from dpcourse.queries.tables import private_count, private_crosstab, private_histogram

__all__ = [
    "Estimate",
    "private_count",
    "private_crosstab",
    "private_histogram",
    "private_mean",
    "private_quantile",
    "private_sum",
]
