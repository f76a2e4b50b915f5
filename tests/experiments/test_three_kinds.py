"""What the library says and draws of pictures, of points along an axis and of columns."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Iterator
from functools import cache

import pytest

from cspca.datasets import make_faces, make_genes, make_spectra
from cspca.experiments import (
    Compare,
    Convergence,
    Experiment,
    Fit,
    Outcome,
    Paper,
    Reproducibility,
    Sensitivity,
    exports,
    run,
)
from cspca.report import report
from tests.pages import read

OF_PICTURES = re.compile(
    r"\b(pixels?|images?|pictures?|photos?|photographs?|eigenfaces?)\b"
    r"|\brows?\b[^.]{0,12}, column",
    re.IGNORECASE,
)

SETS = {
    "pixels": make_faces(n_people=4, image_size=16),
    "axis": make_spectra(60, 40),
    "columns": make_genes(40, 200),
}

EXPERIMENTS: dict[str, Experiment] = {
    "fit": Fit(alpha=0.2, beta=0.01, solver="both"),
    "compare": Compare(
        methods=("all", "variance", "laplacian", "cspca"), n_features=(4, 20), n_seeds=3,
        n_draws=4, bootstrap=10, n_pairs=2,
    ),
    "sensitivity": Sensitivity(alphas=(0.05, 0.2), betas=(0.01,), n_features=16, n_seeds=2),
    "convergence": Convergence(
        alpha=0.1, beta=0.01, penalty_scale="relative", inits=("diagonal-0.5", "diagonal-1"),
        checkpoints=(3, 6), n_features=8, n_seeds=1,
    ),
    "reproducibility": Reproducibility(alpha=0.1, beta=0.01, n_pairs=2),
}  # fmt: skip


@cache
def outcome(kind: str, name: str) -> Outcome:
    return run(EXPERIMENTS[name], SETS[kind])


def words_of_chart(value: object, key: str = "") -> Iterator[str]:
    if isinstance(value, dict):
        for name, part in value.items():
            if name not in ("template", "type", "uid", "bdata", "mode"):
                yield from words_of_chart(part, name)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from words_of_chart(part, key)
    elif isinstance(value, str) and key != "source":
        yield value


def words_of(made: Outcome) -> Iterator[str]:
    """Everything that an outcome says, in sentences, tables, charts and files."""
    for finding in made.findings:
        yield finding.sentence
    for tables in (made.tables, made.printed):
        for title, frame in tables.items():
            yield title
            yield frame.attrs.get("note", "")
            yield from map(str, frame.columns)
            yield from map(str, frame.to_numpy(dtype=object).ravel().tolist())
    for title, figure in made.figures().items():
        yield title
        yield from words_of_chart(json.loads(figure.to_json()))
    for file in exports.files(made):
        yield from (file.label, file.name, file.help)
        content = file.make()
        if isinstance(content, str):
            yield content
        elif file.name.endswith(".zip"):
            yield from zipfile.ZipFile(io.BytesIO(content)).namelist()


@pytest.mark.parametrize("name", EXPERIMENTS)
@pytest.mark.parametrize("kind", ["axis", "columns"])
def test_nothing_is_said_of_pictures_where_there_are_none(kind: str, name: str) -> None:
    made = outcome(kind, name)
    said = [*words_of(made), read(report(made)).text]
    for text in said:
        found = OF_PICTURES.search(text)
        assert found is None, text[max(0, found.start() - 100) : found.end() + 100]


def test_importance_is_a_map_a_curve_or_bars() -> None:
    title, bars = "Where along the axis?", "Which {}?"
    pixels, axis, columns = (outcome(kind, "fit").figures() for kind in SETS)
    assert pixels[bars.format("pixels")].data[0].type == "heatmap"
    assert axis[title].layout.xaxis.title.text == "Wavelength (nm)"
    assert axis[bars.format("wavelengths")].data[0].type == "bar"
    assert title not in columns
    drawn = columns[bars.format("genes")]
    assert drawn.data[0].type == "bar"
    assert set(drawn.layout.yaxis.ticktext) <= set(SETS["columns"].feature_names or ())


@pytest.mark.parametrize(
    ("kind", "noun", "place"),
    [
        ("pixels", "pixels", "row "),
        ("axis", "wavelengths", " nm"),
        ("columns", "genes", "M0|lonely"),
    ],
)
def test_features_have_the_words_of_their_kind(kind: str, noun: str, place: str) -> None:
    made = outcome(kind, "fit")
    listed = made.printed[f"The best {noun}"]
    assert listed[noun.capitalize()[:-1]].str.contains(place).all()
    assert any(noun in finding.sentence for finding in made.findings)
    assert noun in read(report(made)).text


def test_the_report_draws_a_spectrum_and_what_is_rebuilt_of_it() -> None:
    made = outcome("axis", "fit")
    sample = SETS["axis"].data[0]
    drawn = read(report(made, example=(sample, 0.9 * sample, "Spectrum 1")))
    assert "What is rebuilt of the spectrum?" in drawn.text
    assert "One spectrum of the data is in this report" in drawn.text


def test_the_grid_of_the_paper_has_the_words_of_the_data() -> None:
    experiment = Paper(parts=("comparison",), grid=(1e-4, 1.0), n_counts=1, n_seeds=2)
    spectra = SETS["axis"]
    outcome = run(experiment, spectra)
    figure = experiment.grid_figure(outcome.results, spectra)
    assert figure is not None
    content = str(figure.to_json())
    assert "wavelength" in content
    assert "feature" not in content
