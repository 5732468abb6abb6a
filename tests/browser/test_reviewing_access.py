"""Every page and state of a review: rules of access, no sideways scrolling, hostile text inert."""

from __future__ import annotations

import re

import pytest

from befit.core.message import Message
from befit.review.packet import make_packet
from befit.review.people import reviewers
from browser_wait import until
from review_client import Client, Told, read_page
from review_ground import (
    CALIBRATION,
    NAMES,
    make_study,
    picture_turn,
    plain_sources,
    png,
    served,
    source,
    url_of,
)
from review_leaks import leaks

pytestmark = pytest.mark.browser

ARABIC = "السماء زرقاء لأن الضوء يتشتت في الهواء. " * 6
CHINESE = "天空之所以是蓝色，是因为空气分子散射阳光。" * 8
LONG = "Light is scattered by the molecules of the air, and blue light most of all. " * 60
WORD = "extraordinarily" * 12


def turns(*texts):
    roles = ("user", "assistant")
    return tuple(Message(role=roles[n % 2], content=text) for n, text in enumerate(texts))


def every_kind():
    """Return pairs of every kind of output."""
    made = []
    for k, name in enumerate(NAMES):
        end = "xy"[k]
        picture = (picture_turn("See", url_of(png())), Message(role="assistant", content=end))
        made += [
            source(0, name, f"{LONG}{end}"),
            source(1, name, f"{CHINESE}{end}", question=CHINESE),
            source(2, name, f"{ARABIC}{end}", question=ARABIC),
            source(3, name, f'{{"total": "12.{k}", "due": "2026", "{WORD}": null}}',
                   document="Total 12.0 due 2026"),
            source(4, name, "", turns=turns("Q?", f"A{end}", "That is wrong.", "Sorry.", "So?", ""),
                   marked_turn=1),
            source(5, name, "", turns=picture),
            source(6, name, f"{WORD}{end}", repeats=(f"again {end}", "again")),
            source(7, name, "" if k else "<script>window.owned=1</script>\x00\u202e\x1b[31m"
                   "<img src=x onerror=window.owned=1></pre></main>"),
        ]  # fmt: skip
    return made


CHECK = """() => {
  const bad = [];
  if (document.documentElement.scrollWidth > innerWidth) bad.push('sideways');
  if (window.owned) bad.push('owned');
  for (const el of document.querySelectorAll('main *')) {
    const size = parseFloat(getComputedStyle(el).fontSize);
    const own = [...el.childNodes].some(n => n.nodeType === 3 && n.textContent.trim());
    if (own && size < 11) bad.push(`small ${el.tagName} ${size}`);
  }
  return bad;
}"""


class Looker:
    """Opens pages as somebody and checks what every page has to keep."""

    def __init__(self, browser, address, cookies, **options):
        self.context = browser.new_context(bypass_csp=True, **options)
        self.address = address
        self.context.add_cookies(
            [{"name": name, "value": value, "url": address} for name, value in cookies.items()]
        )
        self.page = self.context.new_page()
        self.page.set_default_timeout(20_000)
        self.noise = []
        self.page.on("pageerror", lambda error: self.noise.append(str(error)))
        self.page.on("dialog", lambda dialog: self.noise.append(dialog.message))
        self.page.on(
            "request",
            lambda r: self.noise.append(r.url) if not r.url.startswith(address) else None,
        )

    def check(self, axe, path="", *, act=None):
        if path:
            self.page.goto(f"{self.address}{path}")
        if act is not None:
            act(self.page)
        assert self.page.evaluate(CHECK) == [], path
        found = axe.run(self.page)
        assert found.violations_count == 0, f"{path}\n{found.generate_report()}"
        assert self.noise == []


@pytest.fixture(scope="module")
def axe():
    return pytest.importorskip("axe_playwright_python.sync_playwright").Axe()


def open_details(page):
    page.evaluate("document.querySelectorAll('details').forEach(el => { el.open = true })")


def press_wrong(page):
    page.locator("label.v-both_bad").click()
    page.locator("[data-save]").click()
    page.wait_for_selector("#error")
    open_details(page)


def walked(ground, address, link):
    """Walk a reviewer and an owner through a study; return who stands where."""
    ann, owner = Client(address), Client(address)
    ann.enter(f"{address}/r/{ground.tokens['Ann']}")
    owner.enter(link, name="Olga")
    told = ann.vote(ann.get("/work"), "left").path
    return ann, owner, told


def items_of(ann, most=12):
    """Vote on everything, and return the paths of all items of work."""
    page, found = ann.get("/work"), []
    for _ in range(most):
        item = re.search(r'action="(/i/\w+)"', page.text)
        if item is None:
            break
        found.append(item[1])
        page = ann.vote(page, "tie", comment=WORD, **{"tag.0.left": "1", "note.0.seen": CHINESE})
    return found


