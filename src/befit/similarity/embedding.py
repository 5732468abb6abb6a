"""Likeness of meaning by word vectors (wordllama, 256 dimensions, shipped in its package).

The vectors are loaded at the first comparison, from the package's own folder and
never from the network. Negation and numbers hardly move such vectors: use a
declared threshold and look at the pairs beside it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from befit.errors import PluginError

if TYPE_CHECKING:
    import numpy as np


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


def vectors(texts: Sequence[str]) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    """Return the mean word vectors of texts, each row of length 1 (0 for an empty text).

    Raises:
        PluginError: the extra `semantic` is not installed.
    """
    import numpy as np  # noqa: PLC0415 (the run path starts without it)

    made = np.asarray(_model().embed([_encodable(text) for text in texts]), dtype=np.float32)
    lengths = np.linalg.norm(made, axis=1, keepdims=True)
    return np.asarray(made / np.maximum(lengths, 1e-9), dtype=np.float32)


def _load() -> Callable[[str, str], float]:
    similarity: Callable[[str, str], float] = _open().similarity
    return similarity


@lru_cache(maxsize=1)
def _model() -> Any:
    """Return the vectors, opened once for all chunks of a log."""
    return _open()


def _open() -> Any:
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
        return wordllama.WordLlama.load(cache_dir=folder, disable_download=True)
    except (OSError, ValueError) as error:
        raise PluginError(
            "the word vectors of similarity 'embedding' cannot be read",
            where=str(folder),
            why=str(error),
            do="pip install --force-reinstall 'befit[semantic]'",
        ) from error
