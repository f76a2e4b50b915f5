"""The one door: whatever is foreign is parsed in a process that has a budget and can be killed.

A damaged or hostile file can crash or hang the libraries that read it, or make them ask for all
the memory there is. Here that ends a process with nothing in it but the file. Each is used once.
What goes between the two is a line of JSON and the bytes of the arrays it announces, never a
pickle: what comes back comes from a process in which a foreign file was at work.
"""

from __future__ import annotations

import atexit
import importlib
import json
import math
import os
import queue
import signal
import subprocess
import sys
import threading
import traceback
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from cspca.datasets.files import confined, foreign
from cspca.datasets.files.foreign import Watch, entries_of_files, entries_of_folder
from cspca.datasets.files.parsed import Parsed
from cspca.datasets.files.question import Answers, as_tuples
from cspca.datasets.record import DatasetError

Header = dict[str, Any]
Answer = tuple[Header, list[NDArray[Any]]]

_LOOK_EVERY = 0.02
_MOST_ARRAYS = 16  # values, labels, and the numbers of steps
# All that a process needs to find its libraries; nothing else of the environment is handed on.
_HANDED_ON = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "SYSTEMROOT")


class Child(subprocess.Popen[bytes]):
    """A process that parses one file; or one that runs what is given, in all of the environment."""

    def __init__(
        self, code: str = "from cspca.datasets.files.door import main; main()", *arguments: str
    ) -> None:
        root = str(Path(__file__).resolve().parents[3])
        paths = [
            root,
            *(os.path.abspath(path) for path in sys.path if path and Path(path).exists()),
        ]
        handed_on = os.environ.keys() & _HANDED_ON if not arguments else os.environ
        super().__init__(
            [sys.executable, "-P", "-B", "-c", code, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            env={
                **{name: os.environ[name] for name in handed_on},
                "PYTHONPATH": os.pathsep.join(dict.fromkeys(paths)),
                "OPENBLAS_NUM_THREADS": "1",
                "OMP_NUM_THREADS": "1",
                # Plugins of HDF5 are code from a folder: none is ever loaded.
                "HDF5_PLUGIN_PRELOAD": "::",
                "HDF5_USE_FILE_LOCKING": "FALSE",
            },
        )

    def close(self) -> None:
        """End it and whatever it started, and let go of its streams."""
        if hasattr(os, "killpg"):
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, signal.SIGKILL)
        # What was not written yet cannot be: its reader has gone, as it should.
        with suppress(OSError), self:
            self.kill()


# Processes started before they are needed, and the processes that keep one: a fork is another.
_SPARES: dict[int, Child] = {}
_KEEPERS: set[int] = set()


def _spare() -> Child | None:
    child = _SPARES.pop(os.getpid(), None)
    return child if child is not None and child.poll() is None else None


def _renew() -> None:
    if os.getpid() in _KEEPERS - _SPARES.keys():
        child = Child()
        if _SPARES.setdefault(os.getpid(), child) is not child:  # another thread was faster
            child.close()


def keep_spare(keep: bool = True) -> None:
    """Keep a process ready for the next file, as a server wants; it is never used twice."""
    if keep:
        _KEEPERS.add(os.getpid())
        _renew()
        return
    _KEEPERS.discard(os.getpid())
    child = _spare()
    if child is not None:
        child.close()


atexit.register(keep_spare, False)


def parse(request: Header, parts: Sequence[bytes], watch: Watch) -> Answer:
    """Have files parsed; pictures that break their decoder are found and left out."""
    lengths, broken = [len(part) for part in parts], list[int]()
    request = request | {"file": watch.name, "lengths": lengths, "memory": foreign.MAX_MEMORY}
    # A message a picture takes longer than the picture: each is announced once a process has died.
    is_each_announced = False
    while len(broken) <= 5:
        announced = {"broken": broken, "is_each_announced": is_each_announced}
        answer, at = _ask({**request, **announced}, parts, watch)
        if answer is not None:
            return answer
        if at is None:
            raise foreign.damaged(watch.name)
        if is_each_announced:
            broken.append(at)
        is_each_announced = True
    raise DatasetError(
        f"{watch.name} holds several images that break the program which decodes them: save its "
        "images again as PNG."
    )


