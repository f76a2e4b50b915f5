"""The Explore page: move the penalties, stop, continue, keep; see which features stay."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import streamlit as st

from cspca.datasets import Dataset, FacesTruth, Nouns
from cspca.experiments.experiment import Outcome
from cspca.experiments.exports import File, may_be_shown
from cspca.experiments.film import Film
from cspca.experiments.fit import (
    Fit,
    best_of,
    feature_name,
    feature_names,
    has_order,
    influence_words,
    near_words,
    no_order_words,
    tie_at_cut_words,
)
from cspca.experiments.jobs import Job
from cspca.experiments.live import SETTLED, LiveFit
from cspca.experiments.settings import declared
from cspca.figures.features import score_curve
from cspca.figures.film import SIGNS, gif
from cspca.figures.meanings import MEANINGS
from cspca.figures.words import capitalised, listed
from cspca.fitted import ahead_of_cut
from cspca.solvers import SOLVERS
from cspca.ui import (
    along,
    export,
    fields,
    films,
    fit_parts,
    fit_text,
    follow,
    keys,
    pictures,
    pin,
    presets,
    programs,
    state,
    tour,
    visitor,
)
from cspca.ui.named_features import features_with
from cspca.ui.plain import button, guide, plain
from cspca.ui.services import runs, services

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from cspca.fitted import Fit as Fitted

PRECISELY = "Solve more precisely"
"""Label of the button that iterates until something is proven of single features."""

_LISTED = 200
"""Most features in the list."""

_NAMED = 12
"""Most features of a tie at the end of the list that are named."""


def _fall_off(scores: np.ndarray, cut: int | None, nouns: Nouns) -> go.Figure:
    """Return the chart of the sorted scores, cached because every run of the page draws it."""
    shown = scores.tobytes(), cut, nouns
    # It is cached in the session, so that it is removed with the visitor's data.
    cached = st.session_state.get(keys.FALL_OFF)
    if cached is None or cached[0] != shown:
        cached = st.session_state[keys.FALL_OFF] = shown, score_curve(scores, cut, nouns=nouns)
    figure: go.Figure = cached[1]
    return figure


def body(view: state.View, dataset: Dataset) -> None:
    """Draw the page below its title."""
    tour.show(dataset)
    progress = fit_parts.attach(view, dataset)
    presets.strip(view)
    with st.container(key="explore_columns"):
        side, main = st.columns([4, 13], gap="medium")
    pinned = pin.pinned_fit(view, dataset)
    with side, st.container(key="controls"):
        index = _controls(view, dataset, progress)

    k = fit_parts.highlighted(view, dataset)
    with main, st.container(key="stage_view"):
        _influence(dataset, progress)
        follow.follow_job(progress)
        fit_parts.status(progress, dataset, k, requested_k=view.k)
        if progress.state != "failed":
            fit_parts.show(progress, dataset, view, index=index, top_k=k, pinned=pinned)
        films.feed(view, dataset, progress, films.on_stage(dataset, index))

    result, stale = state.last_result(dataset), not progress.snapshot.fits
    pictures.truth(dataset, result, stale=stale)
    if state.bare():
        return
    with st.container(key="answer"):
        fit_parts.earlier(progress, dataset)
        fit_text.show(dataset, result)
        _answer(view, dataset, progress, result, pinned, index, k, stale=stale)
    _problem(dataset.nouns)


def _problem(nouns: Nouns) -> None:
    """Draw the problem that is solved, from the guide, and links to other pages."""
    title, _, text = guide("using").split("\n## ")[1].partition("\n")
    fold = programs.fold(st.expander, title, "problem", icon=":material/functions:")
    with fold, st.container(width=860):
        if programs.is_drawn(fold):
            st.markdown(text.replace("image", nouns.sample).replace("pixel", nouns.feature))
    with st.container(horizontal=True):
        state.link("paper", "See whether the paper holds", ":material/menu_book:")
        state.link("guide", "Teach with it", ":material/school:", "teaching")
        state.link("guide", "Read the guide", ":material/help:", "using")


def _influence(dataset: Dataset, progress: Job) -> None:
    """Draw the warning that one sample may decide the map, and the button against it."""
    now: LiveFit = progress.snapshot
    sentence = influence_words(now.fit, dataset, now.asked.center) if now.fits else ""
    if not sentence:
        return
    with st.container(key="influence", horizontal=True, vertical_alignment="center", gap="small"):
        # The name of the sample may come from a file.
        st.markdown(plain(sentence))
        if not now.asked.normalize:
            sample = dataset.nouns.sample
            button(f"Give every {sample} unit norm", "unit_norm_button", "balance", _unit_norm)


def _unit_norm() -> None:
    st.session_state[fields.key(Fit, "normalize")] = True


def _answer(
    view: state.View,
    dataset: Dataset,
    progress: Job,
    result: LiveFit | None,
    pinned: LiveFit | None,
    index: int,
    top_k: int,
    *,
    stale: bool,
) -> None:
    """Draw the last result: its best features, the curve of its scores, and its files."""
    if result is not None:
        along.rebuilt_by_index(dataset, result, index, box="sample_rebuilt")
    if dataset.kind != "pixels":
        st.header(f"Which {dataset.nouns.features} are best?", anchor=False)
        if result is not None and (ranges := along.ranges_in_use(dataset, result)):
            st.markdown(plain(ranges))
        _score_list(dataset, result, top_k)
    left, right = st.columns([6, 5], gap="large")
    with left:
        # Scores from best to worst; empty axes before there is a result.
        scores = np.empty(0) if result is None else np.sort(result.fit.feature_scores)[::-1]
        cut = None
        if result is not None and has_order(result.fit):
            cut = ahead_of_cut(result.fit.ranks, top_k) or None
        figure = _fall_off(scores, cut, dataset.nouns)
        export.show(figure, "score_chart", of=dataset.name, name="scores", heading=True)
        if result is not None and (near := near_words(result.fit, dataset.nouns)):
            st.caption(near)
        with st.container(horizontal=True, vertical_alignment="center"):
            button(
                "Save",
                "keep_fit_button",
                "bookmark_add",
                _keep,
                view.data,
                result,
                disabled=result is None or stale,
                help="Computes it once more, from a cold start, and keeps its numbers, scores and "
                "course on the server’s disk: see Runs.",
            )
            words = f"Which {dataset.nouns.samples} are odd?"
            state.link("outliers", words, ":material/person_search:", "own")
            icon = ":material/share:"
            with (share := programs.fold(st.popover, "Share", "share", icon=icon)):
                if programs.is_drawn(share):
                    _link_to_copy()
                    presets.maker()
    with right:
        st.header("Export", anchor=False)
        film = films.at_hand(view, dataset, progress)
        _export(dataset, result, film, pinned, top_k, index, stale=stale)


def _link_to_copy() -> None:
    """Draw the link to the view, with its button that copies it."""
    link = fit_parts.link()
    if link is None:
        return
    st.caption("The link to this view, as it stands:")
    st.code(link["text"], language=None, wrap_lines=True)
    if link["warning"]:
        st.caption(link["warning"])
    st.markdown("**A lesson of your own**")


def _controls(view: state.View, dataset: Dataset, progress: Job) -> int:
    """Draw the settings, which `state.open_view` reads; return the index of the shown picture."""
    feature, features = dataset.nouns.feature, dataset.nouns.features
    fields.switch(
        "Control",
        {"penalties": "α and β", "path": "α = β", "keep": features.capitalize()},
        keys.VIEW_MODE,
        help=f"α and β apart, both by one slider from every {feature} to none, or the number of "
        f"{features} to keep, for which α is then found.",
    )
    penalty_sliders(view, dataset, progress)
    where = "are listed" if dataset.kind != "pixels" else "are what is chosen first"
    _slider(
        f"Highlight the best k {features}",
        keys.VIEW_K,
        fields.count_options(dataset.n_features),
        f"The k best {features} {where} below, and as you choose k the map shows them alone; its "
        f"button shows all again. They are no more than the {features} in use.",
        moved=_count_move,
    )
    can_be_drawn = dataset.kind in ("pixels", "axis")
    index = pictures.choose(dataset) if can_be_drawn else 0
    _stop_or_continue(view, progress)
    if view.pin:
        pin.remove()
    icon = ":material/settings:"
    with (expander := programs.fold(st.expander, "More", "explore_more", icon=icon)):
        if programs.is_drawn(expander):
            solve_more_precisely(view, progress, dataset.nouns, width="stretch")
            if not view.pin:
                pin.offer(view, state.last_result(dataset), stale=not progress.snapshot.fits)
            _rare_controls(view, dataset, progress)
    return index


def _rare_controls(view: state.View, dataset: Dataset, progress: Job) -> None:
    """Draw the settings that are needed less often."""
    if view.mode == "penalties":
        _in_the_formula(view, _limits(progress.snapshot, state.last_result(dataset)))
    solvers = {name: solver.title.removesuffix(" solver") for name, solver in SOLVERS.items()}
    solvers["both"] = "Both"
    fields.choice(Fit, "solver", solvers, disabled=view.mode == "keep")
    tol = declared(Fit)["tol"]
    _slider(tol.label, "fit_tol", fields.TOLERANCES, tol.help, lambda tol: f"{100 * tol:g} %")
    fields.switch(
        "Chart over",
        {"iteration": "Iterations", "seconds": "Seconds"},
        keys.VIEW_AXIS,
        help="What runs along the bottom of the convergence chart.",
    )
    if isinstance(dataset.truth, FacesTruth):
        hint = (
            "The faces are rendered, so it is known which pixels carry identity, light and "
            "expression."
        )
        fields.toggle(state.View, "truth", "Show what is known", help=hint)
    fields.preparation(dataset.nouns)


def penalty_sliders(view: state.View, dataset: Dataset, progress: Job) -> None:
    """Draw the sliders of the chosen control: α and β, both at once, or features to keep."""
    nouns, now = dataset.nouns, progress.snapshot
    limits = _limits(now, state.last_result(dataset))
    values = {name: getattr(view.fit, name) * most for name, most in limits.items()}
    texts = {name: f"{size:.4g}" if math.isfinite(size) else "…" for name, size in values.items()}
    if view.mode == "path":
        _slider(
            "α = β, as shares of their maxima",
            keys.FIT_ALPHA,
            fields.stops(view.fit.alpha),
            "Fraction of α_max for α and of β_max for β. From left to right: "
            f"every {nouns.feature} kept, some exactly zero, none left. In the formula: "
            f"α = {texts['alpha']}, β = {texts['beta']}.",
            fields.say,
        )
        return
    labels = {
        "alpha": f"α: fewer {nouns.features} on the whole",
        "beta": "β: lower rank on the whole",
    }
    if view.mode == "keep":
        del labels["alpha"]
        alpha_text = f"α = {now.alpha:.4g}" if math.isfinite(now.alpha) else "α is being found"
        _slider(
            f"{nouns.features.capitalize()} to keep",
            keys.FIT_KEEP,
            fields.count_options(state.live_pixels(dataset)),
            f"{_help('keep', nouns)} In the formula: {alpha_text}.",
        )
    for name, label in labels.items():
        numbers: dict[str, object] = {}
        share = getattr(view.fit, name)
        if math.isfinite(values[name]):
            numbers = {"share": share, "most": limits[name], "value": values[name]}
        hint = f"{_help(name, nouns)}  \n{MEANINGS[name].said(nouns, **numbers).markdown()}"
        _slider(label, f"fit_{name}", fields.stops(share), hint, fields.say)


def _in_the_formula(view: state.View, limits: dict[str, float]) -> None:
    """Draw fields for the absolute values of α and β, as in the paper."""
    signs = {"alpha": "α in the formula", "beta": "β in the formula"}
    for place, (name, label) in zip(st.columns(2), signs.items(), strict=True):
        most = limits[name]
        has_limit = math.isfinite(most) and most > 0
        # Rounded to the digits that are shown, so that the typed number stays.
        value = float(f"{getattr(view.fit, name) * most:.6g}") if has_limit else 0.0
        # Each value has its own field, so that a late message of the browser does not set it.
        at = f"formula_{name}_{value:g}"

        def take(
            at: str = at,
            label: str = label,
            name: str = name,
            most: float = most,
            value: float = value,
        ) -> None:
            typed = st.session_state[at]
            # A browser may report the field again after the slider has moved: its rounded number
            # was not typed.
            if typed is None or f"{typed:.6g}" == f"{value:.6g}":
                return
            used = max(0.0, min(most, typed))
            if f"{used:.6g}" != f"{typed:.6g}":
                bound = f"{SIGNS[name]}_max" if typed > most else "the least"
                state.add_notice(
                    f"{label}: {typed:,.6g} was asked for; {used:,.6g} is {bound}, so that is used."
                )
            st.session_state[f"fit_{name}"] = used / most

        options: dict[str, Any] = {"format": "%.6g", "disabled": not has_limit, "on_change": take}
        # The widget has no limits: beyond them it would reset its value without a message.
        place.number_input(label, value=value, key=at, **options)


def _help(name: str, nouns: Nouns) -> str:
    """Return the declared help of a setting, in the nouns of the data."""
    return declared(Fit)[name].help.replace("feature", nouns.feature)


def _slider(
    label: str,
    key: str,
    options: Sequence[Any],
    help: str,
    say: Callable[[Any], str] = str,
    moved: Callable[[], None] | None = None,
) -> None:
    place = fields.persistent(key)
    st.select_slider(label, options, format_func=say, **place, help=help, on_change=moved)


def _count_move() -> None:
    """Note that the visitor chose how many of the best are highlighted; no link or lesson did."""
    st.session_state[keys.VIEW_K_MOVES] = st.session_state.get(keys.VIEW_K_MOVES, 0) + 1


def _limits(now: LiveFit, last: LiveFit | None) -> dict[str, float]:
    """Return α_max and β_max of this fit, or of the last one with the same preparation."""
    source = now
    if last is not None and not math.isfinite(now.alpha_max):
        prepared = now.asked.center, now.asked.normalize
        source = last if (last.asked.center, last.asked.normalize) == prepared else now
    return {"alpha": source.alpha_max, "beta": source.beta_max}


def _stop_or_continue(view: state.View, progress: Job) -> None:
    options: dict[str, Any] = {"width": "stretch"}

    def stop() -> None:
        jobs = services().jobs
        jobs.cancel(progress.id)
        # A job stops within an iteration: the run of the page that follows shows it stopped.
        jobs.join(progress.id, timeout=0.5)

    now: LiveFit = progress.snapshot
    if progress.active:
        options["disabled"] = progress.stopping
        options["help"] = "Stop now and keep what has been reached."
        label = "Stopping…" if progress.stopping else "Stop"
        button(label, "stop_button", "stop_circle", stop, **options)
    else:
        options["disabled"] = progress.state == "failed" or not now.can_continue
        options["help"] = "Go on from where the fit stands."
        if not now.fits:
            options["help"] = "Start this fit again."
        if now.certified:
            options["help"] = "Go on from here to a gap ten times smaller."
        button(
            "Keep iterating", "continue_button", "play_circle", _resume, view, progress, **options
        )


def solve_more_precisely(
    view: state.View, progress: Job, nouns: Nouns, width: Literal["stretch", "content"] = "content"
) -> None:
    """Draw the button that iterates until something is proven of single features."""
    fits = progress.snapshot.fits
    button(
        PRECISELY,
        "settle_button",
        "done_all",
        _resume,
        view,
        progress,
        SETTLED,
        disabled=not fits or fits["admm"].duality_gap <= SETTLED,
        help=f"Iterate to a gap of 0.001 %: at 0.1 % about one {nouns.feature} in fifty still "
        f"changes between zero and used, and little is proven of single {nouns.features}.",
        width=width,
    )


def _resume(view: state.View, progress: Job, tol: float | None = None) -> None:
    job = services().fits.resume(view.data, progress.id, owner=state.owner(), tol=tol)
    if job is not None:
        st.session_state[keys.VIEW_JOB] = job


def _score_list(dataset: Dataset, result: LiveFit | None, top_k: int) -> None:
    """List the best features by name, or those that are searched, for data that are not images."""
    if result is None:
        st.caption("The list appears here when the fit is done.")
        return
    fit, nouns = result.fit, dataset.nouns
    if reason := no_order_words(fit, nouns):
        st.caption(reason)
        return
    names = feature_names(dataset)
    text = st.text_input(
        f"Find {nouns.features} by name",
        **fields.persistent(f"feature_search_{dataset.sha256[:8]}"),
        placeholder=names[0][:40],
        icon=":material/search:",
        max_chars=100,
        width=360,
        help=f"Of all {nouns.count_features(dataset.n_features)}, also those that are not used.",
    )
    if text:
        has_text = features_with(text, names)
        matches = fit.feature_order[has_text[fit.feature_order]].tolist()
        contain = "contains" if len(matches) == 1 else "contain"
        st.caption(plain(f"{len(matches):,} of {len(names):,} names {contain} “{text}”."))
        _scores_by_name(fit, names, matches[:_LISTED], nouns)
        if len(matches) > _LISTED:
            st.caption(f"The best {_LISTED} of {len(matches):,}; the CSV has all.")
        return
    if tie := tie_at_cut_words(fit, min(top_k, _LISTED), nouns):
        st.caption(plain(_with_names(tie, fit, min(top_k, _LISTED), dataset)))
    _scores_by_name(fit, names, best_of(fit, min(top_k, _LISTED)), nouns)
    if top_k > _LISTED:
        st.caption(f"The first {_LISTED} of {top_k:,}; the CSV has all.")


def _scores_by_name(
    fit: Fitted, names: Sequence[str], listed_features: list[int], nouns: Nouns
) -> None:
    """Draw ranks and scores of some features as a table."""
    if not listed_features:
        return
    st.dataframe(
        {
            "Rank": fit.ranks[listed_features],
            capitalised(nouns.feature): [names[number] for number in listed_features],
            "Score": fit.feature_scores[listed_features],
        },
        key="score_list",
        hide_index=True,
        column_config={
            # Narrow, so that there is room for long names.
            "Rank": st.column_config.NumberColumn(
                width=70, help=f"{nouns.features.capitalize()} that tie share a rank."
            ),
            # Names come from files: a text column shows them unchanged.
            capitalised(nouns.feature): st.column_config.TextColumn(),
            "Score": st.column_config.NumberColumn(
                width=90, format="%.4g", help="‖w_j‖; 0 is exact."
            ),
        },
    )


def _with_names(tie: str, fit: Fitted, k: int, dataset: Dataset) -> str:
    """Return a sentence on a tie at a cut, followed by the tied features if they are few."""
    last = np.count_nonzero(fit.ranks <= k)
    tied = fit.feature_order[ahead_of_cut(fit.ranks, k) : last].tolist()
    if len(tied) > _NAMED:
        return tie
    return f"{tie} They are {listed([feature_name(dataset, feature) for feature in tied])}."


def _export(
    dataset: Dataset,
    result: LiveFit | None,
    film: Film | None,
    pinned: LiveFit | None,
    top_k: int,
    index: int,
    *,
    stale: bool,
) -> None:
    """Draw the export; until there is a result its buttons are disabled."""
    with_image = False
    if dataset.kind in ("pixels", "axis"):
        # Each data set has its own choice.
        key = f"report_with_images_{dataset.sha256[:8]}"
        st.session_state.setdefault(key, may_be_shown(dataset.licence))
        with_image = st.checkbox(
            f"Show the {dataset.nouns.sample} above in the report too",
            **fields.persistent(key),
            help=f"Otherwise the report holds no {dataset.nouns.sample}. "
            f"Terms of these data: {dataset.licence or 'not known'}.",
        )
    if result is None:
        st.caption("The lines of Python that repeat this fit appear here when it is done.")
        export.offer(Outcome(Fit(), dataset, {}), ready=False)
        return
    cached = st.session_state.get(keys.OUTCOME_READ)
    if cached is None or cached[0] is not result:
        cached = st.session_state[keys.OUTCOME_READ] = result, result.outcome(dataset)
    about: dict[str, Any] = {"top_k": top_k, "seconds": result.seconds}
    if pinned is not None:
        about["pinned"] = pinned.fit.feature_scores, pin.name(pinned)
    if with_image:
        name = pictures.sample_name(dataset, index)
        if dataset.kind == "pixels":
            rebuilt = pictures.rebuilt(dataset, result, index)
            about["example"] = dataset.image(index), rebuilt, name
        else:
            sample = dataset.data[index]
            about["example"] = sample, result.fit.reconstruct(sample[None])[0], capitalised(name)
    moving = []
    if film is not None:
        make = partial(gif, film, dataset.image_shape, dataset.nouns.features)
        hint = "Every frame as it plays above, with its numbers, for slides and messages."
        moving = [File("Film, GIF", f"film-{film.along}.gif", make, hint, True)]
        about["film"] = film
    export.offer(cached[1], ready=not stale, page_files=moving, **about)


def _keep(data: str, result: LiveFit) -> None:
    """Save the fit: compute it once more as a run in the store."""
    runs().start(result.found, data, owner=visitor.secret())
    st.toast("Kept: it is computed once more, and listed under Runs.", icon=":material/check:")
