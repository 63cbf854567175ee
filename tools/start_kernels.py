"""A pytest plugin for notebooks: a kernel that does not start is started again.

Jupyter looks for free ports and lets them go before its kernel takes them. Where several kernels start at once, now and
then one finds a port taken, and dies.
"""

from __future__ import annotations

from typing import Any

import nbval.plugin
from nbval.kernel import RunningKernel

TRIES = 3


class PatientKernel(RunningKernel):
    """A kernel with `TRIES` tries to start."""

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        for left in reversed(range(TRIES)):
            try:
                return super().__init__(*arguments, **keywords)
            except RuntimeError:
                if not left:
                    raise


def pytest_configure() -> None:
    nbval.plugin.RunningKernel = PatientKernel
