"""The reference pages are what the code says, and name every metric by its title."""

from __future__ import annotations

import subprocess
import sys

from befit.config.metrics import AMOUNTS, RATES
from befit.core.dimension import DIMENSIONS, STABILITY_TITLE
from shared_data import ROOT

REFERENCE = ROOT / "docs" / "reference"


def test_the_generated_pages_are_up_to_date():
    tool = ROOT / "tools" / "reference.py"

    done = subprocess.run(
        [sys.executable, str(tool), "--check"],
        check=False,
        timeout=60,
        capture_output=True,
        text=True,
    )

    assert done.returncode == 0, done.stdout + done.stderr


def test_the_glossary_knows_every_headline_metric():
    text = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")

    titles = {headline.title for one in DIMENSIONS for headline in one.headlines}
    assert {title for title in titles if f"**{title}**" not in text} == set()
    assert f"**{STABILITY_TITLE}**" in text


def test_the_page_of_metrics_knows_the_names_that_gates_may_use():
    text = (REFERENCE / "metrics.md").read_text(encoding="utf-8")

    explained = {"pass_rate", "ceiling", "reliable", "stability", "missing_rate"}
    assert explained <= set(RATES)
    assert {"first_token", "latency_p50", "cost_per_success"} <= set(AMOUNTS)
    for name in (*explained, "first_token", "latency_p50", "cost_per_success"):
        assert f"`{name}`" in text
