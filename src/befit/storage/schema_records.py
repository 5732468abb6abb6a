"""The table of records that are written once: decisions, baselines, regression verdicts.

Apart from `schema.py`, which holds what runs are made of; the same `metadata`.
"""

from __future__ import annotations

from sqlalchemy import Column, Index, Integer, String, Table, Text

from befit.storage.schema import metadata

records = Table(
    "records",
    metadata,
    Column("id", String, primary_key=True),
    Column("kind", String, nullable=False),
    Column("number", Integer, nullable=False, unique=True),
    Column("name", String, nullable=False),
    Column("run_id", String, nullable=False),
    Column("created_at", String, nullable=False),
    Column("body", Text, nullable=False),
    Index("records_by_kind", "kind", "name", "number"),
    Index("records_by_run", "run_id", "kind", "number"),
)
"""`id` is a hash of the body, so a record that was tampered with no longer fits its name."""
