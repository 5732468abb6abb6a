"""Writes the pages of docs/reference that can be read off the code, so that they cannot drift.

`python tools/reference.py` writes them, `--check` only compares (exit code 1: one differs).
"""

from __future__ import annotations

import ast
import inspect
import re
import sys
import textwrap
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import typer
from labels_reference import label_table
from pydantic import BaseModel
from reference_words import (
    COMMANDS,
    EXIT_CODES,
    PLUGINS,
    PROJECT,
    REPORT,
    REVIEW,
    WORDS,
)

from befit import plugins
from befit.cli.main import app
from befit.config.schema import Defaults, FileScenario, FileTier, Matrix, ProjectFile
from befit.core.candidate import Candidate, Limits, Prompt, Sampling, Timeouts, Traits
from befit.core.dimension import DIMENSIONS
from befit.core.policy import ComplexityFactors, Gate, Policy, Requirements
from befit.core.price import Price
from befit.core.prompt_variant import PromptVariant
from befit.core.run import RunSettings
from befit.core.sample import Attachment, Branch, Sample, Turn
from befit.core.scenario import Accept, Caps, Equality, FailureMode
from befit.report.json import report_schema
from befit.review.settings import Exclusion, RubricRow, Settings, Worked

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "reference"
NOTE = "<!-- Written by tools/reference.py; change the code or its words, not this page. -->"
_USED: set[str] = set()
REVIEW_SECTIONS: tuple[tuple[str, type[BaseModel]], ...] = (
    ("exclusion", Exclusion),
    ("rubric row", RubricRow),
    ("worked example", Worked),
)
SECTIONS: tuple[tuple[str, type[BaseModel]], ...] = (
    ("candidate", Candidate),
    ("prompt", Prompt),
    ("sampling", Sampling),
    ("limits", Limits),
    ("timeouts", Timeouts),
    ("price", Price),
    ("traits", Traits),
    ("scenario", FileScenario),
    ("failure mode", FailureMode),
    ("prompt variant", PromptVariant),
    ("accept", Accept),
    ("equality", Equality),
    ("caps", Caps),
    ("tier", FileTier),
    ("run", RunSettings),
    ("policy", Policy),
    ("gate", Gate),
    ("requirements", Requirements),
    ("complexity factors", ComplexityFactors),
    ("defaults", Defaults),
    ("matrix", Matrix),
)


_OURS = {
    ProjectFile,
    Attachment,
    Branch,
    Sample,
    Settings,
    Turn,
    *(model for _, model in (*SECTIONS, *REVIEW_SECTIONS)),
}
"""Models whose every key must have its words."""


def sections() -> list[tuple[str, type[BaseModel]]]:
    """Return the models a project file is made of: those with a title of ours first."""
    found: list[tuple[str, type[BaseModel]]] = list(SECTIONS)
    seen = {ProjectFile, *(model for _, model in SECTIONS)}
    waiting: list[type[BaseModel]] = [ProjectFile, *(model for _, model in SECTIONS)]
    while waiting:
        for field in waiting.pop(0).model_fields.values():
            for model in _models_in(field.annotation):
                if model not in seen:
                    seen.add(model)
                    waiting.append(model)
                    words = re.sub(r"(?<!^)(?=[A-Z])", " ", model.__name__).lower()
                    found.append((words, model))
    return found


def _models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for inner in get_args(annotation):
        yield from _models_in(inner)


def attribute_docs(model: type[BaseModel]) -> dict[str, str]:
    """Return the docstrings that stand below the fields of a model and its bases."""
    found: dict[str, str] = {}
    for cls in reversed(model.__mro__):
        if not issubclass(cls, BaseModel) or cls is BaseModel:
            continue
        body = ast.parse(textwrap.dedent(inspect.getsource(cls))).body[0]
        if not isinstance(body, ast.ClassDef):
            continue
        for one, after in zip(body.body, body.body[1:], strict=False):
            if (
                isinstance(one, ast.AnnAssign)
                and isinstance(one.target, ast.Name)
                and isinstance(after, ast.Expr)
                and isinstance(after.value, ast.Constant)
            ):
                found[one.target.id] = " ".join(str(after.value.value).split())
    return found


