"""Releases that are right but for their claim: a project's check reads it, whatever the numbers are like."""

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
