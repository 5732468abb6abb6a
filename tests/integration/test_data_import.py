"""Importing logs: every line accounted for, nothing unredacted stored, nothing half-stored."""

from __future__ import annotations

import gzip
import json
import signal
import sqlite3
import subprocess
import sys
from datetime import date

import pytest
import zstandard
from sqlalchemy.dialects import sqlite

from befit.datasets.redact import Redactor
from befit.datasets.redact_options import Redaction
from befit.errors import DataError
from befit.pipeline.data_import import import_logs
from befit.pipeline.data_sample import sample_logs
from befit.storage.codec import unpack
from befit.storage.interactions import EVERYTHING, waiting_keys
from befit.storage.workspace import Workspace
from planted_data import planted

LOCALES = ("de", "fr", "es", "zh", "us")


def pair(i, text="How are you?", answer="Fine."):
    return {
        "id": f"x{i}",
        "request": {"model": "m", "messages": [{"role": "user", "content": text}]},
        "response": {"choices": [{"message": {"content": answer}, "finish_reason": "stop"}]},
    }


def lines(entries):
    return "".join(
        (one if isinstance(one, str) else json.dumps(one, ensure_ascii=False)) + "\n"
        for one in entries
    ).encode()


def take(workspace, *paths, **more):
    redactor = Redactor(Redaction(locales=LOCALES), key=b"secret")
    return import_logs(workspace, paths, redactor=redactor, **more)


@pytest.fixture
def workspace(tmp_path):
    with Workspace.open(tmp_path / ".befit") as opened:
        yield opened


def test_every_line_is_accounted_for_and_broken_ones_are_listed(workspace, tmp_path):
    path = tmp_path / "log.jsonl"
    embedding = {"call_type": "embedding", "spend": 0, "startTime": 1, "endTime": 2}
    path.write_bytes(lines([pair(0), "{broken", "", pair(1), embedding, {"foo": 1}, pair(0)]))
    told = []
    report = take(workspace, path, listen=told.append)
    assert (report.lines, report.broken, report.without, report.with_items) == (6, 2, 1, 3)
    assert (report.items, report.stored, report.known) == (3, 2, 1)
    assert [(one.line, one.problem.split(":")[0]) for one in told] == [
        (2, "no JSON"),
        (6, "no log format this befit knows"),
    ]
    assert workspace.interactions.count() == 2


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress, bytes])
def test_packed_files_read_as_plain_ones(workspace, tmp_path, pack):
    path = tmp_path / "log"
    path.write_bytes(pack(lines(pair(i) for i in range(50))))
    assert take(workspace, path).stored == 50


def test_the_same_file_twice_stores_nothing_twice(workspace, tmp_path):
    path = tmp_path / "log.jsonl"
    asked = {"custom_id": "r", "body": {"messages": [{"role": "user", "content": "Hello"}]}}
    said = {"custom_id": "r", "id": "b", "response": {"status_code": 200, "body": {
        "id": "chatcmpl-9", "choices": [{"message": {"content": "Hi"}}]}}}  # fmt: skip
    path.write_bytes(
        lines([pair(0), said, asked, {"messages": [{"role": "user", "content": "Q"}]}])
    )
    first, second = take(workspace, path), take(workspace, path)
    assert (first.stored, first.joined) == (4, 1)
    assert (second.stored, second.known) == (0, 4)
    held = {one.id: one for _, one in workspace.interactions.bodies()}
    assert workspace.interactions.count() == 3
    assert held["chatcmpl-9"].messages[0].text == "Hello"
    assert held["chatcmpl-9"].output == "Hi"


def cut_gzip(path):
    path.write_bytes(gzip.compress(lines(pair(i, "x" * 99) for i in range(3000)))[:-2000])


def cut_zstd(path):
    raw = lines(pair(i, f"{i} {i * i} {i**3}") for i in range(3000))
    path.write_bytes(zstandard.compress(raw)[:-500])


