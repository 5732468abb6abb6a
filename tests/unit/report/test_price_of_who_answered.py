"""Where another model answered than was asked for, reports say at whose price the costs are."""

from __future__ import annotations

from dataclasses import replace
from io import StringIO

import pytest

from befit.cli.report_view import show_engineering
from befit.cli.shell import Shell
from befit.report.figures import priced_as_asked
from befit.report.html import render
from report_documents import Shape, document


@pytest.mark.parametrize(
    ("served", "others"),
    [
        (("gpt-4o",), 0),
        (("gpt-4o-2024-08-06",), 0),
        (("openai/gpt-4o", "gpt-4o-2024-11-20"), 0),
        (("gpt-4o@747cb1f01955", "gpt-4o:latest"), 0),
        ((), 0),
        (("gpt-4o-mini-2024-07-18",), 1),
        (("gpt-4o", "small"), 1),
    ],
)
def test_costs_of_a_gateways_fallback_are_said_to_be_at_the_price_of_who_was_asked(
    served: tuple[str, ...], others: int
) -> None:
    made = document(Shape(dimensions=1))
    first = made.manifest.candidates[0]
    asked = first.candidate.model_copy(update={"model": "gpt-4o"})
    entries = (first.model_copy(update={"candidate": asked}), *made.manifest.candidates[1:])
    analysis = replace(
        made.analysis,
        engineering=tuple(
            replace(cell, served_models=served) if cell.candidate == asked.name else cell
            for cell in made.analysis.engineering
        ),
    )
    made = replace(
        made, analysis=analysis, manifest=made.manifest.model_copy(update={"candidates": entries})
    )
    told = priced_as_asked(made.analysis, made.manifest)
    assert len(told) == others
    if told:
        assert told[0].startswith(f"{asked.name} was answered by {served[-1]} where gpt-4o was")
        assert told[0].endswith("its costs are at the price of gpt-4o, whoever answered.")
        shown = StringIO()
        show_engineering(Shell(out=shown, plain=True), made)
        assert told[0] in shown.getvalue()
        assert told[0] in render(made)
