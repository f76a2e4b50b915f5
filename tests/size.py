"""How large the house is: lines, room by room, and how dense they are.

``python -m tests.size`` counts what is tracked here; ``python -m tests.size COMMIT`` puts a commit
beside it. All lines count, with docstrings and blank ones, of .py, .js, .css, .html and .j2 in
cspca/ (its guide apart), pages/, app.py and assets/. Tests are reported beside and are no part of
the sum.
"""

from __future__ import annotations

import argparse
import ast
import io
import subprocess
import tarfile
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath

REPOSITORY = Path(__file__).resolve().parents[1]
SUFFIXES = {".py", ".js", ".css", ".html", ".j2"}


def room_of(path: str) -> str | None:
    """The room a file belongs to; None for what is not counted."""
    parts = PurePosixPath(path).parts
    if PurePosixPath(path).suffix not in SUFFIXES or path.startswith("cspca/guide/"):
        return None
    if parts[0] in ("pages", "assets", "tests", "app.py"):
        return parts[0]
    if parts[0] != "cspca":
        return None
    return f"cspca/{parts[1]}" if len(parts) > 2 else "cspca/*.py"


def here() -> Iterator[tuple[str, str]]:
    """Path and text of every file of the work tree that git knows or would add."""
    listing = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=REPOSITORY, capture_output=True, text=True, check=True,
    )  # fmt: skip
    for path in sorted(set(listing.stdout.split("\0"))):
        if path and room_of(path) and (REPOSITORY / path).is_file():
            yield path, (REPOSITORY / path).read_text(encoding="utf-8")


def at(commit: str) -> Iterator[tuple[str, str]]:
    """Path and text of every file of a commit."""
    archive = subprocess.run(
        ["git", "archive", "--format=tar", commit], cwd=REPOSITORY, capture_output=True, check=True
    )
    with tarfile.open(fileobj=io.BytesIO(archive.stdout)) as tar:
        for member in tar:
            if member.isfile() and room_of(member.name):
                content = tar.extractfile(member)
                assert content is not None
                yield member.name, content.read().decode()


def code_lines(source: str) -> list[str]:
    """Lines of Python that are code: stripped, without comments and docstrings."""
    told: set[int] = set()
    for node in ast.walk(ast.parse(source)):
        text = node.value if isinstance(node, ast.Expr) else None
        if isinstance(text, ast.Constant) and isinstance(text.value, str):
            told.update(range(text.lineno, (text.end_lineno or text.lineno) + 1))
    lines = enumerate(source.splitlines(), 1)
    stripped = [line.strip() for number, line in lines if number not in told]
    return [line for line in stripped if line and not line.startswith("#")]


class Count:
    """Lines of one room."""

    def __init__(self) -> None:
        self.lines = self.files = self.code = self.characters = 0

    def add(self, path: str, text: str) -> None:
        """Count a file."""
        self.files += 1
        self.lines += len(text.splitlines())
        if path.endswith(".py"):
            code = code_lines(text)
            self.code += len(code)
            self.characters += sum(map(len, code))

    @property
    def mean(self) -> float:
        """Mean length of a line of code."""
        return self.characters / self.code if self.code else 0.0


def counted(files: Iterator[tuple[str, str]]) -> Mapping[str, Count]:
    """Count by room, and what is not a test in all."""
    rooms: dict[str, Count] = defaultdict(Count)
    for path, text in files:
        room = room_of(path)
        assert room is not None
        rooms[room].add(path, text)
        if room != "tests":
            rooms["in all"].add(path, text)
    return rooms


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("commit", nargs="?", help="a commit to put beside")
    asked = parser.parse_args()
    now, then = counted(here()), counted(at(asked.commit)) if asked.commit else {}
    last = ("in all", "tests")
    names = [*sorted({*now, *then} - set(last)), *last]
    print(f"{'':20} {'files':>6} {'lines':>7} {'code':>7} {'mean':>6}", end="")
    print(f" {'lines, ' + asked.commit[:8]:>16} {'mean':>6}" if asked.commit else "")
    none = Count()
    for name in names:
        one = now.get(name, none)
        line = f"{name:20} {one.files:6,} {one.lines:7,} {one.code:7,} {one.mean:6.1f}"
        if asked.commit:
            other = then.get(name, none)
            line += f" {other.lines:16,} {other.mean:6.1f}"
        print(line)


if __name__ == "__main__":
    main()
