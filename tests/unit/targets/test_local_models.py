"""Fetching by the real pip client from a folder of toy wheels: no network, no mocks."""

from __future__ import annotations

import hashlib
import re
import zipfile
from pathlib import Path

import pytest

from befit.errors import ModelError
from befit.targets.catalogue import CATALOGUE, LocalModel, Wheel
from befit.targets.models import available, cache_folder, check, fetch, known

PIECES = (b"GGUF first half ", b"second half")
WHOLE = b"".join(PIECES)


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def build_wheel(folder: Path, package: str, files: dict[str, bytes]) -> str:
    """Write a minimal wheel and return its SHA-256 sum."""
    stem = package.replace("-", "_")
    info = f"{stem}-1.0.dist-info"
    path = folder / f"{stem}-1.0-py3-none-any.whl"
    metadata = f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n"
    # A dependency that does not exist: it must never be looked for.
    metadata += "Requires-Dist: no-such-package-at-all\n"
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
        archive.writestr(f"{info}/METADATA", metadata)
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "")
    return sha256(path.read_bytes())


@pytest.fixture
def model(tmp_path, monkeypatch):
    index = tmp_path / "index"
    index.mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(index))
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    first = build_wheel(
        index, "toy-part1", {"toy/data.part0": PIECES[0], "toy/LICENSE": b"be kind"}
    )
    second = build_wheel(index, "toy-part2", {"toy/data.part1": PIECES[1]})
    return LocalModel(
        name="toy",
        title="Toy",
        sha256=sha256(WHOLE),
        size=len(WHOLE),
        wheels=(
            Wheel(
                package="toy-part1",
                version="1.0",
                sha256=first,
                member="toy/data.part0",
                terms=("toy/LICENSE",),
            ),
            Wheel(package="toy-part2", version="1.0", sha256=second, member="toy/data.part1"),
        ),
        licence="Kindness",
        licence_url="https://example.org/kindness",
        chat="plain",
    )


def test_a_model_is_assembled_checked_and_kept_with_its_licence(model, tmp_path):
    cache, lines = tmp_path / "cache", []
    path = fetch("toy", cache=cache, progress=lines.append, catalogue=(model,))
    assert path.read_bytes() == WHOLE
    assert check("toy", cache=cache, catalogue=(model,)) == path
    assert (path.parent / "toy.terms" / "LICENSE").read_bytes() == b"be kind"
    assert "Kindness (https://example.org/kindness)" in lines[0]
    assert sorted(p.name for p in path.parent.iterdir()) == ["toy.gguf", "toy.terms"]
    assert [s.fetched for s in available(cache=cache, catalogue=(model,))] == [True]


def test_a_model_that_is_there_is_not_fetched_again(model, tmp_path, monkeypatch):
    path = tmp_path / "models" / "toy.gguf"
    path.parent.mkdir()
    path.write_bytes(WHOLE)
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "nothing"))
    assert fetch("toy", cache=tmp_path, catalogue=(model,)) == path


def test_a_damaged_model_is_refused_and_fetching_mends_it(model, tmp_path):
    path = tmp_path / "models" / "toy.gguf"
    path.parent.mkdir()
    path.write_bytes(WHOLE[:-1] + b"X")
    with pytest.raises(ModelError, match="damaged"):
        check("toy", cache=tmp_path, catalogue=(model,))
    fetch("toy", cache=tmp_path, catalogue=(model,))
    assert path.read_bytes() == WHOLE


def test_weights_with_another_sum_never_reach_the_cache(model, tmp_path):
    other = LocalModel(
        **{field: getattr(model, field) for field in model.__slots__} | {"sha256": "0" * 64}
    )
    with pytest.raises(ModelError, match="not what was expected"):
        fetch("toy", cache=tmp_path, catalogue=(other,))
    assert not (tmp_path / "models" / "toy.gguf").exists()


def test_a_wheel_with_another_hash_is_refused_by_pip(model, tmp_path):
    build_wheel(tmp_path / "index", "toy-part1", {"toy/data.part0": b"something else"})
    with pytest.raises(ModelError, match="could not download toy-part1"):
        fetch("toy", cache=tmp_path, catalogue=(model,))


def test_an_unknown_or_missing_model_says_what_to_do(tmp_path):
    with pytest.raises(ModelError, match="unknown model 'smol'") as unknown:
        check("smol", cache=tmp_path)
    assert "smollm2-135m" in unknown.value.why
    with pytest.raises(ModelError, match="has not been fetched") as missing:
        check("smollm2-135m", cache=tmp_path)
    assert missing.value.do == "befit models fetch smollm2-135m"


def test_the_cache_is_where_the_environment_says(monkeypatch, tmp_path):
    monkeypatch.delenv("BEFIT_CACHE", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("HOME", "/home/somebody")
    assert cache_folder() == Path("/home/somebody/.cache/befit")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "befit"
    monkeypatch.setenv("BEFIT_CACHE", "/elsewhere")
    assert cache_folder() == Path("/elsewhere")


def test_every_model_of_the_catalogue_is_pinned_and_licensed():
    assert len({model.name for model in CATALOGUE}) == len(CATALOGUE)
    for model in CATALOGUE:
        assert known(model.name) is model
        assert model.licence
        assert any(wheel.terms for wheel in model.wheels)
        assert any(wheel.member for wheel in model.wheels)
        for digest in (model.sha256, *(wheel.sha256 for wheel in model.wheels)):
            assert re.fullmatch(r"[0-9a-f]{64}", digest)
