"""Every number says what it means: by a click, a finger and the keyboard."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.browser import explore
from tests.browser.harness import Server, Visitor
from tests.browser.journey import STICKS_OUT

pytestmark = pytest.mark.browser


def test_a_number_of_a_fit_is_explained_by_keyboard_and_by_a_tap(
    visit: Callable[..., Visitor], server: Server
) -> None:
    visitor = visit(server, width=390, height=844)
    visitor.open("/?data=digits")
    explore.wait_for_certificate(visitor)
    visitor.rest()
    page = visitor.page
    number = page.locator(f"{explore.STAGE} .numbers details").filter(has_text=re.compile("^rank"))
    said = number.locator("p").first
    expect(said).to_be_hidden()
    number.locator("summary").click()
    expect(said).to_contain_text("singular values of W are not zero")
    expect(number).to_contain_text("model.rank_")
    number.locator("summary").press("Enter")
    expect(said).to_be_hidden()
    proof = page.locator(f"{explore.STATUS} details").filter(has_text="proof")
    proof.locator("summary").press("Enter")
    expect(proof).to_contain_text("(P − D) / D")
    page.wait_for_function(f"({STICKS_OUT})() <= 0")
    visitor.is_healthy()


def test_the_columns_of_a_comparison_are_explained(visitor: Visitor) -> None:
    """With the best method's numbers put in, and what chance comes to."""
    visitor.open("/compare?data=digits")
    # There with the first rows, while the rest is computed.
    chance = visitor.page.locator(".cspca-why").filter(has_text="Chance")
    chance.locator("summary").click()
    expect(chance).to_contain_text("1,797 images dealt out at random")
    expect(chance.locator("b")).to_have_text("13.1 %")
    visitor.is_healthy()
