"""llmperf's published summaries of four endpoints, recomputed from the individual requests."""

from __future__ import annotations

import json

import numpy as np
import pytest

from befit.analysis.load import columns, quantiles, share, times_of
from befit.errors import DataError
from befit.interop.llmperf import llmperf_log, read_llmperf
from shared_data import shared

ENDPOINTS = ("groq_70b", "together_13b", "anyscale_70b", "lepton_70b")
QUANTILES = (25, 50, 75, 90, 95, 99)


@pytest.fixture(params=ENDPOINTS)
def endpoint(request):
    """The requests of one endpoint and its published summary."""
    requests = read_llmperf(shared(f"llmperf/individual_{request.param}.json"))
    summary = json.loads(shared(f"llmperf/summary_{request.param}.json").read_bytes())
    return requests, summary


def published(summary, name, values):
    """Compare a column with the summary's quantiles, mean, least, most and deviation."""
    values = values[~np.isnan(values)]
    for q in QUANTILES:
        found = float(np.quantile(values, q / 100))
        assert found == pytest.approx(summary[f"results_{name}_quantiles_p{q}"], rel=1e-9), q
    assert values.mean() == pytest.approx(summary[f"results_{name}_mean"], rel=1e-9)
    assert values.std(ddof=1) == pytest.approx(summary[f"results_{name}_stddev"], rel=1e-6)
    assert values.min() == pytest.approx(float(summary[f"results_{name}_min"]), rel=1e-9)
    assert values.max() == pytest.approx(float(summary[f"results_{name}_max"]), rel=1e-9)


def test_quantiles_of_every_time_and_rate_equal_the_published_ones(endpoint):
    requests, summary = endpoint
    calls = columns(llmperf_log(requests))
    times = times_of(calls)
    published(summary, "ttft_s", times["first_token"])
    published(summary, "end_to_end_latency_s", times["latency"])
    published(summary, "number_output_tokens", times["output_tokens"])
    published(summary, "inter_token_latency_s", np.array([r.token_gap for r in requests]))
    rates = np.array([r.output_rate for r in requests])
    published(summary, "request_output_throughput_token_per_s", rates)


def test_the_published_throughput_counts_chunks_where_the_summary_says_tokens(endpoint):
    requests, _ = endpoint
    calls = columns(llmperf_log(requests))
    latency = times_of(calls)["latency"]
    chunks = np.array([r.output_rate for r in requests]) * latency
    chunks = chunks[~np.isnan(chunks)]
    tokens = calls["output_tokens"][~calls.failed]
    # Rate x latency is a whole number, but not the number of tokens: it is the number of events,
    # up to three times fewer. So befit's own tokens per second may differ from the file's.
    assert np.allclose(chunks, np.round(chunks), atol=1e-6)
    assert (chunks < tokens).mean() > 0.9


def test_error_rates_and_codes_equal_the_published_ones(endpoint):
    requests, summary = endpoint
    calls = columns(llmperf_log(requests))
    rate = share(calls.failed)
    assert rate.value == pytest.approx(summary["results_error_rate"])
    assert rate.n_trials == summary["results_num_requests_started"] == 150
    assert int(calls.failed.sum()) == summary["results_number_errors"]
    named = {"{429.0: 130}": {"rate_limited": 130}, "{-1.0: 1}": {"target_error": 1}, "{}": {}}
    assert calls.kinds == named[summary["results_error_code_frequency"]]


def test_our_medians_are_the_published_ones_with_an_interval_around_them(endpoint):
    requests, summary = endpoint
    times = times_of(columns(llmperf_log(requests)))
    found = quantiles(times["latency"], n_missing=0)
    assert found.p50.value == pytest.approx(
        summary["results_end_to_end_latency_s_quantiles_p50"], rel=1e-9
    )
    assert found.p50.low < found.p50.value < found.p50.high
    # 150 requests cannot bound the 99th percentile from above, and so it is said.
    assert found.p99.high is None


@pytest.mark.parametrize("text", ['{"a": 1}', '[{"error_code": null}]', "[1]", "nonsense"])
def test_what_is_no_llmperf_file_is_refused_with_its_place(tmp_path, text):
    path = tmp_path / "x.json"
    path.write_text(text)
    with pytest.raises(DataError, match=r"llmperf|JSON"):
        read_llmperf(path)


def test_a_missing_file_is_one_clear_line(tmp_path):
    with pytest.raises(DataError, match="cannot be read"):
        read_llmperf(tmp_path / "nowhere.json")
