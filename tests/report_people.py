"""A report document with what people said in it: every table, hostile words, two groups."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np

import report_states
from befit.review.automatic import Disagreement, ScoreAgreement
from befit.review.concluding import result_of
from befit.review.cycles import Drift
from befit.review.judges import Judged, judge_against_people
from befit.review.quality import rate
from befit.review.records import (
    Ballot,
    Commitment,
    Guess,
    RecordSheet,
    ScenarioInfo,
    Study,
    Tagged,
)
from befit.review.rows import Row
from befit.review.settings import Settings

AT = "2026-03-01T10:00:00+00:00"
BAD = '<img src=x onerror="window.pwned=1"></script><b>x</b> \u202etxt\u202c'


def rows(names, *, n=120, seed=8):
    """Return votes: the first candidate is better, one reviewer is left out."""
    rng = np.random.default_rng(seed)
    made = []
    for number in range(n):
        x, y = (str(name) for name in rng.permutation(names)[:2])
        for who in ("Ann Meyer", "李明", "تجربة"):
            better = names.index(x) < names.index(y)
            outcome = str(rng.choice(
                ["left", "right", "tie", "both_bad"],
                p=[0.6, 0.2, 0.15, 0.05] if better else [0.25, 0.55, 0.15, 0.05],
            ))  # fmt: skip
            ballot = Ballot(
                verdict=outcome,
                tags=(Tagged(tag="wrong fact", side="right"),) if number % 3 == 0 else (),
                rubric={"relevance": {"left": int(rng.integers(1, 5)),
                                      "right": int(rng.integers(1, 5))}},
                comment=f"{BAD} because of {number}" if number < 8 else "",
            )  # fmt: skip
            made.append(
                Row(
                    id=f"{who}-{number}", reviewer=who, item=f"i{number}", sample=f"s{number}",
                    group="real_user" if who == "Ann Meyer" else "own_team", scenario="votes",
                    x=x, y=y, purpose="work", outcome=outcome, shown=outcome, ballot=ballot,
                    seconds=0.4 if who == "تجربة" else 30.0, characters=900,
                    style={"characters": (float(rng.integers(80, 400)), 200.0)},
                    flagged=number % 20 == 0,
                )
            )  # fmt: skip
    return made


@cache
def document():
    """Return the usual document with a study in it."""
    known = report_states.state("normal")
    names = [entry.candidate.name for entry in known.manifest.candidates]
    votes = rows(names)
    study = Study(
        id="v-0a1b2c3d", project="p", run_id=known.manifest.id, created_at=AT, opened_at=AT,
        settings=Settings(), state="unblinded", unblinded_at=AT, guess_names=tuple(names),
        commitment=Commitment(sha256="ab" * 32, salt="s"),
        scenarios=tuple(ScenarioInfo(name=name, critical=True) for name in ("votes", "x")),
    )  # fmt: skip
    guesses = [Guess(assignment=votes[n].id, side="left", named=names[n % len(names)])
               for n in range(12)]  # fmt: skip
    found = result_of(study, votes, {who: who for who in ("Ann Meyer", "李明", "تجربة")}, guesses)
    judged = [Judged(item=f"i{n}", x=votes[3 * n].x, y=votes[3 * n].y, score=float(n % 3 > 0),
                     order="as is", lengths=(100.0, 200.0)) for n in range(100)]  # fmt: skip
    judged += [replace(one, order="swapped", score=1 - one.score if n % 9 == 0 else one.score)
               for n, one in enumerate(judged)]  # fmt: skip
    kept = [row for row in votes if row.reviewer != "تجربة" and row.score is not None]
    share = rate(30, 40, why="")
    sheet = RecordSheet(id="n-1", trial="k", candidate=names[0], scenario="votes", sample="s1",
                        dimension="honesty", tag="invented", seen=BAD, severity=3, author="Ann",
                        created_at=AT, due_at=AT)  # fmt: skip
    found = replace(
        found,
        automatic=(
            ScoreAgreement(
                metric="match", agreement=share, silent=rate(3, 40, why=""), n_disagreements=1,
                disagreements=(Disagreement(scenario="votes", sample="s1", preferred=names[0],
                                            scored_higher=names[1], votes=2),),
            ),
        ),
        judges=(judge_against_people("judge", judged, kept, needed=0.7),),
        drift=(Drift(cycle=0, gold=share, same=rate(0, 0, why="nothing was compared again"),
                     rubric_shift=share, agreement=share),
               Drift(cycle=1, gold=share, same=share, rubric_shift=share, agreement=share)),
        notes=(sheet,),
        overdue=1,
    )  # fmt: skip
    return replace(known, people=(found,), notes=(sheet,), overdue=frozenset({sheet.id}))
