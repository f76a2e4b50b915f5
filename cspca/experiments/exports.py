"""Files of a result, whatever its kind: tables, arrays, LaTeX, JSON, maps, lines of Python."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import partial
from operator import methodcaller
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cspca.datasets.addresses import file_address, file_line
from cspca.datasets.files.containers.numpy_files import ANSWERS
from cspca.datasets.files.containers.own_workbook import (
    ABOUT,
    CLASS,
    CLASSES,
    NAMES_FIRST,
    SAMPLE,
    SAMPLES,
)
from cspca.datasets.files.feature_names import names_of_unnamed
from cspca.datasets.files.question import NONE
from cspca.experiments.experiment import Outcome
from cspca.experiments.settings import to_json as settings_json
from cspca.labels import UNLABELLED

if TYPE_CHECKING:
    import pandas as pd

    from cspca.datasets import Dataset


@dataclass(frozen=True)
class File:
    """One file: what it is called and what is in it; it is made when it is asked for.

    One that `is_large` may have more than a few megabytes, or takes more than a moment to make.
    """

    label: str
    name: str
    make: Callable[[], str | bytes]
    help: str
    is_large: bool = False

    @property
    def suffix(self) -> str:
        """The kind of file, with the dot."""
        return "." + self.name.rpartition(".")[2]


MANY_NUMBERS: Final = 200_000
"""Numbers above which a table is a large file: of about 4 MB."""

MOST_AS_TABLE: Final = 5_000_000
"""Numbers above which a data set is offered as arrays alone."""

MOST_IN_WORKBOOK: Final = 500_000
"""Numbers above which a data set is offered as no workbook: it takes a second for 40,000."""

_MOST_COLUMNS: Final = 2**14
"""Columns of a sheet."""

_QUOTED: Final = "A text that begins with =, +, - or @ has ' before it, so that no program runs it."


def files(outcome: Outcome) -> tuple[File, ...]:
    """Everything that can be made of a result, but for its report; none is made to name it."""
    kind, data = outcome.experiment.kind, outcome.data
    found: list[File] = []
    # A row of the table of results has about twenty numbers.
    has_many = len(outcome.results) > MANY_NUMBERS // 20
    for title in outcome.table_titles:
        name = f"{kind}-{slug(title)}.csv" if found else f"{kind}.csv"
        said = f"One line a row, with all digits. {_QUOTED}"
        found.append(File(f"{title}, CSV", name, partial(_table, outcome, title), said))
    name = f"{kind}-runs.csv" if found else f"{kind}.csv"
    said = f"One line a result, with all that decided it. {_QUOTED}"
    found.append(File("All results, CSV", name, lambda: to_csv(outcome.table), said, has_many))
    said = "Every table on a sheet of its own: numbers are numbers, and names as they are."
    found.append(File("Workbook, XLSX", f"{kind}.xlsx", partial(workbook, outcome), said, True))
    said = "Tables for pdfLaTeX, none wider than its text; needs booktabs and graphicx."
    found.append(File("Tables, LaTeX", f"{kind}.tex", partial(latex, outcome), said))
    said = "For numpy.load: every array, and the columns of the table of results."
    found.append(File("Arrays, NPZ", f"{kind}.npz", partial(npz, outcome), said, True))
    said = "All that was found, for programs."
    found.append(File("JSON", f"{kind}.json", partial(to_json, outcome), said, has_many))
    said = "A paragraph on how it was made, and BibTeX for all that was used."
    found.append(File("Methods and BibTeX", f"{kind}-methods.txt", partial(methods, outcome), said))
    said = outcome.python_note or "The lines of Python that give the same numbers."
    found.append(File("Python", f"{kind}.py", lambda: outcome.snippet, said))
    scores = outcome.experiment.importance(outcome.results)
    if scores is not None and scores.shape == (data.n_features,):
        found += _maps(data, scores)
    said = "What was asked, every result as CSV, every array as NPZ."
    found.append(File("Everything", f"{kind}.zip", partial(archive, outcome), said, True))
    return tuple(found)


def _table(outcome: Outcome, title: str) -> str:
    return to_csv(outcome.tables[title])


def _maps(data: Dataset, scores: NDArray[Any]) -> Iterator[File]:
    """The importance as pictures: of the pixels, or on the body where the features are of one."""
    from cspca.figures.pictures import importance_png, importance_svg

    if data.kind == "pixels":
        plane = scores.reshape(data.image_shape)
        said = "The importance of every pixel with its scale of colours, on white."
        yield File("Map, PNG", "importance.png", partial(importance_png, plane), said)
        svg = partial(importance_svg, plane, f"Importance of the pixels, {data.name}")
    elif data.skeleton is not None:
        from cspca.figures.skeleton import skeleton_svg

        body = data.skeleton
        svg = partial(skeleton_svg, scores, body.joints, body.bones, body.pose, dark=False)
    else:
        return
    said = "The importance as a drawing, sharp at any size."
    yield File("Map, SVG", "importance.svg", svg, said)


def file(outcome: Outcome, suffix: str) -> str | bytes:
    """The first file with a suffix, such as ``".csv"``; ValueError says which there are."""
    known = {one.suffix: one for one in reversed(files(outcome))}
    if suffix not in known:
        raise ValueError(
            f"{outcome.experiment.title} makes no file that ends in {suffix!r}: choose from "
            f"{', '.join(sorted(known))}."
        )
    return known[suffix].make()


def file_name(of: str, name: str) -> str:
    """The name of a file about something, such as ``cspca-orl-scores.csv``."""
    return f"cspca-{slug(of) or 'data'}-{name}"


def slug(text: str) -> str:
    """Text as a part of a file's name."""
    return re.sub(r"[^A-Za-z0-9]+", "-", text).strip("-").lower()[:60]


