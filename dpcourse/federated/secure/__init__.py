"""Secure aggregation: a server learns the sum of the clients' vectors, and no vector."""

from dpcourse.federated.secure.aggregator import SecureAggregator
from dpcourse.federated.secure.client import ProtocolViolation, SecureClient, ThresholdNotMet
from dpcourse.federated.secure.laplace import DistributedDiscreteLaplace
from dpcourse.federated.secure.noise import DistributedDiscreteGaussian
from dpcourse.federated.secure.server import SecureServer, ServerView
from dpcourse.federated.secure.units import steps_sensitivity

__all__ = [
    "DistributedDiscreteGaussian",
    "DistributedDiscreteLaplace",
    "ProtocolViolation",
    "SecureAggregator",
    "SecureClient",
    "SecureServer",
    "ServerView",
    "ThresholdNotMet",
    "steps_sensitivity",
]
