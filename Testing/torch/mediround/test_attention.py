"""Our attention layers compute what those of the package segment-anything do, forwards and backwards."""

import pytest
import torch
from segment_anything.modeling.image_encoder import Attention as PatchAttention
from segment_anything.modeling.transformer import Attention as TokenAttention

from MultiRoundSegLib.engines.mediround.attention import PatchesToTokens, RowwisePatchAttention, TokensToPatches


def compare(ours: torch.nn.Module, theirs: torch.nn.Module, *inputs: torch.Tensor) -> None:
    for weight in theirs.parameters():
        torch.nn.init.normal_(weight, std=0.3)
    ours.load_state_dict(theirs.state_dict())
    found, wanted = ours(*inputs), theirs(*inputs)
    assert torch.allclose(found, wanted, rtol=1e-4, atol=1e-4)
    for output in (found, wanted):
        output.square().sum().backward()
    for (name, one), (_, other) in zip(ours.named_parameters(), theirs.named_parameters(), strict=True):
        if name != "k_proj.bias":  # it changes nothing, so that its gradient is noise
            assert torch.allclose(one.grad, other.grad, rtol=1e-3, atol=1e-3 * float(other.grad.abs().max())), name


@pytest.mark.parametrize("batch", [1, 3])
def test_tokens_and_patches(batch: int) -> None:
    torch.manual_seed(batch)
    tokens, patches, places = torch.randn(batch, 6, 32), torch.randn(batch, 100, 32), torch.randn(batch, 100, 32)
    compare(TokensToPatches(32, 4, 2), TokenAttention(32, 4, 2), tokens, patches + places, patches)
    compare(PatchesToTokens(32, 4, 2), TokenAttention(32, 4, 2), patches + places, tokens, tokens.flip(1))


@pytest.mark.parametrize("size", [(16, 16), (20, 20)])
def test_patches_of_a_picture(size: tuple[int, int]) -> None:
    torch.manual_seed(0)
    settings = {"use_rel_pos": True, "input_size": size}
    patches = torch.randn(2, *size, 24)
    compare(RowwisePatchAttention(24, 2, **settings), PatchAttention(24, 2, **settings), patches)
