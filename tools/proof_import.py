"""A log of 1 GB and 2 million lines is imported: time, memory, sums; writes docs/proof/import.md.

The log mixes seven formats and five languages, has 0.5 % broken lines of five
kinds and personal data in every tenth line. `--lines N` makes a shorter one.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from befit.datasets.redact import Redactor
from befit.datasets.redact_options import Redaction
from befit.interop.log_item import Half
from befit.interop.logs import read_log
from befit.pipeline.data_import import import_logs
from befit.storage.workspace import Workspace

ROOT = Path(__file__).resolve().parents[1]
BROKEN, PERSONAL = 0.005, 0.1
LINES = 2_000_000
MEMORY = 300
"""Megabytes that are promised."""
ASKED = {
    "en": (("I ordered a {c} lamp {k} days ago and the parcel {o} has not arrived yet. Please tell "
           "me where it is and when I can expect it."),
           ("How can I change my password for the account {o}? The reset link is not working on my "
           "{c} phone and I have tried {k} times already today."),
           ("Please extract the total from the invoice number {o}: position {k} lamps, colour {c}, "
           "sum {k}00.50 EUR.")),
    "de": (("Ich habe vor {k} Tagen eine {c} Lampe bestellt und das Paket {o} ist noch nicht "
           "angekommen. Bitte sagen Sie mir wann es kommt."),
           ("Wie kann ich mein Passwort ändern? Mein Konto ist {o}, ich habe es {k} mal probiert "
           "und der Link ist nicht gültig.")),
    "fr": (("Bonjour, je n'ai pas reçu le colis {o} et la lampe {c} que j'ai commandée il y a {k} "
           "jours, pouvez-vous vérifier pour moi ?"),),
    "es": (("Hola, quiero devolver la lámpara {c} con el pedido {o}; la compré hace {k} días y no "
           "funciona como se esperaba."),),
    "zh": ("我在{k}天前订购了一盏{c}灯，订单号{o}，到现在还没有收到，请帮我查一下物流。",),
}  # fmt: skip
ANSWER = ("Thank you for your message. We have checked the order {o} and the parcel is on its way; "
          "it will arrive within {k} working days.")  # fmt: skip
SPOILT = ('{"request": {"messages": [', "not json at all", "[1,2,3]", '{"foo": 1}',
          '{"messages": [{"content": "x"}]}')  # fmt: skip
COLOURS = ("red", "blue", "green", "black", "white")
INTENTS = ("billing", "delivery", "returns", "password", "invoice", "legal")


def _luhn(head: str) -> str:
    total = 0
    for place, sign in enumerate(reversed(head)):
        value = int(sign) * (2 - place % 2)
        total += value // 10 + value % 10
    return head + str(-total % 10)


def _personal(rng: random.Random) -> tuple[str, str, str]:
    """Return (class, value, sentence)."""
    kind = rng.choice(("EMAIL", "PHONE", "IBAN", "CARD"))
    if kind == "EMAIL":
        value = f"anna.s{rng.randrange(10**6)}@example.org"
        return kind, value, f" My name is Anna Schmidt, {value}."
    if kind == "PHONE":
        value = f"+49 30 901{rng.randrange(10**3):03d}{rng.randrange(10):d}"
        return kind, value, f" Call me at {value}."
    if kind == "IBAN":
        account = f"{rng.randrange(10**18):018d}"
        value = f"DE{98 - int(account + '131400') % 97:02d}{account}"
        return kind, value, f" IBAN {value}."
    value = _luhn(f"4{rng.randrange(10**14):014d}")
    return kind, value, f" My card is {value} 12/28."


def _shapes(i: int, asked: str, said: str, intent: str) -> dict[str, object]:
    at, model = 1_790_000_000 + i, "model-a"
    body = [{"role": "user", "content": asked}]
    choices = [{"index": 0, "finish_reason": "stop", "message": {"content": said}}]
    usage = {"prompt_tokens": 50, "completion_tokens": 40}
    parts = [{"role": "user", "parts": [{"type": "text", "content": asked}]}]
    back = [{"role": "assistant", "parts": [{"type": "text", "content": said}]}]
    makers: tuple[Callable[[], dict[str, object]], ...] = (
        lambda: {"id": f"x{i}", "request": {"model": model, "messages": body,
                                            "metadata": {"intent": intent}},
                 "response": {"id": f"chatcmpl-{i}", "created": at, "model": model,
                              "choices": choices, "usage": usage}},
        lambda: {"messages": [*body, {"role": "assistant", "content": said}],
                 "metadata": {"intent": intent}},
        lambda: {"request_id": f"l{i}", "call_type": "acompletion", "spend": 0.001, **usage,
                 "startTime": at, "endTime": at + 1, "completionStartTime": at + 0.5,
                 "model": model, "messages": body, "response": {"choices": choices},
                 "metadata": {}, "status": "success"},
        lambda: {"id": f"g{i}", "trace_id": f"t{i}", "type": "GENERATION",
                 "start_time": "2026-11-01 10:00:00.000000",
                 "end_time": "2026-11-01 10:00:01.000000", "input": json.dumps(body),
                 "output": said, "provided_model_name": model,
                 "usage_details": {"input": 50, "output": 40}, "metadata": {"intent": intent}},
        lambda: {"resourceSpans": [{"scopeSpans": [{"spans": [{
            "traceId": f"{i:032x}", "spanId": f"{i:016x}", "name": "chat",
            "startTimeUnixNano": str(at * 10**9), "endTimeUnixNano": str((at + 1) * 10**9),
            "attributes": [
                {"key": key, "value": {"stringValue": value}}
                for key, value in (("gen_ai.operation.name", "chat"),
                                   ("gen_ai.request.model", model),
                                   ("gen_ai.input.messages", json.dumps(parts)),
                                   ("gen_ai.output.messages", json.dumps(back)))]}]}]}]},
        lambda: {"custom_id": f"b{i}", "method": "POST", "url": "/v1/chat/completions",
                 "body": {"model": model, "messages": body}},
        lambda: {"id": f"o{i}", "custom_id": f"b{i - 1}", "error": None,
                 "response": {"status_code": 200, "body": {
                     "id": f"chatcmpl-b{i}", "created": at, "model": model, "choices": choices}}},
    )  # fmt: skip
    return makers[i % len(makers)]()


def write_log(path: Path, lines: int) -> tuple[set[int], Counter[str]]:
    """Write the log; return the numbers of its broken lines and what was planted, by class."""
    rng, broken, planted = random.Random(7), set[int](), Counter[str]()  # noqa: S311 - no secret
    languages, shares = list(ASKED), (60, 20, 10, 8, 2)
    with path.open("w", encoding="utf-8") as file:
        for i in range(lines):
            facts = {"k": rng.randrange(1, 99), "o": f"ORD-{rng.randrange(10**6)}",
                     "c": rng.choice(COLOURS)}  # fmt: skip
            asked = rng.choice(ASKED[rng.choices(languages, shares)[0]]).format(**facts)
            if rng.random() < BROKEN:
                broken.add(i + 1)
                file.write(rng.choice(SPOILT) + "\n")
                continue
            if rng.random() < PERSONAL and i % 7 != 6:  # noqa: PLR2004 - a batch answer asks nothing
                kind, _, sentence = _personal(rng)
                planted[kind] += 1
                asked += sentence
            shape = _shapes(i, asked, ANSWER.format(**facts), rng.choice(INTENTS))
            file.write(json.dumps(shape, ensure_ascii=False) + "\n")
    return broken, planted


def _leaks(workspace: Workspace, path: Path) -> int:
    """Return in how many stored exchanges a planted value of a source line still stands."""
    signs = ("@example.org", "+49 30 901", "IBAN DE", "card is 4", "Anna Schmidt")
    asked = sum(any(sign in text for sign in signs) for text in _texts(path, 20_000))
    assert asked > 0  # noqa: S101 - else nothing would be looked for
    return sum(
        any(sign in message.text for message in held.messages for sign in signs)
        for _, held in workspace.interactions.bodies()
    )


def _texts(path: Path, most: int) -> Iterator[str]:
    for line in read_log(path):
        if line.number > most:
            return
        for item in line.items:
            held = item.interaction if isinstance(item, Half) else item
            yield from (message.text for message in getattr(held, "messages", ()))


def main() -> int:
    """Make the log, import it, check everything, write the page; 1 if a promise is not kept."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--lines", type=int, default=LINES)
    lines = parser.parse_args().lines
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "log.jsonl"
        broken, planted = write_log(path, lines)
        size = path.stat().st_size
        redactor = Redactor(Redaction(locales=("de", "fr", "es")), key=b"k")
        listed: list[int] = []
        began, spent = time.monotonic(), time.process_time()
        with Workspace.open(Path(folder) / "w") as workspace:
            report = import_logs(workspace, [path], redactor=redactor,
                                 listen=lambda one: listed.append(one.line),
                                 progress=_told())  # fmt: skip
            wall, cpu = time.monotonic() - began, time.process_time() - spent
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            whole, leaks = workspace.interactions.count(), _leaks(workspace, path)
    sums = (
        report.lines == report.broken + report.without + report.with_items == lines
        and report.items == report.stored + report.known
        and whole == report.stored - report.joined - (report.halves - 2 * report.joined)
    )
    found = {name: report.replaced.get(name, 0) for name in planted}
    rows: list[tuple[str, str, str, bool | None]] = [
        ("lines, megabytes", f"{lines:,}, {size / 1e6:,.0f}", "2,000,000 and 1,000", None),
        ("wall clock, processor time", f"{wall:,.0f} s, {cpu:,.0f} s", "shown", None),
        ("peak memory", f"{peak:.0f} MB", f"under {MEMORY} MB", peak < MEMORY),
        ("lines = with exchanges + without + broken",
         f"{report.with_items:,} + {report.without:,} + {report.broken:,}", "adds up", sums),
        ("exchanges and halves stored, joined, whole",
         f"{report.stored:,}, {report.joined:,}, {whole:,}", "adds up", sums),
        ("broken lines listed by number, as planted", f"{len(listed):,}", f"{len(broken):,}",
         set(listed) == broken and len(listed) == len(broken)),
        ("exchanges in which something was replaced", f"{report.redacted:,}",
         f"{planted.total():,} planted", report.redacted >= planted.total()),
        *((f"{name.lower()} replaced", f"{found[name]:,}", f"{planted[name]:,} planted",
           found[name] == planted[name]) for name in sorted(planted)),
        ("stored exchanges in which a planted value stands", str(leaks), "0", leaks == 0),
    ]  # fmt: skip
    _write(rows, whole=lines >= LINES)
    return 1 if any(kept is False for *_, kept in rows) else 0


def _told() -> Callable[[object], None]:
    last = 0

    def tell(report: object) -> None:
        nonlocal last
        read = int(getattr(report, "lines", 0))
        if read // 100_000 != last:
            last = read // 100_000
            print(f"{read:,} lines", file=sys.stderr, flush=True)

    return tell


def _write(rows: list[tuple[str, str, str, bool | None]], *, whole: bool) -> None:
    words = {True: "yes", False: "NO", None: ""}
    page = [
        "# Is a log of 1 GB imported in bounded memory, and every line accounted for?",
        "",
        (
            "A made log of seven mixed formats and five languages; 0.5 % of its lines are broken "
            "in five ways, every tenth holds personal data. Made by "
            "`python tools/proof_import.py`, on one of two shared cores."
        ),
        "",
        "| what | figure | promise | kept |",
        "|---|---|---|---|",
        *(f"| {what} | {figure} | {band} | {words[kept]} |" for what, figure, band, kept in rows),
        "",
    ]
    text = "\n".join(page)
    print(text)
    if whole:
        (ROOT / "docs" / "proof" / "import.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
