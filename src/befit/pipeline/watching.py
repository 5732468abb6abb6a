"""The periodic regression check: measured anew each time, never two at once.

It also fires where the candidate is no longer what the baseline was: another
fingerprint, or another model behind the same name.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from befit.config.project import Project
from befit.pipeline.gating import Regression, keep_regression, run_and_compare
from befit.storage.workspace import Workspace


@dataclass(frozen=True, slots=True, kw_only=True)
class Watched:
    """One periodic check."""

    regression: Regression
    record: str
    changed: tuple[str, ...]
    """What is not as it was: configurations and served models."""


def watch(project: Project, workspace: Workspace, *, baseline: str, now: datetime) -> Watched:
    """Measure the project anew and compare with a baseline.

    Raises:
        StoreError: another check of this baseline is going on; it is named.
        UsageError: as a gate does.
    """
    with workspace.hold(f"watch:{baseline}"):
        label = f"watch {now.isoformat(timespec='seconds')}"
        found = run_and_compare(project, workspace, baseline=baseline, label=label)
        kept = keep_regression(workspace, found, now=now)
    return Watched(regression=found, record=kept.id, changed=tuple(_changed(found)))


def _changed(found: Regression) -> list[str]:
    texts = []
    for side in found.differing:
        old, new = side.fingerprints
        if old != new:
            parts = ", ".join(f"{c.part} {c.key}" for c in side.changes)
            texts.append(f"{side.candidate}: another configuration than the baseline ({parts})")
        texts += [f"{side.candidate}: {text}" for text in side.served]
    return texts
