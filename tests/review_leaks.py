"""The leak crawl: everything a reviewer can get, and what may not be in any byte of it."""

from __future__ import annotations

import base64
import hashlib
import re
from collections import deque
from collections.abc import Iterable, Iterator
from urllib.parse import quote, urljoin, urlsplit

from befit.review.desk import load_pool
from befit.review.records import Sealed
from befit.review.seal import find_key, unseal
from befit.review.states import study_of
from review_client import Client, Told, read_page
from review_ground import IDENTITIES, NAMES, Ground

VERDICTS = ("left", "right", "tie", "both_bad", "cannot_judge")
ALLOWED_HEADERS = {
    "content-security-policy",
    "x-content-type-options",
    "x-frame-options",
    "referrer-policy",
    "cross-origin-opener-policy",
    "cross-origin-resource-policy",
    "permissions-policy",
    "cache-control",
    "server",
    "content-type",
    "content-length",
    "date",
    "location",
    "set-cookie",
    "retry-after",
}


def mapping_of(ground: Ground) -> Sealed:
    """Open the seal, as nobody on the reviewers' side can."""
    reviews = ground.workspace.reviews
    key = find_key(reviews.folder, ground.study_id, given=None)
    published = study_of(reviews, ground.study_id).commitment
    return unseal(reviews.sealed(ground.study_id), key, published=published)[0]


def forbidden(ground: Ground) -> dict[str, str]:
    """Return every string that would tell who answered, or join two reviewers' pages."""
    mapping = mapping_of(ground)
    pool = load_pool(ground.workspace.reviews, ground.study_id)
    items = [*pool.work.values(), *pool.gold.values(), *pool.calibration.values()]
    plain = dict.fromkeys(IDENTITIES, "identity")
    plain |= {word: "identity" for name in NAMES for word in name.split("-") if len(word) > 3}
    plain |= {one.fingerprint: "fingerprint" for one in mapping.answers.values()}
    plain |= {key: "trial" for one in mapping.answers.values() for key in one.key_ids}
    plain |= dict.fromkeys(mapping.answers, "answer")
    plain |= dict.fromkeys(mapping.codes, "code of a candidate")
    plain |= dict.fromkeys(mapping.samples, "sample")
    plain |= {f"sample-{n}": "sample" for n in range(30)}
    plain |= {item.id: "item" for item in items}
    plain |= {pool.secret.hex(): "secret", "r-1": "run", ground.study_id: "study"}
    plain.pop("", None)
    return {text: kind for text, kind in plain.items() if len(text) > 2}


def shapes(text: str) -> set[str]:
    """Return a string as it may be disguised: encoded, reversed, hashed."""
    raw = text.encode()
    found = {text, text[::-1], quote(text, safe=""), raw.hex(), base64.b64encode(raw).decode()}
    found |= {base64.urlsafe_b64encode(raw).decode().rstrip("=")}
    found |= {hashlib.new(kind, raw).hexdigest()[:12] for kind in ("md5", "sha1", "sha256")}
    return {shape.lower() for shape in found if len(shape) > 3}


def leaks(told: Iterable[Told], ground: Ground) -> list[str]:
    """Return what was found where; the names on the last question's list are taken out first."""
    wanted = {shape: kind for text, kind in forbidden(ground).items() for shape in shapes(text)}
    places: dict[str, str] = {}
    found = []
    for one in told:
        for where, text in _parts(one):
            for line in text.lower().split("\n"):
                places.setdefault(line, f"{one.method} {one.path} {where}")
        unknown = {key.lower() for key, _ in one.headers} - ALLOWED_HEADERS
        found += [f"{one.path}: unknown header {key}" for key in unknown]
    whole = "\n".join(places)
    for shape, kind in wanted.items():
        if shape in whole and _stands(shape, whole):
            where = next(place for line, place in places.items() if shape in line)
            found.append(f"{where}: {kind} {shape}")
    return found


def _stands(shape: str, text: str) -> bool:
    """Short words have to stand alone, so that no other word is taken for them."""
    if len(shape) >= 8:
        return True
    return bool(re.search(rf"(?<![0-9a-z]){re.escape(shape)}(?![0-9a-z])", text))


def _parts(one: Told) -> Iterator[tuple[str, str]]:
    body = _without_list(one) if one.path.startswith("/guess") else one.body
    yield "body", body.decode("latin-1")
    yield "address", one.path
    for key, value in one.headers:
        yield "header", f"{key}: {value}"
        if key.lower() == "set-cookie":
            yield "cookie", _opened(value).decode("latin-1")


def _opened(cookie: str) -> bytes:
    body = cookie.partition("=")[2].partition(".")[0]
    try:
        return base64.urlsafe_b64decode(body + "==")
    except ValueError:
        return body.encode()


def _without_list(one: Told) -> bytes:
    """Drop the list of names, which has to be the alphabetical one that everybody gets."""
    fields = re.findall(r'name="named" value="([^"]*)"', one.text)
    if fields:
        assert fields == ["", *sorted(NAMES)], fields
    return re.sub(rb'<form method="post" action="/guess/.*?</form>', b"", one.body, flags=re.DOTALL)


def work_through(client: Client, *, most: int = 60) -> list[str]:
    """Do all a reviewer can do, with every verdict in turn; return the tokens of the items."""
    tokens = []
    page = client.get("/work")
    for number in range(most):
        if 'action="/guess/' in page.text:
            page = client.send(page, "/guess/")
            continue
        if "/told" in page.path:
            page = client.get("/work")
            continue
        found = re.search(r'action="/i/(\w+)"', page.text)
        if found is None:
            break
        tokens.append(found[1])
        client.ask("GET", f"/i/{found[1]}?whole=1")
        draft = dict(read_page(page.text).forms[-1][1]) | {"number": "1", "comment": "half"}
        client.ask("POST", f"/i/{found[1]}/draft", draft)
        client.vote(page, "")  # an error page
        verdict = VERDICTS[number % len(VERDICTS)]
        page = client.vote(page, verdict, cannot="broken", comment="because", **{"tag.0.left": "1"})
        if 'action="/undo"' in page.text and "/undo" not in {one.path for one in client.told}:
            page = client.send(page, "/undo")
    return tokens


START = (
    *("/", "/guide", "/history", "/keys", "/work", "/guess", "/nothing", "/i/" + "0" * 24),
    *("/board", "/result", "/people", "/trail", "/notes", "/trials", "/healthz", "/m/a/b"),
)


def crawl(client: Client) -> None:
    """Open every link and own file that can be reached."""
    seen: set[str] = set()
    waiting = deque(START)
    while waiting:
        path = waiting.popleft()
        if path in seen:
            continue
        seen.add(path)
        told = client.get(path)
        if "html" in told.header("Content-Type"):
            page = read_page(told.text)
            for link in page.links:
                target = urlsplit(urljoin(path, link))
                assert not target.netloc, f"{path} leads elsewhere: {link}"
                waiting.append(target.path + (f"?{target.query}" if target.query else ""))
