"""What reviewers' pages show: hostile text inert, both sides alike, links that cannot be joined."""

from __future__ import annotations

import hashlib
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from befit.core.message import ImagePart, Message, TextPart
from befit.review.app import serve
from befit.review.app.text import markdown, plain, quoted
from befit.review.packet import make_packet
from befit.review.people import reviewers
from review_client import Client, form_token, item_of
from review_ground import (
    CALIBRATION,
    IDENTITIES,
    NAMES,
    make_study,
    picture_turn,
    plain_sources,
    png,
    served,
    source,
    url_of,
)

HOSTILE = {
    "script": "<script>window.owned=1</script><img src=x onerror=window.owned=1>",
    "end of script": "</script></pre></main><svg onload=window.owned=1>",
    "attribute": '" autofocus onfocus=window.owned=1 x=\'"><a href=javascript:alert(1)>',
    "bidi": "pay \u202e00.1\u202c dollars \u2066x\u2069 \u200f\u061c",
    "terminal": "\x1b[31mred\x1b]0;title\x07 \x9b31m",
    "nul": "a\x00b\x08c\x7f",
    "surrogate": "half \ud83d of a pair, \ufffe",
    "invisible": "in\u200bvis\u2060ible \u00ad\ufeff \U000e0041",
    "template": "{{ 7*7 }} {% raw %} ${7*7} <%= 7*7 %>",
    "markdown": "[x](javascript:alert(1)) ![y](http://evil.example/z.png) <http://evil.example>",
    "entities": "&lt;script&gt; &#x202e; &amp;amp;",
    "htmx": '<div hx-get="/board" hx-trigger="load" data-hx-on:load="window.owned=1"></div>',
}
ELEMENTS = {
    *("html", "head", "meta", "title", "link", "script", "body", "a", "header", "p", "nav", "ul"),
    *("li", "main", "div", "span", "h1", "h2", "h3", "details", "summary", "pre", "form", "input"),
    *("fieldset", "legend", "label", "kbd", "textarea", "section", "button", "progress", "select"),
    *("option", "datalist", "dialog", "img", "b", "i", "table", "caption", "thead", "tbody", "tr"),
    *("th", "td", "bdi", "ol", "small", "em", "strong", "code", "blockquote", "noscript", "hr"),
    *("dl", "dt", "dd", "article", "figure", "figcaption", "br", "wbr"),
}  # fmt: skip


class Inert(HTMLParser):
    """Fails at anything a page of ours never has."""

    def handle_starttag(self, tag, attrs):
        assert tag in ELEMENTS, tag
        held = dict(attrs)
        for name, value in attrs:
            assert not name.startswith("on"), (tag, name)
            assert name != "style", tag
            assert not name.startswith("data-hx"), (tag, name)
            if name in {"href", "src", "action", "hx-post"}:
                assert re.fullmatch(r"[/?#][\w/?=#.&-]*", value or ""), (tag, value)
        if tag == "script":
            assert re.fullmatch(r"/a/[0-9a-f]{16}/[\w.]+\.js", held["src"])


def inert(text: str) -> None:
    Inert().feed(text)


def study(tmp_path, texts, **settings):
    """Return a study whose answers are these texts, one item each."""
    sources = [
        source(number, name, f"{text}\n{'xy'[k]}", question=f"{number}? {text}")
        for number, text in enumerate(texts)
        for k, name in enumerate(NAMES)
    ]
    wanted = {"guidelines": "<script>window.owned=1</script> **bold**", **settings}
    return make_study(tmp_path, sources=sources, practice=(), people=("Ann",), **wanted)


