"""The brain network: a U-Net at half the image's resolution with a head at full resolution.

    image (1.5 mm) -> stem, stride 2 -> levels at 3, 6, 12 and 24 mm -> back up to 3 mm
                   -> pixel shuffle to 1.5 mm, joined by the image itself -> logits

Most of the work happens where voxels are few, so that it trains and runs on a processor.
"""

from __future__ import annotations

from itertools import pairwise

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812 - the name everybody uses


class BrainNetwork(nn.Module):
    """Logits of the kinds of structure, and one logit for "right", of a brain image.

    Args:
        classes: kinds of structure with background; the output has one channel more, for the side.
        channels: feature channels at 3, 6, 12 and 24 mm.
        head_channels: feature channels at 1.5 mm.
    """

    def __init__(self, classes: int, channels: tuple[int, ...] = (16, 56, 112, 128), head_channels: int = 16) -> None:
        super().__init__()
        self.stem = ConvBlock(8, channels[0])
        self.encoders = nn.ModuleList(blocks(width, 2 if level else 1) for level, width in enumerate(channels))
        self.downs = nn.ModuleList(nn.Conv3d(above, below, 2, stride=2) for above, below in pairwise(channels))
        self.ups = nn.ModuleList(nn.Conv3d(below, above, 1) for above, below in pairwise(channels))
        self.decoders = nn.ModuleList(blocks(width, 2) for width in channels[:-1])
        self.coarse_heads = nn.ModuleList(nn.Conv3d(width, classes + 1, 1) for width in channels[:2])
        self.expand = nn.Conv3d(channels[0], 8 * head_channels, 1)
        self.refine = nn.Conv3d(head_channels + 1, head_channels, 3, padding=1)
        self.classify = nn.Conv3d(head_channels, classes + 1, 1)
        self.deepen = ResidualBlock(head_channels)

    def forward(self, image: Tensor) -> Tensor:
        """Logits (B, classes + 1, K, J, I) of a normalised image (B, 1, K, J, I)."""
        return self.fine_logits(image, self.features(image)[0])

    def features(self, image: Tensor) -> list[Tensor]:
        """Decoded features at 3 and 6 mm of an image (B, 1, K, J, I), finest first."""
        x = self.stem(space_to_depth(image))
        skips = []
        for encoder, down in zip(self.encoders, self.downs, strict=False):
            x = encoder(x)
            skips.append(x)
            x = down(x)
        x = self.encoders[-1](x)
        decoded = []
        for skip, up, decoder in zip(reversed(skips), reversed(self.ups), reversed(self.decoders), strict=True):
            x = decoder(skip + F.interpolate(up(x), scale_factor=2.0, mode="nearest"))
            decoded.append(x)
        return [decoded[-1], decoded[-2]]

    def fine_logits(self, image: Tensor, features: Tensor) -> Tensor:
        """Logits at the image's resolution.

        Args:
            image: (B, 1, K, J, I), or a part of it with even offsets and sizes.
            features: (B, C, K/2, J/2, I/2) of the same part.
        """
        fine = torch.cat([depth_to_space(self.expand(features)), image], dim=1)
        return self.classify(self.deepen(F.leaky_relu(self.refine(fine), 0.01)))

    def coarse_logits(self, features: list[Tensor]) -> list[Tensor]:
        """Logits at 3 and 6 mm, that only training looks at."""
        return [head(x) for head, x in zip(self.coarse_heads, features, strict=True)]


class ConvBlock(nn.Module):
    """A 3x3x3 convolution, instance norm and a leaky rectifier."""

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.conv = nn.Conv3d(inputs, outputs, 3, padding=1, bias=False)
        self.norm = InstanceNorm(outputs, affine=True)

    def forward(self, x: Tensor) -> Tensor:
        """Features (B, outputs, K, J, I) of features (B, inputs, K, J, I)."""
        return F.leaky_relu(self.norm(self.conv(x)), 0.01)


class ResidualBlock(nn.Module):
    """Two 3x3x3 convolutions beside a short cut; at first it changes nothing.

    It has no norm: training sees a part of an image at this resolution, inference all of it.
    """

    def __init__(self, width: int) -> None:
        super().__init__()
        self.inner = nn.Conv3d(width, width, 3, padding=1)
        self.outer = nn.Conv3d(width, width, 3, padding=1)
        nn.init.zeros_(self.outer.weight)
        nn.init.zeros_(self.outer.bias)

    def forward(self, x: Tensor) -> Tensor:
        """Features (B, width, K, J, I) of features of that size."""
        return x + self.outer(F.leaky_relu(self.inner(x), 0.01))


class InstanceNorm(nn.InstanceNorm3d):
    """Instance norm that is fast where training spends its time.

    Over a batch of one it is batch norm, which keeps torch's channels-last layout; the other copies twice.
    """

    def forward(self, x: Tensor) -> Tensor:
        """Features (B, C, K, J, I), each channel of each image with mean 0 and variance 1, then scaled."""
        if self.training and x.shape[0] == 1:
            return F.batch_norm(x, None, None, self.weight, self.bias, training=True, eps=self.eps)
        return super().forward(x)


def blocks(width: int, count: int) -> nn.Sequential:
    """The convolutions of one resolution."""
    return nn.Sequential(*(ConvBlock(width, width) for _ in range(count)))


def space_to_depth(image: Tensor) -> Tensor:
    """(B, C, 2K, 2J, 2I) to (B, 8C, K, J, I): each 2x2x2 block becomes channels."""
    B, C, K, J, I = image.shape  # noqa: N806, E741 - sizes
    blocks = image.reshape(B, C, K // 2, 2, J // 2, 2, I // 2, 2)
    return blocks.permute(0, 1, 3, 5, 7, 2, 4, 6).reshape(B, 8 * C, K // 2, J // 2, I // 2)


def depth_to_space(x: Tensor) -> Tensor:
    """The inverse of `space_to_depth`: (B, 8C, K, J, I) to (B, C, 2K, 2J, 2I)."""
    B, C, K, J, I = x.shape  # noqa: N806, E741 - sizes
    blocks = x.reshape(B, C // 8, 2, 2, 2, K, J, I)
    return blocks.permute(0, 1, 5, 2, 6, 3, 7, 4).reshape(B, C // 8, 2 * K, 2 * J, 2 * I)
