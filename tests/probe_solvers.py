"""Solvers of the probe packs: each reads the prompt alone, and knows nothing of the targets.

They are written against the prompts, not with the generators' code, so that an
answer both agree on is right.
"""

from __future__ import annotations

import csv
import io
import json
import re
from itertools import permutations, product
from xml.etree import ElementTree as ET

from rapidfuzz import fuzz
from ruamel.yaml import YAML

from probe_callers import chains, tools

UNKNOWN = "The text does not say."


def story(text):
    """The number a told story ends with."""
    who, number, things = re.search(r"(\w+) has (\d+) (\w+)\.", text).groups()
    total = int(number)
    patterns = (
        (rf"{who} buys (\d+) more {things}\.", lambda t, n: t + n),
        (rf"{who} gives (\d+) {things} away\.", lambda t, n: t - n),
        (rf"{who} is sent (\d+) boxes with (\d+) {things} in each\.", lambda t, n, m: t + n * m),
        (rf"The number of {things} {who} has is doubled\.", lambda t: t * 2),
        (
            rf"{who} shares the {things} out in (\d+) equal parts and keeps one of them\.",
            lambda t, n: t // n,
        ),
    )
    found = []
    for place, (pattern, work) in enumerate(patterns):
        found += [
            (match.start(), place, work, [int(n) for n in match.groups()])
            for match in re.finditer(pattern, text)
        ]
    for _, _, work, numbers in sorted(found, key=lambda one: one[:2]):
        total = work(total, *numbers)
    return f"Answer: {total}"


def long_context(prompt):
    text, _, question = prompt.rpartition("\n\n")
    return _long_answer(text, question)


def _long_answer(text, question):
    flat = " ".join(text.split())
    codes = dict(
        re.findall(r"The access code of (the \w+ archive in \w+|room \d+) is (\d{6})\.", flat)
    )
    same = dict(
        re.findall(
            r"The access code of (the \w+ archive in \w+) is the same as that of (room \d+)", flat
        )
    )
    opened = dict(
        re.findall(r"The (\w+ archive in \w+) opens with the code that ([\w ]+?) carries\.", flat)
    )
    carried = dict(re.findall(r"(\w+ \w+ the \w+) carries the code (\d{6})\.", flat))
    dated = {}
    for day, key, code in re.findall(
        r"As of (\d+) March, the access code of (the \w+ archive in \w+) is (\d{6})\.", flat
    ):
        dated.setdefault(key, []).append((int(day), code))
    answers = []
    for key in re.findall(r"the \w+ archive in \w+", question):
        code = codes.get(key) or codes.get(same.get(key, ""))
        code = code or carried.get(opened.get(key.removeprefix("the "), ""))
        if key in dated:
            code = max(dated[key])[1]
        answers.append(f"{key}: {code}" if code else UNKNOWN)
    return "\n".join(answers)


def calculation(text):
    total = int(re.search(r"Start with (\d+)", text)[1])
    for verb, number in re.findall(r"(Add|Subtract|Multiply by) (\d+)", text):
        n = int(number)
        total = total + n if verb == "Add" else total - n if verb == "Subtract" else total * n
    return f"Answer: {total}"


def _people(text, before):
    listed = re.search(rf"([\w, ]+ and \w+),? {before}", text)[1]
    return re.split(r", | and ", listed.removeprefix("Of "))


def ordering(text):
    people = _people(text, "stand in a row")
    left = []
    for row in permutations(people):
        at = {name: place for place, name in enumerate(row)}
        if (
            all(
                at[a] < at[b]
                for a, b in re.findall(r"(\w+) stands somewhere to the left of (\w+)", text)
            )
            and all(
                at[a] == at[b] + 1
                for a, b in re.findall(r"(\w+) stands directly to the right of (\w+)", text)
            )
            and all(
                at[a] not in {0, len(row) - 1}
                for a in re.findall(r"(\w+) stands at neither end", text)
            )
        ):
            left.append(row)
    assert len(left) == 1
    words = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh"]
    place = words.index(re.search(r"Who is (\w+) from", text)[1])
    return f"Answer: {left[0][place]}"


def seating(text):
    people = _people(text, "sit at a round table")
    count, left = len(people), set()
    asked = re.search(r"directly to the left of (\w+)\?", text)[1]
    for rest in permutations(people[1:]):
        row = (people[0], *rest)
        at = {name: place for place, name in enumerate(row)}

        def gap(a, b, at=at):
            return (at[a] - at[b]) % count

        if (
            all(
                gap(a, b) == 1
                for a, b in re.findall(r"(\w+) sits directly to the left of (\w+)\.", text)
            )
            and all(
                {gap(b, a), gap(c, a)} == {1, count - 1}
                for a, b, c in re.findall(r"(\w+) sits between (\w+) and (\w+)\.", text)
            )
            and all(
                gap(a, b) not in {1, count - 1}
                for a, b in re.findall(r"(\w+) does not sit next to (\w+)\.", text)
            )
        ):
            left.add(row[(at[asked] + 1) % count])
    assert len(left) == 1
    return f"Answer: {left.pop()}"