def _ask(request: Header, parts: Sequence[bytes], watch: Watch) -> tuple[Answer | None, int | None]:
    """Have a process of its own answer; None if it died, maybe at the picture of this number."""
    child = _spare() or Child()
    inbox: queue.SimpleQueue[Answer | None] = queue.SimpleQueue()

    def talk() -> None:
        # Whatever goes wrong, no answer comes.
        with suppress(Exception):
            assert child.stdin is not None
            assert child.stdout is not None
            send(child.stdin, request, parts)
            while True:
                inbox.put(receive(child.stdout))
        inbox.put(None)

    # In a thread of its own: this one looks at the clock.
    thread = threading.Thread(target=talk, daemon=True)
    thread.start()
    at = None
    try:
        while True:
            watch.check()
            try:
                answer = inbox.get(timeout=_LOOK_EVERY)
            except queue.Empty:
                continue
            header = answer[0] if answer else {}
            if "at" in header:
                at = header["at"]
            elif "fraction" in header:
                watch.tell(header["fraction"], header.get("words", ""))
            else:
                return answer, at
    finally:
        child.close()
        thread.join()
        _renew()


def send(stream: IO[bytes], header: Header, parts: Sequence[Any] = ()) -> None:
    """Write one message: a header, and bytes or arrays."""
    line = json.dumps(header, ensure_ascii=False).encode("utf-8", "replace")
    if len(line) >= foreign.MAX_NAMES:
        raise DatasetError(
            f"The names of columns, samples and classes take over {foreign.MAX_NAMES / 2**20:.0f} "
            "MB: shorten them, or leave those of the samples out."
        )
    stream.write(line + b"\n")
    for part in parts:
        stream.write(part)
    stream.flush()


def receive(stream: IO[bytes]) -> Answer:
    """Read one message, with the arrays that its header announces if they may be that large."""
    line = stream.readline(foreign.MAX_NAMES)
    if not line.endswith(b"\n"):
        raise EOFError
    header, arrays = as_tuples(json.loads(line)), []
    kinds = {"at": int, "fraction": float, "words": str, "refused": str, "cause": str}
    if not all(isinstance(header[key], kinds[key]) for key in kinds.keys() & header.keys()):
        raise EOFError
    n_values = 0
    for dtype, shape in header.get("arrays", ())[:_MOST_ARRAYS]:
        n_values += math.prod(shape)
        is_plain = dtype in ("float32", "float64", "int64")
        if not is_plain or n_values > 2 * foreign.MAX_VALUES or min(shape, default=0) < 0:
            raise EOFError
        array = np.empty(shape, dtype=dtype)
        # Into its place: no second copy of anything large.
        count = stream.readinto(array.reshape(-1).view("u1"))  # type: ignore[attr-defined]
        if count < array.nbytes:
            raise EOFError
        array.flags.writeable = False
        arrays.append(array)
    return header, arrays


# The process that parses


def read(request: Header, parts: list[bytes], watch: Watch) -> Answer:
    """Parse what came, settle it, build it; nothing but a `DatasetError` comes out.

    `parts` is empty afterwards.
    """
    from cspca.datasets.files.build import build, packed
    from cspca.datasets.files.preview import preview_answers, previewed_questions
    from cspca.datasets.files.settle import settle

    try:
        if "as_is" in request:
            module: Any = importlib.import_module(request["module"])
            return module.columns(parts[0], watch)  # type: ignore[no-any-return]
        if "steps" in request:
            return read_new(request, parts, watch)
        answers = Answers(**request["answers"])
        parsed = parse_request(request, parts, watch)
        # What is parsed keeps those it still needs, and a table needs none.
        parts.clear()
        settled = settle(parsed, answers, watch)
        if "previewed" in request:
            return {"previews": preview_answers(parsed, settled, answers, request["previewed"])}, []
        questions = packed(settled.questions)
        shows_previews = request.get("with_previews", False)
        previews = preview_answers(parsed, settled, answers) if shows_previews else {}
        previewed = [question.key for question in previewed_questions(parsed, settled)]
        header: Header = {"refusal": settled.refusal}
        arrays: list[NDArray[Any]] = []
        if not settled.refusal:
            try:
                header, arrays = build(settled, answers, watch)
            except DatasetError as error:
                settled.refuse(error)
                header = {"refusal": settled.refusal}
        header["format"] = settled.draft.parsed.format
        header |= {"questions": questions, "previews": previews, "previewed": previewed}
        return header, arrays
    except DatasetError:
        raise
    # Libraries raise anything on a damaged or hostile file, and all of it means that.
    except Exception as error:
        # HDF5 has errors of its own.
        if isinstance(error, MemoryError) or "memory allocation failed" in str(error):
            raise DatasetError(
                f"{watch.name} does not fit in memory: cut it into smaller files."
            ) from error
        raise foreign.damaged(watch.name) from error


