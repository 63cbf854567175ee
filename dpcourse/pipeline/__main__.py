"""``python -m dpcourse.pipeline config.yaml``: run what the config asks for, or go on where it stopped."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from dpcourse.datasets import AdultNotFound, DataError
from dpcourse.pipeline.config import ConfigError, example, load_config
from dpcourse.pipeline.run import run


def main(arguments: list[str]) -> int:
    """Run; 0 if all went well, 2 if the config or the data were refused."""
    parser = argparse.ArgumentParser(prog="python -m dpcourse.pipeline", description=__doc__)
    parser.add_argument("config", nargs="?", help="a YAML file")
    parser.add_argument("--example", action="store_true", help="print an example config and stop")
    parser.add_argument("--output", help="folder for the results, instead of the config's")
    parser.add_argument("--source", choices=("auto", "uci", "twin"), help="data, instead of the config's")
    options = parser.parse_args(arguments)
    if options.example:
        print(example(), end="")
        return 0
    if options.config is None:
        parser.error("a config is needed; --example prints one")
    try:
        config = load_config(options.config)
        folder = Path(options.output or config.output)
        frame = run(config, output=folder, source=options.source)
    except (ConfigError, AdultNotFound, DataError) as error:
        print(error)
        return 2
    from dpcourse.pipeline.page import save_report, total_cost  # slow to import, and only needed now

    chosen = save_report(frame, config, folder)
    print(f"\n{chosen}\n")
    print(f"Publishing all of these models would cost {total_cost(frame)}.")
    print(f"Table, picture and page: {folder / 'results.csv'}, {folder / 'dashboard.png'}, {folder / 'dashboard.html'}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
