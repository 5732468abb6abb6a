"""`befit review ...`, `note` and `judge calibrate` on a real run, from creation to the report."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import pytest

from befit.review.desk import Desk
from befit.review.pages import Halt
from befit.review.people import reviewers
from befit.review.states import find_study
from befit.storage.workspace import Workspace
from cli_ground import befit, provided, write_project

SETTINGS = """\
review:
  pairs: 10
  per_pair: 2
  calibration: 0
  explain: 0
  guess: 0.2
  mirrored: 0.1
  style: plain
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    folder = write_project(tmp_path_factory.mktemp("review") / "desk")
    text = (folder / "befit.yaml").read_text()
    gates = "policy: {gates: [{metric: human_win_rate, floor: 0.3}]}\n"
    (folder / "befit.yaml").write_text(text + gates)
    (folder / "review.yaml").write_text(SETTINGS)
    with provided(folder):
        assert befit("run", "--yes").code in {0, 3, 4}
        yield folder


@pytest.fixture(scope="module")
def study(project):
    assert project.is_dir()
    made = befit("review", "create", "--settings", "review.yaml", "--json")
    assert made.code == 0, made.err
    return made.data


@pytest.fixture(scope="module")
def voted(study):
    """Two reviewers have voted through the desk; the study is still open."""
    assert befit("review", "open").code == 0
    for name, group in (("Ann", "real_user"), ("Ben", "own_team")):
        told = befit("review", "invite", name, "--group", group, "--json").data
        assert re.fullmatch(r"/r/[\w-]{32}", told["path"])
    with Workspace.open(".befit") as workspace:
        desk = Desk(workspace.reviews, study["study"])
        for number, one in enumerate(reviewers(workspace.reviews, study["study"]).values()):
            for place in range(40):
                shown = desk.next_item(one)
                if isinstance(shown, Halt):
                    break
                left = (
                    "script" in shown.left.turns[-1].answer or "DE1" in shown.left.turns[-1].answer
                )
                ballot = {
                    "verdict": "right" if left else "left",
                    "tags": [{"tag": "format", "side": "left" if left else "right"}],
                    "rubric": {"relevance": {"left": 1 if left else 4, "right": 3}},
                    "observations": [{"seen": f"saw {place}", "severity": 3}] if place == 0 else [],
                    "active_seconds": 30.0,
                }
                desk.vote(one, shown.token, ballot, request_id=f"{number}-{place}")
            while (page := desk.next_guess(one)) is not None:
                desk.guess(one, page.token, named=page.names[0])
    return study


@pytest.mark.usefixtures("project")
def test_a_study_says_what_it_takes_before_it_is_made():
    Path("strange.yaml").write_text("scenarios: [nowhere]", encoding="utf-8")
    refused = befit("review", "create", "--dry-run", "--settings", "strange.yaml")
    assert refused.code == 2
    assert "there is no scenario 'nowhere' in this run" in refused.err
    told = befit("review", "create", "--dry-run", "--preference", "0.6", "--json").data
    # 60/40 at 80 % power: 194 decided votes (statistics, sign test)
    assert told == {"votes_per_pair": 194, "pairs": 1, "votes": 194}


@pytest.mark.usefixtures("voted")
def test_before_closing_nothing_says_who_is_who(tmp_path):
    words = ("m-good", "m-bad", "good", "bad")
    status = befit("review", "status", "--json")
    assert status.code == 0
    assert status.data["votes"] > 0
    told = json.dumps(status.data)
    assert not any(f'"{word}"' in told for word in words)
    out = tmp_path / "votes.csv"
    assert befit("review", "export", "--out", str(out)).code == 0
    rows = list(csv.DictReader(out.open()))
    assert rows
    assert {row["left"] + row["right"] for row in rows} == {""}
    refused = befit("review", "unblind")
    assert refused.code == 9
    assert "cannot be unblinded before it is closed" in refused.err
    assert befit("decide", "--dry-run", "--json").data is not None
    assert "m-good" not in refused.out


def test_a_narrow_terminal_loses_columns_and_breaks_no_word(voted, monkeypatch):
    assert voted
    monkeypatch.setenv("COLUMNS", "44")
    told = befit("review", "status")
    (head,) = (line for line in told.out.splitlines() if line.startswith("reviewer"))
    assert head.split() == ["reviewer", "votes", "gold", "left", "out"]
    assert "left out too fast, seconds, left, attention, group, consistent;" in told.err
    assert "agreement: alpha" in told.out


