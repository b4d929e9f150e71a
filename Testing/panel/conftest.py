"""Starts Slicer's stand-ins before the tests of the panel import `qt`."""

from panel.shim import install

install()

from panel.shim.fixtures import displayed, empty_scene, fresh_settings, no_slot_exceptions, show  # noqa: E402

__all__ = ["displayed", "empty_scene", "fresh_settings", "no_slot_exceptions", "show"]
