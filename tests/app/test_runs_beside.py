"""Two runs beside each other on the Runs page."""

from __future__ import annotations

from cspca.datasets import load
from cspca.experiments import Compare, run
from cspca.ui import keys, visitor
from cspca.ui.services import runs
from tests.app.conftest import look, words


def test_two_runs_are_held_against_each_other(arrive, monkeypatch):
    monkeypatch.setattr(visitor, "is_owner", lambda: True)
    store, digits = runs().store, load("digits")
    made = []
    for init in ("random", "k-means++"):
        asked = Compare(methods=("all", "variance"), n_features=(8,), n_seeds=3, init=init)
        run(asked, digits, store=store)
        made.append(store.find(asked, digits))
    page = arrive("runs")
    page.session_state[keys.RUN_LOOKED_AT] = made[0]
    page.session_state[keys.RUN_OTHER] = made[1]
    said = words(look(page))
    assert "Starts of K-means" in said
    assert "Max variance" in said
    assert "over the 3 seeds that both have" in said
