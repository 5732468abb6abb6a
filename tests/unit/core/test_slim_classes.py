"""What a slim dataclass still is: frozen, equal by value, copied, pickled, strict about names."""

from __future__ import annotations

import copy
import inspect
import pickle
from dataclasses import FrozenInstanceError, dataclass, field, replace

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


@slim
@dataclass(frozen=True, slots=True, kw_only=True)
class Quick:
    """The same, made quickly."""

    a: int
    b: str = "b"
    c: list[int] = field(default_factory=list)


def test_a_slim_class_takes_what_the_plain_one_takes() -> None:
    assert inspect.signature(Quick).parameters.keys() == inspect.signature(Plain).parameters.keys()
    made = Quick(a=1)
    assert (made.a, made.b, made.c) == (1, "b", [])
    assert made.c is not Quick(a=1).c
    assert repr(Quick(a=1, b="x", c=[2])) == "Quick(a=1, b='x', c=[2])"


@pytest.mark.parametrize("given", [{}, {"a": 1, "d": 2}])
def test_a_slim_class_refuses_what_the_plain_one_refuses(given: dict[str, int]) -> None:
    with pytest.raises(TypeError) as plain:
        Plain(**given)  # type: ignore[arg-type]  # what is refused
    with pytest.raises(TypeError) as quick:
        Quick(**given)  # type: ignore[arg-type]  # what is refused
    assert str(quick.value) == str(plain.value).replace("Plain", "Quick")


def test_a_slim_class_is_frozen_copied_pickled_and_replaced() -> None:
    made = Usage(uncached_input=3, text_output=2)
    with pytest.raises(FrozenInstanceError):
        made.uncached_input = 4  # type: ignore[misc]  # what is refused
    assert pickle.loads(pickle.dumps(made)) == copy.deepcopy(made) == made  # noqa: S301  # our own
    assert replace(made, text_output=5) == Usage(uncached_input=3, text_output=5)
    assert hash(made) == hash(Usage(uncached_input=3, text_output=2))


@pytest.mark.parametrize("kind", SLIM, ids=lambda kind: kind.__name__)
def test_what_each_trial_makes_is_slim_and_frozen(kind: type) -> None:
    assert kind.__init__.__code__.co_filename == "<string>"
    assert "_set_" in "".join(kind.__init__.__code__.co_names)
    assert kind.__dataclass_params__.frozen


def test_a_class_that_does_more_than_set_its_fields_is_refused() -> None:
    @dataclass(frozen=True, slots=True, kw_only=True)
    class Checked:
        a: int

        def __post_init__(self) -> None:
            raise ValueError

    with pytest.raises(TypeError, match="does more than set its fields"):
        slim(Checked)