def truth(text):
    people = _people(text, "exactly one")
    said = re.findall(r'(\w+) says: "(\w+) (tells the truth|lies)\."', text)
    worlds = [
        world
        for honest in product((True, False), repeat=len(people))
        for world in [dict(zip(people, honest, strict=True))]
        if sum(honest) == 1
        and all(world[who] == (world[about] == (what != "lies")) for who, about, what in said)
    ]
    assert len(worlds) == 1
    return f"Answer: {next(name for name, honest in worlds[0].items() if honest)}"


def reasoning(text):
    if "stand in a row" in text:
        return ordering(text)
    if "round table" in text:
        return seating(text)
    if "always tells the truth" in text:
        return truth(text)
    return calculation(text) if "Start with" in text else story(text)


def instructions(prompt):
    """A text that holds everything asked, written from the rules alone."""
    low, high = 20, 1_000
    match = re.search(r"at least (\d+) and at most (\d+) words", prompt)
    if match:
        low, high = int(match[1]), int(match[2])
    needed = re.search(r"Use the words '(\w+)' and '(\w+)'", prompt)
    parts = re.search(r"exactly (\d) paragraphs", prompt)
    sentence = "we walked along the quiet river."
    lines = [sentence] * (int(parts[1]) if parts else 1)
    if needed:
        lines[0] += f" there was a {needed[1]} and a {needed[2]}."
    if "exactly one question" in prompt:
        lines[0] += " was it late?"
    while sum(len(line.split()) for line in lines) < low + 3:
        lines[0] = f"{sentence} {lines[0]}"
    assert sum(len(line.split()) for line in lines) <= high - 8
    if "in double angular brackets" in prompt:
        lines[0] = f"<<the walk>> {lines[0]}"
    end = re.search(r"End with exactly these words: (.+)", prompt)
    if end:
        lines[-1] += f" {end[1]}"
    return "\n\n".join(lines)


_NAMED = "January February March April May June July August September October November December"
_MONTHS = {name: number + 1 for number, name in enumerate(_NAMED.split())}


def _iso(text):
    day, month, year = text.split()
    return f"{year}-{_MONTHS[month]:02}-{int(day):02}"


_DATE = r"(\d+ [A-Z]\w+ \d{4})"
_MONEY = r"([\d,]+\.\d\d)"
_FIELDS = {
    "seller": (r"^(.+ (?:Ltd|GmbH|SA|BV)), ", str),
    "invoice_number": (r"(INV-\d+)", str),
    "issued_on": (rf"^D\S+ \S+ \S+: {_DATE}$", _iso),
    "due_on": (rf"^P\S+ \S+ {_DATE}$", _iso),
    "buyer": (r"^B\S+ \S+: (.+ & .+)$", str),
    "order_number": (r"(PO-\d+)", str),
    "total": (rf"EUR {_MONEY}", lambda t: float(t.replace(",", ""))),
    "customer_number": (r"(C-\d+)", str),
    "meeting_on": (rf"^S\S+ \S+ \S+ \S+ {_DATE}\?", _iso),
    "city": (r"^I \S+ \S+ \S+ (\w+)\.", str),
    "room": (r"^T\S+ \S+ \S+ ([A-F]\d{3})\.", str),
    "phone": (r"(\+43 1 \d+)", str),
    "sender": (r"^K\S+ \S+, (.+)$", str),
}


_AMOUNT = (rf"EUR {_MONEY}", lambda t: float(t.replace(",", "")))
_LINES = {
    "landlord": ("The landlord is", (r"([A-Z]\w+ [A-Z]\w+)\.$", str)),
    "tenant": ("The tenant is", (r"([A-Z]\w+ [A-Z]\w+)\.$", str)),
    "starts_on": ("The lease begins on", (rf"{_DATE}\.$", _iso)),
    "monthly_rent": ("The rent is EUR", _AMOUNT),
    "deposit": ("A deposit of EUR", _AMOUNT),
    "notice_months": ("Either side may end it with", (r" (\d+) \S+ \S+\.$", int)),
    "court": ("The courts of", (r"^\S+ \S+ \S+ ([A-Z]\w+) ", str)),
}
"""Lines of contracts, known by how they begin even where a scan has misread them."""


def _line_of(name, text):
    """The line that begins most like this field's, and most like no other field's."""
    for line in text.splitlines():
        alike = {
            field: fuzz.ratio(line[: len(begin)], begin) for field, (begin, _) in _LINES.items()
        }
        best = max(alike, key=alike.get)
        pattern, read = _LINES[name][1]
        if best == name and alike[best] > 60 and re.search(pattern, line):
            return read(re.search(pattern, line)[1])
    return None


