"""What was recognised, as JSON and arrays of numbers; never a pickle."""

from __future__ import annotations

import math
from dataclasses import asdict, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cspca.datasets.files import limits
from cspca.datasets.files.choices import Candidate, Options, ReadChoices, Recognised
from cspca.datasets.files.frames import Header
from cspca.datasets.motion.skeleton import Skeleton
from cspca.datasets.record import Dataset

Array = NDArray[Any]

_PLAIN = (
    "image_shape", "target_names", "name", "source", "licence", "recognised", "feature_names",
)  # fmt: skip
_SAID = ("file", "format", "said", "left_out", "unsure")
_NUMBERS = ("float32", "float64", "int64")
_MOST_SAID = 1000
_MOST_OFFERED = 10_000


def packed(read: Recognised) -> tuple[Header, list[Array]]:
    """Header and arrays that say the same."""
    data, options = read.dataset, asdict(read.options)
    for field in ("data", "labels", "columns"):
        options[field] = options[field][:_MOST_OFFERED]
    said = {field: getattr(read, field) for field in _SAID}
    left_out = said["left_out"]
    if len(left_out) > _MOST_SAID:
        more = f"and {len(left_out) - _MOST_SAID:,} more"
        said["left_out"] = (*left_out[:_MOST_SAID], more)
    arrays: list[Array] = [data.data]
    if data.target is not None:
        arrays.append(data.target)
    skeleton = None
    if data.skeleton is not None:
        skeleton = asdict(data.skeleton) | {"pose": data.skeleton.pose.tolist()}
    header = {
        **said,
        "used": asdict(read.used),
        "options": options,
        "dataset": {field: getattr(data, field) for field in _PLAIN},
        "skeleton": skeleton,
        "arrays": [[one.dtype.name, list(one.shape)] for one in arrays],
    }
    return header, arrays


def allocated(header: Header) -> list[Array]:
    """Room for the arrays that a header announces, if they may be that large."""
    arrays: list[Array] = []
    for dtype, shape in header.get("arrays", ())[:2]:
        if dtype not in _NUMBERS or math.prod(shape) > limits.MAX_ELEMENTS or min(shape) < 0:
            raise EOFError
        arrays.append(np.empty(shape, dtype=dtype))
    return arrays


def unpacked(header: Header, arrays: list[Array]) -> Recognised:
    """What was packed."""
    for array in arrays:
        array.flags.writeable = False
    skeleton = header["skeleton"]
    dataset = Dataset(
        data=arrays[0],
        target=arrays[1] if len(arrays) > 1 else None,
        skeleton=None if skeleton is None else Skeleton(**_tuples(skeleton)),
        **_tuples(header["dataset"]),
    )
    return Recognised(
        dataset=dataset,
        used=choices_from(header["used"]),
        options=options_from(header["options"]),
        **{field: _tuples(header[field]) for field in _SAID},
    )


def choices_from(said: Header) -> ReadChoices:
    """Choices from the JSON of their fields."""
    return ReadChoices(**_tuples(said))


def options_from(said: Header) -> Options:
    """Options from the JSON of their fields."""
    known = {one.name for one in fields(Options)}
    values = {name: value for name, value in said.items() if name in known}
    offered: dict[str, Any] = {
        name: tuple(Candidate(**one) for one in values.pop(name))
        for name in ("data", "labels", "columns")
    }
    return Options(**offered, **_tuples(values))


def _tuples(value: Any) -> Any:
    """The same with tuples for the lists that JSON makes of them."""
    if isinstance(value, list):
        return tuple(_tuples(one) for one in value)
    if isinstance(value, dict):
        return {name: _tuples(one) for name, one in value.items()}
    return value
