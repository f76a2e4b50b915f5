"""The report of a reproduction: its numbers are the evidence's, and it asks nobody for anything."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from cspca.datasets import Recipe
from cspca.evaluation.paper import PAPER_SETS
from cspca.evaluation.paper_claims import Verdict, judge
from cspca.evaluation.paper_recognition import Recognition
from cspca.runs.paper import (
    PAPER,
    QUICK,
    Findings,
    Protocol,
    Reproduction,
    begin,
    findings_of,
    reproduction_command,
    reproduction_lines,
    run_reproduction,
)
from cspca.runs.recipes import StoredRecipe
from cspca.runs.report import about_reproduction, paper_report, run_report
from cspca.runs.run_files import run_files
from cspca.runs.store import Store
from tests.pages import Seen, read
from tests.runs.sweep_processes import blobs
from tests.runs.test_reports import HOSTILE, decoded, sound

DATA = blobs(n=60, d=20, classes=3)
TINY = Protocol(3, (0.01, 1.0, 100.0), 3, ("diagonal-1", "random"))
RECIPE = Recipe("load_file", ("blobs.npz",), bring="blobs.npz")


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Plotly is long to read, and the same in all reports."""
    monkeypatch.setattr("cspca.runs.report.document._plotly", lambda: "const Plotly = null")


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with Store(tmp_path_factory.mktemp("paper")) as opened:
        yield opened


@pytest.fixture(scope="module")
def findings(store: Store) -> Findings:
    return findings_of(store, run_reproduction(store, begin(store, DATA, TINY), DATA))


def written(found: Findings, **more: str) -> str:
    about = about_reproduction(
        found, lines=reproduction_lines(found.reproduction.protocol, RECIPE), bring="blobs.npz"
    )
    return paper_report(found, about, **more)


def of(seen: Seen, title: str) -> str:
    """What is read from a heading on."""
    return seen.text.split(title, 1)[1]


def test_the_claims_are_those_of_the_evidence(findings: Findings) -> None:
    seen = sound(written(findings))
    judged = judge([findings.evidence])
    assert sum(tag == "li" for tag, _ in seen.elements) == len(judged) == 14
    for one in judged:
        begins = f"{one.verdict.value} {one.claim.says} {one.claim.where} {one.number}"
        assert " ".join(begins.split()) in seen.text
        assert " ".join(one.sentence.split()) in seen.text
    by_labels = [one for one in judged if one.claim.needs == "comparison"]
    assert seen.text.count("Rests on labels.") == len(by_labels) == 7
    assert "Its ACC rests on labels." in seen.text
    assert "14 claims of the paper, by a shortened protocol: " in seen.text


def test_the_tables_are_those_of_the_findings(findings: Findings) -> None:
    seen = sound(written(findings))
    for metric, title in (("accuracy", "ACC"), ("nmi", "NMI")):
        table = of(seen, f"{title} of every method")
        for row in findings.tables[metric]:
            best, honest = (
                f"{100 * one.mean:.1f} ± {100 * one.std:.1f}" for one in (row.best, row.honest)
            )
            assert f"{row.title} {best} {honest}" in table
    # None of the paper's data: nothing is compared with its numbers.
    assert "Difference" not in seen.text
    assert "The paper has none for these data." in seen.text


def test_where_the_data_are_the_papers_its_numbers_and_the_difference_are_beside(
    findings: Findings,
) -> None:
    orl = PAPER_SETS["orl"]
    known = replace(findings, recognition=Recognition(orl, "exact", "The paper’s ORL."))
    table = of(sound(written(known)), "ACC, the paper’s and ours")
    for row in known.tables["accuracy"]:
        apart = f"{100 * row.best.mean - orl.accuracy[row.method].mean:+.1f}".replace("-", "−")
        ours = f"{100 * row.best.mean:.1f} ± {100 * row.best.std:.1f}"
        paper = orl.accuracy[row.method]
        assert f"{row.title} {paper.mean:.1f} ± {paper.std:.1f} {ours} {apart}" in table
    assert f"prints ACC {orl.every_start:.1f} % from all seven" in table


def test_the_figures_are_slices_of_the_runs(findings: Findings) -> None:
    seen = sound(written(findings))
    assert set(seen.figures) == {
        "number-of-features", "sensitivity", "convergence", "convergence-admm",
        "convergence-reweighted",
    }  # fmt: skip
    grid = findings.evidence.grid
    drawn = seen.figures["sensitivity"]["light"]["data"][0]
    assert np.allclose(decoded(drawn["z"]).T, 100 * grid.runs.mean(axis=2), rtol=1e-12)
    for row in findings.starts:
        solver = "certified" if row.solver == "admm" else "Algorithm 1"
        assert f"{row.init} {solver} {row.n_iter:,} {row.objective:.8g}" in seen.text


