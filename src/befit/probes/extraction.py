"""Extraction: invoices, e-mails and contracts in text, with noise and with absent fields."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random

from befit.core.record import Json
from befit.core.sample import Sample
from befit.probes.pack import Draw, Knob, Pack, check
from befit.probes.wording import CITIES, SURNAMES, THINGS, person, sentence, smudged

KINDS = ("invoice", "email", "contract", "mixed")
KNOBS = (
    Knob(name="kind", default="mixed", choices=KINDS, harder="", meaning="the kind of document"),
    Knob(name="noise", default=0.0, low=0, high=0.5, meaning="share of letters misread"),
    Knob(
        name="absent", default=1, low=0, high=3, meaning="fields that the document lacks", harder=""
    ),
    Knob(name="filler", default=2, low=0, high=60, meaning="sentences that carry nothing"),
)
Line = tuple[str, str, str]
"""The field, its value as the target has it, and how the document says it."""
_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip


def _date(rng: Random) -> tuple[str, str]:
    """Return a date in ISO form and in words."""
    month, day, year = rng.randint(1, 12), rng.randint(1, 28), rng.randint(2021, 2035)
    return f"{year}-{month:02}-{day:02}", f"{day} {_MONTHS[month - 1]} {year}"


def _money(rng: Random) -> tuple[str, str]:
    cents = rng.randint(10_00, 99_999_99)
    return f"{cents / 100:.2f}", f"{cents / 100:,.2f}"


def _invoice(rng: Random) -> tuple[Mapping[str, str], list[Line]]:
    number, iso, (total, shown) = rng.randint(10_000, 99_999), _date(rng), _money(rng)
    due, seller = _date(rng), f"{rng.choice(SURNAMES)} {rng.choice(('Ltd', 'GmbH', 'SA', 'BV'))}"
    buyer = f"{rng.choice(SURNAMES)} & {rng.choice(SURNAMES)}"
    types = {
        "invoice_number": "text", "seller": "text", "buyer": "text", "issued_on": "date",
        "due_on": "date", "total": "number", "order_number": "text",
    }  # fmt: skip
    order = f"PO-{rng.randint(1000, 9999)}"
    lines = [
        ("seller", seller, f"{seller}, {rng.choice(CITIES)}"),
        ("invoice_number", f"INV-{number}", f"Invoice INV-{number}"),
        ("issued_on", iso[0], f"Date of issue: {iso[1]}"),
        ("buyer", buyer, f"Billed to: {buyer}"),
        ("order_number", order, f"Your order: {order}"),
        ("total", total, f"{rng.randint(2, 90)} {rng.choice(THINGS)}. Total due: EUR {shown}"),
        ("due_on", due[0], f"Payable by {due[1]}"),
    ]
    return types, lines


def _email(rng: Random) -> tuple[Mapping[str, str], list[Line]]:
    sender, meeting, phone = person(rng), _date(rng), f"+43 1 {rng.randint(100000, 999999)}"
    place, customer = rng.choice(CITIES), f"C-{rng.randint(10_000, 99_999)}"
    room = f"{rng.choice('ABCDEF')}{rng.randint(100, 499)}"
    types = {
        "sender": "text", "customer_number": "text", "meeting_on": "date", "city": "text",
        "room": "text", "phone": "text",
    }  # fmt: skip
    lines = [
        ("customer_number", customer, f"This is about customer number {customer}."),
        ("meeting_on", meeting[0], f"Shall we meet on {meeting[1]}?"),
        ("city", place, f"I would come to {place}."),
        ("room", room, f"The room is {room}."),
        ("phone", phone, f"You reach me at {phone}."),
        ("sender", sender, f"Kind regards, {sender}"),
    ]
    return types, lines


def _contract(rng: Random) -> tuple[Mapping[str, str], list[Line]]:
    landlord, tenant, start, (rent, shown) = person(rng), person(rng), _date(rng), _money(rng)
    notice, city, (deposit, kept) = rng.randint(2, 12), rng.choice(CITIES), _money(rng)
    types = {
        "landlord": "text", "tenant": "text", "starts_on": "date", "monthly_rent": "number",
        "deposit": "number", "notice_months": "integer", "court": "text",
    }  # fmt: skip
    lines = [
        ("landlord", landlord, f"The landlord is {landlord}."),
        ("tenant", tenant, f"The tenant is {tenant}."),
        ("starts_on", start[0], f"The lease begins on {start[1]}."),
        ("monthly_rent", rent, f"The rent is EUR {shown} a month."),
        ("deposit", deposit, f"A deposit of EUR {kept} is held."),
        ("notice_months", str(notice), f"Either side may end it with {notice} months' notice."),
        ("court", city, f"The courts of {city} decide."),
    ]
    return types, lines


_MAKERS: dict[str, Callable[[Random], tuple[Mapping[str, str], list[Line]]]] = {
    "invoice": _invoice,
    "email": _email,
    "contract": _contract,
}


def make(draw: Draw) -> Sequence[Sample]:
    """Return one document."""
    rng, kind = draw.rng, draw.text("kind")
    if kind == "mixed":
        kind = KINDS[draw.number % len(_MAKERS)]
    types, lines = _MAKERS[kind](rng)
    gone = {name for name, _, _ in rng.sample(lines, draw.whole("absent"))}
    noise = float(draw.knobs["noise"])
    shown: list[str] = []
    for name, value, said in lines:
        if name not in gone:
            # The value stays as it is, for nobody can be asked to read what is not there.
            before, mark, after = said.partition(value)
            words = [smudged(part, rng, noise) for part in (before, after)]
            shown.append(mark.join(words) if mark else said)
    for _ in range(draw.whole("filler")):
        shown.insert(rng.randint(0, len(shown)), smudged(sentence(rng), rng, noise))
    target: dict[str, Json] = {name: None if name in gone else value for name, value, _ in lines}
    fields: dict[str, Json] = dict(types)
    asked = ", ".join(f"{name} ({_KINDS[types[name]]})" for name, _, _ in lines)
    text = (
        "\n".join(shown)
        + f"\n\nExtract as one JSON object: {asked}. Give null for what the text does not say."
    )
    return [
        Sample(
            id=draw.id,
            input=text,
            target=target,
            checks=(check("fields", fields=fields),),
            tags=(f"document:{kind}", f"noise:{noise:g}", f"absent:{len(gone)}"),
        )
    ]


_KINDS = {
    "text": "text",
    "date": "date, YYYY-MM-DD",
    "number": "number",
    "integer": "whole number",
}

PACK = Pack(
    name="extraction",
    dimension="extraction",
    what="invoices, e-mails and contracts with noise and absent fields",
    knobs=KNOBS,
    make=make,
)
