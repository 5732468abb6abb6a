"""Survivors of a screening, written into `befit.yaml` as candidates; comments and order stay.

Only what is missing is added: a model that a candidate names already is left
alone. The file is replaced in one step, and only if it still reads as YAML.
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
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.error import YAMLError

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
    yaml = _yaml()
    text, tree = _read(file, yaml)
    candidates = tree.get("candidates")
    if candidates is None:
        candidates = CommentedSeq()
        tree.insert(_place(tree), "candidates", candidates)
    if not isinstance(candidates, CommentedSeq):
        raise ConfigError(
            "candidates are no list here, so none can be added",
            where=f"{file} candidates",
            do="write the list into this file",
        )
    known = _known(tree, candidates)
    added = [model for model in screening.survivors if model not in known]
    outcome = {one.model: one.outcome.replace("_", " ") for one in screening.models}
    for model in added:
        note = f"screened on {screening.made_on[:10]}: {outcome[model]}"
        candidates.append(_candidate(model))
        candidates.yaml_set_comment_before_after_key(
            len(candidates) - 1, before=f"{note}; set target, base_url and api_key", indent=2
        )
    section = "screening" not in tree
    if section:
        tree["screening"] = _section(settings, [_relative(t, file) for t in tables])
    _replace(file, text, tree, yaml)
    there = [model for model in screening.survivors if model in known]
    return Written(path=file, added=tuple(added), there=tuple(there), section=section)


def _yaml() -> YAML:
    yaml = YAML(typ="rt")
    yaml.preserve_quotes = True
    yaml.width = _WIDE
    yaml.indent(mapping=2, sequence=4, offset=2)
    return yaml


def _read(file: Path, yaml: YAML) -> tuple[str, CommentedMap]:
    try:
        text = file.read_text(encoding="utf-8")
        tree = yaml.load(text)
    except OSError as error:
        raise ConfigError(
            f"there is no project file '{file}'", why=error.strerror or "", do="befit init"
        ) from error
    except (YAMLError, UnicodeDecodeError) as error:
        first = str(error).strip().splitlines()[0]
        raise ConfigError("this is no YAML", where=str(file), why=first) from error
    if not isinstance(tree, CommentedMap):
        raise ConfigError("a project is a mapping", where=str(file))
    return text, tree


def _place(tree: CommentedMap) -> int:
    keys = list(tree)
    return keys.index("scenarios") if "scenarios" in keys else len(keys)


def _known(tree: CommentedMap, candidates: CommentedSeq) -> set[str]:
    names: set[str] = set()
    rows: list[Any] = [one for one in candidates if isinstance(one, dict)]
    matrices = tree.get("matrix") or []
    for matrix in [matrices] if isinstance(matrices, dict) else matrices:
        models = matrix.get("models") or {} if isinstance(matrix, dict) else {}
        names.update(map(str, models))
        rows += [one for one in models.values() if isinstance(one, dict)]
    for row in rows:
        names.update(str(row[key]) for key in ("name", "model") if row.get(key))
    return names


def _candidate(model: str) -> CommentedMap:
    made = CommentedMap()
    made["name"] = model[:100]
    made["target"] = "openai"
    made["model"] = model
    return made


def _relative(table: Path, file: Path) -> str:
    return Path(os.path.relpath(table.resolve(), file.parent.resolve())).as_posix()


def _section(settings: ScreeningSettings, tables: Sequence[str]) -> dict[str, Any]:
    told = settings.model_dump(mode="json", exclude_defaults=True, exclude={"table"})
    return {"table": tables[0] if len(tables) == 1 else list(tables), **told}


def _replace(file: Path, before: str, tree: CommentedMap, yaml: YAML) -> None:
    out = io.StringIO()
    yaml.dump(tree, out)
    text = out.getvalue()
    if "\r\n" in before:
        text = text.replace("\n", "\r\n")
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
