"""Reports: whole HTML that asks nobody for anything, with the numbers of the run in it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from cspca.datasets import Dataset, load, make_faces
from cspca.evaluation.former import make_plan
from cspca.runs.recipes import StoredRecipe, stored_recipe
from cspca.runs.report import (
    About,
    Example,
    FitFindings,
    about_dataset,
    comparison_report,
    fit_report,
    run_report,
)
from cspca.runs.report import document as written
from cspca.runs.store import Store, StoreError
from cspca.runs.sweeps import (
    comparison_of,
    comparison_sweep,
    fit_of,
    fit_sweep,
    run_sweep,
    sensitivity_of,
    sensitivity_sweep,
    start_sweep,
    starts_of,
    starts_sweep,
)
from tests.pages import Seen, read

HOSTILE = "</script><script>alert(1)</script>\"><img src=x onerror=alert(1)>'&$x$"


@pytest.fixture(scope="module")
def faces() -> Dataset:
    return make_faces(n_people=4, n_per_person=5, image_size=12, random_state=3)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with Store(tmp_path_factory.mktemp("store")) as opened:
        yield opened


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """Plotly is five megabytes to read, and the same in all reports."""
    if "whole_plotly" not in request.fixturenames:
        monkeypatch.setattr(written, "_plotly", lambda: "const Plotly = null")


@pytest.fixture
def whole_plotly() -> None:
    """Asked for by the test that wants it."""


def kept(store: Store, sweep: object, dataset: Dataset, name: str) -> str:
    run = start_sweep(store, sweep, dataset, name=name)
    run_sweep(store, run, dataset)
    return run


@pytest.fixture(scope="module")
def fit(store: Store, faces: Dataset) -> str:
    return kept(store, fit_sweep(0.2, 0.05, tol=1e-4), faces, "a fit")


@pytest.fixture(scope="module")
def grid(store: Store, faces: Dataset) -> str:
    sweep = sensitivity_sweep(faces, [0.05, 0.4], [0.02, 0.3, 0.9], n_features=20, n_seeds=3)
    return kept(store, sweep, faces, "a grid")


@pytest.fixture(scope="module")
def comparison(store: Store, faces: Dataset) -> str:
    plan = make_plan(
        faces.data, faces.target, ["all", "variance", "cspca"], [10, 40], n_seeds=4, seeds=[3, 5, 8]
    )
    return kept(store, comparison_sweep(plan), faces, "a comparison")


@pytest.fixture(scope="module")
def starts(store: Store, faces: Dataset) -> str:
    sweep = starts_sweep(
        faces, 0.2, 0.05, inits=("random", "diagonal-1"), checkpoints=(3, 6), n_seeds=2
    )
    return kept(store, sweep, faces, "from two starts")


def sound(html: str) -> Seen:
    """Hold a report to what all promise."""
    seen = read(html)
    assert all(address.startswith("data:") for address in seen.asked), seen.asked
    assert seen.handlers == []
    assert not any("url(" in style or "@import" in style for style in seen.styles)
    policy = next(a["content"] for _, a in seen.elements if a.get("http-equiv"))
    assert policy.startswith("default-src 'none'")
    assert "http" not in policy
    for words in ("How to cite", "1411.6233", "SHA-256", "Versions", "numpy"):
        assert words in seen.text
    return seen


@pytest.mark.parametrize("kind", ["fit", "grid", "comparison", "starts"])
def test_a_report_is_whole_and_asks_nobody(
    kind: str, store: Store, request: pytest.FixtureRequest
) -> None:
    run = request.getfixturevalue(kind)
    seen = sound(run_report(store, run))
    record = store.get(run)
    assert seen.figures
    assert record.data.sha256 in seen.text
    assert f"Run {record.name}" in seen.text
    assert f"numpy {np.__version__}" in seen.text
    # Whoever has the id may delete the run.
    assert run not in run_report(store, run)


@pytest.mark.usefixtures("whole_plotly")
def test_plotly_is_in_it_once_and_drawn_light_and_dark(store: Store, fit: str) -> None:
    seen = sound(run_report(store, fit))
    assert sum(len(script) > 1_000_000 for script in seen.scripts) == 1
    for figure in seen.figures.values():
        colours = [figure[paper]["layout"]["font"]["color"] for paper in ("light", "dark")]
        assert len(set(colours)) == 2


def test_the_numbers_of_a_fit_are_those_of_the_run(store: Store, fit: str, faces: Dataset) -> None:
    details, arrays = fit_of(store, fit)
    seen = read(run_report(store, fit))
    assert f"Objective {details['objective']:.10g}" in seen.text
    assert f"Lower bound of the optimum {details['dual_objective']:.10g}" in seen.text
    drawn = seen.figures["importance"]["light"]["data"][0]
    assert np.array_equal(decoded(drawn["z"]), arrays["feature_scores"].reshape(12, 12))
    ranks = decoded(drawn["customdata"]).ravel()
    assert np.array_equal(np.argsort(ranks, kind="stable"), arrays["order"])
    best = int(arrays["order"][0])
    row, column = divmod(best, 12)
    score = arrays["feature_scores"][best]
    assert f"row {row + 1}, column {column + 1} 1 {best} {score:.6g}" in seen.text
    line = next(
        trace
        for trace in seen.figures["convergence"]["light"]["data"]
        if trace["name"] == "certified solver"
    )
    known = np.isfinite(arrays["history_objective"])
    assert np.array_equal(decoded(line["y"]), arrays["history_objective"][known])


def decoded(values: object) -> np.ndarray:
    """An array as Plotly writes it: a list, or bytes."""
    import base64

    if isinstance(values, dict):
        flat = np.frombuffer(base64.b64decode(values["bdata"]), dtype=values["dtype"])
        shape = [int(n) for n in values["shape"].split(",")] if "shape" in values else [-1]
        return flat.reshape(shape)
    return np.array(values)


def test_the_numbers_of_a_grid_are_those_of_the_run(store: Store, grid: str) -> None:
    found, seen = sensitivity_of(store, grid), read(run_report(store, grid))
    drawn = seen.figures["accuracy"]["dark"]["data"][0]
    assert np.allclose(decoded(drawn["z"]).T, 100 * found.means["accuracy"], rtol=1e-14)
    mean, std = found.means["nmi"][1, 2], found.stds["nmi"][1, 2]
    assert f"{100 * mean:.1f} ± {100 * std:.1f} {found.fits['objective'][1, 2]:.6g}" in seen.text
    assert "Seeds 0 to 2, 3 in all" in seen.text


def test_the_numbers_of_a_comparison_are_those_of_the_run(store: Store, comparison: str) -> None:
    found, seen = comparison_of(store, comparison), read(run_report(store, comparison))
    for row in found.table("accuracy"):
        one = row.honest or row.best
        assert f"{row.title} {100 * one.mean:.1f} ± {100 * one.std:.1f}" in seen.text
    bars = seen.figures["accuracy-bars"]["light"]["data"][0]
    means = [100 * row.honest.mean for row in found.table("accuracy")]
    assert np.allclose(decoded(bars["x"]), means, rtol=1e-14)
    assert "Seeds 3, 5, 8" in seen.text
    assert "rest on labels" in seen.text


def test_the_numbers_of_the_starts_are_those_of_the_run(store: Store, starts: str) -> None:
    rows, seen = starts_of(store, starts), read(run_report(store, starts))
    for row in rows:
        solver = "certified" if row.solver == "admm" else "Algorithm 1"
        assert f"{row.init} {solver} {row.n_iter:,} {row.objective:.8g}" in seen.text


def test_hostile_names_are_words(faces: Dataset, store: Store, fit: str) -> None:
    details, arrays = fit_of(store, fit)
    found = FitFindings.of_arrays(details, arrays, "admm")
    record = replace(
        about_dataset(faces), name=HOSTILE, source=HOSTILE, licence=HOSTILE, image_shape=None
    )
    evil = About(record, [(HOSTILE, HOSTILE)], lines=HOSTILE, bring=HOSTILE, notes=[HOSTILE])
    tame = replace(evil, data=replace(record, name="a", source="b", licence="c"))
    names = [f"{HOSTILE}{number}" for number in range(faces.n_features)]
    seen, plain = (
        sound(fit_report(found, about, names=given))
        for about, given in ((evil, names), (tame, None))
    )
    assert [tag for tag, _ in seen.elements] == [tag for tag, _ in plain.elements]
    assert f"Which features matter in {HOSTILE}?" in seen.text
    # Plotly reads a little HTML: names reach it escaped, so that they are drawn as they are.
    labels = seen.figures["best-features"]["light"]["layout"]["yaxis"]["ticktext"]
    assert not any("<" in label for label in labels)


def test_hostile_methods_are_words(store: Store, comparison: str, faces: Dataset) -> None:
    found = comparison_of(store, comparison)
    plan = found.plan
    methods = tuple(replace(one, title=HOSTILE) for one in plan.methods)
    evil = replace(found, plan=replace(plan, methods=methods))
    report = comparison_report(evil, About(about_dataset(faces)))
    assert len(sound(report).scripts) == len(read(run_report(store, comparison)).scripts)
    assert HOSTILE in read(report).text


def test_no_image_unless_it_is_asked_for(store: Store, fit: str, faces: Dataset) -> None:
    from cspca.figures.pictures import data_uri, grey

    details, arrays = fit_of(store, fit)
    found, about = FitFindings.of_arrays(details, arrays, "admm"), About(about_dataset(faces))
    image = data_uri(grey(faces.image(2)))
    without = fit_report(found, about)
    with_one = fit_report(found, about, example=Example(faces.image(2), None, "image 3"))
    assert image not in without
    assert "What is left of one picture?" not in without
    assert image in with_one
    assert "mind their terms" in read(with_one).text


def test_a_motion_report_draws_the_body(store: Store) -> None:
    motion = load("motion")
    run = kept(store, fit_sweep(0.6, 0.05, tol=1e-2), motion, "motion")
    seen = sound(run_report(store, run))
    assert sum(tag == "svg" for tag, _ in seen.elements) == 2
    assert motion.feature_names is not None
    arrays = fit_of(store, run)[1]
    assert motion.feature_names[int(arrays["order"][0])] in seen.text


def test_an_order_within_a_thousandth_is_said_to_mean_nothing(store: Store) -> None:
    digits = load("digits")
    tied = kept(store, fit_sweep(0.04, 0.0017), digits, "nearly the identity")
    top = np.sort(fit_of(store, tied)[1]["feature_scores"])[::-1]
    number = int((top >= 0.999 * top[0]).sum())
    assert number > 20
    seen = sound(run_report(store, tied))
    assert f"{number} of 64 pixels have the importance of the first to a thousandth" in seen.text
    clear = sound(run_report(store, kept(store, fit_sweep(0.3, 0.05), digits, "sparse")))
    assert "to a thousandth" not in clear.text


@pytest.mark.parametrize("alpha", [0.0, 5.0])
def test_without_a_ranking_it_says_so(store: Store, faces: Dataset, alpha: float) -> None:
    run = kept(store, fit_sweep(alpha, 1e-6 if alpha == 0 else 0.05), faces, f"at {alpha}")
    regime = fit_of(store, run)[0]["regime"]
    seen = sound(run_report(store, run))
    if regime == "zero":
        assert "every pixel is exactly zero" in seen.text
        assert "there is no order" in seen.text
    else:
        assert regime in ("identity", "dense")


def test_an_unfinished_run_is_reported_as_far_as_it_got(store: Store, faces: Dataset) -> None:
    sweep = sensitivity_sweep(faces, [0.07, 0.3], [0.03, 0.2], n_features=20, n_seeds=2)
    run = start_sweep(store, sweep, faces, name="half")
    with pytest.raises(StoreError, match="Nothing of half is finished yet"):
        run_report(store, run)
    steps = iter([False, False, False, True, True])
    run_sweep(store, run, faces, should_stop=lambda: next(steps, True))
    record = store.get(run)
    assert 0 < record.n_done < record.n_cells
    seen = sound(run_report(store, run))
    assert f"So far {record.n_done:,} of {record.n_cells:,} cells" in seen.text


def test_a_kept_recipe_knows_what_to_import(faces: Dataset) -> None:
    recipe = StoredRecipe("resized(load_file('a.csv', labels=NO_LABELS), (4, 4))")
    assert recipe.names == ("NO_LABELS", "load_file", "resized")
    bare = stored_recipe(replace(about_dataset(faces), name='a"b'))
    assert (bare.names, bare.bring) == (("load_file",), 'a"b')
    compile(bare.source, "code", "eval")
