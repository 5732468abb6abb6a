"""Pages of text: a label, a table, a form with two related regions, a screen with controls."""

from __future__ import annotations

import string

from befit.probes.pack import Draw
from befit.probes.vision_canvas import HEIGHT, WIDTH, Canvas, Picture, text_width
from befit.probes.wording import CITIES, SURNAMES, THINGS

_BUTTONS = (
    "Save", "Open", "Print", "Send", "Copy", "Delete", "Undo", "Search", "Share", "Export", "Lock",
    "Close",
)  # fmt: skip
_COLUMNS = 3


def label(draw: Draw) -> Picture:
    """Return a label with several lines and ask for one of them."""
    rng = draw.rng
    letters = "".join(rng.sample("ABCDEFHKLMNPRTXY", 2))
    serial = f"{rng.randint(10_000, 99_999)}-{letters}"
    batch = f"{rng.choice('ABCDEFH')}{rng.randint(100, 999)}"
    lines = [
        f"Product: {rng.choice(THINGS)}",
        f"Batch {batch}",
        f"Serial {serial}",
        f"Checked by {rng.choice(SURNAMES)}, {rng.choice(CITIES)}",
    ]
    rng.shuffle(lines)
    wide = max(text_width(draw, text) for text in lines)
    sheet = Canvas(draw, width=max(640, round(wide) + 80), height=320)
    for place, text in enumerate(lines):
        sheet.text(40, 30 + place * (sheet.size + 22), text)
    other = f"{rng.choice('ABCDEFH'.replace(batch[0], ''))}{rng.randint(100, 999)}"
    return Picture(
        png=sheet.png(),
        content="text",
        question="Read the serial number off the label. Give it alone.",
        answer=serial,
        caption=f"A label of batch {batch}.",
        wrong_caption=f"A label of batch {other}.",
    )


def table(draw: Draw) -> Picture:
    """Return a table and ask for all of it."""
    rng = draw.rng
    rows = [
        [city, str(rng.randint(10, 99)), str(rng.randint(100, 999))]
        for city in rng.sample(CITIES, draw.whole("items"))
    ]
    columns = ["City", "Shops", "Staff"]
    wide = 250
    high = draw.whole("size") + 24
    if high * (len(rows) + 1) > HEIGHT - 40:  # closer, but never into each other
        high = max(draw.whole("size") + 12, (HEIGHT - 40) // (len(rows) + 1))
    sheet = Canvas(draw, height=max(HEIGHT, 40 + high * (len(rows) + 1)))
    for number, row in enumerate([columns, *rows]):
        for place, cell in enumerate(row):
            x, y = 40 + place * wide, 20 + number * high
            sheet.box((x, y, x + wide, y + high))
            sheet.text(x + 12, y + high / 2, cell, anchor="lm")
    city = rng.choice(rows)[0]
    absent = rng.choice([one for one in CITIES if one not in {row[0] for row in rows}])
    return Picture(
        png=sheet.png(),
        content="structure",
        question='Give the table as JSON: {"columns": [...], "rows": [[...], ...]}.',
        answer={"columns": list(columns), "rows": rows},
        caption=f"A table with a row for {city}.",
        wrong_caption=f"A table with a row for {absent}.",
    )


def form(draw: Draw) -> Picture:
    """Return orders on the left and a price list on the right; the answer needs both."""
    rng = draw.rng
    count = min(draw.whole("items"), 9)
    people, things = rng.sample(SURNAMES, count), rng.sample(THINGS, count)
    letters = rng.sample(string.ascii_uppercase, count)
    codes = [f"{letter}{rng.randint(10, 99)}" for letter in letters]
    prices = [str(price) for price in rng.sample(range(110, 999), count)]
    listed = rng.sample(range(count), count)
    first = max(70, 44 + draw.whole("size"))
    high = draw.whole("size") + 20
    if high * count > HEIGHT - first - 20:
        high = max(draw.whole("size") + 12, (HEIGHT - first - 20) // count)
    tall = max(HEIGHT, first + 20 + high * count)
    sheet = Canvas(draw, height=tall)
    sheet.text(40, 24, "Orders")
    sheet.text(440, 24, "Price list")
    sheet.box((20, 14, 400, tall - 14))
    sheet.box((420, 14, WIDTH - 20, tall - 14))
    for place in range(count):
        y = first + place * high
        sheet.text(40, y, f"{people[place]}: {codes[place]}")
        at = listed[place]
        sheet.text(440, y, f"{codes[at]} {things[at]} {prices[at]}")
    one = rng.randrange(count)
    two = (one + 1) % count
    return Picture(
        png=sheet.png(),
        content="cross-region",
        question=f"What did {people[one]} order, and at which price? Give the thing and its price.",
        answer={
            "regions": [things[one], prices[one]],
            "others": [
                word for word in (*things, *prices) if word not in (things[one], prices[one])
            ],
        },
        caption=f"A form on which {people[one]} has ordered a thing with code {codes[one]}.",
        wrong_caption=f"A form on which {people[one]} has ordered a thing with code {codes[two]}.",
    )


def screen(draw: Draw) -> Picture:
    """Return a window with buttons and ask where one of them is."""
    rng = draw.rng
    names = rng.sample(_BUTTONS, draw.whole("items"))
    sheet = Canvas(draw)
    sheet.box((10, 10, WIDTH - 10, HEIGHT - 10))
    sheet.line((10, 60), (WIDTH - 10, 60))
    sheet.text(30, 36, f"Document {rng.randint(1000, 9999)}", anchor="lm")
    places = rng.sample(range(12), len(names))
    boxes: dict[str, tuple[float, float, float, float]] = {}
    for name, place in zip(names, places, strict=True):
        row, column = divmod(place, _COLUMNS)
        x, y = 60 + column * 275, 90 + row * 122
        boxes[name] = (x, y, x + 230, y + 80)
        sheet.box(boxes[name])
        sheet.text(x + 115, y + 40, name, anchor="mm")
    name = rng.choice(names)
    x1, y1, x2, y2 = boxes[name]
    absent = rng.choice([one for one in (*_BUTTONS, "Zoom") if one not in names])
    return Picture(
        png=sheet.png(),
        content="structure",
        question=f"Where is the button '{name}'? Give its middle as [x, y], each as a share of"
        " the width and height, from 0 to 1, from the upper left.",
        answer={"inside": [x1 / WIDTH, y1 / HEIGHT, x2 / WIDTH, y2 / HEIGHT]},
        caption=f"A window with a button '{name}'.",
        wrong_caption=f"A window with a button '{absent}'.",
    )
