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
from dataclasses import dataclass, field, fields
from functools import cache
from types import UnionType
from typing import Any, TypeVar, cast

T = TypeVar("T")

_YES_OR_NO = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}
_NOUNS = {int: "a whole number", float: "a number", str: "text", bool: "yes or no"}


@dataclass(frozen=True)
class Declared:
    """What is declared of a setting, see :func:`setting`.

    `kind` is the type of a value, of each where there are `many`; `optional` says that None is one.
    """

    name: str
    default: Any
    kind: type
    many: bool
    optional: bool
    label: str
    help: str
    limits: tuple[float, float] | None
    choices: tuple[Any, ...] | None
    query: str

    def checked(self, value: Any) -> Any:
        """Bring a value to its type; ValueError says what it may be and what it was."""
        if value is None:
            if self.optional:
                return None
            raise ValueError(f"{self.name} must be given.")
        if self.kind is dict:
            return value
        if not self.many:
            return self._item(value)
        if isinstance(value, str) or not hasattr(value, "__iter__"):
            value = (value,)
        return tuple(self._item(one) for one in value)

    def read(self, text: str) -> Any:
        """What `text` stands for in an address or on a command line."""
        if self.optional and text.lower() == "none":
            return None
        if self.kind is dict:
            return json.loads(text)
        if not self.many:
            return self._item(text)
        return tuple(self._item(part.strip()) for part in text.split(",") if part.strip())

    def _item(self, value: Any) -> Any:
        found: Any = None
        try:
            words = self.kind is bool and isinstance(value, str)
            found = _YES_OR_NO.get(value.lower()) if words else self.kind(value)
            right = found is not None and (not isinstance(found, float) or math.isfinite(found))
            right = right and (self.kind is not int or found == value or isinstance(value, str))
        except (TypeError, ValueError):
            right = False
        if right and self.choices is not None:
            right = found in self.choices
        if right and self.limits is not None:
            right = self.limits[0] <= found <= self.limits[1]
        if not right:
            raise ValueError(f"{self.name} must be {self._allowed()}, got {value!r}.")
        return found

    def _allowed(self) -> str:
        if self.choices is not None:
            return f"one of {', '.join(map(str, self.choices))}"
        noun = _NOUNS[self.kind]
        if self.limits is None:
            return noun
        low, high = self.limits
        if math.isinf(high):
            return f"{noun} of at least {low:g}"
        return f"{noun} from {low:g} to {high:g}"


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
    said = {"label": label, "help": help, "limits": limits, "choices": choices, "query": query}
    return field(default=default, metadata=said)


def again(cls: type[Any], name: str, default: Any = None, **said: Any) -> Any:
    """Declare a field of another class anew, with its default or another; all else is the same."""
    known = cls.__dataclass_fields__[name]
    value = known.default if default is None else default
    return field(default=value, metadata={**known.metadata, **said}, kw_only=True)


def _declared(cls: type[Any]) -> Mapping[str, Declared]:
    """What is declared of every field: those of the class itself, then those that it inherits."""
    hints, found = typing.get_type_hints(cls), {}
    for f in sorted(fields(cls), key=lambda f: f.name not in cls.__annotations__):
        hint = hints[f.name]
        options = typing.get_args(hint) if isinstance(hint, UnionType) else (hint,)
        one = next(option for option in options if option is not type(None))
        many, optional = typing.get_origin(one) is tuple, type(None) in options
        kind = typing.get_args(one)[0] if many else typing.get_origin(one) or one
        said = dict(f.metadata)
        if said["query"] is None:
            said["query"] = f.name
        found[f.name] = Declared(f.name, f.default, kind, many, optional, **said)
    return found


# Looked up once a class; typed, for `cache` takes classes for unhashable.
declared = cast("Callable[[type[Any]], Mapping[str, Declared]]", cache(_declared))


def to_json(settings: Any) -> dict[str, Any]:
    """Plain values of every setting, for a store; :func:`from_json` reads them."""
    values = {name: getattr(settings, name) for name in declared(type(settings))}
    plain: dict[str, Any] = json.loads(json.dumps(values))
    return plain


