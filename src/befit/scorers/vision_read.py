"""What was seen in a picture, read from an answer: numbers, graphs, tables, boxes, points."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise
from typing import Any

from befit.core.record import Json
from befit.scorers.answer import announced
from befit.scorers.convert_read import read_data
from befit.scorers.evidence import Span, quoted, storable
from befit.scorers.normalise import normalised
from befit.scorers.numerals import last_number
from befit.scorers.parsing import find_json, payloads

_CORNERS = 4
_TWO = 2
_FAR = 10**9
_FLOAT = re.compile(r"-?\d+(?:\.\d+)?")
_ARROW = re.compile(r"\s*(?:->|→|=>|-->)\s*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """A verdict on one answer: `degree` is the measure named `measure`, in 0..1."""

    value: float | None
    label: str
    rule: str
    measure: str | None = None
    degree: float | None = None
    answer: Json = None
    span: Span | None = None
    why: str | None = None
    parts: tuple[tuple[str, float], ...] = ()


BAD = Seen(value=None, label="bad_target", rule="the target can be read")


def number_of(target: Mapping[str, Json], output: str, *, share: float) -> Seen:
    """Compare the announced number, else the last one, within `tolerance` of the target."""
    wanted = target["number"]
    own = target.get("tolerance", share)
    numbers = (int, float)
    if isinstance(wanted, bool) or not isinstance(wanted, numbers) or not isinstance(own, numbers):
        return BAD
    region = announced(output)
    start, end = region.span if region else (0, len(output))
    found = last_number(output[start:end]) or last_number(output)
    rule = f"within {100 * own:g} % of {wanted:g}"
    if found is None:
        return Seen(value=0.0, label="no_number", rule=rule)
    off = abs(found.value - Decimal(str(wanted)))
    right = off <= abs(Decimal(str(wanted))) * Decimal(str(own))
    value = float(found.value) if abs(found.value) < 10**15 else str(found.value)[:40]
    return Seen(value=float(right), label="right" if right else "wrong", rule=rule, answer=value)


def graph_of(target: Mapping[str, Json], output: str, *, least: float) -> Seen:
    """Compare nodes and edges as sets: the F1 of both together."""
    wanted = _graph(target)
    if wanted is None or not wanted:
        return BAD
    read = find_json(output)
    found = _graph(read.value) if isinstance(read.value, dict) else None
    if found is None:
        found = _arrows(output)
    return _structure(found, wanted, least=least, what="nodes and edges")


def table_of(target: Mapping[str, Json], output: str, *, least: float) -> Seen:
    """Compare the cells of a table, each by its row and column: their F1."""
    columns, rows = target.get("columns") or (), target.get("rows") or ()
    wanted = _cells(columns, rows)
    if not wanted:
        return BAD
    return _structure(_table(output), wanted, least=least, what="cells in their place")


def box_of(target: Json, output: str, *, least: float) -> Seen:
    """Compare a box by intersection over union."""
    wanted, found = _numbers(target, _CORNERS), _given(output, _CORNERS)
    if wanted is None:
        return BAD
    rule = f"overlap (IoU) of at least {least:g}"
    if found is None:
        return Seen(value=0.0, label="no_box", rule=rule, measure="iou", degree=0.0)
    degree = iou(found, wanted)
    right = degree >= least
    return Seen(
        value=float(right),
        label="right" if right else "elsewhere",
        rule=rule,
        measure="iou",
        degree=degree,
        answer=list(found),
    )


def point_of(target: Json, output: str) -> Seen:
    """Tell whether the point lies in the box."""
    wanted, found = _numbers(target, _CORNERS), _given(output, _TWO)
    if wanted is None:
        return BAD
    rule = "the point lies in the box"
    if found is None:
        return Seen(value=0.0, label="no_point", rule=rule)
    x1, y1, x2, y2 = wanted
    right = x1 <= found[0] <= x2 and y1 <= found[1] <= y2
    label = "right" if right else "elsewhere"
    return Seen(value=float(right), label=label, rule=rule, answer=list(found))


def iou(a: Sequence[float], b: Sequence[float]) -> float:
    """Return the intersection over union of two boxes x1, y1, x2, y2 (0 for an empty one)."""
    wide = max(0.0, min(a[2], b[2]) - max(a[0], b[0]))
    high = max(0.0, min(a[3], b[3]) - max(a[1], b[1]))
    areas = [max(0.0, x[2] - x[0]) * max(0.0, x[3] - x[1]) for x in (a, b)]
    union = sum(areas) - wide * high
    return wide * high / union if union > 0 else 0.0


def f1(found: Counter[Any], wanted: Counter[Any]) -> float:
    """Return the F1 of two multisets; 1 where both are empty."""
    both = sum((found & wanted).values())
    total = sum(found.values()) + sum(wanted.values())
    return 2 * both / total if total else 1.0


def _structure(
    found: Counter[Any] | None, wanted: Counter[Any], *, least: float, what: str
) -> Seen:
    rule = f"{what}: F1 of at least {least:g}"
    if not found:
        return Seen(value=0.0, label="no_structure", rule=rule, measure="structure_f1", degree=0.0)
    degree = f1(found, wanted)
    lost, extra = wanted - found, found - wanted
    why = [f"missed {_named(lost)}"] if lost else []
    why += [f"invented {_named(extra)}"] if extra else []
    right = degree >= least
    return Seen(
        value=float(right),
        label="right" if right else "missed" if lost else "invented",
        rule=rule,
        measure="structure_f1",
        degree=degree,
        why="; ".join(why) or None,
    )


def _named(items: Counter[Any]) -> str:
    first = [" / ".join(str(part) for part in item[1:]) for item in list(items)[:3]]
    more = len(items) - len(first)
    return ", ".join(quoted(text, limit=60) for text in first) + (f" and {more} more" * (more > 0))


def _graph(value: Mapping[str, Json]) -> Counter[Any] | None:
    nodes, edges = value.get("nodes"), value.get("edges")
    if not isinstance(nodes, list | tuple | None) or not isinstance(edges, list | tuple | None):
        return None
    pairs: list[tuple[str, str]] = []
    for edge in edges or ():
        ends = edge
        if isinstance(edge, Mapping):
            ends = [edge.get("from", edge.get("source")), edge.get("to", edge.get("target"))]
        elif isinstance(edge, str):
            ends = _ARROW.split(edge)
        if not isinstance(ends, list | tuple) or len(ends) != _TWO:
            return None
        pairs.append((_plain(ends[0]), _plain(ends[1])))
    names = {_plain(node) for node in nodes or ()} | {end for pair in pairs for end in pair}
    marks: list[tuple[str, ...]] = [("node", name) for name in sorted(names)]
    return Counter([*marks, *(("edge", *pair) for pair in pairs)])


def _arrows(output: str) -> Counter[Any] | None:
    """Read lines `A -> B`."""
    edges: list[list[str]] = []
    for line in output.splitlines()[:200]:
        ends = [end.strip(" \t-*`.;,") for end in _ARROW.split(line[:400])]
        edges += [[a, b] for a, b in pairwise(ends) if a and b]
    return _graph({"edges": edges}) if edges else None


def _plain(value: Json) -> str:
    if isinstance(value, Mapping):
        value = value.get("label", value.get("name", value.get("text", value.get("id"))))
    return storable(normalised(str(value)))


def _table(output: str) -> Counter[Any] | None:
    read = find_json(output)
    value = read.value
    if isinstance(value, Mapping) and isinstance(value.get("rows"), list):
        return _cells(value.get("columns") or (), value["rows"])
    if isinstance(value, list) and value and all(isinstance(row, Mapping) for row in value):
        columns = list(value[0])
        return _cells(columns, [[row.get(name) for name in columns] for row in value])
    if isinstance(value, list) and value and all(isinstance(row, list) for row in value):
        return _cells(value[0], value[1:])
    for place in reversed(payloads(output)):
        text = output[place.span[0] : place.span[1]]
        for form in ("markdown", "csv"):
            rows, why = read_data(text, form)
            if why is None and rows and len(rows[0]) >= _TWO:
                return _cells(list(rows[0]), [list(row.values()) for row in rows])
    return None


def _cells(columns: Json, rows: Json) -> Counter[Any]:
    if not isinstance(columns, list | tuple) or not isinstance(rows, list | tuple):
        return Counter()
    cells: list[tuple[Any, ...]] = [
        ("column", place + 1, _plain(c)) for place, c in enumerate(columns)
    ]
    for number, row in enumerate(rows):
        values = row if isinstance(row, list | tuple) else [row]
        cells += [("cell", number + 1, place + 1, _plain(v)) for place, v in enumerate(values)]
    return Counter(cells)


def _numbers(value: Json, count: int) -> tuple[float, ...] | None:
    if not isinstance(value, list | tuple) or len(value) != count:
        return None
    if not all(isinstance(one, int | float) and not isinstance(one, bool) for one in value):
        return None
    return tuple(float(one) for one in value) if all(abs(v) < _FAR for v in value) else None


def _given(output: str, count: int) -> tuple[float, ...] | None:
    """Read a list, a mapping, or the last `count` numbers of the answer."""
    value = find_json(output).value
    if isinstance(value, Mapping):
        inner = value.get("box") or value.get("point") or list(value.values())
        value = inner
    given = _numbers(value, count)
    if given is None:
        texts = [match.group()[:20] for match in _FLOAT.finditer(output[:5_000])]
        given = tuple(float(text) for text in texts[-count:]) if len(texts) >= count else None
    return given if given is not None and len(given) == count else None
