"""Names of reviewers: one person once, however it is written, and no essay."""

from __future__ import annotations

import pytest

from befit.cli.review_settings import read_items
from befit.errors import DataError, UsageError
from review_world import world


def test_a_name_is_taken_in_any_case_and_has_an_end(tmp_path):
    made = world(tmp_path)
    made.person("Ann Meyer")
    with pytest.raises(UsageError, match="already"):
        made.person("ann  meyer")
    with pytest.raises(UsageError, match="at most 100"):
        made.person("x" * 3000)


def test_an_empty_file_of_known_items_is_refused(tmp_path):
    (tmp_path / "gold.jsonl").write_text("")
    with pytest.raises(DataError, match="no items"):
        read_items(tmp_path / "gold.jsonl")
