from __future__ import annotations

import pytest

from befit.core.sample import Sample
from befit.scorers.vision import Vision
from befit.scorers.vision_read import f1, iou
from scorer_ground import answered, named


def scores(text, target, /, tags=(), **options):
    scorer = Vision(Vision.Options.model_validate(options))
    return list(scorer.score(Sample(id="s", input="?", target=target, tags=tags), answered(text)))


def verdict(*given, **options):
    found = named(scores(*given, **options), "vision")
    return found.value, found.label


def test_text_is_graded_by_anls_and_right_from_the_threshold_on():
    found = scores("Hello Wrld", "Hello World")
    # One of 11 characters is lost: 1 - 1/11.
    assert named(found, "anls").value == pytest.approx(10 / 11)
    assert named(found, "vision").value == 1.0
    assert verdict("Hello Wrld", "Hello World", anls=0.95) == (0.0, "misread")
    assert verdict("xyz", "abc") == (0.0, "wrong")
    assert named(scores("xyz", "abc"), "anls").value == 0.0


def test_a_text_is_found_within_a_sentence():
    assert verdict("The sign reads: NO ENTRY.", "No entry") == (1.0, "right")
    assert verdict("The answer is 4711-B", ["4711-B", "4711 B"]) == (1.0, "right")


def test_numbers_of_charts_may_be_off_by_a_share():
    assert verdict("about 105", {"number": 100}) == (1.0, "right")
    assert verdict("about 106", {"number": 100}) == (0.0, "wrong")
    assert verdict("2024 had 1,060 units", {"number": 1000, "tolerance": 0.1}) == (1.0, "right")
    assert verdict("many", {"number": 100}) == (0.0, "no_number")
    assert verdict("-3", {"number": 3}) == (0.0, "wrong")


GRAPH = {"nodes": ["Start", "Check", "End"], "edges": [["Start", "Check"], ["Check", "End"]]}


def test_a_flow_chart_is_compared_by_its_nodes_and_edges():
    right = '{"nodes": ["end", "start", "check"], "edges": ["start -> check", ["check", "end"]]}'
    assert verdict(right, GRAPH) == (1.0, "right")
    assert verdict("Start -> Check -> End", GRAPH) == (1.0, "right")
    turned = '{"edges": [{"from": "Check", "to": "Start"}, {"from": "Check", "to": "End"}]}'
    found = scores(turned, GRAPH)
    # 3 nodes and 1 of 2 edges on both sides: F1 = 2 * 4 / (5 + 5).
    assert named(found, "structure_f1").value == pytest.approx(0.8)
    assert verdict(turned, GRAPH) == (0.0, "missed")
    assert "start / check" in named(found, "vision").explanation
    assert verdict("It shows a process.", GRAPH) == (0.0, "no_structure")


TABLE = {"columns": ["city", "rain"], "rows": [["Graz", "81"], ["Linz", "72"]]}


@pytest.mark.parametrize(
    "text",
    [
        "| city | rain |\n|---|---|\n| Graz | 81 |\n| Linz | 72 |",
        "city,rain\nGraz,81\nLinz,72",
        '[{"city": "Graz", "rain": 81}, {"city": "Linz", "rain": 72}]',
        '{"columns": ["city", "rain"], "rows": [["Graz", 81], ["Linz", 72]]}',
    ],
)
def test_a_table_is_compared_by_its_cells_in_any_form(text):
    assert verdict(text, TABLE) == (1.0, "right")
    swapped = text.replace("81", "x").replace("72", "81").replace("x", "72")
    # 4 of 6 cells of either side are right.
    assert named(scores(swapped, TABLE), "structure_f1").value == pytest.approx(4 / 6)


def test_one_region_alone_is_no_answer_across_regions():
    target = {"regions": ["Berger", ["12.50", "12,50"]]}
    assert verdict("Berger pays 12,50", target) == (1.0, "right")
    found = scores("Berger", target)
    assert named(found, "vision").label == "one_region_only"
    assert [named(found, "region", f"region {n}").value for n in (1, 2)] == [1.0, 0.0]


def test_who_tells_all_there_is_has_joined_nothing():
    target = {"regions": ["pots", "305"], "others": ["maps", "914", "baskets"]}
    assert verdict("pots, 305", target) == (1.0, "right")
    page = "R20 baskets 914 F90 pots 305"
    found = scores(page, target)
    assert (named(found, "vision").value, named(found, "vision").label) == (0.0, "others_too")
    assert verdict("pots at 914", target) == (0.0, "one_region_only")


@pytest.mark.parametrize(
    ("said", "target", "value"),
    [
        ("Yes, no doubt about it.", "yes", 1.0),
        ("Yes, no doubt about it.", "no", 0.0),
        ("No.", "no", 1.0),
        ("It could be yes, but the answer is no", "no", 1.0),
        ("A picture of nothing.", "no", 0.0),
    ],
)
def test_a_caption_is_judged_by_what_is_said_clearly(said, target, value):
    assert verdict(said, target)[0] == value


def test_boxes_by_overlap_and_points_by_their_place():
    # Two squares of 4, 1 in common: 1 / 7.
    assert iou((0, 0, 2, 2), (1, 1, 3, 3)) == pytest.approx(1 / 7)
    assert iou((0, 0, 1, 1), (5, 5, 6, 6)) == 0.0
    # 10 x 10 moved by 2: 80 / 120.
    assert named(scores("[2, 0, 12, 10]", {"box": [0, 0, 10, 10]}), "iou").value == pytest.approx(
        2 / 3
    )
    assert verdict("[2, 0, 12, 10]", {"box": [0, 0, 10, 10]}) == (1.0, "right")
    assert verdict("[5, 0, 15, 10]", {"box": [0, 0, 10, 10]}) == (0.0, "elsewhere")
    assert verdict('{"x": 3, "y": 4}', {"inside": [0, 0, 10, 10]}) == (1.0, "right")
    assert verdict("x=30, y=4", {"inside": [0, 0, 10, 10]}) == (0.0, "elsewhere")
    assert verdict("there", {"inside": [0, 0, 10, 10]}) == (0.0, "no_point")


def test_f1_of_multisets():
    from collections import Counter  # noqa: PLC0415 - used here alone

    assert f1(Counter("aab"), Counter("abb")) == pytest.approx(2 / 3)
    assert f1(Counter(), Counter()) == 1.0


def test_each_tag_has_a_score_of_its_own():
    found = scores("no", "abc", tags=("structure", "reasoning", "chart"))
    assert {s.name for s in found} == {"vision", "anls", "vision_structure", "vision_reasoning"}
    assert named(found, "vision_reasoning").value == 0.0


def test_targets_that_ask_nothing_leave_it_unscored():
    assert verdict("x", {"shape": 1}) == (None, "bad_target")
    assert verdict("x", {"box": [1, 2]}) == (None, "bad_target")
    assert verdict("", "abc") == (0.0, "no_answer")


def test_no_answer_is_0_in_the_measure_of_the_target_too():
    targets = {
        "anls": "NO ENTRY",
        "structure_f1": GRAPH,
        "iou": {"box": [0, 0, 10, 10]},
    }
    for measure, target in targets.items():
        found = scores(" ", target)
        assert (named(found, measure).value, named(found, "vision").label) == (0.0, "no_answer")
