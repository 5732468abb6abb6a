"""What each key of a file means, for the reference pages: the words that no docstring says yet.

`reference.py` fails when a key has neither a docstring nor words here.
"""

from __future__ import annotations

WORDS: dict[str, str] = {
    "Attachment.name": "Name of the file, for people.",
    "Attachment.url": "The file itself, as a `data:` URL.",
    "Branch.user": "What the user says then.",
    "Turn.user": "What the user says.",
    "Turn.checks": "Scorers of the answer to this turn.",
    "Turn.constraints": "Name -> scorer that this answer and all later ones must satisfy.",
    "Turn.lifts": "Names of constraints that end with this turn.",
    "RubricRow.name": "its name, as results show it",
    "RubricRow.question": "what is asked",
    "RubricRow.anchors": "the four steps in words, from the worst (1) to the best (4)",
    "Worked.question": "what was asked",
    "Worked.left": "the answer on the left",
    "Worked.right": "the answer on the right",
    "Worked.verdict": "the right verdict",
    "Worked.why": "why",
    "ProjectFile.project": "Name of the project; it heads the report.",
    "ProjectFile.candidates": "What is compared; see [candidate](#candidate).",
    "ProjectFile.scenarios": "The tasks; see [scenario](#scenario).",
    "ProjectFile.tiers": "Name -> what a task of this tier is worth; see [tier](#tier).",
    "ProjectFile.run": "How a run is executed; see [run](#run).",
    "ProjectFile.policy": "What must be reached; see [policy](#policy).",
    "ProjectFile.redaction": "What is removed from imported logs.",
    "ProjectFile.screening": "Public benchmark scores and their cut-offs.",
    "ProjectFile.defaults": "Keys laid under all that is listed; see [defaults](#defaults).",
    "ProjectFile.matrix": "Models x prompts x settings as candidates; see [matrix](#matrix).",
    "Candidate.name": "Unique name, shown everywhere.",
    "Candidate.target": "What answers: a [target](scorers-and-targets.md#targets) by name.",
    "Candidate.model": "Model id; for `function` a `module:attr`, for `local` a name or GGUF file.",
    "Candidate.base_url": "Address of the endpoint, without `/chat/completions`.",
    "Candidate.revision": "Your own note of the version served; part of the fingerprint.",
    "Candidate.api_key": "Key, as `${NAME}`. It is never stored.",
    "Candidate.prompt": "What is said around the sample; see [prompt](#prompt).",
    "Candidate.tools": "Tools the model is offered.",
    "Candidate.response_schema": "JSON Schema of the answer, for endpoints that enforce one.",
    "Candidate.sampling": "Sampling settings; see [sampling](#sampling).",
    "Candidate.stream": "Whether answers are streamed (else there is no time to first token).",
    "Candidate.options": "Options of the target.",
    "Candidate.price": "Price record, or `auto`: looked up in the price list; see [price](#price).",
    "Candidate.timeouts": "Time limits; see [timeouts](#timeouts).",
    "Candidate.limits": "How hard the endpoint may be driven; see [limits](#limits).",
    "Candidate.traits": "What is stated of the model; see [traits](#traits).",
    "Traits.context_tokens": "Size of its context window in tokens.",
    "Traits.tools": "Whether it can call tools.",
    "Traits.vision": "Whether it reads pictures.",
    "Prompt.system": "System message.",
    "Prompt.shots": "How many of the scenario's `examples` are shown before the sample.",
    "Prompt.templates": "Scenario name or `*` -> a template in place of the scenario's."
    " Comparisons across templates are marked as confounded.",
    "Sampling.temperature": "0 is greedy. Unset: the provider's default, which is warned of.",
    "Sampling.top_p": "Nucleus sampling.",
    "Sampling.max_tokens": "Longest answer in tokens; also the upper bound of a call's cost.",
    "Sampling.stop": "Texts at which the answer ends.",
    "Sampling.reasoning_effort": "As the provider names it.",
    "Timeouts.connect": "Seconds until the connection stands.",
    "Timeouts.first_token": "Seconds until the first token.",
    "Timeouts.idle": "Seconds between two tokens.",
    "Timeouts.total": "Seconds for the whole answer.",
    "Limits.concurrency": "Calls in flight at the same time.",
    "Limits.requests_per_minute": "Requests per minute.",
    "Limits.tokens_per_minute": "Tokens per minute, in and out together.",
    "Price.input": "Input tokens.",
    "Price.output": "Output tokens.",
    "Price.cache_read": "Input tokens read from the provider's cache.",
    "Price.cache_write_5m": "Input tokens written to a cache for five minutes.",
    "Price.cache_write_1h": "Input tokens written to a cache for an hour.",
    "Price.image_input": "Tokens of pictures.",
    "Price.audio_input": "Tokens of sound.",
    "Price.reasoning": "Tokens of reasoning.",
    "Price.audio_output": "Tokens of spoken answers.",
    "Price.per_request": "USD per request, besides tokens.",
    "Price.above": "Dearer rates from a prompt length on.",
    "Price.source": "Where the price is from.",
    "Price.as_of": "The day it was true.",
    "FileScenario.name": "Unique name.",
    "FileScenario.dimension": "The row of the matrix; see [dimensions](metrics.md#dimensions).",
    "FileScenario.tier": "Name of a tier.",
    "PromptVariant.name": "What it is called; a name of a rule alone is that rule.",
    "FileScenario.variants": "Other wordings; see [prompt variant](#prompt-variant).",
    "FileScenario.template": "The message; `{input}` and a sample's `vars` are filled in.",
    "FileScenario.user": "A simulated user, where the samples have no scripted turns.",
    "FileScenario.examples": "Worked examples (input, output) for candidates with `prompt.shots`.",
    "FileScenario.tools": "Tools of the task, offered to every candidate.",
    "FileScenario.response_schema": "JSON Schema of the answer, asked of every candidate.",
    "FileScenario.scorers": "How answers are judged: [scorers](scorers-and-targets.md#scorers).",
    "FileScenario.repeats": "How often each sample is asked.",
    "FileScenario.failure_modes": "Named ways to fail; see [failure mode](#failure-mode).",
    "FileScenario.accept": "Acceptance thresholds; see [accept](#accept).",
    "FileScenario.critical": "Whether the scenario is on the critical path.",
    "FileScenario.caps": "Limits of one trial with several turns or steps; see [caps](#caps).",
    "FileScenario.equality": "When two answers are the same; see [equality](#equality).",
    "FailureMode.name": "What the report calls it.",
    "FailureMode.label": "A scorer's label: a failed trial with a score of it belongs here, unless "
    "a mode above it fits as well: each failure counts once, under the first that fits.",
    "FailureMode.pattern": "Regular expression on the output, in place of a label.",
    "FailureMode.description": "For the reader.",
    "Accept.pass_rate": "Least pass rate.",
    "Accept.metrics": "Metric name -> least value.",
    "Caps.turns": "Scripted turns.",
    "Caps.steps": "Tool steps.",
    "Caps.tokens": "Tokens of all calls together.",
    "Caps.cost": "USD of all calls together.",
    "Equality.method": "`answer`: the canonical answer of the first scorer.",
    "Equality.threshold": "For `edit` and `embedding`: from this likeness on they are the same.",
    "FileTier.value": "USD that a right answer is worth.",
    "FileTier.cost_of_error": "USD that a wrong answer costs.",
    "FileTier.complexity": "For the reader.",
    "FileTier.volume_per_month": "Tasks per month.",
    "RunSettings.seed": "Every repeat gets its own seed from it. `fixed`: all repeats are the same"
    " call, and stability is not measured.",
    "RunSettings.allow_unknown_cost": "Whether candidates without a known price are run.",
    "RunSettings.timeouts": "Time limits for candidates that state none.",
    "RunSettings.label": "Measures anew under this name.",
    "Policy.gates": "Hard requirements; see [gate](#gate).",
    "Policy.require": "What a candidate must be; see [requirements](#requirements).",
    "Policy.complexity": "See [complexity factors](#complexity-factors).",
    "Requirements.tools": "Whether it must be able to call tools.",
    "Requirements.vision": "Whether it must read pictures.",
    "ComplexityFactors.low": "Factor on the cost of an error in tiers of low complexity.",
    "ComplexityFactors.medium": "The same for medium complexity.",
    "ComplexityFactors.high": "The same for high complexity.",
    "Policy.max_models": "Most models to be used together.",
    "Policy.fallback_from_other_provider": "Whether the fallback must be another provider's.",
    "Policy.budget_per_month": "USD per month.",
    "Gate.metric": "Name of a [metric](metrics.md).",
    "Gate.scenario": "Name of a scenario; none: each of them.",
    "Gate.floor": "Least value.",
    "Gate.ceiling": "Greatest value.",
    "Matrix.prompts": "Name -> a [prompt](#prompt).",
    "Matrix.samplings": "Name -> [sampling](#sampling) settings.",
    "Defaults.candidates": "Keys laid under every candidate.",
    "Defaults.scenarios": "Keys laid under every scenario.",
    "Example.input": "As a sample's input.",
    "Example.output": "The answer that is shown.",
    "ScorerSpec.name": "Name of a scorer.",
    "ScorerSpec.options": "Its options; `{match: {numeric: true}}` is short for both.",
    "Sample.id": "Unique in its file.",
    "Sample.input": "What is asked: a text, or messages `{role, content}`.",
    "Sample.turns": "Scripted user turns, in place of `input`.",
    "Sample.vars": "Further values for the template.",
    "Sample.target": "The right answer, in the form the scorer wants.",
    "Sample.checks": "Scorers for this sample alone.",
    "Sample.kind": "How it comes about: as usual, at the edge, or made to mislead.",
    "Sample.language": "Language code.",
    "Sample.tags": "Your own words.",
    "Sample.cluster": "Samples of one cluster (one document, one customer) are not independent;"
    " the intervals take account of it.",
    "Sample.weight": "How much it counts.",
    "Sample.tools": "Tools for this sample.",
    "Sample.attachments": "Files that go with it: a path, or `{name, path}`.",
    "Sample.observed": "An answer that was given in production.",
    "Sample.provenance": "Where it came from.",
    "Sample.added_on": "Day it was added.",
    "Sample.retired_on": "Day from which it is left out.",
}
EXIT_CODES = """
## Exit codes

| code | meaning |
|---|---|
| 0 | done |
| 1 | a fault of befit itself; the details are in the file it names |
| 2 | the command, project or workspace is wrong, or another process is at work on this very run |
| 3 | a gate failed, or (`decide`) some task tier has no candidate that is good enough |
| 4 | the evidence does not suffice |
| 5 | calls failed for good (no answer, a connection cut, a server down), or no room to write |
| 6 | the spend cap is reached; the same command resumes |
| 7 | a provider refused (key, model), or a local model is missing |
| 8 | a sample or data file is wrong |
| 9 | not allowed |
| 130 | interrupted (Ctrl-C, SIGTERM or SIGHUP); the same command resumes |

Ctrl-C, SIGTERM or SIGHUP once finishes what is in flight and prints the command that resumes, with
all the options it was given; twice stops at once; three times breaks off whatever runs.

Where several apply: 6 before 7 before 5 before 3 before 4.
"""

