"""What was measured, as text and as one self-contained HTML file with the cost curves."""

import html
from pathlib import Path

from tests.benchmarks.measure import Run
from tests.benchmarks.one_case import Result, median
from tests.benchmarks.scaling import Sweep

HEAD = f"  {'':<37}{'CPU s':>9}{'wall s':>9}{'iterations':>12}{'objective':>14}{'gap':>10}"


def line(name: str, run: Run, note: str = "") -> str:
    """One row of a table; > marks a run that was stopped before it got there."""
    before = "" if run.reached else ">"
    gap = "—" if run.gap is None else f"{run.gap:.1e}"
    digits = ".2f" if run.cpu >= 0.1 else ".4f"
    cells = f"{before + format(run.cpu, digits):>9}{before + format(run.wall, digits):>9}"
    return (
        f"  {name:<37}{cells}{run.iterations:>12d}{run.objective:>14.6g}{gap:>10}  {note}".rstrip()
    )


def demands(found: dict[str, bool]) -> list[str]:
    """One line for each."""
    return [f"  {'met   ' if met else 'MISSED'}  {demand}" for demand, met in found.items()]


def case_text(result: Result) -> str:
    """The table of one case, where its seconds go, and what was demanded."""
    n, d = result.shape
    lines = [
        f"\n{result.name}: {n} × {d}, α = {result.alpha:.4g}, β = {result.beta:.4g}"
        + ("" if result.megabytes is None else f", {result.megabytes:.0f} MB above the data"),
        HEAD,
    ]
    lines += [line(f"CSPCA to {gap}", median(runs)) for gap, runs in result.ours.items()]
    best = min(run.objective for runs in result.ours.values() for run in runs)
    for count in (10, 20):
        runs = [run for run in result.printed if run.iterations == count]
        if runs:
            run = median(runs)
            above = f"{100 * (run.objective / best - 1):.2f} % above ours"
            lines.append(line(f"Algorithm 1 as printed, {count}", run, above))
    if result.best_form is not None:
        lines.append(_rival("Algorithm 1, best form, within 1e-3", result.best_form))
    for run in (*result.peers, result.conic):
        if run is not None:
            lines.append(_rival(f"{run.name}, within 1e-3", run))
    if result.shares:
        parts = [f"{part} {share:.0%}" for part, share in result.shares.items()]
        lines.append(f"  To 1e-3 the seconds go into: {', '.join(parts)}")
    return "\n".join(lines + demands(result.demands))


def _rival(name: str, run: Run) -> str:
    notes = [] if run.name in name else [run.name]
    if not run.reached:
        notes.append("not there in this time")
    elif run.stopped is not None:
        certified = run.certified is not None
        seconds = f"{run.certified:.2f} s" if certified else f"more than {run.stopped:.2f} s"
        notes.append(f"certified by its own duals after {seconds}")
    return line(name, run, "; ".join(notes))


def sweep_lines(found: list[Sweep]) -> list[str]:
    """Times along each axis of size."""
    lines = ["Cost of one iteration against size (CPU ms)"]
    for sweep in found:
        pairs = ", ".join(
            f"{size}: {1000 * value:.1f}"
            for size, value in zip(sweep.sizes, sweep.seconds, strict=True)
        )
        lines.append(
            f"  over {sweep.name}: {pairs}; slope {sweep.slope:.2f}, where "
            f"n·d·r + d·r² has {sweep.allowed:.2f}"
        )
        lines += demands({f"no worse than n·d·r + d·r² over {sweep.name}": sweep.met})
    return lines


def cost_figure(found: list[Sweep]):
    """One panel for each axis: what was measured, its fit, and what n·d·r or d·r² allows."""
    import numpy as np
    from plotly.subplots import make_subplots

    plot = make_subplots(
        cols=len(found),
        subplot_titles=[
            f"over {sweep.name}<br>"
            f"<sup>exponent {sweep.slope:.2f}, allowed {sweep.allowed:.2f}</sup>"
            for sweep in found
        ],
    )
    for column, sweep in enumerate(found, start=1):
        sizes, seconds = np.array(sweep.sizes, float), np.array(sweep.seconds)
        middle = np.exp(np.log(sizes).mean()), np.exp(np.log(seconds).mean())
        fit, allowed = (
            middle[1] * (sizes / middle[0]) ** slope for slope in (sweep.slope, sweep.allowed)
        )
        for name, values, look in (
            ("measured", seconds, {"mode": "markers", "marker": {"color": "#0072B2", "size": 9}}),
            ("fitted", fit, {"mode": "lines", "line": {"color": "#0072B2"}}),
            ("allowed", allowed, {"mode": "lines", "line": {"color": "#888", "dash": "dash"}}),
        ):
            plot.add_scatter(
                x=sizes, y=1000 * values, name=name, legendgroup=name, showlegend=column == 1,
                row=1, col=column, **look,
            )  # fmt: skip
        plot.update_xaxes(type="log", title=sweep.name, tickvals=sweep.sizes, row=1, col=column)
        plot.update_yaxes(type="log", title="CPU ms of one iteration", row=1, col=column)
    plot.update_layout(
        title="What does one iteration cost as the data grow?", template="simple_white",
        margin={"t": 110},
    )  # fmt: skip
    return plot


def write_html(path: Path, text: str, found: list[Sweep]) -> None:
    """The text below the plot; plotly's script inside, so that the file needs nothing else."""
    figure = cost_figure(found).to_html(full_html=False, include_plotlyjs=True) if found else ""
    path.write_text(
        "<!doctype html><html lang='en'><meta charset='utf-8'><title>CSPCA benchmarks</title>"
        "<style>body{font-family:system-ui,sans-serif;margin:2rem}pre{overflow-x:auto}</style>"
        f"<body><h1>CSPCA benchmarks</h1>{figure}<pre>{html.escape(text)}</pre></body></html>",
        encoding="utf-8",
    )
