"""What a paper says of a result: a paragraph of methods, and BibTeX for all that was used."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator

from cspca.evaluation.latex import escape_latex
from cspca.experiments.experiment import Outcome
from cspca.experiments.records import versions
from cspca.experiments.settings import said as in_words
from cspca.selection.registry import method_of

_SOFTWARE = """@misc{{cspca_studio,
  title  = {{{{CSPCA Studio}}: convex sparse {{PCA}} with a certificate of global optimality}},
  author = {{{{The CSPCA Studio developers}}}},
  note   = {{Version {version}}}
}}"""

_REFERENCE = re.compile(
    r"(?P<authors>(?:[A-Z]\.(?:[ -]?[A-Z]\.)* (?:[A-Z][\w’-]+ ?)+, )+)"
    r"(?P<title>(?:[^,]|,(?! ))+(?:, [^,]+?)*?), "
    r"(?P<venue>[^,]*?) ?(?P<year>(?:19|20)\d\d|[\d.]+\d)"
)


def bibtex(outcome: Outcome) -> str:
    """An entry for CSPCA, for every other method of a result, for the software and the data."""
    entries = [_entry(key) for key in ("cspca", *_methods(outcome)) if key]
    entries.append(_SOFTWARE.format(version=versions()["cspca"]))
    data = outcome.data
    if data.source:
        # Entries without an author are sorted by their key.
        entries.append(
            _written(
                f"data_{data.sha256[:8]}",
                {"key": data.name, "title": data.name, "note": data.source},
            )
        )
    return "\n".join(dict.fromkeys(entry for entry in entries if entry))


def paragraph(outcome: Outcome) -> str:
    """How a result was made, as the section on methods of a paper says it."""
    kind, data = outcome.experiment, outcome.data
    classes = f", {data.n_classes} classes" if data.has_classes else ""
    size = data.nouns.count_samples(data.n_samples), data.nouns.count_features(data.n_features)
    packages = ", ".join(f"{name} {number}" for name, number in versions().items())
    settings = "; ".join(f"{label.lower()}: {value}" for label, value in in_words(kind).items())
    own = kind.protocol(data) or f"{kind.title} was run with these settings: {settings}."
    part = "" if outcome.complete else " Not all of it has been computed yet."
    return (
        f"On {data.name} ({size[0]} of {size[1]}{classes}; SHA-256 {data.sha256[:16]}) {own}{part} "
        f"Computed with {packages}."
    )


def citation(outcome: Outcome) -> str:
    """The paragraph, then the entries it cites."""
    return f"{paragraph(outcome)}\n\n{bibtex(outcome)}\n"


def _methods(outcome: Outcome) -> Iterator[str]:
    for cell in outcome.results:
        if cell.step == "rank" and cell.parameters["method"] != "cspca":
            yield cell.parameters["method"]


def _entry(key: str) -> str:
    """The first reference of a method's docstring, which is where it is said."""
    text = inspect.getdoc(method_of(key).selector) or ""
    _, _, references = text.partition("References\n----------\n")
    match = _REFERENCE.match(" ".join(references.split()))
    if match is None:
        return ""
    authors = match["authors"].removesuffix(", ").replace(", ", " and ")
    fields = {"author": authors, "title": match["title"], "howpublished": match["venue"]}
    year = match["year"]
    if "." in year:  # of a preprint, whose number begins with it
        fields["howpublished"], year = f"{match['venue']} {year}", f"20{year[:2]}"
    return _written(key, fields | {"year": year})


def _written(key: str, fields: dict[str, str]) -> str:
    """Write an entry: nothing in its words is a command, and a title keeps its capitals."""
    texts = {name: escape_latex(text) for name, text in fields.items()}
    texts["title"] = f"{{{texts['title']}}}"
    lines = [f"  {name} = {{{text}}}" for name, text in texts.items()]
    return f"@misc{{{key},\n" + ",\n".join(lines) + "\n}"
