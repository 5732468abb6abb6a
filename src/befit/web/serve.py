"""Serving an application until it is told to stop; by default to this machine only."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from pathlib import Path

from aiohttp import web

from befit.errors import UsageError
from befit.web.sessions import new_secret

LOCAL = "127.0.0.1"


def secret_of(folder: Path | None) -> bytes:
    """Return the secret kept in a folder, made at the first call; a new one without a folder."""
    if folder is None:
        return new_secret()
    path = folder / "web.key"
    made = new_secret()
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return path.read_bytes()
    with os.fdopen(handle, "wb") as file:
        file.write(made)
    return made


def hosts_of(host: str, port: int) -> frozenset[str]:
    """Return the names under which a browser may ask for a server bound to this address."""
    names = {host, "localhost"} if host == LOCAL else {host}
    return frozenset(f"{name}:{port}" for name in names)


async def serve(
    app: web.Application, *, host: str, port: int, ready: Callable[[], None] | None = None
) -> None:
    """Serve until cancelled.

    Raises:
        UsageError: the address is taken or may not be bound.
    """
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    try:
        try:
            await web.TCPSite(runner, host, port).start()
        except OSError as error:
            raise UsageError(
                f"cannot serve on {host}:{port}",
                why=error.strerror or str(error),
                do="choose another port with --port",
            ) from None
        if ready is not None:
            ready()
        await asyncio.Event().wait()
    finally:
        await runner.cleanup()
