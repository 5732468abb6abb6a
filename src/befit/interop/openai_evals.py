"""Sample files of the openai/evals repository as samples with fitting checks.

Two shapes are known: chat samples (`input` with `ideal`) and error recovery (a
solution with a planted mistake). Chat samples are matched, those where "I do not
know" or "Unsolveable" is among a file's answers are judged for honesty.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from befit.core.message import Message
from befit.core.record import Json
from befit.core.sample import Provenance, Sample, ScorerSpec
from befit.errors import DataError
from befit.interop.json_lines import objects
from befit.scorers.abstaining import stance

_GO_ON = (
    "Is the last step right? Go on from here, mend what is wrong,"
    " and give the final answer in the last line as 'Answer: ...'."
)
_NUMERIC = "multistep_arithmetic"


def read_openai_evals(path: Path | str) -> list[Sample]:
    """Return the samples of a JSONL file, plain or gzipped, in its order.

    Raises:
        DataError: a line of neither shape.
    """
    name = Path(path).name.partition(".")[0]
    rows = [row for _, row in objects(Path(path), what="sample")]
    honest = any(_abstains(row.get("ideal")) for row in rows)
    samples: list[Sample] = []
    for number, row in enumerate(rows):
        sample_id = f"{name}-{number:04d}"
        if "incorrect_step" in row:
            samples.append(_recovery(row, sample_id))
        elif "ideal" in row and "input" in row:
            samples.append(_chat(row, sample_id, honest=honest))
        else:
            raise DataError(
                "a line is neither a chat sample nor error recovery",
                where=f"{Path(path).name}:{number + 1}",
                why=f"it has the keys {', '.join(row)}"[:200],
            )
    return samples


def _chat(row: Mapping[str, Any], sample_id: str, *, honest: bool) -> Sample:
    ideal = row["ideal"]
    accepted = [str(one) for one in ideal] if isinstance(ideal, list) else [str(ideal)]
    accepted = [one for one in accepted if one.strip()]
    target: Json
    if honest and _abstains(accepted):
        # The file's own words for it count as abstaining, besides the usual ones.
        target, check = {"answerable": False}, _honesty()
    elif honest:
        target, check = accepted, _honesty()
    else:
        # Without any answer in the file the sample stays unscored.
        target = accepted or None
        check = ScorerSpec(name="match", options={"mode": "normalised"})
    return Sample(
        id=sample_id,
        input=_messages(row["input"]),
        target=target,
        checks=(check,),
        language="en",
        tags=("openai-evals",),
        provenance=Provenance(source="openai/evals", licence="MIT"),
    )


def _honesty() -> ScorerSpec:
    return ScorerSpec(name="honesty", options={"match": {"mode": "contains"}})


def _abstains(ideal: Json) -> bool:
    texts = ideal if isinstance(ideal, list) else [ideal]
    return bool(texts) and all(
        isinstance(text, str) and stance(text, language="en", alone=False).abstains
        for text in texts
    )


def _recovery(row: Mapping[str, Any], sample_id: str) -> Sample:
    steps: Sequence[str] = [*row["correct_steps"], row["incorrect_step"]]
    how: dict[str, Json] = {"mode": "normalised", "where": "after", "after": "Answer:"}
    if row["task"] == _NUMERIC:
        how["mode"] = "numeric"
    return Sample(
        id=sample_id,
        input=(
            Message(role="user", content=str(row["question"])),
            Message(role="assistant", content="\n".join(steps)),
            Message(role="user", content=_GO_ON),
        ),
        target=row["target"] if row["task"] == _NUMERIC else str(row["target"]),
        checks=(ScorerSpec(name="recovery", options={"seeded": "wrong", "match": how}),),
        language="en",
        tags=("openai-evals", str(row["task"])),
        provenance=Provenance(source="openai/evals", licence="MIT"),
    )


def _messages(given: Json) -> tuple[Message, ...] | str:
    if isinstance(given, str):
        return given
    said = [Message(role=m["role"], content=m["content"]) for m in given]
    if all(message.role == "system" for message in said):
        # Some files put the whole task there; a conversation needs words of the user.
        said[-1] = said[-1].model_copy(update={"role": "user"})
    return tuple(said)
