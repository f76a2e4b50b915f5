"""The Predict page: what is sent from the browser, what is revealed, and a class of three."""

from __future__ import annotations

import base64
import json
import re
import subprocess
from importlib.resources import files
from shutil import which

import numpy as np
import pytest

from cspca.datasets import Dataset, load
from cspca.experiments.classes import HOURS
from cspca.ui import menu
from cspca.ui.components import paint as component
from cspca.ui.named_features import features_from_text
from cspca.ui.pixel_text import parse_pixels, pixels_text
from cspca.ui.services import services
from tests.app.conftest import look, npz, question, read, result, settled, words


class Brush:
    """What a hand does in the browser, of whichever visitor is looked at next."""

    mask: np.ndarray | None = None
    asked: dict

    def __call__(self, image, k, *, then, **asked):
        self.asked = {"k": k, "shape": image.shape, **asked}
        if self.mask is not None:
            mask, self.mask = self.mask, None
            then(mask)


@pytest.fixture
def brush(monkeypatch):
    """Stand in for the component, whose script runs in a browser alone."""
    hand = Brush()
    monkeypatch.setattr("cspca.ui.predict_page.paint", hand)
    return hand


def face(*pixels, shape=(8, 8)):
    mask = np.zeros(shape, dtype=bool)
    mask.ravel()[list(pixels)] = True
    return mask


def paints(visitor, brush, mask):
    """Paint and press the button: the message comes before the page is drawn."""
    brush.mask = mask
    look(visitor)
    return look(visitor)


# -- the component's side in Python --------------------------------------------------------------


def test_what_a_browser_sends_is_read_back_and_not_trusted():
    mask = np.random.default_rng(0).random((7, 5)) < 0.4
    sent = {"size": 35, "bits": component.mask_text(mask), "serial": 1}
    assert (component.parse_mask(sent, (7, 5)) == mask).all()
    nothing = component.mask_text(np.zeros((7, 5), dtype=bool))
    for wrong in (
        None,
        "text",
        sent | {"size": 36},
        sent | {"bits": "%%"},
        sent | {"bits": base64.b64encode(bytes(4)).decode()},
        sent | {"bits": nothing},
        sent | {"bits": None},
    ):
        assert component.parse_mask(wrong, (7, 5)) is None


@pytest.mark.parametrize(("side", "least", "most"), [(8, 1, 3), (32, 1, 5), (112, 2, 10)])
def test_brushes_suit_the_image(side, least, most):
    assert component.brushes(side) == (least, component.brushes(side)[1], most)


def test_the_script_packs_as_python_does():
    node = which("node")
    if node is None:
        pytest.skip("needs node to run the script")
    here = files("cspca.ui.components")
    shared, script = (here.joinpath(f"{one}.js").read_text("utf-8") for one in ("pixels", "paint"))
    mask = np.random.default_rng(1).random(35) < 0.5
    helpers = shared + script[script.index("const pressed") : script.index("function keep")]
    bits = json.dumps(mask.astype(int).tolist())
    code = f"{helpers}; const b = {bits}; const t = pack(b); console.log(t, ...unpack(t, 35))"
    done = subprocess.run([node, "-e", code], capture_output=True, text=True, check=True)
    text, *again = done.stdout.split()
    assert text == component.mask_text(mask)
    assert again == [str(int(one)) for one in mask]


