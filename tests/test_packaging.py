"""The three ways to install stay in step, the lock names no host, and no dependency is carried along unused."""

from __future__ import annotations

import ast
import functools
import json
import re
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
LOCK = (ROOT / "requirements.lock").read_text(encoding="utf-8")
FLOWER_LOCK = (ROOT / "requirements-flower.lock").read_text(encoding="utf-8")
EXTRAS = PROJECT["optional-dependencies"]
REQUIREMENTS = [Requirement(line) for line in PROJECT["dependencies"] + EXTRAS["lab"] + EXTRAS["site"] + EXTRAS["test"]]
FLOWER = [Requirement(line) for line in PROJECT["dependencies"] + EXTRAS["flower"]]
NAMES = sorted({requirement.name for requirement in REQUIREMENTS + FLOWER})

IMPORTED_AS = {
    "axe-playwright-python": "axe_playwright_python",
    "dp-accounting": "dp_accounting",
    "lazy-loader": "lazy_loader",
    "pyyaml": "yaml",
    "scikit-learn": "sklearn",
}

# Never without the package on the right, which requires it and hands it out as part of its own interface.
COMES_WITH = {"PIL": "matplotlib", "cycler": "matplotlib", "IPython": "ipywidgets", "traitlets": "ipywidgets"}
COMES_WITH["cloudpickle"] = "sklearn"

# Other people's work that tests compare ours with where somebody has installed it; never required.
COMPARED_WITH = {"private_set_intersection", "phe", "tenseal"}

# Programs and plugins are not imported but called: where, and by which words.
CALLED = {
    "hatchling": ("pyproject.toml", 'build-backend = "hatchling.build"'),
    "jupyterlab": ("Makefile", "-m jupyterlab"),
    "mypy": ("tools/run_tests.py", '"mypy"'),
    "myst-nb": ("site/conf.py", '"myst_nb"'),
    "nbval": ("tools/run_tests.py", '"--nbval"'),
    "pytest-xdist": ("tools/run_tests.py", '"--dist"'),
    "pydata-sphinx-theme": ("site/conf.py", '"pydata_sphinx_theme"'),
    "ruff": ("tools/run_tests.py", '"ruff"'),
    "sphinx": ("tools/make_site.py", '"-m", "sphinx"'),
    "sphinx-mathjax-offline": ("site/dpcourse_site.py", '"sphinx-mathjax-offline"'),
    "uv": ("Makefile", "-m uv pip sync"),
}


def code_of(path: Path) -> str:
    """The Python in a module or a notebook."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        return text
    return "\n".join("".join(cell["source"]) for cell in json.loads(text)["cells"] if cell["cell_type"] == "code")


def imported_by(*folders: str) -> set[str]:
    """Top-level names of other people's packages that the Python in `folders` imports."""
    return set().union(*map(imported_in, folders))


@functools.cache
def imported_in(folder: str) -> set[str]:
    """What `imported_by` says of one folder, read once."""
    found: set[str] = set()
    for path in [*(ROOT / folder).rglob("*.py"), *(ROOT / folder).rglob("*.ipynb")]:
        if ".ipynb_checkpoints" in path.parts:
            continue
        if path.parent == ROOT / "benchmarks" / "others":  # run in environments of their own
            continue
        for node in ast.walk(ast.parse(code_of(path))):
            if isinstance(node, ast.Import):
                found |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                found.add(node.module.partition(".")[0])
            # pytest.importorskip("x"), importlib.import_module("x")
            elif isinstance(node, ast.Call) and getattr(node.func, "attr", "") in {"importorskip", "import_module"}:
                found |= {str(a.value).partition(".")[0] for a in node.args if isinstance(a, ast.Constant)}
    # What is started by path imports what stands beside it.
    beside = {
        "dpcourse",
        "benchmarks",
        "tools",
        "tests",
        "wire",
        "folders",
        "beside",
        "forms",
        "make_exercises",
        "make_site",
        "site_pages",
        "turns",
    }
    return found - sys.stdlib_module_names - beside


@pytest.fixture(scope="module")
def imported() -> set[str]:
    return imported_by("dpcourse", "tests", "tools", "benchmarks", "notebooks")


