"""The fingerprint of a plain sample is written by a short way; it is the one of the long way."""

from __future__ import annotations

import pytest

from befit.core.fingerprint import fingerprint
from befit.core.sample import Sample


@pytest.mark.parametrize("text", ["", "question 1", 'a "quoted" \\ word\n', "é \u2028 \0 😀"])
def test_a_plain_sample_has_the_fingerprint_of_the_whole_record(text: str) -> None:
    """Keys of stored trials rest on it."""
    shown = {"input": text, "vars": {}, "tools": [], "attachments": [], "turns": []}
    assert Sample(id="s", input=text, target="t").input_fingerprint == fingerprint(shown)


def test_variables_belong_to_what_is_shown() -> None:
    """The short way is only for samples without them."""
    plain = Sample(id="s", input="q")
    assert Sample(id="s", input="q", vars={"a": "b"}).input_fingerprint != plain.input_fingerprint
