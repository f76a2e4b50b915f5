"""The tab Samples of Explore: the cloud, groups by lasso, text and class, and what is left out."""

from __future__ import annotations

import json
import re
import subprocess
from importlib.resources import files
from shutil import which

import numpy as np
import pytest

from cspca import CSPCA
from cspca.datasets import Dataset, load
from cspca.evaluation import group_contrast
from cspca.figures.words import minus
from cspca.ui import menu, samples_page
from cspca.ui.components import cloud as component
from cspca.ui.components.paint import mask_text
from cspca.ui.services import services
from tests.app.conftest import look, sent, settled, words

SCRIPTS = {
    name: files("cspca.ui.components").joinpath(f"{name}.js").read_text(encoding="utf-8")
    for name in ("cloud", "lasso", "pixels", "bytes", "thumbnails")
}


def points_of(page):
    """Where the browser is told to draw the samples."""
    return np.frombuffer(sent(page, "legend")["points"], "<f4").reshape(-1, 2)


class Hand:
    """What a hand does in the browser, of whichever visitor is looked at next."""

    mask: np.ndarray | None = None

    def __init__(self, whole):
        self.whole = whole

    def __call__(self, *arguments, on_group, **options):
        if self.mask is not None:
            mask, self.mask = self.mask, None
            on_group(mask)
        self.whole(*arguments, on_group=on_group, **options)


@pytest.fixture
def lasso(monkeypatch):
    """``lasso(page, mask)`` chooses a group as the script does, and looks at the answer."""
    hand = Hand(samples_page.cloud)
    monkeypatch.setattr(samples_page, "cloud", hand)

    def choose(page, mask):
        hand.mask = mask
        look(page)
        return look(page)

    return choose


def test_the_cloud_is_that_of_the_fit_with_its_shares_classes_and_limits(arrive):
    page = arrive("explore", data="digits", part="samples")
    assert page.query_params["part"] == "samples"
    digits, model = load("digits"), CSPCA(0.4, 0.02).fit(load("digits").data)
    data = sent(page, "legend")
    expected = model.transform(digits.data)[:, :2]
    np.testing.assert_allclose(points_of(page), expected, atol=1e-4)
    assert [mark["name"] for mark in data["legend"]] == [str(number) for number in range(10)]
    classes = np.frombuffer(data["classes"], "<u2")
    np.testing.assert_array_equal(classes, digits.target)
    share = 100 * model.explained_variance_ratio_
    said = words(page)
    assert f"explains {share[0]:.1f} %) and 2 (up, {share[1]:.1f} %)" in said
    assert "alike in two components, and need not be in the others" in said
    assert "no accuracy" in said
    assert "Mean coordinates of classes and groups" in said
    assert data["description"] in said
    means = [minus(f"{mean:+.3f}") for mean in expected[digits.target == 3].mean(axis=0)]
    assert f'<th scope="row">3</th><td>183</td><td>{means[0]}</td><td>{means[1]}</td>' in said
    # The mean of all is zero, whatever the sign of its rounding.
    assert "<td>1,797</td><td>+0.000</td><td>+0.000</td>" in said
    page.selectbox(key="samples_up").set_value(2)
    look(page)
    expected = model.transform(digits.data)[:, [0, 2]]
    np.testing.assert_allclose(points_of(page), expected, atol=1e-4)


def test_points_have_the_names_of_their_samples(arrive):
    rng = np.random.default_rng(0)
    names = tuple(f"<b>GSM{row}</b>{'x' * 80}" for row in range(20))
    values = rng.random((20, 3)) @ rng.random((3, 6)) / 3
    data = services().library.add(Dataset(values, sample_names=names))
    page = settled(arrive("explore", data=data, part="samples"))
    assert sent(page, "legend")["names"] == [name[:60] for name in names]


def test_the_film_moves_the_cloud_to_where_each_fit_has_its_samples(arrive):
    page = settled(arrive("explore", data="digits", part="samples"))
    jobs = services().films.jobs
    *_, job = jobs._jobs  # begun last: the film
    while jobs.view(job).active:
        jobs.join(job, 0.1)
    look(page)
    film, digits = sent(page, "film")["film"], load("digits")
    points = np.frombuffer(film["points"], "<f4").reshape(41, -1, 2)
    model = CSPCA(film["values"][20], 0.02).fit(digits.data)
    np.testing.assert_allclose(points[20], model.transform(digits.data)[:, :2], atol=1e-3)
    # The cloud shrinks along α, and does not turn over.
    assert film["titles"][-1][0] == "No component 1"
    across = points[: len(film["there"]) - 5, :, 0]
    assert ((across[1:] * across[:-1]).sum(axis=1) > 0).all()


