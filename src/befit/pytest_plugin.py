"""A pytest plugin: evaluations as tests, beside the tests of the code that uses the model.

    def test_the_change_is_no_regression(befit_run):
        assert_no_regression(befit_run, baseline="baseline")

Loaded by pytest through its entry point; until a test asks for something here,
nothing of befit is imported.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from befit.core.decision import Decision
    from befit.pipeline.gating import Regression
    from befit.pipeline.result import Run

_INCONCLUSIVE = ("fail", "skip", "pass")
_KEY: pytest.StashKey[str] = pytest.StashKey()
_POLICY = "befit_inconclusive"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add befit's options."""
    group = parser.getgroup("befit", "evaluation of language models")
    group.addoption(
        "--befit-project", default=None, metavar="PATH", help="befit.yaml or its folder."
    )
    group.addoption(
        "--befit-inconclusive",
        choices=_INCONCLUSIVE,
        default=None,
        help="What too little evidence does to a test: fail (default), skip or pass.",
    )
    parser.addini("befit_project", "befit.yaml or its folder, relative to the root", default="")
    parser.addini(_POLICY, "fail, skip or pass where evidence is missing", default="fail")


def pytest_configure(config: pytest.Config) -> None:
    """Remember what too little evidence does."""
    chosen = config.getoption("--befit-inconclusive") or config.getini(_POLICY)
    if chosen not in _INCONCLUSIVE:
        raise pytest.UsageError(f"{_POLICY} is one of {', '.join(_INCONCLUSIVE)}, not '{chosen}'")
    config.stash[_KEY] = chosen


class BefitRun:
    """A finished run with the project it came from; what the assertions take."""

    def __init__(self, project: Path, inconclusive: str) -> None:
        self.path = project
        self.inconclusive = inconclusive
        self._run: Run | None = None

    @property
    def workspace(self) -> str:
        """Where the runs of the project are."""
        import os  # noqa: PLC0415 - beside its only use

        folder = self.path if self.path.is_dir() else self.path.parent
        return os.environ.get("BEFIT_WORKSPACE") or str(folder / ".befit")

    @property
    def run(self) -> Run:
        """Run the project (what is stored is not asked again) and return its results."""
        if self._run is None:
            from befit.pipeline.evaluating import evaluate  # noqa: PLC0415 - nothing before it is asked for

            self._run = evaluate(self.path)
        return self._run

    def decide(self) -> Decision:
        """Decide on the run by the project's policy; nothing is recorded."""
        from befit.config.load import load_project  # noqa: PLC0415 - the same
        from befit.pipeline.deciding import decide_run  # noqa: PLC0415 - the same
        from befit.storage.workspace import Workspace  # noqa: PLC0415 - the same

        project = load_project(self.path, keys_needed=False)
        run_id = self.run.id
        with Workspace.open(self.workspace) as workspace:
            return decide_run(
                workspace,
                run_id,
                policy=project.policy,
                tiers=project.tiers,
                candidates=project.candidates,
            )

    def compare(self, baseline: str, *, candidate: str = "") -> Regression:
        """Compare with a baseline; what the change touches is run."""
        from befit.config.load import load_project  # noqa: PLC0415 - the same
        from befit.pipeline.gating import run_and_compare  # noqa: PLC0415 - the same
        from befit.storage.workspace import Workspace  # noqa: PLC0415 - the same

        project = load_project(self.path)
        with Workspace.open(self.workspace) as workspace:
            return run_and_compare(project, workspace, baseline=baseline, only=candidate)


@pytest.fixture(scope="session")
def befit_run(pytestconfig: pytest.Config) -> BefitRun:
    """Return the project's run; it is executed when a test first needs it."""
    given = pytestconfig.getoption("--befit-project") or pytestconfig.getini("befit_project")
    root = pytestconfig.rootpath
    return BefitRun((root / given) if given else root, pytestconfig.stash[_KEY])


def assert_no_regression(
    befit_run: BefitRun, *, baseline: str = "baseline", candidate: str = ""
) -> None:
    """Fail if a candidate is worse than the baseline by more than its margin somewhere."""
    from befit.report.junit import describe  # noqa: PLC0415 - nothing before it is asked for

    found = befit_run.compare(baseline, candidate=candidate)
    bad = [describe(one) for one in found.checks if one.verdict == "fail"]
    open_ = [describe(one) for one in found.checks if one.verdict == "insufficient_evidence"]
    _settle(befit_run, bad, open_)


def assert_passes(befit_run: BefitRun, *, candidate: str) -> None:
    """Fail if a candidate misses a gate of the policy or an acceptance threshold."""
    from befit.report.decision import evidence_text, limit_text  # noqa: PLC0415 - the same

    decision = befit_run.decide()
    own = [v for v in decision.verdicts if v.candidate == candidate]
    if candidate not in decision.fingerprints:
        known = ", ".join(decision.fingerprints)
        pytest.fail(f"befit: there is no candidate '{candidate}'; known: {known}", pytrace=False)
    if not own:
        pytest.fail("befit: the policy states no gate, so nothing can pass it", pytrace=False)

    def told(wanted: str) -> list[str]:
        return [
            f"{v.gate.metric} on {v.scenario or 'all'} must be {limit_text(v)}: {evidence_text(v)}"
            for v in own
            if v.verdict == wanted
        ]

    _settle(befit_run, told("fail"), told("insufficient_evidence"))


def _settle(befit_run: BefitRun, bad: list[str], open_: list[str]) -> None:
    __tracebackhide__ = True
    if bad:
        pytest.fail("befit: " + "\n".join(bad), pytrace=False)
    if open_ and befit_run.inconclusive != "pass":
        end: Any = pytest.skip if befit_run.inconclusive == "skip" else pytest.fail
        text = "befit: not enough evidence: " + "\n".join(open_)
        if befit_run.inconclusive == "skip":
            end(text)
        end(text, pytrace=False)
