"""What a run of the starts holds, read once as often as it changes."""

from __future__ import annotations

import streamlit as st

from cspca.runs.starts_findings import StartsFindings, find_starts
from cspca.runs.sweeps import SweepView, starts_of, sweep_of
from cspca.ui import keys
from cspca.ui.services import sweeps


def findings_of(run: SweepView) -> StartsFindings:
    """Return what is found as far as the run got."""
    at = run.run.id, run.run.n_done
    kept = st.session_state.get(keys.STARTS_DRAWN)
    if kept is None or kept[0] != at:
        store = sweeps().store
        sweep = sweep_of(store, run.run.id)
        plan = sweep.plan.methods[0]
        certified = [dict(one) for one in plan.grid if dict(one)["solver"] == "admm"]
        found = find_starts(
            starts_of(store, run.run.id),
            checkpoints=sweep.asked["checkpoints"],
            tol=float(certified[0]["tol"]) if certified else 0.0,
            k=plan.n_features[0] if plan.n_features else None,
        )
        kept = at, found
        st.session_state[keys.STARTS_DRAWN] = kept
    result: StartsFindings = kept[1]
    return result
