"""A regression verdict as Markdown, for a comment on a change; at most 60 lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from befit.decide.regression import Check
from befit.report.markdown import escape
from befit.report.numbers import points

MOST = 60
CUT = 120
WORDS = {
    "pass": "✓ passed",
    "fail": "✕ failed",
    "insufficient_evidence": "? not enough evidence",
}


HEADER = ("Candidate", "Scenario", "New − old, points", "Bound", "Margin", "Samples", "Verdict",
          "Newly wrong")  # fmt: skip
ONE_SIDED = (
    "The bound is one-sided, 95 % on each scenario: at or above minus the margin passes; at most "
    "(at an error shared among the scenarios) below it fails. The interval is two-sided."
)


def deciding(one: Check) -> str:
    """Return the one-sided bound that decides a check: of a failed one the upper, else the lower.

    In points with a decimal, since the interval beside it is wider and may lie across the margin.
    """
    known = one.upper if one.verdict == "fail" else one.bound
    if known is None:
        return ""
    return f"at {'most' if one.verdict == 'fail' else 'least'} {100 * known:+.1f}"


class ChangeLike(Protocol):
    """One thing that differs, with both sides as text."""

    @property
    def part(self) -> str: ...  # noqa: D102 - see the class
    @property
    def key(self) -> str: ...  # noqa: D102 - see the class
    @property
    def a(self) -> str: ...  # noqa: D102 - see the class
    @property
    def b(self) -> str: ...  # noqa: D102 - see the class


def render(
    checks: Sequence[Check],
    *,
    outcome: str,
    runs: tuple[str, str],
    differing: Sequence[tuple[str, Sequence[ChangeLike], Sequence[str], Sequence[str]]],
    notes: Sequence[str],
) -> str:
    """Return the comment.

    Args:
        checks: the checks.
        outcome: of all of them.
        runs: the baseline (name or run) and the new run.
        differing: (candidate, changes, prompt diff, served models) of each candidate.
        notes: what else is to be known.
    """
    lines = [
        f"## befit: {WORDS[outcome]}",
        "",
        f"Run `{runs[1]}` against `{escape(runs[0])}`, on the same samples.",
        "",
        f"| {' | '.join(HEADER)} |",
        "|---|---|---|---|---:|---:|---|---|",
    ]
    for one in sorted(
        checks, key=lambda c: ("fail", "insufficient_evidence", "pass").index(c.verdict)
    )[:30]:
        more = f", about {one.samples_needed:,} settle it" if one.samples_needed else ""
        broken = ", ".join(f"`{escape(name)}`" for name in one.broken[:3]) or "none"
        rest = f" and {len(one.broken) - 3} more" if len(one.broken) > 3 else ""  # noqa: PLR2004 - three are shown
        lines.append(
            f"| {escape(one.candidate)} | {escape(one.scenario)} | {points(one.difference)} | "
            f"{deciding(one) or '—'} | {100 * one.margin:g} | {one.difference.n_samples}{more} | "
            f"{WORDS[one.verdict]} | {broken}{rest} |"
        )
    lines += ["", ONE_SIDED]
    for candidate, changes, prompt_diff, served in differing:
        if not changes and not served:
            continue
        lines += ["", f"**What differs: {escape(candidate)}**"]
        lines += [
            f"- {c.part} {escape(c.key)}: {escape(c.a[:CUT])} → {escape(c.b[:CUT])}"
            for c in changes
            if not (prompt_diff and c.part in {"prompt", "template"} and c.key != "shots")
        ]
        lines += [f"- {escape(text)}" for text in served]
        if prompt_diff:
            body = [line.replace("```", "'''") for line in prompt_diff[:12]]
            lines += ["", "```diff", *body, "```"]
    lines += ["", *[f"- {escape(note)}" for note in notes]] if notes else []
    return "\n".join(lines[:MOST]) + "\n"
