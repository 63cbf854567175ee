"""A session gives no answer without its spend, and every spend ends in a stored answer or in a refusal for good."""

import collections
import itertools
import os
import signal
import sqlite3
import sys
import threading
import time

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from dpcourse.budget import AnswerRefused, LedgerError, LedgerSession, PrivacyLedger
from dpcourse.budget.answers import from_text, to_text
from dpcourse.mechanisms import LaplaceMechanism, NoisyMax
from dpcourse.privacy import BudgetExhausted, Guarantee, Neighbours
from dpcourse.queries import Estimate, private_crosstab, private_mean

CHEAP = LaplaceMechanism(0.125)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "budget.sqlite"


@pytest.fixture
def ledger(path):
    with PrivacyLedger(path, Guarantee(1.0)) as opened:
        yield opened


def test_asked_again_the_stored_answer_is_free(ledger, path):
    mara = LedgerSession(ledger, "mara")
    calls = itertools.count()

    def count():
        next(calls)
        return np.array([10.0, 20.0])

    first = mara.release(CHEAP, count, "by sex", "how many women and men")
    for again in (mara, LedgerSession(PrivacyLedger(path, Guarantee(1.0)), "mara")):
        assert_array_equal(again.release(CHEAP, count, "by sex"), first)
    assert next(calls) == 1  # the data were read once
    assert ledger.remaining().epsilon == 0.875
    (entry,) = ledger.entries()
    assert (entry.query_id, entry.description) == ("by sex", "how many women and men")


def test_stored_answers_are_there_when_the_budget_is_not(ledger):
    mara = LedgerSession(ledger, "mara")
    answers = [mara.release(CHEAP, 100, f"q{i}") for i in range(8)]
    with pytest.raises(BudgetExhausted):
        mara.release(CHEAP, lambda: pytest.fail("the data were read"), "q8")
    assert [mara.release(CHEAP, 100, f"q{i}") for i in range(8)] == answers
    assert len(set(answers)) == 8


def test_a_name_means_one_question_of_one_analyst(ledger):
    mara, priya = LedgerSession(ledger, "mara"), LedgerSession(ledger, "priya")
    mara.release(CHEAP, 100, "people")
    with pytest.raises(ValueError, match="'people', which mara asked"):
        priya.release(CHEAP, 100, "people")
    with pytest.raises(ValueError, match="again for LaplaceMechanism"):
        mara.release(LaplaceMechanism(0.25), 100, "people")
    ledger.spend(Guarantee(0.125), "by hand", "mara")
    with pytest.raises(ValueError, match="spent without a session"):
        mara.ask(Guarantee(0.125), lambda rng: 1, "by hand")
    assert ledger.remaining().epsilon == 0.75


def test_whole_queries_and_selections(ledger):
    mara, ages = LedgerSession(ledger, "mara", rng=8), np.array([20.0, 30.0, 60.0])
    ask = lambda rng: private_mean(ages, epsilon=0.25, bounds=(17, 90), rng=rng)  # noqa: E731
    mean = mara.ask(Guarantee(0.25), ask, "mean age")
    assert isinstance(mean, Estimate) and mean.value == mara.ask(Guarantee(0.25), ask, "mean age").value
    choose = lambda rng: NoisyMax(0.25).select(["a", "b"], [3.0, 9.0], rng=rng)  # noqa: E731
    assert mara.ask(NoisyMax(0.25), choose, "best") == mara.ask(NoisyMax(0.25), choose, "best")
    assert ledger.remaining().epsilon == 0.5


def test_every_question_has_a_generator_of_its_own(ledger):
    """One kept by the session would be copied by a fork, and give two questions the same noise."""
    state = lambda rng: rng.bit_generator.state["state"]["state"]  # noqa: E731
    mara = LedgerSession(ledger, "mara")
    assert mara.ask(CHEAP, state, "a") != mara.ask(CHEAP, state, "b")


@pytest.mark.parametrize("promised", [Guarantee(0.5), Guarantee(0.1, 1e-9), Guarantee(0.1, 0, Neighbours.REPLACE_ONE)])
def test_an_estimate_that_promises_less_than_was_paid_is_refused_for_good(ledger, promised):
    mara = LedgerSession(ledger, "mara")
    for _ in range(2):
        with pytest.raises(AnswerRefused, match="'cheat' was paid for.*ValueError"):
            mara.ask(Guarantee(0.25), lambda rng: Estimate(3.0, 1.0, promised), "cheat")
    assert ledger.remaining().epsilon == 0.75


