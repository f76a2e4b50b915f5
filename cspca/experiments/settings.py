"""Settings declared once: defaults, limits and words of a field make all the forms they have."""

from __future__ import annotations

import argparse
import json
import math
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from typing import Any, TypeVar, cast

T = TypeVar("T")

STEPS = (
    1.0, 1.12, 1.25, 1.4, 1.6, 1.8, 2.0, 2.24, 2.5, 2.8,
    3.15, 3.55, 4.0, 4.5, 5.0, 5.6, 6.3, 7.1, 8.0, 9.0,
)  # fmt: skip
"""Round numbers, twenty to a decade: sliders stand on them, and films have their frames there."""

PENALTIES: tuple[float, ...] = (
    0.0,
    *(float(f"{step}e{decade}") for decade in range(-5, 0) for step in STEPS),
    1.0,
)
"""Relative penalties: none, then 10⁻⁵ to 1 of the value at which no pixel is left."""

_YES_OR_NO = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}
_WRITTEN_OUT = 50
"""Values up to which each is written out in words."""

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
    before: Any = None

    def read(self, value: Any) -> Any:
        """A value, or the text that stands for it, as its type; ValueError says what it may be."""
        text = isinstance(value, str)
        if self.optional and (value is None or (text and value.lower() == "none")):
            return None
        if self.kind is dict:
            return json.loads(value) if text else value
        if not self.many:
            return self._element(value)
        if text:
            value = [part.strip() for part in value.split(",") if part.strip()]
        values = tuple(map(self._element, value if hasattr(value, "__iter__") else [value]))
        if self.default and not values:
            raise ValueError(f"{self.name} must hold at least one value.")
        return values

    def _element(self, value: Any) -> Any:
        converted: Any = None
        low, high = self.limits or (-math.inf, math.inf)
        try:
            if value is not None:
                converted = self.kind(value)
            if self.kind is bool and isinstance(value, str):
                converted = _YES_OR_NO[value.lower()]
            right = converted is not None and converted in (self.choices or (converted,))
            if right and self.kind in (int, float):
                same = converted == value or isinstance(value, str) or self.kind is float
                right = same and math.isfinite(converted) and low <= converted <= high
        except (TypeError, ValueError, KeyError, OverflowError):
            right = False
        if right:
            return converted
        allowed = _NOUNS.get(self.kind, "")
        if self.choices is not None:
            allowed = f"one of {', '.join(map(str, self.choices))}"
        elif self.limits is not None:
            allowed += f" of at least {low:g}" if math.isinf(high) else f" from {low:g} to {high:g}"
        raise ValueError(f"{self.name} must be {allowed}, got {value!r}.")


