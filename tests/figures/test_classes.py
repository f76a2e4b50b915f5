"""One bar a class, whatever the classes are called."""

from cspca.figures.classes import MOST_DRAWN, MOST_NAMED, class_balance_alt, class_balance_spec


def test_each_class_has_its_bar_though_long_names_are_cut():
    names = ["<b>" + 30 * "x" + str(k) for k in range(3)]
    spec = class_balance_spec(names, [3, 0, 5], dark=False)
    rows = spec["data"]["values"]
    assert [row["count"] for row in rows] == [3, 0, 5]
    assert len({row["name"] for row in rows}) == 3
    assert [row["full"] for row in rows] == names


def test_many_classes_are_numbered_and_bounded():
    count = MOST_DRAWN + 7
    spec = class_balance_spec([str(k) for k in range(count)], count * [2], dark=True)
    assert len(spec["data"]["values"]) == MOST_DRAWN
    assert spec["encoding"]["x"]["field"] == "number"
    few = class_balance_spec(MOST_NAMED * ["a"], MOST_NAMED * [2], dark=True)
    assert few["encoding"]["x"]["field"] == "name"
    assert len({row["name"] for row in few["data"]["values"]}) == MOST_NAMED


def test_the_sentence():
    assert class_balance_alt(["a", "b"], [4, 4]) == "All 2 classes have 4 samples each."
    assert class_balance_alt(["a", "b"], [4, 9]) == "2 classes of 4 to 9 samples."
    assert class_balance_alt([], []) == "There are no classes."
