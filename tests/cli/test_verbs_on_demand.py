"""Only the verbs that a command line names are made; to whoever types, all look made."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import typer

from befit.cli.main import app, run
from befit.cli.verbs import named_in, names

WHOLE = typer.main.get_command(app)


def _paths(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    for name, under in getattr(command, "commands", {}).items():
        yield (*path, name)
        yield from _paths(under, (*path, name))


def _at(command: Any, path: tuple[str, ...]) -> Any:
    for name in path:
        command = command.commands[name]
    return command


def _said(command: Any, path: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> str:
    command(args=[*path, "--help"], prog_name="befit", standalone_mode=False)
    return capsys.readouterr().out


def test_every_verb_that_is_named_has_all_its_options(capsys):
    paths = list(_paths(WHOLE))
    assert len(paths) > 50
    for path in paths:
        made = typer.main.get_command(named_in(app, path))
        found = [vars(param) for param in _at(made, path).params]
        assert [one["name"] for one in found] == [p.name for p in _at(WHOLE, path).params], path
        assert [one.get("default") for one in found] == [
            vars(p).get("default") for p in _at(WHOLE, path).params
        ], path
        assert _said(made, path, capsys) == _said(WHOLE, path, capsys)


@pytest.mark.parametrize("path", [(), ("data",), ("review",), ("fallback",)])
def test_help_lists_the_verbs_that_were_not_made(path, capsys):
    made = typer.main.get_command(named_in(app, path))
    assert _said(made, path, capsys) == _said(WHOLE, path, capsys)


def test_the_names_are_those_of_all_verbs():
    assert names(app) == {path[-1] for path in _paths(WHOLE)}


def test_a_mistyped_verb_is_told_the_nearest_ones(capsys):
    assert run(["rn"]) == 2
    assert "Did you mean 'run'" in capsys.readouterr().err


def test_an_option_value_that_is_called_like_a_verb_harms_nothing(capsys):
    assert run(["schema", "run"]) == 2
    assert "'run'" in capsys.readouterr().err


def test_a_shell_that_completes_words_is_offered_all_options(monkeypatch, capsys):
    monkeypatch.setenv("_BEFIT_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", "befit data sample --")
    monkeypatch.setenv("COMP_CWORD", "3")
    with pytest.raises(SystemExit):
        run([])
    assert "--seed" in capsys.readouterr().out
