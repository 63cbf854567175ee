"""What a run is: data, privacy levels, methods, attacks, seeds; and the YAML it is written in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from importlib import resources
from pathlib import Path
from typing import Any

import yaml

from dpcourse.datasets import ADULT_SCHEMA
from dpcourse.pipeline.document import ConfigError, Document, suggestion
from dpcourse.privacy import arguments

LEAST_RECORDS = 100  # three in four have the same label: that all of these do has a chance of 2e-12 a seed
TEST_RECORDS = 1000  # left at least for measuring the models
SOURCES = ("auto", "uci", "twin")

# (ε, δ) of one released model, replacing one record.
PRESETS = {"strict": (0.5, 1e-6), "moderate": (2.0, 1e-5), "relaxed": (5.0, 1e-5)}


def _at_least(minimum: int) -> Callable[[str, Any], int]:
    return lambda name, value: arguments.integer(name, value, minimum=minimum)


def _rate(name: str, value: Any) -> float:
    return arguments.probability(name, value, zero=False)


def _inside(name: str, value: Any) -> float:
    return arguments.probability(name, value, zero=False, one=False)


# Options of each method and attack: default and check.
METHODS: dict[str, dict[str, tuple[Any, Callable[[str, Any], Any]]]] = {
    "dp-sgd": {
        "clip_norm": (1.0, arguments.positive),
        "sampling_rate": (0.1, _rate),
        "steps": (200, _at_least(1)),
    },
    "pate": {"teachers": (50, _at_least(2)), "questions": (1000, _at_least(1)), "answers": (300, _at_least(1))},
    "output-perturbation": {"regularization": (0.01, arguments.positive), "data_norm": (2.0, arguments.positive)},
    "objective-perturbation": {"regularization": (0.01, arguments.positive), "data_norm": (2.0, arguments.positive)},
}
ATTACKS: dict[str, dict[str, tuple[Any, Callable[[str, Any], Any]]]] = {
    "confidence": {},
    "lira": {"shadows": (128, _at_least(8))},
}
_KEYS = ("data", "baseline", "levels", "methods", "attacks", "low_fpr", "seeds", "recommend", "output")


@dataclass(frozen=True)
class Level:
    """A promise: (ε, δ) of one released model, replacing one record."""

    name: str
    epsilon: float
    delta: float


@dataclass(frozen=True)
class Config:
    """A checked configuration; `load_config` and `parse_config` make it.

    Attributes
    ----------
    source : {"auto", "uci", "twin"}
        As for `load_adult`.
    records : int
        n: how many people each model is trained on. As many again are kept out, for the attacker to tell apart.
    C : float
        Of the baseline, scikit-learn's logistic regression.
    levels : tuple of Level
    methods, attacks : dict of str to dict
        Options by name.
    low_fpr : float
        The false positive rate at which the attacker's true positive rate is reported.
    seeds : tuple of int
        Each draws people and noise anew.
    max_utility_loss : float
        The largest loss of accuracy that a recommendation may have.
    output : str
        Folder for results, from where the program is started.
    text, name : str
        What it was read from.
    """

    source: str = "auto"
    records: int = 500
    C: float = 100.0
    levels: tuple[Level, ...] = ()
    methods: dict[str, dict[str, Any]] = field(default_factory=dict)
    attacks: dict[str, dict[str, Any]] = field(default_factory=dict)
    low_fpr: float = 0.01
    seeds: tuple[int, ...] = tuple(range(1, 25))
    max_utility_loss: float = 0.02
    output: str = "results"
    text: str = field(default="", compare=False)
    name: str = field(default="config", compare=False)

    def settings(self) -> dict[str, Any]:
        """What decides the results, as plain values."""
        return {key: value for key, value in asdict(self).items() if key not in ("text", "name", "output")}


def load_config(path: str | Path) -> Config:
    """Read a YAML file.

    Raises
    ------
    ConfigError
        If it cannot be read or is not valid; every problem is listed with its key and line.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} cannot be read: {error}") from None
    return parse_config(text, str(path))


def example() -> str:
    """The configuration the package brings: Adult, three methods at three levels, two attacks."""
    return (resources.files("dpcourse.pipeline") / "adult.yaml").read_text(encoding="utf-8")


