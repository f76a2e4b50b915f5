"""The house rules that a machine can hold: layers, linters, types, words, sizes."""

import ast
import importlib
import importlib.util
import inspect
import pkgutil
import re
import subprocess
import sys
import tomllib
from graphlib import TopologicalSorter
from pathlib import Path

import grimp
import pytest

import cspca

REPOSITORY = Path(__file__).resolve().parents[1]
TOP_LEVEL = {
    "app.py", "deploy", "findings", "pages", "cspca", "assets", "tests", "requirements.txt",
    "README.md", "LICENSE", "pyproject.toml", "CHANGELOG.md", "CITATION.cff", "CONTRIBUTING.md",
}  # fmt: skip


def _run(*command: str) -> None:
    done = subprocess.run(
        command, cwd=REPOSITORY, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout}\n{done.stderr}"


COMPUTING = r"(scipy|sklearn|joblib|threading|sqlite3|cspca\.(problem|estimator|path|keep))\b"
"""What no page needs, for it computes nothing."""


def _tracked() -> list[str]:
    listing = subprocess.run(
        ["git", "ls-files"], cwd=REPOSITORY, capture_output=True, text=True, check=False
    )
    if listing.returncode != 0:
        pytest.skip("not a git checkout, so there is no list of what belongs to the project")
    return listing.stdout.splitlines()


def test_no_two_files_import_each_other():
    """Nor a file and its package, which import-linter's contract leaves out."""
    graph = grimp.build_graph("cspca", cache_dir=None)
    imported = {name: graph.find_modules_directly_imported_by(name) for name in graph.modules}
    # Says which files, if any do.
    TopologicalSorter(imported).prepare()


def test_the_library_needs_no_streamlit_and_the_estimator_no_plots():
    """Everything but cspca.ui, in a process where Streamlit cannot be imported."""
    script = """
import importlib, pkgutil, sys
sys.modules["streamlit"] = None
import cspca
from cspca.experiments.registry import EXPERIMENTS
cspca.CSPCA
heavy = {"plotly", "matplotlib", "cvxpy", "sqlite3"} & set(sys.modules)
assert not heavy, heavy
names = [m.name for m in pkgutil.walk_packages(cspca.__path__, "cspca.")
         if not m.name.startswith("cspca.ui") and not m.name.endswith("__main__")]
assert len(names) > 10, names
for name in names:
    importlib.import_module(name)
"""
    _run(sys.executable, "-c", script)


def test_other_threads_go_on_during_decompositions():
    """SciPy's keep Python's lock: every page would stand still during every fit."""
    cspca = REPOSITORY / "cspca"
    code = [*cspca.glob("*.py"), *(cspca / "problem").glob("*.py"), *cspca.glob("solvers/**/*.py")]
    held = re.compile(r"scipy\.linalg\.(eigh|svd|eigvalsh)\(")
    found = [path.name for path in code if held.search(path.read_text("utf-8"))]
    assert not found


def test_no_page_waits_for_what_its_first_fit_does_not_need():
    """What a page does not need is loaded later: scikit-learn and pandas take a second.

    Isolation forests and scikit-learn's K-means come with the run that computes one.
    """
    script = """
import importlib, pkgutil, sys
import cspca.ui.explore_page
def loaded(*heavy):
    return {"sklearn", "pandas", "scipy.optimize", "scipy.stats", "joblib", *heavy} & {*sys.modules}
assert not loaded("scipy.linalg"), loaded("scipy.linalg")
from cspca.datasets import load
from cspca.experiments.fit import Fit
from cspca.experiments.live import LiveFit, follow
faces = load("faces")
asked = LiveFit(Fit(0.1, 0.02), faces.sha256)
assert follow(asked, faces, stop=lambda: False, publish=lambda moment: None).certified
assert not loaded(), loaded()
for module in pkgutil.walk_packages(cspca.ui.__path__, "cspca.ui."):
    if module.name != "cspca.ui.entry.main":
        importlib.import_module(module.name)
assert "sklearn" in sys.modules
late = {"sklearn.cluster", "sklearn.ensemble"} & {*sys.modules}
assert not late, late
"""
    _run(sys.executable, "-c", script)


def _undocumented(text: str) -> set[str]:
    """What a file takes from Streamlit that its documentation does not promise."""
    found = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("streamlit"):
            found |= {f"{node.module}.{name.name}" for name in node.names}
        elif isinstance(node, ast.Import):
            found |= {name.name for name in node.names if name.name.startswith("streamlit")}
        elif isinstance(node, ast.Attribute) and node.attr.startswith("_"):
            name = ast.unparse(node)
            found |= {name} if name.startswith("st.") else set()
    return {name for name in found if re.search(r"\._(?!_)|^streamlit\.runtime\b", name)}


