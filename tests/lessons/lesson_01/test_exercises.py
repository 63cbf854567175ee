"""The exercises of lesson 01: right answers pass, each known wrong answer gets its own diagnosis.

`Equals` cases and 01.6 are deterministic given their inputs. What a right answer to 01.5 fails by chance is measured
under `make audit`: 300 checks of each right answer, 50 of each wrong one.
"""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy import optimize

from dpcourse.attacks import records
from dpcourse.checks import check, rehearse
from dpcourse.lessons.lesson_01 import exercises as l01  # noqa: F401 (imported here, so that a check's time is its own)


def sizes(frame, columns):
    return frame.groupby(columns)[columns[0]].transform("size")


def removed(frame, columns, k):
    return (sizes(frame, columns) < k).mean()


def fits(released, register, on, years=(0, 1)):
    """For each person of the register, the positions of the released rows that fit."""
    keys = [*on, "age"]
    rows = released.reset_index(names="row").groupby(keys)["row"].agg(list).to_dict()
    return [
        [row for year in years for row in rows.get((*person[:-1], person[-1] + year), [])]
        for person in register[keys].itertuples(index=False, name=None)
    ]


def link(released, register, on, years=(0, 1)):
    return np.array([rows[0] if len(rows) == 1 else -1 for rows in fits(released, register, on, years)])


def link_by_merge(released, register, on):
    released, register = released.reset_index(names="row"), register.reset_index(drop=True).reset_index(names="person")
    older = pd.concat([register, register.assign(age=register["age"] + 1)])
    pairs = older.merge(released[["row", *on, "age"]], on=[*on, "age"])
    pairs = pairs.drop_duplicates("person", keep=False).set_index("person")["row"]
    return pairs.reindex(register["person"]).fillna(-1).to_numpy()


def link_of_the_lesson(released, register, on):
    rows = released.reset_index(names="row").groupby(on, observed=True)["row"].agg(["size", "first"])
    fitting = register.merge(rows, left_on=on, right_index=True, how="left")
    return np.where(fitting["size"] == 1, fitting["first"], -1).astype(int)


def glued(frame, columns):
    return pd.DataFrame({"glued": frame[columns].astype(str).agg("".join, axis=1)})


def reveal(count, n, person):
    others = np.flatnonzero(np.arange(n) != person)
    first, second = np.isin(np.arange(n), others[:20]), np.isin(np.arange(n), others[20:40])
    with_them = first.copy()
    with_them[person] = True
    return count(with_them) + count(second) - count(first | second)


def reveal_in_halves(count, n, person):
    others = np.arange(n) != person
    even = np.arange(n) % 2 == 0
    return count((others & even) | ~others) - count(others) + count(others & ~even)


def reveal_of_the_lesson(count, n, person):
    return count(np.ones(n, dtype=bool)) - count(np.arange(n) != person)


def careful_lesson(count, n, person):
    everybody, but_one = count(np.ones(n, dtype=bool)), count(np.arange(n) != person)
    return 0 if but_one is None else everybody - but_one


def alone(count, n, person):
    return count(np.arange(n) == person)


def thirds(count, n, person):
    third = np.arange(n) % 3
    return count(third == 0) + count(third == 1) - count(third < 2) + 2 * count(third == 2)


def without_the_person(count, n, person):
    others = np.flatnonzero(np.arange(n) != person)
    first, second = np.isin(np.arange(n), others[:20]), np.isin(np.arange(n), others[20:40])
    return count(first | second) - count(first) - count(second)


def diverse(frame, columns, sensitive):
    return frame.groupby(columns)[sensitive].transform("nunique")


def reconstruct(queries, answers, least=-30):
    m, n = queries.shape
    one = np.ones((m, 1))
    result = optimize.linprog(
        np.r_[np.zeros(n + 1), 1],
        A_ub=np.block([[queries, one, -one], [-queries, -one, -one]]),
        b_ub=np.r_[answers, -answers],
        bounds=[(0, 3)] * n + [(least, 30), (0, None)],
    )
    return np.round(result.x[:n])


