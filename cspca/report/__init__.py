"""The report of any experiment: one self-contained HTML file.

A section has a title and blocks. A block has one key: ``words``, ``facts``, ``code``, ``row`` for
blocks side by side, ``images`` with alternative text and caption, ``drawing`` for an SVG of the
studio, light and dark, ``findings``, ``table``, ``chart`` or ``film``. The template escapes all
texts.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

import jinja2
import numpy as np

from cspca.datasets.steps_in_words import sentences_of_steps
from cspca.evaluation.tables import unbroken
from cspca.experiments.citing import bibtex, paragraph
from cspca.experiments.components import (
    captioned,
    component_pairs,
    explained_words,
    share_words,
)
from cspca.experiments.exports import slug
from cspca.experiments.fit import Fit, best_of, features_in_use
from cspca.experiments.records import Described
from cspca.experiments.records import versions as versions_here
from cspca.experiments.settings import said
from cspca.figures import pictures
from cspca.figures.components import scree
from cspca.figures.curves import REBUILT, component_curves, rebuilt_curve
from cspca.figures.film import payload
from cspca.figures.skeleton import skeleton_svg
from cspca.figures.style import IMPORTANCE, ZERO, hex_to_rgb, on_dark, take_title, to_rgb
from cspca.paper.claims import Verdict

if TYPE_CHECKING:
    import plotly.graph_objects as go
    from numpy.typing import NDArray

    from cspca import fitted
    from cspca.datasets import Dataset
    from cspca.datasets.axis import Axis
    from cspca.experiments.experiment import Outcome
    from cspca.experiments.film import Film
    from cspca.experiments.records import RunRecord

_COMPONENTS = 6
"""Components that are shown: a row on a printed page."""

Block = dict[str, Any]
Section = tuple[str, list[Block]]


def report(
    outcome: Outcome,
    run: RunRecord | None = None,
    *,
    seconds: float | None = None,
    top_k: int | None = None,
    example: tuple[Any, Any, str] | None = None,
    pinned: tuple[NDArray[Any], str] | None = None,
    film: Film | None = None,
) -> str:
    """Return the report of an experiment, also of an unfinished one, as HTML that loads nothing.

    Name, times and versions are those of the saved `run`. Its id is left out, because it grants
    access to the run. Without a run, `seconds` is the computing time. For a fit, `top_k` features
    are marked, by default those in use. `example` is an image of the data, its reconstruction and
    its name, or one sample along an axis, where the terms of the data allow it; `pinned` are the
    scores and the name of another fit, A, to compare with. A `film` plays in the page.
    """
    name = run.name if run is not None else ""
    if not outcome.results:
        raise ValueError(f"Nothing of {name or 'this run'} is finished yet: resume it first.")
    kind, data, recipe = outcome.experiment, outcome.data, outcome.data.recipe
    charts = [_chart(title, figure) for title, figure in outcome.figures().items()]
    versions: Mapping[str, str] = versions_here()
    computed_at = time.time()
    if run is not None:
        computed_at, seconds = run.updated, run.seconds
        versions = run.versions[-1] if run.versions else versions
    so_far = "" if outcome.complete else f"{len(outcome.results):,} of {len(outcome.cells):,} cells"
    provenance = [
        ("Run", name),
        *said(kind).items(),
        ("So far", so_far),
        ("Computed", time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(computed_at))),
        ("Computing time", "" if seconds is None else f"{seconds:,.3g} s"),
        ("Versions", ", ".join(f"{of} {number}" for of, number in versions.items())),
    ]
    return _template().render(
        title=kind.question.format(title=kind.title, data=data),
        lead=outcome.findings[0].sentence if outcome.findings else "",
        sections=[
            *_sections(outcome, charts, top_k, example, pinned),
            *_film(film, data, None if example is None else example[0]),
        ],
        data=data,
        steps=sentences_of_steps(data),
        provenance=provenance,
        python=outcome.snippet,
        bring=data.name if recipe is None else recipe.bring,
        version=versions.get("cspca", ""),
        methods=paragraph(outcome),
        bibtex=bibtex(outcome),
        stem=f"cspca-{slug(data.name) or 'data'}",
        plotly=_plotly() if charts else "",
        moving=film is not None,
    )


def _sections(
    outcome: Outcome,
    charts: list[Block],
    top_k: int | None,
    example: tuple[Any, Any, str] | None,
    pinned: tuple[NDArray[Any], str] | None,
) -> list[Section]:
    """Return the findings after the lead, pictures and charts, and tables, in this order."""
    sections: list[Section] = []
    if outcome.findings[1:]:
        sections.append(("What was found", [{"findings": outcome.findings[1:]}]))
    shown, shape = charts, outcome.data.image_shape
    if isinstance(outcome.experiment, Fit):
        fit = next(iter(outcome.experiment.fits(outcome.results).values()))
        best = best_of(fit, min(fit.n_kept if top_k is None else top_k, fit.n_kept))
        mask = None
        if shape is not None and best:
            mask = pictures.top_mask(fit.feature_order, len(best), shape)
        # The example image shows the best pixels as well.
        alone = mask if example is None else None
        shown = [*_pictures(outcome.data, fit, alone, drawn=len(charts) > 2), *charts]
        if example is not None and mask is not None:
            sections.append(("What is left of one image?", _example(*example, mask)))
        if example is not None and outcome.data.axis is not None:
            sections.append(_curve(outcome.data, outcome.data.axis, fit, example))
        if shape is not None and pinned is not None:
            sections.append(("A and B", _two_maps(*pinned, fit.feature_scores, shape)))
    if shown:
        sections.append(("In charts", [{"row": shown}]))
    # A kept run has no samples, of which PCA's would be found.
    has_samples = not isinstance(outcome.data, Described)
    if isinstance(outcome.experiment, Fit) and has_samples and len(fit.components):
        sections.append(_components(fit, outcome.experiment, outcome.data))
    for title, frame in outcome.printed.items():
        rows, note = frame.to_numpy(dtype=object).tolist(), frame.attrs.get("note", "")
        table = {"heads": list(frame.columns), "rows": rows, "note": note}
        sections.append((title, [{"table": table}]))
    if outcome.failures:
        sentences = sorted(set(outcome.failures.values()))
        sections.append(("What could not be computed", [{"words": text} for text in sentences]))
    return sections


def _pictures(
    data: Dataset, fit: fitted.Fit, mask: NDArray[Any] | None, *, drawn: bool
) -> list[Block]:
    """Return pictures that the charts lack: scores on a body or large image, the best pixels."""
    shape, body = data.image_shape, data.skeleton
    blocks: list[Block] = []
    if shape is None:
        if body is not None:
            drawings = [
                skeleton_svg(fit.feature_scores, body.joints, body.bones, body.pose, dark=paper)
                for paper in (False, True)
            ]
            blocks.append({"drawing": drawings})
        return blocks
    if not drawn:
        plane = fit.feature_scores.reshape(shape)
        words = (
            "How much the map uses every pixel, for itself and for others, at these penalties; "
            "black ones are ignored."
        )
        shown = pictures.importance_rgb(plane), pictures.importance_alt(plane), words
        blocks.append({"images": [shown], "large": True})
    if mask is not None:
        words = f"The best {np.count_nonzero(mask):,} pixels, light."
        shown = pictures.mask_rgb(mask), pictures.mask_alt(mask), words
        blocks.append({"images": [shown], "large": True})
    return blocks


def _example(image: Any, rebuilt: Any, name: str, mask: NDArray[Any]) -> list[Block]:
    """Return one image, its best pixels, and its reconstruction."""
    rebuilt, best = np.clip(rebuilt, 0.0, 1.0), np.count_nonzero(mask)
    seen, alt = pictures.masked_rgb(image, mask), pictures.mask_alt(mask)
    shown = [
        (pictures.grey(image), pictures.image_alt(image), f"Original: {name}"),
        (seen, alt, f"Seen through the best {best:,} pixels"),
        (pictures.grey(rebuilt), pictures.image_alt(rebuilt, "Reconstruction"), "Reconstruction"),
    ]
    terms = "An image of the data is in this report: mind their terms when you pass it on."
    return [{"images": shown}, {"words": terms}]


def _curve(data: Dataset, axis: Axis, fit: fitted.Fit, example: tuple[Any, Any, str]) -> Section:
    """Return one sample along the axis, and what is rebuilt of it."""
    sample, rebuilt, name = example
    figure = rebuilt_curve(axis, sample, rebuilt, axis.ranges(features_in_use(fit)), name)
    noun = data.nouns.sample
    title = figure.layout.meta["title"]
    terms = f"One {noun} of the data is in this report: mind their terms when you pass it on."
    return title, [{"row": [_chart(title, figure)]}, {"words": terms}]


def _components(fit: fitted.Fit, settings: Fit, data: Dataset) -> Section:
    """Return the first components beside those of PCA, and how much they explain."""
    pairs = component_pairs(fit, settings, data)
    blocks: list[Block] = []
    if data.image_shape is not None:
        for row in captioned(pairs, _COMPONENTS, data.image_shape):
            images = [
                (
                    pictures.signed_rgb(component.plane, reach=component.reach),
                    component.alt,
                    ", ".join(component.lines),
                )
                for component in row
            ]
            blocks.append({"images": images})
    if data.axis is not None:
        count = min(_COMPONENTS, len(pairs.components))
        titles = [share_words(number, pairs.ratios[number]) for number in range(count)]
        curves = component_curves(data.axis, pairs.components[:count], pairs.pca[:count], titles)
        blocks.append({"row": [_chart(curves.layout.meta["title"], curves)]})
    blocks.append({"words": explained_words(data.nouns)})
    figure = scree(pairs.ratios, pairs.pca_ratios, "How much do the components explain?")
    blocks.append({"row": [_chart("How much do the components explain?", figure)]})
    return f"What is every {data.nouns.sample} rebuilt from?", blocks


def _two_maps(a: NDArray[Any], name: str, b: NDArray[Any], shape: tuple[int, int]) -> list[Block]:
    """Return two maps on one colour scale, and their difference."""
    top = max(a.max(), b.max(), 0.0)
    maps = []
    for scores, words in ((a, name), (b, "B: the fit of this report")):
        plane = scores.reshape(shape)
        colours = to_rgb(plane, IMPORTANCE, 0.0, top)
        colours[plane == 0] = hex_to_rgb(ZERO)
        maps.append((colours, pictures.importance_alt(plane), words))
    change = (a - b).reshape(shape)
    maps.append((pictures.signed_rgb(change), pictures.signed_alt(change, "A − B"), "A − B"))
    both, either = np.count_nonzero((a > 0) & (b > 0)), np.count_nonzero((a > 0) | (b > 0))
    words = (
        f"{both:,} of the {either:,} pixels that A or B uses are used by both. "
        "A − B: orange where A has more, blue where B has."
    )
    return [{"images": maps}, {"words": words}]


_MOVING = {
    "alpha": "What leaves as α grows?",
    "beta": "What changes as β grows?",
    "iterations": "How do the two solvers get there?",
}


def _film(film: Film | None, data: Dataset, image: Any) -> list[Section]:
    """Return a film as the page plays it, with the reconstruction of `image` if there is one."""
    if film is None or not film.there:
        return []
    row = None if image is None else np.ravel(image)
    moving = payload(film, row, data.nouns.features, is_curve=data.kind == "axis")
    moving |= {"sample": None if row is None else row.tolist(), "rebuilt_colour": REBUILT}
    # A report is text, so arrays are encoded as base64.
    moving["colours"] = pictures.base64_of(moving["colours"])
    for track in moving["tracks"]:
        for name in ("scores", "rebuilt"):
            if track[name] is not None:
                track[name] = pictures.base64_of(track[name])
    moving |= {"count": data.n_features, "shape": data.image_shape}
    moving["features"] = data.nouns.features
    description = "Every frame is a fit of its own, proven to be within the tolerance."
    if film.along == "iterations":
        description = "The best map so far after each iteration, and the best limit proven by then."
    return [(_MOVING[film.along], [{"words": description}, {"film": moving}])]


def _chart(title: str, figure: go.Figure) -> Block:
    """Return a Plotly figure in both themes, drawn by the reader's browser."""
    take_title(figure)
    themes = {"light": figure, "dark": on_dark(figure)}
    return {
        "chart": {
            "name": re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-"),
            "title": title,
            "alt": figure.layout.meta.get("alt", title),
            "height": int(figure.layout.height or 360),
            "json": {name: json.loads(themed.to_json()) for name, themed in themes.items()},
        }
    }


def _mark(verdict: str) -> str:
    member = Verdict[verdict.upper()] if verdict else None
    return f"{member.sign} {member}" if member else ""


@cache
def _template() -> jinja2.Template:
    loader = jinja2.PackageLoader("cspca.report", "")
    surroundings = jinja2.Environment(
        loader=loader, autoescape=True, trim_blocks=True, undefined=jinja2.StrictUndefined
    )
    surroundings.policies["json.dumps_kwargs"] = {"separators": (",", ":"), "allow_nan": False}
    surroundings.tests["strong"] = lambda cell: type(cell).__name__ == "Strong"
    surroundings.filters |= {
        "uri": pictures.data_uri,
        "mark": _mark,
        "unbroken": lambda cell: unbroken(str(cell)),
    }
    return surroundings.get_template("page.html.j2")


@cache
def _plotly() -> str:
    from plotly.offline import get_plotlyjs

    return str(get_plotlyjs())
