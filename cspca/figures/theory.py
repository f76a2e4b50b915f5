"""Scenes of the Theory page, made of numbers; `drag.js` draws them.

A scene has panels, each with fixed and moving marks, and a frame for every position of its one or
two knobs. A mark is ``[kind, role, geometry, …]``, with None for the geometry of a moving mark. The
``put`` of a frame is the geometry of all moving marks, in the order of the panels and their marks.
Lengths are in the pixels of a panel's own drawing, of its width and height.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from cspca.figures.pictures import base64_of
from cspca.figures.style import (
    DIVERGING,
    DIVERGING_DARK,
    GREYS,
    IMPORTANCE,
    RGB,
    ZERO,
    rgb_to_hex,
)
from cspca.figures.words import from_optimum, power

Numbers = Mapping[str, Any]
Scene = dict[str, Any]

_LEVELS = np.linspace(0, 255, 63).round().astype(int)
_GREY = ["#000", *(rgb_to_hex(GREYS[i]) for i in _LEVELS)]
_SCORE = [ZERO, *(rgb_to_hex(IMPORTANCE[i]) for i in _LEVELS)]


def _both(light: RGB, dark: RGB) -> list[str]:
    pairs = [(rgb_to_hex(light[i]), rgb_to_hex(dark[i])) for i in _LEVELS]
    return [f"light-dark({on_light}, {on_dark})" for on_light, on_dark in pairs]


_SIGNED = ["var(--st-background-color)", *_both(DIVERGING, DIVERGING_DARK)]

_NAMED = 26
"""Height above a plane for the name of its y axis."""


def _cells(values: ArrayLike, low: float, high: float) -> str:
    """Encode values as base64, one byte a cell: 0 for exact zeros, else levels 1 to 63."""
    array = np.asarray(values, dtype=np.float64).ravel()
    share = np.clip((array - low) / (high - low), 0, 1)
    level = 1 + np.round(62 * share)
    return base64_of(np.where(array == 0, 0, level).astype(np.uint8))


@dataclass(frozen=True)
class _Plane:
    """Data coordinates in a drawing: ranges of both axes, size in pixels, margins for the text."""

    x: tuple[float, float]
    y: tuple[float, float]
    width: float = 320
    height: float = 270
    left: float = 34
    bottom: float = 32
    top: float = 10

    def at(self, x: ArrayLike, y: ArrayLike) -> list[float]:
        """Pixel coordinates of some points: x, y, x, y, …"""
        (a, b), (c, d) = self.x, self.y
        right = self.left + (np.asarray(x, float) - a) / (b - a) * (self.width - self.left - 10)
        room = self.height - self.bottom - self.top
        down = self.top + (d - np.asarray(y, float)) / (d - c) * room
        places = np.stack(np.broadcast_arrays(right, down), axis=-1)
        return [round(float(coordinate), 1) for coordinate in places.ravel()]

    def text(self, look: str, x: float, y: float, words: str) -> list[Any]:
        return ["text", look, [*self.at(x, y), words]]

    def bars(self, places: ArrayLike, values: ArrayLike) -> list[float]:
        """Upright bars, 0.7 of a unit wide: x, y, width, height, x, y, …"""
        base, wide = self.at(0, self.y[0])[1], 0.7 * (self.at(1, 0)[0] - self.at(0, 0)[0])
        corners = np.reshape(self.at(np.asarray(places, float) + 0.15, values), (-1, 2))
        return [round(float(number), 1) for x, y in corners for number in (x, y, wide, base - y)]

    def axes(self, across: str, up: str) -> list[list[Any]]:
        """Both axes with their names; the name of the y axis stands above it."""
        (a, b), (c, d) = self.x, self.y
        return [
            ["line", "quiet", self.at([a, a, b], [d, c, c])],
            ["text", "end small", [self.width - 10, self.height - 4, across]],
            ["text", "start small", [2, self.top - 8, up]],
        ]

    def panel(self, title: str, marks: Sequence[Any], follow: str = "", most: int = 370) -> Scene:
        size = {"width": self.width, "height": self.height, "least": min(260, most), "most": most}
        return {"title": title, "marks": list(marks), "follow": follow, **size}


def _picture(title: str, still: str | None, columns: int, palette: list[str]) -> Scene:
    """A panel with one small picture."""
    marks = [["cells", "face", still, [0, 0, 120, 120], columns, palette]]
    size = {"width": 120, "height": 120, "least": 130, "most": 190}
    return {"title": title, "marks": marks, "follow": "", **size}


def _frame(at: Sequence[float], words: str, put: list[Any], notes: Sequence[str] = ()) -> Scene:
    return {"at": at, "words": words, "put": put, "notes": list(notes)}


def _scene(label: str, knobs: list[Any], panels: list[Scene], frames: list[Scene]) -> Scene:
    names = ("name", "values", "start")
    knob_fields = [dict(zip(names, knob, strict=True)) for knob in knobs]
    scene = {"label": label, "knobs": knob_fields, "panels": panels, "frames": frames}
    return scene | {"key": hashlib.sha256(json.dumps(scene).encode()).hexdigest()}


def rows(n: Numbers) -> Scene:
    """Why ‖·‖₂,₁ selects whole rows."""
    plane = _Plane((0, 2.1), (0, 2.1), top=_NAMED)
    turn = np.linspace(0, np.pi / 2, 33)
    marks = [
        ["area", "ground", plane.at([1, 2.1, 2.1], [0, 0, 1.1])],
        ["area", "ground", plane.at([0, 0, 1.1], [1, 2.1, 2.1])],
        plane.text("end small", 2.05, 0.08, "row 2 = 0"),
        plane.text("middle small", 0.36, 1.72, "row 1 = 0"),
        *plane.axes("length of row 1", "length of row 2"),
        ["line", "ours", plane.at([1, 0], [0, 1])],
        ["line", "other", plane.at(np.cos(turn), np.sin(turn))],
        *(["line", "quiet", None], ["line", "quiet", None]),
        *(["dots", "other", None, 6], ["dots", "ours", None, 6]),
    ]
    kinds = {
        "the target": n["targets"],
        "sum of row lengths": n["by_rows"],
        "sum of weights": n["by_entries"],
        "one length of all": n["by_size"],
    }
    roles = {"sum of row lengths": "ours", "one length of all": "other"}
    table: list[Any] = []
    for i, name in enumerate(kinds):
        top = 8 + 64 * i
        table.append(["text", "start", [20, top + 22, name]])
        if name in roles:
            table.append(["dots", roles[name], [8, top + 18], 6])
        table.append(["cells", "table", None, [150, top, 160, 52], 4, _SIGNED])
        table.append(["dots", "quiet", None, 2.5])
    frames = []
    for i, x in enumerate(n["lengths"]):
        for j, y in enumerate(n["lengths"]):
            weights = {name: array[i, j] for name, array in kinds.items()}
            sparse, ridge = (np.linalg.norm(n[key][i, j], axis=1) for key in ("by_rows", "by_size"))
            put: list[Any] = [
                *(plane.at([x, point[0]], [y, point[1]]) for point in (sparse, ridge)),
                *(plane.at(*point) for point in (ridge, sparse)),
            ]
            for k, W in enumerate(weights.values()):
                row, column = np.nonzero(W == 0)
                centres = np.column_stack([170 + 40 * column, 21 + 64 * k + 26 * row])
                put += [_cells(W, -1.4, 1.4), centres.ravel().tolist()]
            off = [f"row {k + 1}" for k in (0, 1) if sparse[k] == 0]
            off_text = f"{' and '.join(off)} {'are' if len(off) > 1 else 'is'} zero as a whole"
            single = int((n["by_entries"][i, j] == 0).sum())
            size = int((n["by_size"][i, j] == 0).sum())
            frames.append(
                _frame(
                    plane.at(x, y),
                    f"Sum of row lengths, ‖W‖₂,₁: {off_text if off else 'no row is zero yet'}. "
                    f"Sum of weights, ‖W‖₁: {single} of 8 single weights are zero. "
                    f"One length of all, as in ridge regression: {size or 'none'} are zero.",
                    put,
                )
            )
    values = [f"{length:.2f}" for length in n["lengths"]]
    knobs = [("Length of row 1", values, 13), ("Length of row 2", values, 4)]
    left = plane.panel("The nearest W inside the ball: a diamond, and a circle", marks, "xy")
    right = _Plane((0, 1), (0, 1)).panel("The weights: a dot is an exact zero", table)
    return _scene("Two rows of W", knobs, [left, right], frames)


def regression(n: Numbers) -> Scene:
    """Theorem 1 for any Q and β: the correct form and the printed one."""
    shown, images, errors, best = n["shown"], n["images"], n["errors"], float(n["pca_error"])
    plane = _Plane((0, n["sizes"][-1]), (0, n["turns"][-1]), 120, 120, 12, 22, _NAMED)
    pad = plane.panel("Drag B and Q", plane.axes("B", "Q"), "xy", most=190) | {"least": 130}
    side = 16
    panels = [
        pad,
        _picture("PCA, rank 5", _cells(n["pca"][shown] + n["mean"], 0, 1), side, _GREY),
        _picture("Theorem 1", None, side, _GREY),
        _picture("As printed", None, side, _GREY),
    ]
    frames = []
    for j, size in enumerate(n["sizes"]):
        for i, turn in enumerate(n["turns"]):
            true, printed = (float(error) for error in errors[i, j])
            words = (
                "With B, the paper’s β, in directions that no image has, the images are PCA’s "
                f"to within {power(n['apart'][i, j])}, whatever B and Q are. With B in all that U₁ "
                f"leaves out, as printed, the error is {printed / best:.2f} times PCA’s."
            )
            notes = ["", *(f"error {error:.3f}" for error in (best, true, printed))]
            put = [_cells(image, 0, 1) for image in images[i, j]]
            frames.append(_frame(plane.at(size, turn), words, put, notes))
    lengths, angles = [f"{size:g}" for size in n["sizes"]], [f"{turn:.1f}" for turn in n["turns"]]
    knobs = [("Length of B", lengths, 6), ("Turn of Q", angles, 2)]
    return _scene("Theorem 1", knobs, panels, frames)


def outlier(n: Numbers) -> Scene:
    """One image is dragged away: PCA's axis turns soon, CSPCA's only far out."""
    edge = 1.08 * float(n["up"][-1])
    plane = _Plane((-edge, edge), (-edge, edge), 400, 400, 10, 10)
    turn = np.linspace(0, 2 * np.pi, 65)
    circle = 0.86 * edge * np.column_stack([np.cos(turn), np.sin(turn)])
    marks = [
        ["line", "quiet", plane.at([-edge, edge], [0, 0])],
        ["line", "quiet", plane.at([0, 0], [-edge, edge])],
        ["dots", "quiet", plane.at(*n["cloud"].T), 4],
        *(["line", "other", None], ["line", "ours", None]),
        ["line", "other", [18, 24, 42, 24]],
        ["text", "start", [48, 29, "PCA"]],
        ["line", "ours", [18, 46, 42, 46]],
        ["text", "start", [48, 51, "CSPCA"]],
    ]
    frames = []
    for i, x in enumerate(n["across"]):
        for j, y in enumerate(n["up"]):
            mean = np.vstack([n["cloud"], [x, y]]).mean(axis=0)
            put = [plane.at(*(mean + circle @ n[name][i, j]).T) for name in ("pca", "cspca_map")]
            frames.append(_frame(plane.at(x, y), _of_outlier(n, i, j), put))
    title = "20 images of two pixels, and one to drag: what a circle becomes"
    panel = plane.panel(title, marks, "xy", most=500)
    knobs = [
        (f"Pixel {k + 1}", [f"{position:g}" for position in n[name]], list(n[name]).index(start))
        for k, (name, start) in enumerate({"across": 4, "up": 4}.items())
    ]
    return _scene("One image far away", knobs, [panel], frames)


def _of_outlier(n: Numbers, i: int, j: int) -> str:
    """Describe what one image at its position does to both axes, and why."""
    pca, cspca = n["turned"][i, j]
    error, influence = float(n["error"][i, j]), float(n["influence"][i, j])
    head = f"One image at ({n['across'][i]:g}, {n['up'][j]:g}), of influence {influence:.2f},"
    if n["rank"][i, j] > 1:
        return (
            f"{head} turns PCA’s axis by {pca:.0f}°. CSPCA keeps both directions: "
            f"{_rebuilt(error)} It pulls with its own length times a factor of at most 1, ‖λ‖ ≤ 1: "
            "the factor is bounded, its length is not."
        )
    turned = f"{head} turns PCA’s axis by {pca:.0f}° and CSPCA’s by {cspca:.0f}°: {_rebuilt(error)}"
    if error < 0.05 and cspca > 45:
        return (
            f"{turned} The axis is its own. β is a share of β_max, which the image has raised with "
            "its norm, so that the direction of the others is no longer worth its price."
        )
    return f"{turned} An error counts by its length here, and by its square in PCA."


def _rebuilt(error: float) -> str:
    """Describe how much of the image is rebuilt."""
    if error < 5e-4:
        return "the image is rebuilt to within 0.05 %."
    if error < 0.05:
        return f"the image is rebuilt but for {100 * error:.1f} %."
    return f"{100 * error:.0f} % of the image are not rebuilt."


def gap(n: Numbers) -> Scene:
    """Objective and bound close in on each other."""
    objective, bound, gaps = n["objective"], n["bound"], n["gap"]
    count = np.arange(len(objective))
    plane = _Plane((0, len(count) - 1), (0, 1.06 * objective[0]), 400, 250)
    marks = [
        *plane.axes("iterations", ""),
        ["area", "gap", None],
        *(["line", "dashed", None], ["line", "ours", None]),
        *(["text", "start", None], ["text", "start", None]),
        *(plane.text("end small", -0.2, y, f"{y:g}") for y in (0, 50, 100)),
    ]
    frames = []
    for i in count:
        there = count[: i + 1]
        upper, lower = plane.at(there, objective[: i + 1]), plane.at(there, bound[: i + 1])
        back = plane.at(there[::-1], bound[: i + 1][::-1])
        right = min(i + 0.4, len(count) - 8)
        put: list[Any] = [
            *(upper + back, lower, upper),
            [*plane.at(right, objective[i] + 6), f"objective {objective[i]:.2f}"],
            [*plane.at(right, bound[i] - 9 if bound[i] > 15 else 3), f"lower bound {bound[i]:.2f}"],
        ]
        words = (
            f"After {i} iterations the best map has {objective[i]:.2f}, and no map at all is below "
            f"{bound[i]:.2f}. Proven: {from_optimum(gaps[i])}."
        )
        frames.append(_frame(plane.at(i, objective[i]), words, put))
    panel = plane.panel("The gap between objective and lower bound", marks, "x", most=540)
    knobs = [("Iterations", [str(i) for i in count], 4)]
    return _scene("A certificate", knobs, [panel], frames)


def rank(n: Numbers) -> Scene:
    """Singular values shrink as β grows, and the rank falls."""
    first, side = 16, len(n["face"])
    before, after, betas = n["before"][:first], n["after"][:, :first], n["betas"]
    plane, places = _Plane((0, first), (0, before[0])), np.arange(first)

    marks = [
        *plane.axes("the first 16 of 24", ""),
        *(plane.text("end small", -0.15, y, f"{y:g}") for y in (0, 1, 2, 3)),
        ["bars", "ground", plane.bars(places, before)],
        ["bars", "ours", None],
        *(["line", "dashed", None], ["text", "end", None]),
    ]
    frames = []
    for i, beta in enumerate(betas):
        left, new_rank = n["shrunk"][i], int(n["ranks"][i])
        line = plane.at([0, first], [beta, beta])
        put = [
            *(
                plane.bars(places, after[i]),
                line,
                [plane.width - 26, line[1] - 8, f"β = {beta:.3f}"],
            ),
            _cells(left + n["mean"], 0, 1),
        ]
        words = (
            f"Every singular value loses β = {beta:.3f}, and what is below it becomes exactly "
            f"zero: rank {new_rank} of {side}. A squared norm would shorten all of them and remove "
            "none."
        )
        frames.append(_frame(line[2:], words, put, ["", "", f"rank {new_rank}"]))
    panels = [
        plane.panel("Singular values of a face as a matrix", marks, "y"),
        _picture("The face", _cells(n["face"], 0, 1), side, _GREY),
        _picture("What is left", None, side, _GREY),
    ]
    knobs = [("β", [f"{beta:.3f}" for beta in betas], 11)]
    return _scene("Singular values", knobs, panels, frames)


def regimes(n: Numbers) -> Scene:
    """The regimes along α = β, from W = I to W = 0."""
    penalties, fits, used = n["penalties"], n["fits"], n["used"]
    across, side = np.log10(penalties), 8
    plane = _Plane((across[0], across[-1]), (0, 1.25 * side**2), 400, 250)
    half = (across[1] - across[0]) / 2
    marks: list[Any] = []
    for i, (name, run) in enumerate(groupby(range(len(fits)), lambda k: fits[k].regime)):
        fit_indices = list(run)
        low = max(across[fit_indices[0]] - half, across[0])
        high = min(across[fit_indices[-1]] + half, across[-1])
        if i % 2 == 0:
            marks.append(["area", "ground", plane.at([low, high, high, low], [0, 0, 80, 80])])
        marks.append(plane.text("middle small", (low + high) / 2, 74, name))
    marks += [
        *plane.axes("α = β, as shares of their maxima", ""),
        *(plane.text("middle small", x, -6, power(10.0**x)) for x in (-6, -4)),
        *(plane.text("end small", across[0] - 0.05, y, str(y)) for y in (0, 32, 64)),
        ["line", "ours", plane.at(across, used)],
    ]
    meaning = {
        "identity": "every pixel rebuilds itself: W = I is the optimum, and all that vary tie.",
        "reproduced": "every face is rebuilt exactly: for a given α/β the map depends on the span "
        "of the faces alone, not on how they vary within it. The scale of a pixel does count.",
        "dense": "no pixel is zero, but they share the work: no choice is made yet.",
        "sparse": "rows of exact zeros: the others rebuild these pixels too.",
        "zero": "nothing is worth its penalty: W = 0, within the proven gap of the optimum.",
    }
    frames = []
    for i, fit in enumerate(fits):
        scores = fit.feature_scores
        words = (
            f"{fit.regime.capitalize()}: {meaning[fit.regime]} Of the {n['varying']} pixels that "
            f"vary, {used[i]} are in use; the rank is {fit.rank}."
        )
        put = [_cells(scores, 0, max(float(scores.max()), 1e-300))]
        frames.append(_frame(plane.at(across[i], used[i]), words, put))
    panels = [
        plane.panel("Pixels in use", marks, "x", most=500),
        _picture("Importance of the pixels", None, side, _SCORE),
    ]
    knobs = [("α = β", [power(penalty) for penalty in penalties], 17)]
    return _scene("The regimes", knobs, panels, frames)


def signal(n: Numbers) -> Scene:
    """Importance of noise columns and of columns that share factors, as β grows."""
    betas, scores, n_signal = n["betas"], n["scores"], n["n_signal"]
    size = scores.shape[1]
    n_noise, places, top = size - n_signal, np.arange(size), 1.15 * float(scores.max())
    along = _Plane((0, betas[-1]), (0, top), 400, top=_NAMED)
    marks = [
        *along.axes("β, as a share of its maximum", "importance"),
        *(along.text("middle small", x, -0.07 * top, f"{x:g}") for x in (0.1, 0.2)),
        *(along.text("end small", -0.003, y, f"{y:g}") for y in (0, 0.5, 1)),
        *(["line", "ours", along.at(betas, column)] for column in scores[:, :n_signal].T),
        *(["line", "other", along.at(betas, column)] for column in scores[:, n_signal:].T),
        ["line", "dashed", None],
    ]
    ordered = _Plane((0, size), (0, top), top=_NAMED)
    table = [
        *ordered.axes("columns, best first", "importance"),
        *(["bars", "ours", [190, 20, 12, 12]], ["text", "start", [208, 31, "share factors"]]),
        *(["bars", "other", [190, 42, 12, 12]], ["text", "start", [208, 53, "noise"]]),
        *(["bars", "ours", None], ["bars", "other", None]),
    ]
    frames = []
    for beta, row in zip(betas, scores, strict=True):
        order = np.argsort(-row, kind="stable")
        is_noise = order >= n_signal
        noise_first = int(is_noise[:n_noise].sum())
        if noise_first == n_noise:
            words = (
                f"β = {beta:.2f}: all noise stands before every column that shares factors. Noise "
                "can be rebuilt from itself only; columns that share factors rebuild each other."
            )
        elif noise_first == 0:
            words = (
                f"β = {beta:.2f}: all noise stands behind every column that shares factors. A "
                "direction of noise helps one column, and costs as much as one that helps "
                f"{n_signal}."
            )
        else:
            words = (
                f"β = {beta:.2f}: {noise_first} of the first {n_noise} are noise. All {size} "
                "columns have the same variance: importance says how much the map uses a column, "
                "for itself and for others, and that depends on β."
            )
        put = [
            along.at([beta, beta], [0, top]),
            ordered.bars(places[~is_noise], row[order[~is_noise]]),
            ordered.bars(places[is_noise], row[order[is_noise]]),
        ]
        frames.append(_frame(along.at(beta, row[n_signal:].mean()), words, put))
    panels = [
        along.panel(f"Importance of {size} columns of equal variance", marks, "x", most=500),
        ordered.panel("In order of importance", table),
    ]
    knobs = [("β", [f"{beta:.2f}" for beta in betas], 0)]
    return _scene("Signal and noise", knobs, panels, frames)


def copies(n: Numbers) -> Scene:
    """The best pixel is copied: each copy has less importance, all together have more."""
    counts, scores, best = n["counts"], n["scores"], n["best"]
    n_pixels = len(scores[0])
    of_pixel = [np.append(best, np.arange(n_pixels, len(row))) for row in scores]
    each = [float(row[at].mean()) for row, at in zip(scores, of_pixel, strict=True)]
    together = counts * each
    top, high = 1.3 * float(scores[0].max()), 1.15 * float(together[-1])
    ordered = _Plane((0, len(scores[-1])), (0, top), 400, top=_NAMED)
    table = [
        *ordered.axes("pixels, best first", "importance"),
        *(ordered.text("end small", -0.2, y, f"{y:g}") for y in (0, 0.5)),
        ["bars", "other", [170, 20, 12, 12]],
        ["text", "start", [188, 31, "the pixel and its copies"]],
        *(["bars", "ours", None], ["bars", "other", None]),
    ]
    by_count = _Plane((0.6, counts[-1] + 0.4), (0, high), top=_NAMED)
    marks = [
        *by_count.axes("times that the pixel is there", "importance"),
        *(by_count.text("middle small", k, -0.07 * high, f"{k}") for k in counts),
        *(by_count.text("end small", 0.57, y, f"{y:g}") for y in (0, 1)),
        *(["line", "dashed", by_count.at(counts, together)], ["dots", "other", None, 5]),
        ["line", "other", by_count.at(counts, each)],
        by_count.text("end", counts[-1] + 0.35, together[-1] - 0.22 * high, "all together"),
        by_count.text("end", counts[-1] + 0.35, each[-1] + 0.09 * high, "each of them"),
    ]
    frames = []
    for count, row, at, single, total in zip(
        counts.tolist(), scores, of_pixel, each, together, strict=True
    ):
        order = np.argsort(-row, kind="stable")
        is_copy = np.isin(order, at)
        places = np.arange(len(row))
        first, last = 1 + places[is_copy][[0, -1]]
        if count == 1:
            words = (
                f"The pixel once: place {first} of {len(row)}, importance {single:.2f}. The map "
                "uses no other pixel as much."
            )
        else:
            between = "and" if count == 2 else "to"
            words = (
                f"The pixel {count} times: each has {single:.2f}, which are places {first} "
                f"{between} {last} of {len(row)}; together they have {total:.2f}. The copies "
                "share what the map uses them for."
            )
        put = [
            ordered.bars(places[~is_copy], row[order[~is_copy]]),
            ordered.bars(places[is_copy], row[order[is_copy]]),
            by_count.at(count, total),
        ]
        frames.append(_frame(by_count.at(count, single), words, put))
    panels = [
        ordered.panel("In order of importance", table, most=500),
        by_count.panel("The pixel and its copies", marks, "x"),
    ]
    knobs = [("The pixel is there", ["once", "twice", "3 times", "4 times"], 0)]
    return _scene("A pixel copied", knobs, panels, frames)