def from_json(cls: type[T], values: Mapping[str, Any]) -> T:
    """The settings that :func:`to_json` wrote; what a later version added has its default."""
    return cls(**{name: value for name, value in values.items() if name in declared(cls)})


def unusual(settings: Any) -> dict[str, Any]:
    """The settings that differ from their defaults."""
    usual = {name: said.default for name, said in declared(type(settings)).items()}
    return {name: found for name in usual if (found := getattr(settings, name)) != usual[name]}


def to_query(settings: Any) -> dict[str, str]:
    """The settings that differ from their defaults, as an address holds them."""
    known = declared(type(settings))
    found = {known[name].query: text_of(value) for name, value in unusual(settings).items()}
    return {key: text for key, text in found.items() if key}


def given(cls: type[Any], query: Mapping[str, str]) -> tuple[dict[str, Any], list[str]]:
    """What an address says of the settings, and a sentence for each value that cannot be used."""
    values: dict[str, Any] = {}
    wrong: list[str] = []
    for name, said in declared(cls).items():
        if not said.query or said.query not in query:
            continue
        try:
            values[name] = said.read(query[said.query])
        except ValueError as problem:
            wrong.append(f"The link cannot be followed: {problem} The usual value is used.")
    return values, wrong


def text_of(value: Any) -> str:
    """A value as an address and a field of text hold it."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        return ",".join(map(text_of, value))
    if isinstance(value, dict):
        return json.dumps(value, separators=(",", ":"))
    return f"{value:.10g}" if isinstance(value, float) else str(value)


def add_options(parser: argparse.ArgumentParser, cls: type[Any]) -> None:
    """Add one option for every setting and every group of them; what is left out stays out.

    An underscore is a dash, and ``--seeds`` is ``--n-seeds``.
    """
    for name, said in declared(cls).items():
        options = ["--" + name.replace("_", "-")]
        if name.startswith("n_") and name[2:] not in declared(cls):
            options.append("--" + name[2:].replace("_", "-"))
        usual, words = text_of(said.default), said.help or said.label
        if said.kind is not bool and usual not in ("", "none"):
            words += f" Default: {usual}."
        about: dict[str, Any] = {"default": argparse.SUPPRESS, "help": words.replace("%", "%%")}
        if said.kind is bool:
            parser.add_argument(*options, action=argparse.BooleanOptionalAction, **about)
            continue

        def parse(text: str, said: Declared = said) -> Any:
            try:
                return said.read(text)
            except ValueError as problem:
                raise argparse.ArgumentTypeError(str(problem)) from None

        shown = (
            "A,B,…" if said.many else "JSON" if said.kind is dict else said.kind.__name__.upper()
        )
        if said.choices and not said.many:
            shown = f"{{{','.join(map(str, said.choices))}}}"
        parser.add_argument(*options, type=parse, metavar=shown, **about)
    for name, preset in getattr(cls, "presets", {}).items():
        same = " ".join(f"--{key.replace('_', '-')} {text_of(v)}" for key, v in preset.items())
        words = f"The same as {same.replace('%', '%%')}"
        parser.add_argument(f"--{name}", action="store_true", help=words)


def from_options(cls: type[T], options: argparse.Namespace) -> T:
    """Settings from parsed options; those that were left out are of a group or the default."""
    asked: dict[str, Any] = {}
    for name, preset in getattr(cls, "presets", {}).items():
        if getattr(options, name):
            asked |= preset
    asked |= {name: getattr(options, name) for name in declared(cls) if hasattr(options, name)}
    return cls(**asked)


def said(settings: Any) -> dict[str, str]:
    """Every setting in words, by its label."""
    return {
        one.label or name: _in_words(getattr(settings, name))
        for name, one in declared(type(settings)).items()
    }


def _in_words(value: Any) -> str:
    if value is None or value == () or value == {}:
        return "as usual"
    if isinstance(value, float):
        return f"{value:.6g}"
    if not isinstance(value, list | tuple):
        return str(value) if isinstance(value, dict) else text_of(value)
    whole = len(value) > 2 and all(isinstance(one, int) for one in value)
    if whole and list(value) == list(range(value[0], value[-1] + 1)):
        return f"{value[0]} to {value[-1]}, {len(value)} in all"
    return ", ".join(map(_in_words, value))
