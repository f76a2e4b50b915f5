"""What a page asks of a server that many share."""

import sys

import pytest
import streamlit as st

from cspca.ui import plain
from cspca.ui.services import services


@pytest.mark.parametrize(
    ("jobs", "films", "every"), [(1, 1, 0.25), (10, 1, 0.8), (1, 10, 0.25), (90, 90, 2.0)]
)
def test_the_more_there_is_to_look_at_the_less_often_each_looks(monkeypatch, jobs, films, every):
    seen = []
    monkeypatch.setattr(
        type(services().jobs), "active", lambda self, heavy: films if heavy else jobs
    )
    monkeypatch.setattr(st, "fragment", lambda draw, run_every: seen.append(run_every) or draw)
    plain.polled(0.25, lambda: None)
    assert seen == [pytest.approx(every)]
    plain.polled(0.25, lambda: None, films=True)
    assert seen[1] == pytest.approx(min(max(0.25, 0.08 * films), 2.0))
    plain.polled(3.0, lambda: None)
    assert seen[2] == 3.0
    plain.polled(None, lambda: None)
    assert seen[3] is None


def test_threads_take_short_turns():
    services()
    assert sys.getswitchinterval() <= 0.001
