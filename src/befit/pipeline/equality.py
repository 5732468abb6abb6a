"""How two outputs are called the same, as a scenario chose it."""

from __future__ import annotations

from collections.abc import Callable

from befit.core.scenario import Equality
from befit.errors import ConfigError
from befit.plugins import load, load_object

Sameness = Callable[[str, str], bool]


def sameness(equality: Equality) -> Sameness:
    """Return the test for "the same answer".

    Raises:
        ConfigError: method `function` without a function.
        PluginError: the function or the similarity cannot be loaded.
    """
    if equality.method == "function":
        if equality.function is None:
            raise ConfigError("equality method 'function' needs 'function: module:attribute'")
        function = load_object(equality.function)

        def by_function(a: str, b: str) -> bool:
            return bool(function(a, b))

        return by_function
    similarity = load("befit.similarities", equality.method)()
    threshold = equality.threshold if equality.method in {"edit", "embedding"} else 1.0

    def by_similarity(a: str, b: str) -> bool:
        return bool(similarity.compare(a, b) >= threshold)

    return by_similarity


def describe(equality: Equality) -> str:
    """Return the equality in words, to stand beside every number it made."""
    if equality.method in {"edit", "embedding"}:
        return f"{equality.method} similarity of at least {equality.threshold:g}"
    if equality.method == "function":
        return f"function {equality.function}"
    return {
        "answer": "equal canonical answers",
        "exact": "equal outputs",
        "normalised": "equal normalised outputs",
    }[equality.method]
