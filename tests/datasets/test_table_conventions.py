"""Tables as programs of the fields write them: what is asked, and what comes out of an answer."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from cspca.datasets import Answers, Dataset, DatasetError, read_file
from cspca.datasets.files.parsed import Draft, Parsed
from cspca.datasets.files.questions import missing
from cspca.datasets.files.reading import Reading, preview_questions
from tests.datasets import files
from tests.datasets.here import read_here
from tests.datasets.kinds import write


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def read(content: bytes, name: str = "a.csv", **answers: Any) -> Reading:
    return read_here(content, name, **answers)


def data_of(content: bytes, name: str = "a.csv", **answers: Any) -> Dataset:
    return read(content, name, **answers).dataset


def csv_of(frame: pd.DataFrame, **options: Any) -> bytes:
    content: str = frame.to_csv(index=False, **options)
    return content.encode()


# Missing answers and padding


def questionnaire(codes: list[int], share: float = 0.03) -> tuple[pd.DataFrame, np.ndarray]:
    answers = rng().integers(1, 6, (100, 10))
    is_code = rng(1).random(answers.shape) < share
    stored = np.where(is_code, rng(2).choice(codes, answers.shape), answers)
    frame = pd.DataFrame(stored, columns=[f"item {letter}" for letter in "abcdefghij"])
    frame.insert(0, "age", rng(3).integers(18, 80, 100))
    return frame, is_code


@pytest.mark.parametrize("codes", [[-9], [9], [98, 99], [-1]])
def test_codes_outside_the_scale_of_all_other_answers_are_asked_about(codes: list[int]) -> None:
    frame, is_code = questionnaire(codes)
    reading = read(csv_of(frame))
    assert "missing" in reading.open_questions
    question = reading.questions["missing"]
    assert f"{is_code.sum()} times" in question.text
    assert all(f"{code}".replace("-", "−") in question.text for code in codes)
    data = data_of(csv_of(frame), missing="rows", scale="stretch")
    assert data.n_samples == int((~is_code.any(axis=1)).sum())


def test_answers_that_many_give_are_no_codes() -> None:
    frame, _ = questionnaire([9], share=0.4)
    assert "missing" not in read(csv_of(frame)).questions
    frame, _ = questionnaire([6])
    assert "missing" not in read(csv_of(frame)).questions


@pytest.mark.parametrize("padding", [-3024, 4000])
def test_padding_at_the_same_pixels_is_asked_about(padding: int) -> None:
    scans = rng().integers(-1000, 500, (24, 12, 12)).astype(np.int16)
    corners = np.hypot(*np.mgrid[-6:6, -6:6]) > 6
    scans[:, corners] = padding
    answers = {"features": "pixels", "samples": "rows", "order": "row"}
    content = files.npy(scans)
    open_questions = read(content, "ct.npy").questions
    answers = {name: value for name, value in answers.items() if name in open_questions}
    question = read(content, "ct.npy", **answers).questions["missing"]
    assert question.is_open
    assert f"{corners.sum()} pixels" in question.text
    data = data_of(content, "ct.npy", **answers, missing="mean", scale="stretch")
    assert data.data[:, ~corners.ravel()].min() == 0
    assert 0.4 < data.data[:, corners.ravel()].mean() < 0.6
    scans[3, corners] = 100
    assert "missing" not in read(files.npy(scans), "ct.npy", **answers).questions


def test_one_picture_with_padding_is_no_set() -> None:
    scan = np.append(np.full(72, -3024), rng().integers(-1000, 500, 72)).reshape(1, 144)
    draft = Draft(Parsed("ct.npy", ""), data=scan, features="pixels", shape=(12, 12))
    with pytest.raises(DatasetError, match=r"^ct\.npy holds only one image \(of 144 pixels\)"):
        missing.propose(draft, Answers())


def test_marks_and_padding_are_measured_once(monkeypatch: pytest.MonkeyPatch) -> None:
    measured: list[str] = []
    for name in ("_padding", "_marked_cells"):
        measure = getattr(missing, name)

        def counted(draft: Draft, name: str = name, measure: Any = measure) -> Any:
            measured.append(name)
            return measure(draft)

        monkeypatch.setattr(missing, name, counted)
    frame, _ = questionnaire([-9])
    read_here(csv_of(frame), "a.csv", missing="mean")
    assert measured == ["_padding", "_marked_cells"]


# Samples in columns, beside columns about the rows


def proteins(n_samples: int = 6, name: str = "LFQ intensity {}") -> tuple[pd.DataFrame, np.ndarray]:
    values = rng().lognormal(16, 1, (40, n_samples)).round()
    frame = pd.DataFrame({"Protein IDs": [f"P{1000 + k};Q{k}" for k in range(40)]})
    frame["Peptides"] = rng(1).integers(2, 40, 40)
    for sample in range(n_samples):
        frame[f"MS/MS count {sample}"] = rng(sample).integers(0, 9, 40)
    for sample in range(n_samples):
        frame[name.format(f"KO_{sample}")] = values[:, sample]
    frame["Q-value"], frame["Score"] = 0.001, rng(2).gamma(3, 20, 40)
    return frame, values


@pytest.mark.parametrize("name", ["LFQ intensity {}", "Intensity {}", "{}.raw.PG.Quantity"])
def test_columns_of_one_quantity_are_the_samples_of_a_table_of_proteins(name: str) -> None:
    frame, values = proteins(name=name)
    content = csv_of(frame, sep="\t")
    reading = read(content, "proteinGroups.txt")
    assert list(reading.open_questions) == ["samples"]
    assert "6 columns" in reading.questions["samples"].answers[0].evidence
    data = data_of(content, "proteinGroups.txt", samples="columns", scale="stretch")
    assert data.data.shape == (6, 40)
    expected = (values.T - values.min()) / (values.max() - values.min())
    np.testing.assert_allclose(data.data, expected, atol=1e-6)
    assert data.feature_names is not None
    assert data.feature_names[0] == "P1000;Q0"


def test_species_by_sites_are_asked_about() -> None:
    counts = rng().poisson(2, (30, 8))
    frame = pd.DataFrame(counts, columns=[f"site_{k}" for k in range(1, 9)])
    frame.insert(0, "taxon", [f"Carex {k}" for k in range(30)])
    assert "samples" in read(csv_of(frame)).open_questions
    assert data_of(csv_of(frame), samples="columns").data.shape == (8, 30)


# Roles


def measures(n_rows: int = 90) -> pd.DataFrame:
    values = 10 + rng(5).normal(size=(n_rows, 4)) * [1, 2, 1, 2]
    return pd.DataFrame(values.round(3), columns=["flow", "pressure", "torque", "level"])


def roles_of(content: bytes) -> dict[str, tuple[Any, str]]:
    return {
        question.subject: (question.value, question.confidence)
        for question in read(content).questions.values()
        if question.name == "roles"
    }


def test_numbers_of_objects_are_asked_about_and_make_no_pivot() -> None:
    frame = measures()
    frame.insert(0, "ObjectNumber", np.tile(np.arange(1, 31), 3))
    frame.insert(0, "ImageNumber", np.repeat([1, 2, 3], 30))
    frame["Location_Center_X"] = rng(6).uniform(0, 1000, 90)
    frame["Location_Center_Y"] = rng(7).uniform(0, 1000, 90)
    questions = read(csv_of(frame)).questions
    assert "pivot" not in questions
    assert questions["roles ImageNumber"].is_open
    assert questions["roles Location_Center_X"].value == "place"


def test_places_on_the_sky_and_long_ids_are_no_features() -> None:
    frame = measures()
    frame["ra"], frame["dec"] = rng(6).uniform(0, 360, 90), rng(7).uniform(-5, 60, 90)
    frame["objid"] = 1237648720693755918 + rng(8).permutation(90) * 65537
    data = data_of(csv_of(frame))
    assert data.feature_names == ("flow", "pressure", "torque", "level")
    assert roles_of(csv_of(frame))["ra"] == ("place", "sure")


def test_genotypes_are_one_series_and_what_stands_beside_is_asked() -> None:
    names = [f"rs{1000 + 17 * k}_{'ACGT'[k % 4]}" for k in range(15)]
    frame = pd.DataFrame(rng().binomial(2, 0.4, (80, 15)), columns=names)
    frame.insert(0, "SEX", rng(1).integers(1, 3, 80))
    frame.insert(0, "PAT", 0)
    assert roles_of(csv_of(frame))["PAT"][1] == "open"


@pytest.mark.parametrize("event", ["status", "event", "os_status"])
def test_an_event_beside_the_time_until_it_is_asked_about(event: str) -> None:
    frame = measures()
    frame["time"] = rng(6).integers(1, 900, 90)
    frame[event] = rng(7).integers(0, 2, 90)
    assert roles_of(csv_of(frame))[event] == ("target", "open")
    roles = {"time": "target", event: "target"}
    data = data_of(csv_of(frame), roles=roles, classes_from="none")
    assert (data.n_features, data.target) == (4, None)
    frame = frame.drop(columns="time")
    assert event not in roles_of(csv_of(frame))


def test_ordinals_are_words() -> None:
    frame = measures()
    frame["class"] = np.array(["1st", "2nd", "3rd"])[rng(6).permutation(np.arange(90) % 3)]
    data = data_of(csv_of(frame))
    assert data.target_names == ("1st", "2nd", "3rd")
    assert data.n_features == 4


def test_counts_of_words_make_no_class_without_a_question() -> None:
    words = ["state", "group", "text", "money", "free", "win"]
    counts = rng().poisson(2, (120, 6))
    content = csv_of(pd.DataFrame(counts, columns=words))
    assert "classes_from" in read(content).open_questions
    data = data_of(content, classes_from="none")
    assert data.n_features == 6
    measured = measures(120).assign(group=counts[:, 1] % 4)
    assert not read(csv_of(measured)).open_questions


def test_rare_species_are_no_classes() -> None:
    counts = rng().poisson([9, 8, 7, 9, 8, 0.3, 0.4, 7, 0.3], (60, 9))
    frame = pd.DataFrame(counts, columns=[f"Carex {letter}" for letter in "abcdefghi"])
    assert not read(csv_of(frame)).open_questions


def test_the_only_words_that_repeat_are_the_class_where_the_name_allows_it() -> None:
    frame = measures()
    frame.insert(0, "rock_type", np.array(["basalt", "andesite", "gabbro"])[np.arange(90) % 3])
    reading = read(csv_of(frame))
    assert reading.questions["classes_from"].confidence == "likely"
    assert reading.dataset.n_classes == 3


# Long tables


def test_a_part_and_its_index_together_number_what_is_measured() -> None:
    parts = [("face", k) for k in range(4)] + [("hand", k) for k in range(6)]
    rows = [(frame, *part) for frame in range(12) for part in parts]
    table = pd.DataFrame(rows, columns=["frame", "type", "index"])
    values = rng().random((12, 10, 2)).round(4)
    table["x"], table["y"] = values[..., 0].ravel(), values[..., 1].ravel()
    question = read(csv_of(table)).questions["pivot"]
    assert question.is_open
    assert [answer.value for answer in question.answers] == ["frame × type × index", "none"]
    assert question.answers[0].example == (
        "12 samples, with a feature for each pair of “type” and “index”"
    )
    assert question.answers[0].evidence == (
        "Each value of “frame” (12) has one row for each of the 10 pairs of “type” and “index”."
    )
    reading = read(csv_of(table), pivot="frame × type × index", scale="unit")
    data = reading.dataset
    np.testing.assert_array_equal(data.data, values.transpose(0, 2, 1).reshape(12, 20))
    assert data.feature_names is not None
    assert data.feature_names[0] == "x face 0"
    moved = table.assign(index=rng(1).permutation(table["index"]))
    assert "pivot" not in read(csv_of(moved)).questions


def crossed(*keys: tuple[str, list[object]], shuffled: bool = False) -> pd.DataFrame:
    """A long table in which every value of each key stands beside all of the others."""
    index = pd.MultiIndex.from_product([values for _, values in keys], names=[k for k, _ in keys])
    table = index.to_frame(index=False)
    table["value"] = rng().random(len(table)).round(4)
    return table.sample(frac=1, random_state=0) if shuffled else table


def test_three_crossed_keys_offer_every_way_to_tell_samples() -> None:
    table = crossed(
        ("epoch", list(range(12))), ("time", [0.0, 0.1, 0.2, 0.3]), ("channel", ["Fz", "Cz", "Pz"])
    )
    table.insert(0, "condition", np.where(table["epoch"] % 2, "left", "right"))
    question = read(csv_of(table)).questions["pivot"]
    assert question.is_open
    assert question.answers[0].evidence == (
        "Each combination of values of “epoch” (12), “time” (4) and “channel” (3) has one row of "
        "its own."
    )
    values = [answer.value for answer in question.answers]
    assert values[0] == "epoch × channel × time"
    assert {"channel × epoch × time", "channel + epoch × time", "none"} <= set(values)
    data = read(csv_of(table), pivot=values[0], scale="unit").dataset
    assert data.target_names == ("left", "right")
    assert data.feature_names is not None
    assert data.feature_names[:2] == ("Fz 0", "Fz 0.1")
    expected = table["value"].to_numpy().reshape(12, 4, 3).transpose(0, 2, 1)
    np.testing.assert_array_equal(data.data, expected.reshape(12, 12))


def test_two_keys_together_tell_samples_and_stay_as_their_columns() -> None:
    people = [f"P{k:02d}" for k in range(9)]
    table = crossed(
        ("participant", people), ("condition", ["old", "new"]), ("electrode", ["Fz", "Cz", "Pz"])
    )
    reading = read(csv_of(table))
    pivot = reading.questions["pivot"]
    assert pivot.value == "participant + condition × electrode"
    assert pivot.answers[0].words == "One sample for each “participant” and “condition”"
    data = read(csv_of(table), pivot=pivot.value, classes_from="condition", scale="unit").dataset
    assert (data.n_samples, data.n_features) == (18, 3)
    assert data.target_names == ("new", "old")


def test_an_index_of_pandas_is_no_measurement_of_a_long_table() -> None:
    keys = (("epoch", list(range(12))), ("time", [0.0, 0.1, 0.2, 0.3, 0.4]))
    sorted_by_time = crossed(*keys).sort_values(["time", "epoch"]).to_csv().encode()
    of_each_epoch = crossed(*keys)
    of_each_epoch.index = of_each_epoch.index % 5
    for content in (sorted_by_time, of_each_epoch.to_csv().encode()):
        pivot = read(content).questions["pivot"]
        assert pivot.value == "epoch × time"
        data = read(content, pivot=pivot.value, scale="unit").dataset
        assert (data.n_samples, data.n_features) == (12, 5)


# Poses


JOINTS = ["head", "neck", "hand", "elbow", "hip", "knee", "foot", "heel"]


def poses(n_frames: int = 60) -> np.ndarray:
    """Two rigid halves that turn about each other, in millimetres: (frames, joints, 3)."""
    body = 100 * rng(9).normal(size=(8, 3)) * [1, 4, 1]
    frames = []
    for angle in np.linspace(0, 2, n_frames):
        turn = np.array(
            [[np.cos(angle), 0, np.sin(angle)], [0, 1, 0], [-np.sin(angle), 0, np.cos(angle)]]
        )
        frames.append(np.vstack([body[:4], body[4:] @ turn]))
    return np.round(frames, 2)


def test_coordinates_grouped_by_axis_share_a_unit_and_make_joints() -> None:
    points = poses()
    flat = points.transpose(0, 2, 1).reshape(len(points), -1)
    names = [f"{axis}_{joint}" for axis in "xyz" for joint in range(8)]
    content = csv_of(pd.DataFrame(flat, columns=names))
    reading = read(content)
    assert not reading.open_questions
    columns = data_of(content, features="columns")
    expected = (flat - flat.min()) / (flat.max() - flat.min())
    np.testing.assert_allclose(columns.data, expected, atol=1e-9)
    named = csv_of(pd.DataFrame(points.reshape(len(points), -1), columns=[
        f"{joint}_{axis}" for joint in JOINTS for axis in "xyz"
    ]))  # fmt: skip
    by_axis = data_of(content, features="joints").data
    np.testing.assert_allclose(by_axis, data_of(named, features="joints").data)


def test_likelihoods_beside_coordinates_are_left_out_and_said() -> None:
    points = 300 + poses()[:, :4, :2]
    sure = rng().uniform(0.8, 1, (*points.shape[:2], 1)).round(4)
    stored = np.concatenate([points, sure], axis=2).reshape(len(points), -1)
    rows: list[list[Any]] = [
        ["scorer", *["DLC"] * 12],
        ["bodyparts", *[joint for joint in JOINTS[:4] for _ in range(3)]],
        ["coords", *["x", "y", "likelihood"] * 4],
    ]
    rows += [[number, *row] for number, row in enumerate(stored.tolist())]
    reading = read(files.csv(rows))
    assert reading.dataset.n_features == 8
    question = reading.questions["roles DLC head likelihood"]
    assert (question.value, question.confidence) == ("certainty", "likely")
    assert "likelihood" in question.sentence


def test_trc_names_its_coordinates() -> None:
    flat = poses().reshape(60, -1)
    rows: list[list[Any]] = [
        ["PathFileType", "4", "(X/Y/Z)", "walk.trc"],
        ["DataRate", "CameraRate", "NumFrames", "NumMarkers", "Units"],
        [100, 100, 60, 8, "mm"],
        ["Frame#", "Time", *[cell for joint in JOINTS for cell in (joint, "", "")]],
        ["", "", *[f"{axis}{number}" for number in range(1, 9) for axis in "XYZ"]],
    ]
    rows += [[k, k / 100, *row] for k, row in enumerate(flat.tolist())]
    data = data_of(files.csv(rows, separator="\t"), "walk.tsv", features="columns")
    assert data.feature_names is not None
    assert (data.n_samples, data.n_features, data.feature_names[:3]) == (
        60, 24, ("head X", "head Y", "head Z"),
    )  # fmt: skip


def test_qualisys_names_its_markers_above_the_numbers() -> None:
    flat = poses().reshape(60, -1)
    rows: list[list[Any]] = [
        ["NO_OF_FRAMES", 60], ["FREQUENCY", 100], ["MARKER_NAMES", *JOINTS], *flat.tolist(),
    ]  # fmt: skip
    data = data_of(files.csv(rows, separator="\t"), "walk.tsv", features="columns")
    assert data.feature_names is not None
    assert (data.n_samples, data.feature_names[23]) == (60, "heel Z")


# Comments, labels beside, curves of several columns, names that a program made


def test_comments_among_the_rows_are_passed_over() -> None:
    lines = measures().to_csv(index=False).splitlines()
    lines[1:1] = ["# on Monday"]
    lines += ["# the lamp was changed"]
    lines[40:40] = ["% pause"]
    reading = read("\n".join(lines).encode())
    assert reading.dataset.data.shape == (90, 4)
    words = measures().assign(sort=list("abc") * 30).to_csv(index=False).splitlines()
    words[300:300] = ["# below"]
    words[50:50] = ["# between"]
    data = data_of("\n".join(words).encode())
    assert data.target is not None
    assert data.target.tolist() == [0, 1, 2] * 30


@pytest.mark.parametrize("header", ["y\n", ""])
@pytest.mark.parametrize(
    "names", [("X.csv", "y.csv"), ("set/features_train.csv", "set/labels_train.csv")]
)
def test_labels_in_a_table_beside(names: tuple[str, str], header: str) -> None:
    labels = ["b", "a", "c"] * 30
    content = header + "\n".join(labels)
    data = data_of(
        files.zipped({names[0]: csv_of(measures()), names[1]: content.encode()}), "a.zip"
    )
    assert data.target_names == ("a", "b", "c")
    assert data.feature_names == ("flow", "pressure", "torque", "level")
    assert data.target is not None
    assert data.target.tolist() == [1, 0, 2] * 30


def test_labels_beside_of_another_number_are_refused() -> None:
    content = files.zipped({"X.csv": csv_of(measures()), "y.csv": b"y\n" + b"a\nb\n" * 44})
    with pytest.raises(DatasetError, match=r"has 90 rows and y\.csv 88: bring one"):
        read(content, "a.zip")


def test_curves_of_three_columns_are_refused_with_what_to_save() -> None:
    rows = [[f"{0.02 * k:.2f}", 1 + k % 7, 0.1] for k in range(50)]
    star = files.csv(rows, ["time", "flux", "error"])
    with pytest.raises(DatasetError, match="each of its files has 3 columns"):
        read(files.zipped({f"star{k}.csv": star for k in range(8)}), "stars.zip")


def test_equal_values_that_a_program_told_apart_are_read_as_they_were() -> None:
    values = rng().integers(0, 90, (40, 6)) + 0.25
    rows = [["5.5", "5.5.1", "8.25", "8.25.1", "7.25", "9.25"], *values.tolist()]
    data = data_of(files.csv(rows), header="sample", samples="rows", features="columns")
    assert data.n_samples == 41
    assert data.data[0, 0] == data.data[0, 1]
    assert data.data[0, 2] == data.data[0, 3]


def test_one_long_signal_is_told_to_be_cut() -> None:
    signal = rng().normal(size=(4000, 1))
    with pytest.raises(DatasetError, match="cut it into windows of equal length"):
        read(files.mat(DE=signal, FE=signal, RPM=np.array([[1796]])), "a.mat")


# What stands below a table, and names that only count


def marks(*below: str) -> bytes:
    """A German teacher's sheet, with what stands below it."""
    rows = [f"Kind {k};{8 + k % 7};{10 + k % 5};{1 + k % 3}" for k in range(20)]
    return "\n".join(["Name;Test 1;Test 2;Note", *rows, *below, ""]).encode("cp1252")


