"""Keep the fit on screen: the one way in which Explore leaves something in the store."""

from __future__ import annotations

import streamlit as st

from cspca.runs.records import FitResult
from cspca.ui import keys, state, visitor
from cspca.ui.services import runs


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
    from cspca.experiments.fit import Fit

    spec, model = result.spec, result.model
    alpha = float(model.alpha) if spec.keep is not None else spec.alpha
    fit = Fit(
        alpha=alpha,
        beta=spec.beta,
        penalty_scale=spec.penalty_scale,
        solver=spec.solvers[0],
        center=spec.center,
        normalize=spec.normalize,
        tol=spec.tol,
        max_iter=spec.max_iter,
    )
    name = f"Fit, α = {alpha:.3g}, β = {spec.beta:.3g}"
    try:
        runs().start(fit, data, owner=visitor.secret(), name=name)
    except ValueError as problem:
        state.add_notice(str(problem))
        return
    st.toast("Kept: it is computed once more, and listed under Runs.", icon=":material/check:")
