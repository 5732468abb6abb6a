"""The numbers of the page as JSON inside it, so that a script or an auditor needs nothing else."""

from __future__ import annotations

import json
from dataclasses import asdict, is_dataclass

from markupsafe import Markup

from befit.core.record import Json
from befit.report.document import Document

SCHEMA = "befit/report-numbers/1"


def _default(value: object) -> Json:
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    return str(value)


def embedded(document: Document) -> Markup:
    """Return the analysis as JSON that no HTML parser can leave: all of it ASCII, no `<`."""
    numbers = {
        "schema": SCHEMA,
        "provenance": document.provenance,
        "conclusion": document.conclusion,
        "equality": document.equality,
        "analysis": document.analysis,
    }
    text = json.dumps(numbers, default=_default, ensure_ascii=True, separators=(",", ":"))
    for char in "<>&":
        text = text.replace(char, f"\\u{ord(char):04x}")
    return Markup(text)  # noqa: S704 - no character that HTML reads is left in it
