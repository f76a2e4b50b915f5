"""Data by name or path; answers to the questions about a file, and those that are still open."""

from __future__ import annotations

import argparse
import difflib
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from cspca.shell.options import FAILED, Parser, ShellError
from cspca.shell.terminal import bar, note, standard_input

if TYPE_CHECKING:
    from cspca.datasets import Answer, Answers, Dataset, Question, UndecidedError

_MOST_SHOWN: Final = 6
_ROLE: Final = "COLUMN=ROLE"
_FORMS: Final = {"shape": "28x20", "roles": _ROLE}
"""Form of the answers that have one."""


def add_answers(parser: Parser) -> None:
    """Add ``--answer``, by which every question about a file is answered."""
    parser.add_argument(
        "--answer",
        metavar="QUESTION=VALUE",
        action="append",
        default=[],
        help="an answer about a file, such as samples=columns, shape=28x20 or "
        "roles=age=target; repeatable",
    )


def add_questions(parser: Parser) -> None:
    """Add an option for every question about a file, and ``--answer``."""
    from cspca.datasets.files.question import QUESTION_NAMES

    add_answers(parser)
    for name in QUESTION_NAMES:
        if name == "roles":
            parser.add_argument(
                "--role",
                metavar=_ROLE,
                dest="answer_roles",
                action="append",
                help="what a column of a file is for; repeatable",
            )
            continue
        parser.add_argument(
            f"--{name.replace('_', '-')}",
            metavar=_FORMS.get(name, "ANSWER"),
            dest=f"answer_{name}",
            help=f"answer to the question {name} about a file",
        )


def answers_of(arguments: argparse.Namespace) -> Answers:
    """Return the answers among the options of a command."""
    from cspca.datasets import Answers, DatasetError
    from cspca.datasets.files.question import QUESTION_NAMES

    texts: list[tuple[str, str]] = []
    for name in QUESTION_NAMES:
        values = getattr(arguments, f"answer_{name}", None) or []
        texts += [(name, value) for value in ([values] if isinstance(values, str) else values)]
    for text in getattr(arguments, "answer", ()):
        name, equals, value = text.partition("=")
        if not equals:
            raise ShellError(f"--answer {text} has no value: write QUESTION=VALUE.")
        texts.append((name, value))
    answers: dict[str, Any] = {}
    for name, text in texts:
        if name != "roles":
            answers[name] = _value(name, text)
            continue
        column, equals, role = text.rpartition("=")
        if not equals:
            raise ShellError(f"{text} gives no role: write {_ROLE}.")
        answers.setdefault("roles", {})[column] = role
    try:
        return Answers.of(**answers)
    except DatasetError as error:
        raise ShellError(error) from error


def open_data(what: str, answers: Answers) -> Dataset:
    """Load a data set by its name or path; a name goes before a file, ``./faces`` is the file.

    A dash, ``-``, is the file that comes on standard input.
    `answers` are those to questions about a file.
    """
    from cspca.datasets import (
        BUILTIN,
        REMOTE,
        UndecidedError,
        fetch,
        is_cached,
        load,
        load_file,
    )

    if answers.values and (what in BUILTIN or what in REMOTE):
        raise ShellError(f"{what} is no file: leave {', '.join(answers.values)} out.")
    if what in BUILTIN:
        return load(what)
    if what in REMOTE:
        if is_cached(what):
            return fetch(what)
        with bar(f"Fetching {what}") as show:
            return fetch(what, progress=show)
    if what == "-" or Path(what).exists():
        file: str | bytes = standard_input() if what == "-" else what
        try:
            dataset = load_file(file, "stdin" if what == "-" else None, **answers.arguments)
        except UndecidedError as error:
            raise show_questions(error) from error
        note(dataset.recognised)
        return dataset
    names = (*BUILTIN, *REMOTE)
    near = difflib.get_close_matches(what, names, 1)
    hint = f"did you mean {near[0]}?" if near else f"choose one of {', '.join(names)}."
    raise ShellError(f"There is no data set and no file called {what!r}: {hint}")


def show_questions(error: UndecidedError) -> ShellError:
    """Write the open questions with their answers; return the error that ends the command."""
    for question in error.questions.values():
        note(f"{error.file}: {question.text}")
        for answer in question.answers[:_MOST_SHOWN]:
            note(_line(question, answer))
        if question.example:
            note(f"  or another, such as {question.example}")
    n_open = len(error.questions)
    are = "One question is" if n_open == 1 else f"{n_open} questions are"
    return ShellError(f"{are} open about {error.file}: give an answer to each.", FAILED)


def _line(question: Question, answer: Answer) -> str:
    """Return the option that gives an answer, with what it means and what speaks for it."""
    description = f"{answer.words}. {answer.description}".strip()
    return f"  --answer {question.name}={_text(question, answer)}  {description}"


def _text(question: Question, answer: Answer) -> str:
    value = answer.value
    text = "x".join(map(str, value)) if question.name == "shape" else str(value)
    if isinstance(value, tuple) and question.name != "shape":
        text = ",".join(map(str, value))
    text = f"{question.subject}={text}" if question.subject else text
    return f"'{text}'" if re.search(r"[^\w.=,+-]", text) else text


def _value(name: str, text: str) -> Any:
    """Return the value that a text means for a question."""
    size = re.fullmatch(r"\s*(\d{1,6})\s*[x×]\s*(\d{1,6})\s*", text)
    if name == "shape":
        if size is None:
            raise ShellError(f"{text!r} is no shape: write a height and a width, such as 28x20.")
        return int(size[1]), int(size[2])
    if text in ("True", "False"):
        return text == "True"
    return tuple(text.split(",")) if name == "pivot" and "," in text else text
