"""Imports that say nothing."""

import contextlib
import logging
import warnings
from collections.abc import Iterator


@contextlib.contextmanager
def quietly() -> Iterator[None]:
    """AIF360 logs a warning of every optional package that isn't there, and Python 3.12 and later warn of its strings.

    Examples
    --------
    >>> with quietly():
    ...     logging.warning("'load_boston' will be unavailable.")
    """
    before = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        with warnings.catch_warnings(action="ignore", category=SyntaxWarning):
            yield
    finally:
        logging.disable(before)
