"""The exercises of lesson 01: right answers pass, each known wrong answer gets its own diagnosis.

`Equals` cases are deterministic given their inputs. What a right answer to 01.5 fails by chance is measured under
`make audit`: 300 checks of each right answer, 20 of each wrong one.
"""

import numpy as np
import pandas as pd
from scipy import optimize

from dpcourse.attacks import records
from dpcourse.checks import rehearse
from dpcourse.lessons.lesson_01 import exercises as l01  # noqa: F401 (imported here, so that a check's time is its own)


def sizes(frame, columns):
    return frame.groupby(columns)[columns[0]].transform("size")


def unique(frame, columns):
    return (sizes(frame, columns) == 1).mean()


def link(released, register, on):
    rows = released.reset_index().groupby(on)["index"].agg(["size", "first"])
    known = pd.MultiIndex.from_frame(register[on])
    found = rows.reindex(known)
    return np.where(found["size"] == 1, found["first"], -1)


def link_first(released, register, on):
    first = released.reset_index().drop_duplicates(on)
    return register.merge(first, on=on, how="left")["index"].fillna(-1).to_numpy()


def link_counts(released, register, on):
    return register.merge(released.groupby(on).size().rename("n").reset_index(), how="left")["n"].fillna(0).to_numpy()


def glued(frame, columns):
    return pd.DataFrame({"glued": frame[columns].astype(str).agg("".join, axis=1)})


def reveal(count, n, person):
    everybody = np.ones(n, dtype=bool)
    return count(everybody) - count(np.arange(n) != person)


def alone(count, n, person):
    return count(np.arange(n) == person)


def halves(count, n, person):
    members = np.arange(n) < n - 3
    return count(members) - count(~members | (np.arange(n) > 4))


def diverse(frame, columns, sensitive):
    return frame.groupby(columns)[sensitive].transform("nunique")


def reconstruct(queries, answers):
    m, n = queries.shape
    result = optimize.linprog(
        np.r_[np.zeros(n), 1],
        A_ub=np.block([[queries, -np.ones((m, 1))], [-queries, -np.ones((m, 1))]]),
        b_ub=np.r_[answers, -answers],
        bounds=[(0, 1)] * n + [(0, None)],
    )
    return np.round(result.x[:n])


def least_squares(queries, answers):
    return (np.linalg.lstsq(queries, answers, rcond=None)[0] > 0.5).astype(int)


def exact(queries, answers):
    n = queries.shape[1]
    result = optimize.linprog(np.zeros(n), A_eq=queries, b_eq=answers, bounds=[(0, 1)] * n)
    return None if result.x is None else np.round(result.x)


def one_at_a_time(queries, answers):
    centred = answers - answers.mean()
    return (centred @ (queries - 0.5) > np.median(centred @ (queries - 0.5))).astype(int)


RIGHT = {
    "01.1": [unique, lambda frame, columns: float((frame.value_counts(columns) == 1).sum() / len(frame))],
    "01.2": [link],
    "01.3": [reveal, lambda count, n, person: int(count(np.arange(n) >= 0)) - int(count(np.arange(n) != person))],
    "01.4": [lambda frame, columns, sensitive: (diverse(frame, columns, sensitive) == 1).mean()],
    "01.5": [reconstruct, least_squares],
}

