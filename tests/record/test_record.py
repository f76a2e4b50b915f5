"""The record: what is shipped is whole, says who made it, and its numbers come again."""

import json
import lzma
import shutil
from dataclasses import asdict, replace

import numpy as np
import pandas as pd
import pytest

from cspca import record
from cspca.datasets import load_file
from cspca.experiments import Compare, run
from cspca.experiments.ledger import memory_of
from cspca.record import summary
from cspca.record.cells import read_cells
from tests.shell.test_shell import as_json, place, shell  # noqa: F401


@pytest.fixture(scope="module")
def shipped():
    return record.recorded()


def test_what_is_shipped_is_whole_and_holds_no_image(shipped):
    kept = {(one.experiment.kind, one.data.builtin) for one in shipped}
    assert {("compare", "faces"), ("compare", "digits")} <= kept
    for one in shipped:
        assert one.complete
        data = one.data
        assert not hasattr(data, "data")
        assert all(
            array.size < data.n_samples * data.n_features
            for result in one.results.values()
            for array in result.arrays.values()
        )
        for said in (data.sha256[:8], "computed on 20", f"python -m cspca {one.experiment.kind}"):
            assert said in one.note
        if one.experiment.kind == "compare":
            # All that its settings ask for today, when usual numbers of features may be others.
            assert one.experiment.comparison(one.results, data).complete
    assert sum(path.stat().st_size for path in record.FOLDER.glob("*.xz")) < 4.2e6


def test_the_quick_part_comes_again():
    found = as_json("record", "--check", "--quick")
    assert {one["name"] for one in found} >= {"Compare on digits", "Compare on faces"}
    assert all(one["numbers"] > 20 and not one["apart"] for one in found)


def test_other_data_are_refused_not_failed(place):  # noqa: F811
    said = shell("record", "--check", place / "blobs.npz", code=2).stderr
    assert "is refused: its fingerprint" in said
    assert "Nothing was compared" in said


def test_a_mean_or_an_objective_that_moved_is_told(shipped):
    (known,) = (
        one for one in shipped if (one.experiment.kind, one.data.builtin) == ("compare", "digits")
    )
    for name, by, told in (("accuracy", 0.4, True), ("accuracy", 0.2, False),
                           ("objective", 0.01, True), ("objective", 5e-4, False)):  # fmt: skip
        cell, result = next(
            (cell, one) for cell, one in known.results.items() if name in one.rows[0]
        )
        values = [row[name] for row in result.rows]
        by *= np.std(values) if name == "accuracy" else values[0]
        moved = tuple(row | {name: row[name] + by} for row in result.rows)
        again = replace(known, results={cell: replace(result, rows=moved)})
        count, wrong = record.held(known, again)
        assert count > 0
        assert bool(wrong) is told, (name, wrong)


def test_a_kept_run_is_added_listed_and_compared(place, tmp_path, monkeypatch):  # noqa: F811
    monkeypatch.setattr(record, "FOLDER", tmp_path)
    file, home = place / "blobs.npz", tmp_path / "home"
    words = "--methods all,variance --n-features 5 --n-seeds 3 --n-draws 2"
    shell("compare", file, *words.split(), home=home)
    shell("record", "--add", "last", home=home)
    (one,) = record.recorded("compare")
    assert words in one.note
    assert "Compare on blobs" in shell("record").stdout
    first = run(Compare(("all", "variance"), (5,), n_seeds=3, n_draws=2), load_file(file))
    same = ["method", "parameters", "n_features", "seed"]
    assert one.table[same].equals(first.table[same])
    assert np.allclose(one.table[["accuracy", "nmi"]], first.table[["accuracy", "nmi"]], atol=1e-5)
    said = [finding.sentence for finding in one.findings]
    assert said == [*(finding.sentence for finding in first.findings), one.note]
    assert one.figures().keys() == first.figures().keys()
    assert "all are found again" in shell("record", "--check", file).stdout
    next(tmp_path.glob("*.xz")).rename(tmp_path / f"compare-old-{one.data.sha256[:8]}.json.xz")
    shell("record", "--renew", file, home=home)
    assert record.recorded("compare-blobs")[0].table.equals(one.table)


def test_empty_fits_of_the_record_have_no_score():
    """At α = β = 100 the faces' W is zero: its stored scores are those of the top of the image."""
    (path,) = record.paths("paper-faces")
    shipped = record.read(path)
    evidence = shipped.experiment.evidence(shipped.results, shipped.data)
    regimes = shipped.experiment.regimes(shipped.results)
    empty = {point for point, regime in regimes.items() if regime == "zero"}
    assert (100.0, 100.0) in empty
    assert not {(a, b) for a, b, _ in evidence.points} & empty
    assert {evidence.no_ranking[point] for point in evidence.no_ranking if point[:2] in empty} == {
        "empty model"
    }


@pytest.mark.parametrize("path", record.paths(), ids=lambda path: path.name.split(".")[0])
def test_a_cell_is_unpacked_as_it_is_written(path):
    """And what is held of all cells is less than a file of them unpacked."""
    text = lzma.decompress(path.read_bytes())
    results = read_cells(path).results
    # Names and text; every value of its own takes five times that.
    assert memory_of(results) < 1.5 * len(text) + 4096 * len(results)
    written = json.loads(text)["cells"]
    assert len(results) == len(written)
    for (cell, result), (name, rows, arrays, seconds) in zip(results.items(), written, strict=True):
        assert json.loads(cell.name) == name
        assert (list(result.rows), result.seconds) == (rows, seconds)
        assert {key: array.tolist() for key, array in result.arrays.items()} == arrays


def same_values(first, second):
    """Whether two values are equal, arrays and missing numbers too, in the same order."""
    if isinstance(first, dict):
        pairs = zip(first.values(), second.values(), strict=True)
        return list(first) == list(second) and all(same_values(*pair) for pair in pairs)
    if isinstance(first, list | tuple):
        return len(first) == len(second) and all(map(same_values, first, second))
    if isinstance(first, np.ndarray):
        return np.array_equal(first, second, equal_nan=True)
    return first == second or (first != first and second != second)


@pytest.mark.parametrize("path", record.paths("paper"), ids=lambda path: path.name.split(".")[0])
def test_a_summary_says_what_its_cells_say(path):
    """If not: `record.renew_summaries()` makes them anew."""
    shipped, made = summary.read(path), summary.summarise(read_cells(path))
    assert shipped is not None
    assert same_values(asdict(shipped.evidence), asdict(made.evidence))
    assert list(shipped.tables) == list(made.tables)
    for metric, table in made.tables.items():
        pd.testing.assert_frame_equal(shipped.tables[metric], table)
    assert shipped.gaps == made.gaps
    assert (shipped.outcome.note, shipped.outcome.experiment) == (
        made.outcome.note,
        made.outcome.experiment,
    )
    assert vars(shipped.outcome.data) == vars(made.outcome.data)


def test_a_summary_is_used_for_the_file_that_it_was_made_from(tmp_path):
    (path,) = record.paths("paper-digits")
    for file in (path, summary.path_of(path)):
        shutil.copy(file, tmp_path)
    copied = tmp_path / path.name
    assert summary.read(copied) is not None
    copied.write_bytes(lzma.compress(lzma.decompress(path.read_bytes()), preset=0))
    assert summary.read(copied) is None
    summary.write(copied)
    assert summary.read(copied).gaps == summary.read(path).gaps
    summary.path_of(copied).unlink()
    assert summary.read(copied) is None
