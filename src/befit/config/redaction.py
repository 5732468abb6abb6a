"""The `redaction:` section alone: logs come before samples, so before a project can be whole."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from befit import plugins
from befit.config.load import FILE_NAME, importable
from befit.config.problems import Problems
from befit.config.source import Source
from befit.datasets.files_tree import plain
from befit.datasets.files_words import findings
from befit.datasets.redact_names import NameRecogniser, find_names
from befit.datasets.redact_options import Redaction


@dataclass(frozen=True, slots=True, kw_only=True)
class RedactionSettings:
    """What a project says of redaction, and its recogniser of names."""

    options: Redaction
    names: NameRecogniser


def load_redaction(path: Path) -> RedactionSettings:
    """Return the redaction of a project, or the defaults where there is no project yet.

    Raises:
        ProjectError: the section is not right.
        ConfigError: its recogniser of names cannot be loaded.
    """
    file = path / FILE_NAME if path.is_dir() else path
    if not file.is_file():
        return RedactionSettings(options=Redaction(), names=find_names)
    elsewhere, problems = Problems(), Problems()
    tree = Source(file, environment=os.environ, problems=elsewhere, keys_needed=False).read()
    if tree is None:
        elsewhere.raise_if_any()
        return RedactionSettings(options=Redaction(), names=find_names)
    node = tree.get("redaction")
    if node is None or node.value is None:
        return RedactionSettings(options=Redaction(), names=find_names)
    value, options = plain(node), Redaction()
    try:
        options = Redaction.model_validate(value)
    except ValidationError as error:
        problems.findings(findings(error, value, model=Redaction), node)
    problems.raise_if_any()
    names: NameRecogniser = find_names
    if options.names is not None:
        with importable(file.parent):
            names = plugins.load_object(options.names, where=node.where)
    return RedactionSettings(options=options, names=names)
