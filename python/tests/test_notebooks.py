"""Runs the code cells of the notebooks in order, in one namespace, without Jupyter."""

import ast
import json
from pathlib import Path
from typing import Any

import pytest

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"


def run_cell(source: str, names: dict[str, Any]) -> Any:
    """Runs the statements of a cell. Returns the value of its last expression, which a notebook shows."""
    body = ast.parse(source).body
    last = body.pop() if body and isinstance(body[-1], ast.Expr) else None
    exec(compile(ast.Module(body, []), "cell", "exec"), names)
    return eval(compile(ast.Expression(last.value), "cell", "eval"), names) if isinstance(last, ast.Expr) else None


@pytest.mark.parametrize("notebook", sorted(EXAMPLES.glob("*.ipynb")), ids=lambda notebook: notebook.stem)
def test_notebook_runs(notebook: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(EXAMPLES)
    names: dict[str, Any] = {}
    cells = [cell for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"] if cell["cell_type"] == "code"]
    # Results are those of the reader's computer.
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in cells)
    shown = [run_cell("".join(cell["source"]), names) for cell in cells]
    images = [value for value in shown if hasattr(value, "_repr_png_")]
    assert len(images) == 3
    for image in images:
        # Something is drawn.
        assert image._repr_png_().startswith(b"\x89PNG") and len({*image[..., 0].flat}) > 20