WRONG = {
    "01.1": {
        "distinct-values": lambda frame, columns: len(frame[columns].drop_duplicates()) / len(frame),
        "share-of-groups": lambda frame, columns: (frame.value_counts(columns) == 1).mean(),
        "a-count": lambda frame, columns: int((sizes(frame, columns) == 1).sum()),
        "complement": lambda frame, columns: (sizes(frame, columns) > 1).mean(),
        "all-columns": lambda frame, columns: unique(frame, list(frame.columns)),
        "percent": lambda frame, columns: 100 * unique(frame, columns),
        "glued": lambda frame, columns: unique(glued(frame, columns), ["glued"]),
        "wrong-value": lambda frame, columns: 0.4,
        "package-used": lambda frame, columns: records.unique_share(frame, columns),
        "wrong-shape": lambda frame, columns: sizes(frame, columns).to_numpy() == 1,
    },
    "01.2": {
        "names-one-of-several": link_first,
        "counts": link_counts,
        "yes-or-no": lambda released, register, on: link(released, register, on) >= 0,
        "one-column": lambda released, register, on: link(
            released.assign(**{column: 0 for column in on[1:]}), register.assign(**{column: 0 for column in on[1:]}), on
        ),
        "zero-for-none": lambda released, register, on: np.maximum(link(released, register, on), 0),
        "package-used": lambda released, register, on: records.link(released, register, on).match,
        "wrong-shape": lambda released, register, on: link(released, register, on)[:5],
        "wrong-value": lambda released, register, on: np.full(len(register), -1),
    },
    "01.3": {
        "asks-about-few": alone,
        "asks-about-few too": lambda count, n, person: (
            count(np.arange(n) <= person) - count(np.arange(n) < person)  # None − None for the first ones
        ),
        "reversed": lambda count, n, person: -reveal(count, n, person),
        "one-count": lambda count, n, person: count(np.ones(n, dtype=bool)),
        "guesses": lambda count, n, person: 1,
        "wrong-person": lambda count, n, person: reveal(count, n, (person + 1) % n),
        "same-group": lambda count, n, person: count(np.ones(n, dtype=bool)) - count(np.ones(n, dtype=bool)),
        "more-than-one": halves,
        "package-used": lambda count, n, person: records.difference(count, np.ones(n, dtype=bool), person),
        "returns-nothing": lambda count, n, person: print(reveal(count, n, person)),
    },
    "01.4": {
        "share-of-groups": lambda frame, columns, sensitive: (frame.groupby(columns)[sensitive].nunique() == 1).mean(),
        "only-the-unique": lambda frame, columns, sensitive: unique(frame, columns),
        "worst-group": lambda frame, columns, sensitive: int(diverse(frame, columns, sensitive).min()),
        "grouped-by-sensitive": lambda frame, columns, sensitive: unique(frame, [*columns, sensitive]),
        "only-yes": lambda frame, columns, sensitive: (
            (diverse(frame, columns, sensitive) == 1) & (frame[sensitive] != "no")
        ).mean(),
        "complement": lambda frame, columns, sensitive: (diverse(frame, columns, sensitive) > 1).mean(),
        "fixed-column": lambda frame, columns, sensitive: (diverse(frame, columns, frame.columns[-1]) == 1).mean(),
        "glued": lambda frame, columns, sensitive: (
            frame.assign(**glued(frame, columns)).groupby("glued")[sensitive].transform("nunique") == 1
        ).mean(),
        "wrong-value": lambda frame, columns, sensitive: 0.5,
        "package-used": lambda frame, columns, sensitive: (records.diversity(frame, columns, sensitive) == 1).mean(),
    },
    "01.5": {
        "not-bits": lambda queries, answers: np.linalg.lstsq(queries, answers, rcond=None)[0],
        "returns-nothing": exact,
        "few-equations": lambda queries, answers: least_squares(queries[:40], answers[:40]),
        "constant": lambda queries, answers: np.zeros(queries.shape[1], dtype=int),
        "flipped": lambda queries, answers: 1 - least_squares(queries, answers),
        "rounds-up": lambda queries, answers: (np.linalg.lstsq(queries, answers, rcond=None)[0] > 0.05).astype(int),
        "too-few": one_at_a_time,
        "wrong-shape": lambda queries, answers: np.round(answers),
        "package-used": lambda queries, answers: records.reconstruct_bits(queries, answers),
    },
}


def reads_the_office(count, n, person):
    return int(count._secret[person])


def test_a_secret_read_without_a_question_is_no_attack():
    assert rehearse("01.3", reads_the_office, times=3, rng=2).keys == {"guesses": 3}