def setting(
    default: Any,
    *,
    label: str = "",
    help: str = "",
    limits: tuple[float, float] | None = None,
    choices: tuple[Any, ...] | None = None,
    query: str | None = None,
    before: Any = None,
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
    before : object or None
        Its value in runs that were kept before it was there, so that they stay whole; None is the
        default.
    """
    metadata = {"label": label, "help": help, "limits": limits, "choices": choices, "query": query}
    metadata["before"] = before
    return field(default=default, metadata=metadata)


def again(cls: type[Any], name: str, default: Any = None, **changes: Any) -> Any:
    """Declare a field of another class anew, with its default or another; all else is the same."""
    inherited = cls.__dataclass_fields__[name]
    value = inherited.default if default is None else default
    return field(default=value, metadata={**inherited.metadata, **changes}, kw_only=True)


def _declared(cls: type[Any]) -> Mapping[str, Declared]:
    """What is declared of every field: those of the class itself, then those that it inherits."""
    hints, declarations = typing.get_type_hints(cls), {}
    for f in sorted(fields(cls), key=lambda f: f.name not in cls.__annotations__):
        options = typing.get_args(hints[f.name])
        optional = type(None) in options
        hint = options[0] if optional else hints[f.name]
        many = typing.get_origin(hint) is tuple
        kind = typing.get_args(hint)[0] if many else typing.get_origin(hint) or hint
        metadata = dict(f.metadata)
        if metadata["query"] is None:
            metadata["query"] = f.name
        declarations[f.name] = Declared(f.name, f.default, kind, many, optional, **metadata)
    return declarations


# Looked up once a class; typed, for `cache` takes classes for unhashable.
declared = cast("Callable[[type[Any]], Mapping[str, Declared]]", cache(_declared))


def to_json(settings: Any) -> dict[str, Any]:
    """Plain values of every setting, for a store; :func:`from_json` reads them."""
    values = {name: getattr(settings, name) for name in declared(type(settings))}
    plain: dict[str, Any] = json.loads(json.dumps(values))
    return plain


def from_json(cls: type[T], values: Mapping[str, Any]) -> T:
    """The settings that :func:`to_json` wrote; what a later version added is as it was before."""
    declarations = declared(cls)
    added = {
        name: declaration.before
        for name, declaration in declarations.items()
        if declaration.before is not None
    }
    return cls(**added | {name: value for name, value in values.items() if name in declarations})


def unusual(settings: T, usual: T | None = None) -> dict[str, Any]:
    """The settings that differ from the usual ones, which are by default their defaults."""
    defaults = {name: declaration.default for name, declaration in declared(type(settings)).items()}
    if usual is not None:
        defaults = {name: getattr(usual, name) for name in defaults}
    values = {name: getattr(settings, name) for name in defaults}
    return {name: value for name, value in values.items() if value != defaults[name]}


def to_query(settings: T, usual: T | None = None) -> dict[str, str]:
    """The settings that differ from the usual ones, as an address holds them."""
    fields_by_name = declared(type(settings))
    texts = {
        fields_by_name[name].query: text_of(value)
        for name, value in unusual(settings, usual).items()
    }
    return {name: text for name, text in texts.items() if name}


def given(cls: type[Any], query: Mapping[str, str]) -> tuple[dict[str, Any], list[str]]:
    """What an address says of the settings, and a sentence for each value that cannot be used."""
    values: dict[str, Any] = {}
    wrong: list[str] = []
    for name, declaration in declared(cls).items():
        if not declaration.query or declaration.query not in query:
            continue
        try:
            values[name] = declaration.read(query[declaration.query])
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


def add_options(parser: argparse.ArgumentParser, cls: type[Any], *but: str) -> None:
    """Add an option for every setting but some, and for every group; what is left out stays out."""
    for name, declaration in declared(cls).items():
        if name in but:
            continue
        options = ["--" + name.replace("_", "-")]
        # --seeds is --n-seeds.
        if name.startswith("n_") and name[2:] not in declared(cls):
            options.append("--" + name[2:].replace("_", "-"))
        usual, words = text_of(declaration.default), declaration.help or declaration.label
        if declaration.kind is not bool and usual not in ("", "none"):
            words += f" Default: {usual}."

        def parse(text: str, declaration: Declared = declaration) -> Any:
            try:
                return declaration.read(text)
            except ValueError as problem:
                raise argparse.ArgumentTypeError(str(problem)) from None

        option: dict[str, Any] = {"type": parse, "metavar": declaration.kind.__name__.upper()}
        if declaration.many:
            option["metavar"] = "A,B,…"
        elif declaration.kind is bool:
            option = {"action": argparse.BooleanOptionalAction}
        elif declaration.kind is dict:
            option["metavar"] = "JSON"
        elif declaration.choices:
            option["metavar"] = f"{{{','.join(map(str, declaration.choices))}}}"
        words = words.replace("%", "%%")
        parser.add_argument(*options, default=argparse.SUPPRESS, help=words, **option)
    for name, preset in getattr(cls, "presets", {}).items():
        same = " ".join(f"--{key.replace('_', '-')} {text_of(v)}" for key, v in preset.items())
        words = f"The same as {same.replace('%', '%%')}"
        parser.add_argument(f"--{name}", action="store_true", help=words)


def from_options(cls: type[T], options: argparse.Namespace) -> T:
    """Settings from parsed options; those that were left out are of a group or the default."""
    values: dict[str, Any] = {}
    for name, preset in getattr(cls, "presets", {}).items():
        if getattr(options, name):
            values |= preset
    values |= {name: getattr(options, name) for name in declared(cls) if hasattr(options, name)}
    return cls(**values)


def said(settings: Any) -> dict[str, str]:
    """Every setting in words, by its label."""
    return {
        declaration.label or name: _in_words(getattr(settings, name))
        for name, declaration in declared(type(settings)).items()
    }


def _in_words(value: Any) -> str:
    if value is None or value == () or value == {}:
        return "as usual"
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, dict):
        # Nobody reads a thousand numbers.
        return str(value) if len(str(value)) < 200 else ", ".join(value)
    if not isinstance(value, list | tuple):
        return text_of(value)
    whole = len(value) > 2 and all(isinstance(element, int) for element in value)
    if whole and list(value) == list(range(value[0], value[-1] + 1)):
        return f"{value[0]} to {value[-1]}, {len(value)} in all"
    if len(value) > _WRITTEN_OUT and len(set(value)) < len(value):
        return f"{len(value):,} values, {len(set(value)):,} different"
    return ", ".join(map(_in_words, value))
