"""What an experiment is: settings that say which cells are computed, how, and what is shown.

Nothing here knows a store, a page or a shell: they are made from what an experiment declares. A new
experiment is a frozen dataclass derived from :class:`Experiment`, its file, and one line in
:mod:`cspca.experiments.registry`.
"""

from __future__ import annotations

import inspect
import json
import textwrap
from collections.abc import Iterable, Mapping
from dataclasses import Field, dataclass, field
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, Any, ClassVar

from cspca.datasets.record import Recipe
from cspca.experiments.settings import declared, said, unusual

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go
    from numpy.typing import NDArray

    from cspca.datasets import Dataset
    from cspca.figures.style import Figures


@dataclass(frozen=True)
class Cell:
    """One step that is computed at once, kept, and shared by all runs that ask for the same.

    Parameters
    ----------
    step : str
        What is done, such as ``"rank"`` or ``"cluster"``; one name over all experiments, since
        equal cells are one cell whoever asks.
    parameters : mapping
        Plain values (JSON): everything that decides the numbers, but for the data.
    revision : int, default=1
        Raised when the numbers of this step change.
    needs : tuple of Cell, default=()
        Cells whose results this one is computed from.
    title : str, default=""
        What a person is told that is being computed; decides nothing.
    size : int, default=1
        How many fits or clusterings it stands for when progress is counted.
    """

    step: str
    parameters: Mapping[str, Any]
    revision: int = 1
    needs: tuple[Cell, ...] = ()
    title: str = field(default="", compare=False)
    size: int = field(default=1, compare=False)

    @cached_property
    def name(self) -> str:
        """One line of JSON that says all that decides the result, for a store."""
        return json.dumps(
            [self.step, self.revision, self.parameters], sort_keys=True, separators=(",", ":")
        )

    def __hash__(self) -> int:
        return hash(self.name)


@dataclass(frozen=True, eq=False)
class Result:
    """What one cell has given.

    Parameters
    ----------
    rows : tuple of dict
        Of the experiment's long table: plain numbers and words by the column's name.
    arrays : mapping of str to ndarray
        What is no number: orders, scores, histories.
    seconds : float
    """

    rows: tuple[dict[str, Any], ...] = ()
    arrays: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    seconds: float = 0.0


Results = Mapping[Cell, Result]


@dataclass(frozen=True)
class Finding:
    """One sentence that a result supports, with the numbers that it rests on.

    `verdict` is "holds", "partly", "open", "fails" or "untested" where it judges a claim: then
    `claim` says it, `where` it stands, `number` is ours in short, and `rests` what of it rests on
    labels.
    """

    sentence: str
    verdict: str = ""
    numbers: Mapping[str, float] = field(default_factory=dict)
    claim: str = ""
    where: str = ""
    number: str = ""
    rests: str = ""

    def in_words(self) -> str:
        """Return its sentence, or how it judges a claim."""
        if not self.verdict:
            return self.sentence
        return f"{self.claim}: {self.verdict} ({self.number or '–'})"


_NAMED = 4
"""Settings that differ from the usual ones, up to which the name of a run says each."""

_WRITTEN_OUT = 8
"""Values of one setting, up to which the name of a run says each."""


def _briefly(words: str, value: Any, text: str) -> str:
    """A setting as the name of a run says it; many values by their number, "" for long text."""
    if not isinstance(value, tuple):
        return f"{words} {text}" if len(text) < 24 else ""
    numbers = all(isinstance(element, int | float) for element in value)
    if numbers and len(value) <= _WRITTEN_OUT:
        return f"{words} {', '.join(f'{element:g}' for element in value)}"
    if len(text) < 24:
        return f"{words} {text}"
    if len(set(value)) < len(value):
        return f"{len(set(value)):,} {words}"
    ends = f" from {value[0]:g} to {value[-1]:g}" if numbers else ""
    return f"{len(value)} {words}{ends}"