BAD = {
    "cut gzip": (cut_gzip, "damaged or cut short"),
    "cut zstd": (cut_zstd, "damaged or cut short"),
    "empty": (lambda path: path.write_bytes(b""), "the file is empty"),
    "folder": (lambda path: path.mkdir(), "this is a folder"),
    "parquet": (lambda path: path.write_bytes(b"PAR1xxxx"), "Parquet"),
    "zip": (lambda path: path.write_bytes(b"PK\x03\x04xx"), "zip archive"),
    "utf-16": (lambda path: path.write_bytes("{}".encode("utf-16")), "UTF-16"),
    "pretty JSON": (lambda path: path.write_text(json.dumps(pair(1), indent=1)), "no line of this"),
    "JSON array": (lambda path: path.write_text(json.dumps([pair(1)])), "no line of this"),
    "another table": (lambda path: path.write_text('{"a": 1}\n{"a": 2}\n'), "no line of this"),
    "absent": (lambda _path: None, "there is no such file"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_file_is_one_clear_error_and_leaves_nothing_of_the_import(workspace, tmp_path, name):
    good, bad = tmp_path / "good.jsonl", tmp_path / "bad"
    good.write_bytes(lines(pair(f"good{i}") for i in range(10)))
    make, words = BAD[name]
    make(bad)
    with pytest.raises(DataError, match=words):
        take(workspace, good, bad)
    assert workspace.interactions.count() == 0
    assert workspace.interactions.reports() == []
    with sqlite3.connect(workspace.location) as plain:
        assert plain.execute("select count(*) from interactions").fetchone() == (0,)


def test_what_a_killed_import_left_is_not_seen_and_goes_with_the_next(workspace, tmp_path):
    path = tmp_path / "log.jsonl"
    path.write_bytes(lines([pair(0)]))
    left = workspace.interactions.begin()
    with sqlite3.connect(workspace.location) as plain:
        plain.execute(
            "insert into interactions (id, import_id, ordinal, state, ts, length)"
            " values ('x0', ?, 1, 'whole', '', 3)",
            (left,),
        )
    assert workspace.interactions.count() == 0
    assert take(workspace, path).stored == 1
    assert workspace.interactions.count() == 1


CHILD = """
import sys
from pathlib import Path
from befit.datasets.redact import Redactor
from befit.datasets.redact_options import Redaction
from befit.pipeline.data_import import import_logs
from befit.storage.workspace import Workspace

def told(report):
    print(report.lines, flush=True)

with Workspace.open(sys.argv[1]) as workspace:
    import_logs(workspace, [Path(sys.argv[2])], redactor=Redactor(Redaction(), key=b"k"),
                progress=told)
"""


def test_an_import_killed_outright_leaves_nothing_to_see_and_the_next_is_whole(tmp_path):
    path, folder = tmp_path / "log.jsonl", tmp_path / ".befit"
    path.write_bytes(lines(pair(i) for i in range(6_500)))
    with subprocess.Popen(
        [sys.executable, "-c", CHILD, str(folder), str(path)], stdout=subprocess.PIPE
    ) as child:
        assert child.stdout is not None
        assert int(child.stdout.readline()) == 2_000  # the first batch is committed
        child.send_signal(signal.SIGKILL)
        assert child.wait() == -signal.SIGKILL
    with sqlite3.connect(folder / "workspace.db") as plain:
        assert plain.execute("select count(*) from interactions").fetchone() >= (2_000,)
    with Workspace.open(folder) as opened:
        assert opened.interactions.count() == 0
        assert opened.interactions.reports() == []
        report = take(opened, path)
        assert (report.stored, report.known) == (6_500, 0)
        assert opened.interactions.count() == 6_500
        assert len(opened.interactions.reports()) == 1


def test_the_key_under_which_halves_wait_holds_no_address(workspace, tmp_path):
    path = tmp_path / "log.jsonl"
    custom = "order of anna@example.org"
    asked = {"custom_id": custom, "body": {"messages": [{"role": "user", "content": "Hello"}]}}
    said = {"custom_id": custom, "id": "b", "response": {"status_code": 200, "body": {
        "id": "chatcmpl-9", "choices": [{"message": {"content": "Hi"}}]}}}  # fmt: skip
    path.write_bytes(lines([asked]))
    take(workspace, path)
    with sqlite3.connect(workspace.location) as plain:
        ((key,),) = plain.execute("select join_key from interactions").fetchall()
    assert "anna" not in key
    path.write_bytes(lines([said]))
    assert take(workspace, path).joined == 1


def test_a_page_of_waiting_halves_is_found_along_their_keys(workspace):
    # By another index each page reads all halves: hours for a log of 2 million lines.
    query = waiting_keys("k", limit=500).compile(
        dialect=sqlite.dialect(), compile_kwargs={"literal_binds": True}
    )
    with sqlite3.connect(workspace.location) as plain:
        plan = [row[3] for row in plain.execute(f"explain query plan {query}")]
    assert "interactions_by_join (join_key>?)" in plan[0]


def test_no_value_that_was_redacted_is_in_store_log_or_export(workspace, tmp_path):
    path, out = tmp_path / "log.jsonl", tmp_path / "set.jsonl"
    made = list(planted(11, each=3))
    entries = [pair(i, text, f"I see: {text}") for i, (_, _, _, text) in enumerate(made)]
    path.write_bytes(lines(entries))
    report = take(workspace, path)
    found = {value for _, name, value, _ in made if name != "NAME"}
    assert report.redacted >= 0.95 * len(made)
    sample_logs(workspace, scenario="s", out=out, n=60, chosen=EVERYTHING,
                drawing=(0, ("language",)), today=date(2026, 1, 1))  # fmt: skip
    raw = b"".join(file.read_bytes() for file in (tmp_path / ".befit").rglob("*") if file.is_file())
    decoded = []
    with sqlite3.connect(workspace.location) as plain:
        for table in ("interactions", "samplings"):
            rows = plain.execute(f"select body from {table} where body is not null")  # noqa: S608
            decoded += [json.dumps(unpack(body), ensure_ascii=False) for (body,) in rows]
        report_text = plain.execute("select report from imports").fetchall()
    shown = "\n".join([*decoded, out.read_text(encoding="utf-8"), str(report_text)])
    missed = {value for value in found if value in shown or value.encode() in raw}
    assert len(missed) <= 0.02 * len(found), missed
    assert not {value for _, name, value, _ in made
                if name in {"IBAN", "CARD", "NATIONAL_ID", "EMAIL", "KEY"}} & missed  # fmt: skip
