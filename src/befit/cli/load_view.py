"""`befit load`: words into a plan, a live table while it runs, and the result in one table."""

from __future__ import annotations

import signal
import threading
from collections import Counter
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from befit.analysis.load import ServiceLevel
from befit.analysis.load_result import load_data
from befit.analysis.load_standing import is_usable
from befit.cli import shell as codes
from befit.cli.common import open_workspace, read_project
from befit.cli.interrupts import asked_to_stop, hung_up
from befit.cli.load_given import Given, read_given
from befit.cli.load_live import LiveTable
from befit.cli.load_words import read_shapes, show_result, write_json
from befit.cli.words import money, number
from befit.cli.writing import writing
from befit.engine.load_run import Caps
from befit.errors import StoreError
from befit.pipeline.load_import import import_load
from befit.pipeline.loading import DEFAULT_CAPS, LoadPlan, Talk, measure_load
from befit.pipeline.measured import keep_load
from befit.report.load_html import render_load
from befit.storage.whole_file import write_whole

if TYPE_CHECKING:
    from collections.abc import Iterator

    from befit.analysis.load_result import LoadResult
    from befit.cli.shell import Shell


def act(
    shell: Shell, project: Path, *, on: str, shapes: list[str], given: list[str], html: Path | None
) -> int:
    """Measure or import, show, write; return the exit code."""
    words = read_given(given)
    if html is not None:
        with writing(html, "the page", do="choose another --html"):
            html.touch()
    files = [
        Path(shape)
        for shape in shapes
        if shape.endswith((".json", ".jsonl")) and not shape.startswith("replay:")
    ]
    if files:
        result = import_load(files, promise=_promise(words))
    else:
        _see_keeping(shell, project, asked_for=html is not None)
        result = _measure(shell, project, on, shapes, words)
    # What was paid for is stored before it is shown: the reader of our output may have gone.
    kept, why_not = ("", "") if files else _keep(project, result)
    try:
        if html is not None:
            with writing(html, "the page", do="choose another --html"):
                write_whole(html, render_load(result))
                write_json(html.with_suffix(".json"), result)
    finally:
        show_result(shell, result)
        if why_not:
            shell.warn(why_not)
    if kept:
        told = "reports and gates read it"
        if not any(map(is_usable, result.levels)):
            told = "no level of it may be used, so no gate reads it"
        shell.say(f"kept  {kept}; {told}")
    if html is not None:
        shell.say(f"wrote  {html} and {html.with_suffix('.json')}")
    return shell.result(load_data(result), code=_code(result))


def _see_keeping(shell: Shell, project: Path, *, asked_for: bool) -> None:
    """See before any call that the measurement can be kept.

    Raises:
        StoreError: it cannot, and no page is `asked_for` that would hold it.
    """
    try:
        with open_workspace(project, must_exist=False) as workspace:
            workspace.records.see_writable()
    except StoreError as error:
        if not asked_for:
            raise
        shell.warn(f"the measurement will stand in the page only: {_why(error)}")


def _why(error: StoreError) -> str:
    return ": ".join(part for part in (error.what, error.why) if part)


def _keep(project: Path, result: LoadResult) -> tuple[str, str]:
    """Keep a measurement; return its id, or "" and why it is not kept."""
    if not any(level.calls for level in result.levels) and result.requests:
        return "", "every call fell into the warm-up or was cut off: nothing is kept"
    if not _answered(result):
        kinds = Counter[str]()
        for level in result.levels:
            kinds.update(level.failures)
        causes = ", ".join(f"{kind} {count:,}" for kind, count in kinds.most_common())
        return "", f"no counted call was answered ({causes or 'none was made'}): nothing is kept"
    try:
        with open_workspace(project, must_exist=False) as workspace:
            return keep_load(workspace, result).id, ""
    except StoreError as error:
        return "", f"the measurement is not kept: {_why(error)}"


def _answered(result: LoadResult) -> bool:
    """Tell whether there is anything to keep; calls that were all left out as warm-up may be."""
    calls = sum(level.calls for level in result.levels)
    failed = sum(sum(level.failures.values()) for level in result.levels)
    return result.requests > 0 and not (calls and failed == calls)


def _code(result: LoadResult) -> int:
    stops = {note.removeprefix("stopped: ") for note in (*result.notes, result.ended_by)}
    if "interrupted" in stops:
        return codes.INTERRUPTED  # whatever else the calls until then would say
    if result.invalid:
        return codes.INSUFFICIENT
    if result.requests and not _answered(result):
        return codes.of_failures(kind for level in result.levels for kind in level.failures)
    if stops & {"requests", "tokens", "spend"}:
        return codes.CAPPED
    found_nothing = bool(result.ended_by) and result.bearable is None
    return codes.INSUFFICIENT if found_nothing else codes.OK


def _measure(shell: Shell, project: Path, on: str, shapes: list[str], words: Given) -> LoadResult:
    loaded = read_project(project, shell, keys_needed=True)
    candidate, _, scenario = on.partition("/")
    asked, searching, trace = read_shapes(shapes, words, folder=loaded.folder)
    plan = LoadPlan(
        candidate=candidate,
        scenario=scenario,
        shapes=asked,
        searching=searching,
        promise=_promise(words),
        caps=_caps(words),
        trace=trace,
        hourly=words.money("hourly"),
    )
    caps = plan.caps
    shell.say(
        f"caps  {number(caps.requests)} calls, {number(caps.tokens)} tokens, "
        f"{money(None if caps.usd is None else float(caps.usd))}"
    )
    live = LiveTable(shell)
    talk = Talk(watcher=live.watch, level=live.level, begun=live.begun)
    try:
        with _stopping(talk):
            return measure_load(loaded, plan, talk=talk)
    except KeyboardInterrupt:
        raise codes.InterruptedRunError(
            "interrupted",
            why="the measurement was ended at once: nothing of it is kept",
            do="Ctrl-C once waits for what is in flight and keeps what was measured",
        ) from None
    finally:
        live.close()


def _promise(words: Given) -> ServiceLevel:
    fields = {name: words.number(name) for name in ("latency", "first_token", "per_token", "share")}
    return ServiceLevel(**{k: v for k, v in fields.items() if v is not None})


def _caps(words: Given) -> Caps:
    requests, tokens, usd = words.count("requests"), words.count("tokens"), words.money("usd")
    return Caps(
        requests=DEFAULT_CAPS.requests if requests is None else requests,
        tokens=DEFAULT_CAPS.tokens if tokens is None else tokens,
        usd=DEFAULT_CAPS.usd if usd is None else usd,
    )


@contextmanager
def _stopping(talk: Talk) -> Iterator[None]:
    """Ctrl-C, SIGTERM and SIGHUP end it after what is in flight; twice end it at once."""

    def stop(signalled: int, _frame: object) -> None:
        hung_up(signalled)
        if talk.generator is None or talk.stopped:
            raise KeyboardInterrupt
        talk.stop()

    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread may say what signals do
        return
    before = {number: signal.signal(number, stop) for number in asked_to_stop()}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
