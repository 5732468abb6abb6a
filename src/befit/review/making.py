"""Collects the answers and items of a new study under random names: masked, made even, redrawn."""

from __future__ import annotations

import base64
import binascii
import secrets
from collections.abc import Mapping, Sequence
from random import Random

from befit.core.message import ImagePart, Message, TextPart
from befit.review.masking import Lexicon
from befit.review.material import Known, Source
from befit.review.pictures import redrawn
from befit.review.records import Held, Item, SealedAnswer
from befit.review.settings import Settings
from befit.review.style import counts, even

_NAME = 8


def _name() -> str:
    return secrets.token_hex(_NAME)


class Maker:
    """Collects answers and items under random names."""

    def __init__(self, settings: Settings, lexicon: Lexicon, names: Sequence[str]) -> None:
        self.settings = settings
        self.lexicon = lexicon
        self.answers: dict[str, Held] = {}
        self.items: dict[str, list[Item]] = {
            "work": [], "calibration": [], "gold": [], "attention": []
        }  # fmt: skip
        self.sealed: dict[str, SealedAnswer] = {}
        self.codes = {name: secrets.token_hex(4) for name in names}
        self.samples: dict[str, str] = {}
        self.pictures: dict[str, ImagePart] = {}
        """As they came -> as they are kept."""
        self.excluded = 0
        self.left_out: dict[str, int] = {}
        self.places: dict[str, tuple[Source, Source | None]] = {}
        self.random = Random(settings.seed)  # noqa: S311 - a choice that can be repeated, no secret

    def answer(self, source: Source) -> str:
        """Add an answer and return its name."""
        name, held = _name(), self.held(source.turns, source.repeats)
        self.answers[name] = held
        self.sealed[name] = SealedAnswer(
            candidate=source.candidate, fingerprint=source.fingerprint, key_ids=source.key_ids
        )
        return name

    def held(self, turns: Sequence[Message], repeats: Sequence[str] = ()) -> Held:
        """Return an answer as it is shown."""
        told: dict[str, None] = {}
        raw = next((m.text for m in reversed(turns) if m.role == "assistant"), "")
        asked = turns[0].text if turns and turns[0].role == "user" else ""

        def shown(text: str) -> str:
            masked, kinds = self.lexicon.mask(text, asked=asked)
            told.update(dict.fromkeys(kinds))
            return even(masked if self.settings.masking == "mask" else text,
                        style=self.settings.style)  # fmt: skip

        def said(message: Message, *, later: bool) -> Message:
            text = message.text
            if message.role == "assistant":
                text = shown(text)
            elif later and self.settings.masking == "mask":
                # what a user says after an answer may quote it
                text = self.lexicon.mask(text, asked=asked)[0]
            role = "assistant" if message.role == "assistant" else "user"
            return Message(role=role, content=self.parts(text, message))

        made = tuple(said(message, later=place > 0) for place, message in enumerate(turns))
        return Held(
            turns=made, repeats=tuple(shown(text) for text in repeats), told=tuple(told),
            style=counts(raw),
        )  # fmt: skip

    def parts(self, text: str, message: Message) -> str | tuple[TextPart | ImagePart, ...]:
        """Return a message's text with its pictures, these without what they carry besides."""
        if isinstance(message.content, str):
            return text
        pictures = [self.picture(one) for one in message.content if isinstance(one, ImagePart)]
        return (TextPart(text=text), *pictures) if pictures else text

    def picture(self, part: ImagePart) -> ImagePart:
        """Return a picture as it is kept; one that cannot be shown safely has no bytes."""
        known = self.pictures.get(part.url)
        if known is None:
            kind, _, body = part.url.removeprefix("data:").partition(";base64,")
            made = redrawn(_decoded(body), kind=kind)
            told = "" if made is None else base64.b64encode(made).decode()
            known = self.pictures[part.url] = ImagePart(url=f"data:{kind};base64,{told}")
        return known

    def sample(self, scenario: str, sample: str) -> str:
        """Return the random name of a sample."""
        return self.samples.setdefault(f"{scenario}\x1f{sample}", _name())

    def item(self, one: Source, two: Source | None, names: Mapping[int, str]) -> None:
        """Add an item of work; in a pair, chance says who is x."""
        pair = [one] if two is None else [one, two]
        self.random.shuffle(pair)
        ids = [names[id(source)] for source in pair]
        if self.settings.masking == "exclude" and any(self.answers[name].told for name in ids):
            self.excluded += 1
            return
        item = _name()
        self.places[item] = (pair[0], pair[1] if len(pair) > 1 else None)
        self.items["work"].append(
            Item(
                id=item,
                scenario=one.scenario,
                sample=self.sample(one.scenario, one.sample),
                x=ids[0],
                y=ids[1] if len(ids) > 1 else "",
                cell="|".join(self.codes[source.candidate] for source in pair),
                marked_turn=one.marked_turn,
                source=one.document or None,
            )
        )

    def known(self, kind: str, known: Known) -> None:
        """Add a calibration, gold or attention item."""
        ids = []
        for text in (known.left, known.right):
            name = _name()
            turns = (
                Message(role="user", content=known.question),
                Message(role="assistant", content=text),
            )
            self.answers[name] = self.held(turns)
            ids.append(name)
        self.items[kind].append(
            Item(
                id=_name(),
                scenario=known.scenario,
                sample=_name(),
                x=ids[0],
                y=ids[1],
                expected=known.verdict,
                why=known.why if kind == "calibration" else "",
            )
        )


def _decoded(body: str) -> bytes:
    try:
        return base64.b64decode(body, validate=True)
    except (ValueError, binascii.Error):
        return b""
