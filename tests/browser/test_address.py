"""The address says what is set: by links, the menu, Back, Forward, reload, in the midst of work."""

from __future__ import annotations

import contextlib
import itertools
import re
import signal
from collections.abc import Callable, Iterator
from urllib.parse import urlencode

from playwright.sync_api import Locator, Route, TimeoutError, expect

from cspca.ui import fields, menu
from tests.browser import explore
from tests.browser.harness import AT_REST, Server, Visitor
from tests.browser.journey import Journey, state_of
from tests.browser.limits import Limits
from tests.few import N_DIGITS
from tests.soak import counted

COUNTS = {"faces": "400 images", "digits": f"{N_DIGITS} images"}

TURNS, CHANGES = counted((1, 4), (10, 14))
"""How often every page is left in the midst of work, and how often a setting is changed there."""

#: In the page: is this page drawn, with this address? Which part of a page is open is no setting.
STANDS = """([path, address, title]) => {
    const query = Object.fromEntries(new URL(location).searchParams)
    delete query.part
    return location.pathname === path
        && JSON.stringify(Object.entries(query).sort()) === JSON.stringify(address)
        && document.querySelector(".st-key-title_row h1")?.innerText === title
        && document.title === `${title} · CSPCA Studio`
}"""

#: In the page: what a slider says.
SLIDER = """([key, value]) => document.querySelector(`.st-key-${key} input[type=range]`)
    ?.getAttribute("aria-valuetext") === value"""


def stands(visitor: Visitor, page: str, address: dict[str, str]) -> None:
    """Wait until a page is drawn with this address."""
    name = menu.PAGES[page].name
    wanted = [explore.address_of(page), sorted(map(list, address.items())), name]
    try:
        visitor.page.wait_for_function(STANDS, arg=wanted)
    except TimeoutError:
        stood = visitor.page.url, visitor.page.title(), visitor.page.evaluate(explore.H1)
        raise AssertionError(f"no {wanted}, but {stood}") from None


def says(visitor: Visitor, **sliders: str) -> None:
    """Wait until sliders of Explore say these values."""
    for name, value in sliders.items():
        key = "view_k" if name == "k" else f"fit_{name}"
        visitor.page.wait_for_function(SLIDER, arg=[key, value])


def slide(visitor: Visitor, key: str, press: str = "ArrowRight") -> None:
    """Move a slider by a key."""
    visitor.page.locator(f".st-key-{key} input[type=range]").press(press)


def depth(visitor: Visitor) -> int:
    """How many steps the history has."""
    return int(visitor.page.evaluate("history.length"))


def after(stop: float, steps: int = 1) -> str:
    """A later stop of the sliders of penalties."""
    return fields.say(fields.PENALTIES[fields.PENALTIES.index(stop) + steps])


def chosen(visitor: Visitor, name: str) -> Locator:
    """What is chosen of a few values that stand side by side."""
    radio = visitor.page.get_by_role("radio", name=re.compile(name))
    return radio.and_(visitor.page.locator("[aria-checked=true]"))


# -- links -----------------------------------------------------------------------------------------


