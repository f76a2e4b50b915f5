"""Importance drawn on a body: joints sized and coloured, bones coloured, strong distances dashed.

The figure is an SVG of its own, so it needs no script; hovering says a part's name and score.
Every text in it is escaped, for names may come from a file.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cspca.figures.colours import IMPORTANCE, NEUTRAL, rgb_to_hex, to_rgb
from cspca.figures.style import FONT, palette, see_through

Floats = NDArray[np.float64]
Bones = Sequence[tuple[int, int]]

N_LINES: Final = 6
"""Distances that are drawn beside the bones."""

WIDTH: Final = 380
HEIGHT: Final = 380
_WIDEST: Final = 440
_TOP, _FOOT, _SIDE = 20.0, 70.0, 40.0
_SMALLEST, _LARGEST = 4.0, 13.0


class BodyScores(NamedTuple):
    """Scores of a pose descriptor: by joint (J,), and by pair of joints (J, J), symmetric."""

    joints: Floats
    distances: Floats


def body_scores(scores: ArrayLike, n_joints: int) -> BodyScores:
    """Collect the scores of a descriptor by joint (a Frobenius norm) and by pair of joints."""
    values = np.asarray(scores, dtype=np.float64)
    expected = 3 * n_joints + n_joints * (n_joints - 1) // 2
    if values.shape != (expected,):
        raise ValueError(
            f"The scores have shape {values.shape}; a pose of {n_joints} joints has {expected} "
            "features, give one score each."
        )
    joints: Floats = np.sqrt((values[: 3 * n_joints].reshape(n_joints, 3) ** 2).sum(axis=1))
    distances = np.zeros((n_joints, n_joints))
    distances[np.triu_indices(n_joints, k=1)] = values[3 * n_joints :]
    return BodyScores(joints, distances + distances.T)


def strongest_distances(
    distances: Floats, bones: Bones, count: int = N_LINES
) -> list[tuple[int, int]]:
    """Return the pairs of joints, no bones, whose distances score most; none where all tie."""
    first, second = np.triu_indices(len(distances), k=1)
    scores = np.nan_to_num(distances[first, second])
    if not scores.size or np.ptp(scores) <= 1e-9 * scores.max():
        return []
    known = {tuple(sorted(bone)) for bone in bones}
    order = np.argsort(-scores, kind="stable")
    pairs = [(int(first[at]), int(second[at])) for at in order if scores[at] > 0]
    return [pair for pair in pairs if pair not in known][:count]


def skeleton_svg(
    scores: ArrayLike,
    joints: Sequence[str],
    bones: Bones,
    pose: ArrayLike,
    *,
    dark: bool,
) -> str:
    """Draw importance on a body seen from the front, an ``<svg>`` with its alternative."""
    found = body_scores(scores, len(joints))
    at = _on_paper(pose, len(joints))
    look = palette(dark)
    rest = see_through(NEUTRAL, 0.4)
    lines = strongest_distances(found.distances, bones)
    most_joint = float(np.nanmax(found.joints, initial=0.0))
    pairs = [*(tuple(sorted(bone)) for bone in bones), *lines]
    most_line = max((_score(found.distances[pair]) for pair in pairs), default=0.0)
    top = max(most_joint, most_line)
    drawn = [
        _line(at[a], at[b], _colour(found.distances[a, b], top, rest), 5.5, "",
              _said(f"{joints[a]} – {joints[b]}, bone", found.distances[a, b]))
        for a, b in bones
    ]  # fmt: skip
    drawn += [
        _line(at[a], at[b], _colour(found.distances[a, b], top, rest), 1.6, "5 4",
              _said(f"distance {joints[a]} – {joints[b]}", found.distances[a, b]))
        for a, b in reversed(lines)
    ]  # fmt: skip
    # Small ones last, so that none is hidden.
    for joint in np.argsort(-np.nan_to_num(found.joints), kind="stable").tolist():
        score = _score(found.joints[joint])
        share = score / most_joint if most_joint > 0 else 0.0
        radius = _SMALLEST + (_LARGEST - _SMALLEST) * share if score > 0 else _SMALLEST
        fill = _colour(score, top, look.page)
        edge = look.page if score > 0 else NEUTRAL
        drawn.append(
            f'<circle cx="{at[joint, 0]:.1f}" cy="{at[joint, 1]:.1f}" r="{radius:.1f}" '
            f'fill="{fill}" stroke="{edge}" stroke-width="1.5">'
            f"<title>{escape(_said(joints[joint], found.joints[joint]))}</title></circle>"
        )
    drawn += _names(found, joints, at, look.ink)
    drawn += _legend(top, look.ink, look.quiet)
    alt = escape(skeleton_alt(scores, joints, bones), quote=True)
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{alt}" '
        f"style='display:block;width:100%;max-width:{_WIDEST}px;height:auto;margin:0 auto;"
        f'font-family:{FONT}\' xmlns="http://www.w3.org/2000/svg">{"".join(drawn)}</svg>'
    )


def skeleton_alt(scores: ArrayLike, joints: Sequence[str], bones: Bones) -> str:
    """Describe the figure in one sentence: the strongest joint, and the strongest distance."""
    found = body_scores(scores, len(joints))
    head = f"Importance of {len(joints)} joints"
    if np.isnan(found.joints).all():
        return f"{head}: no scores yet."
    zero = int((found.joints == 0).sum())
    if zero == len(joints) and not found.distances.any():
        return f"{head}: every score is exactly zero."
    parts = []
    if zero < len(joints):
        order = np.argsort(-np.nan_to_num(found.joints), kind="stable")
        best = [joints[joint] for joint in order[:3].tolist() if found.joints[joint] > 0]
        parts.append(f"the strongest by its coordinates: {', '.join(best)}")
    if zero:
        parts.append(f"{zero} with coordinates of no use")
    lines = strongest_distances(found.distances, bones, 1)
    if lines:
        first, second = lines[0]
        parts.append(f"the strongest distance: {joints[first]} – {joints[second]}")
    return f"{head}: {'; '.join(parts)}."


def pose_strip_svg(
    poses: ArrayLike, bones: Bones, *, columns: int, dark: bool, label: str = "Some poses"
) -> str:
    """Draw poses as stick figures in rows, half turned so that steps are seen."""
    bodies = np.asarray(poses, dtype=np.float64)
    if bodies.ndim != 3 or bodies.shape[2] != 3 or not len(bodies) or columns < 1:
        raise ValueError(
            f"The poses have shape {bodies.shape} in {columns} columns; give (n, joints, 3) and at "
            "least one column."
        )
    columns = min(columns, len(bodies))
    angle = np.deg2rad(40)
    flat = np.stack(
        [bodies[..., 0] * np.cos(angle) + bodies[..., 2] * np.sin(angle), -bodies[..., 1]], axis=-1
    )
    low, high = flat.min(axis=1, keepdims=True), flat.max(axis=1, keepdims=True)
    # One scale for all: a person is as tall in every picture.
    size = float((high - low).max()) or 1.0
    flat = (flat - (low + high) / 2) / size
    wide, tall = 34, 44
    colour = palette(dark).ink
    paths = []
    for number, body in enumerate(flat):
        row, column = divmod(number, columns)
        at = body * 38 + (wide * (column + 0.5), tall * (row + 0.5))
        steps = "".join(
            f"M{at[a, 0]:.1f} {at[a, 1]:.1f}L{at[b, 0]:.1f} {at[b, 1]:.1f}" for a, b in bones
        )
        paths.append(f'<path d="{steps}"/>')
    rows = -(-len(bodies) // columns)
    return (
        f'<svg viewBox="0 0 {wide * columns} {tall * rows}" role="img" '
        f'aria-label="{escape(label, quote=True)}" style="display:block;width:100%;height:auto" '
        f'fill="none" stroke="{colour}" stroke-width="1.6" stroke-linecap="round" '
        f'xmlns="http://www.w3.org/2000/svg">{"".join(paths)}</svg>'
    )


def _score(value: float) -> float:
    return float(np.nan_to_num(value))


def _colour(value: float, top: float, none: str) -> str:
    """Colour a score; an exact zero, or none, gets the colour of what is not used."""
    if not _score(value) > 0 or top <= 0:
        return none
    return rgb_to_hex(to_rgb(value, IMPORTANCE, 0.0, top))


def _said(name: str, score: float) -> str:
    if np.isnan(score):
        return f"{name}: no score yet"
    return f"{name}: {score:.4g}" if score > 0 else f"{name}: exactly zero"


def _line(start: Floats, end: Floats, colour: str, width: float, dashes: str, title: str) -> str:
    dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
    return (
        f'<line x1="{start[0]:.1f}" y1="{start[1]:.1f}" x2="{end[0]:.1f}" y2="{end[1]:.1f}" '
        f'stroke="{colour}" stroke-width="{width:g}" stroke-linecap="round"{dashed}>'
        f"<title>{escape(title)}</title></line>"
    )


def _on_paper(pose: ArrayLike, n_joints: int) -> Floats:
    """Return where the joints are drawn, (J, 2), in units of the SVG."""
    body = np.asarray(pose, dtype=np.float64)
    if body.shape != (n_joints, 3):
        raise ValueError(
            f"The pose has shape {body.shape} for {n_joints} joints; give three coordinates each."
        )
    flat = np.stack([body[:, 0], -body[:, 1]], axis=1)
    low, high = flat.min(axis=0), flat.max(axis=0)
    room = np.array([WIDTH - 2 * _SIDE, HEIGHT - _TOP - _FOOT])
    spans = np.where(high > low, high - low, 1.0)
    middle = np.array([WIDTH / 2, _TOP + room[1] / 2])
    placed: Floats = (flat - (low + high) / 2) * (room / spans).min() + middle
    return placed


def _names(found: BodyScores, joints: Sequence[str], at: Floats, ink: str) -> list[str]:
    """Write the names of the three strongest joints beside them, on the outer side."""
    middle = (at[:, 0].min() + at[:, 0].max()) / 2
    written = []
    for joint in np.argsort(-np.nan_to_num(found.joints), kind="stable")[:3].tolist():
        if not _score(found.joints[joint]) > 0:
            continue
        outwards = 1 if at[joint, 0] >= middle else -1
        name = joints[joint] if len(joints[joint]) <= 18 else f"{joints[joint][:17]}…"
        written.append(
            f'<text x="{at[joint, 0] + outwards * 18:.1f}" y="{at[joint, 1] + 4.5:.1f}" '
            f'font-size="14" fill="{ink}" text-anchor="{"start" if outwards > 0 else "end"}">'
            f"{escape(name)}</text>"
        )
    return written


def _legend(top: float, ink: str, quiet: str) -> list[str]:
    """Draw the scale of colours and what the lines mean."""
    left, wide, y = 8.0, 120.0, HEIGHT - 30.0
    steps = 30
    bar = [
        f'<rect x="{left + wide * step / steps:.1f}" y="{y}" width="{wide / steps + 0.4:.1f}" '
        f'height="8" fill="{rgb_to_hex(IMPORTANCE[round(255 * step / (steps - 1))])}"/>'
        for step in range(steps)
    ]
    most = f"{top:.3g}" if top > 0 else ""
    words = [
        (left, y - 7, "start", ink, "Score ‖w‖"),
        (left, y + 22, "start", quiet, "0"),
        (left + wide, y + 22, "end", quiet, most),
        (WIDTH - 8, y + 8, "end", ink, "dashed: strongest distances"),
    ]
    return bar + [
        f'<text x="{x:.1f}" y="{down:.1f}" font-size="13" fill="{colour}" '
        f'text-anchor="{anchor}">{word}</text>'
        for x, down, anchor, colour, word in words
    ]