def test_nothing_of_the_tab_is_computed_while_it_is_closed(arrive, monkeypatch):
    called = []
    whole = samples_page.coordinates
    monkeypatch.setattr(
        samples_page, "coordinates", lambda *given: called.append(1) or whole(*given)
    )
    for part in ("importance", "components"):
        arrive("explore", data="digits", part=part)
    assert not called
    arrive("explore", data="digits", part="samples")
    assert called


def test_a_lasso_shows_what_tells_its_images_from_the_others(arrive, lasso):
    page = arrive("explore", data="digits", part="samples")
    assert "Draw a line around some images" in words(page)
    digits = load("digits")
    mask = np.arange(digits.n_samples) < 100
    mask[299] = True
    lasso(page, mask)
    assert page.text_input(key=f"samples_text_{digits.sha256[:8]}").value == "1-100, 300"
    assert sent(page, "legend")["group"] == mask_text(mask)
    said = words(page)
    assert "101 chosen, 1,696 others." in said
    assert "Mean of the chosen (101 images) minus mean of the others (1,696 images):" in said
    contrast = group_contrast(digits.data, mask, ~mask)
    row, column = divmod(int(contrast.order[0]), 8)
    value = contrast.values[contrast.order[0]]
    assert f"row {row + 1}, column {column + 1}</th><td>{value:+.2f}</td>" in said
    assert said.count('<th scope="row">row ') == 10
    n_without = int(np.isnan(contrast.values).sum())
    assert f"For {n_without} pixels it is not defined" in said
    assert said.count("Difference ÷ deviation of ") == 2
    assert "is no test" in said
    assert "inf" not in said.replace("information", "").split()


def test_numbers_choose_a_group_by_text(arrive):
    page = arrive("explore", data="digits", part="samples")
    field = page.text_input[0]
    field.set_value("3, 5-7")
    look(page)
    assert "4 chosen, 1,793 others." in words(page)
    page.text_input[0].set_value("1798")
    look(page)
    assert "There is no image 1,798: images run from 1 to 1,797." in words(page)
    # What was chosen stays until other numbers are right.
    assert "4 chosen, 1,793 others." in words(page)
    page.text_input[0].set_value("all")
    look(page)
    assert "is no number" in words(page)
    page.button(key="samples_none").click()
    look(page)
    assert "None is chosen." in words(page)
    assert "is no number" not in words(page)
    page.text_input[0].set_value("5, 9")
    look(page)
    page.text_input[0].set_value("")
    look(page)
    assert "None is chosen." in words(page)


def test_two_classes_are_compared_on_data_that_are_no_images(arrive):
    page = arrive("explore", data="motion", part="samples")
    page.button_group(key="samples_groups").set_value("classes")
    look(page)
    said = words(page)
    assert "Mean of walk, performer 1 (200 samples) minus mean of walk, performer 2" in said
    assert "The 10 most different features" in said
    # Bones of one performer are rigid: their lengths vary by round-off alone.
    assert "it is not defined, since nothing varies within the groups" in said
    assert "e+1" not in said
    page.selectbox(key="samples_second").set_value(0)
    look(page)
    assert "choose groups that share none" in words(page)


def test_negative_numbers_of_both_tables_have_minus_signs(arrive):
    page = arrive("explore", data="genes", part="samples")
    page.button_group(key="samples_groups").set_value("classes")
    look(page)
    said = words(page)
    assert re.search(r"<td>−\d+\.\d{2}</td>", said)
    assert re.search(r"<td>−\d+\.\d{3}</td>", said)
    assert not re.search(r"<td>-\d", said)


def test_the_chosen_are_left_out_on_all_pages_and_put_back(arrive, lasso):
    page = arrive("explore", data="digits", part="samples")
    lasso(page, np.arange(1797) < 10)
    page.button(key="samples_leave_out").click()
    look(page)
    assert page.session_state["view_data"] != "digits"
    said = words(page)
    assert "10 images left out of 1,797, on all pages." in said
    assert "1,787 images on components 1" in said
    assert "None is chosen." in said
    page.button(key="odd_restore").click()
    look(page)
    assert page.session_state["view_data"] == "digits"
    said = words(page)
    assert "1,797 images on components 1" in said
    # They are still chosen, and the text says so, which was not drawn meanwhile.
    assert "10 chosen, 1,787 others." in said
    assert page.text_input[0].value == "1-10"


def test_w_zero_has_no_cloud(arrive):
    page = arrive("explore", data="digits", alpha="1", beta="0.5", part="samples")
    assert "there is no component to place images on" in words(page)


