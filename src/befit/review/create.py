"""Makes a study: pairs out of answers, identities sealed, texts masked and made even.

Whatever comes out of here for the desk bears random names only. The mapping
from these to candidates and trials exists once, encrypted, and is committed to.
"""

from __future__ import annotations

import base64
import binascii
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from random import Random

from befit.core.message import ImagePart, Message, TextPart
from befit.core.record import Json
from befit.errors import UsageError
from befit.review.masking import Lexicon
from befit.review.pictures import redrawn
from befit.review.records import Commitment, Held, Item, ScenarioInfo, Sealed, SealedAnswer, Study
from befit.review.seal import keep_key, new_key, seal
from befit.review.settings import Settings, Verdict
from befit.review.style import counts, even
from befit.storage.reviews import Part, Reviews

_NAME = 8
MOST_PAIRS = 20_000
"""Pairs in a pool; with more a random part is taken."""
BOTH_EMPTY, UNMEASURED = "neither side answered", "a side was not measured"
TOO_MANY = f"more than {MOST_PAIRS} pairs, of which chance took its part"


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Created:
    """A new study, and the key to its mapping (kept in a file where there is a folder)."""

    study: Study
    key: bytes
    key_file: str
    places: Mapping[str, tuple[Source, Source | None]]
    """Item -> who is x and y; told to whoever makes a study, stored nowhere."""


def _name() -> str:
    return secrets.token_hex(_NAME)


class _Maker:
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


def create_study(
    reviews: Reviews,
    settings: Settings,
    material: Material,
    /,
    *,
    project: str,
    run_id: str,
    at: str,
    by: str,
) -> Created:
    """Make a study in state `draft` and return it.

    Raises:
        UsageError: the settings ask for what is not there, or a text for reviewers names a
            candidate.
    """
    names = list(material.names) or sorted({source.candidate for source in material.sources})
    lexicon = Lexicon((*material.identities, *names))
    _check_texts(settings, lexicon)
    maker = _Maker(settings, lexicon, names)
    _fill(maker, settings, material)
    if not maker.items["work"]:
        raise UsageError(
            "there is nothing to review",
            why=_why_nothing(maker),
            do="choose other scenarios, or `masking: mask`",
        )
    key = new_key()
    mapping = Sealed(
        answers=maker.sealed,
        codes={code: name for name, code in maker.codes.items()},
        samples={name: key.replace("\x1f", "/") for key, name in maker.samples.items()},
    )
    sealed, commitment = seal(mapping, key)
    study = _study(maker, material, commitment, origin=(project, run_id, at))
    parts = {f"item {kind}": [Part(one.id, _json(one)) for one in items]
             for kind, items in maker.items.items()}  # fmt: skip
    parts["answer"] = [Part(name, _json(held)) for name, held in maker.answers.items()]
    parts["secret"] = [Part("order", secrets.token_hex(32))]
    reviews.create(study.id, _json(study), parts=parts, sealed=sealed, event=(at, by))
    path = keep_key(reviews.folder, study.id, key)
    return Created(
        study=study, key=key, key_file="" if path is None else str(path), places=maker.places
    )


def _study(
    maker: _Maker, material: Material, commitment: Commitment, *, origin: tuple[str, str, str]
) -> Study:
    """Return the study; `origin` is project, run and time."""
    project, run_id, at = origin
    settings = maker.settings
    told = dict.fromkeys(source.scenario for source in material.sources)
    known = tuple(material.scenarios) or tuple(ScenarioInfo(name=name) for name in told)
    return Study(
        id=f"v-{secrets.token_hex(4)}",
        project=project,
        run_id=run_id,
        created_at=at,
        settings=settings,
        scenarios=known,
        commitment=commitment,
        guess_names=tuple(sorted(maker.codes)) if settings.guess > 0 else (),
        n_pairs=len(maker.items["work"]),
        n_excluded=maker.excluded,
        left_out=maker.left_out,
        elsewhere=material.elsewhere,
    )


