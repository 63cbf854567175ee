"""Run one of the benchmarks: ``python -m benchmarks NAME [options]``; every module of this folder is one."""

from __future__ import annotations

import importlib
import pkgutil
import sys

import benchmarks


def main(arguments: list[str]) -> int:
    names = sorted(module.name for module in pkgutil.iter_modules(benchmarks.__path__) if module.name != "__main__")
    if not arguments or arguments[0] not in names:
        print(f"usage: python -m benchmarks {{{','.join(names)}}} [--help]")
        return 2
    importlib.import_module(f"benchmarks.{arguments[0]}").main(arguments[1:])
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
