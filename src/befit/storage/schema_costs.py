"""The table of what calls cost that no slot of their run tells.

Apart from `schema.py`, which holds what runs are made of; the same `metadata`.
"""

from __future__ import annotations

from sqlalchemy import Column, Double, PrimaryKeyConstraint, String, Table

from befit.storage.schema import metadata

untold_costs = Table(
    "untold_costs",
    metadata,
    Column("run_id", String, nullable=False),
    Column("candidate", String, nullable=False),
    Column("spent", Double, nullable=False),
    Column("uncertain", Double, nullable=False),
    PrimaryKeyConstraint("run_id", "candidate"),
)
"""USD, added up over the sittings of a run: `spent` is known, `uncertain` is an upper bound."""
