"""Settings declared once: defaults, limits and words of a field make all the forms it is given in.

From one declaration come the check with its sentence, the stored request, the address of a page,
the bounds of its widgets and the options of a shell command.
"""

from __future__ import annotations

import argparse
import json
import math
import typing
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, dataclass, field, fields
from functools import cache
from types import UnionType
from typing import Any, TypeVar, cast

T = TypeVar("T")


@dataclass(frozen=True)
class Declared:
    """What is declared of a setting, see :func:`setting`."""

    label: str = ""
    help: str = ""
    limits: tuple[float, float] | None = None
    choices: tuple[Any, ...] | None = None
    query: str | None = None


def setting(
    default: Any,
    *,
    label: str = "",
    help: str = "",
    limits: tuple[float, float] | None = None,
    choices: tuple[Any, ...] | None = None,
    query: str | None = None,
) -> Any:
    """Declare a field of an experiment's settings.

    Parameters
    ----------
    default : object
        Its value where nothing is asked.
    label, help : str
        For a person; `help` says unit and meaning.
    limits : tuple of float or None
        Smallest and largest value, of each item where there are many.
    choices : tuple or None
        All that it can be.
    query : str or None
        Name in an address; None is the field's own, ``""`` keeps it out of addresses.
    """
    declared = Declared(label, help, limits, choices, query)
    return field(default=default, metadata={"declared": declared})


def declared(cls: type[Any], name: str) -> Declared:
    """What was declared of the field `name`."""
    found: Declared = _fields(cls)[name].metadata["declared"]
    return found


def default(cls: type[Any], name: str) -> Any:
    """The default of the field `name`."""
    return _fields(cls)[name].default


def _once(function: Callable[[type[Any]], T]) -> Callable[[type[Any]], T]:
    """What a class declares is looked up once; typed, for `cache` takes classes for unhashable."""
    return cast("Callable[[type[Any]], T]", cache(function))


def again(cls: type[Any], name: str, default: Any) -> Any:
    """Declare a field of `cls` in a class derived from it, with another default."""
    return field(default=default, metadata=_fields(cls)[name].metadata, kw_only=True)


@_once
def _fields(cls: type[Any]) -> dict[str, Field[Any]]:
    """Fields by name: those of the class itself before those that it shares with others."""
    own = cls.__annotations__
    found = sorted(fields(cls), key=lambda f: f.name not in own)
    return {f.name: f for f in found if f.init}


@_once
def kinds(cls: type[Any]) -> dict[str, tuple[type, bool, bool]]:
    """Of every field: the type of a value, whether there are many, whether None is one."""
    found = {}
    for name, hint in typing.get_type_hints(cls).items():
        if name not in _fields(cls):
            continue
        options = typing.get_args(hint) if isinstance(hint, UnionType) else (hint,)
        one = next(o for o in options if o is not type(None))
        many = typing.get_origin(one) is tuple
        kind = typing.get_args(one)[0] if many else typing.get_origin(one) or one
        if kind is typing.Literal:
            kind = str
        found[name] = kind, many, type(None) in options
    return found


def clean(settings: Any) -> None:
    """Bring every field of a frozen dataclass to its type and within its limits.

    Call it from ``__post_init__``: lists become tuples, NumPy numbers become Python's; ValueError
    says which setting, what it may be, what it was.
    """
    for name in _fields(type(settings)):
        value = _checked(type(settings), name, getattr(settings, name))
        object.__setattr__(settings, name, value)


def _checked(cls: type[Any], name: str, value: Any) -> Any:
    kind, many, optional = kinds(cls)[name]
    if value is None:
        if optional:
            return None
        raise ValueError(f"{name} must be given.")
    if kind is dict:
        return value
    if not many:
        return _item(cls, name, value, kind)
    if isinstance(value, str) or not hasattr(value, "__iter__"):
        value = (value,)
    return tuple(_item(cls, name, one, kind) for one in value)


def _item(cls: type[Any], name: str, value: Any, kind: type) -> Any:
    said = declared(cls, name)
    try:
        found = kind(value)
        right = not isinstance(found, float) or math.isfinite(found)
        right = right and (kind is not int or found == value or isinstance(value, str))
    except (TypeError, ValueError):
        right = False
    if right and said.choices is not None:
        right = found in said.choices
    if right and said.limits is not None:
        right = said.limits[0] <= found <= said.limits[1]
    if not right:
        raise ValueError(f"{name} must be {_allowed(said, kind)}, got {value!r}.")
    return found


def _allowed(said: Declared, kind: type) -> str:
    if said.choices is not None:
        return f"one of {', '.join(str(choice) for choice in said.choices)}"
    noun = {int: "a whole number", float: "a number", str: "text", bool: "yes or no"}[kind]
    if said.limits is None:
        return noun
    low, high = said.limits
    if math.isinf(high):
        return f"{noun} of at least {low:g}"
    return f"{noun} from {low:g} to {high:g}"


def to_json(settings: Any) -> dict[str, Any]:
    """Plain values of every setting, for a store; :func:`from_json` reads them."""
    return {name: _plain(getattr(settings, name)) for name in _fields(type(settings))}


def from_json(cls: type[T], values: Mapping[str, Any]) -> T:
    """The settings that :func:`to_json` wrote; what a later version added has its default."""
    known = {name: value for name, value in values.items() if name in _fields(cls)}
    return cls(**known)


