import multiprocessing
import os

import pytest


@pytest.fixture(scope="session")
def context():
    """A context whose processes import the package once for all, where the system can."""
    if os.name == "nt":
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["dpcourse.budget", "dpcourse.mechanisms", "pandas", "pytest"])
    return context
