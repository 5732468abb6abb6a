"""The statistics load without scipy; it comes with the first function that needs it."""

from __future__ import annotations

import pkgutil
import subprocess
import sys

import befit.stats


def test_no_statistics_module_imports_scipy_or_pandas():
    names = [module.name for module in pkgutil.iter_modules(befit.stats.__path__, "befit.stats.")]
    assert "befit.stats.paired" in names
    code = f"import sys, {', '.join(names)}; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, check=True, text=True
    )
    roots = {name.partition(".")[0] for name in loaded.stdout.split()}
    assert not roots & {"scipy", "pandas", "polars", "statsmodels"}
