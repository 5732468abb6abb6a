"""A fake provider that does not come up says so instead of serving at no port."""

from __future__ import annotations

import threading

import pytest

from befit.testing import provider as place
from befit.testing.provider import FakeProvider


def test_a_provider_that_does_not_start_in_time_is_an_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    held = threading.Event()
    serve = place.serve

    async def late(*words: object, **more: object) -> object:
        held.wait(60)
        return await serve(*words, **more)

    monkeypatch.setattr(place, "serve", late)
    monkeypatch.setattr(place, "READY_WITHIN", 0.05)
    provider = FakeProvider()
    with pytest.raises(RuntimeError, match="did not start"), provider:
        pass
    held.set()
    provider._ready.wait(60)  # its thread is not to outlive the test
    provider.__exit__(None, None, None)
