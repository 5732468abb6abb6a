"""The HTML report as a string: its policy, its size, its escaping, its figures."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

import report_states
from befit.report.document import Quote
from befit.report.html import is_big, render
from befit.report.html_examples import BUDGET
from befit.report.html_numbers import estimate, money, sentence, telling
from befit.report.html_text import highlighted, quoted, shown
from befit.report.json import to_json
from report_documents import NAMES, Shape, document


def quote(span, value=1.0, rule="contains '20'"):
    return Quote(
        scorer="match",
        name="match",
        part=None,
        value=value,
        label=None,
        rule=rule,
        span=span,
        answer=None,
        explanation=None,
    )


def source(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def test_policy_allows_exactly_the_style_and_script_of_the_page():
    page = report_states.page("normal")
    style = re.search(r"<style>(.*?)</style>", page, re.DOTALL)
    script = re.search(r"<script>(.*?)</script>", page, re.DOTALL)
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)
    assert style is not None
    assert script is not None
    assert policy is not None
    assert policy.group(1) == (
        f"default-src 'none'; img-src data:; style-src {source(style.group(1))}; "
        f"script-src {source(script.group(1))}; base-uri 'none'; form-action 'none'"
    )
    assert len(script.group(1).encode()) <= 6 * 1024


@pytest.mark.parametrize("name", sorted(report_states.SHAPES))
def test_page_has_no_style_attribute_handler_or_link_out(name):
    class Reader(HTMLParser):
        def __init__(self):
            super().__init__()
            self.found = []

        def handle_starttag(self, tag, attrs):
            for key, value in attrs:
                if key == "style" or key.startswith("on"):
                    self.found.append((tag, key))
                if key in {"href", "src"} and not value.startswith(("#", "data:,")):
                    self.found.append((tag, key, value))

    reader = Reader()
    reader.feed(report_states.page(name))
    assert reader.found == []


@pytest.mark.parametrize("name", sorted(report_states.SHAPES))
def test_page_is_well_formed(name):
    void = {"meta", "link", "input", "br"}

    class Nesting(HTMLParser):
        def __init__(self):
            super().__init__()
            self.open = []

        def handle_starttag(self, tag, _attrs):
            if tag not in void:
                self.open.append(tag)

        def handle_startendtag(self, tag, attrs):
            """Such an element opens nothing."""

        def handle_endtag(self, tag):
            assert self.open.pop() == tag, self.getpos()

    parser = Nesting()
    parser.feed(report_states.page(name))
    assert parser.open == []


def test_page_ids_are_unique():
    ids = re.findall(r'\sid="([^"]+)"', report_states.page("normal"))
    assert len(ids) == len(set(ids))


def test_embedded_json_is_the_json_report_without_examples():
    made = document(Shape(names=NAMES[:2], dimensions=2, samples=10))
    text = re.search(r'id="numbers">(.*?)</script>', render(made), re.DOTALL)
    assert text is not None
    assert text.group(1).isascii()
    assert "<" not in text.group(1)
    expected = {**to_json(made), "failures": [], "passes": []}
    assert json.loads(text.group(1)) == json.loads(json.dumps(expected))


def test_five_candidates_two_hundred_samples_five_repeats_fit_the_size():
    shape = Shape(names=NAMES[:5], samples=200, repeats=5, examples=5, output="x y z " * 900)
    made = document(shape)
    page = render(made)
    assert len(page.encode()) <= 1_500_000
    assert "left out to keep this file small" in page
    full = render(made, full=True)
    assert "left out to keep this file small" not in full
    assert len(full) - len(page) > BUDGET
    assert full.count('<details class="ex"') == len(made.failures) + len(made.passes)
    assert not is_big(page)


def test_rendering_twice_gives_the_same_bytes():
    made = report_states.state("normal")
    assert render(made) == render(made)


def test_an_output_that_was_cut_says_how_much_is_missing():
    page = render(document(Shape(names=NAMES[:2], dimensions=1, samples=8, output="y" * 5000)))
    assert "cut, 1,000 more characters" in page


def test_cell_without_measurement_says_so_and_never_zero():
    page = report_states.page("missing")
    matrix = page.split('id="t-matrix"')[1].split("</table>")[0]
    assert "not measured" in matrix
    assert 'class="v"' not in matrix


def test_run_that_is_not_complete_says_so_at_the_top():
    made = report_states.state("normal")
    part = replace(made, provenance=replace(made.provenance, status="interrupted"))
    assert "! run interrupted" in render(part)
    assert "! run" not in render(made)


def test_unknown_cost_is_unknown_and_not_zero():
    page = render(document(Shape(names=NAMES[:2], dimensions=1, samples=8, priced=False)))
    assert "spent unknown" in page
    assert "$0" not in page.split('id="engineering"')[1].split("</section>")[0]


def test_matched_span_is_marked_with_its_rule():
    text = highlighted("due 2025-01-01", [quote((4, 6))])
    assert text == ('due <mark class="hit" title="contains &#39;20&#39;">20</mark>25-01-01')
    assert '<mark class="miss"' in highlighted("20", [quote((0, 2), value=0.0)])


@pytest.mark.parametrize("span", [(3, 90), (90, 99), (2, 2), None])
def test_spans_outside_the_shown_text_do_not_break_it(span):
    marked = highlighted("abc<d>", [quote(span), quote((0, 2)), quote((1, 3))])
    plain = re.sub(r"</?mark[^>]*>", "", marked)
    assert plain == "abc&lt;d&gt;"


def test_text_is_escaped_and_its_hidden_characters_shown():
    assert shown("<b>\u202e") == "&lt;b&gt;⟨U+202E⟩"
    assert quoted("a\u200bb") == 'a<span class="hid">U+200B</span>b'
    assert quoted("\x1b[31m<") == '<span class="hid">U+001B</span>[31m&lt;'
    assert quoted("two\nlines\ttab") == "two\nlines\ttab"


def test_estimates_carry_interval_and_counts():
    cell = report_states.state("normal").analysis.dimension_rows[0].cells[0]
    e = cell.estimate
    text = re.sub(r"<[^>]+>", "", estimate(e))
    assert text.startswith(f"{100 * e.value:.0f} % [{100 * e.low:.0f}, {100 * e.high:.0f}] n = 60")


def test_money_and_sentences():
    assert [money(v) for v in (None, 0.0, 1.5, 0.02)] == ["unknown", "$0", "$1.50", "$0.020"]
    assert sentence("84 % [79, 88] in 3 s") == "84\u00a0% [79, 88] in 3\u00a0s"


def test_first_findings_are_one_of_each_sort_with_the_number_of_the_rest():
    findings = report_states.state("normal").analysis.findings
    told = telling(findings, 5)
    assert len({(f.severity, f.do) for f, _ in told}) == len(told)
    assert all(more >= 0 for _, more in told)
    everything = telling(findings, 99)
    assert sum(more + 1 for _, more in everything) == len(findings)


def test_names_that_run_from_right_to_left_turn_no_number_round():
    told = sentence("Whole: نموذج كبير 98 % [83, 100]; <b> 97 %")
    assert told == "Whole: <bdi>نموذج كبير</bdi> 98\u00a0% [83, 100]; &lt;b&gt; 97\u00a0%"


def test_what_was_not_repeated_is_not_measured_in_each_cell_of_its_row():
    page = render(document(Shape(names=("one",), dimensions=1, samples=8, repeats=1)))
    table = page.split('<caption class="sr">Stability on')[1].split("</table>")[0]
    row = table.split("<tbody>")[1]
    assert row.count("<td") == table.count('<th scope="col"') - 1
    assert "colspan" not in row