LOOKS = {
    "desktop": {"viewport": {"width": 1280, "height": 800}},
    "phone": {"viewport": {"width": 390, "height": 844}, "color_scheme": "dark"},
}


def test_the_pages_a_reviewer_meets_first_keep_the_rules_of_access(browser, axe, tmp_path):
    ground = make_study(tmp_path, sources=every_kind()[3:5] + every_kind()[11:13], guess=0.0,
                        practice=CALIBRATION[:1], calibration_pass=0.0)  # fmt: skip
    with served(ground) as (address, link):
        ann, owner, told = walked(ground, address, link)
        looker = Looker(browser, address, {}, **LOOKS["phone"])
        looker.check(axe, f"/r/{ground.tokens['Ben']}")
        looker.check(axe, "/work")
        seen = Looker(browser, address, ann.cookies, **LOOKS["desktop"])
        for path in ("/", told):
            seen.check(axe, path)
        seen.check(axe, "/work", act=open_details)
        seen.check(axe, act=press_wrong)
        Looker(browser, address, owner.cookies, **LOOKS["phone"]).check(axe, "/board")


def decide_between(ground, address, owner, ruled, axe, new):
    """Have two disagree and a third decide: every page of it."""
    ben = Client(address)
    ben.enter(f"{address}/r/{ground.tokens['Ben']}")
    page = ben.get("/work")
    while 'action="/i/' in page.text:
        ben.vote(page, "left", comment=WORD, **{"rubric.0.left": "2", "rubric.0.right": "4"})
        page = ben.get("/work")
    told = owner.send(owner.get("/people"), "/people", name="Eva", group="domain_expert",
                      adjudicator="1")  # fmt: skip
    link = re.search(r'value="(http[^"]+/r/[^"]+)"', told.text)[1]
    eva = Client(address)
    eva.enter(link)
    new.context.add_cookies(
        [{"name": name, "value": value, "url": address} for name, value in eva.cookies.items()]
    )
    for path in ("/", "/work"):
        new.check(axe, path, act=open_details)
    ruled.check(axe, "/board")


def rated_again(ann, owner, seen, axe):
    """Have a reviewer rate earlier items again after unblinding."""
    owner.send(owner.get("/board"), "/state/begin-cycle")
    page = ann.get("/work")
    assert "Once more" in page.text
    seen.check(axe, "/work", act=open_details)
    while 'action="/i/' in page.text:
        page = ann.vote(page, "right", comment=WORD)
    owner.send(owner.get("/board"), "/state/end-cycle")


@pytest.mark.slow
@pytest.mark.parametrize(("look", "style"), [("desktop", "raw"), ("phone", "rendered")])
def test_every_page_and_state_keeps_the_rules_of_access(browser, axe, tmp_path, look, style):
    ground = make_study(
        tmp_path, sources=every_kind(), practice=CALIBRATION[:1], calibration_pass=0.0,
        guess=0.2, style=style, strength=True, people=("Ann", "Ben", f"Cleo {WORD[:40]}"),
    )  # fmt: skip
    with served(ground) as (address, link):
        ann, owner, told = walked(ground, address, link)
        seen = Looker(browser, address, ann.cookies, **LOOKS[look])
        ruled = Looker(browser, address, owner.cookies, **LOOKS[look])
        for path in ("/", "/guide", "/history", "/keys", told, "/nothing"):
            seen.check(axe, path, act=open_details)
        seen.check(axe, "/work", act=press_wrong)
        for path in ("/board", "/people", "/trail", "/result"):
            ruled.check(axe, path)
        for item in items_of(ann):
            seen.check(axe, item, act=open_details)
        seen.check(axe, "/guess", act=open_details)
        while 'action="/guess/' in (page := ann.get("/guess")).text:
            ann.send(page, "/guess/")
        for path in ("/work", "/history"):
            seen.check(axe, path)
        decide_between(ground, address, owner, ruled, axe, Looker(
            browser, address, {}, **LOOKS[look]
        ))  # fmt: skip
        for step in ("/state/pause", "/state/open", "/state/close"):
            board = owner.get("/board")
            assert step in [where for where, _ in read_page(board.text).forms]
            owner.send(board, step, sure="1")
            ruled.check(axe, "/board")
            seen.check(axe, "/work")
        ruled.check(axe, "/result")
        owner.send(owner.get("/result"), "/state/unblind", sure="1")
        rated_again(ann, owner, seen, axe)
        for path in ("/result", "/board", "/people", "/notes", "/trials"):
            ruled.check(axe, path, act=open_details)
        Looker(browser, address, {}, **LOOKS[look]).check(axe, "/work")


