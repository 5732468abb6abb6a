"""Members of a zip file that are compressed with Zstandard, which `zipfile` cannot read.

Inspect writes its logs so. The decompressor comes with pyarrow (extra `tables`).
"""

from __future__ import annotations

import importlib
import struct
import zipfile
from pathlib import Path

from befit.errors import DataError

ZSTANDARD = 93
MOST_BYTES = 2_000_000_000
_HEADER = 30


def read_member(archive: zipfile.ZipFile, member: zipfile.ZipInfo, *, path: Path) -> bytes:
    """Return the bytes of one member.

    Raises:
        DataError: it is too large, damaged, or needs a decompressor that is not installed.
    """
    if member.file_size > MOST_BYTES:
        raise DataError(f"'{member.filename}' is larger than 2 GB", where=str(path))
    if member.compress_type != ZSTANDARD:
        return archive.read(member)
    try:
        arrow = importlib.import_module("pyarrow")
    except ImportError as error:
        raise DataError(
            "the log is compressed with Zstandard",
            where=str(path),
            do="pip install 'befit[tables]', or: inspect log convert --to json",
        ) from error
    with path.open("rb") as file:
        file.seek(member.header_offset + _HEADER - 4)
        name, extra = struct.unpack("<HH", file.read(4))
        file.seek(member.header_offset + _HEADER + name + extra)
        packed = file.read(member.compress_size)
    try:
        found = arrow.decompress(packed, decompressed_size=member.file_size, codec="zstd")
    except (OSError, ValueError) as error:
        raise DataError(f"'{member.filename}' is damaged", where=str(path)) from error
    return bytes(found)
