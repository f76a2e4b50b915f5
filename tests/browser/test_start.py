"""The first minute: that there is something to see, and that every address opens."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from cspca.ui import menu
from tests.browser import explore
from tests.browser.harness import FIRST_LOOK, Server, Visitor
from tests.soak import counted

PAGES = [explore.address_of(page) for page in menu.PAGES]


@pytest.mark.parametrize("path", counted(["/"], [*PAGES, "/compare?tab=convergence"]))
def test_cold_start_first_look_and_second_visitor(
    visit: Callable[..., Visitor], fresh_server: Server, path: str
) -> None:
    """The first visitor of a server sees the heatmap and its certificate, and so does another."""
    first = visit(fresh_server)
    first.open(path)
    if path == "/":
        explore.wait_for_map(first)
        gap = explore.wait_for_certificate(first)
        assert gap <= 1e-3
        colours = {tuple(colour) for row in explore.heatmap(first) for colour in row}
        assert len(colours) > 20, "a heatmap has more than a few colours"
        all_that_matters_is_seen_without_scrolling(first)
    first.rest()
    assert first.page.locator("h1").first.inner_text().strip()
    first.page.wait_for_url(re.compile(re.escape(fresh_server.url + path) + r"(\?|&|$)"))
    links = first.page.locator(explore.MENU).get_by_role("link")
    # The last word: before it stands the name of the icon.
    labels = [text.split()[-1] for text in links.all_inner_texts()]
    assert labels == [page.name for name, page in menu.PAGES.items() if name != menu.HELP]
    here = links.and_(first.page.locator("[aria-current=page]")).count()
    assert here == (path != explore.address_of(menu.HELP))
    first.is_healthy()
    # A browser that has no file of ours.
    second = visit(fresh_server, stranger=True)
    requests: list[str] = []
    second.page.on("request", lambda request: requests.append(request.url))
    second.open("/")
    explore.wait_for_map(second)
    explore.wait_for_certificate(second)
    second.rest()
    assert FIRST_LOOK / 2 < len(requests) <= FIRST_LOOK
    second.is_healthy()


def all_that_matters_is_seen_without_scrolling(visitor: Visitor) -> None:
    """On a screen of usual size and on a low one."""
    page = visitor.page
    visitor.rest()
    for width, height in ((1280, 720), (1440, 900)):
        page.set_viewport_size({"width": width, "height": height})
        for part in ("pm-base", "curve", "readings", "kept", "rebuilt", "weights"):
            expect(page.locator(f"{explore.STAGE} .{part}")).to_be_in_viewport(ratio=1)
        upload = page.get_by_role("button", name="Upload files")
        expect(upload).to_be_in_viewport(ratio=1)
