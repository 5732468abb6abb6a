"""The ways in which answers to each pack fail, by the labels its checks give, with their names.

A scenario over a pack needs nothing of its own, so its failures are named here; a
scenario that names failure modes itself keeps to its own.
"""

from __future__ import annotations

from befit.core.scenario import FailureMode

_ANSWERED = ("no_answer", "ambiguous", "wrong_format", "wrong")
_LABELS: dict[str, tuple[str, ...]] = {
    "long-context": ("invented", "hedged_guess", "over_abstained", "missed"),
    "contamination": _ANSWERED,
    "spread": _ANSWERED,
    "reasoning": _ANSWERED,
    "multilingual": ("no_answer", "wrong_language", "ambiguous", "wrong_format", "wrong"),
    "recovery": ("gave_in", "repeated_mistake", "new_mistake"),
    "chains": (
        "wrong_state", "skipped_step", "out_of_order", "repeated_step", "foreign_step",
        "premature_stop", "lost_goal",
    ),
    "tools": (
        "needless_call", "did_not_ask", "missing_call", "extra_call", "repeated_call",
        "wrong_order", "wrong_state",
    ),
    "instructions": ("wrapped", "not_followed"),
    "extraction": ("unparsed", "invented", "missed", "wrong_format", "wrong", "incomplete"),
    "conversion": (
        "unparsed", "truncated", "missing", "extra", "wrong_type", "wrong_order", "wrong_shape",
        "changed",
    ),
    "vision": (
        "no_answer", "no_number", "no_point", "no_box", "no_structure", "missed", "wrong",
    ),
}  # fmt: skip


def failure_modes(pack: str) -> tuple[FailureMode, ...]:
    """Return the named failure modes of a pack, the first that fits counts."""
    labels = _LABELS.get(pack, ())
    return tuple(FailureMode(name=one.replace("_", " "), label=one) for one in labels)
