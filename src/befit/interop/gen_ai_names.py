"""The names of OpenTelemetry's `gen_ai.*` conventions, all four generations, as data.

They were renamed again and again (up to 1.27; 1.28-1.36; 1.37-1.41; the
separate genai repository since), so the reader looks a fact up under every
name it ever had, the newest first.
"""

from __future__ import annotations

from befit.core.message import Role

FACTS: dict[str, tuple[str, ...]] = {
    "provider": ("gen_ai.provider.name", "gen_ai.system"),
    "requested_model": ("gen_ai.request.model",),
    "served_model": ("gen_ai.response.model",),
    "response_id": ("gen_ai.response.id",),
    "conversation_id": ("gen_ai.conversation.id", "session.id"),
    "operation": ("gen_ai.operation.name", "llm.request.type"),
    "finish_reasons": ("gen_ai.response.finish_reasons",),
    "first_chunk": ("gen_ai.response.time_to_first_chunk",),
    "prompt_name": ("gen_ai.prompt.name",),
    "prompt_version": ("gen_ai.prompt.version",),
    "error": ("error.type",),
    "input": ("gen_ai.input.messages",),
    "output": ("gen_ai.output.messages",),
    "instructions": ("gen_ai.system_instructions",),
    "tools": ("gen_ai.tool.definitions", "gen_ai.request.tools"),
}

USAGE: dict[str, str] = {
    "gen_ai.usage.input_tokens": "input",
    "gen_ai.usage.prompt_tokens": "input",
    "gen_ai.usage.output_tokens": "output",
    "gen_ai.usage.completion_tokens": "output",
    "gen_ai.usage.cache_read.input_tokens": "cache_read",
    "gen_ai.usage.cache_read_input_tokens": "cache_read",
    "gen_ai.usage.cache_write.input_tokens": "cache_write",
    "gen_ai.usage.cache_creation.input_tokens": "cache_write",
    "gen_ai.usage.cache_creation_input_tokens": "cache_write",
    "gen_ai.usage.reasoning.output_tokens": "reasoning",
    "gen_ai.usage.image.input_tokens": "image_in",
    "gen_ai.usage.audio.input_tokens": "audio_in",
}

SETTINGS = "gen_ai.request."
"""Before the name of a setting; OpenAI's own stood under another prefix for a while."""
OPENAI_SETTINGS = "gen_ai.openai.request."

MESSAGE_EVENTS: dict[str, Role] = {
    "gen_ai.system.message": "system",
    "gen_ai.user.message": "user",
    "gen_ai.assistant.message": "assistant",
    "gen_ai.tool.message": "tool",
}
CHOICE_EVENT = "gen_ai.choice"
DETAILS_EVENT = "gen_ai.client.inference.operation.details"
CONTENT_EVENTS = {"gen_ai.content.prompt": "gen_ai.prompt",
                  "gen_ai.content.completion": "gen_ai.completion"}  # fmt: skip
EVALUATION_EVENT = "gen_ai.evaluation.result"

CHATS = frozenset({"chat", "text_completion", "generate_content", "completion", ""})
"""Operations that are one exchange with a model; tools, agents and embeddings are not."""

KNOWN_PREFIXES = (
    "gen_ai.prompt.",
    "gen_ai.completion.",
    "gen_ai.request.",
    "gen_ai.openai.",
    "openai.",
    "gen_ai.usage.",
    "gen_ai.tool.",
    "gen_ai.agent.",
    "gen_ai.evaluation.",
    "gen_ai.output.type",
    "gen_ai.token.type",
    "gen_ai.conversation.",
    "gen_ai.data_source.",
    "gen_ai.embeddings.",
    "gen_ai.prompt",
    "gen_ai.completion",
)
