"""Hidden characters of labels are seen by whoever decides between them, and before the form."""

from __future__ import annotations

import asyncio

import aiohttp
from aiohttp import web

from befit.core.sample import Sample
from befit.datasets.label import ADJUDICATOR, Label
from befit.datasets.label_pages import LABELLER, LabelPages
from befit.storage.workspace import Workspace
from befit.web.pages import environment
from befit.web.sessions import COOKIE, Sessions
from befit.web.shell import make_app
from review_ground import free_port

SLY = "12\u202e.50\u200b EUR"
SEEN = "12⟨U+202E⟩.50⟨U+200B⟩ EUR"


def pages_of(folder, *people):
    """Return the text of the first sample's page for (name, role)."""
    samples = [Sample(id="s1", input="How much?")]
    sessions = Sessions(b"k" * 32)
    port = free_port()
    host = f"127.0.0.1:{port}"

    async def get(workspace):
        app = make_app(sessions=sessions, pages=environment("befit.datasets"), title="t",
                       hosts=frozenset({host}), clock=lambda: 0.0)  # fmt: skip
        LabelPages("money", samples, workspace.labels).add_to(app)
        runner = web.AppRunner(app)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", port).start()
        texts = []
        async with aiohttp.ClientSession() as session:
            for name, role in people:
                cookies = {COOKIE: sessions.sign_in(name, role, now=0.0)}
                async with session.get(f"http://{host}/s/1", cookies=cookies) as told:
                    texts.append(await told.text())
        await runner.cleanup()
        return texts

    with Workspace.open(folder) as workspace:
        for name, target in (("Ann", SLY), ("Ben", "12.50 EUR\nin all")):
            label = Label(target=target, note=f"so says {target}")
            workspace.labels.put(
                ("money", "s1", name), label.model_dump(mode="json"),
                shown=samples[0].input_fingerprint, request_id=name,
            )  # fmt: skip
        return asyncio.run(get(workspace))


def test_whoever_decides_sees_the_hidden_characters_of_every_label(tmp_path):
    (page,) = pages_of(tmp_path, ("Eva", ADJUDICATOR))
    assert SEEN in page
    assert f"so says {SEEN}" in page
    assert "\u202e" not in page
    assert "\u200b" not in page
    assert "What stands in the form below" not in page


def test_a_form_that_holds_hidden_characters_says_so_and_keeps_them(tmp_path):
    ann, ben = pages_of(tmp_path, ("Ann", LABELLER), ("Ben", LABELLER))
    assert f'target: <span dir="auto">{SEEN}</span>' in ann
    assert SLY in ann  # what is sent back has to be what was written
    assert "hidden characters" not in ben
