"""What a person may decide about a file, what was decided, and what else there was to choose."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, fields
from typing import Final, Literal

from cspca.datasets.files.foreign import Cancelled, Progress, Watch
from cspca.datasets.record import Constant, Dataset, DatasetError

PixelOrder = Literal["row", "column"]
SampleAxis = Literal["first", "last"]
Scale = Literal["unit", "signed", "16", "255", "65535", "stretch", "columns"]
Grey = Literal["luma", "mean", "red", "green", "blue"]
Fit = Literal["stretch", "crop"]

NO_LABELS: Final = ""
"""As `ReadChoices.labels`: the samples have no classes."""

NOT_PICTURES: Final = (0, 0)
"""As `ReadChoices.image_shape`: the samples are measurements, not pictures."""

OFFERED: Final = {
    "order": "orders", "image_shape": "image_shapes", "scale": "scales", "grey": "greys",
    "size": "sizes", "fit": "fits", "leave_out": "columns",
}  # fmt: skip
"""Field of `Options` by that of `ReadChoices`, where they are called differently."""


@dataclass(frozen=True)
class ReadChoices:
    """What a person has decided about a file; None leaves a question to the reader.

    Parameters
    ----------
    data, labels : str, optional
        Which variable holds the samples; which variable, column or folder level the classes, or
        `NO_LABELS`: one of `Options`.
    samples : {"first", "last"}, optional
        Whether the samples follow each other along the first axis (rows) or the last (columns).
    order : {"row", "column"}, optional
        How the pixels of one image follow each other.
    image_shape : (height, width), optional
        Upright size of a picture as it is stored; `NOT_PICTURES` for measurements.
    scale : str, optional
        How values become 0 – 1: ``"unit"`` (they are), ``"signed"`` (they are −1 … 1), ``"16"``,
        ``"255"``, ``"65535"`` (divide), ``"stretch"`` (from the least to the greatest),
        ``"columns"`` (the same for every column of a table by itself).
    grey : {"luma", "mean", "red", "green", "blue"}, optional
        What is made of colours; luma is 0.299 red + 0.587 green + 0.114 blue (Rec. 601).
    size : (height, width), optional
        Make every picture this large, by the mean over the area of each new pixel.
    fit : {"stretch", "crop"}, optional
        What to do with a picture of other proportions than ``size``.
    class_names : tuple of str, optional
        What to call class 0, 1, …
    leave_out : tuple of str, optional
        Columns of a table that are no features.
    header : bool, optional
        Whether the first row of a table names its columns.
    drop_bad : bool, default=False
        Leave out samples with NaN or infinite values, rather than refuse the file.
    poses : bool, optional
        Whether (n, 16, 3) or (n, 48) are 3-D poses to be described as by `motion_descriptor`; of
        the former shape they are, unless somebody says no.
    """

    data: str | None = None
    labels: str | None = None
    samples: SampleAxis | None = None
    order: PixelOrder | None = None
    image_shape: tuple[int, int] | None = None
    scale: Scale | None = None
    grey: Grey | None = None
    size: tuple[int, int] | None = None
    fit: Fit | None = None
    class_names: tuple[str, ...] | None = None
    leave_out: tuple[str, ...] | None = None
    header: bool | None = None
    drop_bad: bool = False
    poses: bool | None = None

    @property
    def given(self) -> dict[str, object]:
        """What has been decided, as keyword arguments; what has a name is its `Constant`."""
        named = {("labels", NO_LABELS): "NO_LABELS", ("image_shape", NOT_PICTURES): "NOT_PICTURES"}
        given: dict[str, object] = {}
        for one in fields(self):
            value = getattr(self, one.name)
            if value != one.default:
                constant = named.get((one.name, value))
                given[one.name] = Constant(constant) if constant else value
        return given


@dataclass(frozen=True)
class Candidate:
    """Something that could have been taken instead, and a few words about it."""

    name: str
    words: str = ""


@dataclass(frozen=True)
class Options:
    """What else could be chosen; an empty tuple where there is no such question.

    Attributes
    ----------
    data, labels, columns : tuple of Candidate
        For ``ReadChoices.data``, ``.labels`` (`NO_LABELS` may be added) and ``.leave_out``.
    samples, orders, scales, greys, fits : tuple of str
        For ``.samples``, ``.order``, ``.scale``, ``.grey`` and ``.fit``.
    image_shapes : tuple of (height, width)
        Factor pairs of the number of pixels, the squarest first; `NOT_PICTURES` may be added.
    sizes : tuple of (height, width)
        Sensible values of ``.size``, the largest first; any other may be given.
    header, poses : bool
        Whether ``.header`` and ``.poses`` mean anything.
    """

    data: tuple[Candidate, ...] = ()
    labels: tuple[Candidate, ...] = ()
    samples: tuple[SampleAxis, ...] = ()
    orders: tuple[PixelOrder, ...] = ()
    image_shapes: tuple[tuple[int, int], ...] = ()
    scales: tuple[Scale, ...] = ()
    greys: tuple[Grey, ...] = ()
    sizes: tuple[tuple[int, int], ...] = ()
    fits: tuple[Fit, ...] = ()
    columns: tuple[Candidate, ...] = ()
    header: bool = False
    poses: bool = False


@dataclass(frozen=True)
class Recognised:
    """A file read as a data set, with everything that was guessed laid open.

    Parameters
    ----------
    dataset : Dataset
        Ready for use; ``dataset.recognised`` says it all in one sentence.
    file, format : str
        What the file is called, and of what kind it is, such as ``MATLAB file`` or ``table``.
    used : ReadChoices
        Every question with the answer that was used. To change one, give `again` the person's
        own choices, not these: a guess that hung on another would be frozen.
    options : Options
        What could be chosen instead.
    said : tuple of str
        What was understood and done, in parts.
    left_out : tuple of str
        What was passed over and why, one phrase each.
    unsure : tuple of str
        Fields of ``used`` in which custom was followed: somebody should look and choose.
    contents : callable or None
        Reads the file once more; keeps its bytes in memory.
    """

    dataset: Dataset
    file: str
    format: str
    used: ReadChoices
    options: Options
    said: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    unsure: tuple[str, ...] = ()
    contents: Callable[[ReadChoices, Watch], Recognised] | None = field(
        default=None, repr=False, compare=False
    )

    def again(
        self,
        choices: ReadChoices,
        *,
        progress: Progress | None = None,
        cancelled: Cancelled | None = None,
    ) -> Recognised:
        """Read the same file by other choices; `DatasetError` if they do not fit it."""
        if self.contents is None:
            raise DatasetError(f"{self.dataset.name} is not kept open: read the file again.")
        return self.contents(choices, Watch(self.file, progress, cancelled))


class ChoiceNeededError(DatasetError):
    """A file that can only be read once somebody has chosen; ``options`` says between what."""

    def __init__(self, message: str, options: Options) -> None:
        super().__init__(message)
        self.options = options


def check_pick(chosen: str, among: Iterable[str], what: str, name: str) -> None:
    """Refuse what is none of those there are; the sentence lists some that are."""
    names = list(among)
    if chosen not in names:
        some = ", ".join(names[:8]) or "none is there"
        raise DatasetError(f"{name} has no {what} called {chosen!r}: choose one of {some}.")


def sizes_below(shape: tuple[int, int]) -> tuple[tuple[int, int], ...]:
    """The size itself, and smaller ones of the same proportions, for `Options.sizes`."""
    longest = max(shape)
    smaller = [
        (max(1, round(shape[0] * side / longest)), max(1, round(shape[1] * side / longest)))
        for side in (128, 96, 64, 48, 32, 24, 16)
        if side < longest
    ]
    return tuple(dict.fromkeys([shape, *smaller]))
