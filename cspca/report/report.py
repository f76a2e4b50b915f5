"""The report of any experiment: one template, and what stands in it, read off an outcome.

A section is its title and its blocks, a block its one key: ``words`` (`small` for a caption),
``notice`` for what must not be missed, ``facts`` (`large` for the answer), ``code``, ``row`` for
blocks beside each other, ``images`` with alternative text and caption, ``drawing`` for an SVG of
ours, light and dark, ``findings``, ``table`` and ``chart``. The template escapes all of them.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Mapping
from functools import cache
from itertools import groupby
from typing import TYPE_CHECKING, Any

import jinja2
import numpy as np

from cspca.experiments.exports import slug
from cspca.experiments.fit import UNRANKED, Fit
from cspca.experiments.records import versions as versions_here
from cspca.experiments.settings import said
from cspca.figures import pictures
from cspca.figures.skeleton import skeleton_svg
from cspca.figures.style import on_dark, take_title

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go

    from cspca import fitted
    from cspca.experiments.experiment import Outcome
    from cspca.experiments.records import RunRecord

Block = dict[str, Any]
Section = tuple[str, list[Block]]
Example = tuple[Any, Any, str]
"""One image of the data, as it is rebuilt, and its name: for those who may pass it on."""

_MARKS = {
    "holds": "● holds",
    "partly": "◐ holds in part",
    "open": "≈ no clear difference",
    "fails": "○ does not hold",
    "untested": "– not tested here",
    "": "",
}


def report(
    outcome: Outcome, run: RunRecord | None = None, *, seconds: float | None = None, **more: Any
) -> str:
    """Write the report of an experiment, as far as it got: HTML that asks nobody for anything.

    Name, times and versions are of the kept `run`, whose id is not in it: whoever has that may look
    at the run. Without one `seconds` are those of computing. For a fit, ``top_k`` features are
    marked, and ``example`` is an image of the data, its reconstruction and its name, for those who
    may pass it on.
    """
    name = run.name if run is not None else ""
    if not outcome.results:
        raise ValueError(f"Nothing of {name or 'this run'} is finished yet: resume it first.")
    kind, data, recipe = outcome.experiment, outcome.data, outcome.data.recipe
    charts = {title: _chart(title, one) for title, one in outcome.figures().items()}
    own = _of_fit(outcome, charts, **more) if isinstance(kind, Fit) else _of_any(outcome, charts)
    versions: Mapping[str, str] = versions_here()
    made = time.time()
    if run is not None:
        made, seconds = run.updated, run.seconds
        versions = run.versions[-1] if run.versions else versions
    so_far = "" if outcome.complete else f"{len(outcome.results):,} of {len(outcome.cells):,} cells"
    how = [
        ("Run", name),
        *said(kind).items(),
        ("So far", so_far),
        ("Computed", time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(made))),
        ("Computing time", "" if seconds is None else f"{seconds:,.3g} s"),
        ("Versions", ", ".join(f"{of} {number}" for of, number in versions.items())),
    ]
    return _template().render(
        title=kind.question.format(title=kind.title, data=data),
        lead=outcome.findings[0].sentence if outcome.findings else "",
        sections=own,
        data=data,
        how=how,
        python=outcome.snippet,
        bring=data.name if recipe is None else recipe.bring,
        version=versions.get("cspca", ""),
        stem=f"cspca-{slug(data.name) or 'data'}",
        plotly=_plotly() if charts else "",
    )


def _of_any(outcome: Outcome, charts: Mapping[str, Block]) -> list[Section]:
    """Findings, figures and tables, in this order."""
    found: list[Section] = []
    findings = outcome.findings[1:] if len(outcome.findings) > 1 else outcome.findings
    if findings:
        found.append(("What was found", [{"findings": findings}]))
    if charts:
        found.append(("In pictures", [{"row": list(charts.values())}]))
    found += [(title, [_table(frame)]) for title, frame in outcome.printed.items()]
    if outcome.failures:
        sentences = sorted(set(outcome.failures.values()))
        found.append(("What could not be computed", [{"words": one} for one in sentences]))
    return found


def _of_fit(
    outcome: Outcome,
    charts: Mapping[str, Block],
    top_k: int | None = None,
    example: Example | None = None,
) -> list[Section]:
    """Which features matter and how sure that is; `top_k` are marked, by default those in use."""
    experiment, data = outcome.experiment, outcome.data
    assert isinstance(experiment, Fit)
    fit = experiment.fits(outcome.results)[experiment.solvers[0]]
    *which, fall, sure = charts.values()
    shape, body = data.image_shape, data.skeleton
    if shape is None and body is not None:
        drawn = [
            skeleton_svg(fit.feature_scores, body.joints, body.bones, body.pose, dark=paper)
            for paper in (False, True)
        ]
        which.insert(0, {"drawing": drawn})
    elif shape is not None and not which:
        plane = fit.feature_scores.reshape(shape)
        words = "Importance of every pixel. Darkest, without hue: exactly zero."
        shown = pictures.importance_rgb(plane), pictures.importance_alt(plane), words
        which = [{"images": [shown], "large": True}]
    printed, many = dict(outcome.printed), data.nouns.features
    answer = printed.pop("The answer in numbers")
    pairs = list(zip(answer["Number"], answer["Value"], strict=True))
    noted = [{"notice": f"Every {data.nouns.feature} ties: there is no order."}]
    examples: list[Section] = []
    if fit.regime not in UNRANKED:
        noted = [{"notice": one.sentence} for one in outcome.findings[1:]]
        best = min(fit.n_kept if top_k is None else top_k, fit.n_kept)
        if shape is not None:
            mask = pictures.top_mask(fit.feature_order, best, shape)
            words = f"The best {best:,} pixels, light."
            which.append({"images": [(pictures.mask_rgb(mask), pictures.mask_alt(mask), words)]})
        if shape is not None and example is not None:
            examples = [_example(fit, best, shape, example)]
    proof = [{"words": answer.attrs["note"]}, {"row": [sure, {"facts": pairs[6:]}]}]
    return [
        ("The answer in numbers", [{"facts": pairs[:6], "large": True}]),
        (f"Which {many}?", [{"row": [*which, fall]}]),
        *examples,
        ("How close is this to the best possible?", proof),
        (f"The best {many}", [*noted, *(_table(frame) for frame in printed.values())]),
    ]


def _example(fit: fitted.Fit, best: int, shape: tuple[int, int], example: Example) -> Section:
    image, again, name = np.asarray(example[0]), np.clip(example[1], 0.0, 1.0), example[2]
    mask = pictures.top_mask(fit.feature_order, best, shape)
    seen, alt = pictures.masked_rgb(image, mask), pictures.mask_alt(mask)
    rebuilt = pictures.face_alt(again, "Reconstruction")
    shown = [
        (pictures.grey(image), pictures.face_alt(image), f"Original: {name}"),
        (seen, alt, f"Seen through the best {best:,} pixels"),
        (pictures.grey(again), rebuilt, "Reconstruction"),
    ]
    terms = "An image of the data is in this report: mind their terms when you pass it on."
    return "What is left of one picture?", [{"images": shown}, {"words": terms, "small": True}]


def _table(frame: pd.DataFrame) -> Block:
    """A table of text; the first column names the row, columns may have two levels."""
    last = frame.columns.nlevels - 1
    heads = [
        [(text, len(list(same))) for text, same in groupby(frame.columns.get_level_values(level))]
        for level in range(last)
    ]
    heads.append([(str(text), 1) for text in frame.columns.get_level_values(last)])
    rows = frame.to_numpy(dtype=object).tolist()
    return {"table": {"heads": heads, "rows": rows, "note": frame.attrs.get("note", "")}}


def _chart(title: str, figure: go.Figure) -> Block:
    """A figure of Plotly's for both papers, drawn by the reader's browser."""
    take_title(figure)
    papers = {"light": figure, "dark": on_dark(figure)}
    return {
        "chart": {
            "name": re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-"),
            "title": title,
            "alt": (figure.layout.meta or {}).get("alt", title),
            "height": int(figure.layout.height or 360),
            "json": {name: json.loads(one.to_json()) for name, one in papers.items()},
        }
    }


@cache
def _template() -> jinja2.Template:
    loader = jinja2.PackageLoader("cspca.report", "")
    surroundings = jinja2.Environment(
        loader=loader, autoescape=True, trim_blocks=True, undefined=jinja2.StrictUndefined
    )
    surroundings.policies["json.dumps_kwargs"] = {"separators": (",", ":"), "allow_nan": False}
    surroundings.tests["strong"] = lambda cell: type(cell).__name__ == "Strong"
    surroundings.filters |= {"uri": pictures.data_uri, "mark": _MARKS.__getitem__}
    return surroundings.get_template("page.html.j2")


@cache
def _plotly() -> str:
    from plotly.offline import get_plotlyjs

    return str(get_plotlyjs())
