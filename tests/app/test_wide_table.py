"""A table of 20,000 genes: what a rerun of Explore sends, and how often it goes over the genes."""

from __future__ import annotations

import sys
import threading
from collections import Counter
from types import FrameType
from typing import Any

import numpy as np
import pytest

from cspca.datasets import Dataset
from cspca.experiments.ledger import LEDGER
from cspca.ui import keys, menu
from tests.app.conftest import look, services, settled

N_GENES = 20_000
MOST_SENT = 1_000_000
"""Most bytes of one page that follows a move of a slider."""


@pytest.fixture(scope="module")
def wide() -> Dataset:
    rng = np.random.default_rng(0)
    values = rng.random((24, 3)) @ rng.random((3, N_GENES)) + 0.3 * rng.random((24, N_GENES))
    names = tuple(
        f"ENSG{number:011d} with a name that is as long as names are" for number in range(N_GENES)
    )
    return Dataset(
        values / values.max(), np.arange(24) % 3, feature_names=names, feature_noun="gene",
        name="expressions",
    )  # fmt: skip


def bytes_of(block: Any) -> int:
    own = block.proto.ByteSize() if hasattr(getattr(block, "proto", None), "ByteSize") else 0
    return own + sum(map(bytes_of, getattr(block, "children", {}).values()))


def lines_of(visitor: Any) -> Counter[str]:
    """How often a rerun runs each line of the program."""
    counts: Counter[str] = Counter()

    def trace(frame: FrameType, event: str, argument: object) -> Any:
        script = threading.current_thread().name in ("MainThread", "ScriptRunner.scriptThread")
        if not script or "/cspca/" not in frame.f_code.co_filename:
            return None  # Jobs of pages that were looked at before may still be at work.
        if event == "line":
            counts[f"{frame.f_code.co_filename}:{frame.f_lineno}"] += 1
        return trace

    before = sys.gettrace()
    threading.settrace(trace)
    sys.settrace(trace)
    try:
        look(visitor)
    finally:
        threading.settrace(before)  # type: ignore[arg-type]
        sys.settrace(before)
    return counts


@pytest.mark.parametrize("part", menu.EXPLORE_TABS)
def test_a_rerun_sends_little_and_goes_over_no_gene_by_itself(arrive, wide, part):
    # The ledger goes over all that is kept for anybody: also what earlier tests have left.
    for owner in LEDGER.owners():
        LEDGER.erase(owner)
    key = services().library.add(wide)
    visitor = settled(arrive("explore", data=key, alpha="0.3", beta="0.1", part=part))
    visitor.session_state[keys.VIEW_K] = 50
    look(visitor)
    visitor.session_state[keys.VIEW_K] = 100
    counts = lines_of(visitor)
    assert sum(counts.values()) > 100
    assert [line for line, count in counts.items() if count > N_GENES / 4] == []
    assert 1_000 < bytes_of(visitor.main) < MOST_SENT
