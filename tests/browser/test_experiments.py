"""The pages of experiments: asked, read, taken away, pressed, stopped, killed, shared."""

import sqlite3
from pathlib import Path

from playwright.sync_api import expect

from tests.browser import explore
from tests.browser.harness import FEW, Visitor, running_server
from tests.browser.journey import Journey
from tests.browser.limits import HELD, Limits

SMALL = {"n_seeds": 2, "n_features": "8, 32"}
"""What is asked of Compare."""

#: In the page: the places of a cell of the map, α = 0.2 and β = 0.01 where all are there, and its α
#: and its β as the axes say them.
CELL = """plot => {
    const [alphas, betas] = [plot._fullLayout.xaxis.ticktext, plot._fullLayout.yaxis.ticktext]
    const [i, j] = [Math.min(4, alphas.length - 1), betas.length > 2 ? 2 : 0]
    return [i, j, alphas[i], betas[j]]
}"""

#: In the page: where the centre of a cell of the map is, in pixels of the window.
CENTRE = """([plot, i, j]) => {
    const layout = plot._fullLayout
    const box = plot.getBoundingClientRect()
    return [box.x + layout.xaxis._offset + layout.xaxis.l2p(i),
            box.y + layout.yaxis._offset + layout.yaxis.l2p(j)]
}"""


def a_cell_of_the_preview_is_clicked_and_opened(visitor: Visitor) -> None:
    page = visitor.page
    journey = Journey(visitor, "sensitivity")
    journey.open()
    plot = journey.box("grid_figure").locator(".js-plotly-plot").first
    plot.scroll_into_view_if_needed()
    i, j, alpha, beta = page.evaluate(CELL, plot.element_handle())
    x, y = page.evaluate(CENTRE, [plot.element_handle(), i, j])
    page.mouse.move(x - 3, y - 3)
    page.mouse.click(x, y)
    for key, value in (("grid_cell_alpha", alpha), ("grid_cell_beta", beta)):
        expect(journey.box(key).get_by_role("combobox")).to_have_value(value)
    visitor.rest()
    explore.button(visitor, "open_cell_button").click()
    visitor.sees("Which pixels matter?")
    explore.wait_for_certificate(visitor)
    visitor.rest()
    seen = explore.query(visitor)
    assert (float(seen["alpha"]), float(seen["beta"])) == (float(alpha), float(beta))


def test_asked_by_a_link_it_is_computed_read_taken_away_and_found_again(
    visit, server, tmp_path: Path
) -> None:
    visitor = visit(server)
    journey = Journey(visitor, "compare")
    journey.open()
    # An answer is there before anything is asked, and is no run of anybody.
    assert "run-compare" not in visitor.page.url
    journey.ask(**SMALL)
    journey.press("run")
    journey.link()
    journey.stands("Done · ")
    visitor.rest()
    # That the lines of Python give the same table is held by tests/app/test_experiment_pages.py.
    table = journey.results(tmp_path)
    assert set(table["n_features"]) >= {8, 32}
    link = journey.link()
    visitor.is_healthy()
    visitor.leave()
    # Whoever has the link sees it. That the same is computed once for all is held by
    # tests/app/test_experiment_pages.py.
    visitor = visit(server)
    journey = Journey(visitor, "compare")
    visitor.open(link)
    journey.stands("Done · ")
    for name, value in SMALL.items():
        expect(journey.field(name)).to_have_value(str(value))
    journey.changes_nothing()
    visitor.rest()
    # What the table says is held by tests/app/test_experiment_results.py.
    pickers = set(table[table["n_features"] == 32]["method"]) - {"random"}
    expect(journey.box("method_masks").locator("img")).to_have_count(1 + len(pickers))
    expect(visitor.page.locator(".js-plotly-plot")).to_have_count(4)
    a_cell_of_the_preview_is_clicked_and_opened(visitor)
    visitor.is_healthy()


def test_stopped_continued_and_killed_it_loses_nothing(visit, tmp_path: Path) -> None:
    """Also: the link of an unfinished run lets others look, and change nothing."""
    limits = Limits(tmp_path)
    with running_server(tmp_path, HELD) as first:
        journey = Journey(visit(first), "sensitivity")
        journey.open()
        journey.choose("The paper’s")
        journey.ask(n_seeds=2)
        journey.visitor.sees("The settings have changed since: press Run the grid")
        limits.set(cells=10)
        journey.press("run")
        journey.stands(r"Computing · .*[1-9]\d* of 147")
        journey.press("stop")
        stopped = journey.n_done("Stopped · ")
        assert 0 < stopped < 147
        link = journey.link()
        journey.visitor.page.reload()
        assert journey.n_done("Stopped · ") == stopped
        other = Journey(visit(first), "sensitivity")
        other.visitor.open(link)
        assert other.n_done("Stopped · ") == stopped
        other.changes_nothing()
        other.visitor.leave()
        journey.press("resume")
        journey.stands("Computing · .* left")
        first.process.kill()
        first.process.wait(10)
    kept = cells(tmp_path)
    assert kept
    # As if the half minute had passed after which nobody waits for a killed worker.
    with sqlite3.connect(next(tmp_path.rglob("*.sqlite"))) as connection:
        connection.execute("UPDATE cells SET until = 0 WHERE until IS NOT NULL")
    limits.set()
    with running_server(tmp_path, FEW) as second:
        # The same browser, and so its owner.
        again = journey.visitor.page.context.new_page()
        journey.visitor.page.close()
        journey = Journey(Visitor(again, second), "sensitivity")
        journey.visitor.open(link)
        assert stopped <= journey.n_done("Stopped · ") < 147
        journey.press("resume")
        journey.stands("Done · 147 of 147")
        journey.visitor.is_healthy()
    after = cells(tmp_path)
    assert len(kept) < len(after)
    assert kept.items() <= after.items()


def cells(folder: Path) -> dict[bytes, tuple[str, int]]:
    """The seals of what a store holds, and how often it was committed."""
    with sqlite3.connect(next(folder.rglob("*.sqlite"))) as connection:
        found = connection.execute("SELECT key, seal, commits FROM cells WHERE finished > 0")
        return {key: (seal, commits) for key, seal, commits in found}
