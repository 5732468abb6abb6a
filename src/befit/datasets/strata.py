"""Strata of a log: by which fields lines are told apart, and how many samples each gets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, get_args

import numpy as np

from befit.datasets.near import Clusters
from befit.storage.interactions import LogFacts

StratumField = Literal[
    "intent", "cluster", "language", "length", "channel", "route", "model", "time"
]
FIELDS: tuple[str, ...] = get_args(StratumField)
DEFAULT: tuple[StratumField, ...] = ("intent", "language", "length", "channel")
LENGTHS = ((0, "empty"), (80, "short"), (400, "medium"), (2000, "long"))
"""Characters of the user's message up to which a band reaches; above is `very long`."""
NONE = "-"
_DAY = ((6, "night"), (12, "morning"), (18, "afternoon"), (24, "evening"))
_HOUR = slice(11, 13)


def length_band(characters: int) -> str:
    """Return the band of a length."""
    return next((name for most, name in LENGTHS if characters <= most), "very long")


def part_of_day(ts: str) -> str:
    """Return the part of the day (UTC) of an instant."""
    hour = ts[_HOUR]
    return next((n for most, n in _DAY if int(hour) < most), NONE) if hour.isdigit() else NONE


def values_of(facts: LogFacts, fields: Sequence[str], *, cluster: int | None) -> tuple[str, ...]:
    """Return the value of each field of a line; `-` where the log says nothing."""
    found: Mapping[str, str | None] = {
        "intent": facts.intent,
        "cluster": None if cluster is None else f"cluster {cluster}",
        "language": facts.language,
        "length": length_band(facts.length),
        "channel": facts.channel,
        "route": facts.route,
        "model": facts.model,
        "time": part_of_day(facts.ts),
    }
    return tuple(found[name] or NONE for name in fields)


def allocate(sizes: Sequence[int], units: Sequence[int], *, n: int) -> list[int]:
    """Return the samples of each stratum: proportional to its lines, rare ones kept.

    Every stratum gets at least 5 (fewer where there are very many strata), as far
    as it has different texts.

    Args:
        sizes: log lines of each stratum.
        units: different texts of each, the most it can give.
        n: samples in all.
    """
    count = len(sizes)
    least = max(1, min(5, n // (2 * max(1, count))))
    given = [min(unit, least) for unit in units]
    while (left := n - sum(given)) > 0:
        open_ = [i for i in range(count) if given[i] < units[i]]
        if not open_:
            break
        total = sum(sizes)
        wanted = {i: n * sizes[i] / total - given[i] for i in open_}
        short = [i for i in open_ if wanted[i] > 0] or open_
        scale = sum(max(wanted[i], 1e-9) for i in short)
        before = sum(given)
        for i in short:
            more = int(left * max(wanted[i], 1e-9) / scale)
            given[i] = min(units[i], given[i] + more)
        if sum(given) == before:
            order = sorted(open_, key=lambda i: (-wanted[i], i))
            for i in order[: n - before]:
                given[i] += 1
    return given


def clusters_of(body: Mapping[str, object]) -> Clusters | None:
    """Return the clusters a sampling was made with, if it was."""
    held = body.get("clusters")
    return Clusters.from_json(held) if isinstance(held, dict) else None


def generator(seed: int, name: str) -> np.random.Generator:
    """Return the generator of one stratum: other strata do not change what it draws."""
    digits = [seed, *name.encode("utf-8", "replace")]
    return np.random.default_rng(np.random.SeedSequence(digits))