@pytest.mark.parametrize(
    ("below", "notes"),
    [
        ([";;;", ";;;"], []),
        (
            [";;;", ";;;", "Durchschnitt;10,9;11,9;1,95"],
            [
                "2 rows without a cell are passed over.",
                "The last row, Durchschnitt, sums up the others and is left out.",
            ],
        ),
        (
            ["Summe;218;238;39", "Mittelwert;10,9;11,9;1,95"],
            ["The last rows, Summe, Mittelwert, sum up the others and are left out."],
        ),
    ],
)
def test_rows_that_sum_up_the_others_are_no_samples(below: list[str], notes: list[str]) -> None:
    reading = read(marks(*below), classes_from="Note")
    assert reading.dataset.n_samples == 20
    assert not reading.open_questions
    assert list(reading.notes[: len(notes)]) == notes


def test_a_pupil_called_like_a_summary_is_kept() -> None:
    assert read(marks("Max;9;9;2"), classes_from="Note").dataset.n_samples == 21
    first = marks("Max;9;9;2").replace(b"Kind 3;", b"Total;")
    assert read(first, classes_from="Note").dataset.n_samples == 21


@pytest.mark.parametrize("index", [False, True])
@pytest.mark.parametrize("at_end", [False, True])
def test_names_that_only_count_hide_no_class_beside_pictures(index: bool, at_end: bool) -> None:
    images, digits = write.digits()
    columns = [images[:300], digits[:300, None]] if at_end else [digits[:300, None], images[:300]]
    content = pd.DataFrame(np.hstack(columns)).to_csv(index=index).encode()
    reading = read(content)
    assert reading.questions["classes_from"].sentence == (
        f"Classes are from column {64 if at_end else 0}. It holds codes, and the other 64 columns "
        "are pictures."
    )
    data = reading.dataset
    assert data.image_shape == (8, 8)
    np.testing.assert_array_equal(data.data, images[:300] / 16)
    assert data.target is not None
    np.testing.assert_array_equal(data.target, digits[:300])


