"""The reference of instruction kinds is what the generator writes, and its examples are valid."""

from __future__ import annotations

import re
import subprocess
import sys

from ruamel.yaml import YAML

from befit.scorers.constraints import Constraints
from shared_data import ROOT

PAGE = ROOT / "docs" / "reference" / "constraints.md"


def test_the_page_is_up_to_date():
    tool = ROOT / "tools" / "constraints_reference.py"

    done = subprocess.run([sys.executable, str(tool), "--check"], check=False, timeout=60)

    assert done.returncode == 0, "run: python tools/constraints_reference.py"


def test_every_example_on_the_page_is_valid():
    blocks = re.findall(r"```yaml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    project, *examples = [YAML(typ="safe", pure=True).load(block) for block in blocks]

    Constraints.Options.model_validate(project["scorers"][0]["constraints"])
    for example in examples:
        Constraints.Options.model_validate({"instructions": example})
    assert len(examples) == PAGE.read_text(encoding="utf-8").count("\n### ")
