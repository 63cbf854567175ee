"""A config is refused with the key and the line of everything that is wrong with it, or means what it says."""

import pytest

from dpcourse.pipeline import ConfigError, load_config, parse_config
from dpcourse.pipeline.config import PRESETS, Level, example


def test_an_empty_mapping_is_all_defaults():
    config = parse_config("{}")
    assert [(level.name, level.epsilon, level.delta) for level in config.levels] == [
        (name, *preset) for name, preset in PRESETS.items()
    ]
    assert list(config.methods) == ["dp-sgd", "pate", "output-perturbation"]
    assert list(config.attacks) == ["confidence", "lira"]


def test_the_example_says_what_the_defaults_are():
    """What the comments of the example call a default is one."""
    assert parse_config(example()).settings() == parse_config("{}").settings()


def test_names_may_be_a_list_or_carry_options():
    config = parse_config("methods: [pate]\nlevels: {strict: {delta: 1e-7}, mine: {epsilon: 3, delta: 1e-6}}")
    assert config.methods == {"pate": {"teachers": 50, "questions": 1000, "answers": 300}}
    assert config.levels == (Level("strict", 0.5, 1e-7), Level("mine", 3.0, 1e-6))


REFUSED = [
    ("data:\n  recrods: 100", 2, "data.recrods", "did you mean records"),
    ("sead: [1]", 1, "sead", "did you mean seeds"),
    ("levels:\n  strict:\n    epsilon: -1", 3, "levels.strict.epsilon", "> 0 and finite, got -1"),
    ("levels:\n  strict:\n    epsilon: .inf", 3, "levels.strict.epsilon", "finite"),
    ("levels:\n  strict:\n    epsilon: yes", 3, "levels.strict.epsilon", "real number, got True"),
    ("levels:\n  strict:\n    epsilon: '2'", 3, "levels.strict.epsilon", "real number, got '2'"),
    ("levels:\n  strict:\n    epsilon: 1:30", 3, "levels.strict.epsilon", "real number, got '1:30'"),
    ("levels:\n  strict: {delta: 0}", 2, "levels.strict.delta", "(0, 1), got 0"),
    ("levels:\n  relaxed: {delta: 5e-3}", 2, "levels.relaxed.delta", "below 1/data.records = 0.002, got 0.005"),
    ("levels:\n  strikt:", 2, "levels.strikt", "did you mean strict"),
    ("levels: {}", 1, "levels", "at least one"),
    ("levels: 3", 1, "levels", "list of names or a mapping"),
    ("levels: [[strict]]", 1, "levels", "must list names"),
    ("levels: [strict, strict]", 1, "levels", "strict twice"),
    ("methods:\n  dpsgd:", 2, "methods.dpsgd", "did you mean dp-sgd"),
    ("methods:\n  dp-sgd:\n    steps: 1.5", 3, "methods.dp-sgd.steps", "integer, got 1.5"),
    ("methods:\n  dp-sgd: {sampling_rate: 2}", 2, "methods.dp-sgd.sampling_rate", "(0, 1], got 2"),
    ("methods:\n  pate:\n    answers: 2000", 3, "methods.pate.answers", "≤ questions = 1,000, got 2,000"),
    ("methods:\n  pate: {teachers: 5000}", 2, "methods.pate.teachers", "≤ data.records = 500"),
    ("methods:\n  pate:\n    epsilon_per_query: 1", 3, "methods.pate.epsilon_per_query", "not a known key"),
    ("attacks: [liar]", 1, "attacks.liar", "did you mean lira"),
    ("attacks: {lira: {shadows: 2}}", 1, "attacks.lira.shadows", "≥ 8"),
    ("data: {source: internet}", 1, "data.source", "auto, uci or twin"),
    ("data: {records: 99}", 1, "data.records", "≥ 100, got 99"),
    ("data: {records: 40000}", 1, "data.records", "≤ 21,611, got 40,000"),
    ("seeds: 3", 1, "seeds", "list of whole numbers"),
    ("seeds: []", 1, "seeds", "list of whole numbers"),
    ("seeds: [1, 1]", 1, "seeds", "different"),
    ("seeds: [1, two]", 1, "seeds", "integer, got 'two'"),
    ("seeds: &a [*a]", 1, "seeds", "integer, got 'a list'"),
    ("low_fpr: 1", 1, "low_fpr", "(0, 1), got 1"),
    ("output: 3", 1, "output", "name of a folder"),
    ("baseline:\n  C: 0", 2, "baseline.C", "> 0"),
    ("seeds: [1]\nlow_fpr: .1\nseeds: [2]", 3, "seeds", "given twice, first in line 1"),
    ("<<: {seeds: [1]}", 1, "<<", "not a known key"),
    ("seeds: !!python/name:os.system", 1, "seeds", "list of whole numbers"),
    ("output: !!python/object/apply:os.system [ls]", 1, "output", "name of a folder"),
]


@pytest.mark.parametrize(("text", "line", "key", "said"), REFUSED, ids=[case[2] + case[3][:8] for case in REFUSED])
def test_refuses_naming_the_key_and_the_line(text, line, key, said):
    with pytest.raises(ConfigError) as error:
        parse_config(text, "run.yaml")
    first = str(error.value).splitlines()[0]
    assert first.startswith(f"run.yaml, line {line}: {key}") and said in first


@pytest.mark.parametrize(
    ("text", "where"), [("", "line 1"), ("- a", "line 1"), ("a: [1\nb: 2", "line 2"), ("a: b: c", "line 1")]
)
def test_refuses_what_is_no_mapping_or_no_yaml(text, where):
    with pytest.raises(ConfigError, match=where):
        parse_config(text)


def test_all_problems_are_listed_in_the_order_of_lines():
    with pytest.raises(ConfigError) as error:
        parse_config("seeds: 1\nmethods: [sgd]\nlow_fpr: 7")
    assert [part.split(":")[0] for part in str(error.value).splitlines()] == [
        "config, line 1",
        "config, line 2",
        "config, line 3",
    ]


def test_a_file_that_cannot_be_read_is_named(tmp_path):
    with pytest.raises(ConfigError, match="nowhere.yaml"):
        load_config(tmp_path / "nowhere.yaml")
    (tmp_path / "bad.yaml").write_bytes(b"\xff\xfe\xff")
    with pytest.raises(ConfigError, match="bad.yaml"):
        load_config(tmp_path / "bad.yaml")
