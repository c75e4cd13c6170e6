"""What is opened must be closed, whatever happens between."""

from __future__ import annotations

import abc
from typing import Self


class Closing(abc.ABC):
    """An async context manager that ends with its own `close`."""

    @abc.abstractmethod
    async def close(self) -> None:
        """Idempotent."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.close()
