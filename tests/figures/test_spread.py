"""A histogram with marks: what it says and where it draws."""

import numpy as np

from cspca.figures.spread import Mark, spread

WORDS = {
    "question": "Is it better?",
    "axis": "Variance unexplained",
    "what": "draw",
    "several": "draws",
}


def test_every_value_is_drawn_and_every_mark_named():
    values = np.linspace(0.2, 0.3, 200)
    marks = [Mark("Yours <b>", 0.25, "#D55E00"), Mark("CSPCA", 0.5, "#0072B2")]
    drawn = spread(values, marks, **WORDS)
    assert sum(drawn.data[0].y) == 200
    assert [shape.x0 for shape in drawn.layout.shapes] == [25.0, 50.0]
    low, high = drawn.layout.xaxis.range
    assert low < 20
    assert high > 50
    said = drawn.layout.meta["alt"]
    assert said.startswith("200 draws: from 20.0 % to 30.0 %, mean 25.0 %.")
    assert "CSPCA 50.0 %" in said
    assert spread(values, marks, **WORDS, zero=True).layout.xaxis.range[0] == 0
    assert "&lt;b&gt;" in drawn.layout.annotations[0].text


def test_of_nothing_or_one_value_it_says_so():
    assert spread([], [], **WORDS).layout.meta["alt"] == "No draws yet."
    one = spread([0.4], [], **WORDS)
    assert sum(one.data[0].y) == 1
    assert one.layout.meta["alt"].startswith("1 draw: from 40.0 %")
