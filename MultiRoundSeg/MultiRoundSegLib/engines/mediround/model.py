"""The MediRound model: a language model that sees a picture, and a mask decoder that it directs.

    picture -> vision tower -> projector -> embeddings among the words -> language model -> [SEG] -> mask decoder
    masks referred to -> crop (vision tower, projector) and box (a linear layer) among the words

Names of parameters are those of the published checkpoints (without their prefix).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

import torch
from segment_anything.modeling import ImageEncoderViT, MaskDecoder, PromptEncoder, TwoWayTransformer
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812 - the name everybody uses
from transformers import CLIPVisionConfig, CLIPVisionModel, MistralConfig, MistralForCausalLM

from .attention import PatchesToTokens, RowwisePatchAttention, TokensToPatches
from .convolutional import ConvolutionalEncoder
from .settings import ModelSettings, SamSettings
from .text import PICTURE

ADDED_WORDS = 3


class MediRoundModel(nn.Module):
    """All parts; what a round needs of them is put together by `session`.

    Args:
        settings: the sizes of the parts.
    """

    def __init__(self, settings: ModelSettings) -> None:
        super().__init__()
        self.settings = settings
        language = MistralConfig(**settings.language | {"vocab_size": settings.language["vocab_size"] + ADDED_WORDS})
        vision = CLIPVisionConfig(**settings.vision)
        width = language.hidden_size
        self.language = MistralForCausalLM(language)
        self.vision_tower = CLIPVisionModel(vision)
        self.mm_projector = nn.Sequential(nn.Linear(vision.hidden_size, width), nn.GELU(), nn.Linear(width, width))
        self.visual_model = MaskModel(settings.sam)
        channels = settings.sam.channels
        asking = nn.Sequential(nn.Linear(width, width), nn.ReLU(), nn.Linear(width, channels), nn.Dropout(0.0))
        self.text_hidden_fcs = nn.ModuleList([asking])
        self.bbox_encoder = nn.Linear(4, width)
        if settings.has_correction:
            self.mask_quality_MLP = MLP(channels, 1)
            self.refine_MLP = MLP(channels, channels)

    @property
    def device(self) -> torch.device:
        """Where the weights are."""
        return self.bbox_encoder.weight.device

    @property
    def dtype(self) -> torch.dtype:
        """Of the weights."""
        return self.bbox_encoder.weight.dtype

    def picture_embeddings(self, pixels: Tensor) -> Tensor:
        """Embeddings (picture_tokens, width) of a picture (3, side, side)."""
        return self.mm_projector(self.vision_states(pixels[None])[0, 1:])

    def crop_embeddings(self, pixels: Tensor) -> Tensor:
        """Embeddings (N, width) of crops (N, 3, side, side)."""
        return self.mm_projector(self.vision_states(pixels)[:, 0])

    def box_embeddings(self, boxes: Tensor) -> Tensor:
        """Embeddings (N, width) of boxes (N, 4)."""
        return self.bbox_encoder(boxes.to(self.device, self.dtype))

    def embed(self, tokens: Sequence[int], picture: Tensor | None, crops: Tensor, boxes: Tensor) -> Tensor:
        """Embeddings (L, width) of tokens, with those of picture, crops and boxes in their places.

        Args:
            tokens: `PICTURE` stands for the whole picture.
            picture: (picture_tokens, width); None where no token asks for it.
            crops: (N, width), one for each crop token in order.
            boxes: (N, width), one for each box token in order.

        Raises:
            ValueError: there are more or fewer crops, boxes or pictures than tokens that ask for them.
        """
        settings = self.settings
        ids = torch.tensor(tokens, device=self.device)
        if int((ids == PICTURE).sum()) != (picture is not None):
            raise ValueError("a dialogue needs exactly one picture, in its first round")
        embedded = self.language.get_input_embeddings()(ids.clamp(min=0))
        for token, inserted in ((settings.crop_id, crops), (settings.box_id, boxes)):
            places = ids == token
            if int(places.sum()) != len(inserted):
                raise ValueError(f"{int(places.sum())} references are named, {len(inserted)} are given")
            embedded = embedded.masked_scatter(places[:, None], inserted.to(embedded.dtype))
        if picture is None:
            return embedded
        place = int(torch.nonzero(ids == PICTURE)[0])
        return torch.cat([embedded[:place], picture.to(embedded.dtype), embedded[place + 1 :]])

    def mask_embedding(self, hidden: Tensor) -> Tensor:
        """Embeddings (..., channels) that direct the mask decoder, of hidden states (..., width)."""
        return self.text_hidden_fcs[0](hidden)

    def quality(self, embedding: Tensor) -> Tensor:
        """How good the mask of an embedding (..., channels) will be, 0 to 1: (...)."""
        return torch.sigmoid(self.mask_quality_MLP(embedding))[..., 0]

    def refined(self, embedding: Tensor) -> Tensor:
        """A better embedding for one whose mask is not good."""
        correction = self.refine_MLP(embedding)
        return embedding + correction if self.settings.adds_correction else correction

    def vision_states(self, pixels: Tensor) -> Tensor:
        """Hidden states (N, 1 + patches, width) of the layer that is used."""
        outputs = self.vision_tower(pixels.to(self.device, self.dtype), output_hidden_states=True)
        return outputs.hidden_states[self.settings.vision_layer]


@contextmanager
def interruptible(model: MediRoundModel, step: Callable[[], None]) -> Iterator[None]:
    """Call a function before every block of the encoders and of the language model; what it raises stops the work."""
    seeing = [*model.vision_tower.encoder.layers, *model.visual_model.image_encoder.blocks]
    blocks = [*model.language.model.layers, *seeing]
    hooks = [block.register_forward_pre_hook(lambda module, inputs: step()) for block in blocks]
    try:
        yield
    finally:
        for hook in hooks:
            hook.remove()


class MaskModel(nn.Module):
    """Segment Anything's encoder and decoder, directed by embeddings instead of points.

    Args:
        sizes: of its parts.
    """

    def __init__(self, sizes: SamSettings) -> None:
        super().__init__()
        side = sizes.picture // sizes.patch
        is_published = sizes.encoder == "transformer"
        self.image_encoder = _transformer(sizes) if is_published else ConvolutionalEncoder(sizes.channels)
        self.prompt_encoder = PromptEncoder(
            embed_dim=sizes.channels,
            image_embedding_size=(side, side),
            input_image_size=(sizes.picture, sizes.picture),
            mask_in_chans=16,
        )
        self.prompt_encoder.pe_layer.float()  # it multiplies its weights by numbers that it makes in float32
        transformer = TwoWayTransformer(depth=2, embedding_dim=sizes.channels, mlp_dim=2048, num_heads=8)
        for layer in transformer.layers:
            layer.cross_attn_token_to_image = TokensToPatches(sizes.channels, 8, downsample_rate=2)
            layer.cross_attn_image_to_token = PatchesToTokens(sizes.channels, 8, downsample_rate=2)
        transformer.final_attn_token_to_image = TokensToPatches(sizes.channels, 8, downsample_rate=2)
        self.mask_decoder = MaskDecoder(
            num_multimask_outputs=3,
            transformer=transformer,
            transformer_dim=sizes.channels,
            iou_head_depth=3,
            iou_head_hidden_dim=256,
        )

    def encode(self, pixels: Tensor) -> Tensor:
        """Embedding (1, channels, side, side) of a picture (3, picture, picture)."""
        weight = self.prompt_encoder.no_mask_embed.weight
        return self.image_encoder(pixels[None].to(weight.device, weight.dtype))

    def decode(self, picture: Tensor, embeddings: Tensor) -> Tensor:
        """Logits (N, 256, 256) of masks.

        Args:
            picture: as `encode` gives it.
            embeddings: (N, channels), one for each mask.
        """
        prompts, dense = self._prompts(embeddings)
        logits, _ = self.mask_decoder(
            image_embeddings=picture,
            image_pe=self.prompt_encoder.get_dense_pe().to(picture.dtype),
            sparse_prompt_embeddings=prompts,
            dense_prompt_embeddings=dense,
            multimask_output=False,
        )
        return logits[:, 0]

    def _prompts(self, embeddings: Tensor) -> tuple[Tensor, Tensor]:
        side = self.prompt_encoder.image_embedding_size
        dense = self.prompt_encoder.no_mask_embed.weight.reshape(1, -1, 1, 1)
        return embeddings[:, None], dense.expand(len(embeddings), -1, *side)


def _transformer(sizes: SamSettings) -> ImageEncoderViT:
    """Segment Anything's encoder."""
    side = sizes.picture // sizes.patch
    encoder = ImageEncoderViT(
        depth=sizes.depth,
        embed_dim=sizes.width,
        img_size=sizes.picture,
        mlp_ratio=4,
        norm_layer=partial(nn.LayerNorm, eps=1e-6),
        num_heads=sizes.heads,
        patch_size=sizes.patch,
        qkv_bias=True,
        use_rel_pos=True,
        global_attn_indexes=sizes.global_blocks,
        window_size=sizes.window,
        out_chans=sizes.channels,
    )
    for number in sizes.global_blocks:
        grid = {"input_size": (side, side), "use_rel_pos": True}
        encoder.blocks[number].attn = RowwisePatchAttention(sizes.width, sizes.heads, **grid)
    return encoder


