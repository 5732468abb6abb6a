"""A turn that asks for what nothing fills is said as it stands: that is warned of."""

from __future__ import annotations

import pytest

from befit.config.load import load_project

PROJECT = """
project: talks
candidates:
  - {{name: a, target: openai, model: m, base_url: "http://127.0.0.1:9/v1"}}
scenarios:
  - name: shop
    dimension: multi-turn
    success: it says bye
    scorers: [{{match: {{contains: true}}}}]
    samples:
      - id: t
        turns:
          - user: Hello
          - {turn}
        vars: {{thing: a chair}}
        target: bye
"""


def warnings(tmp_path, turn):
    (tmp_path / "befit.yaml").write_text(PROJECT.format(turn=turn))
    found = load_project(tmp_path).warnings
    return [one for one in found if "it is said as it stands" in one]


@pytest.mark.parametrize(
    "turn",
    [
        '{user: "You want {nope}?", fill: true}',
        '{user: "So?", fill: true, branches: [{when: "no", user: "Why {nope}?"}]}',
    ],
)
def test_a_name_that_nothing_fills_is_warned_of_with_its_place(tmp_path, turn):
    (warning,) = warnings(tmp_path, turn)
    assert "turns[1].user asks for {nope}" in warning
    assert "write {{nope}} for literal braces" in warning


@pytest.mark.parametrize(
    "turn",
    [
        '{user: "You said {last} of {thing}", fill: true}',
        '{user: "Literally {{nope}} and {\\"a\\": 1}", fill: true}',
        '{user: "Not filled: {nope}"}',
    ],
)
def test_what_is_filled_or_meant_as_it_stands_is_not_warned_of(tmp_path, turn):
    assert warnings(tmp_path, turn) == []
