"""What a write may take of the lock, given outright or as a share at a rate of writes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from analyzer.errors import UsageError
from analyzer.model.cells import Floats
from analyzer.units import milliseconds


@dataclass(frozen=True, slots=True)
class Budget:
    r"""Lock time one write may take, in ms: :math:`B`, or :math:`1000\,U / \lambda`.

    Either `write_ms` (B), or `utilization` (U, a share of the lock, 0 to 1) with one rate of
    writes (lambda, per second): `per_second`, the same however many clients there are, or
    `per_client`, times S.

    Raises
    ------
    UsageError
        When it is neither, both, or out of range.
    """

    write_ms: float | None = None
    utilization: float | None = None
    per_second: float | None = None
    per_client: float | None = None

    def __post_init__(self) -> None:
        rates = [rate for rate in (self.per_second, self.per_client) if rate is not None]
        if self.write_ms is not None:
            if self.utilization is not None or rates:
                raise UsageError("a budget is a time per write or a share of the lock, not both")
            if not self.write_ms > 0:
                raise UsageError(f"a budget of {self.write_ms:g} ms is no time at all")
            return
        if self.utilization is None:
            raise UsageError("a rate of writes needs a utilization: which share may they take?")
        if len(rates) != 1:
            raise UsageError(
                "a utilization needs one rate: writes per second, or writes per second and client"
            )
        if not 0 < self.utilization < 1:
            raise UsageError(f"a utilization of {self.utilization:g} is not between 0 and 1")
        if not 0 < rates[0] < float("inf"):
            raise UsageError(f"a rate of {rates[0]:g} writes is not above 0")

    def allowed_ms(self, clients: Floats) -> Floats:
        """Lock time a write may take with each number of clients, in ms; never rises with S."""
        if self.write_ms is not None:
            return np.full_like(clients, self.write_ms)
        with np.errstate(divide="ignore"):
            allowed: Floats = 1e3 * (self.utilization or 0.0) / self._rate(clients)
        return allowed

    def allowed_at(self, clients: int) -> float:
        """`allowed_ms` for one number of clients."""
        return float(self.allowed_ms(np.array([float(clients)]))[0])

    def writes_per_second(self, clients: float) -> float | None:
        """The rate of writes with `clients`; None when the budget is a time per write."""
        if self.write_ms is not None:
            return None
        return float(self._rate(np.array(float(clients))))

    def _rate(self, clients: Floats) -> Floats:
        if self.per_second is not None:
            return np.full_like(clients, self.per_second)
        return clients * (self.per_client or 0.0)

    def __str__(self) -> str:
        """`50 ms of lock per write`, `50 % of the lock at 20 writes/s`."""
        if self.write_ms is not None:
            return f"{self.write_ms:g} ms of lock per write"
        rate = (
            f"{self.per_second:g} writes/s"
            if self.per_second is not None
            else f"{self.per_client:g} writes/s a client"
        )
        return f"{100 * (self.utilization or 0.0):g} % of the lock at {rate}"


def as_budget(budget: Budget | str | float) -> Budget:
    """Read `"50ms"` or a number of ms as a budget per write. Raises UsageError."""
    if isinstance(budget, Budget):
        return budget
    return Budget(write_ms=milliseconds(budget) if isinstance(budget, str) else float(budget))
