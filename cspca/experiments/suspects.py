"""Who the outliers are, asked of every method in turn; what was answered once is remembered."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from cspca.datasets import Dataset, thinned
from cspca.datasets.scenes import MOST, Scene, plant_outliers
from cspca.evaluation.outliers import (
    EXACT,
    RankingCurve,
    ranking_curve,
    ranking_quality,
    three_scores,
)
from cspca.experiments.experiment import Outcome, Result
from cspca.experiments.ledger import PUBLIC
from cspca.experiments.memory import ONCE, once, owned, owner_of
from cspca.experiments.outliers import PENALISED, Outliers, ahead, judged, searched
from cspca.experiments.settings import again, setting
from cspca.figures.words import listed
from cspca.robust import ROBUST, RobustSettings

SEARCHERS = ("cspca", "pca", "coherence", "fms", "r1pca", "squared", "op", "pcp")
"""Who looks for the subspace of a haystack, in the order in which they are asked."""

BETAS = (0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8, 0.1, 0.9)
"""Where the window of β is looked for, from its middle on."""

N_SAMPLES = 200
"""Samples of a haystack."""

Stop = Callable[[], bool]


@dataclass(frozen=True)
class Haystack:
    """What haystack is looked at, and the β of CSPCA."""

    kind: ClassVar[str] = "subspace"

    share: float = setting(
        0.5,
        label="Share of outliers",
        limits=(0.0, MOST),
        help=f"Of the {N_SAMPLES} samples; all others lie within the hidden subspace.",
        query="subspace-share",
    )
    rank: int = again(
        Outliers,
        "rank",
        label="Rank of the subspace",
        limits=(1, 15),
        help="Its dimension: PCA and the like are told it, CSPCA, outlier pursuit and PCP are not.",
        query="subspace-rank",
    )
    n_features: int = setting(
        50,
        label="Features",
        choices=(20, 50, 100),
        help="Features of a sample.",
        query="subspace-features",
    )
    beta: float = setting(
        0.5,
        label="β ÷ β_max",
        limits=(0.0, 1.0),
        help="CSPCA’s penalty on the rank as a fraction of its limit; α is 0. Too small a β "
        "rebuilds the outliers too, too large a one loses inliers.",
        query="subspace-beta",
    )
    equal_energy: bool = again(Outliers, "equal_energy", query="subspace-equal")
    seed: int = setting(0, label="Seed", limits=(0, math.inf), query="subspace-seed")

    @property
    def _scene(self) -> dict[str, Any]:
        return {
            "share": self.share,
            "rank": self.rank,
            "n_samples": N_SAMPLES,
            "n_features": self.n_features,
            "equal_energy": self.equal_energy,
            "random_state": self.seed,
        }

    def ask(self, method: str, beta: float | None = None) -> Found:
        """What a method finds, once computed for good; CSPCA at another β where one is given."""
        beta = self.beta if beta is None else beta
        beta_used = beta if method in PENALISED else None
        key = "hay", *self._scene.values(), method, beta_used
        answer: Found = ONCE.get_or_make(key, lambda: self._search(method, beta), PUBLIC)
        return answer

    @property
    def snippet(self) -> str:
        """Lines of Python that give the sine and the rank of CSPCA, and of PCA beside."""
        arguments = ", ".join(f"{name}={value!r}" for name, value in self._scene.items())
        return (
            "from cspca.datasets import make_haystack\n"
            "from cspca.evaluation import subspace_sine\n"
            "from cspca.robust import RobustSettings, explain\n\n"
            f"scene = make_haystack({arguments})\n"
            'for method in ("cspca", "pca"):\n'
            f"    settings = RobustSettings(rank={self.rank}, beta={self.beta!r})\n"
            "    found = explain(method, scene.X, settings)\n"
            "    print(method, subspace_sine(scene.basis, found.directions), found.rank)"
        )

    def _search(self, method: str, beta: float) -> Found:
        scene, explained, sine = searched(method, RobustSettings(self.rank, beta), self._scene)
        assert explained.rank is not None
        aucs = {}
        if scene.outlier.any():
            for name, scores in three_scores(scene.X, explained.scores).items():
                aucs[name] = ranking_quality(scene.outlier, scores).auc.value
        return Found(sine, explained.rank, aucs)


@dataclass(frozen=True)
class Found:
    """What a method found in a haystack: how near its subspace is, its rank, its AUC by score."""

    sine: float
    rank: int
    aucs: Mapping[str, float]

    @property
    def exact(self) -> bool:
        """Whether the subspace is found but for rounding."""
        return self.sine < EXACT

    @property
    def degrees(self) -> float:
        """The largest angle between what was found and the truth."""
        return math.degrees(math.asin(min(1.0, self.sine)))


@dataclass(frozen=True)
class Search:
    """A haystack, what was found in it by method, and by CSPCA at other β."""

    asked: Haystack
    found: Mapping[str, Found]
    window: Mapping[float, Found] = field(default_factory=dict)

    @property
    def complete(self) -> bool:
        """Whether nothing is left to be computed."""
        return len(self.window) == len(BETAS)


def search(asked: Haystack, stop: Stop, publish: Callable[[Search], None]) -> None:
    """Ask every method, then CSPCA at every β; what is there is published after each of the two."""
    answers, window = {}, {}
    for method in SEARCHERS:
        if stop():
            return
        answers[method] = asked.ask(method)
    publish(Search(asked, answers))
    for beta in BETAS:
        if stop():
            return
        window[beta] = asked.ask("cspca", beta)
    publish(Search(asked, answers, dict(sorted(window.items()))))


def verdict(now: Search) -> list[str]:
    """What came out, in sentences: who is exact, and where in β CSPCA is."""
    asked, own, pca = now.asked, now.found["cspca"], now.found["pca"]
    n = round(asked.share * N_SAMPLES)
    among = f"{N_SAMPLES - n} inliers among {n} outliers" if n else f"{N_SAMPLES} inliers"
    others = f"PCA, which is told it, is off by {angle(pca)}"
    if pca.exact:
        others = "so does PCA, which is told it"
    if own.exact:
        first = (
            f"**Exact.** CSPCA, not told the rank, finds the subspace of {among} but for rounding"
        )
        if own.rank == asked.rank:
            first += f", and its rank, {asked.rank}"
        else:
            first += f", though its rank is {own.rank}, not {asked.rank}"
    else:
        first = f"**Not exact.** At this β CSPCA’s subspace of {among} is off by {angle(own)}"
        if own.rank != asked.rank:
            first += f", its rank is {own.rank}, not {asked.rank}"
    return [f"{first}; {others}.", _window(now)]


def _window(now: Search) -> str:
    if not now.complete:
        return "Where in β it is exact is being computed."
    exact = [beta for beta, answer in now.window.items() if answer.exact]
    right = [beta for beta in exact if now.window[beta].rank == now.asked.rank]
    tried = f"nine β from {min(BETAS):g} to {max(BETAS):g} β_max"
    if not exact:
        why = ""
        if not now.asked.equal_energy:
            why = " The norms are not equal here, which alone can take exactness away."
        return f"At none of the {tried} is it exact in this sample.{why}"
    sentence = f"In this sample it is exact at {_listed(exact)} of the {tried}"
    if len(exact) == len(BETAS):
        sentence = f"In this sample it is exact at all {tried}"
    if right != exact:
        sentence += f", with the right rank at {_listed(right) if right else 'none of them'}"
    return f"{sentence}. Nobody tells it β either: the window moves with the data."


def _listed(values: list[float]) -> str:
    """Numbers of one row as 0.3 to 0.5, others one by one."""
    texts = [f"{value:g}" for value in values]
    if len(values) > 2 and np.allclose(np.diff(values), 0.1):
        return f"{texts[0]} to {texts[-1]}"
    return listed(texts)


def angle(answer: Found) -> str:
    """How far off a subspace is, in degrees."""
    return f"{answer.degrees:.2g}°" if answer.degrees >= 1e-3 else "less than 0.001°"


def exact_in_its_window(n_seeds: int = 5) -> dict[str, float]:
    """What several usual haystacks say: how often CSPCA is exact, at a β beyond its window too."""
    usual = [Haystack(seed=seed) for seed in range(n_seeds)]
    own, pca = (
        [haystack.ask("cspca") for haystack in usual],
        [haystack.ask("pca") for haystack in usual],
    )
    return {
        "n_seeds": float(n_seeds),
        "exact": float(sum(answer.exact for answer in own)),
        "rank_right": float(sum(answer.rank == Haystack.rank for answer in own)),
        "exact_beyond": float(sum(haystack.ask("cspca", max(BETAS)).exact for haystack in usual)),
        "pca_degrees": float(np.median([answer.degrees for answer in pca])),
    }


# -- pictures of which some are made wrong ---------------------------------------------------------

JUDGES = ("norm", "pca", "cspca", "fms", "r1pca", "op", "squared", "pcp")
"""Who ranks pictures, in the order in which they are asked: about the quickest first."""

N_IMAGES = 200
"""Images of a larger set that take part at first."""

ONE_IMAGE = 1 / N_IMAGES
"""The usual share of ruined images: one of them."""


@dataclass(frozen=True)
class Planted:
    """Which pictures are made wrong and how, and what the methods are told."""

    kind: ClassVar[str] = "planted"

    wrong: str = again(Outliers, "wrong", "ruined")
    share: float = again(Outliers, "wrong_share", ONE_IMAGE, query="wrong-share")
    strangers: str = again(Outliers, "strangers", label="From", query="wrong-from")
    components: int = again(Outliers, "components", limits=(1, 100), query="wrong-components")
    beta: float = again(
        Outliers,
        "picture_beta",
        0.05,
        label="β ÷ β_max",
        help="Of CSPCA; α is 0. Too small a β rebuilds the wrong images too. At 0.05 it has "
        "about as many directions, on the rendered faces, as PCA is told.",
        query="wrong-beta",
    )
    most: int = setting(
        N_IMAGES,
        label="Images",
        limits=(10, 10_000),
        help="Of larger sets so many take part, spread over them. With more the slowest methods "
        "take minutes.",
        query="wrong-most",
    )

    def scene(self, data: Dataset, strangers: Dataset | None) -> Scene:
        """The pictures with a share of them made wrong, once for all who look at them."""
        return once(
            data,
            lambda: plant_outliers(data, self.wrong, self.share, strangers),
            *self._scene_key(strangers),
        )

    def _scene_key(self, strangers: Dataset | None) -> tuple[Hashable, ...]:
        return "planted", self.wrong, self.share, strangers and strangers.sha256

    def ask(self, method: str, data: Dataset, strangers: Dataset | None) -> Judged:
        """What a method makes of the scene; computed once."""
        robust_settings = RobustSettings(self.components, self.beta)
        setting = (
            robust_settings.rank if ROBUST[method].needs_rank else None,
            robust_settings.beta if method in PENALISED else None,
        )

        def look() -> Judged:
            explained, rows = judged(method, self.scene(data, strangers), robust_settings)
            rebuilt = None if explained.rebuilt is None else explained.rebuilt.astype(np.float32)
            return Judged(explained.scores, rebuilt, {row["score"]: row for row in rows})

        return once(data, look, *self._scene_key(strangers), method, setting)


@dataclass(frozen=True, eq=False)
class Judged:
    """What a method made of pictures: a score of each, what it rebuilt, and numbers by score."""

    residuals: NDArray[np.float64]
    rebuilt: NDArray[np.float32] | None
    numbers: Mapping[str, Mapping[str, Any]]

    def scores(self, scene: Scene, name: str) -> NDArray[np.float64]:
        """One of the three scores of every picture."""
        return three_scores(scene.X, self.residuals)[name]

    def curve(self, scene: Scene, name: str) -> RankingCurve:
        """ROC and precision of one of the scores."""
        return ranking_curve(scene.outlier, self.scores(scene, name))


@dataclass(frozen=True, eq=False)
class Judgement:
    """Pictures of which some are wrong, and what each method that has answered made of them."""

    asked: Planted
    data: Dataset
    scene: Scene
    found: Mapping[str, Judged]

    @property
    def complete(self) -> bool:
        """Whether all have answered."""
        return len(self.found) == len(JUDGES)

    @property
    def one_wrong(self) -> bool:
        """Whether a single image is wrong: it has a place, and a share of pairs says no more."""
        return int(self.scene.outlier.sum()) == 1

    def outcome(self) -> Outcome:
        """The same as an experiment, for its files and lines of Python."""
        experiment = Outliers(
            parts=("pictures",),
            judges=JUDGES,
            wrong=self.asked.wrong,
            wrong_share=self.asked.share,
            strangers=self.asked.strangers,
            components=self.asked.components,
            picture_beta=self.asked.beta,
        )
        results = {}
        for cell in experiment.cells(self.data):
            method_result = self.found[cell.parameters["method"]]
            arrays = {"residuals": method_result.residuals, "outlier": self.scene.outlier}
            results[cell] = Result(
                tuple(dict(row) for row in method_result.numbers.values()), arrays
            )
        return Outcome(experiment, self.data, results)

    def ranking(self) -> pd.DataFrame:
        """A picture a line: whether it is wrong, its norm, and its residual by every method."""
        columns: dict[str, Any] = {
            "picture": np.arange(1, len(self.scene.outlier) + 1),
            "wrong": self.scene.outlier.astype(int),
        }
        return pd.DataFrame(
            columns | {name: method_result.residuals for name, method_result in self.found.items()}
        )


def judge(
    planted: Planted,
    data: Dataset,
    strangers: Dataset | None,
    stop: Stop,
    publish: Callable[[Judgement], None],
) -> None:
    """Ask every method; what is there is published after each."""
    few = once(
        data, lambda: owned(thinned(data, planted.most), owner_of(data)), "thinned", planted.most
    )
    scene = planted.scene(few, strangers)
    judgements: dict[str, Judged] = {}
    for method in JUDGES:
        if stop():
            return
        judgements[method] = planted.ask(method, few, strangers)
        publish(Judgement(planted, few, scene, dict(judgements)))


def places(now: Judgement, name: str) -> dict[str, int]:
    """Place of the one wrong image in the ranking of a method, by score; 1 is the most suspicious.

    Images of equal score share the first of their places.
    """
    judged_by, wrong = now.found[name], int(np.flatnonzero(now.scene.outlier)[0])
    scores = {score: judged_by.scores(now.scene, score) for score in judged_by.numbers}
    return {
        score: 1 + int(np.count_nonzero(values > values[wrong])) for score, values in scores.items()
    }


def _places_of_single_outlier(now: Judgement) -> list[str]:
    """Where each method puts the one image that is wrong."""
    n, norm = len(now.scene.outlier), places(now, "norm")["norm"]
    by_residual = {
        name: places(now, name)["residual"] for name in ("cspca", "pca") if name in now.found
    }
    if not by_residual:
        return []
    listed_places = listed(
        [f"{ROBUST[name].title} puts it at place {at:,}" for name, at in by_residual.items()]
    )
    sentences = [
        f"**One of {n:,} images is wrong.** By residual {listed_places}; the norm of the image "
        f"alone, no method at all, puts it at place {norm:,}."
    ]
    if by_residual.get("pca", 0) > n / 2:
        sentences.append(
            "PCA rebuilds it better than most of the others: a small error is no evidence that an "
            "image belongs."
        )
    return sentences


def comparison(now: Judgement) -> list[str]:
    """What came out: who ranks best by its residual, and whether the norm alone does as well."""
    if now.one_wrong:
        return _places_of_single_outlier(now)
    rows = {
        name: method_result.numbers["residual"]
        for name, method_result in now.found.items()
        if name != "norm"
    }
    if not rows:
        return []
    norm = now.found["norm"].numbers["norm"]
    control = f"{norm['auc']:.3f}"
    if norm["auc"] < 0.5:
        # Who takes the small ones first has as good a ranking.
        norm = {name: 1 - norm[name] for name in ("auc_low", "auc", "auc_high")}
        norm["auc_low"], norm["auc_high"] = norm["auc_high"], norm["auc_low"]
        control = f"{norm['auc']:.3f} (small norms first)"
    best = max(row["auc"] for row in rows.values())
    first = [name for name, row in rows.items() if row["auc"] > best - 5e-4]
    row = rows[first[0]]
    titles = listed([ROBUST[name].title for name in first])
    leaders = f"**{titles}** ranks" if len(first) == 1 else f"**{titles}** rank"
    if len(first) > 3:
        leaders = f"**{len(first)} methods** rank"
    alone = "the norm of the image alone, no method at all,"
    if row["auc_low"] <= 0.5:
        sentence = (
            f"By residual no method tells the wrong ones: {leaders} best (AUC {best:.3f}), and "
            f"chance, 0.5, is within the interval; {alone} has {control}."
        )
    elif ahead(row, norm):
        sentence = (
            f"By residual {leaders} best (AUC {best:.3f}), ahead of {alone} which has {control}."
        )
    else:
        sentence = (
            f"By residual {leaders} best (AUC {best:.3f}), but not by more than the intervals: "
            f"{alone} has {control}."
        )
    if not {"cspca", "pca"} <= set(rows):
        return [sentence]
    own, pca = rows["cspca"], rows["pca"]
    if not ahead(own, pca) and not ahead(pca, own):
        second = (
            f"CSPCA ({own['auc']:.3f}) and PCA ({pca['auc']:.3f}) are within each other’s "
            "intervals."
        )
    else:
        word = "ahead of" if ahead(own, pca) else "behind"
        second = f"CSPCA ({own['auc']:.3f}) is {word} PCA ({pca['auc']:.3f})."
    return [sentence, second]
