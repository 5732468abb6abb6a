"""The source of functions that are candidates: an answer is kept by its fingerprint, not by code.

A function that was edited answers as before from the store, for nothing that befit can see
of it has changed. Its module's file is hashed into the manifest of each run, so that a plan
can say so.
"""

from __future__ import annotations

import importlib.util
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from befit.plugins import OwnCode

if TYPE_CHECKING:
    from collections.abc import Iterator

    from befit.core.candidate import Candidate
    from befit.core.run import Manifest
    from befit.storage.workspace import Workspace


def source_of(candidate: Candidate) -> str | None:
    """Return the hash of the file a function target is in; None where there is no such file.

    The project's folder must be on the import path. What the file imports is not covered.
    """
    if candidate.target != "function":
        return None
    module = candidate.model.partition(":")[0]
    try:
        with OwnCode():
            found = importlib.util.find_spec(module)
        if found is None or not found.has_location or found.origin is None:
            return None
        return sha256(Path(found.origin).read_bytes()).hexdigest()[:16]
    except Exception:  # noqa: BLE001 - a package of the user's own may raise anything; loading it tells
        return None


def stale_sources(workspace: Workspace, made: Manifest) -> Iterator[str]:
    """Yield a warning for each candidate that other runs asked under other code.

    Runs of another label are measured anew, so they keep nothing for this one.
    """
    own = {c.candidate.name: c for c in made.candidates if c.source is not None}
    if not own:
        return
    asked = [
        (entry.fingerprint, entry.source, manifest.id)
        for manifest, _ in workspace.runs()
        if manifest.label == made.label
        for entry in manifest.candidates
        if entry.source is not None
    ]
    for name, entry in own.items():
        run = next((r for f, s, r in asked if f == entry.fingerprint and s != entry.source), None)
        if run is not None:
            yield (
                f"{name}: the file of {entry.candidate.model} has changed since run {run}, and its "
                "stored answers are taken as they are; give the candidate another `revision` to "
                "ask it again"
            )
