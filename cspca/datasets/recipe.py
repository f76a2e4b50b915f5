"""The Python that makes a data set again, written from what was really done."""

from __future__ import annotations

import ast
from dataclasses import dataclass, replace


class Constant(str):
    """Name of a constant of `cspca.datasets`, written without quotes."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


@dataclass(frozen=True)
class Recipe:
    """One call of a function of `cspca.datasets`.

    Parameters
    ----------
    function : str
        Its name.
    arguments : tuple
        Positional ones; a `Recipe` among them is the data set that it makes.
    options : tuple of (name, value)
        Keyword arguments.
    bring : str
        What has to lie in the folder where the call is made, in words; empty for nothing.

    Examples
    --------
    >>> file = Recipe("load_file", ("ORL.mat",)).but(order="row")
    >>> print(Recipe("resized", (file, (16, 16))).source)
    resized(load_file('ORL.mat', order='row'), (16, 16))
    """

    function: str
    arguments: tuple[object, ...] = ()
    options: tuple[tuple[str, object], ...] = ()
    bring: str = ""

    def but(self, **options: object) -> Recipe:
        """Return the same call with these keyword arguments and no others."""
        return replace(self, options=tuple(options.items()))

    def then(self, function: str, *arguments: object, **options: object) -> Recipe:
        """Return the call of a function of `cspca.datasets` that is given this data set first."""
        return Recipe(function, (self, *arguments), tuple(options.items()), self.bring)

    @property
    def names(self) -> tuple[str, ...]:
        """What has to be imported from `cspca.datasets`, in alphabetical order."""
        return names_in(self.source)

    @property
    def source(self) -> str:
        """The call as Python source, on several lines where one would be long."""
        return self._written("")

    def _written(self, indent: str) -> str:
        inner = f"{indent}    "
        given = [("", one) for one in self.arguments]
        given += [(f"{name}=", value) for name, value in self.options]
        line = f"{self.function}({', '.join(label + _text(value, '') for label, value in given)})"
        if len(indent) + len(line) <= 88 or len(given) < 2:
            return line
        body = "".join(f"{inner}{label}{_text(value, inner)},\n" for label, value in given)
        return f"{self.function}(\n{body}{indent})"


def _text(value: object, indent: str) -> str:
    return value._written(indent) if isinstance(value, Recipe) else repr(value)


def names_in(source: str) -> tuple[str, ...]:
    """Names in an expression, in alphabetical order."""
    found = ast.walk(ast.parse(source, mode="eval"))
    return tuple(sorted({node.id for node in found if isinstance(node, ast.Name)}))
