"""The ledger: what is kept, whose it is, what makes way, who is refused; data sets by their id."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from cspca.datasets import Dataset, DatasetError
from cspca.experiments.ledger import (
    LEDGER,
    MADE,
    OPERATOR,
    PUBLIC,
    UNOWNED,
    FullError,
    Ledger,
    Memory,
    memory_of,
)
from cspca.experiments.log import hashed
from cspca.experiments.memory import DatasetLibrary, once, owner_of

MB = 1 << 20


class Clock:
    now = 0.0

    def __call__(self):
        self.now += 1e-3
        return self.now


def block(n_mb):
    """So many MB and the few bytes of an array's head."""
    return np.zeros(int(n_mb * MB) - 1024, np.uint8)


def dataset(name="mine", n=4, names=None):
    data = np.linspace(0, 1, n * 6).reshape(n, 6)
    target = None if names is None else np.arange(n) % len(names)
    return Dataset(data, target, image_shape=(2, 3), name=name, target_names=names)


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def ledger(clock):
    """100 MB for all, 40 for each."""
    return Ledger(100 * MB, 40 * MB, clock)


# -- sizes -----------------------------------------------------------------------------------------


def test_each_array_counts_once_and_a_view_as_all_of_its_own():
    array = np.zeros(100_000)

    class Holder:
        def __init__(self):
            self.first = self.second = array
            self.more = {"x": [np.zeros(50_000)], "view": array.reshape(100, 1000).T}

    size = 1_200_000
    assert size <= memory_of(Holder()) < size + 5_000
    assert 800_000 <= memory_of(array[:1]) < 801_000
    packed = bytes(90_000)
    assert 90_000 <= memory_of(np.frombuffer(packed, np.uint8)[5:]) < 91_000


def test_words_and_objects_count_with_what_they_hold():
    words = tuple(f"class {number:06d} {'x' * 80}" for number in range(1000))
    assert memory_of(words) > 1000 * 140
    assert memory_of(np.array(words, dtype=object)) > 1000 * 140
    assert memory_of(dataset(names=words[:4])) > memory_of(dataset())

    class Slotted:
        __slots__ = ("held",)

        def __init__(self):
            self.held = np.zeros(10_000)

    assert memory_of(Slotted()) > 80_000

    def going():
        held = np.zeros(10_000)
        yield
        yield held

    begun = going()
    next(begun)
    assert memory_of(begun) > 80_000


def test_the_program_itself_is_no_part_of_what_it_holds():
    class Held:
        def __init__(self):
            self.kind, self.module, self.call = Dataset, np, np.linalg.svd

    assert memory_of(Held()) < 2_000


# -- who makes way, who is refused -----------------------------------------------------------------


def test_one_s_own_oldest_that_can_be_made_again_makes_way(ledger):
    fits, sets = Memory(ledger), Memory(ledger, brought=True)
    for name in "abc":
        fits.put(name, block(10), "ann")
    fits.get("a")
    sets.put("set", block(15), "ann")
    assert [fits.get(name) is not None for name in "abc"] == [True, False, True]
    assert sets.get("set") is not None
    fits.put("d", block(20), "ann")
    assert [fits.get(name) is not None for name in "acd"] == [False, False, True]


def test_who_is_over_quota_is_refused_in_one_sentence_and_loses_nothing(ledger):
    sets, fits = Memory(ledger, brought=True), Memory(ledger)
    sets.put("first", block(30), "ann")
    fits.put("fit", block(5), "ann")
    with pytest.raises(FullError) as refused:
        sets.put("second", block(20), "ann", "big.mat")
    said = str(refused.value)
    assert said.startswith("big.mat takes 20 MB of memory, and you have 30 MB of the 40 MB that ")
    assert "Remove my data now" in said
    assert said.count(". ") == 0
    assert sets.get("first") is not None
    assert fits.get("fit") is not None, "in vain nothing goes"
    sets.put("hers", block(20), "bea")


def test_nobody_s_work_makes_way_for_a_newcomer(ledger):
    sets, fits = Memory(ledger, brought=True), Memory(ledger)
    for name in ("ann", "bea"):
        fits.put(name, block(38), name)
    with pytest.raises(FullError, match="24 MB are left of the 100 MB that all visitors share"):
        sets.put("new", block(30), "newcomer")
    assert fits.get("ann") is not None
    assert fits.get("bea") is not None
    sets.put("small", block(20), "newcomer")
    assert ledger.held() <= 100 * MB


def test_what_is_everybody_s_is_bounded_and_never_refused(ledger):
    shared = Memory(ledger)
    for name in range(10):
        shared.put(name, block(15), PUBLIC)
    assert ledger.held(PUBLIC) <= 40 * MB
    assert [name for name in range(10) if shared.get(name) is not None] == [8, 9]
    shared.put("large", block(90), PUBLIC)
    assert shared.get("large") is not None


