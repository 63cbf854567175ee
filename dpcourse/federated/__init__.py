"""Learning together without handing over the data: federated rounds, what they promise, and how sums are hidden.

Names are looked up when first asked for (SPEC 1): secure aggregation needs the ``cryptography`` package, the rounds do
not.
"""

import importlib

_MODULES: dict[str, list[str]] = {
    "clients": ["FederatedClient", "Reply", "SimulatedClients"],
    "clipping": ["AdaptiveClip"],
    "report": ["RoundReport"],
    "secure": [
        "DistributedDiscreteGaussian",
        "DistributedDiscreteLaplace",
        "SecureAggregator",
        "ThresholdNotMet",
        "steps_sensitivity",
    ],
    "server": ["FederatedServer", "run_rounds"],
    "training": ["LocalTraining", "PrivateLocalTraining"],
}
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names}
__all__ = sorted(_MODULE_OF)


def __getattr__(name: str):
    if name in _MODULE_OF:
        return getattr(importlib.import_module(f"dpcourse.federated.{_MODULE_OF[name]}"), name)
    raise AttributeError(f"module 'dpcourse.federated' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
