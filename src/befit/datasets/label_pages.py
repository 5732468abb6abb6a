"""The labelling pages: a queue per person, one sample at a time, agreement, adjudication."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping, Sequence
from typing import Any

from aiohttp import web

from befit.charts.text import plain
from befit.core.sample import Sample
from befit.datasets.label import (
    ADJUDICATOR,
    DRAFT,
    Label,
    LabelError,
    Standing,
    agreement,
    form_of,
    read_label,
    standings,
)
from befit.storage.labels import Labels
from befit.web.sessions import Session
from befit.web.shell import page, required

LABELLER = "labeller"
ROLES = (LABELLER, ADJUDICATOR)
_FIELDS = ("target", "absent", "checks", "kind", "note", "unsure")


class LabelPages:
    """The routes of one set's labelling.

    Args:
        scenario: whose labels they are.
        samples: what is to be labelled, in this order.
        labels: where they are stored, at every press.
    """

    def __init__(self, scenario: str, samples: Sequence[Sample], labels: Labels) -> None:
        self._scenario = scenario
        self._samples = {sample.id: sample for sample in samples}
        self._order = list(self._samples)
        self._labels = labels

    def add_to(self, app: web.Application) -> None:
        """Add the routes to a shell's application."""
        app.router.add_get("/", self._overview)
        app.router.add_get("/agreement", self._agreement)
        app.router.add_get("/s/{number}", self._show)
        app.router.add_post("/s/{number}", self._save)
        app.router.add_post("/s/{number}/draft", self._draft)

    def _standings(self) -> list[Standing]:
        return standings(self._samples.values(), self._labels.newest(self._scenario))

    def _open(self, session: Session, found: Sequence[Standing]) -> list[int]:
        """Return the numbers (from 1) of the samples this person has still to do."""
        if session.role == ADJUDICATOR:
            return [i for i, one in enumerate(found, 1) if one.disputed]
        return [i for i, one in enumerate(found, 1) if session.name not in one.labels]

    async def _overview(self, request: web.Request) -> web.Response:
        session = required(request, *ROLES)
        found = self._standings()
        left = self._open(session, found)
        rows = [(i, one.sample.id, _state(session, one)) for i, one in enumerate(found, 1)]
        return page(request, "overview.html", total=len(found), left=left, rows=rows,
                    scenario=self._scenario)  # fmt: skip

    async def _agreement(self, request: web.Request) -> web.Response:
        required(request, ADJUDICATOR)
        found = self._standings()
        disputed = [(i, one.sample.id) for i, one in enumerate(found, 1) if one.disputed]
        return page(request, "agreement.html", made=agreement(found), disputed=disputed)

    def _one(self, request: web.Request) -> tuple[int, Sample]:
        number = request.match_info["number"]
        if not number.isascii() or not number.isdigit() or not 0 < int(number) <= len(self._order):
            raise web.HTTPNotFound(text="There is no such sample.")
        return int(number), self._samples[self._order[int(number) - 1]]

    async def _show(self, request: web.Request) -> web.Response:
        session = required(request, *ROLES)
        number, _ = self._one(request)
        found = self._standings()
        return self._form(request, session, number, found[number - 1], form=None)

    def _form(
        self,
        request: web.Request,
        session: Session,
        number: int,
        one: Standing,
        *,
        form: Mapping[str, str] | None,
        error: str = "",
    ) -> web.Response:
        mine = one.decision if session.role == ADJUDICATOR else one.labels.get(session.name)
        held = (
            dict(form) if form is not None else self._drafted(session, one.sample) or form_of(mine)
        )
        held["kind"] = held.get("kind") or one.sample.kind
        others = sorted(one.labels.items()) if session.role == ADJUDICATOR else []
        return page(
            request,
            "sample.html",
            number=number,
            total=len(self._order),
            sample=one.sample,
            shown=[(plain(role), plain(text)) for role, text in _shown(one.sample)],
            observed=None if one.sample.observed is None else plain(one.sample.observed),
            now=plain(_now(one.sample)),
            form=held,
            error=error,
            stale=one.stale and form is None,
            saved=request.query.get("saved", ""),
            hidden=_hidden(held),
            others=[(name, _visible(form_of(label)), label) for name, label in others],
            request_id=secrets.token_hex(12),
            has_label=mine is not None,
        )

    def _drafted(self, session: Session, sample: Sample) -> dict[str, str] | None:
        """Return the unsent draft of this person, if it is newer than what was sent."""
        mine = {f"{DRAFT} {_who(session)}", _who(session)}
        held = [
            one
            for one in self._labels.newest(self._scenario)
            if one.sample_id == sample.id and one.labeller in mine
        ]
        held.sort(key=lambda one: (one.created_at, one.labeller.startswith(f"{DRAFT} ")))
        if not held or not held[-1].labeller.startswith(f"{DRAFT} ") or not held[-1].body:
            return None
        return {name: str(held[-1].body.get(name, "")) for name in _FIELDS}

    async def _save(self, request: web.Request) -> web.StreamResponse:
        session = required(request, *ROLES)
        number, sample = self._one(request)
        sent = await request.post()
        form = {name: str(sent.get(name, "")) for name in _FIELDS}
        found = self._standings()
        one = found[number - 1]
        action = str(sent.get("action", "save"))
        if action == "copy":
            return self._form(request, session, number, one,
                              form={**form, "target": sample.observed or ""})  # fmt: skip
        if action.startswith("take:") and session.role == ADJUDICATOR:
            label = one.labels.get(action.removeprefix("take:"))
            if label is None:
                raise web.HTTPNotFound(text="There is no such label.")
        else:
            try:
                label = read_label({**form, "unsure": "on" if action == "unsure" else ""})
            except LabelError as error:
                return self._form(request, session, number, one, form=form, error=str(error))
        self._put(session, sample, label, request_id=str(sent.get("request_id", "")))
        left = self._open(session, self._standings())
        after = [i for i in left if i > number] or left
        raise web.HTTPSeeOther(f"/s/{after[0]}?saved={number}" if after else "/?done=1")

    def _put(self, session: Session, sample: Sample, label: Label, *, request_id: str) -> None:
        self._labels.put(
            (self._scenario, sample.id, _who(session)),
            label.model_dump(mode="json"),
            shown=sample.input_fingerprint,
            request_id=request_id or secrets.token_hex(12),
        )
        draft = (self._scenario, sample.id, f"{DRAFT} {_who(session)}")
        self._labels.put(draft, {}, shown="", request_id=secrets.token_hex(12))

    async def _draft(self, request: web.Request) -> web.Response:
        session = required(request, *ROLES)
        _, sample = self._one(request)
        sent = await request.post()
        body: dict[str, Any] = {name: str(sent.get(name, "")) for name in _FIELDS}
        draft = (self._scenario, sample.id, f"{DRAFT} {_who(session)}")
        self._labels.put(draft, body, shown="", request_id=secrets.token_hex(12))
        return web.Response(text="saved\n")


