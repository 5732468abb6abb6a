"""The fallback stage: every primary -> fallback edge, by its cards and by asking.

What needs no call comes first; `measure` asks the fallback for each parameter
and for the primary's half-finished talks; `faults` plays a failing primary (the
fake provider, in a process of its own) before the real fallback.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import islice, permutations
from socket import socket

import orjson

from befit.analysis.fallback_edge import Edge
from befit.analysis.fallback_figures import FaultFigures, fault_figures
from befit.analysis.fallback_quality import FallbackQuality, fallback_quality
from befit.analysis.fallback_static import Needs, Side, static_check
from befit.analysis.frame import build_frame
from befit.config.load import importable
from befit.config.project import Project
from befit.core.candidate import Candidate, Sampling, Timeouts
from befit.core.completion import Request
from befit.core.message import ImagePart, Message, ToolCall
from befit.core.model_card import ModelCard
from befit.core.scenario import Scenario
from befit.engine.fallback_chain import Member
from befit.engine.fallback_matrix import TOLD, FaultRow, run_matrix
from befit.engine.fallback_probe import (
    TOOL_PROBES,
    Probed,
    ask_all,
    handover_probes,
    parameter_probes,
)
from befit.engine.job import pair
from befit.engine.opening import open_targets
from befit.engine.tokens import input_bound
from befit.errors import TargetError, UsageError
from befit.interop.price_list import PriceList
from befit.pipeline.manifest import priced
from befit.plugins import nearest
from befit.storage.workspace import Workspace

LOOKED_AT = 2_000
"""Samples that are looked at for what they need."""
PLAYED = Timeouts(connect=2.0, first_token=2.0, idle=2.0, total=30.0)
"""Time limits of the failing primary; they set most of the failover time of its stalls."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FallbackPlan:
    """What is to be checked."""

    edges: tuple[tuple[str, str], ...] = ()
    """All ordered pairs where none is given."""
    measure: bool = False
    faults: int = 0
    """Tries of each fault."""
    lists: tuple[PriceList, ...] = field(default=())


def check_fallbacks(
    project: Project,
    plan: FallbackPlan,
    workspace: Workspace | None = None,
    *,
    seen: Callable[[Edge], None] | None = None,
) -> tuple[Edge, ...]:
    """Check the edges of a project.

    Args:
        project: whose candidates.
        plan: which edges, and how far to go.
        workspace: where the newest run with both is read for retention and rescue.
        seen: called with each edge as it ends, so that none is lost when a later one does not.

    Raises:
        UsageError: an unknown candidate, or a project with fewer than two.
    """
    by_name = {candidate.name: candidate for candidate in project.candidates}
    edges = plan.edges or tuple(permutations(by_name, 2))
    if not edges:
        raise UsageError("a fallback needs a second candidate", where=str(project.path))
    for name in (name for edge in edges for name in edge):
        if name not in by_name:
            known = ", ".join(by_name)
            raise UsageError(
                f"no candidate '{name}'", why=f"{nearest(name, list(by_name))}known: {known}"
            )
    for one, other in edges:
        if one == other:
            raise UsageError(f"'{one}' is no fallback of itself", do="--edge PRIMARY:FALLBACK")
    found: list[Edge] = []
    with importable(project.folder):
        for a, b in edges:
            edge = _edge(project, by_name[a], by_name[b], plan=plan, workspace=workspace)
            found.append(edge)
            if seen is not None:
                seen(edge)
    return tuple(found)


def _edge(
    project: Project,
    primary: Candidate,
    fallback: Candidate,
    *,
    plan: FallbackPlan,
    workspace: Workspace | None,
) -> Edge:
    needs = needs_of(project, primary)
    static = static_check(_side(primary, plan.lists), _side(fallback, plan.lists), needs)
    edge = Edge(
        primary=primary.name,
        fallback=fallback.name,
        static=static,
        primary_print=primary.fingerprint,
        fallback_print=fallback.fingerprint,
        created_at=datetime.now(tz=UTC).isoformat(timespec="seconds"),
        unused=_unused(needs),
    )
    if plan.measure:
        edge = replace(edge, probed=asyncio.run(_measure(project, primary, fallback, needs)))
    if plan.faults:
        edge = replace(edge, faults=_play(fallback, plan.faults))
    if workspace is not None:
        run_id, quality = _quality(workspace, primary, fallback)
        edge = replace(edge, run_id=run_id, quality=quality)
    return edge


def _unused(needs: Needs) -> tuple[str, ...]:
    """Return the probes of what the project's traffic does not ask for."""
    probes = (
        (needs.tools, TOOL_PROBES),
        (needs.json_schema, ("response schema",)),
        (needs.vision, ("images",)),
        (needs.system_message, ("system message",)),
    )
    return tuple(name for used, names in probes if not used for name in names)


