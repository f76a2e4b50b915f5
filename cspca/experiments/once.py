"""Things made of a data set once a process, such as its reduction; the few used last."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, TypeVar

T = TypeVar("T")

_MOST = 4
_LOCK = threading.Lock()
_KEPT: OrderedDict[Hashable, Any] = OrderedDict()


def once(key: Hashable, make: Callable[[], T]) -> T:
    """What `make` gives, made when it is first asked for by this key."""
    with _LOCK:  # while it is made too: the other threads of a run want the same one
        if key not in _KEPT:
            _KEPT[key] = make()
            while len(_KEPT) > _MOST:
                _KEPT.popitem(last=False)
        _KEPT.move_to_end(key)
        found: T = _KEPT[key]
        return found
