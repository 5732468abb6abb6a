"""Other names and other words for the same item, by rule: the answer stays what it was."""

from __future__ import annotations

import random
import re

from befit.core.record import Json
from befit.probes.perturb_choice import Choice

_SHE = [
    "Janet",
    "Mary",
    "Emma",
    "Olivia",
    "Sophia",
    "Isabella",
    "Emily",
    "Anna",
    "Julia",
    "Sarah",
    "Laura",
    "Maria",
    "Jessica",
    "Lisa",
    "Karen",
    "Amy",
    "Susan",
    "Linda",
    "Betty",
    "Carol",
    "Nancy",
    "Helen",
    "Sandra",
    "Donna",
    "Ruth",
    "Sharon",
    "Michelle",
    "Kimberly",
    "Deborah",
    "Claire",
    "Alice",
    "Ella",
    "Zoe",
    "Nina",
    "Carla",
    "Toula",
    "Marissa",
    "Melanie",
    "Jen",
    "Jane",
    "Jill",
    "Tina",
    "Wendi",
    "Jenny",
]
_HE = [
    "James",
    "John",
    "Robert",
    "Michael",
    "David",
    "William",
    "Richard",
    "Joseph",
    "Thomas",
    "Charles",
    "Christopher",
    "Daniel",
    "Matthew",
    "Anthony",
    "Steven",
    "Paul",
    "Andrew",
    "Joshua",
    "Kenneth",
    "Kevin",
    "Brian",
    "George",
    "Edward",
    "Ronald",
    "Timothy",
    "Jason",
    "Jeffrey",
    "Ryan",
    "Jacob",
    "Gary",
    "Nicholas",
    "Eric",
    "Jonathan",
    "Carlos",
    "Josh",
    "Tom",
    "Tim",
    "Sam",
    "Peter",
    "Carl",
    "Marcus",
    "Raymond",
    "Adam",
    "Henry",
    "Jack",
    "Luis",
    "Ben",
]
_NEW_SHE = [
    "Ingrid",
    "Leila",
    "Noor",
    "Saoirse",
    "Mirela",
    "Xochitl",
    "Amara",
    "Yuki",
    "Beatriz",
    "Katya",
    "Freya",
    "Priya",
]
_NEW_HE = [
    "Anders",
    "Tariq",
    "Olumide",
    "Ciaran",
    "Dragos",
    "Mateo",
    "Kofi",
    "Haruto",
    "Otto",
    "Bogdan",
    "Leif",
    "Arjun",
]
_NAME = re.compile(r"\b[A-Z][a-z]+\b")

_RULES: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), new)
    for pattern, new in (
        (r"\bhow many (\w+) (in total|altogether)\b", r"what total number of \1"),
        (r"\bin total\b", "altogether"),
        (r"\bhow much money\b", "what sum of money"),
        (r"\bcalculate\b", "work out"),
        (r"\bdetermine\b", "find out"),
        (r"\bevery day\b", "each day"),
        (r"\bevery week\b", "each week"),
        (r"\bevery month\b", "each month"),
        (r"\bper day\b", "a day"),
        (r"\bper week\b", "a week"),
        (r"\bper hour\b", "an hour"),
        (r"\bpurchases\b", "buys"),
        (r"\bpurchased\b", "bought"),
        (r"\bbegins\b", "starts"),
        (r"\bremaining\b", "left over"),
        (r"\bthe remainder\b", "the rest"),
        (r"\bdoes not\b", "doesn't"),
        (r"\bdo not\b", "don't"),
        (r"\bis not\b", "isn't"),
        (r"\bas well as\b", "and also"),
        (r"\bwhich of the following\b", "which one of these"),
        (r"\bwhat is the name of\b", "what do we call"),
        (r"\bapproximately\b", "about"),
        (r"\blocated in\b", "found in"),
        (r"\bprimarily\b", "mainly"),
        (r"\bhow many\b", "what number of"),
        (r"^what is (?=[\d(])", "How much is "),
    )
)


def renamed(text: str, target: Json, rng: random.Random) -> tuple[str, Json] | str:
    """Return the item with its people renamed, each name to one new name of the same kind."""
    fresh = {
        True: [n for n in _NEW_SHE if n not in text],
        False: [n for n in _NEW_HE if n not in text],
    }
    names: dict[str, str] = {}
    for name in dict.fromkeys(_NAME.findall(text)):
        if name not in _SHE and name not in _HE:
            continue
        pool = fresh[name in _SHE]
        if not pool:
            return "it has more people than there are new names"
        names[name] = pool.pop(rng.randrange(len(pool)))
    if not names:
        return "it names nobody whom the rule knows"

    def swap(words: str) -> str:
        return _NAME.sub(lambda found: names.get(found[0], found[0]), words)

    return swap(text), swap(target) if isinstance(target, str) else target


def paraphrased(text: str, target: Json, choice: Choice | None) -> tuple[str, Json] | str:
    """Return the item in other words; the options of multiple choice stay as they are."""
    question = text if choice is None else choice.before
    changed = question
    for pattern, new in _RULES:
        changed = _replaced(pattern, new, changed)
    if changed == question:
        return "none of the rules for wording fits"
    return (changed if choice is None else choice.text(choice.options, before=changed)), target


def _replaced(pattern: re.Pattern[str], new: str, text: str) -> str:
    return pattern.sub(lambda found: _cased(found, new), text)


def _cased(found: re.Match[str], new: str) -> str:
    """Return the replacement, capital where the old words began with one."""
    words = found.expand(new)
    return words[:1].upper() + words[1:] if found[0][:1].isupper() else words
