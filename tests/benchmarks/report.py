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
    cells = f"{before + format(run.cpu, '.2f'):>9}{before + format(run.wall, '.2f'):>9}"
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


def write_html(path: Path, text: str, found: list[Sweep]) -> None:
    """The text above the plot; plotly's script inside, so that the file needs nothing else."""
    figure = ""
    if found:
        import plotly.graph_objects as go

        plot = go.Figure()
        for sweep in found:
            plot.add_scatter(
                x=sweep.work,
                y=sweep.seconds,
                mode="lines+markers",
                name=f"over {sweep.name} (slope {sweep.slope:.2f})",
                text=[f"size {size}" for size in sweep.sizes],
            )
        plot.update_layout(
            title="What does one iteration cost as the data grow?",
            xaxis={"type": "log", "title": "n·d·r + d·r²"},
            yaxis={"type": "log", "title": "CPU seconds of one iteration"},
            template="simple_white",
        )
        figure = plot.to_html(full_html=False, include_plotlyjs=True)
    path.write_text(
        "<!doctype html><html lang='en'><meta charset='utf-8'><title>CSPCA benchmarks</title>"
        f"<body><h1>CSPCA benchmarks</h1>{figure}<pre>{html.escape(text)}</pre></body></html>",
        encoding="utf-8",
    )
