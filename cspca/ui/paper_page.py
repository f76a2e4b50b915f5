"""The Paper page: its claims, tables, figures, starts and data sets, ours beside."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import pandas as pd
import streamlit as st

from cspca import record
from cspca.datasets import BY_REQUEST, Dataset
from cspca.evaluation.tables import Strong
from cspca.experiments.compare import look
from cspca.experiments.convergence import START_NAMES
from cspca.experiments.experiment import Outcome
from cspca.experiments.paper import OUTSIDE, PARTS, Paper, gaps_of, plain_words
from cspca.experiments.runner import stored_outcome
from cspca.experiments.store import RunRecord, StoreError
from cspca.figures.comparison import printed_leads
from cspca.figures.meanings import MEANINGS
from cspca.figures.words import listed
from cspca.paper.claims import CLAIMS, Claim, Evidence, judge, ranks_over
from cspca.paper.numbers import (
    METRIC_TITLES,
    PAPER_SETS,
    beside_ours,
    paper_table,
    recognised,
    say,
)
from cspca.record.summary import Summary
from cspca.selection import METHODS
from cspca.selection.registry import METHODS_IN_PAPER
from cspca.ui import export, fields, state, visitor
from cspca.ui.claim_matrix import Column, legend, matrix
from cspca.ui.experiment_page import ExperimentPage, asked_before
from cspca.ui.plain import below, facts, plain, table
from cspca.ui.services import runs

PROTOCOLS: Final = {"paper": Paper(), "quick": Paper(**Paper.presets["quick"])}


def usual(dataset: Dataset) -> Paper:
    """What has been asked for before, else the paper's protocol."""
    known = (one for one in PROTOCOLS.values() if asked_before(one, dataset))
    return next(known, Paper())


def controls(dataset: Dataset) -> Paper:
    """What can be asked; ValueError says what is wrong."""
    st.markdown(plain(recognised(dataset).sentence))
    asked = st.session_state.get(fields.key(Paper, "n_seeds"))
    start = "quick" if asked == PROTOCOLS["quick"].n_seeds else "paper"
    names = {"paper": "The paper’s", "quick": "Preview"}
    protocol = PROTOCOLS[fields.switch("Protocol", names, "paper_protocol", start=start, wrap=True)]
    parts = fields.choice(Paper, "parts", PARTS, disabled=not dataset.has_classes)
    st.caption(protocol.words())
    return replace(protocol, parts=tuple(part for part in PARTS if part in parts))


def body(outcome: Outcome, dataset: Dataset, run: Any) -> None:
    """Lay out what there is; before anything is, what the paper prints and claims."""
    views = {"Tables": _tables, "Data sets": _data_sets}
    if outcome.results:
        views = {"Claims": _claims, "Figures": _figures, "Starts": _starts} | views
    else:
        views = {"Claims": _claims, "The paper": _paper} | views
    chosen = fields.views("What to look at", list(views), "paper_view")
    views[chosen](outcome.experiment, outcome, dataset)


def _paper(paper: Any, outcome: Outcome, dataset: Dataset) -> None:
    """What the paper prints."""
    sets = {
        of.title: [
            look(key, METHODS[key].title, mean=mean) for key, (mean, _) in of.accuracy.items()
        ]
        for of in PAPER_SETS.values()
    }
    drawn = printed_leads(sets, "What does it print?", METRIC_TITLES["accuracy"])
    export.show(drawn, "paper_printed", of="paper", heading=True)


def _claims(paper: Any, outcome: Outcome, dataset: Dataset) -> None:
    own = _own(outcome, dataset)
    evidence, columns = list[Evidence](), list[Column]()
    if outcome.results:
        # The data may have another name here.
        evidence.append(replace(own.evidence, title=dataset.name))
        columns.append(Column(dataset.name, judge(evidence), complete=outcome.complete))
    others = [known for known in _kept() if known.data.sha256 != dataset.sha256]
    evidence += [known.evidence for known in others]
    columns += [Column(known.evidence.title, known.verdicts) for known in others]
    if columns:
        over_all = Column("All", judge(evidence)) if len(columns) > 1 else None
        st.html(legend(columns))
        with st.container(key="paper_claims"):
            st.html(matrix(columns, over_all))
        short = [one.title for one in evidence if not one.papers_protocol]
        words = "Open a claim for its evidence."
        if over_all is not None:
            words += (
                " All: it holds when it does on every data set where it is tested, does not when "
                "it does on none, and holds in part otherwise."
            )
        if short:
            words += f" By a shortened protocol: {plain(listed(short))}."
        st.caption(words)
    else:
        st.markdown("\n".join(f"- {plain(claim.says)}" for claim in CLAIMS))
    notes = [known.note for known in others if known.note]
    if notes:
        with st.popover("From the record"):
            st.markdown("\n".join(f"- {plain(note)}" for note in notes))
    state.link("outliers", "Outliers, dragged by hand", ":material/person_search:")
    if any(one.accuracy for one in evidence):
        _explain(dataset, "accuracy", "nmi", "best of grid", "difference")
        st.caption(
            "ACC and NMI rest on labels, and are the best of the grid, chosen by the labels, as in "
            "the paper. The intervals do not know of that choice, which favours methods with many "
            "parameters. Numbers chosen on other starts: under Tables."
        )
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
    said = plain_words(dataset, own.tables, own.gaps) if outcome.results else []
    if said:
        st.header("In plain words", anchor=False)
        st.markdown("\n".join(f"- {plain(one)}" for one in said))


