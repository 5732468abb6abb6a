"""How a study is made, opened, watched and closed in the terminal."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from befit.cli.decide_view import person
from befit.cli.review_settings import read_items, read_settings
from befit.cli.shell import OK, Shell
from befit.cli.words import show_table
from befit.core.estimate import Estimate
from befit.core.written import many
from befit.errors import UsageError
from befit.pipeline.reviewing import Wanted, chosen_of, create_from_run
from befit.report.numbers import percent
from befit.report.people import reviewer_json
from befit.review.board import board, wanted_votes
from befit.review.create import Created
from befit.review.desk import load_pool
from befit.review.quality import ReviewerQuality
from befit.review.records import Study
from befit.review.states import (
    begin_cycle,
    close,
    end_cycle,
    find_study,
    open_study,
    pause,
)
from befit.stats.votes import votes_needed

if TYPE_CHECKING:
    from befit.storage.workspace import Workspace

_STEPS = {
    "open": (open_study, "open: votes are taken"),
    "pause": (pause, "paused"),
    "close": (close, "closed; now: befit review unblind"),
    "begin cycle": (begin_cycle, "reviewers are asked to rate gold and earlier items again"),
    "end cycle": (end_cycle, "the recalibration is over"),
}


def now() -> str:
    """Return the time as it is written down."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def create_and_show(
    shell: Shell,
    workspace: Workspace,
    *,
    run_id: str,
    files: tuple[Path | None, Path | None, Path | None],
    preference: float,
    dry_run: bool,
) -> int:
    """Make a study and say what it takes."""
    wanted = Wanted(
        settings=read_settings(files[0]),
        calibration=read_items(files[1]),
        gold=read_items(files[2]),
    )
    run = workspace.find_run(run_id)
    if not 0 < preference < 1 or preference == 0.5:  # noqa: PLR2004 - even
        raise UsageError("--preference must lie between 0 and 1, and not be 0.5")
    if not workspace.has_trials(run.id):
        raise UsageError(
            f"run {run.id} has no answers, so there is nothing to review",
            where="befit review create",
            do="befit runs, then: befit review create RUN",
        )
    needed = votes_needed(preference)
    if dry_run:
        _, compared = chosen_of(run, wanted.settings)
        pairs = len(compared) * (len(compared) - 1) // 2
        shell.data(f"{needed} decided votes show a {100 * preference:g} % preference in one pair")
        of = f"{many(pairs, 'pair')} of {len(compared)} candidates"
        shell.data(f"{many(needed * pairs, 'vote')} for all {of}")
        return shell.result({"votes_per_pair": needed, "pairs": pairs, "votes": needed * pairs})
    made = create_from_run(workspace, run.id, wanted, at=now(), by=person())
    study = made.study
    votes = wanted_votes(study, load_pool(workspace.reviews, study.id))
    names = study.guess_names or tuple(c.candidate.name for c in run.candidates)
    pairs = max(1, len(names) * (len(names) - 1) // 2)
    shown = min(study.settings.pairs, study.n_pairs)
    what = "pair" if study.settings.kind == "pairs" else "answer"
    shell.data(
        f"study {study.id}: {many(study.n_pairs, what)} to draw from, {shown} of them shown, "
        f"{many(votes, 'vote')} wanted"
    )
    shell.data(f"commitment {study.commitment.sha256}")
    shell.say(
        f"power: {needed} decided votes show a {100 * preference:g} % preference at 80 % power; "
        f"this study gives about {votes // pairs} for each two candidates"
    )
    if votes < needed * pairs:
        shell.warn(f"{many(needed * pairs, 'vote')} would be needed to see it in every pair")
    _warn(shell, made, wanted)
    _say_key(shell, made)
    return shell.result({
        "study": study.id, "pairs": study.n_pairs, "pairs_shown": shown,
        "votes_wanted": votes, "votes_needed_per_pair": needed,
        "commitment": study.commitment.sha256,
        "excluded": study.n_excluded, "left_out": study.left_out,
        "key_file": made.key_file, "cautions": list(made.cautions),
    })  # fmt: skip


def _warn(shell: Shell, made: Created, wanted: Wanted) -> None:
    study = made.study
    if study.n_excluded:
        are = "is" if study.n_excluded == 1 else "are"
        shell.warn(f"{many(study.n_excluded, 'pair')} {are} left out: an answer tells who it is")
    what = "pair" if study.settings.kind == "pairs" else "answer"
    for why, count in study.left_out.items():
        shell.warn(f"{many(count, what)} fell away: {why}")
    given = {"items of practice": wanted.calibration, "gold items": wanted.gold}
    missing = [what for what, items in given.items() if not items]
    if missing and study.settings.kind == "pairs":
        shell.warn(
            f"there are no {' and no '.join(missing)}: how well reviewers judge is then less"
            " known (--calibration, --gold)"
        )
    for caution in made.cautions:
        shell.warn(caution)


def _say_key(shell: Shell, made: Created) -> None:
    if made.key_file:
        shell.say(f"key    {made.key_file} (without it nothing can be unblinded)")
    else:
        shell.say(f"key    {made.key.hex()} (keep it: without it nothing can be unblinded)")
    shell.say("next   befit review invite NAME, then befit review serve")


def serve_study(
    shell: Shell, workspace: Workspace, study: str, *, host: str, port: int, public: str
) -> int:
    """Serve the reviewers' pages until interrupted; the owner's link is told."""
    from befit.review.app.serve import address_of, run_app  # noqa: PLC0415 - loaded only here

    found = find_study(workspace.reviews, study)
    begin = address_of(host, port, public)
    if found.state == "draft":
        found = open_study(workspace.reviews, found.id, at=now(), by=person())

    def ready(link: str) -> None:
        shell.say(f"study {found.id} is {found.state}; reviewers' links begin with {begin}/r/")
        shell.say(f"owner  {link}")
        if public.startswith("http://"):
            shell.warn("votes and links travel unencrypted; put a certificate before the server")
        shell.say("stop with Ctrl-C: everything pressed is stored")

    try:
        asyncio.run(run_app(workspace, found.id, host=host, port=port, public=public, ready=ready))
    except KeyboardInterrupt:
        shell.say("stopped")
    return shell.result({"study": found.id})


def take_step(shell: Shell, workspace: Workspace, study: str, step: str) -> int:
    """Open, pause, close, or begin and end a recalibration."""
    verb, words = _STEPS[step]
    found = verb(workspace.reviews, find_study(workspace.reviews, study).id, at=now(), by=person())
    shell.data(f"study {found.id} is {words}" if step in {"open", "pause", "close"} else words)
    return shell.result({"study": found.id, "state": found.state, "cycle": found.cycle})


def show_status(shell: Shell, workspace: Workspace, study: str) -> int:
    """Show the board."""
    found = find_study(workspace.reviews, study)
    made = board(workspace.reviews, found.id, now=datetime.now(UTC).timestamp())
    shell.data(_headline(found, made.votes, made.wanted, made.forecast_days))
    shell.data(f"agreement: alpha {made.agreement.told}")
    shell.data(f"           raw {made.agreement.raw}, AC1 {made.agreement.ac1}")
    if made.agreement.disputed:
        shell.data(f"pairs that wait for adjudication: {len(made.agreement.disputed)}")
    show_reviewers(shell, made.quality)
    waiting = [one.name for one in made.people if not one.votes]
    if waiting:
        shell.say(f"no vote yet from {', '.join(waiting)}")
    return shell.result({
        "study": found.id, "state": found.state, "votes": made.votes, "wanted": made.wanted,
        "forecast_days": made.forecast_days, "alpha": made.agreement.alpha.to_dict(),
        "raw_agreement": made.agreement.raw.to_dict(), "ac1": made.agreement.ac1.to_dict(),
        "disputed": len(made.agreement.disputed),
        "reviewers": [reviewer_json(line) for line in made.quality],
        "strata": [{"scenario": s.scenario, "critical": s.critical, "votes": s.votes,
                    "by_group": dict(s.by_group)} for s in made.strata],
    }, code=OK)  # fmt: skip


def _headline(study: Study, votes: int, wanted: int, days: float | None) -> str:
    ahead = "" if days is None or votes >= wanted else f", {_ahead(days)} more"
    return f"study {study.id} ({study.state}): {votes} of {wanted} votes{ahead}"


def _ahead(days: float) -> str:
    few = 0.1
    return "under three hours" if days < few else f"about {days:.1f} days"


def _rate(estimate: Estimate) -> str:
    return "—" if estimate.value is None else f"{percent(estimate)} (n={estimate.n_samples})"


def show_reviewers(shell: Shell, quality: tuple[ReviewerQuality, ...]) -> None:
    """Show the table of reviewers."""
    if not quality:
        return
    show_table(
        shell,
        ["reviewer", "group", "votes", "gold", "attention", "consistent", "left", "too fast",
         "seconds", "left out"],
        [
            [
                line.name, line.group.replace("_", " "), str(line.votes), _rate(line.gold),
                f"{line.attention - line.attention_missed}/{line.attention}",
                _rate(line.self_consistency), _rate(line.left_rate), _rate(line.too_fast),
                "—" if line.seconds is None else f"{line.seconds:.0f}",
                "; ".join(line.excluded),
            ]
            for line in quality
        ],
        title="Reviewers",
        numeric=(2, 8),
        least=(7, 8, 6, 4, 1, 5, 3),
    )  # fmt: skip
