"""`stdb-sweep` or `python -m analyzer`: what it imports is imported with an ear for Ctrl-C."""

from __future__ import annotations

import sys


def main() -> None:
    try:
        from analyzer import cli

        cli.main()
    except KeyboardInterrupt:
        print("stdb-sweep: interrupted", file=sys.stderr)
        sys.exit(130)


if __name__ == "__main__":
    main()
