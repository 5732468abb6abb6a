"""The tables behind test sets: production logs as imported, sampling, versions, labels.

An interaction keeps narrow columns for strata and its redacted body apart.
Rows of an import count only once the import is done, so a file that breaks
in the middle, or a killed process, leaves nothing half-imported behind.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Column,
    Double,
    Index,
    Integer,
    LargeBinary,
    PrimaryKeyConstraint,
    String,
    Table,
    Text,
)

from befit.storage.schema import metadata

imports = Table(
    "imports",
    metadata,
    Column("id", String, primary_key=True),
    Column("number", Integer, nullable=False, unique=True),
    Column("created_at", String, nullable=False),
    Column("done_at", String),
    Column("report", Text, nullable=False),
)
"""One call of the importer; `done_at` stays empty until all of it is stored."""

interactions = Table(
    "interactions",
    metadata,
    Column("id", String, primary_key=True),
    Column("import_id", String, nullable=False),
    Column("ordinal", BigInteger, nullable=False),
    Column("state", String, nullable=False),
    Column("join_key", String),
    Column("side", String),
    Column("ts", String, nullable=False),
    Column("route", String),
    Column("channel", String),
    Column("model", String),
    Column("conversation", String),
    Column("intent", String),
    Column("language", String),
    Column("length", Integer, nullable=False),
    Column("body", LargeBinary),
    Index("interactions_by_import", "import_id", "ordinal"),
    Index("interactions_by_join", "join_key"),
    Index("interactions_by_time", "state", "ts"),
    sqlite_with_rowid=True,
)
"""`state`: `whole`, `bare` (a call without its content), `half` (waits for the other), `merged`."""

outcomes = Table(
    "outcomes",
    metadata,
    Column("ref", String, nullable=False),
    Column("import_id", String, nullable=False),
    Column("ordinal", BigInteger, nullable=False),
    Column("part", Integer, nullable=False),
    Column("ts", String, nullable=False),
    Column("event", String, nullable=False),
    Column("value", Double),
    Column("body", LargeBinary, nullable=False),
    PrimaryKeyConstraint("import_id", "ordinal", "part"),
    Index("outcomes_by_ref", "ref"),
)

samplings = Table(
    "samplings",
    metadata,
    Column("id", String, primary_key=True),
    Column("number", Integer, nullable=False, unique=True),
    Column("scenario", String, nullable=False),
    Column("created_at", String, nullable=False),
    Column("body", LargeBinary, nullable=False),
)
"""How a set was drawn: strata of the log with their counts, clusters, seed."""

set_versions = Table(
    "set_versions",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("scenario", String, nullable=False),
    Column("version", String, nullable=False),
    Column("name", String, nullable=False),
    Column("author", String, nullable=False),
    Column("created_at", String, nullable=False),
    Column("changelog", Text, nullable=False),
    Column("n_samples", Integer, nullable=False),
    Index("set_versions_by_name", "scenario", "name", unique=True),
    Index("set_versions_by_hash", "version"),
)

set_members = Table(
    "set_members",
    metadata,
    Column("number", Integer, nullable=False),
    Column("sample_id", String, nullable=False),
    Column("content", String, nullable=False),
    PrimaryKeyConstraint("number", "sample_id"),
)
"""The samples of a frozen version; `content` is a key of `contents`."""

labels = Table(
    "labels",
    metadata,
    Column("scenario", String, nullable=False),
    Column("sample_id", String, nullable=False),
    Column("labeller", String, nullable=False),
    Column("revision", Integer, nullable=False),
    Column("shown", String, nullable=False),
    Column("request_id", String, nullable=False),
    Column("created_at", String, nullable=False),
    Column("body", LargeBinary, nullable=False),
    PrimaryKeyConstraint("scenario", "sample_id", "labeller", "revision"),
    Index("labels_by_request", "request_id", unique=True),
)
"""Every revision of every label; `request_id` makes a repeated press one label."""

DATA_TABLES = [imports, interactions, outcomes, samplings, set_versions, set_members, labels]
