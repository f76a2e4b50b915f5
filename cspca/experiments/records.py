"""What the store says of runs and their data: plain records, and how values become text."""

from __future__ import annotations

import hashlib
import json
import platform
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib.metadata import version
from operator import methodcaller
from types import SimpleNamespace
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import NDArray

from cspca.datasets import Dataset, Skeleton
from cspca.datasets.axis import Axis
from cspca.datasets.files import packing
from cspca.datasets.numbering import numbers_as_text, numbers_from_text
from cspca.datasets.record import names_in
from cspca.experiments.jobs import Job
from cspca.experiments.ledger import PUBLIC
from cspca.experiments.memory import owned

_WORDS = ("name", "source", "licence", "description", "recognised", "feature_noun")
_NAMES = ("target_names", "feature_names")
_PLACES = ("file_columns", "sample_numbers")
_FACTS = ("sha256", "n_samples", "n_features", "n_classes", "image_shape")

RunState = Literal["ready", "running", "stopped", "interrupted", "done"]


class Described(Dataset):
    """A data set without its pixels: what a run knows of it, in the words of whoever asked."""

    n_samples = 0
    n_features = 0
    builtin = ""
    python = ""

    def __init__(self, **known: Any) -> None:
        vars(self).update(known)

    @property
    def words(self) -> dict[str, Any]:
        """What a data set of the same pixels is to be called."""
        field_names = (*_WORDS, *_NAMES, *_PLACES, "skeleton", "image_shape", "steps")
        return {name: getattr(self, name) for name in field_names}

    @property
    def axis(self) -> Axis | None:
        """The axis that the features are points of, if they are."""
        return None if self.steps is None else self.steps.axis

    @property
    def recipe(self) -> Any:
        """How the data are made, or how a file of their name is opened, as a Recipe tells it."""
        source, bring = self.python, ""
        if not source:
            source, bring = f"load_file({self.name!r})", self.name
        elif "load_file" in source and not self.builtin:
            bring = f"the file of {self.name}"
        return SimpleNamespace(source=source, bring=bring, names=names_in(source))

    @classmethod
    def read(cls, description: str) -> Described:
        """What :func:`describe` wrote."""
        values = json.loads(description)
        for name in ("image_shape", *_NAMES):
            if values.get(name) is not None:
                values[name] = tuple(values[name])
        for name in _PLACES:
            if values.get(name) is not None:
                values[name] = tuple(numbers_from_text(values[name]))
        if values.get("skeleton") is not None:
            joints, bones, pose, note = values["skeleton"]
            pairs = tuple((first, second) for first, second in bones)
            values["skeleton"] = Skeleton(tuple(joints), pairs, np.array(pose), note)
        if values.get("steps") is not None:
            steps, arrays = values["steps"]
            values["steps"] = packing.unpacked(steps, [np.array(array) for array in arrays])
        return cls(**values)


def describe(data: Dataset, *, with_words: bool = True) -> str:
    """All that is said of a data set, as JSON; words from outside are made fit to be shown.

    Without words it is the fingerprint and the numbers alone: no name of a file, a class or a
    feature.
    """
    values: dict[str, Any] = {name: getattr(data, name) for name in _FACTS}
    if not with_words:
        return dump(values | dict.fromkeys(_WORDS, "") | dict.fromkeys(_NAMES) | {"name": "data"})
    for name in _WORDS:
        values[name] = one_line(getattr(data, name), 5000)
    for name in _NAMES:
        if getattr(data, name) is not None:
            values[name] = [one_line(text) for text in getattr(data, name)]
    values["name"] = one_line(data.name) or "data"
    for name in _PLACES:
        if getattr(data, name) is not None:
            values[name] = numbers_as_text(getattr(data, name))
    recipe, skeleton = data.recipe, data.skeleton
    if recipe is not None:
        values["python"] = recipe.source
        if recipe.function in ("load", "fetch") and not recipe.options:
            values["builtin"] = str(recipe.arguments[0])
    if skeleton is not None:
        values["skeleton"] = [skeleton.joints, skeleton.bones, skeleton.pose, skeleton.note]
    if data.steps is not None and not data.steps.are_none:
        arrays: list[NDArray[Any]] = []
        values["steps"] = [packing.packed(data.steps, arrays), arrays]
    return dump(values)


