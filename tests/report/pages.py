"""HTML as a strict reader finds it: every element closed, and what each may load."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any

VOID = {"meta", "link", "img", "br", "hr", "input"}
ASKING = {"src", "href", "xlink:href", "action", "data", "poster", "srcset", "formaction"}


@dataclass
class Seen:
    """What is in a page."""

    elements: list[tuple[str, dict[str, str | None]]] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    scripts: list[str] = field(default_factory=list)
    styles: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """All that a person reads."""
        return " ".join(" ".join(self.words).split())

    @property
    def asked(self) -> list[str]:
        """Addresses that the page would load or lead to."""
        return [
            value or ""
            for _, attributes in self.elements
            for name, value in attributes.items()
            if name in ASKING and value is not None
        ]

    @property
    def handlers(self) -> list[str]:
        """Scripts in attributes."""
        return [
            name for _, attributes in self.elements for name in attributes if name.startswith("on")
        ]

    @property
    def figures(self) -> dict[str, dict[str, Any]]:
        """Plotly figures by name."""
        names = [
            attributes["data-name"] for _, attributes in self.elements if "data-name" in attributes
        ]
        found = [json.loads(text) for text in self.scripts if text.startswith('{"light"')]
        return dict(zip(map(str, names), found, strict=True))


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.seen, self.open = Seen(), []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.seen.elements.append((tag, dict(attributes)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.seen.elements.append((tag, dict(attributes)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag, f"</{tag}> closes something else"

    def handle_data(self, data: str) -> None:
        inside = self.open[-1] if self.open else ""
        kind = {"script": self.seen.scripts, "style": self.seen.styles}
        kind.get(inside, self.seen.words).append(data)


def read(html: str) -> Seen:
    """Read a page; an element that is not closed, or closes another, is an error."""
    assert html.startswith("<!DOCTYPE html>")
    reader = _Reader()
    reader.feed(html)
    reader.close()
    assert reader.open == []
    return reader.seen
