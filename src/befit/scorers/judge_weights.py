"""How sure a judge was: the chance of each verdict, from the log probabilities of its token.

Where a judge's endpoint tells them (`logprobs: true` with `top_logprobs` in its
`extra_body`), the verdict's token and those that stood beside it
give a weight to every verdict. The weighted value moves where the verdict does not.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from befit.core.completion import Completion
from befit.core.record import Json

_VERDICT = re.compile(r'"verdict"\s*:\s*"?')
_AROUND = " \t\n\"':,{}"


def chances(reply: Completion, allowed: Sequence[Json]) -> dict[Json, float]:
    """Return the chance of each allowed verdict, summing to 1; {} where nothing tells it."""
    text = "".join(token for token, _, _ in reply.logprobs)
    found = list(_VERDICT.finditer(text))
    if len(found) != 1:
        return {}
    place, start = found[0].end(), 0
    for token, _, beside in reply.logprobs:
        end = start + len(token)
        if place < end:
            # What stands before the verdict in its token ('"' or a space) is not part of it.
            return _by_verdict(beside, allowed) if not token[: place - start].strip(_AROUND) else {}
        start = end
    return {}


def _by_verdict(beside: Sequence[tuple[str, float]], allowed: Sequence[Json]) -> dict[Json, float]:
    masses: dict[Json, float] = {}
    for token, logprob in beside:
        begun = token.strip(_AROUND)
        meant = [one for one in allowed if begun and str(one).startswith(begun)]
        if len(meant) == 1 and logprob <= 0:
            masses[meant[0]] = masses.get(meant[0], 0.0) + math.exp(logprob)
    total = sum(masses.values())
    return {one: mass / total for one, mass in masses.items()} if total > 0 else {}


def weighted(chance: dict[Json, float]) -> float | None:
    """Return the expected value of a verdict, 0..1; a grade g counts as (g - 1) / 4."""
    if not chance:
        return None
    values: dict[Json, float] = {"pass": 1.0, "fail": 0.0}
    known = [
        (values[one] if one in values else (float(one) - 1) / 4, p)
        for one, p in chance.items()
        if one in values or isinstance(one, int)
    ]
    return sum(value * p for value, p in known) if len(known) == len(chance) else None
