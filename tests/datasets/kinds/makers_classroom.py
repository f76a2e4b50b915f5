"""What a teacher brings to a class: digits of the web, sheets of marks, forms, slides."""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd

from tests.datasets.kinds import write
from tests.datasets.kinds.catalogue import Case, Mark, pixel_mark
from tests.datasets.kinds.catalogue import kind as any_kind

kind = partial(any_kind, group="schools", from_field=True)


@kind(
    "digits under names that only count, with their class",
    variants=4,
    plain=True,
    never="The class is a pixel, and pictures are curves.",
)
def counted_digits(variant: int) -> Case:
    images, digits = write.digits()
    images, digits = images[150 * variant :][:400], digits[150 * variant :][:400]
    is_first, with_index = variant % 2 == 0, variant >= 2
    columns = [digits[:, None], images] if is_first else [images, digits[:, None]]
    content = write.csv(pd.DataFrame(np.hstack(columns)), index=with_index)
    mark = pixel_mark(images.reshape(-1, 8, 8), write.texts(digits))
    return Case("digits.csv", content, mark)


@kind("tables of digits under the suffixes of UCI", plain=True, never="They are refused unread.")
def digits_of_uci(variant: int) -> Case:
    images, digits = write.digits()
    images, digits = images[:500], digits[:500]
    if variant == 0:
        name, content = "optdigits.tra", write.lines(np.c_[images, digits].tolist())
    else:
        scaled = (images / 8 - 1).round(3)
        name, content = "zip.train", write.lines(np.c_[digits, scaled].tolist(), " ")
    return Case(name, content, pixel_mark(images.reshape(-1, 8, 8), write.texts(digits)))


@kind("black and white digits before ten columns of their class", never="Classes are pixels.")
def binary_digits(variant: int) -> Case:
    images, digits = write.digits()
    images, digits = images[200 * variant :][:300], digits[200 * variant :][:300]
    pixels = (images > 7).astype(int)
    ones = (digits[:, None] == np.arange(10)).astype(int)
    table = np.c_[pixels, ones]
    cells = [[f"{cell:.4f}" for cell in row] for row in table] if variant else table.tolist()
    mark = pixel_mark(
        pixels.reshape(-1, 8, 8),
        [f"column {65 + digit}" for digit in digits],
        may_ask=frozenset({"samples", "classes_from", "features", "shape"}),
        answers={"samples": "rows", "features": "pixels"},
    )
    return Case("semeion.data", write.lines(cells, " "), mark)


@kind("a sheet of marks with blank rows and means below", never="The mean is one more pupil.")
def marks_with_means(variant: int) -> Case:
    rng = write.generator(variant, 240)
    n = (24, 29)[variant]
    points = rng.integers(3, 20, (n, 3))
    which = rng.integers(1, 5, n)
    head = (["Name", "Test 1", "Test 2", "Test 3", "Note"], ["Pupil", "T1", "T2", "T3", "grade"])
    rows: list[list[object]] = [list(head[variant])]
    rows += [[f"Kind {k}", *points[k].tolist(), which[k]] for k in range(n)]
    rows += [[""] * 5, [""] * 5] if variant == 0 else []
    means = points.mean(0).round(1).tolist()
    below = (["Durchschnitt", *means, 2.4], ["Mean", *means, 2.4])[variant]
    rows += [below, ["Std", 4.9, 4.7, 5.0, 1.1]] if variant else [below]
    content = write.lines(rows, ";")
    content = content.replace(b".", b",") if variant == 0 else content
    mark = Mark(
        values=points,
        labels=write.texts(which),
        may_ask=frozenset({"classes_from", "scale"}),
        answers={"classes_from": head[variant][-1], "scale": "stretch"},
    )
    return Case("marks.csv", content, mark)


@kind("answers to a form, by classes such as 7a and 7b", never="7a and 7b are a measure of 7.")
def answers_to_a_form(variant: int) -> Case:
    rng = write.generator(variant, 241)
    n = (30, 42)[variant]
    rooms = ("7a 7b", "5a 5b 6a 6b")[variant]
    which = rng.permutation(np.arange(n) % len(rooms.split()))
    values = np.c_[rng.normal(160, 8, n).round(0), rng.normal(158, 9, n).round(0)]
    stamps = pd.date_range("2024-05-13 08:01:03", periods=n, freq="37s")
    frame = pd.DataFrame(
        {
            "Timestamp": stamps.strftime("%m/%d/%Y %H:%M:%S"),
            "Email Address": [f"pupil{k}@school.example" for k in range(n)],
            "Your class?": write.words(which, rooms),
            "Height (cm)": values[:, 0],
            "Arm span (cm)": values[:, 1],
        }
    )
    mark = Mark(values=values, labels=write.words(which, rooms))
    return Case("Form responses 1.csv", write.csv(frame), mark)


@kind("a page of the web in place of its table", never="Lines of the page are samples.")
def page_of_the_web(variant: int) -> Case:
    start = ("<!DOCTYPE html>\n", "\ufeff\r\n<html>\r\n")[variant]
    page = f"{start}<head><title>digits.csv</title></head>\n<body>Sign in</body></html>\n"
    return Case(("mnist.csv", "iris.data")[variant], page.encode(), Mark(refused="web page"))


@kind("slides and letters of Office", variants=4, never="They are workbooks of Excel.")
def slides(variant: int) -> Case:
    compound = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(504)
    stream = ("PowerPoint Document", "WordDocument")[variant % 2].encode("utf-16-le")
    word = ("PowerPoint", "Word")[variant % 2]
    if variant < 2:
        return Case(("lesson.ppt", "sheet.doc")[variant], compound + stream, Mark(refused=word))
    name = ("lesson.pptx", "sheet.docx")[variant - 2]
    return Case(name, b"PK\x03\x04" + word.encode() + bytes(60), Mark(refused=word))