def test_rank_one_is_a_line(arrive):
    rng = np.random.default_rng(0)
    line = Dataset(data=np.outer(rng.random(30), [0.5, 0.2, 0.9]), name="line")
    page = arrive("explore", data=services().library.add(line), part="samples")
    assert page.session_state["last_result"].fit.rank == 1
    assert (points_of(page)[:, 1] == 0.0).all()
    assert np.ptp(points_of(page)[:, 0]) > 0.1
    assert "There is one component: it runs across" in words(page)
    assert "30 samples on component 1 of 1" in words(page)


def test_of_very_many_samples_the_density_is_drawn(arrive, monkeypatch):
    monkeypatch.setattr(samples_page, "MOST_POINTS", 1000)
    page = arrive("explore", data="digits", part="samples")
    cells = sent(page, "legend")["density"]
    counts = np.frombuffer(cells["counts"], "<i4")
    assert counts.sum() == 1797
    # No class has a colour.
    assert len(sent(page, "legend")["legend"]) == 1
    assert len(cells["colours"]) == 4 * counts.size == 4 * cells["rows"] * cells["columns"]
    assert "More than 1,000 images are not drawn one by one" in words(page)
    page.selectbox(key="samples_cells").set_value(3)
    look(page)
    counts = np.frombuffer(sent(page, "legend")["density"]["counts"], "<i4")
    assert counts.sum() == np.count_nonzero(load("digits").target == 3)


# -- what goes to the browser, and comes from it --------------------------------------------------


def test_a_group_is_read_back_and_not_trusted():
    mask = np.random.default_rng(0).random(35) < 0.4
    message = {"of": "abc", "size": 35, "bits": mask_text(mask), "serial": 1}
    assert (component.parse_group(message, "abc", 35) == mask).all()
    empty = message | {"bits": mask_text(np.zeros(35, dtype=bool))}
    assert not component.parse_group(empty, "abc", 35).any()
    for wrong in (
        None,
        "text",
        message | {"of": "other data"},
        message | {"size": 36},
        message | {"bits": "?"},
        message | {"bits": None},
        message | {"bits": mask_text(np.ones(80, dtype=bool))},
    ):
        assert component.parse_group(wrong, "abc", 35) is None


def test_small_pictures_are_means_of_blocks_within_their_limits():
    rng = np.random.default_rng(1)
    images = rng.random((3, 70, 64))
    small = component.thumbnails(images)
    assert small.shape == (3, 23, 21)
    for row, column in ((0, 0), (22, 20)):
        block = images[1, 3 * row : 3 * row + 3, 3 * column : 3 * column + 3]
        assert abs(int(small[1, row, column]) - 255 * block.mean()) <= 1.0
    assert component.thumbnails(rng.random((2, 16, 9))).shape == (2, 16, 9)
    assert component.thumbnails(np.zeros((9298, 16, 16))).shape == (9298, 16, 16)
    assert component.thumbnails(np.zeros((9000, 64, 64))).nbytes <= 4 << 20
    assert component.thumbnails(np.zeros((2, 1, 200))).shape == (2, 1, 28)


