"""Many reviewers vote at once while the server is killed: shared by a test and a longer proof."""

from __future__ import annotations

import http.client
import random
import subprocess
import sys
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from review_client import Client, Told, form_token, item_of
from review_ground import Ground, free_port, make_study, plain_sources

VERDICTS = ("left", "right", "tie", "cannot_judge")


@dataclass
class Outcome:
    """What came of it."""

    reviewers: int
    votes: int
    """Asked of each."""
    kills: int = 0
    confirmed: int = 0
    """Votes the server answered for, before or after a kill."""
    lost: int = 0
    """Votes it answered for that are not stored as they were sent."""
    twice: int = 0
    """Items with more than one vote of one reviewer, or a vote that was stored twice."""
    stored: int = 0
    resent: int = 0
    """Votes that were sent again because no answer came."""
    sent_twice: int = 0
    """Votes that were sent twice although the first was answered."""
    seconds: float = 0.0
    faults: list[str] = field(default_factory=list)


class Server:
    """`befit review serve` in a process that can be killed and started again."""

    def __init__(self, folder: Path, study: str) -> None:
        self.folder, self.study, self.port = folder, study, free_port()
        self.address = f"http://127.0.0.1:{self.port}"
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        command = [sys.executable, "-c", "from befit.cli.main import main; main()"]
        command += ["review", "serve", self.study, "-p", str(self.folder), "--port", str(self.port)]
        log = self.folder / "server.log"
        with log.open("w", encoding="utf-8") as told:
            self.process = subprocess.Popen(command, stderr=told, cwd=self.folder)
        until = time.monotonic() + 120
        while "owner" not in log.read_text(encoding="utf-8"):
            assert self.process.poll() is None, "the server did not come up"
            assert time.monotonic() < until, "the server did not come up in time"
            time.sleep(0.05)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(20)


class Person(threading.Thread):
    """One reviewer: opens the next item, votes, and sends again what got no answer."""

    def __init__(self, server: Server, token: str, votes: int, seed: int, until: float) -> None:
        super().__init__(daemon=True)
        self.client, self.token, self.wanted = Client(server.address), token, votes
        self.random, self.until = random.Random(seed), until  # noqa: S311 - toy choices
        self.confirmed: dict[str, str] = {}
        self.resent = self.twice = 0
        self.fault = ""

    def run(self) -> None:
        try:
            self.again(lambda: self.client.enter(f"{self.client.address}/r/{self.token}"))
            while len(self.confirmed) < self.wanted and time.monotonic() < self.until:
                if not self.one():
                    break
        except (AssertionError, TimeoutError) as error:
            self.fault = repr(error)[:300]
        self.client.told.clear()

    def again(self, act) -> Told:
        """Do it until an answer comes."""
        while time.monotonic() < self.until:
            try:
                return act()
            except (OSError, http.client.HTTPException):
                self.resent += 1
                time.sleep(0.2)
        raise TimeoutError("the server stayed away")

    def one(self) -> bool:
        self.client.told.clear()
        page = self.again(lambda: self.client.get("/work"))
        if 'action="/i/' not in page.text:
            return False
        item, verdict = item_of(page), self.random.choice(VERDICTS)
        form = {
            "form_token": form_token(page),
            "request_id": f"{item}-{self.random.random()}",
            "verdict": verdict,
            "cannot": "broken",
        }
        told = self.again(lambda: self.client.ask("POST", f"/i/{item}", form))
        assert told.status == 303, (told.status, told.text[-400:])
        self.confirmed[item] = verdict
        if self.random.random() < 0.1:  # a double press
            self.again(lambda: self.client.ask("POST", f"/i/{item}", form))
            self.twice += 1
        return True


def vote_and_kill(
    folder: Path, *, reviewers: int, votes: int, kills: int, seconds: float, seed: int = 1
) -> Outcome:
    """Let everybody vote at once, kill the server so often, and compare with the store."""
    names = [f"reviewer {n}" for n in range(reviewers)]
    ground = make_study(
        folder, sources=plain_sources(votes), people=names, practice=(), guess=0.0, per_day=None,
        pairs=votes,
    )  # fmt: skip
    server, found = Server(folder, ground.study_id), Outcome(reviewers=reviewers, votes=votes)
    started = time.monotonic()
    people = [
        Person(server, token, votes, seed + n, started + seconds)
        for n, token in enumerate(ground.tokens.values())
    ]
    server.start()
    for person in people:
        person.start()
    for kill in range(1, kills + 1):
        share = reviewers * votes * kill // (kills + 1)
        while sum(len(p.confirmed) for p in people) < share and any(p.is_alive() for p in people):
            time.sleep(0.02)
        server.kill()
        found.kills += 1
        server.start()
    for person in people:
        person.join(max(1.0, started + seconds + 30 - time.monotonic()))
    server.kill()
    found.seconds = time.monotonic() - started
    found.faults = [person.fault for person in people if person.fault]
    found.resent = sum(person.resent for person in people)
    found.sent_twice = sum(person.twice for person in people)
    compare(ground, people, found)
    ground.workspace.close()
    return found


def compare(ground: Ground, people: list[Person], found: Outcome) -> None:
    """Set what the server answered for against what is stored."""
    works = ground.workspace.reviews.work
    done = [one for one in works.of(ground.study_id) if one.state == "done"]
    found.stored = len(done)
    answered = {item: verdict for person in people for item, verdict in person.confirmed.items()}
    found.confirmed = len(answered)
    votes = {one.id: works.vote_on(one.id) for one in done}
    found.lost = sum(
        item not in votes or votes[item].body["verdict"] != verdict
        for item, verdict in answered.items()
    )
    per_item = Counter((one.reviewer, one.item) for one in done)
    found.twice = sum(count > 1 for count in per_item.values())
    found.twice += sum(vote.revision > 1 for vote in votes.values())
