"""Compare: every method on the data set in use, by clustering on what it selects."""

import math
import re
from html import escape

import numpy as np
import streamlit as st

from cspca.datasets import Dataset
from cspca.evaluation import METRICS, Comparison
from cspca.experiments.compare import Compare
from cspca.experiments.experiment import Outcome
from cspca.experiments.service import RunView
from cspca.experiments.steps import has_classes
from cspca.figures.pictures import face_alt, grey, mask_alt, masked_rgb
from cspca.paper.numbers import METHODS_IN_PAPER, PAPER_SETS
from cspca.selection import METHODS
from cspca.ui import charts, fields, frame, keys, pictures, samples
from cspca.ui.experiment_page import ExperimentPage
from cspca.ui.export import Chart
from cspca.ui.plain import plain
from cspca.ui.tables import table
from cspca.ui.theme import is_dark

INITS = {"random": "Random", "k-means++": "k-means++"}
GRIDS = {False: "Defaults", True: "The paper’s grid"}
SPEC = {"phi1": "φ₁", "phi2": "φ₂", "phi3": "φ₃"}
LISTED = 12
FEW = 4
HELPS = {
    "Best of grid": "As the paper reports it: chosen on the very runs it reports",
    "Chosen without labels": "Chosen by the silhouette, which sees no label",
    "Against all": "Paired difference from All features, with its 95 % interval",
    "Choices": "Parameter sets × numbers that were chosen from",
    "Time to rank": "Mean over the parameter sets",
}


