"""Reading CSV, JSON, YAML, XML and Markdown tables as data, strictly and with limits.

Gold and answer are read by the same code. Nothing is repaired, nothing is
fetched: a document type or an entity in XML is refused, and so are YAML tags.
"""

from __future__ import annotations

import math
import re
from typing import Literal
from xml.etree import ElementTree as ET

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from befit.core.record import Json
from befit.scorers.parsing import MAX_DEPTH, parse_json
from befit.scorers.tables import Table, read_csv, read_markdown

Format = Literal["csv", "json", "yaml", "xml", "markdown"]
MAX_TEXT = 200_000
MAX_YAML = 20_000
"""Characters of YAML that are read: its reader is slow."""
MAX_NODES = 50_000
_REFUSED = re.compile(r"<!(?:DOCTYPE|ENTITY)", re.IGNORECASE)
_ALIAS = re.compile(r"(?m)(?:^|[\s\[{,:-])[*&!][\w<!]")
_YAML_TEXT = re.compile(r"\"(?:[^\"\\]|\\.)*+\"|'(?:[^']|'')*+'|(?m:(?:^|\s)#.*$)", re.DOTALL)

Read = tuple[Json, str | None]
"""(the data, None), or (None, why the text is not of that format)."""


def read_data(text: str, form: Format, *, delimiter: str = ",") -> Read:
    """Return the data of `text`: a table is a list of records with texts for values."""
    if len(text) > MAX_TEXT:
        return None, f"longer than {MAX_TEXT:,} characters"
    if not text.strip():
        return None, "empty"
    if form == "json":
        return parse_json(text.strip())
    if form == "yaml":
        return _yaml(text)
    if form == "xml":
        return _xml(text)
    span = (0, len(text))
    table, why = (
        read_csv(text.strip("\n"), (0, len(text.strip("\n"))), delimiter=delimiter)
        if form == "csv"
        else read_markdown(text, span)
    )
    return (None, why) if table is None else _records(table)


def _records(table: Table) -> Read:
    twice = {name for name in table.columns if table.columns.count(name) > 1}
    if twice:
        return None, f"column '{min(twice)[:40]}' stands twice"
    return [dict(zip(table.columns, row, strict=True)) for row in table.rows], None


def _yaml(text: str) -> Read:
    if len(text) > MAX_YAML:
        return None, f"longer than {MAX_YAML:,} characters"
    if text.count("[") + text.count("{") > MAX_DEPTH * 20 or _indents(text) > MAX_DEPTH:
        return None, "nested too deep"
    if _ALIAS.search(_YAML_TEXT.sub("''", text)):
        return None, "aliases, anchors and tags are refused"
    reader = YAML(typ="safe", pure=True)
    try:
        value = reader.load(text)
    except (YAMLError, ValueError, TypeError, AttributeError, RecursionError) as error:
        return None, " ".join(str(getattr(error, "problem", None) or error).split())[:200]
    return _as_json(value)


def _indents(text: str) -> int:
    return len({len(line) - len(line.lstrip()) for line in text.splitlines()})


def _as_json(value: object) -> Read:
    """Return YAML's own types (dates) as texts, keys as texts."""
    left = MAX_NODES

    def plain(item: object, depth: int) -> Json:
        nonlocal left
        left -= 1
        if left < 0 or depth > MAX_DEPTH:
            raise ValueError("too large or nested too deep")
        if isinstance(item, dict):
            return {str(key): plain(one, depth + 1) for key, one in item.items()}
        if isinstance(item, list | tuple | set):
            return [plain(one, depth + 1) for one in item]
        if isinstance(item, float) and not math.isfinite(item):
            return str(item)
        if item is None or isinstance(item, bool | int | float | str):
            return item
        return str(item)

    try:
        return plain(value, 0), None
    except ValueError as error:
        return None, str(error)


def _xml(text: str) -> Read:
    if _REFUSED.search(text):
        return None, "document types and entities are refused"
    if text.count("<") > MAX_NODES:
        return None, "too many elements"
    try:
        root = ET.fromstring(text.strip())  # noqa: S314 - see _REFUSED: nothing can be expanded
    except (ET.ParseError, ValueError) as error:
        return None, str(error)[:200]
    try:
        return {_name(root.tag): _element(root, 0)}, None
    except ValueError as error:
        return None, str(error)


def _element(element: ET.Element, depth: int) -> Json:
    """Return an element as data: attributes and children by name, several of a name as a list.

    Attributes and child elements are told apart by nothing but their names: a
    conversion may choose either. An element with a text alone is that text; what stands
    between and after its children is part of it.
    """
    if depth > MAX_DEPTH:
        raise ValueError(f"nested deeper than {MAX_DEPTH} levels")
    held: dict[str, Json] = dict(element.attrib)
    many: set[str] = set()
    for child in element:
        name, value = _name(child.tag), _element(child, depth + 1)
        before = held.get(name)
        if name in many and isinstance(before, list):
            before.append(value)
        elif name in held:
            held[name] = [before, value]
            many.add(name)
        else:
            held[name] = value
    texts = (element.text, *(child.tail for child in element))
    text = " ".join(part.strip() for part in texts if part and part.strip())
    if not held:
        return text
    if text:
        held["text"] = text
    return held


def _name(tag: object) -> str:
    return str(tag).rpartition("}")[2]