PROJECT = """\
A project is one YAML file, `befit.yaml`, and what it includes. `befit schema project` prints its
JSON Schema for editors; `befit init` writes it beside the project.

- `${NAME}` and `${NAME:-default}` come from the environment; `$${` is a literal `${`.
- `file: part.yaml` inside a mapping starts from that file's values; `file:prompt.txt` as a value
  is that file's text. Paths are relative to the file that names them.
- Keys that start with `x-` are free, for anchors.

Every mistake is reported with file, line, key and a suggestion, all at once, before any call.
"""

COMMANDS = """\
Data goes to stdout, talk to stderr. `--json` prints exactly one document
`{schema, ok, data, warnings, error}`. These options stand before the verb:
"""

LABEL_WORDS = """\
What `failure_modes.label` may name: the labels of scores that did not pass. A failed trial bears
the labels of all its scores and counts under the first mode that fits: name the special ones first.
{own} have labels of your own besides (names of instructions, verdicts, what your code returns).
"""
PLUGINS = """\
The built-in ones are [plug-ins](plug-ins.md) like your own. `befit plugins NAME` shows the same as
this page for whatever is installed.
"""

REPORT = """\
`befit report --format json` writes it, `befit report --json` puts it into the envelope's `data`,
`befit schema report` prints its JSON Schema. It holds the same numbers as every other form. Every
measured number is an Estimate: `value`, `low`, `high`, `level`, `n_samples`, `n_trials`,
`n_missing`, `method`; a `value` of null was not measured, and `method` says why.
"""
REVIEW = """\
`befit review create --settings review.yaml` reads them; without a file all defaults hold. They are
written down when the study is made and never change afterwards. `befit schema review` prints the
JSON Schema for editors. A list that is given (`tags`, `rubric`, `groups`, `worked`) replaces the
default one as a whole: to add a tag, give all that are wanted.
"""
