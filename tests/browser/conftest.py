"""Debian's Chromium for the browser tests: one browser for all, no request may leave the page."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Route, sync_playwright

import report_states

ARGUMENTS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    found = shutil.which("chromium")
    if found is None:
        pytest.skip("no chromium on this machine")
    with sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=found, args=ARGUMENTS, timeout=60_000)
        yield chromium
        chromium.close()


class Opened:
    """A page with all that it asked for and said."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.requests: list[str] = []
        self.noise: list[str] = []
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("console", lambda message: self.noise.append(message.text))
        page.on("pageerror", lambda error: self.noise.append(str(error)))
        page.on("dialog", lambda dialog: self.noise.append(dialog.message))


@contextmanager
def opening(browser: Browser, folder: Path) -> Iterator[Callable[..., Opened]]:
    """Yield what opens a page, given as its text, from a file in `folder`, as a reader would."""
    contexts = []

    def opener(
        text: str, *, name: str = "page", size: tuple[int, int] = (1280, 800), **options: Any
    ) -> Opened:
        path = folder / f"{name}.html"
        path.write_text(text, encoding="utf-8")
        viewport = {"width": size[0], "height": size[1]}
        context = browser.new_context(viewport=viewport, **options)
        contexts.append(context)

        def guard(route: Route) -> None:
            if route.request.url.startswith(("file:", "data:")):
                route.continue_()
            else:
                route.abort()

        context.route("**/*", guard)
        opened = Opened(context.new_page())
        opened.page.set_default_timeout(30_000)
        opened.page.goto(path.as_uri())
        return opened

    try:
        yield opener
    finally:
        for context in contexts:
            context.close()


@pytest.fixture
def open_text(browser: Browser, tmp_path: Path) -> Iterator[Callable[..., Opened]]:
    """Open a page, given as its text, from a file, as a reader would."""
    with opening(browser, tmp_path) as opener:
        yield opener


@pytest.fixture
def open_state(open_text: Callable[..., Opened]) -> Callable[..., Opened]:
    """Open the report of a state."""

    def opener(name: str, **options: Any) -> Opened:
        return open_text(report_states.page(name), name=name, **options)

    return opener


def _open_all(page: Page) -> None:
    page.evaluate("document.querySelectorAll('details').forEach((el) => { el.open = true })")


@pytest.fixture
def open_all() -> Callable[[Page], None]:
    """Open every part that can be opened."""
    return _open_all


@pytest.fixture(scope="module")
def laid_out(
    browser: Browser, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[..., Page]]:
    """A state in a window of some width, as it is or with every part open.

    Its page is read once; then the window changes, of which no script of a report takes notice.
    """
    folder = tmp_path_factory.mktemp("laid-out")
    with ExitStack() as stack:
        shown: dict[tuple[str, bool], Page] = {}

        def act(name: str, *, width: int, opened: bool) -> Page:
            if (name, opened) not in shown:
                if not any(known == name for known, _ in shown):
                    stack.close()
                    shown.clear()
                opener = stack.enter_context(opening(browser, folder))
                page = opener(report_states.page(name), name=name, size=(width, 800)).page
                shown[name, opened] = page
                if opened:
                    _open_all(page)
            page = shown[name, opened]
            page.set_viewport_size({"width": width, "height": 800})
            return page

        yield act
