"""Resolves the hashed lock files: one pair per Python minor version (numpy and scipy differ).

`run-3.x.txt` is what the demo needs, `dev-3.x.txt` adds everything tests and
checks use. Needs `uv` on the path; nothing else of the project does.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
MINORS = ("3.11", "3.12", "3.13")
RUN_EXTRAS = ("local",)
DEV_EXTRAS = ("local", "semantic", "tables", "postgres", "vision")
BUILD = "hatchling\neditables\n"


def compile_lock(minor: str, name: str, extras: tuple[str, ...], groups: tuple[str, ...]) -> None:
    """Write `requirements/NAME-MINOR.txt`."""
    target = ROOT / "requirements" / f"{name}-{minor}.txt"
    build = ROOT / "requirements" / "build.in"
    build.write_text(BUILD, encoding="utf-8")
    command = ["uv", "pip", "compile", "pyproject.toml", "requirements/build.in"]
    command += ["--python-version", minor, "--universal", "--generate-hashes", "--quiet"]
    command += ["--no-header", "--no-annotate", "--output-file", str(target)]
    for extra in extras:
        command += ["--extra", extra]
    for group in groups:
        command += ["--group", group]
    subprocess.run(command, cwd=ROOT, check=True)
    print(f"{target.relative_to(ROOT)}: {target.read_text(encoding='utf-8').count('==')} packages")


def main() -> int:
    """Resolve every lock file."""
    for minor in MINORS:
        compile_lock(minor, "run", RUN_EXTRAS, ())
        compile_lock(minor, "dev", DEV_EXTRAS, ("test", "lint"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
