"""What fails before the first call leaves no run behind, and no empty run hides a good one."""

from __future__ import annotations

from pathlib import Path

import pytest

from befit.cli.common import open_workspace
from befit.storage.workspace import Workspace
from befit.testing.store import manifest
from cli_ground import PROJECT, befit, provided, write_project

ONLY_TOTAL = PROJECT[: PROJECT.index("  - name: fields")] + PROJECT[PROJECT.index("run:") :]
LOCAL = (
    "  - {name: here, target: local, model: smollm2-135m, "
    "sampling: {temperature: 0, max_tokens: 5}}\nscenarios:"
)

UNPRICED = (
    "  - {name: free, target: openai, model: nobodys, base_url: '${BASE_URL}', "
    "api_key: '${API_KEY}'}\nscenarios:"
)


@pytest.mark.parametrize("words", [[], ["--until-decided"]])
def test_a_model_that_is_not_fetched_leaves_no_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str]
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("BEFIT_CACHE", str(tmp_path / "cache"))
    folder = write_project(tmp_path / "p", text=ONLY_TOTAL, n=2)
    with provided(folder) as provider:
        assert befit("run", "--yes").code == 0
        good = befit("runs", "--json").data
        asked = len(provider.requests)
        text = ONLY_TOTAL.replace("scenarios:", LOCAL, 1)
        (folder / "befit.yaml").write_text(text, encoding="utf-8")
        (folder / "recorded.yaml").write_text("project: beside\n", encoding="utf-8")
        ended = befit("run", "--yes", *words)
        assert ended.code == 7
        assert "befit models fetch smollm2-135m" in ended.err
        assert "recorded.yaml" in ended.err
        assert befit("runs", "--json").data == good
        assert len(provider.requests) == asked


@pytest.mark.parametrize("words", [[], ["--until-decided"]])
def test_a_cap_without_prices_leaves_no_run(tmp_path: Path, words: list[str]) -> None:
    text = ONLY_TOTAL.replace("scenarios:", UNPRICED, 1)
    text = text.replace("run: {", "run: {allow_unknown_cost: false, ")
    with provided(write_project(tmp_path, text=text, n=2)) as provider:
        ended = befit("run", "--yes", "--max-cost", "1", *words)
        assert ended.code == 6
        assert "no price is known for: free" in ended.err
        assert befit("runs", "--json").data == []
        assert not provider.requests


def run_of_another_project(folder: Path) -> None:
    other = ONLY_TOTAL.replace("project: desk", "project: other", 1)
    other = other.replace("Total of this", "What is the total of this")
    (folder / "other.yaml").write_text(other, encoding="utf-8")
    assert befit("run", "other.yaml", "--yes").code == 0


def test_the_latest_run_of_a_named_project_file_is_its_own(tmp_path: Path) -> None:
    with provided(write_project(tmp_path, text=ONLY_TOTAL, n=2)):
        assert befit("run", "--yes").code == 0
        mine = befit("runs", "--json").data[0]["run"]
        run_of_another_project(tmp_path)
        for file, project in (("befit.yaml", "desk"), ("other.yaml", "other")):
            assert befit("report", "-p", file).out.startswith(f"{project}  run ")
        assert f"run {mine}" in befit("report", "-p", "befit.yaml").out


def test_the_latest_run_of_a_folder_is_that_of_its_own_project_file(tmp_path: Path) -> None:
    with provided(write_project(tmp_path, text=ONLY_TOTAL, n=2)):
        assert befit("run", "--yes").code == 0
        mine = befit("runs", "--json").data[0]["run"]
        run_of_another_project(tmp_path)
        theirs = befit("runs", "--json").data[0]["run"]
        for verb in ("report", "show", "decide", "bless"):
            ended = befit(verb, "--json")
            told = [w for w in ended.envelope["warnings"] if theirs in w]
            said = f"{theirs} is a run of project 'other' and newer than {mine}, the newest of"
            assert told == [f"{said} 'desk', which is taken"]
        assert befit("report", "--json").data["provenance"]["run_id"] == mine
        # Named itself, another's run is taken without a word; and it is not passed over in silence.
        assert theirs not in "".join(befit("report", mine, "--json").envelope["warnings"])
        assert f"run {theirs}" in befit("report", theirs).out


def test_where_a_folders_project_has_no_run_the_newest_is_taken_and_named(tmp_path: Path) -> None:
    with provided(write_project(tmp_path, text=ONLY_TOTAL, n=2)):
        other = ONLY_TOTAL.replace("project: desk", "project: other", 1)
        (tmp_path / "other.yaml").write_text(other, encoding="utf-8")
        assert befit("run", "other.yaml", "--yes").code == 0
        ended = befit("report", "--json")
        (told,) = [w for w in ended.envelope["warnings"] if "is a run of project 'other'" in w]
        assert told.endswith(": project 'desk' has none here yet")


@pytest.mark.parametrize("verb", ["show", "report", "judges", "export", "score"])
def test_a_project_file_that_was_never_run_has_no_latest_run(tmp_path: Path, verb: str) -> None:
    with provided(write_project(tmp_path, text=ONLY_TOTAL, n=2)):
        assert befit("run", "--yes").code == 0
        other = ONLY_TOTAL.replace("project: desk", "project: other  # never run", 1)
        (tmp_path / "other.yaml").write_text(other, encoding="utf-8")
        refused = befit(verb, "-p", "other.yaml")
        assert refused.code == 2
        assert "project 'other' has no run yet" in refused.err


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("project: desk  # mine", "desk"),
        ('project: "a # b"', "a # b"),
        ("project: 'two words'", "two words"),
        ("project: a#b", "a#b"),
        ("project: >-", None),
        ("project: ${NAME}", None),
    ],
)
def test_the_name_in_a_project_file_is_read_as_yaml_reads_it(
    tmp_path: Path, line: str, name: str | None
) -> None:
    file = tmp_path / "x.yaml"
    file.write_text(f"# project: no\n{line}\nscenarios: []\n", encoding="utf-8")
    (tmp_path / ".befit").mkdir()
    with open_workspace(file) as workspace:
        assert workspace.project == name


def test_a_run_without_a_trial_is_not_the_latest_and_not_running(tmp_path: Path) -> None:
    folder = write_project(tmp_path, text=ONLY_TOTAL, n=2)
    with provided(folder):
        assert befit("run", "--yes").code == 0
        with Workspace.open(folder / ".befit") as workspace:
            good = workspace.find_run().id
            workspace.create(manifest("r-dead", plan="never begun"))
            assert workspace.find_run("latest").id == good
        rows = {one["run"]: one["status"] for one in befit("runs", "--json").data}
        assert rows == {"r-dead": "not started", good: "complete"}
        refused = befit("bless", "r-dead")
        assert refused.code == 2
        assert "not started" in refused.err
