"""Explore: moving penalties, stopping, leaving, coming back, pointing at pixels."""

import itertools
import re
from collections.abc import Callable

import numpy as np
from playwright.sync_api import expect

from cspca.ui import fields
from tests.browser import explore
from tests.browser.harness import Visitor

POINTS = """lines => lines.map(line => [...line.getAttribute("d").matchAll(/[ML]([^,]+),([^ML]+)/g)]
    .map(([, x, y]) => [Number(x), Number(y)]))"""


def test_alpha_is_moved_and_certified_and_its_curve_falls_to_the_bound(visitor: Visitor) -> None:
    """`tests.benchmarks.browser` times the moves, from letting go of the slider."""
    page = visitor.page
    visitor.open("/?alpha=0.71")
    explore.wait_for_certificate(visitor)
    visitor.rest()
    # Iterates of the ADMM rise now and then: drawn is the best objective so far.
    chart = page.locator(explore.CURVE)
    chart.locator(".best").first.wait_for(state="attached")
    # The last of its drawings, which a crowded machine makes late.
    expect(chart.locator(".bound")).to_have_attribute("d", re.compile(r"V[\d.]+.*V[\d.]+"))
    (best,) = chart.locator(".best").evaluate_all(POINTS)
    # On a screen y grows downwards.
    assert all(point[1] <= after[1] for point, after in itertools.pairwise(best))
    assert best[0][1] >= 0, "the fall begins inside the chart"
    assert best[0][1] < best[-1][1]
    box = chart.bounding_box()
    assert best[-1][1] - best[0][1] > box["height"] / 3
    # The bound is proven step by step, below the objective, and the gap between them is seen.
    bound = chart.locator(".bound").get_attribute("d")
    steps = [float(place) for place in re.findall(r"V([\d.]+)", bound)]
    assert len(steps) >= 2
    assert steps == sorted(steps, reverse=True)
    assert steps[-1] > best[-1][1] + 2
    expect(chart).to_contain_text("of the optimum")
    page.mouse.move(box["x"] + 0.6 * box["width"], box["y"] + 0.5 * box["height"])
    tip = page.locator(f"{explore.STAGE} .plot .tip")
    expect(tip).to_contain_text(re.compile(r"objective [\d.,]+, .*within [\d.]+ % of the optimum"))
    assert "none yet" not in tip.inner_text()

    # What is moved is certified anew.
    before = page.evaluate(explore.SHOWN)
    explore.drag(visitor, "fit_alpha", -6)
    alpha = fields.say(fields.PENALTIES[fields.PENALTIES.index(0.71) - 6])
    page.wait_for_function(explore.CERTIFIED_ANEW, arg=[alpha, before])

    # Where W is zero the pictures say so.
    visitor.open("/?data=digits&alpha=1&beta=1")
    stage = page.locator(explore.STAGE)
    expect(stage.locator(".kept figcaption")).to_have_text("No pixel is in use")
    expect(stage.locator(".rebuilt figcaption")).to_contain_text("Rebuilt from no pixel, mean")
    visitor.is_healthy()


def test_pixels_are_picked_and_the_film_is_played_dragged_fills_the_screen_and_moves_components(
    visitor: Visitor,
) -> None:
    page = visitor.page
    visitor.open("/?data=digits&alpha=0.4&beta=0.02")
    explore.wait_for_certificate(visitor)
    stage = page.locator(explore.STAGE)
    scrub, readout = stage.locator(".scrub"), stage.locator(".readout")
    expect(scrub).to_have_attribute("aria-label", re.compile("41 of 41"))
    visitor.rest()

    # A pixel under the mouse says what it is; the one that is picked, what it is used for.
    pixels = page.locator(f"{explore.MAP} .pm-stage")
    pixels.hover(position={"x": 3, "y": 3})
    expect(page.locator(f"{explore.MAP} .pm-tip")).to_have_text(
        re.compile(
            r"^row 1, column 1 · (exact zero|score [\d.e-]+)(, proven .*)? · rank \d+ of 64"
            r"(, shared by \d+)?$"
        )
    )
    pixels.click(position={"x": 150, "y": 150})
    answer = stage.locator(".weights figcaption")
    expect(answer).to_have_text(re.compile(r"^Row \d+, column \d+ "))
    by_mouse = answer.inner_text()
    for key in ("ArrowRight", "ArrowDown", "Enter"):
        pixels.press(key)
    expect(answer).not_to_have_text(by_mouse)
    visitor.rest()

    # The link of the page is a QR code.
    stage.get_by_role("button", name="QR code of the link").click()
    code = stage.locator(".code")
    expect(code).to_be_visible()
    expect(code).to_contain_text("/?data=digits")
    expect(code).not_to_contain_text("alpha=")
    expect(code.get_by_role("img")).to_have_attribute("alt", re.compile("QR code of .*data=digits"))
    code.get_by_role("button", name="Close").click()

    # Played, the film comes once round to the fit of the page: nothing jumps back.
    readout.evaluate(
        "one => { window.read = []; new MutationObserver("
        "() => window.read.push(one.textContent)).observe(one, { childList: true }) }"
    )
    stage.get_by_role("button", name="Speed").click()
    stage.get_by_role("button", name="Play").click()
    expect(stage.locator(".play")).to_have_attribute("aria-label", "Pause")
    expect(stage.locator(".play")).to_have_attribute("aria-label", "Play")
    expect(readout).to_have_text("α = 0.4")
    # A browser that has no time leaves frames out.
    shown = [float(text.removeprefix("α = ")) for text in page.evaluate("window.read")]
    assert max(shown) > 0.5
    assert min(shown) < 0.1
    assert shown[-1] == 0.4

    # Dragged, it sets α for the whole page where it is let go, and not before.
    box = scrub.bounding_box()
    height = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + 0.6 * box["width"], height)
    page.mouse.down()
    numbers = stage.locator(".numbers")
    used = []
    # It ends at an α where the number of pixels in use does not depend on the gap of a fit.
    for share in (0.7, 0.8, 0.875):
        page.mouse.move(box["x"] + share * box["width"], height)
        explore.draw_two_frames(visitor)
        used.append(int(re.search(r"in use\s+(\d+) of 64", numbers.inner_text())[1]))
    assert used == sorted(used, reverse=True)
    assert used[0] > used[-1] > 0
    assert "alpha" not in explore.query(visitor), "no more is set than on release"
    held = explore.heatmap(visitor)
    page.mouse.up()
    page.wait_for_url(re.compile(r"[?&]alpha=0\.63"))
    explore.wait_for_certificate(visitor)
    visitor.rest()
    # The page's own fit is the frame: the same pixels are in use, in nearly the same colours.
    expect(numbers).to_contain_text(f"{used[-1]} of 64")
    assert np.abs(explore.heatmap(visitor).astype(int) - held.astype(int)).max() <= 6
    knob = page.locator(".st-key-fit_alpha input[type=range]")
    alpha = explore.query(visitor)["alpha"]
    expect(knob).to_have_attribute("aria-valuetext", alpha)

    # It fills the screen, and moves there.
    base = stage.locator(".pm-base")
    small = base.bounding_box()["height"]
    stage.get_by_role("button", name="Full screen").click()
    page.wait_for_function(
        "([base, small]) => document.fullscreenElement && base.clientHeight > small",
        arg=[base.element_handle(), small],
    )
    scrub.press("ArrowRight")
    expect(readout).not_to_have_text(f"α = {alpha}")
    stage.get_by_role("button", name="Full screen").click()
    page.wait_for_function("() => document.fullscreenElement === null")
    the_film_moves_the_components(visitor)
    visitor.is_healthy()