def _hidden(form: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return (field, text) of the fields with hidden characters, these as numbers."""
    texts = {name: (form.get(name) or "").replace("\r\n", "\n") for name in _FIELDS}
    return [(name, plain(text)) for name, text in texts.items() if plain(text) != text]


def _visible(form: Mapping[str, str]) -> dict[str, str]:
    """Return a label's fields with their hidden characters as numbers."""
    return {name: plain(text) for name, text in form.items()}


def _who(session: Session) -> str:
    return f"{ADJUDICATOR} {session.name}" if session.role == ADJUDICATOR else session.name


def _state(session: Session, one: Standing) -> str:
    if session.role == ADJUDICATOR:
        if one.decision is not None:
            return "decided"
        count = len(one.labels)
        return "differs" if one.disputed else f"{count} label{'' if count == 1 else 's'}"
    if session.name not in one.labels:
        return "open"
    return "cannot be judged" if one.labels[session.name].unsure else "labelled"


def _shown(sample: Sample) -> list[tuple[str, str]]:
    """Return (role, text) of everything a candidate is shown."""
    shown = [("variable " + name, value) for name, value in sample.vars.items()]
    if sample.turns:
        return [*shown, *((f"user, turn {i}", t.user) for i, t in enumerate(sample.turns, 1))]
    if isinstance(sample.input, str):
        return [*shown, ("user", sample.input)]
    return [*shown, *((message.role, message.text) for message in sample.input or ())]


def _now(sample: Sample) -> str:
    """Return the target and checks the set has for a sample, as text; "" where it has none."""
    held: list[str] = []
    if sample.target is not None:
        plain = isinstance(sample.target, str)
        held.append(str(sample.target) if plain else json.dumps(sample.target, ensure_ascii=False))
    if sample.checks:
        shown = [check.model_dump(mode="json", exclude_none=True) for check in sample.checks]
        held.append(f"checks: {json.dumps(shown, ensure_ascii=False)}")
    return "\n\n".join(held)
