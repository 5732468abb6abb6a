"""What the votes say: agreement, preference, quality, groups, judges; on real votes and by hand."""

from __future__ import annotations

import csv
import json

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import cohen_kappa_score

from befit.errors import DataError
from befit.pipeline.reviewing import read_known
from befit.review import states
from befit.review.agreeing import ac1, agreement, disputes, raw_agreement
from befit.review.automatic import against_people
from befit.review.board import unblinded_result
from befit.review.concluding import named, result_of
from befit.review.create import create_study
from befit.review.desk import load_pool
from befit.review.elsewhere import bring_votes, read_told
from befit.review.exports import vote_rows, write_votes
from befit.review.material import Material
from befit.review.opinions import comments, guessing, reasons, rubric_scores
from befit.review.people import invite
from befit.review.quality import alpha_table, excluded_by, quality_table
from befit.review.ratings import preference, win_rate
from befit.review.records import Ballot, Commitment, Guess, ScenarioInfo, Study, Tagged
from befit.review.rows import read_rows
from befit.review.settings import Settings
from befit.stats.bradleyterry import fit_bradley_terry
from befit.stats.kappa import cohen_kappa, confusion, gwet_ac1
from befit.storage.workspace import Workspace
from review_rows import row
from review_world import AT, NAMES, World, source, world
from shared_data import shared

EVALICA = pytest.importorskip("evalica")


def pandalm():
    """Return the votes of three annotators of 150 pairs; the pairs are placed as they are."""
    rows = json.loads(shared("pandalm/testset-v1_first150.json").read_text())
    words = {0: "tie", 1: "left", 2: "right"}
    return [
        {"sample": str(r["idx"]), "left": r["cmp_key"].rpartition("_")[0],
         "right": r["cmp_key"].rpartition("_")[2], "winner": words[r[f"annotator{k}"]],
         "reviewer": f"annotator{k}", "question": r["instruction"], "left_answer": r["response1"],
         "right_answer": r["response2"]}
        for r in rows for k in (1, 2, 3)
    ]  # fmt: skip


def brought(folder, rows, **settings):
    """Return rows and result of votes made elsewhere."""
    workspace = Workspace.open(folder)
    made = bring_votes(workspace.reviews, read_told(rows, file="votes"), Settings(**settings),
                       file="votes", at=AT, by="owner")  # fmt: skip
    study, mapping = states.unblind(workspace.reviews, made.study.id, at=AT, by="owner")
    pool = load_pool(workspace.reviews, study.id)
    votes = named(read_rows(workspace.reviews, study.id, pool), mapping)
    return votes, unblinded_result(workspace.reviews, study, mapping)


def test_kappas_and_alpha_of_three_real_annotators_are_those_of_other_libraries(tmp_path):
    told = pandalm()
    votes, result = brought(tmp_path, told)
    people, _, table = alpha_table(votes)
    assert len(people) == 3
    for one, two in ((0, 1), (0, 2), (1, 2)):
        ours = cohen_kappa(confusion(table[one], table[two]))
        assert ours == pytest.approx(cohen_kappa_score(table[one], table[two]))
    theirs = EVALICA.alpha(pd.DataFrame(table), distance="nominal").alpha
    assert result.agreement.alpha.value == pytest.approx(theirs)
    assert result.agreement.alpha.low < theirs < result.agreement.alpha.high
    # the same counted from the file: shares of pairs of annotators who say the same
    by_pair = {}
    for vote in told:
        by_pair.setdefault(vote["sample"], []).append(vote["winner"])
    same = [np.mean([a == b for i, a in enumerate(v) for b in v[:i]]) for v in by_pair.values()]
    assert result.agreement.raw.value == pytest.approx(np.mean(same))
    assert any("made elsewhere" in text for text in result.warnings)


