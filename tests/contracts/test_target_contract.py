"""Every registered target keeps the contract; a target without a maker here fails the suite."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from befit.core.candidate import Candidate
from befit.plugins import available, load
from befit.targets.models import CATALOGUE
from befit.targets.models import available as models_available
from befit.testing.provider import FakeProvider, refused_url
from befit.testing.script import Script
from befit.testing.targets import TargetContract

REGISTERED = list(available("befit.targets"))


def answering(prompt: str) -> str:
    return f"an answer to {prompt}"


def raising(prompt: str) -> str:
    raise ValueError(prompt)


@dataclass
class Surroundings:
    provider: FakeProvider
    folder: Path


def _recorded(folder: Path, name: str, record: dict) -> Path:
    path = folder / name
    prompt = TargetContract().prompt()
    path.write_text(json.dumps({"sample_id": prompt, "repeat": 0, **record}) + "\n")
    return path


def _remote(target: str) -> tuple[Callable, Callable]:
    def good(around: Surroundings) -> Candidate:
        base = around.provider.base_url if target == "openai" else around.provider.url
        return Candidate(name="a", target=target, model="m", base_url=base, api_key="k")

    def bad(around: Surroundings) -> Candidate:
        return good(around).model_copy(update={"base_url": refused_url()})

    return good, bad


def _function(name: str) -> Callable:
    return lambda around: Candidate(name="a", target="function", model=f"{__name__}:{name}")  # noqa: ARG005 (makers share a form)


def _replay(record: dict) -> Callable:
    def make(around: Surroundings) -> Candidate:
        path = _recorded(around.folder, "answers.jsonl", record)
        return Candidate(name="a", target="replay", options={"path": str(path)})

    return make


def _local(around: Surroundings) -> Candidate:
    del around
    there = [status for status in models_available() if status.fetched]
    if not there:
        pytest.skip(f"no local model is fetched: befit models fetch {CATALOGUE[0].name}")
    return Candidate(name="a", target="local", model=there[0].model.name)


def _broken_local(around: Surroundings) -> Candidate:
    pytest.importorskip("xllamacpp", reason="the extra 'local' is not installed")
    path = around.folder / "broken.gguf"
    path.write_bytes(b"GGUF but no model")
    return Candidate(name="a", target="local", model=str(path))


MAKERS = {
    "openai": _remote("openai"),
    "anthropic": _remote("anthropic"),
    "function": (_function("answering"), _function("raising")),
    "replay": (
        _replay({"text": "Paris"}),
        _replay({"failure": {"kind": "server", "message": "recorded failure"}}),
    ),
    "local": (_local, _broken_local),
}


def test_every_registered_target_is_held_to_the_contract():
    assert set(REGISTERED) == set(MAKERS)


@pytest.mark.parametrize("name", REGISTERED)
class TestRegisteredTargets(TargetContract):
    @pytest.fixture(autouse=True)
    def _surrounded(self, name, tmp_path):
        self._name = name
        with FakeProvider(Script(answer="Paris")) as provider:
            self._around = Surroundings(provider, tmp_path)
            yield

    def target(self):
        good, _ = MAKERS[self._name]
        return load("befit.targets", self._name)(good(self._around))

    def failing_target(self):
        _, bad = MAKERS[self._name]
        return load("befit.targets", self._name)(bad(self._around))
