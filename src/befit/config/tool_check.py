"""Tools and what answers them: names of their own, schemas that can be used, nothing unasked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from befit import plugins
from befit.config.candidates import Placed
from befit.config.problems import Problems
from befit.config.scenarios import PlacedScenario
from befit.core.fingerprint import canonical_json
from befit.core.message import Tool
from befit.core.sample import Sample
from befit.core.world import World
from befit.datasets.files_words import Finding
from befit.errors import BefitError, DataError
from befit.scorers.schema import compile_schema


class ToolChecks:
    """Looks at the tools of one scenario, of its candidates and of its samples."""

    def __init__(self, placed: PlacedScenario, candidates: Sequence[Placed]) -> None:
        self._placed = placed
        self._own = placed.scenario.spec.tools
        self._shared = {
            tool.name
            for tool in (*self._own, *(t for one in candidates for t in one.candidate.tools))
        }
        self._of_samples: set[str] = set()
        self._schemas: dict[str, str] = {}

    def visit(self, sample: Sample, where: str) -> Iterator[BefitError]:
        """Yield what is wrong with the tools and the world of a sample."""
        if sample.tools:
            self._of_samples.update(tool.name for tool in sample.tools)
            for found in self._findings(sample.tools, ("tools",)):
                yield _error(found, where)
        if sample.world is not None:
            offered = self._shared | {tool.name for tool in sample.tools}
            for found in _unoffered(sample.world, offered, ("world",)):
                yield _error(found, where)

    def report(self, problems: Problems) -> None:
        """Report what is wrong with the scenario's own, once all samples were seen."""
        spec, node = self._placed.scenario.spec, self._placed.node
        problems.findings(self._findings(self._own, ("tools",)), node)
        if spec.world is not None:
            offered = self._shared | self._of_samples
            problems.findings(_unoffered(spec.world, offered, ("world",)), node)

    def _findings(self, tools: Sequence[Tool], at: tuple[str, ...]) -> Iterator[Finding]:
        yield from tool_findings(tools, at, known=self._schemas)


def check_candidate_tools(candidates: Iterable[Placed], problems: Problems) -> None:
    """Report what is wrong with the tools that candidates bring along."""
    known: dict[str, str] = {}
    for one in candidates:
        found = tool_findings(one.candidate.tools, ("tools",), known=known)
        problems.findings(found, one.node)


def tool_findings(
    tools: Sequence[Tool], at: tuple[str, ...], *, known: dict[str, str]
) -> Iterator[Finding]:
    """Yield names that occur twice and schemas that are none; `known` keeps what was compiled."""
    first: dict[str, int] = {}
    for i, tool in enumerate(tools):
        if first.setdefault(tool.name, i) != i:
            yield Finding(
                loc=(*at, i, "name"),
                what=f"two tools are called '{tool.name}' (the first is number"
                f" {first[tool.name] + 1})",
                do="give it a name of its own: a model could call only one of them",
            )
        if not tool.parameters:
            continue
        key = canonical_json(tool.parameters)
        if key not in known:
            known[key] = _wrong_schema(tool)
        if known[key]:
            what = f"the parameters of tool '{tool.name}' are {known[key]}"
            do = "write {type: object, properties: {NAME: {type: string}}}"
            yield Finding(loc=(*at, i, "parameters"), what=what, do=do)


def _wrong_schema(tool: Tool) -> str:
    try:
        compile_schema(tool.parameters)
    except ValueError as error:
        return str(error)[:200]
    kind = tool.parameters.get("type", "object")
    return "" if kind in ("object", "dict") else f"of type {kind!r}, not an object"


def _unoffered(world: World, offered: set[str], at: tuple[str, ...]) -> Iterator[Finding]:
    """Yield results and actions for tools that nobody can call."""
    for part in ("results", "actions"):
        for name in getattr(world, part):
            if name not in offered:
                guess = plugins.nearest(name, sorted(offered)).strip()
                do = guess or f"offered: {', '.join(sorted(offered)) or 'none; add tools'}"
                what = f"{part} for the tool '{name}', which is not offered"
                yield Finding(loc=(*at, part, name), what=what, do=do)


def _error(found: Finding, where: str) -> DataError:
    path = ".".join(map(str, found.loc))
    return DataError(found.what, where=f"{where} {path}", do=found.do)
