"""Doors into evaluation harnesses, each with the real package and a model of its own that needs no network."""

from __future__ import annotations

import importlib
import json
from types import ModuleType

import pytest

from cleancut.core.exceptions import CleancutError
from cleancut.doors import lm_eval as door
from cleancut.doors.samples import VALUES, answered_row, score_of

ROWS = [
    {"tokens": ["Ada", "met", "Bo", "."], "tags": ["B-PER", "O", "B-PER", "O"]},
    {"tokens": ["It", "rained", "."], "tags": ["O", "O", "O"]},
]
ANSWERS = ['[{"text": "Ada", "label": "PER"}, {"text": "Zoe", "label": "PER"}]', "lol"]


def test_aggregations_are_values_of_one_score():
    items = [door.process_results(row, [answer]) for row, answer in zip(ROWS, ANSWERS, strict=True)]
    found = {name: getattr(door, name)([item[name] for item in items]) for name in VALUES}
    score = score_of(answered_row(row, answer) for row, answer in zip(ROWS, ANSWERS, strict=True))
    assert found == {name: float(score[name]) for name in VALUES}
    assert (found["f1"], found["n_unparsed"], found["n_invented"]) == (0.5, 1.0, 1.0)


def test_rows_without_annotation_are_refused():
    with pytest.raises(CleancutError, match="Give tokens, and tags or entities"):
        answered_row({"text": "Ada"}, "[]")


TASK = """\
task: mentions
dataset_path: json
dataset_kwargs: {{data_files: {{test: "{data}"}}}}
test_split: test
output_type: generate_until
doc_to_text: "Name the entities of: {{{{tokens|join(' ')}}}}"
doc_to_target: ""
generation_kwargs: {{until: ["\\n\\n"]}}
process_results: !function utils.process_results
metric_list:
"""


@pytest.mark.lm_eval
def test_lm_evaluation_harness(tmp_path, monkeypatch):
    harness = importlib.import_module("lm_eval")
    from lm_eval.tasks import TaskManager

    monkeypatch.setenv("HF_HOME", str(tmp_path / "home"))
    data = tmp_path / "test.jsonl"
    data.write_text("".join(json.dumps(row) + "\n" for row in ROWS), "utf-8")
    (tmp_path / "utils.py").write_text("from cleancut.doors.lm_eval import *\n", "utf-8")
    metrics = [
        f"  - {{metric: {name}, aggregation: !function utils.{name}, higher_is_better: true}}" for name in VALUES
    ]
    (tmp_path / "mentions.yaml").write_text(TASK.format(data=data) + "\n".join(metrics), "utf-8")
    tasks = TaskManager(include_path=str(tmp_path), include_defaults=False)
    found = harness.simple_evaluate(model="dummy", tasks=["mentions"], task_manager=tasks, bootstrap_iters=0)
    result = found["results"]["mentions"]
    assert result["f1,none"] == 0.0 and result["n_unparsed,none"] == 2.0  # the dummy says lol


@pytest.mark.inspect_ai
def test_inspect_ai(tmp_path, monkeypatch):
    harness = importlib.import_module("inspect_ai")
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    from cleancut.doors.inspect_ai import mentions

    monkeypatch.chdir(tmp_path)
    samples = [Sample(input=" ".join(row["tokens"]), target="", metadata=row) for row in ROWS]
    outputs = [ModelOutput.from_content("mockllm/model", answer) for answer in ANSWERS]
    for output in outputs:
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)  # else a tokenizer is fetched
    model = get_model("mockllm/model", custom_outputs=outputs)
    task = harness.Task(dataset=MemoryDataset(samples), scorer=mentions())
    [log] = harness.eval(task, model=model, max_connections=1, max_samples=1, display="none", log_dir=str(tmp_path))
    assert log.status == "success", log.error
    found = {name: metric.value for name, metric in log.results.scores[0].metrics.items()}
    score = score_of(answered_row(row, answer) for row, answer in zip(ROWS, ANSWERS, strict=True))
    assert {name: found[name] for name in VALUES} == {name: float(score[name]) for name in VALUES}


@pytest.mark.lighteval
def test_lighteval(tmp_path, monkeypatch):
    from lighteval.logging.evaluation_tracker import EvaluationTracker
    from lighteval.models.dummy.dummy_model import DummyModel, DummyModelConfig
    from lighteval.models.model_output import ModelResponse
    from lighteval.pipeline import ParallelismManager, Pipeline, PipelineParameters
    from lighteval.tasks.lighteval_task import LightevalTaskConfig
    from lighteval.tasks.registry import Registry
    from lighteval.tasks.requests import Doc

    from cleancut.doors.lighteval import mentions

    def only_ours(custom_tasks, **options):
        """The tasks of the test alone: lighteval's own ask the network when they are listed."""
        return Registry._extract_configs(custom_tasks)

    class Model(DummyModel):
        def greedy_until(self, docs):
            return [ModelResponse(text=[ANSWERS["Ada" not in doc.query]]) for doc in docs]

    def prompt(row, task_name=None):
        specific = {"tokens": row["tokens"], "tags": row["tags"]}
        return Doc(query=" ".join(row["tokens"]), choices=[""], gold_index=0, task_name=task_name, specific=specific)

    monkeypatch.setattr(Registry, "load_all_task_configs", staticmethod(only_ours))
    monkeypatch.setenv("HF_HOME", str(tmp_path / "home"))
    data = tmp_path / "data"
    data.mkdir()
    (data / "test.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS), "utf-8")
    tasks = ModuleType("tasks")
    tasks.TASKS_TABLE = [
        LightevalTaskConfig(
            name="mentions", prompt_function=prompt, metrics=[mentions()], hf_repo=str(data), hf_subset="default",
            hf_avail_splits=["test"], evaluation_splits=["test"], generation_size=64, stop_sequence=[],
        )
    ]  # fmt: skip
    pipeline = Pipeline(
        tasks="mentions|0",
        pipeline_parameters=PipelineParameters(launcher_type=ParallelismManager.NONE, custom_tasks_directory=tasks),
        evaluation_tracker=EvaluationTracker(output_dir=str(tmp_path), save_details=True),
        model=Model(DummyModelConfig()),
    )
    pipeline.evaluate()
    pipeline.save_and_push_results()
    results = pipeline.get_results()["results"]
    found = results["mentions:0"]
    score = score_of(answered_row(row, answer) for row, answer in zip(ROWS, ANSWERS, strict=True))
    assert {name: found[name] for name in VALUES} == {name: float(score[name]) for name in VALUES}
