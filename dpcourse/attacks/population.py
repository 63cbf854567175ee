"""Property inference: which kind of training set was this? A question about the group, which DP leaves open.

The attacker trains shadow models on sets of either kind, and learns to tell their weights apart (Suri & Evans 2021,
arXiv:2109.06024). A private model answers nearly as well: its promise is about one person, and a property is a fact
about hundreds.
"""

from __future__ import annotations

import numpy as np

from dpcourse.privacy import arguments


def sets_with_share(group: np.ndarray, share: float, size: int, n_models: int, *, rng=None) -> np.ndarray:
    """Training sets of `size` rows of which exactly round(share·size) are of a group, shape (n_models, n), bool.

    Parameters
    ----------
    group : ndarray of bool, shape (n,)
        Who is of the group.
    share : float
        In [0, 1].

    Examples
    --------
    >>> sets = sets_with_share(np.arange(10) < 5, 0.25, 4, 3, rng=10)
    >>> sets.sum(axis=1), sets[:, :5].sum(axis=1)
    (array([4, 4, 4]), array([1, 1, 1]))
    """
    group = np.asarray(group, dtype=bool)
    share = arguments.probability("share", share)
    size = arguments.integer("size", size, minimum=1)
    wanted = {True: round(share * size), False: size - round(share * size)}
    for kind, count in wanted.items():
        if count > (group == kind).sum():
            raise ValueError(f"size must leave enough rows of either kind, got {size} with a share of {share:g}")
    rng = np.random.default_rng(rng)
    sets = np.zeros((arguments.integer("n_models", n_models, minimum=1), len(group)), dtype=bool)
    for row in sets:
        for kind, count in wanted.items():
            row[rng.choice(np.flatnonzero(group == kind), count, replace=False)] = True
    return sets


def property_scores(
    target: np.ndarray, shadows: np.ndarray, kinds: np.ndarray, *, shrinkage: float = 0.1
) -> np.ndarray:
    """How much each target's weights look like those of the second kind, shape (k,); above 0 is the guess "second".

    Fisher's linear discriminant between the two kinds of shadow models.

    Parameters
    ----------
    target : ndarray, shape (k, d)
        Weights of the attacked models.
    shadows : ndarray, shape (m, d)
    kinds : ndarray of bool, shape (m,)
        True for shadows trained on the second kind of set.
    shrinkage : float
        In (0, 1]: how much of the covariance is replaced by its diagonal, for fewer shadows than weights.

    Examples
    --------
    >>> rng = np.random.default_rng(10)
    >>> kinds = np.arange(40) % 2 == 1
    >>> shadows = rng.normal(size=(40, 3)) + 4 * kinds[:, None]
    >>> property_scores(np.array([[0.0, 0, 0], [4, 4, 4]]), shadows, kinds) > 0
    array([False,  True])
    """
    target, shadows = arguments.finite_array("target", target), arguments.finite_array("shadows", shadows)
    kinds = np.asarray(kinds, dtype=bool)
    shrinkage = arguments.probability("shrinkage", shrinkage, zero=False)
    if kinds.shape != shadows.shape[:1] or kinds.all() or not kinds.any():
        raise ValueError(f"kinds must have shape ({len(shadows)},) and hold both kinds, got {kinds!r}")
    means = np.array([shadows[kinds == kind].mean(axis=0) for kind in (False, True)])
    centred = shadows - means[kinds.astype(int)]
    covariance = centred.T @ centred / max(len(shadows) - 2, 1)
    diagonal = np.diag(np.diag(covariance) + 1e-12)
    direction = np.linalg.solve((1 - shrinkage) * covariance + shrinkage * diagonal, means[1] - means[0])
    return (target - means.mean(axis=0)) @ direction
