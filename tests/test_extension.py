"""It extends as it says: a toy of each kind is one file and one line of a registry, no more.

The toys are put into a copy of the house as a developer would put them there; one visitor and one
shell then find them everywhere.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[1]
TOYS = Path(__file__).parent / "extension"

FILES = {
    "method.py": "cspca/selection/toy_range.py",
    "solver.py": "cspca/solvers/toy.py",
    "experiment.py": "cspca/experiments/toymeans.py",
    "page.py": "pages/toymeans.py",
    "figure.py": "cspca/figures/toy_dots.py",
    "data_set.py": "cspca/datasets/toyset.py",
    "file_format.py": "cspca/datasets/files/containers/toy.py",
}
LINES = {
    "cspca/selection/registry.py": (
        '    Method("spec", ',
        '    Method("toy", "Toy range", "#663399", "star", "A toy.", ToyRange),\n',
        "from cspca.selection.toy_range import ToyRange\n",
    ),
    "cspca/solvers/__init__.py": (
        '"reweighted": Reweighted',
        '"toy": ToySolver, ',
        "from cspca.solvers.toy import ToySolver\n",
    ),
    "cspca/experiments/registry.py": (
        '        "paper": (',
        '        "toymeans": ("ToyMeans", "Toy means of the first features."),\n',
        "",
    ),
    "cspca/ui/menu.py": (
        '    "runs":',
        '    "toymeans": Page("Toy means", ":material/toys:", "Ask", "Their sizes."),\n',
        "",
    ),
    "cspca/datasets/__init__.py": (
        '    "digits": BuiltIn(',
        '    "toyset": BuiltIn("Toy set", load_toyset),\n',
        "from cspca.datasets.toyset import load_toyset\n",
    ),
    "cspca/datasets/files/foreign.py": (
        '    ".npz":',
        '    ".toy": "cspca.datasets.files.containers.toy",\n',
        "",
    ),
}
"""Of each registry: before what a line stands, the line, and the import that goes with it."""


@pytest.fixture(scope="module")
def said(tmp_path_factory):
    """What is said everywhere in a house that has the toys."""
    house, folder = tmp_path_factory.mktemp("house"), tmp_path_factory.mktemp("visit")
    for name in ("cspca", "pages", "assets", "tests/app"):
        shutil.copytree(
            REPOSITORY / name, house / name, ignore=shutil.ignore_patterns("__pycache__")
        )
    for name in ("app.py", "tests/__init__.py"):
        if (REPOSITORY / name).exists():
            shutil.copy(REPOSITORY / name, house / name)
    for toy, place in FILES.items():
        shutil.copy(TOYS / toy, house / place)
    for place, (before, line, imported) in LINES.items():
        text = (house / place).read_text(encoding="utf-8")
        assert text.count(before) == 1, (place, before)
        text = text.replace(before, line + before)
        if imported:
            at = text.index("\nfrom cspca.") + 1
            text = text[:at] + imported + text[at:]
        (house / place).write_text(text, encoding="utf-8")
    shutil.copy(TOYS / "visit.py", house / "visit.py")
    done = subprocess.run(
        [sys.executable, "visit.py", str(folder)],
        cwd=house,
        env={
            **os.environ,
            "PYTHONPATH": str(house),
            "CSPCA_HOME": str(folder / "store"),
            "COLUMNS": "200",
        },
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    found = json.loads((folder / "said.json").read_text())
    for name in ("toy", "convergence"):
        found[f"{name}.html"] = (folder / f"{name}.html").read_text(encoding="utf-8")
    return found


pytestmark = pytest.mark.slow


def test_a_method(said):
    assert "Toy range" in said["compare"]
    assert "Toy range on toyset" in said["rank"]
    assert "exit 0" in said["rank"]


def test_a_solver(said):
    assert any("Toy" in one for one in said["explore"])
    assert "exit 0" in said["fit"]
    assert "exit 0" in said["convergence"]
    assert "Toy solver" in said["convergence"]
    assert "Toy solver" in said["convergence.html"]


def test_an_experiment_and_its_page(said):
    assert "How large are the toy means?" in said["toymeans"]
    assert "from cspca.experiments import ToyMeans, run" in said["snippet"]
    assert "mean" in said["snippet"].splitlines()[4]
    assert "toymeans" in said["help"]
    assert "4 toy means are known." in said["command"]
    assert "Toy means on toyset" in said["runs"]
    assert "Toy means on toyset" in said["list"]
    assert "4 toy means are known." in said["toy.html"]


def test_a_figure(said):
    assert said["charts"] == ["Toy dots."]
    assert "Toy dots." in said["toy.html"]


def test_a_data_set(said):
    assert "Toy set" in said["home"]
    assert "toyset" in said["runs"]
    assert "toyset" in said["toy.html"]


def test_a_file_format(said):
    assert ".toy" in said["data"]
    assert "exit 0" in said["read"]
