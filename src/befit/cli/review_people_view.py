"""How reviewers are invited, given a new link, and withdrawn in the terminal."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from befit.cli.decide_view import person
from befit.cli.review_view import now
from befit.cli.shell import OK, Shell, visible
from befit.errors import UsageError
from befit.review.people import invite, named_reviewer, renew, revoke
from befit.review.records import Reviewer
from befit.review.settings import GROUPS, Group
from befit.review.states import find_study

if TYPE_CHECKING:
    from befit.storage.workspace import Workspace


def invite_and_show(
    shell: Shell, workspace: Workspace, study: str, *, name: str, group: str, adjudicator: bool,
    days: int,
) -> int:  # fmt: skip
    """Invite a reviewer and show the token, once."""
    found = find_study(workspace.reviews, study)
    made, token = invite(
        workspace.reviews,
        found.id,
        name=name,
        group=_group(group),
        at=now(),
        expires_at=_until(days),
        adjudicator=adjudicator,
    )
    return _show_link(shell, made, token)


def _group(name: str) -> Group:
    for group in GROUPS:
        if group == name.replace("-", "_").replace(" ", "_"):
            return group
    raise UsageError(f"there is no group '{name}'", do=f"one of: {', '.join(GROUPS)}")


def renew_and_show(
    shell: Shell, workspace: Workspace, study: str, *, reviewer: str, days: int
) -> int:
    """Make a reviewer's new link and show its token, once."""
    found = find_study(workspace.reviews, study)
    known = named_reviewer(workspace.reviews, found.id, reviewer)
    made, token = renew(
        workspace.reviews, found.id, known.id, at=now(), by=person(), expires_at=_until(days)
    )
    code = _show_link(shell, made, token)
    shell.say("the link before is good no more; votes and drafts stay")
    return code


def withdraw_reviewer(
    shell: Shell, workspace: Workspace, study: str, *, reviewer: str, yes: bool
) -> int:
    """Withdraw a reviewer's link, once that was confirmed."""
    found = find_study(workspace.reviews, study)
    known = named_reviewer(workspace.reviews, found.id, reviewer)
    if known.revoked:
        raise UsageError(f"the link of '{known.name}' was withdrawn before")
    if not (yes or _confirmed(shell, known.name)):
        shell.say("nothing was withdrawn")
        return shell.result({"reviewer": known.id, "withdrawn": False}, code=OK)
    revoke(workspace.reviews, found.id, known.id, at=now(), by=person())
    shell.data(f"the link of {known.name} is withdrawn; the votes stay")
    return shell.result({"reviewer": known.id, "withdrawn": True})


def _confirmed(shell: Shell, name: str) -> bool:
    if not shell.interactive:
        raise UsageError(
            f"withdrawing the link of '{name}' cannot be undone",
            do="say --yes, or make a new link instead: befit review renew",
        )
    shell.err.write(f"Withdraw the link of {visible(name)}, for good? [y/N] ")
    shell.err.flush()
    return input().strip().lower() in {"y", "yes"}


def _show_link(shell: Shell, made: Reviewer, token: str) -> int:
    shell.data(f"/r/{token}")
    shell.say(f"append this to the address of `befit review serve` and send it to {made.name}")
    shell.say("it is shown only now: what is stored is its hash")
    return shell.result({"reviewer": made.id, "name": made.name, "path": f"/r/{token}"})


def _until(days: int) -> str:
    return (datetime.now(UTC) + timedelta(days=days)).isoformat() if days > 0 else ""