def type_of(schema: dict[str, Any]) -> str:
    """Return a JSON Schema as a few words."""
    if "enum" in schema:
        return " or ".join(f"`{one}`" for one in schema["enum"])
    if "const" in schema:
        return f"`{schema['const']}`"
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2].rpartition(".")[2] or "mapping"
    if "discriminator" in schema:
        return "instruction (see [constraints](constraints.md))"
    if forms := schema.get("anyOf") or schema.get("oneOf"):
        words = [type_of(one) for one in forms if one.get("type") != "null"]
        return " or ".join(dict.fromkeys(words))
    if schema.get("type") == "array":
        return f"list of {type_of(schema.get('items', {}))}"
    names = {"string": "text", "integer": "whole number", "boolean": "true or false"}
    names |= {"object": "mapping"}
    return names.get(str(schema.get("type", "")), str(schema.get("type", "any")))


def bounds(schema: dict[str, Any]) -> str:
    """Return the limits of a number, if it has any."""
    signs = {"minimum": "≥", "exclusiveMinimum": ">", "maximum": "≤", "exclusiveMaximum": "<"}
    parts = [schema, *schema.get("anyOf", [])]
    found = [
        f"{sign} {part[key]:g}" for part in parts for key, sign in signs.items() if key in part
    ]
    return f" ({', '.join(found)})" if found else ""


def table(model: type[BaseModel]) -> str:
    """Return a model's keys as a table."""
    schema = model.model_json_schema()
    if "$ref" in schema:  # a model that holds itself
        schema = schema["$defs"][type_of(schema)]
    docs = attribute_docs(model)
    rows = ["| key | value | default | meaning |", "|---|---|---|---|"]
    for key, inner in schema["properties"].items():
        if model is FileTier and key == "name":
            continue  # the name is the key of the tier
        word = f"{model.__name__}.{key}"
        meaning = docs.get(key) or inner.get("description") or WORDS.get(word, "")
        if key not in docs and "description" not in inner:
            (_USED if model in _OURS else set()).add(word)
        default = "**needed**" if key in schema.get("required", []) else shown(inner.get("default"))
        value = (type_of(inner) + bounds(inner)).replace("|", "\\|")
        rows.append(f"| `{key}` | {value} | {default} | {cell(meaning)} |")
    return "\n".join(rows) + "\n"


def cell(text: str) -> str:
    """Make a text fit a table's cell."""
    return " ".join(text.split()).replace("|", "\\|")


def shown(default: Any) -> str:
    """Return a default as it would be written."""
    if default in (None, "", [], {}) or isinstance(default, dict | list):
        return ""
    words = {True: "true", False: "false"}
    return f"`{words.get(default, default) if isinstance(default, bool) else default}`"


def first_paragraphs(documented: object) -> str:
    """Return a docstring without its sections of arguments and errors."""
    text = inspect.getdoc(documented) or ""
    return text.split("\nRaises:")[0].split("\nArgs:")[0].strip()


def project_page() -> str:
    """Return the page of the project file."""
    parts = [f"# The project file\n\n{NOTE}\n\n{PROJECT}\n## project\n\n{table(ProjectFile)}"]
    for title, model in sections():
        about = first_paragraphs(model)
        parts.append(f"\n## {title}\n\n{about}\n\n{table(model)}")
    return "".join(parts)


