"""Waiting for a page under its own content security policy.

Playwright's `wait_for_function` compiles an expression anew at every look; all looks but the
first run as the page's own code, and `script-src 'self'` forbids them. It then only works where the
condition holds at once. Here every look is asked from outside, which the policy does not touch.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from playwright.sync_api import Error

if TYPE_CHECKING:
    from playwright.sync_api import Page

SECONDS = 20.0
GAP = 25


def until(page: Page, expression: str, arg: Any = None) -> None:
    """Return once `expression` is true in `page`; a page just being left is looked at again.

    Raises:
        AssertionError: it did not come true within 20 seconds.
    """
    end, last = time.monotonic() + SECONDS, ""
    while time.monotonic() < end:
        try:
            if page.evaluate(expression, arg):
                return
        except Error as error:
            last = str(error)
        page.wait_for_timeout(GAP)
    raise AssertionError(f"never came true: {expression} ({arg!r}) {last}")