def test_a_real_judges_votes_are_ranked_ties_included(tmp_path):
    with shared("llmfao/gpt3-crowd-comparisons.csv").open(encoding="utf-8") as file:
        told = [
            {"sample": r["prompt"], "left": r["left"], "right": r["right"], "winner": r["winner"],
             "reviewer": "judge"}
            for r in csv.DictReader(file)
        ]  # fmt: skip
    _, result = brought(tmp_path, told)
    found = result.preference
    assert found.n_votes == len(told) == 2_139
    assert found.ties.value == pytest.approx(sum(t["winner"] == "tie" for t in told) / 2_139)
    names = sorted({one.candidate for one in found.strengths})
    score = {"left": 1.0, "right": 0.0, "tie": 0.5}
    fit = fit_bradley_terry(
        [names.index(t["left"]) for t in told], [names.index(t["right"]) for t in told],
        [score[t["winner"]] for t in told], candidates=len(names),
    )  # fmt: skip
    for one in found.strengths:
        wanted = float(fit.strengths[names.index(one.candidate)])
        assert one.rating.value == pytest.approx(wanted, abs=1e-6)
        assert one.rating.low < wanted < one.rating.high
        assert one.letters
    # the same by another library: ties as half wins
    theirs = EVALICA.bradley_terry(
        [t["left"] for t in told], [t["right"] for t in told],
        [{"left": EVALICA.Winner.X, "right": EVALICA.Winner.Y, "tie": EVALICA.Winner.Draw}[
            t["winner"]] for t in told],
        win_weight=1.0, tie_weight=0.5, tolerance=1e-10, limit=10_000,
    ).scores  # fmt: skip
    logs = np.log(theirs)
    ours = {one.candidate: one.rating.value for one in found.strengths}
    for name in names:
        assert ours[name] == pytest.approx(float(logs[name] - logs.mean()), abs=1e-4)


def test_the_golden_pairs_serve_as_calibration(tmp_path):
    lines = shared("llmfao/pairs-crowd-training.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    known = read_known(
        [{"question": r["text"], "left": r["result_x"], "right": r["result_y"],
          "verdict": r["golden"], "why": r["reason"]} for r in rows], file="pairs",
    )  # fmt: skip
    assert len(known) == 7
    one = world(tmp_path, calibration=1)
    made = create_study(
        one.reviews, Settings(calibration=7, guess=0.0),
        Material(sources=[source(i, n) for i in range(4) for n in NAMES], identities=(),
                 calibration=known),
        project="", run_id="", at=AT, by="owner",
    )  # fmt: skip
    states.open_study(one.reviews, made.study.id, at=AT, by="owner")
    two = World(workspace=one.workspace, made=made)
    _, token = invite(two.reviews, two.id, name="Ann", group="real_user", at=AT)
    ann = two.desk().enter(token)
    answers = {k.question: k for k in known}
    for number in range(7):
        shown = two.desk().next_item(ann)
        item = answers[shown.left.turns[0].user]
        verdict = item.verdict
        pool = load_pool(two.reviews, two.id)
        flipped = two.reviews.work.assigned(shown.token).flipped
        if verdict in {"left", "right"} and flipped:
            verdict = "right" if verdict == "left" else "left"
        told = two.vote(ann, shown, verdict).feedback
        assert told.right
        assert told.why == item.why
        assert told.passed == (True if number == 6 else None)
        assert len(pool.calibration) == 7


def test_a_table_of_votes_that_is_none_is_told_by_its_row():
    good = {"sample": "1", "left": "a", "right": "b", "winner": "A", "reviewer": "x"}
    assert read_told([good], file="f")[0].winner == "left"
    for change, words in (({"winner": "maybe"}, "f:2 'maybe' is no winner"),
                          ({"reviewer": ""}, "f:2 'reviewer' is missing"),
                          ({"right": "a"}, "f:2 a candidate cannot be compared with itself"),
                          ({"group": "friends"}, "f:2 there is no group")):  # fmt: skip
        with pytest.raises(DataError, match=words):
            read_told([good, {**good, **change}], file="f")


