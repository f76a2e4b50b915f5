"""Robustness, and samples that were not seen."""

from __future__ import annotations

from collections.abc import Sequence

from cspca.evaluation.paper_claims.verdicts import (
    Finding,
    Verdict,
    together,
)
from cspca.evaluation.paper_evidence import Evidence


def robust(evidence: Sequence[Evidence]) -> Finding:
    """Judge: It is robust to outliers."""
    verdicts, parts, numbers = [], [], []
    for one in evidence:
        found = one.checks.get("outliers")
        if found is None:
            continue
        more_stable = found["overlap"] > found["pca_overlap"] + 0.01
        loss = found["clean"] - found["ruined"]
        pca_loss = found["pca_clean"] - found["pca_ruined"]
        better_map = loss < pca_loss - 0.005
        worse_map = loss > pca_loss + 0.005
        numbers.append(f"overlap {found['overlap']:.2f} against {found['pca_overlap']:.2f}")
        if more_stable and better_map:
            verdicts.append(Verdict.HOLDS)
        elif more_stable or better_map:
            verdicts.append(Verdict.PARTLY)
        else:
            verdicts.append(Verdict.PARTLY if not worse_map else Verdict.FAILS)
        parts.append(
            f"On {one.title} with {found['n_ruined']:.0f} of {found['n_samples']:.0f} samples "
            f"ruined, the better half of the features stays the same to {found['overlap']:.2f} "
            f"(PCA’s loadings {found['pca_overlap']:.2f}), the first ten directions lose "
            f"{100 * loss:.1f} points of what they captured (PCA {100 * pca_loss:.1f}), and "
            f"{100 * found['found']:.0f} % of the ruined samples have the largest residuals."
        )
    if not verdicts:
        return Finding(Verdict.UNTESTED)
    return Finding(together(verdicts), "; ".join(numbers), " ".join(parts))


def maps_unseen(evidence: Sequence[Evidence]) -> Finding:
    """Judge: It maps unseen images."""
    verdicts, parts, numbers = [], [], []
    for one in evidence:
        found = one.checks.get("unseen")
        if found is None:
            continue
        rest = found["error_unseen"]
        verdicts.append(
            Verdict.HOLDS if rest < 0.5 else Verdict.PARTLY if rest < 1.0 else Verdict.FAILS
        )
        numbers.append(f"{100 * (1 - rest):.1f} % of the variance")
        parts.append(
            f"On {one.title}, a map of rank {found['rank']:.0f} fitted on half of the samples "
            f"rebuilds {100 * (1 - rest):.1f} % of the variance of the other half "
            f"({100 * (1 - found['error_seen']):.1f} % of its own; PCA of that rank "
            f"{100 * (1 - found['pca_unseen']):.1f} % of the other)."
        )
    if not verdicts:
        return Finding(Verdict.UNTESTED)
    return Finding(together(verdicts), "; ".join(numbers), " ".join(parts))
