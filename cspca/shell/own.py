"""What files bring to an experiment: scores and selectors of one's own, groups of the samples."""

from __future__ import annotations

import argparse
import inspect
import re
import shlex
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cspca.shell.options import ShellError
from cspca.shell.terminal import note, standard_input

if TYPE_CHECKING:
    from cspca.datasets import Dataset
    from cspca.experiments import Experiment


def with_own(experiment: Experiment, data: Dataset, arguments: argparse.Namespace) -> Experiment:
    """The experiment with what ``--scores`` and ``--selector`` bring, where it takes them."""
    files, names = (getattr(arguments, option, []) for option in ("files", "names"))
    if not files and not names:
        return experiment
    rankings = [_from_file(file, data) for file in files]
    n_clusters = getattr(arguments, "n_clusters", None) or data.n_classes
    rankings += [(name.rpartition(":")[2], _ranked(name, data, n_clusters)) for name in names]
    scores = dict(rankings)
    if len(scores) < len(rankings):
        raise ShellError("Two rankings have the same name: rename a file.")
    return replace(experiment, scores=scores)  # type: ignore[type-var]


def _from_file(text: str, data: Dataset) -> tuple[str, list[float]]:
    """What to call a ranking in a file, and its scores; what was understood is noted."""
    from cspca.experiments.rankings import (
        file_and_answer,
        option_of,
        read_own_ranking,
        title_of_file,
    )
    from cspca.selection.rankings import UndecidedRankingError

    file, answer = file_and_answer(text)
    content: str | bytes = file
    if file == "-":
        content, file = standard_input(), "stdin"
    try:
        own = read_own_ranking(content, data, Path(file).name, answer)
    except UndecidedRankingError as error:
        options = [
            f"--scores {shlex.quote(option_of(file, choice))}" for choice in error.answers[:6]
        ]
        raise ShellError(f"{error.problem} Say which: {' or '.join(options)}.") from None
    note(f"{Path(file).name}: {own.sentence}")
    scores: list[float] = own.scores.tolist()
    return title_of_file(file), scores


def _ranked(name: str, data: Dataset, n_clusters: int | None) -> list[float]:
    """The scores by a selector, which is fitted here and now: a kept run holds no foreign code."""
    import numpy as np

    from cspca.evaluation.steps import error_reason, rank_features

    module, colon, attribute = name.partition(":")
    if not (module and colon and attribute):
        raise ShellError(f"{name!r} names no selector: write package.module:Class.")
    try:
        selector: Any = import_module(module)
        for part in attribute.split("."):
            selector = getattr(selector, part)
        if inspect.isclass(selector) or inspect.isfunction(selector):
            accepted = inspect.signature(selector).parameters
            offered = {"n_clusters": n_clusters, "random_state": 0}
            selector = selector(
                **{name: value for name, value in offered.items() if name in accepted}
            )
        scores = np.array(rank_features(selector, data.data).scores)
    # It is foreign code, and fails as it likes.
    except Exception as error:
        raise ShellError(f"{name} could not rank the features: {error_reason(error)}") from error
    live = np.ptp(data.data, axis=0) > 0
    # As with all methods here: what is the same in every sample comes last.
    scores[~live] = scores[live].min(initial=np.inf)
    values: list[float] = scores.tolist()
    return values


def with_groups(experiment: Experiment, data: Dataset, arguments: argparse.Namespace) -> Experiment:
    """The experiment with the groups of the samples that ``--groups`` brings."""
    file = getattr(arguments, "group_file", None)
    if file is None:
        return experiment
    try:
        content = standard_input() if file == "-" else Path(file).read_bytes()
        lines = content.decode("utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is no text in UTF-8"
        raise ShellError(f"{file} cannot be read: {reason}.") from error
    names = [line.strip().strip('"') for line in lines]
    if len(names) == data.n_samples + 1:
        # A header stands above.
        del names[0]
    if len(names) != data.n_samples:
        raise ShellError(
            f"{file} has {len(names):,} lines for {data.nouns.count_samples(data.n_samples)}: "
            "write one group a line, in their order; a header may stand above."
        )
    if len(set(names)) == len(names) and all(re.search("[,;\t]", name) for name in names):
        raise ShellError(
            f"{file} has several columns, and no two lines are equal: write the group alone, one a "
            "line."
        )
    return replace(experiment, groups=names)  # type: ignore[type-var]
