"""Rankings of features that come from elsewhere: whose each score is, and what is good in it.

A ranking is a few columns, from a file or of pandas. Features are identified by name, by number, by
row and column of a picture, or by the order of the rows, in this order of preference. What the
columns do not tell is a question, an `UndecidedRankingError` with the answers that fit.
"""

from cspca.selection.rankings.answers import (
    MEANINGS,
    PLACES,
    First,
    Meaning,
    OwnRanking,
    Places,
    RankingAnswer,
    RankingError,
    UndecidedRankingError,
    answers_in_words,
)
from cspca.selection.rankings.read import read_ranking
from cspca.selection.rankings.table import RankedFeatures, RankingColumn, columns_of

__all__ = [
    "MEANINGS",
    "PLACES",
    "First",
    "Meaning",
    "OwnRanking",
    "Places",
    "RankedFeatures",
    "RankingAnswer",
    "RankingColumn",
    "RankingError",
    "UndecidedRankingError",
    "answers_in_words",
    "columns_of",
    "read_ranking",
]
