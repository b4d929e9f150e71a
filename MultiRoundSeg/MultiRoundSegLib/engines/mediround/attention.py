"""Segment Anything's attention layers with the same weights and results, in fewer steps and less memory.

Six tokens and 4,096 patches attend to each other in the mask decoder. Whatever is multiplied with all patches is first
brought together with the few tokens, so that the patches are multiplied by a small matrix instead of a large one. In
the picture's encoder the patches attend to each other; some rows are done at a time, so that no matrix of all pairs is
made.
"""

from __future__ import annotations

import math

import torch
from segment_anything.modeling.image_encoder import Attention as PatchAttention
from segment_anything.modeling.image_encoder import get_rel_pos
from segment_anything.modeling.transformer import Attention as TokenAttention
from torch import Tensor

_ROWS = 8
"""Rows of patches that attend at a time: 8 x 64 patches to all 4,096 take 8 MB a head."""


class TokensToPatches(TokenAttention):
    """Few tokens attend to many patches."""

    def forward(self, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        """(B, T, E) of tokens q (B, T, E) and patches k, v (B, N, E); the weights of a token sum to 1."""
        heads, tokens = self.num_heads, q.shape[1]
        asked = self._separate_heads(self.q_proj(q), heads)
        size = asked.shape[-1]
        probes = asked @ self.k_proj.weight.view(heads, size, -1)
        bias = asked @ self.k_proj.bias.view(heads, size, 1)
        scores = (probes.flatten(1, 2) @ k.transpose(1, 2) + bias.flatten(1, 2)) / math.sqrt(size)
        weights = torch.softmax(scores, dim=-1)
        seen = (weights @ v).view(len(q), heads, tokens, -1)
        values = seen @ self.v_proj.weight.view(heads, size, -1).transpose(1, 2) + self.v_proj.bias.view(heads, 1, size)
        return self.out_proj(self._recombine_heads(values))


class PatchesToTokens(TokenAttention):
    """Many patches attend to few tokens."""

    def forward(self, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        """(B, N, E) of patches q (B, N, E) and tokens k, v (B, T, E)."""
        heads = self.num_heads
        keys = self._separate_heads(self.k_proj(k), heads)
        size = keys.shape[-1]
        probes = keys @ self.q_proj.weight.view(heads, size, -1)
        bias = keys @ self.q_proj.bias.view(heads, size, 1)
        scores = (q @ probes.flatten(1, 2).transpose(1, 2) + bias.flatten(1)[:, None]) / math.sqrt(size)
        weights = torch.softmax(scores.view(*q.shape[:2], heads, -1), dim=-1)
        outward = self.out_proj.weight.view(-1, heads, size).permute(1, 2, 0)
        values = self._separate_heads(self.v_proj(v), heads) @ outward
        return weights.flatten(2) @ values.flatten(1, 2) + self.out_proj.bias


class RowwisePatchAttention(PatchAttention):
    """All patches of a picture attend to each other, some rows at a time."""

    def forward(self, x: Tensor) -> Tensor:
        """(B, H, W, E) of patches (B, H, W, E)."""
        B, H, W, _ = x.shape  # noqa: N806 - sizes
        parts = self.qkv(x).reshape(B, H * W, 3, self.num_heads, -1).permute(2, 0, 3, 1, 4)
        q, k, v = parts.reshape(3, B * self.num_heads, H * W, -1).unbind(0)
        down, across = get_rel_pos(H, H, self.rel_pos_h), get_rel_pos(W, W, self.rel_pos_w)
        rows = []
        for start in range(0, H, _ROWS):
            part = q.view(len(q), H, W, -1)[:, start : start + _ROWS]
            scores = ((part * self.scale).flatten(1, 2) @ k.transpose(1, 2)).view(*part.shape[:3], H, W)
            scores += torch.einsum("bhwc,hkc->bhwk", part, down[start : start + _ROWS])[..., None]
            scores += torch.einsum("bhwc,wkc->bhwk", part, across)[..., None, :]
            rows.append(scores.flatten(1, 2).flatten(2).softmax(dim=-1) @ v)
        seen = torch.cat(rows, dim=1).view(B, self.num_heads, H, W, -1).permute(0, 2, 3, 1, 4).reshape(B, H, W, -1)
        return self.proj(seen)
