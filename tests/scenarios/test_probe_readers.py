"""Simulated readers of known ability on every pack: the score finds the ability, knobs bite."""

from __future__ import annotations

import re
from collections import defaultdict

import pytest

from befit.stats.intervals import wilson
from probe_readers import Reader, Worker, passed, samples_of, windowed

ABILITIES = (0.3, 0.6, 0.85, 1.0)
PACKS = {
    "long-context": {"absent": 1},
    "contamination": {"doses": "0 4"},
    "spread": {},
    "recovery": {},
    "chains": {"steps": "3,4"},
    "tools": {"kind": "call|parallel|missing"},
    "reasoning": {},
    "instructions": {},
    "extraction": {},
    "conversion": {},
    "multilingual": {"languages": "en ja"},
}
SHORT = ("extraction",)


def _found(tmp_path, name):
    for ability in ABILITIES:
        folder = tmp_path / str(ability)
        folder.mkdir()
        found = passed(folder, samples_of(name, n=60, **PACKS[name]), Reader(name, ability))
        right = sum(value == 1.0 for value in found.values())
        interval = wilson(right, n=len(found), level=0.999)
        assert interval.low <= ability <= interval.high, (ability, right, len(found))


@pytest.mark.parametrize("name", SHORT)
def test_the_score_finds_the_ability_of_a_reader(tmp_path, name):
    _found(tmp_path, name)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in PACKS if name not in SHORT])
def test_the_score_finds_the_ability_of_a_reader_in_every_pack(tmp_path, name):
    _found(tmp_path, name)


def _said(request):
    return "\n".join(m.text for m in request.messages if m.role == "user")


def _sentences(request):
    return len(re.findall(r"[.。]", _said(request)))


def _numbers(request):
    return len(re.findall(r"\d+", _said(request)))


def _lines(request):
    return len(_said(request).splitlines())


def _misread(request):
    return len(re.findall(r"[a-z][0156]|[0156][a-z]", _said(request)))


LADDERS = {
    "contamination": ("doses", ("0", "4", "16"), lambda r: len(r.messages) // 2 + 1, {}),
    "spread": ("steps", (1, 4, 10), _sentences, {}),
    "recovery": ("steps", (1, 4, 10), _numbers, {}),
    "chains": ("steps", (3, 8, 16), lambda r: 1 + sum(m.role == "tool" for m in r.messages), {}),
    "tools": ("calls", (2, 4, 8), _sentences, {"kind": "parallel"}),
    "reasoning": ("steps", (1, 5, 15), _numbers, {"form": "calculation"}),
    "instructions": ("constraints", (1, 4, 8), _lines, {}),
    "extraction": ("noise", (0.0, 0.1, 0.4), _misread, {}),
    "conversion": ("rows", (1, 8, 40), _lines, {}),
    "multilingual": ("steps", (1, 4, 12), _numbers, {"languages": "en de"}),
}
"""The knob, its values from easy to hard, what a worker has to do, and other settings."""


@pytest.mark.parametrize("name", [*(n for n in LADDERS if n == "reasoning")])
def test_a_knob_turned_up_makes_a_pack_harder(tmp_path, name):
    _falls(tmp_path, name)


@pytest.mark.slow
@pytest.mark.parametrize("name", [*(n for n in LADDERS if n != "reasoning")])
def test_every_pack_gets_harder_with_its_knob(tmp_path, name):
    _falls(tmp_path, name)


def _falls(tmp_path, name):
    knob, values, units, others = LADDERS[name]
    rates = []
    for value in values:
        folder = tmp_path / str(value)
        folder.mkdir()
        found = passed(
            folder, samples_of(name, n=30, **{knob: value}, **others), Worker(name, 0.95, units)
        )
        rates.append(sum(right == 1.0 for right in found.values()) / len(found))
    assert rates == sorted(rates, reverse=True)
    assert rates[0] > rates[-1]


def test_a_reader_with_a_window_finds_what_stands_in_it_and_nothing_behind(tmp_path):
    samples = samples_of(
        "long-context", n=40, tokens="500,2000", depth="0.1,0.3,0.5,0.7,0.9", facts=1, absent=0
    )
    # 2,000 characters: all of 500 tokens, and a quarter of 2,000.
    found = passed(tmp_path, samples, windowed("long-context", 2_050))
    rates = defaultdict(list)
    for one in samples:
        tokens, depth = one.tags[0], one.tags[3]
        rates[tokens, depth].append(found[one.id] == 1.0)
    for (tokens, depth), right in rates.items():
        seen = tokens == "tokens:500" or depth == "depth:0.1"
        assert set(right) == {seen}, (tokens, depth)
