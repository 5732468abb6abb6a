"""The verbs of review that are about people: `invite`, `renew` a lost link, `withdraw`."""

from __future__ import annotations

from typing import Annotated

import typer

from befit.cli.common import HERE, JsonOption, ProjectOption, open_workspace, perform
from befit.cli.shell import Shell

_Study = Annotated[str, typer.Argument(help="Study id, its beginning, or 'latest'.")]
_Invited = Annotated[str, typer.Argument(help="An invited reviewer's name or id.")]
_DAYS = "Days until the link expires; 0 is never."


def register(review: typer.Typer) -> None:
    """Add this file's verbs."""
    for verb in (invite, renew, withdraw):
        review.command()(verb)


def invite(  # noqa: PLR0913 - one reviewer, all of it
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(help="The reviewer's name, shown to nobody but them.")],
    study: _Study = "latest",
    *,
    project: ProjectOption = HERE,
    group: Annotated[
        str, typer.Option("--group", "-g", help="real_user, domain_expert or own_team.")
    ] = "real_user",
    adjudicator: Annotated[
        bool, typer.Option("--adjudicator", help="Gets what others disagree on.")
    ] = False,
    days: Annotated[int, typer.Option(help=_DAYS, min=0, max=3650)] = 30,
    as_json: JsonOption = False,
) -> None:
    """Invite a reviewer: the link's token is shown once and stored as a hash only."""

    def verb(shell: Shell) -> int:
        from befit.cli.review_people_view import invite_and_show  # noqa: PLC0415 - lazy verb

        with open_workspace(project) as workspace:
            return invite_and_show(
                shell, workspace, study, name=name, group=group, adjudicator=adjudicator, days=days
            )

    perform(ctx, verb, as_json=as_json)


def renew(
    ctx: typer.Context,
    reviewer: _Invited,
    study: _Study = "latest",
    *,
    project: ProjectOption = HERE,
    days: Annotated[int, typer.Option(help=_DAYS, min=0, max=3650)] = 30,
    as_json: JsonOption = False,
) -> None:
    """Make a new link for a reviewer who lost theirs; the old one ends, votes and drafts stay."""

    def verb(shell: Shell) -> int:
        from befit.cli.review_people_view import renew_and_show  # noqa: PLC0415 - lazy verb

        with open_workspace(project) as workspace:
            return renew_and_show(shell, workspace, study, reviewer=reviewer, days=days)

    perform(ctx, verb, as_json=as_json)


def withdraw(
    ctx: typer.Context,
    reviewer: _Invited,
    study: _Study = "latest",
    *,
    project: ProjectOption = HERE,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask before.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Withdraw a reviewer's link for good; their votes stay."""

    def verb(shell: Shell) -> int:
        from befit.cli.review_people_view import withdraw_reviewer  # noqa: PLC0415 - lazy verb

        with open_workspace(project) as workspace:
            return withdraw_reviewer(shell, workspace, study, reviewer=reviewer, yes=yes)

    perform(ctx, verb, as_json=as_json)
