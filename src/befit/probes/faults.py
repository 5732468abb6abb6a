"""The ways in which answers to each pack fail, by the labels its checks give, with their names.

A scenario over a pack needs nothing of its own, so its failures are named here; a
scenario that names failure modes itself keeps to its own. They are the labels of the
scorers of its checks, the special ones first, for the first that fits counts.
"""

from __future__ import annotations

from collections.abc import Collection

from befit.core.scenario import FailureMode
from befit.probes.pack import Pack
from befit.scorers.labels import ITSELF, LABELS

_SCORERS: dict[str, tuple[str, ...]] = {
    "long-context": ("honesty", "recall"),
    "contamination": ("match",),
    "spread": ("match",),
    "reasoning": ("match",),
    "multilingual": ("language", "match"),
    "recovery": ("recovery",),
    "chains": ("chain",),
    "tools": ("tool_calls",),
    "instructions": ("constraints",),
    "extraction": ("fields",),
    "conversion": ("convert",),
    "vision": ("vision",),
}
"""By pack, the scorers of its checks."""
_GENERAL = ("missed", "incomplete", "wrong", "wrong_state")
"""What a special failure of another scorer explains, in packs with several."""


def failure_modes(pack: str, *, among: Collection[str] | None = None) -> tuple[FailureMode, ...]:
    """Return the named failure modes of a pack, the first that fits counts.

    Args:
        pack: its name.
        among: the scorers that judge its items, of which some settings use a part; None: all.
    """
    scorers = [one for one in _SCORERS.get(pack, ()) if among is None or one in among]
    labels = [label for scorer in scorers for label in LABELS[scorer]]
    labels.sort(key=lambda label: label in _GENERAL)
    named = dict.fromkeys([*ITSELF, *labels] if scorers else ())
    return tuple(FailureMode(name=one.replace("_", " "), label=one) for one in named)


def success_of(pack: Pack) -> str:
    """Return what a right answer to a pack is, in a sentence."""
    return f"As the pack was made: {pack.what}."
