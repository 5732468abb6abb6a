"""Labels: what can be one, how far they agree, and the way through a spreadsheet."""

from __future__ import annotations

import csv
from datetime import date
from pathlib import Path

import pytest

from befit.core.sample import Sample
from befit.datasets.files import ListDataset
from befit.datasets.label import Label, LabelError, agreement, read_label, standings
from befit.datasets.label_files import export_labels
from befit.datasets.labelled import LabelledOnly
from befit.datasets.write import read_samples, write_samples
from befit.errors import DataError, ProjectError, UsageError
from befit.pipeline.data_change import add_samples, freeze_set, retire_samples
from befit.pipeline.data_label import apply_labels, take_labels
from befit.pipeline.data_sets import SetFile
from befit.storage.labels import StoredLabel
from befit.storage.workspace import Workspace

SAMPLES = [Sample(id=f"s{i}", input=f"What is {i}?", observed="=1+1") for i in range(4)]


def test_a_label_is_read_as_people_write_it():
    held = read_label({"target": '{"total": 3}', "absent": "vat, due", "kind": "edge"})
    assert held.target == {"total": 3, "vat": None, "due": None}
    assert held.kind == "edge"
    assert read_label({"target": " Paris "}).target == "Paris"
    assert read_label({"checks": '{"match": {"regex": "a"}}'}).checks[0].name == "match"


@pytest.mark.parametrize(
    ("form", "words"),
    [
        ({}, "give a target or a check"),
        ({"target": "{"}, "the target is no JSON"),
        ({"target": "Paris", "absent": "x"}, "absent fields need a target with fields"),
        ({"target": '{"x": 1}', "absent": "x"}, "has a value and is said to be absent"),
        ({"checks": "[1]"}, "a check is one name"),
        ({"target": "a", "kind": "odd"}, "kind"),
    ],
)
def test_what_is_no_label_is_told_in_one_line(form, words):
    with pytest.raises(LabelError, match=words):
        read_label(form)


def stored(sample, labeller, target):
    body = Label(target=target).model_dump(mode="json")
    return StoredLabel(
        scenario="s", sample_id=sample.id, labeller=labeller, revision=1,
        shown=sample.input_fingerprint, created_at="2026-01-01T00:00:00+00:00", body=body,
    )  # fmt: skip


def test_agreement_counts_samples_with_two_labels_and_spacing_is_no_difference():
    pairs = [("a", "a"), ("b", "b"), ("c  d", "c d"), ("e", "f")]
    held = [stored(one, "ann", a) for one, (a, _) in zip(SAMPLES, pairs, strict=True)]
    held += [stored(one, "ben", b) for one, (_, b) in zip(SAMPLES, pairs, strict=True)]
    found = standings(SAMPLES, held)
    made = agreement(found)
    assert (made.both, made.same) == (4, 3)
    # Krippendorff's alpha, nominal: pairs disagree in 1 of 4 units; the 8 values are
    # a2 b2 c2 e1 f1, so 1 - (2/8) / (1 - (2+2+2)/(8*7)) = 1 - 0.25 / (50/56)
    assert made.alpha.value == pytest.approx(1 - 0.25 / (50 / 56))
    assert [one.disputed for one in found] == [False, False, False, True]


@pytest.fixture
def held(tmp_path):
    path = tmp_path / "set.jsonl"
    write_samples(path, SAMPLES)
    return SetFile(scenario="set", path=path, root=tmp_path, spec=None)


def test_labels_go_through_a_spreadsheet_and_back(held, tmp_path):
    out = tmp_path / "labels.csv"
    assert export_labels(out, SAMPLES) == (4, 0)
    long = [Sample(id="long", input="x" * 32_768), *SAMPLES]
    assert export_labels(tmp_path / "long.csv", long) == (5, 1)
    assert export_labels(tmp_path / "long.jsonl", long) == (5, 0)
    rows = list(csv.DictReader(out.open(encoding="utf-8-sig")))
    assert rows[0]["observed"] == "'=1+1"  # no spreadsheet runs it
    rows[0]["target"], rows[2]["target"] = "'=2", '{"a": 1}'
    with out.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    with Workspace.open(tmp_path / ".befit") as workspace:
        assert take_labels(workspace, held, out, labeller="Ann") == 2
        assert take_labels(workspace, held, out, labeller="Ann") == 2
        assert apply_labels(workspace, held) == (2, 2)
    assert [one.target for one in held.read()] == ["=2", None, {"a": 1}, None]


