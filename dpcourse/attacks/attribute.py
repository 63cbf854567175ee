"""Attribute inference: guess what is missing from a record with the help of a model; and the guess without the model.

Whoever knows how people resemble each other can guess too, about anybody, whether in the training set or not. Only what
the model adds *because this person was in it* is a leak about the person, and only that is what (ε, δ) bounds
(Jayaraman & Evans 2022, arXiv:2209.01292).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dpcourse.attacks.membership.scores import confidence_scores
from dpcourse.privacy import arguments


def with_each_value(X: np.ndarray, columns: list[int]) -> np.ndarray:
    """Every row with each value of a one-hot attribute in turn, shape (k, n, d).

    Examples
    --------
    >>> with_each_value(np.array([[5.0, 1.0, 0.0]]), [1, 2]).tolist()
    [[[5.0, 1.0, 0.0]], [[5.0, 0.0, 1.0]]]
    """
    X = arguments.finite_array("X", X)
    versions = np.repeat(X[None], len(columns), axis=0)
    versions[:, :, columns] = np.eye(len(columns))[:, None, :]
    return versions


def attribute_log_likelihood(model: Any, versions: np.ndarray, y: np.ndarray) -> np.ndarray:
    """ln p_y of each version of each record, shape (n, k): what the model says about the missing value.

    Parameters
    ----------
    model
        A classifier with `predict_proba` and `classes_`.
    versions : ndarray, shape (k, n, d)
        Of `with_each_value`.
    y : ndarray, shape (n,)
        The records' labels, known to the attacker.
    """
    return np.column_stack([confidence_scores(model, version, y) for version in versions])


def guess_attribute(log_likelihood: np.ndarray, log_prior: np.ndarray) -> np.ndarray:
    """The likeliest value of each record by Bayes' rule, shape (n,): place of the largest ln p_y + ln prior.

    Yeom et al. 2018 (arXiv:1709.01604) weigh the values by how well the model fits them, and by their frequency.

    Parameters
    ----------
    log_likelihood, log_prior : ndarray, shape (n, k)
        Of the model, and of the value given the other columns, without the label: the likelihood counts that already.
        A likelihood of zeros gives the guess without the model (imputation; its prior may know the label).

    Examples
    --------
    >>> prior = np.log([[0.6, 0.4]])
    >>> guess_attribute(np.zeros((1, 2)), prior), guess_attribute(np.log([[0.1, 0.9]]), prior)
    (array([0]), array([1]))
    """
    likelihood = arguments.finite_array("log_likelihood", log_likelihood)
    prior = arguments.finite_array("log_prior", log_prior)
    if likelihood.ndim != 2 or likelihood.shape != prior.shape:
        shapes = f"{likelihood.shape} and {prior.shape}"
        raise ValueError(f"log_likelihood and log_prior must have one shape (n, k), got {shapes}")
    return np.argmax(likelihood + prior, axis=1)
