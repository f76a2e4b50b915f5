"""A data set without some of its samples, or with so many of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from cspca.datasets.record import Dataset, DatasetError, check_count
from cspca.labels import UNLABELLED, compact

_NAMED = 8
"""Numbers of samples that are said one by one."""


def leave_out(dataset: Dataset, samples: Iterable[int]) -> Dataset:
    """Leave samples out of a data set.

    Parameters
    ----------
    dataset : Dataset
    samples : iterable of int
        Their indices, from 0.

    Returns
    -------
    Dataset
        The same one if there are none. Those that are left keep their numbers
        (`Dataset.sample_number`). A class of which nothing is left is gone, and what is known of a
        generated set, `Dataset.truth`, is not carried over.

    Raises
    ------
    DatasetError
        If there is no such sample, or fewer than two would be left.

    Examples
    --------
    >>> from cspca.datasets import load
    >>> leave_out(load("digits"), [0, 5])
    <Dataset 'digits': 1,795 images, 8 × 8, 10 classes>
    """
    n, nouns = dataset.n_samples, dataset.nouns
    out = sorted(set(samples))
    for one in out:
        check_count(f"The number of {nouns.a_sample} to leave out", one, 0, n - 1)
    if not out:
        return dataset
    if n - len(out) < 2:
        raise DatasetError(
            f"{dataset.name}: {len(out):,} of {nouns.count_samples(n)} cannot be left out: leave "
            "at least two."
        )
    kept = np.delete(np.arange(n), out)
    target, names = dataset.target, dataset.target_names
    if target is not None:
        left = target[kept]
        there = np.unique(left[left != UNLABELLED])
        target = compact(left) if len(there) else None
        # Classes are renumbered where one is gone, and keep what they were called.
        if target is None:
            names = None
        elif names is not None or len(there) < dataset.n_classes:
            names = tuple(dataset.class_name(number) for number in there.tolist())
    recipe, sample_names = dataset.recipe, dataset.sample_names
    left_out = ", ".join(str(dataset.sample_number(index)) for index in out[:_NAMED])
    further = ", …" if len(out) > _NAMED else ""
    return replace(
        dataset,
        data=dataset.data[kept],
        target=target,
        target_names=names,
        truth=None,
        recipe=None if recipe is None else recipe.then("leave_out", tuple(out)),
        recognised=f"{dataset.recognised} Left out: {left_out}{further}.",
        sample_numbers=tuple(dataset.numbers[kept].tolist()),
        sample_names=sample_names and tuple(sample_names[row] for row in kept),
    )


def thinned(dataset: Dataset, most: int) -> Dataset:
    """Keep at most so many samples of a data set, spread over it.

    Parameters
    ----------
    dataset : Dataset
    most : int
        How many; at least two.

    Returns
    -------
    Dataset
        The same one if it has no more than that.

    Examples
    --------
    >>> from cspca.datasets import load
    >>> thinned(load("digits"), 100)
    <Dataset 'digits': 100 images, 8 × 8, 10 classes>
    """
    n = dataset.n_samples
    check_count("most", most, 2)
    if n <= most:
        return dataset
    kept = np.linspace(0, n - 1, most).astype(np.intp)
    recipe = dataset.recipe
    return replace(
        leave_out(dataset, np.setdiff1d(np.arange(n), kept).tolist()),
        recipe=None if recipe is None else recipe.then("thinned", most),
        recognised=f"{dataset.recognised} These are {most:,} of {n:,}, spread over all.",
    )
