"""A load is only begun where it can be kept; a level that is made again is told so once."""

from __future__ import annotations

import sqlite3
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import pytest

from befit.analysis.load import analyse_level
from befit.cli.load_live import LiveTable
from befit.cli.main import run
from befit.cli.shell import Shell
from befit.engine.load_log import Call, CallLog
from befit.engine.load_run import LevelRun
from befit.engine.load_shape import LoadShape
from befit.testing.script import Delay, Script
from cli_ground import PROJECT, befit, provided, write_project

ONLY_TOTAL = PROJECT[: PROJECT.index("  - name: fields")] + PROJECT[PROJECT.index("run:") :]
REFUSE = (
    "CREATE TRIGGER no_writing BEFORE INSERT ON records BEGIN "
    "SELECT RAISE(ABORT, 'attempt to write a readonly database'); END"
)


@pytest.mark.parametrize(
    "words",
    [
        ["load", "--shape", "closed:1", "--duration", "1"],
        ["fallback", "check", "--edge", "good:bad", "--measure"],
    ],
    ids=["load", "fallback"],
)
def test_a_workspace_that_cannot_be_written_is_seen_before_any_call(
    tmp_path: Path, words: list[str]
) -> None:
    with provided(write_project(tmp_path, text=ONLY_TOTAL, n=2)) as provider:
        assert befit("fallback", "check", "--edge", "good:bad").code == 0  # makes the workspace
        # As a medium without write access answers, for whoever runs this (root may write all).
        with sqlite3.connect(tmp_path / ".befit" / "workspace.db") as database:
            database.execute(REFUSE)
        database.close()
        ended = befit(*words)
        assert "the workspace may not be written to" in ended.err
        assert ended.code != 0
        assert provider.requests == []


def test_looking_whether_it_can_be_written_leaves_nothing(tmp_path: Path) -> None:
    with provided(write_project(tmp_path, text=ONLY_TOTAL, n=2)):
        words = ["load", "--shape", "closed:1", "--duration", "1", "--set", "warm_up=0"]
        assert befit(*words).code in {0, 4}
    with sqlite3.connect(tmp_path / ".befit" / "workspace.db") as database:
        rows = database.execute("SELECT kind, number FROM records").fetchall()
    database.close()
    assert rows == [("load", 1)]


def test_a_measurement_that_nobody_reads_is_not_said_to_be_read(tmp_path: Path) -> None:
    script = Script(first_token=Delay(seconds=0.1))
    with provided(write_project(tmp_path, text=ONLY_TOTAL, n=2), script):
        # One place serves 10 of the 40 calls a second that are due: the others wait on our side.
        words = ["--shape", "constant:40", "--set", "most_in_flight=1", "--set", "warm_up=0"]
        ended = befit("load", *words, "--duration", "0.5", "--set", "requests=5")
    assert ended.code == 4
    assert "no level of it may be used, so no gate reads it" in ended.err
    assert "reports and gates read it" not in ended.err


def test_a_search_that_found_nothing_says_why_and_ends_with_4(tmp_path: Path) -> None:
    with provided(write_project(tmp_path, text=ONLY_TOTAL, n=2)):
        words = ["--set", "start=10", "--set", "most=10", "--set", "latency=5"]
        ended = befit("load", "--shape", "search", "--duration", "0.5", *words)
    assert ended.code == 4
    told = " ".join(ended.out.split())
    assert "is known to keep the service level; the search ended because" in told


def ten_seconds() -> LevelRun:
    """A level of 50 calls."""
    shape = LoadShape(kind="poisson", rate=5, duration=10)
    log = CallLog.of([Call(scheduled=0.1 * i, sent=0.1 * i, end=0.1 * i + 0.2) for i in range(50)])
    return LevelRun(
        shape=shape, log=log, offered=50, stopped="", most_in_flight=3, waited_for_place=0,
        in_flight=((1.0, 2),),
    )  # fmt: skip


class Gone(StringIO):
    """What nobody reads any more, as `befit ... | head -1` leaves it."""

    def write(self, _text: str, /) -> int:
        raise BrokenPipeError


def test_a_measurement_is_stored_and_written_though_nobody_reads_what_is_printed(
    tmp_path: Path,
) -> None:
    words = ["load", "--shape", "closed:1", "--duration", "1", "--set", "warm_up=0"]
    with provided(write_project(tmp_path, text=ONLY_TOTAL, n=2)), redirect_stdout(Gone()):
        run([*words, "--html", "load.html"])
    with sqlite3.connect(tmp_path / ".befit" / "workspace.db") as database:
        rows = database.execute("SELECT kind, number FROM records").fetchall()
    database.close()
    assert rows == [("load", 1)]
    assert "under load" in (tmp_path / "load.html").read_text(encoding="utf-8")


def test_that_nobody_reads_the_progress_ends_no_measurement() -> None:
    shell = Shell(err=Gone())
    table = LiveTable(shell)
    table.begun(ten_seconds().shape)
    table.level(analyse_level(ten_seconds()), None)
    table.close()
    shell.say("and so does not what is said later")
    assert not isinstance(shell.err, Gone)


def test_a_level_that_is_made_again_is_no_second_line_of_the_same() -> None:
    level = ten_seconds()
    shape = level.shape
    stream = StringIO()
    table = LiveTable(Shell(err=stream))
    table.begun(shape)
    table.begun(shape)
    table.level(analyse_level(level), None)
    table.begun(shape)
    first, again, _, new = stream.getvalue().splitlines()
    assert first == new == "open loop, poisson 5/s, 10.0 s"
    assert again == "  once more, as chance could still turn it, 10.0 s"
