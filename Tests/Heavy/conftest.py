"""Tests with peers that are too large for `make test`. `make test-heavy` installs the peers and runs them."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Interop"))
