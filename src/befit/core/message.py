"""Messages, tools and tool calls: what is said to a candidate and what it answers."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from befit.core.record import Json, Record

Role = Literal["system", "user", "assistant", "tool"]


class TextPart(Record):
    """A piece of text inside a message of several parts."""

    type: Literal["text"] = "text"
    text: str


class ImagePart(Record):
    """A picture inside a message, as a `data:` URL (nothing is ever fetched)."""

    type: Literal["image"] = "image"
    url: str = Field(pattern=r"^data:image/[a-z0-9.+-]+;base64,")


Part = Annotated[TextPart | ImagePart, Field(discriminator="type")]


class ToolCall(Record):
    """One call the model asked for; `arguments` is the untouched JSON text it wrote."""

    id: str
    name: str
    arguments: str


class Message(Record):
    """One message of a conversation."""

    role: Role
    content: str | tuple[Part, ...] = ""
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None
    name: str | None = None

    @property
    def text(self) -> str:
        """The text of the message, its text parts joined by line breaks."""
        if isinstance(self.content, str):
            return self.content
        return "\n".join(part.text for part in self.content if isinstance(part, TextPart))


class Tool(Record):
    """A function the model may call; `parameters` is a JSON Schema object."""

    name: str
    description: str = ""
    parameters: dict[str, Json] = Field(default_factory=dict)
