"""Data sets in the store: what they are, always; their pixels, when the user asks."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from cspca.runs.store.database import Database
from cspca.runs.store.errors import StoreError
from cspca.runs.store.files import Files
from cspca.runs.store.records import DataRecord, dump

if TYPE_CHECKING:
    import sqlite3

    from cspca.datasets import Dataset, Skeleton

__all__ = ["DATA", "Content", "data_record"]

DATA = "data"
"""Folder of kept data sets."""

_PARTS = ("name", "source", "licence", "description", "recognised")


class Content:
    """Data sets by the fingerprint of their content.

    Parameters
    ----------
    database : Database
    files : Files
    """

    def __init__(self, database: Database, files: Files) -> None:
        self._database, self._files = database, files

    def put(self, dataset: Dataset, *, keep: bool = False) -> str:
        """Note a data set, and its pixels if they are to be kept; return its fingerprint."""
        sha256 = dataset.sha256
        record = dump(_record(dataset))
        file = self._files.write(DATA, _arrays(dataset))[0] if keep else None
        with self._database.transaction() as connection:
            connection.execute(
                "INSERT INTO datasets VALUES (?, ?, ?) ON CONFLICT (sha256) DO UPDATE SET "
                "file_sha256 = coalesce(excluded.file_sha256, file_sha256)",
                (sha256, record, file),
            )
        return sha256

    def forget(self, sha256: str) -> None:
        """Remove the pixels of a data set; what it is stays known."""
        row = self._row(sha256)
        with self._database.transaction() as connection:
            connection.execute("UPDATE datasets SET file_sha256 = NULL WHERE sha256 = ?", (sha256,))
        if row["file_sha256"] is not None:
            self._files.path(DATA, row["file_sha256"]).unlink(missing_ok=True)

    def get(self, sha256: str) -> Dataset:
        """Return a data set: kept here, or built in.

        Raises
        ------
        StoreError
            When it is neither.
        """
        from cspca.datasets import Dataset, load

        row = self._row(sha256)
        record = data_record(row)
        if record.kept:
            found = self._files.read(DATA, row["file_sha256"])
            words = json.loads(str(found["words"]))
            names: dict[str, Any] = {
                key: tuple(words[key]) for key in _NAMES if words[key] is not None
            }
            dataset = Dataset(
                found["data"],
                found.get("target"),
                record.image_shape,
                **{key: words[key] for key in _PARTS},
                **names,
                skeleton=_skeleton(words["skeleton"], found),
            )
        elif record.builtin:
            dataset = load(record.builtin)
        else:
            raise StoreError(
                f"The data of this run, {record.name}, are not kept in the store: bring the same "
                "file again."
            )
        if dataset.sha256 != sha256:
            raise StoreError(
                f"{record.name} is not what this run was made with any more: bring the same data "
                "again."
            )
        return dataset

    def _row(self, sha256: str) -> sqlite3.Row:
        rows = self._database.rows("SELECT * FROM datasets WHERE sha256 = ?", (sha256,))
        if not rows:
            raise StoreError("The store knows no data set of this fingerprint.")
        return rows[0]


_NAMES = ("target_names", "feature_names")


def data_record(row: Mapping[str, Any] | sqlite3.Row) -> DataRecord:
    """Read a row of the table.

    Parameters
    ----------
    row : mapping
        With ``record`` and ``file_sha256``.
    """
    values = json.loads(row["record"])
    shape = values.pop("image_shape")
    values["kept"] = row["file_sha256"] is not None
    return DataRecord(image_shape=None if shape is None else (shape[0], shape[1]), **values)


def _record(dataset: Dataset) -> dict[str, Any]:
    from cspca.datasets import BUILTIN

    recipe = dataset.recipe
    builtin = ""
    if recipe is not None and recipe.function == "load" and not recipe.options:
        name = str(recipe.arguments[0])
        builtin = name if name in BUILTIN else ""
    record = asdict(
        DataRecord(
            sha256=dataset.sha256,
            name=dataset.name,
            n_samples=dataset.n_samples,
            n_features=dataset.n_features,
            n_classes=dataset.n_classes,
            image_shape=dataset.image_shape,
            source=dataset.source,
            licence=dataset.licence,
            recipe="" if recipe is None else recipe.source,
            builtin=builtin,
        )
    )
    del record["kept"]
    return record


def _arrays(dataset: Dataset) -> dict[str, Any]:
    words = {key: getattr(dataset, key) for key in (*_PARTS, *_NAMES)}
    arrays: dict[str, Any] = {"data": dataset.data}
    skeleton = dataset.skeleton
    words["skeleton"] = None
    if skeleton is not None:
        words["skeleton"] = [skeleton.joints, skeleton.bones, skeleton.note]
        arrays["pose"] = skeleton.pose
    arrays["words"] = np.array(json.dumps(words))
    if dataset.target is not None:
        arrays["target"] = dataset.target
    return arrays


def _skeleton(words: list[Any] | None, found: Mapping[str, Any]) -> Skeleton | None:
    from cspca.datasets import Skeleton

    if words is None:
        return None
    joints, bones, note = words
    return Skeleton(tuple(joints), tuple((a, b) for a, b in bones), found["pose"], note)
