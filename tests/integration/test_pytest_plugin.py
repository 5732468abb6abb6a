"""The plugin as a user has it: a pytest of its own, with the options given on its command line."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from importlib.metadata import entry_points

import pytest

from decision_project import shares, write_project

TESTS = textwrap.dedent(
    """
    from befit.pytest_plugin import assert_no_regression, assert_passes

    def test_regression(befit_run):
        assert_no_regression(befit_run, baseline="baseline")

    def test_gates(befit_run):
        assert_passes(befit_run, candidate="bot")
    """
)


def run_pytest(folder, *options):
    """Run pytest on the tests above in a process of its own."""
    (folder / "test_model.py").write_text(TESTS)
    (folder / "pytest.ini").write_text("[pytest]\n")
    env = {k: v for k, v in os.environ.items() if not k.startswith(("PYTEST", "BEFIT"))}
    known = {found.value for found in entry_points(group="pytest11")}
    # an installation older than the entry point still has the plugin, by its name
    plugin = [] if "befit.pytest_plugin" in known else ["-p", "befit.pytest_plugin"]
    command = [sys.executable, "-m", "pytest", *plugin, "-rA", "-q", "."]
    return subprocess.run(
        [*command, *options], cwd=folder, env=env, capture_output=True, text=True, timeout=120,
        check=False,
    )  # fmt: skip


def bless(folder, rate, n):
    """Run a project and make it the baseline."""
    write_project(
        folder,
        {"bot": {"sort": shares(n, rate)}},
        prices={"bot": 1},
        policy="gates: [{metric: pass_rate, floor: 0.8}]",
        extra={"bot": "prompt: {system: Old.}"},
    )
    code = "from befit.cli.main import main; main()"
    befit = [sys.executable, "-c", code]
    for words in (["run"], ["bless"]):
        subprocess.run([*befit, *words], cwd=folder, check=True, capture_output=True, timeout=60)


def change(folder, rate, n):
    """Change the prompt, and what the candidate gets right with it."""
    write_project(
        folder,
        {"bot": {"sort": shares(n, rate)}},
        prices={"bot": 1},
        policy="gates: [{metric: pass_rate, floor: 0.8}]",
        extra={"bot": "prompt: {system: New.}"},
    )


@pytest.mark.slow
def test_a_regression_fails_a_test_and_says_by_how_much(tmp_path):
    bless(tmp_path, 0.95, 300)
    change(tmp_path, 0.70, 300)
    found = run_pytest(tmp_path)
    assert found.returncode == 1, found.stdout + found.stderr
    assert "worse by more than the margin" in found.stdout
    assert "pass_rate on sort must be at least 80 %" in found.stdout


@pytest.mark.slow
def test_too_little_evidence_fails_skips_or_passes_as_asked(tmp_path):
    bless(tmp_path, 0.9, 20)
    change(tmp_path, 0.85, 20)
    strict = run_pytest(tmp_path)
    assert strict.returncode == 1, strict.stdout + strict.stderr
    assert "not enough evidence" in strict.stdout
    assert "2 skipped" in run_pytest(tmp_path, "--befit-inconclusive=skip").stdout
    assert "2 passed" in run_pytest(tmp_path, "--befit-inconclusive=pass").stdout


@pytest.mark.slow
def test_no_change_passes(tmp_path):
    bless(tmp_path, 0.95, 300)
    change(tmp_path, 0.95, 300)
    found = run_pytest(tmp_path)
    assert found.returncode == 0, found.stdout + found.stderr
    assert "2 passed" in found.stdout
