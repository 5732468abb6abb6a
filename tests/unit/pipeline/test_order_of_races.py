"""In what order a run that stops itself asks its samples."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from befit.core.sample import Sample
from befit.core.scenario import Scenario, ScenarioSpec
from befit.pipeline.until_decided import random_order


@dataclass(frozen=True)
class _Listed:
    samples: tuple[Sample, ...]

    def load(self) -> Iterator[Sample]:
        return iter(self.samples)


def _scenario(*samples: Sample) -> Scenario:
    return Scenario(
        spec=ScenarioSpec(name="s", dimension="knowledge"), samples=_Listed(samples=samples)
    )


def _documents(count: int, size: int) -> Scenario:
    return _scenario(
        *(
            Sample(id=f"{document}-{page}", input="?", cluster=f"d{document}", weight=1 + page)
            for page in range(size)
            for document in range(count)
        )
    )


def test_the_samples_of_a_cluster_come_one_after_the_other() -> None:
    order = random_order(_documents(6, 4), seed=7)
    documents = [sample.cluster for sample in order.samples]
    assert [documents[at] for at in range(0, 24, 4)] == list(dict.fromkeys(documents))
    assert sorted(sample.id for sample in order.samples) == sorted(
        f"{document}-{page}" for document in range(6) for page in range(4)
    )
    assert order.heaviest == 1 + 2 + 3 + 4


def test_clusters_are_asked_whole_and_in_another_order_than_the_files() -> None:
    order = random_order(_documents(6, 4), seed=7)
    assert [order.upto(have) for have in (1, 4, 5, 20, 24, 99)] == [4, 4, 8, 20, 24, 24]
    assert list(dict.fromkeys(s.cluster for s in order.samples)) != [f"d{n}" for n in range(6)]


def test_the_order_is_the_same_again_and_another_by_another_seed() -> None:
    alone = _scenario(*(Sample(id=f"s{n}", input="?") for n in range(50)))
    first, again, other = (random_order(alone, seed=seed) for seed in (7, 7, 8))
    assert first == again
    assert first.samples != other.samples
    assert first.upto(20) == 20
    assert first.heaviest == 1.0