def the_film_moves_the_components(visitor: Visitor) -> None:
    """Their pictures follow it, and it sets α only where it is let go."""
    page = visitor.page
    page.get_by_role("radio", name="Components", exact=True).click()
    axes = page.locator(".axes")
    scrub, first = axes.locator(".scrub"), axes.locator(".pair canvas").first
    expect(scrub).to_have_attribute("aria-label", re.compile("41 of 41"))
    visitor.rest()
    alpha = explore.query(visitor)["alpha"]
    before, home = first.evaluate("canvas => canvas.toDataURL()"), scrub.input_value()
    share, _ = axes.locator("figcaption").nth(1).inner_text().split(", ")
    # From the last frame but one, where little is left, back to where it began.
    scrub.press("End")
    scrub.press("ArrowLeft")
    expect(axes.locator(".readout")).not_to_have_text(f"α = {alpha}")
    assert first.evaluate("canvas => canvas.toDataURL()") != before
    # PCA's share is the same for every frame.
    assert axes.locator("figcaption").nth(1).inner_text().startswith(f"{share}, ")
    scrub.press("Escape")
    expect(axes.locator(".readout")).to_have_text(f"α = {alpha}")
    assert scrub.input_value() == home
    assert first.evaluate("canvas => canvas.toDataURL()") == before
    assert explore.query(visitor)["alpha"] == alpha
    scrub.press("ArrowLeft")
    page.wait_for_function(
        "alpha => new URL(location).searchParams.get('alpha') !== alpha", arg=alpha
    )
    visitor.rest()
    expect(axes.locator(".readout")).to_have_text(f"α = {explore.query(visitor)['alpha']}")
    expect(axes).to_have_attribute("data-stale", "false")


def test_two_fits_and_two_solvers_are_compared_and_a_pinned_fit_is_in_the_link(
    server, visit: Callable[..., Visitor]
) -> None:
    visitor = visit(server)
    visitor.open("/?data=digits&alpha=0.2&beta=0.05")
    explore.wait_for_certificate(visitor)
    visitor.rest()
    visitor.page.locator(visitor.key("explore_more")).locator("summary").click()
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
    guest.is_healthy()

    # Over the iterations the certified solver and Algorithm 1 stand side by side.
    explore.button(visitor, "pin_button").click()
    expect(stage).to_have_attribute("data-others", "0")
    stage.get_by_role("radio", name="iterations").click()
    scrub = stage.locator(".scrub")
    expect(stage).to_have_attribute("data-others", "1")
    expect(stage.locator(".one figcaption")).to_contain_text("Algorithm 1")
    expect(scrub).to_have_attribute("aria-label", re.compile(r"(\d+) of \1 frames"))
    expect(stage.locator(".curve .best")).to_have_count(2)
    visitor.rest()
    last = explore.heatmap(visitor), explore.drawn(visitor, "one")
    assert last[0].shape == last[1].shape
    scrub.press("Home")
    expect(stage.locator(".readout")).to_have_text("iteration 1")
    explore.draw_two_frames(visitor)
    first = explore.heatmap(visitor), explore.drawn(visitor, "one")
    assert (first[0] != last[0]).any()
    assert (first[1] != last[1]).any()
    assert "alpha" not in explore.query(visitor)
    stage.get_by_role("radio", name="along α").click()
    expect(stage).to_have_attribute("data-others", "0")
    visitor.is_healthy()
