"""What the Paper page shows: claims, tables, figures, starts and data sets, ours beside."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from html import escape
from typing import Any, Final

import pandas as pd
import streamlit as st

from cspca.datasets import BY_REQUEST, REMOTE, Dataset
from cspca.experiments.experiment import Outcome
from cspca.experiments.paper import PARTS, Paper, recognised
from cspca.experiments.runner import experiment_of
from cspca.experiments.service import RunView
from cspca.experiments.starts import START_NAMES
from cspca.paper.claims import Evidence, Judged, Verdict, judge, ranks_over
from cspca.paper.numbers import METHODS_IN_PAPER, PAPER_SETS, PaperSet
from cspca.paper.recognition import recognise
from cspca.paper.tables import METRIC_TITLES, say
from cspca.selection import METHODS
from cspca.ui import charts, fields, keys, visitor
from cspca.ui.plain import plain
from cspca.ui.services import runs
from cspca.ui.tables import table

VIEWS: Final = ("Claims", "Tables", "Figures", "Starts", "Data sets")
MARKS: Final = {
    Verdict.HOLDS: ("●", "holds"),
    Verdict.PARTLY: ("◐", "partly"),
    Verdict.OPEN: ("≈", "open"),
    Verdict.FAILS: ("○", "fails"),
    Verdict.UNTESTED: ("–", "untested"),
}
LABELLED: Final = (
    "ACC and NMI rest on labels. Where methods are compared they are the best of the grid, chosen "
    "by the labels, as in the paper. One is above another when the 95 % interval of their paired "
    "difference over the starts of K-means leaves out zero; the interval does not know of the "
    "choice, which favours methods with many parameters. Numbers chosen on other starts: under "
    "Tables. What is said without ACC or NMI needs no labels."
)
FETCHED: Final = {"orl": "olivetti", "coil20": "coil20", "usps": "usps"}


def _switch(label: str, options: Any, key: str) -> Any:
    return fields.switch(label, options, key, label_visibility="collapsed")


def body(outcome: Outcome, dataset: Dataset, run: RunView) -> None:
    """Lay out what there is."""
    draw = {"Claims": _claims, "Tables": _tables, "Figures": _figures, "Starts": _starts}
    chosen = _switch("What to look at", VIEWS, keys.PAPER_VIEW)
    if chosen in draw:
        draw[chosen](outcome.experiment, outcome, dataset)
    else:
        _data_sets(dataset)


def empty(dataset: Dataset) -> None:
    """What the paper prints and claims, before anything of ours is there."""
    chosen = _switch("What to look at", VIEWS, keys.PAPER_VIEW)
    if chosen == "Tables":
        _all_six(_switch("Metric", METRIC_TITLES, keys.PAPER_METRIC), {})
    elif chosen == "Data sets":
        _data_sets(dataset)
    elif chosen == "Claims":
        _list(judge([]))


def _list(judged: Sequence[Judged]) -> None:
    st.html(f'<ol class="cspca-claims">{"".join(map(_line, judged))}</ol>')


def _claims(paper: Any, outcome: Outcome, dataset: Dataset) -> None:
    evidence = [paper.evidence(outcome.results, dataset)]
    others = [
        one.evidence(of.results, of.data) for one, of in _kept() if of.data.sha256 != dataset.sha256
    ]
    label = f"Over all {len(others) + 1} data sets computed here"
    if others and st.toggle(label, key=keys.PAPER_OVER, persist_state="session"):
        evidence += others
    judged = judge(evidence)
    st.html(_summary(judged, evidence))
    with st.container(key="paper_claims"):
        _list(judged)
    if any(one.accuracy for one in evidence):
        st.caption(plain(LABELLED))
    test = ranks_over(evidence)
    if test is not None:
        order = ", ".join(
            f"{name} {rank:.1f}" for name, rank in zip(test.methods, test.mean_ranks, strict=True)
        )
        alike = "may be luck" if test.p_value > 0.05 else "is hardly luck"
        st.markdown(
            f"**Ranks over {test.n_data_sets} data sets** (1 is best): {order}. That they differ "
            f"at all {alike} (Friedman, p = {test.p_value:.2g}); two methods differ when their "
            f"ranks do by more than {test.critical_difference:.1f} (Nemenyi, 5 %)."
        )
    said = paper.plainly(outcome.results, dataset)
    if said:
        st.subheader("In plain words", anchor=False)
        st.markdown("\n".join(f"- {plain(one)}" for one in said))


def _kept() -> list[tuple[Paper, Outcome]]:
    """Runs of the paper that are seen and whose data are at hand, the fullest of each set."""
    found: dict[str, tuple[Paper, Outcome]] = {}
    for run in runs().store.runs(visitor.sight(), kind="paper"):
        if run.imported or not run.n_done or run.data.sha256 in found:
            continue
        try:
            data = runs().store.data(run.id)
            paper = experiment_of(run)
            assert isinstance(paper, Paper)
            found[run.data.sha256] = paper, runs().outcome(run.id, data)
        except ValueError:
            continue
    return list(found.values())


def _summary(judged: tuple[Judged, ...], evidence: list[Evidence]) -> str:
    counted = Counter(one.verdict for one in judged)
    parts = [
        f'<span class="cspca-verdict cspca-{MARKS[verdict][1]}">{MARKS[verdict][0]} '
        f"<b>{counted[verdict]}</b> {verdict.value}</span>"
        for verdict in Verdict
        if counted[verdict]
    ]
    where = escape(", ".join(one.title for one in evidence))
    short = "" if all(one.papers_protocol for one in evidence) else ", by a shortened protocol"
    return f'<p class="cspca-verdicts">On {where}{short}: {" ".join(parts)}</p>'


def _line(one: Judged) -> str:
    mark, name = MARKS[one.verdict]
    # A number and its sign stay on one line.
    sentence = escape(one.sentence).replace(" %", "\u00a0%")
    number = "" if one.number == "–" else f"<b>{escape(one.number)}</b>"
    return (
        f'<li><span class="cspca-verdict cspca-{name}">{mark} {one.verdict.value}</span>'
        f"<div><p><strong>{escape(one.claim.says)}</strong> "
        f"<small>{escape(one.claim.where)}</small>{number}</p>"
        f"{f'<p>{sentence}</p>' if sentence else ''}</div></li>"
    )


def _tables(paper: Any, outcome: Outcome, dataset: Dataset) -> None:
    metric = _switch("Metric", METRIC_TITLES, keys.PAPER_METRIC)
    title = f"{METRIC_TITLES[metric]}, the paper’s and ours"
    if title in outcome.printed:
        shown = outcome.printed[title]
        ours = [i for i, name in enumerate(shown["Method"]) if name == METHODS["cspca"].title]
        with st.container(key="paper_table"):
            table(shown, title, best=ours)
    else:
        st.info("No accuracies of ours yet. Below is what the paper prints.")
    found = {}
    for paper, one in _kept():
        known = recognised(one.data)
        if known.paper_set is not None and known.same_data and known.paper_set.key not in found:
            found[known.paper_set.key] = paper, paper.paper_tables(one.results, one.data)
    _all_six(metric, found)


def _all_six(metric: str, ours: dict[str, tuple[Paper, dict[str, pd.DataFrame]]]) -> None:
    """The paper's table with ours under each number that was computed here."""
    st.subheader("All six data sets of the paper", anchor=False)
    columns: dict[str, list[str]] = {"Method": [METHODS[key].title for key in METHODS_IN_PAPER]}
    for name, one in PAPER_SETS.items():
        rows = ours[name][1].get(metric, pd.DataFrame()) if name in ours else pd.DataFrame()
        cells = []
        for key in METHODS_IN_PAPER:
            cell = say(*getattr(one, metric)[key])
            mine = rows[rows["method"] == key] if len(rows) else rows
            if len(mine) and mine["n_runs"].iloc[0]:
                number = say(mine["ours_best_of_grid"].iloc[0], mine["ours_std"].iloc[0])
                cell += f"\nours {number}"
            cells.append(cell)
        columns[one.title] = cells
    title = f"{METRIC_TITLES[metric]} on all six data sets"
    table(pd.DataFrame(columns), title, best=[len(METHODS_IN_PAPER) - 1])
    short = [PAPER_SETS[name].title for name, (one, _) in ours.items() if not one.is_the_papers]
    words = "As printed; ours below, where it is computed on the same data."
    st.caption(words + (f" By a shortened protocol: {', '.join(short)}." if short else ""))


