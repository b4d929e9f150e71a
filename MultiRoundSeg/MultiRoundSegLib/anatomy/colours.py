"""Display colours: one for each kind of structure, varied a little so that neighbours differ."""

from __future__ import annotations

import colorsys
import zlib

Colour = tuple[int, int, int]

KIND_COLOURS: dict[str, Colour] = {
    "airway": (150, 205, 235),
    "artery": (215, 70, 60),
    "bone": (235, 220, 165),
    "brain": (225, 165, 150),
    "cavity": (120, 185, 170),
    "device": (150, 150, 165),
    "fluid": (95, 165, 225),
    "gland": (225, 160, 85),
    "heart": (195, 60, 85),
    "joint": (135, 190, 205),
    "lesion": (150, 190, 45),
    "muscle": (185, 95, 80),
    "nerve": (240, 210, 85),
    "organ": (185, 115, 145),
    "region": (205, 175, 150),
    "tissue": (230, 200, 120),
    "vein": (65, 110, 200),
}
_HUE_SPREAD, _SATURATION_SPREAD, _VALUE_SPREAD = 0.08, 0.25, 0.2
_WIDE_HUE_SPREAD = {"organ": 1.0, "brain": 1.0, "gland": 0.5, "heart": 0.5}
"""Kinds whose members lie side by side and have no colour by custom."""


def colour_of(kind: str, key: str) -> Colour:
    """Red, green, blue (0 to 255) of a structure, the same in every session.

    Args:
        kind: of `KIND_COLOURS`.
        key: of the structure; decides the variation.
    """
    seed = zlib.crc32(key.encode())
    hue, saturation, value = colorsys.rgb_to_hsv(*(channel / 255 for channel in KIND_COLOURS[kind]))
    hue = (hue + _WIDE_HUE_SPREAD.get(kind, _HUE_SPREAD) * _fraction(seed)) % 1
    saturation = min(max(saturation + _SATURATION_SPREAD * _fraction(seed >> 8), 0.1), 1)
    value = min(max(value + _VALUE_SPREAD * _fraction(seed >> 16), 0.3), 1)
    red, green, blue = (round(channel * 255) for channel in colorsys.hsv_to_rgb(hue, saturation, value))
    return red, green, blue


def _fraction(seed: int) -> float:
    """The low byte as a number from -0.5 to 0.5."""
    return (seed & 0xFF) / 255 - 0.5
