"""ARFF files of Weka, dense: the header names the columns and says which hold words."""

from __future__ import annotations

import csv
import io
import re
from typing import Final

import numpy as np

from cspca.datasets.files.containers.layout import Layout, is_number
from cspca.datasets.files.containers.table import plain_text, read_values
from cspca.datasets.files.foreign import Watch
from cspca.datasets.files.parsed import NOMINAL, Parsed, Table
from cspca.datasets.record import DatasetError

_ATTRIBUTE: Final = re.compile(
    r"@attribute\s+(?:'((?:[^'\\]|\\.)*)'|\"((?:[^\"\\]|\\.)*)\"|(\S+))\s+(.+)", re.IGNORECASE
)
_DATA: Final = re.compile(rb"^\s*@data\b[^\n]*\n?", re.IGNORECASE | re.MULTILINE)
_WEIGHT: Final = re.compile(r",\s*\{[^{}]*\}\s*$")
_ROWS_LOOKED_AT: Final = 200


def parse(content: bytes, watch: Watch) -> Parsed:
    """Read the header and the rows below it."""
    content, encoding = plain_text(content, watch.name)
    start = _DATA.search(content)
    if start is None:
        raise DatasetError(f"{watch.name} is not an ARFF file: it has no line @data.")
    names, kinds = _attributes(content[: start.start()].decode(encoding, "replace"), watch.name)
    text = content[start.end() :].decode(encoding, "replace")
    body = _plain_rows(text, watch.name)
    rows = [row for row in csv.reader(io.StringIO(body[: 2**20])) if row][:_ROWS_LOOKED_AT]
    if not rows:
        raise DatasetError(f"{watch.name} holds no rows: put one sample a row below @data.")
    if len(rows[0]) != len(names):
        raise DatasetError(
            f"{watch.name}: row 1 below @data has {len(rows[0]):,} values for {len(names):,} "
            "attributes: mend that row."
        )
    layout = Layout(",", names=names, rows=[row for row in rows if len(row) == len(names)])
    table = read_values(body.encode(), "utf-8", layout, watch)
    _keep_only_category(table, kinds)
    return Parsed(watch.name, "ARFF file", tables=[table], notes=layout.notes)


def _attributes(header: str, file: str) -> tuple[list[str], list[str]]:
    names, kinds = [], []
    for line in header.splitlines():
        match = _ATTRIBUTE.match(line.strip())
        if match is None:
            continue
        name = match[1] or match[2] or match[3]
        names.append(re.sub(r"\\(.)", r"\1", name))
        kinds.append(match[4].strip().lower())
        if kinds[-1].startswith("relational"):
            raise DatasetError(
                f"{file}: {name} holds tables within a table: export one row a sample as CSV."
            )
    if not names:
        raise DatasetError(f"{file} is not an ARFF file: it has no line @attribute.")
    return names, kinds


def _plain_rows(text: str, file: str) -> str:
    """The rows as plain CSV, without comments, weights and single quotes."""
    lines = []
    for line in text.splitlines():
        row = line.strip()
        if not row or row.startswith("%"):
            continue
        if row.startswith("{"):
            raise DatasetError(
                f"{file} is a sparse ARFF file: save it dense (Weka's filter SparseToNonSparse), "
                "or as CSV."
            )
        if row.endswith("}"):
            row = _WEIGHT.sub("", row)
        if "'" in row:
            cells = next(csv.reader([row], quotechar="'", escapechar="\\", skipinitialspace=True))
            stream = io.StringIO()
            csv.writer(stream, lineterminator="").writerow(cells)
            row = stream.getvalue()
        elif "\t" in row and "," not in row:
            row = ",".join(row.split("\t"))
        lines.append(row)
    return "\n".join(lines) + "\n"


def _keep_only_category(table: Table, kinds: list[str]) -> None:
    """Mark the only nominal attribute, and keep its codes as they are written."""
    nominal = [place for place, kind in enumerate(kinds) if kind.startswith("{")]
    if len(nominal) != 1:
        return
    place = nominal[0]
    labels = [label.strip(" '\"") for label in kinds[place].strip("{} ").split(",")]
    if 2 <= len(labels) <= table.n_rows / 2:
        table.declared[place] = NOMINAL
    if place not in table.number_places:
        return
    names = {float(label): label for label in labels if is_number(label)}
    at = table.number_places.index(place)
    codes = table.numbers[:, at]
    words = ["" if np.isnan(code) else names.get(float(code), f"{code:g}") for code in codes]
    table.numbers = np.delete(table.numbers, at, axis=1)
    table.number_places.remove(place)
    table.words[place] = np.array(words, dtype=object)
