"""The Methods tab of Compare: all methods on the data in use, scored by clustering."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from html import escape
from typing import Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from cspca.datasets import Dataset, DatasetError, ReadCancelledError
from cspca.datasets.axis import Axis
from cspca.evaluation import (
    METRICS,
    Comparison,
    clustering_accuracy,
    normalized_mutual_information,
)
from cspca.evaluation.comparison import Row
from cspca.evaluation.metrics import agreement
from cspca.evaluation.steps import usual_counts
from cspca.experiments.compare import (
    MOST,
    Compare,
    how_compared,
    lead,
    look,
    metrics_shown,
    read,
    telling,
    unranked_words,
)
from cspca.experiments.comparison_table import heads_over
from cspca.experiments.cost import by_size
from cspca.experiments.experiment import Outcome
from cspca.experiments.fit import feature_name
from cspca.experiments.jobs import Job
from cspca.experiments.limits import limits
from cspca.experiments.memory import of_data
from cspca.experiments.rankings import (
    OpenRanking,
    Uploads,
    read_uploads,
    understood_together,
)
from cspca.experiments.reproducibility import Reproducibility
from cspca.experiments.settings import text_of
from cspca.experiments.steps import rank_cell
from cspca.figures.curves import selected_ranges
from cspca.figures.meanings import MEANINGS, Meaning
from cspca.figures.pictures import mask_alt, masked_rgb
from cspca.figures.words import duration
from cspca.paper.numbers import METRIC_TITLES, feature_counts, recognised
from cspca.selection import METHODS
from cspca.selection.registry import METHODS_IN_PAPER
from cspca.ui import export, fields, follow, keys, pictures, programs, state
from cspca.ui.data_page.sources import taken, widget_key
from cspca.ui.experiment_page import ExperimentPage
from cspca.ui.plain import button, facts, guarded, plain, table
from cspca.ui.services import services
from cspca.ui.windows import Glance

_LARGEST = 16
"""Largest size of a file of scores, in MB."""

_SPEC_FUNCTION = "compare_spec_function"

SLOW = 5.0
"""Seconds from which on the time of a single method is shown."""


def usual(dataset: Dataset) -> Compare:
    """Return the paper's methods, at numbers of features from a few to half of all."""
    d = dataset.n_features
    # Without labels the guess is small: some methods need more features than clusters.
    guess = max(2, min(10, dataset.n_samples // 4, d // 2))
    return Compare(
        methods=METHODS_IN_PAPER,
        n_features=usual_counts(d),
        n_clusters=_n_classes(dataset) or guess,
        grids={"spec": [{"function": "phi1"}]},
    )


def quick(dataset: Dataset) -> Iterator[Compare]:
    """Yield fewer numbers of features and starts, then also fewer of the slow methods."""
    whole = usual(dataset)
    few = replace(whole, n_features=whole.n_features[::2], n_seeds=5)
    yield few
    few = replace(few, n_draws=10)
    yield few
    yield replace(few, methods=("all", "variance", "laplacian", "spec", "cspca"))
    yield replace(few, methods=("all", "variance", "cspca"))


def _n_classes(dataset: Dataset) -> int:
    """Return the number of classes with samples, or 0 where clusters have no labels."""
    return len(np.unique(dataset.labelled_target)) if dataset.has_classes else 0


def controls(dataset: Dataset) -> Compare:
    """Draw the settings and return the experiment; ValueError describes an invalid setting."""
    many, n_classes = dataset.nouns.features, _n_classes(dataset)
    if not n_classes:
        st.info(
            f"{dataset.without_scores}: methods are compared by silhouette, cluster stability and "
            "reconstruction, which need no classes."
        )
    titles = {key: method.title for key, method in METHODS.items()}
    hint = "The first seven are the paper’s."
    about = "  \n".join(f"**{method.title}**: {method.note}" for method in METHODS.values())
    if not programs.reads():
        hint += f"  \n{about}"
    chosen = _methods(titles, hint)
    if programs.reads():
        with (box := programs.fold(st.expander, "What each method keeps", "compare_about")):
            if programs.is_drawn(box):
                st.markdown(about)
    for sentence in costly(chosen, dataset, n_classes):
        st.caption(sentence)
    _yours(dataset)
    st.text_input(
        f"Numbers of {many}",
        **fields.persistent(fields.key(Compare, "n_features")),
        max_chars=200,
        help=f"How many {many} are selected, each in turn; whole numbers, separated by commas.",
    )
    papers = feature_counts(recognised(dataset).paper_set, dataset.n_features)
    button(
        "The paper’s numbers",
        "compare_papers",
        "article",
        _take,
        text_of(papers).replace(",", ", "),
    )
    left, right = st.columns(2, vertical_alignment="bottom")
    fields.number(Compare, "n_seeds", least=2, most=200, place=left)
    placeholder = str(n_classes)
    clusters = fields.number(Compare, "n_clusters", least=2, placeholder=placeholder, place=right)
    if n_classes and clusters == n_classes:
        st.caption(
            f"The number of clusters is read from the labels: {clusters} classes. K-means and some "
            "methods use this number."
        )
    elif n_classes and clusters is not None:
        st.caption(
            f"The labels have {n_classes} classes. ACC maps every cluster to one class at most, so "
            "that another number of clusters costs it."
        )
    _own()
    tune = fields.choice(
        Compare,
        "tune",
        {False: "Defaults", True: "The paper’s grid"},
        "Parameters of the methods",
        help="Defaults: one fit a method. The paper’s grid: every parameter is tried at 10⁻⁶, "
        "10⁻⁴, 10⁻², 1, 10², 10⁴ and 10⁶, two of them together: 49 fits.",
    )
    if tune and n_classes:
        st.caption(
            "The best of the grid is chosen by the labels, as in the paper. What is chosen on one "
            "half of the starts and scored on the other is chosen by the labels too."
        )
    elif tune:
        st.caption("The best of the grid is chosen by the very measure that is shown.")
    _reproducibility(dataset, tune)
    icon = ":material/settings:"
    with (expander := programs.fold(st.expander, "More", "compare_more", icon=icon)):
        if programs.is_drawn(expander):
            _rare_controls(chosen)
    if not chosen:
        raise ValueError("No method is chosen: choose at least one.")
    return fields.read(
        Compare,
        methods=tuple(key for key in METHODS if key in chosen),
        grids={"spec": [{"function": st.session_state.get(_SPEC_FUNCTION, "phi1")}]},
    )


def _methods(titles: Mapping[str, str], hint: str) -> list[str]:
    """Draw the choice of methods: those of the paper, those that are chosen, and on request all."""
    session, at = st.session_state, fields.key(Compare, "methods")
    # One that was chosen stays where it was, also where it is not any more.
    seen: set[str] = session.setdefault(keys.COMPARE_METHODS_SEEN, {*METHODS_IN_PAPER})
    seen |= {*session.get(at, ())}
    shows_all = programs.reads() or session.get(keys.COMPARE_ALL_METHODS)
    in_sight = {*titles} if shows_all else seen
    offered = {key: title for key, title in titles.items() if key in in_sight}
    chosen: list[str] = fields.choice(Compare, "methods", offered, help=hint)
    if n_more := len(titles) - len(offered):
        button(
            f"{n_more} more {'method' if n_more == 1 else 'methods'}",
            "compare_all_methods",
            "add",
            _show_all_methods,
            type="tertiary",
        )
    return chosen


def _show_all_methods() -> None:
    st.session_state[keys.COMPARE_ALL_METHODS] = True


def _rare_controls(chosen: Sequence[str]) -> None:
    """Draw the settings that are needed less often."""
    fields.choice(Compare, "init", {"random": "Random", "k-means++": "k-means++"})
    left, right = st.columns(2, vertical_alignment="bottom")
    fields.number(Compare, "n_draws", most=200, place=left)
    fields.number(Compare, "bootstrap", most=1000, place=right)
    fields.toggle(Compare, "settle")
    fields.switch(
        "SPEC’s function",
        {"phi1": "φ₁", "phi2": "φ₂", "phi3": "φ₃"},
        _SPEC_FUNCTION,
        disabled="spec" not in chosen,
        help="φ₂ equals the Laplacian Score, so φ₁ is taken unless you say otherwise.",
    )


def _take(numbers: str) -> None:
    st.session_state[fields.key(Compare, "n_features")] = numbers


def _yours(dataset: Dataset) -> None:
    """Draw the upload of the visitor's own rankings, what is open about them, and those in use."""
    session, nouns = st.session_state, dataset.nouns
    _collect_rankings(dataset)
    place = widget_key("upload_scores")
    icon = ":material/upload:"
    with (box := programs.fold(st.expander, "Your own ranking", "compare_own_ranking", icon=icon)):
        if programs.is_drawn(box):
            st.file_uploader(
                f"A table with a score for every {nouns.feature}",
                key=place,
                on_change=_arrived,
                args=(place, dataset),
                accept_multiple_files=True,
                max_upload_size=min(limits().upload, _LARGEST),
                help=f"CSV, XLSX, Parquet or JSON. Names or numbers of {nouns.features} beside "
                f"their scores, in any order; or one score a row in the order of the "
                f"{nouns.features}; or their numbers, best first. It is compared like any other "
                "method, and kept with the run.",
            )
    if session.get(keys.COMPARE_REFUSED):
        st.error(plain(session[keys.COMPARE_REFUSED]), icon=":material/error:")
    for number, ranking in enumerate(_undecided(dataset)):
        _ask(ranking, number, dataset)
    scores = session.get(fields.key(Compare, "scores")) or {}
    for name, sentence in session.get(keys.COMPARE_UNDERSTOOD, {}).items():
        if name in scores:
            st.caption(plain(f"Yours: {name}. {sentence}"))
    with st.container(horizontal=True):
        for number, name in enumerate(scores):
            label, options = plain(f"Yours: {name}"), {"help": "Leave it out."}
            button(label, f"compare_without_{number}", "close", _leave_out, name, **options)


def _undecided(dataset: Dataset) -> tuple[OpenRanking, ...]:
    """Uploaded rankings of these data that wait for an answer."""
    waiting: tuple[OpenRanking, ...] = st.session_state.get(keys.COMPARE_UNDECIDED, ())
    return tuple(ranking for ranking in waiting if ranking.sha256 == dataset.sha256)


def _ask(ranking: OpenRanking, number: int, dataset: Dataset) -> None:
    """Draw what is open about an uploaded ranking, with the answers that fit."""
    st.warning(plain(ranking.problem), icon=":material/help:")
    at = f"compare_answer_{number}"
    st.selectbox(
        plain(f"How to read {ranking.columns.file}"),
        range(len(ranking.answers)),
        index=None,
        format_func=ranking.labels.__getitem__,
        placeholder="Choose",
        key=at,
        on_change=_answered,
        args=(ranking, at, dataset),
    )
    button("Leave it out", f"compare_undecided_{number}", "close", _forget, ranking)


def _forget(ranking: OpenRanking) -> None:
    waiting = st.session_state.get(keys.COMPARE_UNDECIDED, ())
    st.session_state[keys.COMPARE_UNDECIDED] = tuple(
        other for other in waiting if other is not ranking
    )


@guarded
def _answered(ranking: OpenRanking, at: str, dataset: Dataset) -> None:
    """Read a ranking by the answer that was chosen, before the page is drawn."""
    session = st.session_state
    chosen = session.get(at)
    if chosen is None:
        return
    session[at] = None
    _forget(ranking)
    files = [(ranking.columns, ranking.answers[chosen])]
    present = session.get(fields.key(Compare, "scores"))
    session[keys.COMPARE_REFUSED] = ""
    try:
        _take_rankings(understood_together(files, dataset, present))
    except DatasetError as problem:
        session[keys.COMPARE_REFUSED] = str(problem)


def _take_rankings(uploads: Uploads) -> None:
    """Add rankings to those in use, with what was understood and what is open."""
    session, at = st.session_state, fields.key(Compare, "scores")
    if uploads.rankings:
        scores = {name: own.scores.tolist() for name, own in uploads.rankings.items()}
        session[at] = {**(session.get(at) or {}), **scores}
    sentences = {name: own.sentence for name, own in uploads.rankings.items()}
    session[keys.COMPARE_UNDERSTOOD] = session.get(keys.COMPARE_UNDERSTOOD, {}) | sentences
    waiting = session.get(keys.COMPARE_UNDECIDED, ())
    undecided = [one for one in uploads.undecided if not any(one is other for other in waiting)]
    session[keys.COMPARE_UNDECIDED] = (*waiting, *undecided)[-MOST:]


def _leave_out(name: str) -> None:
    at = fields.key(Compare, "scores")
    remaining = {title: scores for title, scores in st.session_state[at].items() if title != name}
    st.session_state[at] = remaining or None


@guarded
def _arrived(place: str, dataset: Dataset) -> None:
    """Read uploaded rankings in the queue of all uploads."""
    files = taken(place)
    if not files:
        return
    session, jobs, owner = st.session_state, services().loading.jobs, f"{state.owner()} scores"
    present = session.get(fields.key(Compare, "scores"))
    reading: dict[str, str] = session.setdefault(keys.COMPARE_READING, {})

    def work(job: Job) -> None:
        try:
            job.publish(read_uploads(files, dataset, present, cancelled=job.stop_requested))
        except ReadCancelledError:
            return
        except DatasetError as problem:
            job.error = str(problem)

    # Any look at the session may end this run, where the visitor goes on: this dict is none.
    reading[dataset.sha256] = jobs.submit(work, owner=owner)
    # Most are read before the page is drawn.
    jobs.join(reading[dataset.sha256], 1.0)


def _collect_rankings(dataset: Dataset) -> None:
    """Take the rankings of these data that have been read since the page was drawn last."""
    session, jobs = st.session_state, services().loading.jobs
    reading: dict[str, str] = session.get(keys.COMPARE_READING, {})
    if dataset.sha256 not in reading:
        return
    job = jobs.view(reading[dataset.sha256])
    if job is not None and job.active:
        st.caption("Your ranking is being read.")
        follow.follow(
            "ranking", follow.look_of(jobs, job.id, _reading_glance), _reading_glance(job)
        )
        return
    error = "Your ranking was not read in time: bring it again." if job is None else job.error
    session[keys.COMPARE_REFUSED] = error or ""
    if job is not None and job.snapshot is not None:
        _take_rankings(job.snapshot)
    del reading[dataset.sha256]


def _reading_glance(job: Job) -> Glance:
    return Glance(job.state, active=job.active)


def costly(chosen: Sequence[str], dataset: Dataset, n_classes: int) -> Iterator[str]:
    """Yield sentences on the methods that are slow here or use only a part of the samples."""
    nouns = dataset.nouns
    for method in (METHODS[key] for key in chosen):
        seconds = by_size(rank_cell(method.key, {}, n_classes), dataset)
        if seconds > SLOW:
            yield f"{method.title} alone takes about {duration(seconds)} of computing."
        most = inspect.signature(method.selector).parameters.get("max_samples")
        if most is not None and most.default < dataset.n_samples:
            yield (
                f"{method.title} holds all pairs of {nouns.samples}, so it looks at "
                f"{most.default:,} of the {dataset.n_samples:,}, evenly taken."
            )


def _reproducibility(dataset: Dataset, tune: bool) -> None:
    """Draw the choice whether every method is fitted to halves of the samples too."""
    at, usual, samples = fields.key(Compare, "n_pairs"), Reproducibility(), dataset.nouns.samples
    offered = {0: "Leave out", usual.n_pairs: f"Measure: {usual.words()}"}
    # A run that is shown may have other pairs.
    chosen = st.session_state.get(at) or 0
    offered |= {n: f"Measure: {2 * n} halves" for n in [chosen] if n not in offered}
    n_pairs = fields.choice(
        Compare,
        "n_pairs",
        offered,
        "Reproducibility",
        help=f"Do other {samples} select the same {dataset.nouns.features}? Every method is fitted "
        f"again to the same random halves of the {samples}, without looking at classes.",
    )
    if n_pairs:
        each = "method and each of its parameter sets" if tune else "method"
        st.caption(f"{2 * n_pairs} fits more for every {each}.")


def _own() -> None:
    """Draw the choice whether CSPCA is compared at the penalties of Explore too."""
    at, session = fields.key(Compare, "own"), st.session_state
    yours = f"{session[keys.FIT_ALPHA]:.10g}, {session[keys.FIT_BETA]:.10g}"
    offered = {"": "Default", yours: "Yours too"}
    # A run that is shown may have other penalties.
    offered |= {pair: pair for pair in [session.get(at)] if pair and pair not in offered}
    usual = inspect.signature(METHODS["cspca"].selector).parameters
    default = " and ".join(f"{usual[name].default:g}" for name in ("alpha", "beta"))
    hint = (
        f"Default: α and β are {default} of their maxima. Yours, of the Explore page, are {yours}; "
        "they get a row of their own."
    )
    fields.switch("CSPCA’s α and β", offered, at, help=hint)


def body(outcome: Outcome, dataset: Dataset, run: Any) -> None:
    """Draw the results."""
    kind: Any = outcome.experiment
    # Tables and findings use the same comparison.
    done = kind.comparison(outcome.results, outcome.data)
    shorts = {name: measure.short for name, measure in metrics_shown(done).items()}
    if not shorts:
        for sentence in unranked_words(done, dataset, kind.tune):
            st.info(plain(sentence), icon=":material/info:")
        return
    nouns = dataset.nouns
    with st.container(horizontal=True, key="compare_what"):
        metric = fields.views("Compare by", shorts, keys.COMPARE_METRIC)
        counts = {k: f"{k:,}" for k in done.counts} | {0: "Any number"}
        counts |= {k: nouns.count_features(k) for k in done.counts[:1]}
        at = fields.views(f"Number of {nouns.features}", counts, "compare_k", start=telling(done))
    measure, k = METRICS[metric], at or None
    rows = done.table(metric, k)
    if headline := lead(done, metric, dataset, k):
        st.markdown(f"**{plain(headline)}**")
    drawn = kind.metric_figures(done, metric, dataset, k)
    export.beside(drawn, "compare", dataset.name, bars="Scores", curves="Curves")
    if state.bare():
        return
    # The table has to fit: the other columns are in the files and in a figure below.
    away = ["Parameters of the best", "Choices", "Time to rank"]
    # More features always reconstruct better: this choice always picks the largest number.
    away += [] if k else ["Chosen by rebuilding"]
    over, heads = "starts", heads_over(nouns.samples)
    if any(row.over_images for row in rows):
        offered = {"starts": "Intervals over starts", nouns.samples: f"Spread over {nouns.samples}"}
        over = fields.views("Intervals", offered, "compare_over", wrap=True)
    away += [*heads] if over == "starts" else ["vs all features"]
    shown = read(done, metric, k).drop(columns=away, errors="ignore").rename(columns=heads)
    # The number of features and the interval go below the score.
    shown = shown.map(lambda cell: type(cell)(re.sub(r" (?=\(|at )", "\n", cell, count=1)))
    with st.container(key="compare_table"):
        best = [at for at, row in enumerate(rows) if row.mark == "best"]
        table(shown, f"{measure.title} of every method", best=best)
    there = {row.method for row in rows}
    waits = [title for key, title in done.plan.titles.items() if key not in there]
    active = run is not None and run.active
    if waits and active:
        st.caption(f"Still to come: {', '.join(waits)}.")
    about = [plain(how_compared(done, dataset))] if rows else []
    if metric in MEANINGS and rows:
        # While a run is active, the numbers in the explanations would change as they are read.
        with programs.folded("What the numbers mean", "compare_meanings") as is_drawn:
            if is_drawn:
                st.html(facts(_meant(done, () if active else rows, metric, dataset)))
    else:
        words = {name: getattr(nouns, name) for name in ("a_sample", "samples", "features")}
        about.append(measure.meaning.format(**words))
    of, same, _ = recognised(dataset)
    if of is not None and same and metric in METRIC_TITLES:
        printed = [mean for mean, _ in getattr(of, metric).values()]
        comparison = f"The paper prints {min(printed):.1f} to {max(printed):.1f} % on {of.title}"
        others = [scores[metric == "nmi"] for scores in of.independent.values()]
        if others:
            ends = f"{min(others):.1f} to {max(others):.1f} %"
            comparison += f", an independent evaluation (domainxz, 2014) {ends}"
        if of.fseval is not None:
            fseval = of.fseval[metric == "nmi"]
            comparison += (
                f", another (FSEVAL, 2026) {fseval:.1f} % of all features from k-means++ starts"
            )
            comparison += ", over the arithmetic mean of the entropies" if metric == "nmi" else ""
        about.append(f"{comparison}; what the distance comes from, Paper says.")
    st.caption(" ".join(about))
    for note in kind.notes(done, metric, dataset):
        st.info(plain(note), icon=":material/info:")
    st.header(f"Which {nouns.features} does each method select?", anchor=False)
    k = k or telling(done) or dataset.n_features
    with programs.folded("The selections", "compare_selections") as is_drawn:
        if is_drawn:
            _selections(done, dataset, metric, k)
    drawn = kind.other_figures(done, dataset, n_features=k, metric=metric)
    labels = {"overlap": "Overlap", "times": "Times"} if len(drawn) > 1 else {"times": "Times"}
    export.beside(drawn, "compare", dataset.name, **labels)


def _meant(
    done: Comparison, rows: Sequence[Row], metric: str, dataset: Dataset
) -> Iterator[tuple[str, str, Meaning]]:
    """Yield the meanings of the table's columns, with the numbers of the best method."""
    measure, say, nouns = METRICS[metric], METRICS[metric].say, dataset.nouns
    chance = say(_chance(dataset, metric))
    values: dict[str, Any] = {"chance": chance, "n": dataset.n_samples}
    values["confidence"] = f"{100 * done.confidence:g} %"
    for row in [best for best in rows if best.mark == "best"]:
        values |= {"title": row.title, "n_choices": row.n_choices, "n_seeds": len(done.plan.seeds)}
        values |= {"mean": say(row.shown.mean), "std": say(row.shown.std)}
        values["best"] = f"{say(row.best.mean)} % at {row.best.n_features:,} {nouns.features}"
        if row.over_images is not None:
            values["ends"], values["n_resamples"] = measure.ends(row.over_images), row.over_images.n
    for row in [row for row in rows if row.difference is not None and row.difference.has_ends][-1:]:
        values |= {"other": row.title, "difference": measure.apart(row.difference)}
    heads = {metric: measure.short, "best of grid": "Best of grid", "difference": "vs all features"}
    if any(row.over_images for row in rows):
        heads["over samples"] = f"Over {nouns.samples}"
    for name, label in (heads | {"chance": "Chance"}).items():
        meaning = MEANINGS[name].said(nouns, **values)
        python = meaning.python.replace('"accuracy"', f'"{metric}"')
        python = python.replace("clustering_accuracy", _SCORES[metric].__name__)
        number = f"{chance} %" if name == "chance" else ""
        yield label, number, meaning._replace(python=python)


_SCORES = {"accuracy": clustering_accuracy, "nmi": normalized_mutual_information}


@of_data
def _chance(dataset: Dataset, metric: str) -> float:
    """Return the mean score of random clusters of the sizes of the classes."""
    y = dataset.labelled_target
    draws = np.random.default_rng(0).permuted(np.tile(y, (20, 1)), axis=1)
    return float(np.mean([agreement(y, drawn)[metric] for drawn in draws]))


def _ranges(
    done: Comparison, dataset: Dataset, axis: Axis, chosen: Mapping[str, NDArray[np.intp]]
) -> None:
    """Draw along the axis where each method selects."""
    rows = {
        done.plan.titles[key]: (axis.ranges(selected), look(key, done.plan.titles[key])["colour"])
        for key, selected in chosen.items()
    }
    words = " ".join(
        f"{done.plan.titles[key]}: {axis.ranges_in_words(selected)}."
        for key, selected in chosen.items()
    )
    figure = selected_ranges(axis, rows, pictures.mean_sample(dataset), words)
    export.show(figure, "method_ranges", of=dataset.name, name="ranges", heading=True)


def _selections(done: Comparison, dataset: Dataset, metric: str, k: int) -> None:
    """Draw the features that each method selects."""
    rankings = {key: done.ranking(key, k, metric) for key in done.ranked}
    rankings = {key: ranking for key, ranking in rankings.items() if not ranking.no_ranking(k)}
    chosen = {key: ranking.order[:k] for key, ranking in rankings.items()}
    if dataset.axis is not None:
        _ranges(done, dataset, dataset.axis, chosen)
    if dataset.kind != "pixels":
        shown = []
        for key, selected in chosen.items():
            # Tied features share a rank.
            ranks = rankings[key].ranks
            list_html = "".join(
                f'<li value="{ranks[j]}">{escape(feature_name(dataset, j))}</li>'
                for j in selected[:12].tolist()
            )
            head = f"<b>{escape(done.plan.titles[key])}</b>"
            shown.append(f"<div>{head}<ol>{list_html}</ol></div>")
        if k > 12:
            st.caption(f"The first 12 of {k:,}, best first.")
    else:
        index = pictures.choose(dataset)
        image = dataset.image(index)
        shown = [pictures.original(dataset, index)]
        for key, selected in chosen.items():
            mask = np.isin(np.arange(dataset.n_features), selected).reshape(dataset.image_shape)
            title = done.plan.titles[key]
            alt = f"{title}: {mask_alt(mask)}"
            shown.append(pictures.figure(masked_rgb(image, mask), alt, title))
    with st.container(key="method_masks"):
        st.html(f'<div class="{pictures.masks_class(dataset)}">{"".join(shown)}</div>')
    if len(done.rankings) > len(chosen) + 1:
        st.caption(
            f"Every method with the parameters of its best {METRICS[metric].short} at this number "
            f"of {dataset.nouns.features}."
        )


PAGE = ExperimentPage(
    kind=Compare,
    button="Compare",
    usual=usual,
    controls=controls,
    body=body,
    quick=quick,
    always=True,
    question=lambda nouns: f"Which method picks the best {nouns.features}?",
    lead=lambda nouns: (
        f"K-means clusters the {nouns.samples} by the {nouns.features} that each method selects, "
        "from the same starts for all."
    ),
)
