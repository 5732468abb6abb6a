from __future__ import annotations

import io
import json
import struct
import zipfile

import pyarrow as pa
import pytest

from befit.errors import ProjectError
from befit.interop.item_versions import read_item_versions
from befit.interop.screening_files import read_tables

SCORES = [1, 0, 1, 1]


def lm_results(model="m", **changes):
    row = {
        "alias": "sums", "exact_match,none": 0.75, "exact_match_stderr,none": 0.25,
        "perplexity,none": 9.1, "perplexity_stderr,none": "N/A",
    }  # fmt: skip
    return {
        "results": {"sums": row},
        "configs": {"sums": {}},
        "higher_is_better": {"sums": {"exact_match": True, "perplexity": False}},
        "n-samples": {"sums": {"original": 4, "effective": 4}},
        "config": {"model_args": f"model={model},base_url=http://127.0.0.1:1"},
        "date": 1_750_000_000.0,
        "lm_eval_version": "0.4.13",
        **changes,
    }


def write_lm(folder, stamp, document, scores=SCORES):
    folder.mkdir(exist_ok=True)
    (folder / f"results_{stamp}.json").write_text(json.dumps(document), encoding="utf-8")
    if scores is not None:
        lines = [
            json.dumps({"doc_id": i, "filter": "none", "exact_match": s})
            for i, s in enumerate(scores)
        ]
        (folder / f"samples_sums_{stamp}.jsonl").write_text("\n".join(lines), encoding="utf-8")


def test_lm_eval_results_come_with_their_items_error_date_and_version(tmp_path):
    write_lm(tmp_path / "m", "1", lm_results())
    made = read_tables([tmp_path])
    (name,) = made.benchmarks
    cell = made.results[name]["m"]
    assert (cell.value, cell.error, cell.items) == (0.75, 0.25, 4)
    assert list(cell.by_item.values()) == SCORES
    assert (cell.date, cell.source) == ("2025-06-15", "lm-eval 0.4.13")
    assert any("lower is better" in note for note in made.notes)


def test_two_lm_eval_files_of_a_model_are_repeated_evaluations(tmp_path):
    write_lm(tmp_path / "m", "1", lm_results())
    second = lm_results()
    second["results"]["sums"]["exact_match,none"] = 0.5
    write_lm(tmp_path / "m", "2", second, scores=[1, 0, 1, 0])
    cell = next(iter(read_tables([tmp_path]).results.values()))["m"]
    assert cell.runs == (0.75, 0.5)
    assert list(cell.by_item.values()) == [1, 0, 1, 0.5]


def test_samples_that_do_not_average_to_the_result_are_not_used(tmp_path):
    write_lm(tmp_path / "m", "1", lm_results(), scores=[0, 0, 0, 1])
    made = read_tables([tmp_path])
    assert next(iter(made.results.values()))["m"].by_item is None
    assert any("do not average" in note for note in made.notes)


def test_lm_eval_without_a_model_is_refused(tmp_path):
    write_lm(tmp_path / "m", "1", lm_results(config={}))
    with pytest.raises(ProjectError, match="do not name their model"):
        read_tables([tmp_path])


def inspect_log(*, epochs=1, status="success"):
    metrics = {"accuracy": {"name": "accuracy", "value": 0.75}, "stderr": {"value": 0.25}}
    header = {
        "version": 2,
        "status": status,
        "eval": {
            "task": "sums", "model": "openai/m", "created": "2026-02-03T00:00:00+00:00",
            "dataset": {"samples": 4}, "packages": {"inspect_ai": "0.3.285"},
        },
        "results": {"scores": [{"name": "match", "scorer": "match", "scored_samples": 4,
                                "metrics": metrics}]},
    }  # fmt: skip
    samples = [
        {"id": f"s{i}", "epoch": epoch,
         "scores": {"match": {"value": "C" if s and not (epoch == 2 and i == 3) else "I"}}}
        for epoch in range(1, epochs + 1)
        for i, s in enumerate(SCORES)
    ]  # fmt: skip
    return header, samples


def eval_file(path, members, *, zstd: bool):
    """Write a log as Inspect does; zipfile itself cannot write method 93."""
    with zipfile.ZipFile(path, "w") as archive:
        for name, value in members.items():
            raw = json.dumps(value).encode()
            packed = pa.compress(raw, codec="zstd", asbytes=True) if zstd else raw
            archive.writestr(name, packed)
    if not zstd:
        return
    data = bytearray(path.read_bytes())
    with zipfile.ZipFile(io.BytesIO(bytes(data))) as archive:
        entries = archive.infolist()
    at = data.index(b"PK\x01\x02")
    for entry, value in zip(entries, members.values(), strict=True):
        size = len(json.dumps(value).encode())
        struct.pack_into("<H", data, entry.header_offset + 8, 93)
        struct.pack_into("<I", data, entry.header_offset + 22, size)
        struct.pack_into("<H", data, at + 10, 93)
        struct.pack_into("<I", data, at + 24, size)
        at += 46 + len(entry.filename)
    path.write_bytes(bytes(data))


