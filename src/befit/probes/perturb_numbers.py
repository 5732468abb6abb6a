"""Arithmetic items with other numbers and the answer computed anew.

An item must show its way: a solution with marked steps (`<<16-3-4=9>>`), or a
sum in the question itself (`40 + 85`). Only numbers whose part in the steps is
beyond doubt are changed: one that stands twice in the question, or that might be a
hidden constant (2 in "twice", 7 in "week"), stays.
"""

from __future__ import annotations

import ast
import math
import random
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from befit.core.record import Json

_STEP = re.compile(r"<<([^<>=]+)=([^<>=]+)>>")
_DIRECT = re.compile(r"(?<![\w.])\d[\d.,]*(?:\s*[-+*/x×÷]\s*\d[\d.,]*)+(?![\w])")
_NUMBER = re.compile(r"(?<![\w.])\d+(?:,\d{3})*(?:\.\d+)?(?![\w])")
_ANSWER = re.compile(r"####\s*(-?[\d.,]+)")
_WORDS = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
    "twenty",
]
_WORD = re.compile(r"\b(" + "|".join(_WORDS[2:]) + r")\b", re.IGNORECASE)
_HIDDEN: tuple[tuple[str, tuple[int, ...]], ...] = (
    (r"\b(half|halves|twice|double[sd]?|pair|couple|both|two-?fold|second)", (2,)),
    (r"\b(third|thirds|triple[sd]?|thrice|three times)", (3,)),
    (r"\b(quarter|quarters|fourth|fourths|quadruple)", (4, 25)),
    (r"\bfifths?\b", (5,)),
    (r"\b(sixths?|half a dozen)\b", (6,)),
    (r"\b(eighths?)\b", (8,)),
    (r"\b(tenths?|dimes?|decade)", (10,)),
    (r"\b(weeks?|weekly|daily|every day|each day|days?)\b", (7, 5, 2, 30)),
    (r"\b(dozens?|years?|yearly|annual|months?|monthly|foot|feet|inch)", (12, 4, 52, 365)),
    (r"\b(hours?|minutes?|seconds?)\b", (60, 24)),
    (r"(%|\bpercent|\bcents?\b|\bcentury)", (100, 1)),
    (r"\b(times as|more than|less than|fewer than)\b", (1,)),
)
_TRIES = 300
_LEAST, _MOST = 0.6, 1.7


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """An item with its way: steps as (expression, result), the last one the answer."""

    text: str
    steps: tuple[tuple[str, Fraction], ...]


def as_fraction(text: str) -> Fraction | None:
    """Return a number of a text; None where it is none."""
    try:
        return Fraction(text.replace(",", "").replace("$", "").strip().rstrip("."))
    except (ValueError, ZeroDivisionError):
        return None


def evaluate(expression: str) -> Fraction | None:
    """Return the value of a sum of numbers, + - * / and brackets; None for anything else."""
    clean = expression.replace("×", "*").replace("÷", "/").replace("x", "*")
    clean = re.sub(r"(\d+(?:\.\d+)?)%", r"(\1/100)", clean.replace(",", "").replace("$", ""))
    try:
        return _value(ast.parse(clean.strip(), mode="eval").body)
    except (SyntaxError, ValueError, ZeroDivisionError, RecursionError, MemoryError):
        return None


def _value(node: ast.expr) -> Fraction:
    match node:
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            return Fraction(str(value))
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_value(operand)
        case ast.BinOp(left=left, op=op, right=right):
            a, b = _value(left), _value(right)
            match op:
                case ast.Add():
                    return a + b
                case ast.Sub():
                    return a - b
                case ast.Mult():
                    return a * b
                case ast.Div():
                    return a / b
    raise ValueError(ast.dump(node)[:50])


def read_problem(text: str, target: Json, solution: str) -> Problem | str:
    """Return the item with its steps, or why they cannot be read.

    Args:
        text: the question.
        target: the answer, or a whole solution that ends in `#### answer`.
        solution: the marked steps, where the target has none.
    """
    way = solution if _STEP.search(solution) else str(target)
    found = [(expression, as_fraction(result)) for expression, result in _STEP.findall(way)]
    if not found:
        direct = _DIRECT.findall(text)
        if len(direct) != 1:
            return "it shows no steps (<<16-3=13>>) from which an answer could be computed anew"
        found = [(direct[0], evaluate(direct[0]))]
    steps = []
    for expression, result in found:
        value = evaluate(expression)
        if value is None or result is None or abs(value - result) > Fraction(1, 100):
            return "its steps do not compute to what they say"
        steps.append((expression, value))
    answer = answer_of(target)
    if answer is None or abs(steps[-1][1] - answer) > Fraction(1, 100):
        return "its last step is not its answer"
    return Problem(text=text, steps=tuple(steps))


