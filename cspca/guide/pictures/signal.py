"""Ten columns that share two factors, ten of noise, all of variance 1: importance as β grows."""

import numpy as np

from cspca import CSPCA

rng = np.random.default_rng(0)
n_signal = n_noise = 10
angles = np.pi * np.arange(n_signal) / n_signal
factors = rng.standard_normal((200, 2)) @ np.array([np.cos(angles), np.sin(angles)])
# What a signal column has of its own is a tenth of what it shares.
signal = factors + 0.1 * rng.standard_normal((200, n_signal))
noise = rng.standard_normal((200, n_noise))
columns = np.hstack([signal, noise])
columns = (columns - columns.mean(axis=0)) / columns.std(axis=0)
betas = np.linspace(0.01, 0.3, 30)
scores = np.array([CSPCA(alpha=0.1, beta=beta).fit(columns).feature_scores_ for beta in betas])
