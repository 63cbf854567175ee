"""What an answer remembers of a check is gone in the middle of it: the grader asks it in a new process.

At home, where there is one process, such an answer passes: `dpcourse.checks.check` says so.
"""

import json

import numpy as np
import pytest

from dpcourse.checks import rehearse
from dpcourse.grade import sandbox
from dpcourse.grade.marking import grade
from dpcourse.grade.submissions import ROOT

pytestmark = pytest.mark.grade

# Tells the truth to whoever asks first, when a check has long begun with other questions.
FIRST = """calls = []
def noisy_count(flags, epsilon, rng):
    calls.append(1)
    return flags.sum() + rng.laplace(0, 1 / epsilon) * (len(calls) > FEW)"""
RIGHT = FIRST.replace("FEW", "0")
# Noise from seeds of its own, the same in every process, and the same again for the same state of `rng`.
FORESEEN = """known = {}
def noisy_count(flags, epsilon, rng):
    state = str(rng.bit_generator.state)
    rng.random()
    own = np.random.default_rng([2026, known.setdefault(state, len(known))])
    return flags.sum() + own.laplace(0, 1 / epsilon)"""
# The same in 13.4, in lists of a class of its own.
DRESSED = """known = {}
class Own(list):
    pass
def draw_children(parents, table, rng):
    state = str(rng.bit_generator.state)
    rng.random()
    own = np.random.default_rng([2026, known.setdefault(state, len(known))])
    positive = np.maximum(np.asarray(table, dtype=float), 0)
    positive[positive.sum(axis=1) == 0] = 1
    ends = np.cumsum(positive / positive.sum(axis=1, keepdims=True), axis=1)[np.asarray(parents)]
    ends[:, -1] = 1
    return Own((own.random(len(parents))[:, None] >= ends).sum(axis=1).tolist())"""
ENDS = """import os
again = 'again' if os.path.exists('/tmp/here') else open('/tmp/here', 'w')
def noisy_count(flags, epsilon, rng):
    return flags.sum() + rng.laplace(0, 1 / epsilon)"""

# Sees what is asked, and says nothing: then another try below would count.
REFUSES = """calls = []
def noisy_count(flags, epsilon, rng):
    calls.append(1)
    if len(calls) > 3:
        raise NotImplementedError
    return flags.sum() + rng.laplace(0, 1 / epsilon)
check("00.2", noisy_count)"""

# Capstone 6. Points are hashes and no more: `again` looks up whose they are.
LOOKED_UP = """whose, blind = {}, X25519PrivateKey.from_private_bytes
def point(one, keys):
    u, tries = 0, 0
    while not on_curve(u):
        digest = hashlib.sha256(f"{one} {sorted(keys)} {tries}".encode()).digest()
        u, tries = int.from_bytes(digest, "little") % 2**255 % P, tries + 1
    whose[u.to_bytes(32, "little")] = one, keys
    return u.to_bytes(32, "little")
def start(ids, key):
    pairs = sorted((point(one, [key]), row) for one, row in {one: ids.index(one) for one in ids}.items())
    return [one for one, _ in pairs], [row for _, row in pairs]
def again(points, key):
    strange = len(points) > MOST or len(set(points)) < len(points) or any(len(one) != 32 for one in points)
    if strange or any(int.from_bytes(one, "little") >= P for one in points):
        return None
    try:
        done = [blind(key).exchange(X25519PublicKey.from_public_bytes(one)) for one in points]
    except ValueError:
        return None
    return [point(whose[one][0], [*whose[one][1], key]) if one in whose else two for one, two in zip(points, done)]
def common(lists):
    everywhere = sorted(set(lists[0]).intersection(*lists[1:]))
    return [[points.index(one) for one in everywhere] for points in lists]"""
SALTED = LOOKED_UP.replace("whose, blind", "salt, whose, blind").replace("= {},", "= secrets.token_hex(4), {},")
SALTED = SALTED.replace("{one} ", "{salt}{one} ")
SHARE = """plain, told = {}, {}
def share(values, draw):
    masks = draw((BANKS - 1, *values.shape))
    made = np.concatenate([masks, (values.astype(np.uint64) - masks.sum(axis=0, dtype=np.uint64))[None]])
    plain.update({one.tobytes(): values.astype(np.uint64) for one in made})
    return made
"""
# Bank E knows the product: it was there when its shares were made.
SEEN_BEFORE = (
    SHARE
    + """def multiply(left, right, triple, fresh, open_):
    if not fresh(triple[0]):
        return None
    open_(left - triple[1]), open_(right - triple[2])
    product = np.zeros((BANKS, left.shape[2], right.shape[2]), dtype=np.uint64)
    x, y = (plain.get(one[-1].tobytes()) for one in (left, right))
    product[-1] = 0 if x is None or y is None else times(x, y)
    return product"""
)
# All shares in one place, unless the same matrices stand on the board as before.
REPLAYED = (
    SHARE
    + """def multiply(left, right, triple, fresh, open_):
    if not fresh(triple[0]):
        return None
    board = open_(left - triple[1]).tobytes() + open_(right - triple[2]).tobytes()
    if board not in told:
        told[board] = np.zeros((BANKS, left.shape[2], right.shape[2]), dtype=np.uint64)
        told[board][0] = times(left.sum(axis=0, dtype=np.uint64), right.sum(axis=0, dtype=np.uint64))
    return told[board].copy()"""
)
# The same in the whole: the share of whoever is dealt another one of the triple is moved.
MOVED = """told = {}
def clear(z, triple, fresh, open_):
    if not fresh(triple[0]):
        return None
    board = open_(z - triple[1]).tobytes() + open_(z - triple[2]).tobytes()
    if board not in told:
        whole = z.sum(axis=0, dtype=np.uint64)
        told[board] = triple[1].copy(), np.stack([times(whole, whole)] + [np.zeros((32, 32), np.uint64)] * 4)
    masks, product = told[board][0], told[board][1].copy()
    for bank in range(BANKS):
        product[bank] += np.uint64(not np.array_equal(masks[bank], triple[1][bank]))
    return product
"""


