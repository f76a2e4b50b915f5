"""The guesses about a set: which way round it lies, its scale, whether it is joints in space.

Pixels one picture row apart are alike, more so than those a little nearer or further: that shows
which axis holds pixels, and how long a row is. What stands upright mirrors left to right and not
top to bottom. Where neither is plain, custom is followed and the reading says so.
"""

from __future__ import annotations

import math
import re
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cspca.datasets import motion
from cspca.datasets.files import foreign
from cspca.datasets.files.choices import Grey, PixelOrder, ReadChoices, SampleAxis, Scale
from cspca.datasets.motion import N_JOINTS
from cspca.datasets.record import DatasetError, Floats, Skeleton

Array = NDArray[Any]
Size = tuple[int, int]

# Which way round

# A dip below the first is that of pictures (measured 0.04 to 0.34, but 0.86 for tiny digits stored
# column by column); above the last there is none (0.91 to 1.17 for the samples of the same sets).
_DIP, _HARDLY, _NO_DIP = 0.6, 0.8, 0.9
_LARGEST = 1_000_000


def image_shapes(n_pixels: int) -> tuple[Size, ...]:
    """Some (height, width) of so many pixels, the squarest first, upright before lying."""
    shapes: dict[Size, None] = {}
    for width in range(math.isqrt(n_pixels), 0, -1):
        if n_pixels % width == 0:
            height = n_pixels // width
            shapes |= {(height, width): None, (width, height): None}
    return tuple(shapes)[:24]


def guess_image_shape(n_pixels: int) -> Size | None:
    """Guess (height, width): a square, else the squarest, upright; None for other things.

    A picture smaller than 5 × 5, or longer than 2 : 1, is likelier a row of other measurements.
    """
    height, width = next(iter(image_shapes(n_pixels)), (0, 0))
    likely = width >= 5 if height == width else n_pixels >= 256 and height <= 2 * width
    return (height, width) if likely else None


def pictures_lie_in(matrix: Array) -> tuple[SampleAxis, bool]:
    """Along which axis samples follow each other, and whether that is sure."""
    columns = _dip(_few(matrix.T), guess_image_shape(matrix.shape[0]) or ())
    if columns > _NO_DIP:  # whatever its columns hold, they are no pictures
        return "first", True
    rows = _dip(_few(matrix), guess_image_shape(matrix.shape[1]) or ())
    clear = min(rows, columns) < _DIP and max(rows, columns) > _HARDLY
    return "last" if columns < rows else "first", clear


