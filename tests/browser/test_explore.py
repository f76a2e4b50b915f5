"""Explore: moving penalties, stopping, leaving, coming back, pointing at pixels."""

import itertools
import re
from collections.abc import Callable

import numpy as np
from playwright.sync_api import expect

from cspca.ui import fields
from tests.browser import explore
from tests.browser.harness import Visitor


def test_a_move_of_alpha_is_certified_again(visitor: Visitor) -> None:
    """From letting go of the slider; `tests.benchmarks.browser` times it."""
    visitor.open("/?data=faces&alpha=0.05&beta=0.018")
    explore.wait_for_certificate(visitor)
    visitor.rest()
    place = fields.PENALTIES.index(0.05)
    # × 1.25 and × 2.
    for steps in (2, 6):
        place += steps
        before = visitor.page.evaluate(explore.SHOWN)
        explore.drag(visitor, "fit_alpha", steps)
        wanted = [fields.say(fields.PENALTIES[place]), before]
        visitor.page.wait_for_function(explore.CERTIFIED_ANEW, arg=wanted)
        visitor.rest()
    visitor.is_healthy()


def _start_long_fit(visitor: Visitor, alpha: float) -> None:
    """A fit of half a minute; every test has an α of its own, so that none finds it at hand."""
    visitor.open(f"/?data=faces&alpha={alpha}&beta=0.0001&tol=1e-05")
    explore.wait_for_badge(visitor, r"improving: within ([\d.]+) %")


def test_stop_takes_effect_and_continue_goes_on(visitor: Visitor) -> None:
    _start_long_fit(visitor, 0.25)
    goes_on_from = explore.iterations(visitor)
    explore.wait_for_iterations(visitor, goes_on_from)
    explore.button(visitor, "stop_button").click()
    explore.wait_for_badge(visitor, r"stopped: within ([\d.]+) %")
    visitor.rest()
    stopped_at = explore.iterations(visitor)
    assert stopped_at > goes_on_from
    visitor.page.wait_for_timeout(800)
    assert explore.iterations(visitor) == stopped_at, "it had not stopped"
    explore.button(visitor, "continue_button").click()
    explore.wait_for_badge(visitor, r"improving: within ([\d.]+) %")
    assert explore.iterations(visitor) >= stopped_at, "Continue began anew"
    explore.button(visitor, "stop_button").click()
    explore.wait_for_badge(visitor, r"stopped: within ([\d.]+) %")
    visitor.is_healthy()


def test_settle_tightens_and_shows_which_pixels_are_proven_to_be_small(visitor: Visitor) -> None:
    visitor.open("/?data=digits&alpha=0.35&beta=0.05")
    assert explore.wait_for_certificate(visitor) > 1e-5
    proven = visitor.page.locator(f"{explore.MAP} .pm-proven")
    loosely = proven.inner_text()
    explore.button(visitor, "settle_button").click()
    explore.wait_for_badge(visitor, r"within (0\.00[01][\d]*) % of the optimum \(proven\)")
    expect(proven).not_to_have_text(loosely)
    expect(proven).to_have_text(re.compile(r"\d+ proven at most [1-5] % of the best score"))
    before = explore.heatmap(visitor)
    proven.click()
    assert (explore.heatmap(visitor) != before).any()
    visitor.is_healthy()


def test_leaving_and_reloading_find_the_same_job_still_running(visitor: Visitor) -> None:
    _start_long_fit(visitor, 0.28)
    before = explore.iterations(visitor)
    explore.choose_page(visitor, "theory")
    explore.choose_page(visitor, "explore")
    explore.button(visitor, "stop_button").wait_for()
    meanwhile = explore.iterations(visitor)
    assert meanwhile > before

    visitor.page.reload(wait_until="domcontentloaded")
    explore.wait_for_badge(visitor, r"improving: within ([\d.]+) %")
    assert explore.iterations(visitor) >= meanwhile
    explore.button(visitor, "stop_button").click()
    explore.wait_for_badge(visitor, r"stopped: within ([\d.]+) %")
    visitor.is_healthy()


def test_a_second_visitor_sees_none_of_the_first_ones(
    server, visit: Callable[..., Visitor]
) -> None:
    first = visit(server)
    _start_long_fit(first, 0.315)
    second = visit(server)
    second.open("/")
    explore.wait_for_certificate(second)
    assert "0.315" not in second.page.inner_text("body")
    # what the first one sees goes on
    explore.wait_for_badge(first, r"within ([\d.]+) % of the optimum")
    explore.button(first, "stop_button").click()
    explore.wait_for_badge(first, r"within ([\d.]+) % of the optimum")


POINTS = """lines => lines.map(line => [...line.getAttribute("d").matchAll(/[ML]([^,]+),([^ML]+)/g)]
    .map(([, x, y]) => [Number(x), Number(y)]))"""