def _figures(paper: Any, outcome: Outcome, dataset: Dataset) -> None:
    left, right = st.columns(2, gap="large")
    with left:
        st.subheader(f"How many {dataset.nouns.features}?", anchor=False)
        drawn = paper.feature_figure(outcome.results, dataset)
        if drawn is None:
            _waiting("comparison")
        else:
            label, name = "Number of features", "paper-features"
            charts.show(drawn, "paper_curve", of=dataset.name, name=name, label=label)
            st.caption(
                "CSPCA at α = β = 1, as the paper’s figure fixes them; bands: ± standard deviation "
                "over the starts of K-means."
            )
        st.subheader("Does it converge?", anchor=False)
        _convergence(paper, outcome, dataset)
    with right:
        st.subheader("Where do α and β matter?", anchor=False)
        _sensitivity(paper, outcome, dataset)


def _waiting(part: str) -> None:
    st.info(
        f"Not computed yet: press **Run** with “{PARTS[part]}” chosen.", icon=":material/start:"
    )


def _sensitivity(paper: Any, outcome: Outcome, dataset: Dataset) -> None:
    known = paper.counts(dataset)
    start = known[-1]
    if keys.PAPER_K not in st.session_state:
        start = paper.evidence(outcome.results, dataset).best_count or start
    left, right = st.columns(2, vertical_alignment="bottom")
    with left:
        label = f"Number of {dataset.nouns.features}"
        k = fields.switch(label, known, keys.PAPER_K, start=start, draw=st.selectbox)
    with right:
        how: dict[str, Any] = {"label_visibility": "collapsed", "help": "The paper draws bars."}
        look = fields.switch("Drawn as", ("Map", "Bars"), keys.PAPER_LOOK, **how)
    drawn = paper.grid_figure(outcome.results, dataset, n_features=k, bars=look == "Bars")
    if drawn is None:
        _waiting("comparison")
        return
    more: dict[str, Any] = {"key": f"paper_grid_{look.lower()}", "label": "Sensitivity"}
    charts.show(drawn, "paper_grid", of=dataset.name, name="paper-sensitivity", **more)
    flat = list(paper.regimes(outcome.results).values())
    words = f"Absolute α and β, as printed. Of {len(flat)} pairs {flat.count('zero')} give W = 0"
    if "identity" in flat:
        words += (
            f" and {flat.count('identity')} give W = I, where every {dataset.nouns.feature} ties "
            "in the map itself"
        )
    words += f"; {flat.count('sparse')} have some {dataset.nouns.features} exactly zero."
    st.caption(words)


