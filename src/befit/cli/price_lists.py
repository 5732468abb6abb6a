"""Price lists named on the command line: whose they are is seen from their form."""

from __future__ import annotations

from pathlib import Path

from befit.interop.litellm_prices import read_litellm
from befit.interop.modelsdev import looks_like_modelsdev, read_modelsdev
from befit.interop.price_list import PriceList, read_mapping


def read_lists(paths: list[Path]) -> tuple[PriceList, ...]:
    """Return the lists; raises DataError for a file that is none."""
    found = []
    for path in paths:
        data, _ = read_mapping(path)
        read = read_modelsdev if looks_like_modelsdev(data) else read_litellm
        found.append(read(path))
    return tuple(found)
