"""Where a test's workspace stands: a fresh folder, or a fresh schema on a PostgreSQL server."""

from __future__ import annotations

import os
import secrets
from contextlib import contextmanager

import pytest
from sqlalchemy import create_engine, make_url, text

POSTGRES = "BEFIT_TEST_POSTGRES"

BOTH = [
    pytest.param("sqlite", id="sqlite"),
    pytest.param(
        "postgres",
        id="postgres",
        marks=[
            pytest.mark.postgres,
            pytest.mark.skipif(
                not os.environ.get(POSTGRES), reason=f"{POSTGRES} names no PostgreSQL server"
            ),
        ],
    ),
]


@contextmanager
def place(kind, tmp_path):
    """Yield a location for `Workspace.open` which nobody else uses."""
    if kind == "sqlite":
        yield tmp_path / ".befit"
        return
    url = make_url(os.environ[POSTGRES])
    schema = f"befit_{secrets.token_hex(6)}"
    engine = create_engine(url)
    with engine.begin() as connection:
        connection.execute(text(f"CREATE SCHEMA {schema}"))
    own = url.update_query_dict({"options": f"-csearch_path={schema}"})
    try:
        yield own.render_as_string(hide_password=False)
    finally:
        with engine.begin() as connection:
            connection.execute(text(f"DROP SCHEMA {schema} CASCADE"))
        engine.dispose()
