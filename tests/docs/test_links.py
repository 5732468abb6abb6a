"""No relative link of a page leads nowhere, headings included."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from shared_data import ROOT

PAGES = sorted([*(ROOT / "docs").rglob("*.md"), ROOT / "README.md", ROOT / "CHANGELOG.md"])
_LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
_FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"`[^`\n]*`")


def _prose(path: Path) -> str:
    return _FENCED.sub("", path.read_text(encoding="utf-8"))


def _anchors(path: Path) -> set[str]:
    found = set()
    for heading in re.findall(r"^#+ (.+)$", _prose(path), re.MULTILINE):
        words = re.sub(r"[^\w\- ]", "", heading.lower())
        found.add(words.strip().replace(" ", "-"))
    return found


@pytest.mark.parametrize("path", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_relative_links_lead_somewhere(path: Path):
    broken = []
    for link in _LINK.findall(_CODE.sub("", _prose(path))):
        if re.match(r"[a-z]+:", link):
            continue
        name, _, anchor = link.partition("#")
        goal = path if not name else (path.parent / name).resolve()
        if not goal.exists() or (anchor and anchor not in _anchors(goal)):
            broken.append(link)

    assert broken == []


def test_every_page_of_the_docs_is_linked_from_another():
    linked = {
        (path.parent / link.partition("#")[0]).resolve()
        for path in PAGES
        for link in _LINK.findall(_prose(path))
        if not re.match(r"[a-z]+:", link) and link.partition("#")[0]
    }

    # Figures that tools write are found by their folder.
    written = {path for path in PAGES if path.parent.name == "proof"}
    alone = [path for path in PAGES if path.resolve() not in linked and path not in written]

    assert [path for path in alone if path != ROOT / "README.md"] == []
