"""YAML files of other people as plain values: safe types only, one clear line where it is none."""

from __future__ import annotations

from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.constructor import SafeConstructor
from ruamel.yaml.error import MarkedYAMLError, YAMLError

from befit.errors import DataError

MOST_CHARACTERS = 20_000_000
_DATE = "tag:yaml.org,2002:timestamp"


class _Plain(SafeConstructor):
    """Leaves dates as they were written. A class of our own, so that no other reader changes."""


_Plain.add_constructor(_DATE, SafeConstructor.construct_yaml_str)


def read_plain_yaml(text: str, *, file: str) -> Any:
    """Return the value of a YAML text.

    Raises:
        DataError: it is too large or no YAML; keys that occur twice are refused.
    """
    if len(text) > MOST_CHARACTERS:
        raise DataError("the YAML file is too large", where=file, do="use CSV or JSON")
    try:
        yaml = YAML(typ="safe", pure=True)
        yaml.Constructor = _Plain
        return yaml.load(text)
    except MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise DataError(
            "this is no YAML", where=f"{file}:{line}", why=str(error.problem or "")
        ) from error
    except (YAMLError, ValueError, RecursionError) as error:
        raise DataError("this is no YAML", where=file, why=str(error)[:200]) from error
