"""Importance on a body: known sums, what is drawn, and what is said of it."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import numpy as np

from cspca.datasets import make_motion
from cspca.figures.skeleton import (
    body_scores,
    pose_strip_svg,
    skeleton_alt,
    skeleton_svg,
    strongest_distances,
)
from cspca.figures.style import IMPORTANCE, rgb_to_hex

SVG = "{http://www.w3.org/2000/svg}"
JOINTS = ("hip", "knee", "foot")
BONES = ((0, 1), (1, 2))
POSE = ((0, 2, 0), (0.2, 1, 0), (0, 0, 0))
#          hip        knee       foot       h-k  h-f  k-f
SCORES = (0, 0, 0, 3, 4, 0, 1, 2, 2, 0.0, 2.5, 0.5)


def drawn(scores=SCORES, **options):
    options = {"dark": False} | options
    return ET.fromstring(skeleton_svg(scores, JOINTS, BONES, POSE, **options))


def titled(root, tag):
    return {one.find(f"{SVG}title").text: one for one in root.iter(f"{SVG}{tag}")}


def test_three_coordinates_make_a_joint_by_the_root_of_squares() -> None:
    joints, distances = body_scores(SCORES, 3)
    assert joints.tolist() == [0, 5, 3]
    assert distances.tolist() == [[0, 0, 2.5], [0, 0, 0.5], [2.5, 0.5, 0]]


def test_the_strongest_distances_are_no_bones_and_no_zeros() -> None:
    _, distances = body_scores(SCORES, 3)
    assert strongest_distances(distances, BONES) == [(0, 2)]
    assert strongest_distances(distances, ()) == [(0, 2), (1, 2)]
    assert strongest_distances(distances, (), 1) == [(0, 2)]
    assert strongest_distances(distances, ((2, 0),)) == [(1, 2)]
    # Where all tie an order would be made up.
    assert strongest_distances(np.ones((3, 3)), ()) == []
    assert strongest_distances(np.full((3, 3), np.nan), ()) == []


def test_size_and_colour_say_the_score() -> None:
    root = drawn()
    joints = titled(root, "circle")
    assert set(joints) == {"hip: exactly zero", "knee: 5", "foot: 3"}
    radii = {name: float(one.get("r")) for name, one in joints.items()}
    assert radii["knee: 5"] > radii["foot: 3"] > radii["hip: exactly zero"]
    assert joints["knee: 5"].get("fill") == rgb_to_hex(IMPORTANCE[255])
    assert joints["foot: 3"].get("fill") == rgb_to_hex(IMPORTANCE[153])
    lines = titled(root, "line")
    assert set(lines) == {
        "hip – knee, bone: exactly zero", "knee – foot, bone: 0.5", "distance hip – foot: 2.5",
    }  # fmt: skip
    dashed = lines["distance hip – foot: 2.5"]
    assert dashed.get("stroke-dasharray")
    assert dashed.get("stroke") == rgb_to_hex(IMPORTANCE[128])
    bone = lines["knee – foot, bone: 0.5"]
    assert not bone.get("stroke-dasharray")
    assert float(bone.get("stroke-width")) > float(dashed.get("stroke-width"))
    assert lines["hip – knee, bone: exactly zero"].get("stroke").startswith("rgba(")


def test_everything_lies_on_the_paper_and_upright() -> None:
    data = make_motion(20)
    body = data.skeleton
    scores = np.random.default_rng(0).random(168)
    svg = skeleton_svg(scores, body.joints, body.bones, body.pose, dark=True)
    root = ET.fromstring(svg)
    _, _, width, height = map(float, root.get("viewBox").split())
    at = {
        name.split(":")[0]: (float(one.get("cx")), float(one.get("cy")))
        for name, one in titled(root, "circle").items()
    }
    assert len(at) == 16
    assert all(0 < x < width and 0 < y < height for x, y in at.values())
    assert at["head"][1] < at["pelvis"][1] < at["left foot"][1]
    # Seen from the front: the performer's left is on the right.
    assert at["left hand"][0] > at["right hand"][0]
    assert svg != skeleton_svg(scores, body.joints, body.bones, body.pose, dark=False)


def test_it_is_drawn_before_there_are_scores_and_when_all_are_zero() -> None:
    empty = drawn(np.full(12, np.nan))
    assert set(titled(empty, "circle")) == {f"{name}: no score yet" for name in JOINTS}
    assert empty.get("aria-label") == "Importance of 3 joints: no scores yet."
    nothing = drawn(np.zeros(12))
    assert nothing.get("aria-label") == "Importance of 3 joints: every score is exactly zero."
    assert len(titled(nothing, "line")) == 2


def test_the_sentence_names_the_strongest() -> None:
    assert skeleton_alt(SCORES, JOINTS, BONES) == (
        "Importance of 3 joints: the strongest by its coordinates: knee, foot; 1 with "
        "coordinates of no use; the strongest distance: hip – foot."
    )


def test_names_are_never_markup() -> None:
    bad = ('<script>alert(1)</script>"', "knee & co", "'foot'")
    svg = skeleton_svg(SCORES[3:6] + SCORES[3:], bad, BONES, POSE, dark=False)
    assert "<script" not in svg
    titles = titled(ET.fromstring(svg), "circle")
    assert any(name.startswith(bad[0]) for name in titles)


def test_a_strip_holds_every_pose() -> None:
    poses = np.random.default_rng(0).random((5, 3, 3))
    root = ET.fromstring(pose_strip_svg(poses, BONES, columns=3, dark=False, label="Five"))
    assert len(list(root.iter(f"{SVG}path"))) == 5
    assert root.get("aria-label") == "Five"
    assert root.get("viewBox") == "0 0 102 88"


def test_joints_that_tie_are_not_named_as_the_strongest() -> None:
    alike = np.ones(len(SCORES))
    joints = ("hip", "knee", "foot", "toe")
    scores = np.r_[np.ones(12), np.zeros(6)]
    assert "strongest by its coordinates" not in skeleton_alt(scores, joints, BONES)
    pose = (*POSE, (0, -1, 0))
    drawn_alike = ET.fromstring(skeleton_svg(scores, joints, BONES, pose, dark=False))
    named = {text.text for text in drawn_alike.iter(f"{SVG}text")}
    assert named.isdisjoint(joints)
    # Of no more than three all are named.
    assert "strongest by its coordinates" in skeleton_alt(alike, JOINTS, BONES)
