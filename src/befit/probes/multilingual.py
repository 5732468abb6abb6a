"""The same word problem in several languages: one logic, hand-checked wording, paired."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from befit.core.sample import Sample
from befit.errors import UsageError
from befit.plugins import nearest
from befit.probes.pack import ANSWER, NUMBER, Draw, Knob, Pack, check

KNOBS = (
    Knob(
        name="languages",
        default="en zh de fr es ja ar",
        meaning="languages, each a sample of the item",
        harder="",
    ),
    Knob(name="steps", default=3, low=1, high=12, meaning="steps of the problem"),
    Knob(
        name="reply",
        default=0,
        low=0,
        high=1,
        harder="",
        meaning="1: a sentence in that language is asked for too, and its language checked",
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """One language: sentences with {who}, {n} and {each}."""

    names: tuple[str, ...]
    start: str
    gain: str
    loss: str
    boxes: str
    question: str
    how: str
    reply: str
    gap: str = " "


WORDINGS = {
    "en": Wording(
        names=("Mary", "Alice", "Emma"),
        start="{who} has {n} books.",
        gain="She buys {n} more books.",
        loss="She gives {n} books away.",
        boxes="She receives {n} boxes with {each} books in each.",
        question="How many books does {who} have now?",
        how='End with one line: "Answer:" and the number in digits.',
        reply="Before that, explain in one sentence in English how you got there.",
    ),
    "de": Wording(
        names=("Anna", "Greta", "Lena"),
        start="{who} hat {n} Bücher.",
        gain="Sie kauft {n} weitere Bücher.",
        loss="Sie verschenkt {n} Bücher.",
        boxes="Sie bekommt {n} Kisten mit je {each} Büchern.",
        question="Wie viele Bücher hat {who} jetzt?",
        how='Schließe mit einer Zeile: "Answer:" und die Zahl in Ziffern.',
        reply="Erkläre davor in einem Satz auf Deutsch, wie du darauf kommst.",
    ),
    "fr": Wording(
        names=("Marie", "Claire", "Sophie"),
        start="{who} a {n} livres.",
        gain="Elle achète {n} livres de plus.",
        loss="Elle donne {n} livres.",
        boxes="Elle reçoit {n} cartons contenant chacun {each} livres.",
        question="Combien de livres {who} a-t-elle maintenant ?",
        how='Termine par une ligne : "Answer:" et le nombre en chiffres.',
        reply="Avant cela, explique en une phrase en français comment tu as trouvé le résultat.",
    ),
    "es": Wording(
        names=("Ana", "Lucía", "Carmen"),
        start="{who} tiene {n} libros.",
        gain="Compra {n} libros más.",
        loss="Regala {n} libros.",
        boxes="Recibe {n} cajas con {each} libros cada una.",
        question="¿Cuántos libros tiene {who} ahora?",
        how='Termina con una línea: "Answer:" y el número en cifras.',
        reply="Antes, explica en una frase en español cómo has llegado al resultado.",
    ),
    "zh": Wording(
        names=("小丽", "小红", "小芳"),
        start="{who}有{n}本书。",
        gain="她又买了{n}本书。",
        loss="她送出了{n}本书。",
        boxes="她收到{n}箱书，每箱{each}本。",
        question="{who}现在有多少本书？",
        how='最后一行请写 "Answer:" 和用数字表示的结果。',
        reply="在此之前，请用一句中文说明你是怎样得出结果的。",
        gap="",
    ),
    "ja": Wording(
        names=("さくら", "ゆき", "はな"),
        start="{who}は本を{n}冊持っています。",
        gain="さらに本を{n}冊買いました。",
        loss="本を{n}冊人にあげました。",
        boxes="本が{each}冊ずつ入った箱を{n}箱受け取りました。",
        question="{who}は今、本を何冊持っていますか。",
        how='最後の行に "Answer:" と数字で答えを書いてください。',
        reply="その前に、どのように計算したかを日本語の一文で説明してください。",
        gap="",
    ),
    "ar": Wording(
        names=("ليلى", "سلمى", "مريم"),
        start="لدى {who} كتب عددها {n}.",
        gain="ثم اشترت كتبًا أخرى عددها {n}.",
        loss="ثم أهدت كتبًا عددها {n}.",
        boxes="ثم وصلتها {n} صناديق، في كل صندوق كتب عددها {each}.",
        question="كم عدد الكتب لدى {who} الآن؟",
        how='اكتب في السطر الأخير "Answer:" ثم العدد بالأرقام.',
        reply="وقبل ذلك اشرح في جملة واحدة بالعربية كيف وصلت إلى النتيجة.",
    ),
}
_Step = tuple[str, int, int]


def make(draw: Draw) -> Sequence[Sample]:
    """Return the problem in every language."""
    rng = draw.rng
    start, steps, answer = _logic(rng, draw.whole("steps"))
    place = rng.randrange(3)
    samples: list[Sample] = []
    for code in draw.text("languages").split():
        wording = WORDINGS.get(code)
        if wording is None:
            guess = nearest(code, list(WORDINGS))
            do = f"{guess}known: {', '.join(WORDINGS)}"
            raise UsageError(f"there is no wording in '{code}'", do=do)
        checks = [NUMBER]
        how = wording.how
        if draw.whole("reply"):
            how = f"{wording.reply} {wording.how}"
            checks.append(check("language", code=code, allow=[ANSWER], own_words=True))
        samples.append(
            Sample(
                id=f"{draw.id}-{code}",
                input=f"{_told(wording, wording.names[place], start, steps)}\n{how}",
                target=answer,
                checks=tuple(checks),
                language=code,
                tags=(f"steps:{draw.whole('steps')}", f"language:{code}"),
                cluster=draw.id,
            )
        )
    return samples


def _logic(rng: Random, count: int) -> tuple[int, list[_Step], int]:
    start = total = rng.randint(20, 60)
    steps: list[_Step] = []
    for _ in range(count):
        kinds = ["gain", "boxes"] + (["loss"] if total > 20 else [])  # noqa: PLR2004 - stays positive
        kind = rng.choice(kinds)
        # From 3 to 10, so that one form of the noun is right in every language.
        n, each = rng.randint(3, 10), rng.randint(3, 10)
        if kind == "gain":
            n = rng.randint(11, 49)
        steps.append((kind, n, each))
        total += n if kind == "gain" else n * each if kind == "boxes" else -n
    return start, steps, total


def _told(wording: Wording, who: str, start: int, steps: Sequence[_Step]) -> str:
    templates = {"gain": wording.gain, "loss": wording.loss, "boxes": wording.boxes}
    parts = [wording.start.format(who=who, n=start)]
    parts += [templates[kind].format(who=who, n=n, each=each) for kind, n, each in steps]
    return wording.gap.join((*parts, wording.question.format(who=who)))


PACK = Pack(
    name="multilingual",
    dimension="language",
    what="the same word problem in seven languages, paired",
    knobs=KNOBS,
    make=make,
)
