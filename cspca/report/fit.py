"""The report of one fit: which features matter, how sure it is, and everything behind it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from cspca.experiments.fit import UNRANKED
from cspca.figures.pictures import (
    face_alt,
    grey,
    importance_alt,
    importance_rgb,
    mask_alt,
    mask_rgb,
    masked_rgb,
    top_mask,
)
from cspca.figures.skeleton import skeleton_svg
from cspca.report.blocks import Block, Section, facts, images, section, table

if TYPE_CHECKING:
    from cspca.experiments.experiment import Outcome

Example = tuple[Any, Any, str]
"""One image of the data, as it is rebuilt, and its name: for those who may pass it on."""


def sections(
    outcome: Outcome,
    charts: Mapping[str, Block],
    top_k: int | None = None,
    example: Example | None = None,
) -> list[Section]:
    """What is particular of a fit; `top_k` features are marked, by default those in use."""
    experiment, data = outcome.experiment, outcome.data
    fits = experiment.fits(outcome.results)  # type: ignore[attr-defined]
    fit = fits[experiment.solvers[0]]  # type: ignore[attr-defined]
    *which, fall, sure = charts.values()
    shape, body = data.image_shape, data.skeleton
    if shape is None and body is not None:
        drawn = [
            skeleton_svg(fit.feature_scores, body.joints, body.bones, body.pose, dark=paper)
            for paper in (False, True)
        ]
        which.insert(0, {"drawing": drawn})
    elif shape is not None and not which:
        plane = fit.feature_scores.reshape(shape)
        said = "Importance of every pixel. Darkest, without hue: exactly zero."
        which = [images([(importance_rgb(plane), importance_alt(plane), said)], large=True)]
    ranked = fit.regime not in UNRANKED
    best = min(fit.n_kept if top_k is None else top_k, fit.n_kept)
    if shape is not None and ranked:
        mask = top_mask(fit.feature_order, best, shape)
        which.append(
            images([(mask_rgb(mask), mask_alt(mask), f"The best {best:,} pixels, light.")])
        )
    printed, many = dict(outcome.printed), data.nouns.features
    answer = printed.pop("The answer in numbers")
    pairs = list(zip(answer["Number"], answer["Value"], strict=True))
    found = [
        section(
            "The answer in numbers", facts([(str(n), str(v)) for n, v in pairs[:6]], large=True)
        ),
        section(f"Which {many}?", {"row": [*which, fall]}),
    ]
    if example is not None and ranked and shape is not None:
        found.append(_example(fit, best, shape, example))
    proof = [{"words": answer.attrs["note"]}, {"row": [sure, facts(pairs[6:])]}]
    found.append(section("How close is this to the best possible?", *proof))
    noted = [{"notice": one.sentence} for one in outcome.findings[1:]]
    listed = [table(frame) for frame in printed.values()]
    if not ranked:
        noted = [{"notice": f"Every {data.nouns.feature} ties: there is no order."}]
    found.append(section(f"The best {many}", *noted, *listed))
    return found


def _example(fit: Any, best: int, shape: tuple[int, int], example: Example) -> Section:
    image, again, name = np.asarray(example[0]), np.clip(example[1], 0.0, 1.0), example[2]
    mask = top_mask(fit.feature_order, best, shape)
    shown = [
        (grey(image), face_alt(image), f"Original: {name}"),
        (masked_rgb(image, mask), mask_alt(mask), f"Seen through the best {best:,} pixels"),
        (grey(again), face_alt(again, "Reconstruction"), "Reconstruction"),
    ]
    said = "An image of the data is in this report: mind their terms when you pass it on."
    return section("What is left of one picture?", images(shown), {"words": said, "small": True})
