"""``fit``: one fit of CSPCA, its certificate and its scores."""

from __future__ import annotations

import argparse
import math
from typing import TYPE_CHECKING, Any

from cspca.shell.data import described, open_data
from cspca.shell.errors import FAILED, INTERRUPTED, OK, ShellError
from cspca.shell.files import npz_bytes, scores_csv, suffix_of, write
from cspca.shell.findings import show_fit
from cspca.shell.interrupt import Interrupt
from cspca.shell.kept import resuming
from cspca.shell.options import add_command, add_data, add_numerics, amount, count
from cspca.shell.terminal import Bar, note, say, say_json

if TYPE_CHECKING:
    from cspca.datasets import Dataset
    from cspca.estimator import CSPCA

__all__ = ["add_fit", "add_to", "fit_as_asked", "read_model", "settings_of"]

_PICTURES = (".png", ".svg")

_EXAMPLES = """
fit faces
fit ORL.mat --alpha 0.2 --beta 0.05 --tol 1e-4 --out scores.csv
fit faces --alpha 0.2 --out map.svg
fit digits --keep 20 --json
fit digits --alpha 10 --beta 1 --absolute --save
"""


def add_to(commands: Any) -> None:
    """Add the command.

    Parameters
    ----------
    commands : argparse subparsers
    """
    parser = add_command(
        commands, "fit", _run, "Fit CSPCA and say how far it is from the optimum.", _EXAMPLES
    )
    add_data(parser)
    add_fit(parser)
    parser.add_argument(
        "--out",
        metavar="FILE",
        help="scores as .csv, all of it as .npz, the map of the pixels as .png or .svg",
    )
    parser.add_argument("--save", action="store_true", help="keep it as a run")
    parser.add_argument("--name", help="what to call the run")


def add_fit(parser: argparse.ArgumentParser) -> None:
    """Add what a fit is asked for.

    Parameters
    ----------
    parser : argparse.ArgumentParser
    """
    parser.add_argument("--alpha", type=amount, help="row sparsity, relative (default 0.1)")
    parser.add_argument("--beta", type=amount, default=0.01, help="low rank (default 0.01)")
    parser.add_argument("--absolute", action="store_true", help="penalties as the paper has them")
    parser.add_argument(
        "--keep", type=count, metavar="K", help="in place of --alpha: keep about K features"
    )
    parser.add_argument("--solver", choices=("admm", "reweighted"), default="admm")
    add_numerics(parser, tol=1e-3)


def _run(asked: argparse.Namespace) -> int:
    settings = settings_of(asked)
    suffix = None if asked.out is None else suffix_of(asked.out, (".csv", ".npz", *_PICTURES))
    dataset = open_data(asked.data)
    if suffix in _PICTURES and dataset.image_shape is None:
        raise ShellError(f"{dataset.name} holds no pictures to map: write .csv or .npz.")
    alpha, stopped, run_id = 0.1 if asked.alpha is None else asked.alpha, False, None
    model = None
    if asked.keep is not None:
        model, alpha, stopped = _searched(dataset, asked, settings)
    if asked.save and not stopped:
        run_id, details, arrays = _saved(dataset, alpha, asked, settings)
    else:
        if model is None:
            model, stopped = _fitted(dataset, alpha, asked.beta, settings)
        details, arrays = read_model(model)
    values = {"data": described(dataset), "run": run_id, **details}
    values |= {"parameters": {"alpha": alpha, "beta": asked.beta, **settings}}
    values |= {"feature_order": arrays["feature_order"]}
    if asked.json:
        say_json(values)
    else:
        say(f"CSPCA on {dataset.name}: {dataset.n_samples:,} × {dataset.n_features:,}")
        show_fit(values)
    if suffix == ".csv":
        columns = {
            "feature_score": arrays["feature_scores"],
            "dual_score": arrays["dual_scores"],
            "selection_score": arrays["selection_scores"],
        }
        write(asked.out, scores_csv(dataset, arrays["feature_order"], columns))
    elif suffix == ".npz":
        write(asked.out, npz_bytes(arrays | details))
    elif suffix is not None:
        write(asked.out, _map(dataset, arrays["feature_scores"], suffix))
    if stopped:
        note("Stopped by Ctrl-C: this is how far it got. Start it again to finish.")
        return INTERRUPTED
    if not details["converged"]:
        note(
            f"Error: Not certified: the gap is {details['duality_gap']:.1e}, above "
            f"{asked.tol:.1e}; raise --max-iter or --tol."
        )
        return FAILED
    return OK


def _map(dataset: Dataset, scores: Any, suffix: str) -> str | bytes:
    """Draw the importance of every pixel with its scale of colours."""
    from cspca.figures.importance import importance_png, importance_svg

    plane = scores.reshape(dataset.image_shape)
    if suffix == ".png":
        return importance_png(plane)
    return importance_svg(plane, f"Importance of the pixels, {dataset.name}")


def settings_of(asked: argparse.Namespace) -> dict[str, Any]:
    """Return what was asked of a fit beside α and β, as parameters of :class:`cspca.CSPCA`.

    Parameters
    ----------
    asked : argparse.Namespace
        With what :func:`add_fit` adds.

    Raises
    ------
    ShellError
        When wishes contradict each other.
    """
    if asked.keep is not None and (asked.absolute or asked.alpha is not None):
        raise ShellError("--keep finds alpha itself: leave --alpha and --absolute out.")
    return {
        "penalty_scale": "absolute" if asked.absolute else "relative",
        "center": not asked.no_center,
        "normalize": asked.normalize,
        "solver": asked.solver,
        "tol": asked.tol,
        "max_iter": asked.max_iter or 1000,
    }


