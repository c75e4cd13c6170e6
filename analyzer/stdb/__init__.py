"""What speaks SpacetimeDB: its HTTP API, BSATN and the WebSocket messages."""

from __future__ import annotations

import os

# `websockets` reads this when it is imported and gives up beyond 4,096 fragments a message. The
# server cuts messages into 4 KiB, so a first snapshot above 16 MiB would close with 1009.
os.environ.setdefault("WEBSOCKETS_MAX_FRAGMENTS", str(1 << 24))
