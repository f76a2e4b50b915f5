"""Chromium, servers and visitors for the journeys.

Where Chromium is missing the journeys are skipped at a desk and fail under CI: a green build must
mean that they ran. A journey waits for states, as long as `PATIENCE`, and is never run again.
"""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, sync_playwright

from tests.browser.harness import (
    CHROMIUM,
    FEW,
    Server,
    Visitor,
    browser_at_home,
    new_visitor,
    running_server,
)
from tests.browser.limits import HELD, Limits

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.browser)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    report = yield
    if report.when == "call":
        item.stash[FAILED] = report.failed
    return report


FAILED = pytest.StashKey[bool]()


@pytest.fixture(scope="package")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BrowserContext]:
    """A browser that has been at the dashboard before."""
    if not CHROMIUM.is_file():
        reason = f"no Chromium at {CHROMIUM}: apt-get install chromium"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    profile = tmp_path_factory.mktemp("profile")
    with sync_playwright() as playwright, browser_at_home(playwright, profile) as context:
        yield context


@pytest.fixture
def browser(home: BrowserContext) -> Browser:
    """The same browser, to open windows that know nothing."""
    assert home.browser is not None
    return home.browser


@pytest.fixture(scope="package")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server shared by the journeys: as a department has it, with all that it forbids a page.

    It has few of the digits.
    """
    with running_server(tmp_path_factory.mktemp("home"), FEW) as running:
        yield running


@pytest.fixture(scope="package")
def held_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Server, Limits]]:
    """A server whose fits, films and runs go only as far as a journey lets them.

    A window may send it 1 MB at a time.
    """
    home = tmp_path_factory.mktemp("held")
    with running_server(home, HELD, CSPCA_UPLOAD="1") as running:
        yield running, Limits(home)


@pytest.fixture
def fresh_server(tmp_path: Path) -> Iterator[Server]:
    """A server that nobody has visited yet."""
    home = tmp_path / "home"
    home.mkdir()
    with running_server(home) as running:
        yield running


@pytest.fixture
def visit(
    home: BrowserContext, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[..., Visitor]]:
    """``visit(server, width=…)`` is a new visitor; a failure leaves a picture and each page."""
    visitors: list[Visitor] = []

    def arrive(server: Server, **wishes: object) -> Visitor:
        visitors.append(new_visitor(home, server, **wishes))
        return visitors[-1]

    yield arrive
    failed = request.node.stash.get(FAILED, True)
    folder = tmp_path_factory.mktemp("failed") if failed and visitors else None
    for number, visitor in enumerate(visitors):
        if folder is not None and not visitor.page.is_closed():
            picture = folder / f"visitor-{number}.png"
            visitor.page.screenshot(path=picture)
            picture.with_suffix(".html").write_text(visitor.page.content(), encoding="utf-8")
            print(f"\nscreenshot: {picture}\nconsole: {visitor.complaints}")
        visitor.leave()


@pytest.fixture
def visitor(server: Server, visit: Callable[..., Visitor]) -> Visitor:
    """The usual visitor of the file's server, at 1440 × 900."""
    return visit(server)
