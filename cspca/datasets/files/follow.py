"""Take a newly parsed file through the steps of a data set: the only way from it to values."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Final, cast

import numpy as np

from cspca.datasets.axis import is_monotonic
from cspca.datasets.files import poses, tables_beside
from cspca.datasets.files.cells import Comma, read_cells
from cspca.datasets.files.channels import WEIGHTS, Grey, channels_last, weighed
from cspca.datasets.files.curves import curve_table
from cspca.datasets.files.foreign import Watch, check_values, clean_name, clean_names, listed
from cspca.datasets.files.parsed import (
    Array,
    ArrayField,
    ArrayGroup,
    Draft,
    PixelOrder,
    Scale,
    Table,
)
from cspca.datasets.files.question import NONE, Answers, Question
from cspca.datasets.files.questions import picture_files, pivot, table_samples
from cspca.datasets.files.questions.colours import flat_channels
from cspca.datasets.files.questions.commas import read_like_set
from cspca.datasets.files.questions.data import array_groups, read_field
from cspca.datasets.files.questions.header import before_numbering, settle_first_row
from cspca.datasets.files.questions.missing import numbers_in_cells
from cspca.datasets.files.questions.named_features import axis_of
from cspca.datasets.files.questions.order import upright
from cspca.datasets.files.questions.roles import sample_names
from cspca.datasets.files.questions.samples import (
    FEATURE_NAMES,
    NAMES,
    SAMPLE_NAMES,
    Side,
    axis_side,
    names_of_length,
    samples_first,
)
from cspca.datasets.files.questions.scale import RANGES, scaled, shown
from cspca.datasets.files.questions.table_classes import take_blocks, take_columns
from cspca.datasets.files.tables_beside import describes, main_table
from cspca.datasets.files.vocabulary import is_label_name
from cspca.datasets.motion import motion_descriptor, scaled_to_unit
from cspca.datasets.record import DatasetError
from cspca.datasets.resize import resize_all, resized_in_words
from cspca.datasets.steps import Size, Steps

_SIDES: Final[tuple[Side, ...]] = ("rows", "columns", "layers", "places")
_WHITES: Final = {"u1": 255.0, "u2": 65535.0}
_LEAST_NUMBERS: Final = 0.5  # share of numbers in a first row that is a sample
_LEAST_SAME: Final = 0.5  # share of the names of the set in a first row that has names
_LEAST_CURVE_COLUMNS: Final = 2
_NAMED: Final = 3  # names that a sentence lists
_BYTE: Final = 255.0
_FEWEST_LEVELS: Final = 100.0  # grey levels up to 255 reach at least this
_FAR_ABOVE: Final = 2.0  # in 0 – 1, beyond which a value is in another unit
_LEVEL_ROUNDING: Final = 1e-6  # share of white by which a grey level in single precision is off
_OTHER_UNIT: Final = 20.0  # times that the values of a set reach further in another unit
_ROUNDING: Final = {"float32": 1e-5, "float64": 1e-9}


@dataclass
class Followed:
    """New samples as the steps of a set made them.

    Parameters
    ----------
    values : array of shape (n_samples, n_features)
    names : tuple of str
        Name of each sample; empty where the file has none.
    numbers : list of int
        Number of each sample in the file, from 1.
    sentences : list of str
        What was done, a sentence each.
    flat_order : {"row", "column"}, optional
        How pixels were taken to follow each other, where pictures came flat.
    is_order_of_set : bool
        Whether they follow each other so in the file of the set, which is of such a kind.
    """

    values: Array
    names: tuple[str, ...]
    numbers: list[int]
    sentences: list[str]
    flat_order: PixelOrder | None = None
    is_order_of_set: bool = False


def follow(
    parsed: Any, steps: Steps, watch: Watch, *, crop: bool, turned: bool = False
) -> Followed:
    """Make values of a parsed file by the steps of a set, with the numbers of that set.

    `crop` cuts margins off pictures of other proportions, where the set has not; `turned` takes the
    pixels of flat pictures in the other order.
    """
    draft = Draft(parsed, steps=steps)
    draft.order = _flat_order(parsed, steps, turned=turned)
    if parsed.pictures is not None:
        _take_pictures(draft, steps, crop=crop or steps.crop)
    elif parsed.tables:
        _take_table(draft, steps)
    else:
        _take_arrays(draft, steps, crop=crop or steps.crop)
    check_values(draft.data.shape, parsed.file)
    if steps.joints is not None:
        _describe_poses(draft, steps)
    names = draft.sample_names
    _bring_to_unit(draft, steps)
    draft.data = np.require(draft.data.astype(steps.dtype, order="C"), requirements="W")
    good = _fill_missing(draft, steps)
    values = draft.data
    if steps.shape is not None and steps.order == "column":
        upright(values, steps.shape[::-1])
    values = _scaled(values, draft, steps)
    if steps.shape is not None and steps.size is not None:
        values = resize_all(values.reshape(-1, *steps.shape), steps.size, crop=steps.crop)
    numbers = (1 + np.arange(len(values)) if good is None else 1 + np.flatnonzero(good)).tolist()
    if names is not None and good is not None:
        names = tuple(np.array(names, dtype=object)[good].tolist())
    left_out = [*parsed.left_out, *draft.left_out]
    sentences = [*parsed.notes, *draft.notes]
    if left_out:
        sentences.append(f"Left out: {listed(left_out)}.")
    is_order_of_set = _has_flat_samples(steps) and parsed.order == steps.order
    return Followed(
        values=values,
        names=clean_names(names or ()),
        numbers=numbers,
        sentences=sentences,
        flat_order=draft.flat_order,
        is_order_of_set=is_order_of_set,
    )


def _has_flat_samples(steps: Steps) -> bool:
    """Whether the samples of the set are stored as rows or columns of numbers."""
    return steps.source in ("arrays", "table") and len(steps.sample_shape) == 1


def _flat_order(parsed: Any, steps: Steps, *, turned: bool) -> PixelOrder:
    """How pixels of flat pictures follow each other: as in the set, else as in such files."""
    order: PixelOrder = steps.order if _has_flat_samples(steps) else parsed.order  # type: ignore[assignment]
    if not turned:
        return order
    return "row" if order == "column" else "column"


def _upright_of_flat(draft: Draft, data: Array, shape: Size) -> Array:
    """Return flat pictures as upright ones of a shape, and note in which order they were taken."""
    draft.flat_order = draft.order
    if draft.order == "row":
        return data.reshape(-1, *shape)
    return data.reshape(-1, *shape[::-1]).transpose(0, 2, 1)


# Pictures


def _take_pictures(draft: Draft, steps: Steps, *, crop: bool) -> None:
    """Decode pictures at the size of the set, in its unit, in the order of its pixels."""
    pictures, file = draft.parsed.pictures, draft.parsed.file
    if steps.shape is None and steps.source != "pictures":
        count = steps.nouns.count_features(steps.n_features)
        raise DatasetError(
            f"{file} holds pictures, and a sample of the set has {count}: bring samples like those."
        )
    n_masks, n_files = len(pictures.masks), len(pictures.infos)
    n_left = n_masks if steps.files == picture_files.MASKS else n_files - n_masks
    if steps.files and n_left:
        picture_files.apply_files(pictures, steps.files)
    _take_pages(draft, steps)
    if steps.source == "pictures":
        size = cast(Size, steps.sample_shape[-2:])
        colours = steps.colours
    else:
        assert steps.shape is not None
        size = steps.shape
        colours = steps.colours if steps.colours in WEIGHTS else "luma"
    decoded = pictures.decode(colours, size, crop=crop, steps=steps)
    draft.data = decoded.stack.reshape(len(decoded.stack), -1)
    if decoded.stack.shape[1:] != (steps.sample_shape if steps.source == "pictures" else size):
        n_channels = len(decoded.stack[0]) if decoded.stack.ndim > 3 else 1
        raise DatasetError(
            f"{file} holds pictures with another number of channels ({n_channels}) than the set "
            f"({steps.sample_shape[0]}): bring pictures of as many."
        )
    if steps.source != "pictures":
        draft.data = _as_stored(draft.data, steps)
    names = pictures.names
    draft.sample_names = tuple(names[place] for place in decoded.places)
    draft.notes += decoded.sentences
    draft.left_out += pictures.failed


def _take_pages(draft: Draft, steps: Steps) -> None:
    """Take every page where the set has, or where one file came alone; else the first of each."""
    pictures = draft.parsed.pictures
    several = pictures.with_pages
    if not several:
        return
    is_alone = len(pictures.samples) == 1 and not steps.samples
    if is_alone or steps.samples == picture_files.PAGES:
        pictures.take_pages()
        return
    draft.notes.append(f"{picture_files.about_pages(pictures)}: the first of each file is taken.")


def _as_stored(values: Array, steps: Steps) -> Array:
    """Return upright pictures with their pixels in the order of the file of the set."""
    if steps.order != "column" or steps.shape is None:
        return values
    turned = values.reshape(-1, *steps.shape).transpose(0, 2, 1)
    return np.ascontiguousarray(turned).reshape(len(values), -1)


# Tables


def _take_table(draft: Draft, steps: Steps) -> None:
    """Take the columns of a table that are the features of the set."""
    tables = {table.title: table for table in draft.parsed.tables}
    likeliest = main_table(draft.parsed.tables) or draft.parsed.tables[0]
    table = tables.get(steps.array, likeliest)
    for title, other in tables.items():
        if other is table or title in table.parts or table.title in other.parts:
            continue
        if not table.parts and describes(other, table):
            draft.tables_beside.append(other)
        else:
            draft.left_out.append(f"the table {title}")
    refusal: DatasetError | None = None
    draft.notes += table.notes
    settle_first_row(draft, table, "names" if _is_header(table, steps) else "sample")
    assert draft.table is not None
    features = _places_of_features(draft.table, steps)
    read_like_set(draft, draft.table, cast(Comma, steps.comma), features)
    _say_of_points(draft, draft.table, steps)
    table = draft.table
    for arranged, sentence in _arrangements(draft, table, steps):
        try:
            matched = _matched(arranged, steps, draft.parsed.file)
            if matched is None:
                continue
            places, notes = matched
            if not isinstance(places, list):
                draft.data = places
            elif steps.holds_blocks:
                take_blocks(draft, arranged, places)
            else:
                _read_words(arranged, places)
                take_columns(draft, arranged, places)
        except DatasetError as error:
            refusal = refusal or error
            continue
        draft.notes += [*([sentence] if sentence else []), *notes]
        if steps.names_from in arranged.titles:
            place = arranged.titles.index(steps.names_from)
            if place in arranged.places:
                draft.sample_names = sample_names(arranged, place)
        break
    else:
        raise refusal or _misfit(table, steps, draft.parsed.file)
    if draft.data.shape[1] != steps.n_features:
        raise DatasetError(
            f"{draft.parsed.file} holds {draft.data.shape[1]:,} numbers a sample, and the set has "
            f"{steps.n_features:,}: bring samples of as many."
        )
    if steps.flat_channels is not None:
        draft.data = _of_channels(flat_channels(draft.data, steps.flat_channels), steps)


def _is_header(table: Table, steps: Steps) -> bool:
    """Whether the first row has names: those of the set, or words over columns of numbers."""
    if not table.first_row:
        return False
    cells = clean_names(cell.strip() for cell in table.first_row)
    columns = {*(steps.columns or ())}
    n_same = max(len(columns & {*cells}), len({*_numbers_of(columns)} & {*_numbers_of(cells)}))
    is_turned = steps.samples == "columns" or steps.pivot not in (NONE, "")
    is_of_set = n_same >= max(1, _LEAST_SAME * len(columns))
    if steps.header != "sample" and columns and len(_numbers_of(columns)) == len(columns):
        # Of a set on an axis a first row that runs one way is an axis, if not the same one.
        numbers = before_numbering(table)
        if len(numbers) > 2 and is_monotonic(numbers):
            return True
    has_other_names = steps.header == "sample" and steps.columns is not None
    if steps.header and (is_turned or is_of_set or has_other_names):
        return steps.header != "sample"
    values = before_numbering(table)
    return not len(values) or bool(np.isfinite(values).mean() < _LEAST_NUMBERS)


def _arrangements(draft: Draft, table: Table, steps: Steps) -> Iterator[tuple[Table, str]]:
    """The table arranged as that of the set was, and otherwise, each with a sentence."""
    draft.table = table
    if steps.pivot not in (NONE, ""):
        question = Question("pivot", "", (), "given", steps.pivot)
        if pivot.fits(table, steps.pivot):
            before = [*draft.left_out], [*draft.notes]
            pivot.apply(draft, {"pivot": question}, Answers(), Watch(draft.parsed.file))
            assert draft.table is not None
            yield draft.table, ""
            draft.table = table
            draft.left_out, draft.notes = before
    curves = None if table.names_are_written else _curves(table, steps)
    if curves is not None:
        yield curves, "The first column is the axis of the curves in the others."
    turned = steps.samples == "columns" and steps.source == "table"
    for is_turned in (turned, not turned):
        sentence = ""
        if is_turned != turned:
            where = "columns" if is_turned else "rows"
            sentence = f"Samples lie in {where} here, unlike in the file of the set."
        before = [*draft.left_out], [*draft.notes]
        if is_turned:
            draft.table = table_samples.turned(draft, table)
        else:
            draft.table = table
            table_samples.join_labels(draft, table)
        joined, _, _ = tables_beside.joined(draft.table, draft.tables_beside)
        yield joined, sentence
        draft.left_out, draft.notes = before


def _curves(table: Table, steps: Steps) -> Table | None:
    """Return one row a curve of columns behind an axis, where the set has points of an axis."""
    if len(table.number_places) < _LEAST_CURVE_COLUMNS or axis_of(steps.columns or ()) is None:
        return None
    axis, *curves = (table.column(place) for place in table.number_places)
    if len(axis) < _LEAST_CURVE_COLUMNS or not is_monotonic(axis):
        return None
    return curve_table(axis, np.array(curves), {})


def _misfit(table: Table, steps: Steps, file: str) -> DatasetError:
    """Say that a table has other columns than the set has features."""
    n_columns, n_rows = len(table.places), table.n_rows
    columns = "1 column" if n_columns == 1 else f"{n_columns:,} columns"
    rows = "1 row" if n_rows == 1 else f"{n_rows:,} rows"
    n_features = len(steps.columns or steps.places or ()) or steps.n_features
    return DatasetError(
        f"{file} has {columns} and {rows}, and the set has {n_features:,} features: bring a table "
        "with as many columns, or with the names of those."
    )


def _matched(table: Table, steps: Steps, file: str) -> tuple[list[int] | Array, list[str]] | None:
    """Return the places of the features in a table, or their values, and sentences about it.

    None where one has no names, and there are not as many.
    """
    titles = table.titles
    # The names of the columns of a table that was turned are those of its samples.
    available = [
        place
        for place in table.places
        if table.is_as_in_file or table.declared.get(place) != "name"
    ]
    n_wanted = len(steps.columns or steps.places or ()) or steps.n_features
    if steps.columns is not None and table.names_are_written:
        at = {titles[place]: place for place in available}
        lacking = [title for title in steps.columns if title not in at]
        if lacking:
            at |= _by_number(at, lacking) | _by_spelling(at, steps.columns)
            lacking = [title for title in steps.columns if title not in at]
        if lacking:
            values = _interpolated(table, steps)
            if values is not None:
                count = f"{len(steps.columns):,} points"
                sentence = f"Values are interpolated at the {count} of the axis of the set."
                return values, [sentence]
            n_matches = len(steps.columns) - len(lacking)
            raise DatasetError(
                f"{file} has {n_matches:,} of the {len(steps.columns):,} features of the set by "
                f"their names; it lacks {listed(lacking, _NAMED)}: bring a table that has them all."
            )
        places = [at[title] for title in steps.columns]
        return places, _about_columns(table, places, steps)
    is_whole = len(available) == steps.n_columns and {*(steps.places or ())} <= {*available}
    if is_whole and steps.places is not None:
        places = [*steps.places]
    else:
        numbers = [place for place in available if table.column(place).dtype != object]
        places = available if len(available) == n_wanted else numbers
        places = _as_in_set(places, steps) if len(places) == n_wanted else places
    if len(places) != n_wanted:
        return None
    if steps.columns is None and not table.names_are_written:
        return places, []
    which = "the file has no names" if steps.columns is not None else "the set has no names"
    return places, [f"Columns are taken in their order, for {which}."]


def _as_in_set(columns: Sequence[int], steps: Steps) -> list[int]:
    """Put the columns of a file that has no others than the features in the order of the set."""
    if steps.places is None or len(steps.places) != len(columns):
        return [*columns]
    ranks = np.argsort(np.argsort(steps.places))
    return [columns[rank] for rank in ranks.tolist()]


def _say_of_points(draft: Draft, table: Table, steps: Steps) -> None:
    """Say that points are decimal marks in a file without the decimal comma of the set."""
    fractions = table.numbers[np.isfinite(table.numbers)] % 1
    has_commas = table.has_decimal_comma or any(
        reading.doubtful.any() for reading in draft.cell_readings.values()
    )
    if steps.comma == "decimal" and not has_commas and fractions.any():
        draft.notes.append(
            "The numbers of the set have a decimal comma and these have none: their points are "
            "taken as decimal marks, not as groups of thousands."
        )


def _places_of_features(table: Table, steps: Steps) -> set[int] | None:
    """Columns of a table that are features of the set by their names; None where any may be."""
    if steps.columns is None or steps.samples == "columns" or not table.names_are_written:
        return None
    at = {table.titles[place]: place for place in table.places}
    lacking = [title for title in steps.columns if title not in at]
    at |= _by_number(at, lacking) | _by_spelling(at, steps.columns)
    return {at[title] for title in steps.columns if title in at}


def _by_number(at: dict[str, int], lacking: Sequence[str]) -> dict[str, int]:
    """Places of columns whose names are the same numbers, written otherwise."""
    numbers = {number: place for title, place in at.items() for number in _numbers_of((title,))}
    return {
        title: numbers[number]
        for title in lacking
        for number in _numbers_of((title,))
        if number in numbers
    }


def _by_spelling(at: dict[str, int], columns: Sequence[str]) -> dict[str, int]:
    """Places of columns whose names differ in capitals or blanks alone from one of the set."""
    spelled = {" ".join(title.casefold().split()): place for title, place in at.items()}
    of_set = {title: " ".join(title.casefold().split()) for title in columns}
    is_distinct = len(spelled) == len(at) and len({*of_set.values()}) == len(columns)
    if not is_distinct:
        return {}
    return {
        title: spelled[spelling]
        for title, spelling in of_set.items()
        if title not in at and spelling in spelled
    }


def _numbers_of(titles: Iterable[str]) -> list[float]:
    """The names that are numbers."""
    numbers = []
    for title in titles:
        try:
            numbers.append(float(title))
        except ValueError:
            continue
    return numbers


def _interpolated(table: Table, steps: Steps) -> Array | None:
    """Values at the points of the set's axis, where the table has curves that reach over it."""
    assert steps.columns is not None
    places = [place for place in table.places if table.column(place).dtype != object]
    set_axis, axis = axis_of(steps.columns), axis_of([table.names[place] for place in places])
    if set_axis is None or axis is None:
        return None
    points, here = np.array(set_axis.values), np.array(axis.values)
    if set_axis.unit != axis.unit or points.min() < here.min() or points.max() > here.max():
        return None
    order = np.argsort(here)
    values = np.column_stack([table.column(place) for place in places])[:, order]
    return np.array([np.interp(points, here[order], row) for row in values])


