"""A file that cannot be made says why in its place: a click on a download has no other answer."""

from __future__ import annotations

import csv
import io
import json
import logging
import zipfile
from collections.abc import Callable
from html import escape
from typing import Final

import numpy as np

from cspca.datasets import DatasetError
from cspca.runs.store import StoreError

logger = logging.getLogger(__name__)


def or_sorry(make: Callable[[], str | bytes], suffix: str) -> Callable[[], str | bytes]:
    """Return what makes a file, or one of its kind that holds the sentence why there is none.

    Its name and kind are fixed before the click, so a text in place of an archive would not open.

    Parameters
    ----------
    make : callable
        Makes the content; where the store or the data are damaged it raises their error.
    suffix : str
        The kind of file, without the dot. A kind that cannot hold a sentence raises on.
    """

    def run() -> str | bytes:
        try:
            return make()
        except (StoreError, DatasetError) as problem:
            if suffix not in _SAID:
                raise
            logger.warning("A file could not be made: %s", problem)
            return _SAID[suffix](str(problem))

    return run


def _csv(sentence: str) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([["error"], [sentence]])
    return out.getvalue()


def _html(sentence: str) -> str:
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f"<title>No report</title></head><body><p>{escape(sentence)}</p></body></html>\n"
    )


def _json(sentence: str) -> str:
    return json.dumps({"error": sentence}, ensure_ascii=False) + "\n"


def _npz(sentence: str) -> bytes:
    out = io.BytesIO()
    np.savez(out, error=np.array(sentence))
    return out.getvalue()


def _tex(sentence: str) -> str:
    return f"% {' '.join(sentence.split())}\n"


def _zip(sentence: str) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("error.txt", sentence + "\n")
    return out.getvalue()


_SAID: Final[dict[str, Callable[[str], str | bytes]]] = {
    "csv": _csv,
    "html": _html,
    "json": _json,
    "npz": _npz,
    "tex": _tex,
    "zip": _zip,
}
