from __future__ import annotations

import sqlite3
from decimal import Decimal
from pathlib import Path

import pytest
from sqlalchemy import text

from befit.core.untold import Untold
from befit.errors import StoreError
from befit.storage.database import Database
from befit.storage.migrations import STEPS, migrate
from befit.storage.workspace import Workspace
from befit.testing.store import KEY, SCENARIO, landed, manifest, missing


def test_a_workspace_is_made_where_there_is_none(tmp_path):
    folder = tmp_path / "project" / ".befit"
    with Workspace.open(folder) as workspace:
        assert workspace.runs() == []
        assert workspace.location == str(folder / "workspace.db")
    assert (folder / ".gitignore").read_text() == "*\n"


def test_a_reading_command_makes_no_workspace(tmp_path):
    with pytest.raises(StoreError, match="no workspace here"):
        Workspace.open(tmp_path / ".befit", create=False)
    assert list(tmp_path.iterdir()) == []
    Workspace.open(tmp_path / ".befit").close()
    Workspace.open(tmp_path / ".befit", create=False).close()


def test_it_is_there_when_it_is_opened_again(location):
    with Workspace.open(location) as workspace:
        workspace.create(manifest())
        workspace.commit("r-0001", [landed()])
    with Workspace.open(location) as workspace:
        assert [fact.sample_id for fact in workspace.facts("r-0001")] == ["s1"]


def test_a_workspace_of_a_later_befit_is_refused_and_left_alone(location):
    with Workspace.open(location):
        pass
    later = Database.open(location)
    with later.write() as connection:
        connection.execute(text("UPDATE meta SET value = '999'"))
    with pytest.raises(StoreError, match="schema version 999") as caught:
        Workspace.open(location)
    assert caught.value.do == "pip install --upgrade befit"
    with later.read() as connection:
        assert connection.scalar(text("SELECT value FROM meta")) == "999"
    later.close()


def test_an_older_workspace_is_brought_up_to_date_with_what_is_in_it(location):
    with Workspace.open(location) as workspace:
        workspace.create(manifest())
        workspace.commit("r-0001", [landed()])

    def add_note(connection):
        connection.execute(text("ALTER TABLE runs ADD COLUMN note VARCHAR"))

    def fill_note(connection):
        connection.execute(text("UPDATE runs SET note = label || '!'"))

    database = Database.open(location)
    steps = (*STEPS, add_note, fill_note)
    assert migrate(database, steps=steps) == len(STEPS)
    assert migrate(database, steps=steps) == len(steps)
    with database.read() as connection:
        assert connection.scalar(text("SELECT note FROM runs")) == "!"
        assert connection.scalar(text("SELECT count(*) FROM slots")) == 1
    database.close()


def test_a_step_that_fails_leaves_the_workspace_at_its_old_version(location):
    with Workspace.open(location):
        pass

    def half(connection):
        connection.execute(text("CREATE TABLE half (x INTEGER)"))
        raise RuntimeError("power cut")

    database = Database.open(location)
    with pytest.raises(RuntimeError, match="power cut"):
        migrate(database, steps=(*STEPS, half))
    assert migrate(database) == len(STEPS)
    with pytest.raises(StoreError), database.read() as connection:
        connection.execute(text("SELECT * FROM half"))
    database.close()


def test_a_file_with_no_tables_yet_counts_as_version_0(tmp_path):
    with sqlite3.connect(tmp_path / "workspace.db") as made:
        made.execute("CREATE TABLE meta (name VARCHAR PRIMARY KEY, value VARCHAR NOT NULL)")
        made.execute("INSERT INTO meta VALUES ('schema_version', '0')")
    made.close()
    with Workspace.open(tmp_path) as workspace:
        workspace.create(manifest())
        assert len(workspace.runs()) == 1


def test_a_file_of_another_kind_is_refused_in_one_line(tmp_path):
    (tmp_path / "workspace.db").write_bytes(b"this is no database, it is a letter" * 200)
    with pytest.raises(StoreError, match="damaged or of another program"):
        Workspace.open(tmp_path)


def test_a_folder_that_is_a_file_is_refused_in_one_line(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="cannot be made"):
        Workspace.open(tmp_path / "file" / ".befit")


@pytest.mark.parametrize(
    ("url", "what"),
    [
        ("mysql://u:hunter2@h/d", "not a database befit can use"),
        ("postgresql://u:hunter2@h/d", "not a database befit can use"),
        ("postgresql+psycopg://u:hunter2@h:port/d", "cannot be read"),
        ("postgresql+psycopg://u:hunter2@127.0.0.1:9/d", "cannot be reached"),
    ],
)
def test_a_url_is_refused_without_showing_its_password(url, what):
    pytest.importorskip("psycopg", reason="the extra 'postgres' is not installed")
    with pytest.raises(StoreError, match=what) as caught:
        Workspace.open(url)
    assert "hunter2" not in str(caught.value)
    assert caught.value.do


