"""What a program of one's own prints before it serves."""

import json


def test_flushed_prints_before_serving(agentblame, tmp_path):
    (tmp_path / "app.py").write_text(
        "from agentblame import Pipeline, serve, step\n"
        "import subprocess\n"
        'print("loading a model", flush=True)\n'
        'subprocess.run(["echo", "from a child"])\n'
        "@step\n"
        "def answer(question):\n"
        '    return "no"\n'
        'answer.variant("better", lambda question: "yes")\n'
        "serve(Pipeline([answer], metric=lambda answer, case: answer == case.expected))\n"
    )
    (tmp_path / "cases.jsonl").write_text('{"id": "a", "inputs": {"question": "?"}, "expected": "yes"}\n')
    agentblame("blame", "--host", "python3 app.py", "--cases", "cases.jsonl", "-o", "result.json")
    assert json.loads((tmp_path / "result.json").read_text())["cases"][0]["shapley"] == {"answer": 1}
