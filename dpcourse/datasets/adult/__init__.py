"""Adult ("Census Income"): the UCI files where they can be had, and a private synthetic twin where they cannot."""

from dpcourse.datasets.adult.codebook import ADULT_SCHEMA
from dpcourse.datasets.adult.files import AdultNotFound, DataError
from dpcourse.datasets.adult.load import Adult, load_adult

__all__ = ["ADULT_SCHEMA", "Adult", "AdultNotFound", "DataError", "load_adult"]
