"""The settings of `befit load` as typed (`--set key=value`), each seen before any call is made."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from befit.errors import UsageError
from befit.plugins import nearest

UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0}
DAY = 86_400
MOST_SECONDS = 7 * DAY
MOST_RATE = 100_000
"""Calls per second, or calls in flight, beyond which no machine that runs befit gets."""
_EXACT = 2**53


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """What a number may be: from `least` (or above it, where `above`) to `most`."""

    least: float
    most: float
    above: bool = False
    whole: bool = False

    def holds(self, value: Decimal) -> bool:
        """Tell whether `value` lies inside; NaN and infinite never do."""
        if not value.is_finite() or not self.least <= value <= self.most:
            return False
        return not (self.above and value == self.least) and not (self.whole and value % 1)

    @property
    def words(self) -> str:
        """What it may be, in words."""
        kind = "a whole number" if self.whole else "a number"
        least = f"above {self.least:g}" if self.above else f"from {self.least:,.0f}"
        return f"{kind} {least} to {self.most:,.0f}"


_SECONDS = Bounds(least=0, most=MOST_SECONDS)
_PROMISED = Bounds(least=0, most=DAY, above=True)
_LOAD = Bounds(least=0, most=MOST_RATE, above=True)
_COUNT = Bounds(least=1, most=1_000_000, whole=True)
SETTINGS = {
    "duration": Bounds(least=0, most=MOST_SECONDS, above=True),
    "warm_up": _SECONDS,
    "cool_down": _SECONDS,
    "seed": Bounds(least=-_EXACT, most=_EXACT, whole=True),
    "speed": Bounds(least=0, most=1_000_000, above=True),
    "most_in_flight": _COUNT,
    "most_waiting": _COUNT,
    "latency": _PROMISED,
    "first_token": _PROMISED,
    "per_token": _PROMISED,
    "share": Bounds(least=0, most=1, above=True),
    "requests": Bounds(least=1, most=_EXACT, whole=True),
    "tokens": Bounds(least=1, most=_EXACT, whole=True),
    "usd": Bounds(least=0, most=1_000_000_000, above=True),
    "hourly": Bounds(least=0, most=1_000_000, above=True),
    "start": _LOAD,
    "most": _LOAD,
    "least_calls": Bounds(least=1, most=1_000_000_000, whole=True),
}
RATE, PLACES = _LOAD, Bounds(least=1, most=MOST_RATE, whole=True)
_HINTS = {
    "share": "0.95 means 95 of 100 calls",
    "duration": "for instance 90, 90s, 10m or 2h",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """Settings that were given, all of them inside their bounds."""

    words: dict[str, Decimal]

    def number(self, key: str) -> float | None:
        """Return a setting as a number, None where it was not given."""
        return None if key not in self.words else float(self.words[key])

    def count(self, key: str) -> int | None:
        """Return a setting as a whole number, None where it was not given."""
        return None if key not in self.words else int(self.words[key])

    def money(self, key: str) -> Decimal | None:
        """Return a setting as an amount, None where it was not given."""
        return self.words.get(key)


def read_given(given: list[str]) -> Given:
    """Return settings.

    Raises:
        UsageError: an unknown key, a missing value, or one that is out of bounds.
    """
    words: dict[str, Decimal] = {}
    for one in given:
        key, equals, value = one.partition("=")
        if key not in SETTINGS:
            raise UsageError(
                f"unknown setting '{one}'",
                why=f"{nearest(key, list(SETTINGS))}known: {', '.join(SETTINGS)}",
                do="for instance --set duration=60",
            )
        if not equals or not value.strip():
            raise UsageError(f"'{key}' has no value", do=f"--set {key}=VALUE")
        words[key] = _seconds(value) if key == "duration" else _bounded(key, value)
    return Given(words=words)


def _bounded(key: str, word: str) -> Decimal:
    bounds = SETTINGS[key]
    value = decimal(word.strip().removeprefix("$"))
    if value is None or not bounds.holds(value):
        raise UsageError(
            f"{key} is {bounds.words}", where=f"--set {key}={word}", do=_HINTS.get(key, "")
        )
    return value


def decimal(word: str) -> Decimal | None:
    """Return a number as typed, None where it is none."""
    try:
        return Decimal(word)
    except InvalidOperation:
        return None


def seconds(word: str) -> float:
    """Return a duration as typed (`90`, `90s`, `10m`, `2h`) in seconds; else UsageError."""
    return float(_seconds(word))


def _seconds(word: str) -> Decimal:
    factor = UNITS.get(word[-1:], 0.0)
    found = decimal(word[:-1] if factor else word)
    if found is not None and found.is_finite():
        # Compared before it is multiplied: an exponent of a million is a number, too.
        found = min(found, Decimal(MOST_SECONDS + 1)) * Decimal(factor or 1)
    if found is None or not SETTINGS["duration"].holds(found):
        raise UsageError(
            f"'{word}' is no duration",
            where="duration",
            why="it is above 0 and a week at most",
            do=_HINTS["duration"],
        )
    return found