def sample_page() -> str:
    """Return the page of sample files."""
    return (
        f"# Sample files\n\n{NOTE}\n\n"
        "JSONL, CSV, TSV, JSON and YAML files of samples, or the samples themselves as a list in"
        " the scenario. JSONL and CSV are streamed: memory does not grow with their number. In CSV"
        " each column is a key of the sample. `befit schema sample` prints the JSON Schema.\n\n"
        + table(Sample)
        + "\nExactly one of `input` and `turns` is given. Targets, checks and tags are not part of"
        " a trial's key: mending them costs no new call (`befit score`).\n"
        f"\n## turn\n\n{first_paragraphs(Turn)}\n\n{table(Turn)}"
        f"\n## branch\n\n{first_paragraphs(Branch)}\n\n{table(Branch)}"
        f"\n## attachment\n\n{first_paragraphs(Attachment)}\n\n{table(Attachment)}"
    )


def cli_page() -> str:
    """Return the page of verbs and exit codes."""
    group = typer.main.get_command(app)
    parts = [f"# The command line\n\n{NOTE}\n\n{COMMANDS}\n{_options(group.params)}"]
    for name, command in getattr(group, "commands", {}).items():
        parts += _verb(name, command)
    return "".join(parts) + EXIT_CODES


def _verb(name: str, command: Any, *, level: int = 2) -> Iterator[str]:
    """Yield the section of a verb, and of each verb under it."""
    arguments = " ".join(
        f"[{p.name.upper()}]" if not p.required else p.name.upper()
        for p in command.params
        if p.param_type_name == "argument"
    )
    usage = " ".join(f"befit {name} {arguments}".split())
    head = "#" * level
    yield f"\n{head} {name}\n\n`{usage}`\n\n{inspect.cleandoc(command.help or '')}\n"
    options = _options(command.params)
    yield f"\n{options}" if options else ""
    for under, one in getattr(command, "commands", {}).items():
        yield from _verb(f"{name} {under}", one, level=level + 1)


def _options(params: Iterable[Any]) -> str:
    lines = []
    for one in params:
        if one.name in {"help", "install_completion", "show_completion"}:
            continue
        argument = one.param_type_name == "argument"
        names = one.name.upper() if argument else ", ".join(one.opts)
        choices = _choices(one)
        words = one.help or ""
        words += f" One of {', '.join(choices)}." if choices else ""
        lines.append(f"- `{names}`: {cell(words)}")
    return "\n".join(lines) + "\n" if lines else ""


def _choices(param: Any) -> tuple[str, ...]:
    """Return the words a parameter takes (typer keeps them in one of two places)."""
    described = getattr(param, "type_descriptor", None)
    if described is not None:
        annotation = described.annotation
        return get_args(annotation) if get_origin(annotation) is Literal else ()
    return tuple(getattr(param.type, "choices", ()))


def plugins_page() -> str:
    """Return the page of scorers, targets and similarities with their options."""
    parts = [f"# Scorers, targets and similarities\n\n{NOTE}\n\n{PLUGINS}"]
    kinds = (("befit.scorers", "Scorers"), ("befit.targets", "Targets"))
    for group, title in (*kinds, ("befit.similarities", "Similarities")):
        parts.append(f"\n## {title}\n")
        for name in plugins.available(group):
            factory = plugins.load(group, name)
            if not factory.__module__.startswith("befit."):
                continue
            module = inspect.getdoc(sys.modules[factory.__module__]) or ""
            parts.append(f"\n### {name}\n\n{_as_text(module)}\n")
            options = getattr(factory, "Options", None)
            if options is not None:
                parts.append("\n" + _plugin_options(options))
        if group == "befit.scorers":
            parts.append(label_table())
    return "".join(parts)


def _as_text(module: str) -> str:
    """Return a module's docstring, its indented parts as blocks of code."""
    blocks: list[str] = []
    for paragraph in module.split("\n\n"):
        if paragraph.startswith("    "):
            blocks.append(f"```text\n{textwrap.dedent(paragraph)}\n```")
        else:
            blocks.append(paragraph)
    return "\n\n".join(blocks)