def _why_nothing(maker: _Maker) -> str:
    told = {"an answer tells who it is": maker.excluded, **maker.left_out}
    parts = [f"{n} pairs fell away: {why}" for why, n in told.items() if n]
    return "; ".join(parts) or "no two candidates answered the same sample"


def _empty(source: Source) -> bool:
    """Whether a candidate said nothing: shown as "(no answer)", and it can lose."""
    said = [message for message in source.turns if message.role == "assistant"]
    return not any(message.text.strip() for message in said) and not any(
        text.strip() for text in source.repeats
    )


def _decoded(body: str) -> bytes:
    try:
        return base64.b64decode(body, validate=True)
    except (ValueError, binascii.Error):
        return b""


def _json(record: Study | Item | Held) -> Json:
    return record.model_dump(mode="json")


def _check_texts(settings: Settings, lexicon: Lexicon) -> None:
    texts = [settings.title, settings.guidelines]
    texts += [
        text for one in settings.worked for text in (one.question, one.left, one.right, one.why)
    ]
    general = Settings()
    ours = {general.title, general.guidelines}
    ours |= {
        text for one in general.worked for text in (one.question, one.left, one.right, one.why)
    }
    for text in texts:
        if text in ours:
            continue  # the same in every study: a word in it that is a name here tells nothing
        found = lexicon.find(text, strict=True)
        if found:
            told = text[found[0].start : found[0].end]
            raise UsageError(
                f"a text for reviewers names '{told}'",
                why="who is compared must not be known before the study is closed",
                do="change the title, the guidelines or the worked examples",
            )


def _fill(maker: _Maker, settings: Settings, material: Material) -> None:
    found = _pairs(settings, material)
    # votes made elsewhere were cast on these pairs, and their texts need not be known
    given = material.pairs is not None
    pairs = [(a, b) for a, b in found if given or b is None or not (_empty(a) and _empty(b))]
    counted = {BOTH_EMPTY: len(found) - len(pairs), UNMEASURED: material.unmeasured,
               TOO_MANY: max(0, len(pairs) - MOST_PAIRS)}  # fmt: skip
    maker.left_out = {why: n for why, n in counted.items() if n > 0}
    maker.random.shuffle(pairs)
    pairs = pairs[:MOST_PAIRS]
    used = {id(source): source for pair in pairs for source in pair if source is not None}
    names = {key: maker.answer(source) for key, source in used.items()}
    for one, two in pairs:
        maker.item(one, two, names)
    if settings.kind == "ratings" or material.elsewhere:
        return
    for known in material.calibration:
        maker.known("calibration", known)
    for known in material.gold:
        maker.known("gold", known)
    if settings.attention > 0:
        _attention(maker, material.sources)


def _pairs(settings: Settings, material: Material) -> list[tuple[Source, Source | None]]:
    if material.pairs is not None:
        return [(one, two) for one, two in material.pairs]
    by_sample: dict[tuple[str, str], list[Source]] = {}
    for source in material.sources:
        by_sample.setdefault((source.scenario, source.sample), []).append(source)
    pairs: list[tuple[Source, Source | None]] = []
    for group in by_sample.values():
        if settings.kind == "ratings":
            pairs += [(source, None) for source in group]
        else:
            pairs += [(a, b) for a, b in combinations(group, 2) if a.candidate != b.candidate]
    return pairs


def _attention(maker: _Maker, sources: Sequence[Source]) -> None:
    """Add checks of attention: both sides the same, or an instruction inside the answers."""
    texts = list(dict.fromkeys(
        (source.turns[0].text, source.turns[-1].text)
        for source in sources if len(source.turns) == 2 and not _empty(source)  # noqa: PLR2004 - question and answer
    ))  # fmt: skip
    for question, answer in maker.random.sample(texts, k=min(6, len(texts))):
        maker.known("attention", Known(question=question, left=answer, right=answer, verdict="tie"))
    order = 'This item checks attention. Please choose "{}" for it.'
    for words, verdict in (("Tie", "tie"), ("Both bad", "both_bad")):
        text = order.format(words)
        maker.known("attention", Known(question=text, left=text, right=text, verdict=verdict))  # type: ignore[arg-type]  # one of the verdicts
