"""Project files that are wrong: one clear message each, with file, line, key path and advice."""

from __future__ import annotations

import contextlib
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from befit.config.load import load_project
from befit.errors import ProjectError

if TYPE_CHECKING:
    from pathlib import Path

SOUND = """\
project: desk
candidates:
  - name: a
    target: openai
    model: small
    sampling: {temperature: 0}
scenarios:
  - name: total
    dimension: extraction
    samples: s.jsonl
    scorers: [{match: {numeric: true}}]
    failure_modes: [{name: long, pattern: "..."}]
"""
SAMPLES = '{"id": "1", "input": "x", "target": 5}\n'
GATE = "policy:\n  gates:\n  - {metric: pass_rate, floor: 0.9}\n"
MATRIX = """\
matrix:
  models: {m: {target: openai, model: big}}
  samplings: {cold: {temperature: 0}}
"""


@dataclass(frozen=True)
class Broken:
    """A change to the sound project, and the one problem that must come of it."""

    old: str
    new: str
    where: str
    words: str
    files: tuple[tuple[str, bytes], ...] = ()
    exit_code: int = 2


def _add(new: str, where: str, words: str, *files: tuple[str, bytes]) -> Broken:
    return Broken("project: desk\n", f"project: desk\n{new}", where, words, files)