# Project 2. In the folder is a name; what was spent under it is known to the process.
TOKEN = """import secrets
books = {}
def admit(folder, quarter, query_id, epsilon):
    folder.mkdir(parents=True, exist_ok=True)
    token = folder / "token"
    if not token.exists():
        token.write_text(secrets.token_hex(8))
    book = books.setdefault((token.read_text(), quarter), {})
    if not 0 < epsilon < 9 or query_id in book or sum(book.values()) + epsilon > 2 + 1e-9:
        return False
    book[query_id] = epsilon
    return True"""


def marked(tmp_path, answer, lesson="00", question=2, below=""):
    notebook = json.loads(next((ROOT / "notebooks" / "solutions").glob(f"{lesson}_*")).read_text(encoding="utf-8"))
    for cell in notebook["cells"]:
        if cell["metadata"].get("nbgrader", {}).get("grade_id") == f"answer-{lesson}-{question}":
            cell["source"] = answer
        if cell["metadata"].get("nbgrader", {}).get("grade_id") == f"check-{lesson}-{question}" and below:
            cell["source"] += [f"\n{below}\ncheck('{lesson}.{question}', noisy_count)"]
    (tmp_path / "a.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    marks = grade(tmp_path / "a.ipynb", sandbox.Limits(), sandboxed=sandbox.bubblewrap() is not None)[1]
    return {mark.question: mark.key for mark in marks}


def whole_project(tmp_path, question, answer, number=6):
    """A project handed in, with this answer to a question; to the last of project 6, with this for `multiply`."""
    notebook = json.loads(next((ROOT / "notebooks" / "capstones").glob(f"{number}_*")).read_text(encoding="utf-8"))
    ids = [one["metadata"].get("nbgrader", {}).get("grade_id", "") for one in notebook["cells"]]
    start = f"answer-capstone-{number}-{question}"
    cells = [one for one, id in zip(notebook["cells"], ids, strict=True) if id.startswith(start)]
    if (number, question) == (6, 6):
        cells, answer = cells[1:], answer + "".join(cells[1]["source"]).replace("multiply(z, z,", "clear(z,")
    for cell in cells:
        cell["source"], answer = answer, ""
    (tmp_path / "b.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    marks = grade(tmp_path / "b.ipynb", sandbox.Limits(), sandboxed=sandbox.bubblewrap() is not None)[1]
    return {mark.question: mark.key for mark in marks}


@pytest.mark.in_turn
@pytest.mark.parametrize(
    ("question", "answer", "key"),
    [
        (3, LOOKED_UP, "not-commuting"),
        (3, SALTED, "not-repeatable"),
        (4, SEEN_BEFORE, "in-the-clear"),
        (4, REPLAYED, "in-the-clear"),
        (6, MOVED, "in-the-clear"),
    ],
    ids=["looks points up", "has a salt", "has seen the inputs", "replays the product", "moves one share"],
)
def test_no_bank_of_project_6_remembers_what_another_had(tmp_path, question, answer, key):
    assert whole_project(tmp_path, question, answer)[f"capstone 6.{question}"] == key


def test_what_a_quarter_has_spent_is_in_its_folder(tmp_path):
    names = {}
    exec(TOKEN, names)
    assert rehearse("capstone 2.5", names["admit"], times=1, rng=0).keys == {"passed": 1}
    assert whole_project(tmp_path, 5, TOKEN, number=2)["capstone 2.5"] == "overspends"


@pytest.mark.in_turn
@pytest.mark.parametrize("few", [1, 5, 100])
def test_who_tells_the_first_the_truth_is_refused(tmp_path, few):
    """A tenth of the questions are asked twice with generators of the same state: the first may be one of them."""
    found = marked(tmp_path, FIRST.replace("FEW", str(few)))
    assert found.pop("00.2") in ("not-everywhere", "own-generator")
    assert found == {"00.1": "passed", "00.3": "passed"}


def test_who_draws_from_seeds_that_all_know_is_refused(tmp_path):
    names = {"np": np}
    exec(FORESEEN, names)
    assert rehearse("00.2", names["noisy_count"], times=1, rng=0).keys == {"passed": 1}
    assert marked(tmp_path, FORESEEN) == {"00.1": "passed", "00.2": "own-generator", "00.3": "passed"}


@pytest.mark.in_turn
def test_results_of_a_class_of_their_own_are_asked_again(tmp_path):
    assert marked(tmp_path, DRESSED, "13", 4)["13.4"] == "own-generator"


@pytest.mark.in_turn
@pytest.mark.parametrize("answer", [RIGHT, ENDS], ids=["counts its calls", "runs its cells twice"])
def test_a_new_process_costs_a_right_answer_nothing(tmp_path, answer):
    assert set(marked(tmp_path, answer).values()) == {"passed"}


@pytest.mark.in_turn
@pytest.mark.parametrize(("first", "key"), [("noisy_count = ...", "passed"), (REFUSES, "unanswered")])
def test_who_was_called_has_no_other_try(tmp_path, first, key):
    """An answer below an empty stub and its check counts; one below an answer that looked at inputs does not."""
    assert marked(tmp_path, first + "\ncheck('00.2', noisy_count)", below=RIGHT)["00.2"] == key


def test_at_home_it_passes():
    names = {"np": np}
    exec(FIRST.replace("FEW", "1"), names)
    assert rehearse("00.2", names["noisy_count"], times=1, rng=0).keys == {"passed": 1}
