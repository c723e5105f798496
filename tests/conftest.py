"""What every test shares."""

from __future__ import annotations

from hypothesis import settings

# No test asserts a time, hypothesis included.
settings.register_profile("capa-tui", deadline=None)
settings.load_profile("capa-tui")
