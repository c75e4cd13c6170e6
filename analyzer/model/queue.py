r"""How long a write waits for the lock: a second view on a ceiling.

The lock serves one write at a time, in order: a queue with one server. For arrivals at random
(Poisson) with rate :math:`\lambda` and a hold time of mean s and coefficient of variation c, the
mean wait before the lock is had is, with the utilization :math:`\rho = \lambda s < 1`,

.. math:: W = \frac{\rho}{1 - \rho} \cdot \frac{1 + c^2}{2} \cdot s

(Pollaczek 1930 and Khinchine 1932; Kleinrock, Queueing Systems I, 1975, section 5.6: M/G/1).
Writes of one kind hold the lock for nearly the same time: c = 0, M/D/1.
"""

from __future__ import annotations

import math


def mean_wait_ms(utilization: float, hold_ms: float, variation: float = 0.0) -> float:
    """Mean wait for the lock in ms; infinite from a utilization of 1 on.

    Parameters
    ----------
    utilization
        Share of the time the lock is held, rho.
    hold_ms
        Mean time a write holds it, s.
    variation
        Coefficient of variation of that time, c: 0 for M/D/1, 1 for M/M/1.
    """
    if utilization >= 1:
        return math.inf
    return utilization / (1 - utilization) * (1 + variation**2) / 2 * hold_ms


def knee(variation: float = 0.0) -> float:
    r"""The utilization up to which more load is worth its wait: 0.59 for c = 0, 0.5 for c = 1.

    Where rho over the response time (wait and hold) is largest:
    :math:`1 / (1 + \sqrt{(1 + c^2)/2})` (Kleinrock 1979, ICC Conference Record, 43.1: power).
    """
    return 1 / (1 + math.sqrt((1 + variation**2) / 2))
