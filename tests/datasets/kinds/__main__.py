"""Print how reliable the reader is on the whole catalogue, and each miss in a line."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence

from cspca.datasets.files import door
from tests.datasets.here import parse
from tests.datasets.kinds.catalogue import all_kinds
from tests.datasets.kinds.check import Outcome, case_names, outcome_of


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.datasets.kinds", description=__doc__)
    parser.add_argument("words", nargs="*", help="only kinds whose name or group holds one of them")
    words = parser.parse_args(arguments).words
    kinds = {
        kind.name: kind
        for kind in all_kinds()
        if not words or any(word in kind.name or word == kind.group for word in words)
    }
    outcomes = {
        (name, variant): outcome_of(name, variant)
        for name, variant in case_names()
        if name in kinds
    }
    print(table(list(outcomes.values())))
    plain = [outcome for (name, _), outcome in outcomes.items() if kinds[name].plain]
    n_asked = sum(outcome.confidence == "asked" for outcome in plain)
    n_silent = sum(outcome.silent for outcome in outcomes.values())
    print(f"\n{n_silent} misread in silence; asked about {n_asked} of {len(plain)} plain files\n")
    for (name, variant), outcome in outcomes.items():
        if outcome.verdict == "right" and not outcome.needless:
            continue
        kind = kinds[name]
        word = "SILENT" if outcome.silent else outcome.confidence
        case = kind.make(variant)
        print(f"{word:8} {kind.group} | {name} | {case.name} ({variant}): {outcome.explanation}")
        if outcome.silent and kind.never:
            print(f"{'':8} Never: {kind.never}")


def table(outcomes: list[Outcome]) -> str:
    """Confidence by right and wrong, with what was silent and what needlessly asked."""
    counts = Counter((outcome.confidence, outcome.verdict) for outcome in outcomes)
    rows = [f"{'':10}{'right':>8}{'wrong':>8}{'silent':>8}{'needless':>10}"]
    for confidence in ("sure", "likely", "asked", "refused"):
        of_it = [outcome for outcome in outcomes if outcome.confidence == confidence]
        n_silent = sum(outcome.silent for outcome in of_it)
        n_needless = sum(bool(outcome.needless) for outcome in of_it)
        rows.append(
            f"{confidence:10}{counts[confidence, 'right']:>8}{counts[confidence, 'wrong']:>8}"
            f"{n_silent:>8}{n_needless:>10}"
        )
    return "\n".join(rows)


if __name__ == "__main__":
    door.parse = parse  # in this process, where hundreds of files take a minute
    main()
