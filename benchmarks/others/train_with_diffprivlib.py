"""Objective perturbation by diffprivlib, one model a line of standard input: run by `benchmarks.learning`, not by hand.

It runs in an environment of its own, with the older scikit-learn that diffprivlib 0.6.6 can be imported with. The first
argument is a file of arrays `X` (rows of norm at most 1, a column of constants among them) and `y`; a request is a JSON
object of the settings below; the answer is the parameters and the seconds the training took.
"""

from __future__ import annotations

import json
import platform
import sys
import time

import diffprivlib
import numpy as np
import sklearn
from diffprivlib.models import LogisticRegression


def main() -> None:
    arrays = np.load(sys.argv[1])
    X, y = arrays["X"], arrays["y"]
    versions = (
        f"diffprivlib {diffprivlib.__version__}, scikit-learn {sklearn.__version__}, Python {platform.python_version()}"
    )
    print(json.dumps({"versions": versions}), flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        model = LogisticRegression(
            epsilon=request["epsilon"],
            data_norm=1.0,
            C=1 / (len(X) * request["regularization"]),
            fit_intercept=False,
            max_iter=1000,
            random_state=request["seed"],
        )
        wall, cpu = time.perf_counter(), time.process_time()
        model.fit(X, y)
        answer = {"theta": model.coef_[0].tolist()}
        answer |= {"cpu": time.process_time() - cpu, "wall": time.perf_counter() - wall}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
