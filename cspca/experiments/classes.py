"""Classes that paint together: a short code, masks and nothing else, in memory and for a while.

Nothing is written to disk, no name is asked for, and of who handed a mask in there is kept only a
fingerprint that another class or a restart makes useless: by it a new mask replaces the old one.
"""

from __future__ import annotations

import hashlib
import secrets
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

LETTERS: Final = "ABCDEFGHJKMNPQRSTUVWXYZ"
"""Of codes: none that is taken for another one or for a digit."""

LENGTH: Final = 6
"""Letters of a code: 148 million of them."""

HOURS: Final = 3
"""How long a code lasts."""

MOST_PIXELS: Final = 65_536
"""Of an image that a class may paint on."""

WINDOW: Final = 600.0
"""Seconds over which wrong codes are counted."""

_MOST_WRONG: Final = 20_000
"""Wrong codes that are remembered: the oldest are forgotten when there are more."""

GONE: Final = (
    f"There is no class with this code (any more): codes last {HOURS} hours, so check its letters "
    "or ask for a new one."
)


class ClassError(ValueError):
    """What cannot be done in a class, in one sentence for the person who tried."""


@dataclass(eq=False)
class Class:
    """One class: what it paints on, until when, and what has come in.

    `view` is the address of what it looks at, `k` the pixels that each may paint. A mask is kept
    with the time at which it came, under its sender's fingerprint.
    """

    code: str
    owner: str
    view: Mapping[str, str]
    sha256: str
    n_features: int
    k: int
    ends: float
    revealed: bool = False
    salt: bytes = field(default_factory=lambda: secrets.token_bytes(16), repr=False)
    masks: dict[bytes, tuple[float, bytes]] = field(default_factory=dict, repr=False)

    def fingerprint(self, visitor: str) -> bytes:
        """What a visitor is told by, in this class alone."""
        return hashlib.sha256(self.salt + visitor.encode()).digest()[:16]


