"""Secure aggregation: a server learns the sum of the clients' vectors, and no vector."""

from dpcourse.federated.secure.aggregator import SecureAggregator
from dpcourse.federated.secure.client import ProtocolViolation, SecureClient, ThresholdNotMet
from dpcourse.federated.secure.noise import DistributedDiscreteGaussian
from dpcourse.federated.secure.server import SecureServer, ServerView

__all__ = [
    "DistributedDiscreteGaussian",
    "ProtocolViolation",
    "SecureAggregator",
    "SecureClient",
    "SecureServer",
    "ServerView",
    "ThresholdNotMet",
]
