"""`befit fallback`: edges and what stands on them; a gateway graded fault by fault."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from befit.analysis.load_result import as_json
from befit.charts.numbers import estimate_text
from befit.charts.text import plain
from befit.cli import shell as codes
from befit.cli.common import open_workspace, read_project
from befit.cli.interrupts import ended_by_term
from befit.cli.price_lists import read_lists
from befit.cli.words import duration, show_table
from befit.core.candidate import Candidate, Sampling, Timeouts
from befit.core.completion import Request
from befit.core.message import Message
from befit.engine.fallback_matrix import GatewayRow, grade_gateway
from befit.errors import ModelError, TargetError, UsageError
from befit.pipeline.falling_back import FallbackPlan, check_fallbacks
from befit.pipeline.measured import keep_edges
from befit.report.figures import retention_text
from befit.targets.openai import OpenAITarget

if TYPE_CHECKING:
    from befit.analysis.fallback_edge import Edge
    from befit.cli.shell import Shell

MARKS = {"breaks": "✕", "differs": "!", "unknown": "?"}
SHOWN = 60
"""Characters of what a faulty answer said."""
GRADED = Timeouts(connect=5, first_token=20, idle=20, total=60)


def act(
    shell: Shell,
    project: Path,
    *,
    edges: list[str],
    measure: bool,
    faults: int,
    lists: list[Path],
) -> int:
    """Check the edges; return 3 where something would break.

    Each edge is shown and kept as soon as it has been checked.

    Raises:
        InterruptedRunError: Ctrl-C or SIGTERM; the edge under way is neither shown nor kept.
    """
    loaded = read_project(project, shell, keys_needed=measure or faults > 0)
    plan = FallbackPlan(
        edges=tuple(_edge(edge) for edge in edges),
        measure=measure,
        faults=faults,
        lists=read_lists(lists),
    )
    done: list[Edge] = []
    with open_workspace(project, must_exist=False) as workspace:
        workspace.records.see_writable()

        def seen(edge: Edge) -> None:
            _show(shell, edge, measured=measure)
            keep_edges(workspace, [edge], now=datetime.now(tz=UTC))
            done.append(edge)

        try:
            with ended_by_term():
                found = check_fallbacks(loaded, plan, workspace, seen=seen)
        except KeyboardInterrupt:
            kept = ", ".join(f"{edge.primary}:{edge.fallback}" for edge in done)
            raise codes.InterruptedRunError(
                "interrupted",
                why=f"shown and kept: {kept}" if kept else "no edge was wholly checked",
                do="check the others with --edge PRIMARY:FALLBACK",
            ) from None
    broken = any(edge.breaks for edge in found)
    data = [{**as_json(edge.silent), "breaks": list(edge.breaks)} for edge in found]
    return shell.result(data, code=codes.GATE_FAILED if broken else codes.OK)


def _edge(word: str) -> tuple[str, str]:
    primary, colon, fallback = word.partition(":")
    if not colon or not primary or not fallback:
        raise UsageError(f"'{word}' is no edge", do="--edge primary:fallback")
    return primary, fallback


def _show(shell: Shell, edge: Edge, *, measured: bool) -> None:
    shell.data(f"\n{edge.primary} -> {edge.fallback}")
    for finding in edge.static:
        shell.data(f"  {MARKS[finding.weight]} {finding.text}")
        if finding.do and finding.weight != "unknown":
            shell.data(f"      {finding.do}")
    for probed in edge.probed:
        if probed.outcome != "accepted":
            mark, note = ("!", " (not used here)") if probed.what in edge.unused else ("✕", "")
            shell.data(f"  {mark} {probed.what} {probed.outcome}{note}: {probed.text}")
    if measured and edge.probed and all(p.outcome == "accepted" for p in edge.probed):
        shell.data(f"  ✓ all {len(edge.probed)} parameters and talks were taken")
    for quality in edge.quality:
        place = "all scenarios" if quality.scenario is None else quality.scenario
        shell.data(
            f"  {place}: quality kept: {retention_text(quality.retention)}; "
            f"failures rescued: {estimate_text(quality.rescue, 'percent')}"
        )
        shell.data(f"      {quality.finding}")
    if edge.faults:
        rows = [
            [
                fault.name,
                fault.expected,
                f"{fault.right}/{fault.tries}",
                duration(fault.first_token_p50.value),
                duration(fault.first_token_p95.value),
                estimate_text(fault.cost, "usd"),
            ]
            for fault in edge.faults
        ]
        header = ["fault", "due", "came", "first token p50", "p95", "cost"]
        show_table(shell, header, rows, numeric=(2, 3, 4, 5), least=(4, 5, 3))


def _short(text: str) -> str:
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 1]}…"


async def _reached(target: OpenAITarget, request: Request, *, url: str) -> None:
    try:
        await target.generate(request)
    except TargetError as error:
        if error.failure.kind == "connect":
            raise ModelError(
                "the gateway cannot be reached",
                where=url,
                why=error.failure.message,
                do="start it, or check the address",
            ) from None


def grade(shell: Shell, url: str, *, model: str) -> int:
    """Grade a gateway; return 3 where a fault behind it reaches the caller badly.

    Raises:
        UsageError: the address is none.
        ModelError: nothing answers there, so there is nothing to grade.
    """
    place = urlsplit(url)
    if place.scheme not in {"http", "https"} or not place.hostname:
        raise UsageError(f"'{plain(url)}' is no address", do="http://HOST:PORT/v1")
    shell.say("asking  one call for each fault; a gateway that waits takes a minute for some")

    async def work() -> tuple[GatewayRow, ...]:
        candidate = Candidate(name="gateway", target="openai", model=model, base_url=url)
        target = OpenAITarget(candidate)
        request = Request(
            messages=(Message(role="user", content=""),),
            timeouts=GRADED,
            sampling=Sampling(max_tokens=64),
        )
        try:
            await _reached(target, request, url=url)
            return await grade_gateway(target, request)
        finally:
            await target.aclose()

    rows = asyncio.run(work())
    table = [
        [
            "✓" if row.good else "✕",
            row.case.name,
            row.graded,
            duration(row.first_token),
            duration(row.seconds),
            _short(row.text) if row.graded != "whole" else "",
        ]
        for row in rows
    ]
    header = ["", "fault behind it", "what came", "first token", "end", ""]
    show_table(shell, header, table, numeric=(3, 4), least=(3, 4))
    bad = [row for row in rows if not row.good]
    shell.data(f"{len(rows) - len(bad)} of {len(rows)} faults were handled well")
    return shell.result(as_json(rows), code=codes.GATE_FAILED if bad else codes.OK)
