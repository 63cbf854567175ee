"""The explorer of lesson 13: marginals at ε."""

from __future__ import annotations

from dpcourse.lessons.lesson_13.numbers import DELTA, TABLES, NoisyTable, noisy_table
from dpcourse.lessons.lesson_13.pictures import noisy_table_marks
from dpcourse.plots.words import number, one_in
from dpcourse.widgets.base import Explorer, choice, epsilon_slider, whole_slider


def _describe(table: NoisyTable) -> str:
    shared = f", one of {table.tables} tables that share it equally" if table.tables > 1 else ""
    drowned = "One cell holds" if table.drowned == 1 else f"{table.drowned:,} cells hold"
    return (
        f"{table.exact.size:,} cells of the twin, released at ε = {number(table.epsilon)}, δ = {one_in(table.delta)} "
        f"(adding or removing one record){shared}: noise of σ = {number(table.sigma)} people in each cell. "
        f"{drowned} fewer people than that. As shares, the noisy table is "
        f"{number(table.error, '%')} off in total variation. The noise has the same seed at every "
        "position."
    )


def explore_marginals() -> Explorer:
    """Move ε, the table and the number of tables, and see which cells survive the noise."""
    return Explorer(
        "Which cells of a table survive the noise?",
        controls={
            "epsilon": epsilon_slider(0.01, 10.0, 1.0, delta=DELTA),
            "columns": choice("table", TABLES, TABLES["education × occupation × income"]),
            "tables": whole_slider("tables that share ε", 1, 60, 1),
        },
        compute=lambda epsilon, columns, tables: noisy_table(columns, epsilon, tables),
        marks=noisy_table_marks,
        describe=_describe,
        site={"epsilon": 9, "tables": 4},
        answer=(
            "Cells with many more people than σ come out nearly exact; cells with fewer drown. A smaller ε, or more "
            "tables that share it, lifts the dashed line. A table with more columns has emptier cells, so more of "
            "them lie below it."
        ),
    )
