"""Does this machine run the course? One line a requirement, with what to do about each that is not met."""

from __future__ import annotations

import importlib
import sys
from dataclasses import dataclass

_NEEDED = {
    "numpy": "numpy",
    "scipy": "scipy",
    "pandas": "pandas",
    "sklearn": "scikit-learn",
    "matplotlib": "matplotlib",
    "ipywidgets": "ipywidgets",
    "opendp": "opendp",
    "dp_accounting": "dp-accounting",
}


@dataclass(frozen=True)
class Requirement:
    """One thing the course needs: what, whether it is there, and the fix if it is not."""

    what: str
    met: bool
    fix: str = ""

    def __str__(self) -> str:
        return f"ok       {self.what}" if self.met else f"missing  {self.what}\n         fix: {self.fix}"


@dataclass(frozen=True, repr=False)
class Environment:
    """What was looked at; true when everything is there."""

    requirements: tuple[Requirement, ...]

    def __bool__(self) -> bool:
        return all(requirement.met for requirement in self.requirements)

    def __repr__(self) -> str:
        verdict = (
            "This machine runs the course." if self else "Mend what is missing, restart the kernel, and run this again."
        )
        return "\n".join([*map(str, self.requirements), verdict])


def check_environment() -> Environment:
    """Look for Python 3.11, the libraries the lessons import, and sliders that Jupyter can show.

    Returns
    -------
    Environment
        Its repr names what is missing and how to mend it; it is true when nothing is. No versions are printed, so that
        the stored output of a lesson is the same on every machine that runs it.
    """
    found = [
        Requirement(
            "Python 3.11 or newer",
            sys.version_info >= (3, 11),
            "install a newer Python from python.org, delete .venv and run `make lab` again",
        )
    ]
    for module, package in _NEEDED.items():
        try:
            importlib.import_module(module)
            met, why = True, ""
        except Exception as error:  # a broken library raises anything, an OSError from a missing DLL for one
            met, why = False, f" ({type(error).__name__}: {error})"
        found.append(
            Requirement(
                package + why, met, f"`make lab` installs it; by hand: {sys.executable} -m pip install {package}"
            )
        )
    found.append(_widgets())
    return Environment(tuple(found))


def _widgets() -> Requirement:
    what = "ipywidgets 7.7 or newer, for the sliders"
    fix = f"{sys.executable} -m pip install --upgrade ipywidgets jupyterlab_widgets, then reload the browser page"
    try:
        import ipywidgets
    except Exception:
        return Requirement(what, False, fix)
    version = tuple(int(part) for part in ipywidgets.__version__.split(".")[:2])
    return Requirement(what, version >= (7, 7), fix)
