"""The Paper page: the paper's claims, tables, figures, starts and data sets, beside ours."""

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
from cspca.paper.claims import CLAIMS, Assessment, Evidence, judge, ranks_over
from cspca.paper.numbers import (
    METRIC_TITLES,
    PAPER_SETS,
    paper_table,
    recognised,
    say,
    say_reference,
)
from cspca.record.summary import Summary
from cspca.selection import METHODS
from cspca.selection.registry import METHODS_IN_PAPER
from cspca.ui import export, fields, programs, state, visitor
from cspca.ui.claim_matrix import Column, legend, matrix
from cspca.ui.experiment_page import ExperimentPage, earlier_run
from cspca.ui.plain import below, facts, plain, table
from cspca.ui.services import runs

PROTOCOLS: Final = {"paper": Paper(), "quick": Paper(**Paper.presets["quick"])}


def usual(dataset: Dataset) -> Paper:
    """Return the protocol of an earlier run, else the paper's."""
    earlier = (protocol for protocol in PROTOCOLS.values() if earlier_run(protocol, dataset))
    return next(earlier, Paper())


def controls(dataset: Dataset) -> Paper:
    """Draw the settings and return the experiment; ValueError describes an invalid setting."""
    st.markdown(plain(recognised(dataset).sentence))
    n_seeds = st.session_state.get(fields.key(Paper, "n_seeds"))
    start = "quick" if n_seeds == PROTOCOLS["quick"].n_seeds else "paper"
    names = {"paper": "The paper’s", "quick": "Preview"}
    protocol = PROTOCOLS[fields.switch("Protocol", names, "paper_protocol", start=start, wrap=True)]
    parts = fields.choice(Paper, "parts", PARTS, disabled=not dataset.has_classes)
    st.caption(protocol.words())
    return replace(protocol, parts=tuple(part for part in PARTS if part in parts))


def body(outcome: Outcome, dataset: Dataset, run: Any) -> None:
    """Draw the results; before there are any, what the paper prints and claims."""
    views = {"Tables": _tables, "Data sets": _data_sets}
    if outcome.results:
        views = {"Claims": _claims, "Figures": _figures, "Starts": _starts} | views
    else:
        views = {"Claims": _claims, "The paper": _paper} | views
    chosen = fields.views("What to look at", list(views), "paper_view")
    views[chosen](outcome.experiment, outcome, dataset)


def _paper(paper: Any, outcome: Outcome, dataset: Dataset) -> None:
    """Draw the scores that the paper prints."""
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
    others = [paper_run for paper_run in _fullest_runs() if paper_run.data.sha256 != dataset.sha256]
    evidence += [paper_run.evidence for paper_run in others]
    columns += [Column(paper_run.evidence.title, paper_run.verdicts) for paper_run in others]
    if columns:
        over_all = Column("All", judge(evidence)) if len(columns) > 1 else None
        st.html(legend(columns))
        claim = None
        if programs.reads():
            numbers = range(1, len(CLAIMS) + 1)
            number = st.pills("Evidence of claim", numbers, key="paper_claim")
            claim = 0 if number is None else number
        with st.container(key="paper_claims"):
            st.html(matrix(columns, over_all, evidence_of=claim))
        short = [source.title for source in evidence if not source.papers_protocol]
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
    notes = [paper_run.note for paper_run in others if paper_run.note]
    if notes:
        with (source := programs.fold(st.popover, "About the reference runs", "paper_record")):
            if programs.is_drawn(source):
                st.markdown("\n".join(f"- {plain(note)}" for note in notes))
    state.link("outliers", "Outliers, dragged by hand", ":material/person_search:")
    if any(source.accuracy for source in evidence):
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
    sentences = plain_words(dataset, own.tables, own.gaps) if outcome.results else []
    if sentences:
        st.header("In plain words", anchor=False)
        st.markdown("\n".join(f"- {plain(sentence)}" for sentence in sentences))


def _explain(dataset: Dataset, *names: str) -> None:
    """Draw the meanings of the numbers above."""
    labels = {"accuracy": "ACC", "nmi": "NMI", "difference": "Above another"}
    meanings = [
        (labels.get(name, name.capitalize()), "", MEANINGS[name].said(dataset.nouns))
        for name in names
    ]
    with programs.folded("What the numbers mean", f"paper_meanings_{names[0]}") as is_drawn:
        if is_drawn:
            st.html(facts(meanings))


def _of_its_sets() -> list[_PaperRun]:
    """Return the shipped records of the paper's own data sets, found by their file names."""
    return [_recorded(path) for key in sorted(PAPER_SETS) for path in record.paths(f"paper-{key}")]


def _runs() -> list[RunRecord]:
    """Return the paper runs that the visitor may see; none if the store cannot be read."""
    try:
        return list(runs().store.runs(visitor.sight(), kind="paper"))
    except StoreError:
        return []


class _PaperRun:
    """Evidence, verdicts and tables of one paper run, each computed when it is used."""

    def __init__(self, outcome: Outcome) -> None:
        self.paper: Any = outcome.experiment
        self.data, self.note, self._results = outcome.data, outcome.note, outcome.results

    @cached_property
    def evidence(self) -> Evidence:
        """Evidence for the verdicts."""
        evidence: Evidence = self.paper.evidence(self._results, self.data)
        return evidence

    @cached_property
    def verdicts(self) -> tuple[Assessment, ...]:
        """All claims with their verdicts on these data alone."""
        return judge([self.evidence])

    @cached_property
    def tables(self) -> Mapping[str, pd.DataFrame]:
        """The paper's numbers and ours, by metric."""
        tables: dict[str, pd.DataFrame] = self.paper.paper_tables(self._results, self.data)
        return tables

    @cached_property
    def gaps(self) -> Mapping[tuple[float, float], float]:
        """Duality gaps of CSPCA's fits, by α and β."""
        return gaps_of(self._results)