def to_csv(frame: pd.DataFrame) -> str:
    """A table as CSV, with no formula in it that a spreadsheet would run."""
    from cspca.evaluation.tables import to_csv as write

    return write(frame)


def workbook(outcome: Outcome) -> bytes:
    """Write all tables of a result as an Excel workbook."""
    from cspca.evaluation.tables import to_xlsx

    return to_xlsx({**outcome.tables, "All results": outcome.table})


def latex(outcome: Outcome) -> str:
    """All printed tables as LaTeX."""
    from cspca.evaluation.latex import to_latex

    frames = outcome.typeset
    if not frames:
        return "% There is no table to print yet.\n"
    where = outcome.data.name
    tables = [to_latex(frame, caption=f"{title}, {where}.") for title, frame in frames.items()]
    return "\n".join(["% Needs \\usepackage{booktabs} and \\usepackage{graphicx}.", *tables])


def methods(outcome: Outcome) -> str:
    """A paragraph on how it was made, and BibTeX for all that was used."""
    from cspca.experiments.citing import citation

    return citation(outcome)


def npz(outcome: Outcome) -> bytes:
    """The table of results and every array as a compressed ``.npz`` that opens without pickle.

    ``table/COLUMN`` are the columns; ``STEP/cells`` says in JSON which cells have arrays,
    ``STEP/ARRAY`` are theirs, one above the other, or ``STEP/i/ARRAY`` where shapes differ.
    """
    found: dict[str, Any] = {
        f"table/{name}": _column(outcome.table[name]) for name in outcome.table.columns
    }
    steps: dict[str, list[tuple[str, Mapping[str, NDArray[Any]]]]] = {}
    for cell, one in outcome.results.items():
        if one.arrays:
            steps.setdefault(cell.step, []).append((cell.name, one.arrays))
    for step, cells in steps.items():
        found[f"{step}/cells"] = np.array([name for name, _ in cells], dtype=str)
        for name in dict.fromkeys(name for _, arrays in cells for name in arrays):
            parts = {i: arrays[name] for i, (_, arrays) in enumerate(cells) if name in arrays}
            if len(parts) == len(cells) and len({part.shape for part in parts.values()}) == 1:
                found[f"{step}/{name}"] = np.stack(list(parts.values()))
            else:
                found |= {f"{step}/{i}/{name}": part for i, part in parts.items()}
    return npz_bytes(found)


def npz_bytes(arrays: Mapping[str, Any]) -> bytes:
    """Numbers and text, no objects, as a compressed ``.npz`` that opens without pickle."""
    memory = io.BytesIO()
    np.savez_compressed(memory, allow_pickle=False, **arrays)
    return memory.getvalue()


def _column(values: pd.Series) -> NDArray[Any]:
    if values.dtype.kind in "fiub":
        column: NDArray[Any] = values.to_numpy()
        return column
    return values.fillna("").astype(str).to_numpy(dtype=str)  # type: ignore[no-any-return]


def to_json(outcome: Outcome) -> str:
    """What was asked and what was found as one JSON document; null for what is not finite."""
    # Imported here, because the words are those of the questions about files, which load pandas.
    from cspca.datasets.steps_in_words import sentences_of_steps

    data = outcome.data
    about = ("name", "n_samples", "n_features", "n_classes", "sha256")
    values = {
        "kind": outcome.experiment.kind,
        "data": {name: getattr(data, name) for name in about} | {"steps": sentences_of_steps(data)},
        "settings": settings_json(outcome.experiment),
        "complete": outcome.complete,
        "n_cells": len(outcome.cells),
        "n_done": len(outcome.results),
        "findings": [
            {name: value for name, value in asdict(one).items() if value}
            for one in outcome.findings
        ],
        "tables": {title: frame.to_dict("records") for title, frame in outcome.tables.items()},
        "failures": [
            {"cell": cell.name, "error": sentence} for cell, sentence in outcome.failures.items()
        ],
    }
    if len(outcome.table) <= len(outcome.results) or not outcome.tables:
        values["table"] = outcome.table.to_dict("records")
    return json_text(values)