def test_a_memory_with_a_bound_of_its_own_lets_each_owner_s_oldest_go(ledger, clock):
    fits = Memory(ledger, most=5 * MB)
    fits.put("bea's", block(2), "bea")
    for number in range(4):
        clock.now += 1.0
        fits.put(number, block(2), "ann")
        fits.get(0)
    assert [key for key, _ in fits.items()] == ["bea's", 0, 3], "what is looked at stays"
    fits.put("large", block(9), "ann")
    assert [key for key, _ in fits.items()] == ["bea's", "large"], "the newest stays"


def test_the_user_of_this_machine_has_all_there_is(ledger):
    sets = Memory(ledger, brought=True)
    sets.put("large", block(90), OPERATOR)
    with pytest.raises(FullError, match="100 MB"):
        sets.put("more", block(20), OPERATOR)


def test_two_memories_share_the_room_and_what_both_hold_counts_once(ledger):
    fits, films = Memory(ledger), Memory(ledger)
    held = block(30)
    fits.put("fit", held, "ann")
    films.put("film", (held, block(1)), "ann")
    assert 30 * MB < ledger.held("ann") < 32 * MB
    assert fits.get("fit") is not None
    films.put("other", block(15), "ann")
    assert fits.get("fit") is None


def test_thirty_visitors_with_a_thousand_fits_stay_within_what_is_theirs(ledger):
    sets, fits = Memory(ledger, brought=True), Memory(ledger)
    names = [f"visitor {number}" for number in range(30)]
    for name in names:
        sets.put(name, block(2), name)
    heights = []
    for number in range(1000):
        try:
            fits.put(number, block(1), names[number % 30])
        except FullError:
            pytest.fail("there is something of one's own to make way")
        heights.append(ledger.held())
    assert max(heights) <= 100 * MB
    assert max(heights[100:]) == heights[100]
    assert all(sets.get(name) is not None for name in names)


def test_all_of_one_visitor_goes_and_nothing_of_others(ledger):
    sets, fits = Memory(ledger, brought=True), Memory(ledger)
    for name in ("ann", "bea", PUBLIC):
        fits.put(f"fit of {name}", block(2), name)
        sets.put(f"set of {name}", block(3), name)
    assert 4.9 * MB < ledger.erase("ann") < 5 * MB
    assert ledger.held("ann") == 0
    assert set(ledger.owners()) == {"bea", PUBLIC}
    assert fits.get("fit of bea") is not None
    assert sets.get("set of ") is not None


def test_what_nobody_looks_at_goes_and_what_was_brought_at_its_age_from_its_arrival(ledger, clock):
    fits = Memory(ledger)
    sets = Memory(ledger, brought=True, age=lambda: 20 * MADE)
    for name in ("left", "seen"):
        fits.put(name, block(1), "ann")
    sets.put("set", block(1), "ann")
    for _ in range(30):
        clock.now += MADE - 10
        fits.get("seen")
        sets.get("set")
    assert fits.get("left") is None
    assert fits.get("seen") is not None
    assert sets.get("set") is None, "it was looked at again and again"


def test_whatever_is_put_and_seen_in_which_order_goes_when_its_time_is_over(ledger, clock):
    rng = np.random.default_rng(0)
    memory: Memory[int, int] = Memory(ledger, idle=100, age=lambda: 300)
    came: dict[int, float] = {}
    seen: dict[int, float] = {}
    for _ in range(2000):
        clock.now += rng.exponential(10)
        key = int(rng.integers(20))
        now = clock.now
        there = {name for name in seen if now - seen[name] <= 100 and now - came[name] <= 300}
        if rng.random() < 0.3:
            memory.put(key, key, "ann")
            came[key] = seen[key] = now
            there.add(key)
        else:
            assert (memory.get(key) is not None) == (key in there)
            seen[key] = now if key in there else -np.inf
        assert set(memory.entries) == there, "also what nobody asks for has gone"


def test_a_look_is_no_longer_for_all_else_that_is_kept(ledger):
    def lines_of_a_look():
        lines = []

        def trace(frame, event, argument):
            lines.append(event)
            return trace

        before = sys.gettrace()
        sys.settrace(trace)
        try:
            assert memory.get("first") == "thing"
        finally:
            sys.settrace(before)
        return len(lines)

    memory = Memory(ledger)
    memory.put("first", "thing", "ann")
    alone = lines_of_a_look()
    for number in range(1000):
        memory.put(number, number, "bea")
    assert lines_of_a_look() == alone


def test_what_takes_the_place_of_another_keeps_its_owner_and_its_arrival(ledger, clock):
    sets = Memory(ledger, brought=True, idle=20 * MADE, age=lambda: 20 * MADE)
    sets.put("set", block(1), "ann")
    clock.now += 15 * MADE
    sets.replace("set", block(39))
    sets.replace("gone", block(1))
    assert sets.get("set").nbytes == block(39).nbytes
    assert sets.get("gone") is None
    assert sets.owner("set") == "ann"
    with pytest.raises(FullError):
        sets.put("other", block(2), "ann")
    clock.now += 6 * MADE
    assert sets.get("set") is None


