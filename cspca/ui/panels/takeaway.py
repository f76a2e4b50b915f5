"""What can be taken away from Explore: report, scores, arrays, the map, charts, the Python."""

from __future__ import annotations

import numpy as np
import streamlit as st

from cspca.datasets import Dataset
from cspca.datasets.export import may_be_shown
from cspca.figures.importance import importance_png, importance_svg
from cspca.figures.skeleton import skeleton_svg
from cspca.runs.export import fit_arrays, python_lines, scores_csv
from cspca.runs.npz import npz_bytes
from cspca.runs.records import FitResult
from cspca.ui import keys, state
from cspca.ui.panels.faces import face_name
from cspca.ui.takeaway import Chart, File, Lines, recipe_of, report_file, take_away


def takeaway(
    view: state.View, dataset: Dataset, result: FitResult | None, *, stale: bool, image: int = 0
) -> None:
    """Draw it; until there is a result the buttons sleep.

    Parameters
    ----------
    view : View
    dataset : Dataset
    result : FitResult or None
    stale : bool
        The result is of other settings than the page's.
    image : int, default=0
        The picture that the page shows.
    """
    lines = _lines(view, dataset, result)
    with_image = _image_wish(dataset)
    take_away(
        dataset.name,
        _files(view, dataset, result, lines, image if with_image else None),
        charts=[
            Chart(keys.BOX_CURVE, "Convergence", "convergence"),
            Chart(keys.BOX_SCORES, "Fall-off of the scores", "scores"),
        ],
        lines=lines,
        ready=result is not None and not stale,
    )
    if lines is None:
        st.caption("The lines of Python that repeat this fit appear here when it is done.")


def _image_wish(dataset: Dataset) -> bool:
    """Ask whether an image of the data goes into the report."""
    if dataset.image_shape is None:
        return False
    session = st.session_state
    # What was wished of one set is no wish for the next.
    if session.get(keys.EXPLORE_IMAGES_FOR) != dataset.sha256:
        session[keys.EXPLORE_IMAGES] = may_be_shown(dataset.licence)
        session[keys.EXPLORE_IMAGES_FOR] = dataset.sha256
    elif keys.EXPLORE_IMAGES not in session:
        session[keys.EXPLORE_IMAGES] = False
    return st.checkbox(
        "Show the picture above in the report too",
        key=keys.EXPLORE_IMAGES,
        persist_state="session",
        help="Otherwise the report holds maps and masks alone. "
        f"Terms of these data: {dataset.licence or 'not known'}.",
    )


def _lines(view: state.View, dataset: Dataset, result: FitResult | None) -> Lines | None:
    if result is None:
        return None
    recipe = recipe_of(view.data, dataset)
    alpha = float(result.model.alpha) if result.spec.keep is not None else None
    notes: tuple[str, ...] = ()
    if result.warm or result.spec.keep is not None:
        notes = (
            "This fit started from an earlier one; these lines start afresh. Both are within "
            "their certified gap of the optimum, so the scores agree to about that, not to the "
            "last digit: a smaller tolerance brings them together.",
        )
    source = python_lines(result.spec, recipe, alpha, int(result.model.n_iter_))
    return Lines(source, recipe, notes)


def _files(
    view: state.View,
    dataset: Dataset,
    result: FitResult | None,
    lines: Lines | None,
    image: int | None,
) -> list[File]:
    def fit() -> FitResult:
        # The buttons sleep until there is one.
        assert result is not None
        return result

    def report() -> str:
        assert lines is not None
        return _report(view, dataset, fit(), lines, image)

    found = [
        report_file(keys.EXPLORE_REPORT, report),
        File(
            keys.DOWNLOAD,
            "Scores, CSV",
            "scores.csv",
            lambda: scores_csv(fit(), dataset.image_shape, dataset.feature_names),
            _columns(dataset),
        ),
        File(
            keys.EXPLORE_NPZ,
            "Arrays, NPZ",
            "fit.npz",
            lambda: npz_bytes(fit_arrays(fit())),
            "For numpy.load: scores, order, components of W, errors of the "
            f"{dataset.nouns.samples}, and the course of the fit.",
        ),
    ]
    shape, body = dataset.image_shape, dataset.skeleton
    if shape is not None:
        found += [
            File(
                keys.EXPLORE_PNG,
                "Map, PNG",
                "importance.png",
                lambda: importance_png(fit().feature_scores.reshape(shape)),
                "The importance of every pixel with its scale of colours, on white.",
            ),
            File(
                keys.EXPLORE_SVG,
                "Map, SVG",
                "importance.svg",
                lambda: importance_svg(
                    fit().feature_scores.reshape(shape), f"Importance of the pixels, {dataset.name}"
                ),
                "The same as a drawing, sharp at any size.",
            ),
        ]
    elif body is not None:
        found.append(
            File(
                keys.EXPLORE_SVG,
                "Body, SVG",
                "importance.svg",
                lambda: skeleton_svg(
                    fit().feature_scores, body.joints, body.bones, body.pose, dark=False
                ),
                "The importance on the body, as a drawing.",
            )
        )
    return found


def _report(
    view: state.View, dataset: Dataset, result: FitResult, lines: Lines, image: int | None
) -> str:
    # The first who asks waits for Plotly, not everybody who looks at the page.
    from cspca.runs.report import About, Example, FitFindings, about_dataset, fit_report
    from cspca.runs.report.stored import said_settings

    spec, model = result.spec, result.model
    asked = {
        "alpha": spec.alpha if spec.keep is None else float(model.alpha),
        "beta": spec.beta,
        "penalty_scale": spec.penalty_scale,
        "center": spec.center,
        "normalize": spec.normalize,
        "solver": spec.solver,
        "tol": spec.tol,
    }
    kept = [] if spec.keep is None else [(f"{dataset.nouns.features.capitalize()} asked for",
                                          f"about {spec.keep:,}")]  # fmt: skip
    example = None
    if image is not None and dataset.image_shape is not None:
        again = np.asarray(model.reconstruct(dataset.data[image : image + 1]))
        example = Example(
            dataset.image(image),
            again[0].reshape(dataset.image_shape),
            face_name(dataset, image),
        )
    return fit_report(
        FitFindings.of_result(result, view.top_k),
        About(
            about_dataset(dataset),
            [*kept, *said_settings(asked)],
            lines=lines.source,
            bring=lines.recipe.bring,
            notes=lines.notes,
            seconds=result.seconds,
        ),
        names=dataset.feature_names,
        skeleton=dataset.skeleton,
        example=example,
    )


def _columns(dataset: Dataset) -> str:
    """Say what the columns of the CSV are."""
    one = dataset.nouns.feature
    where = "feature (its column in the data, counted from 0 as in Python) and its name"
    if dataset.image_shape is not None:
        where = (
            "feature (its column in the data), row and column, all three counted from 0 as in "
            "Python (the map counts rows and columns from 1)"
        )
    return (
        f"One line a {one}, best first: {where}; feature_score "
        f"‖w_j‖, dual_score (how near a zero {one} is to entering), selection_score, and rank, "
        "counted from 1."
    )