def _explain(dataset: Dataset, *names: str) -> None:
    """What the numbers above mean."""
    said = {"accuracy": "ACC", "nmi": "NMI", "difference": "Above another"}
    told = [
        (said.get(name, name.capitalize()), "", MEANINGS[name].said(dataset.nouns))
        for name in names
    ]
    st.html(facts(told))


def _of_its_sets() -> list[_Known]:
    """The record of the paper's own data sets, whose names its files have; no other is read."""
    return [_recorded(path) for key in sorted(PAPER_SETS) for path in record.paths(f"paper-{key}")]


def _runs() -> list[RunRecord]:
    """Runs of the paper that are seen; none of a store that cannot be read."""
    try:
        return list(runs().store.runs(visitor.sight(), kind="paper"))
    except StoreError:
        return []


class _Known:
    """What claims and tables take of the paper on some data, each worked out when it is used."""

    def __init__(self, outcome: Outcome) -> None:
        self.paper: Any = outcome.experiment
        self.data, self.note, self._results = outcome.data, outcome.note, outcome.results

    @cached_property
    def evidence(self) -> Evidence:
        """What verdicts rest on."""
        found: Evidence = self.paper.evidence(self._results, self.data)
        return found

    @cached_property
    def verdicts(self) -> tuple[Claim, ...]:
        """Every claim with its verdict on these data alone."""
        return judge([self.evidence])

    @cached_property
    def tables(self) -> Mapping[str, pd.DataFrame]:
        """The paper's numbers and ours, by metric."""
        found: dict[str, pd.DataFrame] = self.paper.paper_tables(self._results, self.data)
        return found

    @cached_property
    def gaps(self) -> Mapping[tuple[float, float], float]:
        """Duality gaps of CSPCA's fits, by α and β."""
        return gaps_of(self._results)


class _Summarised(_Known):
    """The same of a run whose summary is shipped: no cell of it is unpacked."""

    def __init__(self, summary: Summary) -> None:
        super().__init__(summary.outcome)
        self.evidence, self.tables, self.gaps = summary.evidence, summary.tables, summary.gaps


@st.cache_resource(max_entries=16, show_spinner=False)
def _recorded(path: Path) -> _Known:
    summary = record.summary.read(path)
    if summary is not None:
        return _Summarised(summary)
    # Made of the cells, which are let go.
    return _Summarised(record.summary.summarise(record.read(path)))


def _own(outcome: Outcome, dataset: Dataset) -> _Known:
    """What is known of the run on the page; of one of the record its summary says it."""
    shipped = record.paths("paper", dataset.sha256) if outcome.note else []
    return _recorded(shipped[0]) if shipped else _Known(outcome)


def _kept() -> list[_Known]:
    """Runs of the paper whose data are at hand, the fullest of each set; else its sets' record."""
    found: dict[str, _Known] = {}
    for run in _runs():
        if run.n_done and run.data.sha256 not in found:
            with suppress(ValueError):
                outcome = stored_outcome(runs().store, run, runs().store.data(run.id))
                found[run.data.sha256] = _Known(outcome)
    for one in _of_its_sets():
        if recognised(one.data).same_data:
            found.setdefault(one.data.sha256, one)
    return list(found.values())


