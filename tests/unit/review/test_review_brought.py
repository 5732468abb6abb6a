"""Tables of votes made elsewhere: lines are those of the file, and nobody votes twice on a pair."""

from __future__ import annotations

import pytest

from befit.cli.review_settings import read_table
from befit.errors import DataError
from befit.review.elsewhere import read_told

HEAD = "sample,left,right,winner,reviewer,comment,purpose\n"


def told(tmp_path, text):
    path = tmp_path / "votes.csv"
    path.write_text(HEAD + text, encoding="utf-8")
    rows = read_table(path)
    return read_told([row for _, row in rows], file="votes.csv", lines=[n for n, _ in rows])


@pytest.mark.parametrize(
    "second", ["1,a,b,right,Ann,,", "1,b,a,left,Ann,,work", "1,a,b,left,Ann,,"]
)
def test_a_second_vote_of_a_person_on_a_pair_is_refused_with_both_lines(tmp_path, second):
    words = r"votes\.csv:4 'Ann' has voted on this pair in line 2 already"
    with pytest.raises(DataError, match=words):
        told(tmp_path, f"1,a,b,left,Ann,,\n1,a,b,left,Ben,,\n{second}\n")


def test_another_sample_person_or_pair_is_no_second_vote(tmp_path):
    found = told(
        tmp_path, "1,a,b,left,Ann,,\n2,a,b,left,Ann,,\n1,a,c,left,Ann,,\n1,a,b,tie,Ben,,\n"
    )
    assert len(found) == 4


def test_rows_of_an_export_that_are_no_work_are_left_out(tmp_path):
    found = told(tmp_path, "1,a,b,left,Ann,,work\n1,b,a,right,Ann,,mirror\n,,,left,Ann,,gold\n")
    assert [one.winner for one in found] == ["left"]


def test_a_row_is_named_by_its_line_also_after_blank_and_broken_lines(tmp_path):
    with pytest.raises(DataError, match=r"votes\.csv:2 'maybe' is no winner"):
        told(tmp_path, "1,a,b,maybe,Ann,,\n")
    # line 2 and 3 are one row, 4 is blank, 5 and 6 are the bad row
    with pytest.raises(DataError, match=r"votes\.csv:5 'maybe' is no winner"):
        told(tmp_path, '1,a,b,left,Ann,"two\nlines",\n\n2,a,b,maybe,Ann,"two\nlines",\n')
