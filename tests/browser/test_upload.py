"""Bringing one's own file: the real ORL faces, the live curve, and files that are none."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from scipy.io import savemat

from cspca.datasets import load_file, make_faces
from tests import real_data
from tests.browser import explore
from tests.browser.harness import Server, Visitor
from tests.browser.limits import Limits


@pytest.fixture(scope="module")
def orl_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The real ORL.mat, or rendered faces in its shape: 400 × 1024 uint8, stored by columns."""
    path = real_data.SHARED_DATA / real_data.FILES["ORL"]
    if path.is_file():
        return path
    faces = make_faces(n_people=40, n_per_person=10, image_size=32, random_state=1)
    by_columns = faces.data.reshape(-1, 32, 32).transpose(0, 2, 1).reshape(400, 1024)
    path = tmp_path_factory.mktemp("orl") / "ORL.mat"
    X = np.rint(255 * by_columns).astype(np.uint8)
    savemat(path, {"X": X, "Y": (faces.target + 1).astype(np.uint8)[:, None]})
    return path


WATCH_THE_CURVE = """() => {
    window.grown = 0
    window.blank = 0
    let before = Infinity
    const look = () => {
        const own = [...document.querySelectorAll(".st-key-importance_map *")]
            .find((one) => one.shadowRoot)
        const chart = own?.shadowRoot.querySelector(".curve")
        const line = chart?.querySelector(".best")
        const points = (line?.getAttribute("d") ?? "").split("L").length - 1
        if (!chart) window.blank += 1
        if (points > before) window.grown += 1
        before = points
    }
    setInterval(look, 20)
}"""


def test_the_orl_journey_from_a_refused_upload_to_the_live_curve(
    held_server: tuple[Server, Limits],
    visit: Callable[..., Visitor],
    orl_file: Path,
    tmp_path: Path,
) -> None:
    """What the files of a fit hold is held by tests/app/test_export.py."""
    server, limits = held_server
    limits.set()
    visitor = visit(server)
    visitor.open("/data")
    visitor.rest()
    more_than_one_may_send_is_refused_in_a_sentence(visitor, tmp_path)

    explore.choose_page(visitor, "explore")
    explore.wait_for_certificate(visitor)
    visitor.rest()
    explore.upload(visitor, orl_file)
    visitor.sees("400 images, 32 × 32, 40 classes")
    visitor.page.wait_for_function(
        "() => new URL(location).searchParams.get('data')?.length > 'digits'.length"
    )
    explore.wait_for_map(visitor)
    assert explore.wait_for_certificate(visitor) <= 1e-3
    visitor.rest()
    smaller, upright = explore.drawn(visitor, "original").mean(axis=2), load_file(orl_file).image(0)
    likeness = np.corrcoef(smaller.ravel(), upright.ravel())[0, 1]
    turned = np.corrcoef(smaller.ravel(), upright.T.ravel())[0, 1]
    assert likeness > 0.98 > turned

    # A corner where the gap closes slowly.
    data = explore.query(visitor)["data"]
    limits.set(iterations=20)
    visitor.open(f"/?data={data}&alpha=0.3&beta=0.0001&tol=1e-05")
    visitor.page.locator(explore.CURVE).wait_for()
    explore.wait_for_badge(visitor, r"improving: within ([\d.]+) %")
    visitor.page.evaluate(WATCH_THE_CURVE)
    for times in (1, 2, 3):
        limits.set(iterations=20 + 10 * times)
        visitor.page.wait_for_function("times => window.grown >= times", arg=times)
    limits.set()
    explore.wait_for_certificate(visitor)
    assert visitor.page.evaluate("() => window.blank") == 0, "the chart was gone for a moment"
    visitor.is_healthy()


def more_than_one_may_send_is_refused_in_a_sentence(visitor: Visitor, folder: Path) -> None:
    paths = [folder / name for name in ("first.mat", "second.mat")]
    for path in paths:
        path.write_bytes(bytes(700_000))
    place = visitor.page.locator("[class*=st-key-upload_file_bring] input[type=file]").first
    place.set_input_files(paths)
    visitor.sees(
        "Nothing was taken: one window may send 1 MB at a time, and with this upload it would "
        "be 1.3 MB."
    )
    visitor.rest()
    assert len(explore.alerts(visitor)) == 1
    assert "AxiosError" not in visitor.page.locator("body").inner_text()
    # The place is empty again, and what fits is read.
    people = make_faces(4, 5, 12, random_state=1)
    np.savez(folder / "people.npz", X=people.data, y=people.target)
    place.set_input_files(folder / "people.npz")
    visitor.sees("20 samples")
    visitor.rest()
