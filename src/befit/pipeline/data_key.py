"""The secret behind the pseudonyms of a workspace: made once, kept beside it, never inside it."""

from __future__ import annotations

import os
import secrets

from befit.storage.workspace import Workspace

FILE = "redaction.key"
VARIABLE = "BEFIT_REDACTION_KEY"
_BYTES = 32


def redaction_key(workspace: Workspace) -> tuple[bytes, bool]:
    """Return the key, and whether the next import will have the same one.

    `$BEFIT_REDACTION_KEY` goes before the file. With the key, somebody who has
    a guess can test it, so the file is for its owner only; without it,
    pseudonyms mean nothing to anybody. A server's workspace has no folder: its
    key lasts for one import unless the variable is set.
    """
    given = os.environ.get(VARIABLE)
    if given:
        return given.encode(), True
    made = secrets.token_bytes(_BYTES)
    if workspace.folder is None:
        return made, False
    path = workspace.folder / FILE
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return path.read_bytes(), True
    with os.fdopen(handle, "wb") as file:
        file.write(made)
    return made, True