def test_pixels_are_read_from_text_and_written_as_ranges():
    mask = np.zeros((9, 12), dtype=bool)
    mask[2, 3:8] = mask[4, 0] = mask[4, 11] = True
    assert pixels_text(mask) == "3:4-8, 5:1, 5:12"
    assert (parse_pixels("3:4-8; 5:1\n5:12,", (9, 12)) == mask).all()
    assert int(parse_pixels("7-9:4-6, 7:4", (9, 12)).sum()) == 9
    masks = np.random.default_rng(2).random((20, 9, 12)) < 0.4
    for mask in masks:
        assert (parse_pixels(pixels_text(mask), (9, 12)) == mask).all()


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("3:4x", "“3:4x” is no pixel: write row:column, such as 3:4, or a range, such as 3:4-8."),
        ("pixel" * 20, f"“{('pixel' * 4)}” is no pixel"),
        ("0:1", "There is no row 0: rows run from 1 to 9."),
        ("3:4, 3:13", "There is no column 13: columns run from 1 to 12."),
        ("8-12:1", "There is no row 12: rows run from 1 to 9."),
        ("3:8-4", "“8-4” runs backwards: write the smaller column first."),
        (" , ", "Write at least one pixel as row:column, such as 3:4."),
    ],
)
def test_a_wrong_entry_is_one_sentence(text, sentence):
    with pytest.raises(ValueError, match=re.escape(sentence)):
        parse_pixels(text, (9, 12))


# -- alone ---------------------------------------------------------------------------------------


def test_painted_pixels_stand_beside_cspca_variance_and_chance(arrive, brush):
    page = settled(arrive("predict", data="digits"))
    assert question(page) == "Which pixels would you keep?"
    # The instruction comes first, and nothing stands where there is nothing to show.
    text = words(page)
    assert "**Paint up to 20 pixels that you would keep, then press Reveal.**" in text
    first = next(element.value for element in page.main.markdown)
    assert first.startswith("**Paint up to")
    assert "Not there yet." not in text
    assert brush.asked["action"] == "Reveal"
    paints(page, brush, face(20, 27, 28, 35, 36))
    text = words(page)
    assert "Yours: 5 pixels" in text
    best = result(page).fit.feature_order[:5]
    common = len(set(best) & {20, 27, 28, 35, 36})
    assert f"CSPCA: {common} of them are yours too (0.4 by chance)" in text
    assert len(re.findall(r"% unexplained; this one [\d.]+ % off", text)) == 4
    assert "of the optimum (proven)" in text
    assert re.search(r"Your pixels beat (\d+|none|all) of 200 random draws, CSPCA’s", text)
    # Numbers say what they mean.
    assert f"{common} of 5; by chance 5² / 64 = 0.4." in text
    assert re.search(r"Of 200 draws \d+ do worse; theirs run from", text)
    assert "1,797 images; seed of halves and draws 0" in text
    assert page.get("plotly_chart")
    assert brush.asked["action"] == "Reveal again"
    # It stays through a change of page, and is in no address.
    page.switch_page(menu.script("guide"))
    look(page).switch_page(menu.script("predict"))
    look(page)
    assert "Yours: 5 pixels" in words(page)
    assert (brush.asked["start"] == face(20, 27, 28, 35, 36)).all()
    assert "pixels" not in page.query_params


def types(visitor, text):
    """Write pixels and press the button below them."""
    visitor.text_area[0].set_value(text)
    visitor.button(key="pixels_button").click()
    return look(visitor)


def test_text_and_painting_are_one(arrive, brush):
    page = settled(arrive("predict", data="digits"))
    assert page.text_area[0].value == ""
    types(page, "3:4-6, 5:1")
    assert "Yours: 4 pixels" in words(look(page))
    assert (brush.asked["start"] == face(19, 20, 21, 32)).all()
    typed = brush.asked["typed"]
    assert typed
    # What is painted is written, and what was typed does not come back over it.
    paints(page, brush, face(0, 1, 63))
    assert page.text_area[0].value == "1:1-2, 8:8"
    assert brush.asked["typed"] == typed
    types(page, "1:1-2, 8:8")
    assert brush.asked["typed"] != typed
    # Another set has pixels of its own.
    page.session_state["view_data"] = "faces"
    settled(look(page))
    assert brush.asked["shape"] == (32, 32)
    assert page.text_area[0].value == ""
    assert brush.asked["typed"] == ""


def test_what_cannot_be_typed_is_said_below_and_changes_nothing(arrive, brush):
    page = settled(arrive("predict", data="digits"))
    types(page, "2:2")
    assert "Yours: 1 pixel" in words(look(page))
    types(page, "9:1")
    (error,) = page.error
    assert error.value == "There is no row 9: rows run from 1 to 8."
    assert page.text_area[0].value == "9:1"
    assert "Yours: 1 pixel" in words(page)
    types(page, "1-8:1-8")
    (error,) = page.error
    assert error.value == "These are 64 pixels, and you may choose 20."
    types(page, "2:3")
    assert not page.error


