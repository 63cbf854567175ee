"""Attacks on published totals: the difference of two, and reconstruction of the table behind many."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from scipy import optimize, sparse

from dpcourse.privacy import arguments


def difference(query: Callable[[np.ndarray], float], group: np.ndarray, person: int) -> float:
    """What one person contributes to a total: ask about a group with them, then without them, and subtract.

    Both groups may be as large as any rule on the size of groups demands (trackers: Denning, Denning, Schwartz 1979,
    doi:10.1145/320064.320069).

    Parameters
    ----------
    query : callable
        ``query(members) -> number`` for a bool array of members, such as an office that answers counts.
    group : ndarray of bool, shape (n,)
        Any group; whether `person` is in it does not matter.
    person : int
        Position of the person.

    Examples
    --------
    >>> secret = np.array([1, 0, 1, 1])
    >>> difference(lambda members: int(secret[members].sum()), np.ones(4, dtype=bool), person=1)
    0
    """
    group = np.asarray(group)
    if group.dtype != bool or group.ndim != 1:
        raise TypeError(f"group must be a one-dimensional array of booleans, got {group!r}")
    person = arguments.integer("person", person, minimum=0)
    if person >= len(group):
        raise ValueError(f"person must be below {len(group)}, got {person!r}")
    with_them, without_them = group.copy(), group.copy()
    with_them[person], without_them[person] = True, False
    return query(with_them) - query(without_them)


def reconstruct_bits(queries: np.ndarray, answers: np.ndarray) -> np.ndarray:
    """Recover one secret bit a person from (noisy) counts over known groups, by linear programming.

    Finds the x in [0, 1]^n whose counts are closest to the answers (least sum of absolute differences), and rounds it
    at ½. Dinur & Nissim 2003, doi:10.1145/773153.773173, proved that a linear programme undoes nearly all of any noise
    well below √n, once about n (log n)² random groups have been answered.

    Parameters
    ----------
    queries : ndarray of 0 and 1, shape (m, n)
        Row i says who is counted in answer i.
    answers : ndarray, shape (m,)
        Published counts, exact or noisy.

    Returns
    -------
    ndarray of int, shape (n,)
        A 0 or 1 for each person.

    Raises
    ------
    TypeError, ValueError
        For arguments of other shapes or kinds.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> secret = rng.integers(2, size=20)
    >>> groups = rng.integers(2, size=(80, 20))
    >>> noisy = groups @ secret + rng.uniform(-1, 1, size=80)
    >>> np.array_equal(reconstruct_bits(groups, noisy), secret)
    True
    """
    queries, answers = _system(queries, answers)
    m, n = queries.shape
    # x and one slack a query; −slack ≤ answers − queries·x ≤ slack.
    coefficients, slack = sparse.csr_array(queries), sparse.eye_array(m)
    solution = optimize.linprog(
        np.concatenate([np.zeros(n), np.ones(m)]),
        A_ub=sparse.block_array([[coefficients, -slack], [-coefficients, -slack]], format="csc"),
        b_ub=np.concatenate([answers, -answers]),
        bounds=[(0, 1)] * n + [(0, None)] * m,
        method="highs",
    )
    if not solution.success:  # always feasible and bounded, so only a solver's limit comes here
        raise RuntimeError(f"the linear programme was not solved: {solution.message}")
    return (solution.x[:n] > 0.5).astype(int)


def marginal_queries(shape: Sequence[int], axes: Sequence[int]) -> np.ndarray:
    """Which cells of a table each entry of one of its marginals adds up.

    Parameters
    ----------
    shape : sequence of int
        Categories of each attribute.
    axes : sequence of int
        The attributes the published table keeps; none of them gives the grand total.

    Returns
    -------
    ndarray of 0 and 1, shape (cells of the marginal, cells of the table)
        Both in row-major order, so that ``marginal_queries(shape, axes) @ table.ravel()`` is the published table.

    Examples
    --------
    >>> marginal_queries((2, 2), [0])
    array([[1, 1, 0, 0],
           [0, 0, 1, 1]])
    """
    shape = tuple(arguments.integer("shape", size, minimum=1) for size in shape)
    axes = [arguments.integer("axes", axis, minimum=0) for axis in axes]
    if any(axis >= len(shape) for axis in axes) or len(set(axes)) < len(axes):
        raise ValueError(f"axes must be different and below {len(shape)}, got {axes!r}")
    cells = np.indices(shape).reshape(len(shape), -1)
    kept = tuple(shape[axis] for axis in axes)
    entry = np.ravel_multi_index(tuple(cells[axis] for axis in axes), kept) if axes else np.zeros(cells.shape[1], int)
    return (np.arange(int(np.prod(kept, dtype=int)))[:, None] == entry).astype(int)


def reconstruct_table(queries: np.ndarray, answers: np.ndarray) -> np.ndarray:
    """One table of whole, nonnegative counts that agrees with everything published, by integer programming.

    It is *the* table exactly if `count_tables` finds no other.

    Parameters
    ----------
    queries : ndarray of int, shape (m, cells)
        Row i says how often each cell is counted in answer i (other weights than 0 and 1 publish a sum, as of ages).
    answers : ndarray of int, shape (m,)

    Returns
    -------
    ndarray of int, shape (cells,)

    Raises
    ------
    ValueError
        If no table agrees (the answers contradict each other, or carry noise).

    Examples
    --------
    >>> rows, columns = marginal_queries((2, 2), [0]), marginal_queries((2, 2), [1])
    >>> reconstruct_table(np.vstack([rows, columns]), np.array([2, 0, 1, 1])).reshape(2, 2)
    array([[1, 1],
           [0, 0]])
    """
    queries, answers = _system(queries, answers)
    solution = optimize.milp(
        np.zeros(queries.shape[1]),
        constraints=optimize.LinearConstraint(queries, answers, answers),
        integrality=np.ones(queries.shape[1]),
        bounds=optimize.Bounds(0, np.inf),
    )
    table = None if solution.x is None else np.rint(solution.x)
    # The solver is content with answers missed by 1e-6.
    if table is None or (queries @ table != answers).any():
        raise ValueError(f"answers must be those of some table, got {answers!r}")
    return table.astype(int)


def count_tables(queries: np.ndarray, answers: np.ndarray) -> int:
    """How many tables of whole, nonnegative counts agree with everything published.

    Counts exactly, cell by cell, remembering only what is left of every answer; meant for small tables (a few dozen
    cells, a dozen people). Every cell must be counted in some answer, or the number is infinite.

    Parameters
    ----------
    queries : ndarray of nonnegative int, shape (m, cells)
    answers : ndarray of int, shape (m,)

    Returns
    -------
    int

    Examples
    --------
    >>> rows, columns = marginal_queries((2, 2), [0]), marginal_queries((2, 2), [1])
    >>> count_tables(np.vstack([rows, columns]), np.array([2, 2, 2, 2]))
    3
    >>> count_tables(np.vstack([rows, columns]), np.array([2, 0, 1, 1]))
    1
    """
    queries, answers = _system(queries, answers)
    if (queries != np.rint(queries)).any() or (queries < 0).any():
        raise ValueError(f"queries must be whole and nonnegative, got {queries!r}")
    if (queries.sum(axis=0) == 0).any():
        raise ValueError(f"queries must count every cell, cell {int(np.argmin(queries.sum(axis=0)))!r} is in none")
    if (answers != np.rint(answers)).any():
        return 0
    weights = queries.astype(int).T.tolist()
    # An answer can be checked off after the last cell it counts.
    last = [max((j for j in range(len(weights)) if weights[j][i]), default=0) for i in range(len(answers))]
    ways = {tuple(np.rint(answers).astype(int).tolist()): 1}
    for cell, weight in enumerate(weights):
        counted = [i for i, w in enumerate(weight) if w]
        closing = [i for i in range(len(answers)) if last[i] == cell]
        after: dict[tuple[int, ...], int] = {}
        for left, number in ways.items():
            for people in range(min(left[i] // weight[i] for i in counted) + 1):
                rest = tuple(remaining - people * w for remaining, w in zip(left, weight, strict=True))
                if all(rest[i] == 0 for i in closing):
                    after[rest] = after.get(rest, 0) + number
        ways = after
    return sum(ways.values())


def _system(queries: np.ndarray, answers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    queries, answers = np.asarray(queries), arguments.finite_array("answers", answers)
    queries = arguments.finite_array("queries", queries.astype(int) if queries.dtype == bool else queries)
    if queries.ndim != 2 or answers.shape != queries.shape[:1] or queries.size == 0:
        raise ValueError(f"queries must be (m, n) and answers (m,), got shapes {queries.shape!r} and {answers.shape!r}")
    return queries, answers