def _about_columns(table: Table, places: list[int], steps: Steps) -> list[str]:
    """Say which columns of the file are passed over, and whether others were put in order."""
    sentences = []
    if any(np.diff(places) < 0) and (steps.places is None or not any(np.diff(steps.places) < 0)):
        sentences.append("Columns are put in the order of the set by their names.")
    passed_over = {*places}
    extra = [
        table.titles[place]
        for place in table.places
        if place not in passed_over
        and table.titles[place] not in steps.beside
        and place not in table.declared
    ]
    if extra:
        are = "is no feature" if len(extra) == 1 else "are no features"
        sentences.append(f"{listed(extra, _NAMED)} {are} of the set, and left out.")
    return sentences


def _read_words(table: Table, places: Sequence[int]) -> None:
    """Read features whose column holds words as numbers, as far as its cells are any."""
    for place in places:
        column = table.column(place)
        if column.dtype != object:
            continue
        reading = read_cells(column)
        values = np.asarray(reading.values, dtype=np.float64)
        if not len(values):
            values = np.full(len(column), np.nan)
        table.words[place] = values
        odd = np.flatnonzero(np.isnan(values) & ~reading.missing)
        if len(odd):
            table.odd_cells[place] = [(int(row), str(reading.text[row])) for row in odd]


