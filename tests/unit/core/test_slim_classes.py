"""What a slim dataclass shares with the frozen one; to find who writes to it is the checker's."""

from __future__ import annotations

import copy
import inspect
import pickle
from dataclasses import dataclass, field, fields, replace

import pytest

from befit.core.completion import Completion, Request, Timing
from befit.core.landed import Landed
from befit.core.price import Usage
from befit.core.score import Score
from befit.core.slim import slim
from befit.core.trial import Slot, Trial

SLIM = (Completion, Landed, Request, Score, Slot, Timing, Trial, Usage)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plain:
    """A dataclass as it is."""

    a: int
    b: str = "b"
    c: list[int] = field(default_factory=list)


@slim(frozen=True, slots=True, kw_only=True)
class Quick:
    """The same, made quickly."""

    a: int
    b: str = "b"
    c: list[int] = field(default_factory=list)


def test_a_slim_class_takes_what_the_frozen_one_takes() -> None:
    assert inspect.signature(Quick).parameters.keys() == inspect.signature(Plain).parameters.keys()
    made = Quick(a=1)
    assert (made.a, made.b, made.c) == (1, "b", [])
    assert made.c is not Quick(a=1).c
    assert repr(Quick(a=1, b="x", c=[2])) == "Quick(a=1, b='x', c=[2])"


@pytest.mark.parametrize("given", [{}, {"a": 1, "d": 2}])
def test_a_slim_class_refuses_what_the_frozen_one_refuses(given: dict[str, int]) -> None:
    with pytest.raises(TypeError) as plain:
        Plain(**given)  # type: ignore[arg-type]  # what is refused
    with pytest.raises(TypeError) as quick:
        Quick(**given)  # type: ignore[arg-type]  # what is refused
    assert str(quick.value) == str(plain.value).replace("Plain", "Quick")


def test_a_slim_class_is_copied_pickled_replaced_and_hashed_by_value() -> None:
    made = Usage(uncached_input=3, text_output=2)
    assert pickle.loads(pickle.dumps(made)) == copy.deepcopy(made) == made  # noqa: S301  # our own
    assert replace(made, text_output=5) == Usage(uncached_input=3, text_output=5)
    assert hash(made) == hash(Usage(uncached_input=3, text_output=2))


@pytest.mark.parametrize("kind", SLIM, ids=lambda kind: kind.__name__)
def test_what_each_trial_makes_has_its_fields_and_no_others(kind: type) -> None:
    known = fields(kind)
    assert kind.__slots__ == tuple(one.name for one in known)  # type: ignore[attr-defined]
    assert known
    assert all(one.kw_only for one in known)
