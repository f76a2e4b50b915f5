"""Where the seconds of one fit go, by what they are spent on."""

import cProfile
import pstats
import time
from collections.abc import Callable
from pathlib import PurePath

PARTS = {
    "reduction": {("reduction.py", "__init__"), ("blocks_data.py", "__init__")},
    "first guess": {("admm_state.py", "cold_state"), ("admm_state.py", "warm_state")},
    "products and errors of the images": {
        (file, name) for file in ("blocks.py", "blocks_local.py") for name in ("step", "pull")
    },
    "singular-value shrinkage": {("proximal.py", "shrink_singular_values")},
    "certificate and objective": {("admm.py", "_check")},
    "scores and regime of the answer": {("fitted.py", "describe_fit")},
}
"""Functions, by file and name, whose time with all they call is one part; the rest of
``ADMM._step`` is the products and shrinkage of the pixels' side."""

_STEP = ("admm.py", "_step")
_PIXELS = "products and shrinkage of the pixels"


def shares(fit: Callable[[], object]) -> dict[str, float]:
    """Share of the CPU seconds of `fit` that each part takes; they add up to 1."""
    profile = cProfile.Profile(time.process_time)
    began = time.process_time()
    profile.runcall(fit)
    whole = time.process_time() - began
    found = dict.fromkeys(PARTS, 0.0)
    step = inside = 0.0
    for (file, _, name), (*_, seconds, callers) in pstats.Stats(profile).stats.items():
        place = PurePath(file).name, name
        step += seconds * (place == _STEP)
        for part, places in PARTS.items():
            if place in places:
                # Shrinkage within a certificate is the certificate's.
                of_steps = sum(
                    caller[3]
                    for (caller_file, _, caller_name), caller in callers.items()
                    if (PurePath(caller_file).name, caller_name) == _STEP
                )
                found[part] += of_steps if part == "singular-value shrinkage" else seconds
                inside += of_steps
    found[_PIXELS] = step - inside
    found["the rest"] = whole - sum(found.values())
    return {part: seconds / whole for part, seconds in found.items()}
