"""What the parsers hand over: arrays, tables or pictures with their names and marks."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from cspca.datasets.axis import Axis
from cspca.datasets.files import foreign
from cspca.datasets.files.foreign import clean_name, clean_names
from cspca.datasets.files.question import Confidence
from cspca.datasets.files.vocabulary import ENSEMBL_GENE
from cspca.datasets.nouns import Nouns, nouns_of
from cspca.datasets.record import Skeleton
from cspca.datasets.steps import Steps
from cspca.labels import MISSING_WORDS

if TYPE_CHECKING:
    from cspca.datasets.files.cells import CellReading
    from cspca.datasets.files.column_roles import RoleReading
    from cspca.datasets.files.columns import MeasuredColumns
    from cspca.datasets.files.picture_test import PictureReading

Array = NDArray[Any]
Size = tuple[int, int]
PixelOrder = Literal["row", "column"]
Features = Literal["pixels", "axis", "columns", "joints"]
Scale = Literal[
    "unit", "signed", "16", "255", "1023", "4095", "16383", "65535", "stretch", "columns"
]  # fmt: skip


_NEARLY_ALL: Final = 0.9
"""Share of names that must be identifiers of genes."""

UNNAMED_ARRAY: Final = "the array"
"""Name of an array of a file that holds it alone and does not name it."""

FLOAT32_FROM: Final = 256 * 2**20
"""Data that would take more bytes than this in double precision are kept in single precision."""

PICKLED: Final = "pickled"
"""Kind of an array of Python objects."""

NEVER_OPENED: Final = "is pickled, and no Python object is ever opened here"
"""What is said of such an array, behind its name."""

NOMINAL: Final = "nominal"
"""In `Table.declared`: a column of words, without a role."""


def precision(n_values: int) -> type[np.floating[Any]]:
    """Double, or single where double takes too much memory."""
    return np.float32 if n_values * 8 > FLOAT32_FROM else np.float64


_QUOTED_NUMBER: Final = re.compile(r"^'(?=-\d)")  # no formula, as an exported table says


@dataclass(frozen=True)
class ArrayField:
    """One array of a file; only its header is read until its values are needed.

    Parameters
    ----------
    name : str
        Name in the file.
    shape : tuple of int
        Length of each side.
    kind : str
        Type by NumPy's or MATLAB's name, such as ``uint8``, ``double``, ``char``, ``table``.
    load : callable
        Returns the values.
    attributes : mapping of str to object
        Attributes of the file for this array.
    """

    name: str
    shape: tuple[int, ...]
    kind: str
    load: Callable[[], Array] = field(repr=False)
    attributes: Mapping[str, Any] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """Name fit to be shown."""
        return clean_name(self.name)

    @property
    def key(self) -> str:
        """Last part of the name, after the struct or group that it lies in, in small letters."""
        return re.split(r"[./]", self.name)[-1].lower()

    @property
    def sides(self) -> tuple[int, ...]:
        """Sides longer than 1."""
        return tuple(side for side in self.shape if side > 1)

    @property
    def holds(self) -> Literal["words", "numbers", ""]:
        """Whether it holds words or real numbers; empty for what is not read here."""
        if self.kind in ("char", "text", "string"):
            return "words"
        numeric = "u?int|float|bool|double|single|logical"
        return "numbers" if re.match(numeric, self.kind) else ""

    @property
    def description(self) -> str:
        """Size and kind in words."""
        return f"{' × '.join(map(str, self.shape)) or '1'} {self.kind}"

    @property
    def is_pickled(self) -> bool:
        """Whether it holds Python objects, which are not opened."""
        return self.kind == PICKLED

    @property
    def unpickled(self) -> str:
        """What to save in place of a pickled array, as an imperative."""
        if not self.shape:
            return "save the arrays in it under names of their own"
        name = self.title if self.title.isidentifier() else "array"
        if len(self.sides) > 1:
            return f"save it as {name}.astype(float)"
        return f"save it as {name}.astype(str), or where it holds numbers as {name}.astype(float)"

    def values(self, file: str) -> Array:
        """Read the values, unless there are too many."""
        foreign.check_values(self.shape, f"{self.title} in {file}")
        return self._values

    @cached_property
    def _values(self) -> Array:
        return self.load()


@dataclass(frozen=True)
class ArrayGroup:
    """Arrays that are read as one: a single one, the parts of a set, or one a class.

    Parameters
    ----------
    fields : tuple of ArrayField
        The arrays, in the order in which their samples follow each other.
    kind : {"single", "parts", "classes"}
        Why they belong together.
    class_names : tuple of str
        Name of the class of each array, where there is one a class.
    """

    fields: tuple[ArrayField, ...]
    kind: Literal["single", "parts", "classes"] = "single"
    class_names: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """Name by which the group is chosen."""
        if self.kind == "classes":
            return f"{self.fields[0].title} … {self.fields[-1].title}"
        if len(self.fields) > 4:
            return f"{self.fields[0].title} + … + {self.fields[-1].title}"
        return " + ".join(field.title for field in self.fields)

    @property
    def description(self) -> str:
        """Sizes and kinds in words."""
        return " and ".join(field.description for field in self.fields[:3])

    @property
    def n_values(self) -> int:
        """Number of values in all."""
        return sum(math.prod(field.shape) for field in self.fields)


@dataclass
class Table:
    """One table of a file: its columns by their place, so that equal names lose none.

    Parameters
    ----------
    names : list of str
        Names of the columns as the file declares them, or ``column 1`` and so on.
    first_row : list of str
        Cells of the row that may hold the names, which is row 0 of the values as well; empty where
        the format keeps names apart.
    numbers : array of shape (n_rows, n_number_columns)
        Columns of numbers, NaN where a cell is missing.
    number_places : list of int
        Place in the table of each column of `numbers`.
    words : dict of int to array
        Other columns by their place: words, "" where a cell is missing; or numbers that were
        written in another way, NaN where one is missing.
    declared : dict of int to str
        Roles that the file itself declares, by place.
    odd_cells : dict of int to list of (row, text)
        Cells of columns of numbers that are words, and are missing in `numbers`.
    title : str
        Name of the sheet or table.
    label_rows : list of (name, cells)
        Rows of words above or below the values, one cell a column.
    top_rows : list of list of str
        The first rows of values below `first_row`, as they are written.
    samples : {"rows", "columns", ""}
        The side of the samples that the format declares.
    evidence : str
        What declares that side, as a sentence.
    names_are_written : bool
        Whether the file has the names, rather than this program.
    readings : dict of int to RoleReading
        What columns are that were added to those of the file, by place.
    n_added : int
        Number of columns at the end that this program added.
    is_as_in_file : bool
        Whether its columns are those of the file, not turned or joined.
    lines : array of int, optional
        Line of the file, from 0, of each row of values; None where that is not known.
    row_lines : array of int, optional
        Line of the file, from 0, that each of the first columns was, where the table was turned.
    beside : dict of int to str
        Columns that lie in a file of their own which does not say what they are, by place, and the
        name of that file.
    has_decimal_comma : bool
        Whether numbers are written with a comma, as 1,5.
    parts : tuple of str
        Titles of the tables whose rows it holds, where it joins several.
    notes : tuple of str
        What its parser did to it, where the file holds other tables as well, a sentence each.
    """

    names: list[str]
    first_row: list[str]
    numbers: Array
    number_places: list[int]
    words: dict[int, Array] = field(default_factory=dict)
    declared: dict[int, str] = field(default_factory=dict)
    odd_cells: dict[int, list[tuple[int, str]]] = field(default_factory=dict)
    title: str = ""
    label_rows: list[tuple[str, list[str]]] = field(default_factory=list)
    top_rows: list[list[str]] = field(default_factory=list)
    samples: Literal["rows", "columns", ""] = ""
    evidence: str = ""
    names_are_written: bool = False
    readings: dict[int, RoleReading] = field(default_factory=dict)
    n_added: int = 0
    is_as_in_file: bool = True
    lines: Array | None = None
    row_lines: Array | None = None
    beside: dict[int, str] = field(default_factory=dict)
    has_decimal_comma: bool = False
    parts: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def n_rows(self) -> int:
        """Number of rows of values."""
        return len(self.numbers)

    @property
    def places(self) -> list[int]:
        """Places of all columns that are read, in their order."""
        return sorted([*self.number_places, *self.words])

    @cached_property
    def titles(self) -> tuple[str, ...]:
        """Names of all columns fit to be shown, each once."""
        return clean_names(self.names)

    def below_first_row(self) -> Table:
        """Return the table whose columns are named by its first row, without that row."""
        return replace(
            self,
            names=[_QUOTED_NUMBER.sub("", name) for name in self.first_row],
            first_row=[],
            # A view: a large array must not be kept twice.
            numbers=self.numbers[1:],
            words={place: column[1:] for place, column in self.words.items()},
            odd_cells={
                place: [(row - 1, text) for row, text in cells if row > 0]
                for place, cells in self.odd_cells.items()
            },
            names_are_written=True,
            lines=None if self.lines is None else self.lines[1:],
        )

    def column(self, place: int) -> Array:
        """Return one column, of numbers or of words."""
        if place in self.words:
            return self.words[place]
        return self.numbers[:, self._positions[place]]

    def columns(self, n_rows: int | None = None) -> list[Array]:
        """Return all columns in the order of `places`, or their first rows."""
        by_place = dict(zip(self.number_places, self.numbers[:n_rows].T, strict=True))
        by_place |= {place: column[:n_rows] for place, column in self.words.items()}
        return [by_place[place] for place in self.places]

    def holds_numbers(self, place: int) -> bool:
        """Whether a column holds numbers."""
        return place not in self.words or self.words[place].dtype != object

    @cached_property
    def _positions(self) -> dict[int, int]:
        return {place: at for at, place in enumerate(self.number_places)}


@dataclass
class Parsed:
    """A file as its parser hands it over; nothing in it is decided.

    Parameters
    ----------
    file, format : str
        Name of the file, and its kind in words, such as ``MATLAB file``.
    arrays : list of ArrayField
        Named arrays.
    tables : list of Table
        Tables, one a sheet.
    pictures : PictureFiles or None
        Picture files (`cspca.datasets.files.containers.pictures`).
    order : {"row", "column"}
        How the container lays out pixels by custom.
    notes : list of str
        What the parser did, a sentence each.
    left_out : list of str
        What it passed over and why, a phrase each.
    declared : mapping of str to object
        Answers that the file itself gives, by the name of their question.
    """

    file: str
    format: str
    arrays: list[ArrayField] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    pictures: Any = None
    order: PixelOrder = "row"
    source: str = "file"
    notes: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    declared: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class StandIns:
    """Numbers that may stand for missing values.

    Parameters
    ----------
    numbers : tuple of float
        The numbers.
    features : array of int
        Places of the features that hold them.
    are_padding : bool
        Whether one number fills the same pixels of all pictures.
    """

    numbers: tuple[float, ...]
    features: Array
    are_padding: bool = False


@dataclass
class Draft:
    """A data set as far as it is settled; each step reads it and writes its own part.

    Parameters
    ----------
    parsed : Parsed
    group : ArrayGroup, optional
        The arrays that hold the samples.
    beside : list of ArrayField
        The other arrays.
    parts : list of array
        Values of `group`, until the step ``samples`` joins them in `data`.
    table : Table, optional
        The table that holds the samples.
    tables_beside : list of Table
        Other tables that say more of the samples of `table`.
    data : array
        Samples along the first side: (n, d), or (n, …) as stored.
    labels : array of length n, optional
        What says the class of each sample, as the file has it.
    labels_source : str
        Where the labels are from, for a sentence.
    missing_words : frozenset of str
        Words by which the file says that a label is missing.
    class_words : frozenset of str
        Words, as they are written, that are classes although they may say that.
    feature_names, sample_names : tuple of str, optional
    sample_numbers : tuple of int, optional
        Number of each sample among those of the file, from 1, where some were left out.
    axis : Axis, optional
        Axis of the features.
    declared_shape : (height, width), optional
        Shape of a picture as stored that the file declares.
    features : {"pixels", "axis", "columns", "joints"}
        What the features are.
    shape : (height, width), optional
        Upright shape of a picture.
    order : {"row", "column"}
        How the pixels of one picture follow each other.
    row_reading : PictureReading, optional
        What the picture test says of the rows of the array, where it was asked about its sides.
    picture_reading : PictureReading, optional
        What the picture test says of `data`.
    declared_scale : Scale, optional
        Scale that the file itself declares, such as eight bits a pixel.
    scale_confidence, scale_evidence : str
        How sure that is, and what speaks for it.
    scale : Scale
        How values become 0 – 1.
    common_unit : bool, optional
        Whether all features share one unit; None where nothing tells.
    skeleton : Skeleton, optional
        Joints behind pose descriptors.
    classes_by_layer : (int, int), optional
        Number of classes that lie after each other, and of the samples of each.
    has_final_size : bool
        Whether pictures were given their size when they were decoded.
    readings : list of RoleReading
        What the columns of `table` may be for, in the order of its places.
    roles : dict of int to str
        The role of each column of `table`, by its place, once it is settled.
    file_columns : sequence of int, optional
        Column of the table or array, from 0, of each feature; its row where samples are columns.
    doubtful : dict of int to list of (row, text)
        Cells of features that are words or numbers with a mark, and are missing in `data`.
    cell_readings : dict of int to CellReading
        The columns of words of `table`, by place, read cell by cell.
    measured : (Table, (list of ColumnFacts, list of array)), optional
        What was measured of all columns of a table of few rows, and that table.
    stand_ins : StandIns, optional
        Numbers of `data` that may stand for missing values.
    unraised : set of str
        Keys of questions that the values, once they were read, did not raise.
    steps : Steps
        What was done, with its numbers, so that new samples go the same way.
    flat_order : {"row", "column"}, optional
        How the pixels of new pictures that come flat are taken to follow each other.
    """

    parsed: Parsed
    group: ArrayGroup | None = None
    beside: list[ArrayField] = field(default_factory=list)
    parts: list[Array] = field(default_factory=list)
    table: Table | None = None
    tables_beside: list[Table] = field(default_factory=list)
    data: Array = field(default_factory=lambda: np.empty((0, 0)))
    labels: Array | None = None
    labels_source: str = ""
    missing_words: frozenset[str] = MISSING_WORDS
    class_words: frozenset[str] = frozenset()
    feature_names: tuple[str, ...] | None = None
    sample_names: tuple[str, ...] | None = None
    sample_numbers: tuple[int, ...] | None = None
    axis: Axis | None = None
    declared_shape: Size | None = None
    features: Features = "columns"
    shape: Size | None = None
    order: PixelOrder = "row"
    flat_order: PixelOrder | None = None
    row_reading: PictureReading | None = None
    picture_reading: PictureReading | None = None
    declared_scale: Scale | None = None
    scale_confidence: Confidence = "sure"
    scale_evidence: str = "The files say what white is."
    scale: Scale = "unit"
    common_unit: bool | None = None
    skeleton: Skeleton | None = None
    classes_by_layer: tuple[int, int] | None = None
    has_final_size: bool = False
    readings: list[RoleReading] = field(default_factory=list)
    roles: dict[int, str] = field(default_factory=dict)
    file_columns: Sequence[int] | None = None
    doubtful: dict[int, list[tuple[int, str]]] = field(default_factory=dict)
    cell_readings: dict[int, CellReading] = field(default_factory=dict)
    measured: tuple[Table, MeasuredColumns] | None = None
    stand_ins: StandIns | None = None
    unraised: set[str] = field(default_factory=set)
    steps: Steps = field(default_factory=Steps)
    notes: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)

    @property
    def one_way_axis(self) -> Axis | None:
        """The axis that the features are points of, where it runs one way."""
        if self.features != "axis" or self.shape is not None or self.axis is None:
            return None
        return self.axis if self.axis.runs_one_way else None

    @property
    def feature_noun(self) -> str:
        """What a column is called by the form of nearly all names; empty where they do not say."""
        if self.features != "columns" or self.feature_names is None:
            return ""
        n_genes = sum(bool(ENSEMBL_GENE.match(name)) for name in self.feature_names)
        return "gene" if n_genes > _NEARLY_ALL * len(self.feature_names) else ""

    @property
    def nouns(self) -> Nouns:
        """What samples and features are called, as far as it is settled."""
        return nouns_of(self.shape, self.one_way_axis, self.feature_noun)

    def record(self, **numbers: Any) -> None:
        """Note numbers of a step."""
        self.steps = replace(self.steps, **numbers)
