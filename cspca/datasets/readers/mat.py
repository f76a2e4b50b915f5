"""MATLAB files: ``fea/gnd``, ``X/Y``, ``features/Label``, train/test pairs; versions 5 to 7.3."""

from __future__ import annotations

from cspca.datasets.readers.arrays import Field, NamedArrays
from cspca.datasets.readers.choices import Contents
from cspca.datasets.readers.mat5 import NUMBERS, Variable, list_variables
from cspca.datasets.readers.mat73 import MAGIC, open_mat73
from cspca.datasets.readers.watch import Watch
from cspca.datasets.record import DatasetError

_HEADER = 128


def open_mat(content: bytes, name: str, watch: Watch) -> Contents:
    """Open a MATLAB file; pixels are taken as stored column by column, as MATLAB does.

    Samples may lie in rows or in columns: the number of labels tells.

    Parameters
    ----------
    content : bytes
    name : str
        Name used in messages.
    watch : Watch

    Raises
    ------
    DatasetError
        If it is no MATLAB file, or a damaged one.
    """
    if content[:10] == b"MATLAB 7.3" or MAGIC in content[:520]:
        return open_mat73(content, name, watch)
    if len(content) < _HEADER or not content.startswith(b"MATLAB 5.0"):
        raise DatasetError(
            f"{name} is not a MATLAB file of version 5 to 7.3, whatever its name says: save it in "
            "MATLAB with save('…', '-v7')."
        )
    if content[126:128] not in (b"IM", b"MI"):
        raise DatasetError(f"{name} has a damaged MATLAB header: copy or download it again.")
    return NamedArrays(
        fields=[_field(one) for one in list_variables(content, name)],
        format="MATLAB file",
        order="column",
    )


def _field(variable: Variable) -> Field:
    return Field(
        name=variable.name,
        shape=variable.shape,
        kind=variable.kind,
        numeric=variable.kind in NUMBERS,
        textual=variable.kind == "char",
        is_complex=variable.is_complex,
        read=variable.read,
    )