def _tables(paper: Any, outcome: Outcome, dataset: Dataset) -> None:
    metric = fields.views("Metric", METRIC_TITLES, "paper_metric")
    title = f"{METRIC_TITLES[metric]}, the paper’s and ours"
    if title in outcome.printed:
        shown = outcome.printed[title]
        with st.container(key="paper_table"):
            table(shown, title)
        _explain(dataset, metric, "best of grid")
    if OUTSIDE in outcome.printed:
        table(outcome.printed[OUTSIDE], OUTSIDE)
    # The paper's table, ours under each number that was computed here.
    st.header("All six data sets of the paper", anchor=False)
    tables = {key: paper_table((), one, metric) for key, one in PAPER_SETS.items()}
    seen, short = set(), []
    own = [_own(outcome, dataset)] if outcome.results else []
    for one in (*own, *_kept()):
        of, same, _ = recognised(one.data)
        rows = one.tables.get(metric)
        if of is None or rows is None or not same or of.key in seen:
            continue
        seen.add(of.key)
        tables[of.key] = rows
        if not one.paper.is_the_papers:
            short.append(of.title)
    columns = {
        PAPER_SETS[key].title: {row["method"]: _said(row) for row in rows.to_dict("records")}
        for key, rows in tables.items()
    }
    shown = pd.DataFrame(columns, dtype=object)
    shown.insert(0, "Method", [METHODS[key].title for key in METHODS_IN_PAPER])
    title = f"{METRIC_TITLES[metric]} on all six data sets"
    # Bold is the best of a column, as everywhere.
    for printed in PAPER_SETS.values():
        means = [getattr(printed, metric)[key][0] for key in METHODS_IN_PAPER]
        best, column = means.index(max(means)), shown.columns.get_loc(printed.title)
        shown.iat[best, column] = Strong(shown.iat[best, column])
    table(shown, title)
    words = (
        "As printed, the best of each in bold; ours below, where it is computed on the same data, "
        "and what others have found: domainxz (2014) by the same protocol, FSEVAL (2026) from "
        "k-means++ starts. ≈: within one standard deviation of ours, measured alike."
    )
    if metric == "nmi":
        words += (
            " NMI is over the geometric mean of the entropies in the paper and here, over the "
            "larger one by domainxz, over the arithmetic mean in FSEVAL."
        )
    st.caption(words + (f" By a shortened protocol: {', '.join(short)}." if short else ""))


def _said(row: Mapping[str, Any]) -> str:
    """A number of the paper, ours, and those of others."""
    lines = [say(row["paper"], row["paper_std"])]
    if row["n_runs"]:
        lines.append(f"ours {say(row['ours_best_of_grid'], row['ours_std'])}")
    elif row["no_ranking"]:
        lines.append(f"ours: no ranking, {row['no_ranking']}")
    if row["independent"] == row["independent"]:
        lines.append(f"domainxz {beside_ours(row, 'independent')}")
    if row["fseval"] == row["fseval"]:
        # Another protocol: ours by that one beside it.
        line = f"from k-means++: FSEVAL {beside_ours(row, 'fseval')}"
        if row["fseval_ours"] == row["fseval_ours"]:
            line += f", ours {say(row['fseval_ours'], row['fseval_ours_std'])}"
        lines.append(line)
    return "\n".join(lines)


def _figures(paper: Any, outcome: Outcome, dataset: Dataset) -> None:
    results = outcome.results
    left, right = st.columns(2, gap="large")
    with left:
        st.header(f"How many {dataset.nouns.features}?", anchor=False)
        words = (
            "CSPCA at α = β = 1, as the paper’s figure fixes them; bands: ± standard deviation "
            "over the starts of K-means."
        )
        drawn = paper.feature_figure(results, dataset)
        _draw(drawn, "comparison", dataset, "Features", words)
        st.header("Does it converge?", anchor=False)
        done = {cell.parameters["init"] for cell in results if cell.step == "path"}
        inits = {one: title for one, title in START_NAMES.items() if one in done}
        drawn = None
        if inits:
            init = fields.switch("Start", inits, "paper_start", draw=st.selectbox)
            drawn = paper.initialisations(dataset).figure(results, near=True, start=init)
        words = (
            "The objective at α = β = 1 against the iteration, its lower bound dashed. What "
            "looks flat after ten iterations need not have arrived."
        )
        _draw(drawn, "starts", dataset, "Convergence", words)
    with right:
        _sensitivity(paper, outcome, dataset)


def _draw(drawn: Any, part: str, dataset: Dataset, label: str, words: str, **more: Any) -> None:
    """Draw a figure and say what it shows, or what would have to be run."""
    if drawn is None:
        st.info(
            f"Not computed yet: press **Run** with “{PARTS[part]}” chosen.", icon=":material/start:"
        )
        return
    export.show(drawn, f"paper_{label.lower()}", of=dataset.name, **more)
    st.caption(words)


