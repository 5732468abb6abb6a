"""What each column of a table is: model, benchmark, or what belongs to another column.

Names are compared in lower case without spaces and signs, so `Standard Error`
and `standard_error` are one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from befit.interop.benchmarks import Troubles

MODEL = frozenset(("", "model", "modelname", "models", "llm", "system", "name", "generator"))
BENCHMARK = frozenset(("benchmark", "task", "dataset", "eval", "evaluation"))
VALUE = frozenset(("score", "value", "result", "accuracy", "acc", "correct"))
ITEMS = frozenset(
    ("n", "items", "nitems", "ntotal", "nsamples", "samples", "count", "questions", "samplesize")
)
ERROR = frozenset(("stderr", "standarderror", "stderror", "se", "sem", "error"))
RUN = frozenset(("run", "seed", "epoch", "trial", "repeat"))
ITEM = frozenset(("item", "itemid", "questionid", "sampleid", "docid"))
DATE = frozenset(("date", "evaluatedon", "asof"))
SOURCE = frozenset(("source", "url", "link"))
ABOUT = frozenset(("skill", "language", "languages", "modality"))
_SIGNS = re.compile(r"[^a-z0-9]")


def plain_name(name: str) -> str:
    """Return a column's name as it is compared."""
    return _SIGNS.sub("", name.lower())


@dataclass(slots=True)
class Columns:
    """Places of the columns of one table."""

    names: Sequence[str]
    model: int = -1
    benchmark: int | None = None
    value: int | None = None
    scores: list[int] = field(default_factory=list)
    """Wide form: the columns that are benchmarks."""
    errors: dict[int, int] = field(default_factory=dict)
    """Benchmark column -> the column of its standard errors."""
    items: dict[int, int] = field(default_factory=dict)
    about: dict[str, int] = field(default_factory=dict)
    """`items`, `error`, `run`, `item`, `date`, `source`, `skill`, ... of a whole row."""

    @property
    def is_long(self) -> bool:
        """Whether each row is one result."""
        return self.benchmark is not None and self.value is not None


_ROW = {"run": RUN, "item": ITEM, "date": DATE, "source": SOURCE}


def find_columns(names: Sequence[str], *, where: str, troubles: Troubles) -> Columns | None:
    """Tell the columns apart by their names; None (with a problem) where nobody can."""
    short = [plain_name(name) for name in names]
    doubled = sorted({n for n in names if n and list(names).count(n) > 1})
    if doubled:
        troubles.add(f"the column '{doubled[0]}' occurs twice", where, do="rename one of them")
        return None
    found = Columns(names=names)
    models = [i for i, name in enumerate(short) if name in MODEL]
    if not models:
        troubles.add(
            "no column names the models",
            where,
            why=f"the columns are {', '.join(repr(n) for n in names[:6])}",
            do="call one 'model'",
        )
        return None
    found.model = next((i for i in models if short[i]), models[0])
    _roles(found, short)
    if not found.is_long and not found.scores:
        troubles.add("no column holds results", where, do="add one column per benchmark")
        return None
    return found


def _roles(found: Columns, short: Sequence[str]) -> None:
    rest = [i for i in range(len(short)) if i != found.model]
    found.benchmark = next((i for i in rest if short[i] in BENCHMARK), None)
    found.value = next((i for i in rest if short[i] in VALUE), None)
    last: int | None = None
    for i in rest:
        role = next((role for role, names in _ROW.items() if short[i] in names), None)
        if role is not None or short[i] in ABOUT:
            found.about[role or short[i].removesuffix("s")] = i
        elif short[i] in ITEMS:
            found.about["items"] = i
        elif short[i] in ERROR:
            if found.is_long or last is None:
                found.about["error"] = i
            else:
                found.errors[last] = i
        elif (owner := _owner(short, i, ERROR)) is not None:
            found.errors[owner] = i
        elif (owner := _owner(short, i, ITEMS)) is not None:
            found.items[owner] = i
        elif not found.is_long and short[i]:
            found.scores.append(i)
            last = i


def _owner(short: Sequence[str], index: int, endings: frozenset[str]) -> int | None:
    """Return the column that this one belongs to by its name: `mmlu_stderr` to `mmlu`."""
    for ending in endings:
        stem = short[index].removesuffix(ending)
        if stem != short[index] and stem and stem in short:
            return list(short).index(stem)
    return None