def answer_of(target: Json) -> Fraction | None:
    """Return the number a target stands for."""
    if isinstance(target, int | float) and not isinstance(target, bool):
        return Fraction(str(target))
    if not isinstance(target, str):
        return None
    marked = _ANSWER.search(target)
    return as_fraction(marked[1] if marked else target)


def _numbers(text: str) -> list[tuple[int, int, Fraction]]:
    """Return the numbers of a question: start, end, value."""
    found = []
    for match in _NUMBER.finditer(text):
        value = as_fraction(match[0])
        if value is not None:
            found.append((match.start(), match.end(), value))
    found += [
        (m.start(), m.end(), Fraction(_WORDS.index(m[0].lower()))) for m in _WORD.finditer(text)
    ]
    return sorted(found)


def _hidden(text: str) -> set[Fraction]:
    return {
        Fraction(value)
        for pattern, values in _HIDDEN
        if re.search(pattern, text, re.IGNORECASE)
        for value in values
    }


def renumbered(
    text: str, target: Json, solution: str, rng: random.Random
) -> tuple[str, Json] | str:
    """Return the item with other numbers and its new answer, or why that cannot be done."""
    problem = read_problem(text, target, solution)
    if isinstance(problem, str):
        return problem
    stands = Counter(value for _, _, value in _numbers(text))
    free = {value for value in stands if value > 1}
    used = {
        value
        for expression, _ in problem.steps
        for token in _NUMBER.findall(expression)
        if (value := as_fraction(token)) is not None
    }
    results = {result for _, result in problem.steps[:-1]}
    if results & free:
        return "a number of the question is also a result, so its part is in doubt"
    once = {value for value in free if stands[value] == 1}
    movable = sorted((once & used) - _hidden(text))
    if not movable:
        return "none of its numbers has a part in its steps that is beyond doubt"
    for _ in range(_TRIES):
        new = {value: _other(value, rng) for value in movable}
        answer = _again(problem, new)
        if answer is not None and answer != problem.steps[-1][1]:
            return _written(text, new), _as_target(target, answer)
    return "no other numbers keep its steps whole and above zero"


def _other(value: Fraction, rng: random.Random) -> Fraction:
    """Return another number of the same kind: whole stays whole, tens stay tens."""
    places = _places(value)
    scale = 10**places
    step = next(
        (s for s in (100, 50, 10, 5) if (value * scale) % s == 0 and value * scale > 2 * s), 1
    )
    low = max(2, math.ceil(value * scale * Fraction(_LEAST)) // step)
    high = max(low + 2, math.floor(value * scale * Fraction(_MOST)) // step)
    return Fraction(rng.randint(low, high) * step, scale)


def _places(value: Fraction) -> int:
    for places in range(4):
        if (value * 10**places).denominator == 1:
            return places
    return 4


def _again(problem: Problem, new: Mapping[Fraction, Fraction]) -> Fraction | None:
    """Compute all steps with new numbers; None where one is no longer of the same kind."""
    known: dict[Fraction, Fraction] = dict(new)
    answer = None
    for expression, before in problem.steps:
        swapped = _NUMBER.sub(lambda m: _swap(m[0], known), expression)
        value = evaluate(swapped)
        if value is None or value <= 0 or _places(value) > _places(before):
            return None
        if before not in new:
            known[before] = value
        answer = value
    return answer


def _swap(token: str, known: Mapping[Fraction, Fraction]) -> str:
    value = as_fraction(token)
    if value is None or value not in known:
        return token
    now = known[value]
    return str(now.numerator) if now.denominator == 1 else f"({now.numerator}/{now.denominator})"


def _written(text: str, new: Mapping[Fraction, Fraction]) -> str:
    for start, end, value in reversed(_numbers(text)):
        if value in new:
            old = text[start:end]
            text = text[:start] + _form(new[value], like=old) + text[end:]
    return text


def _form(value: Fraction, *, like: str) -> str:
    """Write a number as the one it stands for was written."""
    if like.isalpha():
        if value.denominator == 1 and value < len(_WORDS):
            word = _WORDS[int(value)]
            return word.capitalize() if like[0].isupper() else word
        return plain(value)
    places = len(like.partition(".")[2])
    return f"{float(value):{',' if ',' in like else ''}.{places}f}"


def plain(value: Fraction) -> str:
    """Write a number without needless decimals."""
    return str(value.numerator) if value.denominator == 1 else f"{float(value):g}"


def _as_target(target: Json, answer: Fraction) -> Json:
    if isinstance(target, int | float):
        return int(answer) if answer.denominator == 1 else float(answer)
    return f"#### {plain(answer)}" if "####" in str(target) else plain(answer)
