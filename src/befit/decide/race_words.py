"""Why a race asks a candidate no more on a scenario, in a clause."""

from __future__ import annotations

from collections.abc import Sequence

from befit.core.written import in_percent
from befit.decide.race import Race


def why_out(race: Race, lane: int, candidate: int, *, names: Sequence[str]) -> str:
    """Return why a candidate is asked no more where others may still be.

    Args:
        race: after its last look.
        lane: the scenario.
        candidate: who is asked no more there.
        names: of all candidates.
    """
    state, floor = race.states[lane], race.lanes[lane].floor
    if candidate in state.beaten_by:
        return f"{names[state.beaten_by[candidate]]} is shown to be better"
    if state.verdicts[candidate] == "fail" and floor is not None:
        return f"it is shown to be below the {in_percent(floor)} % asked"
    if candidate in state.behind:
        first, by = state.behind[candidate]
        return f"{names[first]} comes before it by {by} and is shown to reach what is asked"
    if state.ending == "futility":
        return "those that are left cannot differ by more than the margin"
    return "it is settled there, and nothing that is open waits for it"
