"""Samples from a user's function: `samples: {python: module:attr}`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import orjson
from pydantic import ValidationError

from befit.core.protocols import Dataset
from befit.core.sample import Sample
from befit.datasets.files_row import HINTS
from befit.datasets.files_words import findings
from befit.errors import DataError
from befit.plugins import OwnCode

_END = object()


class PythonDataset:
    """Calls the function for each reading.

    The function returns a dataset, or samples (or mappings of the same keys) in
    the same order every time.
    """

    def __init__(self, function: Callable[[], Any], *, name: str) -> None:
        self._function = function
        self.name = name

    def load(self) -> Iterator[Sample]:
        """Yield the live samples.

        Raises:
            DataError: the function failed, or gave something that is no sample.
        """
        position = 0
        items = self._items()
        while True:
            try:
                with OwnCode():
                    item = next(items, _END)
            except Exception as error:
                why = f"{type(error).__name__}: {error}"[:300]
                raise DataError("the function failed", where=self.name, why=why) from error
            if item is _END:
                return
            sample = self._sample(item, position)
            position += 1
            if sample.retired_on is None:
                yield sample

    def _items(self) -> Iterator[Any]:
        made = self._function()
        source: Iterable[Any] = made.load() if isinstance(made, Dataset) else made
        yield from source

    def _sample(self, item: Any, position: int) -> Sample:
        where = f"{self.name} sample {position + 1}"
        try:
            sample = item if isinstance(item, Sample) else Sample.model_validate(item)
            orjson.dumps(sample.model_dump(mode="json"))
        except ValidationError as error:
            value = item if isinstance(item, dict) else {}
            first = findings(error, value, model=Sample, hints=HINTS)[0]
            raise DataError(first.what, where=where, do=first.do) from error
        except (TypeError, ValueError) as error:
            what = "the sample holds something that is no JSON value"
            raise DataError(what, where=where, why=str(error)[:200]) from error
        return sample
