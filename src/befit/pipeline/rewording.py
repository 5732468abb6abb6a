"""The stage in which a model words a prompt anew: asked, checked for meaning, frozen by a person.

What the model says is never run as it comes. Each wording is checked by rule
(`prompt_form`: is it a prompt at all, of a length beside this one; `prompt_meaning`) and
by how alike the two mean (`similarity`); a person confirms those that stand, and the
confirmed text is written to a file that `variants:` includes. From then on only that
text counts: no model is asked again, and a prompt that has changed since is told by
the plan.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError
from ruamel.yaml.scalarstring import LiteralScalarString

from befit.config.project import Project
from befit.core.candidate import Candidate
from befit.core.policy import Policy
from befit.core.prompt_variant import PromptVariant, template_print
from befit.core.record import Json
from befit.core.sample import Sample
from befit.core.scenario import Scenario, ScenarioSpec
from befit.core.written import many
from befit.datasets.files import ListDataset
from befit.datasets.files_inspect import inspect
from befit.engine.prompt_form import unusable
from befit.engine.prompt_meaning import Doubt, doubts, plain
from befit.errors import DataError, PluginError, UsageError
from befit.pipeline.running import run_project
from befit.plugins import nearest
from befit.similarity.edit import Edit
from befit.similarity.embedding import Embedding
from befit.storage.whole_file import write_whole
from befit.storage.workspace import Workspace

STYLES = {
    "short": "as short as it can be without losing anything",
    "formal": "in formal, official language",
    "plain": "in plain everyday words, as to a friend",
    "stepwise": "as instructions in an order, one after the other",
    "detailed": "with more words, each instruction spelt out in full",
    "turned": "with the sentences in another order and other verbs",
    "questioning": "as a question instead of an order",
    "terse": "in telegraphic style, without articles",
}
"""Name of a wording -> what the model is asked for."""
ROOM = 1_000
"""Tokens that a wording may take."""
T = TypeVar("T")
LEAST_ALIKE = {"embedding": 0.55, "edit": 0.0}
"""Below this, two prompts are not about the same; edit distance says nothing of meaning."""
_ASK = (
    "Word the prompt between <prompt> and </prompt> anew, {style}. It must ask for exactly the"
    " same: keep every placeholder in braces such as {{input}} as it is, every number, every"
    " quoted text, every format and every constraint; add none. Do not answer it. Give the new"
    " prompt between <prompt> and </prompt> and nothing else.\n\n<prompt>\n{prompt}\n</prompt>"
)
_BETWEEN = re.compile(r"<prompt>\s*(.*?)\s*</prompt>", re.DOTALL | re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """One wording of a model's, and what speaks against it."""

    name: str
    template: str
    doubts: tuple[Doubt, ...]
    alike: float | None
    alike_by: str
    """`embedding`, or `edit` where no word vectors are installed."""

    @property
    def sound(self) -> bool:
        """Whether nothing was found against it; a person decides all the same."""
        return not self.doubts


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposals:
    """All wordings of one prompt."""

    scenario: str
    original: str
    by: str
    """The candidate that was asked, and its model."""
    found: tuple[Proposal, ...]
    cost: float | None


def propose(project: Project, workspace: Workspace, *, scenario: str, by: str, n: int) -> Proposals:
    """Ask a candidate for `n` wordings of a scenario's template and check them.

    Its answers are trials like all others, so the same call again asks nothing.

    Raises:
        UsageError: an unknown scenario or candidate, more wordings than there are styles.
    """
    spec = _known({one.name: one.spec for one in project.scenarios}, scenario, "scenario")
    asked = _known({one.name: one for one in project.candidates}, by, "candidate")
    if not 0 < n <= len(STYLES):
        raise UsageError(f"1 to {len(STYLES)} wordings can be asked for", why=f"{n} were")
    samples = [
        Sample(id=name, input=_ASK.format(style=STYLES[name], prompt=spec.template))
        for name in list(STYLES)[:n]
    ]
    listed = ListDataset(samples, name="wordings")
    one = ScenarioSpec(name="wordings", dimension="generation", repeats=1, success="A prompt.")
    part = replace(
        project,
        candidates=(_writer(asked),),
        scenarios=(Scenario(spec=one, samples=listed),),
        summaries={one.name: inspect(listed)},
        tiers=(),
        policy=Policy(),
        screening=None,
    )
    run_id = run_project(part, workspace).manifest.id
    facts = {fact.sample_id: fact for fact in workspace.facts(run_id)}
    trials = workspace.trials([fact.key_id for fact in facts.values()])
    compare, how = _likeness()
    found: list[Proposal] = []
    for name in (sample.id for sample in samples):
        trial = trials.get(facts[name].key_id) if name in facts else None
        if trial is None or trial.status != "ok":
            continue
        template = read_wording(trial.output)
        found.append(
            checked(spec.template, template, name=name, compare=compare, how=how, before=found)
        )
    costs = [fact.cost for fact in facts.values() if not fact.reused]
    return Proposals(
        scenario=scenario,
        original=spec.template,
        by=f"{asked.name} ({asked.model or asked.target})",
        found=tuple(found),
        cost=None if None in costs else sum(cost or 0.0 for cost in costs),
    )