# Arrays


def _take_arrays(draft: Draft, steps: Steps, *, crop: bool) -> None:
    """Take the array whose samples have the shape of those of the set."""
    parsed = draft.parsed
    groups = array_groups(parsed.arrays)
    single = [ArrayGroup((field,)) for field in parsed.arrays if _may_hold(field, steps)]
    groups = sorted([*groups, *single], key=lambda group: group.title != steps.array)
    for group in groups:
        draft.group = group
        taken = {field.name for field in group.fields}
        draft.beside = [field for field in parsed.arrays if field.name not in taken]
        sides = sorted(_SIDES, key=lambda side: side != _usual_side(steps))
        n_notes = len(draft.notes)
        arrays = [read_field(field, draft) for field in group.fields]
        # Pictures of another size only where no side gives those of the set.
        for may_resize, side in product((False, True), sides):
            parts = [
                _arranged(array, side, draft, steps, may_resize=may_resize) for array in arrays
            ]
            fitting = [part for part in parts if part is not None]
            if len(fitting) == len(parts):
                draft.data = fitting[0] if len(fitting) == 1 else np.concatenate(fitting)
                _say_side(draft, side, steps)
                _shape_samples(draft, steps, crop=crop)
                return
        del draft.notes[n_notes:]
    shapes = listed([f"{field.title} ({field.description})" for field in parsed.arrays], 4)
    shape = " × ".join(map(str, steps.sample_shape))
    raise DatasetError(
        f"{parsed.file} holds {shapes}, and a sample of the set has {shape} numbers: bring an "
        "array of such samples."
    )


