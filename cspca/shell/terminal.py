"""What is read and said: data by name or path; results on stdout and as files, notes on stderr."""

from __future__ import annotations

import codecs
import io
import json
import math
import os
import shutil
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from cspca.figures.words import duration
from cspca.shell.options import FAILED, ShellError, usage

if TYPE_CHECKING:
    import pandas as pd

    from cspca.datasets import Dataset
    from cspca.experiments import Outcome
    from cspca.experiments.store import RunRecord


def plain(text: str) -> str:
    """One line, without what a terminal would obey or what turns the direction of writing."""
    shown = (" " if char.isspace() else char for char in text)
    # Some scripts cannot be written without these two, which nobody sees.
    return "".join(char for char in shown if char.isprintable() or char in "\u200c\u200d")


_ASCII_FORMS: Final = {"−": "-", "–": "-"}
"""Signs before and between numbers: the digits of an escape would run into those of the number."""

_ESCAPED: Final = "cspca.escaped"
"""Name of the handler of signs that an encoding lacks."""


def _escaped(error: UnicodeError) -> tuple[str, int]:
    """Return signs that an encoding lacks as a minus or as escapes, and where to go on."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    signs = error.object[error.start : error.end]
    forms = (
        _ASCII_FORMS.get(sign) or sign.encode("ascii", "backslashreplace").decode()
        for sign in signs
    )
    return "".join(forms), error.end


codecs.register_error(_ESCAPED, _escaped)


def escape_unwritable() -> None:
    r"""Let both outputs write ``\u03b1`` for an α that their encoding lacks, and - for a minus."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=_ESCAPED)


def as_written(text: str) -> str:
    """Text with the escapes of standard output, whose encoding may lack some signs."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    return text.encode(encoding, _ESCAPED).decode(encoding)


def write_out(text: str) -> None:
    """Write to standard output; a pipe that its reader has closed takes no more and is no error."""
    try:
        sys.stdout.write(text)
    except BrokenPipeError:
        _discard_output()


def flush() -> None:
    """Write what standard output still holds."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        _discard_output()