def test_the_curve_falls_shows_its_whole_fall_and_where_the_bound_is(visitor: Visitor) -> None:
    """An ADMM's own iterates rise now and then: drawn is the best of them so far."""
    visitor.open("/?data=faces&alpha=0.9")
    explore.wait_for_certificate(visitor)
    visitor.rest()
    chart = visitor.page.locator(explore.CURVE)
    chart.locator(".best").first.wait_for(state="attached")
    (best,) = chart.locator(".best").evaluate_all(POINTS)
    # On a screen y grows downwards.
    assert all(one[1] <= after[1] for one, after in itertools.pairwise(best))
    assert best[0][1] >= 0, "the fall begins inside the chart"
    assert best[0][1] < best[-1][1]
    height = chart.bounding_box()["height"]
    assert best[-1][1] - best[0][1] > height / 3
    # The limit is proven step by step, below the objective, and what is left between is seen.
    bound = chart.locator(".bound").get_attribute("d")
    reached = [float(one) for one in re.findall(r"V([\d.]+)", bound)]
    assert len(reached) >= 2
    assert reached == sorted(reached, reverse=True)
    assert reached[-1] > best[-1][1] + 2
    expect(chart).to_contain_text("of the optimum")
    box = chart.bounding_box()
    visitor.page.mouse.move(box["x"] + 0.6 * box["width"], box["y"] + 0.5 * box["height"])
    tip = visitor.page.locator(f"{explore.STAGE} .plot .tip")
    expect(tip).to_contain_text(re.compile(r"objective [\d.,]+, .*within [\d.]+ % of the optimum"))
    assert "none yet" not in tip.inner_text()
    visitor.is_healthy()


def test_everything_that_matters_is_seen_without_scrolling(
    server, visit: Callable[..., Visitor]
) -> None:
    for width, height in ((1440, 900), (1280, 720)):
        visitor = visit(server, width=width, height=height)
        visitor.open("/")
        explore.wait_for_certificate(visitor)
        visitor.rest()
        for part in ("pm-base", "curve", "numbers", "kept", "rebuilt", "weights"):
            box = visitor.page.locator(f"{explore.STAGE} .{part}").bounding_box()
            assert box["y"] >= 0, part
            assert box["y"] + box["height"] <= height, part
            assert box["x"] + box["width"] <= width, part
        visitor.is_healthy()


def test_both_solvers_on_one_chart(visitor: Visitor) -> None:
    visitor.open("/?data=digits&solver=both")
    explore.wait_for_certificate(visitor)
    visitor.rest()
    chart = visitor.page.locator(explore.CURVE)
    words = chart.get_attribute("aria-label")
    assert "Certified solver" in words
    assert "Algorithm 1" in words
    expect(chart.locator(".best")).to_have_count(2)
    visitor.is_healthy()


def test_pixels_say_what_they_are_under_the_mouse_and_the_keyboard(visitor: Visitor) -> None:
    visitor.open("/?data=digits")
    explore.wait_for_certificate(visitor)
    visitor.rest()
    stage = visitor.page.locator(f"{explore.MAP} .pm-stage")
    stage.hover(position={"x": 3, "y": 3})
    tip = visitor.page.locator(f"{explore.MAP} .pm-tip")
    assert re.fullmatch(
        r"row 1, column 1 · (exact zero|score [\d.e-]+)(, proven .*)? · rank \d+ of 64"
        r"(, shared by \d+)?",
        tip.inner_text(),
    )

    stage.click(position={"x": 150, "y": 150})
    answer = visitor.page.locator(f"{explore.STAGE} .weights figcaption")
    expect(answer).to_have_text(re.compile(r"^Row \d+, column \d+ "))
    by_mouse = answer.inner_text()

    stage.press("ArrowRight")
    stage.press("ArrowDown")
    stage.press("Enter")
    expect(answer).not_to_have_text(by_mouse)
    visitor.rest()
    visitor.is_healthy()


