"""Transfers between accounts of which few are in most of them, as they are in real ledgers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def shares(accounts: int, alpha: float) -> NDArray[np.float64]:
    r"""Zipf's law: account k, from 0, has a share :math:`\propto (k+1)^{-\alpha}`; 0 is uniform."""
    weights: NDArray[np.float64] = np.arange(1, accounts + 1, dtype=np.float64) ** -alpha
    return weights / np.sum(weights)


def draw_transfers(
    count: int, accounts: int, alpha: float, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Payer and payee of `count` transfers, shape (count, 2), two different accounts each.

    Payers follow `shares`, payees the same with the payer left out.
    """
    share = shares(accounts, alpha)
    steps = np.cumsum(share)
    steps /= steps[-1]
    payer = np.searchsorted(steps, rng.random(count), side="right")
    # Drawn from a line that lacks the payer's piece, so that nothing need be drawn again.
    at = rng.random(count) * (1 - share[payer])
    at += np.where(at >= steps[payer] - share[payer], share[payer], 0.0)
    payee = np.minimum(np.searchsorted(steps, at, side="right"), accounts - 1)
    return np.column_stack([payer, payee])
