"""What `befit review` is asked for: the settings file, and items with known verdicts."""

from __future__ import annotations

from pathlib import Path

from befit.core.record import Json
from befit.errors import ConfigError, DataError
from befit.review.material import Known
from befit.review.settings import Settings


def read_settings(path: Path | None) -> Settings:
    """Return a study's settings; the defaults without a file.

    Raises:
        ConfigError: the file cannot be read.
        ProjectError: all that is wrong in it.
    """
    from pydantic import ValidationError  # noqa: PLC0415 - only for this form

    from befit.datasets.files_words import findings  # noqa: PLC0415 - only for this form
    from befit.errors import ProjectError  # noqa: PLC0415 - only for this form
    from befit.interop.plain_yaml import read_plain_yaml  # noqa: PLC0415 - only for this form

    if path is None:
        return Settings()
    try:
        value = read_plain_yaml(path.read_text(encoding="utf-8-sig"), file=str(path)) or {}
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError("the file cannot be read", where=str(path), why=str(error)) from error
    if isinstance(value, dict) and "review" in value:
        value = value["review"]
    try:
        return Settings.model_validate(value)
    except ValidationError as error:
        raise ProjectError([
            ConfigError(found.what, where=f"{path} {'.'.join(map(str, found.loc))}", do=found.do)
            for found in findings(error, value, model=Settings)
        ]) from error  # fmt: skip


def read_table(path: Path) -> list[tuple[int, dict[str, Json]]]:
    """Return the rows of a .csv, .jsonl, .json or .yaml file, each with its line.

    Raises:
        DataError: the first row that cannot be read.
    """
    from befit.datasets.files_lines import read_rows  # noqa: PLC0415 - only for this form

    if not path.is_file():
        raise DataError("the file does not exist", where=str(path))
    if path.suffix.lower() == ".csv":
        return _read_csv(path)
    found = []
    for raw in read_rows(path, name=str(path)):
        if raw.problem is not None:
            raise raw.problem
        if not isinstance(raw.value, dict):
            raise DataError("this is no row", where=f"{path}:{raw.line}")
        found.append((raw.line, raw.value))
    return found


def _read_csv(path: Path) -> list[tuple[int, dict[str, Json]]]:
    import csv  # noqa: PLC0415 - only for this form

    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader, found = csv.DictReader(file, strict=True), []
            for row in reader:
                told = {key: value for key, value in row.items() if key is not None}
                # the reader counts to a row's end; a quoted text may hold lines of its own
                inner = sum(value.count("\n") for value in told.values() if value)
                found.append((reader.line_num - inner, told))
            return found
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise DataError("this CSV cannot be read", where=str(path), why=str(error)) from None


def read_items(path: Path | None) -> tuple[Known, ...]:
    """Return items with known verdicts; none without a file."""
    from befit.pipeline.reviewing import read_known  # noqa: PLC0415 - only for this form

    if path is None:
        return ()
    rows = read_table(path)
    found = read_known([row for _, row in rows], file=str(path), lines=[line for line, _ in rows])
    if not found:
        raise DataError("there are no items in the file", where=str(path))
    return found