class Experiment:
    """Settings of an experiment, and what follows from them.

    Derive a frozen dataclass whose every field is made by :func:`cspca.experiments.setting`. `kind`
    is one word, of the run, the page, the shell's command and the file, `title` its name on screen:
    both are the class's own unless given; `question` is what it answers, the title of its report,
    with places for ``{data}`` and ``{title}``;
    `told_apart` columns of the table that tell lines apart, where two runs stand side by side;
    `presets` groups of settings that are asked for by one word, an option of the shell;
    `usual_data` names the built-in data that the shell takes where none are said, if it may.
    """

    kind: ClassVar[str]
    title: ClassVar[str]
    question: ClassVar[str] = "{title}: {data.name}"
    told_apart: ClassVar[tuple[str, ...]] = ()
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {}
    usual_data: ClassVar[str] = ""

    def __init_subclass__(cls) -> None:
        cls.title = vars(cls).get("title", cls.__name__)
        cls.kind = vars(cls).get("kind", cls.__name__.lower())
        # What a setting declares of itself describes it to those who read Python too.
        lines = [inspect.cleandoc(cls.__doc__ or ""), "", "Parameters", "-" * 10]
        for name, attribute in {**getattr(cls, "__dataclass_fields__", {}), **vars(cls)}.items():
            if isinstance(attribute, Field):
                kind = cls.__annotations__.get(name, attribute.type)
                lines += [f"{name} : {kind}, default={attribute.default!r}"]
                lines += [f"    {attribute.metadata['label']}. {attribute.metadata['help']}"]
        cls.__doc__ = "\n".join(lines)

    def __post_init__(self) -> None:
        # Lists become tuples, NumPy numbers become Python's; ValueError says what is wrong.
        for name, declaration in declared(type(self)).items():
            object.__setattr__(self, name, declaration.read(getattr(self, name)))

    def cells(self, data: Dataset) -> Iterable[Cell]:
        """Everything to compute, results that show soonest first; ValueError says what is wrong."""
        raise NotImplementedError

    def outline(self, data: Dataset) -> Iterable[tuple[Cell, int]]:
        """Some of the cells and how many alike each stands for: the size of a plan not yet made."""
        return ((cell, 1) for cell in self.cells(data))

    def compute(self, cell: Cell, data: Dataset, needed: Mapping[Cell, Result]) -> Result:
        """Compute one cell: the same numbers whatever was computed before or beside it."""
        raise NotImplementedError

    def table(self, results: Results) -> pd.DataFrame:
        """The long table of what is there so far: one row a result, with all its digits."""
        import pandas as pd

        return pd.DataFrame([row for result in results.values() for row in result.rows])

    def tables(self, results: Results, data: Dataset) -> dict[str, pd.DataFrame]:
        """Short tables by title, with all digits: means, spreads, choices."""
        return {}

    def table_titles(self, results: Results, data: Dataset) -> tuple[str, ...]:
        """Titles of the short tables; declared where making the tables takes time."""
        return tuple(self.tables(results, data))

    def printed(self, results: Results, data: Dataset) -> dict[str, pd.DataFrame]:
        """Tables to read, by title: words and rounded numbers, for a report and for LaTeX."""
        return {}

    def typeset(self, results: Results, data: Dataset) -> dict[str, pd.DataFrame]:
        """Tables for an article, by title: those to read, and wide ones to choose from."""
        return self.printed(results, data)

    def figures(self, results: Results, data: Dataset) -> dict[str, go.Figure]:
        """Figures by the question that each answers."""
        return {}

    def called(self, values: Mapping[str, Any]) -> str:
        """What a line is called that these values of `told_apart` are of."""
        return ", ".join(str(value) for value in values.values())

    def comparable(self, other: Experiment, name: str) -> bool:
        """Whether a number of its table means the same in another of its kind."""
        return True

    def importance(self, results: Results) -> NDArray[Any] | None:
        """The scores of all features, of a result that has one such."""
        arrays = [result.arrays for result in results.values() if "feature_scores" in result.arrays]
        return arrays[0]["feature_scores"] if len(arrays) == 1 else None

    def name(self, data: Dataset) -> str:
        """What a run of it is called: the data, and what is asked that is not usual."""
        usual, texts, differing = type(self)(), said(self), []
        for (name, setting), text in zip(declared(type(self)).items(), texts.values(), strict=True):
            value, label = getattr(self, name), setting.label or name
            if value != getattr(usual, name):
                differing.append(_briefly(f"{label[:1].lower()}{label[1:]}", value, text))
        shown = [words for words in differing if words]
        if len(shown) > _NAMED:
            rest = len(shown) - _NAMED
            shown[_NAMED:] = [f"{rest} more setting{'s' if rest > 1 else ''}"]
        return f"{self.title} on {data.name}" + (f": {', '.join(shown)}" if shown else "")

    def words(self) -> str:
        """How much of everything is asked for, in a few words."""
        return ""

    def idle(self) -> dict[str, str]:
        """Settings that have no effect, and the one that takes it from each."""
        return {}

    def protocol(self, data: Dataset) -> str:
        """How it was done, for a paper, after "On these data"; "" lists the settings."""
        return ""

    def findings(self, results: Results, data: Dataset) -> list[Finding]:
        """Sentences with their numbers."""
        return []

    def snippet(self, data: Dataset) -> str:
        """Lines of Python that give the same numbers."""
        recipe, name = data.recipe or Recipe("load_file", (data.name,)), type(self).__name__
        arguments = ", ".join(f"{name}={value!r}" for name, value in unusual(self).items())
        return (
            f"from cspca.datasets import {', '.join(recipe.names)}\n"
            f"from cspca.experiments import {name}, run\n"
            f"d = {recipe.source}\n"
            f"outcome = run({name}({arguments}), d)\n"
            "print(outcome)"
        )