def reconstruct_of_the_lesson(queries, answers):
    m, n = queries.shape
    off = np.eye(m)
    solution = optimize.linprog(
        c=np.r_[np.zeros(n), np.ones(m)],
        A_ub=np.block([[queries, -off], [-queries, -off]]),
        b_ub=np.r_[answers, -answers],
        bounds=[(0, 1)] * n + [(0, None)] * m,
    )
    return (solution.x[:n] > 0.5).astype(int)


def the_lesson_up_to_three(queries, answers, sides=2):
    m, n = queries.shape
    off = np.eye(m)
    solution = optimize.linprog(
        c=np.r_[np.zeros(n), np.ones(m)],
        A_ub=np.block([[queries, -off], [-queries, -off]])[: sides * m],
        b_ub=np.r_[answers, -answers][: sides * m],
        bounds=[(0, 3)] * n + [(0, None)] * m,
    )
    return np.round(solution.x[:n])


def differences(queries, answers):
    """The secret number drops out of the difference of two sums."""
    return np.clip(np.round(np.linalg.lstsq(np.diff(queries, axis=0), np.diff(answers), rcond=None)[0]), 0, 3)


def fractions(queries, answers):
    return np.linalg.lstsq(np.c_[queries, np.ones(len(queries))], answers, rcond=None)[0][:-1]


def least_squares(queries, answers):
    return np.clip(np.round(fractions(queries, answers)), 0, 3)


def exact_solution(queries, answers):
    n = queries.shape[1]
    return optimize.linprog(np.zeros(n), A_eq=queries, b_eq=answers, bounds=[(0, 3)] * n).x


def exact(queries, answers):
    x = exact_solution(queries, answers)
    return None if x is None else np.round(x)


def one_at_a_time(queries, answers):
    inside = (queries.T @ answers) / queries.sum(axis=0)
    outside = ((1 - queries).T @ answers) / (1 - queries).sum(axis=0)
    return np.clip(np.round(inside - outside), 0, 3)


def split(people, shared):
    rest = [column for column in people if column not in shared]
    return [*shared, *rest[:2]], [*shared, *rest[2:]]


def alike(people, columns):
    return people.groupby(list(columns))[columns[0]].transform("size").to_numpy()


def plan(people):
    shared = min(combinations(people.columns, 2), key=lambda pair: (alike(people, pair) == 1).mean())
    return *split(people, shared), alike(people, shared) == 1


def plan_of(people, columns):
    """The best pair of these columns."""
    shared = min(combinations(columns, 2), key=lambda pair: (alike(people, pair) == 1).mean())
    return *split(people, shared), alike(people, shared) == 1


def first_good_plan(people):
    for shared in combinations(people.columns, 2):
        if (alike(people, shared) == 1).mean() < 0.01:
            return [*split(people, shared), (alike(people, shared) == 1).tolist()]
    return None


def fewest_values(people):
    shared = people.nunique().sort_values(kind="stable").index[:2].tolist()
    return *split(people, shared), alike(people, shared) == 1


RIGHT = {
    "01.1": [
        removed,
        lambda frame, columns, k: (lambda n: float(n[n < k].sum() / n.sum()))(frame.value_counts(columns)),
    ],
    "01.2": [link, link_by_merge],
    "01.3": [reveal, reveal_in_halves],
    "01.4": [lambda frame, columns, sensitive: (diverse(frame, columns, sensitive) == 1).mean()],
    "01.5": [reconstruct, least_squares, lambda queries, answers: differences(queries, answers)],
    "01.6": [plan, first_good_plan],
}

