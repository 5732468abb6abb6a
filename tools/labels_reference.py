"""The part of the reference that lists the labels of scores which did not pass."""

from __future__ import annotations

from reference_words import LABEL_WORDS

from befit.scorers.labels import ANYWHERE, LABELS, MEANINGS, OWN_WORDS


def label_table() -> str:
    """Return the table of the labels that scores bear which did not pass."""
    of: dict[str, list[str]] = {label: ["any scenario"] for label in ANYWHERE}
    for scorer, labels in sorted(LABELS.items()):
        for label in labels:
            of.setdefault(label, []).append(f"`{scorer}`")
    rows = ["| label | scorers | meaning |", "|---|---|---|"]
    rows += [f"| `{label}` | {', '.join(who)} | {MEANINGS[label]} |" for label, who in of.items()]
    own = ", ".join(f"`{name}`" for name in sorted(OWN_WORDS))
    return f"\n### Labels\n\n{LABEL_WORDS.format(own=own)}\n" + "\n".join(rows) + "\n"