@pytest.mark.parametrize(
    "style",
    ["rendered", *(pytest.param(name, marks=pytest.mark.slow) for name in ("raw", "plain"))],
)
def test_hostile_outputs_are_inert_on_every_page(tmp_path, style):
    ground = study(tmp_path, HOSTILE.values(), style=style, guess=0.5)
    with served(ground) as (address, link):
        ann, owner = Client(address), Client(address)
        ann.enter(f"{address}/r/{ground.tokens['Ann']}")
        page = ann.get("/work")
        while 'action="/i/' in page.text:
            hostile = HOSTILE["script"]
            page = ann.vote(page, "both_bad", comment=hostile, **{"note.0.seen": hostile,
                            "note.0.tag": HOSTILE["attribute"]})  # fmt: skip
        for path in ("/", "/guide", "/history", f"/{HOSTILE['script']}", "/work?saved=<b>"):
            ann.get(path.replace(" ", "%20").replace("\n", ""))
        for item in re.findall(r"/i/(\w{24})", ann.get("/history").text):
            ann.get(f"/i/{item}")
        owner.enter(link, name="<b>Olga</b>")
        step = owner.send(owner.get("/board"), "/state/close", sure="1")
        assert step.path == "/board"
        owner.send(owner.get("/result"), "/state/unblind", sure="1")
        for path in ("/board", "/people", "/trail", "/result", "/notes", "/trials"):
            owner.get(path)
        pages = [one for one in (*ann.told, *owner.told) if b"<!doctype" in one.body]
        assert len(pages) > 30
        for one in pages:
            inert(one.text)
            for sign in "\x00\x1b\x07\x08\u202e\u2066\u200b\ufeff":
                assert sign not in one.text, (one.path, hex(ord(sign)))
            assert "49" not in re.findall(r"\b49\b", one.text.partition("template")[2])


def test_hidden_characters_are_shown_and_those_of_a_script_or_emoji_are_left():
    assert quoted("a\x00\u202eb") == (
        'a<span class="hid">U+0000</span><span class="hid">U+202E</span>b'
    )
    assert plain("x\x1b<") == "x⟨U+001B⟩&lt;"
    # Persian with its joiner, a symbol with its selector, a family of emoji, Hebrew, Chinese
    kept = "می\u200cخواهم \N{HEAVY BLACK HEART}\ufe0f 👨\u200d👩\u200d👧 שלום 你好\n\tend"  # noqa: RUF001 - languages
    assert quoted(kept) == kept
    assert quoted("a\r\nb") == "a\nb"


def test_markdown_makes_no_links_no_pictures_no_markup_and_no_headings():
    table, fence = "|a|\n|:-|\n|1|", '```x"y\nc\n```'
    made = markdown(f"# T\n[x](javascript:a) ![y](http://e/z) <b>\n\n{table}\n\n{fence}")
    assert '<p class="heading">T' in made
    assert set(re.findall(r"<(\w+)", made)) == {
        "p", "div", "table", "thead", "tbody", "tr", "th", "td", "pre"
    }  # fmt: skip
    assert "href" not in made
    assert "style" not in made


def test_a_line_of_a_million_characters_is_cut_alike_on_both_sides_and_kept_whole(tmp_path):
    sources = [
        source(0, name, "z" * size, question="y" * 1_000_000)
        for name, size in zip(NAMES, (100_000, 40_000), strict=True)
    ]
    ground = make_study(tmp_path, sources=sources, practice=(), people=("Ann",))
    with served(ground) as (address, _):
        ann = Client(address)
        ann.enter(f"{address}/r/{ground.tokens['Ann']}")
        page = ann.get("/work")
        assert len(page.body) < 150_000
        for left_out in ("970,000", "70,000", "10,000"):
            assert f"Cut here, {left_out} characters more" in page.text
        assert re.findall(r">(z+)<", page.text) == ["z" * 30_000] * 2
        whole = ann.get(f"/i/{item_of(page)}?whole=1")
        assert "y" * 1_000_000 in whole.text
        assert "characters more" not in whole.text
        assert ann.vote(page, "tie").status == 200


def test_a_picture_that_would_burst_is_not_sent(tmp_path):
    bomb = url_of(png(width=60_000, height=60_000))
    fine = url_of(png(b"made by Zeta Labs"))
    sources = [
        source(n, name, "", turns=(picture_turn("See", url), Message(role="assistant", content=t)))
        for n, url in enumerate((bomb, fine, "data:image/svg+xml;base64,PHN2Zy8+"))
        for t, name in zip("xy", NAMES, strict=True)
    ]
    ground = make_study(tmp_path, sources=sources, practice=(), people=("Ann",))
    with served(ground) as (address, _):
        ann = Client(address)
        ann.enter(f"{address}/r/{ground.tokens['Ann']}")
        page, told = ann.get("/work"), []
        while 'action="/i/' in page.text:
            told += [ann.get(src) for src in re.findall(r'src="(/m/[^"]+)"', page.text)]
            page = ann.vote(page, "left")
        assert sorted(one.status for one in told) == [200, 403, 403]
        sent = next(one for one in told if one.status == 200)
        assert b"Zeta" not in sent.body
        assert sent.body.startswith(b"\x89PNG")
        assert sent.header("Content-Type") == "image/png"


