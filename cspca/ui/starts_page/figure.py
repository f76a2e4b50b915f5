"""The convergence figure: the paper's view of it, and the same curves near the optimum."""

from __future__ import annotations

from typing import Final, cast

import streamlit as st

from cspca.datasets import Dataset
from cspca.figures.colours import ACCENT, CONTRAST
from cspca.figures.convergence import Across, Course, reached
from cspca.figures.starts import starts
from cspca.runs.starts_findings import START_NAMES, StartsFindings
from cspca.runs.starts_tables import longest
from cspca.ui import keys
from cspca.ui.charts import show
from cspca.ui.theme import is_dark

ALL: Final = "all"

_AXES: Final[dict[Across, str]] = {"iteration": "Iterations", "seconds": "Seconds"}
_LOOKS: Final = {"admm": ("Certified solver", ACCENT), "reweighted": ("Algorithm 1", CONTRAST)}


def curves_of(found: StartsFindings, init: str) -> list[Course]:
    """Return the courses from one start, or from all; those of Algorithm 1 last."""
    rows = [row for row in longest(found.rows) if init in (ALL, row.init)]
    rows.sort(key=lambda row: row.solver)
    return [Course(*_LOOKS[row.solver], row.history) for row in rows if len(row.history["number"])]


def end_of(found: StartsFindings, curves: list[Course], x: Across) -> float | None:
    """Where the axis ends: with Algorithm 1, or a little later where the other one takes longer."""
    if not curves:
        return None
    ends: dict[str, list[float]] = {}
    for curve in curves:
        ends.setdefault(curve.name, []).extend(reached(curve).at(x)[-1:].tolist())
    printed = max(ends.get(_LOOKS["reweighted"][0]) or [0.0])
    if x == "iteration":
        printed = max(printed, float(found.checkpoints[-1]))
    return (
        min(max(map(max, filter(None, ends.values())), default=printed), 2 * printed)
        if printed
        else None
    )


def figure(found: StartsFindings, dataset: Dataset) -> None:
    """Draw both views."""
    options = [*found.inits, ALL]
    if st.session_state.get(keys.STARTS_OF) not in options:
        st.session_state[keys.STARTS_OF] = options[0]
    left, right = st.columns([3, 2], vertical_alignment="bottom")
    with left:
        init = st.selectbox(
            "From which start",
            options,
            format_func=lambda name: "All that are finished" if name == ALL else _called(name),
            key=keys.STARTS_OF,
            persist_state="session",
        )
    with right:
        st.session_state.setdefault(keys.STARTS_AXIS, "iteration")
        x = cast(
            Across,
            st.segmented_control(
                "Against",
                list(_AXES),
                format_func=_AXES.__getitem__,
                key=keys.STARTS_AXIS,
                required=True,
                persist_state="session",
            ),
        )
    curves = curves_of(found, str(init))
    last = end_of(found, curves, x)
    far, near = st.columns(2, gap="medium")
    for place, is_near, box in (
        (far, False, keys.BOX_STARTS_FAR),
        (near, True, keys.BOX_STARTS_NEAR),
    ):
        with place, st.container(key=box):
            st.markdown(
                "**The same curves near the optimum**" if is_near else "**As the paper draws it**"
            )
            show(
                starts(
                    curves,
                    found.optimum,
                    near=is_near,
                    x=x,
                    last=last,
                    dark=is_dark(),
                ),
                f"{keys.STARTS_CHART}_{'near' if is_near else 'far'}",
                of=dataset.name,
                name=f"convergence-{'near' if is_near else 'far'}",
            )
    st.caption(_legend(found, x))


def _called(init: str) -> str:
    return f"{list(START_NAMES).index(init) + 1} · {START_NAMES[init]}"


def _legend(found: StartsFindings, x: Across) -> str:
    words = (
        "Solid: the objective; dashed: the lower bound that the same run proves. The optimum is "
    )
    if found.optimum is None:
        words += "not known yet: no run has come close enough."
    else:
        low, high = found.optimum
        words += f"proven to lie between {low:,.7g} and {high:,.7g} (green)."
    if x == "seconds":
        words += " Seconds are those of the iterations alone, on this server with what else it did."
    return words
