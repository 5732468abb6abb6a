"""Other tools' load results as ours: the same figures, definitions and page."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from befit.analysis.load import ServiceLevel, analyse_level
from befit.analysis.load_result import LoadResult
from befit.analysis.load_timeline import timeline
from befit.engine.load_run import LevelRun
from befit.errors import DataError
from befit.interop.aiperf import read_aiperf
from befit.interop.guidellm import looks_like_guidellm, read_guidellm
from befit.interop.llmperf import llmperf_level, read_json, read_llmperf


def import_load(files: Sequence[Path], *, promise: ServiceLevel) -> LoadResult:
    """Return the levels of files of guidellm, aiperf or llmperf.

    Raises:
        DataError: a file of none of these.
    """
    runs: list[LevelRun] = []
    sources: list[str] = []
    for path in files:
        source, found = _read(path)
        runs += found
        sources.append(source)
    levels = tuple(analyse_level(run, promise) for run in runs)
    notes = [_note(source) for source in dict.fromkeys(sources)]
    return LoadResult(
        project=files[0].name,
        candidate=files[0].stem,
        fingerprint="",
        scenario="imported",
        endpoint="unknown",
        created_at=datetime.now(tz=UTC).isoformat(timespec="seconds"),
        befit_version=version("befit"),
        promise=promise,
        levels=levels,
        timelines=tuple(None if "llmperf" in sources else timeline(run) for run in runs),
        notes=tuple(note for note in notes if note),
        requests=sum(run.log.n for run in runs),
        source=", ".join(dict.fromkeys(sources)),
    )


def _read(path: Path) -> tuple[str, list[LevelRun]]:
    if path.suffix == ".jsonl":
        return "aiperf", [level.run for level in read_aiperf(path)]
    data = read_json(path)
    if looks_like_guidellm(data):
        return "guidellm", [level.run for level in read_guidellm(path)]
    if isinstance(data, list):
        return "llmperf", [llmperf_level(read_llmperf(path)).run]
    raise DataError(
        "this is no load result that is known",
        where=str(path),
        do="guidellm's JSON report, aiperf's profile_export.jsonl, llmperf's individual file",
    )


def _note(source: str) -> str:
    if source == "llmperf":
        return (
            "llmperf keeps durations but no moments: the calls stand one after the other, so "
            "answers per second, goodput and calls in flight are not to be read."
        )
    return ""