def test_of_what_streamlit_does_not_document_one_name_is_used_in_one_file():
    used = {}
    for path in _tracked():
        if path.endswith(".py") and path.startswith(("cspca/", "pages/", "app.py")):
            text = (REPOSITORY / path).read_text(encoding="utf-8")
            names = _undocumented(text) if "streamlit" in text else set()
            used |= {path: names} if names else {}
    name = "streamlit.runtime.scriptrunner.get_script_run_ctx"
    assert used == {"cspca/ui/context.py": {name}}
    assert _undocumented("import streamlit as st\nst.session_state._run()")
    assert _undocumented("from streamlit.runtime import get_instance")


def test_the_keys_of_the_session_stand_in_one_file():
    """A key that is written out where it is used is a second name, and easily misspelt."""
    literal = []
    for path in [*(REPOSITORY / "cspca" / "ui").rglob("*.py"), *REPOSITORY.glob("pages/*.py")]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            key = _session_key(node)
            if isinstance(key, ast.Constant):
                literal.append(f"{path.name}:{key.lineno} {key.value!r}")
    assert literal == []


def _session_key(node: ast.AST) -> ast.expr | None:
    """Return the key with which a node asks the session, if it does."""
    if isinstance(node, ast.Subscript) and _is_session(node.value):
        return node.slice
    if isinstance(node, ast.Compare) and _is_session(node.comparators[0]):
        return node.left
    asks = isinstance(node, ast.Call) and ast.unparse(node.func).endswith(
        (".get", ".pop", ".setdefault")
    )
    return node.args[0] if asks and _is_session(node.func.value) else None


def _is_session(node: ast.expr) -> bool:
    return ast.unparse(node) in ("st.session_state", "session")


def test_top_level_is_what_the_owner_fixed():
    tops = {path.split("/")[0] for path in _tracked()}
    assert {top for top in tops if not top.startswith(".")} == TOP_LEVEL


@pytest.mark.parametrize(
    "path", [REPOSITORY / "app.py", *sorted((REPOSITORY / "pages").glob("*.py"))],
    ids=lambda path: path.name,
)  # fmt: skip
def test_a_page_is_a_thin_script(path):
    """It reads the state, calls the library and draws."""
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) < 160
    nodes = list(ast.walk(ast.parse(text)))
    imported = {node.module for node in nodes if isinstance(node, ast.ImportFrom)}
    imported |= {name.name for node in nodes if isinstance(node, ast.Import) for name in node.names}
    beyond = {name for name in imported if re.match(COMPUTING, name)}
    assert not beyond, f"{path.name} does itself what the library is there for: {beyond}"
    assert not any(isinstance(node, ast.ClassDef) for node in nodes)


def _public_things() -> dict[str, object]:
    """Every module, and every class and function defined in it, whose name is public."""
    things = {}
    for found in pkgutil.walk_packages(cspca.__path__, "cspca."):
        if any(part.startswith("_") for part in found.name.split(".")):
            continue
        module = importlib.import_module(found.name)
        things[found.name] = module
        for name, thing in vars(module).items():
            at_home = getattr(thing, "__module__", None) == found.name
            if at_home and name[0] != "_" and (inspect.isclass(thing) or inspect.isfunction(thing)):
                things[f"{found.name}.{name}"] = thing
    return things


def test_every_public_thing_says_what_it_is():
    mute = []
    for name, thing in _public_things().items():
        if not inspect.getdoc(thing):
            mute.append(name)
        if inspect.isclass(thing):
            # getdoc looks at base classes too: what they document need not be said again
            mute += [
                f"{name}.{method}"
                for method, member in vars(thing).items()
                if method[0] != "_" and inspect.isfunction(member)
                # A field whose default is a function is spoken of by its class.
                if method not in getattr(thing, "__dataclass_fields__", ())
                if not inspect.getdoc(getattr(thing, method))
            ]
    assert mute == []


PUBLIC = (
    "cspca", "cspca.selection", "cspca.robust", "cspca.evaluation", "cspca.datasets",
    "cspca.experiments",
)  # fmt: skip
"""Packages whose exported names are promises: numpydoc sections are for these."""


def test_functions_describe_their_parameters():
    """numpydoc: a function that a public package exports lists its parameters."""
    incomplete = {}
    for package in filter(importlib.util.find_spec, PUBLIC):
        module = importlib.import_module(package)
        for name in getattr(module, "__all__", ()):
            thing = getattr(module, name)
            if not inspect.isfunction(thing):
                continue
            parameters = [p for p in inspect.signature(thing).parameters if p[0] != "_"]
            section = re.search(
                r"^Parameters\n-{10}\n(.*?)(?:\n\n\w+\n-+|\Z)",
                inspect.getdoc(thing) or "",
                re.DOTALL | re.MULTILINE,
            )
            described = section.group(1) if section else ""
            missing = [p for p in parameters if not re.search(rf"\b{p}\b", described)]
            if len(parameters) > 1 and missing:
                incomplete[f"{package}.{name}"] = missing
    assert incomplete == {}


def test_every_dependency_has_a_lower_and_an_upper_bound():
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]
    wanted = (REPOSITORY / "requirements.txt").read_text().split()
    for requirement in [*wanted, *project["optional-dependencies"]["test"]]:
        assert re.fullmatch(r"[\w.-]+>=[\d.]+,<[\d.]+", requirement), requirement
