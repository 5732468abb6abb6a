from __future__ import annotations

import sys

import pytest
from pydantic import ValidationError

from befit.scorers.code import Code
from befit.scorers.code_context import context
from scorer_ground import answered, named, wanting

ADD = "def add(a, b):\n    return a + b\n"


def scores(text, target, /, **options):
    scorer = Code(Code.Options.model_validate({"seconds": 5, **options}))
    return list(scorer.score(wanting(target), answered(text)))


def verdict(*given, **options):
    found = named(scores(*given, **options), "tests_pass")
    return found.value, found.label


def test_the_share_of_tests_that_pass_counts_and_each_is_shown():
    tests = ["assert add(2, 3) == 5", "def test_zero():\n    assert add(0, 0) == 1", "add(1)"]
    found = scores(f"Here:\n```python\n{ADD}```\nIt adds.", tests)
    assert named(found, "tests_pass").value == pytest.approx(1 / 3)
    labels = [named(found, "test", f"test {n}").label for n in (1, 2, 3)]
    assert labels == ["passed", "failed", "raised"]
    assert "missing 1 required positional argument" in named(found, "test", "test 3").explanation


def test_tests_may_import_the_answer():
    assert verdict(ADD, "from solution import add as plus\nassert plus(1, 1) == 2") == (
        1.0,
        "right",
    )


@pytest.mark.parametrize(
    ("answer", "label"),
    [
        ("def add(a, b:\n", "syntax_error"),
        ("def add(a, b):\n    return a - b", "failed"),
        ("def add(a, b):\n    while True: pass", "timeout"),
        ("import time\ntime.sleep(60)", "timeout"),
        ("x = 'x' * 10**10", "memory"),
        ("import os\nos._exit(0)", "exited"),
        ("raise SystemExit(0)", "exited"),
        ("import socket\nsocket.create_connection(('127.0.0.1', 9))", "raised"),
        ("import urllib.request as u\nu.urlopen('http://127.0.0.1:9')", "raised"),
        ("import subprocess\nsubprocess.run(['true'])", "raised"),
        ("import os\nos.fork()", "raised"),
        ("open('/etc/hostname').read()", "raised"),
        ("open('../out', 'w')", "raised"),
        ("import ctypes\nctypes.CDLL(None)", "raised"),
        ('def add(a, b): return 5\nimport sys\nsys.stdout.write(\'{"test": 0, "label": 1}\')', ""),
        ("I cannot write code.", "syntax_error"),
        ("", "no_answer"),
    ],
)
def test_what_an_answer_may_not_do_fails_its_tests_and_nothing_else(answer, label):
    seconds = 1 if label == "timeout" else 5
    value, found = verdict(answer, "assert add(2, 3) == 5", seconds=seconds)
    assert (value, found) == ((0.0, label) if label else (1.0, "right"))


def test_the_environment_and_files_of_others_are_out_of_reach_but_its_own_folder_is_not():
    answer = (
        "import os\nwith open('notes.txt', 'w') as f:\n    f.write('kept')\n"
        "def add(a, b):\n    return a + b if 'SECRET' not in os.environ else 0\n"
        "def read():\n    return open('notes.txt').read()\n"
    )
    assert verdict(answer, ["assert add(2, 3) == 5", "assert read() == 'kept'"]) == (1.0, "right")


FILES = {
    "shop/prices.py": "from math import floor\nRATE = 1.2\n"
    "def price(name: str, *, net: bool = False) -> int:\n    return len(name)\n",
    "shop/__init__.py": "",
}
TARGET = {
    "tests": ["assert total(['a', 'bb']) == 3"],
    "files": FILES,
    "file": "shop/basket.py",
    "text": "from shop.prices import price\n\n{answer}",
    "uses": ["price"],
}


def test_an_answer_in_its_context_uses_what_is_there():
    answer = "def total(names):\n    return sum(price(name, net=False) for name in names)\n"
    found = scores(answer, TARGET)
    assert named(found, "tests_pass").value == 1.0
    assert named(found, "context_kept").value == 1.0


def test_passing_tests_is_not_enough_where_the_context_is_not_kept():
    alone = "def total(names):\n    return sum(len(name) for name in names)\n"
    found = scores(alone, TARGET)
    assert (named(found, "tests_pass").value, named(found, "tests_pass").label) == (
        0.0,
        "unused_context",
    )
    anew = "def price(x): return len(x)\ndef total(names):\n    return sum(map(price, names))\n"
    assert verdict(anew, TARGET) == (0.0, "redefined")