def json_text(value: Any) -> str:
    """Plain values, NumPy's too, as a JSON document; null for what is not finite."""
    text = json.dumps(value, default=methodcaller("tolist"))
    finite = json.loads(text, parse_constant=lambda _: None)
    return json.dumps(finite, indent=2, ensure_ascii=False)


def archive(outcome: Outcome) -> bytes:
    """Everything but pictures as a ``.zip``, without the id by which a run is opened."""
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w", zipfile.ZIP_DEFLATED) as packed:
        for one in files(outcome):
            if one.suffix not in (".zip", ".png", ".svg"):
                packed.writestr(one.name, one.make())
    return memory.getvalue()


def feature_table(
    data: Dataset, ranks: ArrayLike, columns: Mapping[str, ArrayLike]
) -> pd.DataFrame:
    """One row a feature, by rank, with its name and place.

    Features that tie share a rank, and `n_sharing_rank` counts them; their rows stand in the order
    of the columns, which says nothing. Headers say where a number counts from:
    ``data[:, feature_from_0]`` is what is meant, screen and LaTeX count from 1, as `rank` does.
    ``fea[:, file_column_from_0]`` is the same feature in the table or array of its file, raw; or
    ``fea[file_row_from_0]`` where samples are its columns. Of a pixel of resized images `in_file`
    says which pixels it is made of.
    """
    import pandas as pd

    shared = np.asarray(ranks, dtype=np.intp)
    best = np.argsort(shared, kind="stable")
    empty = [""] * len(best)
    names, shape = data.feature_names, data.image_shape
    rows: ArrayLike = empty
    places: ArrayLike = empty
    if shape is not None:
        rows, places = (place + 1 for place in np.divmod(best, shape[1]))
    in_file: dict[str, ArrayLike] = {}
    if data.file_columns is not None:
        file_columns = np.asarray(data.file_columns, dtype=np.intp)[best]
        in_file[f"file_{file_line(data)}_from_0"] = file_columns
        in_file[f"file_{file_line(data)}_from_1"] = file_columns + 1
    elif len(best) and file_address(data, 0):
        in_file["in_file"] = [file_address(data, int(feature)) for feature in best]
    return pd.DataFrame(
        {
            "feature_from_0": best,
            "feature_from_1": best + 1,
            "name": empty if names is None else [names[feature] for feature in best],
            "row_from_1": rows,
            "column_from_1": places,
            **in_file,
            **{name: np.asarray(values)[best] for name, values in columns.items()},
            "rank": shared[best],
            "n_sharing_rank": np.bincount(shared)[shared[best]],
        }
    )


def may_be_shown(licence: str) -> bool:
    """Whether a licence lets anybody pass single images on; what is not surely free does not."""
    return licence.startswith(("BSD-3-Clause", "CC BY", "CC0"))


def data_files(dataset: Dataset) -> list[File]:
    """Everything that can be made of a data set: its arrays and, unless it is large, tables."""
    said = "X, y and names, for numpy.load; it opens here again."
    arrays = File("Arrays, NPZ", "data.npz", lambda: npz_bytes(dataset_arrays(dataset)), said, True)
    if dataset.data.size > MOST_AS_TABLE:
        return [arrays]
    one = dataset.nouns.a_sample
    said = (
        f"One line {one}, every number with all its digits, and its class. Read again, it may ask "
        "what a column is and which range values have; the arrays come back whole."
    )
    many = dataset.data.size > MANY_NUMBERS
    table = File("Table, CSV", "data.csv", lambda: to_csv(dataset_table(dataset)), said, many)
    if dataset.data.size > MOST_IN_WORKBOOK or dataset.n_features >= _MOST_COLUMNS:
        return [table, arrays]
    description = (
        f"One row {one} with its class, the classes, and what the values are, on a sheet each, in "
        "any language of the spreadsheet; it opens here again."
    )
    make = partial(dataset_workbook, dataset)
    return [table, File("Workbook, XLSX", "data.xlsx", make, description, True), arrays]


