"""Finds the real data that lies beside the project, where it does; never part of it."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def shared(name: str) -> Path:
    """Return the path of a shared data file, or skip the test where it is absent."""
    for base in (ROOT.parent / "shared" / "data", ROOT / "shared" / "data"):
        if (base / name).exists():
            return base / name
    pytest.skip(f"real data '{name}' is not beside this checkout")