def test_in_the_link_where_the_visitor_asks(arrive, brush):
    page = settled(arrive("predict", data="digits"))
    paints(page, brush, face(*range(0, 64, 3)))
    page.toggle(key="predict_in_link").set_value(True)
    look(page)
    link = {name: page.query_params[name] for name in ("data", "pixels")}
    other = settled(arrive("predict", **link))
    assert "Yours: 22 pixels" in words(other)
    assert brush.asked["k"] >= 22
    # It is the one who opens it who decides whether their link has it.
    assert "pixels" not in other.query_params
    wrong = arrive("predict", data="faces", pixels=link["pixels"])
    assert "The pixels in the link are not of this data set." in words(wrong)


def test_how_many_and_on_which_image_can_be_chosen(arrive, brush):
    page = settled(arrive("predict", data="digits"))
    assert page.select_slider(key="predict_k").options[-1] == "32"
    page.select_slider(key="predict_k").set_value(5)
    page.slider(key="face_slider").set_value(7)
    look(page)
    assert brush.asked["k"] == 5
    paints(page, brush, face(1, 2, 3))
    assert "Yours: 3 pixels" in words(page)


def test_without_an_order_it_says_what_to_do(arrive, brush):
    page = settled(arrive("predict", data="digits", mode="path", alpha="0.00001"))
    paints(page, brush, face(20))
    (warning,) = page.warning
    assert "there is no ranking" in warning.value
    assert not page.get("plotly_chart")


def test_features_that_are_no_pixels_are_ticked_or_it_says_why_not(arrive, brush):
    home = arrive()
    table = np.random.default_rng(0).random((60, 9)) * np.arange(1, 10)
    home.file_uploader(key="upload_file_sidebar").upload(
        "table.npz", npz(X=table, feature_names=np.array(list("abcdefghi")))
    )
    settled(read(home))
    home.query_params.clear()
    home.switch_page(menu.script("predict"))
    page = look(home)
    assert question(page) == "Which features would you keep?"
    assert page.button(key="reveal_button").disabled
    page.multiselect[0].set_value([7, 8])
    look(page).button(key="reveal_button").click()
    settled(look(page))
    assert re.search(r"Your features beat (\d+|none|all) of 200 random draws", words(page))


def test_motion_is_chosen_from_a_list(arrive):
    page = settled(arrive("predict", data="motion"))
    assert "**Choose up to" in words(page)
    page.multiselect[0].set_value([0, 1, 2])
    look(page).button(key="reveal_button").click()
    page = settled(look(page))
    assert re.search(r"Your features beat (\d+|none|all) of 200 random draws", words(page))


def test_of_many_features_names_are_written_and_the_choices_listed(arrive, monkeypatch):
    monkeypatch.setattr("cspca.ui.predict_page.MOST_LISTED", 50)
    page = settled(arrive("predict", data="motion"))
    names = load("motion").skeleton.feature_names
    assert not page.multiselect
    field = page.text_area[0]
    field.set_value(f"{names[0]}\n{names[4].upper()}, nose of the dog")
    page = look(page)
    (error,) = page.error
    assert error.value.startswith(f"“nose of the dog” is not among the {len(names)} names")
    assert page.button(key="reveal_button").disabled
    page.text_area[0].set_value(f"{names[0]}\n{names[4].upper()}")
    page = look(page)
    assert not page.error
    assert "2 of " in words(page)
    page.button(key="reveal_button").click()
    page = settled(look(page))
    text = words(page)
    assert re.search(r"Your features beat (\d+|none|all) of \d+ random draws", text)
    lists = next(html.value for html in page.main.get("html") if "cspca-masks" in html.value)
    first = lists.split("</ol>")[0]
    assert [name in first for name in (names[0], names[4])] == [True, True]
    assert "In bold: chosen by you too." in text