class Classes:
    """All classes of a server, bounded in number, masks, bytes, time, and wrong guesses.

    Wrong guesses are counted by visitor and by network address, never over all of the server:
    with 148 million codes nobody gains from many addresses, and nobody locks others out.
    """

    def __init__(
        self,
        max_classes: int = 32,
        max_masks: int = 300,
        *,
        wrong_of_one: int = 10,
        wrong_of_address: int = 300,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        # Not a `Memory`: there a look keeps a thing alive, and room is made for the newest.
        self._max_classes, self._max_masks = max_classes, max_masks
        self._wrong_of_one, self._wrong_of_address = wrong_of_one, wrong_of_address
        self._clock, self._lock = clock, threading.RLock()
        self._classes: dict[str, Class] = {}
        self._wrong: deque[tuple[float, bytes, bytes]] = deque()
        self._salt = secrets.token_bytes(16)

    def open(
        self, owner: str, view: Mapping[str, str], sha256: str, n_features: int, k: int
    ) -> Class:
        """Open a class; it takes the place of the one that its owner had open."""
        if n_features > MOST_PIXELS:
            raise ClassError(
                f"A class paints on images of at most {MOST_PIXELS:,} pixels, and these have "
                f"{n_features:,}: make them smaller on the Data page."
            )
        with self._lock:
            self._expire()
            for open_class in [
                open_class for open_class in self._classes.values() if open_class.owner == owner
            ]:
                del self._classes[open_class.code]
            # Where there is no room: those that nobody came to.
            idle = [
                open_class
                for open_class in self._classes.values()
                if not open_class.masks and self._age(open_class) > 600
            ]
            if len(self._classes) >= self._max_classes and idle:
                del self._classes[min(idle, key=lambda open_class: open_class.ends).code]
            if len(self._classes) >= self._max_classes:
                raise ClassError(
                    f"This server holds {self._max_classes} classes already: try again later."
                )
            code = self._new_code()
            ends = self._clock() + HOURS * 3600
            new_class = Class(code, owner, dict(view), sha256, n_features, k, ends)
            self._classes[code] = new_class
        return new_class

    def join(self, code: str, visitor: str, address: str = "") -> Class:
        """Return the class of a code that somebody typed or followed; wrong ones are counted.

        `address` is the network address that the visitor comes from; empty where it is unknown.
        """
        normalized = "".join(code.split()).upper()
        with self._lock:
            now, open_class = self._clock(), self.get(normalized)
            if open_class is not None and (
                open_class.owner == visitor or self.handed_in(open_class, visitor)
            ):
                # Who was here before is no guesser, whatever others do meanwhile.
                return open_class
            while self._wrong and self._wrong[0][0] < now - WINDOW:
                self._wrong.popleft()
            visitor_digest, place = self._digest(visitor), self._digest(address)
            of_visitor = sum(digest == visitor_digest for _, digest, _ in self._wrong)
            of_address = sum(digest == place for _, _, digest in self._wrong) if address else 0
            if of_visitor >= self._wrong_of_one or of_address >= self._wrong_of_address:
                raise ClassError(
                    f"Too many wrong codes were tried: wait {WINDOW / 60:.0f} minutes, then try "
                    "again."
                )
            if open_class is None:
                self._wrong.append((now, visitor_digest, place))
                if len(self._wrong) > _MOST_WRONG:
                    self._wrong.popleft()
                raise ClassError(GONE)
        return open_class

    def get(self, code: str | None) -> Class | None:
        """Return the class of a code that was joined before; None when it is over."""
        with self._lock:
            self._expire()
            return self._classes.get(code or "")

    def hand_in(self, code: str, visitor: str, mask: ArrayLike, sha256: str) -> None:
        """Put a visitor's mask in place of the one that it handed in before, until the reveal."""
        bits: NDArray[np.bool_] = np.asarray(mask, dtype=bool).ravel()
        with self._lock:
            open_class, now = self.get(code), self._clock()
            if open_class is None:
                raise ClassError(GONE)
            if open_class.sha256 != sha256 or open_class.n_features != bits.size:
                raise ClassError(
                    "This class paints on other images: open its link again to see them."
                )
            if not 1 <= int(bits.sum()) <= open_class.k:
                raise ClassError(
                    f"{int(bits.sum()):,} pixels are painted, and this class paints 1 to "
                    f"{open_class.k:,}: paint that many."
                )
            fingerprint = open_class.fingerprint(visitor)
            before = open_class.masks.get(fingerprint)
            if before is not None and open_class.revealed:
                raise ClassError("The comparison is revealed: what you handed in stays as it is.")
            if before is not None and now - before[0] < 2.0:
                raise ClassError("That was quick: wait two seconds, then hand in again.")
            if before is None and len(open_class.masks) >= self._max_masks:
                raise ClassError(
                    f"This class holds {self._max_masks} paintings already, and takes no more."
                )
            open_class.masks[fingerprint] = now, np.packbits(bits).tobytes()

    def masks(self, open_class: Class) -> NDArray[np.bool_]:
        """Return all masks of a class, one a row, in no order that says whose they are."""
        with self._lock:
            masks = sorted(content for _, content in open_class.masks.values())
        if not masks:
            return np.zeros((0, open_class.n_features), dtype=bool)
        packed = np.frombuffer(b"".join(masks), dtype=np.uint8).reshape(len(masks), -1)
        return np.unpackbits(packed, axis=1, count=open_class.n_features).astype(bool)

    def handed_in(self, open_class: Class, visitor: str) -> bool:
        """Whether this visitor has handed a mask in."""
        return open_class.fingerprint(visitor) in open_class.masks

    def minutes_left(self, open_class: Class) -> int:
        """Whole minutes until a class ends."""
        return max(0, int((open_class.ends - self._clock()) // 60))

    def close(self, open_class: Class) -> None:
        """End a class, and forget its masks."""
        with self._lock:
            self._classes.pop(open_class.code, None)

    def forget(self, visitor: str) -> None:
        """End a visitor's class, and take back what they handed in to others."""
        with self._lock:
            for open_class in list(self._classes.values()):
                open_class.masks.pop(open_class.fingerprint(visitor), None)
                if open_class.owner == visitor:
                    self.close(open_class)

    # -- inside; the lock is held ----------------------------------------------------------------

    def _digest(self, name: str) -> bytes:
        return hashlib.sha256(self._salt + name.encode()).digest()[:16]

    def _age(self, open_class: Class) -> float:
        return HOURS * 3600 - (open_class.ends - self._clock())

    def _expire(self) -> None:
        now = self._clock()
        self._classes = {
            code: open_class for code, open_class in self._classes.items() if open_class.ends > now
        }

    def _new_code(self) -> str:
        while True:
            code = "".join(secrets.choice(LETTERS) for _ in range(LENGTH))
            if code not in self._classes:
                return code