def test_it_says_how_to_do_it_again(findings: Findings) -> None:
    seen = sound(written(findings, command="python -m cspca reproduce blobs.npz"))
    assert "python -m cspca reproduce blobs.npz" in of(seen, "The same from a shell")
    assert reproduction_lines(TINY, RECIPE) in "".join(seen.words)
    assert "Seeds 0 to 2, 3 in all" in seen.text
    assert "Values of every parameter 0.01, 1, 100" in seen.text
    assert f"numpy {np.__version__}" in seen.text
    assert DATA.sha256 in seen.text


def test_what_is_missing_is_said(findings: Findings) -> None:
    parts = findings.reproduction.parts
    checks = {"checks": parts["checks"]}
    bare = replace(findings, reproduction=Reproduction(TINY, checks), comparison=None, starts=())
    seen = sound(written(bare))
    missing = of(seen, "What is missing?")
    assert "Tables and sensitivity Not in this report" in missing
    assert "Claims not tested The objective falls monotonically; " in missing
    assert seen.figures == {}
    half = replace(parts["starts"], n_done=parts["starts"].n_done - 2, n_failed=1)
    known = Reproduction(TINY, {**parts, "starts": half})
    missing = of(sound(written(replace(findings, reproduction=known))), "What is missing?")
    assert f"convergence 1 of {half.n_cells} cells failed." in missing
    assert f"convergence 1 of {half.n_cells} cells are still to be computed." in missing
    assert "Not in this report" not in missing


def test_hostile_names_are_words(findings: Findings) -> None:
    def named(name: str) -> Seen:
        parts = {
            part: replace(run, data=replace(run.data, name=name, source=name))
            for part, run in findings.reproduction.parts.items()
        }
        known = replace(
            findings,
            reproduction=Reproduction(TINY, parts),
            recognition=replace(findings.recognition, sentence=name),
        )
        about = about_reproduction(known, lines=name, bring=name)
        return sound(paper_report(known, about, command=name))

    evil, tame = named(HOSTILE), named("a")
    assert [tag for tag, _ in evil.elements] == [tag for tag, _ in tame.elements]
    assert f"Does the paper hold on {HOSTILE}?" in evil.text
    assert f"On {HOSTILE}, a map of rank" in evil.text


def test_a_run_of_checks_has_a_report_of_its_claims(store: Store, findings: Findings) -> None:
    run = findings.reproduction.parts["checks"]
    html = run_report(store, run.id)
    seen = sound(html)
    judged = [one for one in judge([findings.evidence]) if one.claim.needs == "checks"]
    assert sum(tag == "li" for tag, _ in seen.elements) == len(judged) == 3
    for one in judged:
        assert one.verdict is not Verdict.UNTESTED
        assert " ".join(one.sentence.split()) in seen.text
    assert "monotonically" not in seen.text
    assert f"Run {run.name}" in seen.text
    assert "['checks'])" in seen.text
    # Whoever has the id may delete the run.
    assert run.id not in html
    offered = {file.label: file for file in run_files(store, run)}
    assert list(offered) == ["Report", "JSON", "Everything"]
    assert read(offered["Report"].make()).text == seen.text


def test_the_lines_of_the_checks_give_the_same_verdicts(
    findings: Findings, tmp_path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    np.savez("blobs.npz", X=DATA.data, y=DATA.target)
    names: dict[str, object] = {}
    exec(reproduction_lines(TINY, RECIPE, ["checks"]), names)
    ours = {one.claim.key: one.verdict for one in judge([findings.evidence])}
    given = {one.claim.key: one.verdict for one in names["claims"] if one.claim.needs == "checks"}
    assert given == {key: ours[key] for key in given}
    assert len(given) == 3


def test_the_command_is_one_that_a_shell_understands() -> None:
    begins = "python -m cspca reproduce"
    assert reproduction_command(PAPER, Recipe("load", ("faces",))) == f"{begins} faces"
    assert reproduction_command(PAPER, Recipe("fetch", ("olivetti",))) == f"{begins} olivetti"
    assert reproduction_command(QUICK, RECIPE) == f"{begins} blobs.npz --quick"
    odd = Recipe("load_file", ("a b.csv",))
    some = replace(QUICK, n_seeds=3)
    asked = reproduction_command(some, odd, ["checks"])
    assert asked == f"{begins} 'a b.csv' --quick --seeds 3 --parts checks"
    assert reproduction_command(TINY, RECIPE) == ""
    changed = StoredRecipe("resized(load_file('a.csv'), (4, 4))")
    assert reproduction_command(PAPER, changed) == ""
    assert reproduction_command(PAPER, StoredRecipe("load_file('a.csv', labels='y')")) == ""
