"""Style is made even in time that grows with the text, whatever the text is made of."""

from __future__ import annotations

from befit.review.app.text import markdown
from befit.review.style import counts, even


def test_links_become_their_words_and_nothing_that_only_looks_like_one_holds_anybody_up():
    assert even("see [the page](https://x.example/A_(b) 'title') now", style="plain") == (
        "see the page now"
    )
    assert even("![](https://x.example/y.png)", style="plain") == "https://x.example/y.png"
    for unit in ("[", "![", "](", "[a](", "[a](("):  # minutes, were they looked at from each place
        text = "x" + unit * (200_000 // len(unit))
        assert even(text, style="plain") == text


def test_bold_print_is_found_between_its_nearest_marks():
    assert even("**a **b** and ***c*** or __d__", style="plain") == "**a b and c or d"
    assert counts("**a **b** and __c d__")["bold"] == 2.0
    for unit in ("**a ", "__a "):
        text = unit * 50_000 + "x"
        assert even(text, style="plain") == text
        assert counts(text)["bold"] == 0.0


def test_lists_and_tables_stand_where_their_own_script_begins():
    made = markdown("- مرحبا\n\n2. x\n\n|a|\n|-|\n|1|\n\n<ul>")
    for mark in (
        '<ul dir="auto">',
        '<ol dir="auto" start="2">',
        '<table dir="auto">',
        "&lt;ul&gt;",
    ):
        assert mark in made