def test_links_of_two_reviewers_to_the_same_answer_cannot_be_joined(tmp_path):
    pictures = [
        source(50, name, "", turns=(picture_turn("See", url), Message(role="assistant", content=t)))
        for url in (url_of(png()),)
        for t, name in zip("xy", NAMES, strict=True)
    ]
    ground = make_study(
        tmp_path,
        practice=CALIBRATION[:1],
        calibration_pass=0.0,
        sources=plain_sources(2) + pictures,
    )
    with served(ground) as (address, _):
        words, items = [], []
        for name in ("Ann", "Ben"):
            client = Client(address)
            client.enter(f"{address}/r/{ground.tokens[name]}")
            page, seen = client.get("/work"), set()
            while 'action="/i/' in page.text:
                seen.add(item_of(page))
                seen.update(re.findall(r'src="/m/\w+/(\w+)"', page.text))
                page = client.vote(page, "left")
                page = client.get("/work") if "/told" in page.path else page
            inside = [one for one in client.told if not one.path.startswith("/r/")]
            text = b"".join(one.body + str(one.headers).encode() for one in inside).decode()
            own = set(re.findall(r"/a/([0-9a-f]{16})/", text))
            words.append(set(re.findall(r"[0-9a-f]{12,}", text)) - own)
            items.append(seen)
        works = ground.workspace.reviews.work.of(ground.study_id)
        shared = {one.item for one in works if one.id in items[0]}
        assert shared == {one.item for one in works if one.id in items[1]}, "they saw the same"
        commitment = ground.workspace.reviews.study(ground.study_id)["commitment"]["sha256"]
        assert words[0] & words[1] <= {commitment}
        assert not items[0] & items[1]


def test_a_page_is_the_same_whoever_stands_left(tmp_path):
    ground = make_study(
        tmp_path, practice=(), people=[f"P{n}" for n in range(6)], sources=plain_sources(3), guess=0
    )
    with served(ground) as (address, _):
        seen = {}
        for token in ground.tokens.values():
            client = Client(address)
            client.enter(f"{address}/r/{token}")
            page = client.get("/work")
            while 'action="/i/' in page.text:
                held = ground.workspace.reviews.work.assigned(item_of(page))
                told = client.get(f"/i/{held.id}")
                seen.setdefault(held.item, {})[bool(held.flipped)] = shape(told.text)
                page = client.vote(page, "tie")
        assert len(seen) == 3
        both = [one for one in seen.values() if len(one) == 2]
        assert both
        assert all(one[True] == one[False] for one in both)


def shape(text: str) -> tuple[str, ...]:
    """Return a page's answers box, without tokens, with the two answers in one order."""
    answers = re.findall(r'aria-label="Answer [AB]">([^<]*)</pre>', text)
    rest = re.sub(r'aria-label="Answer [AB]">[^<]*', "", text.partition("data-answers")[2])
    rest = re.sub(r"[0-9a-f]{24,}|Pair \d+ of \d+|data-number=\"\d+\"", "", rest)
    return (*sorted(answers), rest)


def test_identities_are_masked_in_what_is_shown(tmp_path):
    ground = study(tmp_path, [f"I am {name}." for name in IDENTITIES])
    with served(ground) as (address, _):
        ann = Client(address)
        ann.enter(f"{address}/r/{ground.tokens['Ann']}")
        page = ann.get("/work")
        assert "[hidden]" in page.text
        assert "may say who wrote it" in page.text


