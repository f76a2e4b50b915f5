"""Steps with their numbers as JSON and arrays: through the door, and in the store."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any, Final

import numpy as np

from cspca.datasets.axis import Axis
from cspca.datasets.resize import Resized
from cspca.datasets.spectral import Derivative, StandardNormalVariates
from cspca.datasets.standard import Standardised
from cspca.datasets.steps import Array, FlatChannels, Joints, Steps

_RECORDS: Final[Mapping[str, type[Any]]] = {
    record.__name__: record
    for record in (
        *(Steps, Axis, FlatChannels, Joints),
        *(Resized, Standardised, StandardNormalVariates, Derivative),
    )
}


def packed(value: Any, arrays: list[Array]) -> Any:
    """Return a record as what JSON holds; its arrays are put at the end of `arrays`."""
    if type(value).__name__ in _RECORDS:
        members: dict[str, Any] = {"record": type(value).__name__}
        for member in fields(value):
            content = getattr(value, member.name)
            if member.metadata.get("array") and content is not None:
                members[member.name] = len(arrays)
                plain = np.ascontiguousarray(content)
                arrays.append(plain.astype(np.int64) if plain.dtype.kind in "biu" else plain)
            else:
                members[member.name] = packed(content, arrays)
        return members
    if isinstance(value, range):
        return {"places": len(value)}
    if isinstance(value, tuple):
        return [packed(member, arrays) for member in value]
    return dict(value) if isinstance(value, Mapping) else value


def unpacked(value: Any, arrays: Sequence[Array]) -> Any:
    """Return the record that `packed` made JSON of."""
    if isinstance(value, Mapping) and "record" in value:
        record = _RECORDS[value["record"]]
        members = {}
        for member in fields(record):
            content = value[member.name]
            if member.metadata.get("array") and content is not None:
                members[member.name] = arrays[content]
            else:
                members[member.name] = unpacked(content, arrays)
        return record(**members)
    if isinstance(value, Mapping) and value.keys() == {"places"}:
        return range(value["places"])
    if isinstance(value, list | tuple):
        return tuple(unpacked(member, arrays) for member in value)
    return value
