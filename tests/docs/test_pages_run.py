"""Every page does what it says: its blocks are run in their order, against a fake provider."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from befit.testing.provider import FakeProvider
from page_blocks import Page, blocks
from shared_data import ROOT

PAGES = sorted(
    path
    for path in [*(ROOT / "docs").rglob("*.md"), ROOT / "README.md"]
    if "proof" not in path.parts and path.name != "tutorial.md"
)
WITH_BLOCKS = [
    path for path in PAGES if any(b.is_run for b in blocks(path.read_text(encoding="utf-8")))
]


def answer(prompt: object, *_rest: object) -> str:
    """Read the total out of an invoice, as a model of the pages' project would."""
    found = re.findall(r"Total (\d+)", str(prompt))
    return f"{found[-1]} EUR" if found else "I cannot see one"


@pytest.fixture(scope="module")
def provider() -> Iterator[FakeProvider]:
    with FakeProvider(answer=answer) as running:
        yield running


@pytest.mark.parametrize("path", WITH_BLOCKS, ids=lambda p: str(p.relative_to(ROOT)))
def test_a_page_does_what_it_says(
    path: Path, provider: FakeProvider, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("BASE_URL", provider.base_url)
    monkeypatch.setenv("API_KEY", "sk-for-the-pages")
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.delenv("BEFIT_WORKSPACE", raising=False)

    page = Page(name=str(path.relative_to(ROOT)), folder=tmp_path)

    assert page.read(path.read_text(encoding="utf-8")) > 0
    for file in tmp_path.rglob("*.html"):
        assert "sk-for-the-pages" not in file.read_text(encoding="utf-8")


def test_the_how_to_pages_are_all_run():
    run = {path.name for path in WITH_BLOCKS}

    left = {path.name for path in PAGES if path.parent.name == "how-to"} - run

    # a server is not at hand everywhere; the store's contract suite runs on PostgreSQL
    assert left == {"postgresql.md"}
