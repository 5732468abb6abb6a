"""Sample files in each format, and what comes out of them."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING

import pytest

from befit.core.sample import Sample
from befit.datasets.files import FileDataset
from befit.datasets.files_inspect import inspect
from befit.errors import ProjectError

if TYPE_CHECKING:
    from pathlib import Path

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
"""One pixel."""


def samples_of(path: Path) -> list[Sample]:
    return list(FileDataset(path).load())


def test_all_formats_give_the_same_samples(tmp_path: Path) -> None:
    jsonl = tmp_path / "a.jsonl"
    jsonl.write_text(
        '{"id": "a", "input": "one", "target": "1", "kind": "edge", "tags": ["x", "y"]}\n'
        '\n{"id": "b", "input": "two, three", "target": "2"}\n'
    )
    csv = tmp_path / "a.csv"
    csv.write_text('id,input,target,kind,tags\na,one,1,edge,x; y\nb,"two, three",2,,\n')
    tsv = tmp_path / "a.tsv"
    tsv.write_text("id\tinput\ttarget\tkind\ttags\na\tone\t1\tedge\tx; y\nb\ttwo, three\t2\t\t\n")
    semicolon = tmp_path / "s.csv"
    semicolon.write_text("id;input;target;kind;tags\na;one;1;edge;x\n".replace(";x", ';"x;y"'))
    yaml = tmp_path / "a.yaml"
    yaml.write_text(
        "samples:\n- {id: a, input: one, target: '1', kind: edge, tags: [x, y]}\n"
        "- id: b\n  input: two, three\n  target: '2'\n"
    )
    whole = tmp_path / "a.json"
    whole.write_text(
        json.dumps([json.loads(line) for line in jsonl.read_text().splitlines() if line], indent=1)
    )
    expected = samples_of(jsonl)
    assert [sample.id for sample in expected] == ["a", "b"]
    for path in (csv, tsv, yaml, whole):
        assert samples_of(path) == expected, path.name
    assert samples_of(semicolon) == expected[:1]


def test_bom_and_crlf_are_accepted(tmp_path: Path) -> None:
    path = tmp_path / "windows.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"id": "a", "input": "x"}\r\n{"id": "b", "input": "y"}\r\n')
    assert [sample.id for sample in samples_of(path)] == ["a", "b"]
    table = tmp_path / "windows.csv"
    table.write_bytes(b'\xef\xbb\xbfid,input\r\na,"two\r\nlines"\r\nb,y\r\n')
    assert [sample.input for sample in samples_of(table)] == ["two\nlines", "y"]


def test_other_csv_columns_become_variables(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text('id,input,vendor,year,target\na,x,ACME,2026,"{""total"": 5}"\n')
    (sample,) = samples_of(path)
    assert sample.vars == {"vendor": "ACME", "year": "2026"}
    assert sample.target == {"total": 5}


def test_a_csv_target_that_is_a_number_stays_text(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("id,input,target\na,x,007\nb,y,[unknown]\n")
    assert [sample.target for sample in samples_of(path)] == ["007", "[unknown]"]


def test_turns_checks_and_messages_in_short_form(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    rows = [
        {
            "id": "t",
            "turns": ["Hello", {"user": "And now?", "checks": [{"match": {"exact": "x"}}]}],
        },
        {"id": "c", "input": "q", "checks": ["match", {"match": {"numeric": True}}]},
        {
            "id": "m",
            "input": [{"role": "system", "content": "s"}, {"role": "user", "content": "u"}],
        },
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    turns, checks, messages = samples_of(path)
    assert turns.turns[0].user == "Hello"
    assert turns.turns[1].checks[0].options == {"exact": "x"}
    assert [check.name for check in checks.checks] == ["match", "match"]
    assert isinstance(messages.input, tuple)
    assert messages.input[1].text == "u"


def test_retired_samples_are_left_out_but_counted(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(
        '{"id": "a", "input": "x"}\n{"id": "b", "input": "y", "retired_on": "2026-01-01"}\n'
    )
    assert [sample.id for sample in samples_of(path)] == ["a"]
    summary = inspect(FileDataset(path))
    assert (summary.n, summary.n_retired) == (1, 1)


def test_attachments_become_data_urls(tmp_path: Path) -> None:
    (tmp_path / "p.png").write_bytes(PNG)
    path = tmp_path / "a.jsonl"
    parts = [{"type": "text", "text": "t"}, {"type": "image", "path": "p.png"}]
    rows = [
        {"id": "a", "input": "x", "attachments": ["p.png", {"name": "q", "path": "p.png"}]},
        {"id": "b", "input": [{"role": "user", "content": parts}]},
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    attached, message = samples_of(path)
    assert [(a.name, a.url[:22]) for a in attached.attachments] == [
        ("p.png", "data:image/png;base64,"),
        ("q", "data:image/png;base64,"),
    ]
    assert isinstance(message.input, tuple)
    assert message.input[0].content[1].url.startswith("data:image/png;base64,")  # type: ignore[union-attr]


def test_the_set_version_follows_content_not_order_or_retired_samples(tmp_path: Path) -> None:
    lines = ['{"id": "a", "input": "x", "target": 1}', '{"id": "b", "input": "y"}']

    def version(name: str, rows: list[str]) -> str:
        path = tmp_path / name
        path.write_text("\n".join(rows))
        return inspect(FileDataset(path)).set_version

    first = version("1.jsonl", lines)
    assert version("2.jsonl", lines[::-1]) == first
    retired = '{"id": "c", "input": "z", "retired_on": "2026-01-01"}'
    assert version("3.jsonl", [*lines, retired]) == first
    assert version("4.jsonl", [lines[0].replace("1", "2"), lines[1]]) != first
    assert version("5.jsonl", lines[:1]) != first


def test_the_summary_counts_what_is_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(
        '{"id": "a", "input": "four", "target": 1, "language": "de", "kind": "edge"}\n'
        '{"id": "b", "turns": ["ab", "c"]}\n'
        '{"id": "c", "input": "four"}\n'
    )
    summary = inspect(FileDataset(path))
    assert summary.n == 3
    assert summary.kinds == {"edge": 1, "typical": 2}
    assert summary.languages == {"de": 1, "": 2}
    assert (summary.n_with_target, summary.n_turns, summary.n_characters) == (1, 1, 11)
    assert summary.repeated_inputs == (("a", "c"),)


def test_loading_twice_gives_the_same_order(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text("".join(f'{{"id": "{i}", "input": "x{i}"}}\n' for i in range(50)))
    dataset = FileDataset(path)
    assert list(dataset.load()) == list(dataset.load())


def test_load_yields_the_good_rows_and_then_raises_all_problems(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"id": "a", "input": "x"}\n{\n{"id": "b"}\n{"id": "c", "input": "y"}\n')
    seen: list[str] = []
    with pytest.raises(ProjectError) as caught:
        seen.extend(sample.id for sample in FileDataset(path).load())
    assert seen == ["a"]
    assert [problem.where for problem in caught.value.problems] == [f"{path}:2", f"{path}:3"]
    assert caught.value.exit_code == 8


@pytest.mark.parametrize("end", ["\r", "\r\n", "\n"], ids=["CR", "CRLF", "LF"])
@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("a.csv", ["id,input,target", "a,one,1", 'b,"two, three",2']),
        ("a.jsonl", ['{"id":"a","input":"one","target":"1"}', '{"id":"b","input":"two, three"}']),
    ],
)
def test_line_ends_of_every_system_are_read(
    tmp_path: Path, end: str, name: str, lines: list[str]
) -> None:
    path = tmp_path / name
    path.write_bytes((end.join(lines) + end).encode())
    rows = list(FileDataset(path).rows())
    assert [row.sample and (row.sample.id, row.sample.input) for row in rows] == [
        ("a", "one"),
        ("b", "two, three"),
    ]
    first = 2 if name == "a.csv" else 1
    assert [row.where for row in rows] == [f"{path}:{first}", f"{path}:{first + 1}"]


def test_quotes_inside_texts_are_no_keys_given_twice(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    inputs = ['say "hi"', "back\\slash", '\\"', "tab\t", "\u2028", "ends in \\"]
    rows = [{"id": str(i), "input": text} for i, text in enumerate(inputs)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert [sample.input for sample in samples_of(path)] == inputs
