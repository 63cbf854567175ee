"""`load_adult`: real people where the files are, their synthetic twin where they are not."""

from __future__ import annotations

import functools
import os
from dataclasses import dataclass
from importlib import resources
from io import BytesIO
from pathlib import Path

import numpy as np
import pandas as pd

from dpcourse.datasets.adult import files
from dpcourse.datasets.adult.codebook import ADULT_SCHEMA, COLUMN_NAMES
from dpcourse.datasets.adult.files import AdultNotFound, DataError
from dpcourse.datasets.schema import Schema, SchemaError

SOURCES = ("auto", "uci", "twin")
TWIN = "adult_twin.csv.gz"


@dataclass(frozen=True, eq=False)
class Adult:
    """Adult, or its twin.

    Attributes
    ----------
    frame : DataFrame, 45,222 rows
        Complete records in AIF360's order (those of adult.test first) and under its column names, before its encoding:
        whole numbers and strings. Labels are ``<=50K`` and ``>50K``; adult.test's full stop is dropped. Strings have
        dtype object, which AIF360 needs. ``fnlwgt`` is in the UCI frame only. The frame is yours to change.
    source : str
        "uci" or "twin".
    schema : Schema
        Public bounds, categories and size.
    """

    frame: pd.DataFrame
    source: str
    schema: Schema = ADULT_SCHEMA

    def __repr__(self) -> str:
        people = {"uci": "real people, from the UCI files", "twin": "synthetic people, from the bundled twin"}
        return f"Adult({len(self.frame):,} {people[self.source]}; {self.frame.shape[1]} columns)"

    @property
    def feature_names(self) -> tuple[str, ...]:
        """The columns of the `X` of `encode`, in order."""
        return self.schema.feature_names

    def encode(self, numeric: str = "scaled") -> tuple[np.ndarray, np.ndarray]:
        """Features and labels by public facts alone; never ``fnlwgt``. Nothing is fitted to the data.

        "scaled" gives 87 features: 5 numbers on [−1, 1], of which capital gain and loss on a logarithmic scale, and 82
        columns of {0, 1} for the declared categories (education is there as education-num, sex as one column). "bins"
        gives 163: the 5 numbers become 81 columns of {0, 1} for the schema's public bins, and no row has a norm above
        √12. Bins are the better features for a linear model, whether private or not.

        Parameters
        ----------
        numeric : {"scaled", "bins"}

        Returns
        -------
        X : ndarray of float, shape (n, 87) or (n, 163)
        y : ndarray of int, shape (n,)
            1 for more than $50,000 a year.

        Raises
        ------
        ValueError
            If `numeric` is neither.

        Examples
        --------
        >>> adult = load_adult("twin")
        >>> X, y = adult.encode(numeric="bins")
        >>> X.shape, adult.schema.feature_names_of("bins")[:2]
        ((45222, 163), ('age=17–19', 'age=20–21'))
        """
        return self.schema.encode(self.frame, numeric)


def load_adult(source: str | None = None) -> Adult:
    """Load the 45,222 complete records of Adult.

    The UCI files are looked for in ``$DPCOURSE_DATA``, in ``data/raw/`` and in the user's cache, then downloaded from
    UCI (Becker & Kohavi 1996, doi:10.24432/C5XW20). Where all of this fails, the bundled twin is used and one line on
    stdout says so. A failed download is not tried again in the same process.

    Parameters
    ----------
    source : {"auto", "uci", "twin"}, optional
        "uci" insists on the files, "twin" on the twin. By default ``$DPCOURSE_SOURCE``, or else "auto".

    Returns
    -------
    Adult
        With its own copy of the frame.

    Raises
    ------
    ValueError
        If `source` or ``$DPCOURSE_SOURCE`` is none of the three.
    AdultNotFound
        If `source` is "uci" and the files are nowhere to be had.
    DataError
        If a file is found that cannot be read or is not the published one. It is left as it is.

    Examples
    --------
    >>> adult = load_adult("twin")
    >>> adult
    Adult(45,222 synthetic people, from the bundled twin; 14 columns)
    >>> X, y = adult.encode()
    >>> X.shape, sorted(set(y.tolist()))
    ((45222, 87), [0, 1])
    """
    chosen = _chosen(source)
    if chosen != "twin":
        try:
            # Asked for in this order, both before either is parsed, so that a bad file is named at once.
            return Adult(_parsed(files.read(files.DATA), files.read(files.TEST)).copy(), "uci")
        except AdultNotFound as missing:
            if chosen == "uci":
                raise
            print(f"Using the bundled twin, which holds synthetic people: {missing}.")
    return Adult(_twin().copy(), "twin")


def _chosen(source: str | None) -> str:
    name, value = ("source", source) if source is not None else ("DPCOURSE_SOURCE", os.environ.get("DPCOURSE_SOURCE"))
    if value not in (*SOURCES, None, ""):
        raise ValueError(f'{name} must be "auto", "uci" or "twin", got {value!r}')
    return value or "auto"


@functools.lru_cache(maxsize=1)
def _parsed(data: bytes, test: bytes) -> pd.DataFrame:
    """The complete records of both files. Their hashes have been checked, so there is nothing left to go wrong."""
    # The first line of adult.test is no record.
    parts = [_csv(test, header=0, names=COLUMN_NAMES), _csv(data, header=None, names=COLUMN_NAMES)]
    frame = pd.concat(parts, ignore_index=True).dropna().reset_index(drop=True)
    frame[ADULT_SCHEMA.label] = frame[ADULT_SCHEMA.label].str.removesuffix(".").astype(object)
    return frame


def _csv(content: bytes, **how) -> pd.DataFrame:
    strings = dict.fromkeys(ADULT_SCHEMA.categories, object)
    return pd.read_csv(BytesIO(content), skipinitialspace=True, na_values=["?"], dtype=strings, **how)


@functools.cache
def _twin() -> pd.DataFrame:
    path = data_file(TWIN)
    try:
        frame = pd.read_csv(path, compression="gzip", dtype=dict.fromkeys(ADULT_SCHEMA.categories, object))
        ADULT_SCHEMA.validate(frame)
    except FileNotFoundError:
        raise DataError(f"The bundled twin is missing: {path}. Install dpcourse again.") from None
    except SchemaError as error:
        raise DataError(f"The bundled twin {path} is damaged: {error}. Install dpcourse again.") from None
    except Exception as error:  # gzip, zlib, UTF-8 and the CSV parser each have their own way of failing
        cause = f"{type(error).__name__}: {error}"
        raise DataError(f"The bundled twin {path} cannot be read ({cause}). Install dpcourse again.") from None
    if len(frame) != ADULT_SCHEMA.n:
        raise DataError(f"The bundled twin {path} is damaged: {len(frame):,} records. Install dpcourse again.")
    return frame


def data_file(name: str) -> Path:
    """Where a file of the twin is: inside an installed package, or in ``data/`` of a checkout."""
    packaged = Path(str(resources.files("dpcourse") / "data" / name))
    return packaged if packaged.is_file() else Path(__file__).resolve().parents[3] / "data" / name
