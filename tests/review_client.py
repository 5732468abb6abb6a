"""A browser without scripts: keeps cookies, fills forms, writes down every byte it was sent."""

from __future__ import annotations

import http.client
import re
from dataclasses import dataclass, field
from html.parser import HTMLParser
from urllib.parse import urlencode, urljoin, urlsplit


@dataclass(frozen=True, kw_only=True)
class Told:
    """One answer of the server."""

    method: str
    path: str
    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode("utf-8", "replace")

    def header(self, name: str) -> str:
        return next((value for key, value in self.headers if key.lower() == name.lower()), "")


class _Forms(HTMLParser):
    """Links, own files and forms of a page, with all fields as they are filled."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.forms: list[tuple[str, list[tuple[str, str]]]] = []
        self._select = ""
        self._area: str | None = None

    def handle_starttag(self, tag, attrs):
        held = dict(attrs)
        where = held.get("src") if tag in {"script", "img"} else held.get("href")
        if where and tag in {"a", "script", "img", "link"}:
            self.links.append(where)
        if tag == "form" and held.get("method") == "post":
            self.forms.append((held.get("action", ""), []))
        elif self.forms:
            self._field(tag, held, self.forms[-1][1])

    def _field(self, tag, held, fields):
        name = held.get("name", "")
        if tag == "input" and name:
            if held.get("type") not in {"radio", "checkbox"} or "checked" in held:
                fields.append((name, held.get("value", "")))
        elif tag == "select":
            self._select = name
        elif tag == "option" and self._select and "selected" in held:
            fields.append((self._select, held.get("value", "")))
        elif tag == "textarea":
            self._area = name
            fields.append((name, ""))

    def handle_endtag(self, tag):
        if tag == "select":
            self._select = ""
        if tag == "textarea":
            self._area = None

    def handle_data(self, data):
        if self._area:
            fields = self.forms[-1][1]
            fields[-1] = (self._area, fields[-1][1] + data)


def read_page(text: str) -> _Forms:
    found = _Forms()
    found.feed(text)
    return found


@dataclass
class Client:
    """One person at one browser."""

    address: str
    cookies: dict[str, str] = field(default_factory=dict)
    told: list[Told] = field(default_factory=list)
    headers: dict[str, str] = field(default_factory=dict)

    def ask(self, method: str, path: str, form=None, *, headers=None) -> Told:
        """Send one request; redirections are not followed."""
        parts = urlsplit(self.address)
        connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=30)
        sent = {**self.headers, **(headers or {})}
        if self.cookies:
            sent["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        body = None
        if form is not None:
            body = urlencode(form).encode()
            sent.setdefault("Content-Type", "application/x-www-form-urlencoded")
        try:
            connection.request(method, path, body=body, headers=sent)
            answer = connection.getresponse()
            told = Told(
                method=method,
                path=path,
                status=answer.status,
                headers=tuple(answer.getheaders()),
                body=answer.read(),
            )
        finally:
            connection.close()
        for key, value in told.headers:
            if key.lower() == "set-cookie":
                name, _, rest = value.partition("=")
                self.cookies[name] = rest.partition(";")[0]
                if not self.cookies[name] or "Max-Age=0" in value:
                    del self.cookies[name]
        self.told.append(told)
        return told

    def get(self, path: str) -> Told:
        """Open a page, following redirections."""
        told = self.ask("GET", path)
        while told.status in {302, 303}:
            told = self.ask("GET", urljoin(told.path, told.header("Location")))
        return told

    def post(self, path: str, form) -> Told:
        """Send a form, following redirections."""
        told = self.ask("POST", path, form)
        if told.status in {302, 303}:
            return self.get(urljoin(told.path, told.header("Location")))
        return told

    def enter(self, link: str, **fields) -> Told:
        """Open a link and press its button."""
        path = urlsplit(link).path
        form = dict(read_page(self.get(path).text).forms[0][1])
        return self.post(path, {**form, **fields})

    def send(self, page: Told, action: str, **fields) -> Told:
        """Send the form of a page whose action begins so, with these fields changed."""
        for where, held in read_page(page.text).forms:
            if where.startswith(action):
                return self.post(where, {**dict(held), **fields})
        raise AssertionError(f"no form {action} on {page.path}: {page.text[:300]}")

    def vote(self, page: Told, verdict: str, **fields) -> Told:
        """Vote on the item of a page."""
        return self.send(page, "/i/", verdict=verdict, **fields)


def item_of(page: Told) -> str:
    """Return the token of the item of a page."""
    found = re.search(r'action="/i/(\w+)"', page.text)
    assert found, page.text[:500]
    return found[1]


def form_token(page: Told) -> str:
    """Return the token of a page's forms."""
    return re.search(r'name="form_token" value="(\w+)"', page.text)[1]