def import_names(*lists: list[str]) -> set[str]:
    names = [Requirement(line).name for each in lists for line in each]
    declared = {IMPORTED_AS.get(name, name) for name in names}
    return declared | {name for name, bringer in COMES_WITH.items() if bringer in declared}


def test_the_package_declares_what_it_imports():
    """An extra's package may be imported too, inside the function that needs it: tests/test_wheel.py does without."""
    assert imported_by("dpcourse") <= import_names(PROJECT["dependencies"], EXTRAS["lab"], EXTRAS["flower"])


def test_lessons_and_tests_declare_what_they_import():
    assert imported_by("notebooks") <= import_names(PROJECT["dependencies"], EXTRAS["lab"])
    everything = import_names(PROJECT["dependencies"], EXTRAS["lab"], EXTRAS["test"])
    assert imported_by("tests", "tools", "benchmarks") <= everything | COMPARED_WITH


@pytest.mark.parametrize("name", NAMES)
def test_dependency_is_used(name, imported):
    if name in CALLED:
        file, words = CALLED[name]
        assert words in (ROOT / file).read_text(encoding="utf-8")
    else:
        assert IMPORTED_AS.get(name, name) in imported


@pytest.mark.parametrize("name", NAMES)
def test_contributing_says_why_a_dependency_is_here(name):
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert re.search(rf"^\| `?{re.escape(name)}`? \| \S.+\|$", text, flags=re.MULTILINE)


def test_core_dependencies_are_ranges():
    assert not [str(requirement) for requirement in REQUIREMENTS + FLOWER if "==" in str(requirement.specifier)]


def locked(lock: str) -> dict[str, set[str]]:
    """Versions by name."""
    found: dict[str, set[str]] = {}
    for name, version in re.findall(r"^([\w.-]+)==([^\s;]+)", lock, flags=re.MULTILINE):
        found.setdefault(name, set()).add(version)
    return found


LOCKED = [(LOCK, requirement) for requirement in REQUIREMENTS] + [(FLOWER_LOCK, requirement) for requirement in FLOWER]


@pytest.mark.parametrize(("lock", "requirement"), LOCKED, ids=lambda value: getattr(value, "name", ""))
def test_lock_satisfies_pyproject(lock, requirement):
    versions = locked(lock).get(canonicalize_name(requirement.name))
    assert versions
    assert all(requirement.specifier.contains(version) for version in versions)


@pytest.mark.parametrize("lock", [LOCK, FLOWER_LOCK], ids=["lab, test", "flower"])
def test_lock_is_hashed(lock):
    blocks = re.split(r"\n(?=\S)", lock.strip())
    assert len(blocks) > len(FLOWER)
    assert not [block.partition(" ")[0] for block in blocks if "--hash=sha256:" not in block]


@pytest.mark.parametrize("lock", [LOCK, FLOWER_LOCK], ids=["lab, test", "flower"])
def test_lock_names_no_host(lock):
    assert not re.findall(r"\S*(?:://|file:|--\S*index\S*|--find-links|--trusted-host|@ )\S*", lock)


def test_flower_computes_with_the_same_versions():
    """Both environments come to the same numbers: the core dependencies are the same version for version."""
    ours, flowers = locked(LOCK), locked(FLOWER_LOCK)
    for requirement in PROJECT["dependencies"]:
        name = canonicalize_name(Requirement(requirement).name)
        assert ours[name] == flowers[name], name


def test_environment_yml_installs_the_lab_extra_on_the_same_pythons():
    lines = [line.strip() for line in (ROOT / "environment.yml").read_text(encoding="utf-8").splitlines()]
    entries = [line.removeprefix("- ") for line in lines if line.startswith("- ")]
    assert f"python{PROJECT['requires-python']},<3.15" in entries
    # Everything else is left to pyproject.toml, so that there is nothing to fall out of step.
    assert [entry for entry in entries if not entry.startswith(("python", "conda-forge", "pip"))] == ['-e ".[lab]"']


def test_makefile_and_workflow_speak_of_the_same_pythons():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    workflow = (ROOT / ".github/workflows/ci.yml").read_text(encoding="utf-8")
    assert PROJECT["requires-python"] == ">=3.11"
    assert "(3, 11) <= sys.version_info < (3, 15)" in makefile
    assert all(f'"3.{minor}"' in workflow for minor in (11, 12, 13, 14))
