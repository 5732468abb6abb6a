"""Questions about pictures: each kind of content a row, and both styles of asking side by side.

A *retrieval-style* question (does this caption fit?) is answered by a glance, a
*reasoning-style* one needs what is in the picture. The gap between the two, over the
same pictures, is what a test of captions alone would hide.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from befit.analysis.columns import Bools, Floats, Ints
from befit.analysis.dose_result import PictureCell
from befit.analysis.frame import Frame
from befit.analysis.items import item_means
from befit.core.estimate import not_measured
from befit.stats.degradation import degradation

CONTENT = ("text", "structure", "cross-region")
REASONING, RETRIEVAL = "reasoning", "retrieval"
_LEAST = 2
"""Pictures asked about in both styles, from which on a gap is told."""


def picture_cells(
    frame: Frame, tags: Mapping[tuple[str, str], Sequence[str]]
) -> Iterator[PictureCell]:
    """Yield a cell for each scenario, candidate and kind of content that its samples are tagged."""
    for code, scenario in enumerate(frame.scenarios):
        masks = _masks(frame, code, tags)
        styles = {style: masks[style] for style in (REASONING, RETRIEVAL) if style in masks}
        if not styles:
            continue
        for content in (one for one in CONTENT if one in masks):
            items = {
                style: item_means(frame, (code,), "pass", keep=masks[content] & mask)
                for style, mask in styles.items()
            }
            for place, candidate in enumerate(frame.candidates):
                told = {style: one.estimate(place) for style, one in items.items()}
                means = {
                    style: _by_picture(frame, one.samples, one.mean[place])
                    for style, one in items.items()
                }
                trials = sum(int(one.n_trials[place].sum()) for one in items.values())
                shared = sorted(means.get(REASONING, {}).keys() & means.get(RETRIEVAL, {}).keys())
                yield PictureCell(
                    candidate=candidate,
                    scenario=scenario,
                    content=content,
                    reasoning=told.get(REASONING, not_measured("no such question")),
                    retrieval=told.get(RETRIEVAL, not_measured("no such question")),
                    gap=degradation(
                        [means[REASONING][one] for one in shared],
                        [means[RETRIEVAL][one] for one in shared],
                        n_trials=trials,
                    ).difference
                    if len(shared) >= _LEAST
                    else not_measured("no picture is asked about in both styles"),
                )


def _masks(
    frame: Frame, code: int, tags: Mapping[tuple[str, str], Sequence[str]]
) -> dict[str, Bools]:
    """Return, of a scenario, which samples bear each of the tags."""
    found: dict[str, Bools] = {}
    for place, info in enumerate(frame.samples):
        if info.scenario != code:
            continue
        for tag in tags.get((frame.scenarios[code], info.id), ()):
            if tag in (*CONTENT, REASONING, RETRIEVAL):
                mask = found.setdefault(tag, np.zeros(len(frame.samples), dtype=np.bool_))
                mask[place] = True
    return found


def _by_picture(frame: Frame, samples: Ints, values: Floats) -> dict[int, float]:
    """Return the mean over the questions about each picture (a cluster)."""
    found: dict[int, list[float]] = {}
    for sample, value in zip(samples, values, strict=True):
        if not np.isnan(value):
            found.setdefault(int(frame.cluster[sample]), []).append(float(value))
    return {picture: sum(own) / len(own) for picture, own in found.items()}
