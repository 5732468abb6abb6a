"""Twenty reviewers with 200 votes each, the server killed in between; part of the proofs.

    tools/proof_review_load.py [reviewers] [votes] [kills]

Writes `docs/proof/review-load.md`; the exit code is 1 if a vote was lost or counted twice.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from review_load import vote_and_kill  # noqa: E402 - found only after the path above


def main() -> int:
    """Run it and write what came of it."""
    given = [int(text) for text in sys.argv[1:]]
    reviewers, votes, kills = (*given, *(20, 200, 3)[len(given) :])
    with tempfile.TemporaryDirectory() as folder:
        found = vote_and_kill(
            Path(folder), reviewers=reviewers, votes=votes, kills=kills, seconds=3600
        )
    kept = not (found.lost or found.twice or found.faults) and found.stored == reviewers * votes
    lines = [
        "# Reviewers at once, and a server that is killed",
        "",
        "Written by `tools/proof_review_load.py`: every reviewer is a thread with a browser's",
        "forms, the server a process of its own that is killed with SIGKILL and started again.",
        "What got no answer is sent again; one vote in ten is sent twice on purpose.",
        "",
        "| what | figure |",
        "|---|---|",
        f"| reviewers at once | {found.reviewers} |",
        f"| votes of each | {found.votes} |",
        f"| kills | {found.kills} |",
        f"| votes the server answered for | {found.confirmed} |",
        f"| votes stored | {found.stored} |",
        f"| requests sent again after a kill | {found.resent} |",
        f"| votes sent twice on purpose | {found.sent_twice} |",
        f"| votes lost | {found.lost} |",
        f"| votes counted twice | {found.twice} |",
        f"| votes per second, all together | {found.stored / found.seconds:.1f} |",
        f"| kept | {'yes' if kept else 'NO: ' + '; '.join(found.faults)} |",
        "",
    ]
    (ROOT / "docs" / "proof" / "review-load.md").write_text("\n".join(lines), encoding="utf-8")
    print("\n".join(lines))
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
