"""What the paper reads off its figures: how many features, which α and β."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cspca.evaluation.paper_claims.verdicts import (
    Finding,
    Verdict,
    against,
    as_runs,
    points,
    said,
    together,
)
from cspca.evaluation.paper_evidence import Evidence


def few_hurt(evidence: Sequence[Evidence]) -> Finding:
    """Judge: Too few features hurt."""
    verdicts, parts, numbers = [], [], []
    for one in evidence:
        if len(one.curve) < 2:
            continue
        best = max(one.curve, key=lambda k: float(one.curve[k].mean()))
        fewest = min(one.curve)
        verdict, lead, _ = against(as_runs(one.curve[best]), as_runs(one.curve[fewest]))
        if best == fewest:
            verdict = Verdict.FAILS
        verdicts.append(verdict)
        numbers.append(points(-lead))
        parts.append(
            f"On {one.title} at α = β = 1, {fewest:,} features give "
            f"{100 * one.curve[fewest].mean():.1f} %, the best number ({best:,}) "
            f"{100 * one.curve[best].mean():.1f} %."
        )
    if not verdicts:
        return Finding(Verdict.UNTESTED)
    return Finding(together(verdicts), "; ".join(numbers), " ".join(parts))


def best_below_all(evidence: Sequence[Evidence]) -> Finding:
    """Judge: The best number of features lies below all."""
    verdicts, parts, numbers = [], [], []
    for one in evidence:
        everything = one.accuracy.get("all")
        if everything is None or not one.curve:
            continue
        best = max(one.curve, key=lambda k: float(one.curve[k].mean()))
        verdict, lead, words = against(as_runs(one.curve[best]), everything)
        verdicts.append(verdict)
        numbers.append(points(lead))
        parts.append(
            f"On {one.title} at α = β = 1, the best number ({best:,}) gives "
            f"{100 * one.curve[best].mean():.1f} %, which {words} all features "
            f"({said(everything)})."
        )
    if not verdicts:
        return Finding(Verdict.UNTESTED)
    return Finding(together(verdicts), "; ".join(numbers), " ".join(parts))


def comparable(evidence: Sequence[Evidence]) -> Finding:
    """Judge: α and β are best when they are comparable."""
    verdicts, parts, numbers = [], [], []
    for one in evidence:
        grid = one.grid
        if grid is None or not np.isfinite(grid.runs).all() or min(grid.runs.shape[:2]) < 3:
            continue
        steps = np.abs(np.subtract.outer(np.log10(grid.alphas), np.log10(grid.betas)))
        # Next to each other on the grid counts as comparable.
        near = steps <= float(np.diff(np.log10(grid.alphas)).max()) + 1e-9
        means = grid.runs.mean(axis=2)
        within = np.unravel_index(int(np.where(near, means, -1.0).argmax()), means.shape)
        beyond = np.unravel_index(int(np.where(near, -1.0, means).argmax()), means.shape)
        verdict, lead, words = against(as_runs(grid.runs[within]), as_runs(grid.runs[beyond]))
        verdicts.append(verdict)
        numbers.append(points(lead))
        parts.append(
            f"On {one.title} with {grid.n_features:,} features, the best comparable pair "
            f"(α = {grid.alphas[within[0]]:g}, β = {grid.betas[within[1]]:g}) gives "
            f"{100 * means[within]:.1f} %, which {words} the best of the other pairs "
            f"(α = {grid.alphas[beyond[0]]:g}, β = {grid.betas[beyond[1]]:g}), "
            f"{100 * means[beyond]:.1f} %; the whole grid spans {100 * means.min():.1f} to "
            f"{100 * means.max():.1f} %."
        )
    if not verdicts:
        return Finding(Verdict.UNTESTED)
    return Finding(together(verdicts), "; ".join(numbers), " ".join(parts))
