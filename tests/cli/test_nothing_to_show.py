"""What `befit show` says where a run has nothing of what is asked: what, where, why, what to do."""

from __future__ import annotations

import pytest

from cli_ground import befit

PROJECT = """\
project: shown
candidates:
  - {name: one, target: function, model: "befit_shown:answer"}
  - {name: two, target: function, model: "befit_shown:later"}
scenarios:
  - name: sums
    dimension: reasoning
    repeats: 1
    success: The sum.
    failure_modes: [{name: other, pattern: "."}]
    scorers: [match]
    samples: [{id: easy-1, input: 1+1, target: "2"}, {id: easy-2, input: 2+2, target: "4"}]
"""


@pytest.fixture(scope="module")
def run_folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("shown")
    (folder / "befit.yaml").write_text(PROJECT, encoding="utf-8")
    code = "def answer(prompt):\n    return '2'\ndef later(prompt):\n    return '4'\n"
    (folder / "befit_shown.py").write_text(code, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(folder))
        assert befit("run", folder, "--yes").code == 0
        yield folder


@pytest.mark.parametrize(
    ("words", "what", "why", "do"),
    [
        (
            ["easy-11"],
            "there is no sample 'easy-11'",
            "did you mean 'easy-1'? it begins with easy-1, easy-2",
            "befit show without a sample lists the trials that did not pass",
        ),
        (
            ["easy-1", "--candidate", "tow"],
            "has no candidate 'tow'",
            "did you mean 'two'? it has: one, two",
            "befit runs lists the other runs",
        ),
        (
            ["--candidate", "three"],
            "has no candidate 'three'",
            "it has: one, two",
            "befit runs lists the other runs",
        ),
        (
            ["easy-1", "--scenario", "smus"],
            "has no scenario 'smus'",
            "did you mean 'sums'? it has: sums",
            "befit runs lists the other runs",
        ),
    ],
)
def test_what_a_run_does_not_have_is_said_with_place_reason_and_way_out(
    run_folder, words, what, why, do
):
    ended = befit("show", *words, "-p", run_folder)
    assert ended.code == 2
    for part in (what, why, do):
        assert part in " ".join(ended.err.split())


@pytest.mark.usefixtures("run_folder")
def test_a_sample_that_nobody_has_answered_yet_is_no_missing_sample(tmp_path):
    priced = 'model: "befit_shown:later", price: {input: 1, output: 1}'
    text = PROJECT.replace('model: "befit_shown:later"', priced)
    (tmp_path / "befit.yaml").write_text(text, encoding="utf-8")
    befit("run", tmp_path, "--yes", "--max-cost", "0.000001")
    shown = befit("show", "easy-2", "-p", tmp_path, "--candidate", "two")
    assert shown.code == 2
    assert "sample 'easy-2' was not answered by 'two'" in shown.err
    assert "scenario sums" in shown.err
    assert "goes on with it" in shown.err
