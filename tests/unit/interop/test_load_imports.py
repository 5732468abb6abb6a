"""Load results of guidellm and aiperf become levels with our definitions."""

from __future__ import annotations

import json

import pytest

from befit.analysis.load import ServiceLevel, analyse_level
from befit.errors import DataError
from befit.interop.aiperf import read_aiperf
from befit.interop.guidellm import read_guidellm
from befit.pipeline.load_import import import_load

T0 = 1_790_000_000.0


def guide(start, *, first=0.1, took=0.5, late=0.02):
    times = {
        "targeted_start": start,
        "request_start": start + late,
        "first_token_iteration": start + late + first,
        "last_token_iteration": start + late + took,
        "request_end": start + late + took,
    }
    return {
        "request_id": "r",
        "info": {"status": "completed", "timings": times},
        "input_metrics": {"text_tokens": 30},
        "output_metrics": {"text_tokens": 5},
    }


def report(tmp_path):
    path = tmp_path / "benchmarks.json"
    requests = {
        "successful": [guide(T0 + i / 10) for i in range(50)],
        "errored": [guide(T0 + 5.0)],
        "incomplete": [guide(T0 + 5.1)],
    }
    strategy = {"type_": "constant", "rate": 10.0}
    path.write_text(
        json.dumps({"benchmarks": [{"config": {"strategy": strategy}, "requests": requests}]})
    )
    return path


def test_a_guidellm_report_gives_latency_from_the_targeted_start(tmp_path):
    (level,) = read_guidellm(report(tmp_path))
    found = analyse_level(level.run)
    assert (found.shape.kind, found.shape.rate, found.calls) == ("constant", 10.0, 51)
    assert found.times["latency"].p50.value == pytest.approx(0.52)
    assert found.times["service"].p50.value == pytest.approx(0.50)
    assert found.times["service_first_token"].p50.value == pytest.approx(0.10)
    # (0.5 - 0.1) / (5 - 1), which is what guidellm calls ITL.
    assert found.times["per_token"].p50.value == pytest.approx(0.1)
    assert found.failures == {"target_error": 1}
    # 20 ms late on a median of 520 ms is within 5 %.
    assert found.invalid == ()


def record(i, **more):
    return {
        "metadata": {
            "request_start_ns": int((T0 + i / 10) * 1e9) + 5_000_000,
            "credit_issued_ns": int((T0 + i / 10) * 1e9),
            "request_end_ns": int((T0 + i / 10 + 0.4) * 1e9),
            "benchmark_phase": "profiling",
            "was_cancelled": False,
            **more.pop("metadata", {}),
        },
        "metrics": {
            "request_latency": {"value": 400.0, "unit": "ms"},
            "time_to_first_token": {"value": 0.1, "unit": "s"},
            "input_sequence_length": {"value": 100, "unit": "tokens"},
            "output_sequence_length": {"value": 11, "unit": "tokens"},
        },
        "error": None,
        **more,
    }


def export(tmp_path):
    path = tmp_path / "profile_export.jsonl"
    records = [record(i) for i in range(40)]
    records += [
        record(40, error={"code": 429, "type": "TooMany", "message": "slow down"}, metrics={}),
        record(41, metadata={"was_cancelled": True}),
        record(42, metadata={"benchmark_phase": "warmup"}),
    ]
    path.write_text("\n".join(json.dumps(r) for r in records))
    return path


def test_an_aiperf_export_gives_units_as_seconds_and_leaves_warm_up_out(tmp_path):
    (level,) = read_aiperf(export(tmp_path))
    found = analyse_level(level.run)
    assert found.calls == 41
    assert found.failures == {"rate_limited": 1}
    assert found.times["latency"].p50.value == pytest.approx(0.405, abs=1e-6)
    assert found.times["service"].p50.value == pytest.approx(0.400, abs=1e-6)
    assert found.times["per_token"].p50.value == pytest.approx(0.03, abs=1e-6)


def test_files_of_several_tools_make_one_result(tmp_path):
    promise = ServiceLevel(latency=0.45)
    result = import_load([report(tmp_path), export(tmp_path)], promise=promise)
    assert result.source == "guidellm, aiperf"
    guidellm, aiperf = result.levels
    assert guidellm.attainment.value == 0.0
    assert aiperf.attainment.value == pytest.approx(40 / 41)


@pytest.mark.parametrize(
    ("name", "text"),
    [("x.json", "{}"), ("x.json", '{"benchmarks": []}'), ("x.jsonl", "[]"), ("x.jsonl", "")],
)
def test_a_file_of_no_known_tool_is_refused(tmp_path, name, text):
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(DataError):
        import_load([path], promise=ServiceLevel())
