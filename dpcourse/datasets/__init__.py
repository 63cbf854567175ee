"""The only door to data: Adult, its bundled twin, and what is publicly known about their columns."""

from dpcourse.datasets.adult import ADULT_SCHEMA, Adult, AdultNotFound, DataError, load_adult
from dpcourse.datasets.schema import Categorical, Numeric, Schema, SchemaError

__all__ = [
    "ADULT_SCHEMA",
    "Adult",
    "AdultNotFound",
    "Categorical",
    "DataError",
    "Numeric",
    "Schema",
    "SchemaError",
    "load_adult",
]
