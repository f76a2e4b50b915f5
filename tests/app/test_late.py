"""A part of a page that was left asks once more, too late: the next page stays whole."""

from pathlib import Path

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