def test_a_class_of_one_name_too_many_is_not_coloured(arrive):
    rng = np.random.default_rng(0)
    many = Dataset(data=rng.random((404, 5)), target=np.arange(404) // 2, name="pairs")
    page = arrive("explore", data=services().library.add(many), part="samples")
    assert "202 classes are too many to be told apart by colour" in words(page)
    assert len(sent(page, "legend")["legend"]) == 1


# -- the script -----------------------------------------------------------------------------------

needs_node = pytest.mark.skipif(which("node") is None, reason="no node to run the script")


def run(code):
    """What a program of node prints as JSON."""
    done = subprocess.run(["node", "-e", code], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def by_angle(polygon, x, y):
    """Whether a polygon winds around a point, by the sum of the angles that its corners turn."""
    corners = np.reshape(polygon, (-1, 2)) - [x, y]
    angles = np.unwrap(np.arctan2(corners[:, 1], corners[:, 0]), period=2 * np.pi)
    ends = np.append(angles, angles[0])
    turns = np.sum((np.diff(ends) + np.pi) % (2 * np.pi) - np.pi)
    return abs(turns) > np.pi


@needs_node
def test_a_lasso_has_the_points_that_it_winds_around():
    rng = np.random.default_rng(5)
    angle = np.sort(rng.uniform(0, 2 * np.pi, 40))
    radius = rng.uniform(20, 90, 40)
    star = np.round(100 + np.column_stack([np.cos(angle), np.sin(angle)]) * radius[:, None], 3)
    points = np.round(rng.uniform(0, 200, size=(400, 2)), 3)
    polygon, places = star.ravel().tolist(), points.ravel().tolist()
    marks = run(
        f"{SCRIPTS['lasso']}; const p = new Float32Array({json.dumps(places)});"
        f"console.log(JSON.stringify([...marksInside({json.dumps(polygon)}, p)]))"
    )
    expected = [int(by_angle(polygon, x, y)) for x, y in points]
    assert marks == expected
    assert 50 < sum(marks) < 350


@needs_node
def test_the_nearest_point_and_the_next_in_a_direction():
    points = [0, 0, 10, 0, 20, 1, 10, 10, -5, 0]
    found = run(
        f"{SCRIPTS['lasso']}; const p = new Float32Array({json.dumps(points)});"
        "console.log(JSON.stringify([nearest(p, 9, 1, 5), nearest(p, 50, 50, 16),"
        "nextPoint(p, 0, [1, 0]), nextPoint(p, 1, [1, 0]), nextPoint(p, 1, [0, 1]),"
        "nextPoint(p, 0, [-1, 0]), nextPoint(p, 4, [-1, 0])]))"
    )
    assert found == [1, None, 1, 2, 3, 4, 4]


@needs_node
@pytest.mark.parametrize(
    ("low", "high", "count", "ticks", "decimals"),
    [
        (-4.4, 5.2, 5, [-4, -2, 0, 2, 4], 0),
        (0.0, 1.0, 4, [0, 0.5, 1], 1),
        (-0.012, 0.013, 5, [-0.01, -0.005, 0, 0.005, 0.01], 3),
        (3.0, 3.0, 5, [], 0),
        # A single tick says no scale: on a narrow screen there are more than asked for.
        (-1.6, 1.8, 3, [-1, 0, 1], 0),
        (0.3, 0.9, 1, [0.4, 0.6, 0.8], 1),
    ],
)
def test_ticks_are_round_numbers(low, high, count, ticks, decimals):
    found = run(f"{SCRIPTS['lasso']}; console.log(JSON.stringify(ticksOf({low}, {high}, {count})))")
    assert found["ticks"] == pytest.approx(ticks)
    assert found["decimals"] == decimals


@needs_node
def test_points_glide_from_end_to_end_and_are_drawn_in_mixed_order():
    code = (
        f"{SCRIPTS['lasso']}; const shares = [0, 0.25, 0.5, 0.75, 1, 3].map(eased);"
        "const orders = [1, 2, 7, 400, 2000, 9298].map((n) => {"
        "const s = strideOf(n); return new Set([...Array(n).keys()].map((k) => k * s % n)).size });"
        "console.log(JSON.stringify([shares, orders]))"
    )
    shares, orders = run(code)
    assert shares[0] == 0
    assert shares[2] == 0.5
    assert shares[4:] == [1, 1]
    assert shares == sorted(shares)
    assert orders == [1, 2, 7, 400, 2000, 9298]


def test_the_script_never_writes_html():
    for way_in in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write"):
        assert not any(way_in in source for source in SCRIPTS.values())


@needs_node
@pytest.mark.parametrize("names", [("cloud", "lasso", "pixels", "bytes"), ("thumbnails", "bytes")])
def test_the_script_is_a_valid_module(names):
    checked = subprocess.run(
        ["node", "--input-type=module", "--check", "-"],
        input="\n".join(SCRIPTS[name] for name in names),
        capture_output=True,
        text=True,
        check=False,
    )
    assert checked.returncode == 0, checked.stderr


def test_the_classes_that_are_compared_are_in_the_address(arrive):
    page = settled(arrive("explore", data="digits", part="samples"))
    page.button_group(key="samples_groups").set_value("classes")
    look(page).selectbox(key="samples_second").set_value(7)
    look(page)
    address = dict(page.query_params)
    assert (address["groups"], address["second-class"]) == ("classes", "7")
    assert "first-class" not in address
    address["first-class"] = "3"
    guest = settled(arrive("explore", **address))
    assert guest.selectbox(key="samples_first").value == 3
    assert "Mean of 3 (183 images) minus mean of 7 (179 images):" in words(guest)
    # Another set has other classes.
    guest.switch_page(menu.script("data"))
    look(guest).button(key="use_faces").click()
    look(guest)
    assert not {"groups", "first-class", "second-class"} & set(guest.query_params)


def test_a_class_that_is_not_there_is_said(arrive):
    page = settled(
        arrive("explore", data="digits", part="samples", groups="classes", **{"first-class": "12"})
    )
    assert "The link asks for class 12; the classes here are 0 to 9" in words(page)
    assert page.selectbox(key="samples_first").value == 0
