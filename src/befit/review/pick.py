"""What a reviewer gets next: pure, from how things stand and a secret of the study.

Calibration first; then work, with gold, attention and mirrored items strewn in
by chance. Of the work, pairs begun by others are finished and new ones begun in
turn; a new one is drawn uniformly at least as often as `explore`, else where one
more vote removes most variance (Chiang et al. 2024).
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from befit.review.records import Item, Purpose, Study
from befit.stats.votes import pair_chances
from befit.storage.review_work import Assigned, Standing

_APART = 5
"""Items between one and its mirror, at least."""
_DAY = 86_400.0
_TOKEN = 12
CYCLE_GOLD, CYCLE_OWN = 5, 5
"""Gold items, and items of one's own, that are rated again in a recalibration."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """All items of a study, by what they are for; read once, they never change."""

    work: Mapping[str, Item]
    calibration: Mapping[str, Item]
    gold: Mapping[str, Item]
    attention: Mapping[str, Item]
    secret: bytes

    def item(self, item_id: str) -> Item:
        """Return any item."""
        for part in (self.work, self.gold, self.calibration, self.attention):
            if item_id in part:
                return part[item_id]
        raise KeyError(item_id)

    def fraction(self, *words: str) -> float:
        """Return a number in [0, 1) that only the study's secret can foretell."""
        told = hmac.digest(self.secret, "\0".join(words).encode(), "sha256")
        return int.from_bytes(told[:8], "big") / 2**64

    def needed(self, item: Item, study: Study) -> int:
        """Return how many reviewers an item of work is for."""
        shared = self.fraction("overlap", item.id) < study.settings.overlap
        return study.settings.per_pair if shared else 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """Who asks for an item, and when."""

    study: Study
    pool: Pool
    reviewer: str
    now: float
    disputed: tuple[str, ...] | None = None
    """For an adjudicator: the items others disagree on; None for everybody else."""


def calibration_size(study: Study, pool: Pool) -> int:
    """Return the number of calibration items of one attempt."""
    return min(study.settings.calibration, len(pool.calibration))


def calibration_state(
    study: Study, pool: Pool, mine: Sequence[Assigned]
) -> tuple[bool | None, int]:
    """Return whether the calibration is passed (None: going on), and attempts that are over."""
    size = calibration_size(study, pool)
    if size == 0:
        return True, 0
    done = [one for one in mine if one.purpose == "calibration" and one.state == "done"]
    attempts = len(done) // size
    for attempt in range(attempts):
        part = done[attempt * size : (attempt + 1) * size]
        right = sum(one.outcome == pool.item(one.item).expected for one in part)
        if right >= study.settings.calibration_pass * size:
            return True, attempt + 1
    return (False if attempts > 1 else None), attempts


def pick(asked: Asked, standing: Standing) -> Assigned | None:
    """Return the assignment to show next (a new or a waiting one), or None."""
    waiting = _waiting(asked, standing)
    if waiting is not None:
        return waiting._replace(leased_until=asked.now + asked.study.settings.lease_seconds)
    study, pool = asked.study, asked.pool
    if study.cycle_open:
        again = _again(asked, standing)
        if again is not None or study.state != "open":
            return again
    if asked.disputed is not None:
        seen = {one.item for one in standing.mine}
        left = [pool.work[item] for item in asked.disputed if item not in seen]
        return _assigned(asked, standing, left[0], "adjudication") if left else None
    passed, attempts = calibration_state(study, pool, standing.mine)
    if passed is None:
        return _calibration(asked, standing, attempts)
    if not passed or work_left(asked, standing) == 0:
        return None
    return _strewn(asked, standing) or _work(asked, standing)


def _waiting(asked: Asked, standing: Standing) -> Assigned | None:
    """Return an item shown before and not voted on, if it is still wanted."""
    for one in standing.mine:
        if one.state != "leased" or (asked.study.state != "open" and one.purpose != "cycle"):
            continue
        if one.purpose != "work" or one.leased_until > asked.now:
            return one
        item = asked.pool.item(one.item)
        if standing.taken.get(one.item, 0) < asked.pool.needed(item, asked.study):
            return one
    return None


def _calibration(asked: Asked, standing: Standing, attempt: int) -> Assigned:
    seen = [one.item for one in standing.mine if one.purpose == "calibration"]
    size = calibration_size(asked.study, asked.pool)
    inside = set(seen[attempt * size :])

    def rank(item: str) -> tuple[int, float]:
        return seen.count(item), asked.pool.fraction("calibration", asked.reviewer, item)

    chosen = min((item for item in asked.pool.calibration if item not in inside), key=rank)
    return _assigned(asked, standing, asked.pool.calibration[chosen], "calibration")


