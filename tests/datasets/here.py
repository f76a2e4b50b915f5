"""What the child process does with a file, done here: for hundreds of files, and for coverage."""

import json
from collections.abc import Sequence
from typing import Any

from cspca.datasets.files import door
from cspca.datasets.files.foreign import FORMATS, Watch
from cspca.datasets.files.question import Answers, as_tuples
from cspca.datasets.files.reading import Reading, unpacked
from cspca.datasets.record import Recipe


def read_here(content: bytes, name: str, **arguments: Any) -> Reading:
    answers = Answers.of(**arguments)
    module = FORMATS["." + name.rsplit(".", 1)[1]]
    request = {"module": module, "answers": door.packed_answers(answers)}
    header, arrays = sent(door.read(request, [content], Watch(name)))
    recipe = Recipe("load_file", (name,), bring=name)
    return unpacked(header, arrays, name, answers, recipe)


def sent(answer: door.Answer) -> door.Answer:
    """As it comes out of the door: its header was JSON."""
    header, arrays = answer
    return as_tuples(json.loads(json.dumps(header))), arrays


def parse(request: door.Header, parts: Sequence[bytes], watch: Watch) -> door.Answer:
    """In place of the door's."""
    watch.check()
    return sent(door.read(request, parts, watch))
