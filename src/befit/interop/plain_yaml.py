"""YAML files of other people as plain values: safe types only, one clear line where it is none."""

from __future__ import annotations

from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError

from befit.errors import DataError

MOST_CHARACTERS = 20_000_000


def read_plain_yaml(text: str, *, file: str) -> Any:
    """Return the value of a YAML text.

    Raises:
        DataError: it is too large or no YAML; keys that occur twice are refused.
    """
    if len(text) > MOST_CHARACTERS:
        raise DataError("the YAML file is too large", where=file, do="use CSV or JSON")
    try:
        return YAML(typ="safe", pure=True).load(text)
    except MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise DataError(
            "this is no YAML", where=f"{file}:{line}", why=str(error.problem or "")
        ) from error
    except (YAMLError, ValueError, RecursionError) as error:
        raise DataError("this is no YAML", where=file, why=str(error)[:200]) from error
