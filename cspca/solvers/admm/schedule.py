"""How ρ moves: by what the certificate says, and by the residuals (theory.md §5)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cspca.proximal import FloatArray
from cspca.solvers.admm.tuning import TUNING, Tuning


@dataclass
class Guidance:
    """Steers ρ of the two regularisers by what the certificate says.

    Residual balancing does not see which half of the gap is left. Here the half that still moved
    is taken for the one that lags: a bound that lags asks for a smaller ρ, an objective that lags
    for a larger one. The first step is by a factor of 3; a step after which the gap falls
    more slowly than before is turned back by a smaller one.

    `objective` and `bound` are as of the last check, `direction` (+1 a larger ρ, −1 a smaller
    one, 0 before the first) as of the last move, before which an iteration multiplied the gap by
    `fall`; `factor` is that of the next move, of at least `least`.
    """

    objective: float = float("inf")
    bound: float = 0.0
    direction: int = 0
    factor: float = TUNING.first_move
    fall: float = 1.0
    least: float = TUNING.least_move

    def see(self, objective: float, bound: float) -> int:
        """Take note of a check; +1 when the objective moved more than the bound, else −1."""
        lag = 1 if self.objective - objective > bound - self.bound else -1
        if self.objective == float("inf"):
            lag = -1
        self.objective, self.bound = objective, bound
        return lag

    def move(self, lag: int, fall: float) -> float:
        """Factor for ρ, given how the gap fell per iteration since the last move."""
        if self.direction == 0:
            self.direction = lag
        elif fall > self.fall:
            # With the smallest step too: going on the same way without end is a way out of range.
            self.direction = -self.direction
            self.factor = max(self.least, self.factor**0.5)
        self.fall = fall
        return float(self.factor**self.direction)


def balance_factor(norms: FloatArray, tuning: Tuning = TUNING) -> float:
    """Factor for ρ: up when copies disagree, down when multipliers still move.

    From the norms of a goal, its copy, how far they are apart, how far the copy and its multiplier.
    """
    goal, copy, disagreement, moved, multiplier = norms.tolist()
    if min(disagreement, moved, multiplier) == 0.0:
        # All residuals zero (next to W = I, say), or no such block: the ratio says nothing.
        return 1.0
    primal, dual = disagreement / max(goal, copy), moved / multiplier
    return float(np.clip(np.sqrt(primal / dual), 1.0 / tuning.balance, tuning.balance))
