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
