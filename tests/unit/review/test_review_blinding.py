"""Nothing that a reviewer gets says who answered; nothing opens the mapping before closing."""

from __future__ import annotations

import base64
import dataclasses
import json
import re
import sqlite3
import struct
import zlib
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from befit.core.message import ImagePart, Message, TextPart
from befit.errors import ForbiddenError, StoreError, UsageError
from befit.review import states
from befit.review.board import board
from befit.review.concluding import named
from befit.review.desk import load_pool
from befit.review.exports import vote_rows
from befit.review.packet import make_packet
from befit.review.pages import Halt
from befit.review.people import revoke
from befit.review.pick import Asked, flip
from befit.review.records import Item, Sealed
from befit.review.rows import read_rows
from befit.review.seal import decrypt, encrypt, find_key, new_key, seal, unseal
from befit.storage.reviews import Part
from review_world import AT, IDENTITIES, NAMES, honest, source, world

EXIF = b"\x89PNG\r\n\x1a\n"


WORDS = {*NAMES, *IDENTITIES, "acme", "borealis", "cygnus", "fp-secret", "key-secret"}
"""Every string that would tell who answered: names, models, hosts, fingerprints, trial keys."""


def bytes_of(value):
    """Return all text in whatever a reviewer is given."""
    if dataclasses.is_dataclass(value):
        return json.dumps(dataclasses.asdict(value), default=repr)
    return json.dumps(value, default=repr)


def crawl(one, reviewer):
    """Yield the bytes of everything the desk gives a reviewer, but the list of names to guess."""
    desk = one.desk()
    yield bytes_of(desk.welcome(reviewer))
    yield repr(reviewer)
    while True:
        shown = desk.next_item(reviewer)
        yield bytes_of(shown)
        if isinstance(shown, Halt):
            break
        desk.save_draft(reviewer, shown.token, {"a": 1}, number=1)
        yield bytes_of(desk.item(reviewer, shown.token))
        for turn in shown.left.turns:
            for picture in turn.pictures:
                yield repr(desk.media(reviewer, shown.token, picture.token))
        yield bytes_of(one.vote(reviewer, shown, honest(shown)))
        yield bytes_of(desk.progress(reviewer))
    yield bytes_of(desk.history(reviewer))
    yield bytes_of(desk.undo(reviewer, request_id="undo"))
    page = desk.next_guess(reviewer)
    if page is not None:
        yield bytes_of(dataclasses.replace(page, names=()))


def leaks(told, words):
    """Return the identity words that occur."""
    text = "\n".join(told).lower()
    return {word for word in words if word.lower() in text}


def telling_sources():
    """Answers which say who they are in every way, and sources full of identity."""
    said = {
        "acme-7b": "I am Acme-7B, a model by ACME. **Four**.",
        "borealis-2": "As borealis-2, created by Borealis, I say <think>borealis</think> four.",
        "cygnus-mini": "My name is Cygnus-Mini <|cygnus|> toolu_01AbCdEfGh four.",
    }
    return [
        source(i, name, f"{said[name]} ({i})", fingerprint="fp-secret", key_ids=("key-secret",))
        for i in range(6) for name in NAMES
    ]  # fmt: skip


@pytest.fixture
def one(tmp_path):
    return world(tmp_path, sources=telling_sources(), settings={"guess": 0.2, "mirrored": 0.1},
                 calibration=2, gold=3)  # fmt: skip


def test_no_byte_that_the_desk_gives_out_says_who_answered(one):
    told = list(crawl(one, one.person("Ann")))
    assert len(told) > 30
    assert leaks(told, WORDS) == set()


@pytest.mark.parametrize("leak", ["text", "raw answer", "source"])
def test_the_crawl_finds_a_leak_that_is_put_in(tmp_path, leak):
    if leak == "source":
        bad = world(tmp_path, sources=[source(i, n, document="by cygnus") for i in range(6)
                                       for n in NAMES])  # fmt: skip
    elif leak == "raw answer":
        bad = world(tmp_path, sources=telling_sources(), settings={"masking": "flag"})
    else:
        bad = world(tmp_path)
        pool = load_pool(bad.reviews, bad.id)
        for item in pool.work.values():
            held = bad.reviews.part(bad.id, "answer", item.x)
            held["turns"][-1]["content"] += " served by acme"
            bad.reviews.put(bad.id, "answer", [Part(item.x, held)])
    assert leaks(crawl(bad, bad.person("Ann")), WORDS)


def test_the_packet_the_board_and_the_export_say_nothing_either(one):
    ann = one.person("Ann")
    page = make_packet(one.reviews, one.id, ann, items=30, clock=lambda: one.now)
    seen, _ = one.work(one.person("Ben"), honest)
    assert seen
    rows = read_rows(one.reviews, one.id, load_pool(one.reviews, one.id))
    table = json.dumps(vote_rows(rows, unblinded=False))
    kept = board(one.reviews, one.id, now=one.now)
    shown = repr(dataclasses.replace(kept, study=kept.study.model_copy(update={"guess_names": ()})))
    assert leaks([page, table, shown], WORDS) == set()
    codes = set(one.reviews.parts(one.id, "item work").popitem()[1]["cell"].split("|"))
    assert leaks([page, table], codes) == set()


