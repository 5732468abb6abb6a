"""Settings of load, run and fallback that cannot be: one line, exit code 2, before any call."""

from __future__ import annotations

from pathlib import Path

import pytest

from befit.cli.load_given import read_given
from befit.cli.load_words import read_shapes
from befit.errors import UsageError
from cli_ground import PROJECT, befit, provided, write_project

ONLY_TOTAL = PROJECT[: PROJECT.index("  - name: fields")] + PROJECT[PROJECT.index("run:") :]
CALM = ONLY_TOTAL.replace("    critical: true\n", "")
NUMBERS = (
    "warm_up", "cool_down", "seed", "speed", "most_in_flight", "most_waiting", "latency",
    "first_token", "per_token", "share", "requests", "tokens", "usd", "hourly", "start", "most",
    "least_calls", "duration",
)  # fmt: skip
MAY_BE_ZERO = {"warm_up", "cool_down", "seed"}


@pytest.mark.parametrize("key", NUMBERS)
def test_a_setting_that_is_no_number_of_its_kind_is_refused(key: str) -> None:
    wrong = ["nan", "sNaN", "inf", "-inf", "-1e30", "1e30", "1e999999", "1e999999999", "", "x"]
    for value in [*wrong, *([] if key in MAY_BE_ZERO else ["0", "-1"])]:
        with pytest.raises(UsageError) as told:
            read_given([f"{key}={value}"])
        assert key in f"{told.value.what} {told.value.where}"
    # The least that each may be, and what it is then.
    assert read_given([f"{key}=1"]).number(key) == 1.0


@pytest.mark.parametrize(
    "shape",
    [
        "poisson:inf", "poisson:nan", "poisson:0", "poisson:-1", "poisson:1e30", "constant:inf",
        "constant:", "ramp:1-inf", "ramp:nan-2", "ramp:5", "closed:0", "closed:-1", "closed:1.5",
        "closed:1000000000000", "closed:nan", "search:open", "zigzag:1",
    ],
)  # fmt: skip
def test_a_shape_that_cannot_be_is_one_line(shape: str) -> None:
    with pytest.raises(UsageError) as told:
        read_shapes([shape], read_given([]), folder=Path())
    assert told.value.what.startswith(f"'{shape}' is no ")


def test_a_load_that_cannot_be_is_refused_before_any_call(tmp_path: Path) -> None:
    with provided(write_project(tmp_path, text=CALM, n=2)) as provider:
        for words in (("--set", "latency=nan"), ("--shape", "poisson:inf")):
            ended = befit("load", *words)
            assert (ended.code, ended.err[:4], provider.requests) == (2, "E101", [])


def test_what_is_wrong_is_what_is_named(tmp_path: Path) -> None:
    with provided(write_project(tmp_path, text=CALM, n=2)) as provider:
        words = ["load", "--shape", "constant:2", "--duration", "10"]
        long = befit(*words, "--set", "warm_up=20")
        assert long.err.startswith("E101 warm-up and cool-down leave nothing of the level")
        assert "20.0 s and 0 ms of 10.0 s" in long.err
        assert "'share' has no value" in befit(*words, "--set", "share").err
        assert "--set share=VALUE" in befit(*words, "--set", "share").err
        assert "share is a number above 0 to 1" in befit(*words, "--set", "share=50").err
        assert "did you mean 'share'?" in befit(*words, "--set", "shar=0.5").err
        below = befit("load", "--shape", "search", "--set", "start=5", "--set", "most=2")
        assert (below.code, "start is 5, most 2" in below.err) == (2, True)
        parts = befit("load", "--shape", "search:closed", "--set", "start=1.5")
        assert (parts.code, "start is a whole number" in parts.err) == (2, True)
        assert provider.requests == []


def test_numbers_of_run_and_fallback_that_cannot_be_are_one_line(tmp_path: Path) -> None:
    with provided(write_project(tmp_path, text=CALM, n=2)) as provider:
        for words in (
            ("run", "--max-cost", "nan"), ("run", "--max-cost", "inf"),
            ("run", "--max-cost", "-1"), ("run", "--limit", "0"), ("run", "--limit", "-1"),
            ("run", "--limit", "1" + "0" * 30), ("run", "--max-cost", "x"),
            ("fallback", "check", "--faults", "-1"),
            ("fallback", "check", "--faults", "1" + "0" * 30),
        ):  # fmt: skip
            ended = befit(*words)
            assert ended.code == 2, (words, ended)
            assert ended.err.startswith("E101"), (words, ended.err)
        assert provider.requests == []
