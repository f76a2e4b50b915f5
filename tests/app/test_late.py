"""A part of a page that was left asks once more, too late: the next page stays whole."""

from pathlib import Path

from streamlit.runtime.scriptrunner_utils.script_requests import RerunData, ScriptRequests

from cspca.ui import late
from tests.browser.harness import running_server
from tests.load.client import Client


def test_what_a_page_asks_after_it_was_left_is_not_run(tmp_path: Path) -> None:
    with running_server(tmp_path) as server, Client.at(server.url) as client:
        client.until(lambda: bool(client.every) and client.rests)
        home, explore = client.page, client.pages["explore"]
        late = next(iter(client.every))
        before = len(client.sessions)
        client.ask(page_script_hash=explore)
        client.ask(page_script_hash=home, fragment_id=late, is_auto_rerun=True)
        # Explore is drawn, and its own parts have been drawn again.
        client.until(lambda: sum(bool(parts) for _, parts in client.sessions[before:]) >= 2)
        assert {page for page, _ in client.sessions[before:]} == {explore}


def test_a_page_that_waits_is_not_forgotten_for_a_part_of_the_one_that_was_left() -> None:
    late.refuse()
    requests = ScriptRequests()
    requests.request_rerun(RerunData(page_script_hash="explore"))
    assert requests.request_rerun(RerunData(page_script_hash="home", fragment_id="late"))
    asked = requests.on_scriptrunner_ready().rerun_data
    assert (asked.page_script_hash, asked.fragment_id_queue) == ("explore", [])


def test_parts_of_the_page_that_is_shown_are_run() -> None:
    late.refuse()
    requests = ScriptRequests()
    for part in ("a", "b"):
        requests.request_rerun(RerunData(page_script_hash="home", fragment_id=part))
    assert requests.on_scriptrunner_ready().rerun_data.fragment_id_queue == ["a", "b"]
