"""The report of any experiment: one template, and what stands in it, read off an outcome."""

from __future__ import annotations

import time
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import jinja2

from cspca.datasets.record import shape_in_words
from cspca.experiments.exports import slug
from cspca.experiments.fit import Fit
from cspca.experiments.records import versions as versions_here
from cspca.experiments.settings import said
from cspca.report import fit
from cspca.report.blocks import Section, chart, code, facts, row, section, table, words

if TYPE_CHECKING:
    from cspca.datasets import Dataset
    from cspca.experiments.experiment import Outcome

CITATION = """\
@article{chang2014convex,
  title   = {A Convex Sparse {PCA} for Feature Analysis},
  author  = {Chang, Xiaojun and Nie, Feiping and Yang, Yi and Huang, Heng},
  journal = {arXiv preprint arXiv:1411.6233},
  year    = {2014}
}
@software{cspca_studio,
  title   = {{CSPCA} Studio: convex sparse {PCA} with a certificate of global optimality},
  author  = {{The CSPCA Studio developers}},
  version = {VERSION}
}"""
"""BibTeX of the paper and of this software."""

_MARKS = {
    "holds": "● holds",
    "partly": "◐ holds in part",
    "open": "≈ no clear difference",
    "fails": "○ does not hold",
    "untested": "– not tested here",
}


def report(
    outcome: Outcome,
    *,
    name: str = "",
    made: float | None = None,
    seconds: float | None = None,
    versions: Mapping[str, str] | None = None,
    **more: Any,
) -> str:
    """Write the report of an experiment, as far as it got.

    Parameters
    ----------
    outcome : Outcome
    name : str, default=""
        Of the kept run. Its id is not in the report: whoever has that may look at the run.
    made : float or None, default=None
        When it was computed, in seconds since 1970; None is now.
    seconds : float or None, default=None
        Of computing.
    versions : mapping or None, default=None
        Of the libraries at work; None is those here and now.
    **more
        For a fit: ``top_k`` features are marked, and ``example`` is an image of the data, its
        reconstruction and its name, for those who may pass it on.

    Returns
    -------
    str
        HTML that needs nothing beside it and asks nobody for anything.
    """
    if not outcome.results:
        raise ValueError(f"Nothing of {name or 'this run'} is finished yet: resume it first.")
    kind = outcome.experiment
    one_fit = isinstance(kind, Fit)
    own = fit.sections(outcome, **more) if one_fit else _sections(outcome)
    found = versions or versions_here()
    sections = [
        *own,
        _data(outcome.data),
        _settings(outcome, name, made, seconds, found),
        section("The same from Python", code(outcome.snippet), *_bring(outcome.data)),
        _citing(outcome.data, found.get("cspca", "")),
    ]
    lead = outcome.findings[0].sentence if outcome.findings else ""
    charts = "'chart'" in repr([one["blocks"] for one in own])
    return _template().render(
        title=kind.question.format(title=kind.title, data=outcome.data),
        lead=lead,
        sections=sections,
        stem=f"cspca-{slug(outcome.data.name) or 'data'}",
        style=_text("page.css"),
        script=_text("page.js"),
        charts=charts,
        plotly=_plotly() if charts else "",
    )


def _sections(outcome: Outcome) -> list[Section]:
    """Findings, figures and tables, in this order."""
    found: list[Section] = []
    said = outcome.findings[1:] if len(outcome.findings) > 1 else outcome.findings
    if said:
        found.append(section("What was found", findings(said)))
    charts = [chart(title, one) for title, one in outcome.figures().items()]
    if charts:
        found.append(section("In pictures", row(*charts)))
    found += [section(title, table(frame)) for title, frame in outcome.printed.items()]
    if outcome.failures:
        sentences = sorted(set(outcome.failures.values()))
        found.append(section("What could not be computed", *(words(one) for one in sentences)))
    return found


def findings(found: Any) -> dict[str, Any]:
    """Sentences, each with its verdict where it judges a claim."""
    lines = [
        {
            "verdict": _MARKS.get(one.verdict, one.verdict),
            "sentence": one.sentence,
            **{key: getattr(one, key, "") for key in ("claim", "where", "number", "rests")},
        }
        for one in found
    ]
    return {"findings": lines}


def _data(data: Dataset) -> Section:
    size = shape_in_words(data.n_samples, data.n_features, data.image_shape, data.n_classes)
    pairs = [
        ("Name", data.name),
        ("Size", size),
        ("Source", data.source),
        ("Terms", data.licence),
        ("SHA-256 of the content", data.sha256),
    ]
    return section("Which data?", facts(pairs))


def _settings(
    outcome: Outcome,
    name: str,
    made: float | None,
    seconds: float | None,
    versions: Mapping[str, str],
) -> Section:
    experiment = outcome.experiment
    pairs = [("Run", name)]
    pairs += said(experiment).items()
    if not outcome.complete:
        pairs.append(("So far", f"{len(outcome.results):,} of {len(outcome.cells):,} cells"))
    at = time.gmtime(time.time() if made is None else made)
    pairs.append(("Computed", time.strftime("%Y-%m-%d %H:%M UTC", at)))
    if seconds is not None:
        pairs.append(("Computing time", f"{seconds:,.3g} s"))
    pairs.append(("Versions", ", ".join(f"{of} {number}" for of, number in versions.items())))
    return section("How was it computed?", facts(pairs))


def _bring(data: Dataset) -> list[dict[str, Any]]:
    bring = getattr(data.recipe, "bring", "") if data.recipe is not None else data.name
    return [words(f"Run them in a folder that holds {bring}.", small=True)] if bring else []


def _citing(data: Dataset, version: str) -> Section:
    blocks = [
        words("The method, and this software:"),
        code(CITATION.replace("VERSION", version)),
    ]
    if data.source:
        blocks.append(words(f"The data: {data.name}, {data.source}.", small=True))
    return section("How to cite", *blocks)


@cache
def _template() -> jinja2.Template:
    loader = jinja2.PackageLoader("cspca.report", "")
    surroundings = jinja2.Environment(
        loader=loader, autoescape=True, trim_blocks=True, undefined=jinja2.StrictUndefined
    )
    surroundings.tests["strong"] = lambda cell: type(cell).__name__ == "Strong"
    return surroundings.get_template("page.html.j2")


@cache
def _text(name: str) -> str:
    return files("cspca.report").joinpath(name).read_text(encoding="utf-8")


@cache
def _plotly() -> str:
    from plotly.offline import get_plotlyjs

    return str(get_plotlyjs())
