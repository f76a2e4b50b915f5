"""What is understood of a ranking, what is open about it, and what a person answers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from cspca.proximal import FloatArray

Meaning = Literal["large", "small", "magnitude", "order", "selection"]
Places = Literal["set", "file"]
First = Literal[0, 1]
KeyKind = Literal["names", "numbers", "pixels", "rows"]

MEANINGS: Final[tuple[Meaning, ...]] = ("large", "small", "magnitude", "order", "selection")
PLACES: Final[tuple[Places, ...]] = ("set", "file")

_MOST_LISTED: Final = 3


@dataclass(frozen=True)
class RankingAnswer:
    """What a person says of a ranking.

    Parameters
    ----------
    column : str, optional
        Header of the column that ranks the features.
    meaning : {"large", "small", "magnitude", "order", "selection"}, optional
        What is good in it: large or small values, values far from 0; or it lists features, best
        first, or without an order.
    first : {0, 1}, optional
        Number of the first feature.
    places : {"set", "file"}, optional
        Whether rows and numbers go by the features as they are used, or by the columns of their
        file.
    """

    column: str | None = None
    meaning: Meaning | None = None
    first: First | None = None
    places: Places | None = None

    def __post_init__(self) -> None:
        choices = (("meaning", MEANINGS), ("first", (0, 1)), ("places", PLACES))
        for name, values in choices:
            value = getattr(self, name)
            if value is not None and value not in values:
                listed = ", ".join(repr(choice) for choice in values)
                raise ValueError(f"{name} must be one of {listed}, got {value!r}.")


class RankingError(ValueError):
    """A ranking that is none of these features; `problem` is one sentence without advice."""

    def __init__(self, problem: str, advice: str = "") -> None:
        super().__init__(f"{problem} {advice}".strip())
        self.problem = problem


class UndecidedRankingError(RankingError):
    """A ranking that may be read in several ways, which are `answers`."""

    def __init__(self, problem: str, answers: Sequence[RankingAnswer]) -> None:
        super().__init__(problem, "Keep one column of scores, named score, beside the names.")
        self.answers = tuple(answers)


@dataclass(frozen=True)
class OwnRanking:
    """A ranking as it was understood.

    Parameters
    ----------
    scores : array of shape (n_features,)
        Large is good.
    key : {"names", "numbers", "pixels", "rows"}
        What says whose each score is.
    title : str
        Header of the column that ranks the features; empty where there is one without a header.
    meaning : {"large", "small", "magnitude", "order", "selection"}
        What is good in the latter.
    first : int
        Number of the first feature, where they go by number.
    places : {"set", "file"}
        Whose numbers or rows those are.
    left_out : tuple of str
        Headers of columns of numbers that were not used.
    n_unranked : int
        Number of features that the ranking does not have: they tie last.
    noun : str
        The word for one feature.
    """

    scores: FloatArray = field(repr=False)
    key: KeyKind
    title: str
    meaning: Meaning
    first: int = 0
    places: Places = "set"
    left_out: tuple[str, ...] = ()
    n_unranked: int = 0
    noun: str = "feature"

    @property
    def sentence(self) -> str:
        """What was understood."""
        where = f" in {self.title}" if self.title else ""
        what = self.title or "it"
        order = {
            "large": f"large is good{where}",
            "small": f"small is good{where}",
            "magnitude": f"what is far from 0 is good{where}",
            "order": f"{what} lists the {self.noun}s, best first",
            "selection": f"{what} lists {self.noun}s without an order",
        }[self.meaning]
        places = " as columns of the file" if self.places == "file" else ""
        rows = "their file" if self.places == "file" else f"the {self.noun}s"
        key = {
            "names": "By name",
            "numbers": f"By number, counted{places} from {self.first}",
            "pixels": "By row and column",
            "rows": f"One row a {self.noun}, in the order of {rows}",
        }[self.key]
        left_out = ""
        if self.left_out:
            were = "was" if len(self.left_out) == 1 else "were"
            left_out = f"; {listed(self.left_out)} {were} left out"
        return f"{key}: {order}{left_out}.{self._about_unranked}"

    @property
    def _about_unranked(self) -> str:
        if not self.n_unranked:
            return ""
        if self.n_unranked == 1:
            return f" The {self.noun} that it does not have comes last."
        return f" The {self.n_unranked:,} {self.noun}s that it does not have tie last."


def answers_in_words(answers: Sequence[RankingAnswer]) -> Iterator[str]:
    """Yield what each answer to a question says, in a few words."""
    several = len({answer.column for answer in answers}) > 1
    for answer in answers:
        meaning = {
            "large": "large is good",
            "small": "small is good",
            "magnitude": "far from 0 is good",
            "order": "best first",
            "selection": "a selection without an order",
            None: "",
        }[answer.meaning]
        first = "" if answer.first is None else f"counted from {answer.first}"
        places = {
            "set": "in the order used here", "file": "in the order of the file", None: "",
        }[answer.places]  # fmt: skip
        column = answer.column or ""
        parts = [meaning, places, first]
        if several or not any(parts):
            parts.insert(0, column)
        yield ", ".join(part for part in parts if part)


def short(text: str) -> str:
    """A text from a file as it can be shown."""
    shown = "".join(letter if letter.isprintable() else "�" for letter in text[:200])
    return shown if len(shown) <= 40 else f"{shown[:39]}…"


def listed(titles: Sequence[str], most: int = _MOST_LISTED) -> str:
    """Titles in a row, and how many more there are."""
    shown = [short(title) for title in titles[:most]]
    if len(titles) > most:
        return f"{', '.join(shown)} and {len(titles) - most:,} more"
    return " and ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)
