"""Hostile names and answers in files befit writes: nothing steers a terminal or hides a file."""

from __future__ import annotations

import json
from pathlib import Path

from cli_ground import HOSTILE, PROJECT, befit, provided, write_project

NAME = "go\x1b[31mod\u202e"
UNSAFE = ("\x1b", "\x9b", "\u202e", "\u202c", "\u200b", "\x07")


def test_no_table_holds_a_raw_control_character_of_a_name(tmp_path: Path) -> None:
    text = PROJECT.replace("name: good", f"name: {json.dumps(NAME)}")
    with provided(write_project(tmp_path, text=text, n=3)):
        assert befit("run").code == 0
        assert befit("report", "--format", "csv", "--out", str(tmp_path / "tables")).code == 0
    made = {path.name: path.read_text() for path in (tmp_path / "tables").iterdir()}
    assert len(made) >= 6
    assert any("go⟨U+001B⟩[31mod" in content for content in made.values())
    assert [name for name, content in made.items() if any(c in content for c in UNSAFE)] == []


def test_exported_answers_are_escaped_and_whole(tmp_path: Path) -> None:
    def hostile(_ask: object) -> str:
        return f"\x9b31m {HOSTILE}"

    with provided(write_project(tmp_path, n=1), answer=hostile):
        assert befit("run").code == 0
        assert befit("export", "--out", str(tmp_path / "t.jsonl")).code == 0
        assert befit("export", "--replay", "--out", str(tmp_path / "replay")).code == 0
    files = [tmp_path / "t.jsonl", *(tmp_path / "replay").iterdir()]
    assert len(files) == 3
    for path in files:
        assert not any(char in path.read_text() for char in UNSAFE)
    outputs = {json.loads(line)["output"] for line in files[0].read_text().splitlines()}
    assert outputs == {f"\x9b31m {HOSTILE}"}


def test_a_name_that_begins_with_dots_makes_no_hidden_file(tmp_path: Path) -> None:
    text = PROJECT.replace("name: good", 'name: "../../etc/x"')
    with provided(write_project(tmp_path, text=text, n=1)):
        assert befit("run").code == 0
        assert befit("export", "--replay", "--out", str(tmp_path / "replay")).code == 0
    names = sorted(path.name for path in (tmp_path / "replay").iterdir())
    assert names == ["___.._etc_x.jsonl", "bad.jsonl"]
