"""An answer with half a surrogate pair is paid once, scored, stored and shown in every form."""

from __future__ import annotations

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from befit.storage.workspace import Workspace
from cli_ground import befit

PROJECT = """\
project: halves
candidates:
  - name: a
    target: openai
    model: m
    base_url: "URL"
    api_key: sk-halves
    stream: STREAM
    sampling: {temperature: 0, top_p: 1, max_tokens: 12}
    price: {input: 100, output: 1000}
scenarios:
  - name: s
    dimension: knowledge
    repeats: 1
    samples:
      - {id: one, input: q, target: "hi \U0001f600"}
      - {id: two, turns: [r, "and now?"], target: r}
    scorers: [{match: {mode: exact}}, {judge: {rubric: Is it right?}}]
    judges:
      - name: j
        target: openai
        model: judge
        base_url: "URL"
        api_key: sk-halves
        stream: STREAM
        sampling: {temperature: 0, top_p: 1, max_tokens: 20}
        price: {input: 100, output: 100}
run: {concurrency: 1, retries: 3, max_cost: 5}
"""
USAGE = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}


@contextmanager
def answering(pieces):
    """A server whose every answer has the text of `pieces`, one event each where it streams."""
    asked = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            asked.append(body)
            kind = "text/event-stream" if body.get("stream") else "application/json"
            out = streamed(pieces) if body.get("stream") else whole(pieces)
            self.send_response(200)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(out)))
            self.end_headers()
            self.wfile.write(out)

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1", asked
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)


def whole(pieces) -> bytes:
    message = {"role": "assistant", "content": "".join(pieces)}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    return json.dumps({"id": "x", "model": "m", "choices": [choice], "usage": USAGE}).encode()


def streamed(pieces) -> bytes:
    deltas = [({"content": piece}, None) for piece in pieces] + [({}, "stop")]
    events = [
        {"id": "x", "model": "m", "choices": [{"index": 0, "delta": d, "finish_reason": f}]}
        for d, f in deltas
    ]
    events.append({"id": "x", "model": "m", "choices": [], "usage": USAGE})
    lines = [f"data: {json.dumps(one)}\n\n" for one in events]
    return "".join((*lines, "data: [DONE]\n\n")).encode()


@pytest.mark.parametrize(
    ("stream", "pieces", "text"),
    [
        ("true", ["hi ", "\ud83d", "\ude00"], "hi \U0001f600"),
        ("false", ["hi \ud800"], "hi \ud800"),
    ],
    ids=["cut", "lone"],
)
def test_it_is_paid_once_and_stands_in_every_form(tmp_path, monkeypatch, stream, pieces, text):
    monkeypatch.chdir(tmp_path)
    with answering(pieces) as (url, asked):
        project = PROJECT.replace("URL", url).replace("STREAM", stream)
        Path("befit.yaml").write_text(project, encoding="utf-8")
        first = befit("run", "-y", "--json")
        assert first.envelope["error"] is None
        # One turn, two turns; each answer is judged once, and a second time for agreement.
        calls = len(asked)
        assert (first.data["ok"], first.data["missing"], first.data["retries"]) == (2, 0, 0)
        assert sum(body["model"] == "m" for body in asked) == 3
        again = befit("run", "-y", "--json")
        assert (len(asked), again.envelope["error"]) == (calls, None)
    with Workspace.open(".befit") as store:
        run_id = store.find_run().id
        trials = [store.trial(key) for key in store.all_trial_ids(run_id)]
    assert {trial.output for trial in trials} == {text}
    # 10 tokens in and 5 out, three times: 3 * (0.001 + 0.005) USD.
    assert sum(float(trial.cost) for trial in trials) == pytest.approx(0.018)
    for form, name in (("html", "r.html"), ("markdown", "r.md"), ("json", "r.json"), ("csv", "r")):
        assert befit("report", "--format", form, "--out", name).code == 0
    assert befit("report").code == 0
    if text.isprintable():
        return  # nothing is left that stands alone
    assert befit("show", "one", "--raw").code == 0
    assert befit("show", "--all").code == 0
    assert befit("score").code == 0
    assert befit("judges").code == 0
    assert befit("export").code == 0
    lines = [json.loads(line) for line in Path("trials.jsonl").read_text().splitlines()]
    assert {line["output"] for line in lines} == {text}
    assert befit("export", "--replay").code == 0
    assert len(befit("show", "one", "--json").data) == 1
