"""What stands at the end of every report: data, settings, versions, Python, how to cite."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from cspca.datasets import Dataset, Nouns
from cspca.datasets.nouns import nouns_of
from cspca.datasets.record import shape_in_words
from cspca.runs.report.blocks import Block, Code, Facts, Section, Words
from cspca.runs.store import DataRecord
from cspca.runs.store.records import versions as versions_here

__all__ = ["CITATION", "About", "about_dataset", "closing", "in_words"]

CITATION: Final = """\
@article{chang2014convex,
  title   = {A Convex Sparse {PCA} for Feature Analysis},
  author  = {Chang, Xiaojun and Nie, Feiping and Yang, Yi and Huang, Heng},
  journal = {arXiv preprint arXiv:1411.6233},
  year    = {2014}
}
@software{cspca_studio,
  title   = {{CSPCA} Studio: convex sparse {PCA} with a certificate of global optimality},
  author  = {{The CSPCA Studio developers}},
  version = {VERSION}
}"""
"""BibTeX of the paper and of this software."""


@dataclass(frozen=True)
class About:
    """What a result was computed from and with.

    Attributes
    ----------
    data : DataRecord
        From :func:`about_dataset`, or of a kept run.
    settings : sequence of (str, str)
        What was asked, in words.
    lines : str
        The Python that gives the same numbers; may be empty.
    bring : str
        What has to lie beside that Python, in words.
    notes : sequence of str
        About how far its numbers agree.
    seeds : sequence of int
        Of the clusterings.
    versions : sequence of mapping
        Of the libraries at work; by default those here and now.
    made : float or None
        When it was computed, in seconds since 1970; None is now.
    seconds : float or None
        Of computing.
    """

    data: DataRecord
    settings: Sequence[tuple[str, str]] = ()
    lines: str = ""
    bring: str = ""
    notes: Sequence[str] = ()
    seeds: Sequence[int] = ()
    versions: Sequence[Mapping[str, str]] = field(default_factory=lambda: (versions_here(),))
    made: float | None = None
    seconds: float | None = None

    @property
    def nouns(self) -> Nouns:
        """What rows and columns of the data are called."""
        return nouns_of(self.data.image_shape)


def about_dataset(dataset: Dataset) -> DataRecord:
    """Return what a report says of a data set.

    Parameters
    ----------
    dataset : Dataset
    """
    return DataRecord(
        sha256=dataset.sha256,
        name=dataset.name,
        n_samples=dataset.n_samples,
        n_features=dataset.n_features,
        n_classes=dataset.n_classes,
        image_shape=dataset.image_shape,
        source=dataset.source,
        licence=dataset.licence,
    )


def in_words(value: Any) -> str:
    """Write a setting as a person would.

    Parameters
    ----------
    value : object
        A plain value.
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, list | tuple):
        return ", ".join(in_words(one) for one in value)
    return str(value)


def closing(about: About) -> list[Section]:
    """Return the sections that end every report.

    Parameters
    ----------
    about : About
    """
    sections = [_data(about), _settings(about)]
    if about.lines:
        notes = [f"Run them in a folder that holds {about.bring}."] if about.bring else []
        said: list[Block] = [Words(" ".join([*notes, *about.notes]), small=True)]
        sections.append(
            Section("The same from Python", [Code(about.lines), *(said if said[0] else [])])
        )
    sections.append(_citing(about))
    return sections


def _data(about: About) -> Section:
    data = about.data
    pairs = [
        ("Name", data.name),
        ("Size", shape_in_words(data.n_samples, data.n_features, data.image_shape, data.n_classes)),
        ("Source", data.source),
        ("Terms", data.licence),
        ("SHA-256 of the content", data.sha256),
    ]
    return Section("Which data?", [Facts([(name, value) for name, value in pairs if value])])


def _settings(about: About) -> Section:
    made = time.time() if about.made is None else about.made
    pairs = [*about.settings]
    if about.seeds:
        pairs.append(("Seeds", _seeds(tuple(about.seeds))))
    pairs.append(("Computed", time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(made))))
    if about.seconds is not None:
        pairs.append(("Computing time", f"{about.seconds:,.3g} s"))
    pairs += [
        ("Versions", ", ".join(f"{name} {one}" for name, one in found.items()))
        for found in about.versions
    ]
    return Section("How was it computed?", [Facts(pairs)])


def _seeds(seeds: tuple[int, ...]) -> str:
    if len(seeds) > 2 and seeds == tuple(range(seeds[0], seeds[0] + len(seeds))):
        return f"{seeds[0]} to {seeds[-1]}, {len(seeds)} in all"
    return in_words(seeds)


def _citing(about: About) -> Section:
    version = next((one["cspca"] for one in about.versions if "cspca" in one), "")
    blocks: list[Block] = [
        Words("The method, and this software:"),
        Code(CITATION.replace("VERSION", version)),
    ]
    if about.data.source:
        blocks.append(Words(f"The data: {about.data.name}, {about.data.source}.", small=True))
    return Section("How to cite", blocks)
