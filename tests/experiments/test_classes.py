"""Classes: what comes in under a code, for how long, how much of it, and who may look."""

import re
import threading

import numpy as np
import pytest

from cspca.experiments.classes import HOURS, LENGTH, LETTERS, WINDOW, ClassError, Classes

SHA, SIZE = "a" * 64, 20


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def opened(classes: Classes, owner: str = "teacher", k: int = 5):
    return classes.open(owner, {"data": "faces"}, SHA, SIZE, k)


def mask(*pixels: int, size: int = SIZE) -> np.ndarray:
    marked = np.zeros(size, dtype=bool)
    marked[list(pixels)] = True
    return marked


def test_masks_come_together_and_nothing_else_is_kept(clock):
    classes = Classes(clock=clock)
    one = opened(classes)
    assert re.fullmatch(f"[{LETTERS}]{{{LENGTH}}}", one.code)
    assert classes.join(f" {one.code[:3].lower()} {one.code[3:]}", "pupil 1") is one
    classes.hand_in(one.code, "pupil 1", mask(0, 3), SHA)
    classes.hand_in(one.code, "pupil 2", mask(3).reshape(4, 5), SHA)
    assert classes.masks(one).sum(axis=0)[[0, 3]].tolist() == [1, 2]
    assert classes.handed_in(one, "pupil 1")
    assert not classes.handed_in(one, "pupil 3")
    assert "pupil" not in repr(vars(one))
    # The same visitor has another fingerprint in another class.
    assert not set(one.masks) & {opened(classes, "other").fingerprint("pupil 1")}


def test_a_new_mask_replaces_the_old_one_but_not_at_once(clock):
    classes = Classes(clock=clock)
    one = opened(classes)
    classes.hand_in(one.code, "pupil", mask(1), SHA)
    with pytest.raises(ClassError, match="wait two seconds"):
        classes.hand_in(one.code, "pupil", mask(2), SHA)
    clock.now += 3
    classes.hand_in(one.code, "pupil", mask(2), SHA)
    assert np.flatnonzero(classes.masks(one)).tolist() == [2]
    # Who has seen the answer cannot hand it in; who came late can hand in once.
    clock.now += 3
    one.revealed = True
    with pytest.raises(ClassError, match="stays as it is"):
        classes.hand_in(one.code, "pupil", mask(3), SHA)
    classes.hand_in(one.code, "late", mask(4), SHA)
    assert len(classes.masks(one)) == 2


def test_it_is_over_after_its_hours_and_its_masks_are_gone(clock):
    classes = Classes(clock=clock)
    one = opened(classes)
    classes.hand_in(one.code, "pupil", mask(1), SHA)
    clock.now += HOURS * 3600 - 90
    assert classes.minutes_left(one) == 1
    # To look does not prolong it.
    assert classes.get(one.code) is one
    clock.now += 91
    assert classes.get(one.code) is None
    with pytest.raises(ClassError, match=r"no class with this code \(any more\)"):
        classes.join(one.code, "pupil")
    with pytest.raises(ClassError, match="no class with this code"):
        classes.hand_in(one.code, "pupil 2", mask(1), SHA)


@pytest.mark.parametrize(
    ("painted", "sha256", "words"),
    [
        (mask(1, size=21), SHA, "paints on other images"),
        (mask(1), "b" * 64, "paints on other images"),
        (mask(), SHA, "0 pixels are painted"),
        (mask(*range(6)), SHA, "this class paints 1 to 5"),
    ],
)
def test_masks_must_be_of_the_class(painted, sha256, words):
    classes = Classes()
    one = opened(classes)
    with pytest.raises(ClassError, match=words):
        classes.hand_in(one.code, "pupil", painted, sha256)
    assert not classes.masks(one).size


def test_wrong_codes_are_limited_by_visitor_and_by_address(clock):
    classes = Classes(wrong_of_one=3, wrong_of_address=5, clock=clock)
    one = opened(classes)

    def wrong(who: str, address: str = "192.0.2.7") -> str:
        with pytest.raises(ClassError) as problem:
            classes.join("NOCODE", who, address)
        return str(problem.value)

    assert all("no class with this code" in wrong("guesser") for _ in range(3))
    assert "Too many wrong codes" in wrong("guesser")
    # Nor does the right one open anything now, or guessing on would pay.
    with pytest.raises(ClassError, match="wait 10 minutes"):
        classes.join(one.code, "guesser", "192.0.2.8")
    assert classes.join(one.code, "pupil", "192.0.2.7") is one
    assert all("no class" in wrong(f"guesser {i}") for i in range(2))
    assert "Too many wrong codes" in wrong("another")
    assert classes.join(one.code, "another", "192.0.2.8") is one
    assert "no class" in wrong("elsewhere", "192.0.2.8")
    # Who is in already stays in, and comes back.
    assert classes.get(one.code) is classes.join(one.code, "teacher") is one
    classes.hand_in(one.code, "pupil", mask(1), SHA)
    assert classes.join(one.code, "pupil") is one
    clock.now += WINDOW + 1
    assert classes.join(one.code, "guesser") is one


def test_one_stranger_s_wrong_codes_lock_nobody_else_out(clock):
    classes = Classes(clock=clock)
    one = opened(classes)
    for number in range(400):
        with pytest.raises(ClassError):
            classes.join("NOCODE", f"cookie {number}", "198.51.100.1")
    assert classes.join(one.code, "pupil", "192.0.2.7") is one
    # Where no address is known visitors are told apart by their secrets alone.
    assert classes.join(one.code, "pupil 2") is one
    assert not any("cookie" in repr(value) for value in vars(classes).values())


def test_classes_and_masks_are_bounded(clock):
    classes = Classes(max_classes=2, max_masks=2, clock=clock)
    one = opened(classes)
    for pupil in ("1", "2"):
        classes.hand_in(one.code, pupil, mask(1), SHA)
    with pytest.raises(ClassError, match="holds 2 paintings already"):
        classes.hand_in(one.code, "3", mask(1), SHA)
    idle = opened(classes, "second")
    with pytest.raises(ClassError, match="holds 2 classes already"):
        opened(classes, "third")
    clock.now += 601
    third = opened(classes, "third")
    assert (classes.get(idle.code), classes.get(one.code)) == (None, one)
    # Of one owner the new one takes the place of the old one.
    assert classes.get(opened(classes, "third").code)
    assert classes.get(third.code) is None
    with pytest.raises(ClassError, match="at most 65,536 pixels"):
        classes.open("fourth", {}, SHA, 70_000, 100)
    classes.close(one)
    assert classes.get(one.code) is None


def test_thirty_pupils_at_once():
    classes = Classes()
    one = opened(classes)

    def hand_in(pupil: int) -> None:
        joined = classes.join(one.code, f"pupil {pupil}")
        classes.hand_in(joined.code, f"pupil {pupil}", mask(pupil % SIZE), SHA)
        classes.masks(one)

    threads = [threading.Thread(target=hand_in, args=(pupil,)) for pupil in range(30)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert classes.masks(one).sum() == len(one.masks) == 30
