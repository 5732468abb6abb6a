"""CPU seconds of `befit --help`, median of some starts, beside the interpreter's own start.

python benchmarks/help.py [STARTS]
"""

from __future__ import annotations

import resource
import statistics
import subprocess
import sys


def cpu(*words: str) -> float:
    """Return user and system seconds of one process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *words], stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def main() -> None:
    """Measure and print."""
    starts = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    helps = [cpu("-c", "from befit.cli.main import main; main()", "--help") for _ in range(starts)]
    bare = [cpu("-c", "pass") for _ in range(starts)]
    print(f"befit --help  {statistics.median(helps):.3f} s CPU (least {min(helps):.3f})")
    print(f"bare python   {statistics.median(bare):.3f} s CPU (least {min(bare):.3f})")


if __name__ == "__main__":
    main()
