"""The report asks nobody for anything, needs no script, and its content stays text."""

from __future__ import annotations

import pytest

import report_states

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("name", sorted(report_states.SHAPES))
def test_no_request_leaves_the_page(open_state, open_all, name):
    opened = open_state(name)
    open_all(opened.page)
    opened.page.wait_for_load_state("networkidle")
    assert [url for url in opened.requests if not url.startswith(("file:", "data:"))] == []
    assert opened.noise == []


def test_hostile_text_stays_text(open_state, open_all):
    opened = open_state("hostile")
    page = opened.page
    open_all(page)
    assert page.evaluate("window.pwned") is None
    own = page.evaluate(
        "[document.querySelectorAll('script').length, document.querySelectorAll('style').length,"
        "document.querySelectorAll('meta[http-equiv]').length,"
        "document.querySelectorAll('iframe, img, object, embed, base, form').length]"
    )
    assert own == [2, 1, 1, 0]
    links = page.evaluate(
        "[...document.querySelectorAll('a')].map((el) => el.getAttribute('href'))"
    )
    assert all(link.startswith("#") for link in links)
    handlers = page.evaluate(
        "[...document.querySelectorAll('*')].filter((el) => el.getAttributeNames()"
        ".some((name) => name.startsWith('on') || name === 'style')).length"
    )
    assert handlers == 0
    text = page.locator("pre").first.text_content()
    assert "<script>window.pwned=1</script>" in text
    assert opened.noise == []


def test_hidden_characters_are_shown_by_their_numbers(open_state, open_all):
    page = open_state("hostile").page
    open_all(page)
    text = page.evaluate("document.body.innerText")
    for char in ("\u202e", "\u200b", "\ufeff", "\u2066", "\x1b", "\x00", "\x07"):
        assert char not in text
    shown = page.locator("#failures pre .hid").all_text_contents()
    assert {"U+202E", "U+200B", "U+FEFF", "U+001B", "U+0000", "U+D800"} <= set(shown)


def test_embedded_numbers_survive_hostile_names(open_state):
    page = open_state("hostile").page
    names = page.evaluate(
        "JSON.parse(document.getElementById('numbers').textContent).analysis.candidates"
    )
    assert names == list(report_states.SHAPES["hostile"].names)


def test_injected_script_and_style_are_refused_by_the_policy(open_state):
    opened = open_state("normal")
    opened.page.evaluate(
        """() => {
          const script = document.createElement('script');
          script.textContent = 'window.pwned = 1';
          document.body.append(script);
          const image = new Image();
          image.src = 'http://127.0.0.1:9/x.png';
          document.body.append(image);
        }"""
    )
    assert opened.page.evaluate("window.pwned") is None
    opened.page.wait_for_timeout(200)
    refused = [line for line in opened.noise if "Content Security Policy" in line]
    assert any("script-src" in line for line in refused)
    assert any("img-src" in line for line in refused)


def test_everything_can_be_read_without_javascript(open_state):
    page = open_state("normal", java_script_enabled=False).page
    assert page.locator("#says li").count() >= 1
    assert page.locator("#t-matrix td").count() == 5 * 4
    summary = page.locator("#failures details.group > summary").first
    summary.click()
    assert page.locator("#failures details.group[open] details.ex").count() >= 1
    assert page.locator(".tools:visible").count() == 0


def test_script_sorts_filters_hides_and_switches(open_state):
    opened = open_state("normal")
    page = opened.page
    page.get_by_role("button", name="alpha-small").first.click()
    values = page.evaluate(
        "[...document.querySelectorAll('#t-matrix tbody tr')]"
        ".map((r) => Number(r.cells[2].dataset.v))"
    )
    assert values == sorted(values, reverse=True)
    page.locator("[data-show='1']").uncheck()
    assert page.locator("#t-matrix [data-c='1']:visible").count() == 0
    assert page.locator("#t-matrix [data-c='0']:visible").count() > 0
    page.locator("[data-do=gaps]").check()
    assert page.locator("#t-matrix tbody tr:visible").count() == 0
    before = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.get_by_role("button", name="Theme").click()
    page.get_by_role("button", name="Theme").click()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != before
    page.get_by_role("button", name="Expand all").click()
    assert page.locator("details:not([open])").count() == 0
    assert opened.noise == []
