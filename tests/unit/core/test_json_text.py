"""JSON of hostile text holds nothing that steers a terminal, and loses nothing."""

from __future__ import annotations

import unicodedata

import orjson
import pytest

from befit.core.json_text import harmless


@pytest.mark.parametrize(
    "text",
    ["plain", "é 日本 🎉", "\x9b31m", "\u202etxt\u202c", "\x7f\u200b\u2028\ufeff\x85", "\\u202e"],
)
def test_escaped_json_is_of_the_same_values(text: str) -> None:
    line = harmless(orjson.dumps({"output": text, text: [text]}))
    assert orjson.loads(line) == {"output": text, text: [text]}
    kinds = {unicodedata.category(char) for char in line.decode()}
    assert not kinds & {"Cc", "Cf", "Zl", "Zp"}
