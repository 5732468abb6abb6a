"""What tests of harm share: a reviewer who came in, the policy every page carries, the votes."""

from __future__ import annotations

from review_client import Client

POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)


def entered(address, ground, name="Ann"):
    client = Client(address)
    client.enter(f"{address}/r/{ground.tokens[name]}")
    return client


def votes_of(ground):
    return [one for one in ground.workspace.reviews.work.of(ground.study_id) if one.state == "done"]
