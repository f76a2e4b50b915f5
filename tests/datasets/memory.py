"""The most memory that was in use since a moment, of this process and of those it started."""

import resource
from pathlib import Path

_STATUS = Path("/proc/self/status")
_FORGET = Path("/proc/self/clear_refs")


class Peak:
    """Measures from when it is made; on Linux exactly, elsewhere by the highest ever."""

    def __init__(self) -> None:
        if _FORGET.exists():
            _FORGET.write_text("5")
        self._base = _here()
        self._base_of_children = _children()

    def of_this_process(self) -> int:
        """What it has come to use at most."""
        return _here() - self._base

    def bytes_above_base(self) -> int:
        """Of this process; of the largest child as a whole, when it is the largest ever."""
        children = _children() if _children() > self._base_of_children else 0
        return max(self.of_this_process(), children)


def _here() -> int:
    if _FORGET.exists():
        lines = _STATUS.read_text().splitlines()
        return 1024 * next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))
    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def _children() -> int:
    return 1024 * resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