def _plain(value: Any) -> Any:
    return json.loads(json.dumps(value))


def to_query(settings: Any) -> dict[str, str]:
    """The settings that differ from their defaults, as an address holds them."""
    return {
        key: text_of(getattr(settings, name))
        for name, key in _queries(type(settings)).items()
        if getattr(settings, name) != default(type(settings), name)
    }


def from_query(cls: type[T], query: Mapping[str, str]) -> tuple[T, list[str]]:
    """Settings from an address, and a sentence for each value that cannot be used."""
    values, wrong = given(cls, query)
    return cls(**values), wrong


def given(cls: type[Any], query: Mapping[str, str]) -> tuple[dict[str, Any], list[str]]:
    """What an address says of the settings, and a sentence for each value that cannot be used."""
    values: dict[str, Any] = {}
    wrong: list[str] = []
    for name, key in _queries(cls).items():
        if key not in query:
            continue
        try:
            values[name] = _checked(cls, name, from_text(cls, name, query[key]))
        except ValueError as problem:
            wrong.append(f"The link cannot be followed: {problem} The usual value is used.")
    return values, wrong


def _queries(cls: type[Any]) -> dict[str, str]:
    names = {name: declared(cls, name).query for name in _fields(cls)}
    return {name: name if query is None else query for name, query in names.items() if query != ""}


def text_of(value: Any) -> str:
    """A value as an address and a field of text hold it."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        return ",".join(text_of(one) for one in value)
    if isinstance(value, dict):
        return json.dumps(value, separators=(",", ":"))
    return f"{value:.10g}" if isinstance(value, float) else str(value)


def from_text(cls: type[Any], name: str, text: str) -> Any:
    """What `text` stands for in an address or on a command line."""
    kind, many, optional = kinds(cls)[name]
    if optional and text.lower() == "none":
        return None
    if kind is dict:
        return json.loads(text)
    if many:
        return tuple(_one(kind, part.strip()) for part in text.split(",") if part.strip())
    return _one(kind, text)


def _one(kind: type, text: str) -> Any:
    if kind is not bool:
        return int(text) if kind is int and text.lstrip("-").isdigit() else text
    if text.lower() not in ("yes", "no", "true", "false", "1", "0"):
        raise ValueError(f"{text[:20]!r} is neither yes nor no.")
    return text.lower() in ("yes", "true", "1")


def add_options(parser: argparse.ArgumentParser, cls: type[Any]) -> None:
    """Add one option for every setting and every group of them; what is left out stays out.

    An underscore is a dash, and ``--seeds`` is ``--n-seeds``.
    """
    for name, f in _fields(cls).items():
        said, (kind, many, _) = declared(cls, name), kinds(cls)[name]
        options = ["--" + name.replace("_", "-")]
        if name.startswith("n_") and name[2:] not in _fields(cls):
            options.append("--" + name[2:].replace("_", "-"))
        usual = text_of(f.default)
        words = said.help or said.label
        if kind is not bool and usual not in ("", "none"):
            words += f" Default: {usual}."
        about: dict[str, Any] = {"default": argparse.SUPPRESS, "help": words.replace("%", "%%")}
        if kind is bool:
            parser.add_argument(*options, action=argparse.BooleanOptionalAction, **about)
            continue

        def parse(text: str, name: str = name) -> Any:
            try:
                return _checked(cls, name, from_text(cls, name, text))
            except ValueError as problem:
                raise argparse.ArgumentTypeError(str(problem)) from None

        several = "A,B,…" if many else "JSON" if kind is dict else kind.__name__.upper()
        if said.choices and not many:
            several = f"{{{','.join(map(str, said.choices))}}}"
        parser.add_argument(*options, type=parse, metavar=several, **about)
    for name, given in getattr(cls, "presets", {}).items():
        same = " ".join(f"--{key.replace('_', '-')} {text_of(v)}" for key, v in given.items())
        words = f"The same as {same.replace('%', '%%')}"
        parser.add_argument(f"--{name}", action="store_true", help=words)


def from_options(cls: type[T], options: argparse.Namespace) -> T:
    """Settings from parsed options; those that were left out are of a group or the default."""
    given: dict[str, Any] = {}
    for name, preset in getattr(cls, "presets", {}).items():
        if getattr(options, name):
            given |= preset
    given |= {name: getattr(options, name) for name in _fields(cls) if hasattr(options, name)}
    return cls(**given)


def arguments(settings: Any) -> str:
    """The settings that differ from their defaults as Python's arguments, for a snippet."""
    parts = []
    for name, f in _fields(type(settings)).items():
        value = getattr(settings, name)
        if f.default is MISSING or value != f.default:
            parts.append(f"{name}={value!r}")
    return ", ".join(parts)


def said(settings: Any) -> dict[str, str]:
    """Every setting in words, by its label."""
    return {
        declared(type(settings), name).label or name: _in_words(getattr(settings, name))
        for name in _fields(type(settings))
    }


def _in_words(value: Any) -> str:
    if value is None or value == () or value == {}:
        return "as usual"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, list | tuple):
        whole = all(isinstance(one, int) for one in value)
        if len(value) > 2 and whole and list(value) == list(range(value[0], value[-1] + 1)):
            return f"{value[0]} to {value[-1]}, {len(value)} in all"
        return ", ".join(_in_words(one) for one in value)
    return str(value)
