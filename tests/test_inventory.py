"""What a user can do stands in inventory.toml, each with the tests that prove it.

``python -m tests.test_inventory`` rewrites the ids of tests that only moved to another file.
"""

from __future__ import annotations

import ast
import difflib
import importlib
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
INVENTORY = TESTS / "inventory.toml"
LISTED = tomllib.loads(INVENTORY.read_text(encoding="utf-8"))
SHARED = "*"


@cache
def known_tests() -> dict[str, list[str]]:
    """Name of a test to the ids that have it; a glance at the files, nothing is imported."""
    found: dict[str, list[str]] = {}
    for path in sorted(TESTS.rglob("test_*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                where = path.relative_to(TESTS).as_posix()
                found.setdefault(node.name, []).append(f"{where}::{node.name}")
    return found


def claims() -> Iterator[tuple[str, str]]:
    """Every (what, id) of the inventory."""

    def within(content: dict, where: str) -> Iterator[tuple[str, str]]:
        for name, value in content.items():
            if isinstance(value, dict):
                yield from within(value, f"{where}{name} / ")
            elif name != SHARED and not where.startswith("owed"):
                yield from ((f"{where}{name}", one) for one in value)

    return within(LISTED, "")


def missing() -> dict[str, str]:
    """Id of the inventory that is no test, to what it should prove."""
    there = {one for ids in known_tests().values() for one in ids}
    return {wanted: what for what, wanted in claims() if wanted not in there}


def test_every_test_that_it_names_exists():
    lines = []
    for wanted, what in missing().items():
        name = wanted.rpartition("::")[2]
        near = known_tests().get(name) or [
            one
            for like in difflib.get_close_matches(name, known_tests(), 2, 0.7)
            for one in known_tests()[like]
        ]
        hint = f"; is it {' or '.join(near)}?" if near else ""
        lines.append(f"{wanted} is gone, which proves {what!r}{hint}")
    assert not lines, "inventory.toml names tests that are not there:\n" + "\n".join(lines)


def test_nothing_is_owed():
    owed = LISTED.get("owed", {})
    if owed:
        pytest.xfail(f"{len(owed)} things could be done before: " + "; ".join(owed))


def test_nothing_stands_without_a_test():
    def bare(content: dict, where: str) -> list[str]:
        return [
            line
            for name, value in content.items()
            for line in (
                bare(value, f"{where}{name} / ")
                if isinstance(value, dict)
                else [] if value or name in (SHARED, "__version__") else [f"{where}{name}"]
            )
        ]  # fmt: skip

    assert bare(LISTED, "") == []


def _attribute(*places: str) -> set[str]:
    """Names in registries; ``module:attribute``, of which some may not be there (any more)."""
    found: set[str] = set()
    for place in places:
        module, _, attribute = place.partition(":")
        try:
            found |= set(getattr(importlib.import_module(module), attribute))
        except ModuleNotFoundError as error:
            # Only a room that is gone; one that fails to import is a mistake.
            if not module.startswith(error.name or "?"):
                raise
    assert found, f"nothing is registered at {places}: say here where it is now"
    return found


#: Section of the inventory to where the program lists the same.
REGISTERED = {
    "methods": ("cspca.selection:METHODS",),
    "solvers": ("cspca.solvers:SOLVERS",),
    "starts": ("cspca.solvers:STARTS",),
    "formats": ("cspca.datasets.files.foreign:FORMATS",
                "cspca.datasets.files.foreign:PICTURE_SUFFIXES"),
    "data": ("cspca.datasets:BUILTIN", "cspca.datasets:REMOTE", "cspca.datasets:BY_REQUEST"),
    "experiments": ("cspca.experiments.registry:EXPERIMENTS",),
}  # fmt: skip
#: Names of before, while both are there.
_OLD = {"comparison": "compare"}


@pytest.mark.parametrize("section", REGISTERED)
def test_what_is_registered_is_listed(section):
    there = {_OLD.get(name, name) for name in _attribute(*REGISTERED[section])}
    unlisted = there - set(LISTED[section])
    assert not unlisted, f"add to [{section}] of inventory.toml: {', '.join(sorted(unlisted))}"
    single = {name for name in LISTED[section] if " " not in name}
    lost = single - there - ({"paper", "checks"} if section == "experiments" else set())
    assert not lost, f"[{section}] of inventory.toml has what is lost: {', '.join(sorted(lost))}"


def test_every_page_is_listed():
    pages = {f"pages/{one.name}" for one in (TESTS.parent / "pages").glob("*.py")}
    assert pages == set(LISTED["pages"])


@pytest.mark.parametrize("package", LISTED["public"])
def test_every_public_name_is_listed_and_there(package):
    module = importlib.import_module(package)
    listed = LISTED["public"][package]
    unlisted = set(module.__all__) - set(listed) - set(listed.get(SHARED, ()))
    assert not unlisted, (
        f"add to [public.{package!r}] of inventory.toml: {', '.join(sorted(unlisted))}"
    )
    lost = {*listed, *listed.get(SHARED, ())} - {SHARED, *module.__all__}
    assert not lost, f"{package} has lost {', '.join(sorted(lost))}, which inventory.toml lists"


def _help(command: str, capsys: pytest.CaptureFixture[str]) -> str:
    from cspca.shell import main

    with pytest.raises(SystemExit) as end:
        main([*command.split(), "--help"])
    assert end.value.code == 0, command
    return capsys.readouterr().out


def _options(text: str) -> set[str]:
    return set(re.findall(r"(?<![\w-])--[a-z][a-z-]*[a-z]", text))


@pytest.mark.parametrize("command", LISTED["shell"])
def test_every_option_of_a_command_is_listed_and_there(command, capsys):
    there = _options(_help(command, capsys).partition("examples:")[0]) - {"--help"}
    listed = _options(" ".join(LISTED["shell"][command])) - {"--help"}
    assert there == listed, f"python -m cspca {command}: in its help {there ^ listed} or listed"


def test_every_command_is_listed(capsys):
    waiting, found = [""], set()
    while waiting:
        command = waiting.pop()
        text = _help(command, capsys)
        inner = re.search(r"^(?:commands|actions):\n(.*?)(?:\n\n|\Z)", text, re.S | re.M)
        if inner is None:
            found.add(command)
            continue
        names = re.findall(r"^ {4}(\S+)", inner[1], re.M)
        waiting += [f"{command} {name}".strip() for name in names]
    assert found == set(LISTED["shell"]) - {""}


def mend() -> None:
    """Rewrite the ids of tests that have the same name in one other file."""
    text = INVENTORY.read_text(encoding="utf-8")
    for wanted in missing():
        now = known_tests().get(wanted.rpartition("::")[2], [])
        if len(now) == 1:
            text = text.replace(f'"{wanted}"', f'"{now[0]}"')
            print(f"{wanted} -> {now[0]}")
        else:
            print(f"{wanted}: not found")
    INVENTORY.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    mend()
