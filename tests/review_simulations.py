"""Simulated reviewers of known kinds: what quality control finds, what ratings recover.

Used short by the tests and long by `tools/proof_review.py`. A vote is made as
people make it: the two qualities are compared through a reviewer's own noise, a
small difference is a tie, and what kind of reviewer it is decides the rest.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from befit.review.quality import excluded_by, quality_table
from befit.review.ratings import clustered_fit, win_rate
from befit.review.records import Ballot
from befit.review.rows import Row, work_of
from befit.review.settings import Settings
from befit.stats.bradleyterry import fit_bradley_terry

GOOD = ("skilled", "noisy")
BAD = ("position-biased", "lazy", "adversarial")
SLY = "lazy but slow"
"""Presses anything, after as long as others take to read: only calibration, gold and attention
can tell."""
STRENGTHS = {"a": 0.9, "b": 0.5, "c": 0.0, "d": -0.6}
SPREAD = 0.7
"""Standard deviation of an answer's quality around its candidate's."""
TIE = 0.35
GOLD_GAP = 3.0
"""Difference of quality in gold items: plain to whoever looks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """A simulated reviewer."""

    name: str
    kind: str
    scale: float
    """How much of the difference they see, against logistic noise."""


def person(name, kind, rng):
    """Return a reviewer of a kind."""
    scale = {"skilled": rng.uniform(1.5, 2.5), "noisy": rng.uniform(0.7, 1.2)}.get(kind, 1.5)
    return Person(name=name, kind=kind, scale=float(scale))


def verdicts(who, gap, rng):
    """Return shown verdicts (1 left, -1 right, 0 tie) for quality gaps, left minus right."""
    size = gap.shape
    if who.kind in {"lazy", SLY}:
        return rng.choice([1, -1, 0], size=size, p=[0.4, 0.4, 0.2])
    seen = who.scale * gap
    if who.kind == "adversarial":
        seen = -seen
    if who.kind == "position-biased":
        seen = seen + 2.0
    felt = seen + rng.logistic(size=size)
    return np.where(np.abs(felt) < TIE, 0, np.sign(felt)).astype(int)


WORDS = {1: "left", -1: "right", 0: "tie"}
TURNED = {"left": "right", "right": "left"}


def row_of(who, number, shown, rng, **given):
    """Return one vote as the analysis reads it; `given` are fields of the row."""
    verdict = WORDS[int(shown)]
    flipped = bool(given.pop("flipped"))
    fast = who.kind == "lazy"
    seconds = float(rng.lognormal(np.log(2.5 if fast else 35.0), 0.5))
    known = {
        "id": f"{who.name}-{number}", "reviewer": who.name, "group": "real_user",
        "scenario": "s", "sample": given["item"].partition("|")[0], "purpose": "work",
        "x": "", "y": "", "shown": verdict, "flipped": flipped,
        "outcome": TURNED.get(verdict, verdict) if flipped else verdict,
        "ballot": Ballot(verdict=verdict), "seconds": seconds, "characters": 1_200,
    }  # fmt: skip
    return Row(**known | given)


def calibrated(who, rng, *, items=6, share=0.8):
    """Whether a reviewer gets through calibration in one of two attempts."""
    for _ in range(2):
        flipped = rng.random(items) < 0.5
        gap = np.where(flipped, -GOLD_GAP, GOLD_GAP)
        right = verdicts(who, gap, rng) == np.sign(gap).astype(int)
        if right.sum() >= share * items:
            return True
    return False


def strewn(who, rng, *, votes, settings):
    """Return gold, attention and mirrored rows of a reviewer with so many votes."""
    rows = []
    for number in range(round(settings.gold * votes)):
        flipped = rng.random() < 0.5
        shown = verdicts(who, np.array([-GOLD_GAP if flipped else GOLD_GAP]), rng)[0]
        rows.append(row_of(who, f"g{number}", shown, rng, item=f"gold{number}", flipped=flipped,
                           purpose="gold", expected="left"))  # fmt: skip
    for number in range(round(settings.attention * votes)):
        shown = verdicts(who, np.zeros(1), rng)[0]
        # whoever looks sees that both sides are the same
        shown = 0 if who.kind in GOOD or who.kind == "adversarial" else shown
        rows.append(row_of(who, f"t{number}", shown, rng, item=f"same{number}", flipped=False,
                           purpose="attention", expected="tie"))  # fmt: skip
    return rows