def test_closing_unblinding_and_the_report(voted, tmp_path):
    assert befit("review", "close").code == 0
    assert befit("review", "close").code == 9
    assert befit("review", "open").code == 9
    result = befit("review", "unblind", "--json")
    assert result.code == 0, result.err
    found = result.data
    assert found["commitment"]["sha256"] == voted["commitment"]
    assert found["preference"]["candidates"][0]["candidate"] == "good"
    places = {(g["metric"], g["candidate"]) for g in found["gates"]}
    assert {("human_win_rate", "good"), ("human_rubric", "bad")} <= places
    assert any("less than half" in text for text in found["warnings"]) is False
    assert found["automatic_scores"]
    assert {one["seen"] for one in found["records"]} == {"saw 0"}
    again = befit("review", "unblind", "--json").data
    assert again["preference"] == found["preference"]

    page = tmp_path / "report.html"
    assert befit("report", "--format", "html", "--out", str(page)).code == 0
    text = page.read_text()
    assert "Review by people" in text
    # few votes: which of the two sentences it is depends on the pairs that were drawn
    assert "People prefer good" in text or "People cannot tell the candidates apart" in text
    document = tmp_path / "report.json"
    assert befit("report", "--format", "json", "--out", str(document)).code == 0
    told = json.loads(document.read_text())
    assert told["people"][0]["votes"] == found["votes"]
    assert {one["seen"] for one in told["records"]} == {"saw 0"}
    assert "Record sheets" in text

    decision = befit("decide", "--dry-run", "--json").data
    assert "human_win_rate" in json.dumps(decision)
    assert "Not reviewed by people." not in json.dumps(decision)

    out = tmp_path / "votes.jsonl"
    assert befit("review", "export", "--out", str(out)).code == 0
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    work = [row for row in rows if row["purpose"] == "work"]
    assert {name for row in work for name in (row["left"], row["right"])} == {"good", "bad"}


@pytest.mark.usefixtures("voted")
def test_a_decision_reads_what_people_said():
    befit("review", "close")  # where this test runs alone
    befit("review", "unblind")
    found = befit("decide", "--dry-run", "--json").data
    seen = {v["candidate"]: v for v in found["verdicts"] if v["gate"]["metric"] == "human_win_rate"}
    assert seen["good"]["evidence"]["value"] > seen["bad"]["evidence"]["value"]
    assert seen["good"]["verdict"] == "pass"
    assert "Not reviewed by people." not in found["open_questions"]


@pytest.mark.usefixtures("project")
def test_a_record_is_written_marked_and_listed():
    with Workspace.open(".befit") as workspace:
        run = workspace.find_run("latest").id
        key = next(iter(workspace.facts(run))).key_id
    made = befit("note", key[:12], "The total is off by one", "--tag", "reasoning/wrong fact",
                 "--severity", "3", "--json").data  # fmt: skip
    assert (made["trial"], made["dimension"], made["tag"]) == (key, "reasoning", "wrong fact")
    marked = befit("note", made["id"], "--mark", "confirmed", "--why", "seen again", "--json").data
    assert (marked["state"], len(marked["history"])) == ("confirmed", 1)
    listed = befit("note", "--list", "--json").data
    assert {one["id"]: one["overdue"] for one in listed}[made["id"]] is False
    assert befit("note", made["id"], "--mark", "nonsense").code == 2
    assert befit("note", "ffff0000ffff", "x").code == 2


@pytest.mark.usefixtures("voted")
def test_a_judge_without_verdicts_cannot_be_calibrated():
    befit("review", "close")  # where this test runs alone
    befit("review", "unblind")
    found = befit("judge", "calibrate")
    assert found.code == 2
    assert "no judge has scored" in found.err


@pytest.mark.usefixtures("project")
def test_breaking_the_blinding_needs_a_reason_closes_for_good_and_stamps_the_result():
    made = befit("review", "create", "--settings", "review.yaml", "--json").data
    assert befit("review", "unblind", made["study"], "--break-blind").code == 2
    with Workspace.open(".befit") as workspace:
        assert find_study(workspace.reviews, made["study"]).state == "draft"
    told = befit("review", "unblind", made["study"], "--break-blind", "--reason", "a leak",
                 "--json")  # fmt: skip
    assert told.code == 0
    assert told.data["broken"] == "a leak"
    assert any("broken before the study was closed: a leak" in w for w in told.data["warnings"])
    assert befit("review", "open", made["study"]).code == 9


@pytest.mark.usefixtures("project")
def test_a_settings_file_with_a_fault_is_told_line_by_line(tmp_path):
    path = tmp_path / "bad.yaml"
    path.write_text("pairs: many\nmaskin: mask\n")
    found = befit("review", "create", "--settings", str(path))
    assert found.code == 2
    assert "pairs" in found.err
    assert "maskin" in found.err


def test_votes_made_elsewhere_become_a_closed_study(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = ["sample,left,right,winner,reviewer,group"]
    lines += [f"q{n},red,blue,{'left' if n % 4 else 'tie'},p{n % 3},real_user" for n in range(24)]
    (tmp_path / "votes.csv").write_text("\n".join(lines) + "\n")
    made = befit("review", "import", "votes.csv", "--json")
    assert made.code == 0, made.err
    assert made.data["votes"] == 24
    found = befit("review", "unblind", "--json").data
    # 18 wins and 6 ties of 24: (18 + 3) / 24
    best = found["preference"]["candidates"][0]
    assert (best["candidate"], best["win_rate"]["value"]) == ("red", 0.875)
    assert any("made elsewhere" in text for text in found["warnings"])
    (tmp_path / "bad.csv").write_text("sample,left\nq1,red\n")
    refused = befit("review", "import", "bad.csv")
    assert refused.code == 8
    assert "bad.csv:2 'right' is missing" in refused.err
