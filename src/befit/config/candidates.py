"""Candidates from their nodes: defaults laid under, the matrix crossed, names unique."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from pydantic import ValidationError

from befit import plugins
from befit.config.problems import Problems
from befit.config.schema import CANDIDATE_HINTS, Matrix
from befit.config.source import Source
from befit.config.target_check import check_secrets, check_target, with_own_paths
from befit.core.candidate import Candidate
from befit.datasets.files_tree import Node, find, kind_of, merged, plain
from befit.datasets.files_words import findings, misplaced_bools

MAX_CANDIDATES = 1000
"""More are a slip in a matrix, not a plan."""

_AXES = (("models", "model"), ("prompts", "prompt"), ("samplings", "sampling"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """A candidate and the node it was made from."""

    candidate: Candidate
    node: Node


def build_candidates(root: Node, source: Source, problems: Problems) -> list[Placed]:
    """Return the candidates of a project, the listed ones first, then those of the matrix."""
    defaults = find(root, ("defaults", "candidates"))
    defaults = defaults if defaults.path == "defaults.candidates" else replace(root, value={})
    placed: list[Placed] = []
    for node in itertools.chain(_listed(root, problems), _crossed(root, problems)):
        if len(placed) >= MAX_CANDIDATES:
            problems.add(f"more than {MAX_CANDIDATES} candidates", node)
            break
        candidate = _candidate(merged(defaults, node), source, problems)
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


def _candidate(node: Node, source: Source, problems: Problems) -> Placed | None:
    node = with_own_paths(node, source, problems)
    value = plain(node)
    before = len(problems)
    check_secrets(node, problems)
    check_target(node, problems)
    problems.findings(misplaced_bools(value, model=Candidate), node)
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
    return Placed(candidate=candidate, node=node)


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