def test_a_release_that_fails_is_refused_for_good_and_does_not_show_why(ledger):
    mara, calls = LedgerSession(ledger, "mara"), itertools.count()

    def fails(rng):
        next(calls)
        raise OverflowError("Ana earns 99999")

    for _ in range(2):
        with pytest.raises(AnswerRefused, match="OverflowError") as error:
            mara.ask(CHEAP, fails, "sum")
        assert "Ana" not in str(error.value) and error.value.__cause__ is None
    assert next(calls) == 1 and ledger.remaining().epsilon == 0.875
    with pytest.raises(KeyboardInterrupt):
        mara.ask(CHEAP, interrupted, "stopped")
    with pytest.raises(AnswerRefused, match="KeyboardInterrupt"):
        mara.ask(CHEAP, lambda rng: 1, "stopped")
    with pytest.raises(AnswerRefused, match="TypeError"):
        mara.ask(CHEAP, lambda rng: object(), "no answer")


def interrupted(rng):
    raise KeyboardInterrupt


def test_an_answer_is_final(ledger, path):
    mara = LedgerSession(ledger, "mara")
    mara.release(CHEAP, 100, "people")
    connection = sqlite3.connect(path)
    for statement in ("UPDATE answers SET words = '7'", "DELETE FROM answers"):
        with pytest.raises(sqlite3.IntegrityError, match="an answer is final"):
            connection.execute(statement)
        connection.rollback()
    connection.execute("DROP TRIGGER answers_are_final")
    connection.execute("UPDATE answers SET words = '7'")
    connection.commit()
    connection.close()
    with pytest.raises(LedgerError, match="changed by hand"):
        mara.release(CHEAP, 100, "people")


def test_an_answer_that_the_disk_cannot_hold_is_not_shown(ledger):
    mara = LedgerSession(ledger, "mara")
    mara.release(CHEAP, 1, "before")
    connection = ledger._file.connection()
    pages = connection.execute("PRAGMA page_count").fetchone()[0]

    def fills_the_disk(rng):
        connection.execute(f"PRAGMA max_page_count = {pages}")
        return "x" * 100_000

    with pytest.raises(LedgerError, match="its cost stays spent.*full"):
        mara.ask(CHEAP, fills_the_disk, "long")
    connection.execute("PRAGMA max_page_count = 100000")
    with pytest.raises(AnswerRefused, match="interrupted"):
        mara.ask(CHEAP, lambda rng: 1, "long")
    assert ledger.remaining().epsilon == 0.75


def test_whoever_asks_while_it_is_drawn_waits_and_gets_the_same_answer(ledger, path):
    started, end = threading.Event(), threading.Event()
    answers = []

    def draws_slowly(rng):
        started.set()
        assert end.wait(10)
        return float(rng.normal())

    def ask():
        with PrivacyLedger(path, Guarantee(1.0)) as own:
            answers.append(LedgerSession(own, "mara").ask(CHEAP, draws_slowly, "slow"))

    threads = [threading.Thread(target=ask) for _ in range(3)]
    for thread in threads:
        thread.start()
    assert started.wait(10)
    hasty = LedgerSession(ledger, "mara", patience=0.05)
    with pytest.raises(LedgerError, match="being drawn elsewhere"):
        hasty.ask(CHEAP, draws_slowly, "slow")
    assert hasty.refuse_interrupted() == []  # it is slow, not dead
    end.set()
    for thread in threads:
        thread.join()
    assert len(answers) == 3 and len(set(answers)) == 1 and ledger.remaining().epsilon == 0.875
    assert not list(path.parent.glob("*.turn"))


@pytest.mark.parametrize(
    "answer",
    [
        None, True, 3, -(2**70), 0.1, float("inf"), "näive", (1, (2.5, "x")), [], {"a": 1, 2: [None]},
        np.arange(6).reshape(2, 3), np.array([]).reshape(0, 4), np.array([0.1, -0.0, 5e-324]), np.array([True]),
        np.array(["a", "bc"]), Estimate(np.array([1, 2]), 0.5, Guarantee(0.5, 1e-6, Neighbours.REPLACE_ONE)),
    ],
    ids=str,
)  # fmt: skip
def test_answers_come_back_as_they_were(answer):
    again = from_text(to_text(answer))
    assert type(again) is type(answer)
    if isinstance(answer, np.ndarray):
        assert again.dtype == answer.dtype and again.shape == answer.shape and again.tobytes() == answer.tobytes()
    elif isinstance(answer, Estimate):
        assert_array_equal(again.value, answer.value)
        assert (again.guarantee, again.standard_error) == (answer.guarantee, answer.standard_error)
    else:
        assert again == answer


