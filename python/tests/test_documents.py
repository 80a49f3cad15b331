"""Runs the examples of the documents, and those of the folder `examples`."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = sorted((ROOT / "python/examples").glob("*.py"))


@pytest.mark.parametrize("document", ["python/README.md", "docs/book/src/library/python.md"])
def test_examples_of_documents_run(document: str, monkeypatch: pytest.MonkeyPatch) -> None:
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / document).read_text(), re.DOTALL)
    assert blocks
    monkeypatch.chdir(ROOT)
    names: dict[str, object] = {}
    for block in blocks:
        if "matplotlib" in block:
            # No plot: not a dependency of the tests.
            block = "\n".join(line for line in block.splitlines() if "plt" not in line)
        exec(block, names)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda file: file.name)
def test_examples_run(example: Path, tmp_path: Path) -> None:
    run = subprocess.run([sys.executable, example, ROOT / "assets"], capture_output=True, text=True, cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    assert "hare.glb" in run.stdout and "mannequin.glb" in run.stdout