def test_lessons_frames_and_tabs_open_what_they_say_by_one_step(visitor: Visitor) -> None:
    """That a link is read and a wrong one said is held by tests/app/test_pages.py."""
    page = visitor.page
    visitor.open("/?data=digits")
    explore.wait_for_certificate(visitor)
    visitor.rest()
    page.get_by_role("button", name="Lessons").click()
    explore.button(visitor, "preset_digit-strokes").click()
    lesson = {"data": "digits", "preset": "digit-strokes"}
    stands(visitor, "explore", lesson)
    says(visitor, alpha="0.4", beta="0.02", k="20")
    # The menu of lessons does not stay in front of the one that was chosen.
    expect(page.get_by_test_id("stPopoverBody")).to_have_count(0)
    page.reload()
    stands(visitor, "explore", lesson)
    visitor.sees("which of the 64 are needed to rebuild them?")
    slide(visitor, "fit_alpha")
    moved = lesson | {"alpha": after(0.4)}
    stands(visitor, "explore", moved)
    visitor.rest()
    # A link of a page carries what is set.
    steps = depth(visitor)
    page.get_by_role("link", name="Which images are odd?").click()
    stands(visitor, "outliers", moved)
    visitor.rest()
    assert depth(visitor) == steps + 1
    expect(chosen(visitor, "Your own images")).to_have_count(1)
    # Without the menu, as in a frame.
    framed = {"embed": "true", "data": "digits", "alpha": "0.2"}
    visitor.open(f"/?{urlencode(framed)}")
    stands(visitor, "explore", framed)
    slide(visitor, "fit_alpha")
    stands(visitor, "explore", framed | {"alpha": after(0.2)})
    visitor.rest()
    page.go_back()
    stands(visitor, "explore", framed)
    says(visitor, alpha="0.2")
    # A fit as quick as this one draws the page once: the choice is the second message.
    visitor.open("/?data=genes&part=components")
    visitor.sees("What is every sample rebuilt from?")
    visitor.rest()
    page.get_by_role("radio", name="Samples", exact=True).click()
    visitor.sees("Which samples lie together?")
    page.wait_for_function("() => new URL(location).searchParams.get('part') === 'samples'")
    visitor.is_healthy()


# -- moving about ----------------------------------------------------------------------------------


@contextlib.contextmanager
def slow_to_answer(visitor: Visitor) -> Iterator[None]:
    """Halt the server; then the page hears that its work has come to another state."""
    page, questions = visitor.page, list[Route]()
    told = {"state": "another", "moved": "", "every": 1, "bars": {}, "after": 60}
    with page.expect_request("**/work/*"):
        page.route("**/work/*", lambda question: questions.append(question))
    page.evaluate(HEAR)
    visitor.server.process.send_signal(signal.SIGSTOP)
    try:
        yield
        for question in questions:
            question.fulfill(json=told)
        page.evaluate("() => window.heard.then(() => true)")
        page.unroute("**/work/*")
    finally:
        visitor.server.process.send_signal(signal.SIGCONT)


#: In the page: has it heard how far its work is?
HEAR = """() => {
    window.heard = new Promise((hear) => addEventListener("cspca-work", hear, { once: true }))
}"""


def test_menu_back_forward_and_reload_keep_data_penalties_and_page(visitor: Visitor) -> None:
    page = visitor.page
    visitor.open("/data")
    stands(visitor, "data", {})
    visitor.rest()
    steps: list[tuple[str, dict[str, str]]] = [("data", {})]
    length = depth(visitor)

    def comes_to_rest(name: str, address: dict[str, str]) -> None:
        """Back while a page is still drawn adds steps (Streamlit 1.67); a fit draws it again."""
        stands(visitor, name, address)
        if name == "explore":
            explore.wait_for_certificate(visitor)
            explore.wait_for_map(visitor)
        visitor.rest()

    def came_to(name: str, **address: str) -> None:
        """A change of a setting or of the page is done: one step of history."""
        steps.append((name, address))
        comes_to_rest(name, address)
        assert depth(visitor) == length + len(steps) - 1, name

    explore.button(visitor, "use_digits").click()
    came_to("data", data="digits")
    explore.choose_page(visitor, "explore")
    came_to("explore", data="digits")
    slide(visitor, "fit_alpha")
    came_to("explore", data="digits", alpha="0.45")
    explore.choose_page(visitor, "theory")
    came_to("theory", data="digits", alpha="0.45")
    page.reload()
    stands(visitor, *steps[-1])
    explore.choose_page(visitor, "explore")
    came_to("explore", data="digits", alpha="0.45")

    def is_as_it_was(name: str, address: dict[str, str]) -> None:
        stands(visitor, name, address)
        data = address.get("data", "faces")
        expect(page.locator(explore.DATA_CARD)).to_contain_text(COUNTS[data])
        if name == "explore":
            says(visitor, alpha=address.get("alpha", "0.4"), beta=address.get("beta", "0.02"))
        comes_to_rest(name, address)
        assert depth(visitor) == length + len(steps) - 1, (name, address)

    for step in steps[-2::-1]:
        page.go_back()
        is_as_it_was(*step)
    for step in steps[1:]:
        page.go_forward()
        is_as_it_was(*step)
    # At once, while the page still answers.
    slide(visitor, "fit_alpha")
    page.wait_for_function("() => new URL(location).searchParams.get('alpha') !== '0.45'")
    page.go_back()
    stands(visitor, *steps[-1])
    says(visitor, alpha="0.45")
    comes_to_rest(*steps[-1])
    stands(visitor, *steps[-1])

    # Work that comes to another state undoes neither Back nor a turn to another page.
    address = steps[-1][1]
    explore.choose_page(visitor, "guide")
    stands(visitor, "guide", address)
    explore.choose_page(visitor, "data")
    stands(visitor, "data", address)
    visitor.rest()
    with slow_to_answer(visitor):
        page.go_back()
    stands(visitor, "guide", address)
    visitor.rest()
    stands(visitor, "guide", address)
    with slow_to_answer(visitor):
        page.locator(explore.MENU).get_by_role("link", name="Data").click()
    stands(visitor, "data", address)
    visitor.rest()
    stands(visitor, "data", address)
    visitor.is_healthy()


