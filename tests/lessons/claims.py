"""Releases that are right but for their claim, which a project's check reads, or but for whom they refuse."""

import dataclasses


def claiming(release, change):
    """The right `release`, with its claim changed."""

    def answer(*everything, **named):
        given = release(*everything, **named)
        return given and given | {"claim": change(given["claim"])}

    return answer


def wrong_claims(exercise, release, condition):
    """Rows of wrong answers: a claim under a `condition`, one too good, one too weak, one whose last digits could
    be a count, and one in words."""
    changes = (
        lambda claim: dataclasses.replace(claim, condition=condition),
        lambda claim: dataclasses.replace(claim, epsilon=claim.epsilon / 1.2),
        lambda claim: dataclasses.replace(claim, epsilon=2 * claim.epsilon),
        lambda claim: dataclasses.replace(claim, epsilon=claim.epsilon * (1 + 203e-14)),
        str,
    )
    return [(exercise, "claim", claiming(release, change)) for change in changes]


def never_few(many, least):
    """Nobody is refused for being too few."""
    return False


def one_less(many, least):
    """Who is too few by one, or nobody, is refused, and nobody else."""
    return many in (0, least - 1)