def extraction(prompt):
    text, _, question = prompt.rpartition("\n\nExtract")
    found = {}
    for name in re.findall(r"(\w+) \((?:text|date|number|whole)", question):
        if name in _LINES:
            found[name] = _line_of(name, text)
            continue
        pattern, read = _FIELDS[name]
        match = re.search(pattern, text, re.MULTILINE)
        found[name] = read(match[1]) if match else None
    return json.dumps(found)


def conversion(prompt):
    head, _, body = prompt.partition("\n\n")
    given, asked = re.search(r"Convert this (.+?) into (.+?) \(", head).groups()
    if given == "JSON":
        rows = json.loads(body)
    elif given == "YAML":
        rows = YAML(typ="safe").load(body)
    elif given == "CSV":
        rows = list(csv.DictReader(io.StringIO(body)))
    elif given == "XML":
        rows = [{c.tag: c.text or "" for c in row} for row in ET.fromstring(body)]  # noqa: S314
    else:
        lines = [[c.strip() for c in line[2:-2].split(" | ")] for line in body.splitlines()]
        rows = [dict(zip(lines[0], line, strict=True)) for line in lines[2:]]
    return _written(rows, asked)


def _written(rows, asked):
    columns = list(rows[0])
    if asked == "JSON":
        return json.dumps(rows)
    if asked == "YAML":
        out = io.StringIO()
        YAML().dump(rows, out)
        return out.getvalue()
    if asked == "CSV":
        out = io.StringIO()
        writer = csv.DictWriter(out, columns)
        writer.writeheader()
        writer.writerows(rows)
        return out.getvalue()
    if asked == "XML":
        root = ET.Element("rows")
        for row in rows:
            element = ET.SubElement(root, "row")
            for key, value in row.items():
                ET.SubElement(element, key).text = value
        return ET.tostring(root, encoding="unicode")
    lines = [columns, ["-"] * len(columns), *([row[c] for c in columns] for row in rows)]
    return "\n".join("|" + "|".join(line) + "|" for line in lines)


_LANGUAGES = {
    "en": (r"has (\d+) books", r"buys (\d+)", r"gives (\d+)", r"(\d+) boxes with (\d+)"),
    "de": (r"hat (\d+) Bücher", r"kauft (\d+)", r"verschenkt (\d+)", r"(\d+) Kisten mit je (\d+)"),
    "fr": (
        r"a (\d+) livres",
        r"achète (\d+)",
        r"donne (\d+)",
        r"(\d+) cartons contenant chacun (\d+)",
    ),
    "es": (r"tiene (\d+) libros", r"Compra (\d+)", r"Regala (\d+)", r"(\d+) cajas con (\d+)"),
    "zh": (r"有(\d+)本书。", r"又买了(\d+)", r"送出了(\d+)", r"收到(\d+)箱书，每箱(\d+)"),
    "ja": (
        r"本を(\d+)冊持って",
        r"さらに本を(\d+)",
        r"。本を(\d+)冊人に",
        r"本が(\d+)冊ずつ入った箱を(\d+)",
    ),
    "ar": (
        r"^لدى \w+ كتب عددها (\d+)",
        r"أخرى عددها (\d+)",
        r"أهدت كتبًا عددها (\d+)",
        r"وصلتها (\d+) صناديق، في كل صندوق كتب عددها (\d+)",
    ),
}


def multilingual(text):
    for start, gain, loss, boxes in _LANGUAGES.values():
        if re.search(start, text) is None:
            continue
        total = int(re.search(start, text)[1])
        total += sum(int(n) for n in re.findall(gain, text))
        total -= sum(int(n) for n in re.findall(loss, text))
        total += sum(int(n) * int(m) for n, m in re.findall(boxes, text))
        return f"Answer: {total}"
    raise AssertionError(text)


def _said(request):
    return "\n".join(message.text for message in request.messages if message.role == "user")


def _last(request):
    return next(m.text for m in reversed(request.messages) if m.role == "user")


SOLVERS = {
    "long-context": lambda request: long_context(_last(request)),
    "contamination": lambda request: story(_last(request)),
    "spread": lambda request: story(_said(request)) if "How many" in _last(request) else "OK",
    "recovery": lambda request: story(request.messages[0].text),
    "chains": chains,
    "tools": tools,
    "reasoning": lambda request: reasoning(_last(request)),
    "instructions": lambda request: instructions(_last(request)),
    "extraction": lambda request: extraction(_last(request)),
    "conversion": lambda request: conversion(_last(request)),
    "multilingual": lambda request: multilingual(_last(request)),
}
"""Every pack of text: a reader that is always right."""
