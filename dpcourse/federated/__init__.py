"""Learning together without handing over the data: federated rounds, what they promise, and how sums are hidden.

Names are looked up when first asked for (SPEC 1): secure aggregation needs the ``cryptography`` package, the rounds do
not.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
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
    },
)
