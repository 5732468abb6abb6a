"""Writes docs/reference/constraints.md from the instruction kinds, so that the page cannot drift.

`python tools/constraints_reference.py` writes it, `--check` only compares (exit code 1: differs).
"""

from __future__ import annotations

import inspect
import sys
from pathlib import Path
from typing import get_args

from pydantic.fields import FieldInfo

from befit.scorers.instructions.base import Amount, Instruction
from befit.scorers.instructions.kinds import AnyInstruction

PAGE = Path(__file__).resolve().parents[1] / "docs" / "reference" / "constraints.md"
HEAD = """\
# Instructions of the `constraints` scorer

<!-- Written by tools/constraints_reference.py; change the docstrings, not this page. -->

The `constraints` scorer checks by rule whether an answer follows its instructions. Give them in
the scenario's scorers, or per sample in its `checks`:

```yaml
scorers:
  - constraints:
      instructions:
        - {kind: words, at_least: 50, less_than: 120}
        - {kind: language, code: fr}
        - {kind: forbidden, words: [sorry], id: no-excuses}
```

`constraints` is 1 when every instruction holds in the answer as it came (*strict*): its mean is the
format compliance rate. `constraints_loose` also accepts an answer that follows once its first line,
its last line, both, or its asterisks are taken away, as IFEval does; label `wrapped` marks answers
that pass only so. `instruction` and `instruction_loose` give one score per instruction, `part`
being its `id`, or its kind where it has none. An empty answer follows nothing.

Kinds that count take any of `at_least`, `at_most`, `less_than`, `more_than` and `exactly`
(called *bounds* below); every kind takes `id`.
"""
EXAMPLES = {
    "words": "at_least: 50, less_than: 120",
    "characters": "at_most: 280",
    "sentences": "exactly: 2",
    "paragraphs": "exactly: 3",
    "paragraph_start": "paragraph: 2, words: However",
    "lines": "at_most: 5",
    "keywords": "words: [refund, order number]",
    "keyword_count": "word: warranty, at_least: 2",
    "forbidden": "words: [sorry, unfortunately]",
    "letter_count": "letter: e, less_than: 10",
    "capital_words": "at_most: 2",
    "language": "code: de",
    "address": "form: formal, language: fr",
    "no_characters": 'characters: "!;"',
    "questions": "exactly: 1",
    "exclamations": "at_most: 1",
    "bullets": "exactly: 3",
    "numbered_list": "exactly: 5",
    "highlights": "at_least: 2",
    "table": "columns: [Name, Age], rows: 3",
    "sections": "marker: Section, exactly: 3",
    "placeholders": "at_least: 2",
    "starts_with": "phrase: Dear",
    "ends_with": "phrase: Kind regards",
    "sentence_endings": "ending: です",
    "nominal_endings": "at_least: 2",
    "one_of": "options: [approve, reject]",
    "matches": r"pattern: 'INV-\d{4}'",
    "only_scripts": "scripts: [hiragana]",
    "no_scripts": "scripts: [katakana]",
    "script_count": "script: kanji, less_than: 40",
    "words_with": "letters: áéíóú, at_least: 3",
    "spelling": "words: {strasse: Straße}",
}


def kinds() -> list[type[Instruction]]:
    """Return the classes of all kinds, in the order of `kinds.py`."""
    return list(get_args(get_args(AnyInstruction)[0]))


def page() -> str:
    """Return the whole page."""
    families: dict[str, list[type[Instruction]]] = {}
    for kind in kinds():
        families.setdefault(kind.__module__, []).append(kind)
    parts = [HEAD]
    for module, members in families.items():
        parts.append(f"\n## {_first_sentence(inspect.getdoc(sys.modules[module]) or '')}\n")
        parts += [_section(kind) for kind in members]
    return "".join(parts)


def _section(kind: type[Instruction]) -> str:
    name = kind.model_fields["kind"].default
    own = {
        field: info for field, info in kind.model_fields.items() if field not in Amount.model_fields
    }
    lines = [f"\n### `{name}`\n", f"\n{inspect.getdoc(kind)}\n", "\n"]
    if issubclass(kind, Amount):
        lines.append("- *bounds*\n")
    lines += [f"- `{field}`: {_describe(info)}\n" for field, info in own.items()]
    if lines[-1] != "\n":
        lines.append("\n")
    options = f", {EXAMPLES[name]}" if name in EXAMPLES else ""
    lines.append(f"```yaml\n- {{kind: {name}{options}}}\n```\n")
    return "".join(lines)


def _describe(info: FieldInfo) -> str:
    if info.is_required():
        return f"required, {_type(info)}"
    default = list(info.default) if isinstance(info.default, tuple) else info.default
    shown = {None: "not set", True: "true", False: "false", "": "empty"}
    said = shown.get(default) if not isinstance(default, list) else None
    return f"{_type(info)}; default {said or f'`{default}`'}"


def _type(info: FieldInfo) -> str:
    text = str(info.annotation)
    if "Literal" in text:
        names = [str(name) for name in _literals(info.annotation)]
        several = "list of " if "tuple" in text else ""
        return several + "one of " + ", ".join(f"`{name}`" for name in names)
    for sign, said in (
        ("dict", "mapping"),
        ("tuple", "list"),
        ("int", "number"),
        ("bool", "switch"),
    ):
        if sign in text:
            return said
    return "text"


def _literals(annotation: object) -> list[object]:
    found: list[object] = []
    for inner in get_args(annotation):
        if inner is not Ellipsis:
            found += _literals(inner) if get_args(inner) else [inner]
    return found


def _first_sentence(text: str) -> str:
    return text.split("\n", maxsplit=1)[0].rstrip(".")


def main() -> int:
    """Write the page, or with `--check` compare it."""
    text = page()
    if "--check" in sys.argv[1:]:
        return int(PAGE.read_text(encoding="utf-8") != text)
    PAGE.parent.mkdir(parents=True, exist_ok=True)
    PAGE.write_text(text, encoding="utf-8")
    print(PAGE)
    return 0


if __name__ == "__main__":
    sys.exit(main())