def _side(candidate: Candidate, lists: Sequence[PriceList]) -> Side:
    card = ModelCard()
    for one in lists:
        provider = None if candidate.base_url else candidate.target
        entries = one.find(candidate.model, provider) or one.find(candidate.model)
        if entries:
            card = card.over(entries[0].card)
    known = priced(candidate, now=datetime.now(tz=UTC))
    return Side(candidate=candidate, card=card, price=known.price)


def needs_of(project: Project, primary: Candidate) -> Needs:
    """Return what the scenarios of a project ask of whoever answers for `primary`."""
    longest = 0
    images = system = False
    tools, schema = bool(primary.tools), primary.response_schema is not None
    for scenario in project.scenarios:
        tools = tools or bool(scenario.spec.tools)
        schema = schema or scenario.spec.response_schema is not None
        for messages in _requests(project, scenario, primary):
            longest = max(longest, input_bound(messages))
            system = system or any(m.role == "system" for m in messages)
            images = images or any(
                isinstance(part, ImagePart)
                for m in messages
                if not isinstance(m.content, str)
                for part in m.content
            )
    return Needs(
        input_tokens=longest or None,
        max_tokens=primary.sampling.max_tokens,
        tools=tools,
        json_schema=schema,
        vision=images,
        system_message=system,
        seed=primary.target == "openai" and bool(primary.options.get("send_seed", True)),
    )


def _requests(
    project: Project, scenario: Scenario, primary: Candidate
) -> Iterator[tuple[Message, ...]]:
    known = priced(primary, now=datetime.now(tz=UTC))
    renderer = pair(known, scenario.spec, project.settings).renderer
    for sample in islice(scenario.samples.load(), LOOKED_AT):
        yield renderer.render(sample)


async def _measure(
    project: Project, primary: Candidate, fallback: Candidate, needs: Needs
) -> tuple[Probed, ...]:
    tools = tuple(tool for scenario in project.scenarios for tool in scenario.spec.tools)
    # The bound counts bytes; a filler word is about five of them and one token.
    longest = None if needs.input_tokens is None else needs.input_tokens // 5
    probes = parameter_probes(primary, longest=longest, tools=(*primary.tools, *tools))
    calls: tuple[ToolCall, ...] = ()
    try:
        async with open_targets([primary]) as targets:
            asked = next(p for p in probes if p.what == "parallel tool calls").request
            calls = (await targets[primary.name].generate(asked)).tool_calls
    except TargetError:
        calls = ()  # the primary makes none: a made-up one in its form stands in
    return await ask_all(fallback, (*probes, *handover_probes(primary, fallback, calls)))


def _play(fallback: Candidate, tries: int) -> tuple[FaultFigures, ...]:
    with _failing_primary() as url, socket() as closed:
        closed.bind(("127.0.0.1", 0))  # bound and not listening: connections are refused
        nobody = f"http://127.0.0.1:{closed.getsockname()[1]}/v1"
        rows = asyncio.run(_matrix(url, nobody, fallback, tries))
    return tuple(fault_figures(row, primary="primary") for row in rows)


async def _matrix(url: str, nobody: str, fallback: Candidate, tries: int) -> tuple[FaultRow, ...]:
    played = {
        name: Candidate(name=name, target="openai", model="primary", base_url=base)
        for name, base in (("primary", url), ("nobody", nobody))
    }
    real = priced(fallback, now=datetime.now(tz=UTC))
    request = Request(
        messages=(Message(role="user", content=f"Say just this: {TOLD}"),),
        sampling=Sampling(max_tokens=64),
        timeouts=PLAYED,
        stream=True,
    )
    asked = replace(request, timeouts=fallback.timeouts, stream=fallback.stream)
    async with open_targets([*played.values(), fallback]) as targets:
        return await run_matrix(
            Member(name="primary", target=targets["primary"], request=request),
            Member(name="primary", target=targets["nobody"], request=request),
            Member(
                name=fallback.name,
                target=targets[fallback.name],
                request=asked,
                price=real.price,
            ),
            repeats=tries,
        )


def _quality(
    workspace: Workspace, primary: Candidate, fallback: Candidate
) -> tuple[str, tuple[FallbackQuality, ...]]:
    """Return retention and rescue with the newest run that holds both; () where none does."""
    wanted = {primary.fingerprint, fallback.fingerprint}
    for manifest, status in workspace.runs():
        names = {c.fingerprint: c.candidate.name for c in manifest.candidates}
        if status == "running" or not wanted <= set(names):
            continue
        frame = build_frame(manifest, workspace.facts(manifest.id), ())
        first, second = names[primary.fingerprint], names[fallback.fingerprint]
        return manifest.id, fallback_quality(frame, first, second)
    return "", ()


@contextmanager
def _failing_primary() -> Iterator[str]:
    """Run the fake provider in a process of its own; yield its base URL."""
    command = [sys.executable, "-m", "befit.testing", "--script", '{"retry_after": 0.05}']
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603 - this interpreter, this package
        try:
            line = process.stdout.readline() if process.stdout else ""
            yield str(orjson.loads(line)["base_url"])
        finally:
            process.kill()
