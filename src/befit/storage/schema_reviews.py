"""The tables of blind review. Who is behind an answer stands in `review_sealed` only, encrypted.

Votes are never changed or deleted: an edit or an undo is a further revision, and
a request id makes a press that is sent twice one vote.
"""

from __future__ import annotations

from sqlalchemy import (
    Column,
    Double,
    Index,
    Integer,
    LargeBinary,
    PrimaryKeyConstraint,
    SmallInteger,
    String,
    Table,
    Text,
)

from befit.storage.schema import metadata

review_studies = Table(
    "review_studies",
    metadata,
    Column("id", String, primary_key=True),
    Column("number", Integer, nullable=False, unique=True),
    Column("run_id", String, nullable=False),
    Column("state", String, nullable=False),
    Column("body", LargeBinary, nullable=False),
    Index("review_studies_by_run", "run_id", "number"),
)
"""`state` is what votes are checked against: `cycle` takes votes of a recalibration only."""

review_sealed = Table(
    "review_sealed",
    metadata,
    Column("study", String, primary_key=True),
    Column("body", LargeBinary, nullable=False),
)

review_parts = Table(
    "review_parts",
    metadata,
    Column("study", String, nullable=False),
    Column("kind", String, nullable=False),
    Column("id", String, nullable=False),
    Column("number", Integer, nullable=False),
    Column("lookup", String),
    Column("body", LargeBinary, nullable=False),
    PrimaryKeyConstraint("study", "kind", "id"),
    Index("review_parts_in_order", "study", "kind", "number"),
    Index("review_parts_by_lookup", "kind", "lookup"),
)
"""Answers as shown, items, reviewers, guesses, record sheets."""

review_assignments = Table(
    "review_assignments",
    metadata,
    Column("id", String, primary_key=True),
    Column("study", String, nullable=False),
    Column("reviewer", String, nullable=False),
    Column("ordinal", Integer, nullable=False),
    Column("item", String, nullable=False),
    Column("purpose", String, nullable=False),
    Column("cell", String, nullable=False),
    Column("cycle", Integer, nullable=False),
    Column("mirror_of", String),
    Column("flipped", SmallInteger, nullable=False),
    Column("state", String, nullable=False),
    Column("leased_until", Double, nullable=False),
    Column("created_at", Double, nullable=False),
    Column("shown_at", Double),
    Column("voted_at", Double),
    Column("outcome", String),
    Index("review_assignments_of", "study", "reviewer", "ordinal", unique=True),
    Index("review_assignments_on", "study", "purpose", "item"),
)
"""`state`: `leased` or `done`; `outcome`: the newest verdict with x on the left."""

review_votes = Table(
    "review_votes",
    metadata,
    Column("assignment", String, nullable=False),
    Column("revision", Integer, nullable=False),
    Column("study", String, nullable=False),
    Column("reviewer", String, nullable=False),
    Column("request_id", String, nullable=False),
    Column("voted_at", Double, nullable=False),
    Column("withdrawn", SmallInteger, nullable=False),
    Column("body", LargeBinary, nullable=False),
    PrimaryKeyConstraint("assignment", "revision"),
    Index("review_votes_by_request", "study", "reviewer", "request_id", unique=True),
    Index("review_votes_of", "study", "voted_at"),
)

review_drafts = Table(
    "review_drafts",
    metadata,
    Column("assignment", String, primary_key=True),
    Column("study", String, nullable=False),
    Column("number", Integer, nullable=False),
    Column("saved_at", Double, nullable=False),
    Column("body", LargeBinary, nullable=False),
)

review_events = Table(
    "review_events",
    metadata,
    Column("study", String, nullable=False),
    Column("number", Integer, nullable=False),
    Column("at", String, nullable=False),
    Column("actor", String, nullable=False),
    Column("kind", String, nullable=False),
    Column("body", Text, nullable=False),
    Column("chain", String, nullable=False),
    PrimaryKeyConstraint("study", "number"),
)
"""What was done to a study, by whom; `chain` hashes the event with the one before."""

REVIEW_TABLES = [
    review_studies,
    review_sealed,
    review_parts,
    review_assignments,
    review_votes,
    review_drafts,
    review_events,
]