def _may_hold(field: ArrayField, steps: Steps) -> bool:
    """Whether an array may be one sample or several, by its size alone."""
    size = math.prod(field.shape)
    is_whole = size > 0 and size % max(1, math.prod(steps.sample_shape)) == 0
    return field.holds == "numbers" and is_whole and not is_label_name(field.name)


def _arranged(
    values: Array, side: Side, draft: Draft, steps: Steps, *, may_resize: bool
) -> Array | None:
    """Return an array with its samples first, if they have the shape of those of the set."""
    shapes = _shapes(steps)
    if values.shape in shapes and side == _usual_side(steps):
        return values[None]
    if values.ndim == 2 and 1 in values.shape and (values.size,) in shapes:
        return values.reshape(1, -1)
    if side in ("layers", "places") and values.ndim != 3:
        return None
    if values.ndim < 2:
        return None
    arranged = samples_first(values, side, axis_side(draft, values.shape))
    if arranged.shape[1:] in shapes:
        return arranged
    is_picture = steps.shape is not None and arranged.ndim == 3 and side in ("rows", "columns")
    if not is_picture or steps.flat_channels is not None:
        return None
    return arranged if may_resize or arranged.shape[1:] == steps.shape else None


def _usual_side(steps: Steps) -> str:
    """Side of the samples in the arrays of the set; of other sets, samples are rows."""
    return steps.samples if steps.source == "arrays" and steps.samples else "rows"


