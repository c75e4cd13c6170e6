"""How much of the machine a server of our own uses."""

from __future__ import annotations

import os
from pathlib import Path


def cpu_seconds(pid: int | None) -> float | None:
    """CPU seconds of a process since its start, all threads, user and system.

    None where nobody knows: a server that is not ours, a system without /proc.
    """
    if pid is None:
        return None
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    # The second field, the command in brackets, may hold spaces and brackets itself.
    fields = stat.rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
