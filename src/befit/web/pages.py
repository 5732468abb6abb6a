"""Pages out of templates: the shell's own layout, and the templates of whoever uses it."""

from __future__ import annotations

from importlib import resources
from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

ASSETS = {
    "shell.css": "text/css",
    "keys.js": "text/javascript",
}
"""Own files the pages may load; nothing else is served and nothing is fetched from elsewhere."""


def environment(*packages: str) -> Environment:
    """Return an environment that finds the templates of these packages, then the shell's."""
    loaders = [PackageLoader(name, "templates") for name in (*packages, "befit.web")]
    return Environment(
        loader=ChoiceLoader(loaders),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
        cache_size=-1,
    )


def read_all(pages: Environment) -> Environment:
    """Read every template, so that a server goes on with what it began with while files change."""
    for name in pages.list_templates(extensions=["html"]):
        pages.get_template(name)
    return pages


def asset(name: str) -> str:
    """Return the text of an own file."""
    return resources.files("befit.web").joinpath("templates", name).read_text(encoding="utf-8")


def render(pages: Environment, template: str, **values: Any) -> str:
    """Return a page as text."""
    return pages.get_template(template).render(**values)
