"""What the child process does with a file, done here: for hundreds of files, and for coverage."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from cspca.datasets import Answers, DatasetError, ReadCancelledError, Reading, Recipe
from cspca.datasets.files import door
from cspca.datasets.files.foreign import FORMATS, Watch
from cspca.datasets.files.question import as_tuples
from cspca.datasets.files.reading import unpacked


def read_here(content: bytes, name: str, **arguments: Any) -> Reading:
    answers = Answers.of(**arguments)
    request = {"module": FORMATS["." + name.rsplit(".", 1)[1]]}
    request["answers"] = asdict(answers)
    recipe = Recipe("load_file", (name,), bring=name)
    return unpacked(*parse(request, [content], Watch(name)), name, answers, recipe)


def sent(answer: door.Answer) -> door.Answer:
    """As it comes out of the door: its header was JSON."""
    header, arrays = answer
    return as_tuples(json.loads(json.dumps(header))), arrays


def parse(request: door.Header, parts: Sequence[bytes], watch: Watch) -> door.Answer:
    """In place of the door's."""
    watch.check()
    request = as_tuples(json.loads(json.dumps(request)))
    try:
        return sent(door.read(request, list(parts), watch))
    except ReadCancelledError:
        raise
    except DatasetError as problem:
        return door.refused(problem), []