def test_what_was_seen_becomes_a_record_beside_its_trial_once_the_seal_is_open(tmp_path):
    ground = make_study(tmp_path, practice=(), people=("Ann",), sources=plain_sources(1), guess=0.0)
    with served(ground) as (address, link):
        ann, owner = Client(address), Client(address)
        ann.enter(f"{address}/r/{ground.tokens['Ann']}")
        note = {"note.1.seen": "It invents a date.", "note.1.side": "right", "note.1.severity": "3"}
        ann.vote(ann.get("/work"), "left", **note)
        board = owner.enter(link, name="Olga")
        for path in ("/notes", "/trials"):
            assert "There are no records yet" in owner.get(path).text
        refused = owner.post("/trials/x", {"form_token": form_token(board), "seen": "x"})
        assert refused.status == 403
        owner.send(board, "/state/close", sure="1")
        owner.send(owner.get("/result"), "/state/unblind", sure="1")
        notes = owner.get("/notes")
        assert notes.text.count("It invents a date.") == 2  # the text, and the form to revise it
        assert re.search(r"(zeta-large@prompt-7|omega-mini)</bdi>: major", notes.text)
        assert owner.get("/notes").text.count("<article") == 1, "taken in once"
        trials = owner.get("/trials")
        assert "key-zeta-large" in trials.text
        kept = owner.send(trials, "/trials/", seen="Too long.", severity="1", tag="tone")
        assert "Too long." in kept.text
        assert owner.send(trials, "/trials/", seen=" ").status == 422
        notes = owner.get("/notes")
        assert notes.text.count("<article") == 2
        notes = owner.send(notes, "/notes/", state="revised", seen="Far too long.", severity="2")
        assert "Far too long." in notes.text
        assert "History (1)" in notes.text
        assert "before: <bdi>Too long." in notes.text
        notes = owner.send(notes, "/notes/", state="withdrawn", why="it was cut")
        assert "it was cut" in notes.text
        assert ann.ask("GET", "/notes").status == 403


def test_the_only_foreign_script_is_the_pinned_one_with_its_licence():
    folder = Path(serve.__file__).parent / "templates"
    scripts = {path.name for path in folder.glob("*.js")}
    assert scripts == {"htmx.min.js", "review.js"}
    held = hashlib.sha256((folder / "htmx.min.js").read_bytes()).hexdigest()
    assert held == "a0abb04f2f45a1f89d1d4844023245537e5e6014c87b144553e0607b4cc32130"  # htmx 4.0.1
    assert "Zero-Clause BSD" in (folder / "htmx.LICENSE.txt").read_text(encoding="utf-8")


def test_pictures_of_answers_stand_beside_their_texts_each_under_its_sides_own_name(tmp_path):
    sources = []
    for k, name in enumerate(NAMES):
        content = (TextPart(text=f"Drawn {k}."), ImagePart(url=url_of(png(b"Zeta Labs"))))
        answer = Message(role="assistant", content=content)
        turns = (Message(role="user", content="Draw a square."), answer)
        sources += [source(n, name, "", turns=turns) for n in range(2)]  # page and packet
    ground = make_study(tmp_path, sources=sources, practice=(), people=("Ann",))
    (who,) = reviewers(ground.workspace.reviews, ground.study_id).values()
    with served(ground) as (address, _):
        ann = Client(address)
        ann.enter(f"{address}/r/{ground.tokens['Ann']}")
        page = ann.get("/work")
        found = re.findall(r'src="(/m/[^"]+)" alt="Picture 1 of answer ([ab])', page.text)
        assert [side for _, side in found] == ["a", "b"]
        assert found[0][0] != found[1][0]
        for path, _ in found:
            told = ann.get(path)
            assert told.status == 200
            assert b"Zeta" not in told.body
        packet = make_packet(ground.workspace.reviews, ground.study_id, who, items=1)
        assert packet.count('alt="Picture 1 of the answer"') == 2


def test_a_packet_shows_hidden_characters_and_leaves_unsafe_pictures_out(tmp_path):
    bomb = url_of(png(width=60_000, height=60_000))
    sources = [
        source(0, name, "", turns=(picture_turn("\x00See\u202e", bomb), Message(
            role="assistant", content=f"{HOSTILE['terminal']}{HOSTILE['bidi']}{k}")))
        for k, name in enumerate(NAMES)
    ]  # fmt: skip
    ground = make_study(tmp_path, sources=sources, practice=(), people=("Ann",))
    (who,) = reviewers(ground.workspace.reviews, ground.study_id).values()
    packet = make_packet(ground.workspace.reviews, ground.study_id, who, items=1)
    ground.workspace.close()
    assert not set("\x00\x1b\u202e\u2066") & set(packet)
    assert "⟨U+202E⟩" in packet
    assert "data:image/png" not in packet
