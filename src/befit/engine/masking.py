"""Keys do not enter the store: known secret values are masked in everything that is kept.

A provider may repeat the key it was sent, in an error, a header, a model's name or the answer
itself, and somebody may have written `${KEY}` where a prompt goes. Everything of a trial is
looked through before it is scored, so that scores, spans and explanations are of the masked
text, too. What is masked is known by its value; a key nobody told befit of is not found.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar
from weakref import WeakValueDictionary

from pydantic import BaseModel
from pydantic_core import PydanticSerializationError, to_json

from befit.core.candidate import Candidate
from befit.core.failure import Failure
from befit.core.protocols import Target
from befit.core.secret_text import MASK, secrets_in
from befit.core.trial import Trial

SHORTEST = 8
"""Characters below which a value is more likely a word of the answer than a key."""
_PLACEHOLDERS = frozenset(
    {"not-needed", "not-required", "lm-studio", "sk-no-key-required", "no-key-required"}
)
"""What is given as a key where none is needed; it stands in honest answers."""

T = TypeVar("T")
_R = TypeVar("_R", bound=BaseModel)


class Masking:
    """Takes some secret values out of whatever is handed to it.

    Args:
        secrets: the values; those under 8 characters and known placeholders hide nothing.
    """

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        known = {s for s in secrets if len(s) >= SHORTEST and s.lower() not in _PLACEHOLDERS}
        self._secrets = tuple(sorted(known, key=len, reverse=True))
        self._written = tuple(to_json(secret).decode()[1:-1] for secret in self._secrets)
        """The same as they stand in JSON."""
        self._clean: WeakValueDictionary[int, BaseModel] = WeakValueDictionary()
        """Records without a secret, as long as somebody holds them: a sample comes by here once
        when it is stored and once with each of its trials."""
        self.found: dict[str, int] = {}
        """Candidate -> trials in which a secret was found."""

    @classmethod
    def of(
        cls, candidates: Iterable[Candidate], targets: Mapping[str, Target] | None = None
    ) -> Masking:
        """Return the masking of the keys that candidates have, and that their targets use."""
        keys: list[str] = []
        for candidate in candidates:
            if candidate.api_key is not None:
                keys.append(candidate.api_key.get_secret_value())
            keys += secrets_in(candidate.options)
        for target in (targets or {}).values():
            keys += getattr(target, "secrets", ())
        return cls(keys)

    def text(self, text: str) -> str:
        """Return `text` with the secrets masked."""
        for secret in self._secrets:
            if secret in text:
                text = text.replace(secret, MASK)
        return text

    def trial(self, trial: Trial, *, candidate: str = "") -> Trial:
        """Return the trial with every text masked; the very same where there is nothing."""
        if not self._secrets or not self._in(_texts(trial)):
            return trial
        self.found[candidate] = self.found.get(candidate, 0) + 1
        return replace(
            trial,
            transcript=self.deep(trial.transcript),
            completions=self.deep(trial.completions),
            failure=self.deep(trial.failure),
            attempts=self.deep(trial.attempts),
            state=self.deep(trial.state),
        )

    def record(self, record: _R) -> _R:
        """Return a record (a sample, a manifest) with every text masked.

        Every sample comes through here, and hardly any holds a key: looking through its JSON
        takes a tenth of the time of walking through it.
        """
        if not self._secrets or self._clean.get(id(record)) is record:
            return record
        try:
            text = record.model_dump_json()
        except PydanticSerializationError:  # lone surrogates, which JSON in UTF-8 cannot hold
            return self.deep(record)
        if not any(secret in text for secret in self._written):
            self._clean[id(record)] = record
            return record
        return self.deep(record)

    def deep(self, value: T) -> T:
        """Return a value with the texts in it masked, whatever holds them."""
        made: Any = self._deep(value)
        return made  # type: ignore[no-any-return]  # of the kind that was given, by construction

    def _deep(self, value: Any) -> Any:
        """Return the very same object where nothing in it is masked."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            pairs = [(self._deep(key), self._deep(item)) for key, item in value.items()]
            same = all(
                key is old and item is before
                for (key, item), (old, before) in zip(pairs, value.items(), strict=True)
            )
            return value if same else dict(pairs)
        if isinstance(value, BaseModel):
            changed = self._changed(value, type(value).model_fields)
            return value.model_copy(update=changed) if changed else value
        if is_dataclass(value) and not isinstance(value, type):
            changed = self._changed(value, [one.name for one in fields(value)])
            return replace(value, **changed) if changed else value
        if isinstance(value, list) or type(value) is tuple:
            items = [self._deep(item) for item in value]
            same = all(new is old for new, old in zip(items, value, strict=True))
            return value if same else type(value)(items)
        return value

    def _changed(self, value: Any, names: Iterable[str]) -> dict[str, Any]:
        pairs = [(name, getattr(value, name)) for name in names]
        made = [(name, old, self._deep(old)) for name, old in pairs]
        return {name: new for name, old, new in made if new is not old}

    def _in(self, texts: Iterator[str | None]) -> bool:
        # In one text, for hardly any holds one; no secret goes over the mark in between.
        whole = "\0".join([text for text in texts if text])
        return any(secret in whole for secret in self._secrets)

    @property
    def warnings(self) -> tuple[str, ...]:
        """One sentence for each candidate whose answers held a key."""
        return tuple(
            f"{name}: a key of this run stood in {count} of its answers, errors or prompts and was "
            f"masked as {MASK}; change the key if somebody else can read them"
            for name, count in self.found.items()
        )


def _texts(trial: Trial) -> Iterator[str | None]:
    """Yield every text of a trial that does not come from befit itself."""
    for completion in trial.completions:
        yield completion.text
        yield completion.reasoning
        yield completion.served_model
        yield completion.system_fingerprint
        yield completion.request_id
        yield completion.finish_reason
        yield from completion.headers.values()
        for call in completion.tool_calls:
            yield call.arguments
            yield call.name
            yield call.id
    for message in trial.transcript:
        yield message.text
    if trial.failure is not None:
        yield from _words(trial.failure)
    for attempt in trial.attempts:
        yield from _words(attempt.failure)
    if trial.state is not None:
        yield str(trial.state)


def _words(failure: Failure) -> tuple[str, str | None]:
    return failure.message, failure.request_id