def study(people, rng, *, samples, per_item, settings, pairs_per_sample=3):
    """Return all rows of a study: each item is judged by `per_item` of the people."""
    names = sorted(STRENGTHS)
    rows, load = [], {who.name: 0 for who in people}
    for sample in range(samples):
        quality = {n: STRENGTHS[n] + SPREAD * rng.normal() for n in names}
        every = list(combinations(names, 2))
        for place in rng.permutation(len(every))[:pairs_per_sample]:
            x, y = every[place] if rng.random() < 0.5 else every[place][::-1]
            for index in rng.permutation(len(people))[:per_item]:
                who = people[index]
                flipped = rng.random() < 0.5
                gap = (quality[x] - quality[y]) * (-1 if flipped else 1)
                shown = verdicts(who, np.array([gap]), rng)[0]
                load[who.name] += 1
                rows.append(row_of(who, load[who.name], shown, rng, item=f"{sample}|{x}{y}",
                                   x=x, y=y, flipped=flipped))  # fmt: skip
    for who in people:
        mine = [row for row in rows if row.reviewer == who.name]
        rows += strewn(who, rng, votes=len(mine), settings=settings)
        rows += mirrors(who, mine, rng, share=settings.mirrored)
    return rows


def mirrors(who, mine, rng, *, share):
    """Return mirrored repeats of some of a reviewer's votes (the gap is forgotten: drawn anew)."""
    found = []
    for number, row in enumerate(mine[: round(share * len(mine))]):
        gap = STRENGTHS[row.x] - STRENGTHS[row.y]
        shown = verdicts(who, np.array([gap if row.flipped else -gap]), rng)[0]
        found.append(row_of(who, f"m{number}", shown, rng, item=row.item, x=row.x, y=row.y,
                            flipped=not row.flipped, purpose="mirror",
                            mirror_of=row.id))  # fmt: skip
    return found


def crowd(kinds, rng):
    """Return people of these kinds."""
    return [person(f"{kind}-{number}", kind, rng) for number, kind in enumerate(kinds)]


def detection(kind, rounds, *, seed, votes=100):
    """Return (stopped by calibration, left out by the rule, either) as shares of `rounds`."""
    rng = np.random.default_rng(seed)
    settings = Settings()
    stopped = left_out = either = 0
    for _ in range(rounds):
        who = person("one", kind, rng)
        rows = []
        for number in range(votes):
            flipped = rng.random() < 0.5
            gap = rng.normal(0.4, 1.2)
            shown = verdicts(who, np.array([-gap if flipped else gap]), rng)[0]
            rows.append(row_of(who, number, shown, rng, item=f"i{number}", x="a", y="b",
                               flipped=flipped))  # fmt: skip
        rows += strewn(who, rng, votes=votes, settings=settings)
        out = bool(excluded_by(quality_table(rows, settings, {"one": "one"})))
        failed = not calibrated(who, rng)
        stopped, left_out, either = stopped + failed, left_out + out, either + (out or failed)
    return stopped / rounds, left_out / rounds, either / rounds


def truth(seed=11, *, draws=400_000):
    """Return what good reviewers would say in the long run: ratings and win rates."""
    rng = np.random.default_rng(seed)
    names = sorted(STRENGTHS)
    scores = {}
    for a, b in combinations(names, 2):
        gap = STRENGTHS[a] - STRENGTHS[b] + SPREAD * np.sqrt(2) * rng.normal(size=draws)
        scale = np.where(
            rng.random(draws) < 0.5, rng.uniform(1.5, 2.5, draws), rng.uniform(0.7, 1.2, draws)
        )
        felt = scale * gap + rng.logistic(size=draws)
        scores[a, b] = float(np.where(np.abs(felt) < TIE, 0.5, felt > 0).mean())
    left = [names.index(a) for a, _ in scores]
    right = [names.index(b) for _, b in scores]
    fit = fit_bradley_terry(left, right, list(scores.values()), candidates=len(names))
    wins = {
        n: float(np.mean([s if a == n else 1 - s for (a, b), s in scores.items() if n in {a, b}]))
        for n in names
    }
    return fit.strengths, wins


def coverage(rounds, *, seed, people=10, samples=50, per_item=3, bad=()):
    """Return shares of rounds: intervals that cover (differences, win rates), order recovered."""
    rng = np.random.default_rng(seed)
    names, settings = sorted(STRENGTHS), Settings()
    strengths, wins = truth()
    pairs = list(combinations(range(len(names)), 2))
    hit = {"difference": 0, "win rate": 0}
    asked = {"difference": 0, "win rate": 0}
    order = 0
    for _ in range(rounds):
        kinds = [*rng.choice(GOOD, size=people - len(bad)), *bad]
        rows = study(crowd(kinds, rng), rng, samples=samples, per_item=per_item, settings=settings)
        ids = {row.reviewer: row.reviewer for row in rows}
        out = excluded_by(quality_table(rows, settings, ids)) if bad else frozenset()
        work = work_of(rows, without=out)
        fit = clustered_fit(work, names)
        for a, b in pairs:
            weights = np.zeros(len(names))
            weights[a], weights[b] = 1, -1
            _, low, high, _ = fit.interval(weights)
            hit["difference"] += low <= strengths[a] - strengths[b] <= high
            asked["difference"] += 1
        for name in names:
            found = win_rate(work, name)
            hit["win rate"] += found.low <= wins[name] <= found.high
            asked["win rate"] += 1
        order += list(np.argsort(-fit.ratings.strengths)) == list(np.argsort(-strengths))
    return {key: hit[key] / asked[key] for key in hit} | {"order": order / rounds}
