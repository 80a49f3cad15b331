"""Uses the installed package with the program of its wheel. Needs neither Rust nor other packages than NumPy.

usage: installed_wheel.py FOLDER...    Opens all models of the folders.
"""

import importlib.metadata
import shutil
import sys
from pathlib import Path

import rigview

assert rigview.__version__ == importlib.metadata.version("rigview")
assert Path(rigview.__file__).is_relative_to(sys.prefix), "the installed package, not the folder of the sources"
assert shutil.which("cargo") is None and shutil.which("rigview") is None, "PATH has no Rust, and no other program"

files = [file for folder in sys.argv[1:] for file in sorted(Path(folder).rglob("*")) if file.suffix in [".glb", ".gltf", ".vrm", ".bvh"]]
assert files
for file in files:
    model = rigview.open(file)
    clip = 0 if model.clips else None
    assert model.poses(clip, [0, 0.5]).shape == (2, len(model.joints), 4, 4)
    assert len(rigview.open(model.bake(clip, 0.5)).draws) == len(model.draws)
    assert isinstance(rigview.check(file), list)
    # The program in the wheel.
    assert len(rigview.info(file)["clips"]) == len(model.clips)
image = rigview.shot(files[0], size=(64, 64))
assert image.shape == (64, 64, 4) and image.texts["Software"] == f"rigview {rigview.__version__}"
print(f"tested: the wheel in an environment with NumPy alone, on {len(files)} files")
