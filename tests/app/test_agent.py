"""What a program reads of a page and sets there, by Streamlit's agent API."""

from __future__ import annotations

import json
import re
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest

from tests.browser.harness import Server, running_server

MOST = 20_000
"""Bytes of an answer, without pictures in base64."""

BASE64 = re.compile(r"[A-Za-z0-9+/=]{200,}")


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server that answers programs."""
    home = tmp_path_factory.mktemp("home")
    with running_server(home, STREAMLIT_SERVER_ENABLE_AGENT_API="true") as running:
        yield running


def test_an_answer_is_short_enough_to_be_read(served: Server) -> None:
    sizes = {}
    for page in ("predict", "theory", "runs"):
        answer = interact(served, page=page, query_params={"data": ["digits"]})
        text = json.dumps(answer, ensure_ascii=False, separators=(",", ":"))
        sizes[page] = len(BASE64.sub("", text).encode())
        assert answer["page"]["url_path"] == page
        if page == "theory":
            # What the figures show is said beside them, and a derivation is drawn on request.
            assert "Why are whole rows zero?" in text
            assert "derivation_1" in [action["key"] for action in answer["actions"]]
    assert max(sizes.values()) <= MOST, sizes


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


def interact(server: Server, **body: object) -> dict[str, Any]:
    """Ask the agent API, until the page has come to its end."""
    request = urllib.request.Request(
        f"{server.url}/_stcore/agent/interact",
        json.dumps(body).encode(),
        {"Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=120) as response:
        answer = dict(json.load(response))
    if answer.get("error", {}).get("code") == "wait_timed_out":
        return interact(server, session_id=answer["session_id"])
    return answer


def values(answer: dict[str, Any]) -> set[tuple[str, str]]:
    """Return what the widgets of an answer say, by their keys."""

    def within(node: dict[str, Any]) -> Iterator[tuple[str, str]]:
        if "value" in node:
            yield node["key"], str(node["value"])
        for child in node.get("children", ()):
            yield from within(child)

    return set(within(answer["tree"]))
