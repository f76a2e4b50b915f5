"""A setting that nobody touched stays, from every page to every other."""

import itertools
import json

from cspca.ui import menu
from tests.browser import explore
from tests.browser.harness import Visitor
from tests.soak import counted

EVERY_PAIR = [page for pair in itertools.combinations(menu.PAGES, 2) for page in reversed(pair)]
WALK = counted(["data", menu.FIRST], EVERY_PAIR)
"""Pages in the order in which they are chosen: there and back, or any two in turn.

That all pages keep the settings is held by tests/app/test_pages.py.
"""

#: In the page: what every widget with a key says, by that key.
FIELDS = """() => Object.fromEntries(
    [...document.querySelectorAll("[data-testid=stMain] [class*=st-key-] input")]
        .map((input) => [
            input.closest("[class*=st-key-]").className.match(/st-key-(\\S+)/)[1],
            input.type === "checkbox" ? input.checked : input.value,
        ])
        .filter(([key]) => /^(fit|view|compare|sensitivity|convergence|outliers)_/.test(key)))"""


def settings(visitor: Visitor) -> dict[str, str]:
    """What the address says is set, without what names a run."""
    # Which part of a page, or picture of Theory, is open is no setting.
    passing = ("part", "picture")
    said = explore.query(visitor)
    return {
        name: value
        for name, value in said.items()
        if name not in passing and not name.startswith("run")
    }


def act(visitor: Visitor, page: str) -> None:
    """Have the page run anew with all that its widgets say, and leave it as it was."""
    if page == menu.FIRST:
        # Fields that show what α comes to are there with the fit.
        explore.wait_for_certificate(visitor)
    # Streamlit's own key for a run of the page.
    visitor.page.keyboard.press("r")
    visitor.rest()


def test_all_settings_are_the_same_from_page_to_page(visitor: Visitor) -> None:
    visitor.open("/data?data=digits&alpha=0.3&beta=0.03&k=12&normalise=yes&axis=seconds&tol=0.01")
    visitor.sees("Explore this data set")
    act(visitor, "data")
    before = settings(visitor)
    assert before.items() >= {"normalise": "yes", "k": "12", "axis": "seconds"}.items()
    # A switch that stands on both pages was off on the second.
    assert "centre" not in before
    visitor.page.get_by_role("link", name="Explore this data set").click()
    explore.wait_for_certificate(visitor)
    act(visitor, menu.FIRST)
    assert settings(visitor) == before
    said = {menu.FIRST: visitor.page.evaluate(FIELDS)}
    assert said[menu.FIRST]["fit_normalize"] is True
    for page in WALK:
        explore.choose_page(visitor, page)
        act(visitor, page)
        assert settings(visitor) == before, page
        fields = said.setdefault(page, visitor.page.evaluate(FIELDS))
        visitor.page.wait_for_function(
            f"before => JSON.stringify(({FIELDS})()) === before",
            arg=json.dumps(fields, separators=(",", ":"), ensure_ascii=False),
        )
    visitor.is_healthy()
