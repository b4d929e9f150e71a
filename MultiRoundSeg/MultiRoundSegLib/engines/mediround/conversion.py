"""From the files that people have to the tensors of one model: LLaVA-Med, CLIP, MedSAM, and a trained result."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file
from torch import Tensor

from .official import CheckpointError, translated
from .settings import ModelSettings, SamSettings

_LEFT_OUT = ("architectures", "model_type", "transformers_version", "torch_dtype", "dtype", "_name_or_path", "auto_map")
_NEW_ROWS_SEED = 0
Tensors = dict[str, Tensor]


def read_tensors(place: Path) -> Tensors:
    """All tensors of a file, or of the .safetensors or .bin files of a folder; nothing in them is executed.

    Raises:
        CheckpointError: there are none.
    """
    files = [place] if place.is_file() else sorted(place.glob("*.safetensors")) or sorted(place.glob("*.bin"))
    if not files:
        raise CheckpointError(
            f"{place.name} holds no .safetensors or .bin file; a DeepSpeed checkpoint must be turned into "
            "pytorch_model.bin by its own zero_to_fp32.py first"
        )
    tensors: Tensors = {}
    for file in files:
        if file.suffix == ".safetensors":
            tensors |= load_file(file)
        else:
            tensors |= torch.load(file, map_location="cpu", weights_only=True, mmap=True)
    return tensors


def read_settings(language: Path, vision: Path, *, sam: SamSettings, has_correction: bool) -> ModelSettings:
    """Settings from the config.json of a LLaVA-Med folder and of a CLIP folder."""
    llava = json.loads((language / "config.json").read_text(encoding="utf-8"))
    clip = json.loads((vision / "config.json").read_text(encoding="utf-8"))
    clip = clip.get("vision_config", clip)
    if llava.get("mm_projector_type", "mlp2x_gelu") != "mlp2x_gelu":
        raise CheckpointError(f"the projector {llava['mm_projector_type']!r} is not that of LLaVA-Med 1.5")
    return ModelSettings(
        language=_plain({key: value for key, value in llava.items() if not key.startswith(("mm_", "tokenizer_"))}),
        vision=_plain(clip),
        vision_layer=int(llava.get("mm_vision_select_layer", -2)),
        sam=sam,
        has_correction=has_correction,
    )


def gathered(
    settings: ModelSettings,
    *,
    language: Tensors,
    vision: Tensors,
    sam: Tensors,
    trained: Tensors,
    wanted: Mapping[str, Tensor],
) -> Tensors:
    """All tensors of a model; those of a trained result replace those of its parts.

    Args:
        settings: of the model.
        language: of LLaVA-Med, under its names.
        vision: of CLIP, under its names; text and projection are left out.
        sam: of MedSAM, under its names.
        trained: of a stage-1 or stage-2 result, under our names.
        wanted: the model's own tensors, for their shapes; what nothing gives is an error.

    Raises:
        CheckpointError: something is missing.
    """
    tensors = translated({name: t for name, t in language.items() if ".vision_tower." not in name})
    seen = {name.removeprefix("vision_model."): t for name, t in vision.items() if name.startswith("vision_model.")}
    tensors |= {f"vision_tower.{name}": t for name, t in seen.items() if not name.endswith("position_ids")}
    tensors |= {f"visual_model.{name}": t for name, t in sam.items()}
    for name in ("language.model.embed_tokens.weight", "language.lm_head.weight"):
        if name in tensors:
            tensors[name] = _with_rows(tensors[name], wanted[name].shape[0], settings)
    tensors |= trained
    missing = sorted(set(wanted) - set(tensors))
    if missing:
        raise CheckpointError(f"nothing gives these tensors: {', '.join(missing[:8])} ({len(missing)} in all)")
    return {name: tensors[name].contiguous() for name in wanted}


def _with_rows(weight: Tensor, rows: int, settings: ModelSettings) -> Tensor:
    """A weight with rows for our three words, drawn as published: N(0, initializer_range)."""
    more = rows - weight.shape[0]
    if more <= 0:
        return weight
    drawn = torch.randn(more, weight.shape[1], generator=torch.Generator().manual_seed(_NEW_ROWS_SEED))
    return torch.cat([weight, (drawn * settings.language.get("initializer_range", 0.02)).to(weight)])


def _plain(config: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in config.items() if key not in _LEFT_OUT}
