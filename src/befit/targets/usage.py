"""Token counts as providers report them, made disjoint so that nothing is billed twice.

Conventions differ (production.md, section 5 of the design): OpenAI-style
`prompt_tokens` include cached, image and audio tokens and `completion_tokens`
include reasoning, but some OpenAI-compatible providers report reasoning or
cached tokens beside them; Anthropic's `input_tokens` exclude cache reads and
writes. `total_tokens`, where given, decides which convention is spoken.

Counts that do not add up, would leave a negative remainder or are absurd give None: an
unknown usage has an unknown cost. It is never guessed and never negative.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from operator import attrgetter

from befit.core.completion import Completion
from befit.core.price import Usage
from befit.core.record import Json


class _Refused(Exception):  # noqa: N818 - never leaves this file; it is a decision, not an error
    """The counts contradict each other."""


def _count(source: Mapping[str, Json], *names: str) -> int:
    """The first of `names` present and not null, as a count; 0 where there is none."""
    for name in names:
        value = source.get(name)
        if value is None:
            continue
        if value.__class__ is int:
            return value
        if isinstance(value, bool) or not isinstance(value, int | float) or value != int(value):
            raise _Refused
        return int(value)
    return 0


def _mapping(source: Mapping[str, Json], name: str) -> Mapping[str, Json]:
    value = source.get(name)
    return value if isinstance(value, dict) else {}


MOST = 100_000_000
"""Tokens: no context is near it, so a larger count of one answer is a fault of the provider."""

_counts = attrgetter(*(field.name for field in fields(Usage)))


def _checked(usage: Usage) -> Usage:
    counts = _counts(usage)
    if min(counts) < 0 or max(counts) > MOST:
        raise _Refused
    return usage


_SUMS = 3
"""Tokens of the prompt, of the completion, and of both."""
_NONE: Mapping[str, Json] = {}


def openai_usage(raw: Json) -> Usage | None:
    """Return the disjoint usage of an OpenAI-style `usage` object, None if unknown.

    Cached tokens are read from `prompt_tokens_details.cached_tokens`, else from
    the top-level spellings of DeepSeek and Moonshot, once only.
    """
    if not isinstance(raw, dict):
        return None
    prompt, completion = raw.get("prompt_tokens"), raw.get("completion_tokens")
    if prompt is None or completion is None:
        return None
    plain = _plain(raw, prompt, completion)
    if plain is not None:
        return plain
    try:
        return _openai(raw)
    except (_Refused, OverflowError, ValueError):
        return None


def _plain(raw: Mapping[str, Json], prompt: Json, completion: Json, /) -> Usage | None:
    """Read at once what nearly every answer has: sums that add up, some cached or reasoning.

    None for everything else, and for counts of which something is odd.
    """
    before = raw.get("prompt_tokens_details") or _NONE
    after = raw.get("completion_tokens_details") or _NONE
    more = (before is not _NONE) + (after is not _NONE)
    if len(raw) != _SUMS + more:
        return None
    total = raw.get("total_tokens")
    read = thought = 0
    if more:
        if not before.__class__ is after.__class__ is dict:
            return None
        read, thought = before.get("cached_tokens", 0), after.get("reasoning_tokens", 0)
        if _others(before, "cached_tokens") or _others(after, "reasoning_tokens"):
            return None
    if (
        prompt.__class__ is completion.__class__ is total.__class__ is int
        and read.__class__ is thought.__class__ is int
        and prompt + completion == total
        and 0 <= read <= prompt
        and 0 <= thought <= completion
        and total <= MOST
    ):
        return Usage(
            uncached_input=prompt - read,
            cache_read=read,
            text_output=completion - thought,
            reasoning_output=thought,
        )
    return None


def _others(details: Mapping[str, Json], known: str) -> bool:
    """Tell whether anything but `known` is there and not plainly 0."""
    if len(details) == (known in details):
        return False
    return any(
        value is not None and (value.__class__ is not int or value)
        for name, value in details.items()
        if name != known
    )


def _openai(raw: Mapping[str, Json]) -> Usage:
    before, after = (
        _mapping(raw, "prompt_tokens_details"),
        _mapping(raw, "completion_tokens_details"),
    )
    prompt, completion = _count(raw, "prompt_tokens"), _count(raw, "completion_tokens")
    read = (
        _count(before, "cached_tokens")
        if before.get("cached_tokens") is not None
        else _count(raw, "prompt_cache_hit_tokens", "cached_tokens", "cache_read_input_tokens")
    )
    write = _count(before, "cache_write_tokens", "cache_creation_tokens") or _count(
        raw, "cache_creation_input_tokens"
    )
    reasoning = (
        _count(after, "reasoning_tokens")
        if after.get("reasoning_tokens") is not None
        else _count(raw, "reasoning_tokens")
    )
    gap = (_count(raw, "total_tokens") or prompt + completion) - prompt - completion
    if gap:
        # Something is reported beside the two sums: find out what, or refuse.
        if gap == reasoning:
            completion += reasoning
        elif gap == read + write:
            prompt += gap
        elif gap > 0 and not (reasoning or read or write):
            # Thinking that is billed and only shows in the total.
            reasoning, completion = gap, completion + gap
        else:
            raise _Refused
    image, sound = _count(before, "image_tokens"), _count(before, "audio_tokens")
    spoken = _count(after, "audio_tokens")
    return _checked(
        Usage(
            uncached_input=prompt - read - write - image - sound,
            cache_read=read,
            cache_write_5m=write,
            image_input=image,
            audio_input=sound,
            text_output=completion - reasoning - spoken,
            reasoning_output=reasoning,
            audio_output=spoken,
        )
    )


def anthropic_usage(raw: Json) -> Usage | None:
    """Return the disjoint usage of an Anthropic `usage` object, None if unknown.

    Cache writes without a split by lifetime count as 5-minute writes, the
    provider's default.
    """
    if not isinstance(raw, dict) or raw.get("input_tokens") is None:
        return None
    if raw.get("output_tokens") is None:
        return None
    try:
        split = _mapping(raw, "cache_creation")
        hour = _count(split, "ephemeral_1h_input_tokens")
        five = _count(split, "ephemeral_5m_input_tokens")
        if raw.get("cache_creation_input_tokens") is not None:
            five = _count(raw, "cache_creation_input_tokens") - hour
        output = _count(raw, "output_tokens")
        thinking = _count(_mapping(raw, "output_tokens_details"), "thinking_tokens")
        return _checked(
            Usage(
                uncached_input=_count(raw, "input_tokens"),
                cache_read=_count(raw, "cache_read_input_tokens"),
                cache_write_5m=five,
                cache_write_1h=hour,
                text_output=output - thinking,
                reasoning_output=thinking,
            )
        )
    except (_Refused, OverflowError, ValueError):
        return None


def believable(usage: Usage | None, *, said: bool) -> Usage | None:
    """Return the usage of an answer; None where it counts nothing for what was there.

    A prompt is at least a token, and so is an answer that said something. A provider that
    reports 0 has not counted, and what it has not counted has not cost 0.
    """
    if usage is None or not usage.input_tokens or (said and not usage.output_tokens):
        return None
    return usage


def hidden_reasoning(completion: Completion) -> bool:
    """Whether reasoning was billed but not shown, so that time per visible token means nothing."""
    usage = completion.usage
    return usage is not None and usage.reasoning_output > 0 and not completion.reasoning
