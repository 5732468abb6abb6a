"""Who is at the page: sign-in links, signed cookies, and the token of forms.

A cookie is signed with the secret, so a server that was killed and started again
knows everybody it knew before; only who signed out has to be remembered. A link is shown to
people as an address; opening it does nothing but show a button (mail scanners
open links), pressing it exchanges it for the cookie.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import secrets
from dataclasses import dataclass

COOKIE = "befit_session"
_BYTES = 32
_NAME_LENGTH = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """One person at one browser."""

    name: str
    role: str
    nonce: str


class Sessions:
    """Makes and reads links, cookies and form tokens under one secret.

    Args:
        secret: at least 32 bytes, kept from one start of the server to the next.
        seconds: how long a cookie is good.
    """

    def __init__(self, secret: bytes, *, seconds: int = 30 * 86_400) -> None:
        self._secret = secret
        self.seconds = seconds
        self.ended: set[str] = set()
        """Nonces of sessions that were signed out: their cookies are good no more."""

    def _mark(self, purpose: str, text: str) -> str:
        told = f"{purpose}\0{text}".encode()
        return hmac.new(self._secret, told, hashlib.sha256).hexdigest()

    def link_token(self, role: str) -> str:
        """Return the token of a role's sign-in link: 160 bits, the same for the same secret."""
        return f"{role}-{self._mark('link', role)[:40]}"

    def role_of(self, token: str) -> str | None:
        """Return the role a link's token stands for, or None for one nobody was given."""
        role, sign, _ = token.rpartition("-")
        if not sign or not hmac.compare_digest(token.encode(), self.link_token(role).encode()):
            return None
        return role

    def sign_in(self, name: str, role: str, *, now: float) -> str:
        """Return the cookie of a new session."""
        held = [name[:_NAME_LENGTH], role, secrets.token_hex(8), int(now) + self.seconds]
        body = base64.urlsafe_b64encode(json.dumps(held).encode()).decode()
        return f"{body}.{self._mark('cookie', body)}"

    def read(self, cookie: str, *, now: float) -> Session | None:
        """Return the session of a cookie; None when it is forged, damaged or too old."""
        body, _, mark = cookie.rpartition(".")
        if not hmac.compare_digest(mark.encode(), self._mark("cookie", body).encode()):
            return None
        try:
            name, role, nonce, until = json.loads(base64.urlsafe_b64decode(body))
        except ValueError:
            return None
        if until <= now or nonce in self.ended:
            return None
        return Session(name=name, role=role, nonce=nonce)

    def form_token(self, session: Session | None) -> str:
        """Return the token every form of this session carries (against forged requests)."""
        return self._mark("form", "" if session is None else session.nonce)

    def is_form_token(self, session: Session | None, given: str) -> bool:
        """Whether `given` is this session's form token."""
        return hmac.compare_digest(given.encode(), self.form_token(session).encode())


def new_secret() -> bytes:
    """Return a secret for `Sessions`."""
    return secrets.token_bytes(_BYTES)
