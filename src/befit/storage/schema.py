"""The tables of a workspace, the same on SQLite and PostgreSQL.

What reports count stands in narrow rows (`slots`, `scores`), clustered in the
order they are read in; what reports quote stands apart as compressed records
(`trials`, `evidence`, `contents`). A slot keeps its own copy of the narrow
facts of its trial, so a finished run never changes under its report when a
later run fills the same key.

`scoring` numbers the passes of scoring over a run: a new pass is written
beside the old one and takes its place in one step.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Column,
    Double,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    PrimaryKeyConstraint,
    SmallInteger,
    String,
    Table,
    Text,
)

metadata = MetaData()

meta = Table(
    "meta",
    metadata,
    Column("name", String, primary_key=True),
    Column("value", String, nullable=False),
)

runs = Table(
    "runs",
    metadata,
    Column("id", String, primary_key=True),
    Column("number", Integer, nullable=False, unique=True),
    Column("project", String, nullable=False),
    Column("created_at", String, nullable=False),
    Column("status", String, nullable=False),
    Column("plan_fingerprint", String, nullable=False),
    Column("label", String, nullable=False),
    Column("scoring", Integer, nullable=False),
    Column("manifest", Text, nullable=False),
    Index("runs_by_plan", "plan_fingerprint", "number"),
)

contents = Table(
    "contents",
    metadata,
    Column("fingerprint", String, primary_key=True),
    Column("body", LargeBinary),
)
"""Samples as they stood, once per content however many runs used them; None: forgotten."""

samples = Table(
    "samples",
    metadata,
    Column("run_id", String, nullable=False),
    Column("scenario", String, nullable=False),
    Column("sample_id", String, nullable=False),
    Column("ordinal", Integer, nullable=False),
    Column("kind", String, nullable=False),
    Column("language", String),
    Column("cluster", String),
    Column("weight", Double, nullable=False),
    Column("content", String, nullable=False),
    PrimaryKeyConstraint("run_id", "scenario", "sample_id"),
    Index("samples_in_order", "run_id", "scenario", "ordinal"),
    sqlite_with_rowid=False,
)

sample_history = Table(
    "sample_history",
    metadata,
    Column("run_id", String, nullable=False),
    Column("scoring", Integer, nullable=False),
    Column("scenario", String, nullable=False),
    Column("sample_id", String, nullable=False),
    Column("content", String, nullable=False),
    PrimaryKeyConstraint("run_id", "scoring", "scenario", "sample_id"),
    sqlite_with_rowid=False,
)
"""What a sample was until a pass of scoring ended: a run that is scored again forgets nothing."""

trials = Table(
    "trials",
    metadata,
    Column("key_id", String, primary_key=True),
    Column("finished", SmallInteger, nullable=False),
    Column("forgotten_at", String),
    Column("body", LargeBinary),
)
"""Whole trials by key; one that was forgotten keeps its row, without its content."""

slots = Table(
    "slots",
    metadata,
    Column("run_id", String, nullable=False),
    Column("scenario", String, nullable=False),
    Column("candidate", String, nullable=False),
    Column("sample_id", String, nullable=False),
    Column("variant", String, nullable=False),
    Column("repeat", Integer, nullable=False),
    Column("key_id", String, nullable=False),
    Column("trial_id", String, nullable=False),
    Column("status", String, nullable=False),
    Column("failure", String),
    Column("reused", SmallInteger, nullable=False),
    Column("attempts", BigInteger, nullable=False),
    Column("first_token", Double),
    Column("first_output_token", Double),
    Column("latency", Double),
    Column("input_tokens", BigInteger),
    Column("output_tokens", BigInteger),
    Column("reasoning_tokens", BigInteger),
    Column("cost", Double),
    Column("finish_reason", String),
    Column("served_model", String),
    Column("system_fingerprint", String),
    Column("started_at", Double, nullable=False),
    Column("output_chars", BigInteger, nullable=False),
    Column("passed", Double),
    Column("answer", String),
    Column("per_token", Double),
    Column("calls", BigInteger),
    Column("waited", Double),
    Column("retry_cost", Double),
    Column("payload_chars", BigInteger),
    Column("route", String),
    Column("untold_tries", BigInteger),
    PrimaryKeyConstraint("run_id", "scenario", "candidate", "sample_id", "variant", "repeat"),
    sqlite_with_rowid=False,
)

slot_columns = Table(
    "slot_columns",
    metadata,
    Column("run_id", String, nullable=False),
    Column("scenario", String, nullable=False),
    Column("candidate", String, nullable=False),
    Column("piece", Integer, nullable=False),
    Column("body", LargeBinary, nullable=False),
    PrimaryKeyConstraint("run_id", "scenario", "candidate", "piece"),
)
"""A second form of the slots of a run that has ended, see `packed`: nothing stands only here."""

score_columns = Table(
    "score_columns",
    metadata,
    Column("run_id", String, nullable=False),
    Column("scenario", String, nullable=False),
    Column("name", String, nullable=False),
    Column("piece", Integer, nullable=False),
    Column("body", LargeBinary, nullable=False),
    PrimaryKeyConstraint("run_id", "scenario", "name", "piece"),
)
"""The same of the whole-trial scores that are headlines of their scenario."""

scores = Table(
    "scores",
    metadata,
    Column("run_id", String, nullable=False),
    Column("scoring", Integer, nullable=False),
    Column("scenario", String, nullable=False),
    Column("name", String, nullable=False),
    Column("candidate", String, nullable=False),
    Column("sample_id", String, nullable=False),
    Column("variant", String, nullable=False),
    Column("repeat", Integer, nullable=False),
    Column("position", Integer, nullable=False),
    Column("scorer", String, nullable=False),
    Column("part", String),
    Column("value", Double),
    Column("label", String),
    PrimaryKeyConstraint(
        "run_id",
        "scoring",
        "scenario",
        "name",
        "candidate",
        "sample_id",
        "variant",
        "repeat",
        "position",
    ),
    sqlite_with_rowid=False,
)
"""Clustered by metric: a group-by walks it in order, and one metric is one stretch of it."""

evidence = Table(
    "evidence",
    metadata,
    Column("run_id", String, nullable=False),
    Column("scoring", Integer, nullable=False),
    Column("scenario", String, nullable=False),
    Column("candidate", String, nullable=False),
    Column("sample_id", String, nullable=False),
    Column("variant", String, nullable=False),
    Column("repeat", Integer, nullable=False),
    Column("passed", Double),
    Column("answer", String),
    Column("body", LargeBinary, nullable=False),
    Column("payload_chars", BigInteger),
    PrimaryKeyConstraint(
        "run_id", "scoring", "scenario", "candidate", "sample_id", "variant", "repeat"
    ),
    sqlite_with_rowid=False,
)
"""All scores of one slot with answers, spans and rules, in the order the scorers gave them."""

holds = Table(
    "holds",
    metadata,
    Column("name", String, primary_key=True),
    Column("pid", Integer, nullable=False),
    Column("host", String, nullable=False),
    Column("since", String, nullable=False),
)