WRONG = {
    "01.1": {
        "not-everywhere too at size": lambda frame, columns, k: removed(frame, columns, k if len(frame) <= 3000 else 2),
        "not-everywhere too in wide tables": lambda *given: removed(*given) if given[0].shape[1] < 13 else 0.0,
        "not-everywhere": lambda frame, columns, k: removed(frame, columns, k) if k in (3, 4, 5) else 0.0,
        "not-everywhere too": lambda frame, columns, k: removed(frame, columns, k) if len(columns) < 5 else 0.0,
        "not-everywhere too of a selection": lambda frame, columns, k: (
            sizes(frame, columns).reindex(range(len(frame))) < k
        ).mean(),
        "only-the-unique": lambda frame, columns, k: (sizes(frame, columns) == 1).mean(),
        "k-itself": lambda frame, columns, k: (sizes(frame, columns) <= k).mean(),
        "distinct-values": lambda frame, columns, k: (frame.value_counts(columns) < k).sum() / len(frame),
        "share-of-groups": lambda frame, columns, k: (frame.value_counts(columns) < k).mean(),
        "a-count": lambda frame, columns, k: int((sizes(frame, columns) < k).sum()),
        "complement": lambda frame, columns, k: (sizes(frame, columns) >= k).mean(),
        "all-columns": lambda frame, columns, k: removed(frame, list(frame.columns), k),
        "percent": lambda frame, columns, k: 100 * removed(frame, columns, k),
        "glued": lambda frame, columns, k: removed(glued(frame, columns), ["glued"], k),
        "wrong-value": lambda frame, columns, k: 0.4,
        "package-used": lambda frame, columns, k: (records.group_sizes(frame, columns) < k).mean(),
        "wrong-shape": lambda frame, columns, k: sizes(frame, columns).to_numpy() < k,
        "not-everywhere too of letters": lambda frame, columns, k: removed(
            frame[columns].astype(str).apply(lambda column: column.str[:3].str.strip().str.lower()), columns, k
        ),
    },
    "01.2": {
        "not-everywhere too of few": lambda *given: link(*given) if len(given[1]) > 60 else np.full(len(given[1]), -1),
        "age-ignored": link_of_the_lesson,
        "same-age": lambda released, register, on: link_of_the_lesson(released, register, [*on, "age"]),
        "younger": lambda released, register, on: link(released, register, on, (0, -1)),
        "younger too": lambda released, register, on: link(released, register, on, (-1, 0, 1)),
        "one-age-at-a-time": lambda released, register, on: np.where(
            link(released, register, on, (0,)) >= 0,
            link(released, register, on, (0,)),
            link(released, register, on, (1,)),
        ),
        "one-age-at-a-time too": lambda released, register, on: (
            lambda now, later: np.where((now >= 0) != (later >= 0), np.maximum(now, later), -1)
        )(link(released, register, on, (0,)), link(released, register, on, (1,))),
        "names-one-of-several": lambda released, register, on: np.array(
            [min(rows) if rows else -1 for rows in fits(released, register, on)]
        ),
        "counts": lambda released, register, on: np.array([len(rows) for rows in fits(released, register, on)]),
        "yes-or-no": lambda released, register, on: link(released, register, on) >= 0,
        "one-column": lambda released, register, on: link(released, register, on[:1]),
        "zero-for-none": lambda released, register, on: np.maximum(link(released, register, on), 0),
        "package-used": lambda released, register, on: records.link(released, register, [*on, "age"]).match,
        "wrong-shape": lambda released, register, on: link(released, register, on)[:5],
        "wrong-value": lambda released, register, on: link(released, register, on) + 1,
        "wrong-value too": lambda *given: link(*given) if len(given[2]) == 2 else np.full(len(given[1]), -1),
        "not-everywhere too of a selection": lambda released, register, on: pd.Series(
            link(released, register, on), register.index
        ).reindex(range(len(register)), fill_value=-1),
        "not-everywhere": lambda *given: link(*given) if len(given[1]) <= 150 else np.full(len(given[1]), -1),
        "not-everywhere too of letters": lambda released, register, on: link(
            *(some.assign(**{one: some[one].astype(str).str[:3] for one in on}) for some in (released, register)), on
        ),
    },
    "01.3": {
        "wrong-value too at size": lambda count, n, person: reveal(count, n, person) if n <= 1000 else 0,
        "asks-about-few": alone,
        "asks-about-few too": lambda count, n, person: (
            count(np.arange(n) <= person % 19) - count(np.arange(n) < person % 19)  # None − None
        ),
        "asks-too-near": reveal_of_the_lesson,
        "asks-too-near too": careful_lesson,
        "reversed": lambda count, n, person: -reveal(count, n, person),
        "complement": lambda count, n, person: 1 - reveal(count, n, person),
        "twice": lambda count, n, person: 2 * reveal(count, n, person),
        "one-count": lambda count, n, person: count(np.ones(n, dtype=bool)),
        "guesses": lambda count, n, person: 1,
        "wrong-person": lambda count, n, person: reveal(count, n, (person + 1) % n),
        "more-than-one": thirds,
        "more-than-one too": without_the_person,
        "wrong-value": lambda count, n, person: 2 * reveal(count, n, person) + 1,
        "wrong-value too": lambda count, n, person: reveal(count, n, person) if n <= 110 else 0,
        "wrong-value too too": lambda count, n, person: reveal(count, n, person) if person < 75 else 0,
        "package-used": lambda count, n, person: records.difference(count, np.ones(n, dtype=bool), person),
        "returns-nothing": lambda count, n, person: print(reveal(count, n, person)),
    },
    "01.4": {
        "not-everywhere too at size": lambda frame, columns, sensitive: (
            (diverse(frame, columns, sensitive) == 1) & ((sizes(frame, columns) > 1) | (len(frame) <= 2000))
        ).mean(),
        "not-everywhere too in wide tables": lambda frame, columns, sensitive: (
            (diverse(frame, columns, sensitive) == 1).mean() * (frame.shape[1] < 13)
        ),
        "not-everywhere": lambda frame, columns, sensitive: (
            (diverse(frame, columns, sensitive) == 1).mean() if len(frame) <= 250 else 0.0
        ),
        "not-everywhere too": lambda frame, columns, sensitive: (
            (diverse(frame, columns, sensitive) == 1).mean() if len(columns) in (2, 3) else 0.0
        ),
        "not-everywhere too of a selection": lambda frame, columns, sensitive: (
            diverse(frame, columns, sensitive).reindex(range(len(frame))) == 1
        ).mean(),
        "not-everywhere too too": lambda frame, columns, sensitive: (
            (diverse(frame, columns, sensitive) == 1).mean() * (len(frame) <= 250 or frame[sensitive].nunique() <= 2)
        ),
        "share-of-groups": lambda frame, columns, sensitive: (frame.groupby(columns)[sensitive].nunique() == 1).mean(),
        "only-the-unique": lambda frame, columns, sensitive: removed(frame, columns, 2),
        "worst-group": lambda frame, columns, sensitive: int(diverse(frame, columns, sensitive).min()),
        "grouped-by-sensitive": lambda frame, columns, sensitive: removed(frame, [*columns, sensitive], 2),
        "only-yes": lambda frame, columns, sensitive: (
            (diverse(frame, columns, sensitive) == 1) & (frame[sensitive] != "no")
        ).mean(),
        "complement": lambda frame, columns, sensitive: (diverse(frame, columns, sensitive) > 1).mean(),
        "fixed-column": lambda frame, columns, sensitive: (diverse(frame, columns, frame.columns[-1]) == 1).mean(),
        "glued": lambda frame, columns, sensitive: (
            frame.assign(**glued(frame, columns)).groupby("glued")[sensitive].transform("nunique") == 1
        ).mean(),
        "wrong-value": lambda frame, columns, sensitive: 0.5,
        "a-count": lambda frame, columns, sensitive: int((diverse(frame, columns, sensitive) == 1).sum()),
        "percent": lambda frame, columns, sensitive: 100 * (diverse(frame, columns, sensitive) == 1).mean(),
        "alone-left-out": lambda frame, columns, sensitive: (
            (diverse(frame, columns, sensitive) == 1) & (sizes(frame, columns) > 1)
        ).mean(),
        "alone-left-out too": lambda frame, columns, sensitive: (
            diverse(frame, columns, sensitive)[sizes(frame, columns) > 1] == 1
        ).mean(),
        "mean-of-text": lambda frame, columns, sensitive: (
            frame.groupby(columns)[sensitive].transform("mean").isin([0, 1])
        ).mean(),
        "package-used": lambda frame, columns, sensitive: (records.diversity(frame, columns, sensitive) == 1).mean(),
        "not-everywhere too of letters": lambda frame, columns, sensitive: (
            diverse(frame.assign(**{sensitive: frame[sensitive].astype(str).str[:1]}), columns, sensitive) == 1
        ).mean(),
    },
    "01.5": {
        "far-too-small too": lambda queries, answers: (
            least_squares(queries, answers) if queries.shape[1] == 40 else np.zeros(queries.shape[1], dtype=int)
        ),
        "bits": reconstruct_of_the_lesson,
        "not-whole": fractions,
        "returns-nothing": exact,
        "few-equations": lambda queries, answers: least_squares(
            queries[: queries.shape[1] + 1], answers[: queries.shape[1] + 1]
        ),
        "constant": lambda queries, answers: np.ones(queries.shape[1], dtype=int),
        "shift-ignored": the_lesson_up_to_three,
        "shift-above-zero": lambda queries, answers: reconstruct(queries, answers, least=0),
        "shift-ignored too": lambda queries, answers: np.clip(
            np.round(np.linalg.lstsq(queries, answers, rcond=None)[0]), 0, 3
        ),
        "returns-nothing too": lambda queries, answers: np.round(exact_solution(queries, answers)),
        "flipped": lambda queries, answers: 3 - least_squares(queries, answers),
        "rounds-up": lambda queries, answers: np.clip(np.ceil(fractions(queries, answers) - 0.05), 0, 3),
        "rounds-down": lambda queries, answers: np.clip(fractions(queries, answers), 0, 3).astype(int),
        "far-too-small": lambda queries, answers: the_lesson_up_to_three(queries, answers - answers.mean()),
        "too-few": one_at_a_time,
        "wrong-shape": lambda queries, answers: np.round(answers),
        "package-used": lambda queries, answers: records.reconstruct_bits(queries, answers),
    },
    "01.6": {
        "too-linkable": fewest_values,
        "too-linkable too": lambda people: (*split(people, ["q1", "q2"]), alike(people, ["q1", "q2"]) == 1),
        "left-out": lambda people: (list(people.columns[:4]), list(people.columns[:4]), alike(people, ["q1"]) == 1),
        "not-four": lambda people: (list(people.columns[:3]), list(people.columns[3:]), alike(people, ["q1"]) == 0),
        "wrong-type": lambda people: plan(people)[:2],
        "wrong-type too": lambda people: ("q1", "q2", plan(people)[2]),
        "wrong-shape": lambda people: (*plan(people)[:2], np.flatnonzero(plan(people)[2])),
        "complement": lambda people: (*plan(people)[:2], ~plan(people)[2]),
        "other-columns": lambda people: (*plan(people)[:2], alike(people, plan(people)[0]) == 1),
        "other-columns too": lambda people: (*plan(people)[:2], alike(people, list(people.columns)) == 1),
        "wrong-people": lambda people: (*plan(people)[:2], alike(people, plan(people)[0][:2]) == 2),
        "too-linkable too too": lambda people: plan_of(people, people.nunique().sort_values(kind="stable").index[:4]),
    },
}