def fit_as_asked(
    dataset: Dataset, asked: argparse.Namespace, settings: dict[str, Any]
) -> tuple[CSPCA, float, bool]:
    """Fit with a bar.

    Parameters
    ----------
    dataset : Dataset
    asked : argparse.Namespace
        With what :func:`add_fit` adds.
    settings : dict
        From :func:`settings_of`.

    Returns
    -------
    model : CSPCA
    alpha : float
        That was asked for or found.
    stopped : bool
        By Ctrl-C, before it was done.
    """
    if asked.keep is not None:
        return _searched(dataset, asked, settings)
    alpha = 0.1 if asked.alpha is None else asked.alpha
    model, stopped = _fitted(dataset, alpha, asked.beta, settings)
    return model, alpha, stopped


def _fitted(
    dataset: Dataset, alpha: float, beta: float, settings: dict[str, Any]
) -> tuple[CSPCA, bool]:
    from cspca import CSPCA

    model = CSPCA(alpha=alpha, beta=beta, random_state=0, **settings)
    bar = Bar(f"Fitting {dataset.name}")
    with Interrupt("Stopping after this iteration.") as interrupt:
        for iterate in model.iterate(dataset.data):
            bar.show(_closed(iterate.gap, model.tol), f"gap {iterate.gap:.1e}")
            if interrupt.asked:
                break
    bar.close()
    return model, interrupt.asked and not model.converged_


def _searched(
    dataset: Dataset, asked: argparse.Namespace, settings: dict[str, Any]
) -> tuple[CSPCA, float, bool]:
    from cspca.keep import keep_features

    bar = Bar(f"Looking for the alpha that keeps {asked.keep:,} features")
    given = dict(settings)
    with Interrupt("Stopping after this iteration.") as interrupt:
        steps = keep_features(dataset.data, asked.keep, beta=asked.beta, **given)
        for step in steps:
            bar.show(
                _closed(step.iterate.gap, asked.tol),
                f"trial {step.trial}, alpha {step.alpha:.3g}: {step.n_kept:,} kept",
            )
            if interrupt.asked and not step.done:
                steps.close()  # type: ignore[attr-defined]
                break
    bar.close()
    return step.model, float(step.alpha), not step.done


def _saved(
    dataset: Dataset, alpha: float, asked: argparse.Namespace, settings: dict[str, Any]
) -> tuple[str, dict[str, Any], dict[str, Any]]:
    """Fit in the store: what is kept is what is shown."""
    import numpy as np

    from cspca.runs.store import CellState, Store
    from cspca.runs.sweeps import fit_of, fit_sweep, run_sweep, start_sweep

    with Store(asked.home) as store:
        run_id = start_sweep(
            store, fit_sweep(alpha, asked.beta, **settings), dataset, name=asked.name
        )
        bar = Bar(f"Fitting {dataset.name}, kept as {run_id}")
        try:
            run = run_sweep(store, run_id, dataset)
        except KeyboardInterrupt:
            note(f"Nothing of it is kept yet; fit it with: {resuming(store.get(run_id), asked)}")
            raise
        finally:
            bar.close()
        if run.n_failed:
            cells = store.cells(run_id, state=CellState.FAILED)
            raise ShellError(cells[0].error or "The fit failed.", FAILED)
        details, kept = fit_of(store, run_id)
    arrays: dict[str, Any] = dict(kept)
    arrays["feature_order"], scores = arrays.pop("order"), arrays.pop("scores")
    arrays["selection_scores"] = scores
    # Of a zero row the selection score is its dual score − 1.
    arrays["dual_scores"] = np.where(arrays["feature_scores"] > 0.0, 1.0, scores + 1.0)
    return run_id, dict(details), arrays


def read_model(model: CSPCA) -> tuple[dict[str, Any], dict[str, Any]]:
    """Numbers and arrays of a fitted model, as the store keeps them.

    Parameters
    ----------
    model : CSPCA
        Fitted.
    """
    import numpy as np

    names = ("feature_order", "feature_scores", "dual_scores", "selection_scores")
    arrays = {name: np.asarray(getattr(model, f"{name}_")) for name in names}
    arrays["sample_residuals"] = np.asarray(model.sample_residuals_)
    for name in ("number", "seconds", "objective", "dual_bound", "gap"):
        column = [record[name] for record in model.history_]
        arrays[f"history_{name}"] = np.array(column, dtype=np.float64)
    details: dict[str, Any] = {
        name: float(getattr(model, f"{name}_"))
        for name in (
            "objective", "dual_objective", "duality_gap", "alpha", "beta", "alpha_max", "beta_max",
        )
    }  # fmt: skip
    details |= {name: int(getattr(model, f"{name}_")) for name in ("n_iter", "rank")}
    details["n_zero"] = int(np.count_nonzero(arrays["feature_scores"] == 0.0))
    details |= {"regime": str(model.regime_), "converged": bool(model.converged_)}
    return details, arrays


def _closed(gap: float, tol: float) -> float:
    """How much of the way from a gap of 1 to `tol` is done, on a log scale."""
    if not 0.0 < tol < 1.0 or gap <= 0.0:
        return 1.0 if gap <= tol else 0.0
    return min(1.0, max(0.0, math.log(min(gap, 1.0)) / math.log(tol)))
