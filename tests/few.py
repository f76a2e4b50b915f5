"""Few of the digits, for servers whose experiments are to take a second or two."""

from dataclasses import replace

from cspca.datasets import Dataset, load

N_DIGITS = 300
"""How many of them: the Outliers page ruins one of 200."""


def load_few(name: str) -> Dataset:
    """Load a built-in set; of the digits, the first `N_DIGITS`."""
    whole = load(name)
    if name != "digits" or whole.target is None:
        return whole
    return replace(whole, data=whole.data[:N_DIGITS], target=whole.target[:N_DIGITS])
