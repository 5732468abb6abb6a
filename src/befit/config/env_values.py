"""What a project takes from the environment: where it is a secret, and where it may not stand.

Options of a target are sent and must not be kept, so what stands in them from the environment
becomes a `SecretText`. Everything else of a project but `api_key` is stored with the run: a
variable whose name says that it is a secret is refused there, and any other in a prompt is told of.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from befit.config.problems import Problems
from befit.config.source import VARIABLE
from befit.core.secret_text import SecretText
from befit.datasets.files_tree import Node

SECRET_NAME = re.compile(
    r"(?i)(^|[_-])(key|apikey|token|secret|password|passwd|pwd|auth|authorization|cookie"
    r"|session([_-]?id)?|credentials?)([_-]?\d+)?$"
)
"""Names of variables and headers that hold a secret: at their end, for `TOKEN_LIMIT` holds none."""
_SENT = ("headers", "extra_body")
"""Options in which everything from the environment is a secret."""
_PROMPT = re.compile(r"(^|\.)(prompts?|template|examples|variants|goal|tools)(\.|\[|$)")


def settle(tree: Node, environment: Mapping[str, str], problems: Problems) -> Node:
    """Return the tree with the secrets of options marked; tell what would be stored.

    Args:
        tree: a project that was read and included.
        environment: where its variables were looked up.
        problems: takes what is refused or told.
    """
    return _settled(tree, (), environment, problems)


def _settled(
    node: Node, keys: tuple[str, ...], environment: Mapping[str, str], problems: Problems
) -> Node:
    if isinstance(node.value, dict):
        return replace(
            node,
            value={
                key: _settled(child, (*keys, key), environment, problems)
                for key, child in node.value.items()
            },
        )
    if isinstance(node.value, list):
        items = [_settled(child, keys, environment, problems) for child in node.value]
        return replace(node, value=items)
    names = list(_names(node))
    if not names or not isinstance(node.value, str) or keys[-1:] == ("api_key",):
        return node
    if keys[0].startswith("x-"):
        return node  # an anchor's place is no part of the project; where it is used, it is met
    secret = next((name for name in names if SECRET_NAME.search(name)), None)
    if "options" in keys[:-1] and (secret or set(keys) & set(_SENT)):
        parts = tuple(found for name in names if (found := environment.get(name)))
        if secret is None:
            what = f"the value of '{names[0]}' is sent and never stored, so nobody sees it change"
            problems.warn(
                f"{what}: stored answers are taken again; write it out if it counts", node
            )
        return replace(node, value=SecretText(node.value, parts))
    if secret is not None:
        what = f"the variable '{secret}' looks like a secret, and what stands here is stored"
        problems.broken(what, node, do="use api_key or options.headers, which are never stored")
    elif _PROMPT.search(node.path):
        what = f"the value of '{names[0]}' is sent to the model and stored with every answer"
        problems.warn(what, node)
    return node


def _names(node: Node) -> Iterator[str]:
    """Yield the variables that are looked up in the text of a node."""
    for found in VARIABLE.finditer(node.raw or ""):
        if found["name"] is not None:
            yield found["name"]