@pytest.mark.parametrize("zstd", [True, False])
@pytest.mark.parametrize("summaries", [True, False])
def test_inspect_logs_are_read_item_by_item(tmp_path, zstd, summaries):
    header, samples = inspect_log()
    members = {"header.json": header}
    if summaries:
        members["summaries.json"] = samples
    else:
        members |= {f"samples/{s['id']}_epoch_1.json": s for s in samples}
    eval_file(tmp_path / "log.eval", members, zstd=zstd)
    made = read_tables([tmp_path / "log.eval"])
    cell = made.results["sums"]["openai/m"]
    assert (cell.value, cell.error, cell.items) == (0.75, 0.25, 4)
    assert dict(cell.by_item) == {"s0": 1, "s1": 0, "s2": 1, "s3": 1}
    assert (cell.date, cell.source) == ("2026-02-03", "Inspect 0.3.285")


def test_epochs_are_repeated_evaluations(tmp_path):
    header, samples = inspect_log(epochs=2)
    (tmp_path / "log.json").write_text(json.dumps({**header, "samples": samples}), "utf-8")
    cell = read_tables([tmp_path / "log.json"]).results["sums"]["openai/m"]
    assert cell.runs == (0.75, 0.5)
    assert cell.by_item["s3"] == 0.5


def test_a_log_that_did_not_succeed_is_named_and_left_out(tmp_path):
    for name, status in (("a", "success"), ("b", "error")):
        header, samples = inspect_log(status=status)
        header["eval"]["model"] = name
        eval_file(tmp_path / f"{name}.eval", {"header.json": header, "summaries.json": samples},
                  zstd=False)  # fmt: skip
    made = read_tables([tmp_path])
    assert made.models == ("a",)
    assert any("did not succeed" in note for note in made.notes)


def test_helm_tables_and_run_folders(tmp_path):
    tables = [
        {
            "title": "Accuracy",
            "header": [{"value": "Model"}, {"value": "MMLU - EM"}, {"value": "Mean win rate"}],
            "rows": [
                [{"value": "a"}, {"value": 0.7}, {"value": 0.9}],
                [{"value": "b"}, {"value": None}, {"value": 0.4}],
            ],
        }
    ]
    (tmp_path / "core.json").write_text(json.dumps(tables), encoding="utf-8")
    made = read_tables([tmp_path / "core.json"])
    assert made.results["EM"]["a"].value == 0.7
    assert "b" not in made.results["EM"]
    run = tmp_path / "runs" / "mmlu:subject=law,model=a"
    run.mkdir(parents=True)
    (run / "run_spec.json").write_text(
        json.dumps({"name": "mmlu:subject=law,model=a", "adapter_spec": {"model": "lab/a"}}),
        encoding="utf-8",
    )
    stats = [
        {"name": {"name": "exact_match", "split": "valid"}, "mean": 0.1},
        {"name": {"name": "exact_match", "split": "test"}, "mean": 0.5},
        {"name": {"name": "exact_match", "split": "test", "perturbation": {"name": "typos"}},
         "mean": 0.2},
    ]  # fmt: skip
    (run / "stats.json").write_text(json.dumps(stats), encoding="utf-8")
    items = [
        {
            "instance_id": f"id{i}",
            "stats": [{"name": {"name": "exact_match"}, "mean": float(i % 2)}],
        }
        for i in range(4)
    ]
    (run / "per_instance_stats.json").write_text(json.dumps(items), encoding="utf-8")
    cell = read_tables([tmp_path / "runs"]).results["mmlu (subject=law)"]["lab/a"]
    assert (cell.value, cell.items) == (0.5, 4)


def test_item_versions_are_read_and_checked(tmp_path):
    path = tmp_path / "items.csv"
    path.write_text(
        "model,item,version,score,date\nm,1,original,1,2025-01-01\nm,1,renamed,0,\nm,2,original,n/a,\n",
        encoding="utf-8",
    )
    found = read_item_versions(path)
    assert found.scores == {("m", "1", True): [1], ("m", "1", False): [0]}
    assert found.dates == {"1": "2025-01-01"}
    path.write_text("model,item,score\nm,1,1\n", encoding="utf-8")
    with pytest.raises(ProjectError) as caught:
        read_item_versions(path)
    assert "'version' is missing" in str(caught.value)
    path.write_text("model,item,version,score\nm,1,original,7\n", encoding="utf-8")
    with pytest.raises(ProjectError) as caught:
        read_item_versions(path)
    assert "no score from 0 to 1" in str(caught.value)
