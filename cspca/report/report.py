"""The report of any experiment: one template, and what stands in it, read off an outcome."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import jinja2

from cspca.datasets.record import shape_in_words
from cspca.experiments.exports import slug
from cspca.experiments.fit import Fit
from cspca.experiments.records import versions as versions_here
from cspca.experiments.settings import said
from cspca.report import fit
from cspca.report.blocks import Block, Section, chart, facts, section, table

if TYPE_CHECKING:
    from cspca.datasets import Dataset
    from cspca.experiments.experiment import Finding, Outcome
    from cspca.experiments.records import RunRecord

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
    charts = {title: chart(title, one) for title, one in outcome.figures().items()}
    kind = outcome.experiment
    one_fit = isinstance(kind, Fit)
    own = fit.sections(outcome, charts, **more) if one_fit else _sections(outcome, charts)
    versions: Mapping[str, str] = versions_here()
    made = time.time()
    if run is not None:
        made, seconds = run.updated, run.seconds
        versions = run.versions[-1] if run.versions else versions
    pairs = [("Run", name), *said(kind).items()]
    if not outcome.complete:
        pairs.append(("So far", f"{len(outcome.results):,} of {len(outcome.cells):,} cells"))
    pairs.append(("Computed", time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(made))))
    if seconds is not None:
        pairs.append(("Computing time", f"{seconds:,.3g} s"))
    pairs.append(("Versions", ", ".join(f"{of} {number}" for of, number in versions.items())))
    sections = [
        *own,
        _data(outcome.data),
        section("How was it computed?", facts(pairs)),
        _python(outcome),
        _citing(outcome.data, versions.get("cspca", "")),
    ]
    return _template().render(
        title=kind.question.format(title=kind.title, data=outcome.data),
        lead=outcome.findings[0].sentence if outcome.findings else "",
        sections=sections,
        stem=f"cspca-{slug(outcome.data.name) or 'data'}",
        plotly=_plotly() if charts else "",
    )


def _sections(outcome: Outcome, charts: Mapping[str, Block]) -> list[Section]:
    """Findings, figures and tables, in this order."""
    found: list[Section] = []
    said = outcome.findings[1:] if len(outcome.findings) > 1 else outcome.findings
    if said:
        found.append(section("What was found", findings(said)))
    if charts:
        found.append(section("In pictures", {"row": list(charts.values())}))
    found += [section(title, table(frame)) for title, frame in outcome.printed.items()]
    if outcome.failures:
        sentences = sorted(set(outcome.failures.values()))
        found.append(section("What could not be computed", *({"words": one} for one in sentences)))
    return found


def findings(found: Sequence[Finding]) -> Block:
    """Sentences, each with its verdict where it judges a claim."""
    return {"findings": [vars(one) | {"verdict": _MARKS.get(one.verdict, "")} for one in found]}


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


def _python(outcome: Outcome) -> Section:
    blocks, recipe = [{"code": outcome.snippet}], outcome.data.recipe
    bring = outcome.data.name if recipe is None else recipe.bring
    if bring:
        blocks.append({"words": f"Run them in a folder that holds {bring}.", "small": "yes"})
    return section("The same from Python", *blocks)


def _citing(data: Dataset, version: str) -> Section:
    blocks = [
        {"words": "The method, and this software:"},
        {"code": CITATION.replace("VERSION", version)},
    ]
    if data.source:
        blocks.append({"words": f"The data: {data.name}, {data.source}.", "small": "yes"})
    return section("How to cite", *blocks)


@cache
def _template() -> jinja2.Template:
    loader = jinja2.PackageLoader("cspca.report", "")
    surroundings = jinja2.Environment(
        loader=loader, autoescape=True, trim_blocks=True, undefined=jinja2.StrictUndefined
    )
    surroundings.policies["json.dumps_kwargs"] = {"separators": (",", ":"), "allow_nan": False}
    surroundings.tests["strong"] = lambda cell: type(cell).__name__ == "Strong"
    return surroundings.get_template("page.html.j2")


@cache
def _plotly() -> str:
    from plotly.offline import get_plotlyjs

    return str(get_plotlyjs())
