"""Private learners that behave like scikit-learn's.

Names are looked up when first asked for (SPEC 1): the learners need scikit-learn, the arithmetic of gradients does not.
"""

import importlib

_MODULES: dict[str, list[str]] = {
    "logistic": ["DPLogisticRegression"],
    "perturbation": ["ObjectivePerturbationLogisticRegression", "OutputPerturbationLogisticRegression"],
}
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names}
__all__ = sorted(_MODULE_OF)


def __getattr__(name: str):
    if name in _MODULE_OF:
        return getattr(importlib.import_module(f"dpcourse.learning.{_MODULE_OF[name]}"), name)
    raise AttributeError(f"module 'dpcourse.learning' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
