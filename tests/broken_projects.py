"""A sound project, and changes that break it: each has one clear message."""

from __future__ import annotations

from dataclasses import dataclass

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


def adding(new: str, where: str, words: str, *files: tuple[str, bytes]) -> Broken:
    """Put keys at the top of the sound project."""
    return Broken("project: desk\n", f"project: desk\n{new}", where, words, files)


BROKEN: dict[str, Broken] = {
    "unknown key": adding("runn: {}\n", "befit.yaml:2 runn", "did you mean 'run'?"),
    "foreign key": adding(
        "providers: []\n", "befit.yaml:2 providers", "did you mean 'candidates'?"
    ),
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
    "two documents": adding("---\na: 1\n", "befit.yaml:2", "several documents"),
    "custom tag": adding("x-a: !!python/name:os.system\n", "befit.yaml:2 x-a", "is not allowed"),
    "alias bomb": adding(
        "x-a: &a [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n"
        + "".join(
            f"x-{c}: &{c} [{', '.join([f'*{b}'] * 10)}]\n"
            for b, c in zip("abcdef", "bcdefg", strict=True)
        ),
        "befit.yaml:2 x-f[0][6][8][8][8][7]",
        "expand without end",
    ),
    "alias circle": adding("x-a: &a [*a]\n", "befit.yaml:2 x-a[0]", "expand without end"),
    "unknown alias": adding("x-a: *b\n", "befit.yaml:2", "define the anchor"),
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
        "use api_key, or ${NAME} in a header: these are sent and never stored",
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
}
