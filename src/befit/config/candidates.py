"""Candidates from their nodes: defaults laid under, the matrix crossed, names unique."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from pydantic import ValidationError

from befit import plugins
from befit.config.problems import Problems
from befit.config.schema import CANDIDATE_HINTS, Matrix
from befit.core.candidate import Candidate
from befit.datasets.files_tree import Node, find, kind_of, merged, plain
from befit.datasets.files_words import findings
from befit.errors import BefitError

MAX_CANDIDATES = 1000
"""More are a slip in a matrix, not a plan."""

_AXES = (("models", "model"), ("prompts", "prompt"), ("samplings", "sampling"))
_SECRET = re.compile(r"(?i)(^|[_-])(api[_-]?key|secret|password|authorization|auth[_-]?token)$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """A candidate and the node it was made from."""

    candidate: Candidate
    node: Node


def build_candidates(root: Node, problems: Problems) -> list[Placed]:
    """Return the candidates of a project, the listed ones first, then those of the matrix."""
    defaults = find(root, ("defaults", "candidates"))
    defaults = defaults if defaults.path == "defaults.candidates" else replace(root, value={})
    placed: list[Placed] = []
    for node in itertools.chain(_listed(root, problems), _crossed(root, problems)):
        if len(placed) >= MAX_CANDIDATES:
            problems.add(f"more than {MAX_CANDIDATES} candidates", node)
            break
        candidate = _candidate(merged(defaults, node), problems)
        if candidate is not None:
            placed.append(candidate)
    _check_unique(placed, problems)
    return placed


def _listed(root: Node, problems: Problems) -> Iterator[Node]:
    section = root.get("candidates")
    if section is None or section.value is None:
        return
    if not isinstance(section.value, list):
        problems.add(
            f"candidates must be a list, not {kind_of(section.value)}",
            section,
            do="start each candidate with '- name:'",
        )
        return
    for node in section.value:
        if isinstance(node.value, dict):
            yield node
        else:
            problems.add(f"a candidate is a mapping, not {kind_of(node.value)}", node)


def _crossed(root: Node, problems: Problems) -> Iterator[Node]:
    section = root.get("matrix")
    if section is None or section.value is None:
        return
    for node in section.items() or [section]:
        value = plain(node)
        try:
            matrix = Matrix.model_validate(value)
        except ValidationError as error:
            problems.findings(findings(error, value, model=Matrix), node)
            continue
        yield from _cross(node, matrix, problems)


def _cross(node: Node, matrix: Matrix, problems: Problems) -> Iterator[Node]:
    axes = [(axis, word) for axis, word in _AXES if find(node, (axis,)).mapping()]
    axes = [(axis, word) for axis, word in axes if getattr(matrix, axis)]
    pattern = matrix.name or "-".join(f"{{{word}}}" for _, word in axes)
    words = [word for _, word in axes]
    _check_words(node, matrix, axes, problems)
    used: set[int] = set()
    for names in itertools.product(*(getattr(matrix, axis) for axis, _ in axes)):
        chosen = dict(zip(words, names, strict=True))
        out = [i for i, x in enumerate(matrix.exclude) if x.items() <= chosen.items()]
        used.update(out)
        if out:
            continue
        made = find(node, ("models", chosen["model"]))
        entries = dict(made.mapping())
        for axis, word in axes[1:]:
            part = find(node, (axis, chosen[word]))
            entries[word] = merged(entries[word], part) if word in entries else part
        entries["name"] = replace(made, value=_named(pattern, chosen))
        yield replace(made, value=entries)
    for i in sorted(set(range(len(matrix.exclude))) - used):
        problems.add(
            "this exclusion matches no combination",
            find(node, ("exclude", i)),
            do=f"use the keys {', '.join(words)} with the names of the matrix",
        )


def _named(pattern: str, chosen: dict[str, str]) -> str:
    return re.sub(r"\{(\w+)\}", lambda found: chosen.get(found[1], found[0]), pattern)


def _check_words(
    node: Node, matrix: Matrix, axes: list[tuple[str, str]], problems: Problems
) -> None:
    words = [word for _, word in axes]
    for found in re.finditer(r"\{(\w+)\}", matrix.name):
        if found[1] not in words:
            do = plugins.nearest(found[1], words) or f"known: {', '.join(words)}"
            what = f"the pattern names '{{{found[1]}}}', which is no axis here"
            problems.add(what, find(node, ("name",)), do=do.strip())


def _candidate(node: Node, problems: Problems) -> Placed | None:
    value = plain(node)
    before = len(problems)
    _check_secrets(node, problems)
    _check_target(node.get("target"), problems)
    try:
        candidate = Candidate.model_validate(value)
    except ValidationError as error:
        problems.findings(findings(error, value, model=Candidate, hints=CANDIDATE_HINTS), node)
        return None
    if len(problems) > before:
        return None
    if candidate.sampling.temperature is None:
        at = node.get("sampling") or node
        problems.warn("temperature is not set: the provider's default is used and recorded", at)
    _check_options(candidate, node, problems)
    return Placed(candidate=candidate, node=node)


def _check_target(node: Node | None, problems: Problems) -> None:
    if node is None or not isinstance(node.value, str):
        return  # reported as missing or of the wrong type
    known = list(plugins.available("befit.targets"))
    if node.value not in known:
        guess = plugins.nearest(node.value, known) if node.raw is None else ""
        do = f"{guess}known: {', '.join(known)}"
        problems.add(f"unknown target {node.shown}", node, do=do)


def _check_options(candidate: Candidate, node: Node, problems: Problems) -> None:
    """Check the options of targets that say what they take (attribute `Options`)."""
    try:
        factory = plugins.load("befit.targets", candidate.target)
    except BefitError as error:
        problems.add(error.what, node.get("target") or node, why=error.why, do=error.do)
        return
    model = getattr(factory, "Options", None)
    if model is None:
        return
    options = candidate.options
    try:
        model.model_validate(options)
    except ValidationError as error:
        found = findings(error, options, model=model)
        problems.findings(found, node.get("options") or node)


def _check_secrets(node: Node, problems: Problems) -> None:
    key = node.get("api_key")
    if key is not None and isinstance(key.value, str) and key.raw is None:
        problems.warn("the key stands in the file: write api_key: ${NAME} and set NAME", key)
    url = node.get("base_url")
    if url is not None and isinstance(url.value, str):
        try:
            has_password = bool(urlsplit(url.value).password)
        except ValueError:
            problems.add("base_url is no URL", url)
            return
        if has_password:
            what = "a password in base_url would be stored with the run"
            problems.add(what, url, do="use api_key")
    stack = [node.get("options")]
    while stack:
        entry = stack.pop()
        for name, child in entry.mapping().items() if entry else ():
            stack.append(child)
            if _SECRET.search(name) and isinstance(child.value, str):
                what = f"options are stored with the run, and '{name}' looks like a secret"
                problems.add(what, child, do="use api_key, which is never stored")


def _check_unique(placed: list[Placed], problems: Problems) -> None:
    names: dict[str, Node] = {}
    prints: dict[str, Placed] = {}
    for one in placed:
        name = one.candidate.name
        first = names.setdefault(name, one.node)
        if first is not one.node:
            what = f"two candidates are called '{name}' (the first at {first.file}:{first.line})"
            problems.add(what, one.node.get("name") or one.node, do="give it a name of its own")
            continue
        twin = prints.setdefault(one.candidate.fingerprint, one)
        if twin is not one:
            what = f"'{name}' and '{twin.candidate.name}' are the same configuration"
            do = "remove one: equal configurations share their answers"
            problems.add(what, one.node, do=do)
