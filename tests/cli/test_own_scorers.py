"""Scorers of the user's own: answers are stored before they are seen; nothing waits for them."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from befit.storage.workspace import Workspace
from befit.testing.provider import FakeProcess
from befit.testing.script import Script
from cli_ground import PROJECT, befit, environment, provided, write_project

ONLY_TOTAL = PROJECT[: PROJECT.index("  - name: fields")] + PROJECT[PROJECT.index("run:") :]
OWN = ONLY_TOTAL.replace(
    "[{match: {numeric: true}}]", '[{python: {function: "own_code:judge"}}]'
).replace("total", "sum")
RIGHT = "def judge(output, sample):\n    return float(output.strip() == str(sample.target))\n"
HANGING = "import time\ndef judge(output, sample):\n    while True:\n        time.sleep(0.01)\n"


def command(*words: str) -> list[str]:
    return [sys.executable, "-c", "from befit.cli.main import main; main()", *words]


def project(folder: Path, code: str) -> Path:
    write_project(folder, text=OWN, n=2)
    (folder / "own_code.py").write_text(code, encoding="utf-8")
    return folder


@pytest.fixture(autouse=True)
def _forget_module(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "own_code", raising=False)


def test_a_function_of_the_users_own_scores_every_answer(tmp_path: Path) -> None:
    with provided(project(tmp_path, RIGHT)):
        data = befit("run", "--json").data
        assert (data["status"], data["unscored"]) == ("complete", 0)
        with Workspace.open(tmp_path / ".befit") as store:
            run_id = store.find_run().id
            passed = {f.candidate: f.passed for f in store.facts(run_id)}
            assert store.unscored(run_id) == 0
            assert passed == {"good": 1.0, "bad": 0.0}
            scores = store.score_details(run_id, "good", "sum", "i0", "", 0)
            assert [score.name for score in scores] == ["python", "pass"]


def test_a_scorer_that_never_returns_costs_no_answer_and_sigterm_then_ctrl_c_leave_it(
    tmp_path: Path,
) -> None:
    folder = project(tmp_path, HANGING)
    with FakeProcess(Script(answer="10"), log=tmp_path / "requests.jsonl") as provider:
        started = subprocess.Popen(
            command("run", "--label", "a b", "--max-cost", "3"),
            cwd=folder,
            env=environment(provider.base_url),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        deadline = time.monotonic() + 60
        stored = 0
        while stored < 8 and time.monotonic() < deadline:
            time.sleep(0.1)
            if (folder / ".befit" / "workspace.db").exists():
                with Workspace.open(folder / ".befit") as store:
                    runs = store.runs()
                    stored = sum(1 for _ in store.facts(runs[0][0].id)) if runs else 0
        for number in (signal.SIGHUP, signal.SIGINT):  # a closed terminal asks like Ctrl-C
            started.send_signal(number)
            time.sleep(0.5)
        _, err = started.communicate(timeout=60)
        assert started.returncode == 130, err
        assert stored == 8
        assert "8 answers are stored and not scored yet" in err
        assert "resume  befit run --max-cost 3 --label 'a b'" in err
        # Mended, the same command scores what is there and asks nobody.
        asked = len(provider.requests)
        (folder / "own_code.py").write_text(RIGHT, encoding="utf-8")
        again = subprocess.run(
            command("run", "--label", "a b", "--max-cost", "3", "--json"),
            cwd=folder,
            env=environment(provider.base_url),
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert again.returncode == 0, again.stderr
        assert json.loads(again.stdout)["data"]["already"] == 8
        assert len(provider.requests) == asked
    with Workspace.open(folder / ".befit") as store:
        facts = list(store.facts(store.find_run().id))
    assert {(f.sample_id, f.passed) for f in facts} == {("i0", 1.0), ("i1", 0.0)}


def test_a_function_that_holds_the_interpreter_ends_the_process_and_costs_no_answer(
    tmp_path: Path,
) -> None:
    code = "import re\ndef judge(output, sample):\n    re.search('(a|aa)+$', 'a' * 60 + '!')\n"
    folder = project(tmp_path, code)
    script = (
        "from befit.cli import interrupts\ninterrupts.FROZEN = 2.0\n"
        "from befit.cli.main import main\nmain()"
    )
    with FakeProcess(Script(answer="10"), log=tmp_path / "requests.jsonl") as provider:
        ended = subprocess.run(
            [sys.executable, "-c", script, "run"],
            cwd=folder,
            env=environment(provider.base_url),
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        asked = len(provider.requests)
    assert ended.returncode == 1
    assert "own_code.py" in ended.stderr  # where it stood
    with Workspace.open(folder / ".befit") as store:
        assert sum(1 for _ in store.facts(store.find_run().id)) >= 1
        assert asked <= 8


@pytest.mark.parametrize("call", [["--limit", "1"], ["--until-decided", "--yes"]])
def test_the_command_that_resumes_has_all_options_of_the_first(
    tmp_path: Path, call: list[str]
) -> None:
    text = ONLY_TOTAL.replace("input: 0.15, output: 0.60", "input: 1000, output: 1000")
    with provided(write_project(tmp_path, text=text)):
        ended = befit("--plain", "run", ".", "--max-cost", "0.06", "--label", "x", *call)
        assert ended.code == 6, ended.err
        assert "resume  befit --plain run --max-cost " in ended.err
        assert "give it a higher --max-cost" in ended.err
        line = ended.err.partition("resume  ")[2].splitlines()[0]
        assert " --label x" in line
        assert float(line.partition("--max-cost ")[2].split()[0]) > 0.06
        for word in call:
            assert word in line