def check_names(names: Sequence[str], *, n: int) -> None:
    """Refuse to confirm what `n` wordings will not hold, before a model is asked for them.

    Raises:
        UsageError: names that no wording has, or that are not among the first `n`.
    """
    unknown = [name for name in names if name not in STYLES]
    if unknown:
        guess = nearest(unknown[0], list(STYLES))
        raise UsageError(
            f"no wording is called {_listed(unknown)}, so none can be confirmed",
            why=f"{guess}there are: {', '.join(STYLES)}",
            do="leave out --confirm to see them first",
        )
    order = list(STYLES)
    beyond = [name for name in names if order.index(name) >= n]
    if beyond:
        least = max(order.index(name) for name in beyond) + 1
        raise UsageError(
            f"{_listed(beyond)} is not among the {many(n, 'wording')} asked for",
            do=f"add -n {least}",
        )


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f"'{name}'" for name in names)


def _writer(asked: Candidate) -> Candidate:
    """Return a candidate as a writer of prompts: without its own format, with room to write."""
    room = asked.sampling.model_copy(
        update={"max_tokens": max(ROOM, asked.sampling.max_tokens or 0)}
    )
    return asked.model_copy(update={"response_schema": None, "tools": (), "sampling": room})


def read_wording(output: str) -> str:
    """Return the prompt in a model's answer: what stands between the marks, else all of it."""
    found = _BETWEEN.findall(output)
    return (found[-1] if found else output).strip()


def checked(
    original: str,
    template: str,
    *,
    name: str,
    compare: Callable[[str, str], float],
    how: str,
    before: Sequence[Proposal] = (),
) -> Proposal:
    """Check one wording against the original and the wordings before it."""
    why = unusable(original, template)
    if why is not None:
        refused = (Doubt(what="wording", text=why),)
        return Proposal(name=name, template=template, doubts=refused, alike=None, alike_by=how)
    alike = compare(original, template)
    found = list(doubts(original, template))
    if alike < LEAST_ALIKE[how]:
        found.append(
            Doubt(what="meaning", text=f"its words mean something else ({alike:.2f} alike)")
        )
    twin = next((one.name for one in before if plain(one.template) == plain(template)), None)
    if twin is not None:
        found.append(Doubt(what="wording", text=f"it is the same as '{twin}'"))
    return Proposal(name=name, template=template, doubts=tuple(found), alike=alike, alike_by=how)


def freeze(proposals: Proposals, names: Sequence[str], path: Path) -> list[PromptVariant]:
    """Write the wordings that a person has confirmed, in place of what was in the file.

    Raises:
        UsageError: a name that was not proposed, or that has doubts; nothing is written.
        DataError: the file cannot be written.
    """
    known = {one.name: one for one in proposals.found}
    at = datetime.now(tz=UTC).date().isoformat()
    made: list[PromptVariant] = []
    for name in dict.fromkeys(names):
        one = known.get(name)
        if one is None:
            raise UsageError(
                f"there is no wording '{name}' to confirm",
                why=f"{nearest(name, list(known))}the model has given: "
                f"{', '.join(known) or 'none'}",
                do="befit variants without --confirm shows them; those that failed are asked again",
            )
        if not one.sound:
            told = "; ".join(doubt.text for doubt in one.doubts)
            raise UsageError(
                f"wording '{name}' does not ask for the same", why=told,
                do="write it yourself under `variants:` if you want it all the same",
            )  # fmt: skip
        made.append(
            PromptVariant(
                name=name,
                template=one.template,
                written_by=proposals.by,
                confirmed_on=at,
                made_from=template_print(proposals.original),
            )
        )
    rows: list[Json] = []
    for variant in made:
        row = variant.model_dump(exclude_none=True)
        row["template"] = LiteralScalarString(variant.template or "")
        rows.append(row)
    yaml, out = YAML(), io.StringIO()
    yaml.width = 4096
    try:
        yaml.dump(rows, out)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, out.getvalue())
    except (OSError, YAMLError) as error:
        raise DataError("the wordings cannot be written", where=str(path), why=str(error)) from None
    return made


def _likeness() -> tuple[Callable[[str, str], float], str]:
    """Return how alike two texts mean: by word vectors where they are installed."""
    embedding = Embedding()
    try:
        embedding.compare("a text", "another text")
    except PluginError:
        return Edit().compare, "edit"
    return embedding.compare, "embedding"


def _known(known: dict[str, T], name: str, what: str) -> T:
    if name not in known:
        guess = nearest(name, list(known))
        raise UsageError(f"no {what} '{name}'", why=f"{guess}known: {', '.join(known)}")
    return known[name]