@pytest.mark.parametrize(
    ("exercise", "key", "words"),
    [
        ("01.3", "wrong-value", "You give 3 where the secret is yes, and 1 where it is no."),
        ("01.3", "wrong-value too", " of 40 calls. All wrong ones have n = "),
        ("01.3", "wrong-value too too", " of 40 calls. All wrong ones have person = "),
        ("01.3", "package-used", "this office refuses"),
        ("01.5", "far-too-small too", "You are right for 40 people, and not for "),
    ],
)
def test_where_an_answer_is_wrong_is_said(exercise, key, words):
    assert words in check(exercise, WRONG[exercise][key], rng=5).diagnosis


def reads_the_office(count, n, person):
    return int(count._secret[person])


def test_a_few_wrong_numbers_in_one_survey_are_bad_luck():
    def sometimes(queries, answers):  # in one survey of twenty three are wrong
        found = least_squares(queries, answers)
        found[:3] = 3 - found[:3] if queries.sum() % 20 == 0 else found[:3]
        return found

    assert rehearse("01.5", sometimes, times=40, rng=2).keys == {"passed": 40}


def test_a_secret_read_without_a_question_is_no_attack():
    assert rehearse("01.3", reads_the_office, times=3, rng=2).keys == {"guesses": 3}


def test_a_good_pair_is_never_the_one_with_the_fewest_values():
    for seed in range(30):
        people = l01.plan.draw_people(np.random.default_rng(seed))
        assert (alike(people, fewest_values(people)[0][:2]) == 1).mean() >= 0.01 > plan(people)[2].mean() > 0
