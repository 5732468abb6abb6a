"""How a run can end, and that the same command goes on: 0, 2, 5, 6, 7, 8, 130."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from befit.cli.shell import OK, Shell, guarded
from befit.testing.provider import FakeProcess, refused_url
from befit.testing.script import Delay, Script
from cli_ground import PROJECT, SECRET, befit, environment, provided, write_project

ONLY_TOTAL = PROJECT[: PROJECT.index("  - name: fields")] + PROJECT[PROJECT.index("run:") :]


def test_calls_that_fail_for_good_are_missing_and_the_run_is_partial(tmp_path: Path) -> None:
    script = Script(permanent={"Invoice 3": "500"})
    with provided(write_project(tmp_path, text=ONLY_TOTAL), script):
        ended = befit("run")
        assert ended.code == 5
        assert "failed   server: 4" in ended.err
        assert "resume  befit run" in ended.err
        analysis = befit("report", "--json").data["analysis"]
        for cell in analysis["scenario_rows"][0]["cells"]:
            estimate = cell["estimate"]
            assert (estimate["n_samples"], estimate["n_missing"]) == (5, 2)
        assert any("4 of 12" in f["text"] or "2 of 12" in f["text"] for f in analysis["findings"])


def test_the_same_command_fills_the_gaps(tmp_path: Path) -> None:
    folder = write_project(tmp_path, text=ONLY_TOTAL)
    with provided(folder, Script(permanent={"Invoice 3": "500"})) as provider:
        assert befit("run").code == 5
        port = int(provider.url.rpartition(":")[2])
    with provided(folder, port=port) as provider:
        ended = befit("run", "--json")
        assert ended.code == 0
        assert ended.data["resumed"] is True
        # invoice 3, twice, for both candidates
        assert (ended.data["already"], ended.data["ok"]) == (20, 4)
        assert len(provider.requests) == 4
        assert "4 answered" in ended.err
        assert "20 stored before, spent" in ended.err  # the money is of both sittings
        assert " in all sittings, in " in ended.err


def test_a_refused_key_ends_with_the_provider_code_and_says_so(tmp_path: Path) -> None:
    script = Script(api_keys=("another key",))
    with provided(write_project(tmp_path, text=ONLY_TOTAL), script):
        ended = befit("run")
        assert ended.code == 7
        assert "stopped  good: auth: " in ended.err
        data = befit("run", "--json")
        assert data.code == 7
        assert {one["cause"] for one in data.data["stopped"]} == {"auth"}


def test_nobody_listening_is_missing_with_its_cause(tmp_path: Path) -> None:
    folder = write_project(tmp_path, text=ONLY_TOTAL.replace("retries: 1", "retries: 0"), n=2)
    with provided(folder):
        os.environ["BASE_URL"] = refused_url()
        ended = befit("run")
        assert ended.code == 5
        assert "connect" in ended.err
        assert befit("stability", "x", "-n", "2").code == 5


@pytest.mark.parametrize(("script", "code"), [
    (Script(permanent={"x": "500"}), 5), (Script(api_keys=("another key",)), 7),
])  # fmt: skip
def test_only_what_a_provider_refuses_ends_with_its_code(
    tmp_path: Path, script: Script, code: int
) -> None:
    with provided(write_project(tmp_path, text=ONLY_TOTAL, n=2), script):
        assert befit("stability", "x", "-n", "2").code == code


def test_the_spend_cap_stops_the_run_and_it_goes_on_with_more(tmp_path: Path) -> None:
    text = ONLY_TOTAL.replace("input: 0.15, output: 0.60", "input: 1000, output: 1000")
    with provided(write_project(tmp_path, text=text)):
        ended = befit("run", "--max-cost", "0.2", "--json")
        assert ended.code == 6
        assert ended.data["status"] == "capped"
        assert float(ended.data["spent_usd"]) <= 0.2
        again = befit("run", "--max-cost", "100", "--json")
        assert again.code == 0
        assert again.data["resumed"] is True


BROKEN = [
    ("project: x\n", 2),
    (PROJECT.replace("target: openai", "target: opnai"), 2),
    (PROJECT.replace("${API_KEY}", "${NO_SUCH_KEY}"), 2),
    (PROJECT.replace("samples.jsonl", "nosuch.jsonl"), 8),
]


@pytest.mark.parametrize(("text", "code"), BROKEN, ids=["empty", "target", "variable", "samples"])
def test_a_broken_project_is_told_before_any_call(tmp_path: Path, text: str, code: int) -> None:
    with provided(write_project(tmp_path, text=text)) as provider:
        ended = befit("run")
        assert ended.code in {code, 2}
        assert ended.err.startswith("E")
        assert "befit.yaml" in ended.err
        assert befit("run", "--json").envelope["error"]
        assert provider.requests == []


def test_bad_samples_are_bad_data(tmp_path: Path) -> None:
    folder = write_project(tmp_path)
    (folder / "samples.jsonl").write_text('{"id": "a", "inptu": "x"}\n', encoding="utf-8")
    with provided(folder):
        ended = befit("run")
        assert ended.code == 8
        assert "samples.jsonl:1" in ended.err
        assert "input" in ended.err


def test_progress_as_json_lines_is_on_stderr(tmp_path: Path) -> None:
    with provided(write_project(tmp_path)):
        ended = befit("--quiet", "run", "--progress", "ndjson", "--json")
        lines = [json.loads(line) for line in ended.err.splitlines()]
        assert lines[-1]["finished"] is True
        assert lines[-1]["done"] == 32
        assert ended.data["status"] == "complete"


def test_init_without_a_terminal_names_its_flags(tmp_path: Path) -> None:
    ended = befit("init", str(tmp_path / "new"))
    assert ended.code == 2
    assert ended.err.startswith("E101")
    for flag in ("--yes", "--template", "--set tasks=", "--set critical=", "--set volume="):
        assert flag in ended.err
    assert not (tmp_path / "new").exists()


def test_init_writes_a_project_that_loads_and_names_the_next_commands(tmp_path: Path) -> None:
    for template in ("minimal", "extraction", "support"):
        folder = tmp_path / template
        ended = befit("init", str(folder), "--template", template, "--json")
        assert ended.code == 0
        assert "next   befit plan" in ended.err
        assert any(name.endswith("befit.yaml") for name in ended.data["files"])


def test_plugins_that_are_no_json_still_give_one_document() -> None:
    kinds = {one["kind"] for one in befit("plugins", "--json").data}
    assert {"target", "scorer", "similarity"} <= kinds


# In processes of their own: signals, streams, imports.


def command(*words: str) -> list[str]:
    return [sys.executable, "-c", "from befit.cli.main import main; main()", *words]


def test_ctrl_c_once_saves_what_is_in_flight_and_the_same_command_goes_on(tmp_path: Path) -> None:
    folder = write_project(tmp_path, text=ONLY_TOTAL.replace("concurrency: 8", "concurrency: 2"))
    script = Script(first_token=Delay(seconds=0.2), answer="12")
    with FakeProcess(script, log=tmp_path / "requests.jsonl") as provider:
        started = subprocess.Popen(
            command("run"),
            cwd=folder,
            env=environment(provider.base_url),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        deadline = time.monotonic() + 60
        while len(provider.requests) < 4 and time.monotonic() < deadline:
            time.sleep(0.05)
        started.send_signal(signal.SIGINT)
        _, err = started.communicate(timeout=60)
        assert started.returncode == 130, err
        assert "finishing what is in flight" in err
        assert "resume  befit run" in err
        assert "Traceback" not in err
        again = subprocess.run(
            command("run", "--json"),
            cwd=folder,
            env=environment(provider.base_url),
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert again.returncode == 0, again.stderr
        data = json.loads(again.stdout)["data"]
        assert data["resumed"] is True
        assert data["already"] > 0
        assert data["already"] + data["ok"] == 24


def test_no_colour_reaches_a_pipe_and_progress_is_lines(tmp_path: Path) -> None:
    folder = write_project(tmp_path)
    with FakeProcess(Script(answer="12")) as provider:
        ended = subprocess.run(
            command("run"),
            cwd=folder,
            env=environment(provider.base_url, NO_COLOR="1"),
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout == ""
    assert "\x1b" not in ended.stderr
    assert "\r" not in ended.stderr
    assert SECRET not in ended.stderr


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys\n"
        "from befit.cli.main import run\n"
        "run(['--help'])\n"
        "heavy = {'numpy', 'scipy', 'aiohttp', 'pydantic', 'sqlalchemy', 'pandas', 'polars'}\n"
        "sys.exit(','.join(sorted(heavy & set(sys.modules))) or 0)\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )
    assert (ended.returncode, ended.stderr) == (0, "")


def test_a_reader_that_leaves_early_is_no_error(tmp_path: Path) -> None:
    words = " ".join(f"'{word}'" for word in command("schema", "project"))
    ended = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {words} | head -1"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (ended.returncode, ended.stderr) == (0, "")


def test_a_reader_that_leaves_within_a_table_is_no_error(monkeypatch) -> None:
    class Gone(io.StringIO):
        def write(self, _text: str) -> int:
            raise BrokenPipeError

    monkeypatch.setattr(sys, "stdout", Gone())
    shell = Shell()
    said: list[str] = []

    def verb() -> int:
        shell.console().print("a table")
        said.append("written")
        return 1

    assert guarded(shell, verb) == OK
    assert not said


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_offers_the_verbs(shell: str) -> None:
    given = {
        "bash": {"COMP_WORDS": "befit sho", "COMP_CWORD": "1"},
        "zsh": {"_TYPER_COMPLETE_ARGS": "befit sho"},
        "fish": {
            "_TYPER_COMPLETE_ARGS": "befit sho",
            "_TYPER_COMPLETE_FISH_ACTION": "get-args",
        },
    }[shell]
    ended = subprocess.run(
        command(),
        env=dict(os.environ, _BEFIT_COMPLETE=f"complete_{shell}", **given),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert "show" in ended.stdout


def test_doctor_offline_proves_that_nothing_asks_the_network(tmp_path: Path) -> None:
    ended = subprocess.run(
        command("doctor", "--offline", "--json"),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    checks = {one["check"]: one for one in json.loads(ended.stdout)["data"]}
    assert checks["offline"]["state"] == "good", checks["offline"]
    assert "a price looked up" in checks["offline"]["text"]


def test_the_watch_of_doctor_offline_sees_a_look_up_and_a_connection() -> None:
    code = (
        "import socket, sys\n"
        "from befit.cli.offline import watching\n"
        "with watching() as tried:\n"
        "    for look in (lambda: socket.getaddrinfo('example.invalid', 80),\n"
        "                 lambda: socket.socket().connect(('192.0.2.1', 9))):\n"
        "        try:\n"
        "            look()\n"
        "        except OSError as error:\n"
        "            assert 'refused' in str(error), error\n"
        "    socket.getaddrinfo('localhost', 80)\n"
        "sys.exit(0 if len(tried) == 2 else str(tried))\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )
    assert ended.returncode == 0, ended.stderr