@pytest.mark.parametrize("columns", [["sex"], ["sex", "rich"], ["age", "sex", "rich"]])
def test_tables_come_back_as_they_were(columns):
    frame = pd.DataFrame({"sex": ["F", "M", "M"], "rich": ["no", "no", "yes"], "age": ["old", "young", "old"]})
    categories = {"sex": ["F", "M"], "rich": ["no", "yes"], "age": ["young", "old"]}
    table = private_crosstab(frame, columns, epsilon=1.0, categories={c: categories[c] for c in columns}, rng=8)
    again = from_text(to_text(table))
    pd.testing.assert_frame_equal(again.value, table.value)
    assert again.guarantee == table.guarantee


# --- many at once, and killed


def ask_everything(path, questions, cost, names):
    """Four threads ask all questions, each in its own order; what each of them was told."""
    told = []

    def work(thread):
        with PrivacyLedger(path, Guarantee(cost * questions)) as own:
            mara = LedgerSession(own, "mara")
            for i in np.random.default_rng([names, thread]).permutation(questions + 2):
                try:
                    told.append((f"q{i}", mara.release(LaplaceMechanism(cost), 1000, f"q{i}")))
                except BudgetExhausted:
                    told.append((f"q{i}", None))

    threads = [threading.Thread(target=work, args=(thread,)) for thread in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return told


@pytest.mark.parametrize(("many", "questions"), [(2, 12), pytest.param(8, 100, marks=pytest.mark.audit)])
def test_a_race_for_the_same_questions_draws_each_once(path, context, many, questions):
    """`many` processes × 4 threads ask the same questions, two more than there is budget for."""
    cost = 0.125
    with context.Pool(many) as pool:
        told = sum(pool.starmap(ask_everything, [(path, questions, cost, i) for i in range(many)]), [])
    by_name = collections.defaultdict(set)
    for name, answer in told:
        by_name[name].add(answer)
    with PrivacyLedger(path, Guarantee(cost * questions)) as ledger:
        entries = {entry.query_id for entry in ledger.entries()}
        left = ledger.remaining().epsilon
        assert LedgerSession(ledger, "mara").refuse_interrupted() == []
    print(f"{len(told)} asked, {len(entries)} drawn, {left:g} left, {len(list(path.parent.glob('*.turn')))} locks")
    assert len(told) == many * 4 * (questions + 2)
    assert len(entries) == questions and left == 0  # all of it spent, and nothing twice
    for name in by_name:
        assert len(by_name[name]) == 1 and (None not in by_name[name]) == (name in entries)


def ask_and_die(path, question, line, pipe):
    """Ask, and be killed at this line of those that the ledger runs; tell what was answered, if it came to it."""
    with PrivacyLedger(path, Guarantee(1000.0)) as ledger:
        mara, count = LedgerSession(ledger, "mara"), itertools.count(1)

        def at_each_line(frame, event, argument):
            if event == "line" and next(count) == line:
                os.kill(os.getpid(), signal.SIGKILL)
            return at_each_line

        def enters(frame, event, argument):
            return at_each_line if f"{os.sep}budget{os.sep}" in frame.f_code.co_filename else None

        sys.settrace(enters)
        answer = mara.ask(CHEAP, drawn_in_two_lines, question)
        sys.settrace(None)
        pipe.send((answer, next(count)))


def drawn_in_two_lines(rng):
    noise = rng.laplace(scale=8.0)
    return 1000 + noise


@pytest.mark.skipif(os.name == "nt", reason="SIGKILL is POSIX")
@pytest.mark.parametrize(
    "kills", [16, pytest.param(100, marks=pytest.mark.audit), pytest.param(0, marks=pytest.mark.audit)]
)
def test_killed_between_any_two_steps_nothing_is_lost_and_nothing_is_drawn_twice(path, context, kills):
    """Killed at lines of the whole way of a question: at random in as many stretches of it; 0 is every line once."""
    outcomes = collections.Counter()
    PrivacyLedger(path, Guarantee(1000.0)).close()

    def asked(question, line):
        receive, send = context.Pipe(duplex=False)
        process = context.Process(target=ask_and_die, args=(path, question, line, send))
        process.start()
        send.close()
        try:
            return receive.recv()
        except EOFError:  # killed before it could tell
            return None
        finally:
            process.join()
            receive.close()

    whole_way = asked("alive", -1)[1]
    rng = np.random.default_rng(17)
    ends = np.linspace(1, whole_way, (kills or whole_way - 1) + 1)
    lines = [int(rng.uniform(low, high)) for low, high in itertools.pairwise(ends)]
    for number, line in enumerate(lines):
        question = f"q{number}"
        told = asked(question, line)
        with PrivacyLedger(path, Guarantee(1000.0)) as ledger:  # opening checks every seal and every total
            before = ledger.remaining().epsilon
            spent = question in {entry.query_id for entry in ledger.entries()}
            mara = LedgerSession(ledger, "mara")
            again = [answer_or_refusal(mara, question) for _ in range(2)]
            charged = before - ledger.remaining().epsilon
        assert again[0] == again[1] and told is None
        assert charged == (0 if spent else 0.125)
        outcomes["not spent" if not spent else "refused" if again[0] is None else "stored"] += 1
    with PrivacyLedger(path, Guarantee(1000.0)) as ledger:
        names = [entry.query_id for entry in ledger.entries()]
        assert ledger.remaining().epsilon == 1000 - 0.125 * len(names) and len(names) == len(set(names))
        assert LedgerSession(ledger, "mara").refuse_interrupted() == []
    connection = sqlite3.connect(path)
    states = dict(connection.execute("SELECT query_id, state FROM answers").fetchall())
    connection.close()
    assert sorted(states) == sorted(names) and set(states.values()) <= {"stored", "refused"}
    print(f"{sum(outcomes.values())} killed on a way of {whole_way} lines: {dict(outcomes)}")
    assert set(outcomes) == {"not spent", "refused", "stored"}


def answer_or_refusal(session, question):
    try:
        return session.ask(CHEAP, drawn_in_two_lines, question)
    except AnswerRefused:
        return None


def ask_until_killed(path, many, name, notes):
    """Ask for questions that others ask too; each answer is written down elsewhere after it was given."""
    with PrivacyLedger(path, Guarantee(1000.0)) as ledger:
        mara, handle = LedgerSession(ledger, "mara"), os.open(notes, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        for i in np.random.default_rng(name).permutation(many):
            answer = answer_or_refusal(mara, f"q{i}")
            os.write(handle, f"q{i} {answer!r}\n".encode())


@pytest.mark.skipif(os.name == "nt", reason="SIGKILL is POSIX")
@pytest.mark.parametrize(
    ("many", "kills", "questions"), [(2, 4, 60), pytest.param(8, 100, 1500, marks=pytest.mark.audit)]
)
def test_a_race_with_processes_killed(path, tmp_path, context, many, kills, questions):
    """At random moments one after another is killed while the others go on asking the same questions."""
    notes, rng = tmp_path / "told", np.random.default_rng(17)
    PrivacyLedger(path, Guarantee(1000.0)).close()
    started, running = itertools.count(), []

    def start():
        process = context.Process(target=ask_until_killed, args=(path, questions, next(started), notes))
        process.start()
        running.append(process)

    for _ in range(many):
        start()
    for _ in range(kills):
        time.sleep(rng.uniform(0.02, 0.1))
        victim = running.pop(int(rng.integers(len(running))))
        victim.kill()
        victim.join()
        start()
    for process in running:
        process.join()
    told = collections.defaultdict(set)
    for line in notes.read_text().splitlines():
        told[line.split()[0]].add(line.split()[1])
    with PrivacyLedger(path, Guarantee(1000.0)) as ledger:
        mara, names = LedgerSession(ledger, "mara"), [entry.query_id for entry in ledger.entries()]
        refused = sum(answers == {"None"} for answers in told.values())
        for name, answers in told.items():
            assert answers == {repr(answer_or_refusal(mara, name))}  # everybody was told the same, and still is
        assert set(told) <= set(names) and len(names) == len(set(names)) == questions
        assert ledger.remaining().epsilon == 1000 - 0.125 * questions
    print(f"{many} processes, {kills} killed: {questions} spent once each, {refused} refused for good")
    assert refused <= kills
