"""From log lines to a change set, on a file and on a server."""

from __future__ import annotations

import json
from datetime import date, timedelta

import pytest

from befit.datasets.redact import Redactor
from befit.datasets.redact_options import Redaction
from befit.errors import DataError
from befit.pipeline.data_change import approve, freeze_set, propose, write_changes
from befit.pipeline.data_import import import_logs
from befit.pipeline.data_sample import sample_logs
from befit.pipeline.data_sets import find_set
from befit.pipeline.data_status import status_of
from befit.storage.interactions import Filter
from befit.storage.workspace import Workspace
from store_places import BOTH, place

START = date(2026, 1, 1)
WORDS = [
    "lamp",
    "chair",
    "table",
    "mirror",
    "shelf",
    "carpet",
    "clock",
    "basket",
    "candle",
    "pillow",
    "blanket",
    "vase",
    "frame",
    "hook",
    "ladder",
    "bucket",
    "broom",
    "towel",
    "kettle",
    "spoon",
]


def line(i, *, intent, day):
    a, b, c = WORDS[i % 20], WORDS[(i // 20) % 20], WORDS[(i * 7 + i // 400) % 20]
    text = f"Where is the {a} with the {b} that I ordered beside the {c}, and the {WORDS[i % 17]}?"
    return json.dumps(
        {"id": f"x{i}", "ts": f"{day}T10:00:00Z", "input": text, "output": "It is on its way.",
         "intent": intent}
    )  # fmt: skip


def log(path, first, *, shares, day, n=600):
    lines = []
    for i in range(n):
        at, intent = i / n, ""
        for name, share in shares.items():
            intent, at = (name, at - share) if at >= 0 else (intent, at)
        lines.append(line(first + i, intent=intent, day=day))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


@pytest.mark.parametrize("kind", BOTH)
def test_a_set_follows_its_logs(kind, tmp_path):
    later = START + timedelta(days=90)
    old, new, out = tmp_path / "old.jsonl", tmp_path / "new.jsonl", tmp_path / "set.jsonl"
    log(old, 0, shares={"order": 0.7, "refund": 0.3}, day=START)
    log(new, 5000, shares={"order": 0.3, "refund": 0.7}, day=later)
    with place(kind, tmp_path) as location, Workspace.open(location) as workspace:
        redactor = Redactor(Redaction(), key=b"k")
        assert import_logs(workspace, [old], redactor=redactor, form="table").stored == 600
        until = Filter(until=(START + timedelta(days=1)).isoformat())
        made = sample_logs(workspace, scenario="set", out=out, n=60, chosen=until,
                           drawing=(0, ("intent",)), today=START)  # fmt: skip
        assert len(made.samples) == 60
        held = find_set(tmp_path, str(out))
        quiet = status_of(workspace, held, None, days=30, today=START)
        assert quiet.coverage.enough
        assert not quiet.coverage.moved
        frozen = freeze_set(workspace, held, None, name="v1", author="Ann", changelog="")
        assert frozen.version == quiet.version
        assert import_logs(workspace, [new], redactor=redactor, form="table").stored == 600
        moved = status_of(workspace, held, None, days=30, today=later)
        assert {(one.field, one.value) for one in moved.coverage.moved} == {
            ("intent", "order"),
            ("intent", "refund"),
        }
        refund = next(one for one in moved.coverage.moved if one.value == "refund")
        assert refund.now - refund.before == pytest.approx(0.4, abs=0.01)
        assert refund.low <= 0.4 <= refund.high
        assert dict(moved.add)["intent:refund"] >= 15
        changes = propose(workspace, held, moved, days=30, seed=0, today=later)
        assert changes.add
        assert all("intent:refund" in one.tags for one in changes.add)
        file = tmp_path / "changes.json"
        write_changes(file, changes)
        with pytest.raises(DataError, match="another state of the set"):
            approve(held, file, version="other", today=later)
        done = approve(held, file, version=moved.version, today=later)
        assert done.added == len(changes.add)
        assert workspace.sets.versions("set")[0].name == "v1"
        assert workspace.interactions.forget(["x1"]) == 1
        assert "x1" not in workspace.interactions.get(["x1", "x2"])