def test_alpha_is_dragged_in_a_film_and_let_go_for_the_whole_page(visitor: Visitor) -> None:
    visitor.open("/?data=digits&alpha=0.4&beta=0.03")
    explore.wait_for_certificate(visitor)
    scrub = visitor.page.locator(f"{explore.STAGE} .scrub")
    expect(scrub).to_have_attribute("aria-label", re.compile("41 of 41"))
    visitor.rest()
    box = scrub.bounding_box()
    mouse, height = visitor.page.mouse, box["y"] + box["height"] / 2
    mouse.move(box["x"] + 0.6 * box["width"], height)
    mouse.down()
    numbers = visitor.page.locator(f"{explore.STAGE} .numbers")
    used = []
    for share in (0.7, 0.8, 0.9):
        mouse.move(box["x"] + share * box["width"], height)
        visitor.page.evaluate("() => new Promise(requestAnimationFrame)")
        visitor.page.wait_for_timeout(50)
        used.append(int(re.search(r"in use\s+(\d+) of 64", numbers.inner_text())[1]))
    assert used == sorted(used, reverse=True)
    assert used[0] > used[-1] > 0
    assert "alpha" not in explore.query(visitor), "no more is set than on release"
    held = explore.heatmap(visitor)
    mouse.up()
    visitor.page.wait_for_url(re.compile(r"[?&]alpha=0\.(6|7)"))
    explore.wait_for_certificate(visitor)
    visitor.rest()
    # The page's own fit is the frame: the same pixels are in use, in nearly the same colours.
    assert f"{used[-1]} of 64" in numbers.inner_text()
    assert np.abs(explore.heatmap(visitor).astype(int) - held.astype(int)).max() <= 6
    knob = visitor.page.locator(".st-key-fit_alpha input[type=range]")
    assert knob.get_attribute("aria-valuetext") == explore.query(visitor)["alpha"]
    visitor.is_healthy()


def test_the_making_of_a_film_is_stopped_and_gone_on_with(visitor: Visitor) -> None:
    # At this tolerance it takes long enough to be stopped on a slow machine too.
    visitor.open("/?data=faces&alpha=0.1&beta=0.0315&tol=0.0001")
    stage = visitor.page.locator(explore.STAGE)
    stop, go_on = stage.get_by_label("Stop making the film"), stage.get_by_text("Go on (")
    stage.get_by_role("button", name="Loop").wait_for(state="hidden")
    some = re.compile("of 41 frames")
    expect(stage.locator(".scrub")).to_have_attribute("aria-label", some)
    stop.click()
    expect(go_on).to_be_visible()
    visitor.rest()
    left = go_on.inner_text()
    # It is not begun again by what else is done on the page.
    visitor.page.wait_for_timeout(1500)
    explore.drag(visitor, "view_k", 1)
    visitor.rest()
    expect(go_on).to_have_text(left)
    expect(stop).to_be_hidden()
    there = stage.locator(".scrub").get_attribute("aria-label")
    go_on.click()
    expect(stage.locator(".scrub")).not_to_have_attribute("aria-label", there)
    expect(go_on).to_be_hidden()
    visitor.is_healthy()


def test_over_the_iterations_both_solvers_stand_side_by_side(visitor: Visitor) -> None:
    visitor.open("/?data=digits&alpha=0.355&beta=0.04")
    explore.wait_for_certificate(visitor)
    stage = visitor.page.locator(explore.STAGE)
    stage.get_by_role("radio", name="iterations").click()
    scrub = stage.locator(".scrub")
    expect(stage).to_have_attribute("data-others", "1")
    expect(stage.locator(".one figcaption")).to_contain_text("Algorithm 1")
    expect(scrub).to_have_attribute("aria-label", re.compile(r"(\d+) of \1 frames"))
    expect(stage.locator(".curve .best")).to_have_count(2)
    last = explore.heatmap(visitor), explore.drawn(visitor, "one")
    assert last[0].shape == last[1].shape
    scrub.press("Home")
    expect(stage.locator(".readout")).to_have_text("iteration 1")
    visitor.page.wait_for_timeout(100)
    first = explore.heatmap(visitor), explore.drawn(visitor, "one")
    assert (first[0] != last[0]).any()
    assert (first[1] != last[1]).any()
    assert explore.query(visitor)["alpha"] == "0.355"
    stage.get_by_role("radio", name="along α").click()
    expect(stage).to_have_attribute("data-others", "0")
    visitor.is_healthy()


def test_the_stage_fills_the_screen_and_its_link_is_given_away(visitor: Visitor) -> None:
    visitor.open("/?data=digits&alpha=0.4&beta=0.02")
    explore.wait_for_certificate(visitor)
    visitor.rest()
    stage = visitor.page.locator(explore.STAGE)
    stage.get_by_role("button", name="QR code of the link").click()
    code = stage.locator(".code")
    expect(code).to_be_visible()
    expect(code).to_contain_text("/?data=digits")
    expect(code).not_to_contain_text("alpha=")
    expect(code.get_by_role("img")).to_have_attribute("alt", re.compile("QR code of .*data=digits"))
    code.get_by_role("button", name="Close").click()
    whole = re.compile("41 of 41")
    expect(stage.locator(".scrub")).to_have_attribute("aria-label", whole)
    # Played, it comes once round to the fit of the page: nothing jumps back.
    read = stage.locator(".readout")
    read.evaluate(
        "one => { window.read = []; new MutationObserver("
        "() => window.read.push(one.textContent)).observe(one, { childList: true }) }"
    )
    for _ in range(2):
        stage.get_by_role("button", name="Speed").click()
    stage.get_by_role("button", name="Play").click()
    expect(stage.locator(".play")).to_have_attribute("aria-label", "Pause")
    expect(stage.locator(".play")).to_have_attribute("aria-label", "Play")
    shown = visitor.page.evaluate("window.read")
    assert {"α = 1", "α = 0.01"} <= set(shown)
    assert shown[-1] == "α = 0.4"
    small = stage.locator(".pm-base").bounding_box()["height"]
    stage.get_by_role("button", name="Full screen").click()
    visitor.page.wait_for_function("() => document.fullscreenElement !== null")
    visitor.page.wait_for_timeout(300)
    assert stage.locator(".pm-base").bounding_box()["height"] > small
    stage.locator(".scrub").press("ArrowRight")
    expect(stage.locator(".readout")).not_to_have_text("α = 0.4")
    stage.get_by_role("button", name="Full screen").click()
    visitor.page.wait_for_function("() => document.fullscreenElement === null")
    visitor.is_healthy()


