"""The adversary: attacks on records, counts and models, and what no attacker can exceed against an (ε, δ) guarantee.

Names are looked up when first asked for, because the attacks need pandas and SciPy's optimisers and the bounds do not.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "attribute": ["attribute_log_likelihood", "guess_attribute", "with_each_value"],
        "bounds": ["dp_accuracy_bound", "dp_advantage_bound", "dp_roc_bound", "posterior_bounds"],
        "floats": ["finest_bit", "guess_from_bits", "numpy_laplace_reaches"],
        "membership": [
            "auc",
            "best_accuracy",
            "confidence_scores",
            "lira_scores",
            "margin_scores",
            "Rate",
            "rmia_scores",
            "roc",
            "roc_band",
            "RocBand",
            "tpr_at_fpr",
        ],
        "population": ["property_scores", "sets_with_share"],
        "records": [
            "count_tables",
            "difference",
            "diversity",
            "group_numbers",
            "group_sizes",
            "k_anonymity",
            "link",
            "Linkage",
            "marginal_queries",
            "reconstruct_bits",
            "reconstruct_table",
            "unique_curve",
            "unique_share",
        ],
        "shadow": ["random_halves", "Shadows", "train_shadow_models"],
    },
)
