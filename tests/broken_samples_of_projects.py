"""More changes that break a sound project: in its samples and beyond."""

from __future__ import annotations

from broken_projects import GATE, MATRIX, Broken, adding

BROKEN_SAMPLES: dict[str, Broken] = {
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
    "unknown gate scenario": adding(
        "policy: {gates: [{scenario: totl, metric: pass_rate, floor: 0.9}]}\n",
        "befit.yaml:2 policy.gates[0].scenario",
        "did you mean 'total'?",
    ),
    "unknown gate metric": adding(
        "policy: {gates: [{scenario: total, metric: pas_rate, floor: 0.9}]}\n",
        "befit.yaml:2 policy.gates[0].metric",
        "did you mean 'pass_rate'?",
    ),
    "gate with two limits": adding(
        "policy: {gates: [{metric: pass_rate, floor: 0.9, ceiling: 1}]}\n",
        "befit.yaml:2 policy.gates[0]",
        "exactly one of 'floor' and 'ceiling'",
    ),
    "gate in percent": adding(
        "policy: {gates: [{metric: pass_rate, floor: 90}]}\n",
        "befit.yaml:2 policy.gates[0].floor",
        "write 0.9 for 90 %",
    ),
    "gates that exclude each other": adding(
        GATE + "  - {metric: pass_rate, ceiling: 0.5}\n",
        "befit.yaml:5 policy.gates[1]",
        "nothing can pass",
    ),
    "a gate on one scenario that excludes the one on all": adding(
        GATE + "  - {scenario: total, metric: pass_rate, ceiling: 0.5}\n",
        "befit.yaml:5 policy.gates[1]",
        "nothing can pass",
    ),
    "a fallback that no provider can be": adding(
        "policy: {fallback_from_other_provider: true, require: {providers: [openai]}}\n",
        "befit.yaml:2 policy.fallback_from_other_provider",
        "allows only one",
    ),
    "traffic of nobody": adding(
        "policy: {traffic: {totl: 1}}\n",
        "befit.yaml:2 policy.traffic.totl",
        "did you mean 'total'?",
    ),
    "margin for nobody": adding(
        "policy: {margins: {totl: 0.1}}\n",
        "befit.yaml:2 policy.margins.totl",
        "did you mean 'total'?",
    ),
    "gate twice": adding(
        GATE + "  - {metric: pass_rate, floor: 0.5}\n",
        "befit.yaml:5 policy.gates[1]",
        "repeats gates[0]",
    ),
    "weight for nobody": adding(
        "policy: {weights: {extracton: 1}}\n",
        "befit.yaml:2 policy.weights.extracton",
        "'extraction'",
    ),
    "tier value": adding(
        "tiers: {big: {value: lots}}\n", "befit.yaml:2 tiers.big.value", "must be a number"
    ),
    "tier complexity": adding(
        "tiers: {big: {complexity: hi}}\n", "befit.yaml:2 tiers.big.complexity", "'high'"
    ),
    "run setting": adding(
        "run: {concurency: 5}\n", "befit.yaml:2 run.concurency", "did you mean 'concurrency'?"
    ),
    "seed": adding("run: {seed: fixd}\n", "befit.yaml:2 run.seed", "did you mean 'fixed'?"),
    "unknown default": adding(
        "defaults: {candidate: {}}\n", "befit.yaml:2 defaults.candidate", "'candidates'"
    ),
    "mistake in the defaults": adding(
        "defaults: {candidates: {strem: true}}\n",
        "befit.yaml:2 defaults.candidates.strem",
        "did you mean 'stream'?",
    ),
    "matrix clash": adding(
        MATRIX + "  name: a\n",
        "befit.yaml:3 matrix.models.m",
        "two candidates are called 'a'",
    ),
    "matrix pattern": adding(
        MATRIX + "  name: 'x-{modl}'\n",
        "befit.yaml:5 matrix.name",
        "did you mean 'model'?",
    ),
    "matrix exclusion": adding(
        MATRIX + "  exclude: [{model: x}]\n",
        "befit.yaml:5 matrix.exclude[0]",
        "matches no combination",
    ),
    "matrix key": adding(
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
