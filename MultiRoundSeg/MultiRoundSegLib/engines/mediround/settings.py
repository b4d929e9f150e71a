"""What a MediRound model is made of: the sizes of its parts, in one JSON file beside its weights."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

SEG, BOX, CROP, IMAGE = "[SEG]", "[BBOXINPUT]", "[CROPPEDIMAGE]", "<image>"
"""Words of the dialogue that stand for a mask to make, a box, a crop, and the picture. Published names."""


@dataclass(frozen=True)
class SamSettings:
    """Sizes of the mask encoder and decoder; the defaults are those of MedSAM's ViT-B.

    Attributes:
        encoder: "transformer" as published, or "convolutional", whose patches are 4 pixels and which has no use for
            the sizes of a transformer.
        width: of the encoder's embeddings.
        depth: transformer blocks of the encoder.
        heads: of each block.
        global_blocks: blocks that attend everywhere; the others within windows.
        window: side of a window, patches.
        patch: side of a patch, pixels.
        picture: side of the square that is encoded, pixels.
        channels: of the picture's embedding.
    """

    encoder: Literal["transformer", "convolutional"] = "transformer"
    width: int = 768
    depth: int = 12
    heads: int = 12
    global_blocks: tuple[int, ...] = (2, 5, 8, 11)
    window: int = 14
    patch: int = 16
    picture: int = 1024
    channels: int = 256

    @classmethod
    def read(cls, path: Path) -> SamSettings:
        """Read sizes from JSON."""
        return cls.of(json.loads(path.read_text(encoding="utf-8")))

    @classmethod
    def of(cls, data: dict[str, Any]) -> SamSettings:
        """Sizes from a JSON object."""
        return cls(**data | {"global_blocks": tuple(data["global_blocks"])})


@dataclass(frozen=True)
class ModelSettings:
    """Everything needed to build a model before its weights are loaded.

    Attributes:
        language: `MistralConfig` as a dictionary; "vocab_size" without the three words of ours.
        vision: `CLIPVisionConfig` as a dictionary.
        vision_layer: which hidden state of the vision tower is used, counted from its end.
        sam: sizes of the mask encoder and decoder.
        has_correction: the model judges and corrects its masks (stage 2).
        adds_correction: the correction is added to the embedding; as published it takes its place.
        correct_below: at or below this quality a mask is corrected.
    """

    language: dict[str, Any]
    vision: dict[str, Any]
    vision_layer: int = -2
    sam: SamSettings = field(default_factory=SamSettings)
    has_correction: bool = True
    adds_correction: bool = False
    correct_below: float = 0.6

    @property
    def seg_id(self) -> int:
        """Token of `SEG`; `BOX` and `CROP` follow it."""
        return int(self.language["vocab_size"])

    @property
    def box_id(self) -> int:
        """Token of `BOX`."""
        return self.seg_id + 1

    @property
    def crop_id(self) -> int:
        """Token of `CROP`."""
        return self.seg_id + 2

    @property
    def picture_tokens(self) -> int:
        """Embeddings that stand for the whole picture."""
        return int(self.vision["image_size"] // self.vision["patch_size"]) ** 2

    def write(self, path: Path) -> None:
        """Write them as JSON."""
        path.write_text(json.dumps(asdict(self), indent=1), encoding="utf-8")

    @classmethod
    def read(cls, path: Path) -> ModelSettings:
        """Read what `write` wrote.

        Raises:
            ValueError: the file holds other settings.
        """
        data = json.loads(path.read_text(encoding="utf-8"))
        try:
            sam = SamSettings.of(data.pop("sam"))
            return cls(**data, sam=sam)
        except (KeyError, TypeError) as error:
            raise ValueError(f"{path.name} does not describe a MediRound model: {error}") from error
