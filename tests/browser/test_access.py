"""Every page for everybody: what axe-core finds, the keyboard alone, a page zoomed or printed."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.browser import explore
from tests.browser.harness import Server, Visitor
from tests.browser.test_start import FITTING, MOVED, PAGES

STREAMLITS = {
    # It gives the place for files a role and a place in the order of the keyboard at once.
    ("presentation-role-conflict", "stFileUploaderDropzone"),
}
"""What Streamlit's own elements break: a rule of axe-core, and the mark of the element."""


def arrive(visit: Callable[..., Visitor], server: Server, path: str, **size: int) -> Visitor:
    """Somebody on a page that is all there."""
    visitor = visit(server, **size)
    visitor.open(path)
    if path in FITTING:
        explore.wait_for_certificate(visitor)
    visitor.rest()
    return visitor


@pytest.mark.parametrize("path", [path for path in PAGES if path not in MOVED])
def test_axe_finds_nothing_that_is_ours(
    server: Server, visit: Callable[..., Visitor], path: str
) -> None:
    visitor = arrive(visit, server, path)
    for scheme in ("light", "dark"):
        visitor.page.emulate_media(color_scheme=scheme)
        visitor.rest()
        found = [
            (scheme, broken["id"], node["html"][:300])
            for broken in Axe().run(visitor.page).response["violations"]
            for node in broken["nodes"]
            if not any(broken["id"] == rule and mark in node["html"] for rule, mark in STREAMLITS)
        ]
        assert found == []
    visitor.is_healthy()