def counted(mine: Sequence[Assigned]) -> list[Assigned]:
    """Return what counts as work: everything but calibration and recalibration."""
    return [one for one in mine if one.purpose not in {"calibration", "cycle"}]


def work_left(asked: Asked, standing: Standing) -> int:
    """Return how many items of work this reviewer may still be given."""
    settings = asked.study.settings
    if asked.disputed is not None:
        return len(set(asked.disputed) - {one.item for one in standing.mine})
    done = [one for one in counted(standing.mine) if one.state == "done"]
    room = len(asked.pool.work) + len(done)
    if settings.quota is not None:
        room = min(room, settings.quota - len(done))
    if settings.per_day is not None:
        today = sum(1 for one in done if (one.voted_at or 0.0) > asked.now - _DAY)
        room = min(room, settings.per_day - today)
    fresh = max(0, settings.pairs - len(standing.taken))
    items = _open_items(asked, standing)
    begun = sum(item.id in standing.taken for item in items)
    return max(0, min(room, begun + min(fresh, len(items) - begun)))


def _open_items(asked: Asked, standing: Standing) -> list[Item]:
    """Return items of work that need a vote and were not given to this reviewer."""
    seen = {one.item for one in standing.mine}
    begun = len(standing.taken)
    found = []
    for item in asked.pool.work.values():
        if item.id in seen:
            continue
        taken = standing.taken.get(item.id, 0)
        if (taken and taken < asked.pool.needed(item, asked.study)) or (
            not taken and begun < asked.study.settings.pairs
        ):
            found.append(item)
    return found


def wanting(asked: Asked, standing: Standing) -> bool:
    """Whether work remains that others hold at the moment and may give back."""
    seen = {one.item for one in standing.mine}
    return any(
        standing.voted[item] < asked.pool.needed(asked.pool.work[item], asked.study)
        for item in standing.taken
        if item not in seen
    )


def _strewn(asked: Asked, standing: Standing) -> Assigned | None:
    """Return a gold, attention or mirrored item where chance wants one here."""
    settings, pool = asked.study.settings, asked.pool
    mine = counted(standing.mine)
    draw = pool.fraction("strewn", asked.reviewer, str(len(mine)))
    seen = {one.item for one in standing.mine}
    if draw < settings.gold:
        fresh = [item for item in pool.gold.values() if item.id not in seen]
        return _drawn(asked, standing, fresh, "gold")
    draw -= settings.gold
    if draw < settings.attention:
        used = sum(one.purpose == "attention" for one in mine)
        fresh = [item for item in pool.attention.values() if item.id not in seen]
        if used + 1 > settings.attention * (len(mine) + 1) + 1:
            return None
        return _drawn(asked, standing, fresh, "attention")
    draw -= settings.attention
    if draw < settings.mirrored:
        old = [one for one in mine[:-_APART] if one.purpose == "work" and one.state == "done"]
        twice = {one.mirror_of for one in mine}
        free = [one for one in old if one.id not in twice and one.outcome != "cannot_judge"]
        if free:
            first = min(free, key=lambda one: pool.fraction("mirror", one.id))
            item = pool.item(first.item)
            return _assigned(asked, standing, item, "mirror", mirrored=first)
    return None


def _drawn(
    asked: Asked, standing: Standing, items: Sequence[Item], purpose: Purpose
) -> Assigned | None:
    if not items:
        return None
    chosen = min(items, key=lambda item: asked.pool.fraction(purpose, asked.reviewer, item.id))
    return _assigned(asked, standing, chosen, purpose)


def _work(asked: Asked, standing: Standing) -> Assigned | None:
    items = _open_items(asked, standing)
    if not items:
        return None
    seed = asked.pool.fraction("work", asked.reviewer, str(len(standing.mine)))
    rng = np.random.default_rng(int(seed * 2**53))
    begun = [item for item in items if standing.taken.get(item.id, 0)]
    fresh = [item for item in items if not standing.taken.get(item.id, 0)]
    half = 0.5
    if begun and (not fresh or rng.random() < half):
        item = begun[int(rng.integers(len(begun)))]
    else:
        item = choose_fresh(fresh, standing.cells, explore=asked.study.settings.explore, rng=rng)
    return _assigned(asked, standing, item, "work")


