"""The names and things generated items are told with, and talk that carries nothing."""

from __future__ import annotations

from random import Random


def _cut(text: str, mark: str = " ") -> tuple[str, ...]:
    return tuple(text.split(mark))


CHARS_PER_TOKEN = 4
"""A round figure for text in English; true counts come with the answers."""

NAMES = _cut(
    "Adela Bakir Celia Dorian Edda Farid Greta Hugo Imani Jonas Kaito Lena Malik Nadia Oskar Petra"
    " Quentin Rosa Samir Tove Ulla Viktor Wanda Xenia Yusuf Zora"
)
SURNAMES = _cut(
    "Abel Brandt Costa Dietz Eriksen Falk Gruber Haas Ivanov Jansen Keller Lind Moreau Novak Olsen"
    " Pohl Quist Rossi Sato Tanaka Ullmann Varga Weber Yilmaz Zander"
)
CITIES = _cut(
    "Graz Linz Bergen Porto Lyon Turin Gdansk Malmo Cork Leeds Basel Ghent Tartu Split Varna Brno"
    " Aarhus Delft Siena Cadiz"
)
COLOURS = _cut(
    "amber blue copper green grey ivory maroon olive purple red silver teal white yellow"
)
THINGS = _cut(
    "apples bricks candles crates bottles chairs lamps maps notebooks pots ropes stamps tiles"
    " bolts baskets"
)

_WHO = _cut(
    "The committee|A caretaker|The harbour office|One of the visitors|The night shift|A surveyor|"
    "The library board|An old gardener|The tram company|A clerk from the annex|The choir|"
    "The ferry crew|A retired teacher|The repair team|The weekly market",
    "|",
)
_DID = _cut(
    "wrote a long note about|complained mildly about|made several drawings of|lost interest in|"
    "spent the afternoon discussing|postponed a decision on|was pleased with|kept a diary about|"
    "asked the neighbours about|took photographs of|paid little attention to|gave a short talk on",
    "|",
)
_WHAT = _cut(
    "the colour of the benches|the weather along the coast|a lost umbrella|the noise of the pumps|"
    "the shape of clouds|an unfinished mural|the smell of fresh paint|the pigeons on the roof|"
    "the timetable of the old tram|a crooked signpost|the taste of the canteen soup|"
    "a game of chess left standing|the fog over the river|an echo in the staircase",
    "|",
)
_WHEN = _cut(
    "during the rainy weeks|before the summer break|on a quiet morning|late in the evening|"
    "without much haste|as every year|to nobody's surprise|after the second coffee|"
    "while the lift was out of order|in the usual manner",
    "|",
)

SMALL_TALK = (
    ("How do you like rainy days?", "They suit long reads and slow soups."),
    ("What makes a good walking shoe?", "A firm sole, room for the toes, and being worn in."),
    ("Should a poem rhyme?", "It may, but the rhythm carries more."),
    ("Why do cats like boxes?", "Boxes are warm, and they hide a cat on three sides."),
    ("Is it rude to whistle indoors?", "In some places it is; ask the people around you."),
    ("What goes well with lentils?", "Carrots, a bay leaf, and a splash of vinegar."),
    ("How does one fold a fitted sheet?", "Tuck the corners into each other, then fold in thirds."),
    ("Which instrument is easiest to begin with?", "The ukulele forgives a lot."),
    ("What is a good name for a boat?", "One that is easily said over a bad radio."),
    ("Why is the sky red in the evening?", "The long way through air scatters the blue away."),
    ("How do I keep basil alive?", "Water from below, and cut it often above a pair of leaves."),
    ("Is tea better with milk?", "Black tea may be; green tea hardly."),
    ("What do you do with stale bread?", "Toast it, soak it in milk, or make crumbs of it."),
    ("Do fish sleep?", "They rest, with open eyes, often in a quiet corner."),
    ("How long should a letter be?", "As long as its reason."),
    ("What is the use of a diary?", "It remembers what the day felt like."),
)
"""Questions and answers without a number in them."""


def sentence(rng: Random) -> str:
    """Return a sentence without numbers, codes or anything that is asked for."""
    return f"{rng.choice(_WHO)} {rng.choice(_DID)} {rng.choice(_WHAT)} {rng.choice(_WHEN)}."


def filler(rng: Random, chars: int) -> list[str]:
    """Return sentences of about so many characters in all."""
    made: list[str] = []
    size = 0
    while size < chars:
        made.append(sentence(rng))
        size += len(made[-1]) + 1
    return made


def person(rng: Random) -> str:
    """Return a first name and a surname."""
    return f"{rng.choice(NAMES)} {rng.choice(SURNAMES)}"


_CONFUSED = {
    "a": "o", "e": "c", "i": "l", "l": "1", "o": "0", "s": "5", "t": "f", "u": "v",
    "n": "m", "h": "b", "g": "q", "r": "n", "b": "6", "d": "cl", "m": "rn",
}  # fmt: skip


def smudged(text: str, rng: Random, share: float) -> str:
    """Return `text` as a bad scan shows it: so large a share of its small letters misread.

    Digits and capitals stay, so what is asked for stays readable.
    """
    made: list[str] = []
    for char in text:
        if share and char in _CONFUSED and rng.random() < share:
            made.append(_CONFUSED[char])
        else:
            made.append(char)
    return "".join(made)
