"""Files that go with a sample, read into `data:` URLs.

Sample files may come from anywhere, so a path in one never leaves the project
folder (symbolic links included), and only listed types up to a limit are read.
"""

from __future__ import annotations

import base64
from dataclasses import dataclass
from pathlib import Path

from befit.datasets.files_pictures import broken

MAX_BYTES = 5_000_000
"""Bytes of one attachment."""
MAX_ATTACHMENTS = 20
"""Attachments of one sample."""

TYPES = {
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".gif": "image/gif",
    ".webp": "image/webp",
    ".txt": "text/plain",
    ".md": "text/markdown",
    ".csv": "text/csv",
    ".json": "application/json",
    ".html": "text/html",
}


class AttachmentError(ValueError):
    """An attachment that is refused or cannot be read; the text says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Folder:
    """Where attachments are: relative to `base`, never outside `root`."""

    base: Path
    root: Path

    def data_url(self, written: str) -> str:
        """Return the file at the path `written` in a sample file as a `data:` URL.

        Raises:
            AttachmentError: absolute, outside the project folder, missing, too
                large, empty, a broken picture, or of a type that is not sent to models.
        """
        if Path(written).is_absolute() or "\\" in written or "\0" in written:
            raise AttachmentError(f"'{written}' must be a relative path with '/'")
        path = (self.base / written).resolve()
        if not path.is_relative_to(self.root.resolve()):
            raise AttachmentError(f"'{written}' lies outside the project folder")
        media = TYPES.get(path.suffix.lower())
        if media is None:
            raise AttachmentError(f"'{written}' has none of the types {', '.join(TYPES)}")
        try:
            if not path.is_file():
                raise AttachmentError(f"'{written}' does not exist")
            if path.stat().st_size > MAX_BYTES:
                limit = MAX_BYTES // 1_000_000
                raise AttachmentError(f"'{written}' is larger than {limit} MB")
            content = path.read_bytes()
        except OSError as error:
            raise AttachmentError(f"'{written}' cannot be read: {error.strerror}") from error
        wrong = broken(media, content)
        if wrong:
            raise AttachmentError(f"'{written}' {wrong}")
        return f"data:{media};base64,{base64.b64encode(content).decode()}"