BROKEN: dict[str, Broken] = {
    "unknown key": _add("runn: {}\n", "befit.yaml:2 runn", "did you mean 'run'?"),
    "foreign key": _add("providers: []\n", "befit.yaml:2 providers", "did you mean 'candidates'?"),
    "no project": Broken("project: desk\n", "", "befit.yaml:1", "'project' is missing"),
    "list at top": Broken(
        SOUND, "- a\n- b\n", "befit.yaml:1", "a project is a mapping, not a list"
    ),
    "empty file": Broken(SOUND, "", "befit.yaml:1", "the file is empty"),
    "only comments": Broken(SOUND, "# nothing\n", "befit.yaml:1", "the file is empty"),
    "tab": Broken("    model", "\tmodel", "befit.yaml:5", "a tab is used as indentation"),
    "duplicate key": Broken(
        "    model: small\n",
        "    model: small\n    model: big\n",
        "befit.yaml:6 candidates[0].model",
        "the key 'model' occurs twice (first in line 5)",
    ),
    "no YAML": Broken("    model: small", "    model: [small", "befit.yaml:6", "this is no YAML"),
    "variable without quotes": Broken(
        "{temperature: 0}", "{temperature: ${T}}", "befit.yaml:6", 'put "${NAME}" in quotes'
    ),
    "two documents": _add("---\na: 1\n", "befit.yaml:2", "several documents"),
    "custom tag": _add("x-a: !!python/name:os.system\n", "befit.yaml:2 x-a", "is not allowed"),
    "alias bomb": _add(
        "x-a: &a [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n"
        + "".join(
            f"x-{c}: &{c} [{', '.join([f'*{b}'] * 10)}]\n"
            for b, c in zip("abcdef", "bcdefg", strict=True)
        ),
        "befit.yaml:2 x-f[0][6][8][8][8][7]",
        "expand without end",
    ),
    "alias circle": _add("x-a: &a [*a]\n", "befit.yaml:2 x-a[0]", "expand without end"),
    "unknown alias": _add("x-a: *b\n", "befit.yaml:2", "define the anchor"),
    "wrong type": Broken(
        "temperature: 0",
        "temperature: warm",
        "befit.yaml:6 candidates[0].sampling.temperature",
        "must be a number",
    ),
    "number as text": Broken(
        "model: small", "model: 4.1", "befit.yaml:5 candidates[0].model", "put it in quotes"
    ),
    "out of range": Broken(
        "temperature: 0",
        "temperature: 0, top_p: 2",
        "befit.yaml:6 candidates[0].sampling.top_p",
        "less than or equal to 1",
    ),
    "NaN": Broken(
        "temperature: 0",
        "temperature: .nan",
        "befit.yaml:6 candidates[0].sampling.temperature",
        "NaN",
    ),
    "key in the wrong place": Broken(
        "    sampling: {temperature: 0}",
        "    temperature: 0\n    sampling: {temperature: 0}",
        "befit.yaml:6 candidates[0].temperature",
        "did you mean 'sampling.temperature'?",
    ),
    "deep unknown key": Broken(
        "{temperature: 0}",
        "{temperature: 0, max_token: 5}",
        "befit.yaml:6 candidates[0].sampling.max_token",
        "'max_tokens'",
    ),
    "unknown target": Broken(
        "target: openai",
        "target: openia",
        "befit.yaml:4 candidates[0].target",
        "did you mean 'openai'?",
    ),
    "unknown option of a target": Broken(
        "    model: small",
        "    model: small\n    options: {extra_bdy: {}}",
        "befit.yaml:6 candidates[0].options.extra_bdy",
        "'extra_body'",
    ),
    "no model": Broken(
        "    model: small\n", "", "befit.yaml:3 candidates[0]", "'model' is missing"
    ),
    "secret in options": Broken(
        "    model: small",
        "    model: small\n    options: {headers: {Authorization: Bearer abc}}",
        "befit.yaml:6 candidates[0].options.headers.Authorization",
        "use api_key, which is never stored",
    ),
    "password in a URL": Broken(
        "    model: small",
        "    model: small\n    base_url: https://u:pw@host/v1",
        "befit.yaml:6 candidates[0].base_url",
        "use api_key",
    ),
    "no URL": Broken(
        "    model: small",
        "    model: small\n    base_url: localhost:8000",
        "befit.yaml:6 candidates[0].base_url",
        "http://",
    ),
    "no candidates": Broken(
        SOUND[SOUND.index("candidates") : SOUND.index("scenarios")],
        "",
        "befit.yaml:1",
        "there are no candidates",
    ),
    "candidates as mapping": Broken(
        SOUND[SOUND.index("candidates") : SOUND.index("scenarios")],
        "candidates: {a: {target: openai}}\n",
        "befit.yaml:2 candidates",
        "candidates must be a list, not a mapping",
    ),
    "no scenarios": Broken(
        SOUND[SOUND.index("scenarios") :], "", "befit.yaml:1", "there are no scenarios"
    ),
    "same name": Broken(
        "scenarios:\n",
        "  - {name: a, target: openai, model: big, sampling: {temperature: 0}}\nscenarios:\n",
        "befit.yaml:7 candidates[1].name",
        "two candidates are called 'a' (the first at befit.yaml:3)",
    ),
    "same configuration": Broken(
        "scenarios:\n",
        "  - {name: b, target: openai, model: small, sampling: {temperature: 0}}\nscenarios:\n",
        "befit.yaml:7 candidates[1]",
        "'b' and 'a' are the same configuration",
    ),
    "unknown dimension": Broken(
        "extraction",
        "extracton",
        "befit.yaml:9 scenarios[0].dimension",
        "did you mean 'extraction'?",
    ),
    "unknown tier": Broken(
        "    samples",
        "    tier: big\n    samples",
        "befit.yaml:10 scenarios[0].tier",
        "unknown tier 'big'",
    ),
    "unknown scorer": Broken(
        "{match:", "{mach:", "befit.yaml:11 scenarios[0].scorers[0].mach", "did you mean 'match'?"
    ),
    "unknown scorer option": Broken(
        "{numeric: true}",
        "{numeri: true}",
        "befit.yaml:11 scenarios[0].scorers[0].match.numeri",
        "did you mean 'numeric'?",
    ),
    "wrong scorer option": Broken(
        "{numeric: true}",
        "{numeric: {locale: xx}}",
        "befit.yaml:11 scenarios[0].scorers[0].match.numeric.locale",
        "locale",
    ),
    "scorer as two keys": Broken(
        "[{match: {numeric: true}}]",
        "[{match: {numeric: true}, fields: {}}]",
        "befit.yaml:11 scenarios[0].scorers[0]",
        "one name with its options",
    ),
    "bad regular expression": Broken(
        '"..."', '"("', "befit.yaml:12 scenarios[0].failure_modes[0]", "no regular expression"
    ),
    "no repeats": Broken(
        "    scorers",
        "    repeats: 0\n    scorers",
        "befit.yaml:11 scenarios[0].repeats",
        "greater than 0",
    ),
    "unknown accept metric": Broken(
        "    scorers",
        "    accept: {metrics: {field_acuracy: 1}}\n    scorers",
        "befit.yaml:11 scenarios[0].accept.metrics.field_acuracy",
        "did you mean 'field_accuracy'?",
    ),
    "missing samples": Broken(
        "s.jsonl", "t.jsonl", "befit.yaml:10 scenarios[0].samples", "'t.jsonl' does not exist"
    ),
    "no samples key": Broken(
        "    samples: s.jsonl\n", "", "befit.yaml:8 scenarios[0]", "'samples' is missing"
    ),
    "probe without samples": Broken(
        "s.jsonl",
        "{probe: reasoning, n: 0}",
        "befit.yaml:10 scenarios[0].samples.n",
        "must be greater than or equal to 1",
    ),
    "unknown key of a probe": Broken(
        "s.jsonl",
        "{probe: reasoning, nn: 3}",
        "befit.yaml:10 scenarios[0].samples.nn",
        "did you mean 'n'?",
    ),
    "broken sample": Broken(
        "s.jsonl", "b.jsonl", "b.jsonl:2", "this is no JSON", (("b.jsonl", b"\n{\n"),), 8
    ),
    "broken check in a sample": Broken(
        "s.jsonl",
        "b.jsonl",
        "b.jsonl:1 checks[0].match.numeri",
        "did you mean 'numeric'?",
        (
            (
                "b.jsonl",
                b'{"id": "1", "input": "x", "target": 1, "checks": [{"match": {"numeri": true}}]}',
            ),
        ),
        8,
    ),
    "unknown template variable": Broken(
        "    scorers",
        '    template: "{input} {vendr}"\n    scorers',
        "befit.yaml:11 scenarios[0].template",
        "asks for {vendr}, which no sample has",
    ),
    "variable missing from some samples": Broken(
        "    samples: s.jsonl\n",
        '    samples: b.jsonl\n    template: "{input} {v}"\n',
        "b.jsonl:2",
        "asks for {v}, missing from 'vars' here",
        (
            (
                "b.jsonl",
                b'{"id":"1","input":"x","target":1,"vars":{"v":"y"}}\n{"id":"2","input":"x","target":1}',
            ),
        ),
        8,
    ),
    "shots without examples": Broken(
        "    model: small",
        "    model: small\n    prompt: {shots: 2}",
        "befit.yaml:6 candidates[0].prompt.shots",
        "'a' shows 2 examples, but 'total' has 0",
    ),
    "template for nobody": Broken(
        "    model: small",
        '    model: small\n    prompt: {templates: {totl: "{input}"}}',
        "befit.yaml:6 candidates[0].prompt.templates.totl",
        "did you mean 'total'?",
    ),
    "unset variable": Broken(
        "model: small",
        "model: ${NO_SUCH}",
        "befit.yaml:5 candidates[0].model",
        "'NO_SUCH' is not set",
    ),
    "odd variable": Broken(
        "model: small", "model: ${1x}", "befit.yaml:5 candidates[0].model", "write ${NAME}"
    ),
    "missing include": Broken(
        "model: small",
        "model: small\n    prompt: {system: file:no.txt}",
        "befit.yaml:6 candidates[0].prompt.system",
        "'no.txt' does not exist",
    ),
    "circle of includes": Broken(
        "    sampling: {temperature: 0}",
        "    sampling: {file: p/one.yaml}",
        "p/two.yaml:1 candidates[0].sampling",
        "p/one.yaml -> p/two.yaml -> p/one.yaml",
        (("p/one.yaml", b"file: two.yaml\n"), ("p/two.yaml", b"file: one.yaml\n")),
    ),
    "mistake in an included file": Broken(
        "    sampling: {temperature: 0}",
        "    sampling: {file: p/one.yaml}",
        "p/one.yaml:2 candidates[0].sampling.temprature",
        "did you mean 'temperature'?",
        (("p/one.yaml", b"# cold\ntemprature: 0\n"),),
    ),
    "bad UTF-8 in an included file": Broken(
        "model: small",
        "model: small\n    prompt: {system: file:p.txt}",
        "p.txt:2",
        "this is no UTF-8",
        (("p.txt", b"one\n\xff"),),
    ),
    "unknown gate scenario": _add(
        "policy: {gates: [{scenario: totl, metric: pass_rate, floor: 0.9}]}\n",
        "befit.yaml:2 policy.gates[0].scenario",
        "did you mean 'total'?",
    ),
    "unknown gate metric": _add(
        "policy: {gates: [{scenario: total, metric: pas_rate, floor: 0.9}]}\n",
        "befit.yaml:2 policy.gates[0].metric",
        "did you mean 'pass_rate'?",
    ),
    "gate with two limits": _add(
        "policy: {gates: [{metric: pass_rate, floor: 0.9, ceiling: 1}]}\n",
        "befit.yaml:2 policy.gates[0]",
        "exactly one of 'floor' and 'ceiling'",
    ),
    "gate in percent": _add(
        "policy: {gates: [{metric: pass_rate, floor: 90}]}\n",
        "befit.yaml:2 policy.gates[0].floor",
        "write 0.9 for 90 %",
    ),
    "gates that exclude each other": _add(
        GATE + "  - {metric: pass_rate, ceiling: 0.5}\n",
        "befit.yaml:5 policy.gates[1]",
        "nothing can pass",
    ),
    "a gate on one scenario that excludes the one on all": _add(
        GATE + "  - {scenario: total, metric: pass_rate, ceiling: 0.5}\n",
        "befit.yaml:5 policy.gates[1]",
        "nothing can pass",
    ),
    "a fallback that no provider can be": _add(
        "policy: {fallback_from_other_provider: true, require: {providers: [openai]}}\n",
        "befit.yaml:2 policy.fallback_from_other_provider",
        "allows only one",
    ),
    "traffic of nobody": _add(
        "policy: {traffic: {totl: 1}}\n",
        "befit.yaml:2 policy.traffic.totl",
        "did you mean 'total'?",
    ),
    "margin for nobody": _add(
        "policy: {margins: {totl: 0.1}}\n",
        "befit.yaml:2 policy.margins.totl",
        "did you mean 'total'?",
    ),
    "gate twice": _add(
        GATE + "  - {metric: pass_rate, floor: 0.5}\n",
        "befit.yaml:5 policy.gates[1]",
        "repeats gates[0]",
    ),
    "weight for nobody": _add(
        "policy: {weights: {extracton: 1}}\n",
        "befit.yaml:2 policy.weights.extracton",
        "'extraction'",
    ),
    "tier value": _add(
        "tiers: {big: {value: lots}}\n", "befit.yaml:2 tiers.big.value", "must be a number"
    ),
    "tier complexity": _add(
        "tiers: {big: {complexity: hi}}\n", "befit.yaml:2 tiers.big.complexity", "'high'"
    ),
    "run setting": _add(
        "run: {concurency: 5}\n", "befit.yaml:2 run.concurency", "did you mean 'concurrency'?"
    ),
    "seed": _add("run: {seed: fixd}\n", "befit.yaml:2 run.seed", "did you mean 'fixed'?"),
    "unknown default": _add(
        "defaults: {candidate: {}}\n", "befit.yaml:2 defaults.candidate", "'candidates'"
    ),
    "mistake in the defaults": _add(
        "defaults: {candidates: {strem: true}}\n",
        "befit.yaml:2 defaults.candidates.strem",
        "did you mean 'stream'?",
    ),
    "matrix clash": _add(
        MATRIX + "  name: a\n",
        "befit.yaml:3 matrix.models.m",
        "two candidates are called 'a'",
    ),
    "matrix pattern": _add(
        MATRIX + "  name: 'x-{modl}'\n",
        "befit.yaml:5 matrix.name",
        "did you mean 'model'?",
    ),
    "matrix exclusion": _add(
        MATRIX + "  exclude: [{model: x}]\n",
        "befit.yaml:5 matrix.exclude[0]",
        "matches no combination",
    ),
    "matrix key": _add(
        "matrix: {model: 1, models: {m: {}}}\n",
        "befit.yaml:2 matrix.model",
        "did you mean 'models'?",
    ),
    "python samples": Broken(
        "s.jsonl",
        "{python: nowhere:x}",
        "befit.yaml:10 scenarios[0].samples.python",
        "cannot be loaded",
    ),
    "python samples that do not compile": Broken(
        "s.jsonl",
        "{python: broken_samples:make}",
        "befit.yaml:10 scenarios[0].samples.python",
        "SyntaxError",
        (("broken_samples.py", b"def make(:\n"),),
    ),
    "python samples that are no samples": Broken(
        "s.jsonl",
        "{python: broken_samples:make}",
        "broken_samples:make sample 1",
        "no JSON value",
        (
            (
                "broken_samples.py",
                b"def make():\n    return [{'id': 'a', 'input': 'x', 'target': object()}]\n",
            ),
        ),
        8,
    ),
    "python samples that fail": Broken(
        "s.jsonl",
        "{python: broken_samples:make}",
        "broken_samples:make",
        "ZeroDivisionError",
        (("broken_samples.py", b"def make():\n    yield 1 / 0\n"),),
        8,
    ),
    "own code of a turn": Broken(
        "s.jsonl",
        "b.jsonl",
        "b.jsonl:1 turns[1].python",
        "cannot be loaded",
        (
            (
                "b.jsonl",
                (
                    b'{"id": "1", "target": "c", '
                    b'"turns": [{"user": "a"}, {"user": "b", "python": "nowhere:x"}]}'
                ),
            ),
        ),
    ),
    "inline sample": Broken(
        "s.jsonl", "[{id: a, inputt: x}]", "befit.yaml:10 inputt", "did you mean 'input'?", (), 8
    ),
    "retired samples only": Broken(
        "s.jsonl",
        "b.jsonl",
        "b.jsonl",
        "all samples are retired",
        (("b.jsonl", b'{"id": "1", "input": "x", "retired_on": "2026-01-01"}'),),
        8,
    ),
    "recorded answers": Broken(
        "target: openai\n    model: small",
        "target: replay\n    options: {path: no.jsonl}",
        "befit.yaml:5 candidates[0].options.path",
        "recorded answers 'no.jsonl' does not exist",
    ),
    "own function": Broken(
        "target: openai\n    model: small",
        "target: function\n    model: nowhere:call",
        "befit.yaml:5 candidates[0].model",
        "cannot be loaded",
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_project_gives_one_clear_message(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = BROKEN[name]
    assert case.old in SOUND
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s.jsonl").write_text(SAMPLES)
    (tmp_path / "befit.yaml").write_text(SOUND.replace(case.old, case.new, 1))
    for file, content in case.files:
        path = tmp_path / file
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)
    with pytest.raises(ProjectError) as caught:
        load_project("befit.yaml", environment={})
    problems = caught.value.problems
    text = str(caught.value)
    wheres = [problem.where for problem in problems]
    assert wheres == [case.where], text
    assert case.words in text
    assert caught.value.exit_code == case.exit_code
    assert str(tmp_path) not in text
    with contextlib.suppress(KeyError):
        del sys.modules["broken_samples"]


def test_the_sound_project_loads(tmp_path: Path) -> None:
    (tmp_path / "befit.yaml").write_text(SOUND)
    (tmp_path / "s.jsonl").write_text(SAMPLES)
    assert load_project(tmp_path, environment={}).warnings == ()


def test_all_mistakes_are_told_at_once_in_the_order_of_lines(tmp_path: Path) -> None:
    broken = SOUND
    for case in ("unknown target", "unknown dimension", "unknown scorer option", "unset variable"):
        broken = broken.replace(BROKEN[case].old, BROKEN[case].new, 1)
    (tmp_path / "befit.yaml").write_text(broken)
    (tmp_path / "s.jsonl").write_text("{\n{\n")
    with pytest.raises(ProjectError) as caught:
        load_project(tmp_path, environment={})
    lines = [int(p.where.split(":")[1].split()[0]) for p in caught.value.problems]
    assert lines == [4, 5, 9, 11]
    assert caught.value.exit_code == 2


def test_mistakes_in_sample_files_come_with_those_of_the_project(tmp_path: Path) -> None:
    (tmp_path / "befit.yaml").write_text(SOUND.replace("openai", "openia"))
    (tmp_path / "s.jsonl").write_text("{\n")
    with pytest.raises(ProjectError) as caught:
        load_project(tmp_path, environment={})
    assert [type(p).__name__ for p in caught.value.problems] == ["ConfigError", "DataError"]
    assert caught.value.exit_code == 2


def test_a_missing_project_says_how_to_begin(tmp_path: Path) -> None:
    with pytest.raises(ProjectError, match="there is no project file"):
        load_project(tmp_path)


def test_what_came_from_the_environment_is_never_shown(tmp_path: Path) -> None:
    shown = "sk-very-private"
    text = SOUND.replace("openai", "${S}").replace("extraction", "${S}")
    text = text.replace("temperature: 0", "temperature: '${S}'").replace("s.jsonl", "${S}.jsonl")
    text += "tiers: {big: {complexity: '${S}'}}\nrun: {seed: '${S}'}\n"
    (tmp_path / "befit.yaml").write_text(text)
    with pytest.raises(ProjectError) as caught:
        load_project(tmp_path, environment={"S": shown})
    assert len(caught.value.problems) == 6
    assert shown not in str(caught.value)
