"""The stage's side in Python: what the browser is sent, and which pick counts."""

import base64
import hashlib
import json
import subprocess
from importlib.resources import files
from shutil import which
from typing import Any

import numpy as np
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from cspca.figures.pictures import importance_rgb
from cspca.ui.components.stage import _picked, payload
from cspca.ui.services import services
from tests.app.conftest import sent, settled

SCORES = np.array([0.0, 0.25, 1.0, 0.5, 0.0, 0.75])


def array(text: str, dtype: str) -> np.ndarray:
    return np.frombuffer(base64.b64decode(text), dtype)


def test_the_browser_gets_the_very_colours_of_the_picture() -> None:
    sent = payload(SCORES, (2, 3))
    colours = array(sent["colours"], "u1").reshape(2, 3, 4)
    assert (colours[..., :3] == importance_rgb(SCORES.reshape(2, 3))).all()
    assert (colours[..., 3] == 255).all()
    assert (sent["low"], sent["high"], sent["zeros"], sent["count"]) == (0.0, 1.0, 2, 6)
    assert sent["shape"] == (2, 3)
    json.dumps(sent, allow_nan=False)


def test_ranks_are_those_given_or_follow_the_scores_with_ties_shared() -> None:
    assert array(payload(SCORES, (2, 3))["ranks"], "<i4").tolist() == [5, 4, 1, 3, 5, 2]
    given = payload(SCORES, (2, 3), ranks=[6, 4, 1, 3, 5, 2])
    assert array(given["ranks"], "<i4").tolist() == [6, 4, 1, 3, 5, 2]
    missing = payload(np.array([np.nan, 1.0, 2.0]), None)
    assert array(missing["ranks"], "<i4").tolist() == [3, 2, 1]


def test_single_precision_makes_no_zeros() -> None:
    sent = payload(np.array([1e-300, 0.0, 1.0, -1e-300]), (2, 2))
    assert (array(sent["scores"], "<f4") == 0).tolist() == [False, True, False, False]


def test_data_without_images_become_bars() -> None:
    sent = payload(SCORES, None, names=["<b>a</b>", *"bcdef"])
    assert sent["shape"] is None
    assert sent["names"][0] == "<b>a</b>"


def test_a_pick_counts_only_for_its_data_and_is_not_trusted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    state: dict[str, Any] = {"pixel": 3}
    monkeypatch.setattr(st, "session_state", state)

    def picked(pick: object) -> int | None:
        state["map"] = {"pick": pick}
        _picked("map", "pixel", 6)
        index: int | None = state["pixel"]
        return index

    assert picked(None) == 3
    # The data changed between the click and the run.
    assert picked({"index": 900, "size": 1024, "serial": 12}) == 3
    assert "map/news" not in state
    assert picked({"index": 2, "size": 6, "serial": 10}) == 2
    assert state["map/news"]
    # Cleared with Escape.
    assert picked({"index": None, "size": 6, "serial": 11}) is None
    for index in (99, -1, "2", 1.5, [0]):
        assert picked({"index": index, "size": 6, "serial": 13}) is None


def script() -> None:
    import numpy as np
    import streamlit as st

    from cspca.ui.components.stage import stage

    scale = st.number_input("scale", value=1.0)
    st.session_state.setdefault("pixel", 1)
    scores = scale * np.array([0.0, 1.0, 2.0, 3.0])
    picked = stage(scores, (2, 2), key="map", selected="pixel", top_k=2, stale=True)
    st.write(f"picked {picked}")


def test_the_component_mounts_and_keeps_its_identity_when_the_data_change() -> None:
    app = AppTest.from_function(script).run()
    assert not app.exception
    first = app.get("bidi_component")[0].proto
    (data,) = json.loads(first.json)
    assert data["selected"] == 1
    assert data["stale"] is True
    assert data["top_k"] == 2
    assert app.markdown[0].value == "picked False"
    app.number_input[0].set_value(5.0).run()
    second = app.get("bidi_component")[0].proto
    assert json.loads(second.json)[0]["high"] == 15.0
    # The same element on the page, hence the same canvas.
    assert second.id == first.id


def test_the_body_follows_the_film_of_data_that_are_poses(arrive) -> None:
    page = settled(arrive("explore", data="motion"))
    jobs = services().films.jobs
    *_, job = jobs._jobs  # begun last: the film
    while jobs.view(job).active:
        jobs.join(job, 0.1)
    page.run()
    film = sent(page, "film")["film"]
    bodies = film["bodies"]
    assert len(bodies) == len(film["there"]) == 41
    first, last = bodies[0], bodies[-1]
    assert first.startswith("<svg")
    assert first != last
    assert last.count("exactly zero") > first.count("exactly zero")


SCRIPTS = [
    files("cspca.ui.components").joinpath(f"{name}.js").read_text(encoding="utf-8")
    for name in ("stage", "pixels", "frames", "curve", "film", "qr")
]


def test_the_script_never_writes_html() -> None:
    for way_in in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write"):
        assert not any(way_in in source for source in SCRIPTS)


@pytest.mark.skipif(which("node") is None, reason="no node to read the script")
def test_the_script_is_a_valid_module() -> None:
    checked = subprocess.run(
        ["node", "--input-type=module", "--check", "-"],
        input="\n".join(SCRIPTS),
        capture_output=True,
        text=True,
        check=False,
    )
    assert checked.returncode == 0, checked.stderr


@pytest.mark.skipif(which("node") is None, reason="no node to run the script")
def test_a_qr_code_is_that_of_the_standard() -> None:
    """858 bytes fill version 20 without padding; the digest is of what segno 1.6 draws of them."""
    script = (
        SCRIPTS[-1]
        + """
        const rows = (text) => qrCode(text).map((row) => row.map(Number).join("")).join("\\n")
        console.log(rows("v".repeat(858)))
    """
    )
    ran = subprocess.run(["node", "-e", script], capture_output=True, text=True, check=True)
    assert hashlib.sha256(ran.stdout.strip().encode()).hexdigest() == (
        "ce8834ad9c2dd2113c2025cd1f2314bf09dfa26d0666bab7274ada158c965f4d"
    )
