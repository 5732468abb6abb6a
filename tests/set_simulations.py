"""Simulations of sampling and coverage: short in the tests, long in `tools/proof_sets.py`."""

from __future__ import annotations

import random
from dataclasses import dataclass

import numpy as np

from befit.core.interaction import Interaction
from befit.core.message import Message
from befit.datasets.coverage import compare_mix
from befit.datasets.logrow import question_of
from befit.datasets.near import exact_key, template_key
from befit.datasets.sample import draw_scanned, scan_log
from befit.stats.intervals import wilson
from befit.storage.interactions import LogFacts

STRATA = {"billing": (0.5, 0.9), "delivery": (0.3, 0.7), "returns": (0.195, 0.8),
          "legal": (0.005, 0.4)}  # fmt: skip
"""Intent -> share of the log, and chance that an answer to it is right."""
_VOWELS, _CONSONANTS = "aeiou", "bcdfghjklmnprstvz"


@dataclass(frozen=True)
class PlantedLog:
    """A log of known truth: exchanges, the intent and the rightness of each line."""

    entries: list
    intents: list
    right: np.ndarray

    def log(self):
        return iter(self.entries)

    def fetch(self, rows):
        return {row: self.entries[row][1] for row in rows}

    @property
    def truth(self):
        return float(self.right.mean())


def _sentence(rng):
    words = [
        "".join(rng.choice(_CONSONANTS) + rng.choice(_VOWELS) for _ in range(rng.randrange(2, 4)))
        for _ in range(18)
    ]
    return " ".join(words)


def planted_log(seed, *, lines=6000):
    """Return a log with planted strata and exact, template and paraphrased duplicates."""
    rng = random.Random(seed)  # noqa: S311 - planted data
    made = []
    for intent, (share, chance) in STRATA.items():
        wanted = round(lines * share)
        while wanted > 0:
            text, right = _sentence(rng), rng.random() < chance
            copies = min(wanted, rng.choice([1, 1, 1, 1, 2, 4]))
            for copy in range(copies):
                way = rng.randrange(3) if copy else 0
                shown = text
                if way == 1:
                    shown = f"{text} ord-{rng.randrange(10**6)}"
                elif way == 2:  # the same words, one of them exchanged
                    words = text.split()
                    words[rng.randrange(18)] = _sentence(rng).split()[0]
                    shown = " ".join(words)
                made.append((intent, shown, right))
            wanted -= copies
    rng.shuffle(made)
    entries = []
    for i, (intent, text, _) in enumerate(made):
        held = Interaction(
            id=f"l{i}", ts="", messages=(Message(role="user", content=text),),
            tags={"intent": intent},
        )  # fmt: skip
        facts = LogFacts(id=f"l{i}", ts="", route=None, channel=None, model=None,
                         conversation=None, intent=intent, language="en",
                         length=len(text))  # fmt: skip
        entries.append((facts, held))
    return PlantedLog(
        entries, [intent for intent, _, _ in made], np.array([right for _, _, right in made])
    )


def scanned(held):
    return scan_log(held.log, fields=("intent",), seed=0)


def one_draw(held, scan, *, seed, n=200):
    return draw_scanned(scan, held.fetch, n=n, seed=seed)


def covered(held, drawing):
    """Whether Wilson's interval at the effective n of the weights holds the truth of the log."""
    weights = np.array([one.weight for one in drawing.drawn])
    right = held.right[[one.row for one in drawing.drawn]]
    rate = float(weights @ right / weights.sum())
    effective = float(weights.sum() ** 2 / (weights**2).sum())
    interval = wilson(rate * effective, n=effective)
    return interval.low <= held.truth <= interval.high


def faults(drawing):
    """What a drawing must not have: a stratum without sample, exact or template duplicates."""
    texts = [question_of(one.interaction) for one in drawing.drawn]
    found = []
    if any(stratum.samples == 0 for stratum in drawing.strata):
        found.append("empty stratum")
    if len({exact_key(text) for text in texts}) < len(texts):
        found.append("exact duplicate")
    if len({template_key(text) for text in texts}) < len(texts):
        found.append("template duplicate")
    return found


def sampling_rounds(rounds, *, logs, n=200):
    """Return the coverage, and the faults of all drawings, over `rounds` seeds and `logs` logs."""
    hits, wrong = 0, []
    each = rounds // logs
    for number in range(logs):
        held = planted_log(number)
        scan = scanned(held)
        for seed in range(each):
            drawing = one_draw(held, scan, seed=1000 * number + seed, n=n)
            hits += covered(held, drawing)
            wrong += faults(drawing)
    return hits / (each * logs), wrong


MIX = {
    "intent": {"billing": 0.5, "delivery": 0.3, "returns": 0.195, "legal": 0.005},
    "language": {"en": 0.6, "de": 0.25, "fr": 0.1, "zh": 0.05},
    "length": {"short": 0.5, "medium": 0.4, "long": 0.1},
    "channel": {"web": 0.8, "app": 0.2},
}


def counted(rng, mix, n):
    return {
        name: dict(zip(values, map(int, rng.multinomial(n, list(values.values()))), strict=True))
        for name, values in mix.items()
    }


def false_alarms(rounds, rng, *, before=20_000, now=2_000):
    """Share of unchanged mixes in which any stratum is said to have moved."""
    hits = 0
    for _ in range(rounds):
        hits += bool(compare_mix(counted(rng, MIX, before), counted(rng, MIX, now)).moved)
    return hits / rounds


def shifted(by):
    """The mix in which French grew by `by`, at the cost of English."""
    return {**MIX, "language": {**MIX["language"], "en": 0.6 - by, "fr": 0.1 + by}}


def shift_found(rounds, rng, *, by, before=20_000, now=2_000):
    """Share of shifts that are named, and of intervals that hold the change."""
    named = held = 0
    for _ in range(rounds):
        made = compare_mix(counted(rng, MIX, before), counted(rng, shifted(by), now))
        one = next(s for s in made.shifts if (s.field, s.value) == ("language", "fr"))
        named += one.moved
        held += one.low <= by <= one.high
    return named / rounds, held / rounds
