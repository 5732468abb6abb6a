"""The way of an answer, read from headers as providers send them."""

from __future__ import annotations

import pytest

from befit.core.route import Route, read_route, route_text


@pytest.mark.parametrize(
    ("headers", "route"),
    [
        ({}, Route()),
        ({"x-ratelimit-limit": "9"}, Route()),
        ({"x-ms-region": "Sweden Central"}, Route(region="Sweden Central")),
        ({"provider": "Acme", "x-provider": "b"}, Route(provider="Acme")),
        ({"x-session-affinity": "a\tb"}, Route(session="a b")),
        ({"cf-ray": "8f2ab3-FRA"}, Route(region="FRA")),
        ({"cf-ray": "8f2ab3"}, Route()),
        ({"cf-ray": "8f2ab3-FRA", "x-groq-region": "us-east-1"}, Route(region="us-east-1")),
        ({"x-vercel-id": "fra1::iad1::abc-123"}, Route(region="fra1 iad1")),
        ({"x-vercel-id": "abc-123"}, Route()),
    ],
)
def test_only_what_names_a_place_is_one(headers, route):
    text = route_text(headers)
    assert (text is None) == (route == Route())
    assert read_route(text) == route