def test_a_refused_statement_shows_nothing_of_what_was_to_be_stored(workspace):
    database = workspace._database
    with database.write() as connection:
        connection.execute(text("DROP TABLE evidence"))
    with pytest.raises(StoreError) as caught:
        workspace.commit("r-0001", [landed(text="the model's own words")])
    assert "model's own words" not in str(caught.value)
    assert list(workspace.facts("r-0001")) == []  # nothing of the batch was stored


@pytest.mark.parametrize("location", ["sqlite"], indirect=True)
def test_no_key_is_in_any_file_of_the_workspace(location):
    with Workspace.open(location) as workspace:
        workspace.create(manifest())
        workspace.commit("r-0001", [landed(), missing("s2")])
        list(workspace.scores("r-0001", scenario=SCENARIO))
        files = [path for path in location.rglob("*") if path.is_file()]
        assert {"workspace.db", "workspace.db-wal"} <= {path.name for path in files}
        assert any(b"alpha" in path.read_bytes() for path in files)
        for path in files:
            assert KEY.encode() not in path.read_bytes()


def taken_back(folder: Path, step: str, *statements: str) -> None:
    """Write a workspace with one trial, as a befit left it that did not know `step` yet."""
    with Workspace.open(folder) as workspace:
        workspace.create(manifest())
        workspace.commit("r-0001", [landed("s1")])
    with sqlite3.connect(folder / "workspace.db") as old:
        for statement in statements:
            old.execute(statement)
        before = [one.__name__ for one in STEPS].index(step)
        old.execute("UPDATE meta SET value = ? WHERE name = 'schema_version'", (before,))
    old.close()


def test_a_workspace_of_before_the_way_was_noted_is_read_and_written_on(tmp_path):
    taken_back(
        tmp_path,
        "_routes",
        "ALTER TABLE slots DROP COLUMN route",
        "DROP TABLE slot_columns",
        "DROP TABLE score_columns",
        "DROP TABLE untold_costs",
    )
    with Workspace.open(tmp_path) as workspace:
        workspace.commit("r-0001", [landed("s2")])
        assert [fact.route for fact in workspace.facts("r-0001")] == [None, None]


def test_a_workspace_of_before_untold_costs_is_opened_and_has_none(tmp_path):
    taken_back(tmp_path, "_untold_costs", "DROP TABLE untold_costs")
    with Workspace.open(tmp_path) as workspace:
        assert workspace.untold("r-0001") == {}
        workspace.add_untold("r-0001", {"alpha": Untold(spent=Decimal("0.5"))})
        assert workspace.untold("r-0001")["alpha"].spent == Decimal("0.5")
        assert len(list(workspace.facts("r-0001"))) == 1


def test_a_workspace_of_before_untold_tries_does_not_know_them(tmp_path):
    taken_back(tmp_path, "_untold_tries", "ALTER TABLE slots DROP COLUMN untold_tries")
    with Workspace.open(tmp_path) as workspace:
        workspace.commit("r-0001", [landed("s2")])
        assert [fact.untold_tries for fact in workspace.facts("r-0001")] == [None, 0]


def test_a_workspace_of_before_the_waiting_was_noted_is_read_and_written_on(tmp_path):
    with Workspace.open(tmp_path) as workspace:
        workspace.create(manifest())
        workspace.commit("r-0001", [landed("s1")])
    with sqlite3.connect(tmp_path / "workspace.db") as old:
        for column in ("calls", "waited", "retry_cost", "payload_chars"):
            old.execute(f"ALTER TABLE slots DROP COLUMN {column}")
        old.execute("ALTER TABLE evidence DROP COLUMN payload_chars")
    old.close()
    database = Database.open(tmp_path)
    step = next(step for step in STEPS if step.__name__ == "_waits_and_payload")
    for _ in range(2):  # a second time it finds nothing to do
        with database.write() as connection:
            step(connection)
    database.close()
    with Workspace.open(tmp_path) as workspace:
        workspace.commit("r-0001", [landed("s2")])
        first, second = workspace.facts("r-0001")
    # What nobody noted is unknown, not 0.
    assert (first.calls, first.waited, first.payload_chars) == (None, None, None)
    assert (second.calls, second.waited, second.payload_chars) == (1, 0.0, 5)
