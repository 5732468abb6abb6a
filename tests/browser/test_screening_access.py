"""The screening page can be read by everybody: axe finds nothing in light, in dark, on a phone."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from test_report_access import OPTIONS, PLACES

from befit.core.screening import ScreeningSettings
from befit.interop.item_versions import ItemVersions
from befit.pipeline.screening import Needs, item_evidence, screen_tables
from befit.report.html import render_screening

pytestmark = pytest.mark.browser

TABLE = """\
model,mmlu,gsm8k,old,n,date,source
north-70b,78.5,71.0,96,1000,2026-01-10,public board
<b>south</b>-8b,66.0,58.5,95,1000,2026-01-10,public board
west-7b,52.0,41.0,96,1000,2026-01-10,public board
east-mini,69.5,74.0,95,1000,2026-01-10,public board
far-1b,40.0,,94,1000,2026-01-10,public board
"""
SETTINGS = ScreeningSettings.model_validate({
    "benchmarks": {"mmlu": {"cut_off": 68, "margin": 1}, "gsm8k": {"skill": "arithmetic"}},
    "skills": {"arithmetic": {"cut_off": 50}},
    "composites": {
        "even": {"weights": {"mmlu": 1, "gsm8k": 1}, "cut_off": 60},
        "knowledge": {"weights": {"mmlu": 4, "gsm8k": 1}, "cut_off": 60},
    },
})  # fmt: skip


def contamination():
    found = ItemVersions()
    for model, perturbed in (("north-70b", 20), ("west-7b", 45), ("east-mini", 44)):
        for i in range(60):
            found.add(model, f"q{i}", original=True, score=float(i < 48))
            found.add(model, f"q{i}", original=False, score=float(i < perturbed))
    return item_evidence(found, flags={"east-mini": ("guided completion: +0.30",)})


@pytest.fixture
def opened(tmp_path, open_text, open_all):
    (tmp_path / "t.csv").write_text(TABLE, encoding="utf-8")
    found = screen_tables(
        [tmp_path / "t.csv"],
        SETTINGS,
        made_on="2026-02-01T00:00:00+00:00",
        needed=Needs(languages=("de",), modalities=("text", "image")),
        contamination=contamination(),
    )
    shown = open_text(render_screening(found), bypass_csp=True)
    open_all(shown.page)
    return shown


def test_axe_finds_nothing_on_the_screening_page(opened):
    # every kind of part is there, so that none goes unseen
    words = opened.page.inner_text("main")
    for part in ("excluded", "cannot tell", "seen in training", "knowledge", "flag: guided"):
        assert part in words
    for place, (width, height) in PLACES.items():
        opened.page.set_viewport_size({"width": width, "height": height})
        opened.page.emulate_media(color_scheme="dark" if place == "dark" else "light")
        found = Axe().run(opened.page, options=OPTIONS).response["violations"]
        assert [(place, one["id"], one["nodes"][0]["html"][:160]) for one in found] == []
    assert opened.noise == []
    assert all(url.startswith(("file:", "data:")) for url in opened.requests)