@dataclass(frozen=True, eq=False)
class Outcome:
    """An experiment with what has been computed of it: all that pages, reports and files show.

    Nothing is asked of an experiment before there is a result.

    Parameters
    ----------
    experiment : Experiment
        The settings.
    data : Dataset
    results : mapping of Cell to Result
        Finished cells, in the experiment's order.
    failures : mapping of Cell to str
        Cells that could not be computed, and why in one sentence.
    note : str
        What else must be said of them.
    python_note : str
        How far the lines of Python give other numbers; empty where they give the same.
    """

    experiment: Experiment
    data: Dataset
    results: Results
    failures: Mapping[Cell, str] = field(default_factory=dict)
    note: str = ""
    python_note: str = ""

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        """Everything that was asked for."""
        return tuple(self.experiment.cells(self.data))

    @property
    def complete(self) -> bool:
        """Whether every cell is finished."""
        return len(self.results) == len(self.cells)

    @cached_property
    def table(self) -> pd.DataFrame:
        """The long table, one row a result."""
        return self.experiment.table(self.results)

    @cached_property
    def tables(self) -> dict[str, pd.DataFrame]:
        """Short tables by title, with all digits."""
        return self.experiment.tables(self.results, self.data) if self.results else {}

    @cached_property
    def printed(self) -> dict[str, pd.DataFrame]:
        """Tables to read, by title."""
        return self.experiment.printed(self.results, self.data) if self.results else {}

    @property
    def typeset(self) -> dict[str, pd.DataFrame]:
        """Tables for an article, by title."""
        return self.experiment.typeset(self.results, self.data) if self.results else {}

    @property
    def table_titles(self) -> tuple[str, ...]:
        """Titles of the short tables, which are not made for that."""
        return self.experiment.table_titles(self.results, self.data) if self.results else ()

    @cached_property
    def findings(self) -> list[Finding]:
        """Sentences with their numbers; last the note, if there is one."""
        findings = self.experiment.findings(self.results, self.data) if self.results else []
        return [*findings, Finding(self.note)] if self.note else findings

    def figures(self, *, dark: bool = False) -> Figures:
        """Figures by the question that each answers, for light paper or for dark.

        A notebook shows them all.
        """
        from cspca.figures.style import Figures, on_dark

        figures = self.experiment.figures(self.results, self.data) if self.results else {}
        return Figures(
            {title: on_dark(figure) if dark else figure for title, figure in figures.items()},
            dark=dark,
        )

    @property
    def snippet(self) -> str:
        """Lines of Python that give the same numbers, below a comment on where they do not."""
        comment = textwrap.indent(textwrap.fill(self.python_note, 88), "# ")
        lines = self.experiment.snippet(self.data)
        return f"{comment}\n{lines}" if comment else lines

    def __str__(self) -> str:
        """What a page says of it: its sentences, its verdicts, its tables to read."""
        lines = [finding.in_words() for finding in self.findings]
        for title, frame in (self.printed or {"All results": self.table}).items():
            lines += ["", title, frame.to_string(index=False)]
            lines += [frame.attrs["note"]] if "note" in frame.attrs else []
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """What a notebook shows: what is done, the findings, and the tables to read."""
        from cspca.evaluation.tables import to_html

        parts = [f"<p>{escape(repr(self)[1:-1])}</p>"]
        parts += [f"<p>{escape(finding.in_words())}</p>" for finding in self.findings]
        tables = self.printed or ({"All results": self.table} if self.results else {})
        return "\n".join([*parts, *(to_html(frame, title) for title, frame in tables.items())])

    def __repr__(self) -> str:
        # Thousands of results are no answer to a person who asks what this is.
        failed = f", {len(self.failures)} failed" if self.failures else ""
        return (
            f"<{self.experiment.title} on {self.data.name}: {len(self.results):,} of "
            f"{len(self.cells):,} cells done{failed}>"
        )
