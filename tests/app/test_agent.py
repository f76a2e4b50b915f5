"""What a program reads of a page and sets there, by Streamlit's agent API."""

from __future__ import annotations

import io
import json
import re
import urllib.error
import urllib.request
import zipfile
from collections.abc import Iterator
from typing import Any
from urllib.parse import urljoin

import numpy as np
import pytest

from cspca.experiments.database import cookie_name
from cspca.ui import menu
from tests.app.conftest import REPOSITORY
from tests.browser.harness import Server, running_server
from tests.few import load_few

MOST = 20_000
"""Bytes of an answer, without pictures in base64."""

APP = REPOSITORY / "tests" / "app" / "agent_app.py"

BASE64 = re.compile(r"[A-Za-z0-9+/=]{200,}")


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server that answers programs, with few of the digits."""
    home = tmp_path_factory.mktemp("home")
    store = str(home / "store")
    with running_server(
        home, APP, STREAMLIT_SERVER_ENABLE_AGENT_API="true", CSPCA_HOME=store
    ) as running:
        yield running


PAGES = [
    *((name, {}) for name in menu.PAGES),
    *((menu.FIRST, {"part": [tab]}) for tab in menu.EXPLORE_TABS),
    *(("compare", {"tab": [tab]}) for tab in menu.TABS if tab != "compare"),
]
"""Every page, and every tab of Explore and of Compare, with the address that opens it."""


@pytest.mark.parametrize(("page", "more"), PAGES, ids=lambda value: str(value))
def test_an_answer_is_short_enough_to_be_read(
    served: Server, page: str, more: dict[str, list[str]]
) -> None:
    path = "" if page == menu.FIRST else page
    answer = interact(served, page=path, query_params={"data": ["digits"], **more})
    assert (answer["status"], answer["page"]["url_path"]) == ("ready", path)
    assert size(answer) <= MOST
    for figure in nodes(answer["tree"], "plotly_chart"):
        assert figure["props"]["alt"]


BOXES: dict[str, dict[str, tuple[Any, str]]] = {
    "": {
        "fit_files": (True, "Scores, CSV"),
        "presets_0": (True, "Half the faces are ruined"),
        "share": (True, "What to look at"),
        "explore_more": (True, "β in the formula"),
        "problem": (True, "Of all matrices"),
    },
    "theory": {"derivation_1": (True, "These lines of Python make the figure")},
    "data": {"leave_out": (True, "Whole classes")},
    "paper": {"paper_record": (True, "cspca paper COIL20"), "paper_claim": (1, "<p><b>")},
    "guide": {"guide_using": ("What a map cannot say", "Features can tie")},
}
"""What is folded away on a page, by key: what opens it, and words of it."""


@pytest.mark.parametrize("page", BOXES)
def test_what_is_not_sent_at_once_is_one_step_away(served: Server, page: str) -> None:
    answer = interact(served, page=page, query_params={"data": ["digits"]})
    for box, (wanted, text) in BOXES[page].items():
        assert text not in str(answer["tree"])
        (action,) = (action for action in answer["actions"] if action["key"] == box)
        assert action["kind"] == "value"
        session = answer["session_id"]
        answer = interact(served, session_id=session, widget_state={box: wanted})
        assert text in str(answer["tree"])


def test_the_numbers_of_a_long_chart_are_sent_on_request(served: Server) -> None:
    link = {"data": ["digits"], "part": ["reproducibility"]}
    answer = interact(served, query_params=link)
    assert not list(nodes(answer["tree"], "plotly_chart"))
    assert "by none" in str(answer["tree"])
    box = {"reproducibility_kept_numbers": True}
    answer = interact(served, session_id=answer["session_id"], widget_state=box)
    (chart,) = nodes(answer["tree"], "plotly_chart")
    assert "of 50 halves" in str(chart["data"])
    assert "by none" in chart["props"]["alt"]


def test_a_program_opens_the_same_state_by_page_and_settings_and_has_its_answer(
    served: Server,
) -> None:
    link = {"data": ["digits"], "alpha": ["0.20"], "tol": ["banana"]}
    answer = interact(served, query_params=link)
    assert answer["page"]["url_path"] == ""
    assert answer["query_params"] == {"data": ["digits"], "alpha": ["0.2"]}
    assert values(answer) >= {("fit_alpha", "0.2"), ("fit_beta", "0.02"), ("view_k", "20")}
    # One answer, with the final state.
    assert "of the optimum (proven)" in str(answer["tree"])
    assert "tol must be a number from 0 to 1, got 'banana'" in str(answer["tree"])
    session = answer["session_id"]
    answer = interact(served, session_id=session, widget_state={"fit_beta": "0.1"})
    settings = {"data": ["digits"], "alpha": ["0.2"], "beta": ["0.1"]}
    assert answer["query_params"] == settings
    assert "banana" not in str(answer["tree"])
    answer = interact(served, session_id=session, page="guide")
    assert answer["query_params"] == settings
    answer = interact(served, session_id=session, page="guide", query_params={"k": ["50"]})
    assert answer["query_params"] == {"k": ["50"]}
    assert "Rendered faces" in str(answer["tree"])


def test_a_program_fetches_every_file_of_a_page(served: Server) -> None:
    answer = interact(served, query_params={"data": ["digits"], "alpha": ["0.2"]})
    closed = size(answer)
    answer = interact(served, session_id=answer["session_id"], widget_state={"fit_files": True})
    small = addresses(answer, "download_button")
    assert {"Scores, CSV", "Tables, LaTeX", "JSON", "Python", "Map, PNG"} <= set(small)
    large = addresses(answer, "link_button")
    assert {"Report", "Workbook, XLSX", "Arrays, NPZ", "Everything"} <= set(large)
    assert size(answer) - closed < 6_000
    assert "unsupported" not in str([*nodes(answer["tree"], "download_button")])
    scores = fetch(served, small["Scores, CSV"]).decode().splitlines()
    assert len(scores) == 65
    assert scores[0].startswith("feature_from_0,")
    assert json.loads(fetch(served, small["JSON"]))["kind"] == "fit"
    assert fetch(served, small["Map, PNG"]).startswith(b"\x89PNG")
    assert b"Plotly" in fetch(served, large["Report"])
    with zipfile.ZipFile(io.BytesIO(fetch(served, large["Everything"]))) as packed:
        assert packed.read("fit.csv").decode().splitlines() == scores


def test_a_program_fetches_a_data_set(served: Server) -> None:
    answer = interact(served, page="data", query_params={"data": ["digits"]})
    answer = interact(served, session_id=answer["session_id"], widget_state={"data_files": True})
    arrays = fetch(served, addresses(answer, "link_button")["Arrays, NPZ"])
    with np.load(io.BytesIO(arrays), allow_pickle=False) as opened:
        assert np.array_equal(opened["X"], load_few("digits").images)


def test_the_files_of_a_page_are_nobody_elses_and_go_with_it(served: Server) -> None:
    name = cookie_name(served.log.parent / "store")
    mine, another = ({"Cookie": f"{name}={letter * 32}"} for letter in "ab")
    session = interact(served, headers=mine, query_params={"data": ["digits"]})["session_id"]
    answer = interact(served, headers=mine, session_id=session, widget_state={"fit_files": True})
    address = addresses(answer, "link_button")["Arrays, NPZ"]
    for headers in ({}, another):
        with pytest.raises(urllib.error.HTTPError) as refusal:
            fetch(served, address, headers)
        assert refusal.value.code == 404
        assert "no such file" in refusal.value.read().decode()
    assert fetch(served, address, mine).startswith(b"PK")
    interact(served, headers=mine, session_id=session)
    with pytest.raises(urllib.error.HTTPError, match="404"):
        fetch(served, address, mine)


def addresses(answer: dict[str, Any], kind: str) -> dict[str, str]:
    """Return the addresses of the files of a page, by their labels."""
    return {
        node["props"]["label"]: node["props"]["url"]
        for node in nodes(answer["tree"], kind)
        if "http" not in node["props"]["url"]
    }


def fetch(server: Server, address: str, headers: dict[str, str] | None = None) -> bytes:
    """Fetch a file at an address that an answer of the agent API holds."""
    url = urljoin(f"{server.url}/_stcore/agent/interact", address)
    with urllib.request.urlopen(urllib.request.Request(url, headers=headers or {})) as response:
        return bytes(response.read())


def interact(
    server: Server, *, headers: dict[str, str] | None = None, **body: object
) -> dict[str, Any]:
    """Ask the agent API, until the page has come to its end."""
    request = urllib.request.Request(
        f"{server.url}/_stcore/agent/interact",
        json.dumps(body).encode(),
        {"Content-Type": "application/json", **(headers or {})},
    )
    with urllib.request.urlopen(request, timeout=120) as response:
        answer = dict(json.load(response))
    if answer.get("error", {}).get("code") == "wait_timed_out":
        return interact(server, headers=headers, session_id=answer["session_id"])
    return answer


def size(answer: dict[str, Any]) -> int:
    """Return the bytes of an answer without pictures in base64."""
    text = json.dumps(answer, ensure_ascii=False, separators=(",", ":"))
    return len(BASE64.sub("", text).encode())


def nodes(node: dict[str, Any], kind: str) -> Iterator[dict[str, Any]]:
    """Yield the elements of a type."""
    if node["type"] == kind:
        yield node
    for child in node.get("children", ()):
        yield from nodes(child, kind)


def values(answer: dict[str, Any]) -> set[tuple[str, str]]:
    """Return what the widgets of an answer say, by their keys."""

    def within(node: dict[str, Any]) -> Iterator[tuple[str, str]]:
        if "value" in node:
            yield node["key"], str(node["value"])
        for child in node.get("children", ()):
            yield from within(child)

    return set(within(answer["tree"]))
