"""The numbers of the page as JSON inside it, so that a script or an auditor needs nothing else."""

from __future__ import annotations

import json
from dataclasses import replace

from markupsafe import Markup

from befit.report.document import Document
from befit.report.json import to_json


def embedded(document: Document) -> Markup:
    """Return the JSON report without its examples (they are in the page).

    No HTML parser can leave it: all of it is ASCII, and no `<` is in it.
    """
    numbers = to_json(replace(document, failures=(), passes=()))
    text = json.dumps(numbers, ensure_ascii=True, separators=(",", ":"))
    for char in "<>&":
        text = text.replace(char, f"\\u{ord(char):04x}")
    return Markup(text)  # noqa: S704 - no character that HTML reads is left in it
