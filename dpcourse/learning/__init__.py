"""Private learners that behave like scikit-learn's.

Names are looked up when first asked for (SPEC 1): the learners need scikit-learn, the arithmetic of gradients does not.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "logistic": ["DPLogisticRegression"],
        "perturbation": ["ObjectivePerturbationLogisticRegression", "OutputPerturbationLogisticRegression"],
    },
)
