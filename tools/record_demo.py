"""Records the demo's answers: runs nothing, but turns a finished run into src/befit/demo/recorded.

    befit demo FOLDER
    python tools/record_demo.py FOLDER

Replaces what was recorded before. Empty fields are left out, so that the package stays small.
"""

from __future__ import annotations

import sys
from pathlib import Path

import orjson

from befit.pipeline.replaying import export_replay
from befit.storage.workspace import Workspace

NOISE = frozenset({"request_id", "system_fingerprint"})
"""Differ from run to run and say nothing of a model on this machine."""
GOAL = Path(__file__).resolve().parents[1] / "src" / "befit" / "demo" / "recorded"


def main(folder: Path) -> None:
    """Write one file per candidate."""
    with Workspace.open(folder / ".befit") as workspace:
        manifest = workspace.find_run("latest")
        status = workspace.status(manifest.id)
        if status != "complete":
            raise SystemExit(f"{manifest.id} is {status}: finish it with befit demo {folder}")
        counts = export_replay(workspace, manifest.id, GOAL)
    for path in GOAL.glob("*.jsonl"):
        records = [orjson.loads(line) for line in path.read_bytes().splitlines()]
        lines = [orjson.dumps(_slim(record)) + b"\n" for record in records]
        path.write_bytes(b"".join(lines))
    for name, count in counts.items():
        print(f"{name}: {count} answers")


def _slim(record: dict[str, object]) -> dict[str, object]:
    kept = {
        key: value
        for key, value in record.items()
        if key not in NOISE and value not in (None, "", [], {})
    }
    timing = kept.get("timing")
    if isinstance(timing, dict):
        kept["timing"] = {name: value for name, value in timing.items() if value is not None}
    return {"text": "", **kept} if "failure" not in kept else kept


if __name__ == "__main__":
    main(Path(sys.argv[1]))