def test_one_hot_columns_without_names_are_offered_beside_binary_pixels() -> None:
    images, digits = write.digits()
    table = np.hstack([images[:300] > 7, digits[:300, None] == np.arange(10)]).astype(int)
    content = "\n".join(" ".join(map(str, row)) for row in table.tolist()).encode() + b"\n"
    question = read_here(content, "semeion.data", samples="rows").questions["classes_from"]
    assert question.is_open
    assert question.value == "column 65 … column 74"
    assert question.answers[0].example == "10 classes"


def test_a_counter_over_a_long_row_is_no_axis() -> None:
    values = rng().random((20, 3000)).round(4)
    table = pd.DataFrame(values).assign(target=np.arange(20) % 4)
    question = read(csv_of(table)).questions["header"]
    assert (question.value, question.sentence) == ("names", "")


def test_words_of_a_digit_and_a_letter_are_classes_and_no_units() -> None:
    table = measures().assign(room=np.array(["7a", "7b"])[np.arange(90) % 2])
    reading = read(csv_of(table))
    assert reading.questions["classes_from"].value == "room"
    assert reading.dataset.target_names == ("7a", "7b")


@pytest.mark.usefixtures("at_home")
def test_numbers_in_words_are_read_anew_for_each_answer_that_is_shown() -> None:
    rows = [f"Kind {k};{8 + k % 7};{60 + k}%;{1 + k % 3},3" for k in range(20)]
    content = "\n".join(["Name;Test;Homework;Oral", *rows, ""]).encode()
    reading = read_file(content, "marks.csv", with_previews=True)
    assert reading.dataset.n_features == 3
    assert "header" in reading.previewed
    header = preview_questions([("marks.csv", content)], ["header"], "marks.csv")["header"]
    assert [preview.value for preview in header] == ["names", "axis", "sample"]


def test_blocks_of_rows_with_blank_lines_between_lose_none() -> None:
    rng = np.random.default_rng(4)
    rows = [" ".join(f"{value:.3f}" for value in row) for row in rng.random((40, 6))]
    blocks = "\n\n".join("\n".join(rows[start : start + 10]) for start in range(0, 40, 10))
    assert read((blocks + "\n").encode(), samples="rows").dataset.n_samples == 40


def test_keys_of_a_long_table_may_hold_the_marks_of_an_answer() -> None:
    table = crossed(("N + P", [f"p{k}" for k in range(8)]), ("a × b", ["u", "v", "w"]))
    pivot = read(csv_of(table)).questions["pivot"]
    reading = read(csv_of(table), pivot=pivot.value, scale="stretch")
    assert sorted([reading.dataset.n_samples, reading.dataset.n_features]) == [3, 8]