def test_a_thing_is_made_once_and_a_failed_making_can_be_tried_again(ledger):
    memory, made = Memory(ledger), []
    for _ in range(3):
        assert memory.get_or_make("a", lambda: made.append(1) or "thing", "ann") == "thing"
    assert made == [1]

    def broken():
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        memory.get_or_make("b", broken, "ann")
    assert memory.get_or_make("b", lambda: "thing", "ann") == "thing"
    # What has no room serves once.
    assert memory.get_or_make("c", lambda: block(50), "ann").nbytes > 49 * MB
    assert memory.get("c") is None


# -- data sets -------------------------------------------------------------------------------------


def test_an_upload_is_reachable_by_its_id_alone(ledger):
    library = DatasetLibrary(ledger)
    mine = dataset()
    key = library.add(mine, "ann")
    assert len(key) >= 20
    assert library.get(key) is mine
    assert key in library
    assert library.owner(key) == owner_of(mine) == hashed("ann")
    with pytest.raises(DatasetError, match="not kept here any more"):
        library.get("mine")
    # Else by the fingerprint of its whole content, by its owner and by who may open every upload.
    assert library.find(mine.sha256) == library.find(mine.sha256, "ann") == key
    assert library.find(mine.sha256, "bea") is None
    for guess in ("", mine.name, mine.sha256[:-1], dataset("other", 5).sha256):
        assert library.find(guess) is None
    names = [name for name in dir(library) if not name.startswith("_")]
    assert names == ["add", "find", "get", "owner", "sets_of"]


def test_two_visitors_with_the_same_file_have_each_their_own(ledger):
    library = DatasetLibrary(ledger)
    ann, bea = dataset("ann.mat", names=("cat", "dog")), dataset("bea.mat", names=("x", "y"))
    assert ann.sha256 == bea.sha256
    hers, other = library.add(ann, "ann"), library.add(bea, "bea")
    assert library.get(hers).target_names == ("cat", "dog")
    assert library.get(other).name == "bea.mat"
    # Nobody learns from an instant answer that somebody else has the same file.
    made = [once(one, object, "thing") for one in (ann, ann, bea)]
    assert made[0] is made[1]
    assert made[0] is not made[2]
    ledger.erase(hashed("ann"))
    assert hers not in library
    assert library.get(other) is bea


def test_a_built_in_set_is_made_once_and_everybody_s(monkeypatch, ledger):
    made = []

    def loader(name):
        made.append(name)
        return dataset(name)

    monkeypatch.setattr("cspca.experiments.memory.load", loader)
    library = DatasetLibrary(ledger)
    assert library.get("faces") is library.get("faces")
    assert made == ["faces"]
    assert "digits" in library
    assert library.owner("faces") == PUBLIC
    # Who takes it in use as it is has a copy: it stays everybody's.
    key = library.add(library.get("faces"), "ann")
    assert library.owner(key) == hashed("ann")
    assert owner_of(library.get("faces")) == PUBLIC
    ledger.erase(PUBLIC)
    assert library.get("faces").name == "faces"


def test_a_set_that_is_too_large_is_refused_by_its_name(clock):
    library = DatasetLibrary(Ledger(2 * MB, MB, clock))
    with pytest.raises(FullError, match=r"large\.mat takes 2 MB of memory.*smaller samples\.$"):
        library.add(dataset("large.mat", n=40_000), "ann")


def test_an_upload_goes_a_day_after_it_came_whoever_looks_at_it(ledger, clock):
    library = DatasetLibrary(ledger)
    key = library.add(dataset(), "ann")
    for _ in range(23):
        clock.now += 3600
        assert library.get(key)
    clock.now += 3700
    assert key not in library


def test_nothing_is_kept_without_an_owner_and_nothing_unowned_is_everybody_s(ledger):
    memory = Memory(ledger)
    with pytest.raises(TypeError, match="owner"):
        memory.put("key", block(1))
    with pytest.raises(TypeError, match="owner"):
        memory.get_or_make("key", object)
    unowned = dataset("nobody has brought it", 7)
    before = LEDGER.held(PUBLIC)
    once(unowned, lambda: block(1), "thing")
    assert owner_of(unowned) == UNOWNED
    assert LEDGER.held(PUBLIC) == before
    assert LEDGER.held(UNOWNED) > 0.9 * MB
    LEDGER.erase(UNOWNED)


def test_what_an_owner_has_is_listed_for_them_alone_and_kept_no_longer_by_that(ledger, clock):
    library = DatasetLibrary(ledger)
    first = library.add(dataset("first"), "ann")
    clock.now += 60
    second = library.add(dataset("second"), "ann")
    library.add(dataset("other"), "bea")
    listed = library.sets_of("ann")
    assert [(key, data.name) for key, data, _ in listed] == [(second, "second"), (first, "first")]
    assert [round(age) for *_, age in listed] == [0, 60]
    assert library.sets_of("cy") == []
    memory = Memory(ledger, idle=100)
    memory.put("draft", 1, "ann")
    clock.now += 90
    assert [key for key, *_ in memory.owned_by("ann")] == ["draft"]
    clock.now += 20
    assert memory.owned_by("ann") == [], "to be listed is not to be looked at"
