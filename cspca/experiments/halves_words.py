"""What groups and copies of samples do to held-out halves, in sentences."""

from __future__ import annotations

from cspca.evaluation.halves import copies_across_groups_words


def copies_words(n_copies: int, n_samples: int, samples: str) -> str:
    """How many samples are copies, and where these are, in a sentence."""
    return (
        f"{n_copies:,} of {n_samples:,} {samples} are copies of others, and each is in the half of "
        "its original."
    )


def halves_words(n_groups: int, n_copies: int, n_samples: int, samples: str) -> str:
    """What groups (0 where none were given) and copies do to halves; empty without either."""
    sentences = []
    if n_groups and n_groups == n_samples:
        sentences.append(
            f"Each of the {n_groups:,} {samples} is a group of its own, so that the groups keep "
            "nothing together."
        )
    elif n_groups:
        sentences.append(f"Held-out halves keep each of the {n_groups:,} groups whole.")
    if n_groups and n_copies:
        sentences.append(copies_across_groups_words(n_copies, n_samples, samples))
    elif n_copies:
        sentences.append(
            f"{copies_words(n_copies, n_samples, samples)} Near copies cannot be known: where "
            "several are of one subject, give groups."
        )
    return " ".join(sentences)