def _convergence(paper: Any, outcome: Outcome, dataset: Dataset) -> None:
    done = {cell.parameters["init"] for cell in outcome.results if cell.step == "path"}
    inits = {one: title for one, title in START_NAMES.items() if one in done}
    if not inits:
        _waiting("starts")
        return
    init = fields.switch("Start", inits, keys.PAPER_START, draw=st.selectbox)
    kind = paper.initialisations(dataset)
    drawn = kind.figure(outcome.results, near=True, start=init)
    name = "paper-convergence"
    charts.show(drawn, "paper_course", of=dataset.name, name=name, label="Convergence")
    st.caption(
        "The objective at α = β = 1 against the iteration, its proven lower limit dotted. What "
        "looks flat after ten iterations need not have arrived."
    )


def _starts(paper: Any, outcome: Outcome, dataset: Dataset) -> None:
    title = "From every start"
    if title not in outcome.printed:
        _waiting("starts")
        return
    table(outcome.printed[title], title)
    words = (
        "α = β = 1, absolute, as in the paper. As printed Algorithm 1 divides by zero; its norms "
        "are smoothed with ε = 10⁻⁴. The certified solver runs until its own gap is below 0.01 %."
    )
    of = recognised(dataset).paper_set
    if of is not None:
        words += f" The paper prints ACC {of.every_start:.1f} % from all seven starts."
    st.caption(words)


def _data_sets(dataset: Dataset) -> None:
    """The paper's Table 1, which of its sets is here and how the others come."""
    in_use = recognised(dataset)
    computed: dict[str, str] = {}
    for run in runs().store.runs(visitor.sight(), kind="paper"):
        one = run.data
        found = recognise(one.n_samples, one.n_features, one.n_classes, one.name)
        if found.paper_set is not None and run.n_done:
            much = "computed" if run.complete else "partly computed"
            stands = "" if found.same_data else "stand-in "
            computed.setdefault(found.paper_set.key, f"{stands}{much}")
    rows = []
    for key, of in PAPER_SETS.items():
        status = computed.get(key, "not here")
        if in_use.paper_set is of:
            use = "in use" if in_use.same_data else "a stand-in is in use"
            status = f"{use}; {computed[key]}" if key in computed else use
        rows.append(_set_line(of, status))
    table(pd.DataFrame(rows), "Data sets of the paper")
    st.subheader("How to bring the others", anchor=False)
    for key, of in PAPER_SETS.items():
        if in_use.paper_set is not of or not in_use.same_data:
            st.markdown(f"**{of.title}.** {_how(key)}")
    st.caption(
        "A set is recognised by the number of its images, variables and classes, then by its "
        "name. Any other data with classes run the same protocol, without printed numbers beside."
    )
    for of in PAPER_SETS.values():
        if of.note:
            st.caption(f"{of.title}: {plain(of.note)}")


def _set_line(one: PaperSet, status: str) -> dict[str, str]:
    shape = one.image_shape
    size = "" if shape is None else f"\n{shape[0]} × {shape[1]}"
    counted = one.feature_counts
    return {
        "Data set": one.title,
        "Images": f"{one.n_samples:,}",
        "Variables": f"{one.n_features:,}{size}",
        "Classes": f"{one.n_classes}",
        "Selected": f"{counted[0]:,} to {counted[-1]:,}\nin {len(counted)}",
        "Here": status,
    }


def _how(key: str) -> str:
    """Say where a set comes from."""
    if key in BY_REQUEST:
        one = BY_REQUEST[key]
        more = " The built-in motion set stands in for it." if key == "humaneva" else ""
        bring = one.bring[:1].lower() + one.bring[1:]
        return f"{one.where} {one.terms} Upload {bring} [Its page]({one.homepage}).{more}"
    other = REMOTE[FETCHED[key]]
    text = f"Fetch {other.title} on the Data page ({other.size})"
    if key == "orl":
        text += ", or upload ORL.mat with the 32 × 32 pictures that the paper used"
    return f"{text}. Terms: {other.licence}."
