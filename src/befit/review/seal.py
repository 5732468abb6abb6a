"""The sealed mapping: encrypted at rest, committed to before the first vote, checked when opened.

The key of a study is a file beside the database, readable by its owner only; on
a database server it is kept by whoever made the study. Encryption is HMAC-SHA256
in counter mode with a second HMAC over it (encrypt, then authenticate): a
pseudorandom function is all that mode needs, and the standard library has it.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
from pathlib import Path

from befit.core.fingerprint import canonical_json
from befit.core.record import Record
from befit.errors import ForbiddenError, StoreError
from befit.review.records import Commitment, Sealed

_KEY, _NONCE, _TAG, _BLOCK = 32, 16, 32, 32
FOLDER = "review-keys"


def new_key() -> bytes:
    """Return a key for a study."""
    return secrets.token_bytes(_KEY)


def _own(key: bytes, purpose: bytes) -> bytes:
    return hmac.digest(key, b"befit review " + purpose, "sha256")


def _stream(key: bytes, nonce: bytes, size: int) -> bytes:
    blocks = (
        hmac.digest(key, nonce + number.to_bytes(8, "big"), "sha256")
        for number in range(-(-size // _BLOCK))
    )
    return b"".join(blocks)[:size]


def _mixed(key: bytes, nonce: bytes, text: bytes) -> bytes:
    pad = _stream(key, nonce, len(text))
    number = int.from_bytes(text, "big") ^ int.from_bytes(pad, "big")
    return number.to_bytes(len(text), "big")


def encrypt(key: bytes, text: bytes) -> bytes:
    """Return nonce, ciphertext and tag."""
    nonce = secrets.token_bytes(_NONCE)
    body = nonce + _mixed(_own(key, b"encrypt"), nonce, text)
    return body + hmac.digest(_own(key, b"tag"), body, "sha256")


def decrypt(key: bytes, sealed: bytes) -> bytes:
    """Return the text of `encrypt`.

    Raises:
        StoreError: another key, or the bytes were altered.
    """
    body, tag = sealed[:-_TAG], sealed[-_TAG:]
    if not hmac.compare_digest(hmac.digest(_own(key, b"tag"), body, "sha256"), tag):
        raise StoreError(
            "the sealed mapping cannot be opened",
            why="the key is of another study, or the mapping was altered",
            do="use the key file that was made with the study",
        )
    nonce = body[:_NONCE]
    return _mixed(_own(key, b"encrypt"), nonce, body[_NONCE:])


def commit(mapping: Sealed, *, salt: str) -> Commitment:
    """Return the commitment to a mapping, salt included; publish it without the salt."""
    told = salt + "\n" + canonical_json(mapping.model_dump(mode="json"))
    return Commitment(sha256=hashlib.sha256(told.encode()).hexdigest(), salt=salt)


def seal(mapping: Sealed, key: bytes) -> tuple[bytes, Commitment]:
    """Return the encrypted mapping, and the commitment as it may be published (without salt)."""
    made = commit(mapping, salt=secrets.token_hex(_NONCE))
    told = canonical_json({"salt": made.salt, "mapping": mapping.model_dump(mode="json")})
    return encrypt(key, told.encode()), Commitment(sha256=made.sha256)


def unseal(sealed: bytes, key: bytes, *, published: Commitment) -> tuple[Sealed, Commitment]:
    """Return the mapping and the commitment with its salt.

    Whoever may call this is decided by `unblinding.py`.

    Raises:
        StoreError: the key does not fit, the bytes were altered, or it is not the mapping that
            was committed to.
    """
    read = _Opened.model_validate_json(decrypt(key, sealed))
    made = commit(read.mapping, salt=read.salt)
    if made.sha256 != published.sha256:
        raise StoreError(
            "the mapping is not the one that was committed to",
            why=f"published {published.sha256[:12]}, found {made.sha256[:12]}",
            do="do not use this study: its mapping was exchanged after it was opened",
        )
    return read.mapping, made


def keep_key(folder: Path | None, study: str, key: bytes) -> Path | None:
    """Write a study's key beside the workspace's file; None where there is no folder."""
    if folder is None:
        return None
    place = folder / FOLDER
    place.mkdir(mode=0o700, exist_ok=True)
    path = place / f"{study}.key"
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w", encoding="ascii") as file:
        file.write(key.hex())
    return path


def find_key(folder: Path | None, study: str, *, given: Path | None = None) -> bytes:
    """Return a study's key from the workspace's folder or the file given.

    Raises:
        ForbiddenError: it is not there or cannot be read: this person has no access to it.
    """
    path = given or (None if folder is None else folder / FOLDER / f"{study}.key")
    if path is None:
        raise ForbiddenError("the key of the study is needed", do="name its file with --key-file")
    try:
        return bytes.fromhex(path.read_text(encoding="ascii").strip())
    except (OSError, ValueError):
        raise ForbiddenError(
            f"the key of study {study} cannot be read", where=str(path),
            why="it was made with the study, for its owner only",
        ) from None  # fmt: skip


class _Opened(Record):
    salt: str
    mapping: Sealed
