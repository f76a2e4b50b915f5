"""Files that commands write: whole or not at all."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cspca.shell.errors import FAILED, ShellError
from cspca.shell.terminal import note

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from cspca.datasets import Dataset

__all__ = ["npz_bytes", "scores_csv", "suffix_of", "write"]

_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def suffix_of(path: str, known: tuple[str, ...]) -> str:
    """The suffix of a file to write, before any work is done for it.

    Parameters
    ----------
    path : str
    known : tuple of str
        Suffixes that can be written.

    Raises
    ------
    ShellError
        When it is another one, or the folder is not there.
    """
    suffix = Path(path).suffix.lower()
    if suffix not in known:
        raise ShellError(f"{path} cannot be written: choose a name that ends in {_or(known)}.")
    folder = Path(path).expanduser().parent
    if not folder.is_dir():
        raise ShellError(f"{path} cannot be written: there is no folder {folder}, make it first.")
    return suffix


def write(path: str, content: str | bytes) -> None:
    """Write a file, whole or not at all, and say so.

    Parameters
    ----------
    path : str
    content : str or bytes

    Raises
    ------
    ShellError
        When it cannot be written.
    """
    from cspca.runs.store.files import write_whole

    data = content.encode() if isinstance(content, str) else content
    try:
        write_whole(Path(path).expanduser(), data)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise ShellError(f"{path} cannot be written: {reason}.", FAILED) from error
    note(f"Wrote {path}.")


def npz_bytes(arrays: Mapping[str, Any]) -> bytes:
    """Arrays as an ``.npz``.

    Parameters
    ----------
    arrays : mapping of str to array-like
    """
    import numpy as np

    memory = io.BytesIO()
    np.savez_compressed(memory, allow_pickle=False, **arrays)
    return memory.getvalue()


def scores_csv(dataset: Dataset, order: NDArray[Any], columns: Mapping[str, NDArray[Any]]) -> str:
    """One line a feature, best first, all digits kept.

    Parameters
    ----------
    dataset : Dataset
        For names and places.
    order : ndarray of int of shape (n_features,)
        Best first.
    columns : mapping of str to ndarray of shape (n_features,)

    Returns
    -------
    str
        ``feature``, ``row`` and ``column`` count from 0, ``rank`` from 1. Names that a
        spreadsheet would take for a formula get an apostrophe in front.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["feature", "name", "row", "column", *columns, "rank"])
    names, shape = dataset.feature_names, dataset.image_shape
    for rank, feature in enumerate(order.tolist(), 1):
        name = "" if names is None else names[feature]
        writer.writerow(
            [
                feature,
                f"'{name}" if name.startswith(_FORMULA) else name,
                *(("", "") if shape is None else divmod(feature, shape[1])),
                *(repr(float(values[feature])) for values in columns.values()),
                rank,
            ]
        )
    return out.getvalue()


def _or(known: tuple[str, ...]) -> str:
    return " or ".join([", ".join(known[:-1]), known[-1]] if len(known) > 1 else known)
