"""Near-duplicates and likeness of texts: normal forms, MinHash, character n-grams, clusters.

On bytes and numpy, so it works for any language and is the same on every
machine; clusters take word vectors instead where the extra `semantic` is there.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from befit.errors import PluginError
from befit.similarity.embedding import vectors

Words = npt.NDArray[np.uint64]
Floats = npt.NDArray[np.float32]
Method = Literal["embedding", "n-grams"]

_MARK = re.compile(r"\[([A-Z][A-Z0-9_]*)-[A-Z2-7]{5}\]")
_FILLED = re.compile(r"\b(?=\w*\d)[\w./:-]+|\d+")
_SPACE = re.compile(r"\W+")
_SHINGLE = 5
"""Bytes of one shingle."""
_HASHES = 128
_SAME = 0.8
"""Estimated Jaccard similarity of the shingles from which two texts are near-duplicates."""
_PRIME = np.uint64(0x9E3779B97F4A7C15)
_DIMENSIONS = 1024


def exact_key(text: str) -> int:
    """Return a hash of the text without case, spacing and punctuation."""
    return _hash(_SPACE.sub(" ", text.casefold()).strip() or text)


def template_key(text: str) -> int:
    """Return a hash of the text as a form: numbers, codes and pseudonyms are blanks in it."""
    form = _FILLED.sub("0", _MARK.sub(lambda mark: mark[1].lower(), text)).casefold()
    return _hash(_SPACE.sub(" ", form).strip() or text)


def _hash(text: str) -> int:
    raw = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(raw, "little")


def _shingles(text: str) -> Words:
    form = _SPACE.sub(" ", _MARK.sub(r"\1", text).casefold()).strip()
    raw = np.frombuffer(form.encode("utf-8", "replace"), dtype=np.uint8).astype(np.uint64)
    if raw.size < _SHINGLE:
        raw = np.pad(raw, (0, _SHINGLE - raw.size))
    windows = np.lib.stride_tricks.sliding_window_view(raw, _SHINGLE)
    packed = (windows << np.arange(0, 8 * _SHINGLE, 8, dtype=np.uint64)).sum(axis=1)
    return np.unique(packed)


def _seeds() -> Words:
    made = np.random.default_rng(20).integers(1, 1 << 63, size=_HASHES, dtype=np.uint64)
    return made | np.uint64(1)


class NearDuplicates:
    """Texts kept so far, and whether a new one is nearly one of them (MinHash, Broder 1997)."""

    def __init__(self, *, same: float = _SAME) -> None:
        self._same = same
        self._seeds = _seeds()
        self._kept: Words = np.zeros((64, _HASHES), dtype=np.uint64)
        self._count = 0

    def signature(self, text: str) -> Words:
        """Return the MinHash signature of a text: (128,)."""
        mixed = _shingles(text)[:, None] * self._seeds[None, :]
        mixed ^= mixed >> np.uint64(29)
        mixed *= _PRIME
        return np.asarray(mixed.min(axis=0), dtype=np.uint64)

    def find(self, text: str) -> tuple[int | None, Words]:
        """Return the place of a kept text that is nearly the same, and the signature."""
        made = self.signature(text)
        if not self._count:
            return None, made
        alike = (self._kept[: self._count] == made).sum(axis=1)
        best = int(alike.argmax())
        return (best if alike[best] >= self._same * _HASHES else None), made

    def keep(self, signature: Words) -> int:
        """Keep a text and return its place."""
        if self._count == len(self._kept):
            self._kept = np.concatenate((self._kept, np.zeros_like(self._kept)))
        self._kept[self._count] = signature
        self._count += 1
        return self._count - 1


def features(texts: Sequence[str]) -> Floats:
    """Return hashed counts of character 3-grams, each row of length 1: (texts, 1024)."""
    made = np.zeros((len(texts), _DIMENSIONS), dtype=np.float32)
    for row, text in enumerate(texts):
        form = _SPACE.sub(" ", _MARK.sub(" ", text[:2000]).casefold())
        raw = np.frombuffer(f"  {form}".encode("utf-8", "replace"), dtype=np.uint8).astype(
            np.uint32
        )
        grams = (raw[:-2] << np.uint32(16)) | (raw[1:-1] << np.uint32(8)) | raw[2:]
        places = (grams * np.uint32(2654435761)) >> np.uint32(22)
        made[row] = np.sqrt(np.bincount(places, minlength=_DIMENSIONS)[:_DIMENSIONS])
    return _unit(made)


def _unit(rows: Floats) -> Floats:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.maximum(lengths, 1e-9), dtype=np.float32)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Clusters:
    """Centres of spherical k-means over `features`, weighted as `idf`."""

    centres: Floats
    idf: Floats
    method: Method = "n-grams"

    def assign(self, texts: Sequence[str]) -> npt.NDArray[np.int64]:
        """Return the cluster of each text."""
        if not texts:
            return np.zeros(0, dtype=np.int64)
        rows = _rows(texts, self.method)
        rows = _unit(rows * self.idf) if self.idf.size else rows
        return np.asarray((rows @ self.centres.T).argmax(axis=1), dtype=np.int64)

    def to_json(self) -> dict[str, Any]:
        """Return the centres as JSON values, rounded to what decides."""
        return {
            "centres": np.round(self.centres.astype(float), 4).tolist(),
            "idf": np.round(self.idf.astype(float), 4).tolist(),
            "method": self.method,
        }

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> Clusters:
        """Return what `to_json` wrote."""
        return cls(
            centres=np.array(value["centres"], dtype=np.float32),
            idf=np.array(value["idf"], dtype=np.float32),
            method=value["method"],
        )


def _best(texts: list[str]) -> tuple[Floats, Method]:
    """Return word vectors where the extra is there, else n-grams, and which it was."""
    try:
        return _rows(texts, "embedding"), "embedding"
    except PluginError:
        return _rows(texts, "n-grams"), "n-grams"


def _rows(texts: Sequence[str], method: Method) -> Floats:
    return vectors(texts) if method == "embedding" else features(texts)


def cluster(texts: Iterable[str], *, k: int, seed: int, rounds: int = 25) -> Clusters:
    """Return `k` clusters (or fewer, where there are fewer different texts); deterministic."""
    rows, method, idf = *_best(list(texts)), np.zeros(0, dtype=np.float32)
    if method == "n-grams":
        frequent = (rows > 0).mean(axis=0)
        idf = np.asarray(np.maximum(1.0 - np.log(frequent + 1e-3), 0.05), dtype=np.float32)
        rows = _unit(rows * idf)
    rng = np.random.default_rng(seed)
    chosen = [int(rng.integers(len(rows)))]
    while len(chosen) < k:
        gap = 1 - (rows @ rows[chosen].T).max(axis=1)
        if float(gap.max()) < 1e-4:  # noqa: PLR2004 - all that is left is the same text
            break
        chances = np.maximum(gap, 0) ** 2
        chosen.append(int(rng.choice(len(rows), p=chances / chances.sum())))
    centres = rows[chosen].copy()
    for _ in range(rounds):
        home = (rows @ centres.T).argmax(axis=1)
        moved = np.stack(
            [rows[home == i].mean(axis=0) if (home == i).any() else centres[i]
             for i in range(len(centres))]
        )  # fmt: skip
        moved = _unit(moved)
        if np.allclose(moved, centres, atol=1e-5):
            break
        centres = moved
    return Clusters(centres=centres, idf=idf, method=method)
