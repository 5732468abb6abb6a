"""Pictures with known content: text, tables, charts, forms, shapes, screens; never one twice.

Each item is one picture with two questions: a *reasoning-style* one, which needs
what is in the picture, and a *retrieval-style* one (does this caption fit?), which a
glance answers. The gap between the two is what a caption test hides. Pictures are
drawn with Pillow and the open font it brings; `pip install 'befit[vision]'`.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import TYPE_CHECKING

from befit.core.sample import Attachment, Sample
from befit.errors import UsageError
from befit.probes.pack import Draw, Knob, Pack, check

if TYPE_CHECKING:
    from befit.probes.vision_canvas import Picture

KINDS = ("label", "table", "flow", "bars", "line", "form", "shapes", "screen", "mixed")
KNOBS = (
    Knob(name="kind", default="mixed", choices=KINDS, harder="", meaning="the kind of picture"),
    Knob(
        name="size", default=22, low=6, high=48, harder="less", meaning="height of the text, pixels"
    ),
    Knob(
        name="contrast",
        default=1.0,
        low=0.05,
        high=1.0,
        harder="less",
        meaning="1: black on white; 0.05: hardly seen; coloured shapes keep their colours",
    ),
    Knob(
        name="items",
        default=5,
        low=3,
        high=12,
        meaning="rows, boxes, bars, points, shapes or buttons",
    ),
)


def make(draw: Draw) -> Sequence[Sample]:
    """Return both questions about one picture.

    Raises:
        UsageError: Pillow is not installed.
    """
    kind = draw.text("kind")
    if kind == "mixed":
        kind = KINDS[draw.number % (len(KINDS) - 1)]
    picture = _picture(draw, kind)
    url = f"data:image/png;base64,{base64.b64encode(picture.png).decode()}"
    fits = draw.rng.random() < 0.5  # noqa: PLR2004 - half of the captions fit
    caption = picture.caption if fits else picture.wrong_caption
    shared = {
        "checks": (check("vision"),),
        "attachments": (Attachment(name=f"{draw.id}.png", url=url),),
        "cluster": draw.id,
    }
    tags = (picture.content, f"picture:{kind}", f"size:{draw.whole('size')}")
    ask = f'Does this caption fit the picture? "{caption}" Answer yes or no.'
    return [
        Sample.model_validate(
            {
                **shared,
                "id": draw.id,
                "input": picture.question,
                "target": picture.answer,
                "tags": (*tags, "reasoning"),
            }
        ),
        Sample.model_validate(
            {
                **shared,
                "id": f"{draw.id}-caption",
                "input": ask,
                "target": "yes" if fits else "no",
                "tags": (*tags, "retrieval"),
            }
        ),
    ]


def _picture(draw: Draw, kind: str) -> Picture:
    try:
        from befit.probes.vision_kinds import MAKERS  # noqa: PLC0415 - the extra 'vision'
    except ImportError as error:
        raise UsageError(
            "pictures need Pillow", why=str(error), do="pip install 'befit[vision]'"
        ) from error
    return MAKERS[kind](draw)


PACK = Pack(
    name="vision",
    dimension="vision",
    what="small text, tables, flow charts, charts, forms, shapes and screens, drawn afresh",
    knobs=KNOBS,
    make=make,
)
