"""The single-file HTML report: readable without JavaScript, printable, and inert to its content.

`render` turns a `Document` into one page. It computes nothing; sections are
shaped by `html_sections`, drawn by `charts`, and laid out by the templates.
"""

from __future__ import annotations

import base64
import hashlib
from functools import cache, partial
from importlib import resources

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from befit.analysis import causes
from befit.charts.marks import key
from befit.charts.numbers import count_text, interval_text, value_text
from befit.core.estimate import THIN
from befit.core.screening import Screening
from befit.core.written import many
from befit.report import decision as decisions
from befit.report import decision_votes as votes
from befit.report import dose_view as dose
from befit.report import figures, people
from befit.report import html_charts as charts
from befit.report import html_sections as sections
from befit.report import load_charts as loads
from befit.report import people_charts as drawn
from befit.report import split_view as split
from befit.report import steps_view as steps
from befit.report import wording_view as wording
from befit.report.decision_public import public_rows
from befit.report.document import Document, ExampleTrial
from befit.report.html_data import embedded
from befit.report.html_examples import BUDGET, group_examples, part_rows, whole_quotes
from befit.report.html_numbers import estimate, money, sentence, share, telling
from befit.report.html_screening import view
from befit.report.html_text import as_text, highlighted, quoted, shown
from befit.report.open_pairs import is_corrected, row_reasons
from befit.report.screening_words import chance
from befit.report.tasks import task_tables

STYLES = ("palette.css", "report.css", "charts.css", "decision.css", "screening.css")
BIG = 10_000_000
"""Bytes from which a page is too big to be read with comfort; `is_big` tells."""


def _asset(name: str) -> str:
    return resources.files("befit.report").joinpath("templates", name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    """Return the source expression that allows exactly this inline text."""
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def policy(*, style: str, script: str) -> str:
    """Return the policy for content: nothing but this page's own style and script."""
    return (
        f"default-src 'none'; img-src data:; style-src {_hash(style)}; "
        f"script-src {_hash(script)}; base-uri 'none'; form-action 'none'"
    )


@cache
def _environment() -> Environment:
    """Return the compiled templates: the same for every page, and slow to make."""
    environment = Environment(
        loader=PackageLoader("befit.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=shown,
    )
    environment.globals.update(
        THIN=THIN,
        as_text=as_text,
        causes=causes,
        chance=chance,
        charts=charts,
        count_text=count_text,
        decisions=decisions,
        dose=dose,
        drawn=drawn,
        estimate=estimate,
        figures=figures,
        highlighted=highlighted,
        interval_text=interval_text,
        is_corrected=is_corrected,
        loads=loads,
        many=many,
        key=lambda index: Markup(key(index)),  # noqa: S704 - a picture of our own
        money=money,
        part_rows=part_rows,
        people=people,
        public_rows=public_rows,
        quoted=quoted,
        row_reasons=row_reasons,
        sections=sections,
        task_tables=task_tables,
        sentence=sentence,
        per_thousand=charts.per_thousand,
        share=share,
        telling=telling,
        value_text=value_text,
        whole_quotes=whole_quotes,
        split=split,
        steps=steps,
        votes=votes,
        wording=wording,
    )
    return environment


def page(template: str, **values: object) -> str:
    """Return one inert page: a template with the style, the script and the policy for them."""
    style = "\n".join(_asset(name).strip() for name in STYLES)
    script = _asset("report.js").strip()
    return (
        _environment()
        .get_template(template)
        .render(
            policy=Markup(policy(style=style, script=script)),  # noqa: S704 - made of our own text
            style=Markup(style),  # noqa: S704 - our own file
            script=Markup(script),  # noqa: S704 - our own file
            **values,
        )
    )


def render_screening(screening: Screening) -> str:
    """Return a page with nothing but a screening."""
    return page("screening_page.html.j2", screened=view(screening), places={})


def render(document: Document, *, full: bool = False) -> str:
    """Return the report as one HTML page.

    Args:
        document: what to show.
        full: show all examples of the document; else as many as fit the usual size.
    """
    environment = _environment()
    macro = environment.get_template("example.html.j2").module
    write = partial(_example, macro=macro, document=document)
    return page(
        "report.html.j2",
        document=document,
        screened=view(document.manifest.screening),
        analysis=document.analysis,
        manifest=document.manifest,
        places=charts.order(document.analysis),
        data=embedded(document),
        failures=group_examples(document.failures, write, budget=None if full else BUDGET),
        passes=[write(example) for example in document.passes],
    )


def _example(example: ExampleTrial, *, macro: object, document: Document) -> Markup:
    places = charts.order(document.analysis)
    made = getattr(macro, "example")(example, places.get(example.candidate, 0))  # noqa: B009 - a template's macro has no static name
    return Markup(str(made))  # noqa: S704 - escaped by the template


def is_big(page: str) -> bool:
    """Tell whether a page is so big that whoever writes it should be warned."""
    return len(page.encode("utf-8", "replace")) > BIG