# -- in the midst of work --------------------------------------------------------------------------


def test_in_the_midst_of_work_changes_are_done_and_undone_and_it_is_stopped_and_continued(
    held_server: tuple[Server, Limits], visit: Callable[..., Visitor]
) -> None:
    server, limits = held_server
    limits.set(iterations=20, cells=1)
    visitor = visit(server)
    page = visitor.page
    journey = Journey(visitor, "compare")
    visitor.open("/compare?data=faces")
    journey.ask(n_seeds=100)
    journey.press("run")
    run = explore.wait_for_query(visitor, "run-compare")
    address = {"alpha": "0.25", "beta": "0.0001", "tol": "1e-05", "run-compare": run}
    visitor.open(f"/?{urlencode(address)}")
    explore.wait_for_badge(visitor, r"improving: within ([\d.]+) %")
    # Each answered before the next, one step of Back each.
    explore.wait_for_iterations(visitor, 19)
    stops = [str(k) for k in fields.count_options(1024)]
    place = stops.index("100")
    page.wait_for_selector(AT_REST)
    steps, length = [("explore", dict(address))], depth(visitor)
    for name in (*itertools.repeat("k", CHANGES // 2), "runs", "explore", *"k" * (CHANGES // 2)):
        if name == "k":
            slide(visitor, "view_k")
            place += 1
            steps.append(("explore", address | {"k": stops[place]}))
        else:
            explore.choose_page(visitor, name)
            steps.append((name, steps[-1][1]))
        stands(visitor, *steps[-1])
    assert depth(visitor) == length + len(steps) - 1
    for step in steps[-2::-1]:
        # A press while the page before is still drawn adds steps (Streamlit 1.67).
        page.wait_for_selector(AT_REST)
        page.go_back()
        stands(visitor, *step)
        if step[0] == "explore":
            says(visitor, alpha=address["alpha"], k=step[1].get("k", "100"))
        assert depth(visitor) == length + len(steps) - 1, step
    for turn in range(TURNS):
        # A page is left as soon as its control has been moved.
        slide(visitor, "fit_alpha")
        address["alpha"] = after(0.25, turn + 1)
        explore.choose_page(visitor, "compare")
        stands(visitor, "compare", address)
        expect(journey.field("n_seeds")).to_have_value(str(100 - turn))
        journey.stands("Computing · ")
        journey.field("n_seeds").fill(str(99 - turn))
        journey.field("n_seeds").press("Enter")
        explore.choose_page(visitor, "runs")
        stands(visitor, "runs", address)
        expect(state_of(visitor, "Compare on faces")).to_have_text("Running")
        explore.choose_page(visitor, "guide")
        stands(visitor, "guide", address)
        parts = ("Using the dashboard", "From Python")
        expect(chosen(visitor, parts[turn % 2])).to_have_count(1)
        page.get_by_role("radio", name=parts[(turn + 1) % 2]).click()
        explore.choose_page(visitor, "explore")
        stands(visitor, "explore", address)
        says(visitor, alpha=address["alpha"], beta="0.0001")
        explore.wait_for_badge(visitor, r"improving: within ([\d.]+) %")
    explore.wait_for_iterations(visitor, 19)
    # Then all at once.
    for _ in range(10):
        slide(visitor, "view_k")
    last = stops[stops.index("100") + 10]
    stands(visitor, "explore", address | {"k": last})
    says(visitor, alpha=address["alpha"], k=last)
    assert explore.iterations(visitor) == 20  # the same fit, which goes on
    a_fit_is_stopped_and_continued(visitor, limits)
    explore.choose_page(visitor, "compare")
    journey.press("stop")
    journey.stands("Stopped · ")
    limits.set()
    a_value_stays_that_was_typed_right_before_another_page_was_chosen(journey, limits)
    a_film_is_stopped_and_continued(visitor, limits)
    visitor.is_healthy()


def a_fit_is_stopped_and_continued(visitor: Visitor, limits: Limits) -> None:
    """It goes on while another page is open and through a reload, and stopped it stands still."""
    page = visitor.page
    explore.choose_page(visitor, "guide")
    limits.set(iterations=30, cells=1)
    explore.choose_page(visitor, "explore")
    explore.button(visitor, "stop_button").wait_for()
    explore.wait_for_iterations(visitor, 29)
    page.reload(wait_until="domcontentloaded")
    explore.wait_for_badge(visitor, r"improving: within ([\d.]+) %")
    assert explore.iterations(visitor) == 30
    visitor.rest()
    explore.button(visitor, "stop_button").click()
    explore.wait_for_badge(visitor, r"stopped: within ([\d.]+) %")
    limits.set(iterations=40, cells=1)
    visitor.rest()
    page.reload(wait_until="domcontentloaded")
    explore.wait_for_badge(visitor, r"stopped: within ([\d.]+) %")
    visitor.rest()
    assert explore.iterations(visitor) == 30, "it had not stopped"
    explore.button(visitor, "continue_button").click()
    explore.wait_for_iterations(visitor, 39)
    assert explore.iterations(visitor) == 40, "Continue began anew"
    explore.button(visitor, "stop_button").click()
    explore.wait_for_badge(visitor, r"stopped: within ([\d.]+) %")


def a_film_is_stopped_and_continued(visitor: Visitor, limits: Limits) -> None:
    """It is not begun again by what else is done on the page."""
    limits.set(frames=10)
    visitor.open("/?data=digits&alpha=0.1&beta=0.0315")
    stage = visitor.page.locator(explore.STAGE)
    scrub = stage.locator(".scrub")
    stop, go_on = stage.get_by_label("Stop making the film"), stage.get_by_text("Go on (")
    stage.get_by_role("button", name="Loop").wait_for(state="hidden")
    expect(scrub).to_have_attribute("aria-label", re.compile("of 41 frames"))
    stop.click()
    expect(go_on).to_be_visible()
    limits.set()
    visitor.rest()
    left = go_on.inner_text()
    explore.drag(visitor, "view_k", 1)
    explore.wait_for_query(visitor, "k")
    visitor.rest()
    expect(go_on).to_have_text(left)
    expect(stop).to_be_hidden()
    frames = scrub.get_attribute("aria-label")
    go_on.click()
    expect(scrub).not_to_have_attribute("aria-label", frames)
    expect(go_on).to_be_hidden()


def a_value_stays_that_was_typed_right_before_another_page_was_chosen(
    journey: Journey, limits: Limits
) -> None:
    """As on a crowded server: it begins later than a press on a link follows the end of typing."""
    visitor = journey.visitor
    visitor.rest()
    limits.set(milliseconds=500)
    journey.field("n_seeds").fill("17")
    # Pressed twice, as a hasty hand does.
    visitor.page.get_by_role("link", name="Runs").first.click()
    explore.choose_page(visitor, "runs")
    limits.set()
    explore.choose_page(visitor, "compare")
    expect(journey.field("n_seeds")).to_have_value("17")
