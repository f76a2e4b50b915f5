"""Pictures of which some are made wrong, so that it is known which: who ranks them first?"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pandas as pd
import streamlit as st

from cspca.datasets import Dataset
from cspca.datasets.scenes import WRONGS
from cspca.evaluation.outliers import SCORES
from cspca.experiments import suspects
from cspca.experiments.jobs import Job
from cspca.experiments.suspects import JUDGES, Judgement, Planted
from cspca.figures.outliers import ranking_curves
from cspca.figures.pictures import face_alt, grey
from cspca.robust import ROBUST
from cspca.ui import export, fields, fit_parts, pictures, state
from cspca.ui.components.picks import Pick, picks
from cspca.ui.outliers_page import asking
from cspca.ui.plain import button, plain, table
from cspca.ui.services import services

_SHOWN: Final = 24
"""Pictures of a ranking."""

_REBUILT: Final = ("pca", "pcp", "op", "cspca", "squared")
"""Whose reconstructions stand side by side."""

_WORDS: Final = {
    "ruined": "Ruined",
    "blocks": "Blocks",
    "noise": "Noise",
    "swapped": "Halves swapped",
    "strangers": "Strangers",
}
_SHARES: Final = tuple(round(0.05 * k, 2) for k in range(1, 19))
_BETAS: Final = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5)
_COMPONENTS: Final = (2, 5, 10, 20, 40, 60)


def section(view: state.View, dataset: Dataset) -> None:
    """Draw the section."""
    if dataset.image_shape is None:
        st.info(
            f"{plain(dataset.name)} has no pictures that could be made wrong: take a set of "
            "images in use, on the Data page.",
            icon=":material/image:",
        )
        return
    fields.show(asking.asked_for(Planted), only_missing=True)
    with st.container(key="experiment_columns"):
        side, main = st.columns([4, 11], gap="large")
    with side:
        _controls(view)
    asked = asking.asked_for(Planted)
    strangers = services().library.get(asked.strangers) if asked.wrong == "strangers" else None

    def work(job: Job) -> None:
        suspects.judge(asked, dataset, strangers, job.stop_requested, job.publish)

    with main:
        now = asking.ask("planted", (asked, dataset.sha256), work)
        fit_parts.live(now, lambda now: _answer(now, dataset))


def _controls(view: state.View) -> None:
    fields.choice(Planted, "wrong", _WORDS)
    st.caption(WRONGS[st.session_state[fields.key(Planted, "wrong")]].capitalize() + ".")
    if st.session_state[fields.key(Planted, "wrong")] == "strangers":
        others = {"digits": "Digits", "faces": "Rendered faces"}
        # A set is no stranger to itself.
        others.pop(view.data, None)
        fields.choice(Planted, "strangers", others)
    fields.slider(Planted, "share", _SHARES, lambda one: f"{100 * one:.0f} %")
    fields.slider(Planted, "components", _COMPONENTS, str)
    fields.slider(Planted, "beta", _BETAS, "{:g}".format)


def _answer(now: Job, dataset: Dataset) -> None:
    if now.state == "failed":
        st.error(plain(now.error or ""), icon=":material/error:")
        return
    found, stale = asking.last("planted", now)
    if found is not None and found.scene.X.shape[1] != dataset.n_features:
        found = None
    _progress(now, found, stale)
    if found is None:
        st.skeleton(height=560)
        return
    if stale:
        asking.dimmed("planted_answer")
    with st.container(key="planted_answer"):
        _found(found, dataset)


def _progress(now: Job, found: Judgement | None, stale: bool) -> None:
    """How many have answered, and Stop; it takes the same room when all have."""
    done = 0 if stale or found is None else len(found.found)
    with st.container(height=52, border=False):
        if not now.active:
            seen = suspects.MOST_PICTURES
            st.caption(
                f"{done} of {len(JUDGES)} methods have answered; of larger sets {seen} pictures, "
                "spread over them, take part. Nobody is told which are wrong."
            )
            return
        with st.container(horizontal=True, vertical_alignment="center"):
            st.progress(done / len(JUDGES), text=f"{done} of {len(JUDGES)} methods")
            stop = services().jobs.cancel
            button("Stop", "planted_stop", "stop_circle", stop, now.id, width="content")


def _found(found: Judgement, dataset: Dataset) -> None:
    st.markdown(" ".join(suspects.comparison(found)))
    st.caption(
        "Of photographs among other photographs nothing has beaten the norm yet: see below the "
        "table."
    )
    names = {name: ROBUST[name].title for name in JUDGES}
    left, right = st.columns(2)
    with left:
        method = fields.switch(
            "Ranked by", names, "planted_method", draw=st.selectbox, start="cspca"
        )
    with right:
        score = fields.switch("Score", SCORES, "planted_score", draw=st.selectbox)
    if method not in found.found:
        st.caption(f"{names[method]} has not answered yet; by the norm so far:")
        method = "norm"
    score = "norm" if method == "norm" else score
    scores = found.found[method].scores(found.scene, score)
    order = np.argsort(-scores, kind="stable")
    picked = _ranking(found, order, dataset)
    _side_by_side(found, picked, dataset)
    table(_table(found), "How well each ranks", best=[])
    st.caption(
        "Of photographs among other photographs nothing has beaten the norm yet, in our "
        "measurements (one seed): the objects of COIL-20 among ORL faces are ranked by the norm "
        "alone with AUC 1.000, and with all norms equal every method falls below 0.5, for objects "
        "are easier to rebuild than faces. Blocks of noise on ORL are found by plain PCA as well "
        "as by any robust method (1.000; the norm 0.85)."
    )
    if found.complete:
        _curves(found, score)
    else:
        st.skeleton(height=420)


def _ranking(found: Judgement, order: Any, dataset: Dataset) -> int:
    """Draw the most suspicious first; return the one that is looked at."""
    shape = dataset.image_shape
    assert shape is not None
    wrong = found.scene.outlier
    n = int(wrong.sum())
    hits = int(wrong[order[:n]].sum())
    st.markdown(
        f"**Most suspicious first.** Of the first {n:,} as many as are wrong, {hits:,} are "
        f"({100 * hits / n:.0f} %). Wrong ones have a frame."
    )
    shown = order[:_SHOWN].tolist()
    picked = st.session_state.get("planted_picked")
    if picked is None or picked >= len(wrong):
        picked = shown[0]

    def pick(number: int) -> None:
        st.session_state["planted_picked"] = number

    items = [
        Pick(
            number,
            found.scene.X[number].reshape(shape),
            f"{place}",
            "marked" if wrong[number] else "",
        )
        for place, number in enumerate(shown, 1)
    ]
    picks(items, key="planted_picks", label="Ranking", picked=picked, then=pick)
    return int(picked)


def _side_by_side(found: Judgement, number: int, dataset: Dataset) -> None:
    shape, scene = dataset.image_shape, found.scene
    assert shape is not None
    assert scene.clean is not None
    what = "Corrupted" if scene.outlier[number] else "As it is shown"
    drawn = []
    for words, row in (("Original", scene.clean[number]), (what, scene.X[number])):
        picture = row.reshape(shape)
        drawn.append(pictures.figure(grey(picture), face_alt(picture, words), words))
    for name in _REBUILT:
        words, one = ROBUST[name].title, found.found.get(name)
        if one is None or one.rebuilt is None:
            drawn.append(pictures.blank(shape, words))
            continue
        picture = np.clip(one.rebuilt[number].reshape(shape), 0.0, 1.0)
        drawn.append(pictures.figure(grey(picture), face_alt(picture, f"By {words}"), words))
    pictures.row(drawn)


def _table(found: Judgement) -> pd.DataFrame:
    lines = []
    for name in JUDGES:
        one = found.found.get(name)
        if one is None:
            continue
        line = {"Method": ROBUST[name].title}
        for score, title in SCORES.items():
            row = one.numbers.get(score)
            line[f"AUC, {title.removeprefix('Residual ').lower()}"] = (
                "–" if row is None else _with_interval(row, "auc")
            )
        row = one.numbers["norm" if name == "norm" else "residual"]
        line["Average precision"] = _with_interval(row, "average_precision")
        line["Rank"] = "–" if np.isnan(row["rank_found"]) else f"{row['rank_found']:.0f}"
        for at, title in (("clean_error", "Error on clean"), ("clean_error_alone", "Never saw")):
            line[title] = "–" if np.isnan(row[at]) else f"{row[at]:.3f}"
        lines.append(line)
    frame = pd.DataFrame(lines)
    frame.attrs["note"] = (
        "AUC: 0.5 is chance, below it the wrong ones look better than the others. In small: 95 % "
        "intervals over pictures. Average precision is by residual. Error on clean: of "
        "the clean pictures, relative to their spread; “never saw”: by the same method fitted "
        "without the wrong ones."
    )
    return frame


def _with_interval(row: Any, name: str) -> str:
    return f"{row[name]:.3f}\n{row[f'{name}_low']:.3f}–{row[f'{name}_high']:.3f}"


def _curves(found: Judgement, score: str) -> None:
    there = [name for name in JUDGES if name in found.found]
    curves = {
        ROBUST[name].title: found.found[name].curve(found.scene, score)
        for name in there
        if name != "norm"
    }
    curves["Norm alone"] = found.found["norm"].curve(found.scene, "norm")
    colours = {ROBUST[name].title: ROBUST[name].colour for name in there}
    chance = float(found.scene.outlier.mean())
    titles = {"roc": "ROC", "precision": "Precision over recall"}
    which = fields.views("Curve", titles, "planted_curve")
    drawn = ranking_curves(curves, colours, roc=which == "roc", chance=chance)
    box = f"planted_{which}"
    export.show(drawn, box, of="outliers", label=titles[which], heading=True)