def _plugin_options(options: type[BaseModel]) -> str:
    schema = options.model_json_schema()
    docs = attribute_docs(options)
    rows = ["| option | value | default | meaning |", "|---|---|---|---|"]
    for key, inner in schema.get("properties", {}).items():
        meaning = inner.get("description") or docs.get(key, "")
        default = "**needed**" if key in schema.get("required", []) else shown(inner.get("default"))
        value = type_of(inner) + bounds(inner)
        rows.append(f"| `{key}` | {cell(value)} | {default} | {cell(meaning)} |")
    return "\n".join(rows) + "\n"


def report_page() -> str:
    """Return the page of the JSON report."""
    schema = report_schema()
    parts = [f"# The JSON report\n\n{NOTE}\n\n{REPORT}"]
    parts.append(f"\n## The document\n\n{_properties(schema)}")
    for name in REPORT_PARTS:
        definition = schema["$defs"][name]
        about = " ".join(str(definition.get("description", "")).split())
        parts.append(f"\n## {name}\n\n{about}\n\n{_properties(definition)}")
    return "".join(parts)


REPORT_PARTS = (
    *("Estimate", "Provenance", "Analysis", "MatrixRow", "Cell", "PairDifference"),
    *("StabilityCell", "UsabilityCell", "EngineeringCell", "FieldCell", "FailureCount"),
    *("PairProfile", "WeakSpot", "Finding", "ExampleTrial", "Quote"),
)


def _properties(definition: dict[str, Any]) -> str:
    rows = ["| key | value |", "|---|---|"]
    rows += [f"| `{key}` | {cell(type_of(one))} |" for key, one in definition["properties"].items()]
    return "\n".join(rows) + "\n"


def metrics_page() -> str:
    """Return the page of metrics with its table of dimensions made anew; the rest is by hand."""
    text = (FOLDER / "metrics.md").read_text(encoding="utf-8")
    rows = ["| dimension | headline metric | score it is read from |", "|---|---|---|"]
    for dimension in DIMENSIONS:
        titles = "; ".join(headline.title for headline in dimension.headlines)
        scores = "; ".join(f"`{headline.score}`" for headline in dimension.headlines)
        rows.append(f"| `{dimension.slug}` | {titles} | {scores} |")
    lines = "\n".join(rows)
    return re.sub(r"\| dimension \|.*?\n(?=\n)", lambda _: f"{lines}\n", text, flags=re.DOTALL)


def review_page() -> str:
    """Return the page of a review study's settings."""
    parts = [f"# The settings of a review\n\n{NOTE}\n\n{REVIEW}\n## settings\n\n{table(Settings)}"]
    for title, model in REVIEW_SECTIONS:
        parts.append(f"\n## {title}\n\n{first_paragraphs(model)}\n\n{table(model)}")
    parts.append("\n## The tags there are\n\n" + "".join(f"- {tag}\n" for tag in Settings().tags))
    return "".join(parts)


PAGES = {
    "review-file.md": review_page,
    "metrics.md": metrics_page,
    "project-file.md": project_page,
    "sample-files.md": sample_page,
    "cli.md": cli_page,
    "scorers-and-targets.md": plugins_page,
    "report-json.md": report_page,
}


def main() -> int:
    """Write or compare every page."""
    differs = []
    for name, make in PAGES.items():
        path, text = FOLDER / name, make()
        if "--check" not in sys.argv:
            path.write_text(text, encoding="utf-8")
        elif not path.is_file() or path.read_text(encoding="utf-8") != text:
            differs.append(name)
    if lacking := sorted(_USED - set(WORDS)):
        print(f"no words in tools/reference_words.py (and no docstring) for: {', '.join(lacking)}")
        return 1
    for name in differs:
        print(f"docs/reference/{name} is out of date: python tools/reference.py")
    return 1 if differs else 0


if __name__ == "__main__":
    sys.exit(main())
