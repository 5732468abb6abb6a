"""Every registered similarity keeps the contract."""

from __future__ import annotations

import pytest

from befit.plugins import available, load
from befit.testing.similarity import SimilarityContract


@pytest.mark.parametrize("name", list(available("befit.similarities")))
class TestRegisteredSimilarities(SimilarityContract):
    @pytest.fixture(autouse=True)
    def _named(self, name):
        if name == "embedding":
            pytest.importorskip("wordllama", reason="the extra 'semantic' is not installed")
        self._factory = load("befit.similarities", name)

    def similarity(self):
        return self._factory()
