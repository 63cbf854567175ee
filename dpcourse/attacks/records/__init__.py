"""Attacks on released records and totals: linkage, differencing, reconstruction.

Nothing here knows of ε. These are the attacks that "we removed the names" and "we only publish totals" have to survive,
and do not.
"""

from dpcourse.attacks.records.groups import (
    Linkage,
    diversity,
    group_numbers,
    group_sizes,
    k_anonymity,
    link,
    unique_curve,
    unique_share,
)
from dpcourse.attacks.records.totals import (
    count_tables,
    difference,
    marginal_queries,
    reconstruct_bits,
    reconstruct_table,
)

__all__ = [
    "Linkage",
    "count_tables",
    "difference",
    "diversity",
    "group_numbers",
    "group_sizes",
    "k_anonymity",
    "link",
    "marginal_queries",
    "reconstruct_bits",
    "reconstruct_table",
    "unique_curve",
    "unique_share",
]
