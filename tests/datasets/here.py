"""What the child process does with a file, done here: for hundreds of files, and for coverage."""

import json
from collections.abc import Sequence
from typing import Any

from cspca.datasets import ReadChoices, Recognised
from cspca.datasets.files import door
from cspca.datasets.files.foreign import FORMATS, Watch
from cspca.datasets.files.reading import unpacked


def read_here(content: bytes, name: str, **choices: Any) -> Recognised:
    module = FORMATS["." + name.rsplit(".", 1)[1]]
    request = {"module": module, "choices": vars(ReadChoices(**choices))}
    return unpacked(*sent(door.recognise(request, [content], Watch(name))))


def sent(answer: door.Answer) -> door.Answer:
    """As it comes out of the door: its header was JSON."""
    header, arrays = answer
    return door.as_sent(json.loads(json.dumps(header))), arrays


def parse(request: door.Header, parts: Sequence[bytes], watch: Watch) -> door.Answer:
    """In place of the door's."""
    watch.check()
    return sent(door.recognise(request, parts, watch))
