"""Make Adult's private twin: the noisy marginals, the table sampled from them, and a report of its quality.

    python tools/make_twin.py release   spend (ε=3, δ=1e-6) on the UCI files and write data/adult_marginals.json.gz
    python tools/make_twin.py sample    write data/adult_twin.csv.gz from the stored marginals; costs nothing
    python tools/make_twin.py report    measure the twin against the UCI files; not private

A second release of the same people would cost a second (ε, δ): `release` refuses while there is one. Its noise comes
from the operating system and no seed is kept. The table is drawn with the seed below: anybody can draw it again.
"""

from __future__ import annotations

import argparse
import gzip
import json
import secrets
import sys
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd

from dpcourse.datasets import ADULT_SCHEMA, Schema, load_adult
from dpcourse.synthetic import TreeSynthesizer

DATA = Path(__file__).resolve().parents[1] / "data"
MARGINALS, TWIN = DATA / "adult_marginals.json.gz", DATA / "adult_twin.csv.gz"
EPSILON, DELTA = 3.0, 1e-6
SAMPLING_SEED = 1996


def release() -> None:
    """Spend the budget, once."""
    if MARGINALS.exists():
        sys.exit(
            f"{MARGINALS.name} exists. Another release would cost another (ε={EPSILON:g}, δ={DELTA:g}): together "
            f"(ε={2 * EPSILON:g}, δ={2 * DELTA:g}). Remove the file if that is what you want."
        )
    adult = load_adult("uci")
    adult.schema.validate(adult.frame)
    synthesizer = TreeSynthesizer(EPSILON, DELTA, target=adult.schema.label)
    synthesizer.fit(adult.frame, adult.schema, rng=np.random.default_rng(secrets.randbits(256)))
    write(MARGINALS, json.dumps(synthesizer.to_dict(), separators=(",", ":")))
    print(synthesizer.accountant_)
    print(synthesizer.guarantee_)


def sample() -> pd.DataFrame:
    """The twin, from the stored marginals."""
    with gzip.open(MARGINALS, "rt", encoding="utf-8") as stored:
        synthesizer = TreeSynthesizer.from_dict(json.load(stored), ADULT_SCHEMA)
    return synthesizer.sample(ADULT_SCHEMA.n, rng=SAMPLING_SEED)


def as_csv(frame: pd.DataFrame) -> str:
    return frame.to_csv(index=False, lineterminator="\n")


def write(path: Path, text: str) -> None:
    # No time stamp and no file name inside, so that the same content is the same file.
    path.write_bytes(gzip.compress(text.encode(), compresslevel=9, mtime=0))
    print(f"{path.name}: {path.stat().st_size:,} bytes")


def total_variation(real: pd.DataFrame, twin: pd.DataFrame, schema: Schema) -> dict[tuple[str, str], float]:
    """Total variation distance of every two-way table, in the bins of the schema."""
    shares = []
    for frame in (real, twin):
        codes = {name: schema[name].codes(frame[name]) for name in schema.names}
        shares.append(
            {
                (a, b): np.bincount(codes[a] * schema[b].size + codes[b], minlength=schema[a].size * schema[b].size)
                / len(frame)
                for a, b in combinations(schema.names, 2)
            }
        )
    return {pair: float(np.abs(shares[0][pair] - shares[1][pair]).sum() / 2) for pair in shares[0]}


def binned_features(frame: pd.DataFrame, schema: Schema) -> tuple[np.ndarray, np.ndarray]:
    """As `Schema.encode`, but with a column for each bin of capital gain and loss."""
    X, y = schema.encode(frame)
    amounts = ("capital-gain", "capital-loss")
    others = X[:, [name not in amounts for name in schema.feature_names]]
    return np.hstack([others, *(np.eye(schema[name].size)[schema[name].codes(frame[name])] for name in amounts)]), y


def accuracies(real: pd.DataFrame, twin: pd.DataFrame, features, splits: int = 5) -> np.ndarray:
    """Accuracy on real test people, trained on real people and on the twin; shape (splits, 2)."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import train_test_split

    (X, y), (X_twin, y_twin) = features(real), features(twin)
    on_twin = LogisticRegression(max_iter=1000).fit(X_twin, y_twin)
    rows = []
    for split in range(splits):
        X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.3, stratify=y, random_state=split)
        on_real = LogisticRegression(max_iter=1000).fit(X_train, y_train)
        rows.append((on_real.score(X_test, y_test), on_twin.score(X_test, y_test)))
    return np.array(rows)


def report() -> None:
    """Compare the twin with the people it was made from. The numbers are exact statistics of Adult, which is public."""
    real, twin = load_adult("uci"), load_adult("twin")
    distances = total_variation(real.frame, twin.frame, real.schema)
    print(
        f"total variation of the {len(distances)} two-way tables: mean {np.mean(list(distances.values())):.4f}; worst"
    )
    for pair, distance in sorted(distances.items(), key=lambda item: -item[1])[:5]:
        print(f"  {distance:.3f}  {' × '.join(pair)}")
    for name, features in {
        "capital gain and loss in bins": lambda frame: binned_features(frame, real.schema),
        "Adult.encode()": real.schema.encode,
    }.items():
        on_real, on_twin = accuracies(real.frame, twin.frame, features).mean(axis=0)
        print(f"logistic regression, {name}: trained on real people {on_real:.2%}, on the twin {on_twin:.2%}")
    shared = [name for name in real.schema.names]
    known = set(real.frame[shared].itertuples(index=False, name=None))
    same = sum(row in known for row in twin.frame[shared].itertuples(index=False, name=None))
    print(f"people of the twin who equal a real person in all {len(shared)} columns: {same:,}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=("release", "sample", "report"))
    step = parser.parse_args().step
    if step == "sample":
        write(TWIN, as_csv(sample()))
    else:
        {"release": release, "report": report}[step]()


if __name__ == "__main__":
    main()