def test_a_broken_row_takes_no_label_at_all(held, tmp_path):
    path = tmp_path / "labels.csv"
    path.write_text("id,target\ns0,yes\nunknown,no\ns1,{\n", encoding="utf-8")
    with Workspace.open(tmp_path / ".befit") as workspace:
        with pytest.raises(ProjectError) as told:
            take_labels(workspace, held, path, labeller="Ann")
        assert len(told.value.problems) == 2
        assert workspace.labels.newest("set") == []


@pytest.mark.parametrize(
    ("text", "words"),
    [("id,target\n", "no label"), ("id,note\ns0,hm\n", "no label"), ("", "no label"),
     ("id,input,target\ns0,another question,yes\n", "not the one the set has")],
)  # fmt: skip
def test_a_file_without_labels_or_of_another_input_is_an_error(held, tmp_path, text, words):
    path = tmp_path / "labels.csv"
    path.write_text(text, encoding="utf-8")
    with Workspace.open(tmp_path / ".befit") as workspace:
        with pytest.raises((DataError, ProjectError)) as told:
            take_labels(workspace, held, path, labeller="Ann")
        shown = [str(one) for one in getattr(told.value, "problems", (told.value,))]
        assert any(words in one for one in shown), shown
        assert workspace.labels.newest("set") == []


def test_a_repeated_press_is_one_label(tmp_path):
    with Workspace.open(tmp_path / ".befit") as workspace:
        place = ("set", "s0", "Ann")
        first = workspace.labels.put(place, {"target": 1}, shown="x", request_id="r1")
        again = workspace.labels.put(place, {"target": 1}, shown="x", request_id="r1")
        assert first == again
        assert len(workspace.labels.newest("set")) == 1


def test_an_unlabelled_sample_is_left_out_and_counted():
    made = LabelledOnly(ListDataset([*SAMPLES, Sample(id="t", input="x", target="y")]))
    assert [one.id for one in made.load()] == ["t"]
    assert [row.sample.id for row in made.rows()] == ["t"]
    assert made.left_out == 4


def test_a_version_is_named_once_and_says_what_changed(held, tmp_path):
    with Workspace.open(tmp_path / ".befit") as workspace:
        told = {"author": "Ann", "changelog": ""}
        first = freeze_set(workspace, held, None, name="v1", **told)
        retire_samples(held, ["s0"], today=date(2026, 1, 1))
        second = freeze_set(workspace, held, None, name="v2", **told)
        assert first.version != second.version
        assert second.changelog == "since 'v1': 0 added, 1 retired, 0 changed"
        assert [one.id for one in workspace.sets.samples(first.number)] == ["s0", "s1", "s2", "s3"]
        with pytest.raises(UsageError, match="called 'v2' already"):
            freeze_set(workspace, held, None, name="v2", **told)


def test_retired_samples_stay_and_keep_their_ids(held, tmp_path):
    day = date(2026, 1, 1)
    assert retire_samples(held, ["s1"], today=day).live == 3
    assert len(held.read()) == 4
    extra = tmp_path / "more.jsonl"
    write_samples(extra, [SAMPLES[1]])
    with pytest.raises(DataError, match="in the set already"):
        add_samples(held, extra, today=day)


def test_only_jsonl_is_written_to(tmp_path):
    with pytest.raises(DataError, match="only JSONL"):
        write_samples(tmp_path / "set.csv", SAMPLES)
    assert list(Path(tmp_path).iterdir()) == []
    write_samples(tmp_path / "set.jsonl", SAMPLES)
    assert read_samples(tmp_path / "set.jsonl") == SAMPLES
