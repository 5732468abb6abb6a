"""The examples for CI and for timers are run as far as one machine can: files and commands.

GitHub's and GitLab's own machinery is not here. What they would execute is: each
step's shell lines, in order, with the failure rules of the runner (`bash -e`), on
a project with a baseline. Only the installation is taken as done.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import junitparser
import pytest
from ruamel.yaml import YAML

from decision_project import shares, write_project

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "how-to" / "decide-and-regress.md").read_text(encoding="utf-8")
N = 300


def block(language: str, holding: str) -> str:
    """The fenced block of a language that holds some words."""
    blocks = re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)
    return next(text for text in blocks if holding in text)


def shell(folder: Path, lines: list[str], **more: str) -> subprocess.CompletedProcess[str]:
    """Run shell lines as a runner does, without the installation."""
    kept = [line for line in lines if not line.startswith("pip install")]
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    return subprocess.run(
        ["bash", "-e", "-o", "pipefail", "-c", "\n".join(kept)],
        cwd=folder,
        env={**os.environ, "PATH": path, "BEFIT_WORKSPACE": str(folder / ".befit"), **more},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def project(folder: Path, rate: float, system: str) -> None:
    write_project(
        folder,
        {"bot": {"sort": shares(N, rate)}},
        prices={"bot": 1},
        extra={"bot": f"prompt: {{system: {system}}}"},
    )


@pytest.fixture(scope="module")
def blessed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with a baseline."""
    folder = tmp_path_factory.mktemp("blessed")
    project(folder, 0.9, "Old.")
    made = shell(folder, ["befit --no-input run", "befit bless --note first"])
    assert made.returncode == 0, made.stderr
    return folder


@pytest.fixture
def changed(blessed: Path, tmp_path: Path) -> Path:
    """The same, changed for the worse since."""
    shutil.copytree(blessed, tmp_path, dirs_exist_ok=True)
    project(tmp_path, 0.7, "New.")
    return tmp_path


def installed(lines: list[str]) -> None:
    """What is installed is a distribution and an extra that there is."""
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for line in lines:
        for name, extra in re.findall(r'pip install "?(\w+)\[(\w+)\]', line):
            assert name == declared["name"]
            assert extra in declared["optional-dependencies"]


def test_the_github_job_fails_and_writes_its_summary_where_a_change_is_worse(changed):
    job = YAML(typ="safe").load(block("yaml", "GITHUB_STEP_SUMMARY"))["jobs"]["gate"]
    steps = [step for step in job["steps"] if "run" in step]
    installed([step["run"] for step in steps])
    summary = changed / "summary.md"
    failed = False
    for step in steps:
        if failed and "if" not in step:
            continue
        assert step.get("if", "always()") == "always()"
        ran = shell(changed, step["run"].splitlines(), GITHUB_STEP_SUMMARY=str(summary))
        failed = failed or ran.returncode != 0
    assert failed
    assert "failed" in summary.read_text()
    assert junitparser.JUnitXml.fromfile(str(changed / "gate.xml")).failures == 1


def test_the_gitlab_job_fails_and_leaves_what_its_artifacts_name(changed):
    job = YAML(typ="safe").load(block("yaml", "artifacts"))["gate"]
    installed(job["script"])
    assert shell(changed, job["script"]).returncode == 3
    named = [*job["artifacts"]["paths"], job["artifacts"]["reports"]["junit"]]
    assert all((changed / name).stat().st_size for name in named)
    project(changed, 0.9, "Newer.")
    assert shell(changed, job["script"]).returncode == 0


def units(folder: Path) -> dict[str, Path]:
    """Write the units of the page, each under the name in its comment."""
    parts = re.split(r"(?m)^# (\S+\.(?:service|timer))\n", block("ini", "OnCalendar"))
    found = {}
    for name, text in zip(parts[1::2], parts[2::2], strict=True):
        found[name] = folder / name
        found[name].write_text(text)
    return found


def test_the_timer_names_a_service_whose_command_runs(changed):
    found = units(changed)
    assert {Path(name).suffix for name in found} == {".service", ".timer"}
    assert len({Path(name).stem for name in found}) == 1  # a timer starts its namesake
    text = next(path for name, path in found.items() if name.endswith(".service")).read_text()
    command = re.search(r"^ExecStart=\S*/(befit .*)$", text, re.MULTILINE).group(1)
    assert shell(changed, [command]).returncode == 3
    history = shell(changed, ["befit watch history --json"])
    assert '"outcome": "fail"' in history.stdout


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not installed")
def test_systemd_takes_the_units(tmp_path):
    found = units(tmp_path)
    service = next(path for name, path in found.items() if name.endswith(".service"))
    program = Path(sys.executable).parent / "befit"
    text = re.sub(r"ExecStart=\S+", f"ExecStart={program}", service.read_text())
    service.write_text(text.replace("/etc/befit.env", "-/etc/befit.env"))
    ran = subprocess.run(
        ["systemd-analyze", "verify", *map(str, found.values())],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    own = [line for line in ran.stderr.splitlines() if str(tmp_path) in line or "befit-" in line]
    assert own == []


def test_the_cron_line_runs(changed):
    line = next(text for text in block("text", "watch gate").splitlines() if "watch gate" in text)
    fields = line.split(maxsplit=5)
    assert all(re.fullmatch(r"[\d*/,-]+", field) for field in fields[:5])
    command = fields[5].replace("/srv/invoices", str(changed)).replace("/usr/local/bin/", "")
    command = command.replace("/var/log/befit-watch.log", "watch.log")
    assert shell(changed, [command]).returncode == 3
    assert "another configuration" in (changed / "watch.log").read_text()
