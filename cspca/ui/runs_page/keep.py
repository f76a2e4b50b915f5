"""Keep the fit on screen: the one way in which Explore leaves something in the store."""

from __future__ import annotations

import streamlit as st

from cspca.datasets import Dataset
from cspca.runs.records import FitResult
from cspca.ui import keys, state, visitor
from cspca.ui.services import sweeps


def keep_fit(view: state.View, result: FitResult | None, *, stale: bool) -> None:
    """Draw the button."""
    st.button(
        "Keep this fit",
        key=keys.KEEP_FIT,
        icon=":material/bookmark_add:",
        disabled=result is None or stale,
        on_click=_keep,
        args=(view.data, result),
        help="Computes it once more, from a cold start, and keeps its numbers, scores and course "
        "on the server’s disk: see Runs.",
    )


def _keep(data: str, result: FitResult) -> None:
    # Loaded when somebody keeps a fit, not by every visitor of Explore.
    from cspca.runs.sweeps import Sweep, fit_sweep

    spec, model = result.spec, result.model
    alpha = float(model.alpha) if spec.keep is not None else spec.alpha

    def sweep(dataset: Dataset) -> Sweep:
        return fit_sweep(
            alpha,
            spec.beta,
            penalty_scale=spec.penalty_scale,
            solver=spec.solvers[0],
            center=spec.center,
            normalize=spec.normalize,
            tol=spec.tol,
            max_iter=spec.max_iter,
        )

    try:
        run_id = sweeps().start(
            data,
            sweep,
            name=f"Fit, α = {alpha:.3g}, β = {spec.beta:.3g}",
            known_ids=state.may_go_on_with(),
        )
    except ValueError as problem:
        state.add_notice(str(problem))
        return
    visitor.made(run_id)
    st.toast("Kept: it is computed once more, and listed under Runs.", icon=":material/check:")
