"""The page of the endpoint to try things on names every key and fault there is."""

from __future__ import annotations

import re

from befit.testing.faults import HTTP_FAULTS, STREAM_FAULTS
from befit.testing.script import Script
from shared_data import ROOT

PAGE = (ROOT / "docs" / "how-to" / "endpoint-to-try.md").read_text(encoding="utf-8")


def test_every_key_and_fault_is_on_the_page_and_no_other() -> None:
    told = set(
        re.findall(r"`([a-z0-9_]+)`", "\n".join(re.findall(r"^\| .*?\|", PAGE, re.MULTILINE)))
    )
    told |= set(re.findall(r"`([a-z0-9_]+)`", PAGE.partition("Errors: ")[2].partition(".\n")[0]))

    assert told == {*Script.model_fields, *HTTP_FAULTS, *STREAM_FAULTS}


def test_the_script_on_the_page_is_one() -> None:
    (example,) = re.findall(r"```json file=script.json\n(.*?)```", PAGE, re.DOTALL)

    assert Script.model_validate_json(example).rates == {"500": 0.1, "stall": 0.02}
