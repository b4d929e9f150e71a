"""A small convolutional encoder in the place of Segment Anything's transformer, for models that learn from little.

It follows MobileSAM (Zhang et al., 2023) in keeping the decoder and changing the encoder, and U-Net (Ronneberger et
al., 2015) in its shape: down to a sixteenth of the picture, and up again to the patches of the decoder.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812 - the name everybody uses

WIDTHS = (32, 64, 128, 192)
"""Channels at a half, a quarter, an eighth and a sixteenth of the picture's side."""
PATCH = 4
_GROUPS = 8


class ConvolutionalEncoder(nn.Module):
    """Embeddings (B, channels, side / 4, side / 4) of pictures (B, 3, side, side); side is a multiple of 16.

    Args:
        channels: of the embeddings.
    """

    def __init__(self, channels: int) -> None:
        super().__init__()
        half, quarter, eighth, sixteenth = WIDTHS
        self.stem = nn.Conv2d(5, half, 3, stride=2, padding=1)
        self.blocks = nn.ModuleList(
            [
                Residual(half),
                _halved(half, quarter),
                _halved(quarter, eighth),
                _halved(eighth, sixteenth),
                Residual(eighth),
                nn.Sequential(Residual(channels), Residual(channels)),
            ]
        )
        self.raise_eighth = nn.Conv2d(sixteenth + eighth, eighth, 1)
        self.raise_quarter = nn.Conv2d(eighth + quarter + 4 * half, channels, 1)
        self.last = nn.Sequential(nn.GroupNorm(1, channels), nn.Conv2d(channels, channels, 1))

    def forward(self, pictures: Tensor) -> Tensor:
        """See the class."""
        half = self.blocks[0](self.stem(torch.cat([pictures, _places(pictures)], dim=1)))
        quarter = self.blocks[1](half)
        eighth = self.blocks[2](quarter)
        sixteenth = self.blocks[3](eighth)
        eighth = self.blocks[4](self.raise_eighth(torch.cat([_doubled(sixteenth), eighth], dim=1)))
        together = torch.cat([_doubled(eighth), quarter, F.pixel_unshuffle(half, 2)], dim=1)
        return self.last(self.blocks[5](self.raise_quarter(together)))


class Residual(nn.Module):
    """Two convolutions that add to what comes in.

    Args:
        channels: in and out.
    """

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.GroupNorm(_GROUPS, channels),
            nn.GELU(),
            nn.Conv2d(channels, channels, 3, padding=1),
            nn.GroupNorm(_GROUPS, channels),
            nn.GELU(),
            nn.Conv2d(channels, channels, 3, padding=1),
        )

    def forward(self, x: Tensor) -> Tensor:
        """(B, channels, h, w) of the same."""
        return x + self.layers(x)


def _halved(inputs: int, outputs: int) -> nn.Sequential:
    down = nn.Conv2d(inputs, outputs, 2, stride=2)
    return nn.Sequential(down, Residual(outputs), Residual(outputs))


def _doubled(x: Tensor) -> Tensor:
    return F.interpolate(x, scale_factor=2, mode="bilinear", align_corners=False)


def _places(pictures: Tensor) -> Tensor:
    """(B, 2, H, W) how far down and to the right each pixel lies, -1 to 1: sides look alike but for this."""
    height, width = pictures.shape[2:]
    down = torch.linspace(-1, 1, height, device=pictures.device, dtype=pictures.dtype)[:, None].expand(-1, width)
    right = torch.linspace(-1, 1, width, device=pictures.device, dtype=pictures.dtype)[None].expand(height, -1)
    return torch.stack([down, right]).expand(len(pictures), -1, -1, -1)
