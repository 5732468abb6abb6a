"""Survivors of a screening, written into `befit.yaml` as candidates.

Lines are added and none is changed, so comments, order and quotes stay as they
were. A model that a candidate names already is left alone. The file is replaced
in one step, and only if it still reads as YAML.
"""

from __future__ import annotations

import io
import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError
from ruamel.yaml.nodes import MappingNode, Node, SequenceNode

from befit.core.screening import Screening, ScreeningSettings
from befit.errors import ConfigError, UsageError

FILE_NAME = "befit.yaml"
MOST = 30
_WIDE = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """What was put into the file."""

    path: Path
    added: tuple[str, ...]
    there: tuple[str, ...]
    """Survivors that the file names already."""
    section: bool
    """Whether the `screening:` section was added."""


def write_survivors(
    path: Path, screening: Screening, settings: ScreeningSettings, *, tables: Sequence[Path]
) -> Written:
    """Add the survivors as candidates, and the `screening:` section if there is none.

    Args:
        path: the project file or its folder.
        screening: what was found.
        settings: cut-offs and what is known, for the section.
        tables: the tables, written relative to the file.

    Raises:
        UsageError: too many survivors, or nothing excluded anybody.
        ConfigError: the file cannot be read or written, or includes its candidates.
    """
    file = path / FILE_NAME if path.is_dir() else path
    if not screening.verdicts:
        raise UsageError(
            "nobody was screened out, so nothing is written",
            why="no cut-off is stated",
            do="state one: --cut-off 'NAME=70'",
        )
    if len(screening.survivors) > MOST:
        raise UsageError(
            f"{len(screening.survivors)} models survive; at most {MOST} are written",
            do="raise a cut-off, or name models under 'screening.models'",
        )
    text, root = _read(file)
    listed = _entry(root, "candidates")
    if listed is not None and not (isinstance(listed, SequenceNode) and not listed.flow_style):
        raise ConfigError(
            "candidates are no list of lines here, so none can be added",
            where=f"{file} candidates",
            do="write them as '- name: ...' in this file",
        )
    known = _known(root)
    added = [model for model in screening.survivors if model not in known]
    outcome = {one.model: one.outcome.replace("_", " ") for one in screening.models}
    lines = text.splitlines(keepends=True)
    end = "\r\n" if "\r\n" in text else "\n"
    if lines and not lines[-1].endswith("\n"):
        lines[-1] += end
    section = _entry(root, "screening") is None
    if section:
        told = _section(settings, [_relative(table, file) for table in tables])
        lines += [end, *(f"{line}{end}" for line in _dumped({"screening": told}))]
    if added:
        day = screening.made_on[:10]
        notes = {model: f"screened on {day}: {outcome[model]}" for model in added}
        _insert(lines, root, listed, notes, end)
    _replace(file, "".join(lines))
    there = [model for model in screening.survivors if model in known]
    return Written(path=file, added=tuple(added), there=tuple(there), section=section)


def _read(file: Path) -> tuple[str, MappingNode]:
    try:
        text = file.read_bytes().decode("utf-8")
        root = YAML(typ="safe", pure=True).compose(text)
    except OSError as error:
        raise ConfigError(
            f"there is no project file '{file}'", why=error.strerror or "", do="befit init"
        ) from error
    except (YAMLError, UnicodeDecodeError) as error:
        first = str(error).strip().splitlines()[0]
        raise ConfigError("this is no YAML", where=str(file), why=first) from error
    if not isinstance(root, MappingNode):
        raise ConfigError("a project is a mapping", where=str(file))
    return text, root


def _pairs(node: object) -> dict[str, Node]:
    """Return the entries of a mapping node by key; empty for anything else."""
    return {str(k.value): v for k, v in node.value} if isinstance(node, MappingNode) else {}


def _entry(root: MappingNode, key: str) -> Node | None:
    return _pairs(root).get(key)


def _insert(
    lines: list[str],
    root: MappingNode,
    listed: SequenceNode | None,
    notes: dict[str, str],
    end: str,
) -> None:
    """Put the new candidates after the last one, before blank lines and comments that follow."""
    if listed is None:
        heads = {str(key.value): key.start_mark.line for key, _ in root.value}
        at, indent = heads.get("scenarios", len(lines)), 2
        head = [f"candidates:{end}"]
    else:
        at, indent, head = listed.end_mark.line, listed.start_mark.column, []
        while at > 0 and (not lines[at - 1].strip() or lines[at - 1].lstrip().startswith("#")):
            at -= 1
    made = head
    for model, note in notes.items():
        made.append(f"{' ' * indent}# {note}; set target, base_url and api_key{end}")
        entry = {"name": model[:100], "target": "openai", "model": model}
        made += [f"{' ' * indent}{line}{end}" for line in _dumped([entry])]
    lines[at:at] = made


def _dumped(value: object) -> list[str]:
    yaml, out = YAML(), io.StringIO()
    yaml.width = _WIDE
    yaml.dump(value, out)
    return out.getvalue().splitlines()


def _known(root: MappingNode) -> set[str]:
    """Return the names and models that the file's candidates and matrices bear."""
    listed = _entry(root, "candidates")
    rows = [_pairs(one) for one in listed.value] if isinstance(listed, SequenceNode) else []
    names: set[str] = set()
    matrix = _entry(root, "matrix")
    for one in matrix.value if isinstance(matrix, SequenceNode) else [matrix]:
        models = _pairs(_pairs(one).get("models"))
        names.update(models)
        rows += [_pairs(model) for model in models.values()]
    for row in rows:
        names.update(str(row[key].value) for key in ("name", "model") if key in row)
    return names


def _relative(table: Path, file: Path) -> str:
    return Path(os.path.relpath(table.resolve(), file.parent.resolve())).as_posix()


def _section(settings: ScreeningSettings, tables: Sequence[str]) -> dict[str, Any]:
    told = settings.model_dump(mode="json", exclude_defaults=True, exclude={"table"})
    return {"table": tables[0] if len(tables) == 1 else list(tables), **told}


def _replace(file: Path, text: str) -> None:
    """Replace the file in one step; what would no longer read as YAML is not written."""
    YAML(typ="safe", pure=True).compose(text)
    try:
        handle, name = tempfile.mkstemp(dir=file.parent, prefix=".befit-", suffix=".yaml")
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as draft:
            draft.write(text)
        Path(name).chmod(file.stat().st_mode & 0o777)
        Path(name).replace(file)
    except OSError as error:
        raise ConfigError(
            "the project file cannot be written", where=str(file), why=error.strerror or ""
        ) from error
