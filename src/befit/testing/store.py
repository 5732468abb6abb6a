"""The contract of a store, for those who write one.

    class TestMine(StoreContract):
        def open(self): return MyStore(self.place)

`open` is called several times in a test and always returns the same data.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Protocol

import pytest
from pydantic import SecretStr

from befit.core.candidate import Candidate
from befit.core.completion import Attempt, Completion, Timing
from befit.core.failure import Failure
from befit.core.landed import Landed
from befit.core.message import ImagePart, Message, TextPart, ToolCall
from befit.core.price import Price, Usage
from befit.core.protocols import FactReader, RunStore, RunWriter, SampleReader, TrialReader
from befit.core.run import Manifest, ManifestCandidate, RunSettings
from befit.core.sample import Sample
from befit.core.score import Score
from befit.core.trial import Slot, Trial, TrialKey
from befit.core.untold import Untold
from befit.errors import StoreError

KEY = "sk-contract-9f31c0d77e"
SCENARIO = "triage"


class Store(RunWriter, FactReader, RunStore, SampleReader, TrialReader, Protocol):
    """Everything a run and its report need of a store."""


def manifest(run_id: str = "r-0001", *, plan: str = "plan-1") -> Manifest:
    """Return a manifest with one candidate, a price and a key that must not be stored."""
    price = Price(input=Decimal("0.150"), output=Decimal("1E-7"), cache_read=Decimal("0.0750"))
    candidate = Candidate(name="alpha", target="replay", api_key=SecretStr(KEY), price=price)
    return Manifest(
        id=run_id,
        project="contract",
        created_at="2026-02-03T04:05:06+00:00",
        befit_version="0.1.0",
        candidates=(
            ManifestCandidate(
                candidate=candidate,
                fingerprint=candidate.fingerprint,
                price=price,
                price_snapshot=price.fingerprint,
            ),
        ),
        scenarios=(),
        settings=RunSettings(),
        plan_fingerprint=plan,
    )


def landed(
    sample_id: str = "s1", *, text: str = "Paris", passed: float | None = 1.0, repeat: int = 0
) -> Landed:
    """Return a finished trial of candidate alpha with a match score and the derived pass."""
    key = TrialKey("c" * 24, "e" * 24, f"input-of-{sample_id}", "", repeat)
    trial = Trial(
        key=key,
        transcript=(
            Message(role="user", content="What is the capital of France?"),
            Message(role="assistant", content=text),
        ),
        completions=(
            Completion(
                text=text,
                finish_reason="stop",
                usage=Usage(uncached_input=11, cache_read=4, text_output=3, reasoning_output=2),
                timing=Timing(sent=0.1, first_token=0.25, first_output_token=0.5, end=1.5),
                served_model="alpha-2026-01",
            ),
        ),
        cost=Decimal("0.000123400"),
        price_snapshot="p" * 24,
        started_at=1_770_000_000.125,
        seed=7,
    )
    return Landed(
        slot=Slot(
            candidate="alpha",
            scenario=SCENARIO,
            sample_id=sample_id,
            variant="",
            repeat=repeat,
            key=key,
        ),
        trial=trial,
        scores=(
            Score(
                scorer="match", version="1", name="match", value=passed, answer=text, span=(0, 5)
            ),
            Score(scorer="befit", version="1", name="pass", value=passed, answer=text),
        ),
    )


def missing(sample_id: str = "s1") -> Landed:
    """Return the same slot without an answer: the provider failed it."""
    whole = landed(sample_id)
    failure = Failure(kind="overloaded", message="529", status=529)
    trial = replace(
        whole.trial, completions=(), transcript=whole.trial.transcript[:1], failure=failure
    )
    return replace(whole, trial=trial, scores=())


def with_scores(item: Landed, scores: Sequence[Score], /) -> Landed:
    """Return `item` with other scores."""
    return replace(item, scores=tuple(scores))


class StoreContract:
    """What every store keeps to. Subclass it as a pytest class and give `open`."""

    def open(self) -> Store:
        """Return the store of this test, opened anew on the same data."""
        raise TypeError("a subclass of StoreContract has to define open()")

    def started(self) -> Store:
        """Return the store with run r-0001 in it."""
        store = self.open()
        store.create(manifest())
        return store

    def test_a_manifest_comes_back_as_it_went_in_without_its_key(self) -> None:
        """Prices are exact decimals; a key is never part of a record."""
        self.started()
        back = self.open().manifest("r-0001")
        whole = manifest()
        bare = whole.candidates[0].candidate.model_copy(update={"api_key": None})
        first = whole.candidates[0].model_copy(update={"candidate": bare})
        assert back == whole.model_copy(update={"candidates": (first,)})
        price = back.candidates[0].price
        assert price is not None
        assert str(price.input) == "0.150"
        assert KEY not in back.model_dump_json()

    def test_runs_are_listed_newest_first_with_their_status(self) -> None:
        """`create` says running, `finish` says what came of it."""
        store = self.started()
        store.create(manifest("r-0002"))
        store.finish("r-0001", "partial")
        assert [(m.id, status) for m, status in self.open().runs()] == [
            ("r-0002", "running"),
            ("r-0001", "partial"),
        ]

    def test_a_run_id_is_given_once(self) -> None:
        """A second run of the same id is refused and the first one stands."""
        store = self.started()
        with pytest.raises(StoreError):
            store.create(manifest(plan="another"))
        assert store.manifest("r-0001").plan_fingerprint == "plan-1"

    def test_an_unknown_run_is_an_error(self) -> None:
        """Nothing is written for a run nobody created."""
        store = self.open()
        for act in (
            lambda: store.manifest("r-none"),
            lambda: store.finish("r-none", "complete"),
            lambda: store.commit("r-none", [landed()]),
        ):
            with pytest.raises(StoreError):
                act()
        assert store.trial(landed().slot.key.id) is None

    def test_scores_that_come_later_fill_a_slot_once(self) -> None:
        """Committed without scores, judged afterwards; what is scored stays as it is."""
        store = self.started()
        first, second = landed("s1"), landed("s2")
        store.commit("r-0001", [with_scores(first, ()), second])
        assert [fact.passed for fact in store.facts("r-0001")] == [None, 1.0]
        wrong = [with_scores(item, [replace(s, value=0.0) for s in item.scores])
                 for item in (first, second)]  # fmt: skip
        store.add_scores("r-0001", wrong)
        store.add_scores("r-0001", [first])
        assert [fact.passed for fact in self.open().facts("r-0001")] == [0.0, 1.0]
        assert len(list(store.scores("r-0001"))) == len(first.scores) + len(second.scores)
        with pytest.raises(StoreError):
            store.add_scores("r-none", [first])

    def test_samples_stream_in_the_order_they_came(self) -> None:
        """In several batches; an id that is there already is left alone."""
        store = self.started()
        given = [Sample(id=f"s{n}", input=f"q{n}", target={"n": n}) for n in (3, 1, 2)]
        store.put_samples("r-0001", SCENARIO, given[:2])
        store.put_samples("r-0001", SCENARIO, given)
        assert list(self.open().samples("r-0001", SCENARIO)) == given
        assert list(store.samples("r-0001", "another")) == []

    def test_a_trial_comes_back_equal(self) -> None:
        """Every field, with tools, pictures, failed attempts and unknown costs."""
        store = self.started()
        base = landed("s1")
        call = ToolCall(id="1", name="look", arguments='{"a": 1')
        answer = Completion(text="", reasoning="hm", tool_calls=(call,), headers={"x": "y"})
        failed = Attempt(failure=Failure(kind="server", message="503"), started=0.5, waited=1.25)
        picture = ImagePart(url="data:image/png;base64,AAAA")
        odd = replace(
            base.trial,
            transcript=(
                Message(role="user", content=(TextPart(text="see"), picture)),
                Message(role="assistant", content="", tool_calls=(call,)),
                Message(role="tool", content="42", tool_call_id="1", name="look"),
            ),
            completions=(answer, *base.trial.completions),
            attempts=(failed,),
            cost=None,
            seed=None,
        )
        refused = replace(
            landed("s3").trial, failure=Failure(kind="content_filter", message="no"), completions=()
        )
        batch = [base, replace(landed("s2"), trial=odd), replace(landed("s3"), trial=refused)]
        store.commit("r-0001", batch)
        back = self.open().trials([item.slot.key.id for item in batch])
        assert back == {item.slot.key.id: item.trial for item in batch}
        assert str(back[base.slot.key.id].cost) == "0.000123400"

    @pytest.mark.parametrize(
        "text",
        ["a\0b", "\ud800 alone", "\U0001f600 é", "x" * 1_000_000, "</script>\r\n\x1b[2J", ""],
        ids=["nul", "surrogate", "wide", "megabyte", "hostile", "empty"],
    )
    def test_output_is_kept_untouched(self, text: str) -> None:
        """Whatever a model can say, in the answer and in the narrow columns."""
        store = self.started()
        item = landed(text=text)
        spoken = replace(item.trial.completions[0], served_model=text[:20], finish_reason=text[:9])
        item = replace(item, trial=replace(item.trial, completions=(spoken,)))
        labelled = replace(item.scores[0], label=text[:20], part=text[:20])
        store.commit("r-0001", [with_scores(item, (labelled, item.scores[1]))])
        assert self.open().trial(item.slot.key.id) == item.trial
        (fact,) = store.facts("r-0001")
        assert fact.output_chars == len(text)

    def test_a_batch_may_come_twice(self) -> None:
        """After a crash nobody knows whether the last batch got through."""
        store = self.started()
        batch = [landed("s1"), landed("s2", passed=0.0)]
        store.commit("r-0001", batch)
        before = (list(store.facts("r-0001")), list(store.scores("r-0001")))
        self.open().commit("r-0001", batch)
        assert (list(store.facts("r-0001")), list(store.scores("r-0001"))) == before

    def test_a_finished_slot_is_never_overwritten(self) -> None:
        """Neither by another answer nor by a failure."""
        store = self.started()
        store.commit("r-0001", [landed(text="Paris")])
        store.commit("r-0001", [landed(text="Lyon", passed=0.0)])
        store.commit("r-0001", [missing()])
        (fact,) = store.facts("r-0001")
        assert (fact.status, fact.passed) == ("ok", 1.0)
        trial = store.trial(fact.key_id)
        assert trial is not None
        assert trial.output == "Paris"

    def test_a_missing_trial_is_kept_but_not_finished(self) -> None:
        """It is counted, it can be looked at, and it will be asked again."""
        store = self.started()
        item = missing()
        store.commit("r-0001", [item])
        key = item.slot.key.id
        (fact,) = store.facts("r-0001")
        assert (fact.status, fact.failure, fact.latency) == ("missing", "overloaded", None)
        assert fact.passed is None
        assert store.filled("r-0001", [key]) == set()
        assert store.unfilled("r-0001", [item.slot]) == [item.slot]
        assert store.trials([key]) == {}
        assert store.trial(key) == item.trial

    def test_a_missing_trial_is_replaced_when_it_lands(self) -> None:
        """With its scores, in the same slot."""
        store = self.started()
        store.commit("r-0001", [missing()])
        item = landed()
        store.commit("r-0001", [item])
        (fact,) = store.facts("r-0001")
        assert (fact.status, fact.passed) == ("ok", 1.0)
        assert store.trial(item.slot.key.id) == item.trial
        assert len(list(store.scores("r-0001"))) == len(item.scores)

    def test_what_a_replaced_trial_has_cost_stays_in_the_bill(self) -> None:
        """Once, however often its batch came; what the engine adds comes on top."""
        store = self.started()
        paid = missing()
        earlier = paid.trial.started_at - 60
        paid = replace(paid, trial=replace(paid.trial, cost=Decimal("0.011"), started_at=earlier))
        store.commit("r-0001", [paid])
        store.commit("r-0001", [paid])
        assert store.untold("r-0001") == {}
        store.commit("r-0001", [landed()])
        store.commit("r-0001", [landed()])
        assert store.untold("r-0001") == {"alpha": Untold(spent=Decimal("0.011"))}
        more = Untold(spent=Decimal("0.5"), uncertain=Decimal("0.25"))
        store.add_untold("r-0001", {"alpha": more, "beta": more})
        found = self.open().untold("r-0001")
        assert found["beta"] == more
        assert abs(found["alpha"].spent - Decimal("0.511")) < Decimal("1e-9")
        assert found["alpha"].uncertain == Decimal("0.25")
        assert store.untold("r-0002") == {}

    def test_slots_are_filled_by_run_and_place(self) -> None:
        """Two slots may share a key: one answer does not fill the other's place."""
        store = self.started()
        store.create(manifest("r-0002"))
        first = landed()
        twin = replace(first, slot=replace(first.slot, scenario="another"))
        store.commit("r-0001", [first])
        key = first.slot.key.id
        assert store.filled("r-0001", [key, "f" * 32]) == {key}
        assert store.filled("r-0002", [key]) == set()
        assert store.unfilled("r-0001", [first.slot, twin.slot]) == [twin.slot]
        store.commit("r-0001", [twin])
        assert store.unfilled("r-0001", [first.slot, twin.slot]) == []

    def test_a_reused_trial_is_marked_and_an_earlier_run_stays_as_it_was(self) -> None:
        """A slot that was missing in its run is not healed by a later run."""
        store = self.started()
        store.create(manifest("r-0002"))
        store.commit("r-0001", [missing("s1"), landed("s2")])
        again = replace(landed("s2"), reused=True)
        store.commit("r-0002", [landed("s1"), again])
        assert [f.status for f in store.facts("r-0001")] == ["missing", "ok"]
        assert [(f.status, f.reused) for f in store.facts("r-0002")] == [
            ("ok", False),
            ("ok", True),
        ]

    def test_facts_say_what_was_measured(self) -> None:
        """Unknown is None, never 0; the sample's traits come with it."""
        store = self.started()
        sample = Sample(id="s1", input="q", kind="edge", language="fr", cluster="c1", weight=2.5)
        store.put_samples("r-0001", SCENARIO, [sample])
        item, bare = landed("s1"), landed("s2", passed=None)
        silent = replace(bare.trial, completions=(Completion(text="ok"),), cost=None)
        store.commit("r-0001", [item, replace(bare, trial=silent)])
        full, empty = store.facts("r-0001")
        assert (full.kind, full.language, full.cluster, full.weight) == ("edge", "fr", "c1", 2.5)
        assert (full.first_token, full.first_output_token, full.latency) == (0.25, 0.5, 1.5)
        assert (full.input_tokens, full.output_tokens, full.reasoning_tokens) == (15, 5, 2)
        assert full.cost == float(item.trial.cost or 0)
        assert full.served_model == "alpha-2026-01"
        assert full.key_id == item.slot.key.id
        assert (empty.input_tokens, empty.cost, empty.first_token) == (None, None, None)
        assert (empty.passed, empty.kind, empty.weight) == (None, "typical", 1.0)

    def test_equal_answers_have_equal_hashes(self) -> None:
        """1 and 1.0 are equal, the order of keys does not matter, texts are no numbers."""
        store = self.started()
        answers = [{"a": 1, "b": 2.5}, {"b": 2.5, "a": 1.0}, "1", 1, 1.0, None]
        for n, answer in enumerate(answers):
            item = landed(f"s{n}")
            score = replace(item.scores[1], answer=answer)
            store.commit("r-0001", [with_scores(item, (score,))])
        a, b, text, one, also_one, none = (f.answer for f in store.facts("r-0001"))
        assert a == b
        assert one == also_one
        assert none is None
        assert len({a, text, one}) == len((a, text, one))

    def test_scores_can_be_asked_for_by_scenario_name_and_part(self) -> None:
        """Parts are details; unscored and not-a-number are None, not 0."""
        store = self.started()
        item = landed()
        part = Score(scorer="fields", version="1", name="field", value=0.5, part="total")
        vague = Score(scorer="odd", version="1", name="odd", value=float("nan"), label="?")
        store.commit("r-0001", [with_scores(item, (*item.scores, part, vague))])
        rows = list(store.scores("r-0001"))
        assert sorted(row.name for row in rows) == ["field", "match", "odd", "pass"]
        assert [row.part for row in store.scores("r-0001", names=["field"])] == ["total"]
        assert [row.value for row in store.scores("r-0001", names=["odd"])] == [None]
        assert "field" not in {row.name for row in store.scores("r-0001", whole_only=True)}
        assert list(store.scores("r-0001", scenario="another")) == []
        assert list(store.scores("r-0001", scenario=SCENARIO)) == rows

    def test_a_reader_is_not_disturbed_by_a_writer(self) -> None:
        """What is streamed is one moment of the store."""
        store = self.started()
        store.commit("r-0001", [landed("s1"), landed("s2")])
        reading = store.facts("r-0001")
        next(reading)
        self.open().commit("r-0001", [landed("s0"), landed("s3")])
        assert [fact.sample_id for fact in reading] == ["s2"]
        assert len(list(store.facts("r-0001"))) == 4  # noqa: PLR2004 - the four landed above
