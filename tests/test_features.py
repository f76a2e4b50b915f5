"""The guide lists what the program offers: all that is registered, and nothing else."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from cspca.datasets import BUILTIN, BY_REQUEST, REMOTE
from cspca.datasets.files.foreign import FORMATS, PICTURE_SUFFIXES
from cspca.datasets.files.question import QUESTION_NAMES
from cspca.experiments.registry import EXPERIMENTS
from cspca.selection import METHODS
from cspca.solvers import SOLVERS, STARTS
from cspca.ui.menu import HELP, PAGES

ROOT = Path(__file__).parent.parent
GUIDE = ROOT / "cspca" / "guide"
PACKAGES = (
    "cspca",
    "cspca.selection",
    "cspca.robust",
    "cspca.evaluation",
    "cspca.datasets",
    "cspca.experiments",
)


def section(part: str, title: str) -> str:
    """Text of a section of a part of the guide, without its heading."""
    text = (GUIDE / f"{part}.md").read_text(encoding="utf-8")
    level, _, _ = title.partition(" ")
    match = re.search(rf"^{re.escape(title)}\n(.*?)(?=^#{{1,{len(level)}}} |\Z)", text, re.M | re.S)
    assert match, f"{part}.md has no section {title!r}"
    return match[1]


def entries(text: str) -> dict[str, str]:
    """Lists of a section by the words before their colon; a list goes on over several lines."""
    joined = re.sub(r"\n  ", " ", text)
    pairs = re.findall(r"(?:^- |(?<=\. ))([^:\n]+): ([^\n]+?)\.(?=\n|$| [A-Z])", joined, re.M)
    return dict(pairs)


def codes(text: str) -> list[str]:
    """What stands in code marks."""
    return re.findall(r"`([^`]+)`", text)


def test_every_page_has_its_features():
    headings = re.findall(r"^### (.+)$", section("using", "## Every feature, page by page"), re.M)
    assert headings == [*_titles(), "What is registered"]
    assert {path.stem for path in (ROOT / "pages").glob("*.py")} == set(PAGES)


def _titles() -> list[str]:
    return [page.name for name, page in PAGES.items() if name != HELP]


def test_what_is_registered_is_listed():
    listed = entries(section("using", "### What is registered"))
    assert listed["Methods"].split(", ") == [method.title for method in METHODS.values()]
    assert listed["Solvers"].split(", ") == [solver.title for solver in SOLVERS.values()]
    assert codes(listed["Starts of Algorithm 1"]) == list(STARTS)
    assert set(codes(listed["Files"])) == {*FORMATS, *PICTURE_SUFFIXES}
    assert codes(listed["Data sets"]) == [*BUILTIN, *REMOTE, *BY_REQUEST]
    assert codes(listed["Experiments"]) == list(EXPERIMENTS)


def table(text: str, head: str) -> list[list[str]]:
    """Rows of the table of a section whose first heading is `head`, cell by cell."""
    match = re.search(rf"^\| {head} \|.*?(?=\n\n|\Z)", text, re.M | re.S)
    assert match, f"there is no table of {head}"
    rows = match[0].strip().splitlines()[2:]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]


def test_every_kind_of_file_and_every_question_is_in_the_guide(capsys):
    text = section("using", "## Files that are read")
    kinds = [code for kind, *_ in table(text, "kind") for code in codes(kind)]
    assert sorted(kinds) == sorted({*FORMATS, *PICTURE_SUFFIXES})
    questions = table(text, "question")
    assert [codes(row[0])[0] for row in questions] == list(QUESTION_NAMES)
    options = dict(commands(capsys))["fit"]
    for name, _, python, shell in questions:
        assert codes(python)[0].startswith(f"{codes(name)[0]}=")
        assert codes(shell)[0].split()[0] in options


@pytest.mark.parametrize("package", PACKAGES)
def test_every_public_name_is_listed_and_there(package):
    listed = codes(entries(section("python", "## Every public name"))[f"`{package}`"])
    module = importlib.import_module(package)
    assert sorted(listed) == sorted(set(module.__all__) - {"__version__"})
    assert all(hasattr(module, name) for name in listed)


def _help(command: str, capsys: pytest.CaptureFixture[str]) -> str:
    from cspca.shell import main

    with pytest.raises(SystemExit) as end:
        main([*command.split(), "--help"])
    assert end.value.code == 0, command
    return capsys.readouterr().out


def commands(capsys: pytest.CaptureFixture[str]) -> Iterator[tuple[str, list[str]]]:
    """Every command that does something, with its options."""
    waiting = [""]
    while waiting:
        command = waiting.pop()
        text = _help(command, capsys)
        inner = re.search(r"^(?:commands|actions):\n(.*?)(?:\n\n|\Z)", text, re.S | re.M)
        if inner is None:
            usage = text.partition("examples:")[0]
            options = set(re.findall(r"(?<![\w-])--[a-z][a-z-]*[a-z]", usage)) - {"--help"}
            yield command, sorted(options)
        else:
            names = re.findall(r"^ {4}(\S+)", inner[1], re.M)
            waiting += [f"{command} {name}".strip() for name in names]


def test_every_command_and_option_is_listed_and_there(capsys):
    text = entries(section("shell", "## Every command and option"))
    listed = {name.strip("`"): codes(options) for name, options in text.items()}
    assert listed == dict(commands(capsys))