class MLP(nn.Module):
    """Three linear layers with GELU between.

    Args:
        inputs: channels that come in.
        outputs: channels that go out.
        width: of the layers between.
    """

    def __init__(self, inputs: int, outputs: int, width: int = 512) -> None:
        super().__init__()
        self.fc1, self.fc2, self.fc3 = nn.Linear(inputs, width), nn.Linear(width, width), nn.Linear(width, outputs)

    def forward(self, x: Tensor) -> Tensor:
        """(..., outputs) of (..., inputs)."""
        return self.fc3(F.gelu(self.fc2(F.gelu(self.fc1(x)))))


def full_size(logits: Tensor, resized: tuple[int, int], original: tuple[int, int], side: int) -> Tensor:
    """Logits (N, h, w) of the decoder on the picture's own pixels (N, H, W).

    Args:
        logits: of the padded square.
        resized: height and width that the picture takes of it.
        original: height and width of the picture.
        side: of the square.
    """
    square = _scaled(logits, (side, side))
    return _scaled(square[:, : resized[0], : resized[1]], original)


def _scaled(logits: Tensor, size: tuple[int, int]) -> Tensor:
    return F.interpolate(logits[:, None].float(), size, mode="bilinear", align_corners=False)[:, 0]


def build(settings: ModelSettings, **where: Any) -> MediRoundModel:
    """A model in evaluation mode, its weights not yet loaded."""
    with torch.device(where.get("device", "cpu")):
        return MediRoundModel(settings).eval()
