"""Answers as text: what a private release gives, written so that reading it back gives the same to the last bit."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from dpcourse.privacy import Guarantee, Neighbours
from dpcourse.queries import Estimate


def to_text(answer: Any) -> str:
    """The answer as JSON: numbers, strings, booleans, None, arrays, lists, tuples, dicts, frames and `Estimate`.

    Raises
    ------
    TypeError
        Naming the type, where an answer or a part of it is of another kind.

    Examples
    --------
    >>> to_text((3, 0.1)), from_text(to_text((3, 0.1)))
    ('{"tuple": [3, 0.1]}', (3, 0.1))
    """
    return json.dumps(_plain(answer), ensure_ascii=False)


def from_text(text: str) -> Any:
    """The answer that `to_text` wrote."""
    return _restored(json.loads(text))


def _plain(answer: Any) -> Any:
    if isinstance(answer, np.generic):
        answer = answer.item()
    if answer is None or isinstance(answer, bool | int | float | str):
        return answer
    if isinstance(answer, list | tuple):
        return {type(answer).__name__: [_plain(part) for part in answer]}
    if isinstance(answer, dict):
        return {"dict": [[_plain(key), _plain(value)] for key, value in answer.items()]}
    if isinstance(answer, np.ndarray) and answer.dtype.kind in "biufU":
        return {"array": answer.ravel().tolist(), "shape": answer.shape, "dtype": answer.dtype.str}
    if isinstance(answer, Estimate):
        claim = answer.guarantee
        promised = [claim.epsilon, claim.delta, claim.neighbours.value, claim.condition]
        return {"estimate": _plain(answer.value), "error": float(answer.standard_error), "promised": promised}
    if hasattr(answer, "columns") and hasattr(answer, "to_numpy"):
        axes = [{"names": list(axis.names), "labels": _plain(axis.tolist())} for axis in answer.axes]
        return {"frame": _plain(answer.to_numpy()), "axes": axes}
    raise TypeError(f"an answer must be numbers, text, arrays, tables or an Estimate, got a {type(answer).__name__}")


def _restored(plain: Any) -> Any:
    match plain:
        case {"list": parts}:
            return [_restored(part) for part in parts]
        case {"tuple": parts}:
            return tuple(_restored(part) for part in parts)
        case {"dict": items}:
            return {_restored(key): _restored(value) for key, value in items}
        case {"array": values, "shape": shape, "dtype": dtype}:
            return np.array(values, dtype=dtype).reshape(shape)
        case {"estimate": value, "error": error, "promised": [epsilon, delta, relation, condition]}:
            claim = Guarantee(epsilon, delta, Neighbours(relation), condition)
            return Estimate(_restored(value), error, claim)
        case {"frame": values, "axes": axes}:
            return _frame(_restored(values), axes)
    return plain


def _frame(values: np.ndarray, axes: list[dict[str, Any]]) -> Any:
    import pandas as pd

    def axis(names: list[Any], labels: Any) -> pd.Index:
        if len(names) > 1:
            return pd.MultiIndex.from_tuples(_restored(labels), names=names)
        return pd.Index(_restored(labels), name=names[0])

    rows, columns = (axis(**each) for each in axes)
    return pd.DataFrame(values, index=rows, columns=columns)
