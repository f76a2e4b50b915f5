"""People who do not exist: the lengths of their limbs and the way they move."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Performer:
    """One person; lengths in metres, angles in radians.

    Attributes
    ----------
    lower_torso, upper_torso : float
        From pelvis to spine and from spine to neck.
    head : float
        From neck to the middle of the head.
    shoulders, hips : float
        Half the width.
    upper_arm, forearm, thigh, shin : float
    tempo, size : float
        How fast and how wide the movements are; 1 is the average.
    lean, elbow, stance : float
        Habits: how far the torso leans, the elbows bend and the legs are apart, beyond the
        average.
    """

    lower_torso: float
    upper_torso: float
    head: float
    shoulders: float
    hips: float
    upper_arm: float
    forearm: float
    thigh: float
    shin: float
    tempo: float
    size: float
    lean: float
    elbow: float
    stance: float


# Shares of the stature (after Drillis and Contini's segment lengths), to the wrist and the ankle.
_SHARES = {
    "lower_torso": 0.13,
    "upper_torso": 0.17,
    "head": 0.115,
    "shoulders": 0.115,
    "hips": 0.058,
    "upper_arm": 0.172,
    "forearm": 0.157,
    "thigh": 0.245,
    "shin": 0.246,
}


def make_performer(number: int, random_state: int) -> Performer:
    """Draw person `number`, who does not depend on how many there are.

    Parameters
    ----------
    number : int
        From 0.
    random_state : int
    """
    rng = np.random.default_rng((random_state, number))
    stature = rng.uniform(1.58, 1.92)
    limbs = {name: stature * share * rng.normal(1, 0.03) for name, share in _SHARES.items()}
    return Performer(
        **limbs,
        tempo=rng.uniform(0.88, 1.12),
        size=rng.uniform(0.85, 1.15),
        lean=rng.normal(0, 0.04),
        elbow=rng.normal(0, 0.12),
        stance=rng.normal(0, 0.03),
    )