@dataclass(frozen=True)
class RunRecord:
    """A run as it is listed: who has its `id` may change it, the `view_id` gives sight only.

    `changed` grows with every change; `job` is what this server has done for it, if it has.
    """

    id: str
    view_id: str
    owner: str = field(repr=False)
    scope: str = field(repr=False)
    kind: str
    name: str
    state: RunState
    description: str = field(repr=False)
    settings: Mapping[str, Any] = field(repr=False)
    created: float
    updated: float
    trashed: float | None
    changed: int
    n_cells: int
    n_done: int
    n_failed: int
    seconds: float
    versions: tuple[Mapping[str, str], ...] = field(repr=False)
    kept: bool
    job: Job = field(default=Job(state="done"), compare=False)

    @cached_property
    def data(self) -> Described:
        """What it knows of its data."""
        return cast(Described, owned(Described.read(self.description), self.belongs_to))

    @property
    def belongs_to(self) -> str:
        """Owner in memory of what is made of its data; of an unlisted run that of its cells."""
        if self.owner:
            return self.owner
        return PUBLIC if self.scope == "public" else self.scope

    @property
    def asked(self) -> bool:
        """Whether somebody asked for it; otherwise a page has begun it by itself."""
        return self.owner != ""

    @property
    def complete(self) -> bool:
        """Whether nothing is left to compute."""
        return self.n_done + self.n_failed == self.n_cells

    @property
    def active(self) -> bool:
        """Whether somebody works on it, or is about to: this server or another process."""
        return self.job.active or self.state == "running"

    @property
    def can_resume(self) -> bool:
        """Whether something is left to do, and nobody does it."""
        return not (self.active or self.complete or self.trashed)


def is_public(data: Dataset) -> bool:
    """Whether everybody can have these data without a file of their own."""
    recipe = data.recipe
    if recipe is None or recipe.bring:
        return False
    names = set(recipe.names)
    return bool(names & {"load", "fetch"}) and not names & {"load_file", "load_files"}


def cell_key(scope: str, content: str, name: str) -> bytes:
    """What a cell is known by: equal ones of one scope are one cell."""
    return hashlib.sha256(f"{scope}\0{content}\0{name}".encode()).digest()[:20]


def seal(*parts: str | bytes) -> str:
    """Fingerprint by which damage is noticed."""
    found = hashlib.blake2b(digest_size=12)
    for part in parts:
        content = part.encode() if isinstance(part, str) else part
        found.update(len(content).to_bytes(8, "little") + content)
    return found.hexdigest()


def sealed_run(row: Any) -> str:
    """What the seal of a run must be."""
    asked = ("kind", "settings", "content", "description", "versions")
    return seal(*(row[name] for name in asked))


def sealed_result(row: Any) -> str:
    """What the seal of a finished cell must be."""
    return seal(*(row[name] or "" for name in ("key", "rows", "arrays", "file", "versions")))


def dump(value: Any) -> str:
    """JSON in one form only; floats come back as they were, NaN and infinities too."""
    plain = methodcaller("tolist")  # of NumPy's numbers and arrays
    return json.dumps(value, sort_keys=True, separators=(",", ":"), default=plain)


def one_line(text: str, longest: int = 200) -> str:
    """Words from outside on one line, not too long, without characters that control a terminal."""
    plain = "".join(
        " " if char.isspace() else char
        for char in text[: 4 * longest]
        if char.isspace() or unicodedata.category(char)[0] != "C"
    )
    return " ".join(plain.split())[:longest]


@cache
def versions() -> dict[str, str]:
    """Versions that numbers may depend on; cspca's from the code at work."""
    from cspca import __version__

    packages = ("numpy", "scipy", "scikit-learn", "joblib")
    found = {name: version(name) for name in packages}
    return {"cspca": __version__, "python": platform.python_version()} | found


# -- arrays ----------------------------------------------------------------------------------------


def pack(arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """Write arrays as bytes, at multiples of 16: equal ones always as the same."""
    head, parts = [], []
    for name, values in arrays.items():
        array = np.asarray(values, order="C")
        if array.dtype.hasobject or array.dtype.names:
            raise ValueError(f"The array {name!r} holds more than plain numbers or text.")
        head.append([name, array.dtype.str, array.shape])
        parts += [array.tobytes(), bytes(-array.nbytes % 16)]
    text = json.dumps(head).encode()
    text += b" " * (-(len(text) + 8) % 16)
    return b"".join([len(text).to_bytes(8, "little"), text, *parts])


def unpack(content: bytes) -> dict[str, NDArray[Any]]:
    """Arrays that :func:`pack` wrote, read-only."""
    at = 8 + int.from_bytes(content[:8], "little")
    arrays = {}
    for name, dtype, shape in json.loads(content[8:at]):
        array: NDArray[Any] = np.ndarray(shape, np.dtype(dtype), content, at)
        arrays[name] = array
        at += array.nbytes + -array.nbytes % 16
    return arrays
