"""The part of a candidate that its target decides: is the target there, does it take these options?

Also what must not happen with any target: a secret in a place that is stored.
"""

from __future__ import annotations

import re
from dataclasses import replace
from urllib.parse import parse_qsl, urlsplit

from pydantic import BaseModel, ValidationError

from befit import plugins
from befit.config.env_values import SECRET_NAME
from befit.config.problems import Problems
from befit.config.source import Source
from befit.core.secret_text import SecretText
from befit.datasets.files_tree import Node, plain, step
from befit.datasets.files_words import findings
from befit.errors import BefitError

_SECRET = re.compile(
    r"(?i)(^|[_-])(api[_-]?key|secret|password|authorization|auth[_-]?token|cookie)$"
)

_SECRET_PARAMETER = re.compile(
    r"(?i)(^|[_-])(key|api[_-]?key|apikey|token|secret|password|passwd|pwd|auth|authorization"
    r"|sig|signature|credential|credentials|code|sas|jwt)$"
)
"""Names of query parameters that carry a key."""
_LOOKS_SECRET = re.compile(
    r"^(?:sk|pk|rk|xai|gsk|hf|key|AIza)[-_A-Za-z0-9]{12,}|^ey[A-Za-z0-9_-]{20,}\.|^[A-Fa-f0-9]{32,}$"
)


def with_own_paths(node: Node, source: Source, problems: Problems) -> Node:
    """Return the node with file paths of built-in targets relative to the file they stand in."""
    target, options = node.get("target"), node.get("options")
    if target is None or target.value != "replay" or options is None:
        return node
    path = options.get("path")
    if path is None or not isinstance(path.value, str):
        return node  # the target's own options say what is wrong
    file = source.resolve(path, path.value)
    if not file.is_file():
        what = f"the file of recorded answers {path.shown} does not exist"
        problems.broken(what, path, do="check the path")
    own = replace(path, value=source.name(file))
    return _with(node, "options", _with(options, "path", own))


def _with(node: Node, key: str, child: Node) -> Node:
    return replace(node, value={**node.mapping(), key: child})


def check_target(node: Node, problems: Problems) -> None:
    """Check that the target exists, loads, and takes the options (and the model) of a candidate."""
    at = node.get("target")
    if at is None or not isinstance(at.value, str):
        return  # reported as missing or of the wrong type
    known = list(plugins.available("befit.targets"))
    if at.value not in known:
        guess = plugins.nearest(at.value, known) if at.raw is None else ""
        problems.add(f"unknown target {at.shown}", at, do=f"{guess}known: {', '.join(known)}")
        return
    try:
        factory = plugins.load("befit.targets", at.value)
    except BefitError as error:
        problems.add(error.what, at, why=error.why, do=error.do)
        return
    _check_options(getattr(factory, "Options", None), node, problems)
    model = node.get("model")
    if at.value == "function" and model is not None and isinstance(model.value, str):
        try:
            plugins.load_object(model.value, where=model.where)
        except BefitError as error:
            problems.extend([error])
    elif model is not None and isinstance(model.value, str):
        why = getattr(factory, "unknown_model", lambda _: "")(model.value)
        if why:
            problems.add(f"unknown model {model.shown}", model, do=why)
    elif model is None and at.value in {"openai", "anthropic", "local", "function"}:
        do = "module:attr of your function" if at.value == "function" else "the model's name"
        problems.add("'model' is missing", node, do=f"add 'model', {do}")


def _check_options(model: type[BaseModel] | None, node: Node, problems: Problems) -> None:
    """Check the options of a target that says what it takes (attribute `Options`)."""
    options = node.get("options")
    value = plain(options) if options is not None else {}
    if model is None or not isinstance(value, dict):
        return
    try:
        model.model_validate(value)
    except ValidationError as error:
        problems.findings(findings(error, value, model=model), options or node)


def check_secrets(node: Node, problems: Problems) -> None:
    """Warn of a key written out, refuse secrets where they would be stored with the run."""
    key = node.get("api_key")
    if key is not None and isinstance(key.value, str) and key.raw is None:
        problems.warn("the key stands in the file: write api_key: ${NAME} and set NAME", key)
    url = node.get("base_url")
    if url is not None and isinstance(url.value, str):
        _check_url(url, problems)
    stack = [node.get("options")]
    while stack:
        entry = stack.pop()
        for name, child in entry.mapping().items() if entry else ():
            stack.append(child)
            if not isinstance(child.value, str) or isinstance(child.value, SecretText):
                continue
            # Headers are where gateways take keys, by names of their own.
            secret = SECRET_NAME if step("headers", name) in child.path else _SECRET
            if secret.search(name):
                what = f"options are stored with the run, and '{name}' looks like a secret"
                do = "use api_key, or ${NAME} in a header: these are sent and never stored"
                problems.add(what, child, do=do)
            elif child.raw is not None:
                problems.warn("options are stored with the run: keep secrets out of them", child)


def _query(text: str) -> list[tuple[str, str]]:
    return parse_qsl(text, keep_blank_values=True)


def _is_secret(name: str, value: str) -> bool:
    return _SECRET_PARAMETER.search(name) is not None or _LOOKS_SECRET.search(value) is not None


def _check_url(url: Node, problems: Problems) -> None:
    try:
        parts = urlsplit(url.value)
    except ValueError:
        problems.add("base_url is no URL", url, do="write https://HOST/v1")
        return
    secret = next((name for name, value in _query(parts.query) if _is_secret(name, value)), None)
    if parts.username or parts.password:
        what = "a user or password in base_url would be stored with the run"
        problems.add(what, url, do="use api_key, which is sent as a header")
    elif secret is not None or _LOOKS_SECRET.search(parts.fragment):
        what = f"base_url is stored with the run, and '{secret or '#'}' in it looks like a secret"
        problems.add(what, url, do="use api_key, which is sent as a header")
    elif url.value and parts.scheme not in {"http", "https"}:
        what = "base_url must start with http:// or https://"
        problems.add(what, url, do="write https://HOST/v1")
