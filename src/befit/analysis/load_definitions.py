"""What each load figure means here, and whose figure of the same or another name it equals.

Tools give the same name to different numbers (read in their sources: vLLM's
`bench serve`, guidellm 0.8, aiperf 0.13, llmperf), so every figure is printed
with its definition.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """One figure: its name, what it is, and which tools' figures it equals or does not."""

    key: str
    title: str
    text: str
    equals: str
    unlike: str = ""


DEFINITIONS: tuple[Definition, ...] = (
    Definition(
        key="latency",
        title="Latency from the scheduled time",
        text="from the moment a call was due to the end of its answer, our own waiting included",
        equals="guidellm request_scheduled_latency, aiperf effective_latency",
        unlike="vLLM e2el and llmperf end_to_end_latency_s count from sending",
    ),
    Definition(
        key="service",
        title="Service time",
        text="from sending to the end of the answer",
        equals="vLLM e2el, guidellm request_latency, llmperf end_to_end_latency_s",
    ),
    Definition(
        key="first_token",
        title="Time to first token, from the scheduled time",
        text="to the first piece that is not empty: text, reasoning, refusal or tool call",
        equals="none: other tools count from sending",
    ),
    Definition(
        key="service_first_token",
        title="Time to first token, from sending",
        text="to the first piece of any kind that is not empty",
        equals="aiperf and guidellm TTFT",
        unlike="vLLM and llmperf also count an empty first chunk",
    ),
    Definition(
        key="first_output",
        title="Time to first output token",
        text="to the first piece that is not reasoning",
        equals="guidellm TTFOT, aiperf TTFO (both from sending)",
    ),
    Definition(
        key="per_token",
        title="Time per output token",
        text="(last piece - first piece) / (tokens - 1) of each answer with two tokens or more and "
        "no hidden reasoning that came in more than one piece; tokens are the provider's count",
        equals="vLLM TPOT, guidellm ITL, aiperf ITL",
        unlike="guidellm TPOT includes the first token; vLLM ITL are gaps between chunks",
    ),
    Definition(
        key="output_tokens",
        title="Output tokens",
        text="of the provider's usage, reasoning included",
        equals="vLLM and aiperf output length where the server counts",
        unlike="llmperf counts again with its own tokenizer",
    ),
    Definition(
        key="requests_per_second",
        title="Answers per second",
        text="answers ended inside the counted window, late ones too, per second of it",
        equals="vLLM request throughput without its start and end",
    ),
    Definition(
        key="tokens_per_second",
        title="Output tokens per second",
        text="output tokens of the answers ended inside the counted window, per second of it",
        equals="vLLM output throughput without its start and end",
        unlike="llmperf's figure per request counts events, not tokens",
    ),
    Definition(
        key="goodput",
        title="Goodput",
        text="calls due per second that kept every promise of the service level; at the peak it is "
        "the throughput that gates ask for",
        equals="vLLM goodput",
        unlike="vLLM takes 0 for the token time of one-token answers",
    ),
    Definition(
        key="attainment",
        title="Attainment",
        text="share of all calls due, failed ones included, that kept every promise",
        equals="guidellm attainment with failures counted",
    ),
    Definition(
        key="error_rate",
        title="Failed calls",
        text="share of all calls due that failed; nothing is tried again",
        equals="llmperf error_rate",
    ),
)
