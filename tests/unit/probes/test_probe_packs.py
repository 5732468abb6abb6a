from __future__ import annotations

import pytest

from befit.core.sample import Sample
from befit.errors import UsageError
from befit.probes.pack import generate
from befit.probes.packs import PACKS, pack
from probe_readers import FLAWED, passed, samples_of
from probe_solvers import SOLVERS

TEXT = [one.name for one in PACKS if one.name != "vision"]
HARD = {
    "long-context": {"form": "plain|join|reference|contradiction", "absent": 1, "documents": "1,3"},
    "contamination": {"kind": "irrelevant|wrong|contradicting"},
    "chains": {"told": "list|rules", "steps": "3,6"},
    "tools": {"distractors": "0,5"},
    "reasoning": {"irrelevant": 2, "people": "3,4,5"},
    "instructions": {"constraints": "1,3,5,8"},
    "extraction": {"noise": "0,0.1", "absent": "0,2", "filler": "0,5"},
    "conversion": {"awkward": "0,1,2,3"},
    "spread": {"steps": "2,6"},
    "multilingual": {"steps": "1,4"},
    "recovery": {"pressure": "0,1,2"},
}
"""Settings under which solver and generator have to agree."""


@pytest.mark.parametrize("name", TEXT)
def test_an_independent_solver_gets_every_sample_right(tmp_path, name):
    samples = samples_of(name, n=24, **HARD[name])
    found = passed(tmp_path, samples, SOLVERS[name])
    assert [sample for sample, right in found.items() if right != 1.0] == []
    assert len(found) == len(samples)


@pytest.mark.parametrize("name", TEXT)
def test_a_flawed_answer_is_never_taken_for_right(tmp_path, name):
    samples = samples_of(name, n=8, **HARD[name])
    found = passed(tmp_path, samples, lambda _: FLAWED)
    # Where no tool is to be called, words that call none are right, whatever they say.
    harmless = [one.id for one in samples if "kind:irrelevant" in one.tags]
    assert [sample for sample, right in found.items() if right and sample not in harmless] == []


@pytest.mark.parametrize("name", TEXT)
def test_ten_seeds_give_ten_packs_and_the_same_seed_the_same(name):
    made = pack(name)
    packs = [tuple(generate(made, seed=seed, n=6)) for seed in range(10)]
    prints = [{s.input_fingerprint for s in one} for one in packs]
    assert len(set().union(*prints)) == sum(len(one) for one in packs)
    assert packs[3] == tuple(generate(made, seed=3, n=6))
    longer = tuple(generate(made, seed=3, n=9))
    assert longer[: len(packs[3])] == packs[3]


def test_knobs_are_checked_and_the_nearest_is_named():
    with pytest.raises(UsageError, match="no knob 'tokns'") as caught:
        samples_of("long-context", tokns=100)
    assert "did you mean 'tokens'?" in str(caught.value)
    with pytest.raises(UsageError, match="goes from 1 to 20"):
        samples_of("reasoning", steps=40)
    with pytest.raises(UsageError, match="no value of 'form'"):
        samples_of("long-context", form="prose")
    with pytest.raises(UsageError, match="no pack 'reasonin'"):
        pack("reasonin")


def test_several_values_of_a_knob_take_turns():
    tags = [one.tags[0] for one in samples_of("long-context", n=4, tokens="200,400")]
    assert tags == ["tokens:200", "tokens:400"] * 2


def test_the_users_own_samples_are_wrapped_and_keep_what_they_are():
    own = Sample(id="mine", input="Rome has seven hills. How many hills? Say it.", target="seven")
    doses = list(generate(pack("contamination"), wrap=[own], knobs={"doses": "0 3"}))
    assert [(s.id, len(s.input), s.cluster, s.target) for s in doses] == [
        ("mine-irrelevant-00", 1, "mine", "seven"),
        ("mine-irrelevant-03", 7, "mine", "seven"),
    ]
    forms = {s.tags[0]: s for s in generate(pack("spread"), wrap=[own])}
    assert [turn.user for turn in forms["form:sharded"].turns][1:] == ["How many hills?", "Say it."]
    assert forms["form:full"].input == own.input
    assert forms["form:concat"].input.count("- ") == 3
    with pytest.raises(UsageError, match="wraps none"):
        list(generate(pack("tools"), wrap=[own]))


@pytest.mark.parametrize("form", ["plain", "join", "reference", "contradiction"])
def test_a_long_text_has_the_length_that_its_tag_tells(form):
    made = samples_of("long-context", n=8, tokens="200,1000", documents="1,4", form=form)
    for sample in made:
        aimed = int(sample.tags[0].removeprefix("tokens:"))
        text = sample.input.rpartition("\n\n")[0]
        # At the 4 characters a token that the knob states, to within one sentence of filler.
        assert 4 * aimed - 130 < len(text) < 4 * aimed + 130


def test_facts_that_are_longer_than_the_text_are_refused():
    with pytest.raises(UsageError, match="take about 645 tokens, and 'tokens' is 100") as caught:
        samples_of("long-context", tokens="4000,100", facts=40)
    assert "raise 'tokens'" in str(caught.value)