def _shapes(steps: Steps) -> set[tuple[int, ...]]:
    """Shapes in which one sample may be stored."""
    shapes = {steps.sample_shape, (math.prod(steps.sample_shape),)}
    if steps.n_columns and not steps.holds_blocks:
        shapes.add((steps.n_columns,))
    if steps.shape is not None and steps.source != "arrays":
        shapes |= {steps.shape, (*steps.shape, 3), (*steps.shape, 4)}
    return shapes


def _say_side(draft: Draft, side: Side, steps: Steps) -> None:
    """Say so where samples lie along another side than in the file of the set."""
    if side != _usual_side(steps) and len(draft.data) != 1:
        where = {"rows": "the first side", "columns": "the last side"}.get(side, "another side")
        draft.notes.append(f"Samples lie along {where} here, unlike in the file of the set.")


def _shape_samples(draft: Draft, steps: Steps, *, crop: bool) -> None:
    """Make one row of features of each sample, as stored in the file of the set."""
    draft.sample_names = names_of_length(draft, (*SAMPLE_NAMES, *NAMES), len(draft.data))
    data = draft.data
    if steps.source in ("values", "pictures") and steps.shape is not None:
        draft.data = _as_stored(_plain_pictures(draft, steps, crop=crop), steps)
        return
    if data.ndim == 3 and data.shape[1:] != steps.sample_shape and steps.shape is not None:
        if data.shape[1:] != steps.shape:
            size = (data.shape[1], data.shape[2])
            words = resized_in_words(size, steps.shape, cropped=crop)
            draft.notes.append(f"Pictures are {words}.")
            data = resize_all(data.astype(np.float64), steps.shape, crop=crop)
            data = data.reshape(-1, *steps.shape)
        stored = data if steps.order == "row" else data.transpose(0, 2, 1)
        draft.data = stored.reshape(len(stored), -1)
        return
    if data.ndim == 2 and steps.sample_shape == steps.shape and steps.shape is not None:
        data = _upright_of_flat(draft, data, steps.shape)
        draft.data = _as_stored(np.ascontiguousarray(data).reshape(len(data), -1), steps)
        return
    if data.ndim == 2 and len(steps.sample_shape) > 1:
        data = data.reshape(len(data), *steps.sample_shape)
    if steps.joints is not None and steps.joints.layout:
        draft.data = data
        return
    if data.ndim == 2:
        draft.data = data[:, _order_of_columns(draft, data, steps)]
        are_named = steps.columns is not None or names_of_length(
            draft, (*FEATURE_NAMES, *NAMES), data.shape[1]
        )
        is_picture = steps.shape is not None and data.shape[1] == math.prod(steps.shape)
        if is_picture and steps.shape is not None and not are_named:
            upright_pictures = _upright_of_flat(draft, draft.data, steps.shape)
            flat = np.ascontiguousarray(upright_pictures).reshape(len(data), -1)
            draft.data = _as_stored(flat, steps)
        if steps.flat_channels is not None:
            draft.data = _of_channels(flat_channels(draft.data, steps.flat_channels), steps)
        return
    if data.ndim == 4 and steps.colours:
        channels = channels_last(data)
        assert channels is not None
        draft.data = _of_channels(channels, steps)
        return
    draft.data = data.reshape(len(data), -1)


