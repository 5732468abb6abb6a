"""What a fallback really takes: the primary's parameters one by one, and its half-finished talks.

A gateway that fails over sends the primary's request with another model's
name. So each probe builds just that: the fallback's address and model with the
primary's prompt, parameters and history. A refusal names the part that was
refused, found by leaving the others out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from befit.core.candidate import Candidate, Sampling
from befit.core.completion import Completion, Request
from befit.core.failure import Failure
from befit.core.message import ImagePart, Message, TextPart, Tool, ToolCall
from befit.core.protocols import Target
from befit.core.record import Json
from befit.errors import TargetError
from befit.plugins import load

Outcome = Literal["accepted", "refused", "ignored", "unreachable"]
ASK = "Answer with the single word: ready"
FILLER = "word "
PIXEL = (
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUB"
    "AScY42YAAAAASUVORK5CYII="
)
TOOLS = (
    Tool(
        name="get_weather",
        description="Weather of a city",
        parameters={
            "type": "object",
            "properties": {"city": {"type": "string"}},
            "required": ["city"],
        },
    ),
)
TOOL_PROBES = (
    "tools",
    "parallel tool calls",
    "tool results of the primary's calls",
    "a longer talk with tool calls",
)
"""Names of the probes that matter only where tools are used."""
BOTH = (
    "Call get_weather for Paris and for Rome, both at once. "
    '[[tool:get_weather {"city": "Paris"}]][[tool:get_weather {"city": "Rome"}]]'
)
SCHEMA: dict[str, Json] = {
    "type": "object",
    "properties": {"ready": {"type": "boolean"}},
    "required": ["ready"],
    "additionalProperties": False,
}
FOREIGN_SIGNATURE = "c2lnbmVkLWJ5LWFub3RoZXItcHJvdmlkZXI="


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """One question to a fallback: what is probed, and the request that asks it."""

    what: str
    request: Request
    extra: Mapping[str, Json] = field(default_factory=dict)
    """Body fields, as the primary's configuration has them."""
    least_calls: int = 0
    """Tool calls that the answer must hold."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Probed:
    """What came of a probe."""

    what: str
    outcome: Outcome
    text: str = ""
    failure: Failure | None = None
    completion: Completion | None = None


def stand_in(fallback: Candidate, *, extra: Mapping[str, Json]) -> Candidate:
    """Return the fallback's endpoint, asked with the primary's own body fields."""
    options = dict(fallback.options)
    if extra:
        options["extra_body"] = {**options.get("extra_body", {}), **extra}
    return fallback.model_copy(update={"options": options})


def parameter_probes(
    primary: Candidate, *, longest: int | None = None, tools: tuple[Tool, ...] = (), seed: int = 7
) -> tuple[Probe, ...]:
    """Return a probe for every parameter that the primary's requests can carry.

    Args:
        primary: whose parameters.
        longest: tokens of the longest request, if known; probed by filler.
        tools: those of the scenarios; a small one of our own stands in.
        seed: any number, to see whether seeds are taken.
    """
    sampling = primary.sampling
    plain = Request(
        messages=(Message(role="user", content=ASK),),
        stream=primary.stream,
        timeouts=primary.timeouts,
        sampling=Sampling(max_tokens=64),
    )

    def with_(**fields: Json) -> Request:
        return replace(plain, sampling=Sampling(max_tokens=64, **fields))

    offered = tools or TOOLS
    probes = [
        Probe(what="a plain request", request=plain),
        Probe(what="system message", request=_system(plain)),
        Probe(what="temperature", request=with_(temperature=sampling.temperature or 0.0)),
        Probe(what="top_p", request=with_(top_p=sampling.top_p or 0.9)),
        Probe(what="stop", request=with_(stop=sampling.stop or ("\n\n\n",))),
        Probe(what="seed", request=replace(plain, seed=seed)),
        Probe(what="tools", request=replace(plain, tools=offered)),
        Probe(
            what="parallel tool calls",
            request=replace(
                plain,
                tools=TOOLS,
                messages=(Message(role="user", content=BOTH),),
                sampling=Sampling(max_tokens=256),
            ),
            extra={"parallel_tool_calls": True} if primary.target == "openai" else {},
            least_calls=2,
        ),
        Probe(what="response schema", request=replace(plain, response_schema=SCHEMA)),
        Probe(what="images", request=_image(plain)),
    ]
    if sampling.max_tokens is not None:
        asked = Sampling(max_tokens=sampling.max_tokens)
        probes.append(Probe(what="max_tokens", request=replace(plain, sampling=asked)))
    if sampling.reasoning_effort is not None:
        request = with_(reasoning_effort=sampling.reasoning_effort)
        probes.append(Probe(what="reasoning_effort", request=request))
    extra = primary.options.get("extra_body")
    for key, value in (extra if isinstance(extra, dict) else {}).items():
        probes.append(Probe(what=key, request=plain, extra={key: value}))
    if longest:
        filled = Message(role="user", content=FILLER * longest + ASK)
        probes.append(Probe(what="context window", request=replace(plain, messages=(filled,))))
    return tuple(probes)


def _system(plain: Request) -> Request:
    return replace(
        plain, messages=(Message(role="system", content="You are brief."), *plain.messages)
    )


def _image(plain: Request) -> Request:
    parts = (TextPart(text=ASK), ImagePart(url=PIXEL))
    return replace(plain, messages=(Message(role="user", content=parts),))


def handover_probes(
    primary: Candidate, fallback: Candidate, calls: tuple[ToolCall, ...] = ()
) -> tuple[Probe, ...]:
    """Return talks that the primary began and the fallback has to finish.

    Args:
        primary: who began them.
        fallback: whose dialect the history is written in.
        calls: tool calls that the primary really made (its ids matter); one is made up
            in its provider's form where it made none.
    """
    made = calls or (_made_up(primary),)
    answered = Request(
        messages=(
            Message(role="user", content="What is the weather in Paris?"),
            Message(role="assistant", tool_calls=made),
            *(Message(role="tool", content='{"c": 21}', tool_call_id=call.id) for call in made),
        ),
        tools=TOOLS,
        stream=fallback.stream,
        timeouts=fallback.timeouts,
        sampling=Sampling(max_tokens=64),
    )
    several = replace(
        answered,
        messages=(
            *answered.messages,
            Message(role="assistant", content="It is 21 degrees."),
            Message(role="user", content=ASK),
        ),
    )
    plain = replace(answered, messages=several.messages[-1:], tools=())
    return (
        Probe(what="tool results of the primary's calls", request=answered),
        Probe(what="a longer talk with tool calls", request=several),
        Probe(
            what="signed reasoning of the primary",
            request=plain,
            extra={"messages": _signed_history(fallback)},
        ),
    )


def _made_up(primary: Candidate) -> ToolCall:
    form = "toolu_01" if primary.target == "anthropic" else "call_"
    return ToolCall(
        id=f"{form}A9xWq3vTz7LmK2pR8sYd4NfH", name="get_weather", arguments='{"city": "Paris"}'
    )


def _signed_history(fallback: Candidate) -> list[Json]:
    """A talk whose answer carries reasoning that another provider has signed."""
    thought = {"type": "thinking", "thinking": "Short.", "signature": FOREIGN_SIGNATURE}
    if fallback.target == "anthropic":
        said: dict[str, Json] = {
            "role": "assistant",
            "content": [thought, {"type": "text", "text": "yes"}],
        }
    else:
        said = {"role": "assistant", "content": "yes", "thinking_blocks": [thought]}
    return [
        {"role": "user", "content": "Are you there?"},
        said,
        {"role": "user", "content": ASK},
    ]


async def ask_all(fallback: Candidate, probes: Iterable[Probe]) -> tuple[Probed, ...]:
    """Ask every probe, one after the other; an unreachable endpoint ends the questions."""
    found: list[Probed] = []
    for probe in probes:
        target: Target = load("befit.targets", fallback.target)(
            stand_in(fallback, extra=probe.extra)
        )
        try:
            found.append(await _ask(target, probe))
        finally:
            await target.aclose()
        if found[0].outcome != "accepted":
            break
    return tuple(found)


async def _ask(target: Target, probe: Probe) -> Probed:
    try:
        answer = await target.generate(probe.request)
    except TargetError as error:
        failure = error.failure
        if failure.kind == "empty":
            return Probed(what=probe.what, outcome="accepted", completion=error.partial)
        refused = failure.blame == "configuration" or failure.kind == "context_length"
        return Probed(
            what=probe.what,
            outcome="refused" if refused else "unreachable",
            text=f"{failure.kind}: {failure.message}",
            failure=failure,
        )
    if len(answer.tool_calls) < probe.least_calls:
        return Probed(
            what=probe.what,
            outcome="ignored",
            text=f"{len(answer.tool_calls)} tool calls where {probe.least_calls} were asked for",
            completion=answer,
        )
    return Probed(what=probe.what, outcome="accepted", completion=answer)
