"""From a config to a dashboard: baseline, private models, attacks, a table, and a recommendation by a stated rule."""

from typing import Any

from dpcourse.pipeline.config import Config, ConfigError, load_config, parse_config
from dpcourse.pipeline.recommend import Recommendation, recommend, summary
from dpcourse.pipeline.run import run

__all__ = [
    "Config",
    "ConfigError",
    "Recommendation",
    "load_config",
    "parse_config",
    "recommend",
    "run",
    "save_report",
    "summary",
]


def __getattr__(name: str) -> Any:
    if name == "save_report":  # what draws takes seconds to import, and a bad config should not wait for it
        from dpcourse.pipeline.page import save_report

        return save_report
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}; it has {', '.join(__all__)}")
