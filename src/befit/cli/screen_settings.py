"""What `befit screen` is asked for: the project's section, a file of its own, options on top."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from befit.core.screening import BenchmarkSettings, ScreeningSettings
from befit.errors import ConfigError, UsageError

if TYPE_CHECKING:
    from befit.config.project import Project


def settings_of(
    project: Project | None,
    *,
    using: Path | None,
    cut_offs: Sequence[str],
    cut_dates: Sequence[str] = (),
) -> tuple[ScreeningSettings, Path]:
    """Return the settings and the folder that their tables are relative to.

    Raises:
        UsageError: an option cannot be read.
        ConfigError: the file of `--using` cannot be used.
    """
    settings, folder = ScreeningSettings(), Path()
    if using is not None:
        settings, folder = _read(using), using.parent
    elif project is not None and project.screening is not None:
        settings, folder = project.screening, project.folder
    benchmarks = dict(settings.benchmarks)
    for words in cut_offs:
        name, at, margin = _cut_off(words)
        known = benchmarks.get(name, BenchmarkSettings())
        benchmarks[name] = known.model_copy(update={"cut_off": at, "margin": margin})
    dates = settings.cut_dates | dict(map(_cut_date, cut_dates))
    return settings.model_copy(update={"benchmarks": benchmarks, "cut_dates": dates}), folder


def _cut_date(words: str) -> tuple[str, date]:
    name, found, day = words.rpartition("=")
    try:
        cut = date.fromisoformat(day.strip())
    except ValueError:
        found, cut = "", date.min
    if not found or not name.strip():
        raise UsageError(f"'{words}' is no cut date", do="write MODEL=2024-06-30")
    return name.strip(), cut


def _cut_off(words: str) -> tuple[str, float, float]:
    name, found, numbers = words.rpartition("=")
    at, _, margin = numbers.partition(":")
    try:
        values = float(at), float(margin or 0)
    except ValueError:
        found = ""
    if not found or not name.strip() or values[1] < 0:
        raise UsageError(
            f"'{words}' is no cut-off", do="write BENCHMARK=70, or BENCHMARK=70:2 with a margin"
        )
    return name.strip(), *values


def _read(path: Path) -> ScreeningSettings:
    from pydantic import ValidationError  # noqa: PLC0415 - only for this form

    from befit.datasets.files_words import findings  # noqa: PLC0415 - only for this form
    from befit.errors import ProjectError  # noqa: PLC0415 - only for this form
    from befit.interop.plain_yaml import read_plain_yaml  # noqa: PLC0415 - only for this form

    try:
        value = read_plain_yaml(path.read_text(encoding="utf-8-sig"), file=str(path)) or {}
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError("the file cannot be read", where=str(path), why=str(error)) from error
    if isinstance(value, dict) and "screening" in value:
        value = value["screening"]
    try:
        return ScreeningSettings.model_validate(value)
    except ValidationError as error:
        raise ProjectError([
            ConfigError(found.what, where=f"{path} {'.'.join(map(str, found.loc))}", do=found.do)
            for found in findings(error, value, model=ScreeningSettings)
        ]) from error  # fmt: skip
