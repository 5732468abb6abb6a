"""Sample files that are wrong: one clear message with file and line, exit code 8."""

from __future__ import annotations

import tracemalloc
from typing import TYPE_CHECKING

import pytest

from befit.datasets.files import FileDataset
from befit.datasets.files_inspect import inspect
from befit.errors import DataError

if TYPE_CHECKING:
    from pathlib import Path

OK = b'{"id": "ok", "input": "x"}\n'

BROKEN: dict[str, tuple[str, bytes, str, str]] = {
    # name -> file, content, `:line key` after the file name, words of the message
    "no JSON": ("a.jsonl", OK + b"{id: 1}\n", ":2", "this is no JSON"),
    "cut JSON": ("a.jsonl", OK + b'{"id": "b", "input": ', ":2", "this is no JSON"),
    "two objects": (
        "a.jsonl",
        b'{"id":"a","input":"x"} {"id":"b","input":"y"}',
        ":1",
        "one JSON object",
    ),
    "NaN": ("a.jsonl", b'{"id": "a", "input": "x", "target": NaN}', ":1", "NaN is no JSON value"),
    "infinity": ("a.jsonl", b'{"id": "a", "input": "x", "weight": -Infinity}', ":1", "-Infinity"),
    "bad UTF-8": ("a.jsonl", OK + b'{"id": "b", "input": "\xff"}\n', ":2", "this is no UTF-8"),
    "UTF-16": ("a.jsonl", OK.decode().encode("utf-16"), ":1", "UTF-16"),
    "NUL bytes": ("a.jsonl", OK + b'{"id": "b", \0 "input": "x"}', ":2", "NUL bytes"),
    "NUL escape": ("a.jsonl", b'{"id": "b", "input": "x\\u0000"}', ":1", "NUL character"),
    "surrogate": ("a.jsonl", b'{"id": "b", "input": "\\ud800"}', ":1", "lone surrogate"),
    "a key twice": (
        "a.jsonl",
        OK + b'{"id": "b", "input": "x", "target": 1, "target": "one \\"quoted\\""}',
        ":2",
        "the key 'target' occurs twice",
    ),
    "a key twice in JSON": (
        "a.json",
        b'[{"id": "b", "input": "x", "vars": {"v": "1", "v": "2"}}]',
        ":1",
        "the key 'v' occurs twice",
    ),
    "CSV without a header": ("a.csv", b"a1,what is it?,42\n", ":1", "start the file with a header"),
    "empty file": ("a.jsonl", b"", "", "there are no samples"),
    "only blank lines": ("a.jsonl", b"\n \n", "", "there are no samples"),
    "list in a line": ("a.jsonl", b"[1]\n", ":1", "a sample is a mapping, not a list"),
    "no id": ("a.jsonl", b'{"input": "x"}', ":1", "'id' is missing"),
    "number as id": ("a.jsonl", b'{"id": 7, "input": "x"}', ":1 id", "must be text, not a number"),
    "unknown key": ("a.jsonl", b'{"id": "a", "input": "x", "targt": 1}', ":1 targt", "'target'"),
    "foreign key": (
        "a.jsonl",
        b'{"id": "a", "input": "x", "expected": 1}',
        ":1 expected",
        "'target'",
    ),
    "no input": (
        "a.jsonl",
        b'{"id": "a", "target": 1}',
        ":1",
        "exactly one of 'input' and 'turns'",
    ),
    "both inputs": ("a.jsonl", b'{"id": "a", "input": "x", "turns": ["y"]}', ":1", "exactly one"),
    "number as input": ("a.jsonl", b'{"id": "a", "input": 5}', ":1 input", "text or a list"),
    "unknown kind": (
        "a.jsonl",
        b'{"id": "a", "input": "x", "kind": "edgy"}',
        ":1 kind",
        "did you mean 'edge'?",
    ),
    "weight 0": (
        "a.jsonl",
        b'{"id": "a", "input": "x", "weight": 0}',
        ":1 weight",
        "greater than 0",
    ),
    "bad role": (
        "a.jsonl",
        b'{"id":"a","input":[{"role":"usr","content":"x"}]}',
        ":1 input[0].role",
        "'user'",
    ),
    "bad date": (
        "a.jsonl",
        b'{"id":"a","input":"x","added_on":"soon"}',
        ":1 added_on",
        "a date (YYYY-MM-DD)",
    ),
    "bad check": (
        "a.jsonl",
        b'{"id":"a","input":"x","checks":[5]}',
        ":1 checks[0]",
        "one name with its options",
    ),
    "number in vars": (
        "a.jsonl",
        b'{"id":"a","input":"x","vars":{"y":1}}',
        ":1 vars.y",
        "must be text",
    ),
    "duplicate ids": ("a.jsonl", OK + b"\n" + OK, ":3", "the id 'ok' occurs twice (first at"),
    "escape": (
        "a.jsonl",
        b'{"id":"a","input":"x","attachments":["../../x.png"]}',
        ":1 attachments[0]",
        "outside",
    ),
    "absolute": (
        "a.jsonl",
        b'{"id":"a","input":"x","attachments":["/etc/passwd"]}',
        ":1 attachments[0]",
        "relative",
    ),
    "no attachment": (
        "a.jsonl",
        b'{"id":"a","input":"x","attachments":["no.png"]}',
        ":1 attachments[0]",
        "does not exist",
    ),
    "odd attachment": (
        "a.jsonl",
        b'{"id":"a","input":"x","attachments":["a.exe"]}',
        ":1 attachments[0]",
        "none of the types",
    ),
    "csv cells": ("a.csv", b"id,input\na,x\nb,y,z\n", ":3", "3 cells, but the header has 2"),
    "csv header": ("a.csv", b"id,id,input\na,b,x\n", ":1", "a column twice"),
    "csv quote": ("a.csv", b'id,input\na,"x"y\n', ":2", "this is no CSV"),
    "csv alias": ("a.csv", b"id,input,expected\na,x,1\n", ":2", "is called 'target' here"),
    "csv without rows": ("a.csv", b"id,input\n", "", "there are no samples"),
    "csv bad UTF-8": ("a.csv", b"id,input\na,x\nb,\xe9\n", ":3", "this is no UTF-8"),
    "csv bad JSON cell": ("a.csv", b"id,turns\na,[1\n", ":2 turns", "the cell is no JSON"),
    "yaml tab": ("a.yaml", b"- id: a\n\tinput: x\n", ":2", "a tab is used as indentation"),
    "yaml duplicate key": (
        "a.yaml",
        b"- id: a\n  input: x\n  id: b\n",
        ":3 [0].id",
        "occurs twice",
    ),
    "yaml mapping": ("a.yaml", b"id: a\ninput: x\n", ":1", "samples must be a list"),
    "yaml NaN": ("a.yaml", b"- id: a\n  input: x\n  target: .nan\n", ":3 [0].target", "NaN"),
    "yaml tag": ("a.yaml", b"- !!python/object:os.system {id: a}\n", ":1 [0]", "is not allowed"),
    "yaml key line": (
        "a.yaml",
        b"- id: a\n  input: x\n  knd: edge\n",
        ":3 knd",
        "did you mean 'kind'?",
    ),
    "json mapping": ("a.json", b'{"id": "a"}', ":1", "samples must be a list"),
    "json NaN": ("a.json", b'[\n{"id": "a", "input": "x", "target": NaN}]', ":2", "NaN"),
    "json NUL": ("a.json", b'[{"id": "a", "input": "\\u0000"}]', ":1", "NUL character"),
    "json surrogate": ("a.json", b'[{"id": "a", "input": "\\ud800"}]', ":1", "lone surrogate"),
    "yaml NUL": ("a.yaml", b'- id: a\n  input: "\\0"\n', ":2 [0].input", "a NUL"),
    "yaml surrogate": ("a.yaml", b'- id: a\n  input: "\\ud800"\n', ":2 [0].input", "surrogate"),
    "yaml huge number": (
        "a.yaml",
        b"- {id: a, input: x, target: 123456789012345678901}",
        ":1 [0].target",
        "is too large a number",
    ),
    "yaml deep": ("a.yaml", b"[" * 3000, ":1", "nested too deeply"),
    "jsonl deep": ("a.jsonl", b"[" * 3000 + b"]" * 3000, ":1", "nested too deeply"),
    "json cut": ("a.json", b'[\n{"id": "a", "input": "x"},\n{"id": ', ":3", "this is no JSON"),
    "json line": (
        "a.json",
        b'[\n{"id": "a", "input": "x"},\n\n{"id": "b"}]',
        ":4",
        "exactly one of",
    ),
    "format": ("a.parquet", b"PAR1", ":1", "is no format of sample files"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_sample_file_gives_one_clear_message(name: str, tmp_path: Path) -> None:
    file, content, place, words = BROKEN[name]
    (tmp_path / file).write_bytes(content)
    dataset = FileDataset(tmp_path / file, name=file)
    problems = inspect(dataset).problems
    assert len(problems) == 1, [str(problem) for problem in problems]
    (problem,) = problems
    assert isinstance(problem, DataError)
    assert problem.exit_code == 8
    assert problem.where == f"{file}{place}"
    assert words in str(problem)
    assert "Traceback" not in str(problem)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    (problem,) = inspect(FileDataset(tmp_path / "no.jsonl", name="no.jsonl")).problems
    assert (problem.where, problem.what) == ("no.jsonl", "the file does not exist")


def test_a_line_of_100_mb_is_refused_without_being_held(tmp_path: Path) -> None:
    path = tmp_path / "big.jsonl"
    with path.open("wb") as handle:
        handle.write(OK)
        handle.seek(100_000_000, 1)
        handle.write(b"\n" + OK.replace(b"ok", b"after"))
    tracemalloc.start()
    summary = inspect(FileDataset(path, name="big.jsonl"))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert [problem.where for problem in summary.problems] == ["big.jsonl:2"]
    assert "longer than 10 MB" in summary.problems[0].what
    assert summary.n == 2
    assert peak < 40_000_000


def test_problems_are_bounded_and_the_rest_is_counted(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text("{\n" * 200)
    problems = inspect(FileDataset(path)).problems
    assert len(problems) == 51
    assert problems[-1].what == "150 more problem(s), not shown"


def test_a_link_out_of_the_project_is_not_followed(tmp_path: Path) -> None:
    outside, inside = tmp_path / "outside", tmp_path / "inside"
    outside.mkdir()
    inside.mkdir()
    (outside / "secret.txt").write_text("secret")
    (inside / "link.txt").symlink_to(outside / "secret.txt")
    path = inside / "a.jsonl"
    path.write_text('{"id": "a", "input": "x", "attachments": ["link.txt"]}')
    (problem,) = inspect(FileDataset(path)).problems
    assert "outside the project folder" in problem.what


def test_memory_does_not_grow_with_the_number_of_samples_while_loading(tmp_path: Path) -> None:
    path = tmp_path / "many.jsonl"
    path.write_text("".join(f'{{"id": "{i}", "input": "some text {i}"}}\n' for i in range(20_000)))
    tracemalloc.start()
    for _ in FileDataset(path).load():
        pass
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2_000_000