def test_a_wrong_name_says_which_is_near():
    names = ["TP53", "SOX2", "a, b"]
    assert features_from_text("a, b\ntp53;SOX2", names).all()
    with pytest.raises(ValueError, match="“TP35” is not among the 3 names; the nearest is “TP53”"):
        features_from_text("TP35", names)


def test_a_name_with_commas_is_found_within_a_line():
    names = ["a,b", "C", "2,3-butanediol", "D", "3"]
    assert features_from_text("C, A,b;2,3-Butanediol, ", names).tolist() == [True] * 3 + [False] * 2
    assert features_from_text("3,\tD", names).tolist() == [False] * 3 + [True] * 2
    assert features_from_text("a,\u00a0b", ["a, b"]).all()


def test_what_is_too_long_for_a_list_is_written_by_name(arrive, server):
    names = ("ACTB, human", *(f"gene{number}" for number in range(599)))
    values = np.random.default_rng(0).random((20, 600))
    table = Dataset(values, feature_names=names, feature_noun="gene", name="genes")
    page = settled(arrive("predict", data=services().library.add(table)))
    (field,) = page.text_area
    assert field.label == "Genes you would keep, by name"
    field.set_value("ACTB, human\ngene3, gene9").run()
    assert re.search(r"\b3 of \d+ genes chosen\.", words(page))
    page.button(key="reveal_button").click()
    said = words(settled(look(page)))
    assert re.search(r"Your genes beat (\d+|none|all) of 200 random draws", said)
    page.text_area[0].set_value("gene3, ghost").run()
    assert "“ghost” is not among the 600 names" in words(page)
    assert page.button(key="reveal_button").disabled


# -- in a class ----------------------------------------------------------------------------------


@pytest.fixture
def teacher(arrive, brush):
    page = settled(arrive("predict", data="digits", k="10", alpha="0.2"))
    page.button(key="class_open").click()
    return look(page)


def code_of(teacher):
    return teacher.query_params["class"]


def test_a_class_of_three(arrive, brush, teacher):
    code = code_of(teacher)
    text = words(teacher)
    assert code in text
    assert "Open for 2 h 59 min more" in text
    assert teacher.code[0].value.endswith(f"?class={code}")
    # The code alone brings the data and the penalties of the class.
    first = settled(look(arrive("predict", **{"class": code})))
    assert first.query_params["alpha"] == "0.2"
    # The second types it, on another data set.
    second = settled(arrive("predict"))
    second.text_input(key="class_typed").set_value(f" {code.lower()} ")
    second.button(key="class_join").click()
    look(second)
    assert second.session_state["view_data"] == "digits"
    for pupil, mask in ((first, face(10, 11)), (second, face(11, 12, 13))):
        assert f"**Class {code}.** Paint up to 10 pixels" in words(pupil)
        settled(pupil)
        paints(pupil, brush, mask)
        assert brush.asked["action"] == "Hand in again"
        assert brush.asked["k"] == 10
        # Not before the teacher says so.
        assert "Yours:" not in words(pupil)
        assert any("Handed in" in one.value for one in pupil.success)
    text = words(look(teacher))
    assert "**2** paintings handed in" in text
    assert "brightest: painted by 2 of 2" in text
    assert teacher.get("plotly_chart")
    teacher.toggle(key="class_revealed").set_value(True)
    look(teacher)
    assert "Yours: 3 pixels" in words(look(second))
    kept = services().classes.masks(services().classes.get(code))
    assert sorted(map(tuple, map(np.flatnonzero, kept))) == [(10, 11), (11, 12, 13)]
    # What is painted after the answer is for oneself.
    assert brush.asked["action"] == "Reveal again"
    paints(second, brush, face(20))
    assert "Yours: 1 pixel" in words(second)
    assert "What you handed in stays as it is" in words(second)
    again = services().classes.masks(services().classes.get(code))
    np.testing.assert_array_equal(again, kept)
    # Who came later goes, who opened it ends it.
    teacher.button(key="class_close").click()
    look(teacher)
    assert services().classes.get(code) is None
    gone = look(look(first))
    assert "There is no class with this code (any more)" in gone.error[0].value
    assert "class" not in gone.query_params


