"""The production mix of the newest days, counted by the fields of a sampling."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import islice
from typing import Any

from befit.datasets import strata
from befit.datasets.coverage import Coverage, compare_mix, lines_per_conversation
from befit.datasets.logrow import question_of
from befit.storage.interactions import Filter, LogFacts
from befit.storage.workspace import Workspace

_CHUNK = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Mix:
    """Counts of the newest days."""

    margins: dict[str, dict[str, int]]
    effect: float
    """Lines that count as one independent line."""
    window: Filter


def filter_from(body: Mapping[str, Any]) -> Filter:
    """Return which lines a sampling was drawn from."""
    held = body.get("filter") or {}
    return Filter(**{name: held.get(name) for name in Filter.__dataclass_fields__})


def newest_days(workspace: Workspace, body: Mapping[str, Any], *, days: int) -> Filter:
    """Return the filter of the last `days` days before the newest line of a sampling's kind."""
    chosen = replace(filter_from(body), since=None, until=None)
    last = max((facts.ts for facts in workspace.interactions.facts(chosen) if facts.ts), default="")
    if not last:
        return chosen
    start = datetime.fromisoformat(last) - timedelta(days=days)
    since = start.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return replace(chosen, since=since)


def mix_of(workspace: Workspace, body: Mapping[str, Any], window: Filter) -> Mix:
    """Count the lines of a window by the fields (and clusters) of a sampling."""
    fields = tuple(body["margins"])
    counts: dict[str, Counter[str]] = {name: Counter() for name in fields}
    sizes: Counter[str] = Counter()
    single = 0
    for facts, home in _placed(workspace, body, window):
        found = strata.values_of(facts, fields, cluster=home)
        for name, value in zip(fields, found, strict=True):
            counts[name][value] += 1
        if facts.conversation is None:
            single += 1
        else:
            sizes[facts.conversation] += 1
    return Mix(
        margins={name: dict(sorted(held.items())) for name, held in counts.items()},
        effect=lines_per_conversation(sizes, single),
        window=window,
    )


def _placed(
    workspace: Workspace, body: Mapping[str, Any], window: Filter
) -> Iterator[tuple[LogFacts, int | None]]:
    """Yield the lines that ask something, with their cluster where the sampling has clusters."""
    clusters = strata.clusters_of(body)
    if clusters is None:
        yield from ((facts, None) for facts in workspace.interactions.facts(window) if facts.length)
        return
    stream = iter(workspace.interactions.bodies(window))
    while chunk := list(islice(stream, _CHUNK)):
        texts = [question_of(held) for _, held in chunk]
        homes = clusters.assign(texts).tolist()
        for (facts, _), text, home in zip(chunk, texts, homes, strict=True):
            if text.strip():
                yield facts, home


def coverage_of(
    workspace: Workspace, body: Mapping[str, Any], *, days: int
) -> tuple[Coverage, Mix]:
    """Compare the newest days with what a set was drawn from."""
    mix = mix_of(workspace, body, newest_days(workspace, body, days=days))
    return compare_mix(body["margins"], mix.margins, effect=mix.effect), mix
