"""The stage's side in Python: what the browser is sent, and which pick counts."""

import re
import subprocess
from importlib.resources import files
from shutil import which
from typing import Any

import numpy as np
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from cspca.experiments.film import ALONG
from cspca.figures.pictures import importance_rgb
from cspca.ui.components import packed
from cspca.ui.components.stage import _picked, payload
from cspca.ui.services import services
from tests.app.conftest import opened, sent, settled

SCORES = np.array([0.0, 0.25, 1.0, 0.5, 0.0, 0.75])


def array(content: bytes, dtype: str) -> np.ndarray:
    return np.frombuffer(content, dtype)


def received(*arguments: Any, **more: Any) -> dict[str, Any]:
    """What the script reads of what the stage is sent."""
    data: dict[str, Any] = opened(packed(payload(*arguments, **more)))
    return data


def test_the_browser_gets_the_very_colours_of_the_picture() -> None:
    sent = received(SCORES, (2, 3))
    colours = array(sent["colours"], "u1").reshape(2, 3, 4)
    assert (colours[..., :3] == importance_rgb(SCORES.reshape(2, 3))).all()
    assert (colours[..., 3] == 255).all()
    assert (sent["low"], sent["high"], sent["zeros"], sent["count"]) == (0.0, 1.0, 2, 6)
    assert sent["shape"] == [2, 3]


def test_ranks_are_those_given_or_follow_the_scores_with_ties_shared() -> None:
    assert array(received(SCORES, (2, 3))["ranks"], "<i4").tolist() == [5, 4, 1, 3, 5, 2]
    given = received(SCORES, (2, 3), ranks=[6, 4, 1, 3, 5, 2])
    assert array(given["ranks"], "<i4").tolist() == [6, 4, 1, 3, 5, 2]
    missing = received(np.array([np.nan, 1.0, 2.0]), None)
    assert array(missing["ranks"], "<i4").tolist() == [3, 2, 1]


def test_single_precision_makes_no_zeros() -> None:
    sent = received(np.array([1e-300, 0.0, 1.0, -1e-300]), (2, 2))
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
    data = opened(first.bytes)
    assert data["selected"] == 1
    assert data["stale"] is True
    assert data["top_k"] == 2
    assert app.markdown[0].value == "picked False"
    app.number_input[0].set_value(5.0).run()
    second = app.get("bidi_component")[0].proto
    assert opened(second.bytes)["high"] == 15.0
    # The same element on the page, hence the same canvas.
    assert second.id == first.id


def test_what_is_packed_is_read_back_and_nothing_else_passes_for_an_array() -> None:
    data = {
        "words": "“α” × 2",
        "none": None,
        "deep": [{"numbers": np.arange(6, dtype="<f4").reshape(2, 3)}, {"bytes": b"abc"}],
        "empty": np.empty(0, "u1"),
    }
    back = opened(packed(data))
    assert (back["words"], back["none"], back["empty"]) == ("“α” × 2", None, b"")
    assert array(back["deep"][0]["numbers"], "<f4").tolist() == [0, 1, 2, 3, 4, 5]
    assert back["deep"][1]["bytes"] == b"abc"
    with pytest.raises(TypeError, match="int64 is no array"):
        packed({"count": np.int64(3)})
    with pytest.raises(ValueError, match="not JSON compliant"):
        packed({"value": np.nan})


@pytest.mark.skipif(which("node") is None, reason="no node to run the script")
def test_the_script_reads_what_python_packs() -> None:
    script = files("cspca.ui.components").joinpath("bytes.js").read_text(encoding="utf-8")
    message = packed({"words": "α", "numbers": np.array([1.5, -2.0], "<f4")})
    code = f"""{script}
const data = opened(new Uint8Array([7, {", ".join(map(str, message))}]).subarray(1))
console.log(data.words, ...decode(data.numbers, Float32Array))"""
    done = subprocess.run(["node", "-e", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["α", "1.5", "-2"]


def test_the_body_follows_the_film_of_data_that_are_poses(arrive) -> None:
    page = settled(arrive("explore", data="motion"))
    jobs = services().films.jobs
    *_, job = jobs._jobs  # begun last: the film
    while jobs.view(job).active:
        jobs.join(job, 0.1)
    page.run()
    film = sent(page, "film")["film"]
    assert len(film["tracks"][-1]["scores"]) == 41 * 168
    bodies = film["bodies"]
    assert len(bodies) == len(film["there"]) == 41
    first, last = bodies[0], bodies[-1]
    assert first.startswith("<svg")
    assert first != last
    assert last.count("exactly zero") > first.count("exactly zero")


def test_the_bar_offers_each_film_that_is_made() -> None:
    markup = files("cspca.ui.components").joinpath("film.html").read_text(encoding="utf-8")
    assert tuple(re.findall('data-along="([a-z]+)"', markup)) == ALONG


SCRIPTS = {
    "stage": ("stage", "pixels", "bytes", "frames", "curve", "film"),
    "axes": ("axes", "pixels", "bytes", "film"),
    "cloud": ("cloud", "lasso", "pixels", "bytes", "film"),
}
"""Components that draw, and the scripts that each is made of."""


def sources(name: str) -> list[str]:
    room = files("cspca.ui.components")
    return [room.joinpath(f"{one}.js").read_text(encoding="utf-8") for one in SCRIPTS[name]]


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_never_writes_html(name: str) -> None:
    for way_in in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write"):
        assert not any(way_in in source for source in sources(name))


@pytest.mark.skipif(which("node") is None, reason="no node to read the script")
@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_is_a_valid_module(name: str) -> None:
    checked = subprocess.run(
        ["node", "--input-type=module", "--check", "-"],
        input="\n".join(sources(name)),
        capture_output=True,
        text=True,
        check=False,
    )
    assert checked.returncode == 0, checked.stderr
