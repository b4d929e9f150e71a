"""Letters on pictures: a font, the sides of the patient, the legend and the caption."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from PIL import Image, ImageDraw, ImageFont

# As the patient-aligned slice views of Slicer show them: left, right, top and bottom of the picture.
_SIDE_ANCHORS = ("lm", "rm", "mt", "mb")
_SIDES = {"Axial": "RLAP", "Sagittal": "APSI", "Coronal": "RLSI"}

# File names in the Debian packages fonts-wqy-microhei, fonts-noto-cjk and fonts-droid-fallback.
_CHINESE_FONTS = ("wqy-microhei.ttc", "NotoSansCJK-Regular.ttc", "DroidSansFallbackFull.ttf")

_WHITE = (235, 235, 235)
_GREY = (165, 165, 165)
_SHADOW = (0, 0, 0)
_SWATCH_PX = 13
_GAP_PX = 22


@dataclass(frozen=True)
class LegendEntry:
    """One segment in the legend.

    Attributes:
        text: its name.
        colour: red, green and blue, 0 to 255.
        filled: whether the segment is filled in the picture, or only outlined.
    """

    text: str
    colour: tuple[int, int, int]
    filled: bool


def has_chinese_font() -> bool:
    """Return whether Chinese text can be drawn: one of the fonts named in this file is installed."""
    return _chinese_font_file() is not None


def draw_sides(picture: Image.Image, orientation: str) -> None:
    """Write the patient's sides (R L A P S I) at the four edges of a slice view's picture."""
    draw = ImageDraw.Draw(picture)
    width, height = picture.size
    middle, centre = width // 2, height // 2
    places = ((7, centre), (width - 7, centre), (middle, 6), (middle, height - 6))
    for letter, place, anchor in zip(_SIDES[orientation], places, _SIDE_ANCHORS, strict=True):
        draw.text(place, letter, _WHITE, _font(15), anchor=anchor, stroke_width=1, stroke_fill=_SHADOW)


def caption_image(caption: str, width: int) -> Image.Image:
    """Return a black line of `width` pixels with the caption in it, shortened if it is too long."""
    image = Image.new("RGB", (width, 32))
    draw = ImageDraw.Draw(image)
    font = _font(17)
    text = caption
    while text and draw.textlength(text, font) > width - 24:
        text = text.removesuffix("…")[:-1] + "…"
    draw.text((12, 16), text, _WHITE, font, anchor="lm")
    return image


def legend_image(entries: Sequence[LegendEntry], width: int) -> Image.Image:
    """Return the legend, `width` pixels wide and as many lines high as the entries need."""
    font = _font(15)
    places, lines = _flow([_SWATCH_PX + 7 + font.getlength(entry.text) for entry in entries], width)
    image = Image.new("RGB", (width, 10 + 24 * lines))
    draw = ImageDraw.Draw(image)
    for entry, (left, line) in zip(entries, places, strict=True):
        middle = 17 + 24 * line
        box = (left, middle - _SWATCH_PX // 2, left + _SWATCH_PX, middle + _SWATCH_PX // 2 + 1)
        draw.rectangle(box, fill=entry.colour if entry.filled else None, outline=entry.colour, width=2)
        colour = _WHITE if entry.filled else _GREY
        draw.text((left + _SWATCH_PX + 7, middle), entry.text, colour, font, anchor="lm")
    return image


def _flow(lengths: Sequence[float], width: int) -> tuple[list[tuple[int, int]], int]:
    """Place boxes of given lengths in lines: the (left, line) of each and the number of lines."""
    places = []
    left, line = 12, 0
    for length in lengths:
        if left > 12 and left + length > width - 12:
            left, line = 12, line + 1
        places.append((left, line))
        left += round(length) + _GAP_PX
    return places, line + 1


def _font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    file = _chinese_font_file()
    return ImageFont.truetype(file, size) if file else ImageFont.load_default(size)


@lru_cache
def _chinese_font_file() -> str | None:
    for name in _CHINESE_FONTS:
        try:
            ImageFont.truetype(name)
        except OSError:
            continue
        return name
    return None