def _order_of_columns(draft: Draft, data: Array, steps: Steps) -> list[int]:
    """Places of the features: by name where the file and the set have names."""
    names = names_of_length(draft, (*FEATURE_NAMES, *NAMES), data.shape[1])
    if names is None or steps.columns is None:
        is_whole = data.shape[1] == steps.n_columns and steps.places is not None
        return [*(steps.places or ())] if is_whole else _as_in_set(range(data.shape[1]), steps)
    at = {title: place for place, title in enumerate(clean_names(names))}
    lacking = [title for title in steps.columns if title not in at]
    if lacking:
        raise DatasetError(
            f"{draft.parsed.file} has {len(steps.columns) - len(lacking):,} of the "
            f"{len(steps.columns):,} features of the set by their names; it lacks "
            f"{listed(lacking, _NAMED)}: bring an array that has them all."
        )
    return [at[title] for title in steps.columns]


def _of_channels(channels: Array, steps: Steps) -> Array:
    """Make grey of channels, or keep them apart, as in the set."""
    if channels.shape[-1] == 1:
        return channels.reshape(len(channels), -1)
    if steps.colours == "separate":
        return channels.reshape(len(channels), -1)
    dtype: Any = np.dtype(steps.dtype).type
    grey = weighed(channels, cast(Grey, steps.colours), dtype)
    return grey.reshape(len(grey), -1)