def choose_fresh(
    items: Sequence[Item],
    cells: Mapping[tuple[str, str], int],
    *,
    explore: float,
    rng: np.random.Generator,
) -> Item:
    """Draw a pair of candidates by the variance one more vote removes, then one of its items."""
    by_pair: dict[tuple[str, ...], list[Item]] = {}
    for item in items:
        by_pair.setdefault(tuple(sorted(item.cell.split("|"))), []).append(item)
    names = sorted(by_pair)
    counts, variances = [], []
    for name in names:
        # one win and one loss more than there were: a pair without votes is the most uncertain
        won, lost, tied = 1.0, 1.0, 0.0
        for (cell, outcome), count in cells.items():
            if tuple(sorted(cell.split("|"))) != name or outcome == "cannot_judge":
                continue
            first = cell.split("|")[0] == name[0]
            if outcome not in {"left", "right"}:
                tied += count
            elif (outcome == "left") == first:
                won += count
            else:
                lost += count
        n = won + lost + tied
        mean = (won + tied / 2) / n
        spread = won * (1 - mean) ** 2 + lost * mean**2 + tied * (0.5 - mean) ** 2
        counts.append(n - 2)
        variances.append(spread / n)
    chances = pair_chances(variances, counts, explore=explore)
    chosen = by_pair[names[int(rng.choice(len(names), p=chances))]]
    return chosen[int(rng.integers(len(chosen)))]


def _again(asked: Asked, standing: Standing) -> Assigned | None:
    """Return the next item of a recalibration: gold and one's own earlier ones, again."""
    study, pool = asked.study, asked.pool
    rated = [one for one in standing.mine if one.purpose == "cycle" and one.cycle == study.cycle]
    seen = {one.item for one in rated}
    golden = sum(one.item in pool.gold or one.item in pool.calibration for one in rated)
    known = {**pool.calibration, **pool.gold}
    gold = [item for item in known.values() if item.id not in seen]
    if gold and golden < CYCLE_GOLD:
        chosen = min(gold, key=lambda item: pool.fraction(f"cycle {study.cycle}", item.id))
        return _assigned(asked, standing, chosen, "cycle")
    old = [
        one for one in standing.mine
        if one.purpose == "work" and one.state == "done" and one.item not in seen
    ]  # fmt: skip
    if old and len(rated) - golden < CYCLE_OWN:
        # everybody begins with the same items, so that agreement can be seen again
        first = min(old, key=lambda one: pool.fraction(f"cycle {study.cycle}", one.item))
        return _assigned(asked, standing, pool.item(first.item), "cycle", again=first)
    return None


def flip(asked: Asked, mine: Sequence[Assigned], item: Item) -> bool:
    """Return whether x goes to the right: balanced over candidates within a reviewer.

    Where both ways are as balanced, the study's secret decides.
    """
    codes = item.cell.split("|")
    coin = asked.pool.fraction("side", asked.reviewer, item.id) < 0.5  # noqa: PLR2004 - a coin
    if len(codes) != 2:  # noqa: PLR2004 - no pair of candidates
        return coin
    lean = dict.fromkeys(codes, 0)
    for one in mine:
        sides = one.cell.split("|")
        if one.flipped:
            sides = sides[::-1]
        for code, step in zip(sides, (1, -1), strict=False):
            if code in lean:
                lean[code] += step
    gap = lean[codes[0]] - lean[codes[1]]
    return coin if gap == 0 else gap > 0


def _assigned(
    asked: Asked,
    standing: Standing,
    item: Item,
    purpose: Purpose,
    *,
    mirrored: Assigned | None = None,
    again: Assigned | None = None,
) -> Assigned:
    if mirrored is not None:
        flipped = not mirrored.flipped
    elif again is not None:
        flipped = bool(again.flipped)
    else:
        flipped = flip(asked, standing.mine, item)
    first = mirrored or again
    return Assigned(
        id=secrets.token_hex(_TOKEN),
        study=asked.study.id,
        reviewer=asked.reviewer,
        ordinal=1 + max((one.ordinal for one in standing.mine), default=0),
        item=item.id,
        purpose=purpose,
        cell=item.cell,
        cycle=asked.study.cycle if purpose == "cycle" else 0,
        mirror_of=None if first is None else first.id,
        flipped=int(flipped),
        state="leased",
        leased_until=asked.now + asked.study.settings.lease_seconds,
        created_at=asked.now,
        shown_at=None,
        voted_at=None,
        outcome=None,
    )
