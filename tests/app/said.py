"""Everything that a page sends a browser to be read: labels, tooltips, charts, tables, names."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator
from html import unescape
from typing import Any

import pyarrow
from google.protobuf.message import Message
from streamlit.testing.v1 import AppTest

from tests.app.conftest import opened

UNREAD = {
    "id", "element_id", "form_id", "icon", "user_key", "url", "spec", "bytes", "config", "key",
    "page_script_hash", "fragment_id", "html_content", "css_content", "js_content", "json",
    "component_name", "component_id", "editing_mode", "hash", "class_name", "stylesheet", "type",
    "element_hash", "group_id", "query_string", "app_id", "mixed", "arrow_data",
}  # fmt: skip
"""Fields of a message whose text nobody reads, or which are read here in a way of their own."""

OF_A_COMPONENT = {
    "name", "label", "description", "words", "alt", "title", "unit", "noun", "nouns", "names",
    "numbers", "proven", "text", "question", "lesson", "warning", "caption", "meaning", "labels",
    "cost", "hint", "features", "lines", "ticks", "groups", "values", "about", "places",
}  # fmt: skip
"""What the scripts of components write on the page."""


def texts(visitor: AppTest) -> Iterator[str]:
    """Every text of a page, each once for each element that has it."""
    for block in (visitor.main, visitor.sidebar):
        yield from _of_block(block)


def _of_block(block: Any) -> Iterator[str]:
    proto = getattr(block, "proto", None)
    if isinstance(proto, Message):
        yield from _of_message(proto)
    for child in getattr(block, "children", {}).values():
        yield from _of_block(child)


def _of_message(message: Message) -> Iterator[str]:
    for field, value in message.ListFields():
        if field.name in {"spec", "bytes", "data", "arrow_data", "columns"}:
            yield from _of_payload(field.name, value)
        elif field.name == "url" or field.name in UNREAD:
            continue
        elif isinstance(value, str):
            yield _plain(value)
        elif isinstance(value, Message):
            yield from _of_message(value)
        elif not isinstance(value, bytes | int | float):
            for part in value:
                if isinstance(part, Message):
                    yield from _of_message(part)
                elif isinstance(part, str):
                    yield _plain(part)


def _of_payload(name: str, value: Any) -> Iterator[str]:
    if name == "spec":
        yield from _of_chart(json.loads(value))
    elif name == "columns":
        for column in json.loads(value).values():
            if isinstance(column, dict):
                yield from (str(column[one]) for one in ("label", "help") if column.get(one))
    elif isinstance(value, bytes) and name == "bytes":
        yield from _of_component(opened(value))
    elif isinstance(value, bytes):
        yield from _of_table(value)
    elif isinstance(value, Message):
        yield from _of_message(value)


def _of_table(content: bytes) -> Iterator[str]:
    try:
        table = pyarrow.ipc.open_stream(io.BytesIO(content)).read_all()
    except pyarrow.ArrowInvalid:
        return
    for column, values in zip(table.column_names, table.columns, strict=True):
        yield column
        if pyarrow.types.is_string(values.type) or pyarrow.types.is_large_string(values.type):
            yield from (value for value in values.to_pylist() if value)


def _of_chart(chart: Any, name: str = "") -> Iterator[str]:
    if isinstance(chart, dict):
        for key, value in chart.items():
            if key not in {"template", "type", "mode", "source", "id", "uid"}:
                yield from _of_chart(value, key)
    elif isinstance(chart, list):
        for value in chart:
            yield from _of_chart(value, name)
    elif isinstance(chart, str) and name in {
        "text", "name", "hovertemplate", "hovertext", "alt", "title", "customdata", "ticktext", "y",
        "x",
    }:  # fmt: skip
        yield _plain(chart)


def _of_component(data: Any, name: str = "") -> Iterator[str]:
    if isinstance(data, dict):
        for key, value in data.items():
            yield from _of_component(value, key)
    elif isinstance(data, list):
        for value in data:
            yield from _of_component(value, name)
    elif isinstance(data, str) and name in OF_A_COMPONENT:
        yield _plain(data)


def _plain(text: str) -> str:
    """Return the text of HTML, with the texts that stand for its pictures, without its marks."""
    if "<style" in text:
        text = re.sub(r"<style.*?</style>", " ", text, flags=re.S)
    described = re.findall(r'(?:alt|title|aria-label)="([^"]*)"', text)
    bare = re.sub(r"<[a-zA-Z/!][^>]*>", " ", text)
    bare = re.sub(r":material/\w+:", " ", bare)
    bare = re.sub(r"\]\([^)]*\)", "]", bare)
    return unescape(" ".join([bare, *described]))
