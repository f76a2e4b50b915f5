"""What the Compare page shows of a comparison: its table, figures and selections."""

from __future__ import annotations

import math
import re
from html import escape
from typing import Any, Final

import numpy as np
import streamlit as st

from cspca.datasets import Dataset
from cspca.evaluation import METRICS, Comparison
from cspca.experiments.experiment import Outcome
from cspca.experiments.fit import feature_name
from cspca.experiments.store import RunRecord
from cspca.figures.pictures import face_alt, grey, mask_alt, masked_rgb
from cspca.paper.recognition import recognised
from cspca.selection import METHODS
from cspca.ui import charts, fields, pictures, samples
from cspca.ui.plain import plain
from cspca.ui.tables import table

LISTED: Final = 12


def usual_counts(dataset: Dataset) -> tuple[int, ...]:
    """Numbers of features to begin with: the paper's for its sets, else five spread out."""
    of, same, _ = recognised(dataset)
    d = dataset.n_features
    if of is not None and same and of.n_features == d:
        return of.feature_counts
    step = max(1, 10 ** int(math.log10(d)) // 20)
    rounded = {step * max(1, round(share * d / step)) for share in (0.1, 0.3, 0.5, 0.7, 0.9)}
    return tuple(sorted({min(count, d) for count in rounded}))


def n_classes(dataset: Dataset) -> int:
    """How many classes have samples."""
    return 0 if dataset.target is None else len(np.unique(dataset.target))


def body(outcome: Outcome, dataset: Dataset, run: RunRecord) -> None:
    """Lay out what there is."""
    kind: Any = outcome.experiment
    done = kind.comparison(outcome.results, dataset)
    shorts = {
        name: METRICS[name].short for name in done.metrics if METRICS[name].title in outcome.printed
    }
    if not shorts:
        return
    metric = fields.views("Compare by", shorts, "compare_metric")
    how, nouns = METRICS[metric], dataset.nouns
    rows = done.table(metric)
    if outcome.findings:
        st.markdown(f"**{plain(outcome.findings[0].sentence)}**")
    # What is best with which parameters stands in the files; here the table has to fit.
    shown = outcome.printed[how.title].drop(columns="Parameters of the best", errors="ignore")
    with st.container(key="compare_table"):
        table(
            shown.map(_in_two_lines),
            f"{how.title} of every method",
            best=[at for at, row in enumerate(rows) if row.mark == "best"],
        )
    there = {row.method for row in rows}
    waits = [title for key, title in done.plan.titles.items() if key not in there]
    if waits and run.active:
        st.caption(f"Still to come: {', '.join(waits)}.")
    words = {"a_sample": nouns.a_sample, "samples": nouns.samples, "features": nouns.features}
    st.caption(how.meaning.format(**words))
    for found in outcome.findings[1:]:
        if not found.numbers:
            st.info(plain(found.sentence), icon=":material/info:")
    drawn = kind.metric_figures(done, metric, dataset)
    charts.beside(drawn, "compare", dataset.name, bars="Scores", curves="Curves")
    st.subheader(f"Which {nouns.features} does each method select?", anchor=False)
    k = _selections(done, dataset, metric)
    drawn = kind.other_figures(done, dataset, n_features=k, metric=metric)
    labels = {"overlap": "Overlap", "times": "Times"} if len(drawn) > 1 else {"times": "Times"}
    charts.beside(drawn, "compare", dataset.name, **labels)


def _in_two_lines(cell: str) -> str:
    """Put below a number what is said of it: at how many features, between which limits."""
    return type(cell)(re.sub(r" (?=\(|at )", "\n", cell, count=1))


def _selections(done: Comparison, dataset: Dataset, metric: str) -> int:
    """Draw what every method selects, and return the number of features that was chosen."""
    tasks = [task for task in done.plan.tasks if task.method != done.plan.baseline]
    known = sorted({k for task in tasks for k in task.n_features}) or [dataset.n_features]
    # Three features or fewer say little of a method, and all of them nothing.
    some = [k for k in known if k < dataset.n_features] or known
    start = next((k for k in some if k > 3), some[-1])
    left, right = st.columns([3, 2], gap="large")
    with left:
        label = f"Selected {dataset.nouns.features}"
        k = int(fields.switch(label, {k: f"{k:,}" for k in known}, "compare_masks_of", start=start))
    ranked = {method for method, _ in done.rankings}
    chosen = {
        key: done.selection(key, k, metric)
        for key in dict.fromkeys(task.method for task in tasks)
        if key in ranked
    }
    if dataset.image_shape is None:
        shown = [_names(METHODS[key].title, one, dataset) for key, one in chosen.items()]
        if k > LISTED:
            st.caption(f"The first {LISTED} of {k:,}, best first.")
    else:
        with right:
            said = "Which picture of the data set is shown below."
            index = samples.choose(dataset, "face_slider", said)
        image, name = dataset.image(index), samples.sample_name(dataset, index)
        shown = [pictures.figure(grey(image), face_alt(image), f"Original: {name}")]
        for key, one in chosen.items():
            mask = np.isin(np.arange(dataset.n_features), one).reshape(dataset.image_shape)
            title = METHODS[key].title
            alt = f"{title}: {mask_alt(mask)}"
            shown.append(pictures.figure(masked_rgb(image, mask), alt, title))
    with st.container(key="method_masks"):
        st.html(f'<div class="cspca-masks">{"".join(shown)}</div>')
    if len({task.text for task in tasks}) > len(chosen):
        st.caption(
            f"Every method with the parameters of its best {METRICS[metric].short} at this number "
            f"of {dataset.nouns.features}."
        )
    return k


def _names(title: str, chosen: np.ndarray, dataset: Dataset) -> str:
    items = "".join(
        f"<li>{escape(feature_name(dataset, j))}</li>" for j in chosen[:LISTED].tolist()
    )
    return f'<div class="cspca-said"><b>{escape(title)}</b><ol>{items}</ol></div>'
