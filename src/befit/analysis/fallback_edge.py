"""One primary -> fallback edge with all that was found out about it: stored, shown, decided on."""

from __future__ import annotations

from dataclasses import dataclass, replace

from befit.analysis.fallback_figures import FaultFigures
from befit.analysis.fallback_quality import FallbackQuality
from befit.analysis.fallback_static import EdgeFinding
from befit.engine.fallback_probe import Probed

CHECKED_BEFORE = (
    "the fallback was checked when no finished run held both candidates and this scenario; run "
    "`befit fallback check` again"
)
"""Why no quality is known of an edge whose two ends a run holds now."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Edge:
    """One primary with one fallback, and all that was found out about them."""

    primary: str
    fallback: str
    static: tuple[EdgeFinding, ...]
    probed: tuple[Probed, ...] = ()
    quality: tuple[FallbackQuality, ...] = ()
    faults: tuple[FaultFigures, ...] = ()
    primary_print: str = ""
    """Fingerprints of the two candidates: a changed one was not checked."""
    fallback_print: str = ""
    run_id: str = ""
    """The run that the quality was read from."""
    created_at: str = ""
    unused: tuple[str, ...] = ()
    """Probes of what this project's scenarios do not use: told, but they break nothing here."""

    @property
    def breaks(self) -> tuple[str, ...]:
        """What would break, in words; empty where nothing is known to."""
        found = [finding.text for finding in self.static if finding.weight == "breaks"]
        found += [
            f"{probed.what}: {probed.text}"
            for probed in self.probed
            if probed.outcome in {"refused", "ignored"} and probed.what not in self.unused
        ]
        found += [
            f"{f.name}: only {f.right} of {f.tries} tries came to what is due"
            for f in self.faults
            if f.right < f.tries
        ]
        return tuple(found)

    @property
    def silent(self) -> Edge:
        """The same without the words of models: nobody asked for them, and they stay out of files.

        What a probe found out stays in its outcome and text.
        """
        return replace(self, probed=tuple(replace(p, completion=None) for p in self.probed))