@pytest.mark.parametrize(
    ("code", "label"),
    [
        ("from shop.prices import price, RATE, floor", "right"),
        ("import shop.prices\nshop.prices.price('a')", "right"),
        ("from shop.prices import discount", "unknown_import"),
        ("from shop.taxes import rate", "unknown_import"),
        ("from shop.prices import price\nprice('a', True)", "wrong_signature"),
        ("from shop.prices import price\nprice()", "wrong_signature"),
        ("from shop.prices import price\nprice('a', gross=True)", "wrong_signature"),
        ("from shop import prices\nprices.price()", "wrong_signature"),
        ("from shop.prices import price\nprice(*a)", "right"),
        ("class price: pass", "redefined"),
        ("import json\njson.dumps({})", "right"),
    ],
)
def test_context_is_read_from_the_syntax(code, label):
    assert context(code, FILES, uses=(), file="shop/basket.py").label == label


def test_another_language_runs_by_its_command():
    command = [sys.executable, "{file}"]
    run = {"command": command, "file": "answer.txt", "memory": 2048}
    assert verdict("x = 1", "assert x == 1", **run) == (1.0, "right")
    assert verdict("x = 1", "assert x == 2", **run) == (0.0, "failed")
    assert verdict("x = 1", "x", **{**run, "command": ["no-such-program"]}) == (
        None,
        "scorer_error",
    )


def test_targets_that_lead_out_of_the_sandbox_are_refused():
    assert verdict(ADD, {"tests": ["1"], "files": {"../x.py": ""}}) == (None, "bad_target")
    assert verdict(ADD, {"tests": []}) == (None, "bad_target")
    assert verdict(ADD, {"tests": ["1"], "text": "no place"}) == (None, "bad_target")
    with pytest.raises((ValidationError, ValueError), match="no path inside"):
        Code(Code.Options(file="a/../../b.py"))


WRONG = "def add(a, b):\n    return 7\n"
CASE = """
import unittest
class Adding(unittest.TestCase):
    def test_two(self):
        self.assertEqual(add(2, 3), 5)
"""
AGAIN = "async def again(a, b):\n    return add(a, b)\n"


@pytest.mark.parametrize(
    "test",
    [
        "def test_add():\n    assert add(2, 3) == 5",
        "async def test_add():\n    assert await again(2, 3) == 5",
        "class TestAdd:\n    def test_two(self):\n        assert add(2, 3) == 5",
        CASE,
    ],
)
def test_each_way_of_writing_a_test_is_run_and_not_only_defined(test):
    assert verdict(ADD + AGAIN, test) == (1.0, "right")
    assert verdict(WRONG + AGAIN, test) == (0.0, "failed")


def test_an_answer_may_run_a_loop_of_events_and_read_time_zones_of_python():
    code = (
        "import asyncio\nasync def later(a):\n    await asyncio.sleep(0)\n    return a\n"
        "def add(a, b):\n    return asyncio.run(later(a + b))\n"
    )
    assert verdict(code, "assert add(2, 3) == 5") == (1.0, "right")
    listens = "import socket\ns = socket.socket(socket.AF_UNIX)\ns.bind('door')\n"
    assert verdict(listens + ADD, "assert add(2, 3) == 5") == (0.0, "raised")


def test_the_block_that_defines_what_is_tested_is_the_answer_and_not_a_longer_example():
    example = "print(add(1, 2))\n" * 20
    text = f"```python\n{ADD}```\nIt is used so:\n```python\n{example}```"
    assert verdict(text, "assert add(2, 3) == 5") == (1.0, "right")
    before = f"```python\n{WRONG}```\nBetter:\n```python\n# Adds two numbers.\n{ADD}```"
    assert verdict(before, "assert add(2, 3) == 5") == (1.0, "right")


@pytest.mark.parametrize(
    ("test", "why"),
    [
        ("assert add(2, 3 == 5", "a test is no Python (line 1): assert add(2, 3 == 5"),
        ("import pytest\nassert add(2, 3) == 5", "imports 'pytest', and the sandbox has the"),
        ("add(2, 3) == 5", "compares and asserts nothing: write assert add(2, 3) == 5"),
    ],
)
def test_a_test_that_cannot_tell_right_from_wrong_is_its_authors_mistake(test, why):
    scorer = Code(Code.Options())
    assert why in (scorer.target_problem(test) or "")
    assert verdict(ADD, test) == (None, "bad_target")
    other = Code(Code.Options(command=("node", "{file}")))
    assert other.target_problem(test) is None
