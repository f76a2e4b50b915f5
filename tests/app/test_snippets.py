"""The lines of Python that pages show run where the README's first command has been."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, packages_distributions, requires

import pytest

from tests.app.conftest import REPOSITORY, result, settled

#: Runs the lines in a process that finds nothing but what is allowed.
ALONE = """
import importlib.abc, json, sys
wanted = json.load(sys.stdin)
class Guard(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in wanted["forbidden"]:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Guard())
sys.path[:0] = wanted["paths"]
names = {"__name__": "__main__"}
exec(compile(wanted["lines"], "snippet", "exec"), names)
print("\\nOBJECTIVE", names["model"].objective_ if "model" in names else "")
"""


def _first_command() -> str:
    commands = re.findall(r"```sh\n(.*?)\n```", (REPOSITORY / "README.md").read_text(), re.DOTALL)
    return commands[0]


def _closure(names: list[str]) -> set[str]:
    """Distributions that come with others, extras left out."""
    found: set[str] = set()
    while names:
        name = re.split(r"[^\w.-]", names.pop(), maxsplit=1)[0].lower().replace("_", "-")
        if name in found:
            continue
        try:
            wanted = requires(name) or []
        except PackageNotFoundError:  # for another system
            continue
        found.add(name)
        names += [one for one in wanted if "extra ==" not in one]
    return found


def _what_is_there(command: str) -> dict[str, list[str]]:
    installed = re.search(r"pip install (.*?)(?: &&|$)", command)
    assert installed, command
    the_project = installed[1].split() == ["-e", "."]
    assert the_project or installed[1] == "-r requirements.txt", command
    there = _closure((REPOSITORY / "requirements.txt").read_text().split())
    forbidden = [
        top
        for top, of in packages_distributions().items()
        if top != "cspca" and not {one.lower().replace("_", "-") for one in of} & there
    ]
    paths = [str(REPOSITORY)] if the_project else []
    return {"forbidden": forbidden + ([] if the_project else ["cspca"]), "paths": paths}


def run_alone(lines: str, folder) -> str:
    """What the lines print, run in an empty folder with what the first command installs."""
    wanted = {**_what_is_there(_first_command()), "lines": lines}
    done = subprocess.run(
        [sys.executable, "-I", "-c", ALONE],
        input=json.dumps(wanted), capture_output=True, text=True, cwd=folder, check=False,
    )  # fmt: skip
    assert done.returncode == 0, f"{lines}\n{done.stderr}"
    return done.stdout


def test_the_lines_of_explore_give_the_objective_on_screen(arrive, tmp_path):
    page = settled(arrive("explore", data="digits", alpha="0.2"))
    said = run_alone(page.code[0].value, tmp_path)
    objective = float(said.rpartition("OBJECTIVE")[2])
    assert objective == pytest.approx(result(page).fit.objective, rel=2e-3)


def test_the_environment_lacks_what_only_the_tests_need(tmp_path):
    with pytest.raises(AssertionError, match="No module named 'cvxpy'"):
        run_alone("import cvxpy", tmp_path)