def test_ac1_of_two_reviewers_is_that_of_their_cross_table():
    # 90/4/4/2: kappa .290780, AC1 .90983 with two categories
    pairs = [("left", "left")] * 90 + [("left", "right")] * 4 + [("right", "left")] * 4
    pairs += [("right", "right")] * 2
    rows = [row(n, v, who=w, item=f"i{n}") for n, pair in enumerate(pairs)
            for w, v in zip("pq", pair, strict=True)]  # fmt: skip
    table = np.zeros((4, 4))
    table[:2, :2] = [[90, 4], [4, 2]]
    found = ac1(rows, rng=np.random.default_rng(0))
    assert found.value == pytest.approx(gwet_ac1((table + table.T) / 2))
    assert raw_agreement(rows).value == pytest.approx(0.92)
    assert sorted(disputes(rows)) == sorted(f"i{n}" for n in range(90, 98))


def test_ties_are_half_wins_as_in_the_worked_example():
    # A-B (6 win, 3 loss, 3 tie), B-C (5, 4, 2), A-C (7, 2, 4): b = .440545, -.109137, -.331408
    counts = {("A", "B"): (6, 3, 3), ("B", "C"): (5, 4, 2), ("A", "C"): (7, 2, 4)}
    rows = []
    for (x, y), (won, lost, tied) in counts.items():
        words = ["left"] * won + ["right"] * lost + ["tie"] * (tied - 1) + ["both_bad"]
        rows += [row(f"{x}{y}{n}", word, x=x, y=y, who=f"p{n % 4}") for n, word in enumerate(words)]
    found = preference(rows)
    ratings = {one.candidate: one.rating.value for one in found.strengths}
    assert ratings["A"] == pytest.approx(0.440545, abs=1e-5)
    assert ratings["B"] == pytest.approx(-0.109137, abs=1e-5)
    assert ratings["C"] == pytest.approx(-0.331408, abs=1e-5)
    assert [one.candidate for one in found.strengths] == ["A", "B", "C"]
    # A won 13, lost 5, tied 7 of 25 votes
    assert win_rate(rows, "A").value == pytest.approx((13 + 3.5) / 25)
    assert found.ties.value == pytest.approx(9 / 36)


def test_a_vote_that_could_not_be_judged_is_missing_not_a_tie():
    rows = [row(n, "left", who=f"p{n % 3}") for n in range(9)]
    rows += [row(n, "right", who=f"p{n % 3}") for n in range(9, 12)]
    before = result_of(study(), rows, {}, ())
    after = result_of(study(), [*rows, row(20, "cannot_judge")], {}, ())
    assert after.cannot_judge == 1
    assert win_of(after, "a") == win_of(before, "a") == pytest.approx(9 / 12)


def win_of(result, name):
    return next(s.win_rate.value for s in result.preference.strengths if s.candidate == name)


def study(**more):
    given = {"id": "v-1", "project": "p", "run_id": "r", "created_at": AT, "state": "unblinded",
             "settings": Settings(), "commitment": Commitment(sha256="0" * 64), "opened_at": AT,
             "scenarios": (ScenarioInfo(name="s", critical=True),)}  # fmt: skip
    return Study(**given | more)


def test_length_is_held_equal_where_it_decides():
    # people choose the longer answer whoever wrote it; a is longer in two thirds of the pairs
    rng = np.random.default_rng(4)
    rows = []
    for n in range(600):
        longer = n % 3 != 0
        wins = rng.random() < (0.85 if longer else 0.15)
        style = {"characters": (300.0, 100.0) if longer else (100.0, 300.0)}
        rows.append(row(n, "left" if wins else "right", who=f"p{n % 10}", style=style))
    found = preference(rows)
    a = next(one for one in found.strengths if one.candidate == "a")
    assert a.rating.low > 0
    assert a.styled.low < 0 < a.styled.high
    effects = dict(found.style)
    assert set(effects) == {"characters"}
    assert effects["characters"].low > 0