def read_new(request: Header, parts: Sequence[bytes], watch: Watch) -> Answer:
    """Parse new samples, and take them through the steps of a set, whose arrays come as well."""
    from cspca.datasets.files.follow import follow
    from cspca.datasets.files.packing import unpacked

    count = len(request["step_arrays"])
    files, sent = parts[: len(parts) - count], parts[len(parts) - count :]
    arrays = [
        np.frombuffer(content, dtype).reshape(shape)
        for content, (dtype, shape) in zip(sent, request["step_arrays"], strict=True)
    ]
    parsed = parse_request(request, files, watch)
    steps, crop = unpacked(request["steps"], arrays), request["crop"]
    new = follow(parsed, steps, watch, crop=crop)
    results = [new.values]
    if new.flat_order is not None:
        # Whoever knows the set compares both orders of the pixels with its pictures.
        results.append(follow(parsed, steps, watch, crop=crop, turned=True).values)
    header = {
        "names": new.names,
        "numbers": new.numbers,
        "sentences": new.sentences,
        "flat_order": new.flat_order,
        "is_order_of_set": new.is_order_of_set,
        "arrays": [(values.dtype.name, values.shape) for values in results],
    }
    return header, results


def refused(problem: DatasetError) -> Header:
    """What is sent in place of a set: why, and where in the program an error of a library arose.

    Nothing of its message, which may quote the file.
    """
    cause = problem.__cause__
    if cause is None:
        return {"refused": str(problem)}
    place = traceback.extract_tb(cause.__traceback__)[-1]
    where = f"{type(cause).__name__} in {Path(place.filename).name}, line {place.lineno}"
    return {"refused": str(problem), "cause": where}


def refusal(header: Header) -> DatasetError:
    """Return the error of a refused file; its note says where in the program it arose."""
    error = DatasetError(foreign.clean_name(header["refused"], 1000))
    if "cause" in header:
        error.add_note(foreign.clean_name(header["cause"], 200))
    return error


def parse_request(request: Header, parts: Sequence[bytes], watch: Watch) -> Parsed:
    """Parse one data file, or list picture files."""
    if "module" in request:
        module: Any = importlib.import_module(request["module"])
        if len(parts) > 1:
            return module.parse_several(request["names"], parts, watch)  # type: ignore[no-any-return]
        return module.parse(parts[0], watch)  # type: ignore[no-any-return]
    from cspca.datasets.files.containers.pictures import LOOSE, parse_entries

    if "folder" in request:
        entries, kind = entries_of_folder(Path(request["folder"]), watch.name), "folder of images"
    else:
        entries, kind = entries_of_files(request["names"], parts), LOOSE
    return parse_entries(entries, kind, watch)


def _announce(
    answers: IO[bytes], announced: list[int], number: int, *, is_each_announced: bool
) -> None:
    """Say that a picture comes next that may break its decoder; of all, or of the first alone."""
    if is_each_announced or not announced:
        announced.append(number)
        send(answers, {"at": number})


def main() -> None:
    """Answer the one request that comes."""
    requests = sys.stdin.buffer
    # The answers' stream is kept aside: whatever a library prints must not come between them.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    confined.stand_alone()
    # While nobody waits yet: what most files need.
    importlib.import_module("cspca.datasets.files.build")
    try:
        request, _ = receive(requests)
    except EOFError:  # a spare that was not needed
        return
    confined.limit_resources(int(request["memory"]))
    confined.give_up_rights([request["folder"]] if "folder" in request else [])
    parts = [requests.read(length) for length in request["lengths"]]

    def tell(fraction: float, words: str) -> None:
        send(answers, {"fraction": fraction, "words": words})

    watch = Watch(request["file"], tell, seconds=float("inf"))
    watch.at = partial(_announce, answers, [], is_each_announced=bool(request["is_each_announced"]))
    watch.broken = frozenset(request["broken"])
    try:
        send(answers, *read(request, parts, watch))
    except DatasetError as problem:
        send(answers, refused(problem))
