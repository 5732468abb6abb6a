"""Likeness of meaning by word vectors (wordllama, 256 dimensions, shipped in its package).

The vectors are loaded at the first comparison, from the package's own folder and
never from the network. Negation and numbers hardly move such vectors: use a
declared threshold and look at the pairs beside it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path

from befit.errors import PluginError


class Embedding:
    """Cosine similarity of the two texts' mean word vectors, cut at 0."""

    def __init__(self) -> None:
        self._cosine: Callable[[str, str], float] | None = None

    def compare(self, a: str, b: str, /) -> float:
        """Return 0..1; equal texts are 1.0, and nothing is like an empty text but another.

        Raises:
            PluginError: the extra `semantic` is not installed.
        """
        if a == b:
            return 1.0
        if not a.strip() or not b.strip():
            return 1.0 if a.strip() == b.strip() else 0.0
        if self._cosine is None:
            self._cosine = _load()
        return min(1.0, max(0.0, float(self._cosine(_encodable(a), _encodable(b)))))


def _encodable(text: str) -> str:
    """Return `text` without lone surrogates, which the tokenizer refuses."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _load() -> Callable[[str, str], float]:
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    try:
        import wordllama  # noqa: PLC0415 (an optional extra, loaded when it is first needed)
    except ImportError as error:
        raise PluginError(
            "similarity 'embedding' needs an extra that is not installed",
            why=str(error),
            do="pip install 'befit[semantic]'",
        ) from error
    finally:
        # Importing wordllama configures the root logger; that is not its to decide.
        root.handlers[:] = handlers
        root.setLevel(level)
    folder = Path(wordllama.__file__).parent
    try:
        # Without these two arguments it asks a model hub.
        model = wordllama.WordLlama.load(cache_dir=folder, disable_download=True)
    except (OSError, ValueError) as error:
        raise PluginError(
            "the word vectors of similarity 'embedding' cannot be read",
            where=str(folder),
            why=str(error),
            do="pip install --force-reinstall 'befit[semantic]'",
        ) from error
    similarity: Callable[[str, str], float] = model.similarity
    return similarity