class _Summarised(_PaperRun):
    """A paper run with a shipped summary, read without its cells."""

    def __init__(self, summary: Summary) -> None:
        super().__init__(summary.outcome)
        self.evidence, self.tables, self.gaps = summary.evidence, summary.tables, summary.gaps


@st.cache_resource(max_entries=16, show_spinner=False)
def _recorded(path: Path) -> _PaperRun:
    summary = record.summary.read(path)
    if summary is not None:
        return _Summarised(summary)
    # The summary is computed from the cells, which are not kept.
    return _Summarised(record.summary.summarise(record.read(path)))


def _own(outcome: Outcome, dataset: Dataset) -> _PaperRun:
    """Return the paper run on the page; a run of the record is read from its summary."""
    shipped = record.paths("paper", dataset.sha256) if outcome.note else []
    return _recorded(shipped[0]) if shipped else _PaperRun(outcome)


def _fullest_runs() -> list[_PaperRun]:
    """Return the fullest stored paper run of each data set, else the shipped record of the set."""
    runs_by_data: dict[str, _PaperRun] = {}
    for run in _runs():
        if run.n_done and run.data.sha256 not in runs_by_data:
            with suppress(ValueError):
                outcome = stored_outcome(runs().store, run, runs().store.data(run.id))
                runs_by_data[run.data.sha256] = _PaperRun(outcome)
    for paper_run in _of_its_sets():
        if recognised(paper_run.data).same_data:
            runs_by_data.setdefault(paper_run.data.sha256, paper_run)
    return list(runs_by_data.values())


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
    # The paper's table, with our number below each one that was computed here.
    st.header("All six data sets of the paper", anchor=False)
    tables = {key: paper_table((), paper_set, metric) for key, paper_set in PAPER_SETS.items()}
    seen, short = set(), []
    own = [_own(outcome, dataset)] if outcome.results else []
    for paper_run in (*own, *_fullest_runs()):
        of, same, _ = recognised(paper_run.data)
        rows = paper_run.tables.get(metric)
        if of is None or rows is None or not same or of.key in seen:
            continue
        seen.add(of.key)
        tables[of.key] = rows
        if not paper_run.paper.is_the_papers:
            short.append(of.title)
    columns = {
        PAPER_SETS[key].title: {row["method"]: _cell_text(row) for row in rows.to_dict("records")}
        for key, rows in tables.items()
    }
    shown = pd.DataFrame(columns, dtype=object)
    shown.insert(0, "Method", [METHODS[key].title for key in METHODS_IN_PAPER])
    title = f"{METRIC_TITLES[metric]} on all six data sets"
    # The best of each column is bold, as in all tables.
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


def _cell_text(row: Mapping[str, Any]) -> str:
    """Return a cell's text: the paper's number, ours, and those of independent studies."""
    lines = [say(row["paper"], row["paper_std"])]
    if row["n_runs"]:
        lines.append(f"ours {say(row['ours_best_of_grid'], row['ours_std'])}")
    elif row["no_ranking"]:
        lines.append(f"ours: no ranking, {row['no_ranking']}")
    if row["independent"] == row["independent"]:
        lines.append(f"domainxz {say_reference(row, 'independent')}")
    if row["fseval"] == row["fseval"]:
        # FSEVAL has another protocol: beside it stands our number by that protocol.
        line = f"from k-means++: FSEVAL {say_reference(row, 'fseval')}"
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
        inits = {init: title for init, title in START_NAMES.items() if init in done}
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


def _draw(drawn: Any, part: str, dataset: Dataset, label: str, words: str, **options: Any) -> None:
    """Draw a figure with its caption, or the hint which part has to be run."""
    if drawn is None:
        st.info(
            f"Not computed yet: press **Run** with “{PARTS[part]}” chosen.", icon=":material/start:"
        )
        return
    export.show(drawn, f"paper_{label.lower()}", of=dataset.name, **options)
    st.caption(words)


def _sensitivity(paper: Any, outcome: Outcome, dataset: Dataset) -> None:
    counts, nouns = paper.counts(dataset), dataset.nouns
    st.header("Effect of α and β", anchor=False)
    start = paper.evidence(outcome.results, dataset).best_count or counts[-1]
    left, right = st.columns(2, vertical_alignment="bottom")
    with left:
        label = f"Number of {nouns.features}"
        k = fields.switch(label, counts, "paper_selected_features", start=start, draw=st.selectbox)
    with right:
        hint = "The paper draws bars."
        look = fields.views("Drawn as", ("Map", "Bars"), "paper_look", help=hint)
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
    """Draw the paper's Table 1, which of its data sets are here, and how to get the others."""
    in_use = recognised(dataset)
    computed: dict[str, str] = {}
    for run in _runs():
        of, same, _ = recognised(run.data)
        if of is not None and run.n_done:
            much = "computed" if run.complete else "partly computed"
            computed.setdefault(of.key, much if same else f"stand-in {much}")
    for paper_run in _of_its_sets():
        of, same, _ = recognised(paper_run.data)
        if of is not None and same:
            computed.setdefault(of.key, "reference run")
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
    owners = [source.title for source in BY_REQUEST.values()]
    st.markdown(
        f"The Data page fetches {', '.join(there)}, and says of {', '.join(owners)} where to ask "
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
