"""The derivation that ships: its sections are numbered, and what the code cites is there."""

import re
from pathlib import Path

import pytest

import cspca
import cspca.solvers

PACKAGE = Path(cspca.__file__).parent
TEXT = (PACKAGE / "guide" / "theory.md").read_text("utf-8")
SECTIONS = [int(number) for number in re.findall(r"^## (\d+)\. \S", TEXT, re.MULTILINE)]
CITING = [file for file in sorted(PACKAGE.rglob("*.py")) if "theory.md" in file.read_text("utf-8")]


def test_sections_are_numbered_without_a_hole():
    assert len(SECTIONS) > 10
    assert list(range(1, len(SECTIONS) + 1)) == SECTIONS


@pytest.mark.parametrize("file", CITING, ids=lambda file: str(file.relative_to(PACKAGE)))
def test_what_a_docstring_cites_exists(file):
    """Numbers such as 3.4.1 are those of a book."""
    cited = re.findall(r"§(\d+)\b(?!\.\d)", file.read_text("utf-8"))
    assert cited, f"{file} names theory.md without a section"
    assert {int(number) for number in cited} <= set(SECTIONS)


def test_every_section_is_cited_by_code():
    texts = " ".join(file.read_text("utf-8") for file in CITING)
    cited = {int(number) for number in re.findall(r"§(\d+)\b(?!\.\d)", texts)}
    assert set(SECTIONS) <= cited


def test_the_text_refers_to_sections_that_it_has():
    referred = {int(number) for number in re.findall(r"\b[Ss]ections? (\d+)", TEXT)}
    assert referred
    assert referred <= set(SECTIONS)


def test_the_reading_order_tells_how_long_it_takes():
    """Within a page: who plans to read a file is told what it costs."""
    said = cspca.solvers.__doc__
    rows = re.findall(r"^:mod:`\.([\w.]+)`\s+(\d+) ", said, re.MULTILINE)
    assert len(rows) > 5
    for module, lines in rows:
        file = PACKAGE / "solvers" / f"{module.replace('.', '/')}.py"
        counted = len(file.read_text("utf-8").splitlines())
        assert abs(counted - int(lines)) <= 40, f"{module} has {counted} lines"


def test_every_module_of_the_solvers_is_named_in_the_reading_order():
    folder = PACKAGE / "solvers"
    said = cspca.solvers.__doc__
    for file in folder.rglob("*.py"):
        parts = file.relative_to(folder).with_suffix("").parts
        if parts[-1] != "__init__" and parts[0] != "distributed":
            assert f":mod:`.{'.'.join(parts)}`" in said, parts


def test_the_names_that_the_text_gives_are_those_of_the_code():
    files = [*(PACKAGE / "problem").glob("*.py"), *(PACKAGE / "solvers").rglob("*.py")]
    code = " ".join(file.read_text("utf-8") for file in files)
    for name in re.findall(r"`([\w./]+)`", TEXT):
        known = name in {file.name for file in files} or (PACKAGE.parent / name).exists()
        assert known or re.search(rf"\b{name}\b", code), name
