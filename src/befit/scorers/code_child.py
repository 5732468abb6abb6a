"""The program inside the sandbox: sets its own limits, then runs the answer and its tests.

It is started as a script by `code_run`, without the package: the standard library
only. Results go as JSON lines to an open file, each with the word agreed on.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import sys
import types
from collections.abc import Callable
from typing import Any

_NEW_USER, _NEW_NET = 0x10000000, 0x40000000
_FILE_BYTES = 20_000_000
_OPEN_FILES = 64
_WHY = 300
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_DENIED = (
    "socket.",
    "subprocess.",
    "ctypes.",
    "os.exec",
    "os.fork",
    "os.posix_spawn",
    "os.spawn",
    "os.system",
    "os.kill",
    "pty.",
    "webbrowser.",
    "ftplib.",
    "smtplib.",
    "sqlite3.",
    "signal.pthread_kill",
)
_LOCAL = 1
"""socket.AF_UNIX: the pair of sockets by which asyncio wakes itself; it can connect to nothing."""
_TIMES = ("/usr/share/zoneinfo", "/usr/lib/zoneinfo", "/etc/zoneinfo", "/etc/localtime")
_PATHS = {
    "os.remove": 1,
    "os.rename": 2,
    "os.rmdir": 1,
    "os.mkdir": 1,
    "os.link": 2,
    "os.symlink": 2,
    "os.chmod": 1,
    "os.chown": 1,
    "os.truncate": 1,
    "os.listdir": 1,
    "os.scandir": 1,
    "os.chdir": 1,
    "os.utime": 1,
}
"""Event -> how many of its arguments are paths that must lie in the folder."""


def limit(order: dict[str, Any]) -> None:
    """Set what the process may use; hard limits, so that nothing inside raises them."""
    seconds = int(order["seconds"]) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    resource.setrlimit(resource.RLIMIT_AS, (order["bytes"], order["bytes"]))
    resource.setrlimit(resource.RLIMIT_FSIZE, (_FILE_BYTES, _FILE_BYTES))
    resource.setrlimit(resource.RLIMIT_NOFILE, (_OPEN_FILES, _OPEN_FILES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if not order["command"]:
        resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))


def leave_network() -> bool:
    """Move into a network namespace without any device; False where the system refuses."""
    try:
        kernel = ctypes.CDLL(None, use_errno=True)
        return any(kernel.unshare(flags) == 0 for flags in (_NEW_NET, _NEW_USER | _NEW_NET))
    except (OSError, AttributeError):
        return False


def denied(event: str, given: tuple[Any, ...]) -> bool:
    """Tell whether an event leads out of the process."""
    return event.startswith(_DENIED) and not (event == "socket.__new__" and given[1] == _LOCAL)


def fence() -> None:
    """Close Python's own ways out: sockets, processes, native calls, files elsewhere."""
    home = os.path.realpath(".")
    places = (*sys.path, sys.base_prefix, *_TIMES)
    reads = [home, *{os.path.realpath(path) for path in places if path}]

    def inside(path: object, roots: list[str]) -> bool:
        if isinstance(path, int) or path is None:
            return True
        try:
            real = os.path.realpath(os.fsdecode(path))  # type: ignore[arg-type] # anything an event brings
        except (TypeError, ValueError):
            return False
        return real in {"/dev/null", "/dev/urandom"} or any(
            real == root or real.startswith(root + os.sep) for root in roots
        )

    def hook(event: str, given: tuple[Any, ...]) -> None:
        if event == "open":
            writes = bool((given[2] or 0) & _WRITES) if isinstance(given[2], int) else False
            if not inside(given[0], [home] if writes else reads):
                raise PermissionError(f"the sandbox does not open {given[0]!r:.80}")
        elif event in _PATHS:
            roots = reads if event in {"os.listdir", "os.scandir"} else [home]
            if not all(inside(path, roots) for path in given[: _PATHS[event]]):
                raise PermissionError(f"the sandbox refuses {event}")
        elif denied(event, given):
            raise PermissionError(f"the sandbox refuses {event}")

    sys.addaudithook(hook)


