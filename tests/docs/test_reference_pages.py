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


def test_the_page_of_metrics_knows_every_dimension_and_headline():
    text = (REFERENCE / "metrics.md").read_text(encoding="utf-8")

    for dimension in DIMENSIONS:
        row = next(line for line in text.splitlines() if line.startswith(f"| `{dimension.slug}` "))
        for headline in dimension.headlines:
            assert headline.title in row
            assert f"`{headline.score}`" in row
    assert STABILITY_TITLE in text


def test_the_page_of_metrics_knows_the_names_that_gates_may_use():
    text = (REFERENCE / "metrics.md").read_text(encoding="utf-8")

    explained = {"pass_rate", "ceiling", "reliable", "stability", "missing_rate"}
    assert explained <= set(RATES)
    assert {"first_token", "latency_p50", "cost_per_success"} <= set(AMOUNTS)
    for name in (*explained, "first_token", "latency_p50", "cost_per_success"):
        assert f"`{name}`" in text