def _plain_pictures(draft: Draft, steps: Steps, *, crop: bool) -> Array:
    """Return upright pictures of an array in the unit and size of a set of other files."""
    data, shape = draft.data, steps.shape
    assert shape is not None
    white = _white_of(data, draft.parsed.file)
    if data.ndim == 4 or (data.ndim == 2 and data.shape[1] > math.prod(shape)):
        data = weighed(data.reshape(len(data), *shape, -1), "luma", np.float64)
        draft.notes.append("Colours are turned to grey.")
    is_flat = data.ndim == 2 and draft.data.ndim == 2 and data.shape == draft.data.shape
    pictures = _upright_of_flat(draft, data, shape) if is_flat else data
    pictures = pictures.reshape(len(data), *(data.shape[1:] if data.ndim == 3 else shape))
    size = (pictures.shape[1], pictures.shape[2])
    if size != shape:
        words = resized_in_words(size, shape, cropped=crop)
        draft.notes.append(f"Pictures are {words}.")
        pictures = resize_all(pictures.astype(np.float64), shape, crop=crop)
    top = 1.0 if steps.source == "values" or steps.depths_are_mixed else float(steps.high[0])
    if white != top:
        draft.notes.append(f"White is {white:,.6g} in this file.")
    return pictures.reshape(len(pictures), -1) * (top / white)


def _white_of(values: Array, file: str) -> float:
    """White of an array by its type: whole numbers have 8 or 16 bits, fractions reach 1 or 255."""
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    kind = f"{values.dtype.kind}{values.dtype.itemsize}"
    if kind in _WHITES:
        return _WHITES[kind]
    if low >= 0 and values.dtype.kind in "iu" and high <= 65535:
        return 255.0 if high <= 255 else 65535.0
    if low >= 0 and high <= 255:
        return 1.0 if high <= 1 else 255.0
    raise DatasetError(
        f"{file}: values run from {shown(low)} to {shown(high)}, and those of the set are grey "
        "levels: bring levels of 0 – 1 or 0 – 255."
    )


# Numbers


def _bring_to_unit(draft: Draft, steps: Steps) -> None:
    """Bring grey levels to the unit of the set where both are certain; say or refuse it else."""
    if steps.source in ("values", "pictures") or len(steps.high) > 1:
        return
    data, file = draft.data, draft.parsed.file
    finite = data[np.isfinite(data)] if data.dtype.kind == "f" else data
    if not finite.size:
        return
    low, high = float(finite.min()), float(finite.max())
    least, most = float(steps.low[0]), float(steps.high[0])
    if steps.shape is not None and low >= 0 and least >= 0:
        are_whole = bool((finite == np.rint(finite)).all())
        levels = _levels_of(steps)
        if levels > 1 and high <= 1 and not are_whole:
            multiples = finite.astype(np.float64) * levels
            if np.abs(multiples - np.rint(multiples)).max() <= _LEVEL_ROUNDING * levels:
                draft.data = data * levels
                draft.notes.append(
                    f"Values of 0 – 1 are multiplied by {shown(levels)}: all are whole grey levels "
                    "then, as in the set."
                )
                return
        elif most <= 1 < high:
            kind = f"{data.dtype.kind}{data.dtype.itemsize}"
            is_of_bytes = kind == "u1" or (are_whole and _FEWEST_LEVELS <= high <= _BYTE)
            if not is_of_bytes and high > _FAR_ABOVE:
                raise DatasetError(
                    f"{file}: values run from {shown(low)} to {shown(high)}, and those of the set "
                    f"from {shown(least)} to {shown(most)}: divide them by the number that is "
                    "white."
                )
            if is_of_bytes:
                draft.data = data / _BYTE
                draft.notes.append(
                    f"Values of {shown(low)} – {shown(high)} are divided by {shown(_BYTE)}, as "
                    "those of the set lie in 0 – 1."
                )
                return
    reach, reach_of_set = max(abs(low), abs(high)), max(abs(least), abs(most))
    if reach * _OTHER_UNIT < reach_of_set or reach > _OTHER_UNIT * reach_of_set:
        draft.notes.append(
            f"Values run from {shown(low)} to {shown(high)} here, and from {shown(least)} to "
            f"{shown(most)} in the set: if they are in another unit, bring them in that of the set."
        )


def _levels_of(steps: Steps) -> float:
    """Grey level that is white in the file of a set of pictures; 1 where that is not known."""
    most = float(steps.high[0])
    if steps.scale in RANGES:
        return most
    return _BYTE if _FEWEST_LEVELS <= most <= _BYTE else 1.0


