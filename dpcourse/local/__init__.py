"""Local privacy: every person adds the noise, on their own device, before anyone else sees anything."""

from dpcourse.local.estimate import CountEstimate, project_to_simplex
from dpcourse.local.response import RandomizedResponse
from dpcourse.local.unary import UnaryEncoding

__all__ = ["CountEstimate", "RandomizedResponse", "UnaryEncoding", "project_to_simplex"]
