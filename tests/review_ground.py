"""Studies for the tests of the review pages: planted answers, planted identities, a server."""

from __future__ import annotations

import asyncio
import base64
import socket
import struct
import threading
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from aiohttp import web

from befit.core.message import ImagePart, Message, TextPart
from befit.review.app.serve import make_review_app
from befit.review.create import create_study
from befit.review.material import Known, Material, Source
from befit.review.people import invite
from befit.review.settings import Exclusion, Settings, Worked
from befit.review.states import open_study
from befit.storage.workspace import Workspace
from befit.web.serve import hosts_of, serve

AT = "2026-01-05T10:00:00+00:00"
NAMES = ("zeta-large@prompt-7", "omega-mini")
"""The candidates. Neither they nor anything of them may reach a reviewer."""
IDENTITIES = (*NAMES, "Zeta Labs", "zeta-large-2026-01", "https://api.zeta.example/v1")
SECRET = b"s" * 32
WORKED = (
    Worked(question="What is 2 + 2?", left="4", right="5", verdict="left", why="5 is wrong."),
    Worked(
        question="Name a prime above 10.", left="11", right="13", verdict="tie", why="Both are."
    ),
)
CALIBRATION = tuple(
    Known(
        question=f"What is {n} + {n}?",
        left=str(2 * n) if n % 2 else str(2 * n + 1),
        right=str(2 * n) if n % 2 == 0 else str(2 * n + 1),
        verdict="left" if n % 2 else "right",
        why=f"{n} + {n} is {2 * n}.",
    )
    for n in range(1, 7)
)


LENIENT = Exclusion(too_fast=1.0, same_verdict=1.0, position_p=0.0)
"""Tests vote faster than anybody reads, and often for the same side."""


def source(number: int, candidate: str, text: str, *, question: str = "", **more: object) -> Source:
    """Return one answer to one question."""
    asked = question or f"Question {number}: why is the sky blue?"
    turns = more.pop("turns", None) or (
        Message(role="user", content=asked),
        Message(role="assistant", content=text),
    )
    return Source(
        scenario="support",
        sample=f"sample-{number}",
        candidate=candidate,
        turns=turns,
        fingerprint=f"fp-{candidate}",
        key_ids=(f"key-{candidate}-{number}",),
        **more,
    )


def plain_sources(n: int, names: Sequence[str] = NAMES) -> list[Source]:
    """Return answers of every candidate to n questions; texts tell nothing of who gave them."""
    return [
        source(i, name, f"Answer to {i}: light is scattered, variant {'xyzw'[k]}.")
        for i in range(n)
        for k, name in enumerate(names)
    ]


@dataclass
class Ground:
    """A study and the links of its reviewers."""

    workspace: Workspace
    study_id: str
    tokens: dict[str, str]
    key_file: str


def make_study(
    folder: Path,
    *,
    sources: Sequence[Source] | None = None,
    people: Sequence[str] = ("Ann", "Ben"),
    opened: bool = True,
    practice: Sequence[Known] = CALIBRATION,
    gold_items: Sequence[Known] = (),
    **settings: object,
) -> Ground:
    """Make a study in a workspace of its own."""
    workspace = Workspace.open(folder / ".befit")
    wanted = {
        "title": "Which answer helps more?",
        "guidelines": "Read **both** answers.\n\n- facts first\n- then style",
        "worked": WORKED,
        "per_pair": len(people),
        "calibration": len(practice),
        "attention": 0.0,
        "gold": 0.0,
        "mirrored": 0.0,
        "explain": 0.0,
        "exclusion": LENIENT,
        **settings,
    }
    created = create_study(
        workspace.reviews,
        Settings(**wanted),
        Material(
            sources=sources if sources is not None else plain_sources(8),
            identities=IDENTITIES,
            calibration=practice,
            gold=gold_items,
        ),
        project="shop",
        run_id="r-1",
        at=AT,
        by="owner",
    )
    study_id = created.study.id
    if opened:
        open_study(workspace.reviews, study_id, at=AT, by="owner")
    tokens = {
        name: invite(workspace.reviews, study_id, name=name, group="real_user", at=AT)[1]
        for name in people
    }
    return Ground(workspace=workspace, study_id=study_id, tokens=tokens, key_file=created.key_file)


def free_port() -> int:
    """Return a port nobody uses at the moment."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        return held.getsockname()[1]


@contextmanager
def served(
    ground: Ground,
    *,
    port: int = 0,
    address: str = "",
    tune: Callable[[web.Application], None] = lambda _: None,
) -> Iterator[tuple[str, str]]:
    """Serve a study from a thread; yields the address and the owner's link."""
    port = port or free_port()
    reached = f"http://127.0.0.1:{port}"
    app, link = make_review_app(
        ground.workspace,
        ground.study_id,
        secret=SECRET,
        address=address or reached,
        hosts=hosts_of("127.0.0.1", port),
    )
    tune(app)
    up, loop = threading.Event(), asyncio.new_event_loop()
    failed: list[BaseException] = []

    def run() -> None:
        asyncio.set_event_loop(loop)
        try:
            loop.run_until_complete(serve(app, host="127.0.0.1", port=port, ready=up.set))
        except asyncio.CancelledError:
            pass
        except BaseException as error:
            failed.append(error)
            up.set()
            raise
        finally:
            loop.run_until_complete(loop.shutdown_default_executor())
            loop.close()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    assert up.wait(20), "the server did not come up"
    assert not failed, failed
    try:
        yield reached, link
    finally:
        loop.call_soon_threadsafe(lambda: [task.cancel() for task in asyncio.all_tasks(loop)])
        thread.join(20)
        ground.workspace.close()


def picture_turn(text: str, url: str) -> Message:
    """Return a question with a picture."""
    return Message(role="user", content=[TextPart(text=text), ImagePart(url=url)])


def png(text: bytes = b"", width: int = 2, height: int = 2) -> bytes:
    """Return a small picture, with a text chunk that names its maker."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        return (
            struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
        )

    rows = b"".join(b"\0" + b"\x20\x60\xa0" * 2 for _ in range(2))
    parts = [chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))]
    if text:
        parts.append(chunk(b"tEXt", b"Software\0" + text))
    parts += [chunk(b"IDAT", zlib.compress(rows)), chunk(b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def url_of(raw: bytes, kind: str = "image/png") -> str:
    return f"data:{kind};base64,{base64.b64encode(raw).decode()}"
