"""Words in labels that name a class in some files, and say in others that a label is missing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from cspca.datasets.files.parsed import Array
from cspca.datasets.files.question import Confidence
from cspca.labels import (
    DOUBTFUL_WORDS,
    MISSING_WORDS,
    WORDS_OF_CLASSES,
    frequent_doubtful_words,
    parse_labels,
)

_MOST_WORDS: Final = 3


@dataclass(frozen=True)
class LabelReading:
    """One way to read labels: which of their doubtful words are classes.

    Parameters
    ----------
    value : str
        The answer that chooses it.
    words : str
        What a button says for it.
    class_words : frozenset of str
        Those words, as they are written.
    example : str
        What it gives.
    """

    value: str
    words: str
    class_words: frozenset[str]
    example: str


def doubtful_counts(words: Counter[str]) -> Counter[str]:
    """Return how often each word comes that may be a class, and may say that one is missing."""
    return Counter({word: n for word, n in words.items() if word.lower() in DOUBTFUL_WORDS})


def words_of_labels(labels: Array) -> Counter[str]:
    """Return how often each word comes among labels; nothing for labels that are no words."""
    if labels.dtype.kind == "S":
        labels = np.char.decode(labels, "utf-8", "replace")
    if labels.dtype.kind not in "OU":
        return Counter()
    return Counter(label.strip() for label in labels.ravel().tolist() if isinstance(label, str))


def label_readings(title: str, labels: Array) -> list[LabelReading]:
    """Return the ways to read labels: one, or several where words of them are doubtful."""
    words = words_of_labels(labels)
    doubtful = [word for word, _ in doubtful_counts(words).most_common(_MOST_WORDS)]
    choices: list[list[str]] = [[], *([word] for word in doubtful)]
    choices += [doubtful] if len(doubtful) > 1 else []
    frequent = frequent_doubtful_words(words)
    if frequent and frequent[0] == doubtful[0] and frequent[0].lower() in WORDS_OF_CLASSES:
        choices[0], choices[1] = choices[1], choices[0]
    return [
        LabelReading(
            _value(title, choice),
            _in_words(title, choice, doubtful),
            frozenset(choice),
            _example(labels, title, choice),
        )
        for choice in choices
    ]


def without_missing_words(labels: Sequence[str], class_words: Container[str]) -> tuple[str, ...]:
    """Return labels, empty where a word says that one is missing and is none of a class."""
    return tuple(
        "" if label.lower() in MISSING_WORDS and label not in class_words else label
        for label in labels
    )


def reading_of(value: str, title: str, labels: Array) -> LabelReading | None:
    """Return the reading of these labels that an answer chooses; None where it is of others."""
    if not value.startswith(title):
        return None
    return next(
        (reading for reading in label_readings(title, labels) if reading.value == value), None
    )


def confidence_of(confidence: Confidence, labels: Array) -> Confidence:
    """Return how sure it is that labels are classes once their doubtful words are looked at."""
    words = words_of_labels(labels)
    if not doubtful_counts(words):
        return confidence
    if frequent_doubtful_words(words):
        return "open"
    return "likely" if confidence == "sure" else confidence


def question_about(title: str, labels: Array) -> str:
    """Return what to ask where doubtful words are as frequent as a class; empty elsewhere."""
    words = words_of_labels(labels)
    frequent = frequent_doubtful_words(words)
    if not frequent:
        return ""
    word, count = frequent[0], words[frequent[0]]
    samples = "1 sample has" if count == 1 else f"{count:,} samples have"
    return f"{samples} the word {word} in {title}. Is it a class, or is a label missing?"


def _value(title: str, class_words: Sequence[str]) -> str:
    return f"{title} with {' and '.join(class_words)}" if class_words else title


def _in_words(title: str, class_words: Sequence[str], doubtful: Sequence[str]) -> str:
    missing = [word for word in doubtful if word not in class_words]
    parts = [f"{word} is a class" for word in class_words]
    parts += [f"{word} is no label" for word in missing]
    return f"{title}, where {' and '.join(parts)}" if parts else title


def _example(labels: Array, title: str, class_words: Sequence[str]) -> str:
    parsed = parse_labels(
        labels, title, missing_words=MISSING_WORDS, class_words=frozenset(class_words)
    )
    if parsed.measured:
        return "numbers that are not whole"
    count = f"{len(parsed.classes):,} classes"
    return f"{count}, {parsed.n_unlabelled:,} without a label" if parsed.n_unlabelled else count