def usual_counts(dataset: Dataset) -> tuple[int, ...]:
    """Numbers of features to begin with: the paper's for its sets, else five spread out."""
    shape = (dataset.n_samples, dataset.n_features, n_classes(dataset))
    for known in PAPER_SETS.values():
        if shape == (known.n_samples, known.n_features, known.n_classes):
            return known.feature_counts
    d = dataset.n_features
    step = max(1, 10 ** int(math.log10(d)) // 20)
    rounded = {step * max(1, round(share * d / step)) for share in (0.1, 0.3, 0.5, 0.7, 0.9)}
    return tuple(sorted({min(count, d) for count in rounded}))


def n_classes(dataset: Dataset) -> int:
    return 0 if dataset.target is None else len(np.unique(dataset.target))


def usual(dataset: Dataset) -> Compare:
    # Without labels a modest guess: some methods need more features than clusters.
    guess = max(2, min(10, dataset.n_samples // 4, dataset.n_features // 2))
    clusters = n_classes(dataset) if has_classes(dataset) else guess
    return Compare(
        methods=METHODS_IN_PAPER,
        n_features=usual_counts(dataset),
        n_clusters=clusters,
        grids={"spec": [{"function": "phi1"}]},
    )


def controls(dataset: Dataset) -> Compare:
    many = dataset.nouns.features
    _about_labels(dataset)
    chosen = st.pills(
        "Methods",
        list(METHODS),
        selection_mode="multi",
        format_func=lambda key: METHODS[key].title,
        key=fields.key(Compare, "methods"),
        wrap=True,
        persist_state="session",
        help="The first seven are the paper’s.  \n"
        + "  \n".join(f"**{method.title}**: {method.note}" for method in METHODS.values()),
    )
    text = st.text_input(
        f"Numbers of {many}",
        key=fields.key(Compare, "n_features"),
        max_chars=200,
        persist_state="session",
        help=f"How many {many} are selected, each in turn; whole numbers, separated by commas.",
    )
    left, right = st.columns(2, vertical_alignment="bottom")
    with left:
        fields.number(Compare, "n_seeds", least=2, most=200)
    with right:
        fields.number(Compare, "n_clusters", least=2, placeholder=str(n_classes(dataset)))
    _about_clusters(dataset)
    tune = fields.choice(
        Compare,
        "tune",
        GRIDS,
        "Parameters of the methods",
        help="Defaults: one fit a method. The paper’s grid: every parameter is tried at 10⁻⁶, "
        "10⁻⁴, 10⁻², 1, 10², 10⁴ and 10⁶, two of them together: 49 fits.",
    )
    if tune and has_classes(dataset):
        st.caption(
            "The best of the grid is chosen by the labels, as in the paper. What is chosen on one "
            "half of the starts and scored on the other is chosen by the labels too."
        )
    elif tune:
        st.caption("The best of the grid is chosen by the very measure that is shown.")
    with st.expander("More", icon=":material/settings:"):
        fields.choice(Compare, "init", INITS)
        st.session_state.setdefault(keys.COMPARE_SPEC, "phi1")
        function = st.segmented_control(
            "SPEC’s function",
            list(SPEC),
            format_func=SPEC.__getitem__,
            key=keys.COMPARE_SPEC,
            required=True,
            persist_state="session",
            disabled="spec" not in chosen,
            help="φ₂ equals the Laplacian Score, so φ₁ is taken unless you say otherwise.",
        )
    if not chosen:
        raise ValueError("No method is chosen: choose at least one.")
    wanted = set(chosen)
    return fields.asked(
        Compare,
        methods=tuple(key for key in METHODS if key in wanted),
        n_features=counts(text, dataset),
        grids={"spec": [{"function": function}]},
    )


def counts(text: str, dataset: Dataset) -> tuple[int, ...]:
    """Read numbers of features; ValueError says why they make no sense."""
    nouns, most = dataset.nouns, dataset.n_features
    parts = [part for part in re.split(r"[\s,;]+", text) if part]
    if not parts or not all(re.fullmatch(r"[0-9]{1,9}", part) for part in parts):
        raise ValueError("Write whole numbers separated by commas, such as 10, 20, 50.")
    found = tuple(sorted({int(part) for part in parts}))
    if found[0] < 1:
        raise ValueError(f"At least 1 {nouns.feature} must be selected.")
    if found[-1] > most:
        raise ValueError(
            f"{nouns.a_sample.capitalize()} has {nouns.count_features(most)}, so "
            f"{found[-1]:,} cannot be selected: ask for at most {most:,}."
        )
    return found


def _about_labels(dataset: Dataset) -> None:
    if has_classes(dataset):
        return
    st.info(
        f"These {dataset.nouns.samples} have no classes: methods are compared by silhouette, "
        "stability and reconstruction, which need none."
    )


def _about_clusters(dataset: Dataset) -> None:
    clusters = st.session_state.get(fields.key(Compare, "n_clusters"))
    if not has_classes(dataset) or clusters is None:
        return
    if clusters == n_classes(dataset):
        st.caption(
            f"The number of clusters is read from the labels: {clusters} classes. K-means and some "
            "methods are told it."
        )
    else:
        st.caption(
            f"The labels have {n_classes(dataset)} classes. ACC maps every cluster to one class at "
            "most, so that another number of clusters costs it."
        )


def body(outcome: Outcome, dataset: Dataset, run: RunView) -> None:
    kind = outcome.experiment
    assert isinstance(kind, Compare)
    done = kind.comparison(outcome.results, dataset, outcome.failures)
    printed = {METRICS[name].title: name for name in done.metrics}
    offered = [printed[title] for title in outcome.printed]
    if not offered:
        return
    if st.session_state.get(keys.COMPARE_METRIC) not in offered:
        st.session_state[keys.COMPARE_METRIC] = offered[0]
    metric = str(
        st.segmented_control(
            "Compare by",
            offered,
            format_func=lambda name: METRICS[name].short,
            key=keys.COMPARE_METRIC,
            required=True,
            persist_state="session",
            label_visibility="collapsed",
        )
    )
    how = METRICS[metric]
    nouns = dataset.nouns
    rows = done.table(metric)
    if outcome.findings:
        st.markdown(f"**{plain(outcome.findings[0].sentence)}**")
    with st.container(key="compare_table"):
        table(
            # What is best with which parameters stands in the files; here the table has to fit.
            outcome.printed[how.title]
            .drop(columns="Parameters of the best", errors="ignore")
            .map(in_two_lines),
            f"{how.title} of every method",
            helps=HELPS,
            best=[at for at, row in enumerate(rows) if row.mark == "best"],
        )
    waits = [
        title for key, title in done.plan.titles.items() if key not in {r.method for r in rows}
    ]
    if waits and run.active:
        st.caption(f"Still to come: {', '.join(waits)}.")
    st.caption(how.meaning.format(a_sample=nouns.a_sample, samples=nouns.samples,
                                  features=nouns.features))  # fmt: skip
    for found in outcome.findings[1:]:
        if not found.numbers:
            st.info(plain(found.sentence), icon=":material/info:")
    drawn = kind.metric_figures(done, metric, dataset, dark=is_dark())
    for place, (name, figure) in zip(st.columns(2, gap="large"), drawn.items(), strict=False):
        with place:
            st.subheader(name, anchor=False)
            at = "bars" if name == next(iter(drawn)) else "curves"
            with st.container(key=f"compare_{at}_box"):
                charts.show(figure, f"compare_{at}", of=dataset.name, name=at)
    st.subheader(f"Which {nouns.features} does each method select?", anchor=False)
    k = selections(done, dataset, metric)
    others = kind.other_figures(done, dataset, n_features=k, metric=metric, dark=is_dark())
    for place, (name, figure) in zip(st.columns(2, gap="large"), others.items(), strict=False):
        with place:
            st.subheader(name, anchor=False)
            at = "times" if "cost" in name else "overlap"
            with st.container(key=f"compare_{at}_box"):
                charts.show(figure, f"compare_{at}", of=dataset.name, name=at)


def in_two_lines(cell: str) -> str:
    """Put below a number what is said of it: at how many features, between which limits."""
    return type(cell)(re.sub(r" (?=\(|at )", "\n", cell, count=1))


def selections(done: Comparison, dataset: Dataset, metric: str) -> int:
    """Draw what every method selects, and return the number of features that was chosen."""
    tasks = [task for task in done.plan.tasks if task.method != done.plan.baseline]
    known = sorted({k for task in tasks for k in task.n_features}) or [dataset.n_features]
    if st.session_state.get(keys.COMPARE_K) not in known:
        # One or two features say little of a method, and all of them nothing.
        some = [k for k in known if k < dataset.n_features] or known
        st.session_state[keys.COMPARE_K] = next((k for k in some if k >= FEW), some[-1])
    left, right = st.columns([3, 2], gap="large")
    with left:
        k = st.segmented_control(
            f"Selected {dataset.nouns.features}",
            known,
            format_func=lambda one: f"{one:,}",
            key=keys.COMPARE_K,
            required=True,
            persist_state="session",
        )
    k = int(k or known[0])
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
            index = samples.choose(
                dataset, keys.FACE, "Which picture of the data set is shown below."
            )
        image = dataset.image(index)
        name = samples.sample_name(dataset, index)
        shown = [pictures.figure(grey(image), face_alt(image), f"Original: {name}")]
        for key, one in chosen.items():
            mask = np.zeros(dataset.n_features, dtype=bool)
            mask[one] = True
            mask = mask.reshape(dataset.image_shape)
            title = METHODS[key].title
            alt = f"{title}: {mask_alt(mask)}"
            shown.append(pictures.figure(masked_rgb(image, mask), alt, title))
    with st.container(key=keys.BOX_MASKS):
        st.html(f'<div class="cspca-masks">{"".join(shown)}</div>')
    if len({task.text for task in tasks}) > len(chosen):
        st.caption(
            f"Every method with the parameters of its best {METRICS[metric].short} at this number "
            f"of {dataset.nouns.features}."
        )
    return k


def _names(title: str, chosen: np.ndarray, dataset: Dataset) -> str:
    names = dataset.feature_names
    listed = chosen[:LISTED].tolist()
    items = "".join(
        f"<li>{escape(f'feature {j + 1}' if names is None else names[j])}</li>" for j in listed
    )
    return f'<div class="cspca-said"><b>{escape(title)}</b><ol>{items}</ol></div>'


def steps(dataset: Dataset) -> list[str]:
    nouns = dataset.nouns
    judged = "The clusters are held against the classes"
    if not has_classes(dataset):
        judged = "The clusters are judged by themselves"
    return [
        f"Each method ranks the {nouns.features} without seeing any label.",
        f"The {nouns.samples} are clustered by K-means on the best {nouns.features} of each "
        "method, many times, from the same starts for all.",
        f"{judged}, and every figure comes with its spread, its paired difference from using "
        "everything, and a mark for what is best.",
    ]


PAGE = ExperimentPage(
    kind=Compare,
    button="Compare",
    usual=usual,
    controls=controls,
    body=body,
    steps=steps,
    charts=lambda outcome: [
        Chart("compare_bars_box", "Scores", "compare-bars"),
        Chart("compare_curves_box", "Curves", "compare-curves"),
        Chart("compare_overlap_box", "Overlap", "compare-overlap"),
        Chart("compare_times_box", "Times", "compare-times"),
    ],
)

frame.page(
    title=lambda nouns: f"Which method picks the best {nouns.features}?",
    lead=lambda nouns: (
        f"Every method selects {nouns.features}, K-means clusters the {nouns.samples} by them, and "
        "the clusters are compared: the same starts for all, with error bars."
    ),
    body=PAGE.show,
)
