"""The adversary: attacks on records, counts and models, and what no attacker can exceed against an (ε, δ) guarantee.

Names are looked up when first asked for, because the attacks need pandas and SciPy's optimisers and the bounds do not.
"""

from __future__ import annotations

import importlib
from typing import Any

# The one line a module adds for each public name: name -> module.
_MODULES = {
    "dp_accuracy_bound": "bounds",
    "dp_advantage_bound": "bounds",
    "dp_roc_bound": "bounds",
    "posterior_bounds": "bounds",
    "finest_bit": "floats",
    "guess_from_bits": "floats",
    "numpy_laplace_reaches": "floats",
    "Linkage": "records",
    "Rate": "membership",
    "Shadows": "shadow",
    "RocBand": "membership",
    "attribute_log_likelihood": "attribute",
    "auc": "membership",
    "best_accuracy": "membership",
    "confidence_scores": "membership",
    "guess_attribute": "attribute",
    "lira_scores": "membership",
    "margin_scores": "membership",
    "property_scores": "population",
    "random_halves": "shadow",
    "rmia_scores": "membership",
    "roc": "membership",
    "roc_band": "membership",
    "sets_with_share": "population",
    "tpr_at_fpr": "membership",
    "train_shadow_models": "shadow",
    "with_each_value": "attribute",
    "count_tables": "records",
    "difference": "records",
    "diversity": "records",
    "group_numbers": "records",
    "group_sizes": "records",
    "k_anonymity": "records",
    "link": "records",
    "marginal_queries": "records",
    "reconstruct_bits": "records",
    "reconstruct_table": "records",
    "unique_curve": "records",
    "unique_share": "records",
}

__all__ = list(_MODULES)


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return getattr(importlib.import_module(f"{__name__}.{_MODULES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}; it has {', '.join(sorted(_MODULES))}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULES})