def test_a_fit_is_pinned_and_held_against_the_next_in_another_browser_too(
    server, visit: Callable[..., Visitor]
) -> None:
    visitor = visit(server)
    visitor.open("/?data=digits&alpha=0.2&beta=0.05")
    explore.wait_for_certificate(visitor)
    visitor.rest()
    explore.button(visitor, "pin_button").click()
    stage = visitor.page.locator(explore.STAGE)
    expect(stage).to_have_attribute("data-others", "2")
    # At first they are one: the same map twice on one scale, and nothing of A − B has a sign.
    assert (explore.heatmap(visitor) == explore.drawn(visitor, "one")).all()
    assert len(np.unique(explore.drawn(visitor, "two").reshape(-1, 3), axis=0)) == 1
    expect(stage.locator(".two")).to_contain_text("no difference yet")
    before = explore.heatmap(visitor)
    explore.drag(visitor, "fit_alpha", 6)
    # 0.4 is usual for the digits, and so not in the address.
    visitor.page.wait_for_url(lambda url: "alpha=" not in url)
    visitor.rest()
    expect(stage.locator(".numbers")).to_contain_text("only A")
    assert len(np.unique(explore.drawn(visitor, "two").reshape(-1, 3), axis=0)) > 5
    same = explore.drawn(visitor, "one")
    # A is the map that was there, on the scale of both.
    assert ((before == before[0, 0]).all(axis=2) == (same == same[0, 0]).all(axis=2)).all()
    link = visitor.page.url.removeprefix(server.url)
    guest = visit(server, stranger=True)
    guest.open(link)
    explore.wait_for_certificate(guest)
    expect(guest.page.locator(explore.STAGE)).to_have_attribute("data-others", "2")
    guest.rest()
    for name in ("one", "two"):
        assert (explore.drawn(guest, name) == explore.drawn(visitor, name)).all()
    explore.button(guest, "pin_button").click()
    expect(guest.page.locator(explore.STAGE)).to_have_attribute("data-others", "0")
    for one in (visitor, guest):
        one.is_healthy()


def test_on_a_phone_the_map_its_film_and_the_picked_answer_stay_in_sight(
    server, visit: Callable[..., Visitor]
) -> None:
    visitor = visit(server, width=390, height=844)
    visitor.open("/?data=faces")
    explore.wait_for_certificate(visitor)
    visitor.rest()
    stage = visitor.page.locator(explore.STAGE)
    stage.scroll_into_view_if_needed()
    # The rest of the stage goes by beneath the card.
    top = stage.bounding_box()["y"]
    visitor.page.locator("[data-testid=stMain]").evaluate(
        "(main, by) => main.scrollBy(0, by)", top + 100
    )
    visitor.page.wait_for_timeout(300)
    stage.locator(".pm-base").click(position={"x": 110, "y": 110})
    expect(stage.locator(".weights figcaption")).to_have_text(re.compile(r"^Row \d+"))
    for part in ("pm-base", "scrub", "weights"):
        box = stage.locator(f".{part}").bounding_box()
        assert box["y"] >= 0, part
        assert box["y"] + box["height"] <= 844, part
        assert box["x"] + box["width"] <= 390, part
    # So does it while the page's own sliders go by below it, and follows what is moved there.
    place = stage.locator(".pm-base").bounding_box()
    slider = visitor.page.locator(".st-key-fit_alpha")
    slider.evaluate("slider => slider.scrollIntoView({ block: 'end' })")
    assert slider.bounding_box()["y"] > place["y"] + place["height"]
    before = visitor.page.evaluate(explore.SHOWN)
    explore.drag(visitor, "fit_alpha", -20)
    drawn = f"before => (now => now.current && now.picture !== before)(({explore.SHOWN})())"
    visitor.page.wait_for_function(drawn, arg=before["picture"])
    assert stage.locator(".pm-base").bounding_box()["y"] == place["y"]
    visitor.is_healthy()
