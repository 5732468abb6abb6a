"""Format conversion: drawn tables from one of CSV, JSON, YAML, XML, Markdown into another."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from html import escape
from random import Random

from befit.core.sample import Sample
from befit.probes.pack import Draw, Knob, Pack, check
from befit.probes.wording import CITIES, THINGS, person

FORMATS = ("csv", "json", "yaml", "xml", "markdown")
CHOICES = (*FORMATS, "mixed")
KNOBS = (
    Knob(name="from", default="mixed", choices=CHOICES, harder="", meaning="the format given"),
    Knob(name="to", default="mixed", choices=CHOICES, harder="", meaning="the format asked for"),
    Knob(name="rows", default=4, low=1, high=200, meaning="rows of the table"),
    Knob(
        name="awkward",
        default=1,
        low=0,
        high=3,
        meaning="kinds of awkward values: 1 commas and quotes, 2 leading zeros, 3 empty ones",
    ),
)
Row = Mapping[str, str]
_NAMES = {
    "csv": "CSV",
    "json": "JSON",
    "yaml": "YAML",
    "xml": "XML",
    "markdown": "a Markdown table",
}
_QUOTED, _ZEROS, _EMPTY = 1, 2, 3


def make(draw: Draw) -> Sequence[Sample]:
    """Return one conversion."""
    rng = draw.rng
    given, asked = draw.text("from"), draw.text("to")
    pairs = [
        (a, b)
        for a in FORMATS
        for b in FORMATS
        if a != b and given in {"mixed", a} and asked in {"mixed", b}
    ]
    if not pairs:  # the same format twice: to be written again, the data kept
        pairs = [(given, asked)]
    first, second = pairs[draw.number % len(pairs)]
    rows = [_row(rng, draw.whole("awkward")) for _ in range(draw.whole("rows"))]
    how = "All values are texts." if second in {"json", "yaml"} else ""
    shape = {
        "json": "a list of objects, keys as the columns",
        "yaml": "a list of mappings, keys as the columns",
        "xml": "<rows><row>...</row></rows>, an element for each column",
        "csv": "a header line, commas between, quotes where needed",
        "markdown": "a header, a line of dashes, a line for each row",
    }[second]
    text = (
        f"Convert this {_NAMES[first]} into {_NAMES[second]} ({shape}). {how}\n"
        f"Give the result alone.\n\n{written(rows, first)}"
    )
    target = {"row": [dict(row) for row in rows]} if second == "xml" else [dict(r) for r in rows]
    return [
        Sample(
            id=draw.id,
            input=text,
            target=target,
            checks=(check("convert", to=second),),
            tags=(f"from:{first}", f"to:{second}", f"rows:{len(rows)}"),
        )
    ]


def _row(rng: Random, awkward: int) -> Row:
    item = rng.choice(THINGS)
    if awkward >= _QUOTED and rng.random() < 0.5:  # noqa: PLR2004 - every second one
        item = rng.choice((f'{item}, "large"', f"{item}, small", f'"{item}" & more'))
    code = f"{rng.randint(1, 9999):05}" if awkward >= _ZEROS else str(rng.randint(10_000, 99_999))
    note = "" if awkward >= _EMPTY and rng.random() < 0.5 else rng.choice(CITIES)  # noqa: PLR2004
    price = f"{rng.randint(100, 99_999) / 100:.2f}"
    return {"code": code, "item": item, "price": price, "contact": person(rng), "note": note}


def written(rows: Sequence[Row], form: str) -> str:
    """Return the rows in a format; what a right answer may look like."""
    columns = list(rows[0])
    if form == "json":
        return json.dumps([dict(row) for row in rows], indent=1, ensure_ascii=False)
    if form == "yaml":
        lines = [
            f"{'- ' if key == columns[0] else '  '}{key}: {json.dumps(value, ensure_ascii=False)}"
            for row in rows
            for key, value in row.items()
        ]
        return "\n".join(lines)
    if form == "xml":
        inner = "\n".join(
            f"<row>{''.join(f'<{k}>{escape(v, quote=False)}</{k}>' for k, v in row.items())}</row>"
            for row in rows
        )
        return f"<rows>\n{inner}\n</rows>"
    if form == "csv":
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerows([columns, *(list(row.values()) for row in rows)])
        return out.getvalue().rstrip("\n")
    cells = [columns, ["---"] * len(columns), *(list(row.values()) for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in cells)


PACK = Pack(
    name="conversion",
    dimension="conversion",
    what="tables from one format into another, with awkward values",
    knobs=KNOBS,
    make=make,
)
