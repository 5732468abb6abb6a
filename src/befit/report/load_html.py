"""The page of a load measurement: one file, readable without JavaScript, like the report.

It computes nothing: a `LoadResult` becomes strips, the rate-latency
curve, the timeline, and tables with each figure's definition.
"""

from __future__ import annotations

from befit.analysis.load_result import LoadResult
from befit.report.html import page
from befit.report.load_charts import load_view


def render_load(result: LoadResult) -> str:
    """Return the page."""
    return page("load.html.j2", result=result, view=load_view(result))