def _discard_output() -> None:
    """Send standard output nowhere from now on, what it still holds too."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def standard_input() -> bytes:
    """Read all of standard input."""
    content = b"" if sys.stdin is None else sys.stdin.buffer.read()
    if not content:
        raise ShellError(
            "Standard input is empty: pipe one file into the command, and write - for it once."
        )
    return content


def say(text: str = "") -> None:
    """Write a line of the result."""
    write_out(f"{plain(text)}\n")


def note(text: str) -> None:
    """Write a line that is not the result."""
    sys.stderr.write(f"{plain(text)}\n")
    sys.stderr.flush()


def answer(values: Any, *lines: str, as_json: bool) -> None:
    """Write a result: a JSON document for machines, null for what is not finite, or lines."""
    from cspca.experiments.exports import json_text

    if as_json:
        # Nothing but ASCII: what would turn a terminal's writing is escaped.
        write_out(f"{json.dumps(json.loads(json_text(values)), indent=2)}\n")
        return
    for line in lines:
        say(line)


def say_table(heads: Sequence[str], rows: Iterable[Sequence[Any]], words: str = "") -> None:
    """Write a table, columns in line, and what is noted on it."""
    lines = [[as_written(plain(_cell(cell))) for cell in line] for line in (heads, *rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(heads))]
    for line in lines:
        say("  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)).rstrip())
    if words:
        say(words)


def _cell(value: Any) -> str:
    if not isinstance(value, float):
        return str(value)
    return f"{value:.4g}" if math.isfinite(value) else "–"


def say_frame(frame: pd.DataFrame) -> None:
    """Write a table for people."""
    rows = frame.to_numpy(dtype=object).tolist()
    say_table(list(frame.columns), rows, frame.attrs.get("note", ""))


@contextmanager
def bar(title: str) -> Iterator[Callable[..., None]]:
    """One line on stderr and, where that is a terminal, a bar below it for a fraction and words."""
    live, drawn = sys.stderr.isatty(), -math.inf
    note(f"{title} …")

    def show(fraction: float, words: str = "") -> None:
        nonlocal drawn
        now = time.monotonic()
        # Not more often than an eye can follow.
        if not live or now - drawn < 0.1:
            return
        drawn = now
        full = round(24 * min(1.0, max(0.0, fraction)))
        line = plain(f"[{'█' * full:·<24}] {fraction:4.0%} {words}")
        # A line that wraps cannot be drawn over.
        line = line[: shutil.get_terminal_size().columns - 1]
        sys.stderr.write(f"\r{line}\x1b[K")
        sys.stderr.flush()

    try:
        yield show
    finally:
        if live:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


@contextmanager
def interruptible(words: str) -> Iterator[threading.Event]:
    """Within it, Ctrl-C sets the event and says `words`; once more is a ``KeyboardInterrupt``.

    A program that was started with Ctrl-C ignored, in the background of a script, leaves it so.
    """
    interrupted, before = threading.Event(), signal.getsignal(signal.SIGINT)
    handled = before is not signal.SIG_IGN

    def first(*_: object) -> None:
        interrupted.set()
        signal.signal(signal.SIGINT, signal.default_int_handler)
        # Not through sys.stderr: the signal may have come in the middle of a line of it.
        os.write(2, f"\n{words} Ctrl-C once more ends at once.\n".encode())

    if handled:
        signal.signal(signal.SIGINT, first)
    try:
        yield interrupted
    finally:
        if handled:
            signal.signal(signal.SIGINT, before)


def described(data: Dataset) -> dict[str, Any]:
    """What a machine should know of some data."""
    from cspca.datasets.steps_in_words import sentences_of_steps

    names = ("name", "n_samples", "n_features", "n_classes", "sha256")
    return {name: getattr(data, name) for name in names} | {"steps": sentences_of_steps(data)}


def header(run: RunRecord) -> dict[str, Any]:
    """What a run is, as plain values."""
    names = "kind name created updated trashed seconds n_cells n_done n_failed"
    values = {name: getattr(run, name) for name in names.split()}
    return {"run": run.id, "state": str(run.state), **values, "data": described(run.data)}


def state_of(run: RunRecord) -> str:
    """Where a run stands, for people."""
    return str(run.state)


def tell(outcome: Outcome, run: RunRecord | None, *, as_json: bool, **facts: Any) -> None:
    """Write what was found: sentences, verdicts and tables, or one JSON document with `facts`."""
    from cspca.datasets.steps_in_words import sentences_of_steps
    from cspca.experiments.exports import to_json

    if outcome.note:
        note(outcome.note)
    if as_json:
        document: dict[str, Any] = json.loads(to_json(outcome))
        rows = document.get("table", ())
        # A table of one row stands at the top too.
        first = rows[0] if len(rows) == 1 else {}
        about = {"run": None} if run is None else header(run)
        answer(first | document | about | facts, as_json=True)
        return
    if run is not None:
        failed = f", {run.n_failed:,} failed" if run.n_failed else ""
        done = f"{run.n_done:,} of {run.n_cells:,} cells{failed}"
        say(f"{run.name} ({run.id}): {state_of(run)}, {done}, {duration(run.seconds)} of computing")
        for sentence in sentences_of_steps(run.data):
            say(f"  {sentence}")
    if not outcome.results:
        return
    for line in str(outcome).splitlines():
        say(line)


def check(paths: Sequence[str], suffixes: tuple[str, ...]) -> None:
    """See that files can be written, before any work is done for them."""
    for path in paths:
        if Path(path).suffix.lower() not in suffixes:
            *most, last = suffixes
            choice = f"{', '.join(most)} or {last}" if most else last
            raise ShellError(f"{path} cannot be written: choose a name that ends in {choice}.")
        folder = _target(path).parent
        if not folder.is_dir():
            raise ShellError(
                f"{path} cannot be written: there is no folder {folder}, make it first."
            )


def _target(path: str) -> Path:
    """Return the file that a path means, at the end of its links."""
    target = Path(path).expanduser()
    return target.resolve() if target.is_symlink() else target


def write(path: str, content: str | bytes) -> None:
    """Write a file, whole or not at all, and say so; a pipe or a device is written to."""
    from cspca.experiments.database import write_whole

    data = content.encode() if isinstance(content, str) else content
    target = _target(path)
    try:
        if target.exists() and not target.is_file():
            with suppress(BrokenPipeError), target.open("wb") as stream:
                stream.write(data)
        else:
            write_whole(target, data)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise ShellError(f"{path} cannot be written: {reason}.", FAILED) from error
    note(f"Wrote {path}.")


def export(outcome: Outcome, run: RunRecord | None, path: str) -> None:
    """Write what was found to a file whose suffix says the form."""
    from cspca.experiments.exports import file
    from cspca.report import report

    suffix = Path(path).suffix.lower()
    if not outcome.results:
        name = outcome.experiment.title if run is None else run.name
        raise ShellError(f"{name} has no results yet: resume it first.", FAILED)
    with usage():
        content = report(outcome, run) if suffix == ".html" else file(outcome, suffix)
    write(path, content)
