"""A file of the record as it is read: its head at once, each cell when somebody looks at it."""

from __future__ import annotations

import json
import lzma
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cspca.experiments.experiment import Cell, Outcome, Result, Results
from cspca.experiments.records import Described, dump
from cspca.experiments.registry import EXPERIMENTS
from cspca.experiments.runner import cell_named
from cspca.experiments.settings import from_json

if TYPE_CHECKING:
    from numpy.typing import NDArray

_CELL_START = re.compile(rb'\[(\["[a-z0-9-]+",\d+,\{)')
"""Where a cell begins: a list whose first item is the name, [step, revision, parameters].

No text can hold it, since the quotation marks within a text are escaped.
"""

_CELLS = b'"cells":['
_CELLS_END = b'],"data":{'
"""What stands around the cells: keys are sorted."""


_DECODER = json.JSONDecoder()


class RecordedCells(Mapping[Cell, Result]):
    """Results of a file of the record, by cell; each is unpacked when it is looked up, and dropped.

    Held are the names of the cells and the text of each, a third of what its values take.
    """

    def __init__(self, text: bytes) -> None:
        starts = [match.start() for match in _CELL_START.finditer(text)]
        # Between two cells there is a comma.
        ends = [start - 1 for start in starts[1:]] + [len(text)]
        self._texts: dict[Cell, bytes] = {}
        for start, end in zip(starts, ends, strict=True):
            name, _ = _DECODER.raw_decode(text[start + 1 : end].decode())
            self._texts[cell_named(*name)] = text[start:end]

    def __getitem__(self, cell: Cell) -> Result:
        _, rows, arrays, seconds = json.loads(self._texts[cell])
        return Result(tuple(rows), _arrays(arrays), seconds)

    def __iter__(self) -> Iterator[Cell]:
        return iter(self._texts)

    def __len__(self) -> int:
        return len(self._texts)

    def __eq__(self, other: object) -> bool:
        # By what was read, not by unpacking it.
        return isinstance(other, RecordedCells) and self._texts == other._texts


@dataclass(frozen=True, eq=False)
class RecordedOutcome(Outcome):
    """A run of the record, with what its file says besides its cells.

    Parameters
    ----------
    head : mapping
        What its file says besides its cells: settings, data, what made it.
    """

    head: Mapping[str, Any] = field(default_factory=dict, repr=False)

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        """Those that were computed: a later version may ask for others."""
        return tuple(self.results)


def read_cells(path: Path) -> RecordedOutcome:
    """The run in a file of the record, on what is known of its data."""
    text = lzma.decompress(path.read_bytes())
    start, end = text.index(_CELLS) + len(_CELLS), text.rindex(_CELLS_END)
    head = json.loads(b"{" + text[end + 2 :])
    return outcome_of(head, RecordedCells(text[start:end]))


def outcome_of(head: Mapping[str, Any], results: Results) -> RecordedOutcome:
    """A run as the head of its file describes it; the note says what made it."""
    data, made = Described.read(dump(head["data"])), head["made"]
    note = (
        f"Reference run: computed on {made['date']} by cspca {made['cspca']} on {made['machine']}, "
        f"of data with the fingerprint {data.sha256[:8]}. By {made['command']}, with NumPy "
        f"{made['numpy']}, SciPy {made['scipy']} and scikit-learn {made['scikit-learn']}."
    )
    experiment = from_json(EXPERIMENTS[head["kind"]], head["settings"])
    return RecordedOutcome(experiment, data, results, note=note, head=head)


def _arrays(values: Mapping[str, Any]) -> dict[str, NDArray[Any]]:
    return {name: np.array(value) for name, value in values.items()}