def pixel_order(
    rows: Array, shape: Size, usual: PixelOrder, *, told: bool = False
) -> tuple[PixelOrder, Size, bool]:
    """Order of the pixels (else the ``usual`` one), their upright shape, whether it is sure."""
    if rows.shape[1] > _LARGEST:
        return usual, shape, False
    few = _few(rows)
    height, width = shape
    stored = shape if usual == "row" else shape[::-1]
    custom = usual
    dips = {stride: _dip(few, (stride,)) for stride in shape}
    near = min(dips, key=lambda stride: dips[stride])
    if len(few) < 16 or dips[near] > _DIP:
        return usual, shape, False
    if height != width:
        if max(dips.values()) < _HARDLY:
            return usual, shape, False
        stored = (few.shape[1] // near, near)
        custom = "row" if stored == shape else "column"
        if told:
            return custom, shape, True
    upright = _upright(few.mean(axis=0).reshape(stored))
    order = upright or custom
    return order, stored if order == "row" else stored[::-1], upright == custom


def _few(matrix: Array) -> Array:
    """Some of the rows, evenly spaced, in floating point, without what is not finite."""
    most = max(16, min(512, 4_000_000 // max(1, matrix.shape[1])))
    few = matrix[:: max(1, len(matrix) // most), :_LARGEST].astype(np.float64)
    few[~np.isfinite(few)] = 0
    return few / max(1e-300, float(np.abs(few).max(initial=0)))


def _dip(rows: Array, strides: tuple[int, ...]) -> float:
    """How much more alike pixels a picture row apart are than those half a row off: a ratio."""

    def difference(lag: int) -> float:
        return float(np.square(rows[:, lag:] - rows[:, :-lag]).mean())

    least = math.inf
    for stride in strides:
        half = stride // 2
        if not half > 0 or stride + half >= rows.shape[1]:
            continue
        beside = min(difference(stride - half), difference(stride + half))
        if beside > 0:
            least = min(least, difference(stride) / beside)
    return least


def _upright(mean: Array) -> PixelOrder | None:
    """``row`` if it mirrors left to right alone, ``column`` if top to bottom alone."""
    off = mean - mean.mean()
    total = float(np.square(off).sum())
    if total == 0:
        return None
    beside = 1 - float((off * off[:, ::-1]).sum()) / total
    above = 1 - float((off * off[::-1]).sum()) / total
    # Faces: 0.02 to 0.11; single digits, which may be likelier to mirror top to bottom: from 0.4.
    if min(beside, above) > min(0.1, 0.15 * max(beside, above)):
        return None
    return "row" if beside < above else "column"


# Scale

_FLOAT_255_FROM = 100.0  # fractional values up to 255 are taken for grey levels from here on
_WEIGHTS: dict[Grey, tuple[float, float, float]] = {
    "luma": (0.299, 0.587, 0.114),  # Rec. 601, what MATLAB's rgb2gray uses
    "mean": (1 / 3, 1 / 3, 1 / 3),
    "red": (1, 0, 0),
    "green": (0, 1, 0),
    "blue": (0, 0, 1),
}
_RANGES: dict[Scale, tuple[float, float]] = {
    "unit": (0, 1), "signed": (-1, 1), "16": (0, 16), "255": (0, 255), "65535": (0, 65535),
}  # fmt: skip


def scale_to_unit(
    values: Floats,
    scale: Scale | None = None,
    name: str = "data",
    *,
    measured: bool = False,
    named: bool = False,
) -> tuple[Floats, str, Scale]:
    """Scale to [0, 1] and say how; what is `measured` is no picture, nor is what is `named`."""
    low, high = float(values.min()), float(values.max())
    span = f"values {_say(low)} {'–' if low >= 0 else 'to'} {_say(high)}"
    used = scale or _guess(values, low, high, measured, named)
    if used in _RANGES:
        least, most = _RANGES[used]
        if low < least or high > most:
            span = f"{_say(least)} {'–' if least >= 0 else '…'} {most:,.0f}"
            raise DatasetError(
                f"{name}: values run from {_say(low)} to {_say(high)}, outside {span}: choose "
                "another scale."
            )
        if used == "unit":
            return values, "values already in 0 – 1", used
        values -= least
        values /= most - least
        moved = "moved from −1 … 1 to 0 – 1"
        divided = f"divided by {most:g}, so 0 – {most:g} becomes 0 – 1"
        return values, f"{span} {divided if used != 'signed' else moved}", used
    if used == "columns":
        for column in values.T:
            _stretch(column)
        why = "" if scale else ", for their ranges differ widely"
        return values, f"{span} stretched to 0 – 1 column by column{why}", used
    _stretch(values)
    same = f"every value is {_say(low)}, set to 0"
    return values, same if low == high else f"{span} stretched to 0 – 1", used


def _guess(values: Floats, low: float, high: float, measured: bool, named: bool) -> Scale:
    fitting = [scale for scale, (least, most) in _RANGES.items() if least <= low and high <= most]
    if fitting[:1] == ["unit"]:
        return "unit"
    guess: Scale = fitting[0] if fitting else "stretch"
    # In parts, so that no copy of a large set is made.
    parts = np.array_split(values, 1 + values.size // 2**20)
    if guess not in ("signed", "stretch") and not all((one == np.rint(one)).all() for one in parts):
        guess = "255" if not named and _FLOAT_255_FROM <= high <= 255 else "stretch"
    # Many columns without names are likelier the pixels of a picture.
    if not measured or (values.shape[1] >= 16 and guess != "stretch" and not named):
        return guess
    # Divided first, so that a range wider than the largest float does not overflow.
    size = max(abs(low), abs(high))
    spans = values.max(axis=0) / size - values.min(axis=0) / size
    spans = spans[spans > 0]
    # Beside columns that span so much more, the others would not count.
    unlike = len(spans) >= 2 and float(spans.max()) > 10 * float(spans.min())
    return "columns" if unlike else guess


def weighed(colours: Array, how: Grey, dtype: type[np.floating[Any]]) -> Floats:
    """Make grey of (…, 3) or (…, 4) colours; a fourth channel is left out."""
    grey = np.zeros(colours.shape[:-1], dtype=dtype)
    # Channel by channel: a third of the memory of one product over all three.
    for channel, weight in enumerate(_WEIGHTS[how]):
        if weight:
            grey += colours[..., channel] * dtype(weight)
    return grey


def _stretch(values: np.ndarray[Any, np.dtype[np.floating[Any]]]) -> None:
    low, high = float(values.min()), float(values.max())
    if low == high:
        values[...] = 0
        return
    # Divided first, so that a range wider than the largest float does not overflow.
    size = max(abs(low), abs(high))
    values /= size
    values -= values.dtype.type(low / size)
    values /= values.max()
    np.clip(values, 0, 1, out=values)


def _say(value: float) -> str:
    return f"{value:g}".replace("-", "−")


# Joints in space

POSE = (N_JOINTS, 3)


def poses_wanted(
    shape: tuple[int, ...], choices: ReadChoices, name: str, *, may_be: bool = True
) -> tuple[bool, bool]:
    """Say whether samples of this shape are read as poses, and whether they could be."""
    sure = shape[1:] == POSE
    possible = may_be and (sure or shape[1:] == (3 * N_JOINTS,))
    if choices.poses and not possible:
        words = " × ".join(f"{side:,}" for side in shape)
        raise DatasetError(
            f"{name}: the data are {words}, not poses of {N_JOINTS} joints: give (frames, "
            f"{N_JOINTS}, 3) or (frames, {3 * N_JOINTS})."
        )
    guessed = possible and sure and choices.image_shape is None
    return (guessed if choices.poses is None else choices.poses), possible


def described(
    data: Floats, feature_names: tuple[str, ...] | None, name: str
) -> tuple[Floats, Skeleton]:
    """Return the descriptors of poses, in 0 – 1, and the skeleton they are drawn on."""
    # What is too large to be squared is found by the check for values that are not finite.
    with np.errstate(over="ignore", invalid="ignore"):
        poses = motion.as_poses(data)
        foreign.check_values((len(poses), N_JOINTS * (N_JOINTS + 5) // 2), name)
        skeleton = motion.guess_skeleton(poses)
        values = motion.scaled_to_unit(motion.motion_descriptor(poses), N_JOINTS)
    names = _joint_names(feature_names)
    if names is not None:
        skeleton = replace(
            skeleton,
            joints=names,
            note="Bones are guessed: the pairs of joints whose distance changes least.",
        )
    return values, skeleton


def _joint_names(feature_names: tuple[str, ...] | None) -> tuple[str, ...] | None:
    """Return the joints' names, if every three columns are x, y and z of one joint."""
    coordinate = r"(.+?)[\s_.\-]*([xyz])"
    found = [re.fullmatch(coordinate, one, re.IGNORECASE) for one in feature_names or ()]
    joints = [one[1] for one in found if one]
    axes = "".join(one[2].lower() for one in found if one)
    alike = joints[::3] == joints[1::3] == joints[2::3]
    if axes != "xyz" * N_JOINTS or not all(found) or not alike:
        return None
    names = tuple(joint.replace("_", " ") for joint in joints[::3])
    return names if len(set(names)) == N_JOINTS else None
