"""Importance drawn on a body: joints sized and coloured, bones coloured, strong distances dashed.

The figure is an SVG, which needs no script; hovering shows the name and the score of a part.
Every text in it is escaped, for names may come from a file.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cspca.figures.style import FONT, IMPORTANCE, NEUTRAL, palette, rgb_to_hex, see_through, to_rgb

Floats = NDArray[np.float64]
Bones = Sequence[tuple[int, int]]

WIDTH: Final = 380
HEIGHT: Final = 380


def body_scores(scores: ArrayLike, n_joints: int) -> tuple[Floats, Floats]:
    """Return the scores of a descriptor by joint (a Frobenius norm) and by pair of joints."""
    values = np.asarray(scores, dtype=np.float64)
    coordinates, between = np.split(values, [3 * n_joints])
    joints: Floats = np.sqrt((coordinates.reshape(n_joints, 3) ** 2).sum(axis=1))
    distances = np.zeros((n_joints, n_joints))
    distances[np.triu_indices(n_joints, k=1)] = between
    return joints, distances + distances.T


def strongest_distances(distances: Floats, bones: Bones, count: int = 6) -> list[tuple[int, int]]:
    """Return the pairs of joints without a bone whose distances score most; none if all tie."""
    first, second = np.triu_indices(len(distances), k=1)
    scores = np.nan_to_num(distances[first, second])
    if not scores.size or np.ptp(scores) <= 1e-9 * scores.max():
        return []
    bone_pairs = {tuple(sorted(bone)) for bone in bones}
    order = np.argsort(-scores, kind="stable")
    pairs = [(int(first[at]), int(second[at])) for at in order if scores[at] > 0]
    return [pair for pair in pairs if pair not in bone_pairs][:count]


def skeleton_svg(
    scores: ArrayLike, joints: Sequence[str], bones: Bones, pose: ArrayLike, *, dark: bool
) -> str:
    """Draw importance on a body seen from the front: an ``<svg>`` with a text alternative."""
    of_joints, distances = body_scores(scores, len(joints))
    body = np.asarray(pose, dtype=np.float64)
    flat = np.stack([body[:, 0], -body[:, 1]], axis=1)
    low, high = flat.min(axis=0), flat.max(axis=0)
    room = np.array([WIDTH - 80.0, HEIGHT - 90.0])
    spans = np.where(high > low, high - low, 1.0)
    at = (flat - (low + high) / 2) * (room / spans).min() + (WIDTH / 2, 20 + room[1] / 2)
    look = palette(dark)
    lines = strongest_distances(distances, bones)
    strokes = [(a, b, 5.5, "", f"{joints[a]} – {joints[b]}, bone") for a, b in bones]
    strokes += [
        (a, b, 1.6, "5 4", f"distance {joints[a]} – {joints[b]}") for a, b in reversed(lines)
    ]
    seen = [distances[a, b] for a, b, *_ in strokes]
    most = float(np.nanmax(of_joints, initial=0.0))
    top = float(np.nan_to_num([most, *seen]).max())
    drawn = [
        f'<line x1="{at[a, 0]:.1f}" y1="{at[a, 1]:.1f}" x2="{at[b, 0]:.1f}" y2="{at[b, 1]:.1f}" '
        f'stroke="{_colour(score, top, see_through(NEUTRAL, 0.4))}" stroke-width="{width:g}" '
        f'stroke-linecap="round" stroke-dasharray="{dashes}">{_titled(name, score)}</line>'
        for score, (a, b, width, dashes, name) in zip(seen, strokes, strict=True)
    ]
    # Small circles last, so that none is hidden.
    order = np.argsort(-np.nan_to_num(of_joints), kind="stable").tolist()
    for joint in order:
        score, (x, y) = of_joints[joint], at[joint]
        radius, edge = (4 + 9 * score / most, look.page) if score > 0 else (4, NEUTRAL)
        drawn.append(
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" '
            f'fill="{_colour(score, top, look.page)}" stroke="{edge}" stroke-width="1.5">'
            f"{_titled(joints[joint], score)}</circle>"
        )
    # The names of the three strongest beside them, on the outer side.
    middle = (at[:, 0].min() + at[:, 0].max()) / 2
    words = []
    for joint in _strongest(of_joints, 3):
        (x, y), name = at[joint], joints[joint]
        side, anchor = (18, "start") if x >= middle else (-18, "end")
        name = name if len(name) <= 18 else f"{name[:17]}…"
        words.append((x + side, anchor, look.ink, y + 4.5, name))
    left, wide, foot, steps = 8.0, 120.0, HEIGHT - 30.0, 30
    drawn += [
        f'<rect x="{left + wide * step / steps:.1f}" y="{foot}" width="{wide / steps + 0.4:.1f}" '
        f'height="8" fill="{rgb_to_hex(IMPORTANCE[round(255 * step / (steps - 1))])}"/>'
        for step in range(steps)
    ]
    words += [
        (left, "start", look.ink, foot - 7, "Score ‖w‖"),
        (left, "start", look.quiet, foot + 22, "0"),
        (left + wide, "end", look.quiet, foot + 22, f"{top:.3g}" if top > 0 else ""),
        (WIDTH - 8, "end", look.ink, foot + 8, "dashed: strongest distances"),
    ]
    drawn += [
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="13" fill="{ink}" text-anchor="{anchor}">'
        f"{escape(text)}</text>"
        for x, anchor, ink, y, text in words
    ]
    alt = escape(skeleton_alt(scores, joints, bones), quote=True)
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{alt}" '
        f"style='display:block;width:100%;max-width:440px;height:auto;margin:0 auto;"
        f'font-family:{FONT}\' xmlns="http://www.w3.org/2000/svg">{"".join(drawn)}</svg>'
    )


def skeleton_alt(scores: ArrayLike, joints: Sequence[str], bones: Bones) -> str:
    """Describe the figure in one sentence: the strongest joint, and the strongest distance."""
    of_joints, distances = body_scores(scores, len(joints))
    head = f"Importance of {len(joints)} joints"
    if np.isnan(of_joints).all():
        return f"{head}: no scores yet."
    zero = int((of_joints == 0).sum())
    if zero == len(joints) and not distances.any():
        return f"{head}: every score is exactly zero."
    parts = []
    if zero < len(joints):
        best = [joints[joint] for joint in _strongest(of_joints, 3)]
        named = f"the strongest by its coordinates: {', '.join(best)}"
        parts.append(named if best else "no joint is the strongest, for they tie")
    if zero:
        parts.append(f"{zero} with coordinates of no use")
    lines = strongest_distances(distances, bones, 1)
    if lines:
        first, second = lines[0]
        parts.append(f"the strongest distance: {joints[first]} – {joints[second]}")
    return f"{head}: {'; '.join(parts)}."


def pose_strip_svg(
    poses: ArrayLike, bones: Bones, *, columns: int, dark: bool, label: str = "Some poses"
) -> str:
    """Draw poses as stick figures in rows, turned by 40° so that steps show."""
    bodies = np.asarray(poses, dtype=np.float64)
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


def _strongest(of_joints: Floats, count: int) -> list[int]:
    """List the `count` strongest joints at most, without those that tie with the next one."""
    scores = np.nan_to_num(of_joints)
    order = np.argsort(-scores, kind="stable")
    chosen = order[:count]
    if len(order) > count:
        left_out = scores[order[count]]
        chosen = chosen[scores[chosen] > left_out * (1 + 1e-9)]
    return [joint for joint in chosen.tolist() if scores[joint] > 0]


def _colour(score: float, top: float, none: str) -> str:
    """Return the colour of a score; an exact zero or NaN gets the colour `none`."""
    return rgb_to_hex(to_rgb(score, IMPORTANCE, 0.0, top)) if score > 0 else none


def _titled(name: str, score: float) -> str:
    score_text = "no score yet"
    if not np.isnan(score):
        score_text = f"{score:.4g}" if score > 0 else "exactly zero"
    return f"<title>{escape(f'{name}: {score_text}')}</title>"
