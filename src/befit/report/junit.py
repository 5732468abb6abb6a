"""A regression verdict as JUnit XML: one test case per candidate and scenario."""

from __future__ import annotations

import re
from collections.abc import Sequence
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from befit.core.written import many
from befit.decide.regression import Check
from befit.report.gate_markdown import deciding
from befit.report.numbers import points

_ILLEGAL = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
Inconclusive = str


def clean(text: str) -> str:
    """Return text that XML 1.0 can hold."""
    return _ILLEGAL.sub("\ufffd", text)


def to_junit(
    checks: Sequence[Check], *, suite: str, on_inconclusive: Inconclusive, made_at: str = ""
) -> str:
    """Return the XML text.

    Args:
        checks: the checks.
        suite: name of the suite, for instance the baseline.
        on_inconclusive: `fail` makes an open check a failure, `pass` a success, else it is
            skipped, which JUnit readers show apart from both.
        made_at: ISO 8601.
    """
    root = Element("testsuites", name="befit")
    attributes = {"name": clean(suite), "time": "0"}
    if made_at:
        attributes["timestamp"] = made_at[:19]
    group = SubElement(root, "testsuite", attributes)
    failed = skipped = 0
    for one in checks:
        case = SubElement(
            group,
            "testcase",
            classname=clean(f"befit.{one.candidate}"),
            name=clean(one.scenario),
            time="0",
        )
        text = clean(describe(one))
        open_ = one.verdict == "insufficient_evidence"
        if one.verdict == "fail" or (open_ and on_inconclusive == "fail"):
            failed += 1
            kind = "regression" if one.verdict == "fail" else "insufficient_evidence"
            SubElement(case, "failure", message=text, type=kind).text = text
        elif open_ and on_inconclusive != "pass":
            skipped += 1
            SubElement(case, "skipped", message=text)
        else:
            SubElement(case, "system-out").text = text
    for element in (root, group):
        element.set("tests", str(len(checks)))
        element.set("failures", str(failed))
        element.set("errors", "0")
    group.set("skipped", str(skipped))
    indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(root, encoding="unicode") + "\n"


def describe(one: Check) -> str:
    """Return a check in a sentence."""
    margin = f"margin {100 * one.margin:g} points"
    if one.difference.value is None:
        return f"{one.candidate} on {one.scenario}: not compared ({one.difference.method})"
    words = {
        "pass": "not worse by more than the margin",
        "fail": "worse by more than the margin",
        "insufficient_evidence": "not enough evidence",
    }
    more = (
        f"; about {many(one.samples_needed, 'sample')} would settle it"
        if one.samples_needed
        else ""
    )
    bound = f", one-sided bound {told}" if (told := deciding(one)) else ""
    note = f" ({one.note})" if one.note else ""
    return (
        f"{one.candidate} on {one.scenario}: {words[one.verdict]}: "
        f"{points(one.difference)} points on {one.difference.n_samples} samples{bound}, "
        f"{margin}{more}{note}"
    )