def describe(error: BaseException) -> str:
    """Return an error in a line; the error's own text may fail too."""
    try:
        text = str(error)
    except BaseException:  # noqa: BLE001 - the answer's own exception classes
        text = ""
    name = type(error).__name__
    return f"{name}: {text}"[:_WHY] if text else name


def outcome(work: Callable[[], object]) -> tuple[str, str | None]:
    """Run `work` and return its label and why it failed."""
    try:
        work()
    except AssertionError as error:
        return "failed", describe(error)
    except MemoryError:
        return "memory", None
    except SystemExit:
        return "exited", None
    except BaseException as error:  # noqa: BLE001 - whatever the answer's code raises
        return "raised", describe(error)
    return "passed", None


def tested(text: str, module: types.ModuleType) -> None:
    """Run one test: its lines, then what it defines as tests: functions, classes, cases."""
    space = dict(vars(module))
    before = set(space)
    exec(compile(text, "test", "exec", dont_inherit=True), space)  # noqa: S102 - what this is for
    for name, thing in list(space.items()):
        if name in before or not callable(thing):
            continue
        if isinstance(thing, type):
            tested_class(name, thing)
        elif name.startswith("test_"):
            finish(thing())


def finish(result: object) -> None:
    """Run what an async test has begun."""
    if isinstance(result, types.CoroutineType):
        import asyncio  # noqa: PLC0415 - slow to import, and seldom needed

        asyncio.run(result)


def tested_class(name: str, kind: type) -> None:
    """Run the cases of a class of tests: unittest's own, or one called `Test...`."""
    unittest = sys.modules.get("unittest")
    if unittest is not None and issubclass(kind, unittest.TestCase):
        result = unittest.TestResult()
        unittest.defaultTestLoader.loadTestsFromTestCase(kind).run(result)
        if not result.wasSuccessful():
            _, why = [*result.failures, *result.errors, (None, "a failure was expected")][0]
            raise AssertionError(why.strip().rpartition("\n")[2])
    elif name.startswith("Test"):
        for case in [one for one in dir(kind) if one.startswith("test_")]:
            inside = kind()
            getattr(inside, "setup_method", lambda: None)()
            finish(getattr(inside, case)())
            getattr(inside, "teardown_method", lambda: None)()


def judge(order: dict[str, Any], say: Callable[..., None]) -> None:
    """Run the answer as a module, then each test."""
    path = order["file"]
    with open(path, encoding="utf-8") as file:  # noqa: PTH123 - no pathlib in here: start is quick
        source = file.read()
    try:
        program = compile(source, path, "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError) as error:
        line = getattr(error, "lineno", None)
        what = error.msg if isinstance(error, SyntaxError) else type(error).__name__
        say(syntax=f"{what} in line {line}" if line else what)
        return
    name = path.removesuffix(".py").replace("/", ".")
    module = types.ModuleType(name)
    module.__file__ = path
    sys.modules[name] = sys.modules["solution"] = module
    label, why = outcome(lambda: exec(program, vars(module)))  # noqa: S102 - what this is for
    for number, text in enumerate(order["tests"]):
        if label != "passed":
            say(test=number, label=label if label != "failed" else "raised", why=why)
            continue
        found = outcome(lambda text=text: tested(text, module))  # type: ignore[misc] # a default binds
        say(test=number, label=found[0], why=found[1])


def main() -> None:
    """Read the order from stdin and carry it out."""
    order = json.loads(sys.stdin.buffer.read())
    results = os.fdopen(order["results"], "ab", buffering=0)

    def say(**found: object) -> None:
        results.write(json.dumps({"word": order["word"], **found}).encode() + b"\n")

    apart = leave_network()
    try:
        limit(order)
    except (OSError, ValueError) as error:
        say(broken=f"limits cannot be set: {error}")
        return
    if order["command"]:
        say(fence="limits; no network" if apart else "limits; the network is open")
        results.close()
        command = [part.replace("{file}", order["file"]) for part in order["command"]]
        try:
            os.execvp(command[0], command)  # noqa: S606 - the user's own command, no shell
        except OSError:
            os._exit(127)
    sys.path.insert(0, os.path.realpath("."))
    fence()
    own = "no network, own folder" if apart else "sockets closed in Python, own folder"
    say(fence=f"limits; {own}")
    judge(order, say)
    os._exit(0)


if __name__ == "__main__":
    main()
