"""What a study is made from: answers, pairs with a known verdict, names that must not be read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from befit.core.message import Message
from befit.review.records import ScenarioInfo
from befit.review.settings import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """One candidate's answer to one sample, as it stands in a run or in a file.

    `turns` alternate between `user` and `assistant`; `repeats` are further
    answers to the same question.
    """

    scenario: str
    sample: str
    candidate: str
    turns: tuple[Message, ...]
    repeats: tuple[str, ...] = ()
    key_ids: tuple[str, ...] = ()
    fingerprint: str = ""
    marked_turn: int | None = None
    document: str = ""
    """Text the fields are taken from; shown beside a field table."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """A pair whose right verdict is known: for calibration (with why) and as gold."""

    question: str
    left: str
    right: str
    verdict: Verdict
    why: str = ""
    scenario: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """What a study is made from."""

    sources: Sequence[Source]
    identities: Sequence[str]
    """Names, model ids, vendors and addresses of the candidates: what must not be readable."""
    calibration: Sequence[Known] = ()
    gold: Sequence[Known] = ()
    scenarios: Sequence[ScenarioInfo] = ()
    names: Sequence[str] = field(default=())
    """Candidates' names; those of the sources where empty."""
    pairs: Sequence[tuple[Source, Source]] | None = None
    """Exactly these pairs; every two answers to one sample where None."""
    elsewhere: str = ""
    """The file the votes come from, where they were made elsewhere."""
    unmeasured: int = 0
    """Pairs of which a side has no trial that counts."""