@pytest.mark.slow
@pytest.mark.parametrize("width", [320])
def test_studies_without_pairs_keep_the_rules_of_access(browser, axe, tmp_path, width):
    ground = make_study(
        tmp_path, sources=every_kind(), practice=(), kind="ratings", people=("Ann",)
    )
    with served(ground) as (address, _):
        ann = Client(address)
        ann.enter(f"{address}/r/{ground.tokens['Ann']}")
        seen = Looker(browser, address, ann.cookies, viewport={"width": width, "height": 800})
        page = ann.get("/work")
        while item := re.search(r'action="(/i/\w+)"', page.text):
            seen.check(axe, item[1], act=open_details)
            page = ann.vote(page, "", **{"rubric.0.left": "3"})
        seen.check(axe, "/work")


def failed_twice(ann):
    page = ann.get("/work")
    while 'action="/i/' in page.text:
        ann.vote(page, "both_bad", comment="x")
        page = ann.get("/work")


def once(ann):
    ann.vote(ann.get("/work"), "left")


HALTS = {
    "The study has not begun": ({"opened": False}, None),
    "Thank you for trying": ({"practice": CALIBRATION[:1], "calibration_pass": 1.0}, failed_twice),
    "Enough for today": ({"practice": (), "per_day": 1, "guess": 0.0}, once),
    "Nothing for you at this moment": (
        {"practice": (), "sources": plain_sources(1), "per_pair": 1, "guess": 0.0}, None
    ),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("heading", HALTS)
def test_the_ends_of_the_way_keep_the_rules_of_access(browser, axe, tmp_path, heading):
    settings, act = HALTS[heading]
    ground = make_study(tmp_path, **settings)
    with served(ground) as (address, _):
        ben, ann = Client(address), Client(address)
        ben.enter(f"{address}/r/{ground.tokens['Ben']}")
        ben.get("/work")  # holds the only pair where there is one
        ann.enter(f"{address}/r/{ground.tokens['Ann']}")
        if act is not None:
            act(ann)
        seen = Looker(browser, address, ann.cookies, **LOOKS["phone"])
        seen.check(axe, "/work")
        assert seen.page.locator("h1").inner_text() == heading


@pytest.mark.slow
@pytest.mark.parametrize("look", LOOKS)
def test_a_packet_keeps_the_rules_of_access_and_its_texts_are_inert(browser, axe, tmp_path, look):
    ground = make_study(tmp_path, sources=every_kind(), practice=(), people=("Ann",))
    reviews = ground.workspace.reviews
    (ann,) = reviewers(reviews, ground.study_id).values()
    file = tmp_path / "ann.html"
    file.write_text(make_packet(reviews, ground.study_id, ann, items=8), encoding="utf-8")
    ground.workspace.close()
    looker = Looker(browser, "file://", {}, **LOOKS[look])
    looker.page.goto(file.as_uri())
    looker.check(axe, act=open_details)


def heard(response):
    """Return a response of Chromium as the crawl reads it."""
    sent = response.status < 300
    return Told(
        method=response.request.method,
        path=response.url.partition("//")[2].partition("/")[2],
        status=response.status,
        headers=tuple(response.all_headers().items()),
        body=response.body() if sent else b"",
    )


def written(text):
    """Return a text as the crawl reads it."""
    return Told(method="KEPT", path="/", status=200, headers=(), body=text.encode())


def test_what_a_browser_is_sent_and_keeps_tells_nothing(browser, tmp_path):
    """Chromium's own view: every response it got, its cookies and its storage."""
    ground = make_study(tmp_path, sources=plain_sources(2), practice=CALIBRATION[:1],
                        calibration_pass=0.0, guess=0.0)  # fmt: skip
    with served(ground) as (address, _):
        context = browser.new_context()
        page, bodies = context.new_page(), []
        page.on("requestfinished", lambda request: bodies.append(heard(request.response())))
        page.goto(f"{address}/r/{ground.tokens['Ann']}")
        page.get_by_role("button", name="I agree").click()
        page.get_by_role("link", name="Begin").click()
        for _ in range(3):
            page.locator("label.v-tie").click()
            page.locator("#comment").fill("because")
            page.wait_for_selector("text=draft kept")
            page.locator("[data-save]").click()
            until(page, "() => document.querySelector('#comment')?.value !== 'because'")
            if page.locator("a[data-enter]").count():
                page.locator("a[data-enter]").first.click()
        page.wait_for_selector("text=Thank you")
        told = list(bodies)
        kept = page.evaluate("JSON.stringify([document.cookie, localStorage, sessionStorage,"
                             " document.documentElement.outerHTML])")  # fmt: skip
        told.append(written(kept))
        told.append(written(str(context.cookies())))
        assert len(told) > 15
        assert [one for one in leaks(told, ground) if "unknown header" not in one] == []
        assert page.evaluate("document.cookie") == ""
        context.close()
