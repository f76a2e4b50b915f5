"""Results in a notebook: what it shows of them, and the example of the guide, executed."""

from __future__ import annotations

import copy
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

import cspca
from cspca.datasets import load
from cspca.evaluation import compare
from cspca.evaluation.tables import Strong, to_html
from cspca.experiments import Compare, Fit, Outcome, run
from cspca.figures.style import palette
from tests.experiments.toys import blobs

EXAMPLE = Path(cspca.__file__).parent / "guide" / "example.ipynb"


@pytest.fixture(scope="module")
def outcome() -> Outcome:
    asked = Compare(methods=("all", "variance"), n_features=(3,), n_seeds=2, n_draws=0)
    return run(asked, blobs(n=60, d=12, classes=3))


def test_an_outcome_shows_its_findings_and_tables(outcome: Outcome) -> None:
    shown = outcome._repr_html_()
    assert "Compare on blobs" in shown
    assert outcome.findings[0].sentence in shown
    for title in outcome.printed:
        assert f"<h4>{title}</h4>" in shown
    assert shown.count("<table") == len(outcome.printed)
    assert len(shown) < 50_000


def test_names_are_no_markup_there() -> None:
    data = blobs(n=60, d=12, classes=3)
    name = "<script>alert(1)</script>"
    hostile = replace(data, name=name)
    shown = run(Fit(alpha=0.4), hostile)._repr_html_()
    assert "<script>" not in shown
    assert "&lt;script&gt;" in shown


def test_a_comparison_shows_its_summary(outcome: Outcome) -> None:
    data = blobs(n=60, d=12, classes=3)
    shown = compare(
        data.data, data.target, ["all", "variance"], [3], n_seeds=2, n_draws=0
    )._repr_html_()
    assert "Comparison of 2 methods" in shown
    assert "<h4>Summary</h4>" in shown
    assert "best_mean" in shown


def test_a_table_is_shown_whole_and_what_is_strong_is_bold() -> None:
    sentence = "It holds on every set, of pictures and of numbers alike, and of words."
    cells = {"a<b": [sentence, Strong("1 ± 2 & <3>")], "n": [1.5, None]}
    frame = pd.DataFrame(cells, dtype=object)
    shown = to_html(frame, "Whole")
    assert f"<td>{sentence}</td>" in shown
    assert "<td><b>1\u00a0±\u00a02 &amp; &lt;3&gt;</b></td>" in shown
    assert "<th>a&lt;b</th>" in shown
    assert "<td>1.5</td>" in shown
    assert "<td></td>" in shown


def test_figures_are_drawn_without_a_network_and_say_little_as_text(outcome: Outcome) -> None:
    figures = outcome.figures(dark=True)
    shown = figures._repr_html_()
    assert shown.count("Plotly.newPlot(") == len(figures) > 1
    assert shown.count(f'"paper_bgcolor":"{palette(True).page}"') == len(figures)
    assert copy.deepcopy(figures)._repr_html_().count("Plotly.newPlot(") == len(figures)
    assert shown.count('src="https://') == 0
    assert len(repr(figures)) < 1_000
    assert next(iter(figures)) in repr(figures)


def test_figures_of_nothing_are_none() -> None:
    nothing = Outcome(Fit(), load("digits"), {})
    assert nothing.figures()._repr_html_() == ""
    assert nothing._repr_html_() == "<p>Fit on digits: 0 of 1 cells done</p>"


@pytest.mark.slow
def test_the_example_of_the_guide_runs(tmp_path: Path) -> None:
    nbformat = pytest.importorskip("nbformat", reason="nbformat is not installed here")
    nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed here")
    pytest.importorskip("ipykernel", reason="ipykernel is not installed here")
    notebook = nbformat.read(EXAMPLE, as_version=4)
    nbformat.validate(notebook)
    assert len(notebook.cells) == 10
    assert not any(cell.get("outputs") for cell in notebook.cells)
    client = nbclient.NotebookClient(
        notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": tmp_path}}
    )
    client.execute()
    shown = [
        output["data"]
        for cell in notebook.cells
        for output in cell.get("outputs", ())
        if "data" in output
    ]
    pages = [data["text/html"] for data in shown if "text/html" in data]
    assert any("<h4>" in page and "<table" in page for page in pages)
    assert any("Plotly.newPlot(" in page for page in pages)
    assert all(len(data.get("text/plain", "")) < 5_000 for data in shown)
    written = {path.name for path in tmp_path.iterdir()}
    assert written >= {"compare.xlsx", "compare.tex", "compare.html"}