def _describe_poses(draft: Draft, steps: Steps) -> None:
    """Replace coordinates by those from the root on, and the distances between all joints."""
    joints, data = steps.joints, draft.data
    assert joints is not None
    if joints.places is not None:
        points = data[:, joints.places]
    elif joints.layout:
        points = poses.frames_of_points(data, cast(poses.Layout, joints.layout))
    else:
        points = data.reshape(len(data), -1, 3)
    points = poses.coordinates_of(points).astype(float)
    points[poses.at_origin(points, joints.always_at_origin.astype(bool))] = np.nan
    draft.data = motion_descriptor(points, joints.root)


def _fill_missing(draft: Draft, steps: Steps) -> Array | None:
    """Put in place of missing values what the set has there; return which samples stay."""
    data, nouns = draft.data, steps.nouns
    if steps.padded is not None and steps.fill is not None:
        data[:, steps.padded] = steps.fill[steps.padded]
    if steps.missing == "number":
        for (row, column), value in numbers_in_cells(draft).items():
            data[row, column] = value
    is_missing = ~np.isfinite(data)
    if steps.coded is not None:
        is_missing[:, steps.coded] |= np.isin(data[:, steps.coded], steps.codes)
    _say_no_numbers(draft, is_missing)
    if steps.remaining is not None:
        data, is_missing = data[:, steps.remaining], is_missing[:, steps.remaining]
    if steps.fill is not None and steps.padded is None and is_missing.any():
        data[is_missing] = np.broadcast_to(steps.fill, data.shape)[is_missing]
        n_filled = int(is_missing.sum())
        are = "value was" if n_filled == 1 else "values were"
        draft.notes.append(
            f"{n_filled:,} missing {are} filled with the {steps.missing} of the set."
        )
        is_missing = ~np.isfinite(data)
    draft.data = np.ascontiguousarray(data)
    bad = np.asarray(is_missing.any(axis=1))
    if not bad.any():
        return None
    count = nouns.count_samples(int(bad.sum()))
    if bad.all():
        verb = "holds" if len(bad) == 1 else "hold"
        raise DatasetError(
            f"{draft.parsed.file}: {count} {verb} missing values, and the set has no rule for "
            f"filling them: bring {nouns.samples} without them."
        )
    draft.data = draft.data[~bad]
    draft.notes.append(f"{count} with missing values left out.")
    return np.asarray(~bad)


def _say_no_numbers(draft: Draft, is_missing: Array) -> None:
    """Name the cells of features that hold something else than a number."""
    texts = [
        clean_name(text, 30)
        for column, marks in draft.doubtful.items()
        for row, text in marks
        if column < is_missing.shape[1] and is_missing[row, column]
    ]
    if texts:
        are = "cell is no number, and" if len(texts) == 1 else "cells are no numbers, and are"
        examples = listed(list(dict.fromkeys(texts)), _NAMED)
        draft.notes.append(f"{len(texts):,} {are} missing: {examples}.")


def _scaled(values: Array, draft: Draft, steps: Steps) -> Array:
    """Scale by the numbers of the set, and say which samples lie beyond them."""
    file, nouns = draft.parsed.file, steps.nouns
    low, high = float(values.min()), float(values.max())
    is_plain = steps.source == "values"
    if is_plain and not (low >= 0 and high <= 1):
        raise DatasetError(
            f"{file}: values run from {shown(low)} to {shown(high)}, and those of the set lie in "
            "0 – 1: bring them in that range."
        )
    if steps.scale == "length":
        assert steps.joints is not None
        n_joints = len(steps.joints.always_at_origin)
        values = scaled_to_unit(values, n_joints, float(steps.high[0]))
    else:
        if steps.scale == "columns":
            _say_constant(values, draft, steps)
        values = scaled(values, cast(Scale, steps.scale), steps.low, steps.high)
    margin = _ROUNDING[steps.dtype]
    is_beyond = ((values < -margin) | (values > 1 + margin)).any(axis=1)
    count = int(is_beyond.sum())
    if count:
        least, most = float(values.min()), float(values.max())
        verb = "has" if count == 1 else "have"
        draft.notes.append(
            f"{nouns.count_samples(count)} {verb} values beyond the range of the set: they are not "
            f"cut off, and run from {shown(round(least, 3))} to {shown(round(most, 3))} where the "
            "set runs from 0 to 1."
        )
    return values


def _say_constant(values: Array, draft: Draft, steps: Steps) -> None:
    """Say which columns have other values here, and one alone in the set, which scales nothing."""
    constant = np.flatnonzero(steps.low == steps.high)
    changed = constant[(values[:, constant] != steps.low[constant]).any(axis=0)]
    if len(changed):
        never, their = (
            (f"{steps.nouns.feature} never changes", "its")
            if len(changed) == 1
            else (f"{steps.nouns.features} never change", "their")
        )
        draft.notes.append(
            f"{len(changed):,} {never} in the set: {their} values here count for nothing."
        )
