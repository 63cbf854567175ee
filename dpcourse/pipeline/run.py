"""The run: which pieces there are, in which order, and the table they make."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd
from tqdm import tqdm

import dpcourse
from dpcourse.attacks import dp_advantage_bound
from dpcourse.datasets import load_adult
from dpcourse.pipeline import adversary, models
from dpcourse.pipeline.config import Config, Level, load_config
from dpcourse.pipeline.models import People
from dpcourse.pipeline.recommend import BASELINE
from dpcourse.pipeline.store import Done, Piece, Store
from dpcourse.privacy import Guarantee, Neighbours

COLUMNS = (
    "method",
    "level",
    "seed",
    "attack",
    "epsilon",
    "delta",
    "neighbours",
    "condition",
    "own_claim",
    "accuracy",
    "f1",
    "auc",
    "brier",
    "majority",
    "attack_auc",
    "low_fpr",
    "tpr_at_low_fpr",
    "advantage",
    "advantage_error",
    "advantage_bound",
    "privacy_gain",
    "utility_loss",
    "ratio",
    "source",
)


def run(
    config: Config | str | Path, *, output: str | Path | None = None, source: str | None = None, progress: bool = True
) -> pd.DataFrame:
    """Train the baseline and every private model under every seed, attack them all, and put the results in a table.

    Finished pieces are kept under ``output/pieces``: a run that was stopped, or whose config now asks for more,
    repeats none of them.

    Parameters
    ----------
    config : Config, str or Path
        Or the YAML file to read it from.
    output : str or Path, optional
        Instead of the config's folder.
    source : {"auto", "uci", "twin"}, optional
        Instead of the config's.
    progress : bool
        Show a progress bar, on stdout.

    Returns
    -------
    DataFrame
        One row for each model, seed and attack. ``epsilon`` and ``delta`` are those of one model under ``neighbours``
        (replacing one record), read off the model; ``own_claim`` is the promise in the method's own terms. ``accuracy``
        to ``brier`` on people not trained on, with ``majority`` what always giving the same answer scores;
        ``attack_auc`` to ``advantage_error`` of the attack, with ``advantage_bound`` what the guarantee allows any
        attack. ``privacy_gain`` is the baseline's advantage minus this one's under the same seed and attack,
        ``utility_loss`` the baseline's accuracy minus this one's, ``ratio`` the second over the first (NaN where the
        gain is within two standard errors of zero: it would be noise).

    Raises
    ------
    ConfigError
        Naming key and line.

    Notes
    -----
    A rehearsal: the seeds are written down, and the table itself is computed from the records without noise. On private
    data neither the table nor the models may be published.
    """
    config = config if isinstance(config, Config) else load_config(config)
    adult = load_adult(source or config.source)
    job = Job(config, adult.source, *adult.encode())
    store = Store(Path(output if output is not None else config.output) / "pieces")
    waiting = list(job.steps())
    with tqdm(waiting, file=sys.stdout, disable=not progress, unit="piece", ncols=100) as bar:
        for step in bar:
            bar.set_description_str(f"{step.piece.name:42.42}", refresh=False)
            done = store.get(step.piece)
            if done is None:
                done = step.work()
                store.put(step.piece, done)
            step.keep(done)
    return job.table()


@dataclass(frozen=True)
class Step:
    """A piece, how it is made, and where its result goes."""

    piece: Piece
    work: Callable[[], Done]
    keep: Callable[[Done], None]


@dataclass(eq=False)
class Job:
    """What is known so far, and the steps that are left."""

    config: Config
    source: str
    X: Any
    y: Any
    noise: dict[tuple[str, str], float] = field(default_factory=dict)
    rows: list[dict[str, Any]] = field(default_factory=list)

    def steps(self) -> Iterator[Step]:
        """Every piece in an order in which each finds what it needs."""
        config = self.config
        for method in config.methods:
            for level in config.levels if method in models.NEEDS_NOISE else ():
                yield self._calibration(method, level)
        for seed in config.seeds:
            yield from self._one_seed(seed)

    def _one_seed(self, seed: int) -> Iterator[Step]:
        config = self.config
        questions = config.methods.get("pate", {}).get("questions", 0)
        world = {
            "version": dpcourse.__version__,
            "source": self.source,
            "records": config.records,
            "questions": questions,
            "seed": seed,
            "C": config.C,
        }
        split = Piece("split", {key: world[key] for key in ("source", "records", "questions", "seed")})
        people = People.draw(self.X, self.y, config.records, questions, split.generator())
        shadow: dict[str, Any] = {}
        if "lira" in config.attacks:
            piece = Piece(f"shadow models, seed {seed}", world | config.attacks["lira"])
            count = config.attacks["lira"]["shadows"]
            yield Step(
                piece,
                lambda: Done({}, adversary.shadows(people, count, config.C, piece.generator())),
                lambda done: shadow.update(done.arrays),
            )
        yield from self._model(people, shadow, world, BASELINE, Level("", float("inf"), 0.0), {})
        for method, options in config.methods.items():
            for level in config.levels:
                yield from self._model(people, shadow, world, method, level, options)

    def _calibration(self, method: str, level: Level) -> Step:
        options = self.config.methods[method]
        settings = {"version": dpcourse.__version__, "level": asdict(level), "options": options}
        return Step(
            Piece(f"noise of {method}, {level.name}", settings),
            lambda: Done({"noise": models.noise_for(method, level, options)}, {}),
            lambda done: self.noise.update({(method, level.name): done.record["noise"]}),
        )

    def _model(
        self, people: People, shadow: dict, world: dict, method: str, level: Level, options: dict
    ) -> Iterator[Step]:
        """Train one model, then run every attack on it."""
        # The baseline's level is written as text, because infinity is no JSON.
        settings = world | {"method": method, "level": repr(level), "options": options}
        name = f"{method} {level.name}".strip()
        piece = Piece(f"{name}, seed {world['seed']}", settings)
        trained: dict[str, Any] = {}

        def work() -> Done:
            if method == BASELINE:
                model = models.baseline(people, self.config.C)
                promise = own = Guarantee(float("inf"), 0.0, Neighbours.REPLACE_ONE)
            else:
                noise = self.noise.get((method, level.name), 0.0)
                model, promise, own = models.train(method, level, options, noise, people, piece.generator())
            record = {
                "epsilon": str(promise.epsilon),
                "delta": promise.delta,
                "neighbours": promise.neighbours.value,
                "condition": promise.condition,
                "own_claim": "none" if method == BASELINE else str(own),
                **models.quality(model, people),
            }
            return Done(record, adversary.outputs(model, people))

        yield Step(piece, work, lambda done: trained.update(record=done.record, said=done.arrays))
        for attack, how in self.config.attacks.items():
            asked = settings | {"attack": attack, "how": how, "low_fpr": self.config.low_fpr}
            yield self._attack(
                Piece(f"{attack} on {piece.name}", asked), attack, level, people, shadow, trained, settings
            )

    def _attack(
        self, piece: Piece, attack: str, level: Level, people: People, shadow: dict, trained: dict, settings: dict
    ) -> Step:
        low_fpr = self.config.low_fpr

        def work() -> Done:
            found = adversary.scores(attack, trained["said"], shadow, people)
            return Done(adversary.achieved(found, people.members, low_fpr, piece.generator()), {})

        def keep(done: Done) -> None:
            row = trained["record"] | done.record
            epsilon = float(row["epsilon"])
            self.rows.append(
                row
                | {
                    "method": settings["method"],
                    "level": level.name,
                    "seed": settings["seed"],
                    "attack": attack,
                    "epsilon": epsilon,
                    "low_fpr": low_fpr,
                    "source": self.source,
                    "advantage_bound": dp_advantage_bound(epsilon, row["delta"]),
                }
            )

        return Step(piece, work, keep)

    def table(self) -> pd.DataFrame:
        """The rows with what they gain and lose against the baseline of the same seed."""
        frame = pd.DataFrame(self.rows)
        plain = frame[frame["method"] == BASELINE].set_index(["seed", "attack"])
        matching = plain.loc[pd.MultiIndex.from_frame(frame[["seed", "attack"]])]
        frame["privacy_gain"] = matching["advantage"].to_numpy() - frame["advantage"]
        frame["utility_loss"] = matching["accuracy"].to_numpy() - frame["accuracy"]
        error = (matching["advantage_error"].to_numpy() ** 2 + frame["advantage_error"] ** 2) ** 0.5
        clear = (frame["privacy_gain"] > 2 * error) & (frame["method"] != BASELINE)
        frame["ratio"] = (frame["utility_loss"] / frame["privacy_gain"]).where(clear)
        return frame[list(COLUMNS)]
