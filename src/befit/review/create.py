"""Makes a study: pairs out of answers, identities sealed, texts masked and made even.

Whatever comes out of here for the desk bears random names only. The mapping
from these to candidates and trials exists once, encrypted, and is committed to.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from befit.core.record import Json
from befit.errors import UsageError
from befit.review.making import Maker
from befit.review.masking import Lexicon
from befit.review.masking_names import too_short
from befit.review.material import Known, Material, Source
from befit.review.records import Commitment, Held, Item, ScenarioInfo, Sealed, Study
from befit.review.seal import keep_key, new_key, seal
from befit.review.settings import Settings
from befit.storage.reviews import Part, Reviews

MOST_PAIRS = 20_000
"""Pairs in a pool; with more a random part is taken."""
BOTH_EMPTY, UNMEASURED = "neither side answered", "a side was not measured"
TOO_MANY = f"more than {MOST_PAIRS} pairs, of which chance took its part"


@dataclass(frozen=True, slots=True, kw_only=True)
class Created:
    """A new study, and the key to its mapping (kept in a file where there is a folder)."""

    study: Study
    key: bytes
    key_file: str
    places: Mapping[str, tuple[Source, Source | None]]
    """Item -> who is x and y; told to whoever makes a study, stored nowhere."""
    cautions: tuple[str, ...] = ()
    """What of the candidates may still be read, and only a person can see to."""


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
    maker = Maker(settings, lexicon, names)
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
        study=study,
        key=key,
        key_file="" if path is None else str(path),
        places=maker.places,
        cautions=tuple(_cautions(maker, names)),
    )


def _cautions(maker: Maker, names: Sequence[str]) -> Iterator[str]:
    """Yield what befit cannot hide."""
    short = too_short(names)
    if short:
        yield (
            f"too short to be hidden in answers: {', '.join(short)}; look whether answers name"
            " themselves so, or give the candidates longer names"
        )
    drawn = sum(bool(one.url.partition(",")[2]) for one in maker.pictures.values())
    if drawn:
        yield (
            f"pictures reviewers will see: {drawn}; their metadata is gone, but a name drawn in"
            " one cannot be hidden, so look at them before the study opens"
        )
    unsafe = len(maker.pictures) - drawn
    if unsafe:
        yield f"pictures left out as too large, damaged, or neither PNG nor JPEG: {unsafe}"


def _study(
    maker: Maker, material: Material, commitment: Commitment, *, origin: tuple[str, str, str]
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


def _why_nothing(maker: Maker) -> str:
    told = {"an answer tells who it is": maker.excluded, **maker.left_out}
    parts = [f"{n} pair{'' if n == 1 else 's'} fell away: {why}" for why, n in told.items() if n]
    return "; ".join(parts) or "no two candidates answered the same sample"


def _empty(source: Source) -> bool:
    """Whether a candidate said nothing: shown as "(no answer)", and it can lose."""
    said = [message for message in source.turns if message.role == "assistant"]
    return not any(message.text.strip() for message in said) and not any(
        text.strip() for text in source.repeats
    )


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


def _fill(maker: Maker, settings: Settings, material: Material) -> None:
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


def _attention(maker: Maker, sources: Sequence[Source]) -> None:
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