def test_teacher_and_student_count_against_as_many_of_the_best(arrive, brush, teacher):
    code = code_of(teacher)
    pupil = settled(look(arrive("predict", **{"class": code})))
    order = result(pupil).fit.feature_order
    # One of the best two, and one that is among the best ten alone.
    paints(pupil, brush, face(int(order[0]), int(order[9])))
    teacher.toggle(key="class_revealed").set_value(True)
    look(teacher)
    assert "CSPCA: 1 of them are yours too" in words(look(pupil))
    charts = [json.loads(element.proto.spec) for element in look(teacher).get("plotly_chart")]
    alts = [chart["layout"]["meta"]["alt"] for chart in charts]
    (alt,) = [alt for alt in alts if "painting" in alt]
    assert "1 painting: from 50.0 % to 50.0 %" in alt


def test_pixels_are_handed_in_as_text(arrive, brush, teacher):
    code = code_of(teacher)
    pupil = settled(look(arrive("predict", **{"class": code})))
    assert pupil.button(key="pixels_button").label == "Hand in these pixels"
    types(pupil, "2:3-4")
    (mask,) = services().classes.masks(services().classes.get(code))
    assert np.flatnonzero(mask).tolist() == [10, 11]
    types(pupil, "2:3")
    assert any("wait two seconds" in one.value for one in pupil.error)


def test_only_who_opened_it_sees_the_class(arrive, brush, teacher):
    pupil = settled(arrive("predict", data="digits", **{"class": code_of(teacher)}))
    for key in ("class_close", "class_open"):
        with pytest.raises(KeyError):
            pupil.button(key=key)
    assert "paintings handed in" not in words(pupil)
    pupil.button(key="class_leave").click()
    assert "class" not in look(pupil).query_params
    assert brush.asked["action"] == "Reveal"


def test_a_wrong_or_expired_code_is_one_sentence(arrive, brush, teacher, monkeypatch):
    page = arrive("predict", data="digits", **{"class": "WRONGX"})
    (error,) = look(page).error
    assert "check its letters or ask for a new one" in error.value
    assert "class" not in page.query_params
    code, classes = code_of(teacher), services().classes
    monkeypatch.setattr(classes, "_clock", lambda: classes.get(code).ends + 1)
    monkeypatch.undo()
    classes.get(code).ends -= HOURS * 3600
    late = look(arrive("predict", data="digits", **{"class": code}))
    assert "There is no class with this code (any more)" in late.error[0].value
    assert "There is no class with this code (any more)" in look(look(teacher)).error[0].value


def test_what_a_class_cannot_take_is_one_sentence(arrive, brush, teacher):
    pupil = settled(arrive("predict", data="digits", **{"class": code_of(teacher)}))
    paints(pupil, brush, face(*range(30)))
    assert "this class paints 1 to 10" in pupil.error[0].value
    paints(pupil, brush, face(1))
    paints(pupil, brush, face(2))
    assert any("wait two seconds" in one.value for one in pupil.error)


def test_a_class_on_a_file_of_its_teacher_s(arrive, brush, good_file):
    home = arrive()
    home.file_uploader(key="upload_file_sidebar").upload("mine.npz", good_file)
    settled(read(home))
    home.query_params.clear()
    home.switch_page(menu.script("predict"))
    teacher = settled(look(home))
    assert "Anyone with the code can see this data set." in words(teacher)
    teacher.button(key="class_open").click()
    code = code_of(look(teacher))
    pupil = settled(look(arrive("predict", **{"class": code})))
    assert brush.asked["shape"] == (12, 12)
    assert f"**Class {code}.**" in words(pupil)
    # When it is not kept any more, who comes then is told so.
    library, key = services().library, teacher.session_state["view_data"]
    library._uploads.drop(key)
    late = look(arrive("predict", **{"class": code}))
    assert any("is not kept here any more" in error.value for error in late.error)
    assert "class" not in late.query_params
