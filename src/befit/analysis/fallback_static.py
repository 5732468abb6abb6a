"""Can a fallback stand in at all? What both models are said to be able to do, edge by edge.

Nothing is called. What a card leaves open is said to be unknown, never taken
for a yes; `befit.engine.fallback_probe` then asks the endpoint itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlsplit

from befit.core.candidate import Candidate
from befit.core.model_card import ModelCard
from befit.core.price import Price

Weight = Literal["breaks", "differs", "unknown"]
DEAR = 3
_NO_CARD = ModelCard()


@dataclass(frozen=True, slots=True, kw_only=True)
class Needs:
    """What the primary's traffic asks of whoever answers it."""

    input_tokens: int | None = None
    """Upper bound of the longest request."""
    max_tokens: int | None = None
    tools: bool = False
    parallel_tools: bool = False
    json_schema: bool = False
    vision: bool = False
    pdf: bool = False
    system_message: bool = False
    seed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class EdgeFinding:
    """One thing that stands, or may stand, between a primary and its fallback."""

    weight: Weight
    what: str
    """Slug: `context_window`, `seed`, `same_provider` ..."""
    text: str
    do: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One end of an edge."""

    candidate: Candidate
    card: ModelCard = _NO_CARD
    price: Price | None = None


_FLAGS: tuple[tuple[str, str], ...] = (
    ("tools", "tools"),
    ("parallel_tools", "several tool calls at a time"),
    ("json_schema", "answers by a JSON schema"),
    ("vision", "images"),
    ("pdf", "PDF files"),
    ("system_message", "a system message"),
)


def static_check(primary: Side, fallback: Side, needs: Needs) -> tuple[EdgeFinding, ...]:
    """Return what the cards say of the edge, the worst first."""
    found = [
        *_window(primary, fallback, needs),
        *_flags(fallback, needs),
        *_parameters(primary, fallback, needs),
        *_reasoning(primary, fallback),
        *_outages(primary, fallback),
        *_prices(primary, fallback),
    ]
    order = ("breaks", "differs", "unknown")
    return tuple(sorted(found, key=lambda finding: order.index(finding.weight)))


def _window(primary: Side, fallback: Side, needs: Needs) -> list[EdgeFinding]:
    name, card = fallback.candidate.name, fallback.card
    found: list[EdgeFinding] = []
    longest = (needs.input_tokens or 0) + (needs.max_tokens or 0)
    window, mine = card.context_window, primary.card.context_window
    if window is None:
        found.append(_unknown("context_window", f"the context window of {name} is not known"))
    elif longest > window:
        found.append(
            EdgeFinding(
                weight="breaks",
                what="context_window",
                text=f"the longest request may need {longest:,} tokens; {name} takes {window:,}",
                do="route long requests elsewhere, or cut them before the fallback",
            )
        )
    elif mine is not None and window < mine:
        found.append(
            EdgeFinding(
                weight="differs",
                what="context_window",
                text=f"{name} takes {window:,} tokens, the primary {mine:,}",
                do="requests that grow past it will fail over into a second failure",
            )
        )
    if card.max_output is not None and (needs.max_tokens or 0) > card.max_output:
        found.append(
            EdgeFinding(
                weight="breaks",
                what="max_output",
                text=f"max_tokens is {needs.max_tokens:,}; {name} gives {card.max_output:,}",
                do="lower max_tokens for the fallback",
            )
        )
    return found


def _flags(fallback: Side, needs: Needs) -> list[EdgeFinding]:
    name = fallback.candidate.name
    found: list[EdgeFinding] = []
    for flag, words in _FLAGS:
        if not getattr(needs, flag):
            continue
        able = getattr(fallback.card, flag)
        if able is None:
            found.append(_unknown(flag, f"nobody says whether {name} takes {words}"))
        elif not able:
            found.append(EdgeFinding(weight="breaks", what=flag, text=f"{name} takes no {words}"))
    return found


def _parameters(primary: Side, fallback: Side, needs: Needs) -> list[EdgeFinding]:
    sampling, name = primary.candidate.sampling, fallback.candidate.name
    asked = {
        "temperature": sampling.temperature is not None,
        "stop": bool(sampling.stop),
        "seed": needs.seed,
    }
    found = [
        EdgeFinding(
            weight="breaks",
            what=key,
            text=f"the primary sends {key}; {name} does not accept it",
            do=f"leave {key} out for the fallback",
        )
        for key, sent in asked.items()
        if sent and getattr(fallback.card, key) is False
    ]
    if needs.seed and fallback.candidate.target == "anthropic":
        found.append(
            EdgeFinding(
                weight="differs",
                what="seed",
                text=f"{name} speaks a dialect without seed: answers cannot be repeated there",
            )
        )
    return found


def _reasoning(primary: Side, fallback: Side) -> list[EdgeFinding]:
    signed = primary.card.signed_reasoning
    if not signed or _owner(primary) == _owner(fallback):
        return []
    return [
        EdgeFinding(
            weight="breaks",
            what="signed_reasoning",
            text=f"reasoning of {primary.candidate.name} is signed by its provider; "
            f"{fallback.candidate.name} refuses or ignores it in the middle of a conversation",
            do="drop reasoning blocks from the history before the fallback",
        )
    ]


def _outages(primary: Side, fallback: Side) -> list[EdgeFinding]:
    if _owner(primary) != _owner(fallback):
        return []
    return [
        EdgeFinding(
            weight="differs",
            what="same_provider",
            text=f"both stand at {_owner(primary)}: one outage takes both",
            do="choose a fallback of another provider",
        )
    ]


def _prices(primary: Side, fallback: Side) -> list[EdgeFinding]:
    if primary.price is None or fallback.price is None:
        missing = primary if primary.price is None else fallback
        return [_unknown("price", f"the price of {missing.candidate.name} is not known")]
    dearest = (
        max(
            (other / mine, side)
            for side, mine, other in (
                ("input", primary.price.input, fallback.price.input),
                ("output", primary.price.output, fallback.price.output),
            )
            if mine > 0
        )
        if primary.price.input > 0 or primary.price.output > 0
        else None
    )
    if dearest is None or dearest[0] < DEAR:
        return []
    return [
        EdgeFinding(
            weight="differs",
            what="price",
            text=f"{dearest[1]} of {fallback.candidate.name} costs {dearest[0]:.1f} times as much",
            do="cap what an outage may cost",
        )
    ]


def _owner(side: Side) -> str:
    if side.card.provider:
        return side.card.provider
    if side.candidate.base_url:
        return urlsplit(side.candidate.base_url).netloc or side.candidate.base_url
    return side.candidate.target


def _unknown(what: str, text: str) -> EdgeFinding:
    return EdgeFinding(weight="unknown", what=what, text=text, do="measure it: fallback check")
