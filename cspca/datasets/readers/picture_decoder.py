"""Asking the decoder process about pictures, and going on with the next when one breaks it."""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType
from typing import Any

from cspca.datasets.decoders import DecoderError, DecoderProcess
from cspca.datasets.readers import limits
from cspca.datasets.readers.watch import Watch
from cspca.datasets.record import DatasetError

_MOST_DEATHS = 5
_SECONDS = 15.0

Answer = dict[str, Any]


class PictureDecoder:
    """A decoder that is started again when a picture ends it; use it in a ``with`` block.

    Parameters
    ----------
    watch : Watch
    """

    def __init__(self, watch: Watch) -> None:
        self._watch = watch
        self._deaths = 0
        self._process = self._start()

    def __enter__(self) -> PictureDecoder:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the process."""
        self._process.close()

    def sizes(self, contents: Sequence[bytes]) -> list[Answer]:
        """Measure several pictures: ``size``, or ``refused`` and why, of each.

        Parameters
        ----------
        contents : sequence of bytes
        """
        answer, _ = self._ask(
            {"do": "picture sizes", "lengths": [len(one) for one in contents]}, b"".join(contents)
        )
        if "sizes" in answer:
            sizes: list[Answer] = answer["sizes"]
            return sizes
        if len(contents) == 1:
            return [answer]
        return [self.sizes([one])[0] for one in contents]

    def pixels(self, content: bytes, grey: str, least: tuple[int, int]) -> tuple[Answer, bytearray]:
        """Decode one picture: ``shape``, ``dtype``, ``depth`` and ``notes``, or ``refused``.

        Parameters
        ----------
        content : bytes
        grey : str
            What to make of colours.
        least : (height, width)
            It may be decoded smaller, down to this.
        """
        return self._ask({"do": "picture pixels", "grey": grey, "least": list(least)}, content)

    def _ask(self, request: Answer, payload: bytes) -> tuple[Answer, bytearray]:
        request |= {
            "pixels": limits.MAX_PICTURE_PIXELS,
            "slow_pixels": limits.MAX_SLOW_PIXELS,
            "side": limits.MAX_PICTURE_SIDE,
        }
        try:
            return self._process.ask(request, payload)
        except DecoderError:
            self._deaths += 1
            if self._deaths >= _MOST_DEATHS:
                raise DatasetError(
                    f"{self._watch.name} holds several pictures that break the program which "
                    "decodes them: save its pictures again as PNG."
                ) from None
            self._process = self._start()
            return {"refused": "breaks the program that decodes it"}, bytearray()

    def _start(self) -> DecoderProcess:
        return DecoderProcess(self._watch, seconds=_SECONDS)
