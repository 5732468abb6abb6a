"""Failure modes that can never count: their label is made by no scorer of the scenario."""

from __future__ import annotations

from collections.abc import Collection

from befit import plugins
from befit.config.problems import Problems
from befit.core.scenario import ScenarioSpec
from befit.datasets.files_tree import Node, find
from befit.scorers.labels import ANYWHERE, LABELS, OWN_WORDS


def check_labels(
    spec: ScenarioSpec, scorers: Collection[str], node: Node, problems: Problems
) -> None:
    """Warn of a failure mode whose label is none of the `scorers`', with the nearest.

    Nothing is said where a scorer has labels of the user's own, or is not befit's, nor of what a
    pack says of itself: some of its settings use a part of its scorers.
    """
    written = node.get("failure_modes") is not None
    if not written or not scorers:
        return
    if any(name in OWN_WORDS or name not in LABELS for name in scorers):
        return
    known = list(dict.fromkeys([*ANYWHERE, *(one for name in scorers for one in LABELS[name])]))
    for place, mode in enumerate(spec.failure_modes):
        if mode.label is None or mode.label in known:
            continue
        guess = plugins.nearest(mode.label, known).strip() or f"known: {', '.join(known)}"
        made = ", ".join(sorted(scorers))
        what = f"failure mode '{mode.name}' of '{spec.name}' never counts: no score of its"
        at = find(node, ("failure_modes", place, "label"))
        problems.warn(f"{what} scorers ({made}) has the label '{mode.label}'; {guess}", at)