def test_what_a_study_stores_names_no_candidate_outside_the_sealed_mapping(one):
    for kind in ("item work", "item gold", "item attention", "answer", "secret"):
        stored = json.dumps(one.reviews.parts(one.id, kind))
        assert leaks([stored], WORDS) == set(), kind
    assert leaks([repr(one.reviews.sealed(one.id))], WORDS) == set()


def test_two_reviewers_of_one_item_share_no_token(one):
    tokens = {}
    for name in ("Ann", "Ben"):
        seen, _ = one.work(one.person(name), honest)
        tokens[name] = {t for s in seen for t in (s.token, s.left.token, s.right.token)}
        assert all(re.fullmatch(r"[0-9a-f]{24}", token) for token in tokens[name])
    assert tokens["Ann"]
    assert not tokens["Ann"] & tokens["Ben"]


def test_the_two_sides_of_one_answer_have_other_tokens_in_every_item(tmp_path):
    # one answer stands in many items; its tokens must not join them
    one = world(tmp_path, settings={"per_pair": 1, "pairs": 40})
    seen, _ = one.work(one.person("Ann"), honest)
    tokens = [token for s in seen for token in (s.left.token, s.right.token)]
    assert len(tokens) == len(set(tokens))


def test_sides_are_balanced_for_every_candidate_and_even_in_10_000_assignments(one):
    pool = load_pool(one.reviews, one.id)
    rng = np.random.default_rng(3)
    codes = ["p", "q", "r", "s"]
    left, worst = Counter(), 0
    for reviewer in range(100):
        asked = Asked(study=one.made.study, pool=pool, reviewer=f"p{reviewer}", now=0.0)
        mine, lean = [], Counter()
        for number in range(100):
            x, y = rng.permutation(codes)[:2]
            item = Item(id=f"i{number}", scenario="", sample="", x="", y="", cell=f"{x}|{y}")
            flipped = flip(asked, mine, item)
            mine.append(_Seen(cell=item.cell, flipped=int(flipped)))
            first, second = (y, x) if flipped else (x, y)
            left[first] += 1
            lean[first] += 1
            lean[second] -= 1
        worst = max(worst, *map(abs, lean.values()))
    # chi-squared with 3 degrees of freedom, 99.9 %: 16.27; expected 2,500 each
    assert sum((left[c] - 2_500) ** 2 / 2_500 for c in codes) < 16.27
    assert worst <= 6


@dataclasses.dataclass(frozen=True)
class _Seen:
    cell: str
    flipped: int


def test_the_mapping_opens_only_after_closing_by_any_route(one):
    for state in ("open", "paused"):
        if state == "paused":
            states.pause(one.reviews, one.id, at=AT, by="owner")
        with pytest.raises(ForbiddenError):
            states.unblind(one.reviews, one.id, at=AT, by="owner")
        with pytest.raises(ForbiddenError):
            states.mapping_of(one.reviews, states.study_of(one.reviews, one.id))
    # without the key nothing opens it, closed or not
    states.close(one.reviews, one.id, at=AT, by="owner")
    key_file = Path(one.made.key_file)
    kept = key_file.read_text()
    assert key_file.stat().st_mode & 0o077 == 0
    key_file.write_text(new_key().hex())
    with pytest.raises(StoreError, match="cannot be opened"):
        states.unblind(one.reviews, one.id, at=AT, by="owner")
    key_file.unlink()
    with pytest.raises(ForbiddenError):
        states.unblind(one.reviews, one.id, at=AT, by="owner")
    assert states.study_of(one.reviews, one.id).state == "closed"
    key_file.write_text(kept)
    _, mapping = states.unblind(one.reviews, one.id, at=AT, by="owner")
    assert {answer.candidate for answer in mapping.answers.values()} == set(NAMES)


def test_a_state_is_never_left_backwards(one):
    states.close(one.reviews, one.id, at=AT, by="owner")
    for step in (states.open_study, states.pause, states.close):
        with pytest.raises(ForbiddenError):
            step(one.reviews, one.id, at=AT, by="owner")
    states.unblind(one.reviews, one.id, at=AT, by="owner")
    for step in (states.open_study, states.pause, states.close):
        with pytest.raises(ForbiddenError):
            step(one.reviews, one.id, at=AT, by="owner")


def test_breaking_the_blinding_closes_for_good_and_is_audited(one):
    with pytest.raises(UsageError):
        states.break_blind(one.reviews, one.id, reason="  ", at=AT, by="owner")
    assert states.study_of(one.reviews, one.id).state == "open"
    ann = one.person("Ann")
    shown = one.desk().next_item(ann)
    study, _ = states.break_blind(one.reviews, one.id, reason="a harmful answer", at=AT, by="Eve")
    assert (study.state, study.broken) == ("unblinded", "a harmful answer")
    with pytest.raises(ForbiddenError):
        one.vote(ann, shown, "left")
    kinds = [(event.actor, event.kind) for event in one.reviews.events(one.id)]
    assert kinds[-2:] == [("Eve", "blind broken"), ("Eve", "unblinded")]