def test_the_rule_leaves_out_on_evidence_and_says_why():
    rng = np.random.default_rng(5)
    rows = []
    for who in ("good", "left-hand", "same"):
        for n in range(60):
            flipped = bool(rng.integers(2))
            truth = "left" if rng.random() < 0.6 else "right"
            if who == "left-hand":
                turned = flipped != (n % 10 == 0)  # nine in ten for the left
                truth = "right" if turned else "left"
            if who == "same":
                truth = "tie"
            rows.append(row(n, truth, who=who, flipped=flipped))
    rows += [row(f"g{n}", "left" if n else "right", who="good", purpose="gold", expected="left")
             for n in range(8)]  # fmt: skip
    quality = {line.reviewer: line for line in quality_table(rows, Settings(), {})}
    assert quality["good"].excluded == ()
    assert quality["good"].gold.value == pytest.approx(7 / 8)
    assert quality["left-hand"].excluded == ("favours one side",)
    assert quality["left-hand"].left_rate.value == 0.9
    assert quality["same"].excluded == ("always the same verdict",)
    assert excluded_by(quality.values()) == {"left-hand", "same"}
    result = result_of(study(), rows, {"same": "Sam"}, ())
    assert (result.n_votes, result.n_left_out) == (60, 120)
    assert any("left-hand, Sam" in text or "Sam, left-hand" in text for text in result.warnings)


def test_few_gold_items_missed_are_no_evidence():
    rows = [row(n, "left" if n % 2 else "right") for n in range(20)]
    rows += [row(f"g{n}", "right", purpose="gold", expected="left") for n in range(1)]
    (line,) = quality_table(rows, Settings(), {})
    # one of one missed: the upper bound is 0.73 (Wilson, one-sided), above 0.7
    assert line.excluded == ()
    rows += [row(f"h{n}", "right", purpose="gold", expected="left") for n in range(3)]
    (line,) = quality_table(rows, Settings(), {})
    assert line.excluded == ("gold accuracy below 0.7",)


def test_groups_stand_apart_and_missing_users_are_told():
    rows = [row(n, "left", who=f"u{n % 2}", group="real_user") for n in range(4)]
    rows += [row(n, "right", who=f"t{n % 2}", group="own_team", item=f"t{n}") for n in range(8)]
    result = result_of(study(), rows, {}, ())
    shares = {one.group: (one.n_votes, one.share) for one in result.groups}
    assert shares == {"real_user": (4, pytest.approx(1 / 3)), "own_team": (8, pytest.approx(2 / 3))}
    assert "Real users gave 4 of 12 votes, less than half." in result.warnings
    assert not any("critical" in text for text in result.warnings)
    team = [one for one in rows if one.group == "own_team"]
    told = result_of(study(), team, {}, ()).warnings
    assert "No real user has voted on s, which is critical." in told


def test_reasons_and_rubric_follow_the_side_not_the_place():
    ballot = Ballot(verdict="left", tags=(Tagged(tag="too long", side="right"),),
                    rubric={"relevance": {"left": 4, "right": 1}})  # fmt: skip
    rows = [row(1, "left", ballot=ballot), row(2, "right", flipped=True, ballot=ballot)]
    found = {(one.candidate, one.tag): one.share.value for one in reasons(rows)}
    # shown right: b in the first, a in the second
    assert found == {("b", "too long"): 0.5, ("a", "too long"): 0.5}
    scores = {one.candidate: one.score.value for one in rubric_scores(rows, Settings().rubric)
              if not one.scenario}  # fmt: skip
    assert scores == {"a": pytest.approx(0.5), "b": pytest.approx(0.5)}