def _sensitivity(paper: Any, outcome: Outcome, dataset: Dataset) -> None:
    known, nouns = paper.counts(dataset), dataset.nouns
    st.header("Effect of α and β", anchor=False)
    start = paper.evidence(outcome.results, dataset).best_count or known[-1]
    left, right = st.columns(2, vertical_alignment="bottom")
    with left:
        label = f"Number of {nouns.features}"
        k = fields.switch(label, known, "paper_selected_features", start=start, draw=st.selectbox)
    with right:
        said = "The paper draws bars."
        look = fields.views("Drawn as", ("Map", "Bars"), "paper_look", help=said)
    counted = Counter(paper.regimes(outcome.results).values())
    words = f"Absolute α and β, as printed. Of {counted.total()} pairs {counted['zero']} give W = 0"
    if counted["identity"]:
        words += (
            f" and {counted['identity']} give W = I, where every {nouns.feature} ties in the map "
            "itself"
        )
    words += f"; {counted['sparse']} have some {nouns.features} exactly zero."
    drawn = paper.grid_figure(outcome.results, dataset, n_features=k, bars=look == "Bars")
    key = f"paper_grid_{look.lower()}"
    _draw(drawn, "comparison", dataset, "Sensitivity", words, key=key)


def _starts(paper: Any, outcome: Outcome, dataset: Dataset) -> None:
    title = "From every start"
    if title not in outcome.printed:
        _draw(None, "starts", dataset, "", "")
        return
    table(outcome.printed[title].map(below), title)
    _explain(dataset, "objective", "gap", "accuracy")
    words = (
        "α = β = 1, absolute, as in the paper. As printed Algorithm 1 divides by zero; its norms "
        "are smoothed with ε = 10⁻⁴. The certified solver runs until its own gap is below 0.01 %."
    )
    of = recognised(dataset).paper_set
    if of is not None:
        words += f" The paper prints ACC {of.accuracy['cspca'][0]:.1f} % from all seven starts."
    st.caption(words)


def _data_sets(paper: Any, outcome: Outcome, dataset: Dataset) -> None:
    """The paper's Table 1, which of its sets is here and how the others come."""
    in_use = recognised(dataset)
    computed: dict[str, str] = {}
    for run in _runs():
        of, same, _ = recognised(run.data)
        if of is not None and run.n_done:
            much = "computed" if run.complete else "partly computed"
            computed.setdefault(of.key, much if same else f"stand-in {much}")
    for one in _of_its_sets():
        of, same, _ = recognised(one.data)
        if of is not None and same:
            computed.setdefault(of.key, "in the record")
    here = {key: [much] for key, much in computed.items()}
    if in_use.paper_set is not None:
        use = "in use" if in_use.same_data else "a stand-in is in use"
        here.setdefault(in_use.paper_set.key, []).insert(0, use)
    rows = [
        {
            "Data set": of.title,
            "Images": f"{of.n_samples:,}",
            "Variables": f"{of.n_features:,}"
            + ("\n{} × {}".format(*of.image_shape) if of.image_shape else ""),
            "Classes": f"{of.n_classes}",
            "Selected": f"{of.feature_counts[0]:,} to {of.feature_counts[-1]:,}"
            f"\nin {len(of.feature_counts)}",
            "Here": "; ".join(here.get(key, ["not here"])),
        }
        for key, of in PAPER_SETS.items()
    ]
    table(pd.DataFrame(rows), "Data sets of the paper")
    st.header("How to bring the others", anchor=False)
    there = [of.title for key, of in PAPER_SETS.items() if key not in BY_REQUEST]
    asked = [one.title for one in BY_REQUEST.values()]
    st.markdown(
        f"The Data page fetches {', '.join(there)}, and says of {', '.join(asked)} where to ask "
        "for them, on what terms, and what to upload. ORL can be uploaded too, as ORL.mat with the "
        "32 × 32 images that the paper used; the built-in motion set stands in for HumanEVA."
    )
    state.link("data", "Bring a data set", ":material/photo_library:")
    st.caption(
        "A set is recognised by the number of its images, variables and classes, then by its "
        "name. Any other data with classes run the same protocol, without printed numbers beside."
    )
    for of in PAPER_SETS.values():
        if of.note:
            st.caption(f"{of.title}: {plain(of.note)}")


PAGE = ExperimentPage(
    kind=Paper,
    button="Run",
    usual=usual,
    controls=controls,
    body=body,
    always=True,
    question="Does the paper hold?",
    lead="What the paper claims, its numbers beside ours, computed here and kept.",
)
