"""The kinds of pictures by name."""

from __future__ import annotations

from collections.abc import Callable

from befit.probes.pack import Draw
from befit.probes.vision_canvas import Picture
from befit.probes.vision_charts import bars, line
from befit.probes.vision_pages import form, label, screen, table
from befit.probes.vision_shapes import flow, shapes

MAKERS: dict[str, Callable[[Draw], Picture]] = {
    "label": label,
    "table": table,
    "flow": flow,
    "bars": bars,
    "line": line,
    "form": form,
    "shapes": shapes,
    "screen": screen,
}