def test_a_comment_is_quoted_once_on_the_preferred_answer():
    rows = [
        row(n, outcome, flipped=n % 2 == 0, ballot=Ballot(verdict="left", comment=f"why {n}"))
        for n, outcome in enumerate(["left", "right", "tie"] * 3)
    ]
    found = comments(rows, most=9)
    assert sorted(one.text for one in found) == [f"why {n}" for n in range(9)]
    assert {(one.candidate, one.against, one.verdict) for one in found} == {
        ("a", "b", "preferred"), ("b", "a", "preferred"), ("a", "b", "tie")
    }  # fmt: skip
    assert len(comments(rows, most=2)) == 2


def test_guesses_are_set_against_chance():
    rows = [row(n, "left", flipped=bool(n % 2)) for n in range(20)]
    guesses = [Guess(assignment=f"ann-{n}", side="left", named="a") for n in range(10)]
    guesses += [Guess(assignment=f"ann-{n}", side="left", named="") for n in range(10, 20)]
    found = guessing(guesses, rows, names=("a", "b"))
    # x is a, shown left in the even ones
    assert (found.right.value, found.right.n_samples, found.no_idea.value) == (0.5, 10, 0.5)
    assert found.p_value == 1.0
    every = [Guess(assignment=g.assignment, side="left", named="a" if n % 2 == 0 else "b")
             for n, g in enumerate(guesses)]  # fmt: skip
    sure = guessing(every, rows, names=("a", "b"))
    # 20 of 20 right: 2 * 0.5 ** 20
    assert sure.p_value == pytest.approx(2 * 0.5**20, rel=1e-6)


def test_a_score_is_set_against_people_and_its_disagreements_are_listed():
    rows = [row(n, "left", who=f"p{n % 3}", item=f"i{n // 3}") for n in range(12)]
    rows += [row(20, "tie")]
    scores = {one.id: {"match": (1.0, 0.0)} for one in rows[:6]}
    scores |= {one.id: {"match": (0.0, 1.0)} for one in rows[6:9]}
    scores |= {one.id: {"match": (0.5, 0.5)} for one in rows[9:12]}
    (found,) = against_people(rows, scores)
    # told apart: six votes for the higher, three for the lower; three votes on an equal pair
    assert found.agreement.value == pytest.approx(6 / 9)
    assert found.silent.value == pytest.approx(3 / 12)
    assert (found.n_disagreements, found.disagreements[0].sample) == (1, "i2")
    assert (found.disagreements[0].preferred, found.disagreements[0].votes) == ("a", 3)


def test_alpha_of_the_worked_table_comes_out_of_votes():
    # Krippendorff's small example as verdicts: units (1,2), (2,3), (3,4): nominal -.153846
    words = {1: "left", 2: "right", 3: "tie", 4: "both_bad"}
    rows = [row(n, words[v], who=w, item=f"i{n}") for n, pair in enumerate([(1, 2), (2, 3), (3, 4)])
            for w, v in zip("pq", pair, strict=True)]  # fmt: skip
    assert agreement(rows).alpha.value == pytest.approx(-0.153846, abs=1e-6)


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_votes_are_exported_as_they_were_shown(tmp_path, ending):
    rows = [row(1, "left", flipped=True, ballot=Ballot(verdict="right", comment="=1+1"))]
    path = tmp_path / f"votes.{ending}"
    write_votes(path, vote_rows(rows, unblinded=True))
    if ending == "parquet":
        (told,) = pd.read_parquet(path).to_dict("records")
    elif ending == "jsonl":
        told = json.loads(path.read_text())
    else:
        (told,) = csv.DictReader(path.open())
    # x is a, shown on the right, and won
    assert (told["left"], told["right"], told["winner"]) == ("b", "a", "right")
    # a spreadsheet must not take it for a formula
    assert told["comment"] == ("'=1+1" if ending == "csv" else "=1+1")
    blind = vote_rows(rows, unblinded=False)
    assert (blind[0]["left"], blind[0]["right"]) == ("", "")
    with pytest.raises(DataError):
        write_votes(tmp_path / "votes.xlsx", blind)