def parse_config(text: str, name: str = "config") -> Config:
    """Check a YAML text.

    Examples
    --------
    >>> parse_config("levels: [strict]").levels
    (Level(name='strict', epsilon=0.5, delta=1e-06),)
    >>> parse_config("levels: {strict: {epsilon: -1}}", "run.yaml")
    Traceback (most recent call last):
    ...
    dpcourse.pipeline.document.ConfigError: run.yaml, line 1: levels.strict.epsilon must be > 0 and finite, got -1
    """
    document = Document(text, name)
    top = document.section(document.root, "", _KEYS)
    data = document.section(*_entry(top, "data"), ("source", "records"))
    records = document.value(data, "records", "data", _at_least(LEAST_RECORDS), Config.records)
    methods = _options(document, top, "methods", METHODS, ("dp-sgd", "pate", "output-perturbation"))
    _check_sizes(document, data, top, records, methods)
    baseline = document.section(*_entry(top, "baseline"), ("C",))
    recommend = document.section(*_entry(top, "recommend"), ("max_utility_loss",))
    config = Config(
        source=document.value(data, "source", "data", _source, Config.source),
        records=records,
        C=document.value(baseline, "C", "baseline", arguments.positive, Config.C),
        levels=_levels(document, top, records),
        methods=methods,
        attacks=_options(document, top, "attacks", ATTACKS, tuple(ATTACKS)),
        low_fpr=document.value(top, "low_fpr", "", _inside, Config.low_fpr),
        seeds=document.value(top, "seeds", "", _seeds, Config.seeds),
        max_utility_loss=document.value(recommend, "max_utility_loss", "recommend", _inside, Config.max_utility_loss),
        output=document.value(top, "output", "", _text, Config.output),
        text=text,
        name=name,
    )
    document.finish()
    return config


def _entry(section: dict[str, tuple[yaml.Node, yaml.Node]], key: str) -> tuple[yaml.Node | None, str]:
    return (section[key][1] if key in section else None), key


def _levels(document: Document, top: dict, records: int) -> tuple[Level, ...]:
    if "levels" not in top:
        return tuple(Level(name, *preset) for name, preset in PRESETS.items())
    levels = []
    for name, (key, options) in document.names(top["levels"][1], "levels").items():
        path = f"levels.{name}"
        given = document.section(options, path, ("epsilon", "delta"))
        if name not in PRESETS and not {"epsilon", "delta"} <= given.keys():
            hint = suggestion(name, PRESETS)
            document.refuse(key, f"{path} is no preset, so it needs epsilon and delta{hint}")
            continue
        epsilon, delta = PRESETS.get(name, (1.0, 1e-6))
        epsilon = document.value(given, "epsilon", path, arguments.positive, epsilon)
        chosen = document.value(given, "delta", path, _inside, delta)
        if chosen >= 1 / records:
            where = given["delta"][1] if "delta" in given else key
            document.refuse(
                where,
                f"{path}.delta must be below 1/data.records = {1 / records:.2g}, got {chosen!r}: "
                "publishing one record at random has δ = 1/n",
            )
        levels.append(Level(name, epsilon, chosen))
    if not levels and not document.problems:
        document.refuse(top["levels"][0], "levels must name at least one level, got none")
    return tuple(levels)


def _options(document: Document, top: dict, key: str, known: dict, default: tuple[str, ...]) -> dict:
    """The options of every method or attack named, with defaults for those not given."""
    if key not in top:
        return {name: {option: value for option, (value, _) in known[name].items()} for name in default}
    chosen = {}
    for name, (where, options) in document.names(top[key][1], key).items():
        if name not in known:
            document.refuse(where, f"{key}.{name} is not known{suggestion(name, known)}")
            continue
        path = f"{key}.{name}"
        given = document.section(options, path, known[name])
        chosen[name] = {
            option: document.value(given, option, path, check, value) for option, (value, check) in known[name].items()
        }
    if not chosen and not document.problems:
        document.refuse(top[key][0], f"{key} must name at least one of {', '.join(known)}, got none")
    return chosen


def _check_sizes(document: Document, data: dict, top: dict, records: int, methods: dict) -> None:
    pate = methods.get("pate")
    asked = pate["questions"] if pate else 0
    most = (ADULT_SCHEMA.n - asked - TEST_RECORDS) // 2
    place = data["records"][1] if "records" in data else document.root
    if records > most:
        document.refuse(place, f"data.records must be ≤ {most:,}, got {records:,}: half of what is not for tests")
    if not pate:
        return
    where = top["methods"][1] if "methods" in top else document.root
    if isinstance(where, yaml.MappingNode):
        where = next((value for key, value in where.value if key.value == "pate"), where)
    for small, large, limit in (("answers", "questions", asked), ("teachers", "data.records", records)):
        if pate[small] > limit:
            document.refuse(where, f"methods.pate.{small} must be ≤ {large} = {limit:,}, got {pate[small]:,}")


def _source(name: str, value: Any) -> str:
    if value not in SOURCES:
        raise ValueError(f"{name} must be auto, uci or twin, got {value!r}{suggestion(str(value), SOURCES)}")
    return value


def _seeds(name: str, value: Any) -> tuple[int, ...]:
    if not isinstance(value, list) or not value:
        raise TypeError(f"{name} must be a list of whole numbers, such as [1, 2, 3], got {value!r}")
    seeds = tuple(arguments.integer(name, seed, minimum=0) for seed in value)
    if len(set(seeds)) < len(seeds):
        raise ValueError(f"{name} must be different, got {value!r}")
    return seeds


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise TypeError(f"{name} must be the name of a folder, got {value!r}")
    return value


__all__ = ["ATTACKS", "METHODS", "PRESETS", "Config", "ConfigError", "Level", "example", "load_config", "parse_config"]