def sample_columns(
    data: Dataset, order: NDArray[np.intp] | None = None
) -> dict[str, ArrayLike | list[str]]:
    """Return the columns that say which sample a row of a file is about.

    Parameters
    ----------
    data : Dataset
        The samples.
    order : array of int, optional
        Rows of ``data.data``, in the order of the file; by default all as they are.

    Returns
    -------
    dict of str to sequence
        The number as on every page; the name where samples have names; ``data.data[row]``; and the
        class where there are labels, empty where a sample has none.
    """
    rows = np.arange(data.n_samples) if order is None else order
    columns: dict[str, ArrayLike | list[str]] = {"sample_from_1": data.numbers[rows]}
    if data.sample_names is not None:
        columns["sample_name"] = [data.sample_names[row] for row in rows.tolist()]
    columns["row_of_data_from_0"] = rows
    if data.labels is not None:
        columns["class"] = ["" if label is None else label for label in data.labels[rows]]
    return columns


def dataset_table(dataset: Dataset) -> pd.DataFrame:
    """Return one line a sample of a data set.

    Columns are the features by name, or ``r3c12`` for row 3, column 12 of a picture (from 1). The
    first is ``sample`` where samples have names, the last ``class`` where there are labels, by name
    where they have one.
    """
    import pandas as pd

    names = dataset.feature_names or names_of_unnamed(dataset.n_features, dataset.image_shape)
    table = pd.DataFrame(dataset.data.astype(np.float64), columns=names)
    if dataset.target is not None:
        labels: Any = dataset.labels
        if dataset.target_names is None:
            labels = dataset.target
        if dataset.target_names is None and dataset.n_unlabelled:
            # A number a class, and an empty cell for a sample without a label.
            labels = pd.array(dataset.target, dtype="Int64")
            labels[dataset.target == UNLABELLED] = pd.NA
        table.insert(len(names), CLASS, labels, allow_duplicates=True)
    if dataset.sample_names is not None:
        table.insert(0, SAMPLE, dataset.sample_names, allow_duplicates=True)
    return table


def dataset_workbook(dataset: Dataset) -> bytes:
    """Return a data set as an Excel workbook, which `load_file` reads as the same set.

    Its sheets are the samples, with their name first and their class at the end; the classes, by
    their numbers; and facts, among them the steps by which the values were made of a file.
    """
    import pandas as pd

    from cspca.datasets.steps_in_words import sentences_of_steps
    from cspca.evaluation.tables import to_xlsx

    facts = {
        "Name": dataset.name,
        "Source": dataset.source,
        "Terms": dataset.licence,
        "Fingerprint (SHA-256)": dataset.sha256,
    }
    rows = [(name, value) for name, value in facts.items() if value]
    if dataset.image_shape is not None:
        height, width = dataset.image_shape
        rows.append(("Pictures", f"{height} × {width} pixels, row by row from the top left"))
    if dataset.sample_names is not None:
        rows.append((NAMES_FIRST, f"in the first column of the sheet {SAMPLES}"))
    rows += [("Step", sentence) for sentence in sentences_of_steps(dataset)]
    rows.append((ANSWERS, json.dumps(_answers(dataset))))
    sheets = {SAMPLES: dataset_table(dataset)}
    if dataset.target_names is not None:
        numbers = range(len(dataset.target_names))
        sheets[CLASSES] = pd.DataFrame({"number": numbers, "class": dataset.target_names})
    sheets[ABOUT] = pd.DataFrame(rows, columns=["fact", "value"])
    return to_xlsx(sheets)


def dataset_arrays(dataset: Dataset) -> dict[str, Any]:
    """Return a data set as arrays, for an ``.npz``: X (pictures with their shape), y and words.

    ``cspca_answers`` holds, as JSON, what makes `load_file` read the same set again.
    """
    shape = dataset.image_shape
    data = dataset.images if dataset.kind == "pixels" else dataset.data
    found: dict[str, Any] = {"X": data, "source": dataset.source, "licence": dataset.licence}
    if shape is not None:
        found["image_shape"] = np.array(shape)
    if dataset.target is not None:
        found["y"] = dataset.target
        if dataset.n_unlabelled:
            # NaN is read again as no label, and −1 as a class.
            found["y"] = np.where(dataset.target == UNLABELLED, np.nan, dataset.target)
    found[ANSWERS] = np.array(json.dumps(_answers(dataset)))
    for name in ("target_names", "feature_names", "sample_names"):
        values = getattr(dataset, name)
        if values is not None:
            found[name] = list(values)
    return found


def _answers(dataset: Dataset) -> dict[str, Any]:
    """Return what makes `load_file` read the arrays of a data set as the same set."""
    return {
        "data": "X",
        "samples": "rows",
        "features": "columns" if dataset.kind == "joints" else dataset.kind,
        "order": "row",
        "shape": dataset.image_shape,
        "missing": "keep",
        "scale": "unit",
        "classes_from": NONE if dataset.target is None else "y",
    }
