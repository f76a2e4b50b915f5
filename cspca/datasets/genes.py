"""A table of gene expression that nobody measured: modules, lonely genes, dropouts, two batches."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from cspca.datasets.record import Dataset, DatasetError, check_count
from cspca.datasets.truth import FeatureTruth, drawn_alike

Floats = NDArray[np.float64]

CLASSES: Final = ("type A", "type B", "type C", "type D")
MODULE_SIZE: Final = 40
"""Genes of a module, each of which can stand in for the others."""

N_LONELY: Final = 40
"""Genes that share nothing with any other."""

_LOWEST, _HIGHEST, _LARGEST = 2.0, 9.0, 16.0  # mean log-expressions, and the one that becomes 1
_SHIFT: Final = 2.2  # how far a class moves its module, in deviations of its activity
_OWN, _OWN_LONELY = 0.5, 1.2  # standard deviation of what a gene shares with no other
_BATCH: Final = 0.4  # standard deviation, over genes, of how far the second batch is off
_DROPOUT: Final = 2.0  # an expression x is not seen with the probability exp(−x² / this)


def make_genes(n_samples: int = 200, n_genes: int = 1000, random_state: int = 0) -> Dataset:
    """Make a table of gene expression with four types of samples.

    Genes come in modules of 40 that rise and fall together, so that each can stand in for the
    others of its module; modules M01 to M04 are higher in one type each, all other modules carry no
    type. The last 40 genes are lonely: they vary about as much, share nothing but the batch with
    any other gene, and carry no type. Low expressions drop out (they are 0), and every second four
    samples are of another batch, which moves every gene by an amount of its own.

    Parameters
    ----------
    n_samples : int, default 200
        Number of samples; the types take turns. A sample does not depend on how many there are.
    n_genes : int, default 1000
        Number of genes: 40 lonely ones and at least the 160 of four whole modules.
    random_state : int, default 0
        The same number gives the same table.

    Returns
    -------
    Dataset
        Log-expressions, all divided by 16. Genes are called ``M01.01``, ``M01.02``, … by their
        module, and ``lonely 01``, …. Its ``truth`` is a `FeatureTruth` whose parts are ``M01``, …
        and ``lonely``.

    Raises
    ------
    DatasetError
        If a number is out of range, or the genes do not fill whole modules.
    """
    check_count("n_samples", n_samples, 2 * len(CLASSES), 20_000)
    least = len(CLASSES) * MODULE_SIZE + N_LONELY
    check_count("n_genes", n_genes, least, 4000)
    check_count("random_state", random_state, 0)
    if (n_genes - N_LONELY) % MODULE_SIZE:
        raise DatasetError(
            f"n_genes is {n_genes}: give {N_LONELY} lonely genes and whole modules of "
            f"{MODULE_SIZE}, such as {n_genes - (n_genes - N_LONELY) % MODULE_SIZE}."
        )
    n_modules = (n_genes - N_LONELY) // MODULE_SIZE
    is_lonely = np.arange(n_genes) >= n_genes - N_LONELY
    target = np.arange(n_samples) % len(CLASSES)
    batch = np.arange(n_samples) // len(CLASSES) % 2
    of_genes, of_samples, of_cells = (
        np.random.default_rng([random_state, stream]) for stream in range(3)
    )
    level = of_genes.uniform(_LOWEST, _HIGHEST, n_genes)
    loading = np.where(is_lonely, 0.0, of_genes.uniform(0.8, 1.2, n_genes))
    batch_shift = _BATCH * of_genes.standard_normal(n_genes)
    # One row of numbers a sample.
    draws = of_samples.standard_normal((n_samples, n_modules + n_genes))
    activity, own = draws[:, :n_modules], draws[:, n_modules:]
    own = own * np.where(is_lonely, _OWN_LONELY, _OWN)
    by_class = np.zeros((n_samples, n_modules))
    by_class[np.arange(n_samples), target] = _SHIFT
    # A lonely gene has the loading 0 on whatever module is named here.
    module = np.minimum(np.arange(n_genes) // MODULE_SIZE, n_modules - 1)
    shares = {
        "class": loading * by_class[:, module],
        "module": loading * activity[:, module],
        "own": own,
        "batch": np.outer(batch, batch_shift),
    }
    expressed = np.clip(level + sum(shares.values()), 0.0, _LARGEST)
    is_dropout = of_cells.random((n_samples, n_genes)) < np.exp(-(expressed**2) / _DROPOUT)
    shares["dropout"] = -expressed * is_dropout
    modules = tuple(f"M{number + 1:02d}" for number in range(n_modules))
    names = [f"{name}.{number + 1:02d}" for name in modules for number in range(MODULE_SIZE)]
    lonely = [f"lonely {number + 1:02d}" for number in range(N_LONELY)]
    return Dataset(
        data=drawn_alike(np.where(is_dropout, 0.0, expressed) / _LARGEST),
        target=target,
        target_names=CLASSES,
        feature_names=(*names, *lonely),
        feature_noun="gene",
        name="genes",
        source="computed by this program",
        licence="BSD-3-Clause",
        description=f"Four types, modules of {MODULE_SIZE} genes that can stand in for each other, "
        f"{N_LONELY} lonely genes that carry no type. Of 200 × 1,000, at α = 0.05 and β = 0.01, "
        "the lonely ones rank first; at β = 0.1 none is among the best 40.",
        truth=FeatureTruth(
            parts=(*np.repeat(modules, MODULE_SIZE).tolist(), *["lonely"] * N_LONELY),
            deviations={name: share.std(axis=0) / _LARGEST for name, share in shares.items()},
            factors={"batch": batch}
            | {name: (activity + by_class)[:, number] for number, name in enumerate(modules)},
            outlier=np.zeros(n_samples, dtype=bool),
        ),
    ).prepared_by(f"Log-expressions were computed and divided by {_LARGEST:g}.")