def test_an_exchanged_mapping_does_not_fit_the_commitment(one):
    key = find_key(one.reviews.folder, one.id)
    mapping, _ = unseal(one.reviews.sealed(one.id), key, published=one.made.study.commitment)
    turned = {name: a.model_copy(update={"candidate": NAMES[0]})
              for name, a in mapping.answers.items()}  # fmt: skip
    forged, _ = seal(Sealed(answers=turned, codes=mapping.codes, samples=mapping.samples), key)
    with pytest.raises(StoreError, match="not the one that was committed to"):
        unseal(forged, key, published=one.made.study.commitment)


def test_an_altered_audit_trail_is_noticed(one):
    path = Path(one.reviews.folder) / "workspace.db"
    with sqlite3.connect(path) as raw:
        raw.execute("UPDATE review_events SET actor = 'somebody' WHERE number = 1")
    with pytest.raises(StoreError, match="audit trail"):
        one.reviews.events(one.id)


def test_encryption_gives_back_what_went_in_and_notices_a_changed_bit():
    key = new_key()
    # One byte would stand in 33 random ones by chance every eighth time.
    for text in (b"sixteen letters.", b"\0" * 32, bytes(range(256)) * 9):
        sealed = encrypt(key, text)
        assert decrypt(key, sealed) == text
        assert text not in sealed
        broken = bytearray(sealed)
        broken[20] ^= 1
        with pytest.raises(StoreError):
            decrypt(key, bytes(broken))
    assert encrypt(key, b"same") != encrypt(key, b"same")


def test_a_link_is_known_by_its_hash_expires_and_can_be_revoked(one):
    ann = one.person("Ann")
    stored = json.dumps(one.reviews.parts(one.id, "reviewer"))
    assert ann.token_sha256 in stored
    assert one.desk().enter("x" * 32) is None
    old = one.person("Old", expires_at="2026-03-02T00:00:00+00:00")
    assert one.desk().reviewer(old.id) is not None
    one.now += 3 * 86_400
    assert one.desk().reviewer(old.id) is None
    revoke(one.reviews, one.id, ann.id, at=AT, by="owner")
    assert one.desk().reviewer(ann.id) is None


def test_another_reviewers_item_is_out_of_reach(one):
    ann, ben = one.person("Ann"), one.person("Ben")
    shown = one.desk().next_item(ann)
    desk = one.desk()
    for reach in (
        lambda: desk.item(ben, shown.token),
        lambda: desk.save_draft(ben, shown.token, {}, number=1),
        lambda: one.vote(ben, shown, "left"),
        lambda: desk.media(ben, shown.token, "0" * 24),
        lambda: desk.item(ann, "0" * 24),
        lambda: desk.guess(ann, "0" * 24, named=""),
    ):
        with pytest.raises(ForbiddenError):
            reach()


def test_a_text_for_reviewers_that_names_a_candidate_is_refused(tmp_path):
    with pytest.raises(UsageError, match="names 'Borealis'"):
        world(tmp_path, settings={"guidelines": "Compare Borealis with the others"},
              sources=[source(1, n) for n in ("Borealis 2", "Other 3")])  # fmt: skip


def test_a_picture_loses_its_metadata_on_the_way(tmp_path):
    def chunk(kind, body):
        whole = kind + body
        return struct.pack(">I", len(body)) + whole + struct.pack(">I", zlib.crc32(whole))

    png = EXIF + chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0))
    png += chunk(b"tEXt", b"Software\0Acme Vision") + chunk(b"IDAT", zlib.compress(b"\0" * 4))
    png += chunk(b"IEND", b"")
    url = "data:image/png;base64," + base64.b64encode(png).decode()
    question = (TextPart(text="What is it?"), ImagePart(url=url))
    sources = [
        dataclasses.replace(source(i, name), turns=(Message(role="user", content=question),
                            Message(role="assistant", content=f"A dot {i}")))
        for i in range(3) for name in NAMES
    ]  # fmt: skip
    one = world(tmp_path, sources=sources)
    ann = one.person("Ann")
    shown = one.desk().next_item(ann)
    picture = shown.left.turns[0].pictures[0]
    media = one.desk().media(ann, shown.token, picture.token)
    assert media.kind == "image/png"
    assert media.body.startswith(EXIF)
    assert b"Acme" not in media.body
    assert b"IDAT" in media.body


def test_names_come_back_with_the_mapping(one):
    one.work(one.person("Ann"), honest)
    states.close(one.reviews, one.id, at=AT, by="owner")
    _, mapping = states.unblind(one.reviews, one.id, at=AT, by="owner")
    rows = named(read_rows(one.reviews, one.id, load_pool(one.reviews, one.id)), mapping)
    for row in rows:
        if row.purpose == "work":
            assert (row.x, row.y) == one.candidates_of(row.item)
            assert row.sample.startswith("q")
