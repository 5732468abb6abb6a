"""The keys of the item page, named once: for the page, the cheat sheet, and who changes them."""

from __future__ import annotations

ACTIONS: tuple[tuple[str, str, str], ...] = (
    ("left", "a", "A is better"),
    ("right", "b", "B is better"),
    ("tie", "t", "Tie, both good"),
    ("both_bad", "n", "Both bad"),
    ("cannot_judge", "s", "Can't judge"),
    ("reason", "r", "Write a reason"),
    ("down", "j", "Next row of the rubric sheet"),
    ("up", "k", "Row before in the rubric sheet"),
    ("undo", "u", "Take the last vote back"),
    ("instructions", "i", "Instructions"),
    ("pause", "p", "Pause: back to the overview"),
    ("help", "?", "This list"),
)
"""(action, key, what it does). Digits (tags, rubric values) and Enter are not to be changed."""
