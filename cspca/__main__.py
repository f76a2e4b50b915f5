"""``python -m cspca``: see :mod:`cspca.shell`."""

from __future__ import annotations

import sys

from cspca.shell import main

if __name__ == "__main__":
    sys.exit(main())
