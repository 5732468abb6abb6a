"""What commands say of failures, trials, sealed record sheets and settings."""

from __future__ import annotations

import re

import pytest

from befit.errors import UsageError
from befit.review.records import Observation
from befit.review.states import begin_cycle, end_cycle
from cli_ground import befit
from review_world import AT, world

BROKEN = """\
project: broken
candidates:
  - {name: mine, target: function, model: "broken_code:answer"}
scenarios:
  - name: sums
    dimension: %s
    samples: [{id: q1, input: "1+1", target: "2"}]
    scorers: [match]
"""


@pytest.fixture
def broken(tmp_path, monkeypatch):
    """A project whose own function raises."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "broken_code.py").write_text(
        "def answer(prompt):\n    raise KeyError('no such column: \\x1b[31mtotal')\n"
    )
    (tmp_path / "befit.yaml").write_text(BROKEN % "reasoning")
    return tmp_path


def test_what_a_function_raised_is_shown_with_the_id_of_the_trial(broken):
    assert broken.is_dir()
    befit("run", "--yes")
    shown = befit("show", "q1")
    assert "target_error: KeyError" in shown.out
    assert "no such column" in shown.out
    assert "\x1b" not in shown.out
    trial, *_ = re.findall(r"trial (\w+)", shown.out)
    assert befit("note", trial, "the column is missing").code == 0
    one, *_ = befit("show", "q1", "--json").data
    assert "KeyError" in one["failure"]["message"]


def test_a_dimension_is_found_by_the_title_reports_show(broken):
    (broken / "befit.yaml").write_text(BROKEN % "writing")
    assert "did you mean 'generation'?" in befit("plan").err


def test_the_schema_of_review_settings_has_every_key(broken):
    assert broken.is_dir()
    keys = befit("schema", "review", "--json").data["properties"]
    assert {"tags", "rubric", "exclusion", "gold", "quota", "words_per_minute"} <= keys.keys()


def test_record_sheets_of_an_open_study_are_counted_and_sealed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "befit.yaml").write_text(BROKEN % "reasoning")
    study = world(tmp_path / ".befit", settings={"pairs": 4, "per_pair": 1})
    ann = study.person("Ann")
    shown = study.desk().next_item(ann)
    study.vote(ann, shown, observations=(Observation(seen="it invents a date"),))
    study.workspace.close()
    told = befit("note", "--list")
    assert "1 record sheets of reviewers are sealed" in told.err
    assert "no record sheets yet" not in told.err
    assert "invents" not in told.out + told.err


def test_a_recalibration_is_not_begun_while_one_is_on(tmp_path):
    study = world(tmp_path)
    begin_cycle(study.reviews, study.id, at=AT, by="o")
    with pytest.raises(UsageError, match=r"recalibration 1 .* is on"):
        begin_cycle(study.reviews, study.id, at=AT, by="o")
    end_cycle(study.reviews, study.id, at=AT, by="o")
    assert begin_cycle(study.reviews, study.id, at=AT, by="o").cycle == 2
