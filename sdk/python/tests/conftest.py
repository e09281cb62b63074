"""The agentblame command for tests that analyse: AGENTBLAME_BIN, or built here."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PYTHON = Path(__file__).parents[1]


@pytest.fixture(scope="session")
def binary(tmp_path_factory):
    given = os.environ.get("AGENTBLAME_BIN")
    if given:
        return given
    if shutil.which("go") is None:
        pytest.skip("there is no AGENTBLAME_BIN, and no go to build it with")
    out = tmp_path_factory.mktemp("bin") / "agentblame"
    subprocess.run(["go", "build", "-o", out, "./cmd/agentblame"], cwd=ROOT, check=True)
    os.environ["AGENTBLAME_BIN"] = str(out)
    return str(out)


@pytest.fixture
def agentblame(binary, tmp_path):
    """Runs the command in a folder of its own, with the package and the examples importable."""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(PYTHON / "src"), str(PYTHON / "examples"), str(tmp_path)])}

    def run(*arguments, code=0):
        done = subprocess.run([binary, *arguments], cwd=tmp_path, env=env, capture_output=True, text=True, timeout=120)
        assert done.returncode == code, done.stdout + done.stderr
        return done

    return run
