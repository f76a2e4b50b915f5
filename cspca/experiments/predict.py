"""Predict, then reveal: features that somebody chose, held against CSPCA's, variance and chance."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cspca.datasets import Dataset, Nouns
from cspca.experiments.memory import once
from cspca.figures.words import capitalised, listed

if TYPE_CHECKING:
    from cspca.evaluation.rebuilding import Rebuilding

DRAWS: Final = 200
"""Uniform draws of as many features."""

SEED: Final = 0
"""Of the draws, and of the halves."""


def most_painted(n_features: int) -> int:
    """Features that may be chosen at most: more of them would be no choice."""
    return max(1, n_features // 4, min(n_features // 2, 100))


def halves(data: Dataset) -> Rebuilding:
    """What all selections of a data set are measured with, made once."""
    from cspca.evaluation.rebuilding import Rebuilding

    return once(data, lambda: Rebuilding(data.data, random_state=SEED), "halves")


def prepare(data: Dataset) -> None:
    """Make what all answers share, where there is something to rebuild."""
    with suppress(ValueError):
        halves(data)


@dataclass(frozen=True, eq=False)
class Reveal:
    """As many features by a person, by CSPCA, by variance and by chance, and how well they do.

    `chosen` and `errors`, the share of the variance of all features that these leave unexplained,
    are by "yours", "cspca", "variance" and "chance"; of chance the draw in the middle of `draws`,
    which are the errors of all of them. "variance" is left out where the k-th largest variance ties
    with the next. `common` counts what is yours and CSPCA's.
    """

    chosen: Mapping[str, NDArray[np.intp]]
    errors: Mapping[str, float]
    draws: NDArray[np.float64]
    common: int
    side_by_side: int
    n_features: int
    n_used: int
    n_samples: int
    n_copies: int

    @property
    def k(self) -> int:
        """How many features each has."""
        return len(self.chosen["yours"])

    @property
    def common_by_chance(self) -> float:
        """How many features a uniform draw has in common with CSPCA's, on average: k² / d."""
        return self.k**2 / self.n_features

    def better(self, name: str) -> int:
        """How many draws do worse."""
        return int(np.sum(self.draws > self.errors[name]))

    def mask(self, name: str) -> NDArray[np.bool_]:
        """Which features one has, as a mask of all."""
        marked = np.zeros(self.n_features, dtype=bool)
        marked[self.chosen[name]] = True
        return marked


def reveal(data: Dataset, order: ArrayLike, mask: NDArray[np.bool_]) -> Reveal:
    """Hold the features of a mask against as many of CSPCA's `order`, and of the others."""
    from cspca.fitted import ahead_of_cut, shared_places, tie_groups

    yours = np.flatnonzero(mask.ravel())
    k, measure = len(yours), halves(data)
    variances = data.data.var(axis=0)
    by_variance = np.argsort(-variances, kind="stable")
    chosen = {"yours": yours, "cspca": np.asarray(order)[:k]}
    if ahead_of_cut(shared_places(tie_groups(variances, by_variance)), k) == k:
        chosen["variance"] = by_variance[:k]
    errors = dict(zip(chosen, measure.errors(chosen.values()).tolist(), strict=True))
    draws, middle = once(data, lambda: _by_chance(measure, data.n_features, k), "chance", k)
    return Reveal(
        chosen | {"chance": middle},
        errors | {"chance": float(draws.mean())},
        draws,
        len(np.intersect1d(yours, chosen["cspca"])),
        _side_by_side(chosen["cspca"], data.image_shape),
        data.n_features,
        measure.n_used,
        measure.n_samples,
        measure.n_copies,
    )


def _by_chance(
    measure: Rebuilding, n_features: int, k: int
) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """Errors of uniform draws, and the draw whose error is in their middle."""
    rng = np.random.default_rng(SEED)
    draws = [np.sort(rng.choice(n_features, k, replace=False)) for _ in range(DRAWS)]
    errors = measure.errors(draws)
    return errors, draws[int(np.argsort(errors)[DRAWS // 2])]


def _side_by_side(chosen: NDArray[np.intp], shape: tuple[int, int] | None) -> int:
    """How many of the chosen pixels touch another one of them by a side."""
    if shape is None:
        return 0
    framed = np.zeros((shape[0] + 2, shape[1] + 2), dtype=bool)
    inner = framed[1:-1, 1:-1]
    inner[np.unravel_index(chosen, shape)] = True
    touched = framed[:-2, 1:-1] | framed[2:, 1:-1] | framed[1:-1, :-2] | framed[1:-1, 2:]
    return int((inner & touched).sum())


def verdict(revealed: Reveal, nouns: Nouns) -> list[str]:
    """Who rebuilds the samples best, and why that need not be CSPCA, in sentences."""
    many, e, draws = nouns.features, revealed.errors, len(revealed.draws)

    def better(name: str) -> str:
        count = revealed.better(name)
        return {0: "none", draws: "all"}.get(count, f"{count}")

    yours = f"Your {many} beat {better('yours')} of {draws} random draws"
    if "variance" in e:
        sentences = [
            f"{yours}, CSPCA’s {better('cspca')}, those of largest variance {better('variance')}."
        ]
    else:
        sentences = [
            f"{yours}, CSPCA’s {better('cspca')}. Variance picks no {revealed.k:,}: their "
            "variances tie where the choice would end."
        ]
    ahead = [
        words
        for name, words in (("yours", "You"), ("variance", "plain variance"), ("chance", "chance"))
        if name in e and e[name] < e["cspca"]
    ]
    if not ahead:
        return [*sentences, "By this measure nobody here beats CSPCA."]
    leaders = listed(ahead)
    verb = "beats" if len(ahead) == 1 and ahead[0] != "You" else "beat"
    why = (
        f"{capitalised(leaders)} {verb} CSPCA by this measure. CSPCA optimises another one: one "
        f"map W of low rank that rebuilds every {nouns.sample} from all the {many} in use "
        "together, and distances that are not squared."
    )
    if "chance" in ahead:
        why += f" Random {many} are hard to beat here: what is spread out says more"
        if revealed.side_by_side:
            why += (
                f", and neighbours say nearly the same ({revealed.side_by_side:,} of CSPCA’s "
                f"{revealed.k:,} touch another one of them)"
            )
        why += "."
    return [*sentences, why]


def how_measured(revealed: Reveal, nouns: Nouns) -> str:
    """How the errors came about, in sentences."""
    from cspca.experiments.halves_words import copies_words

    sentence = (
        f"All {nouns.features} are predicted from the chosen ones by least squares with a small "
        f"ridge, fitted on a random half of the {nouns.samples} and measured on the other, both "
        f"ways round ({revealed.n_used:,} {nouns.samples}; seed of halves and draws {SEED}). "
        f"{'CSPCA and variance' if 'variance' in revealed.errors else 'CSPCA'} chose on all "
        f"{nouns.samples}."
    )
    if max(revealed.errors.values()) > 1:
        sentence += f" Above 100 % is worse than the mean {nouns.sample} of the other half."
    if revealed.n_copies:
        sentence += f" {copies_words(revealed.n_copies, revealed.n_samples, nouns.samples)}"
    return sentence
